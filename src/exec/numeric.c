/* Views of numeric factors. See numeric.h. */
#include "exec/numeric.h"

#include "lu/emit.h"

wlu_numeric wlu_numeric_of_factors(const wlu_pivots *p, const wlu_factors *f)
{
    const int64_t by = p->doubles, apart = by - 1;
    return (wlu_numeric){.pivots = p,
                         .pivot = {f->pivot, NULL, by, apart},
                         .l = {f->lx, NULL, by, apart},
                         .u = {f->ux, NULL, by, apart},
                         .f = {f->fx, NULL, by, apart}};
}

wlu_numeric wlu_numeric_of_slots(const wlu_pivots *p, const wlu_program *program, const wlu_slots *slots)
{
    wlu_layout o = wlu_layout_of(p, 0);
    const double *v = slots->v;
    const int32_t *slot = program->slot;
    return (wlu_numeric){.pivots = p,
                         .pivot = {v, slot + o.pivot, 1, slots->apart},
                         .l = {v, slot + o.l, 1, slots->apart},
                         .u = {v, slot + o.u, 1, slots->apart},
                         .f = {v, slot + o.f, 1, slots->apart}};
}

static void copy(wlu_numbers from, int64_t count, double *to)
{
    const int64_t doubles = from.apart > 0 ? 2 : 1;
    for (int64_t q = 0; q < count; q++) {
        to[doubles * q] = *wlu_numbers_real(from, q);
        if (from.apart > 0) to[2 * q + 1] = wlu_numbers_imaginary(from, q);
    }
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
