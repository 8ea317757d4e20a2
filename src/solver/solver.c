/* The solver's life: create, analyze, adopt, clone, factor, refactor, destroy.
 *
 * A refactor replays; what becomes of a weak replay is trust.c's. If that fails, the previous pivots and program stay,
 * without factors. The values are copied only where a later solve will be checked against them. */
#include "solver/solver.h"

#include <string.h>
#include <warplu/cache.h>

#include "base/pool.h"
#include "solver/first_replay.h"
#include "solver/grow.h"
#include "solver/limited.h"
#include "solver/options.h"
#include "solver/regimes.h"
#include "solver/repeat.h"
#include "solver/replay.h"
#include "solver/repivot.h"
#include "solver/settle.h"
#include "solver/short.h"
#include "solver/trial.h"
#include "solver/trust.h"

/* For pivots that nobody vouches for: the target itself where it cannot refine on device pointers. */
static warplu_status find_refining(wlu_context *ctx, const wlu_target *target, wlu_target *out)
{
    wlu_target refines = *target;
    wlu_context quiet = *ctx;
    const wlu_cost *cost;
    *out = *target;
    if (target->executor->device == NULL || target->precision != WARPLU_PRECISION_DOUBLE) return WARPLU_SUCCESS;
    quiet.message = NULL;
    refines.precision = WLU_DOUBLE_REFINED;
    warplu_status status = wlu_target_open(&quiet, &refines, &cost);
    if (status == WARPLU_SUCCESS) *out = refines;
    if (status == WARPLU_SUCCESS || status == WARPLU_PRECISION_UNSUPPORTED) return WARPLU_SUCCESS;
    return wlu_fail(ctx, status, "%s", quiet.last_message);
}

warplu_status wlu_solver_create(warplu_solver **out, const warplu_options *options)
{
    wlu_context ctx;
    const wlu_cost *cost;
    wlu_target target, refines;
    warplu_options o;
    wlu_wrong_option wrong;
    *out = NULL;
    warplu_status status = wlu_options_take(options, &o);
    if (status < 0) return status;
    warplu_options heard = o;
    if ((o.allocate == NULL) != (o.release == NULL)) heard.allocate = NULL, heard.release = NULL;
    wlu_context_init(&ctx, &heard);
    status = wlu_options_check(&o, &wrong);
    if (status < 0) return wlu_fail(&ctx, status, "option %s: %s", wrong.name, wrong.why);
    status = wlu_target_find(&ctx, &o, &target, &cost);
    if (status == WARPLU_SUCCESS) status = find_refining(&ctx, &target, &refines);
    if (status < 0) return status;
    if (o.allocate == NULL) wlu_pool_open(&ctx);
    warplu_solver *s = WLU_CALLOC(&ctx, 1, warplu_solver);
    if (s == NULL) {
        wlu_pool_close(&ctx);
        return wlu_fail_memory(&ctx, "solver");
    }
    s->ctx = ctx;
    s->options = o;
    s->target = target;
    s->refines = refines;
    s->cost = cost;
    s->last.backward_error = -1.0;
    s->trust.limits_after = WLU_LIMITS_AFTER;
    if (s->options.threads == 0) s->options.threads = wlu_team_processors();
    int opened = wlu_turn_open(&s->turn);
    if (!opened) status = wlu_fail_memory(&s->ctx, "solver");
    if (opened && s->options.threads > 1) status = wlu_team_create(&s->ctx, s->options.threads, &s->team);
    if (status < 0) {
        if (opened) wlu_turn_close(&s->turn);
        ctx = s->ctx;
        wlu_free(&ctx, s);
        wlu_pool_close(&ctx);
        return status;
    }
    *out = s;
    return WARPLU_SUCCESS;
}

static void drop_analysis(warplu_solver *s)
{
    wlu_solver_drop_pivots(s);
    wlu_plan_release(&s->ctx, &s->base);
    wlu_cache_clear(&s->ctx, &s->cache);
    wlu_analysis_destroy(&s->ctx, &s->analysis);
    wlu_analysis_destroy(&s->ctx, &s->first);
    wlu_checks_free(&s->ctx, &s->checks);
}

void wlu_solver_destroy(warplu_solver **solver)
{
    warplu_solver *s = *solver;
    drop_analysis(s);
    wlu_team_destroy(&s->ctx, &s->team);
    wlu_turn_close(&s->turn);
    wlu_context ctx = s->ctx;
    wlu_free(&ctx, s);
    wlu_pool_close(&ctx);
    *solver = NULL;
}

/* The analysis and what its checks need become the solver's; what it had before is freed. */
static void take_analysis(warplu_solver *s, wlu_analysis *analysis, const wlu_checks *checks)
{
    drop_analysis(s);
    s->analysis = analysis;
    wlu_solver_take_first(s);
    s->checks = *checks;
    s->settling = wlu_settling_of(analysis);
    s->growth = (wlu_growth){.began = s->counted.refactors};
    s->phase = WLU_ANALYZED;
    s->counted.analyses++;
}

warplu_status wlu_solver_analyze(warplu_solver *s, int32_t n, const int32_t *ptr, const int32_t *idx,
                                 const double *values)
{
    wlu_pattern *a = NULL;
    wlu_analysis *analysis = NULL;
    s->ctx.singularity.status = WARPLU_SUCCESS;
    warplu_status status = wlu_pattern_create(&s->ctx, s->options.storage, n, ptr, idx, &a);
    if (status < 0) return status;
    a->doubles = s->target.doubles;
    wlu_checks checks;
    status = wlu_checks_create(&s->ctx, a, NULL, &checks);
    if (status == WARPLU_SUCCESS && values != NULL) status = wlu_gather_finite(&s->ctx, a, values, checks.entries);
    if (status == WARPLU_SUCCESS)
        status = wlu_analysis_create(&s->ctx, &s->options, s->cost, &a, values != NULL ? checks.entries : NULL,
                                     wlu_solver_depth(s), &analysis);
    if (status < 0) {
        wlu_pattern_destroy(&s->ctx, &a);
        wlu_checks_free(&s->ctx, &checks);
        return status;
    }
    take_analysis(s, analysis, &checks);
    return status;
}

/* The program of a file, and a state for it, where it fits this solver. */
static warplu_status restore_program(warplu_solver *s, const char *name, wlu_saved_program bytes, wlu_plan *plan,
                                     wlu_state **state)
{
    wlu_lu_saved saved;
    int fits;
    warplu_status status =
        wlu_lu_saved_open(&s->ctx, name, bytes, plan->pivots->n, s->options.threads, s->cost, &saved, &fits);
    if (status < 0 || !fits) return status;
    status = wlu_plan_restore(&s->ctx, &s->options, &saved, plan);
    if (status < 0 || plan->program == NULL) return status;
    return wlu_plan_state(&s->ctx, plan, s->team, state);
}

warplu_status wlu_solver_adopt(warplu_solver *s, const char *name, wlu_analysis *analysis, wlu_pivots *pivots,
                               wlu_saved_program program)
{
    static const int no_proofs[2] = {0, 0};
    wlu_plan *plan = NULL;
    wlu_state *state = NULL;
    wlu_checks checks;
    warplu_status status = wlu_checks_create(&s->ctx, analysis->a, NULL, &checks);
    if (status == WARPLU_SUCCESS && pivots != NULL)
        status = wlu_plan_create(&s->ctx, wlu_solver_target(s, no_proofs), s->cost, analysis, pivots, &plan);
    if (status == WARPLU_SUCCESS && program.count > 0) status = restore_program(s, name, program, plan, &state);
    if (status < 0) {
        if (plan == NULL) wlu_pivots_destroy(&s->ctx, &pivots);
        wlu_plan_release(&s->ctx, &plan);
        wlu_analysis_destroy(&s->ctx, &analysis);
        wlu_checks_free(&s->ctx, &checks);
        return status;
    }
    take_analysis(s, analysis, &checks);
    s->current.plan = plan;
    s->current.state = state;
    if (plan != NULL) s->current.service.compile_after = wlu_grow_compile_after(s, plan->pivots);
    s->phase = wlu_phase_unfactored(plan != NULL);
    if (plan != NULL) s->settling.unsettled = WLU_SETTLED;
    s->ctx.singularity.status = WARPLU_SUCCESS;
    return WARPLU_SUCCESS;
}

/* Of a repeatable solver: as it began. */
static wlu_seed seed_at_first(const warplu_solver *source, wlu_seed *seed)
{
    seed->analysis = wlu_analysis_share(source->first);
    seed->settling = wlu_settling_of(source->first);
    if (source->current.plan != NULL && source->current.plan->analysis == source->first)
        seed->plan = wlu_plan_share(source->current.plan);
    return *seed;
}

wlu_seed wlu_solver_seed(const warplu_solver *source)
{
    wlu_seed seed = {.unsplit = source->ctx.unsplit, .first_index = source->ctx.first_index};
    if (source->first != NULL) return seed_at_first(source, &seed);
    seed.analysis = wlu_analysis_share(source->analysis);
    seed.settling = source->settling;
    seed.growth = source->growth;
    seed.growth.began = 0;
    if (source->current.plan != NULL) seed.plan = wlu_plan_share(source->current.plan);
    if (source->current.factors == NULL || source->target.precision != WARPLU_PRECISION_SINGLE) /* those are FP64 */
        memcpy(seed.accurate_solves, source->current.accurate_solves, sizeof seed.accurate_solves);
    return seed;
}

void wlu_seed_release(wlu_context *ctx, wlu_seed *seed)
{
    wlu_plan_release(ctx, &seed->plan);
    wlu_analysis_destroy(ctx, &seed->analysis);
}

warplu_status wlu_solver_grow_from(warplu_solver **out, const warplu_options *options, wlu_seed *seed, wlu_rows *rows)
{
    warplu_solver *s = NULL;
    warplu_status status = wlu_solver_create(&s, options);
    if (status < 0) return status;
    status = wlu_checks_create(&s->ctx, seed->analysis->a, rows, &s->checks);
    if (status < 0) {
        wlu_solver_destroy(&s);
        return status;
    }
    s->ctx.unsplit = seed->unsplit;
    s->ctx.first_index = seed->first_index;
    s->analysis = seed->analysis;
    wlu_solver_take_first(s);
    s->settling = seed->settling;
    s->growth = seed->growth;
    if (s->first == NULL)
        s->current.plan = seed->plan;
    else if (seed->plan != NULL)
        wlu_cache_put(&s->ctx, &s->cache, (wlu_loaded){.plan = seed->plan}, s->options.max_cache_bytes);
    wlu_cache_pass(&s->cache);
    wlu_solver_forget_replays(s);
    s->current.service.compile_after = 0; /* one compilation serves all clones, whoever comes first */
    memcpy(s->current.accurate_solves, seed->accurate_solves, sizeof s->current.accurate_solves);
    *seed = (wlu_seed){.analysis = NULL};
    s->phase = wlu_phase_unfactored(s->current.plan != NULL);
    *out = s;
    return WARPLU_SUCCESS;
}

warplu_status wlu_solver_clone(warplu_solver **out, const warplu_solver *source)
{
    wlu_context ctx = source->ctx;
    wlu_seed seed = wlu_solver_seed(source);
    warplu_status status = wlu_solver_grow_from(out, &source->options, &seed, source->checks.rows);
    wlu_seed_release(&ctx, &seed);
    if (status < 0) return status;
    wlu_checks *checks = &(*out)->checks;
    checks->earlier = source->checks.kept || source->checks.earlier;
    if (checks->earlier)
        memcpy(checks->entries, source->checks.entries,
               (size_t)source->analysis->a->nnz * (size_t)source->target.doubles * sizeof(double));
    return WARPLU_SUCCESS;
}

/* Factors by the program, where the options expect enough replays to repay it and there can be one. */
static warplu_status replay_ahead(warplu_solver *s, const double *values)
{
    if (!wlu_solver_compiles_ahead(s)) return WARPLU_SUCCESS;
    warplu_status status = WARPLU_SUCCESS;
    if (s->current.state == NULL && !wlu_solver_recall(s, 0)) {
        if (wlu_solver_does_without(s, wlu_plan_refused(s->current.plan))) return WARPLU_SUCCESS;
        status = wlu_solver_compile(s);
    }
    if (status == WARPLU_SUCCESS) status = wlu_solver_replay(s, values);
    if (status == WARPLU_SUCCESS && !wlu_solver_health(s)->finite)
        status = wlu_fail(&s->ctx, WARPLU_NOT_FINITE, "the factors overflow");
    return status == WARPLU_SUCCESS ? wlu_solver_release_withheld(s) : status;
}

/* Whether a factorization keeps pivots that serve: of solvers that repeat themselves only where they are small. */
static int factors_as_refactors(const warplu_solver *s)
{
    return s->options.repeatable == WARPLU_REPEATABLE_SMALL && !wlu_solver_is_strict(s) && s->current.plan != NULL;
}

warplu_status wlu_solver_factor(warplu_solver *s, const double *values)
{
    int replayed = 0;
    if (factors_as_refactors(s)) return wlu_solver_refactor(s, values);
    s->counted.factors++;
    wlu_solver_expect_factors(s);
    s->ctx.singularity.status = WARPLU_SUCCESS;
    if (wlu_solver_is_strict(s)) wlu_solver_begin_anew(s);
    warplu_status status = wlu_gather_finite(&s->ctx, s->analysis->a, values, s->checks.entries);
    if (status == WARPLU_SUCCESS) status = wlu_solver_settle_analysis(s);
    if (status == WARPLU_SUCCESS) status = wlu_solver_replay_again(s, values, &replayed);
    if (status == WARPLU_SUCCESS && !replayed) status = wlu_solver_replay_first(s, values, &replayed);
    if (status == WARPLU_SUCCESS && !replayed) status = wlu_solver_pivot(s);
    wlu_solver_note_pivoting(s, status);
    if (status >= 0 && !replayed) status = replay_ahead(s, values);
    if (status >= 0) wlu_solver_note_base(s);
    if (status >= 0 && wlu_solver_verdict_bounds_aside(s, &s->current) == WLU_HEALTHY) s->trust.verdict = WLU_HEALTHY;
    wlu_pool_trim(&s->ctx, 1);
    return status;
}

warplu_status wlu_solver_refactor(warplu_solver *s, const double *values)
{
    wlu_verdict verdict;
    if (wlu_short_refactor(s, values)) return WARPLU_SUCCESS;
    if (s->current.plan == NULL || wlu_solver_has_to_factor(s)) return wlu_solver_factor(s, values);
    s->counted.refactors++;
    wlu_solver_expect_factors(s);
    s->ctx.singularity.status = WARPLU_SUCCESS;
    int strict = wlu_solver_is_strict(s);
    warplu_status status = strict ? wlu_solver_return_to_base(s) : wlu_grow(s, values);
    if (status == WARPLU_SUCCESS && !strict) /* those that give way too: else short visits are never compiled for */
        status = wlu_solver_prepare(s);
    if (status == WARPLU_SUCCESS && !strict && wlu_solver_foresee(s)) status = wlu_solver_prepare(s);
    if (status == WARPLU_SUCCESS && s->current.state != NULL) wlu_grow_plan_race(s);
    if (status == WARPLU_SUCCESS) status = wlu_solver_replay(s, values);
    return status < 0 ? status : wlu_trust_judge_replay(s, values, &verdict);
}
