/* The solver's life: create, analyze, factor, refactor, destroy, and the re-pivot policy.
 *
 * A weak replay is pivoted again at once; if that fails, the previous pivots and program stay, without factors.
 * The values are copied only where a later solve will be checked against them. */
#include "api/solver.h"
#include "factor/factors.h"
#include "program/verify.h"

#include <math.h>
#include <string.h>

void warplu_options_init(warplu_options *options)
{
    *options = (warplu_options){
        .size = sizeof *options,
        .storage = WARPLU_CSC,
        .ordering = WARPLU_ORDER_AUTO,
        .scaling = WARPLU_SCALE_MAX,
        .check = WARPLU_CHECK_SUSPECT,
        .executor = WARPLU_EXECUTOR_AUTO,
        .btf = 1,
        .threads = 1,
        .max_refinement_steps = 5,
        .split_program = 1,
        .pivot_tolerance = 0.001,
        .expected_refactors = 1000.0,
        .max_program_bytes = (int64_t)4 << 30,
        .max_cache_bytes = (int64_t)256 << 20,
    };
}

static warplu_status check_options(const warplu_options *o)
{
    int valid = o->size == sizeof *o && o->storage >= WARPLU_CSC && o->storage <= WARPLU_CSR &&
                o->ordering >= WARPLU_ORDER_AUTO && o->ordering <= WARPLU_ORDER_GIVEN &&
                o->scaling >= WARPLU_SCALE_NONE && o->scaling <= WARPLU_SCALE_MAX &&
                o->check >= WARPLU_CHECK_OFF && o->check <= WARPLU_CHECK_ALWAYS &&
                o->executor >= WARPLU_EXECUTOR_AUTO && o->executor <= WARPLU_EXECUTOR_CPU && o->threads >= 1 &&
                o->max_refinement_steps >= 0 && o->pivot_tolerance >= 0.0 && o->pivot_tolerance <= 1.0 &&
                o->pivot_absolute >= 0.0 && isfinite(o->pivot_absolute) && o->expected_refactors >= 0.0 &&
                o->max_program_bytes > 0 && o->max_cache_bytes >= 0 &&
                o->weak >= WARPLU_WEAK_REPIVOT && o->weak <= WARPLU_WEAK_REPORT &&
                o->matching >= WARPLU_MATCHING_AUTO && o->matching <= WARPLU_MATCHING_ALWAYS && (o->allocate == NULL) == (o->release == NULL) &&
                (o->ordering != WARPLU_ORDER_GIVEN || o->col_order != NULL);
    if (!valid) return WARPLU_INVALID_ARGUMENT;
    return o->threads > 1 ? WARPLU_THREADS_UNSUPPORTED : WARPLU_SUCCESS;
}

warplu_status warplu_create(warplu_solver **out, const warplu_options *options)
{
    if (out == NULL) return WARPLU_INVALID_ARGUMENT;
    *out = NULL;
    warplu_options defaults;
    warplu_options_init(&defaults);
    if (options != NULL) {
        size_t size = options->size; /* a caller built with an older header knows fewer options */
        if (size < sizeof size || size > sizeof defaults || size % sizeof size != 0) return WARPLU_INVALID_ARGUMENT;
        memcpy(&defaults, options, size);
        defaults.size = sizeof defaults;
    }
    options = &defaults;
    wlu_context ctx;
    wlu_context_init(&ctx, (options->allocate == NULL) == (options->release == NULL) ? options : NULL);
    warplu_status status = check_options(options);
    if (status < 0) return wlu_fail(&ctx, status, "%s", warplu_status_text(status));
    const wlu_executor *executor = wlu_executor_find(options->executor);
    if (executor == NULL) return wlu_fail(&ctx, WARPLU_NOT_COMPILED, "this machine runs no such executor");
    warplu_solver *s = WLU_CALLOC(&ctx, 1, warplu_solver);
    if (s == NULL) return wlu_fail_memory(&ctx, "solver");
    s->ctx = ctx;
    s->options = *options;
    s->executor = executor;
    s->backward_error = -1.0;
    *out = s;
    return WARPLU_SUCCESS;
}

static void drop_factors(warplu_solver *s)
{
    wlu_state_destroy(&s->ctx, &s->state);
    if (s->image != NULL) s->executor->destroy(&s->ctx, &s->image);
    wlu_program_destroy(&s->ctx, &s->program);
    wlu_pivots_destroy(&s->ctx, &s->pivots);
    s->factored = s->suspect = s->entries_kept = s->transposed_loaded = 0;
}

static void drop_analysis(warplu_solver *s)
{
    drop_factors(s);
    wlu_analysis_destroy(&s->ctx, &s->analysis);
    wlu_free(&s->ctx, s->entries);
    wlu_free(&s->ctx, s->work);
    s->entries = s->work = NULL;
}

void warplu_destroy(warplu_solver **solver)
{
    if (solver == NULL || *solver == NULL) return;
    warplu_solver *s = *solver;
    drop_analysis(s);
    wlu_context ctx = s->ctx;
    wlu_free(&ctx, s);
    *solver = NULL;
}

/* The entries of the values, all finite. */
static warplu_status gather_finite(wlu_context *ctx, const wlu_pattern *a, const double *values, double *entries)
{
    wlu_pattern_gather(a, values, entries);
    for (int32_t j = 0; j < a->n; j++)
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++)
            if (!isfinite(entries[e]))
                return wlu_fail(ctx, WARPLU_NOT_FINITE, "entry (%d, %d) is %g", a->i[e], j, entries[e]);
    return WARPLU_SUCCESS;
}

warplu_status warplu_analyze(warplu_solver *s, int32_t n, const int32_t *ptr, const int32_t *idx,
                             const double *values)
{
    if (s == NULL) return WARPLU_INVALID_ARGUMENT;
    wlu_pattern *a = NULL;
    wlu_analysis *analysis = NULL;
    warplu_status status = wlu_pattern_create(&s->ctx, s->options.storage, n, ptr, idx, &a);
    if (status < 0) return status;
    double *entries = WLU_ALLOC(&s->ctx, a->nnz, double), *work = WLU_ALLOC(&s->ctx, 6 * (int64_t)n, double);
    if (entries == NULL || work == NULL) status = wlu_fail_memory(&s->ctx, "workspace of the solver");
    if (status == WARPLU_SUCCESS && values != NULL) status = gather_finite(&s->ctx, a, values, entries);
    if (status == WARPLU_SUCCESS)
        status = wlu_analysis_create(&s->ctx, &s->options, &wlu_cost_cpu, &a, values != NULL ? entries : NULL,
                                     &analysis);
    if (status < 0) {
        wlu_pattern_destroy(&s->ctx, &a);
        wlu_free(&s->ctx, entries);
        wlu_free(&s->ctx, work);
        return status;
    }
    drop_analysis(s);
    s->analysis = analysis;
    s->entries = entries;
    s->work = work;
    return status;
}

/* Whether some entry of the diagonal that the analysis chose is missing or zero for these values. */
static int diagonal_has_zeros(const warplu_solver *s)
{
    const wlu_pattern *a = s->analysis->a;
    const wlu_candidate *c = &s->analysis->candidate[0];
    for (int32_t k = 0; k < a->n; k++) {
        int32_t j = c->col[k], e = wlu_pattern_find(a, c->row[k], j);
        if (e < 0 || s->entries[e] == 0.0) return 1;
    }
    return 0;
}

/* An analysis made from the pattern alone is made again with the first values if its diagonal has zeros. */
static warplu_status settle_analysis(warplu_solver *s)
{
    if (!s->analysis->provisional || s->options.ordering == WARPLU_ORDER_GIVEN || !diagonal_has_zeros(s))
        return WARPLU_SUCCESS;
    wlu_pattern *a = NULL;
    wlu_analysis *settled = NULL;
    warplu_status status = wlu_pattern_clone(&s->ctx, s->analysis->a, &a);
    if (status == WARPLU_SUCCESS)
        status = wlu_analysis_create(&s->ctx, &s->options, &wlu_cost_cpu, &a, s->entries, &settled);
    if (status < 0) return status;
    settled->analyze_ns += s->analysis->analyze_ns;
    drop_factors(s);
    wlu_analysis_destroy(&s->ctx, &s->analysis);
    s->analysis = settled;
    return WARPLU_SUCCESS;
}

warplu_status wlu_solver_pivot(warplu_solver *s, const double *values, const double *entries)
{
    wlu_pivots *pivots = NULL;
    wlu_factors *factors = NULL;
    wlu_program *program = NULL;
    void *image = NULL;
    wlu_state *state = NULL;
    warplu_status status =
        wlu_pivots_create(&s->ctx, &s->options, &wlu_cost_cpu, s->analysis, entries, &pivots, &factors);
    wlu_factors_destroy(&s->ctx, &factors);
    if (status == WARPLU_SUCCESS)
        status = wlu_program_create(&s->ctx, &s->options, &wlu_cost_cpu, s->analysis->a, pivots, &program);
#if defined(WLU_VERIFY_PROGRAMS)
    if (status == WARPLU_SUCCESS) status = wlu_program_verify(&s->ctx, program);
#endif
    if (status == WARPLU_SUCCESS) status = s->executor->load(&s->ctx, program, &image);
    if (status == WARPLU_SUCCESS) status = wlu_state_create(&s->ctx, program, &state);
    if (status < 0) {
        if (image != NULL) s->executor->destroy(&s->ctx, &image);
        wlu_program_destroy(&s->ctx, &program);
        wlu_pivots_destroy(&s->ctx, &pivots);
        return status;
    }
    drop_factors(s);
    s->pivots = pivots;
    s->program = program;
    s->image = image;
    s->state = state;
    s->proven[0] = s->proven[1] = 0;
    s->executor->refactor(image, state, values);
    return WARPLU_SUCCESS;
}

warplu_status wlu_solver_accept(warplu_solver *s)
{
    if (!s->state->health.finite) return wlu_fail(&s->ctx, WARPLU_NOT_FINITE, "the factors overflow");
    s->factored = s->fresh = s->entries_kept = s->suspect = 1;
    return WARPLU_SUCCESS;
}

/* Pivots for these values, and factors. */
static warplu_status pivot_values(warplu_solver *s, const double *values)
{
    s->factored = s->entries_kept = 0;
    warplu_status status = gather_finite(&s->ctx, s->analysis->a, values, s->entries);
    if (status == WARPLU_SUCCESS) status = settle_analysis(s);
    if (status == WARPLU_SUCCESS) status = wlu_solver_pivot(s, values, s->entries);
    return status < 0 ? status : wlu_solver_accept(s);
}

warplu_status warplu_factor(warplu_solver *s, const double *values)
{
    if (s == NULL || values == NULL) return WARPLU_INVALID_ARGUMENT;
    if (s->analysis == NULL) return wlu_fail(&s->ctx, WARPLU_WRONG_PHASE, "factor before analyze");
    s->factors++;
    return pivot_values(s, values);
}

warplu_status warplu_refactor(warplu_solver *s, const double *values)
{
    if (s == NULL || values == NULL) return WARPLU_INVALID_ARGUMENT;
    if (s->pivots == NULL) return warplu_factor(s, values);
    s->refactors++;
    s->factored = s->fresh = s->entries_kept = s->suspect = 0;
    s->executor->refactor(s->image, s->state, values);
    wlu_verdict verdict = WLU_HEALTHY;
    if (s->options.check != WARPLU_CHECK_OFF)
        verdict = wlu_judge(&s->state->health, &s->pivots->quality, s->options.pivot_absolute);
    if (verdict == WLU_WEAK) {
        s->repivots++;
        warplu_status status = pivot_values(s, values);
        if (status < 0) return status;
        return wlu_fail(&s->ctx, WARPLU_REPIVOTED, "%s", warplu_status_text(WARPLU_REPIVOTED));
    }
    s->factored = 1;
    s->suspect = verdict == WLU_SUSPECT;
    int unproven = !s->proven[0] || (s->transposed_wanted && !s->proven[1]);
    if (s->options.check == WARPLU_CHECK_ALWAYS || (s->options.check != WARPLU_CHECK_OFF && (s->suspect || unproven))) {
        wlu_pattern_gather(s->analysis->a, values, s->entries);
        s->entries_kept = 1;
    }
    return WARPLU_SUCCESS;
}

warplu_status warplu_position(const warplu_solver *s, int32_t row, int32_t col, int32_t *position)
{
    if (s == NULL || position == NULL) return WARPLU_INVALID_ARGUMENT;
    if (s->analysis == NULL) return WARPLU_WRONG_PHASE;
    const wlu_pattern *a = s->analysis->a;
    if (row < 0 || row >= a->n || col < 0 || col >= a->n) return WARPLU_INVALID_ARGUMENT;
    int32_t e = wlu_pattern_find(a, row, col);
    if (e < 0) return WARPLU_PATTERN_MISMATCH;
    *position = a->map_ptr != NULL ? a->map[a->map_ptr[e]] : a->map[e];
    return WARPLU_SUCCESS;
}

const char *warplu_message(const warplu_solver *s)
{
    return s != NULL ? s->ctx.last_message : "";
}
