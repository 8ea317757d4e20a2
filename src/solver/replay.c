/* The factors at hand: of a compiled program on a state, or, before a program is worth its compilation, numeric factors
 * by column (pivot/factors.h).
 *
 * A program replays in well under half the time that columns take, and costs several factorizations to compile. After
 * pivoting again it is compiled once as many replays have come as make up for that, in one go or whenever these pivots
 * serve again, so that values which need new pivots every few steps never wait for compilers; a call to warplu_factor
 * compiles at once where the options expect as many. Where no program fits the options' bound columns go on, but on a
 * device. */
#include "solver/replay.h"

#include "base/finite.h"
#include "base/pool.h"

#include <math.h>
#include <stdlib.h>

/* Programs serve pivots in the same order whose scales differ by no more than 2^this. */
enum { SCALE_SLACK = 4 };

/* Fewer right-hand sides than this are solved for one by one. Measured with AVX-512, in the time of as many alone:
 * three 0.7 to 1.25, four 0.5 to 1.07, the most where the rows leave the second cache. */
enum { MANY_MIN = 4 };

warplu_status wlu_solver_release_withheld(warplu_solver *s)
{
    const wlu_executor_device *device = s->target.executor->device;
    if (s->current.state == NULL || device == NULL) return WARPLU_SUCCESS;
    return device->release_withheld(&s->ctx, s->current.state);
}

static void open_bounds(wlu_trust *trust)
{
    trust->bounded[0] = trust->bounded[1] = trust->limited = WLU_BOUND_OPEN;
    trust->rows_looked_at[0] = trust->rows_looked_at[1] = 0;
    trust->least_proven[0] = trust->least_proven[1] = 0.0;
}

void wlu_solver_forget_replays(warplu_solver *s)
{
    int64_t now = s->counted.refactors;
    s->current.transposed_loaded = 0;
    s->current.service =
        (wlu_service){.number = ++s->regimes.numbers, .compile_after = WLU_COMPILE_AFTER, .since = now, .counted = now};
    for (int transposed = 0; transposed <= 1; transposed++) {
        s->current.accurate_solves[transposed] = 0;
        s->trust.retry[transposed] = (wlu_retry){0};
        s->trust.pause[transposed] = (wlu_pause){0};
    }
    open_bounds(&s->trust);
}

void wlu_solver_drop_pivots(warplu_solver *s)
{
    wlu_loaded_release(&s->ctx, &s->current);
    wlu_solver_forget_replays(s);
}

void wlu_solver_expect_factors(warplu_solver *s)
{
    s->phase = wlu_phase_unfactored(s->current.plan != NULL);
    s->checks.earlier |= s->checks.kept;
    s->checks.kept = 0;
    open_bounds(&s->trust);
}

int wlu_solver_compiles_ahead(const warplu_solver *s)
{
    double expected = s->options.expected_refactors;
    return expected >= WLU_COMPILE_AFTER || (expected == 0.0 && s->target.executor->device != NULL);
}

void wlu_solver_note_compilation(warplu_solver *s)
{
    s->counted.compilations++;
}

/* The program replays from now on, and factors by column have served. */
static void take_program(warplu_solver *s)
{
    wlu_solver_note_compilation(s);
    if (s->target.precision == WARPLU_PRECISION_SINGLE && s->current.factors != NULL) /* in FP64, they prove nothing */
        s->current.accurate_solves[0] = s->current.accurate_solves[1] = 0;
    s->current.transposed_loaded = 0;
    wlu_factors_destroy(&s->ctx, &s->current.factors);
}

warplu_status wlu_solver_compile(warplu_solver *s)
{
    warplu_status status = wlu_plan_compile(&s->ctx, &s->options, s->current.plan);
    if (status == WARPLU_SUCCESS) status = wlu_plan_state(&s->ctx, s->current.plan, s->team, &s->current.state);
    if (status == WARPLU_SUCCESS) take_program(s);
    wlu_pool_trim(&s->ctx, 0);
    return status;
}

warplu_status wlu_solver_make_program(warplu_solver *s)
{
    if (s->current.state != NULL) return WARPLU_SUCCESS;
    warplu_status status = wlu_plan_compile(&s->ctx, &s->options, s->current.plan);
    if (status == WARPLU_SUCCESS) s->current.service.compile_after = 0;
    return status;
}

int wlu_solver_does_without(const warplu_solver *s, warplu_status status)
{
    return wlu_plan_is_refusal(status) && s->target.executor->device == NULL;
}

/* Takes these pivots, with their program, from the cache. */
static int recall(warplu_solver *s, int at, int slack)
{
    wlu_context quiet = s->ctx;
    quiet.message = NULL;
    if (at < 0) return 0;
    wlu_loaded kept = wlu_cache_take(&s->cache, at);
    warplu_status status = kept.state == NULL ? wlu_plan_compile(&quiet, &s->options, kept.plan) : WARPLU_SUCCESS;
    if (status == WARPLU_SUCCESS && kept.state == NULL)
        status = wlu_plan_state(&quiet, kept.plan, s->team, &kept.state);
    if (status < 0) {
        wlu_loaded_release(&s->ctx, &kept);
        return 0;
    }
    kept.service = s->current.service;
    for (int transposed = 0; transposed <= 1; transposed++) /* else proven with other scales */
        kept.accurate_solves[transposed] = slack > 0 ? 0 : s->current.accurate_solves[transposed];
    wlu_loaded_release(&s->ctx, &s->current);
    s->current = kept;
    s->counted.cache_hits++;
    return 1;
}

int wlu_solver_recall(warplu_solver *s, int slack)
{
    return recall(s, wlu_cache_find(&s->cache, s->current.plan->pivots, slack, 1), slack);
}

/* In place of a compilation, when its time has come. */
static int recall_past(warplu_solver *s)
{
    return recall(s, wlu_cache_find_past(&s->cache, s->current.plan->pivots, SCALE_SLACK), SCALE_SLACK);
}

void wlu_solver_recognize(warplu_solver *s)
{
    const wlu_pivots *pivots = s->current.plan->pivots;
    int compiled = wlu_cache_find(&s->cache, pivots, SCALE_SLACK, 1);
    int young = compiled < 0 ? wlu_cache_find(&s->cache, pivots, SCALE_SLACK, 0) : -1;
    wlu_service *service = &s->current.service;
    if (compiled >= 0) service->number = s->cache.kept[compiled].pivots.service.number;
    if (young < 0) return;
    wlu_loaded kept = wlu_cache_take(&s->cache, young);
    *service = kept.service;
    service->since = service->counted = s->counted.refactors;
    service->spent = 0.0;
    wlu_loaded_release(&s->ctx, &kept);
}

/* Finds the bound that solves will ask for, so that these allocate nothing; not while they are checked for the pivots'
 * sake, for a life of a few solves ends before. */
static void find_bound_early(const warplu_solver *s, int transposed)
{
    int on_trial = s->current.state == NULL && s->current.accurate_solves[transposed] < WLU_TRIAL_SOLVES;
    int asked = s->options.check != WARPLU_CHECK_OFF && s->options.check != WARPLU_CHECK_REPLAYS;
    if (asked && !on_trial) (void)wlu_plan_bound(&s->ctx, s->current.plan, s->current.state != NULL, transposed);
}

warplu_status wlu_solver_prepare(warplu_solver *s)
{
    wlu_loaded *p = &s->current;
    if (p->state != NULL || wlu_solver_recall(s, SCALE_SLACK)) return WARPLU_SUCCESS;
    int by_columns = p->service.direct_replays < p->service.compile_after;
    if (p->factors == NULL && by_columns && s->target.executor->device == NULL) { /* restored */
        warplu_status status = wlu_factors_create(&s->ctx, p->plan->pivots, &p->factors);
        if (status < 0) return status;
    }
    if (p->factors != NULL && by_columns) {
        find_bound_early(s, 0);
        return WARPLU_SUCCESS;
    }
    if (recall_past(s)) return WARPLU_SUCCESS;
    wlu_context before = s->ctx;
    s->ctx.message = NULL; /* what keeps a program from being made is no error: the factors replay */
    warplu_status status = wlu_solver_compile(s);
    wlu_context quiet = s->ctx;
    s->ctx = before;
    if (status == WARPLU_SUCCESS) return status;
    int without = wlu_solver_does_without(s, status) || (p->factors != NULL && status != WARPLU_CANCELLED);
    if (!without) return wlu_fail(&s->ctx, status, "%s", quiet.last_message);
    p->service.direct_replays = 0;
    p->service.compile_after = p->service.compile_after > 0 ? 2 * p->service.compile_after : WLU_COMPILE_AFTER;
    return p->factors != NULL ? WARPLU_SUCCESS : wlu_factors_create(&s->ctx, p->plan->pivots, &p->factors);
}

warplu_status wlu_solver_replay(warplu_solver *s, const double *values)
{
    if (s->current.state != NULL) return wlu_state_refactor(&s->ctx, s->current.state, values);
    wlu_pattern_gather(s->analysis->a, values, s->checks.entries);
    wlu_factors_refactor(s->current.factors, s->analysis->a, s->current.plan->pivots, s->checks.entries);
    s->checks.kept = 1;
    s->current.service.direct_replays++;
    return WARPLU_SUCCESS;
}

/* Of factors by column, under this bound. */
static wlu_verdict judge_columns(const warplu_solver *s, const wlu_loaded *p, wlu_bound bound)
{
    return wlu_judge_by(wlu_loaded_health(p), p->plan->pivots->quality.growth, &bound, s->options.pivot_absolute);
}

wlu_verdict wlu_solver_verdict(const warplu_solver *s, const wlu_loaded *p)
{
    if (p->state != NULL) return (wlu_verdict)wlu_loaded_health(p)->verdict;
    return judge_columns(s, p, wlu_plan_bound(&s->ctx, p->plan, 0, 0));
}

wlu_verdict wlu_solver_verdict_bounds_aside(const warplu_solver *s, const wlu_loaded *p)
{
    wlu_verdict verdict = p->state != NULL ? wlu_solver_verdict(s, p) : judge_columns(s, p, wlu_bound_unknown());
    return verdict == WLU_SUSPECT && wlu_is_in_range(wlu_loaded_health(p)) ? WLU_HEALTHY : verdict;
}

warplu_status wlu_solver_load_transposed(warplu_solver *s)
{
    find_bound_early(s, 1);
    if (s->current.state == NULL || s->current.transposed_loaded) return WARPLU_SUCCESS;
    warplu_status status = wlu_plan_compile_transposed(&s->ctx, s->current.plan);
    s->current.transposed_loaded = status == WARPLU_SUCCESS;
    return status;
}

/* Scaled right-hand sides within 2^-RANGE .. 2^RANGE go into FP32 as they are. */
enum { RANGE = 64 };

/* Of a right-hand side for slots of FP32 that leaves this range: the power of two that brings its largest magnitude
 * close to 1; else, or where that is no positive number, 1. */
static double range_power(const warplu_solver *s, int transposed, const double *b)
{
    const wlu_program *p = s->current.plan->program;
    const wlu_loads *l = transposed ? &p->transposed.load : &p->solve.load;
    double largest = 0.0;
    if (s->target.precision != WARPLU_PRECISION_SINGLE) return 1.0;
    for (int64_t k = 0; k < l->count; k++)
        if (l->source[k] >= 0) largest = wlu_larger_bits(largest, fabs(l->scale[k] * b[l->source[k]]));
    if (!(largest > 0.0 && largest < INFINITY) || abs(ilogb(largest)) <= RANGE) return 1.0;
    return wlu_inverse_power(largest);
}

warplu_status wlu_solver_substitute(warplu_solver *s, int transposed, const double *b, double *x, double *largest)
{
    if (s->current.state != NULL) {
        wlu_stream_kind kind = transposed ? WLU_STREAM_SOLVE_TRANSPOSED : WLU_STREAM_SOLVE;
        double power = range_power(s, transposed, b);
        const int64_t n = wlu_vector_doubles(s->analysis->a);
        if (power == 1.0) return wlu_state_solve(&s->ctx, s->current.state, kind, 1, b, n, x, n, largest);
        for (int64_t i = 0; i < n; i++) x[i] = b[i] * power;
        warplu_status status = wlu_state_solve(&s->ctx, s->current.state, kind, 1, x, n, x, n, largest);
        for (int64_t i = 0; i < n; i++) x[i] /= power;
        *largest = wlu_largest(x, n);
        return status;
    }
    wlu_factors_solve(s->current.factors, s->current.plan->pivots, transposed, b, x);
    *largest = wlu_largest(x, wlu_vector_doubles(s->analysis->a));
    return WARPLU_SUCCESS;
}

warplu_status wlu_solver_substitute_many(warplu_solver *s, int transposed, int32_t count, const double *b, int64_t ldb,
                                         double *x, int64_t ldx, double *largest, double **answer)
{
    *answer = NULL;
    if (count < MANY_MIN || s->current.state == NULL) return WARPLU_SUCCESS;
    for (int32_t k = 0; k < count; k++)
        if (range_power(s, transposed, b + k * ldb) != 1.0) return WARPLU_SUCCESS;
    double *room = wlu_state_answers(&s->ctx, s->current.state); /* a later solve may need it, and allocates nothing */
    if (room == NULL) return WARPLU_SUCCESS;
    *answer = x != NULL ? x : room;
    return wlu_state_solve(&s->ctx, s->current.state, transposed ? WLU_STREAM_SOLVE_TRANSPOSED : WLU_STREAM_SOLVE,
                           count, b, ldb, *answer, ldx, largest);
}
