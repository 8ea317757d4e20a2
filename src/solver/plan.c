/* Plans: made, shared, compiled once. See plan.h. */
#include "solver/plan.h"

#include "program/verify.h"

#include <stdlib.h>
#include <string.h>

warplu_status wlu_plan_create(wlu_context *ctx, const wlu_executor *executor, wlu_analysis *analysis,
                              wlu_pivots *pivots, wlu_plan **out)
{
    wlu_plan *plan = WLU_CALLOC(ctx, 1, wlu_plan);
    *out = NULL;
    if (plan == NULL) return wlu_fail_memory(ctx, "plan");
    if (pthread_mutex_init(&plan->lock, NULL) != 0) {
        wlu_free(ctx, plan);
        return wlu_fail_memory(ctx, "lock of a plan");
    }
    plan->executor = executor;
    plan->analysis = wlu_analysis_share(analysis);
    plan->pivots = pivots;
    *out = plan;
    return WARPLU_SUCCESS;
}

wlu_plan *wlu_plan_share(wlu_plan *plan)
{
    wlu_count_add(&plan->count);
    return plan;
}

void wlu_plan_release(wlu_context *ctx, wlu_plan **out)
{
    wlu_plan *plan = *out;
    *out = NULL;
    if (plan == NULL || !wlu_count_drop(&plan->count)) return;
    if (plan->image != NULL) plan->executor->destroy(ctx, &plan->image);
    wlu_program_destroy(ctx, &plan->program);
    wlu_pivots_destroy(ctx, &plan->pivots);
    wlu_analysis_destroy(ctx, &plan->analysis);
    pthread_mutex_destroy(&plan->lock);
    wlu_free(ctx, plan);
}

/* Under the lock. */
static warplu_status find_bound(wlu_context *ctx, wlu_plan *plan, int transposed)
{
    warplu_status status = wlu_pivots_find_bound(ctx, plan->analysis->a, plan->pivots, transposed);
    if (status == WARPLU_SUCCESS) atomic_store_explicit(&plan->bounded[transposed], 1, memory_order_release);
    return status;
}

wlu_bound wlu_plan_bound(const wlu_context *ctx, wlu_plan *plan, int transposed)
{
    if (!atomic_load_explicit(&plan->bounded[transposed], memory_order_acquire)) {
        wlu_context quiet = *ctx;
        quiet.message = NULL;
        pthread_mutex_lock(&plan->lock);
        warplu_status status = find_bound(&quiet, plan, transposed);
        pthread_mutex_unlock(&plan->lock);
        if (status < 0) return wlu_bound_unknown();
    }
    return plan->pivots->bound[transposed];
}

static warplu_status compile(wlu_context *ctx, const warplu_options *options, wlu_plan *plan)
{
    wlu_program *program = NULL;
    void *image = NULL;
    warplu_status status = find_bound(ctx, plan, 0); /* executors judge by it */
    if (status == WARPLU_SUCCESS)
        status = wlu_program_create(ctx, options, plan->executor->cost, plan->analysis->a, plan->pivots, &program);
#if defined(WLU_VERIFY_PROGRAMS)
    if (status == WARPLU_SUCCESS) status = wlu_program_verify(ctx, program);
#endif
    if (status == WARPLU_SUCCESS) status = plan->executor->load(ctx, program, &image);
    if (status < 0) {
        wlu_program_destroy(ctx, &program);
        return status;
    }
    plan->program = program;
    plan->image = image;
    return WARPLU_SUCCESS;
}

int wlu_plan_is_refusal(warplu_status status)
{
    return status == WARPLU_PROGRAM_TOO_LARGE || status == WARPLU_OVERFLOW;
}

warplu_status wlu_plan_compile(wlu_context *ctx, const warplu_options *options, wlu_plan *plan)
{
    warplu_status status = WARPLU_SUCCESS;
    pthread_mutex_lock(&plan->lock);
    if (plan->refused < 0) {
        status = wlu_fail(ctx, plan->refused, "%s", plan->refusal);
    } else if (plan->image == NULL) {
        status = compile(ctx, options, plan);
        if (wlu_plan_is_refusal(status)) {
            plan->refused = status;
            memcpy(plan->refusal, ctx->last_message, sizeof plan->refusal);
        }
    }
    pthread_mutex_unlock(&plan->lock);
    return status;
}

warplu_status wlu_plan_state(wlu_context *ctx, const wlu_plan *plan, wlu_state **out)
{
    warplu_status status = wlu_state_create(ctx, plan->program, out);
    if (status == WARPLU_SUCCESS) status = wlu_state_attach(ctx, plan->executor, plan->image, *out);
    if (status < 0) wlu_state_destroy(ctx, out);
    return status;
}

warplu_status wlu_plan_compile_transposed(wlu_context *ctx, wlu_plan *plan)
{
    warplu_status status = WARPLU_SUCCESS;
    pthread_mutex_lock(&plan->lock);
    if (!plan->program->has_transposed)
        status = wlu_program_add_transposed(ctx, plan->analysis->a, plan->pivots, plan->program);
    if (status == WARPLU_SUCCESS && !plan->transposed) status = plan->executor->load_transposed(ctx, plan->image);
    if (status == WARPLU_SUCCESS) plan->transposed = 1;
    pthread_mutex_unlock(&plan->lock);
    return status;
}

int64_t wlu_plan_bytes(wlu_plan *plan, int solves)
{
    pthread_mutex_lock(&plan->lock);
    int64_t bytes = plan->executor->bytes(plan->image, solves);
    pthread_mutex_unlock(&plan->lock);
    return bytes;
}

int64_t wlu_plan_all_bytes(wlu_plan *plan)
{
    const wlu_pivots *p = plan->pivots;
    pthread_mutex_lock(&plan->lock);
    int64_t compiled = 0;
    if (plan->image != NULL)
        compiled = wlu_program_factor_bytes(plan->program) + wlu_program_solve_bytes(plan->program) +
                   plan->executor->bytes(plan->image, 0) + plan->executor->bytes(plan->image, 1);
    pthread_mutex_unlock(&plan->lock);
    return compiled + 4 * (p->lp[p->n] + p->up[p->n] + p->fp[p->n]) + 66 * (int64_t)p->n;
}

int wlu_pivots_alike(const wlu_pivots *a, const wlu_pivots *b, int slack)
{
    size_t n = (size_t)a->n;
    if (a->n != b->n || a->nblocks != b->nblocks || memcmp(a->row, b->row, n * sizeof *a->row) != 0 ||
        memcmp(a->col, b->col, n * sizeof *a->col) != 0)
        return 0;
    for (int32_t i = 0; i < a->n; i++)
        if (abs(a->exponent[i] - b->exponent[i]) > slack ||
            abs(wlu_pivots_col_exponent(a, i) - wlu_pivots_col_exponent(b, i)) > slack)
            return 0;
    return 1;
}
