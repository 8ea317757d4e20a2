/* Pivots as data. See pivots.h. */
#include "pivot/pivots.h"

#include <stdatomic.h>
#include <string.h>

#include "cost/patterns.h"

warplu_status wlu_pivots_allocate(wlu_context *ctx, int32_t n, int32_t nblocks, int columns_scaled, wlu_pivots **out)
{
    static atomic_int_fast64_t numbers;
    wlu_pivots *p = *out = WLU_CALLOC(ctx, 1, wlu_pivots);
    if (p == NULL) return wlu_fail_memory(ctx, "pivots");
    p->n = n;
    p->nblocks = nblocks;
    p->number = atomic_fetch_add_explicit(&numbers, 1, memory_order_relaxed) + 1;
    p->block = WLU_ALLOC(ctx, (int64_t)nblocks + 1, int32_t);
    p->row = WLU_ALLOC(ctx, n, int32_t);
    p->col = WLU_ALLOC(ctx, n, int32_t);
    p->row_pos = WLU_ALLOC(ctx, n, int32_t);
    p->col_pos = WLU_ALLOC(ctx, n, int32_t);
    p->exponent = WLU_ALLOC(ctx, n, int16_t);
    if (columns_scaled) p->col_exponent = WLU_ALLOC(ctx, n, int16_t);
    p->largest = WLU_ALLOC(ctx, n, int32_t);
    p->row_largest = WLU_ALLOC(ctx, n, int32_t);
    p->row_unit = WLU_ALLOC(ctx, n, double);
    p->lp = WLU_ALLOC(ctx, (int64_t)n + 1, int64_t);
    p->up = WLU_ALLOC(ctx, (int64_t)n + 1, int64_t);
    p->fp = WLU_ALLOC(ctx, (int64_t)n + 1, int64_t);
    if (p->block && p->row && p->col && p->row_pos && p->col_pos && p->exponent &&
        (p->col_exponent || !columns_scaled) && p->largest && p->row_largest && p->row_unit && p->lp && p->up && p->fp)
        return WARPLU_SUCCESS;
    return wlu_fail_memory(ctx, "pivots");
}

void wlu_pivots_destroy(wlu_context *ctx, wlu_pivots **pivots)
{
    wlu_pivots *p = *pivots;
    if (p == NULL) return;
    void *owned[] = {p->block,        p->row,     p->col,         p->row_pos,  p->col_pos, p->exponent,
                     p->col_exponent, p->largest, p->row_largest, p->row_unit, p->lp,      p->up,
                     p->fp,           p->li,      p->ui,          p->fi,       p};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) wlu_free(ctx, owned[k]);
    *pivots = NULL;
}

wlu_bounded_factors wlu_pivots_bounded(const wlu_pattern *a, const wlu_pivots *p)
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
        .row_largest = p->row_largest,
        .col_largest = p->largest,
        .lp = p->lp,
        .up = p->up,
        .fp = p->fp,
        .li = p->li,
        .ui = p->ui,
        .fi = p->fi,
    };
}

wlu_patterns wlu_pivots_patterns(const wlu_pivots *p)
{
    return (wlu_patterns){p->n, p->nblocks, p->block, p->lp, p->up, p->fp, p->li, p->ui, p->fi};
}

warplu_status wlu_pivots_price(wlu_context *ctx, const wlu_cost *cost, const wlu_pivots *pivots, double *ns)
{
    wlu_patterns patterns = wlu_pivots_patterns(pivots);
    return wlu_patterns_price(ctx, cost, &patterns, ns);
}

int32_t wlu_pivots_count_off_diagonal(const wlu_pivots *p, const wlu_analysis *analysis)
{
    const int32_t *row = analysis->candidate[p->candidate].row;
    int32_t off = 0;
    for (int32_t k = 0; k < p->n; k++) off += p->row[k] != row[k];
    return off;
}
