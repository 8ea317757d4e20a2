/* The TILE region, its order and its parts. See symbolic.h. */
#include "lu/symbolic.h"

#include "cost/patterns.h"
#include "cost/region.h"

#include <math.h>
#include <string.h>

typedef struct chooser {
    const wlu_cost *cost;
    const wlu_pivots *p;
    wlu_tree tree;
    wlu_tile_tree tiles;
    double *work;    /* by tile: what eliminating it takes, its sources being priced here and not there */
    uint8_t *chosen; /* by tile */
} chooser;

/* Pivots of the region, and where its tiles begin. */
static void report(const chooser *c, wlu_symbolic *out)
{
    int32_t last = -1;
    memset(out->tiled, 0, (size_t)c->p->n);
    for (int32_t at = 0; at < c->p->n; at++) {
        int32_t k = c->tree.order[at], t = c->tiles.tile[k];
        if (!c->chosen[t]) continue;
        if (t != last) out->first[out->ntiles++] = out->m;
        last = t;
        out->tiled[k] = 1;
        out->position[out->m++] = k;
    }
    out->first[out->ntiles] = out->m;
}

/* Moves the price of DOT terms that go into tiles from the pivots to the tiles, which execute them. tiled_rows: n. */
static void move_arrivals(const chooser *c, const wlu_symbolic *s, int32_t *tiled_rows, double *arrivals)
{
    const wlu_pivots *p = c->p;
    const int32_t *tile = c->tiles.tile;
    for (int32_t k = 0; k < p->n; k++) {
        tiled_rows[k] = 0;
        for (int64_t q = p->lp[k]; q < p->lp[k + 1]; q++) tiled_rows[k] += s->tiled[p->li[q]];
    }
    for (int32_t t = 0; t < s->ntiles; t++) {
        for (int32_t at = s->first[t]; at < s->first[t + 1]; at++) {
            int32_t j = s->position[at];
            for (int64_t q = p->up[j]; q < p->up[j + 1]; q++) {
                int32_t k = p->ui[q];
                if (s->tiled[k]) continue;
                double ns = tiled_rows[k] * c->cost->ns_per_dot_term;
                arrivals[t] += ns;
                c->work[tile[k]] -= ns;
            }
        }
        c->work[tile[s->position[s->first[t]]]] += arrivals[t];
    }
}

/* Cuts the tree by what its units cost: pivots and tiles go with their units. */
static warplu_status find_cut(const chooser *c, wlu_context *ctx, wlu_symbolic *out)
{
    wlu_cut *cut = &out->cut;
    int32_t *work = WLU_ALLOC(ctx, c->p->n, int32_t), *part = work;
    cut->part = WLU_ALLOC(ctx, c->p->n, int32_t);
    cut->tile_part = WLU_ALLOC(ctx, out->ntiles, int32_t);
    cut->arrivals = WLU_CALLOC(ctx, out->ntiles, double);
    cut->load = WLU_ALLOC(ctx, out->parts, double);
    warplu_status status = WARPLU_SUCCESS;
    if (!work || !cut->part || !cut->tile_part || !cut->arrivals || !cut->load) {
        status = wlu_fail_memory(ctx, "parts of the program");
    } else {
        for (int32_t t = 0; t < c->tiles.n; t++)
            if (!c->chosen[t]) c->work[t] = c->tiles.as_dot[t].ns;
        move_arrivals(c, out, work, cut->arrivals);
        status = wlu_partition_forest(ctx, c->tiles.n, c->tiles.parent, c->work, out->parts, part, cut->load);
    }
    for (int32_t k = 0; k < c->p->n && status == WARPLU_SUCCESS; k++) cut->part[k] = part[c->tiles.tile[k]];
    for (int32_t t = 0; t < out->ntiles && status == WARPLU_SUCCESS; t++)
        cut->tile_part[t] = cut->part[out->position[out->first[t]]];
    wlu_free(ctx, work);
    return status;
}

/* Time and bytes that no choice changes: loads, and guards of 32 bytes a column, 12 an entry of A, 4 a computed u. */
static wlu_price fixed_price(const wlu_cost *cost, const wlu_pivots *p, int32_t nnz)
{
    return (wlu_price){.ns = cost->ns_per_load * nnz, .bytes = 12.0 * (double)p->fp[p->n] + 28.0 * nnz + 32.0 * p->n};
}

static warplu_status find_region(chooser *c, wlu_context *ctx, const warplu_options *options, int32_t nnz,
                                 wlu_symbolic *out)
{
    wlu_region_time time;
    warplu_status status = wlu_region_choose(ctx, c->cost, &c->tiles, fixed_price(c->cost, c->p, nnz),
                                             (double)options->max_program_bytes, c->chosen, &time);
    if (status < 0) return status;
    out->predicted_ns = wlu_cost_time(c->cost, time.path_ns, time.ns);
    out->bytes = time.bytes < 9e18 ? (int64_t)time.bytes : INT64_MAX;
    if (out->bytes <= options->max_program_bytes) return WARPLU_SUCCESS;
    return wlu_fail(ctx, WARPLU_PROGRAM_TOO_LARGE,
                    "the smallest program needs about %lld bytes, max_program_bytes is %lld", (long long)out->bytes,
                    (long long)options->max_program_bytes);
}

static warplu_status find(chooser *c, wlu_context *ctx, const warplu_options *options, int32_t nnz, int32_t parts,
                          wlu_symbolic *out)
{
    wlu_patterns patterns = wlu_pivots_patterns(c->p);
    warplu_status status = wlu_patterns_form_tiles(ctx, c->cost, &patterns, &c->tree, &c->tiles, c->work);
    if (status == WARPLU_SUCCESS) status = find_region(c, ctx, options, nnz, out);
    if (status < 0) return status;
    report(c, out);
    out->parts = (int32_t)fmax(
        1.0, fmin(parts < WLU_PARTS_MOST ? parts : WLU_PARTS_MOST, out->predicted_ns / c->cost->ns_per_part));
    return out->parts > 1 ? find_cut(c, ctx, out) : WARPLU_SUCCESS;
}

warplu_status wlu_symbolic_find(wlu_context *ctx, const warplu_options *options, const wlu_cost *cost,
                                const wlu_pivots *p, int32_t nnz, int32_t parts, wlu_symbolic *out)
{
    int64_t n = p->n;
    chooser c = {.cost = cost, .p = p};
    memset(out, 0, sizeof *out);
    out->tiled = WLU_ALLOC(ctx, n, uint8_t);
    out->position = WLU_ALLOC(ctx, n, int32_t);
    out->first = WLU_ALLOC(ctx, n + 1, int32_t);
    c.chosen = WLU_ALLOC(ctx, n, uint8_t);
    c.work = WLU_ALLOC(ctx, n, double);
    warplu_status status = WARPLU_SUCCESS;
    if (!out->tiled || !out->position || !out->first || !c.chosen || !c.work)
        status = wlu_fail_memory(ctx, "symbolic factorization");
    else
        status = find(&c, ctx, options, nnz, parts, out);
    wlu_tiles_free(ctx, &c.tiles);
    wlu_tree_free(ctx, &c.tree);
    wlu_free(ctx, c.chosen);
    wlu_free(ctx, c.work);
    if (status < 0) wlu_symbolic_free(ctx, out);
    return status;
}

void wlu_symbolic_free(wlu_context *ctx, wlu_symbolic *s)
{
    wlu_free(ctx, s->tiled);
    wlu_free(ctx, s->position);
    wlu_free(ctx, s->first);
    wlu_free(ctx, s->cut.part);
    wlu_free(ctx, s->cut.tile_part);
    wlu_free(ctx, s->cut.owner);
    wlu_free(ctx, s->cut.arrivals);
    wlu_free(ctx, s->cut.load);
    memset(s, 0, sizeof *s);
}
