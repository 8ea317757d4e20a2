/* Symbolic counts without the factor.
 *
 * 1. Elimination tree of the permuted B + B' by path compression (Liu, SIAM J. Matrix Anal. Appl. 11, 1990),
 *    from lists that hold, for each pivot, its neighbours eliminated before it. An entry that B and B' share
 * is listed twice, but for symmetric blocks; neither this step nor the next minds.
 * 2. The pivots are numbered again in a postorder of that tree, which changes no count: subtrees become
 * ranges, supernodes become runs. Subtree sizes give each pivot its place below its parent, without a stack.
 * 3. Column counts by Gilbert, Ng and Peyton (SIAM J. Matrix Anal. Appl. 15, 1994): row i of L is a subtree
 *    whose leaves are found among i's neighbours; each leaf adds one to the columns on its path upward, the
 *    lowest common ancestor of two successive leaves takes one back, and sums over subtrees give the counts.
 * 4. Tiles are formed by the counts (cost/price.h), and the tiles that each column of L reaches are counted in the same
 * way: the rows of a tile are one subtree, whose root is the tile's last pivot.
 *
 * Cost: O(nnz a(n)) in practice (disjoint sets by path compression alone). Work: 13 n + 2 nnz int32, and the prices';
 * where paths count, n more and one for each two tiles of which one updates the other. */
#include "cost/predict.h"

#include "cost/price.h"

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
    for (int32_t k = 0; k < n; k++) pos[order[k]] = k;
    memset(p, 0, ((size_t)n + 1) * sizeof *p);
    for (int32_t j = 0; j < n; j++)
        for (int32_t q = block->p[j], end = wlu_block_end(block, j); q < end; q++) {
            int32_t u = pos[block->i[q]], v = pos[j];
            if (u != v) p[(u > v ? u : v) + 1]++;
        }
    for (int32_t k = 0; k < n; k++) p[k + 1] += p[k];
    memcpy(c->scratch, p, (size_t)n * sizeof *p);
    for (int32_t j = 0; j < n; j++)
        for (int32_t q = block->p[j], end = wlu_block_end(block, j); q < end; q++) {
            int32_t u = pos[block->i[q]], v = pos[j];
            if (u != v) c->up_i[c->scratch[u > v ? u : v]++] = u > v ? v : u;
        }
}

static void find_tree(counting *c)
{
    int32_t *parent = c->parent, *ancestor = c->ancestor;
    for (int32_t k = 0; k < c->n; k++) {
        parent[k] = ancestor[k] = -1;
        for (int32_t q = c->up_p[k]; q < c->up_p[k + 1]; q++) {
            int32_t r = c->up_i[q];
            while (ancestor[r] >= 0 && ancestor[r] != k) {
                int32_t above = ancestor[r];
                ancestor[r] = k;
                r = above;
            }
            if (ancestor[r] < 0) ancestor[r] = parent[r] = k;
        }
    }
}

/* Postorder: rank, first, parent and the lists of later neighbours in the new numbers. */
static void renumber(counting *c)
{
    int32_t n = c->n, *size = c->first, *free_end = c->scratch, *parent = c->weight, end = n - 1;
    for (int32_t k = 0; k < n; k++) size[k] = 1;
    for (int32_t k = 0; k < n; k++)
        if (c->parent[k] >= 0) size[c->parent[k]] += size[k];
    for (int32_t k = n - 1; k >= 0; k--) { /* a subtree takes the end of what its parent has left */
        int32_t *top = c->parent[k] >= 0 ? &free_end[c->parent[k]] : &end;
        c->rank[k] = *top;
        *top -= size[k];
        free_end[k] = c->rank[k] - 1;
    }
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
static void count_columns(counting *c, const wlu_tree_counts *tiles, int32_t *w)
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

static void sum_up(counting *c, wlu_counts *out)
{
    int32_t n = c->n, *height = c->scratch;
    double below_sum = 0.0;
    for (int32_t j = 0; j < n; j++) height[j] = 1;
    for (int32_t j = 0; j < n; j++) {
        double below = c->weight[j];
        int32_t up = c->parent[j];
        out->terms += below * below;
        below_sum += below;
        if (up >= 0 && height[up] <= height[j]) height[up] = height[j] + 1;
        if (height[j] > out->height) out->height = height[j];
    }
    out->lu_nnz = n + 2.0 * below_sum;
}

/* The tiles that each tile updates: those of its pivots' neighbours and of its children's targets. s->targets: of each
 * tile's last pivot, as many. work: 4 n. */
static void list_targets(const counting *c, wlu_tree_counts *s, int32_t *work)
{
    int32_t ntiles = s->ntiles, *first = work, *mark = work + c->n, *child = mark + c->n, *sibling = child + c->n;
    for (int32_t t = 0; t < ntiles; t++) first[t] = mark[t] = child[t] = -1;
    for (int32_t j = 0; j < c->n; j++)
        if (first[s->tile[j]] < 0) first[s->tile[j]] = j;
    int64_t count = 0;
    for (int32_t t = 0; t < ntiles; t++) {
        int32_t last = -1;
        s->target_ptr[t] = count;
        mark[t] = t;
        for (int32_t j = first[t]; j >= 0; last = j, j = s->follower[j])
            for (int32_t q = c->low_p[j]; q < c->low_p[j + 1]; q++) {
                int32_t up = s->tile[c->low_i[q]];
                if (mark[up] != t) s->target[count++] = up;
                mark[up] = t;
            }
        for (int32_t k = child[t]; k >= 0; k = sibling[k])
            for (int64_t q = s->target_ptr[k]; q < s->target_ptr[k + 1]; q++) {
                int32_t up = s->target[q];
                if (mark[up] != t) s->target[count++] = up;
                mark[up] = t;
            }
        if (s->parent[last] < 0) continue;
        int32_t up = s->tile[s->parent[last]];
        sibling[t] = child[up];
        child[up] = t;
    }
    s->target_ptr[ntiles] = count;
}

static warplu_status find_targets(wlu_context *ctx, const counting *c, wlu_tree_counts *s, int32_t *work)
{
    int64_t count = 0;
    for (int32_t j = 0; j < c->n; j++)
        if (s->follower[j] < 0) count += s->targets[j];
    s->target_ptr = WLU_ALLOC(ctx, (int64_t)s->ntiles + 1, int64_t);
    s->target = WLU_ALLOC(ctx, count, int32_t);
    if (s->target_ptr == NULL || s->target == NULL) return wlu_fail_memory(ctx, "symbolic counts");
    list_targets(c, s, work);
    return WARPLU_SUCCESS;
}

/* The tiles of the region by place in the order. */
static void list_tiles(const counting *c, const wlu_tree_counts *s, int32_t *tile)
{
    for (int32_t k = 0; k < c->n; k++) {
        int32_t t = s->tile[c->rank[k]];
        tile[k] = s->chosen[t] ? t : -1;
    }
}

/* work: 6 n, 7 n where paths count. tile: NULL, or the region's by place. */
static warplu_status find_price(wlu_context *ctx, const wlu_cost *cost, int32_t n_all, counting *c, int32_t *work,
                                int32_t *tile, wlu_counts *out)
{
    int64_t n = c->n;
    wlu_tree_counts s = {.n = c->n, .parent = c->parent, .l = c->weight, .u = c->weight, .crowd = (double)n_all / c->n};
    s.tile = work;
    s.follower = work + n;
    s.targets = work + 2 * n;
    wlu_tree_counts_tiles(cost, &s, work + 3 * n);
    count_columns(c, &s, s.targets);
    for (int32_t j = 0; j < c->n; j++) s.targets[j]--; /* its own */
    wlu_tree_counts_time time;
    warplu_status status = wlu_target_is_latency_bound(cost) ? find_targets(ctx, c, &s, work + 3 * n) : WARPLU_SUCCESS;
    if (tile != NULL && status == WARPLU_SUCCESS) {
        s.chosen = WLU_ALLOC(ctx, s.ntiles, uint8_t);
        if (s.chosen == NULL) status = wlu_fail_memory(ctx, "symbolic counts");
    }
    if (status == WARPLU_SUCCESS) status = wlu_tree_counts_price(ctx, cost, &s, &time);
    if (status == WARPLU_SUCCESS) {
        out->ns = time.ns;
        out->path_ns = time.path_ns;
        if (tile != NULL) list_tiles(c, &s, tile);
    }
    wlu_free(ctx, s.chosen);
    wlu_free(ctx, s.target_ptr);
    wlu_free(ctx, s.target);
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
    int32_t *pool = WLU_ALLOC(ctx, (wlu_target_is_latency_bound(cost) ? 14 : 13) * n + 1 + 2 * nnz, int32_t);
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
        find_price(ctx, cost, n_all, &c, pool + 7 * n + 1 + 2 * nnz, places != NULL ? places->tile : NULL, out);
    wlu_free(ctx, pool);
    return status;
}

warplu_status wlu_predict_parents(wlu_context *ctx, const wlu_diagonal_block *block, const int32_t *order,
                                  int32_t *parent)
{
    int64_t n = block->n, nnz = block->p[n];
    int32_t *pool = WLU_ALLOC(ctx, 4 * n + 1 + nnz, int32_t);
    if (pool == NULL) return wlu_fail_memory(ctx, "elimination tree");
    counting c = {.n = block->n,
                  .parent = parent,
                  .rank = pool,
                  .scratch = pool + n,
                  .ancestor = pool + 2 * n,
                  .up_p = pool + 3 * n,
                  .up_i = pool + 4 * n + 1};
    list_earlier(block, order, &c);
    find_tree(&c);
    wlu_free(ctx, pool);
    return WARPLU_SUCCESS;
}
