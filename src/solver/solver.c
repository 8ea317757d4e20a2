/* The solver's life: create, analyze, factor, refactor, clone, destroy.
 *
 * A weak replay is mended (repivot.c); if that fails, the previous pivots and program stay, without factors.
 * The values are copied only where a later solve will be checked against them. */
#include "solver/solver.h"

#include "order/order.h"

#include <math.h>
#include <string.h>

void warplu_init_options(warplu_options *options)
{
    if (options == NULL) return;
    *options = (warplu_options){
        .size = sizeof *options,
        .storage = WARPLU_STORAGE_CSC,
        .ordering = WARPLU_ORDERING_AUTO,
        .scaling = WARPLU_SCALING_MAX,
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
    int valid = o->size == sizeof *o && o->storage >= WARPLU_STORAGE_CSC && o->storage <= WARPLU_STORAGE_CSR &&
                o->ordering >= WARPLU_ORDERING_AUTO && (int)o->ordering <= WLU_ORDERING_LAST &&
                o->scaling >= WARPLU_SCALING_NONE && o->scaling <= WARPLU_SCALING_MAX && o->check >= WARPLU_CHECK_OFF &&
                o->check <= WARPLU_CHECK_ALWAYS && wlu_executor_name(o->executor) != NULL && o->threads >= 0 &&
                o->threads <= WLU_TEAM_MOST && o->max_refinement_steps >= 0 && o->pivot_tolerance >= 0.0 &&
                o->pivot_tolerance <= 1.0 && o->pivot_absolute >= 0.0 && isfinite(o->pivot_absolute) &&
                o->expected_refactors >= 0.0 && o->max_program_bytes > 0 && o->max_cache_bytes >= 0 &&
                o->max_factor_bytes >= 0 && o->weak >= WARPLU_ON_WEAK_REPIVOT && o->weak <= WARPLU_ON_WEAK_REPORT &&
                wlu_strategy_name(o->device_strategy) != NULL && o->device >= -1 &&
                o->precision >= WARPLU_PRECISION_DOUBLE && o->precision <= WARPLU_PRECISION_MIXED &&
                o->matching >= WARPLU_MATCHING_AUTO && o->matching <= WARPLU_MATCHING_ALWAYS &&
                (o->allocate == NULL) == (o->release == NULL) &&
                (o->ordering != WARPLU_ORDERING_GIVEN || o->col_order != NULL);
    if (!valid) return WARPLU_INVALID_ARGUMENT;
    int alone = o->threads != 1 && !wlu_executor_threads(o->executor);
    return alone ? WARPLU_THREADS_UNSUPPORTED : WARPLU_SUCCESS;
}

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
    if (out == NULL) return WARPLU_INVALID_ARGUMENT;
    *out = NULL;
    warplu_options defaults;
    warplu_init_options(&defaults);
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
    wlu_target target, refines;
    const wlu_cost *cost;
    status = wlu_target_find(&ctx, options, &target, &cost);
    if (status == WARPLU_SUCCESS) status = find_refining(&ctx, &target, &refines);
    if (status < 0) return status;
    warplu_solver *s = WLU_CALLOC(&ctx, 1, warplu_solver);
    if (s == NULL) return wlu_fail_memory(&ctx, "solver");
    s->ctx = ctx;
    s->options = *options;
    s->target = target;
    s->refines = refines;
    s->cost = cost;
    s->backward_error = -1.0;
    if (s->options.threads == 0) s->options.threads = wlu_team_processors();
    if (s->options.threads > 1) status = wlu_team_create(&s->ctx, s->options.threads, &s->team);
    if (status < 0) {
        ctx = s->ctx;
        wlu_free(&ctx, s);
        return status;
    }
    *out = s;
    return WARPLU_SUCCESS;
}

/* Entries of the longest row, and of the longest column. work: n. */
static void find_longest(const wlu_pattern *a, double *work, double longest[2])
{
    longest[0] = longest[1] = 0.0;
    memset(work, 0, (size_t)a->n * sizeof *work);
    for (int32_t j = 0; j < a->n; j++) {
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) longest[0] = fmax(longest[0], ++work[a->i[e]]);
        longest[1] = fmax(longest[1], (double)(a->p[j + 1] - a->p[j]));
    }
}

static void take_workspace(warplu_solver *s, const wlu_workspace *w)
{
    s->entries = w->entries;
    s->work = w->work;
    s->rows = w->rows;
}

static void drop_analysis(warplu_solver *s)
{
    wlu_solver_drop_pivots(s);
    wlu_cache_clear(&s->ctx, &s->cache);
    wlu_analysis_destroy(&s->ctx, &s->analysis);
    wlu_workspace own = {s->entries, s->work, s->rows};
    wlu_workspace_free(&s->ctx, &own);
    take_workspace(s, &own);
}

void warplu_destroy(warplu_solver **solver)
{
    if (solver == NULL || *solver == NULL) return;
    warplu_solver *s = *solver;
    drop_analysis(s);
    wlu_team_destroy(&s->ctx, &s->team);
    wlu_context ctx = s->ctx;
    wlu_free(&ctx, s);
    *solver = NULL;
}

warplu_status wlu_entries_allocate(wlu_context *ctx, const wlu_pattern *a, double **entries)
{
    *entries = WLU_ALLOC(ctx, (int64_t)a->nnz + 1, double);
    if (*entries == NULL) return wlu_fail_memory(ctx, "entries of the matrix");
    (*entries)[a->nnz] = 0.0;
    return WARPLU_SUCCESS;
}

warplu_status wlu_workspace_create(wlu_context *ctx, const warplu_options *options, const wlu_pattern *a,
                                   wlu_rows *rows, wlu_workspace *out)
{
    *out = (wlu_workspace){.rows = wlu_rows_share(rows)};
    warplu_status status = wlu_entries_allocate(ctx, a, &out->entries);
    out->work = WLU_ALLOC(ctx, wlu_check_work(a->n) + 3 * (int64_t)a->n, double);
    if (status == WARPLU_SUCCESS && out->work == NULL) status = wlu_fail_memory(ctx, "workspace of the solver");
    if (status == WARPLU_SUCCESS && rows == NULL && options->check != WARPLU_CHECK_OFF)
        status = wlu_rows_create(ctx, a, wlu_residual_kernel(), &out->rows);
    if (status < 0) wlu_workspace_free(ctx, out);
    return status;
}

void wlu_workspace_free(wlu_context *ctx, wlu_workspace *w)
{
    wlu_free(ctx, w->entries);
    wlu_free(ctx, w->work);
    wlu_rows_destroy(ctx, &w->rows);
    *w = (wlu_workspace){0};
}

wlu_checked wlu_solver_checked(const warplu_solver *s)
{
    return (wlu_checked){s->analysis->a, s->rows, s->entries};
}

warplu_status wlu_solver_analyze_again(wlu_context *ctx, const warplu_solver *s, wlu_analysis **out)
{
    wlu_pattern *a = NULL;
    *out = NULL;
    warplu_status status = wlu_pattern_clone(ctx, s->analysis->a, &a);
    return status < 0 ? status : wlu_analysis_create(ctx, &s->options, s->cost, &a, s->entries, out);
}

void wlu_solver_take_analysis(warplu_solver *s, wlu_analysis *analysis, const wlu_workspace *workspace)
{
    drop_analysis(s);
    s->analysis = analysis;
    take_workspace(s, workspace);
    find_longest(analysis->a, s->work, s->longest);
    s->unsettled = analysis->provisional ? WLU_FROM_PATTERN : WLU_SETTLED;
    s->reconsidered = 0;
}

warplu_status wlu_solver_analyze(warplu_solver *s, int32_t n, const int32_t *ptr, const int32_t *idx,
                                 const double *values)
{
    if (s == NULL) return WARPLU_INVALID_ARGUMENT;
    wlu_pattern *a = NULL;
    wlu_analysis *analysis = NULL;
    s->ctx.singularity.status = WARPLU_SUCCESS;
    warplu_status status = wlu_pattern_create(&s->ctx, s->options.storage, n, ptr, idx, &a);
    if (status < 0) return status;
    wlu_workspace workspace;
    status = wlu_workspace_create(&s->ctx, &s->options, a, NULL, &workspace);
    if (status == WARPLU_SUCCESS && values != NULL) status = wlu_gather_finite(&s->ctx, a, values, workspace.entries);
    if (status == WARPLU_SUCCESS)
        status = wlu_analysis_create(&s->ctx, &s->options, s->cost, &a, values != NULL ? workspace.entries : NULL,
                                     &analysis);
    if (status < 0) {
        wlu_pattern_destroy(&s->ctx, &a);
        wlu_workspace_free(&s->ctx, &workspace);
        return status;
    }
    wlu_solver_take_analysis(s, analysis, &workspace);
    return status;
}

warplu_status wlu_solver_clone(warplu_solver **out, const warplu_solver *source)
{
    if (out == NULL) return WARPLU_INVALID_ARGUMENT;
    *out = NULL;
    if (source == NULL) return WARPLU_INVALID_ARGUMENT;
    if (source->analysis == NULL) return WARPLU_WRONG_PHASE;
    warplu_solver *s = NULL;
    warplu_status status = wlu_solver_create(&s, &source->options);
    if (status < 0) return status;
    wlu_workspace workspace;
    status = wlu_workspace_create(&s->ctx, &s->options, source->analysis->a, source->rows, &workspace);
    if (status < 0) {
        warplu_destroy(&s);
        return status;
    }
    take_workspace(s, &workspace);
    s->analysis = wlu_analysis_share(source->analysis);
    memcpy(s->longest, source->longest, sizeof s->longest);
    s->unsettled = source->unsettled;
    s->reconsidered = source->reconsidered;
    if (source->current.plan != NULL) s->current.plan = wlu_plan_share(source->current.plan);
    wlu_solver_forget_replays(s);
    memcpy(s->accurate_solves, source->accurate_solves, sizeof s->accurate_solves); /* they are the pivots' */
    *out = s;
    return WARPLU_SUCCESS;
}

/* An analysis made from the pattern alone is made again with the first values if its diagonal is weak for them; one
 * made from values that turned out singular, with the next that come. Pivots at hand keep the one they were chosen
 * with. */
static warplu_status settle_analysis(warplu_solver *s)
{
    int unsettled = s->unsettled == WLU_FROM_SINGULAR;
    int given =
        s->options.ordering == WARPLU_ORDERING_GIVEN || s->analysis->candidate[0].ordering == WARPLU_ORDERING_GIVEN;
    if (s->unsettled == WLU_SETTLED || given) return WARPLU_SUCCESS;
    warplu_status status = WARPLU_SUCCESS;
    if (!unsettled) status = wlu_analysis_judge(&s->ctx, &s->options, s->analysis, s->entries, &unsettled);
    if (status < 0 || !unsettled) return status;
    wlu_analysis *settled;
    status = wlu_solver_analyze_again(&s->ctx, s, &settled);
    if (status < 0) return status;
    settled->analyze_ns += s->analysis->analyze_ns;
    wlu_analysis_destroy(&s->ctx, &s->analysis);
    s->analysis = settled;
    return WARPLU_SUCCESS;
}

/* Factors by the program, where the options expect enough replays to repay it and there can be one. */
static warplu_status replay_ahead(warplu_solver *s, const double *values)
{
    if (s->options.expected_refactors < WLU_COMPILE_AFTER) return WARPLU_SUCCESS;
    warplu_status status = WARPLU_SUCCESS;
    if (s->current.state == NULL && !wlu_solver_recall(s, 0)) {
        if (wlu_solver_does_without(s, s->current.plan->refused)) return WARPLU_SUCCESS;
        status = wlu_solver_compile(s);
    }
    if (status == WARPLU_SUCCESS) status = wlu_solver_replay(s, values);
    if (status == WARPLU_SUCCESS && !wlu_solver_health(s)->finite)
        status = wlu_fail(&s->ctx, WARPLU_NOT_FINITE, "the factors overflow");
    if (status == WARPLU_SUCCESS) status = wlu_solver_vouch(s);
    if (status < 0) s->factored = 0;
    return status;
}

/* Pivots for these values, and factors. */
static warplu_status factor_values(warplu_solver *s, const double *values)
{
    s->factored = s->entries_kept = 0;
    s->ctx.singularity.status = WARPLU_SUCCESS;
    warplu_status status = wlu_gather_finite(&s->ctx, s->analysis->a, values, s->entries);
    if (status == WARPLU_SUCCESS) status = settle_analysis(s);
    if (status == WARPLU_SUCCESS) status = wlu_solver_pivot(s);
    if (status == WARPLU_SUCCESS || status == WARPLU_SINGULAR || wlu_plan_is_refusal(status))
        s->unsettled = status == WARPLU_SINGULAR ? WLU_FROM_SINGULAR : WLU_SETTLED;
    return status < 0 ? status : replay_ahead(s, values);
}

warplu_status wlu_solver_factor(warplu_solver *s, const double *values)
{
    if (s == NULL || values == NULL) return WARPLU_INVALID_ARGUMENT;
    if (s->analysis == NULL) return wlu_fail(&s->ctx, WARPLU_WRONG_PHASE, "factor before analyze");
    s->factors_made++;
    return factor_values(s, values);
}

/* Whether something is left to be proven of solves with A, or A'. */
static int is_open(const warplu_solver *s, int transposed)
{
    return s->accurate_solves[transposed] < WLU_TRIAL_SOLVES || !wlu_solver_is_bounded_at_once(s, transposed);
}

void wlu_solver_keep_entries(warplu_solver *s, const double *values)
{
    if (s->entries_kept || s->options.check == WARPLU_CHECK_OFF) return;
    if (s->options.check == WARPLU_CHECK_SUSPECT && !s->suspect && !is_open(s, 0) &&
        !(s->transposed_wanted && is_open(s, 1)))
        return;
    wlu_pattern_gather(s->analysis->a, values, s->entries);
    s->entries_kept = 1;
}

warplu_status wlu_solver_refactor(warplu_solver *s, const double *values)
{
    if (s == NULL || values == NULL) return WARPLU_INVALID_ARGUMENT;
    if (s->current.plan == NULL) return wlu_solver_factor(s, values);
    s->refactors++;
    s->factored = s->fresh = s->entries_kept = s->suspect = 0;
    s->ctx.singularity.status = WARPLU_SUCCESS;
    warplu_status status = wlu_solver_prepare(s);
    if (status < 0) return status;
    status = wlu_solver_replay(s, values);
    if (status < 0) return status;
    wlu_verdict verdict = WLU_HEALTHY;
    if (s->options.check != WARPLU_CHECK_OFF)
        verdict = wlu_judge_pivots(wlu_solver_health(s), &s->current.plan->pivots->quality, s->options.pivot_absolute);
    else if (!wlu_health_shows(wlu_solver_health(s)))
        return wlu_fail(&s->ctx, WARPLU_NOT_FINITE, "a value is not finite, or the replay overflows");
    if (verdict == WLU_WEAK) return wlu_solver_recover(s, values);
    s->factored = 1;
    s->suspect = verdict == WLU_SUSPECT;
    wlu_solver_keep_entries(s, values);
    return WARPLU_SUCCESS;
}

warplu_status warplu_get_position(const warplu_solver *s, int32_t row, int32_t col, int32_t *position)
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

const char *warplu_get_message(const warplu_solver *s)
{
    return s != NULL ? s->ctx.last_message : "";
}
