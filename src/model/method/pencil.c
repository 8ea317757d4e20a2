/* Judges the index in two ways, the cheap one first: rows of charges are matched with unknowns by structure; where
 * that fails, solutions of the pencil for four growing lambdas show by which power unknowns grow. Systems are solved
 * by libwarplu. */
#include "model/method/pencil.h"

#include <math.h>
#include <string.h>

#include <warplu/inspect.h>

#include "model/method/transversal.h"

enum { LAMBDAS = 4 };
static const double FACTOR = 61.0;
/* Of a ratio that is to be the factor; and how far beyond modes it is. */
static const double SAME = 1e-3, BEYOND = 1e4;

/* Numbers between 0 and 1 without a pattern. */
static double scattered(int32_t i)
{
    return fmod(0.6180339887498949 * (i + 1.0), 1.0);
}

double wlm_pencil_beside(double y, int32_t i)
{
    return isfinite(y) ? y + 1e-3 * (fabs(y) + 1.0) * (scattered(i) - 0.5) : 1.0;
}

/* ---------------------------------------------------------------- structure */

/* Rows of the places where one of both is not zero. */
static warplu_status rows_of(wlu_context *ctx, const wlm_pencil *p, const double *a, const double *b, wlm_jacobian *out)
{
    int32_t entries = p->ptr[p->n];
    *out = (wlm_jacobian){.rows = p->n, .columns = p->n};
    out->ptr = WLU_CALLOC(ctx, (int64_t)p->n + 2, int32_t);
    out->idx = WLU_ALLOC(ctx, entries, int32_t);
    out->node = WLU_CALLOC(ctx, entries, wlm_node); /* any nodes: they are there */
    if (out->ptr == NULL || out->idx == NULL || out->node == NULL) return wlu_fail_memory(ctx, "step");
    for (int32_t k = 0; k < entries; k++)
        if (a[k] != 0.0 || b[k] != 0.0) out->ptr[p->idx[k] + 2]++;
    for (int32_t i = 0; i < p->n; i++) out->ptr[i + 2] += out->ptr[i + 1];
    for (int32_t j = 0; j < p->n; j++)
        for (int32_t k = p->ptr[j]; k < p->ptr[j + 1]; k++)
            if (a[k] != 0.0 || b[k] != 0.0) out->idx[out->ptr[p->idx[k] + 1]++] = j;
    return WARPLU_SUCCESS;
}

static warplu_status match(wlu_context *ctx, const wlm_pencil *p, int *complete)
{
    wlm_jacobian charge = {0}, all = {0};
    int32_t open = 0, *row = WLU_ALLOC(ctx, p->n, int32_t);
    warplu_status status = row == NULL ? wlu_fail_memory(ctx, "step") : rows_of(ctx, p, p->charge, p->charge, &charge);
    if (status == WARPLU_SUCCESS) status = rows_of(ctx, p, p->charge, p->rate, &all);
    int32_t matched = status == WARPLU_SUCCESS ? wlm_transversal(ctx, &all, &charge, 0, row, &open) : -1;
    if (status == WARPLU_SUCCESS && matched < 0) status = wlu_fail_memory(ctx, "step");
    *complete = matched == p->n;
    wlm_jacobian_free(ctx, &charge);
    wlm_jacobian_free(ctx, &all);
    wlu_free(ctx, row);
    return status;
}

/* ------------------------------------------------------------------ numbers */

typedef struct growth {
    wlu_context *ctx;
    const wlm_pencil *p;
    warplu_solver *solver;
    double *values, *right, *x[LAMBDAS];
} growth;

/* A lambda far beyond all modes: many times the largest rate over the smallest charge. */
static double first_lambda(const wlm_pencil *p)
{
    double most = 0.0, least = INFINITY;
    for (int32_t k = 0; k < p->ptr[p->n]; k++) {
        most = fmax(most, fabs(p->rate[k]));
        if (p->charge[k] != 0.0) least = fmin(least, fabs(p->charge[k]));
    }
    double lambda = BEYOND * most / least;
    return lambda > 1e-100 && lambda < 1e100 ? lambda : 1.0;
}

static void fill_right(growth *g)
{
    const wlm_pencil *p = g->p;
    for (int32_t i = 0; i < p->n; i++) g->right[i] = 0.0;
    for (int32_t k = 0; k < p->ptr[p->n]; k++)
        if (!p->dynamic[p->idx[k]]) g->right[p->idx[k]] = fmax(g->right[p->idx[k]], fabs(p->rate[k]));
    for (int32_t i = 0; i < p->n; i++) g->right[i] *= 0.5 + scattered(i);
}

static warplu_status open_growth(growth *g)
{
    const wlm_pencil *p = g->p;
    int fine = 1;
    warplu_options options;
    warplu_init_options(&options);
    options.allocate = g->ctx->allocate;
    options.release = g->ctx->release;
    options.allocator_user = g->ctx->allocator_user;
    g->values = WLU_ALLOC(g->ctx, p->ptr[p->n], double);
    g->right = WLU_ALLOC(g->ctx, p->n, double);
    for (int k = 0; k < LAMBDAS; k++) fine &= (g->x[k] = WLU_ALLOC(g->ctx, p->n, double)) != NULL;
    if (!fine || g->values == NULL || g->right == NULL) return wlu_fail_memory(g->ctx, "step");
    fill_right(g);
    warplu_status status = warplu_create(&g->solver, &options);
    return status < 0 ? status : warplu_analyze(g->solver, p->n, p->ptr, p->idx, NULL);
}

static warplu_status solve_all(growth *g)
{
    const wlm_pencil *p = g->p;
    double lambda = first_lambda(p);
    warplu_status status = open_growth(g);
    for (int k = 0; k < LAMBDAS && status >= 0; k++, lambda *= FACTOR) {
        for (int32_t i = 0; i < p->ptr[p->n]; i++) g->values[i] = lambda * p->charge[i] - p->rate[i];
        status = warplu_factor(g->solver, g->values);
        if (status >= 0) status = warplu_solve(g->solver, 1, g->right, p->n, g->x[k], p->n);
    }
    return status;
}

/* By which power of lambda an unknown grows, 2 for all above 1. */
static int power_of(const growth *g, int32_t i)
{
    int least = 2;
    for (int k = 1; k < LAMBDAS; k++) {
        double ratio = g->x[k][i] / g->x[k - 1][i];
        int power = ratio >= FACTOR * FACTOR * (1.0 - SAME) ? 2 : fabs(ratio / FACTOR - 1.0) <= SAME;
        if (power < least) least = power;
    }
    return least;
}

/* An unknown that no equation is left for. */
static int32_t left_over(const growth *g)
{
    warplu_singularity why = {.size = sizeof why};
    int known = warplu_get_singularity(g->solver, &why) == WARPLU_SUCCESS && why.column >= 0;
    return known ? why.column : 0;
}

/* What has no solution at all is said by who steps it. */
static warplu_status measure(wlu_context *ctx, const wlm_pencil *p, unsigned char *power, int32_t *index)
{
    growth g = {.ctx = ctx, .p = p};
    warplu_status status = solve_all(&g);
    if (status == WARPLU_STRUCTURALLY_SINGULAR) *index = 0, power[left_over(&g)] = 1;
    for (int32_t i = 0; i < p->n && status >= 0; i++) {
        power[i] = (unsigned char)power_of(&g, i);
        if (1 + power[i] > *index) *index = 1 + power[i];
    }
    int lacking = status == WARPLU_OUT_OF_MEMORY || status == WARPLU_OVERFLOW;
    if (lacking && ctx->last_message[0] == '\0') wlu_fail_memory(ctx, "step");
    warplu_destroy(&g.solver);
    wlu_free(ctx, g.values);
    wlu_free(ctx, g.right);
    for (int k = 0; k < LAMBDAS; k++) wlu_free(ctx, g.x[k]);
    return lacking ? status : WARPLU_SUCCESS;
}

warplu_status wlm_pencil_judge(wlu_context *ctx, const wlm_pencil *p, unsigned char *power, int32_t *index)
{
    int complete = 1;
    memset(power, 0, (size_t)p->n);
    *index = 1;
    warplu_status status = match(ctx, p, &complete);
    return status != WARPLU_SUCCESS || complete ? status : measure(ctx, p, power, index);
}
