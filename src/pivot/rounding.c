/* The bound on rounding of solves by these pivots, found when it is wanted. See pivots.h, numerics/bound.h. */
#include "pivot/pivots.h"

#include "numerics/bound.h"

static wlu_bounded_factors factors_of(const wlu_pattern *a, const wlu_pivots *p)
{
    return (wlu_bounded_factors){
        .a = a,
        .nblocks = p->nblocks,
        .block = p->block,
        .row = p->row,
        .col = p->col,
        .row_pos = p->row_pos,
        .col_pos = p->col_pos,
        .exponent = p->exponent,
        .col_exponent = p->col_exponent,
        .row_unit = p->row_unit,
        .lp = p->lp,
        .up = p->up,
        .fp = p->fp,
        .li = p->li,
        .ui = p->ui,
        .fi = p->fi,
    };
}

warplu_status wlu_pivots_find_bound(wlu_context *ctx, const wlu_pattern *a, wlu_pivots *p, int transposed)
{
    if (p->line[transposed] != NULL) return WARPLU_SUCCESS;
    wlu_bounded_factors factors = factors_of(a, p);
    double *line = WLU_ALLOC(ctx, p->n, double);
    if (line == NULL) return wlu_fail_memory(ctx, "a bound on rounding");
    warplu_status status = wlu_bound_find(ctx, &factors, transposed, &p->bound[transposed], line);
    if (status == WARPLU_SUCCESS)
        p->line[transposed] = line;
    else
        wlu_free(ctx, line);
    return status;
}

double wlu_pivots_bound_now(const wlu_pattern *a, const wlu_pivots *p, int transposed, const double *x, double *work)
{
    wlu_bounded_factors factors = factors_of(a, p);
    return wlu_bound_now(&factors, transposed, p->line[transposed], x, work);
}

int wlu_pivots_find_limits(const wlu_pattern *a, const wlu_pivots *p, double shrunk, const double *reach,
                           const wlu_magnitudes *m, double *work)
{
    wlu_bounded_factors factors = factors_of(a, p);
    return wlu_limits_find(&factors, shrunk, reach, m, work);
}

double wlu_pivots_shrunk(const wlu_pattern *a, const wlu_pivots *p, const double *x, double *work)
{
    wlu_bounded_factors factors = factors_of(a, p);
    return wlu_equations_shrunk(&factors, x, work);
}
