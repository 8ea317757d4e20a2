/* Lays out M / h - J, the matrix that programs of a stepper factor, and chooses the order of its pivots: once for all
 * of them. Cost: a pass over the entries, and that of pivots.h. */
#include <math.h>

#include "model/step/derived.h"
#include "model/step/pivots.h"

/* Lays out row i, at columns ascending. */
static void lay_out_row(wlm_derived *d, int32_t i)
{
    const wlm_jacobian *m = &d->m, *j = &d->j;
    int32_t p = m->ptr[i], q = j->ptr[i], to = d->both.ptr[i];
    for (; p < m->ptr[i + 1] || q < j->ptr[i + 1]; to++) {
        const int32_t column_m = p < m->ptr[i + 1] ? m->idx[p] : INT32_MAX;
        const int32_t column_j = q < j->ptr[i + 1] ? j->idx[q] : INT32_MAX;
        d->both.idx[to] = column_m < column_j ? column_m : column_j;
        d->of_m[to] = column_m <= column_j ? p++ : -1;
        d->of_j[to] = column_j <= column_m ? q++ : -1;
    }
    d->both.ptr[i + 1] = to;
}

warplu_status wlm_derived_lay_out(wlm_derived *d)
{
    const int64_t n = d->n, entries = (int64_t)d->m.ptr[n] + d->j.ptr[n];
    if (entries > INT32_MAX) return wlu_fail(d->ctx, WARPLU_OVERFLOW, "step: more than 2^31 - 1 derivatives");
    d->both = (wlm_jacobian){.rows = d->n, .columns = d->n};
    d->both.ptr = WLU_ALLOC(d->ctx, n + 1, int32_t);
    d->both.idx = WLU_ALLOC(d->ctx, entries, int32_t);
    d->of_m = WLU_ALLOC(d->ctx, 2 * entries, int32_t);
    d->row = WLU_ALLOC(d->ctx, 2 * n, int32_t);
    if (!WLU_ALL_THERE(d->both.ptr, d->both.idx, d->of_m, d->row)) return wlu_fail_memory(d->ctx, "step");
    d->of_j = d->of_m + entries, d->column = d->row + n;
    d->both.ptr[0] = 0;
    for (int32_t i = 0; i < d->n; i++) lay_out_row(d, i);
    return WARPLU_SUCCESS;
}

static double largest(const double *value, int32_t count)
{
    double most = 0.0;
    for (int32_t k = 0; k < count; k++) most = fmax(most, fabs(value[k]));
    return most;
}

/* Writes the matrix for two lengths of steps: where M / h and J are alike, and a far shorter one. */
static void sample(const wlm_derived *d, double *const value[WLM_PIVOT_SAMPLES])
{
    const double m = largest(d->m_value, d->m.ptr[d->n]), j = largest(d->j_value, d->j.ptr[d->n]);
    const double alike = m > 0.0 && j > 0.0 ? 1.37 * j / m : 1.0; /* no number by which many systems are singular */
    const double by[WLM_PIVOT_SAMPLES] = {alike, 0x1p20 * alike};
    for (int v = 0; v < WLM_PIVOT_SAMPLES; v++)
        for (int32_t k = 0; k < d->both.ptr[d->n]; k++)
            value[v][k] = (d->of_m[k] >= 0 ? d->m_value[d->of_m[k]] * by[v] : 0.0) -
                          (d->of_j[k] >= 0 ? d->j_value[d->of_j[k]] : 0.0);
}

warplu_status wlm_derived_choose_pivots(wlm_derived *d)
{
    const int32_t entries = d->both.ptr[d->n];
    if (d->m_value == NULL) return wlm_pivots_choose(d->ctx, &d->both, &d->m, NULL, d->row, d->column);
    double *room = WLU_ALLOC(d->ctx, WLM_PIVOT_SAMPLES * (int64_t)entries, double);
    if (room == NULL) return wlu_fail_memory(d->ctx, "step");
    double *const value[WLM_PIVOT_SAMPLES] = {room, room + entries};
    sample(d, value);
    const double *const known[WLM_PIVOT_SAMPLES] = {room, room + entries};
    warplu_status status = wlm_pivots_choose(d->ctx, &d->both, &d->m, known, d->row, d->column);
    wlu_free(d->ctx, room);
    return status;
}
