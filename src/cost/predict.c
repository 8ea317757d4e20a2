/* Symbolic counts without the factor.
 *
 * 1. Elimination tree of the permuted B + B' by path compression (Liu, SIAM J. Matrix Anal. Appl. 11, 1990),
 *    from lists that hold, for each pivot, its neighbours eliminated before it. Where the block's edges
 * are not listed, an entry that B and B' share stands there twice; neither this step nor the next minds.
 * 2. The pivots are numbered again in a postorder of that tree, which changes no count: subtrees become
 * ranges, supernodes become runs. Subtree sizes give each pivot its place below its parent, without a stack.
 * 3. Column counts by Gilbert, Ng and Peyton (SIAM J. Matrix Anal. Appl. 15, 1994): row i of L is a subtree
 *    whose leaves are found among i's neighbours; each leaf adds one to the columns on its path upward, the
 *    lowest common ancestor of two successive leaves takes one back, and sums over subtrees give the counts.
 * 4. Tiles are formed by the counts (cost/tiles.h), and the tiles that each column of L reaches are counted in the same
 * way: the rows of a tile are one subtree, whose root is the tile's last pivot.
 *
 * Cost: O(nnz a(n)) in practice (disjoint sets by path compression alone). Work: 10 n + 2 nnz int32, and the tiles';
 * where paths count, 2 n more and one for each two tiles of which one updates the other. */
#include "cost/predict.h"

#include "cost/region.h"
#include "cost/tree.h"

#include <string.h>

typedef struct counting {
    int32_t n;
    int32_t *parent;        /* in elimination order, then (renumber) in postorder; -1 at roots */
    int32_t *ancestor;      /* disjoint sets */
    int32_t *first;         /* subtree size, then (renumber) the first pivot of the subtree */
    int32_t *rank;          /* inverse of the order, then (renumber) place in postorder */
    int32_t *scratch;       /* n */
    int32_t *weight;        /* of columns, then entries of L below the diagonal */
    int32_t *up_p, *up_i;   /* neighbours eliminated before, elimination order */
    int32_t *low_p, *low_i; /* neighbours eliminated after, postorder; low_p shares up_p's array */
} counting;

/* Lists of earlier neighbours. c->up_p: n + 1. */
static void list_earlier(const wlu_diagonal_block *block, const int32_t *order, counting *c)
{
    int32_t n = c->n, *pos = c->rank, *p = c->up_p;
    const wlu_diagonal_block edges = wlu_diagonal_block_edges(block);
    for (int32_t k = 0; k < n; k++) pos[order[k]] = k;
    memset(p, 0, ((size_t)n + 1) * sizeof *p);
    for (int32_t j = 0; j < n; j++)
        for (int32_t q = edges.p[j], end = edges.p[j + 1]; q < end; q++) {
            int32_t u = pos[edges.i[q]], v = pos[j];
            if (u != v) p[(u > v ? u : v) + 1]++;
        }
    for (int32_t k = 0; k < n; k++) p[k + 1] += p[k];
    memcpy(c->scratch, p, (size_t)n * sizeof *p);
    for (int32_t j = 0; j < n; j++)
        for (int32_t q = edges.p[j], end = edges.p[j + 1]; q < end; q++) {
            int32_t u = pos[edges.i[q]], v = pos[j];
            if (u != v) c->up_i[c->scratch[u > v ? u : v]++] = u > v ? v : u;
        }
}

static void find_tree(counting *c)
{
    for (int32_t k = 0; k < c->n; k++) {
        c->parent[k] = c->ancestor[k] = -1;
        for (int32_t q = c->up_p[k]; q < c->up_p[k + 1]; q++) wlu_tree_climb(c->parent, c->ancestor, c->up_i[q], k);
    }
}

/* Postorder: rank, first, parent and the lists of later neighbours in the new numbers. */
static void renumber(counting *c)
{
    int32_t n = c->n, *size = c->first, *parent = c->weight;
    wlu_tree_postorder(n, c->parent, NULL, size, c->scratch, c->rank);
    for (int32_t k = 0; k < n; k++) {
        parent[c->rank[k]] = c->parent[k] >= 0 ? c->rank[c->parent[k]] : -1;
        c->ancestor[c->rank[k]] = c->rank[k] - size[k] + 1;
    }
    memcpy(c->parent, parent, (size_t)n * sizeof *parent);
    memcpy(c->first, c->ancestor, (size_t)n * sizeof *parent);
    int32_t *next = c->scratch;
    memset(next, 0, (size_t)n * sizeof *next);
    for (int32_t q = 0; q < c->up_p[n]; q++) next[c->rank[c->up_i[q]]]++;
    for (int32_t j = 0, sum = 0; j < n; j++) {
        int32_t count = next[j];
        next[j] = sum;
        sum += count;
    }
    for (int32_t k = 0; k < n; k++)
        for (int32_t q = c->up_p[k]; q < c->up_p[k + 1]; q++) c->low_i[next[c->rank[c->up_i[q]]]++] = c->rank[k];
    memcpy(c->low_p + 1, next, (size_t)n * sizeof *next); /* list ends; the up lists are done with */
    c->low_p[0] = 0;
}

static int32_t find_set(int32_t *ancestor, int32_t v)
{
    int32_t root = v;
    while (ancestor[root] != root) root = ancestor[root];
    while (ancestor[v] != root) {
        int32_t above = ancestor[v];
        ancestor[v] = root;
        v = above;
    }
    return root;
}

/* Column j has an entry in row (or tile) i: a leaf of its subtree unless one below j has j on its path already. */
static inline void touch(counting *c, int32_t *w, int32_t j, int32_t i)
{
    int32_t last = c->scratch[i];
    if (c->first[j] <= last) return;
    w[j]++;
    if (last >= 0) w[find_set(c->ancestor, last)]--;
    c->scratch[i] = j;
}

/* w[j]: rows of column j of L, the diagonal among them; with tiles, how many tiles these rows are in. */
static void count_columns(counting *c, const wlu_tile_tree *tiles, int32_t *w)
{
    int32_t n = c->n;
    for (int32_t j = 0; j < n; j++) {
        w[j] = 0;
        c->ancestor[j] = j;
        c->scratch[j] = -1;
    }
    for (int32_t j = 0; j < n; j++) {
        if (c->first[j] == j) touch(c, w, j, tiles != NULL ? tiles->tile[j] : j);
        for (int32_t q = c->low_p[j]; q < c->low_p[j + 1]; q++)
            touch(c, w, j, tiles != NULL ? tiles->tile[c->low_i[q]] : c->low_i[q]);
        if (c->parent[j] < 0) continue;
        if (tiles == NULL || tiles->follower[j] < 0) w[c->parent[j]]--;
        c->ancestor[j] = c->parent[j];
    }
    for (int32_t j = 0; j < n; j++)
        if (c->parent[j] >= 0) w[c->parent[j]] += w[j];
}

static void sum_up(const counting *c, wlu_counts *out)
{
    double below_sum = 0.0;
    for (int32_t j = 0; j < c->n; j++) {
        double below = c->weight[j];
        out->terms += below * below;
        below_sum += below;
    }
    out->lu_nnz = c->n + 2.0 * below_sum;
}

/* ------------------------------------------------------------------- tiles */

/* Prices of the tiles: a source touches as many rows for each of its targets as it has. reached: of each pivot, how
 * many other tiles it updates. */
static void price_tiles(const wlu_cost *cost, const counting *c, const int32_t *reached, wlu_tile_tree *tiles)
{
    for (int32_t j = 0; j < c->n; j++) {
        int32_t t = tiles->tile[j], last = tiles->follower[j] < 0;
        wlu_price_add(&tiles->as_tile[t], wlu_cost_sources(cost, last ? reached[j] : 0.0, c->weight[j], reached[j]));
        if (last) wlu_price_add(&tiles->as_tile[t], wlu_cost_tile(cost, tiles->width[t], c->weight[j]));
    }
}

/* The tiles that each tile updates: those of its pivots' neighbours and of its children's targets. work: 4 n. */
static void list_targets(const counting *c, wlu_tile_tree *tiles, int32_t *work)
{
    int32_t *first = work, *mark = work + c->n, *child = mark + c->n, *sibling = child + c->n;
    for (int32_t t = 0; t < tiles->n; t++) first[t] = mark[t] = child[t] = -1;
    for (int32_t j = 0; j < c->n; j++)
        if (first[tiles->tile[j]] < 0) first[tiles->tile[j]] = j;
    int64_t count = 0;
    for (int32_t t = 0; t < tiles->n; t++) {
        tiles->target_ptr[t] = count;
        mark[t] = t;
        for (int32_t j = first[t]; j >= 0; j = tiles->follower[j])
            for (int32_t q = c->low_p[j]; q < c->low_p[j + 1]; q++) {
                int32_t up = tiles->tile[c->low_i[q]];
                if (mark[up] != t) tiles->target[count++] = up;
                mark[up] = t;
            }
        for (int32_t k = child[t]; k >= 0; k = sibling[k])
            for (int64_t q = tiles->target_ptr[k]; q < tiles->target_ptr[k + 1]; q++) {
                int32_t up = tiles->target[q];
                if (mark[up] != t) tiles->target[count++] = up;
                mark[up] = t;
            }
        int32_t up = tiles->parent[t];
        if (up < 0) continue;
        sibling[t] = child[up];
        child[up] = t;
    }
    tiles->target_ptr[tiles->n] = count;
}

/* Where paths count. Entries of U above a pivot are about as many as pivots of its tile's sources. work: 4 n. */
static warplu_status find_paths(wlu_context *ctx, const wlu_cost *cost, const counting *c, const wlu_elimination *e,
                                const int32_t *reached, wlu_tile_tree *tiles, int32_t *work)
{
    int32_t *of_tile = work, *above = work + c->n;
    int64_t count = 0;
    for (int32_t j = 0; j < c->n; j++)
        if (tiles->follower[j] < 0) count += reached[j];
    tiles->target_ptr = WLU_ALLOC(ctx, (int64_t)tiles->n + 1, int64_t);
    tiles->target = WLU_ALLOC(ctx, count, int32_t);
    if (tiles->target_ptr == NULL || tiles->target == NULL) return wlu_fail_memory(ctx, "symbolic counts");
    list_targets(c, tiles, work);
    memset(of_tile, 0, (size_t)tiles->n * sizeof *of_tile);
    for (int32_t t = 0; t < tiles->n; t++)
        for (int64_t q = tiles->target_ptr[t]; q < tiles->target_ptr[t + 1]; q++)
            of_tile[tiles->target[q]] += tiles->width[t];
    for (int32_t j = 0; j < c->n; j++) above[j] = of_tile[tiles->tile[j]];
    return wlu_tiles_find_dot_paths(ctx, cost, e, above, tiles);
}

/* The tiles of the region by place in the order. */
static void list_region(const counting *c, const wlu_tile_tree *tiles, const uint8_t *chosen, int32_t *tile)
{
    for (int32_t k = 0; k < c->n; k++) {
        int32_t t = tiles->tile[c->rank[k]];
        tile[k] = chosen[t] ? t : -1;
    }
}

/* Height and time. work: 3 n, 6 n where paths count. tile: NULL, or the region's by place. */
static warplu_status find_time(wlu_context *ctx, const wlu_cost *cost, int32_t n_all, counting *c, int32_t *work,
                               int32_t *tile, wlu_counts *out)
{
    int64_t n = c->n;
    int32_t *height = work, *heaviest = work + n, *reached = work + 2 * n, *l = c->weight;
    int paths = wlu_target_is_latency_bound(cost);
    wlu_tile_tree tiles;
    wlu_region_time time;
    wlu_elimination e = {c->n, NULL, c->parent, height, heaviest, l, l, NULL, NULL, (double)n_all / c->n};
    uint8_t *chosen = WLU_ALLOC(ctx, n, uint8_t);
    out->height = wlu_tree_heights(c->n, c->parent, height);
    wlu_tree_heaviest_children(c->n, c->parent, l, l, paths ? height : NULL, heaviest);
    warplu_status status = wlu_tiles_form(ctx, cost, &e, &tiles);
    if (status == WARPLU_SUCCESS && chosen == NULL) status = wlu_fail_memory(ctx, "symbolic counts");
    if (status == WARPLU_SUCCESS) {
        count_columns(c, &tiles, reached);
        for (int32_t j = 0; j < c->n; j++) reached[j]--; /* its own */
        price_tiles(cost, c, reached, &tiles);
        if (paths) status = find_paths(ctx, cost, c, &e, reached, &tiles, work + 3 * n);
    }
    if (status == WARPLU_SUCCESS)
        status = wlu_region_choose(ctx, cost, &tiles, (wlu_price){0}, HUGE_VAL, chosen, &time);
    if (status == WARPLU_SUCCESS) {
        out->ns = time.ns;
        out->path_ns = time.path_ns;
        if (tile != NULL) list_region(c, &tiles, chosen, tile);
    }
    wlu_tiles_free(ctx, &tiles);
    wlu_free(ctx, chosen);
    return status;
}

warplu_status wlu_predict_counts(wlu_context *ctx, const wlu_cost *cost, int32_t n_all, const wlu_diagonal_block *block,
                                 const int32_t *order, const wlu_positions *places, wlu_counts *out)
{
    memset(out, 0, sizeof *out);
    if (block->n == 1) { /* there may be very many */
        if (places != NULL) places->parent[0] = places->tile[0] = -1;
        out->lu_nnz = 1.0;
        out->height = 1;
        out->ns = wlu_cost_dots(cost, 0.0, 0.0, 1.0).ns - cost->ns_per_level;
        return WARPLU_SUCCESS;
    }
    int64_t n = block->n, nnz = block->p[n];
    int32_t *pool = WLU_ALLOC(ctx, (wlu_target_is_latency_bound(cost) ? 14 : 10) * n + 1 + 2 * nnz, int32_t);
    if (pool == NULL) return wlu_fail_memory(ctx, "symbolic counts");
    counting c = {
        .n = block->n,
        .parent = pool,
        .ancestor = pool + n,
        .first = pool + 2 * n,
        .rank = pool + 3 * n,
        .scratch = pool + 4 * n,
        .weight = pool + 5 * n,
        .up_p = pool + 6 * n,
        .up_i = pool + 7 * n + 1,
        .low_p = pool + 6 * n,
        .low_i = pool + 7 * n + 1 + nnz,
    };
    list_earlier(block, order, &c);
    find_tree(&c);
    if (places != NULL) memcpy(places->parent, c.parent, (size_t)n * sizeof *c.parent);
    renumber(&c);
    count_columns(&c, NULL, c.weight);
    for (int32_t j = 0; j < c.n; j++) c.weight[j]--;
    sum_up(&c, out);
    warplu_status status =
        find_time(ctx, cost, n_all, &c, pool + 7 * n + 1 + 2 * nnz, places != NULL ? places->tile : NULL, out);
    wlu_free(ctx, pool);
    return status;
}
