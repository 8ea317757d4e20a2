/* Frees and runs what charges.c finds. See dependent.h. */
#include "model/system/dependent.h"

#include <math.h>

/* Sums below this share of their terms are rounding. */
static const double NOTHING = 1e-14;

void wlm_dependent_free(wlu_context *ctx, wlm_dependent *dependent)
{
    wlm_dependences_free(ctx, &dependent->sum);
    wlu_free(ctx, dependent->own);
    wlu_free(ctx, dependent->to);
    wlu_free(ctx, dependent->from);
    wlu_free(ctx, dependent->by);
    wlu_free(ctx, dependent->rate);
}

/* Adds to a sum of two numbers, which keeps what the first of them loses (Knuth's TwoSum). */
static void add(double *sum, double term)
{
    const double all = sum[0] + term, part = all - sum[0];
    sum[1] += (sum[0] - (all - part)) + (term - part);
    sum[0] = all;
}

static void add_row(const wlm_pass *pass, const double *f, int32_t row, double by, double *sum)
{
    const wlm_gather *g = &pass->f;
    if (row >= g->targets) add(sum, by * f[row]);
    for (int32_t k = row < g->targets ? g->ptr[row] : 0; row < g->targets && k < g->ptr[row + 1]; k++)
        add(sum, (g->idx[k] < 0 ? -by : by) * pass->contribution[wlm_gather_place(g->idx[k])]);
}

void wlm_dependent_sum(const wlm_dependent *dependent, const wlm_pass *pass, double *f)
{
    const wlm_dependences *d = &dependent->sum;
    for (int32_t k = 0; k < d->count; k++) {
        double sum[2] = {0.0};
        add_row(pass, f, d->row[k], 1.0, sum);
        for (int32_t e = d->ptr[k]; e < d->ptr[k + 1]; e++) add_row(pass, f, d->of[e], -d->by[e], sum);
        f[d->row[k]] = sum[0] + sum[1];
    }
}

void wlm_dependent_clear(const wlm_dependent *dependent, double *q)
{
    for (int32_t k = 0; k < dependent->sum.count; k++) q[dependent->sum.row[k]] = 0.0;
}

void wlm_dependent_values(const wlm_dependent *dependent, double beta, double *values)
{
    for (int32_t k = 0; k < dependent->owns; k++) values[dependent->own[k]] = beta * dependent->rate[dependent->own[k]];
    for (int32_t k = 0; k < dependent->places; k++)
        values[dependent->to[k]] -= beta * dependent->by[k] * dependent->rate[dependent->from[k]];
}

void wlm_dependent_drop_rounding(wlm_dependent *dependent, double *values)
{
    double *size = dependent->rate;
    for (int32_t k = 0; k < dependent->owns; k++) size[dependent->own[k]] = fabs(size[dependent->own[k]]);
    for (int32_t k = 0; k < dependent->places; k++)
        size[dependent->to[k]] += fabs(dependent->by[k] * size[dependent->from[k]]);
    for (int32_t k = 0; k < dependent->owns; k++)
        if (fabs(values[dependent->own[k]]) <= NOTHING * size[dependent->own[k]]) values[dependent->own[k]] = 0.0;
}
