/* Frees and runs what charges.c finds. See dependent.h. */
#include "model/system/dependent.h"

void wlm_dependent_free(wlu_context *ctx, wlm_dependent *dependent)
{
    wlm_dependences_free(ctx, &dependent->sum);
    wlu_free(ctx, dependent->own);
    wlu_free(ctx, dependent->to);
    wlu_free(ctx, dependent->from);
    wlu_free(ctx, dependent->by);
    wlu_free(ctx, dependent->rate);
}

void wlm_dependent_sum(const wlm_dependent *dependent, double *f)
{
    const wlm_dependences *d = &dependent->sum;
    for (int32_t k = 0; k < d->count; k++)
        for (int32_t e = d->ptr[k]; e < d->ptr[k + 1]; e++) f[d->row[k]] -= d->by[e] * f[d->of[e]];
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
