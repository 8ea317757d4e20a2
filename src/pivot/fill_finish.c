/* The end of a fill: rows become positions, columns are sorted in their places, those of a group at once, and the
 * arrays change owners. See fill.h. Compiled for either kind of numbers. Cost: O(entries of L, U and F). */
#include "base/number.h"
#include "pivot/factors.h"
#include "pivot/fill.h"

#include <string.h>

/* Numbers into the order of their rows: from[q] is the row of x[q], to[q] that of what is x[q] then. */
static void reorder(int64_t count, const int32_t *from, const int32_t *to, wlu_number *x, wlu_number *work)
{
    for (int64_t q = 0; q < count; q++) work[from[q]] = x[q];
    for (int64_t q = 0; q < count; q++) x[q] = work[to[q]];
}

/* Columns of a group, from first to last, rows of A as their positions: each has the pivots of those behind it, in
 * their order, and then the last one's rows in one order, which are sorted once. */
static void sort_group(const wlu_fill *f, const int64_t *p, int32_t first, int32_t last, int32_t *i, wlu_number *x,
                       wlu_number *work)
{
    const int32_t *pos = f->out->row_pos;
    int32_t *from = f->stack, *to = i + p[last], count = (int32_t)(p[last + 1] - p[last]);
    for (int32_t q = 0; q < count; q++) from[q] = pos[to[q]];
    wlu_fill_sort(f, from, count, to);
    for (int32_t k = first; k <= last; k++) {
        int32_t *rows = i + p[k], behind = last - k;
        for (int32_t q = 0; q < behind; q++) rows[q] = k + 1 + q;
        if (behind > 0) memcpy(rows + behind, to, (size_t)count * sizeof *to);
        if (count > 1 && x != NULL) reorder(count, from, to, x + p[k] + behind, work);
    }
}

/* Rows of A become positions, ascending in each column. group: NULL where columns have none; work: n. */
static void sort_columns(const wlu_fill *f, const int64_t *p, const uint8_t *group, int32_t *i, wlu_number *x,
                         wlu_number *work)
{
    for (int32_t k = 0, n = f->out->n; k < n && p[n] > 0; k++) {
        int32_t first = k;
        while (group != NULL && k + 1 < n && group[k + 1] > 0) k++;
        sort_group(f, p, first, k, i, x, work);
    }
}

/* Moves an array to *out: as it stands where half of it is used, else what is used of it. */
static int hand_over(wlu_context *ctx, void *array, int64_t used, int64_t cap, size_t size, void **out)
{
    *out = 2 * used >= cap ? array : wlu_resize(ctx, array, used, used, size);
    return *out != NULL;
}

#define HAND_OVER(f, from, used, cap, size, to) \
    (hand_over((f)->ctx, (f)->from, used, (f)->cap, size, (void **)&(to)) && ((f)->from = NULL, 1))

static warplu_status hand_out(wlu_fill *f, wlu_factors *v)
{
    wlu_pivots *out = f->out;
    int64_t l = out->lp[out->n], u = out->up[out->n], above = out->fp[out->n];
    int moved = HAND_OVER(f, li, l, lcap, sizeof *f->li, out->li) &&
                HAND_OVER(f, ui, u, ucap, sizeof *f->ui, out->ui) &&
                HAND_OVER(f, fi, above, fcap, sizeof *f->fi, out->fi);
    if (moved && v != NULL)
        moved = HAND_OVER(f, lx, l, lcap, sizeof(wlu_number), v->lx) &&
                HAND_OVER(f, ux, u, ucap, sizeof(wlu_number), v->ux) &&
                HAND_OVER(f, fx, above, fcap, sizeof(wlu_number), v->fx);
    if (moved && v != NULL) { /* columns of a group have one order, so the ascending one */
        v->group = f->group;
        f->group = NULL;
    }
    return moved ? WARPLU_SUCCESS : wlu_fail_memory(f->ctx, "patterns of the factors");
}

warplu_status WLU_NUMBER_NAME(wlu_fill_finish)(wlu_fill *f, wlu_factors *v)
{
    wlu_pivots *out = f->out;
    for (int32_t k = 0; k < out->n; k++) out->col_pos[out->col[k]] = k; /* rows have theirs since their pivots */
    warplu_status status = wlu_poll_cancel(f->ctx); /* what is left is a few passes over the entries */
    if (status < 0) return status;
    wlu_number *work = v != NULL ? (wlu_number *)v->work : NULL;
    sort_columns(f, out->lp, f->group, f->li, (wlu_number *)f->lx, work);
    status = wlu_poll_cancel(f->ctx);
    if (status < 0) return status;
    sort_columns(f, out->fp, NULL, f->fi, (wlu_number *)f->fx, work);
    if (work != NULL) memset(work, 0, (size_t)out->n * sizeof *work); /* as their owner wants it */
    return hand_out(f, v);
}
