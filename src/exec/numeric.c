/* Views of numeric factors. See numeric.h. */
#include "exec/numeric.h"

#include "lu/emit.h"

#include <math.h>

wlu_numeric wlu_numeric_of_factors(const wlu_pivots *p, const wlu_factors *f)
{
    const int by = p->doubles;
    return (wlu_numeric){.pivots = p,
                         .pivot = {f->pivot, NULL, by},
                         .l = {f->lx, NULL, by},
                         .u = {f->ux, NULL, by},
                         .f = {f->fx, NULL, by}};
}

wlu_numeric wlu_numeric_of_slots(const wlu_pivots *p, const wlu_program *program, const wlu_slots *slots)
{
    wlu_layout o = wlu_layout_of(p, 0);
    const double *v = slots->v;
    const int32_t *slot = program->slot;
    return (wlu_numeric){.pivots = p,
                         .pivot = {v, slot + o.pivot, program->doubles},
                         .l = {v, slot + o.l, program->doubles},
                         .u = {v, slot + o.u, program->doubles},
                         .f = {v, slot + o.f, program->doubles}};
}

static void note_modulus(double u, double extreme[2])
{
    extreme[0] = u < extreme[0] ? u : extreme[0];
    extreme[1] = u > extreme[1] ? u : extreme[1];
}

void wlu_numeric_find_extremes(const wlu_numeric *numeric, double extreme[2])
{
    const wlu_numbers from = numeric->pivot;
    const int32_t n = numeric->pivots->n;
    double found[2] = {INFINITY, 0.0};
    int nan = 0;
    for (int32_t k = 0; k < n; k++) {
        const double u = wlu_numbers_modulus(from, k);
        note_modulus(u, found);
        nan |= isnan(u);
    }
    for (int k = 0; k < 2; k++) extreme[k] = nan ? NAN : found[k];
}

static void copy(wlu_numbers from, int64_t count, double *to)
{
    const int32_t *slot = from.slot;
    for (int64_t q = 0; q < count && slot != NULL && from.doubles == 1; q++) to[q] = from.x[slot[q]];
    if (slot != NULL && from.doubles == 1) return;
    for (int64_t q = 0; q < count; q++)
        for (int k = 0; k < from.doubles; k++) *to++ = wlu_numbers_real(from, q)[k];
}

void wlu_numeric_copy_pivots(const wlu_numeric *numeric, double *diagonal)
{
    copy(numeric->pivot, numeric->pivots->n, diagonal);
}

warplu_status wlu_numeric_copy(wlu_context *ctx, const wlu_numeric *numeric, wlu_factors **out)
{
    const wlu_pivots *p = numeric->pivots;
    warplu_status status = wlu_factors_create(ctx, p, out);
    if (status < 0) return status;
    copy(numeric->pivot, p->n, (*out)->pivot);
    copy(numeric->l, p->lp[p->n], (*out)->lx);
    copy(numeric->u, p->up[p->n], (*out)->ux);
    copy(numeric->f, p->fp[p->n], (*out)->fx);
    return WARPLU_SUCCESS;
}
