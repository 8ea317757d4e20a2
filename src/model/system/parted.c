/* Frees and runs what part.c finds. See parted.h. */
#include "model/system/parted.h"

void wlm_parted_free(wlu_context *ctx, wlm_parted *parted)
{
    wlm_dependences_free(ctx, &parted->sum);
    wlu_free(ctx, parted->own);
    wlu_free(ctx, parted->to);
    wlu_free(ctx, parted->from);
    wlu_free(ctx, parted->by);
    wlu_free(ctx, parted->rate);
}

void wlm_parted_sum(const wlm_parted *parted, double *f)
{
    const wlm_dependences *d = &parted->sum;
    for (int32_t k = 0; k < d->count; k++)
        for (int32_t e = d->ptr[k]; e < d->ptr[k + 1]; e++) f[d->row[k]] -= d->by[e] * f[d->of[e]];
}

void wlm_parted_clear(const wlm_parted *parted, double *q)
{
    for (int32_t k = 0; k < parted->sum.count; k++) q[parted->sum.row[k]] = 0.0;
}

void wlm_parted_values(const wlm_parted *parted, double beta, double *values)
{
    for (int32_t k = 0; k < parted->owns; k++) values[parted->own[k]] = beta * parted->rate[parted->own[k]];
    for (int32_t k = 0; k < parted->places; k++)
        values[parted->to[k]] -= beta * parted->by[k] * parted->rate[parted->from[k]];
}
