/* The first numeric factorization: left-looking LU with threshold partial pivoting.
 *
 * Method: Gilbert and Peierls (SIAM J. Sci. Stat. Comput. 9, 1988): column j of L and U is the solution of a
 * sparse triangular system whose pattern is found by depth-first search in the graph of L, so that time is
 * proportional to arithmetic; the graph is shortened by symmetric pruning (Eisenstat and Liu, SIAM J. Matrix
 * Anal. Appl. 14, 1993). The diagonal entry is kept while it is at least pivot_tolerance times the largest.
 * Entries are structural: a computed zero keeps its place. Each diagonal block is factored on its own.
 * Cost: O(terms) time; 12 bytes an entry of L, U and F while it runs, 20 while they are sorted. */
#include "base/power.h"
#include "base/sort.h"
#include "factor/factors.h"
#include "prep/diagnose.h"

#include <math.h>
#include <string.h>

/* Off the diagonal, a pivot may be this much smaller than the column's largest entry. */
static const double OFF_DIAGONAL_TOLERANCE = 0.1;

typedef struct search {
    wlu_context *ctx;
    const warplu_options *options;
    const wlu_analysis *analysis;
    const wlu_candidate *candidate;
    const double *a; /* gathered values */
    wlu_pivots *out;
    wlu_factors *factors;
    /* growing arrays: L with original row indices until the end */
    int64_t lnz, lcap, unz, ucap, fnz, fcap;
    int32_t *li, *ui, *fi;
    double *lx, *ux, *fx;
    double *pivot; /* n */
    /* workspaces of n */
    double *x;        /* the column being solved, by original row; zero between columns */
    int32_t *tent;    /* tentative position of each original row */
    int32_t *pinv;    /* pivot position of each original row, or -1 */
    int32_t *mark;    /* last column that reached the row */
    int32_t *stack;   /* topological order, filled from the end */
    int32_t *dfs;     /* depth-first search: path of pivots */
    int64_t *dfs_pos; /* and where to go on in each */
    double *row_max;  /* largest scaled magnitude in each original row so far, -1 before the first, ... */
    int32_t *row_largest; /* ... its entry ... */
    int16_t *row_exponent; /* ... and its scale */
    double *col_max;  /* the same by position of the column */
    int64_t *pruned;  /* end of the pruned part of each column of L, -1 if not pruned */
} search;

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

/* Room for need more entries of one of the factors: values and indices grow together. */
static warplu_status grow_both(wlu_context *ctx, double **x, int32_t **i, int64_t used, int64_t *cap, int64_t need)
{
    int64_t before = *cap;
    warplu_status status = grow(ctx, (void **)x, used, &before, need, sizeof **x);
    return status < 0 ? status : grow(ctx, (void **)i, used, cap, need, sizeof **i);
}

/* Room for one more column of a block of m rows. */
static warplu_status reserve(search *s, int32_t m, int32_t entries)
{
    warplu_status status = grow_both(s->ctx, &s->lx, &s->li, s->lnz, &s->lcap, m);
    if (status == WARPLU_SUCCESS) status = grow_both(s->ctx, &s->ux, &s->ui, s->unz, &s->ucap, m);
    if (status == WARPLU_SUCCESS) status = grow_both(s->ctx, &s->fx, &s->fi, s->fnz, &s->fcap, entries);
    return status;
}

/* Depth-first search from pivot k0 in the pruned graph of L; appends unpivoted rows to column k of L. */
static int32_t reach(search *s, int32_t k, int32_t k0, int32_t top)
{
    const wlu_pivots *out = s->out;
    int32_t head = 0;
    s->dfs[0] = k0;
    s->dfs_pos[0] = out->lp[k0];
    s->mark[out->row[k0]] = k;
    while (head >= 0) {
        int32_t kk = s->dfs[head];
        int64_t end = s->pruned[kk] >= 0 ? s->pruned[kk] : out->lp[kk + 1];
        int64_t q = s->dfs_pos[head];
        int descended = 0;
        while (q < end) {
            int32_t i = s->li[q++];
            if (s->mark[i] == k) continue;
            s->mark[i] = k;
            if (s->pinv[i] < 0) {
                s->li[s->lnz++] = i;
                continue;
            }
            s->dfs_pos[head] = q;
            s->dfs[++head] = s->pinv[i];
            s->dfs_pos[head] = out->lp[s->pinv[i]];
            descended = 1;
            break;
        }
        if (!descended) {
            s->stack[--top] = kk;
            head--;
        }
    }
    return top;
}

/* Pattern of column k into stack[top..n) and li[lp[k]..lnz); scatters the scaled values of A into x. Returns
 * top, and the largest magnitude in the block's part of the column of A. */
static int32_t column_pattern(search *s, int32_t k, int32_t begin, double *amax)
{
    const wlu_pattern *a = s->analysis->a;
    int32_t j = s->candidate->col[k], top = a->n;
    int c = wlu_pivots_col_exponent(s->out, j);
    double cmax = 0.0;
    *amax = 0.0;
    s->out->largest[k] = a->p[j];
    for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) {
        int32_t i = a->i[e];
        int exponent = s->out->exponent[i] + c;
        double scaled = s->a[e] * wlu_power_of_two(exponent), magnitude = fabs(scaled);
        if (!(magnitude <= s->row_max[i])) {
            s->row_max[i] = magnitude;
            s->row_largest[i] = e;
            s->row_exponent[i] = (int16_t)exponent;
        }
        if (magnitude > cmax) cmax = magnitude;
        if (s->tent[i] < begin) {
            s->fi[s->fnz] = i;
            s->fx[s->fnz++] = scaled;
            continue;
        }
        if (s->mark[i] != k) {
            if (s->pinv[i] >= 0) {
                top = reach(s, k, s->pinv[i], top);
            } else {
                s->mark[i] = k;
                s->li[s->lnz++] = i;
            }
        }
        s->x[i] = scaled;
        if (magnitude > *amax) {
            *amax = magnitude;
            s->out->largest[k] = e;
        }
    }
    s->col_max[k] = cmax;
    return top;
}

/* Eliminates the column with the pivots found, in topological order; returns the largest |u|. */
static double eliminate(search *s, int32_t top)
{
    wlu_pivots *out = s->out;
    double umax = 0.0;
    for (int32_t t = top; t < out->n; t++) {
        int32_t k = s->stack[t];
        double u = s->x[out->row[k]];
        s->x[out->row[k]] = 0.0;
        s->ui[s->unz] = k;
        s->ux[s->unz++] = u;
        if (fabs(u) > umax) umax = fabs(u);
        int64_t end = out->lp[k + 1];
        out->terms += end - out->lp[k];
        for (int64_t q = out->lp[k]; q < end; q++) s->x[s->li[q]] -= s->lx[q] * u;
    }
    return umax;
}

/* Off the diagonal, the row that was to be eliminated soonest among those of at least the magnitude: swapping
 * neighbours in the elimination tree costs least fill-in. */
static int64_t nearest_large(const search *s, int64_t first, int64_t at, double magnitude)
{
    for (int64_t q = first; q < s->lnz; q++)
        if (fabs(s->x[s->li[q]]) >= magnitude && s->tent[s->li[q]] < s->tent[s->li[at]]) at = q;
    return at;
}

/* Position k has no pivot. Its row in the candidate order may have gone to an earlier position, whose own row may have
 * gone to another; the row at the end of that chain is left. */
static warplu_status fail_singular(const search *s, int32_t k)
{
    int32_t row = s->candidate->row[k];
    while (s->pinv[row] >= 0) row = s->candidate->row[s->pinv[row]];
    wlu_stop stop = {.col = s->out->col[k], .row = row, .position = k, .absolute = s->options->pivot_absolute};
    return wlu_fail_singular(s->ctx, s->analysis->a, s->a, &stop);
}

/* Chooses the pivot among li[first..lnz), removes it from the list; the column's l values go to lx. */
static warplu_status choose_pivot(search *s, int32_t k, int64_t first, double *pivot)
{
    wlu_pivots *out = s->out;
    int32_t diagonal = s->candidate->row[k];
    double largest = -1.0, on_diagonal = -1.0;
    int64_t at = -1, at_diagonal = -1;
    for (int64_t q = first; q < s->lnz; q++) {
        double v = fabs(s->x[s->li[q]]);
        if (!(v <= largest)) { /* a NaN wins and is caught below */
            largest = v;
            at = q;
        }
        if (s->li[q] == diagonal) {
            on_diagonal = v;
            at_diagonal = q;
        }
    }
    if (at >= 0 && !isfinite(largest))
        return wlu_fail(s->ctx, WARPLU_NOT_FINITE, "column %d overflows while it is eliminated", out->col[k]);
    int final = s->analysis->rows_are_final;
    double tolerance = s->options->pivot_tolerance, absolute = s->options->pivot_absolute;
    if (at_diagonal >= 0 && (final || (on_diagonal >= tolerance * largest && on_diagonal > absolute)))
        at = at_diagonal;
    else
        at = nearest_large(s, first, at, fmax(tolerance, OFF_DIAGONAL_TOLERANCE) * largest);
    if (at < 0 || (final && at_diagonal < 0) || !(fabs(s->x[s->li[at]]) > s->options->pivot_absolute))
        return fail_singular(s, k);
    int32_t row = s->li[at];
    s->li[at] = s->li[--s->lnz];
    *pivot = s->x[row];
    s->x[row] = 0.0;
    for (int64_t q = first; q < s->lnz; q++) {
        int32_t i = s->li[q];
        s->lx[q] = s->x[i] / *pivot;
        s->x[i] = 0.0;
        if (fabs(s->lx[q]) > out->quality.largest_l) out->quality.largest_l = fabs(s->lx[q]);
    }
    out->row[k] = row;
    s->pinv[row] = k;
    return WARPLU_SUCCESS;
}

/* Symmetric pruning: every column of L that updates column k and holds its pivot row needs to be searched only
 * in its pivoted rows, which are moved to the front. */
static void prune(search *s, int32_t k)
{
    wlu_pivots *out = s->out;
    for (int64_t u = out->up[k]; u < s->unz; u++) {
        int32_t kk = s->ui[u];
        if (s->pruned[kk] >= 0) continue;
        int64_t head = out->lp[kk], tail = out->lp[kk + 1], q = head;
        while (q < tail && s->li[q] != out->row[k]) q++;
        if (q == tail) continue;
        while (head < tail) {
            int32_t i = s->li[head];
            if (s->pinv[i] >= 0) {
                head++;
                continue;
            }
            tail--;
            s->li[head] = s->li[tail];
            s->li[tail] = i;
            double v = s->lx[head];
            s->lx[head] = s->lx[tail];
            s->lx[tail] = v;
        }
        s->pruned[kk] = tail;
    }
}

static warplu_status factor_column(search *s, int32_t k, int32_t begin, int32_t end)
{
    wlu_pivots *out = s->out;
    const wlu_pattern *a = s->analysis->a;
    int32_t j = s->candidate->col[k];
    double amax, pivot = 0.0;
    warplu_status status = reserve(s, end - begin, a->p[j + 1] - a->p[j]);
    if (status < 0) return status;
    out->col[k] = j;
    out->lp[k] = s->lnz;
    out->up[k] = s->unz;
    out->fp[k] = s->fnz;
    int32_t top = column_pattern(s, k, begin, &amax);
    double umax = eliminate(s, top);
    status = choose_pivot(s, k, out->lp[k], &pivot);
    if (status < 0) return status;
    out->lp[k + 1] = s->lnz;
    s->pivot[k] = pivot;
    if (fabs(pivot) > umax) umax = fabs(pivot);
    if (umax > out->quality.largest_u) out->quality.largest_u = umax;
    if (fabs(pivot) < out->quality.smallest_pivot) out->quality.smallest_pivot = fabs(pivot);
    if (amax < out->quality.growth * umax) out->quality.growth = amax / umax;
    prune(s, k);
    return WARPLU_SUCCESS;
}

static warplu_status allocate(search *s, int columns_scaled)
{
    const wlu_pattern *a = s->analysis->a;
    int64_t n = a->n;
    wlu_pivots *out = WLU_CALLOC(s->ctx, 1, wlu_pivots);
    s->out = out;
    if (out == NULL) return wlu_fail_memory(s->ctx, "pivots");
    out->n = a->n;
    out->nblocks = s->analysis->nblocks;
    out->block = WLU_ALLOC(s->ctx, (int64_t)out->nblocks + 1, int32_t);
    out->row = WLU_ALLOC(s->ctx, n, int32_t);
    out->col = WLU_ALLOC(s->ctx, n, int32_t);
    out->row_pos = WLU_ALLOC(s->ctx, n, int32_t);
    out->col_pos = WLU_ALLOC(s->ctx, n, int32_t);
    out->exponent = WLU_ALLOC(s->ctx, n, int16_t);
    if (columns_scaled) out->col_exponent = WLU_ALLOC(s->ctx, n, int16_t);
    out->largest = WLU_ALLOC(s->ctx, n, int32_t);
    out->row_largest = WLU_ALLOC(s->ctx, n, int32_t);
    out->row_unit = WLU_CALLOC(s->ctx, n, double);
    out->lp = WLU_ALLOC(s->ctx, n + 1, int64_t);
    out->up = WLU_ALLOC(s->ctx, n + 1, int64_t);
    out->fp = WLU_ALLOC(s->ctx, n + 1, int64_t);
    double guess = s->candidate->lu_nnz / 2 < 16.0 * a->nnz ? s->candidate->lu_nnz / 2 : 16.0 * a->nnz;
    s->lcap = s->ucap = (int64_t)guess + n;
    s->fcap = n;
    s->li = WLU_ALLOC(s->ctx, s->lcap, int32_t);
    s->lx = WLU_ALLOC(s->ctx, s->lcap, double);
    s->ui = WLU_ALLOC(s->ctx, s->ucap, int32_t);
    s->ux = WLU_ALLOC(s->ctx, s->ucap, double);
    s->fi = WLU_ALLOC(s->ctx, s->fcap, int32_t);
    s->fx = WLU_ALLOC(s->ctx, s->fcap, double);
    s->pivot = WLU_ALLOC(s->ctx, n, double);
    s->x = WLU_CALLOC(s->ctx, n, double);
    s->tent = WLU_ALLOC(s->ctx, n, int32_t);
    s->pinv = WLU_ALLOC(s->ctx, n, int32_t);
    s->mark = WLU_ALLOC(s->ctx, n, int32_t);
    s->stack = WLU_ALLOC(s->ctx, n, int32_t);
    s->dfs = WLU_ALLOC(s->ctx, n, int32_t);
    s->dfs_pos = WLU_ALLOC(s->ctx, n, int64_t);
    s->pruned = WLU_ALLOC(s->ctx, n, int64_t);
    s->row_max = WLU_ALLOC(s->ctx, n, double);
    s->row_largest = WLU_ALLOC(s->ctx, n, int32_t);
    s->row_exponent = WLU_ALLOC(s->ctx, n, int16_t);
    s->col_max = WLU_ALLOC(s->ctx, n, double);
    if (!out->block || !out->row || !out->col || !out->row_pos || !out->col_pos || !out->exponent ||
        (columns_scaled && !out->col_exponent) || !out->largest || !out->row_largest || !out->row_unit || !out->lp ||
        !out->up || !out->fp || !s->li || !s->lx || !s->ui || !s->ux || !s->fi || !s->fx || !s->pivot || !s->x ||
        !s->tent || !s->pinv || !s->mark || !s->stack || !s->dfs || !s->dfs_pos || !s->pruned ||
        !s->row_max || !s->row_largest || !s->row_exponent || !s->col_max)
        return wlu_fail_memory(s->ctx, "workspace of the pivot search");
    return WARPLU_SUCCESS;
}

static void release(search *s)
{
    void *owned[] = {s->li,   s->lx,   s->ui,    s->ux,  s->fi,      s->fx,    s->pivot, s->x,
                     s->tent, s->pinv, s->mark, s->stack, s->dfs, s->dfs_pos, s->pruned,
                     s->row_max, s->row_largest, s->row_exponent, s->col_max};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) wlu_free(s->ctx, owned[k]);
}

static void start(search *s, const int16_t *exponent, const int16_t *col_exponent)
{
    wlu_pivots *out = s->out;
    memcpy(out->block, s->analysis->block, ((size_t)out->nblocks + 1) * sizeof *out->block);
    memcpy(out->exponent, exponent, (size_t)out->n * sizeof *exponent);
    if (col_exponent != NULL) memcpy(out->col_exponent, col_exponent, (size_t)out->n * sizeof *col_exponent);
    for (int32_t k = 0; k < out->n; k++) {
        s->tent[s->candidate->row[k]] = k;
        s->pinv[k] = s->mark[k] = -1;
        s->pruned[k] = -1;
        s->row_max[k] = -1.0;
    }
    out->ordering = s->candidate->ordering;
    out->predicted_terms = s->candidate->terms;
    out->quality = (wlu_pivot_quality){.growth = 1.0, .largest_l = 0.0, .smallest_pivot = INFINITY};
}

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
static warplu_status sorted_copy(search *s, const int64_t *p, int32_t *i, const int32_t *pos, const double *x,
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

/* Largest over smallest. */
static double spread(const double *x, int32_t n)
{
    double largest = x[0], smallest = x[0];
    for (int32_t k = 1; k < n; k++) {
        if (x[k] > largest) largest = x[k];
        if (x[k] < smallest) smallest = x[k];
    }
    return largest / smallest;
}

static double scale_spread(const int16_t *exponent, int32_t n)
{
    int16_t largest = exponent[0], smallest = exponent[0];
    for (int32_t k = 1; k < n; k++) {
        if (exponent[k] > largest) largest = exponent[k];
        if (exponent[k] < smallest) smallest = exponent[k];
    }
    return ldexp(1.0, largest - smallest);
}

/* What the replays' drift is measured against, from the largest scaled entry of each row, in pivot order. */
static void find_row_units(const search *s)
{
    wlu_pivots *out = s->out;
    for (int32_t k = 0; k < out->n; k++) {
        int32_t i = out->row[k];
        out->row_largest[k] = s->row_largest[i];
        out->row_unit[k] = ldexp(1.0, s->row_exponent[i] - (s->row_max[i] != 0.0 ? ilogb(s->row_max[i]) : 0));
    }
    out->quality.row_scale_spread = scale_spread(out->exponent, out->n);
    out->quality.col_scale_spread = out->col_exponent != NULL ? scale_spread(out->col_exponent, out->n) : 1.0;
    out->quality.row_spread = spread(s->row_max, out->n);
    out->quality.col_spread = spread(s->col_max, out->n);
}

static warplu_status finish(search *s)
{
    wlu_pivots *out = s->out;
    out->lp[out->n] = s->lnz;
    out->up[out->n] = s->unz;
    out->fp[out->n] = s->fnz;
    for (int32_t k = 0; k < out->n; k++) {
        out->row_pos[out->row[k]] = k;
        out->col_pos[out->col[k]] = k;
    }
    warplu_status status = wlu_factors_create(s->ctx, out, &s->factors);
    if (status < 0) return status;
    wlu_factors *f = s->factors;
    memcpy(f->pivot, s->pivot, (size_t)out->n * sizeof *f->pivot);
    status = sorted_copy(s, out->lp, s->li, out->row_pos, s->lx, &out->li, f->lx);
    if (status == WARPLU_SUCCESS) status = sorted_copy(s, out->up, s->ui, NULL, s->ux, &out->ui, f->ux);
    if (status == WARPLU_SUCCESS) status = sorted_copy(s, out->fp, s->fi, out->row_pos, s->fx, &out->fi, f->fx);
    if (status < 0) return status;
    find_row_units(s);
    find_height(out, s->mark);
    f->health = (wlu_health){.largest_l = out->quality.largest_l,
                             .largest_u = out->quality.largest_u,
                             .growth = out->quality.growth,
                             .smallest_pivot = out->quality.smallest_pivot,
                             .drift = 1.0,
                             .finite = wlu_factors_finite(f, out)};
    return WARPLU_SUCCESS;
}

warplu_status wlu_pivot_search(wlu_context *ctx, const warplu_options *options, const wlu_analysis *analysis,
                               const wlu_candidate *candidate, const int16_t *exponent, const int16_t *col_exponent,
                               const double *x, wlu_pivots **out, wlu_factors **factors)
{
    search s = {.ctx = ctx, .options = options, .analysis = analysis, .candidate = candidate, .a = x};
    *out = NULL;
    *factors = NULL;
    warplu_status status = allocate(&s, col_exponent != NULL);
    if (status < 0) goto done;
    start(&s, exponent, col_exponent);
    for (int32_t b = 0; b < analysis->nblocks && status == WARPLU_SUCCESS; b++) {
        if (b % 64 == 0) status = wlu_poll_cancel(ctx);
        for (int32_t k = analysis->block[b]; k < analysis->block[b + 1] && status == WARPLU_SUCCESS; k++) {
            status = factor_column(&s, k, analysis->block[b], analysis->block[b + 1]);
            if (status == WARPLU_SUCCESS && k % 1024 == 0) status = wlu_poll_cancel(ctx);
        }
    }
    if (status == WARPLU_SUCCESS) status = finish(&s);
done:
    release(&s);
    if (status < 0) {
        wlu_pivots_destroy(ctx, &s.out);
        wlu_factors_destroy(ctx, &s.factors);
    }
    *out = s.out;
    *factors = s.factors;
    return status;
}
