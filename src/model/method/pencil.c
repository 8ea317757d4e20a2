/* Judges the index in two ways, the cheap one first: by the rank of charges and of equations without them; where
 * that is not full, solutions of the pencil for four growing lambdas show by which power unknowns grow. Systems are
 * solved by libwarplu. */
#include "model/method/pencil.h"

#include <math.h>
#include <string.h>

#include <warplu/inspect.h>

#include "model/method/rank.h"

enum { LAMBDAS = 4 };
static const double FACTOR = 61.0;
/* How near a ratio has to be to the factor of lambda; and how far lambda is beyond all modes. */
static const double SAME = 1e-3, BEYOND = 1e4;

/* Returns a number between 0 and 1; numbers of successive i have no pattern. */
static double scattered(int32_t i)
{
    return fmod(0.6180339887498949 * (i + 1.0), 1.0);
}

double wlm_pencil_at_state(double y, int32_t i, int which)
{
    static const double far[WLM_PENCIL_STATES] = {1e-3, 1e-12, 1e-9, 1e-6, 1e-3, 4.0, 400.0};
    const double size = fabs(y) + (which > 0 || y == 0.0 ? 1.0 : 0.0);
    return isfinite(y) ? y + far[which] * size * (scattered(i + 7 * which) - 0.5) : 1.0;
}

/* --------------------------------------------------------------------- rank */

/* Finds dependences between the columns of a matrix of the pencil's pattern. */
static warplu_status find_among_columns(wlu_context *ctx, const wlm_pencil *p, const double *value, int exactly,
                                        wlm_dependences *out)
{
    const wlm_rows columns = {p->n, p->ptr, p->idx, value};
    unsigned char *held = WLU_ALLOC(ctx, p->n, unsigned char);
    if (held == NULL) return wlu_fail_memory(ctx, "step");
    warplu_status status = (exactly ? wlm_rank_find_exactly : wlm_rank_find)(ctx, &columns, out, held);
    wlu_free(ctx, held);
    return status;
}

/* Sets *full to whether charges of dynamic rows and rates of the others have full rank together. */
static warplu_status is_one(wlu_context *ctx, const wlm_pencil *p, int *full)
{
    const int32_t entries = p->ptr[p->n];
    wlm_dependences found = {0};
    double *value = WLU_ALLOC(ctx, entries, double);
    if (value == NULL) return wlu_fail_memory(ctx, "step");
    for (int32_t k = 0; k < entries; k++) value[k] = p->dynamic[p->idx[k]] ? p->charge[k] : p->rate[k];
    warplu_status status = find_among_columns(ctx, p, value, 0, &found);
    *full = found.count == 0;
    for (int32_t j = 0; j < p->n; j++) *full &= p->ptr[j + 1] > p->ptr[j];
    wlm_dependences_free(ctx, &found);
    wlu_free(ctx, value);
    return status;
}

/* Marks unknowns whose columns depend on each other, the first that do: no equation fixes them, whatever lambda is. It
 * is of the size at which charges and rates are alike. */
static warplu_status mark_loose(wlu_context *ctx, const wlm_pencil *p, unsigned char *power, int32_t *index)
{
    const int32_t entries = p->ptr[p->n];
    double charge = 0.0, rate = 0.0, *value = WLU_ALLOC(ctx, entries, double);
    wlm_dependences found = {0};
    if (value == NULL) return wlu_fail_memory(ctx, "step");
    for (int32_t k = 0; k < entries; k++)
        charge = fmax(charge, fabs(p->charge[k])), rate = fmax(rate, fabs(p->rate[k]));
    const double lambda = charge > 0.0 && rate > 0.0 ? 1.37 * rate / charge : 1.0;
    for (int32_t k = 0; k < entries; k++) value[k] = lambda * p->charge[k] - p->rate[k];
    warplu_status status = find_among_columns(ctx, p, value, 1, &found);
    if (found.count > 0) *index = 0, power[found.row[0]] = 1;
    for (int32_t e = 0; found.count > 0 && e < found.ptr[1]; e++) power[found.of[e]] = 1;
    wlm_dependences_free(ctx, &found);
    wlu_free(ctx, value);
    return status;
}

/* ------------------------------------------------------------------ numbers */

typedef struct growth {
    wlu_context *ctx;
    const wlm_pencil *p;
    warplu_solver *solver;
    double *values, *right, *x[LAMBDAS];
} growth;

/* Returns a lambda far beyond all modes: many times the largest rate over the smallest charge. */
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

/* Returns the power of lambda by which an unknown grows, 2 for all above 1. */
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

/* Returns an unknown that no equation is left for. */
static int32_t left_over(const growth *g)
{
    warplu_singularity why = {.size = sizeof why};
    int known = warplu_get_singularity(g->solver, &why) == WARPLU_SUCCESS && why.column >= 0;
    return known ? why.column : 0;
}

/* Measures the index by numbers. A system without any solution is reported by the code that steps it. */
static warplu_status measure(wlu_context *ctx, const wlm_pencil *p, unsigned char *power, int32_t *index)
{
    growth g = {.ctx = ctx, .p = p};
    warplu_status status = solve_all(&g);
    if (status == WARPLU_STRUCTURALLY_SINGULAR) *index = 0, power[left_over(&g)] = 1;
    if (status >= 0 || status == WARPLU_SINGULAR) {
        const warplu_status loose = mark_loose(ctx, p, power, index);
        if (loose < 0) status = loose;
    }
    for (int32_t i = 0; i < p->n && status >= 0 && *index > 0; i++) {
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
    int full = 1;
    memset(power, 0, (size_t)p->n);
    *index = 1;
    warplu_status status = is_one(ctx, p, &full);
    return status != WARPLU_SUCCESS || full ? status : measure(ctx, p, power, index);
}
