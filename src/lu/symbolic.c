/* Tiles, and the choice of the TILE region by predicted time and bytes. See symbolic.h. */
#include "lu/symbolic.h"

#include "cost/region_search.h"
#include "pivot/tree.h"

#include <math.h>
#include <string.h>

/* Headers of the vectors a pivot adds: its RCP, its DOTS and its DOTs at worst stand alone. */
static const double VECTOR_BYTES = 3.0 * 32.0;

typedef struct chooser {
    const wlu_cost *cost;
    const wlu_pivots *p;
    wlu_tree tree;
    int32_t ntiles;
    int32_t *u_row;              /* n: entries of each row of U */
    int32_t *tile;               /* n: tile of each pivot */
    int32_t *first;              /* ntiles + 1, in the tree's order */
    int32_t *below;              /* ntiles: rows of L in its panel */
    int32_t *parent;             /* ntiles: tile of the parent of its last pivot, -1 */
    int32_t *mark;               /* n + 1 */
    int32_t *least;              /* ntiles: of a source, the earliest of its pivots that updates the tile at hand */
    wlu_price *as_tile, *as_dot; /* ntiles: by itself */
    wlu_price *below_dot;        /* ntiles: its whole subtree as DOT streams */
    double *work;                /* ntiles: what eliminating it takes, its sources being priced here and not there */
    wlu_price *best;             /* ntiles: the tile itself and the best of what is below it */
    uint8_t *chosen;             /* ntiles */
} chooser;

/* What a choice is judged by: time, sources being out of the cache to some share, and bytes at a price. */
typedef struct weights {
    double far_share, per_byte;
} weights;

static double weighed(wlu_price x, weights w)
{
    return x.ns + w.far_share * x.far_ns + w.per_byte * x.bytes;
}

/* ------------------------------------------------------------------- tiles */

/* Marks column k's rows of L; returns how many were not marked before. */
static int32_t mark_rows(chooser *c, int32_t k, int32_t stamp, int write)
{
    const wlu_pivots *p = c->p;
    int32_t fresh = 0;
    for (int64_t q = p->lp[k]; q < p->lp[k + 1]; q++) {
        int32_t i = p->li[q];
        fresh += c->mark[i] != stamp;
        if (write) c->mark[i] = stamp;
    }
    return fresh;
}

/* Cuts the postorder into tiles: a pivot joins the tile of the one before it if that is its child and zeros stay few.
 */
static void make_tiles(chooser *c)
{
    const wlu_pivots *p = c->p;
    int32_t width = 0, rows = 0;
    int64_t entries = 0;
    for (int32_t k = 0; k <= p->n; k++) c->mark[k] = -1;
    c->ntiles = 0;
    for (int32_t at = 0; at < p->n; at++) {
        int32_t k = c->tree.order[at], last = c->ntiles - 1;
        int64_t own = p->lp[k + 1] - p->lp[k];
        int joins = width > 0 && width < WLU_TILE_WIDTH && c->tree.parent[c->tree.order[at - 1]] == k;
        if (joins) {
            int32_t merged = rows - (c->mark[k] == last) + mark_rows(c, k, last, 0);
            joins = wlu_tile_is_full(c->cost, width + 1, merged, (double)(entries + own));
            if (joins) rows = merged;
        }
        if (!joins) {
            c->first[++last] = at;
            c->ntiles++;
            rows = (int32_t)own;
            width = 0;
            entries = 0;
        }
        mark_rows(c, k, last, 1);
        c->tile[k] = last;
        c->below[last] = rows;
        entries += own;
        width++;
    }
    c->first[c->ntiles] = p->n;
    for (int32_t t = 0; t < c->ntiles; t++) {
        int32_t up = c->tree.parent[c->tree.order[c->first[t + 1] - 1]];
        c->parent[t] = up < 0 ? -1 : c->tile[up];
    }
}

/* ------------------------------------------------------------------ prices */

/* Tile t as a target: the price of its panel, and to each source that of updating it. touched: sources. */
static void price_tile(chooser *c, int32_t t, const int32_t *rank, int32_t *touched)
{
    const wlu_pivots *p = c->p;
    int32_t count = 0, width = c->first[t + 1] - c->first[t];
    int64_t above = 0;
    for (int32_t at = c->first[t]; at < c->first[t + 1]; at++) {
        int32_t j = c->tree.order[at];
        for (int64_t q = p->up[j]; q < p->up[j + 1]; q++) {
            int32_t k = p->ui[q], s = c->tile[k];
            if (s == t) continue;
            if (c->mark[s] != t) {
                c->mark[s] = t;
                c->least[s] = rank[k];
                touched[count++] = s;
            } else if (rank[k] < c->least[s]) {
                c->least[s] = rank[k];
            }
        }
    }
    for (int32_t i = 0; i < count; i++) {
        int32_t s = touched[i], pivots = c->first[s + 1] - c->least[s];
        above += pivots;
        wlu_price update = wlu_cost_sources(c->cost, 1.0, c->below[s], pivots);
        wlu_price_add(&c->as_tile[s], update);
        c->work[t] += update.ns;
        c->as_tile[s].bytes += 16.0 + 4.0 * c->below[s] / width;
    }
    double rows = (double)above + width + c->below[t];
    wlu_price own = wlu_cost_tile(c->cost, width, c->below[t]);
    wlu_price_add(&c->as_tile[t], own);
    c->work[t] += own.ns;
    c->as_tile[t].bytes += 100.0 + 4.0 * width + 4.0 * rows;
}

/* Records by the term; a level takes its time however few pivots share it. */
static void price_dots(chooser *c, const int32_t *level_width)
{
    const wlu_pivots *p = c->p;
    for (int32_t k = 0; k < p->n; k++) {
        double l = (double)(p->lp[k + 1] - p->lp[k]), u = c->u_row[k];
        wlu_price x = wlu_cost_dots(c->cost, l, u, level_width[c->tree.height[k]]);
        x.bytes = 8.0 * u * l + (25.0 + 12.0) * (u + l + 2) + 4.0 * u + VECTOR_BYTES;
        wlu_price_add(&c->as_dot[c->tile[k]], x);
    }
}

static void find_prices(chooser *c, int32_t *rank, int32_t *touched, int32_t *level_width)
{
    int32_t n = c->p->n;
    for (int32_t k = 0; k <= n; k++) {
        c->mark[k] = -1;
        level_width[k] = 0;
    }
    for (int32_t at = 0; at < n; at++) {
        rank[c->tree.order[at]] = at;
        level_width[c->tree.height[at]]++;
    }
    price_dots(c, level_width);
    for (int32_t t = 0; t < c->ntiles; t++) price_tile(c, t, rank, touched);
}

/* ------------------------------------------------------------------ choice */

/* Returns the price of the choice. */
static wlu_price choose(chooser *c, weights by)
{
    wlu_price total = {0};
    for (int32_t t = 0; t < c->ntiles; t++) {
        c->below_dot[t] = c->as_dot[t];
        c->best[t] = c->as_tile[t];
    }
    for (int32_t t = 0; t < c->ntiles; t++) {
        int32_t up = c->parent[t];
        c->chosen[t] = weighed(c->best[t], by) < weighed(c->below_dot[t], by);
        wlu_price cheaper = c->chosen[t] ? c->best[t] : c->below_dot[t];
        if (up < 0) {
            wlu_price_add(&total, cheaper);
        } else {
            wlu_price_add(&c->below_dot[up], c->below_dot[t]);
            wlu_price_add(&c->best[up], cheaper);
        }
    }
    for (int32_t t = c->ntiles - 1; t >= 0; t--)
        if (c->parent[t] >= 0 && !c->chosen[c->parent[t]]) c->chosen[t] = 0;
    return total;
}

/* The dearest byte worth trying: all that matters then is size. */
static const double DEAREST_BYTE = 1e6;

static warplu_status choose_within(chooser *c, wlu_context *ctx, const warplu_options *options, wlu_price fixed,
                                   wlu_symbolic *out)
{
    wlu_price total = choose(c, (weights){0});
    weights by = {.far_share = wlu_cost_far_share(c->cost, total.rows)};
    for (; by.per_byte <= DEAREST_BYTE; by.per_byte = by.per_byte == 0.0 ? 0.01 : 4.0 * by.per_byte) {
        total = choose(c, by);
        wlu_price_add(&total, fixed);
        if (total.bytes <= (double)options->max_program_bytes) break;
    }
    by.per_byte = 0.0;
    out->predicted_ns = weighed(total, by);
    out->bytes = total.bytes < 9e18 ? (int64_t)total.bytes : INT64_MAX;
    if (out->bytes <= options->max_program_bytes) return WARPLU_SUCCESS;
    return wlu_fail(ctx, WARPLU_PROGRAM_TOO_LARGE,
                    "the smallest program needs about %lld bytes, max_program_bytes is %lld", (long long)out->bytes,
                    (long long)options->max_program_bytes);
}

/* When tiles would be done as DOT records, and how long their pivots take one after the other. done: n. */
static void find_dot_paths(const chooser *c, double *done, double *dot_own, double *dot_done)
{
    for (int32_t t = 0; t < c->ntiles; t++) {
        dot_own[t] = 0.0;
        for (int32_t at = c->first[t]; at < c->first[t + 1]; at++) {
            int32_t k = c->tree.order[at], up = c->tree.parent[k];
            double ns = wlu_path_pivot(c->cost, c->p->up[k + 1] - c->p->up[k]);
            done[k] += ns;
            dot_own[t] += ns;
            dot_done[t] = done[k];
            if (up >= 0) done[up] = fmax(done[up], done[k]);
        }
    }
}

/* The choice where paths count; *fits: it is within max_program_bytes. */
static warplu_status choose_by_path(chooser *c, wlu_context *ctx, const warplu_options *options, wlu_price fixed,
                                    wlu_symbolic *out, int *fits)
{
    int64_t n = c->p->n, ntiles = c->ntiles;
    double *times = WLU_CALLOC(ctx, n + 2 * ntiles, double);
    int64_t *target_ptr = NULL;
    int32_t *width = WLU_ALLOC(ctx, ntiles, int32_t), *target = NULL;
    wlu_tile_flow_time time;
    warplu_status status = times == NULL || width == NULL ? wlu_fail_memory(ctx, "choice of tiles") : WARPLU_SUCCESS;
    if (status == WARPLU_SUCCESS)
        status = wlu_pivots_list_targets(ctx, c->p, c->tree.order, c->tile, c->ntiles, c->mark, &target_ptr, &target);
    if (status == WARPLU_SUCCESS) {
        find_dot_paths(c, times, times + n, times + n + ntiles);
        for (int32_t t = 0; t < c->ntiles; t++) width[t] = c->first[t + 1] - c->first[t];
        wlu_tile_flow f = {c->ntiles,          c->parent, width,      c->below,   times + n,
                           times + n + ntiles, c->as_dot, c->as_tile, target_ptr, target};
        status = wlu_region_search(ctx, c->cost, &f, fixed, (double)options->max_program_bytes, c->chosen, &time, fits);
    }
    if (status == WARPLU_SUCCESS && *fits) {
        out->predicted_ns = wlu_cost_time(c->cost, time.path_ns, time.work.ns);
        out->bytes = (int64_t)time.work.bytes;
    }
    wlu_free(ctx, times);
    wlu_free(ctx, target_ptr);
    wlu_free(ctx, width);
    wlu_free(ctx, target);
    return status;
}

static void report(const chooser *c, wlu_symbolic *out)
{
    memset(out->tiled, 0, (size_t)c->p->n);
    for (int32_t t = 0; t < c->ntiles; t++) {
        if (!c->chosen[t]) continue;
        out->first[out->ntiles++] = out->m;
        for (int32_t at = c->first[t]; at < c->first[t + 1]; at++) {
            out->tiled[c->tree.order[at]] = 1;
            out->position[out->m++] = c->tree.order[at];
        }
    }
    out->first[out->ntiles] = out->m;
}

/* Moves the price of DOT terms that go into tiles from the pivots to the tiles, which execute them. */
static void move_arrivals(chooser *c, const wlu_symbolic *s, double *arrivals)
{
    const wlu_pivots *p = c->p;
    int32_t *tiled_rows = c->mark;
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
                c->work[c->tile[k]] -= ns;
            }
        }
        c->work[c->tile[s->position[s->first[t]]]] += arrivals[t];
    }
}

/* Cuts the tree by what its units cost: pivots and tiles go with their units. */
static warplu_status find_cut(chooser *c, wlu_context *ctx, wlu_symbolic *out)
{
    wlu_cut *cut = &out->cut;
    int32_t *part = c->least; /* sources are priced */
    cut->part = WLU_ALLOC(ctx, c->p->n, int32_t);
    cut->tile_part = WLU_ALLOC(ctx, out->ntiles, int32_t);
    cut->arrivals = WLU_CALLOC(ctx, out->ntiles, double);
    cut->load = WLU_ALLOC(ctx, out->parts, double);
    if (!cut->part || !cut->tile_part || !cut->arrivals || !cut->load)
        return wlu_fail_memory(ctx, "parts of the program");
    for (int32_t t = 0; t < c->ntiles; t++)
        if (!c->chosen[t]) c->work[t] = c->as_dot[t].ns;
    move_arrivals(c, out, cut->arrivals);
    warplu_status status = wlu_partition_forest(ctx, c->ntiles, c->parent, c->work, out->parts, part, cut->load);
    if (status < 0) return status;
    for (int32_t k = 0; k < c->p->n; k++) cut->part[k] = part[c->tile[k]];
    for (int32_t t = 0; t < out->ntiles; t++) cut->tile_part[t] = cut->part[out->position[out->first[t]]];
    return WARPLU_SUCCESS;
}

/* Time and bytes that no choice changes: loads, and guards of 32 bytes a column, 12 an entry of A, 4 a computed u. */
static wlu_price fixed_price(const wlu_cost *cost, const wlu_pivots *p, int32_t nnz)
{
    return (wlu_price){.ns = cost->ns_per_load * nnz, .bytes = 12.0 * (double)p->fp[p->n] + 28.0 * nnz + 32.0 * p->n};
}

static warplu_status find(chooser *c, wlu_context *ctx, const warplu_options *options, int32_t nnz, int32_t parts,
                          int32_t *work, wlu_symbolic *out)
{
    const wlu_pivots *p = c->p;
    int32_t n = p->n;
    for (int64_t q = 0; q < p->up[n]; q++) c->u_row[p->ui[q]]++;
    warplu_status status = wlu_tree_find(ctx, p, c->u_row, wlu_target_is_latency_bound(c->cost), &c->tree);
    if (status < 0) return status;
    make_tiles(c);
    find_prices(c, work, work + n, work + 2 * (int64_t)n);
    int fits = 0;
    wlu_price fixed = fixed_price(c->cost, p, nnz);
    if (wlu_target_is_latency_bound(c->cost)) status = choose_by_path(c, ctx, options, fixed, out, &fits);
    if (status == WARPLU_SUCCESS && !fits) status = choose_within(c, ctx, options, fixed, out);
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
    int32_t *pool = WLU_CALLOC(ctx, 10 * n + 3, int32_t);
    wlu_price *prices = WLU_CALLOC(ctx, 4 * n, wlu_price);
    c.chosen = WLU_ALLOC(ctx, n, uint8_t);
    c.work = WLU_CALLOC(ctx, n, double);
    warplu_status status = WARPLU_SUCCESS;
    if (!out->tiled || !out->position || !out->first || !pool || !prices || !c.chosen || !c.work) {
        status = wlu_fail_memory(ctx, "symbolic factorization");
    } else {
        c.u_row = pool;
        c.tile = pool + n;
        c.below = pool + 2 * n;
        c.parent = pool + 3 * n;
        c.least = pool + 4 * n;
        c.first = pool + 5 * n;
        c.mark = pool + 6 * n + 1;
        c.as_tile = prices;
        c.as_dot = prices + n;
        c.below_dot = prices + 2 * n;
        c.best = prices + 3 * n;
        status = find(&c, ctx, options, nnz, parts, pool + 7 * n + 2, out);
    }
    wlu_tree_free(ctx, &c.tree);
    wlu_free(ctx, pool);
    wlu_free(ctx, prices);
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
    wlu_free(ctx, s->cut.arrivals);
    wlu_free(ctx, s->cut.load);
    memset(s, 0, sizeof *s);
}
