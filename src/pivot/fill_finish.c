/* The end of a fill: rows become positions, columns are sorted, and the arrays change owners. See fill.h. Short columns
 * are sorted by insertion, long ones by one bit for each position, each in its place; where so many are long that
 * looking for their bits would take more than their entries, all are by two transpositions, through as much memory
 * again. Compiled for either kind of numbers. Cost: O(entries of L, U and F). */
#include "base/number.h"
#include "pivot/factors.h"
#include "pivot/fill.h"

#include <string.h>

/* A row that is less than the one before it, to its place among those of its column, from first on. */
static void insert(int32_t *i, wlu_number *x, int64_t first, int64_t at, int32_t row)
{
    wlu_number value = x != NULL ? x[at] : wlu_zero();
    for (; at > first && i[at - 1] > row; at--) {
        i[at] = i[at - 1];
        if (x != NULL) x[at] = x[at - 1];
    }
    i[at] = row;
    if (x != NULL) x[at] = value;
}

/* A long column, whose rows are positions by now; its numbers go through work, which is zero before and after. */
static void sort_long(const wlu_fill *f, int32_t count, int32_t *i, wlu_number *x, wlu_number *work)
{
    for (int32_t q = 0; q < count && x != NULL; q++) work[i[q]] = x[q];
    wlu_fill_sort(f, i, count, i);
    for (int32_t q = 0; q < count && x != NULL; q++) {
        x[q] = work[i[q]];
        work[i[q]] = wlu_zero();
    }
}

/* Each column in its place, rows of A as their positions. */
static void sort_each(const wlu_fill *f, const int64_t *p, int32_t *i, wlu_number *x, wlu_number *work)
{
    const int32_t *pos = f->out->row_pos;
    int64_t q = 0;
    for (int32_t k = 0, n = f->out->n; k < n; k++) {
        int64_t first = q, end = p[k + 1];
        int32_t before = -1;
        if (end - first > WLU_FILL_SHORT) {
            for (; q < end; q++) i[q] = pos[i[q]];
            sort_long(f, (int32_t)(end - first), i + first, x != NULL ? x + first : NULL, work);
        }
        for (; q < end; q++) {
            int32_t row = pos[i[q]];
            if (row < before) {
                insert(i, x, first, q, row);
            } else {
                i[q] = row;
                before = row;
            }
        }
    }
}

/* Where the rows of a pattern begin, to be moved as they fill. */
static void count_rows(int32_t n, const int64_t *p, const int32_t *i, int64_t *next)
{
    memset(next, 0, (size_t)n * sizeof *next);
    for (int64_t q = 0; q < p[n]; q++) next[i[q]]++;
    for (int64_t r = 0, sum = 0; r < n; r++) {
        int64_t count = next[r];
        next[r] = sum;
        sum += count;
    }
}

/* Hands the entries of each line, from where the one before ends to end[line], to the lines across, whose next places
 * move: they hold ascending indices in the end. x and tx may be NULL. */
static void transpose(int32_t n, const int64_t *end, const int32_t *i, const wlu_number *x, int64_t *next, int32_t *ti,
                      wlu_number *tx)
{
    for (int64_t line = 0, q = 0; line < n; line++)
        for (int64_t stop = end[line]; q < stop; q++) {
            int64_t to = next[i[q]]++;
            ti[to] = (int32_t)line;
            if (x != NULL) tx[to] = x[q];
        }
}

/* All columns by two transpositions, there and back. The search needs its places no more. */
static warplu_status sort_across(const wlu_fill *f, const int64_t *p, int32_t *i, wlu_number *x)
{
    int32_t n = f->out->n;
    int64_t *row_next = f->dfs_pos, *col_next = f->end;
    int32_t *ti = WLU_ALLOC(f->ctx, p[n], int32_t);
    wlu_number *tx = x != NULL ? WLU_ALLOC(f->ctx, p[n], wlu_number) : NULL;
    int there = ti != NULL && (tx != NULL || x == NULL);
    if (there) {
        count_rows(n, p, i, row_next);
        transpose(n, p + 1, i, x, row_next, ti, tx);
        memcpy(col_next, p, (size_t)n * sizeof *p);
        transpose(n, row_next, ti, tx, col_next, i, x);
    }
    wlu_free(f->ctx, ti);
    wlu_free(f->ctx, tx);
    return there ? WARPLU_SUCCESS : wlu_fail_memory(f->ctx, "columns while they are sorted");
}

/* Words of bits that may be looked at for each entry and each column. */
enum { WORDS_PER_ENTRY = 4 };

/* Rows of A become positions, ascending in each column. work: n, zero. */
static warplu_status sort_columns(const wlu_fill *f, const int64_t *p, int32_t *i, wlu_number *x, wlu_number *work)
{
    int32_t n = f->out->n, longs = 0;
    const int32_t *pos = f->out->row_pos;
    if (p[n] == 0) return WARPLU_SUCCESS;
    for (int32_t k = 0; k < n; k++) longs += p[k + 1] - p[k] > WLU_FILL_SHORT;
    if ((int64_t)longs * (n / 64) <= WORDS_PER_ENTRY * (p[n] + n)) {
        sort_each(f, p, i, x, work);
        return WARPLU_SUCCESS;
    }
    for (int64_t q = 0; q < p[n]; q++) i[q] = pos[i[q]];
    return sort_across(f, p, i, x);
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
    status = sort_columns(f, out->lp, f->li, (wlu_number *)f->lx, work);
    if (status == WARPLU_SUCCESS) status = wlu_poll_cancel(f->ctx);
    if (status == WARPLU_SUCCESS) status = sort_columns(f, out->fp, f->fi, (wlu_number *)f->fx, work);
    return status == WARPLU_SUCCESS ? hand_out(f, v) : status;
}
