/* Patterns by reachability. See fill.h. */
#include "factor/fill.h"

#include "base/sort.h"
#include "factor/factors.h"

#include <string.h>

/* ----------------------------------------------------------------- memory */

static warplu_status grow(wlu_context *ctx, void **array, int64_t used, int64_t *cap, int64_t need, size_t size)
{
    if (used + need <= *cap) return WARPLU_SUCCESS;
    int64_t cap_new = used + need + used / 2;
    void *p = wlu_resize(ctx, *array, used, cap_new, size);
    if (p == NULL) return wlu_fail_memory(ctx, "factors while pivoting");
    *array = p;
    *cap = cap_new;
    return WARPLU_SUCCESS;
}

/* Room for need more entries of one of the factors: values, if any, and indices grow together. */
static warplu_status grow_both(const wlu_fill *f, double **x, int32_t **i, int64_t used, int64_t *cap, int64_t need)
{
    int64_t before = *cap;
    warplu_status status =
        f->with_values ? grow(f->ctx, (void **)x, used, &before, need, sizeof **x) : WARPLU_SUCCESS;
    return status < 0 ? status : grow(f->ctx, (void **)i, used, cap, need, sizeof **i);
}

/* Room for one more column of a block of m rows. */
static warplu_status reserve(wlu_fill *f, int32_t m, int32_t entries)
{
    warplu_status status = grow_both(f, &f->lx, &f->li, f->lnz, &f->lcap, m);
    if (status == WARPLU_SUCCESS) status = grow_both(f, &f->ux, &f->ui, f->unz, &f->ucap, m);
    if (status == WARPLU_SUCCESS) status = grow_both(f, &f->fx, &f->fi, f->fnz, &f->fcap, entries);
    return status;
}

warplu_status wlu_fill_begin(wlu_fill *f, wlu_context *ctx, const wlu_pattern *a, const int32_t *tent, double guess,
                             int with_values, wlu_pivots *out)
{
    int64_t n = a->n;
    double most = 16.0 * a->nnz;
    *f = (wlu_fill){.ctx = ctx, .a = a, .out = out, .tent = tent, .with_values = with_values};
    f->lcap = f->ucap = (int64_t)(guess < most ? guess : most) + n;
    f->fcap = n;
    f->li = WLU_ALLOC(ctx, f->lcap, int32_t);
    f->ui = WLU_ALLOC(ctx, f->ucap, int32_t);
    f->fi = WLU_ALLOC(ctx, f->fcap, int32_t);
    if (with_values) {
        f->lx = WLU_ALLOC(ctx, f->lcap, double);
        f->ux = WLU_ALLOC(ctx, f->ucap, double);
        f->fx = WLU_ALLOC(ctx, f->fcap, double);
    }
    f->pinv = WLU_ALLOC(ctx, n, int32_t);
    f->mark = WLU_ALLOC(ctx, n, int32_t);
    f->stack = WLU_ALLOC(ctx, n, int32_t);
    f->dfs = WLU_ALLOC(ctx, n, int32_t);
    f->dfs_pos = WLU_ALLOC(ctx, n, int64_t);
    f->pruned = WLU_ALLOC(ctx, n, int64_t);
    if (!f->li || !f->ui || !f->fi || (with_values && (!f->lx || !f->ux || !f->fx)) || !f->pinv || !f->mark ||
        !f->stack || !f->dfs || !f->dfs_pos || !f->pruned)
        return wlu_fail_memory(ctx, "workspace of the patterns");
    for (int64_t k = 0; k < n; k++) f->pinv[k] = f->mark[k] = -1;
    for (int64_t k = 0; k < n; k++) f->pruned[k] = -1;
    out->terms = 0;
    return WARPLU_SUCCESS;
}

void wlu_fill_free(wlu_fill *f)
{
    void *owned[] = {f->li,   f->lx,   f->ui,    f->ux,  f->fi,      f->fx,
                     f->pinv, f->mark, f->stack, f->dfs, f->dfs_pos, f->pruned};
    if (f->ctx == NULL) return;
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) wlu_free(f->ctx, owned[k]);
    memset(f, 0, sizeof *f);
}

/* ---------------------------------------------------------------- columns */

/* Depth-first search from pivot k0 in the pruned graph of L; appends unpivoted rows to column k of L. */
static int32_t reach(wlu_fill *f, int32_t k, int32_t k0, int32_t top)
{
    const wlu_pivots *out = f->out;
    int32_t head = 0;
    f->dfs[0] = k0;
    f->dfs_pos[0] = out->lp[k0];
    f->mark[out->row[k0]] = k;
    while (head >= 0) {
        int32_t kk = f->dfs[head];
        int64_t end = f->pruned[kk] >= 0 ? f->pruned[kk] : out->lp[kk + 1];
        int64_t q = f->dfs_pos[head];
        int descended = 0;
        while (q < end) {
            int32_t i = f->li[q++];
            if (f->mark[i] == k) continue;
            f->mark[i] = k;
            if (f->pinv[i] < 0) {
                f->li[f->lnz++] = i;
                continue;
            }
            f->dfs_pos[head] = q;
            f->dfs[++head] = f->pinv[i];
            f->dfs_pos[head] = out->lp[f->pinv[i]];
            descended = 1;
            break;
        }
        if (!descended) {
            f->stack[--top] = kk;
            head--;
        }
    }
    return top;
}

warplu_status wlu_fill_column(wlu_fill *f, int32_t k, int32_t j, int32_t begin, int32_t end)
{
    const wlu_pattern *a = f->a;
    wlu_pivots *out = f->out;
    int32_t top = a->n;
    warplu_status status = reserve(f, end - begin, a->p[j + 1] - a->p[j]);
    if (status < 0) return status;
    if (k == 0) out->lp[0] = out->up[0] = out->fp[0] = 0;
    for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) {
        int32_t i = a->i[e];
        if (f->tent[i] < begin) {
            f->fi[f->fnz++] = i;
        } else if (f->mark[i] != k) {
            if (f->pinv[i] >= 0) {
                top = reach(f, k, f->pinv[i], top);
            } else {
                f->mark[i] = k;
                f->li[f->lnz++] = i;
            }
        }
    }
    for (int32_t t = top; t < a->n; t++) {
        int32_t u = f->stack[t];
        f->ui[f->unz++] = u;
        out->terms += out->lp[u + 1] - out->lp[u];
    }
    out->up[k + 1] = f->unz;
    out->fp[k + 1] = f->fnz;
    return WARPLU_SUCCESS;
}

void wlu_fill_pivot(wlu_fill *f, int32_t k, int64_t at)
{
    int32_t row = f->li[at];
    f->li[at] = f->li[--f->lnz];
    f->out->row[k] = row;
    f->out->lp[k + 1] = f->lnz;
    f->pinv[row] = k;
}

/* Every column of L that updates column k and holds its pivot row needs to be searched only in its pivoted rows, which
 * are moved to the front. */
void wlu_fill_prune(wlu_fill *f, int32_t k)
{
    const wlu_pivots *out = f->out;
    for (int64_t u = out->up[k]; u < f->unz; u++) {
        int32_t kk = f->ui[u];
        if (f->pruned[kk] >= 0) continue;
        int64_t head = out->lp[kk], tail = out->lp[kk + 1], q = head;
        while (q < tail && f->li[q] != out->row[k]) q++;
        if (q == tail) continue;
        while (head < tail) {
            int32_t i = f->li[head];
            if (f->pinv[i] >= 0) {
                head++;
                continue;
            }
            tail--;
            f->li[head] = f->li[tail];
            f->li[tail] = i;
            if (!f->with_values) continue;
            double v = f->lx[head];
            f->lx[head] = f->lx[tail];
            f->lx[tail] = v;
        }
        f->pruned[kk] = tail;
    }
}

/* ----------------------------------------------------------------- finish */

/* Longest chain of dependent pivots: pivot k waits for every pivot in column k of U and row k of L. */
static void find_height(wlu_pivots *out, int32_t *depth)
{
    memset(depth, 0, (size_t)out->n * sizeof *depth);
    out->height = 0;
    for (int32_t k = 0; k < out->n; k++) {
        for (int64_t q = out->up[k]; q < out->up[k + 1]; q++)
            if (depth[out->ui[q]] > depth[k]) depth[k] = depth[out->ui[q]];
        depth[k]++;
        if (depth[k] > out->height) out->height = depth[k];
        for (int64_t q = out->lp[k]; q < out->lp[k + 1]; q++)
            if (depth[k] > depth[out->li[q]]) depth[out->li[q]] = depth[k];
    }
}

/* Columns up to SHORT are sorted by insertion as they are copied, up to MIDDLE by Shell's method, longer ones by radix. */
enum { SHORT_COLUMN = 16, MIDDLE_COLUMN = 1000 };

static void copy_sorted(int32_t *i, double *x, const int32_t *source, const double *values, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        int32_t row = source[k];
        int64_t at = k;
        for (; at > 0 && i[at - 1] > row; at--) {
            i[at] = i[at - 1];
            x[at] = x[at - 1];
        }
        i[at] = row;
        x[at] = values[k];
    }
}

/* Gaps of Ciura (FCT 2001). */
static void sort_middle(int32_t *i, double *x, int64_t count)
{
    static const int32_t gaps[] = {301, 132, 57, 23, 10, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++) {
        int64_t gap = gaps[g];
        for (int64_t k = gap; k < count; k++) {
            int32_t row = i[k];
            int64_t at = k;
            double value = x[k];
            for (; at >= gap && i[at - gap] > row; at -= gap) {
                i[at] = i[at - gap];
                x[at] = x[at - gap];
            }
            i[at] = row;
            x[at] = value;
        }
    }
}

/* entries: 2 count; buckets: WLU_SORT_DIGITS; i and x are the sorted column, source and values the unsorted one. */
static void sort_long(int32_t *i, double *x, const int32_t *source, const double *values, int64_t count,
                      wlu_sort_entry *entries, int64_t *buckets)
{
    for (int64_t k = 0; k < count; k++) entries[k] = (wlu_sort_entry){(uint64_t)source[k], k};
    const wlu_sort_entry *sorted = wlu_sort(entries, entries + count, count, buckets);
    for (int64_t k = 0; k < count; k++) {
        i[k] = (int32_t)sorted[k].key;
        x[k] = values[sorted[k].record];
    }
}

/* Copies one pattern and its values into their final places with rows as positions (pos, NULL where they are), ascending. */
static warplu_status sorted_copy(const wlu_fill *s, const int64_t *p, int32_t *i, const int32_t *pos, const double *x,
                                 int32_t **out_i, double *out_x)
{
    int32_t n = s->out->n;
    int64_t longest = 0;
    for (int32_t j = 0; j < n; j++)
        if (p[j + 1] - p[j] > longest) longest = p[j + 1] - p[j];
    *out_i = WLU_ALLOC(s->ctx, p[n], int32_t);
    wlu_sort_entry *entries = WLU_ALLOC(s->ctx, longest > MIDDLE_COLUMN ? 2 * longest : 0, wlu_sort_entry);
    int64_t *buckets = WLU_ALLOC(s->ctx, WLU_SORT_DIGITS, int64_t);
    warplu_status status = WARPLU_SUCCESS;
    if (*out_i == NULL || entries == NULL || buckets == NULL) status = wlu_fail_memory(s->ctx, "patterns of the factors");
    for (int64_t q = 0; q < p[n] && status == WARPLU_SUCCESS && pos != NULL; q++) i[q] = pos[i[q]];
    for (int32_t j = 0; j < n && status == WARPLU_SUCCESS; j++) {
        int64_t first = p[j], count = p[j + 1] - first;
        int32_t *to = *out_i + first;
        if (count <= SHORT_COLUMN) {
            copy_sorted(to, out_x + first, i + first, x + first, count);
        } else if (count > MIDDLE_COLUMN) {
            sort_long(to, out_x + first, i + first, x + first, count, entries, buckets);
        } else {
            memcpy(to, i + first, (size_t)count * sizeof *i);
            memcpy(out_x + first, x + first, (size_t)count * sizeof *x);
            sort_middle(to, out_x + first, count);
        }
    }
    wlu_free(s->ctx, entries);
    wlu_free(s->ctx, buckets);
    return status;
}

/* The same without values: two bucket transposes. */
static warplu_status sorted_pattern(const wlu_fill *f, const int64_t *p, int32_t *i, const int32_t *pos, int32_t **out)
{
    int64_t n = f->out->n;
    int64_t *tp = WLU_ALLOC(f->ctx, n + 1, int64_t), *back = WLU_ALLOC(f->ctx, n + 1, int64_t);
    int64_t *work = WLU_ALLOC(f->ctx, n, int64_t);
    int32_t *ti = WLU_ALLOC(f->ctx, p[n], int32_t);
    *out = WLU_ALLOC(f->ctx, p[n], int32_t);
    int made = tp != NULL && back != NULL && work != NULL && ti != NULL && *out != NULL;
    for (int64_t q = 0; q < p[n] && made && pos != NULL; q++) i[q] = pos[i[q]];
    if (made) wlu_transpose(f->out->n, f->out->n, p, i, tp, ti, NULL, work);
    if (made) wlu_transpose(f->out->n, f->out->n, tp, ti, back, *out, NULL, work);
    wlu_free(f->ctx, tp);
    wlu_free(f->ctx, back);
    wlu_free(f->ctx, work);
    wlu_free(f->ctx, ti);
    return made ? WARPLU_SUCCESS : wlu_fail_memory(f->ctx, "patterns of the factors");
}

warplu_status wlu_fill_finish(wlu_fill *f, wlu_factors *v)
{
    wlu_pivots *out = f->out;
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t k = 0; k < out->n; k++) {
        out->row_pos[out->row[k]] = k;
        out->col_pos[out->col[k]] = k;
    }
    if (v != NULL) {
        status = sorted_copy(f, out->lp, f->li, out->row_pos, f->lx, &out->li, v->lx);
        if (status == WARPLU_SUCCESS) status = sorted_copy(f, out->up, f->ui, NULL, f->ux, &out->ui, v->ux);
        if (status == WARPLU_SUCCESS) status = sorted_copy(f, out->fp, f->fi, out->row_pos, f->fx, &out->fi, v->fx);
    } else {
        status = sorted_pattern(f, out->lp, f->li, out->row_pos, &out->li);
        if (status == WARPLU_SUCCESS) status = sorted_pattern(f, out->up, f->ui, NULL, &out->ui);
        if (status == WARPLU_SUCCESS) status = sorted_pattern(f, out->fp, f->fi, out->row_pos, &out->fi);
    }
    if (status == WARPLU_SUCCESS) find_height(out, f->mark);
    return status;
}

/* ----------------------------------------------------------- known pivots */

/* The next column, whose pivot is known. */
static warplu_status take_pivot(wlu_fill *f, int32_t k, int32_t begin, int32_t end)
{
    int32_t row = f->out->row[k], col = f->out->col[k];
    warplu_status status = wlu_fill_column(f, k, col, begin, end);
    if (status < 0) return status;
    int64_t at = f->out->lp[k];
    while (at < f->lnz && f->li[at] != row) at++;
    if (at == f->lnz)
        return wlu_fail(f->ctx, WARPLU_BAD_FORMAT, "pivot %d: row %d is no entry of column %d when its turn comes", k,
                        row, col);
    wlu_fill_pivot(f, k, at);
    wlu_fill_prune(f, k);
    return WARPLU_SUCCESS;
}

warplu_status wlu_pivots_find_patterns(wlu_context *ctx, const wlu_pattern *a, int64_t l_most, int64_t u_most,
                                       wlu_pivots *p)
{
    wlu_fill f;
    warplu_status status = wlu_fill_begin(&f, ctx, a, p->row_pos, (double)(l_most > u_most ? l_most : u_most), 0, p);
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
