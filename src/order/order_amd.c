/* Approximate minimum degree on B + B' (Amestoy, Davis, Duff, SIAM J. Matrix Anal. Appl. 17, 1996), by SuiteSparse's
 * AMD with its default parameters (dense rows above 10 sqrt(n) last, aggressive absorption).
 *
 * AMD's core, amd_2, eats a graph of B + B'. Blocks need no check, so the graph is made here: of a symmetric pattern
 * it is a copy; else entries above the diagonal, and those below it that have no counterpart, are listed while the
 * columns are gone through once, in the places that amd_order would give them, for these break ties.
 *
 * AMD's degrees bound the factors from above, but count a dense row for every column. Where there are such rows, the
 * factors are counted by walking up the elimination tree from each entry (Davis's LDL, ACM TOMS 31, 2005), on a copy of
 * the graph. Cost: O(n nnz) at worst, near nnz(L) in practice. Work: about 1.2 nnz(B + B') + 10 n int32, with dense
 * rows as much as the graph again and 2 n. */
#include "order/order.h"

#include <math.h>
#include <string.h>
#include <suitesparse/amd.h>

_Static_assert(sizeof(int) == sizeof(int32_t), "AMD's int is int32_t");

/* Lists of neighbours: list k is i[p[k]] .. i[p[k] + len[k]], without k. */
typedef struct graph {
    int32_t n;
    int32_t *p, *len, *i;
    int32_t used; /* places of i that belong to lists */
    int64_t size; /* of i */
} graph;

/* Whether each entry has a counterpart across the diagonal. next: n. */
static int is_symmetric(const wlu_diagonal_block *b, int32_t *next)
{
    for (int32_t k = 0; k < b->n; k++) {
        int32_t q = b->p[k], end = b->p[k + 1];
        for (; q < end && b->i[q] < k; q++) {
            int32_t j = b->i[q], at = next[j];
            if (at == b->p[j + 1] || b->i[at] != k) return 0;
            next[j] = at + 1;
        }
        next[k] = q + (q < end && b->i[q] == k);
    }
    for (int32_t k = 0; k < b->n; k++)
        if (next[k] != b->p[k + 1]) return 0;
    return 1;
}

/* Each list is a column. */
static void copy_columns(const wlu_diagonal_block *b, graph *g)
{
    int32_t to = 0;
    for (int32_t k = 0; k < b->n; k++) {
        g->p[k] = to;
        for (int32_t q = b->p[k], end = b->p[k + 1]; q < end; q++) {
            g->i[to] = b->i[q];
            to += b->i[q] != k;
        }
        g->len[k] = to - g->p[k];
    }
    g->used = to;
}

static inline void link(graph *g, int32_t u, int32_t v)
{
    g->i[g->p[u] + g->len[u]++] = v;
    g->i[g->p[v] + g->len[v]++] = u;
}

/* Entries above the diagonal are taken column by column; those below it that have no counterpart, when a column further
 * right looks into theirs, or in the end. Lists get room for the entries of their column and row; what they leave of it
 * is zero, as AMD wants it. next: n, where to go on below the diagonal of each column. */
static void merge_columns(const wlu_diagonal_block *b, int32_t *next, graph *g)
{
    const int32_t *p = b->p, *i = b->i;
    int32_t *len = g->len, sum = 0;
    memset(len, 0, (size_t)b->n * sizeof *len);
    for (int32_t q = 0, end = p[b->n]; q < end; q++) len[i[q]]++;
    for (int32_t k = 0; k < b->n; k++) {
        g->p[k] = sum;
        sum += len[k] + p[k + 1] - p[k];
        len[k] = 0;
    }
    g->used = sum;
    memset(g->i, 0, (size_t)g->used * sizeof *g->i);
    for (int32_t k = 0; k < b->n; k++) {
        int32_t q = p[k], end = p[k + 1];
        for (; q < end && i[q] < k; q++) {
            int32_t j = i[q], at = next[j];
            link(g, j, k);
            for (; at < p[j + 1] && i[at] < k; at++) link(g, i[at], j);
            next[j] = at + (at < p[j + 1] && i[at] == k);
        }
        next[k] = q + (q < end && i[q] == k);
    }
    for (int32_t j = 0; j < b->n; j++)
        for (int32_t q = next[j]; q < p[j + 1]; q++) link(g, i[q], j);
}

/* Whether AMD sees a dense row. */
static int has_dense_row(const graph *g)
{
    int32_t longest = 0;
    for (int32_t k = 0; k < g->n; k++) longest = g->len[k] > longest ? g->len[k] : longest;
    return longest > fmax(16.0, AMD_DEFAULT_DENSE * sqrt((double)g->n));
}

static warplu_status copy_graph(wlu_context *ctx, const graph *from, graph *to)
{
    int64_t n = from->n;
    int32_t *pool = WLU_ALLOC(ctx, 2 * n + from->used, int32_t);
    if (pool == NULL) return wlu_fail_memory(ctx, "AMD");
    *to = (graph){from->n, pool, pool + n, pool + 2 * n, from->used, from->used};
    memcpy(to->p, from->p, (size_t)n * sizeof *pool);
    memcpy(to->len, from->len, (size_t)n * sizeof *pool);
    memcpy(to->i, from->i, (size_t)from->used * sizeof *pool);
    return WARPLU_SUCCESS;
}

/* Entries and terms of the factors in this order, exactly. work: 4 n. */
static void count_factors(const graph *g, const int32_t *order, double dense, int32_t *work, wlu_amd_counts *counts)
{
    int32_t n = g->n, *pos = work, *parent = work + n, *reached = parent + n, *below = reached + n;
    for (int32_t k = 0; k < n; k++) pos[order[k]] = k;
    *counts = (wlu_amd_counts){.dense = dense};
    for (int32_t k = 0; k < n; k++) {
        const int32_t *list = g->i + g->p[order[k]], *end = list + g->len[order[k]];
        parent[k] = -1;
        reached[k] = k;
        below[k] = 0;
        for (; list < end; list++)
            for (int32_t j = pos[*list]; j < k && reached[j] != k; j = parent[j]) {
                if (parent[j] < 0) parent[j] = k;
                reached[j] = k;
                below[j]++;
            }
    }
    for (int32_t k = 0; k < n; k++) {
        counts->l_nnz += below[k];
        counts->terms += (double)below[k] * below[k];
    }
}

/* Makes the graph, orders it. work: 8 n, of which the first two are the graph's. */
static warplu_status order_graph(wlu_context *ctx, const wlu_diagonal_block *b, graph *g, int symmetric, int32_t *work,
                                 int32_t *order, wlu_amd_counts *counts)
{
    double info[AMD_INFO];
    int64_t n = b->n;
    graph copy = {0};
    int32_t *w[8];
    for (int k = 0; k < 8; k++) w[k] = work + k * n;
    if (symmetric)
        copy_columns(b, g);
    else
        merge_columns(b, w[2], g);
    if (counts != NULL && has_dense_row(g)) {
        warplu_status status = copy_graph(ctx, g, &copy);
        if (status < 0) return status;
    }
    amd_2(b->n, g->p, g->i, g->len, (int)g->size, g->used, w[2], w[3], order, w[4], w[5], w[6], w[7], NULL, info);
    if (copy.p != NULL)
        count_factors(&copy, order, info[AMD_NDENSE], w[4], counts);
    else if (counts != NULL)
        *counts = (wlu_amd_counts){info[AMD_LNZ], info[AMD_NMULTSUBS_LU], info[AMD_NDENSE], 0};
    if (counts != NULL) counts->symmetric = symmetric;
    wlu_free(ctx, copy.p);
    return WARPLU_SUCCESS;
}

warplu_status wlu_order_amd_counted(wlu_context *ctx, const wlu_diagonal_block *block, int32_t *order,
                                    wlu_amd_counts *counts)
{
    int64_t n = block->n, nnz = block->p[n];
    if (counts != NULL) *counts = (wlu_amd_counts){block->n - 1.0, block->n - 1.0, 0.0, n == 1};
    if (n <= 2) return wlu_order_natural(ctx, block, order);
    int32_t *work = WLU_ALLOC(ctx, 8 * n, int32_t);
    if (work == NULL) return wlu_fail_memory(ctx, "AMD");
    int symmetric = is_symmetric(block, work + 2 * n);
    int64_t lists = symmetric ? nnz : 2 * nnz, size = lists + lists / 5 + n + 1;
    if (size > INT32_MAX) size = INT32_MAX; /* AMD needs n beside the lists */
    graph g = {block->n, work, work + n, NULL, 0, size};
    warplu_status status;
    if (lists + n < size) g.i = WLU_ALLOC(ctx, size, int32_t);
    status = g.i != NULL ? order_graph(ctx, block, &g, symmetric, work, order, counts) : wlu_fail_memory(ctx, "AMD");
    wlu_free(ctx, g.i);
    wlu_free(ctx, work);
    return status;
}

warplu_status wlu_order_amd(wlu_context *ctx, const wlu_diagonal_block *block, int32_t *order)
{
    return wlu_order_amd_counted(ctx, block, order, NULL);
}
