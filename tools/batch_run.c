/* What warplu batch does with its members: the first call answers and is judged, the others are timed.
 *
 * An answer is judged as in warplu solve, by its componentwise backward error, computed anew from the values as read.
 * Refactorizations and solves by themselves want room for the factors of all members, so they are timed by a second
 * batch, behind the first; not at all where that room is not there: on the host half of the memory that is free. */
#include "base/clock.h"
#include "batch.h"
#include "batch_make.h"
#include "numerics/backward_error.h"
#include "residual.h"

#include <math.h>

static warplu_status failed(batch_run *r, warplu_status status)
{
    return wlu_fail(&r->setup.ctx, status, "%s: %s", r->q->paths[0],
                    r->said[0] != '\0' ? r->said : warplu_status_text(status));
}

/* ------------------------------------------------------------------- set-up */

static warplu_status analyze(batch_run *r)
{
    int64_t start = wlu_now_ns();
    warplu_options options = batch_solver_options(&r->setup.options);
    warplu_status status = load_create(&r->setup, &options, &r->solver);
    if (status >= 0) status = warplu_analyze(r->solver, r->a.nrow, r->a.ptr, r->a.idx, r->values);
    r->analyze_ns = wlu_now_ns() - start;
    return status < 0 ? failed(r, status) : status;
}

/* Pivots and their program for all members. */
static warplu_status make_batch(batch_run *r, int keep_factors)
{
    batch_wish wish = {.solver = r->solver,
                       .executor = r->setup.options.executor,
                       .devices = r->devices,
                       .device_count = r->device_count,
                       .fewer_devices = r->q->fewer_devices,
                       .threads = (int)r->q->threads,
                       .keep_factors = keep_factors,
                       .count = r->count,
                       .values = r->values};
    return batch_make(&wish, &r->batch);
}

/* Devices that were left out are no failure. */
static void say_left_out(batch_run *r)
{
    if (r->statistics.devices < r->device_count)
        wlu_fail(&r->setup.ctx, WARPLU_DEVICE_FAILED, "%s: %d of %d devices are at work: %s", r->q->paths[0],
                 (int)r->statistics.devices, (int)r->device_count, r->said);
}

/* -------------------------------------------------------------------- judge */

/* The largest over a member's right-hand sides; NaN where there is no answer. */
static double member_error(const batch_run *r, const wlu_pattern *pattern, int32_t member, double *work)
{
    int64_t n = batch_vector(r), at = (int64_t)member * r->nrhs * n;
    wlu_checked checked = {.a = pattern, .entries = r->values + member * batch_values(r)};
    wlu_errors enough = {0.0, INFINITY};
    double worst = 0.0;
    for (int32_t k = 0; k < r->nrhs && !isnan(worst); k++) {
        double error = wlu_backward_errors(&checked, r->q->transposed, r->b + k * n, r->x + at + k * n, enough, work)
                           .componentwise;
        if (isnan(error) || error > worst) worst = error;
    }
    return worst;
}

static void judge_member(batch_run *r, int32_t m)
{
    warplu_batch_member *member = &r->member[m];
    int right = r->error[m] <= answer_is_right(r->setup.options.precision);
    if (member->status >= 0 && !right) member->status = WARPLU_INACCURATE;
    if (member->status == WARPLU_INACCURATE && right) member->status = WARPLU_SUCCESS;
    r->failures += !batch_member_right(r, m);
}

static warplu_status judge(batch_run *r)
{
    wlu_context *ctx = &r->setup.ctx;
    wlu_pattern *pattern = NULL;
    double *work = NULL;
    warplu_status status = wlu_pattern_create(ctx, WARPLU_STORAGE_CSC, r->a.nrow, r->a.ptr, r->a.idx, &pattern);
    if (status >= 0) {
        pattern->doubles = r->doubles;
        work = WLU_ALLOC(ctx, wlu_check_work(pattern), double);
    }
    if (status >= 0 && work == NULL) status = wlu_fail_memory(ctx, "backward errors");
    for (int32_t m = 0; m < r->count && status >= 0; m++) {
        r->error[m] = member_error(r, pattern, m, work);
        judge_member(r, m);
    }
    wlu_pattern_destroy(ctx, &pattern);
    wlu_free(ctx, work);
    return status;
}

/* ------------------------------------------------------------------ answers */

static warplu_status reserve(batch_run *r)
{
    wlu_context *ctx = &r->setup.ctx;
    r->x = WLU_CALLOC(ctx, r->count * r->nrhs * batch_vector(r), double);
    r->member = WLU_CALLOC(ctx, r->count, warplu_batch_member);
    r->error = WLU_CALLOC(ctx, r->count, double);
    int lacks = r->x == NULL || r->member == NULL || r->error == NULL;
    return lacks ? wlu_fail_memory(ctx, "solutions of members") : WARPLU_SUCCESS;
}

/* One call for all members; that some failed is no failure of the call. */
static warplu_status call(batch_run *r, batch_loop loop)
{
    warplu_status status = WARPLU_INVALID_ARGUMENT;
    switch (loop) {
    case BATCH_BOTH:
        status = warplu_batch_refactor_solve(r->batch, r->values, NULL, r->q->transposed, r->nrhs, r->b, r->x);
        break;
    case BATCH_REFACTOR: status = warplu_batch_refactor(r->batch, r->values, NULL); break;
    case BATCH_SOLVE: status = warplu_batch_solve(r->batch, NULL, r->q->transposed, r->nrhs, r->b, r->x); break;
    case BATCH_LOOPS: break;
    }
    return status == WARPLU_MEMBERS_FAILED ? WARPLU_SUCCESS : status;
}

warplu_status batch_answer(batch_run *r)
{
    warplu_status status = reserve(r);
    if (status >= 0) status = analyze(r);
    if (status < 0) return status;
    bench_progress_show(&r->progress, r->q->paths[0], "batch", "is factored and solved");
    int64_t start = wlu_now_ns();
    status = make_batch(r, 0);
    r->factor_ns = wlu_now_ns() - start;
    if (status >= 0) status = call(r, BATCH_BOTH);
    if (status >= 0) status = warplu_batch_get_members(r->batch, 0, r->count, r->member, sizeof *r->member);
    r->statistics.size = sizeof r->statistics;
    if (status >= 0) status = warplu_batch_get_statistics(r->batch, &r->statistics);
    if (status >= 0) say_left_out(r);
    bench_progress_step(&r->progress);
    return status < 0 ? failed(r, status) : judge(r);
}

/* ------------------------------------------------------------------- times */

static warplu_status time_call(batch_run *r, batch_loop loop)
{
    static const char *const doing[BATCH_LOOPS] = {"refactor and solve, timed", "refactor, timed", "solve, timed"};
    bench_progress_show(&r->progress, r->q->paths[0], "batch", doing[loop]);
    int64_t start = wlu_now_ns();
    warplu_status status = call(r, loop);
    int64_t ns = wlu_now_ns() - start;
    if (status < 0) return status;
    return bench_samples_add(&r->samples[loop], ns) ? status : WARPLU_OUT_OF_MEMORY;
}

/* With room for the factors of all members; WARPLU_OUT_OF_MEMORY where there is none. */
static warplu_status time_apart(batch_run *r)
{
    warplu_batch_destroy(&r->batch);
    warplu_status status = make_batch(r, 1);
    if (status >= 0) status = call(r, BATCH_REFACTOR); /* brings code and data into the caches */
    if (status >= 0) status = call(r, BATCH_SOLVE);
    for (int64_t k = 0; k < r->q->repeat && status >= 0; k++) {
        status = time_call(r, BATCH_REFACTOR);
        if (status >= 0) status = time_call(r, BATCH_SOLVE);
    }
    return status;
}

warplu_status batch_time(batch_run *r)
{
    warplu_status status = WARPLU_SUCCESS;
    for (int64_t k = 0; k < r->q->repeat && status >= 0; k++) status = time_call(r, BATCH_BOTH);
    if (r->q->repeat > 0 && status >= 0) {
        status = time_apart(r);
        if (status == WARPLU_OUT_OF_MEMORY) status = WARPLU_SUCCESS;
    }
    bench_progress_step(&r->progress);
    for (batch_loop loop = 0; loop < BATCH_LOOPS; loop++) bench_samples_sort(&r->samples[loop]);
    return status < 0 ? failed(r, status) : status;
}
