/* The prediction of a candidate. See candidate.h.
 *
 * Predicted time of one refactorization: loads of A, and for each block what its pivots cost as records or tiles
 * (cost/region.h). Blocks depend on each other only through F, which is loaded, not eliminated. On a latency-bound
 * target a solve's time is that of the critical path through all blocks (cost/solve_path.h).
 *
 * Nearly O(n + nnz), and what an order of smallest height takes. Work: what the counts of the largest block take
 * (cost/predict.h), and on a latency-bound target 8 n + nnz int32. */
#include "order/candidate.h"

#include "cost/solve_path.h"
#include "order/reduce_height.h"
#include "cost/predict.h"

#include <string.h>

/* Blocks below this size keep their height, and so do blocks with more entries of L than this for each of A. */
enum { LOWER_BLOCK_MIN = 8, LOWER_ENTRIES_MAX = 50 };
/* So do blocks with a smaller share of symmetric entries than this, and those that gain less by prediction.
 * Off-diagonal pivots make of an order that is lower by 9 % one that is seven times worse (20 757 unknowns of a chip),
 * and elsewhere lose what is gained below 10 %. */
static const double LOWER_SYMMETRY_MIN = 0.9;
static const double LOWER_GAIN_MIN = 0.1;
/* What is saved of a path is at most this much more of it than of the height: 3 % on 30 blocks. */
static const double LOWER_PATH_SLACK = 0.05;

/* Whether most entries have a counterpart across the diagonal, so that fill is that of B + B'. */
static int is_symmetric(const wlu_diagonal_block *b)
{
    return (double)(b->paired - b->n) >= LOWER_SYMMETRY_MIN * (double)(b->p[b->n] - b->n);
}

typedef struct appraiser {
    wlu_context *ctx;
    const wlu_cost *cost;
    const wlu_pattern *a;
    const wlu_transversal *form;
    int32_t *order;       /* n: block-local orders */
    wlu_positions places; /* n: by position, parents in their blocks; NULL unless paths count */
    int32_t *parent;      /* n: parents by the orders as they came; NULL where nobody asks */
} appraiser;

/* Those of a block that begins there. */
static wlu_positions places_at(const wlu_positions *p, int32_t begin)
{
    return (wlu_positions){p->parent + begin, p->tile + begin};
}

/* The height above which a block's path is too long for the gain, its work being the same. */
static int32_t highest_worth(const wlu_cost *cost, const wlu_counts *counts)
{
    double most = (1.0 - LOWER_GAIN_MIN) * wlu_cost_time(cost, counts->path_ns, counts->ns);
    double share = wlu_cost_path(cost, most, counts->ns) / counts->path_ns;
    return share > 0.0 ? (int32_t)((share + LOWER_PATH_SLACK) * counts->height) : 0;
}

/* Puts an equivalent order of smallest height into a block's place, with its counts, if it is faster by as
 * much as LOWER_GAIN_MIN. */
static warplu_status lower_block(const appraiser *w, const wlu_diagonal_block *block, int32_t begin, wlu_counts *counts)
{
    double entries = 0.5 * (counts->lu_nnz + block->n);
    int32_t height, highest = highest_worth(w->cost, counts);
    if (highest < 1 || block->n < LOWER_BLOCK_MIN || entries > LOWER_ENTRIES_MAX * block->p[block->n] ||
        !is_symmetric(block))
        return WARPLU_SUCCESS;
    size_t bytes = (size_t)block->n * sizeof *w->order;
    int32_t *lower = WLU_ALLOC(w->ctx, 3 * (int64_t)block->n, int32_t);
    if (lower == NULL) return wlu_fail_memory(w->ctx, "order of smallest height");
    wlu_positions found_places = {lower + block->n, lower + 2 * (int64_t)block->n};
    wlu_counts found;
    warplu_status status = wlu_order_reduce_height(w->ctx, block, w->order + begin, w->places.parent + begin,
                                                   (int64_t)entries, highest, lower, &height);
    if (status < 0 || height == 0) goto done;
    status = wlu_predict_counts(w->ctx, w->cost, w->a->n, block, lower, &found_places, &found);
    if (status == WARPLU_SUCCESS && wlu_cost_time(w->cost, found.path_ns, found.ns) <=
                                        (1.0 - LOWER_GAIN_MIN) * wlu_cost_time(w->cost, counts->path_ns, counts->ns)) {
        wlu_positions places = places_at(&w->places, begin);
        memcpy(w->order + begin, lower, bytes);
        memcpy(places.parent, found_places.parent, bytes);
        memcpy(places.tile, found_places.tile, bytes);
        *counts = found;
    }
done:
    wlu_free(w->ctx, lower);
    return status;
}

/* On a latency-bound target a dissection has to promise this much more, because pivots off the diagonal spoil
 * separators first. Programs of both orders are predicted alike: those of AMD and of METIS take 1.02 and 1.08 times
 * what their candidates promise, over 98 matrices. */
static const double DISSECTION_DOUBT = 1.03;

/* Counts the orders, summed over the blocks. lowers: they may be replaced by lower ones. */
static warplu_status predict(const appraiser *w, int lowers, wlu_candidate *c)
{
    const wlu_blocks *blocks = &w->form->blocks;
    int paths = wlu_target_is_latency_bound(w->cost);
    double ns = 0.0, path_ns = 0.0;
    for (int32_t b = 0; b < blocks->nblocks; b++) {
        wlu_diagonal_block block = wlu_blocks_get(blocks, b);
        int32_t begin = blocks->block[b];
        wlu_positions places = paths ? places_at(&w->places, begin) : (wlu_positions){0};
        wlu_counts counts;
        warplu_status status =
            wlu_predict_counts(w->ctx, w->cost, w->a->n, &block, w->order + begin, paths ? &places : NULL, &counts);
        if (status == WARPLU_SUCCESS && w->parent != NULL)
            memcpy(w->parent + begin, places.parent, (size_t)block.n * sizeof *w->parent);
        if (status == WARPLU_SUCCESS && lowers) status = lower_block(w, &block, begin, &counts);
        if (status < 0) return status;
        c->terms += counts.terms;
        c->lu_nnz += counts.lu_nnz;
        if (counts.height > c->height) c->height = counts.height;
        ns += counts.ns;
        if (counts.path_ns > path_ns) path_ns = counts.path_ns;
    }
    c->lu_nnz += w->a->nnz - blocks->first[blocks->nblocks]; /* F */
    c->predicted_ns = wlu_cost_time(w->cost, path_ns, ns + w->a->nnz * w->cost->ns_per_load);
    if (paths && wlu_ordering_get(c->ordering)->race == WLU_RACE_DISSECTION) c->predicted_ns *= DISSECTION_DOUBT;
    return WARPLU_SUCCESS;
}

/* Entries of F by columns, in positions. pos: of each row. */
static void list_f(const appraiser *w, const wlu_candidate *c, const int32_t *pos, int64_t *fp, int32_t *fi)
{
    const wlu_btf *btf = &w->form->btf;
    int64_t count = 0;
    for (int32_t b = 0; b < btf->nblocks; b++)
        for (int32_t k = btf->block[b]; k < btf->block[b + 1]; k++) {
            fp[k] = count;
            for (int32_t q = w->a->p[c->col[k]]; q < w->a->p[c->col[k] + 1]; q++)
                if (pos[w->a->i[q]] < btf->block[b]) fi[count++] = pos[w->a->i[q]];
        }
    fp[w->a->n] = count;
}

/* The solve's path. */
static warplu_status predict_solve(const appraiser *w, wlu_candidate *c)
{
    const wlu_btf *btf = &w->form->btf;
    int64_t n = w->a->n, count = w->a->nnz - w->form->blocks.first[btf->nblocks];
    int64_t *fp = WLU_ALLOC(w->ctx, n + 1, int64_t);
    int32_t *fi = WLU_ALLOC(w->ctx, count, int32_t), *pos = WLU_ALLOC(w->ctx, n, int32_t);
    warplu_status status = WARPLU_SUCCESS;
    wlu_solve_path_time time;
    if (fp == NULL || fi == NULL || pos == NULL) {
        status = wlu_fail_memory(w->ctx, "path of the solve");
    } else {
        for (int32_t k = 0; k < n; k++) pos[c->row[k]] = k;
        list_f(w, c, pos, fp, fi);
        for (int32_t b = 0; b < btf->nblocks; b++)
            for (int32_t k = btf->block[b]; k < btf->block[b + 1]; k++)
                if (w->places.parent[k] >= 0) w->places.parent[k] += btf->block[b];
        wlu_solve_path chain = {(int32_t)n, btf->nblocks, btf->block, w->places.parent, w->places.tile, fp, fi};
        status = wlu_solve_path_find(w->ctx, w->cost, &chain, &time);
        if (status == WARPLU_SUCCESS) c->solve_ns = time.ns;
    }
    wlu_free(w->ctx, fp);
    wlu_free(w->ctx, fi);
    wlu_free(w->ctx, pos);
    return status;
}

static warplu_status take_orders(const appraiser *w, wlu_candidate *c)
{
    const wlu_btf *btf = &w->form->btf;
    c->row = WLU_ALLOC(w->ctx, w->a->n, int32_t);
    c->col = WLU_ALLOC(w->ctx, w->a->n, int32_t);
    if (c->row == NULL || c->col == NULL) return wlu_fail_memory(w->ctx, "candidate orders");
    for (int32_t b = 0; b < btf->nblocks; b++) {
        int32_t s = btf->block[b], e = btf->block[b + 1];
        for (int32_t k = s; k < e; k++) {
            c->row[k] = btf->row[s + w->order[k]];
            c->col[k] = btf->col[s + w->order[k]];
        }
    }
    return WARPLU_SUCCESS;
}

warplu_status wlu_candidate_estimate(wlu_context *ctx, const wlu_cost *cost, const wlu_pattern *a,
                                     const wlu_transversal *form, const wlu_amd_counts *counts, int32_t *order,
                                     wlu_candidate *c)
{
    const wlu_blocks *blocks = &form->blocks;
    appraiser w = {.ctx = ctx, .cost = cost, .a = a, .form = form, .order = order};
    c->symmetric = counts->symmetric && a->nnz == blocks->first[blocks->nblocks];
    c->terms = counts->terms;
    c->lu_nnz = a->n + 2.0 * counts->l_nnz + (a->nnz - blocks->first[blocks->nblocks]);
    c->height = a->n;
    c->predicted_ns = c->terms * cost->ns_per_dot_term + c->lu_nnz * cost->ns_per_dot_record;
    return take_orders(&w, c);
}

warplu_status wlu_candidate_predict(wlu_context *ctx, const wlu_cost *cost, const wlu_pattern *a,
                                    const wlu_transversal *form, int lowers, int32_t *order, int32_t *parent,
                                    wlu_candidate *c)
{
    appraiser w = {.ctx = ctx, .cost = cost, .a = a, .form = form, .order = order, .parent = parent};
    int paths = wlu_target_is_latency_bound(cost);
    int32_t *pool = paths ? WLU_ALLOC(ctx, 2 * (int64_t)a->n, int32_t) : NULL;
    if (paths && pool == NULL) return wlu_fail_memory(ctx, "path of the solve");
    if (paths) w.places = (wlu_positions){pool, pool + a->n};
    warplu_status status = predict(&w, paths && lowers, c);
    if (status == WARPLU_SUCCESS) status = take_orders(&w, c);
    if (status == WARPLU_SUCCESS && paths) status = predict_solve(&w, c);
    wlu_free(ctx, pool);
    return status;
}
