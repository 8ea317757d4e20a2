/* The end of a fill: rows become positions, columns are sorted in their places, the height is found, and the arrays
 * change owners. See fill.h. Cost: O(entries of L, U and F) where columns are short or nearly sorted. */
#include "pivot/factors.h"
#include "pivot/fill.h"

#include <string.h>

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* Longest chain of dependent pivots: pivot k waits for every pivot in column k of U and row k of L. */
static void find_height(wlu_pivots *out, int32_t *depth)
{
    memset(depth, 0, (size_t)out->n * sizeof *depth);
    out->height = 0;
    for (int32_t k = 0; k < out->n; k++) {
        int32_t d = depth[k];
        for (int64_t q = out->up[k]; q < out->up[k + 1]; q++) d = larger(d, depth[out->ui[q]]);
        depth[k] = ++d;
        out->height = larger(out->height, d);
        for (int64_t q = out->lp[k]; q < out->lp[k + 1]; q++) depth[out->li[q]] = larger(depth[out->li[q]], d);
    }
}

/* Puts the entry at place `at` among those before it, so many apart. */
static inline void insert(int32_t *i, double *x, int64_t at, int64_t gap)
{
    int32_t row = i[at];
    if (at < gap || i[at - gap] <= row) return;
    double value = x != NULL ? x[at] : 0.0;
    for (; at >= gap && i[at - gap] > row; at -= gap) {
        i[at] = i[at - gap];
        if (x != NULL) x[at] = x[at - gap];
    }
    i[at] = row;
    if (x != NULL) x[at] = value;
}

/* Rows in ascending order, their values with them; x may be NULL. Most columns are short, and long ones come in runs
 * that ascend: insertion, with the gaps of Shell's method (Ciura, FCT 2001) before. */
static inline void sort_column(int32_t *i, double *x, int64_t count)
{
    static const int64_t gaps[] = {4, 10, 23, 57, 132, 301, 701, 1750, 4000, 9000, 20000, 45000, 100000};
    int g = 0;
    while (g < (int)(sizeof gaps / sizeof *gaps) && gaps[g] < count / 4) g++;
    while (g-- > 0)
        for (int64_t at = gaps[g]; at < count; at++) insert(i, x, at, gaps[g]);
    for (int64_t at = 1; at < count; at++) insert(i, x, at, 1);
}

/* Rows of A become positions, ascending in each column. */
static void sort_columns(const wlu_fill *f, const int64_t *p, int32_t *i, double *x)
{
    const int32_t *pos = f->out->row_pos;
    for (int64_t q = 0; q < p[f->out->n]; q++) i[q] = pos[i[q]];
    for (int32_t k = 0; k < f->out->n; k++) {
        int64_t count = p[k + 1] - p[k];
        if (count < 2) continue;
        if (x != NULL)
            sort_column(i + p[k], x + p[k], count);
        else
            sort_column(i + p[k], NULL, count);
    }
}

/* Moves an array to *out: as it stands where half of it is used, else what is used of it. */
static int hand_over(wlu_context *ctx, void *array, int64_t used, int64_t cap, size_t size, void **out)
{
    *out = 2 * used >= cap ? array : wlu_resize(ctx, array, used, used, size);
    return *out != NULL;
}

#define HAND_OVER(f, from, used, cap, to) \
    (hand_over((f)->ctx, (f)->from, used, (f)->cap, sizeof *(f)->from, (void **)&(to)) && ((f)->from = NULL, 1))

static warplu_status hand_out(wlu_fill *f, wlu_factors *v)
{
    wlu_pivots *out = f->out;
    int64_t l = out->lp[out->n], u = out->up[out->n], above = out->fp[out->n];
    int moved = HAND_OVER(f, li, l, lcap, out->li) && HAND_OVER(f, ui, u, ucap, out->ui) &&
                HAND_OVER(f, fi, above, fcap, out->fi);
    if (moved && v != NULL)
        moved = HAND_OVER(f, lx, l, lcap, v->lx) && HAND_OVER(f, ux, u, ucap, v->ux) &&
                HAND_OVER(f, fx, above, fcap, v->fx);
    return moved ? WARPLU_SUCCESS : wlu_fail_memory(f->ctx, "patterns of the factors");
}

warplu_status wlu_fill_finish(wlu_fill *f, wlu_factors *v)
{
    wlu_pivots *out = f->out;
    for (int32_t k = 0; k < out->n; k++) {
        out->row_pos[out->row[k]] = k;
        out->col_pos[out->col[k]] = k;
    }
    warplu_status status = wlu_poll_cancel(f->ctx); /* what is left is a few passes over the entries */
    if (status < 0) return status;
    sort_columns(f, out->lp, f->li, f->lx);
    status = wlu_poll_cancel(f->ctx);
    if (status < 0) return status;
    sort_columns(f, out->fp, f->fi, f->fx);
    status = hand_out(f, v);
    if (status == WARPLU_SUCCESS) find_height(out, f->mark);
    return status;
}
