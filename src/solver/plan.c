/* Plans: made, shared, compiled once. See plan.h. */
#include "solver/plan.h"

#include "build_features.h"
#include "lu/rounding.h"
#include "numerics/verdict.h"
#include "program/verify.h"

#include <stdlib.h>
#include <string.h>

warplu_status wlu_plan_create(wlu_context *ctx, const wlu_target *target, const wlu_cost *cost, wlu_analysis *analysis,
                              wlu_pivots *pivots, wlu_plan **out)
{
    wlu_plan *plan = WLU_CALLOC(ctx, 1, wlu_plan);
    *out = NULL;
    if (plan == NULL) return wlu_fail_memory(ctx, "plan");
    if (pthread_mutex_init(&plan->lock, NULL) != 0) {
        wlu_free(ctx, plan);
        return wlu_fail_memory(ctx, "lock of a plan");
    }
    plan->target = *target;
    plan->cost = cost;
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

static void free_images(wlu_context *ctx, wlu_plan *plan)
{
    while (plan->images != NULL) {
        wlu_plan_image *first = plan->images;
        plan->images = first->next;
        wlu_image_destroy(ctx, &first->image);
        wlu_free(ctx, first);
    }
}

static void free_lines(wlu_context *ctx, wlu_plan_lines *lines)
{
    wlu_free(ctx, lines->line);
    wlu_rounds_free(ctx, &lines->rounds);
    lines->line = NULL;
}

void wlu_plan_release(wlu_context *ctx, wlu_plan **out)
{
    wlu_plan *plan = *out;
    *out = NULL;
    if (plan == NULL || !wlu_count_drop(&plan->count)) return;
    free_images(ctx, plan);
    for (int k = 0; k < 4; k++) free_lines(ctx, &plan->lines[k / 2][k % 2]);
    wlu_program_destroy(ctx, &plan->program);
    wlu_pivots_destroy(ctx, &plan->pivots);
    wlu_analysis_destroy(ctx, &plan->analysis);
    pthread_mutex_destroy(&plan->lock);
    wlu_free(ctx, plan);
}

/* Under the lock. */
static void find_lines(wlu_context *ctx, const wlu_plan *plan, int by_program, int transposed, wlu_plan_lines *lines)
{
    const wlu_pattern *a = plan->analysis->a;
    const wlu_bounded_factors factors = wlu_pivots_bounded(a, plan->pivots);
    const wlu_sum_shapes columns = {.in_order = 1};
    lines->line = WLU_ALLOC(ctx, a->n, double);
    warplu_status status = lines->line != NULL ? WARPLU_SUCCESS : WARPLU_OUT_OF_MEMORY;
    if (status == WARPLU_SUCCESS && by_program)
        status = wlu_lu_find_rounds(ctx, a, plan->pivots, plan->program, transposed, &lines->rounds);
    if (status == WARPLU_SUCCESS && !by_program)
        status = wlu_rounds_find(ctx, &factors, &columns, transposed, &lines->rounds);
    if (status == WARPLU_SUCCESS)
        status = wlu_bound_find(ctx, &factors, &lines->rounds, transposed, &lines->bound, lines->line);
    if (status < 0)
        free_lines(ctx, lines);
    else
        atomic_store_explicit(&lines->found, 1, memory_order_release);
}

const wlu_plan_lines *wlu_plan_lines_of(const wlu_context *ctx, wlu_plan *plan, int by_program, int transposed)
{
    wlu_plan_lines *lines = &plan->lines[by_program][transposed];
    if (atomic_load_explicit(&lines->found, memory_order_acquire)) return lines;
    wlu_context quiet = *ctx;
    quiet.message = NULL;
    pthread_mutex_lock(&plan->lock);
    if (lines->line == NULL) find_lines(&quiet, plan, by_program, transposed, lines);
    const int found = lines->line != NULL;
    pthread_mutex_unlock(&plan->lock);
    return found ? lines : NULL;
}

const wlu_rounds *wlu_plan_rounds(const wlu_context *ctx, wlu_plan *plan, int transposed)
{
    if (!transposed) return &wlu_lu_of(plan->program)->rounds;
    const wlu_plan_lines *lines = wlu_plan_lines_of(ctx, plan, 1, transposed);
    return lines != NULL ? &lines->rounds : NULL;
}

/* Of a program the compiler has found that of A: executors judge by it. */
wlu_bound wlu_plan_bound(const wlu_context *ctx, wlu_plan *plan, int by_program, int transposed)
{
    if (by_program && !transposed) return wlu_lu_of(plan->program)->guard.criteria.bound;
    const wlu_plan_lines *lines = wlu_plan_lines_of(ctx, plan, by_program, transposed);
    return lines != NULL ? lines->bound : wlu_bound_unknown();
}

const double *wlu_plan_line(const wlu_context *ctx, wlu_plan *plan, int by_program, int transposed)
{
    if (by_program && !transposed) return wlu_lu_of(plan->program)->line;
    const wlu_plan_lines *lines = wlu_plan_lines_of(ctx, plan, by_program, transposed);
    return lines != NULL ? lines->line : NULL;
}

/* The plan's image for the target; NULL: there is none. */
static const wlu_image *image_for(const wlu_plan *plan, const wlu_target *target)
{
    for (const wlu_plan_image *k = plan->images; k != NULL; k = k->next)
        if (wlu_target_equal(wlu_image_target(k->image), target)) return k->image;
    return NULL;
}

/* Makes one of this program, in front of the others. */
static warplu_status load(wlu_context *ctx, const wlu_target *target, const wlu_program *program, wlu_plan *plan)
{
    wlu_plan_image *made = WLU_CALLOC(ctx, 1, wlu_plan_image);
    if (made == NULL) return wlu_fail_memory(ctx, "image of a plan");
    warplu_status status = wlu_image_load(ctx, target, program, &made->image);
    if (status < 0) {
        wlu_free(ctx, made);
        return status;
    }
    made->next = plan->images;
    plan->images = made;
    return status;
}

/* saved: NULL, or the program's own section. */
static warplu_status compile(wlu_context *ctx, const warplu_options *options, const wlu_lu_saved *saved, wlu_plan *plan)
{
    const wlu_pattern *a = plan->analysis->a;
    wlu_program *program = NULL;
    warplu_status status = saved != NULL ? wlu_lu_restore(ctx, options, plan->cost, a, plan->pivots, saved, &program)
                                         : wlu_lu_compile(ctx, options, plan->cost, a, plan->pivots, &program);
    if (status == WARPLU_SUCCESS && program == NULL) return status;
#if defined(WLU_VERIFY_PROGRAMS)
    if (status == WARPLU_SUCCESS) status = wlu_program_verify(ctx, program);
#endif
    if (status == WARPLU_SUCCESS) status = load(ctx, &plan->target, program, plan);
    if (status < 0) {
        wlu_program_destroy(ctx, &program);
        return status;
    }
    plan->program = program;
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
    } else if (plan->program == NULL) {
        status = compile(ctx, options, NULL, plan);
        if (wlu_plan_is_refusal(status)) {
            plan->refused = status;
            memcpy(plan->refusal, ctx->last_message, sizeof plan->refusal);
        }
    }
    pthread_mutex_unlock(&plan->lock);
    return status;
}

warplu_status wlu_plan_refused(wlu_plan *plan)
{
    pthread_mutex_lock(&plan->lock);
    warplu_status refused = plan->refused;
    pthread_mutex_unlock(&plan->lock);
    return refused;
}

void wlu_plan_copy_program(wlu_plan *plan, wlu_program *out)
{
    pthread_mutex_lock(&plan->lock);
    *out = *plan->program;
    pthread_mutex_unlock(&plan->lock);
}

void wlu_plan_take_quality(wlu_plan *plan, const wlu_pivot_quality *quality)
{
    wlu_criteria *criteria = &wlu_lu_edit(plan->program)->guard.criteria;
    plan->pivots->quality = *quality;
    *criteria = wlu_criteria_of(quality, criteria->bound, criteria->pivot_absolute);
}

warplu_status wlu_plan_restore(wlu_context *ctx, const warplu_options *options, const wlu_lu_saved *saved,
                               wlu_plan *plan)
{
    pthread_mutex_lock(&plan->lock);
    warplu_status status = compile(ctx, options, saved, plan);
    pthread_mutex_unlock(&plan->lock);
    return status;
}

warplu_status wlu_plan_save(wlu_context *ctx, const warplu_options *options, wlu_plan *plan, uint8_t **bytes,
                            int64_t *count)
{
    warplu_status status = WARPLU_SUCCESS;
    *bytes = NULL;
    *count = 0;
    pthread_mutex_lock(&plan->lock);
    if (plan->program != NULL) status = wlu_lu_save(ctx, plan->program, plan->pivots, options->threads, bytes, count);
    pthread_mutex_unlock(&plan->lock);
    return status;
}

warplu_status wlu_plan_state_for(wlu_context *ctx, wlu_plan *plan, const wlu_target *target, wlu_team *team,
                                 wlu_state **out)
{
    warplu_status status = WARPLU_SUCCESS;
    *out = NULL;
    pthread_mutex_lock(&plan->lock);
    if (image_for(plan, target) == NULL) status = load(ctx, target, plan->program, plan);
    const wlu_image *image = image_for(plan, target);
    pthread_mutex_unlock(&plan->lock);
    return status == WARPLU_SUCCESS ? wlu_state_create(ctx, image, 1, team, out) : status;
}

warplu_status wlu_plan_state(wlu_context *ctx, wlu_plan *plan, wlu_team *team, wlu_state **out)
{
    return wlu_plan_state_for(ctx, plan, &plan->target, team, out);
}

warplu_status wlu_plan_compile_transposed(wlu_context *ctx, wlu_plan *plan)
{
    warplu_status status = WARPLU_SUCCESS;
    pthread_mutex_lock(&plan->lock);
    if (!plan->program->has_transposed)
        status = wlu_lu_compile_transposed(ctx, plan->analysis->a, plan->pivots, plan->program);
    for (wlu_plan_image *k = plan->images; k != NULL && status == WARPLU_SUCCESS; k = k->next)
        status = wlu_image_load(ctx, wlu_image_target(k->image), plan->program, &k->image);
    pthread_mutex_unlock(&plan->lock);
    return status;
}

/* Under the lock. */
static int64_t images_bytes(const wlu_plan *plan, int solves)
{
    int64_t bytes = 0;
    for (const wlu_plan_image *k = plan->images; k != NULL; k = k->next) bytes += wlu_image_bytes(k->image, solves);
    return bytes;
}

int64_t wlu_plan_bytes(wlu_plan *plan, int solves)
{
    pthread_mutex_lock(&plan->lock);
    int64_t bytes = images_bytes(plan, solves);
    pthread_mutex_unlock(&plan->lock);
    return bytes;
}

int64_t wlu_plan_all_bytes(wlu_plan *plan)
{
    const wlu_pivots *p = plan->pivots;
    pthread_mutex_lock(&plan->lock);
    int64_t compiled = 0;
    if (plan->program != NULL)
        compiled = wlu_program_factor_bytes(plan->program) + wlu_program_solve_bytes(plan->program) +
                   images_bytes(plan, 0) + images_bytes(plan, 1);
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
