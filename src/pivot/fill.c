/* Patterns by reachability. See fill.h. */
#include "pivot/fill.h"

#include "base/power.h"

#include <string.h>

/* Columns of a group at most: what is moved in one of them is moved in all. Positions that are sorted by comparisons,
 * at most. */
enum { GROUP_MAX = 16, SHORT = 8 };

/* ----------------------------------------------------------------- memory */

/* Room for need more entries of one of the factors: indices, and values if there are any. */
static warplu_status grow(const wlu_fill *f, int32_t **i, double **x, int64_t used, int64_t *cap, int64_t need)
{
    int64_t cap_new = used + need + used / 2;
    void *p = wlu_resize(f->ctx, *i, used, cap_new, sizeof **i);
    if (p == NULL) return wlu_fail_memory(f->ctx, "factors while pivoting");
    *i = p;
    if (f->doubles > 0) {
        p = wlu_resize(f->ctx, *x, used, cap_new, (size_t)f->doubles * sizeof **x);
        if (p == NULL) return wlu_fail_memory(f->ctx, "factors while pivoting");
        *x = p;
    }
    *cap = cap_new;
    return WARPLU_SUCCESS;
}

warplu_status wlu_fill_begin(wlu_fill *f, wlu_context *ctx, const wlu_pattern *a, double guess, int doubles,
                             wlu_pivots *out)
{
    int64_t n = a->n;
    double most = 16.0 * a->nnz;
    *f = (wlu_fill){.ctx = ctx, .a = a, .out = out, .doubles = doubles};
    f->lcap = f->ucap = (int64_t)(guess < most ? guess : most) + n / 8 + 1;
    if (f->lcap <= n) f->lcap = n + 1; /* what the first column is given */
    f->fcap = n;
    f->li = WLU_ALLOC(ctx, f->lcap, int32_t);
    f->ui = WLU_ALLOC(ctx, f->ucap, int32_t);
    f->fi = WLU_ALLOC(ctx, f->fcap, int32_t);
    if (doubles > 0) {
        f->lx = WLU_ALLOC(ctx, doubles * f->lcap, double);
        f->ux = WLU_ALLOC(ctx, doubles * f->ucap, double);
        f->fx = WLU_ALLOC(ctx, doubles * f->fcap, double);
    }
    f->pinv = out->row_pos;
    f->mark = WLU_ALLOC(ctx, n, int32_t);
    f->depth = WLU_ALLOC(ctx, n, int32_t);
    f->row_depth = WLU_CALLOC(ctx, n, int32_t);
    f->stack = WLU_ALLOC(ctx, n, int32_t);
    f->dfs = WLU_ALLOC(ctx, n, int32_t);
    f->dfs_pos = WLU_ALLOC(ctx, n, int64_t);
    f->end = WLU_ALLOC(ctx, n, int64_t);
    f->bits = WLU_CALLOC(ctx, n / 64 + 1 + n / 4096 + 1, uint64_t);
    f->group = WLU_CALLOC(ctx, n, uint8_t);
    if (!f->li || !f->ui || !f->fi || (doubles > 0 && (!f->lx || !f->ux || !f->fx)) || !f->mark || !f->stack ||
        !f->dfs || !f->dfs_pos || !f->end || !f->bits || !f->group || !f->depth || !f->row_depth)
        return wlu_fail_memory(ctx, "workspace of the patterns");
    f->words = f->bits + n / 64 + 1;
    for (int64_t k = 0; k < n; k++) f->pinv[k] = f->mark[k] = -1;
    out->terms = 0;
    out->height = 0;
    out->lp[0] = out->up[0] = out->fp[0] = 0;
    return WARPLU_SUCCESS;
}

void wlu_fill_free(wlu_fill *f)
{
    void *owned[] = {f->li,  f->lx,      f->ui,  f->ux,   f->fi,    f->fx,    f->mark,     f->stack,
                     f->dfs, f->dfs_pos, f->end, f->bits, f->group, f->depth, f->row_depth};
    if (f->ctx == NULL) return;
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) wlu_free(f->ctx, owned[k]);
    memset(f, 0, sizeof *f);
}

/* ---------------------------------------------------------------- columns */

warplu_status wlu_fill_grow(wlu_fill *f, int32_t rows, int32_t entries)
{
    warplu_status status = WARPLU_SUCCESS;
    if (f->lnz + rows > f->lcap) status = grow(f, &f->li, &f->lx, f->lnz, &f->lcap, rows);
    if (f->fnz + entries > f->fcap && status == WARPLU_SUCCESS)
        status = grow(f, &f->fi, &f->fx, f->fnz, &f->fcap, entries);
    return status;
}

/* Depth-first search from pivot k0, whose row is marked, in the pruned graph of L, from entry q0 of its column on;
 * unpivoted rows go to column k. */
static int32_t search(wlu_fill *f, int32_t k, int32_t k0, int64_t q0, int32_t top)
{
    const int64_t *lp = f->out->lp;
    const int32_t *pinv = f->pinv;
    int32_t *li = f->li, *mark = f->mark, *dfs = f->dfs, head = 0;
    int64_t *dfs_pos = f->dfs_pos, lnz = f->lnz;
    dfs[0] = k0;
    dfs_pos[0] = q0;
    while (head >= 0) {
        int32_t kk = dfs[head], below = -1;
        int64_t end = f->end[kk], q = dfs_pos[head];
        while (q < end && below < 0) {
            int32_t i = li[q++];
            if (mark[i] == k) continue;
            mark[i] = k;
            below = pinv[i];
            if (below < 0) li[lnz++] = i;
        }
        if (below >= 0) {
            dfs_pos[head] = q;
            dfs[++head] = below;
            dfs_pos[head] = lp[below];
        } else {
            f->stack[--top] = kk;
            head--;
        }
    }
    f->lnz = lnz;
    return top;
}

/* All that the column's pivots reach: pivots to the end of the stack. Most of them reach no other. */
static int32_t search_all(wlu_fill *f, int32_t k)
{
    const int64_t *lp = f->out->lp, *ends = f->end;
    const int32_t *pinv = f->pinv;
    int32_t *li = f->li, *mark = f->mark, *stack = f->stack, top = f->a->n;
    int64_t lnz = f->lnz;
    for (int64_t r = f->roots - 1; r >= 0; r--) {
        int32_t kk = stack[r];
        int64_t q = lp[kk], end = ends[kk];
        for (; q < end; q++) {
            int32_t i = li[q];
            if (mark[i] == k) continue;
            if (pinv[i] >= 0) break;
            mark[i] = k;
            li[lnz++] = i;
        }
        if (q == end) {
            stack[--top] = kk;
            continue;
        }
        f->lnz = lnz;
        top = search(f, k, kk, q, top);
        lnz = f->lnz;
    }
    f->lnz = lnz;
    return top;
}

/* Of a word that is not 0. Without an instruction it is the exponent of what is left without the other bits. */
static inline uint32_t lowest_bit(uint64_t x)
{
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctzll(x);
#else
    return (uint32_t)wlu_exponent((double)(x & (~x + 1)));
#endif
}

/* To the place that so many less than it give: no branch looks at numbers. */
static void sort_short(const int32_t *restrict from, int32_t count, int32_t *restrict at)
{
    for (int32_t q = 0; q < count; q++) {
        int32_t x = from[q], less = 0;
        for (int32_t r = 0; r < count; r++) less += from[r] < x;
        at[less] = x;
    }
}

void wlu_fill_sort(const wlu_fill *f, const int32_t *from, int32_t count, int32_t *at)
{
    uint64_t *bits = f->bits, *words = f->words;
    if (count <= SHORT) {
        sort_short(from, count, at);
        return;
    }
    uint32_t most = 0;
    for (int32_t q = 0; q < count; q++) {
        uint32_t x = (uint32_t)from[q];
        bits[x / 64] |= (uint64_t)1 << x % 64;
        words[x / 4096] |= (uint64_t)1 << x / 64 % 64;
        most = x > most ? x : most;
    }
    for (uint32_t top = 0; top <= most / 4096; top++) {
        for (uint64_t some = words[top]; some != 0; some &= some - 1) {
            uint32_t word = 64 * top + lowest_bit(some);
            for (uint64_t left = bits[word]; left != 0; left &= left - 1)
                *at++ = (int32_t)(64 * word + lowest_bit(left));
            bits[word] = 0;
        }
        words[top] = 0;
    }
}

warplu_status wlu_fill_search(wlu_fill *f, int32_t k)
{
    int32_t top = search_all(f, k), count = f->a->n - top;
    warplu_status status = WARPLU_SUCCESS;
    if (f->unz + count > f->ucap) status = grow(f, &f->ui, &f->ux, f->unz, &f->ucap, count);
    if (status < 0) return status;
    wlu_fill_sort(f, f->stack + top, count, f->ui + f->unz);
    f->unz += count;
    return WARPLU_SUCCESS;
}

static inline void swap(wlu_fill *f, int64_t p, int64_t q)
{
    int32_t i = f->li[p];
    f->li[p] = f->li[q];
    f->li[q] = i;
    for (int part = 0; part < f->doubles; part++) {
        double *x = f->lx + part, v = x[f->doubles * p];
        x[f->doubles * p] = x[f->doubles * q];
        x[f->doubles * q] = v;
    }
}

/* Exchanges two rows of column k, counted from its first, and in the columns of its group before it. */
static inline void exchange(wlu_fill *f, int32_t k, int64_t p, int64_t q)
{
    swap(f, f->out->lp[k] + p, f->out->lp[k] + q);
    for (int32_t before = 1; before <= f->group[k]; before++) {
        int64_t first = f->out->lp[k - before] + before;
        swap(f, first + p, first + q);
    }
}

/* Being in U, and holding the pivot, the column before has no other rows then. */
void wlu_fill_join_group(wlu_fill *f, int32_t k, int32_t row)
{
    int64_t before = f->out->lp[k - 1], first = f->out->lp[k], at = before;
    if (f->group[k - 1] + 1 == GROUP_MAX || f->mark[f->out->row[k - 1]] != k) return;
    while (at < first && f->li[at] != row) at++;
    if (at == first) return;
    exchange(f, k - 1, 0, at - before);
    memcpy(f->li + first, f->li + before + 1, (size_t)(first - before - 1) * sizeof *f->li);
    f->lnz--;
    f->group[k] = f->group[k - 1] + 1;
}

/* A column that updates the pivot's and holds its row needs to be searched only in its pivoted rows, which are moved to
 * the front. Of a group only the last column has any left to move. */
void wlu_fill_prune(wlu_fill *f, int32_t kk, int32_t row)
{
    int64_t first = f->out->lp[kk], tail = f->out->lp[kk + 1], head = first, q = first;
    const int32_t *li = f->li, *pinv = f->pinv;
    while (q < tail && li[q] != row) q++;
    if (q == tail) return;
    for (q = first; q < tail; q++) {
        if (pinv[li[q]] < 0) continue;
        if (q > head) exchange(f, kk, head - first, q - first);
        head++;
    }
    f->end[kk] = head;
}

/* ----------------------------------------------------------- known pivots */

/* The next column, whose pivot is known. */
static warplu_status take_pivot(wlu_fill *f, int32_t k, int32_t begin, int32_t end)
{
    const wlu_pattern *a = f->a;
    int32_t row = f->out->row[k], col = f->out->col[k];
    warplu_status status = wlu_fill_open(f, k, end, a->p[col + 1] - a->p[col]);
    if (status < 0) return status;
    for (int32_t e = a->p[col]; e < a->p[col + 1]; e++) (void)wlu_fill_row(f, k, begin, a->i[e]);
    status = wlu_fill_reach(f, k);
    if (status < 0) return status;
    if (f->pinv[row] >= 0 || f->mark[row] != k)
        return wlu_fail(f->ctx, WARPLU_BAD_FORMAT, "pivot %d: row %d is no entry of column %d when its turn comes", k,
                        row + f->ctx->first_index, col + f->ctx->first_index);
    int32_t depth = wlu_fill_pivot(f, k, row);
    int64_t to = f->out->lp[k];
    for (int64_t q = to; q < f->lnz; q++) {
        wlu_fill_keep(f, f->li[q], depth, to);
        to += f->li[q] != row;
    }
    wlu_fill_close(f, k, to);
    return WARPLU_SUCCESS;
}

warplu_status wlu_pivots_find_patterns(wlu_context *ctx, const wlu_pattern *a, int64_t l_most, int64_t u_most,
                                       wlu_pivots *p)
{
    wlu_fill f;
    warplu_status status = wlu_fill_begin(&f, ctx, a, (double)(l_most > u_most ? l_most : u_most), 0, p);
    for (int32_t b = 0; b < p->nblocks && status == WARPLU_SUCCESS; b++)
        for (int32_t k = p->block[b]; k < p->block[b + 1] && status == WARPLU_SUCCESS; k++) {
            if (k % 1024 == 0) status = wlu_poll_cancel(ctx);
            if (status == WARPLU_SUCCESS) status = take_pivot(&f, k, p->block[b], p->block[b + 1]);
            if (status == WARPLU_SUCCESS && (f.lnz > l_most || f.unz > u_most))
                status = wlu_fail(ctx, WARPLU_BAD_FORMAT, "more than the %lld entries of L and %lld of U announced",
                                  (long long)l_most, (long long)u_most);
        }
    if (status == WARPLU_SUCCESS) status = wlu_fill_finish(&f, NULL);
    wlu_fill_free(&f);
    return status;
}
