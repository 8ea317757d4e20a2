/* Cost constants: what one unit of work takes on a back end, plain data handed down to the passes that choose
 * (ordering race, regions), and the prices made of them. One table a target: wlu_cost_cpu of one core, wlu_cost_cuda
 * and, a launch a vector, wlu_cost_levels of a whole NVIDIA GPU. */
#ifndef WLU_COST_COST_H
#define WLU_COST_COST_H

#include <math.h>
#include <stdint.h>

/* Pivots of a tile at most: doubles in a register of 512 bits. */
enum { WLU_TILE_WIDTH = 8 };

/* What one step takes on a path of steps that wait for each other, on a target that executes at once all that is ready:
 * its time is the longest path or all work, whichever is more. */
typedef struct wlu_path_cost {
    double ns_per_launch;   /* before the first step; 0: no such target, its time is all work */
    double ns_per_handoff;  /* a DOT record's result, to whoever waits for it: two for a pivot */
    double ns_per_dot_step; /* eight terms of a record */
    double ns_per_tile;     /* a tile's handoff and its start */
    double ns_per_tile_pivot;
    double ns_per_tile_source; /* a source, once it is there and those before it are done, */
    double ns_per_tile_row;    /* and one of its rows */
    /* A solve after the refactorization, in the same call: what it adds to it beyond what every solve does. */
    double ns_per_solve_level; /* records that wait for each other, a level each; */
    double ns_per_wide_level;  /* more where it has more records than a run of narrow levels takes */
    double ns_per_check;       /* solves that a device checks and often corrects */
    int32_t solve_tile_levels; /* a tile of a region's longest path, there and back, takes as long as so many levels */
} wlu_path_cost;

typedef struct wlu_cost {
    double ns_per_dot_term;    /* one operand pair of a DOT stream */
    double ns_per_dot_record;  /* one DOT, DOTS or RCP record, its load included */
    double ns_per_load;        /* one entry of A gathered, scaled, looked at by the guards */
    double ns_per_tile;        /* one tile: loop overhead */
    double ns_per_tile_pivot;  /* one pivot of a tile: its reciprocal, its step in the diagonal block */
    double ns_per_panel_row;   /* one row of eight numbers zeroed, loaded, scaled */
    double ns_per_tile_source; /* one tile updating another */
    double ns_per_tile_row;    /* one row of a panel touched by one source: index, load, store; */
    double ns_per_far_row;     /* more where the source's row is no longer in the cache */
    double ns_per_tile_step;   /* eight multiply-subtracts: one row, one pivot */
    double ns_per_level;       /* one pivot of the critical path: its reciprocal, a product, a multiply-subtract */
    double ns_per_part;        /* work below which a thread is not worth its job and its handoffs */
    double cache_bytes;        /* panels of so many bytes together stay in the cache */
    wlu_path_cost path;
    /* Shape, not time. Explicit zeros that a tile may have, as a share of its rows, and rows below which any are
     * welcome. */
    double tile_zeros;
    int32_t tile_few_rows;
    /* Tiled pivots of a block from which on a solve takes them by tiles. On a device six tiles and their handoffs take
     * as long as the 96 levels of 48 pivots in a run of narrow levels; a core gains from 1 on, no more from fewer
     * than 16. */
    int32_t solve_pivots;
    /* A stream of more slots than stay in a cache is cut into chunks of this many scalar records;
     * 0: never. */
    double chunk_slots, chunk_records;
    /* A chain of more than record_terms terms is cut into partial sums of partial_sum_terms, which other warps add up
     * meanwhile; 0: never. A multiple of 32: a warp takes so many terms a step. */
    int32_t record_terms, partial_sum_terms;
} wlu_cost;

extern const wlu_cost wlu_cost_cpu;
extern const wlu_cost wlu_cost_cuda;
extern const wlu_cost wlu_cost_levels;

/* A number that tells tables apart: FNV-1a (Fowler, Noll, Vo) of all constants. */
uint64_t wlu_cost_fingerprint(const wlu_cost *cost);

/* Whether the target executes at once all that is ready, so that paths count. */
static inline int wlu_target_is_latency_bound(const wlu_cost *cost)
{
    return cost->path.ns_per_launch > 0.0;
}

/* Terms of each partial sum of a chain that is cut: the chain's last record has about a term for each, so there are no
 * more of them than they have terms. */
static inline int64_t wlu_cost_partial_sum_terms(const wlu_cost *cost, int64_t terms)
{
    int64_t each = cost->partial_sum_terms;
    while (each * each < terms) each += cost->partial_sum_terms;
    return each;
}

/* Partial sums that a chain is cut into; 0: it is one record. The last record has what they leave, from half of such
 * a sum to one and a half. */
static inline int64_t wlu_cost_partial_sums(const wlu_cost *cost, int64_t terms)
{
    if (cost->record_terms == 0 || terms <= cost->record_terms) return 0;
    int64_t each = wlu_cost_partial_sum_terms(cost, terms);
    return (terms - each / 2) / each;
}

/* From the last operand of a chain to its result, on a path. */
static inline double wlu_cost_chain(const wlu_cost *cost, int64_t terms)
{
    int64_t sums = wlu_cost_partial_sums(cost, terms), steps = (terms + 7) / 8;
    double ns = cost->path.ns_per_handoff;
    if (sums > 0) {
        int64_t each = wlu_cost_partial_sum_terms(cost, terms);
        ns += cost->path.ns_per_handoff + (double)(each / 8) * cost->path.ns_per_dot_step;
        steps = (terms - sums * (each - 1) + 7) / 8;
    }
    return ns + (double)steps * cost->path.ns_per_dot_step;
}

/* The time of so long a path and so much work: more than the longer of the two, for work holds up what is on the path.
 * Fitted with the constants. */
static inline double wlu_cost_time(const wlu_cost *cost, double path_ns, double work_ns)
{
    return cost->path.ns_per_launch + sqrt(path_ns * path_ns + work_ns * work_ns);
}

/* The path by which so much work takes so long; 0 where the work alone takes longer. */
static inline double wlu_cost_path(const wlu_cost *cost, double ns, double work_ns)
{
    double both = ns - cost->path.ns_per_launch;
    return both > work_ns ? sqrt((both - work_ns) * (both + work_ns)) : 0.0;
}

/* What a part of a program takes. */
typedef struct wlu_price {
    double ns, far_ns; /* far_ns: more where no panel is in the cache any longer */
    double rows;       /* of panels */
    double bytes;      /* of the program; of tiles only where the patterns of the factors are known */
} wlu_price;

static inline void wlu_price_add(wlu_price *sum, wlu_price x)
{
    sum->ns += x.ns;
    sum->far_ns += x.far_ns;
    sum->rows += x.rows;
    sum->bytes += x.bytes;
}

/* The share of sources that are no longer in the cache when they are read again, panels having so many rows. */
static inline double wlu_cost_far_share(const wlu_cost *cost, double rows)
{
    double bytes = 8.0 * WLU_TILE_WIDTH * rows;
    return bytes > cost->cache_bytes ? 1.0 - cost->cache_bytes / bytes : 0.0;
}

/* A pivot by records: l entries of L below it, u of U beside it, one of so many at its level. Bytes: 8 a term, 37 a
 * record and its level's share, 4 an entry of U that is guarded, and three headers of vectors, for its RCP, its DOTS
 * and its DOTs at worst stand alone. */
static inline wlu_price wlu_cost_dots(const wlu_cost *cost, double l, double u, double level_width)
{
    double ns =
        u * l * cost->ns_per_dot_term + (u + l + 2.0) * cost->ns_per_dot_record + cost->ns_per_level / level_width;
    return (wlu_price){.ns = ns, .bytes = 8.0 * u * l + 37.0 * (u + l + 2.0) + 4.0 * u + 3.0 * 32.0};
}

/* What a DOT pivot takes on a path, u entries of U above it: its own record, then one of its column of L. */
static inline double wlu_cost_path_pivot(const wlu_cost *cost, int64_t u)
{
    return 2.0 * wlu_cost_chain(cost, u);
}

/* A tile by itself: its panel without the rows of U, its own elimination. */
static inline wlu_price wlu_cost_tile(const wlu_cost *cost, double width, double below)
{
    double ns = cost->ns_per_tile + width * cost->ns_per_tile_pivot + (width + below) * cost->ns_per_panel_row +
                (0.5 * width * (width - 1.0) + width * below) * cost->ns_per_tile_step;
    return (wlu_price){.ns = ns, .rows = width + below};
}

/* So many sources with so many rows of L each, and so many pivots in all: as many rows of U in their targets' panels.
 */
static inline wlu_price wlu_cost_sources(const wlu_cost *cost, double sources, double below, double pivots)
{
    double ns = sources * (cost->ns_per_tile_source + below * cost->ns_per_tile_row) +
                pivots * (below * cost->ns_per_tile_step + cost->ns_per_panel_row);
    return (wlu_price){.ns = ns, .far_ns = sources * below * cost->ns_per_far_row, .rows = pivots};
}

/* Whether a tile of one pivot more, with so many rows of L and so many entries in them, is worth its explicit zeros. */
static inline int wlu_tile_is_full(const wlu_cost *cost, int32_t width, int32_t below, double entries)
{
    double stored = (double)width * below + 0.5 * width * (width - 1);
    return below <= cost->tile_few_rows || stored - entries <= cost->tile_zeros * stored;
}

#endif
