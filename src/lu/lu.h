/* What a compiled factorization has beside its records: areas of its slots, the TILE region, guards.
 *
 * Slots of the factorization, in this order (physical):
 *   computed U, pivots included | plain U and pivots | L | F      loaded densely, one source a slot
 *   reciprocals of DOT pivots | of tiled pivots
 *   panels of the TILE region                                     zeroed, then a list of loads, tile by tile
 * Areas of DOT pivots stand in the order in which the stream writes them, so that neighbours in a vector store to
 * neighbours; y and x in the order of the solve's stream.
 * A refactorization is: loads, the DOT pivots' vectors of the stream, the tiles, the guards. The DOT pivots come first
 * and are closed under dependence: no DOT pivot needs a tiled one. A tile is: its panel zeroed, its loads, the vectors
 * of the stream into it (the terms of DOT pivots, a list of their own for each tile, so that a panel is worked on while
 * it is in the cache), its sources, its own pivots.
 * For the program this is an opaque object of a kind (wlu_program_kind); executors ask for it by wlu_lu_of. */
#ifndef WLU_LU_LU_H
#define WLU_LU_LU_H

#include "lu/emit.h"
#include "numerics/rounds.h"
#include "program/program.h"

/* One tile updating another: by its last so many pivots, which are panel rows of the target from `at` on; row r of its
 * L goes to row target[to + r] of the panel. */
typedef struct wlu_tile_source {
    int32_t tile, at, pivots;
    int64_t to;
} wlu_tile_source;

/* TILE region: a left-looking factorization of the m pivots left by the DOT stream, in an order of their own (a
 * postorder of the elimination tree) and in tiles of up to WLU_TILE_WIDTH of them. Tile t holds pivots first[t] ..
 * first[t+1]-1. Its panel is all that L and U have in its columns: `above` rows of U, one row a pivot, `below` rows of
 * L; eight numbers a row, the tile's columns and then zeros, aligned to 64 bytes. rows: which pivots those above and
 * below are, ascending. Entries that L and U do not have are zeros that stay zeros; where a source has a row that the
 * panel lacks, its terms are all zero and go to one more row at the panel's end. Sources: those that update a source's
 * rows before it; ascending, or on targets that execute at once all that is ready, in the order in which they are done
 * (simulate.h). */
typedef struct wlu_tiles {
    int32_t m, count;
    int32_t *position;      /* m: pivot position */
    int32_t *first;         /* count + 1 */
    int32_t *above, *below; /* count */
    int64_t *row_ptr;       /* count + 1 */
    int32_t *row;
    int64_t *panel;      /* count + 1: slot of the panel's first number */
    int64_t *load;       /* count + 1: first of the listed loads into the panel */
    int64_t *vector;     /* count + 1: first vector of the DOT stream into the panel */
    int64_t *source_ptr; /* count + 1 */
    wlu_tile_source *source;
    int64_t ntargets;
    int32_t *target;
    /* with more than one part, else NULL: */
    int32_t *owner;    /* count: part that eliminates the tile */
    int32_t *turn;     /* count: how many of the top's tiles its owner has done with it; 0 below the top */
    int32_t *list;     /* count: tiles of each part below the top, then those of the top */
    int32_t *list_ptr; /* 2 parts + 1 */
    int64_t terms;     /* of L and U as they are */
    int64_t steps;     /* a row of eight by a pivot: what is executed of them, zeros included */
} wlu_tiles;

static inline int32_t wlu_tile_width(const wlu_tiles *t, int32_t tile)
{
    return t->first[tile + 1] - t->first[tile];
}

/* Of every tiled pivot. tile: m. */
static inline void wlu_tiles_map(const wlu_tiles *t, int32_t *tile)
{
    for (int32_t k = 0; k < t->count; k++)
        for (int32_t at = t->first[k]; at < t->first[k + 1]; at++) tile[at] = k;
}

/* Of every tile, one more than the highest of its sources; those of one height do not need each other. height: zeros,
 * count. Returns how many heights there are. */
static inline int32_t wlu_tiles_heights(const wlu_tiles *t, int32_t *height)
{
    int32_t heights = 0;
    for (int32_t k = 0; k < t->count; k++) {
        for (int64_t g = t->source_ptr[k]; g < t->source_ptr[k + 1]; g++)
            if (height[t->source[g].tile] >= height[k]) height[k] = height[t->source[g].tile] + 1;
        if (height[k] >= heights) heights = height[k] + 1;
    }
    return heights;
}

/* Slots of the panel's first row of the diagonal block and of L. */
static inline int64_t wlu_tile_diagonal(const wlu_tiles *t, int32_t tile)
{
    return t->panel[tile] + (int64_t)WLU_TILE_WIDTH * t->above[tile];
}

static inline int64_t wlu_tile_lower(const wlu_tiles *t, int32_t tile)
{
    return wlu_tile_diagonal(t, tile) + (int64_t)WLU_TILE_WIDTH * wlu_tile_width(t, tile);
}

/* Guards: reciprocal pivot growth min over columns of max|a| / max|u|, over the u that were computed (plain loads
 * cannot grow), by two bounds from below (numerics/health.h), the second only where the first falls below
 * criteria.growth. Both read one entry a column, that which was largest when pivots were chosen. Those entries are
 * listed by their place in A, the rows' with them, for most are the largest of both. Rows: by how much the entry that
 * was largest in each has changed, up or down, is the drift; |l| is judged in scales frozen then. Computed u: slots
 * areas.u .. areas.u + count - 1, pivots included, and what the TILE region reports. */
typedef struct wlu_guards {
    int32_t n; /* columns */
    int64_t count;
    int32_t *u_column; /* count: place below of each computed u's column */
    int32_t *column;   /* n: place below of the column at each position */
    int32_t shared; /* places 0 .. shared-1 are columns whose entry was the largest of its row too; those up to n the */
    int32_t entries;     /* other columns; n .. entries-1 the other rows */
    int32_t *a_source;   /* entries: the largest entry of the column or row when pivots were chosen */
    uint16_t *a_scale;   /* n, by column; wlu_power_of_upper, as row_scale */
    uint16_t *row_scale; /* n: brings a row's entry into [1, 2); shared places, then places from n on */
    wlu_criteria criteria;
} wlu_guards;

/* First slot of each area whose largest magnitudes the guards want; each ends where the next begins, the last where
 * the regions' slots begin. */
typedef struct wlu_areas {
    int64_t u, l, f, reciprocal;
} wlu_areas;

typedef struct wlu_lu {
    wlu_areas areas;
    int64_t tile_reciprocal; /* first slot of the tiled pivots' reciprocals */
    uint8_t *tiled;          /* n: 1 for pivots of the TILE region */
    wlu_tiles tiles;
    wlu_guards guard;
    wlu_rounds rounds; /* of its sums, of solves with A, and */
    double *line;      /* n: what they come to (numerics/bound.h), whose bound the guards judge by */
} wlu_lu;

extern const wlu_program_kind wlu_lu_kind;
/* Of programs that are no factorization: no tile, nothing guarded. */
extern const wlu_lu wlu_lu_none;

static inline const wlu_lu *wlu_lu_of(const wlu_program *program)
{
    return program->kind == &wlu_lu_kind ? program->own : &wlu_lu_none;
}

/* While it is being made: the program is a factorization. */
static inline wlu_lu *wlu_lu_edit(wlu_program *program)
{
    return program->own;
}

/* What a program computes that is no factorization is asked whether it is finite, as F is. */
static inline wlu_areas wlu_areas_of(const wlu_program *program)
{
    return program->kind == &wlu_lu_kind ? wlu_lu_of(program)->areas : (wlu_areas){.reciprocal = program->region_slots};
}

static inline const wlu_triangular *wlu_program_solve(const wlu_program *program, wlu_stream_kind kind)
{
    return kind == WLU_STREAM_SOLVE_TRANSPOSED ? &program->transposed : &program->solve;
}

/* The area of a slot of the first stage; WLU_AREA_NONE from the regions' slots on. */
static inline wlu_area wlu_area_of(const wlu_program *program, int64_t slot)
{
    const wlu_areas areas = wlu_areas_of(program);
    if (slot < 0 || slot >= program->region_slots) return WLU_AREA_NONE;
    if (slot < areas.l) return WLU_AREA_U;
    if (slot < areas.f) return WLU_AREA_L;
    return slot < areas.reciprocal ? WLU_AREA_F : WLU_AREA_RECIPROCAL;
}

/* Compiles the factorization and the solve. pattern and pivots must outlive the program. WARPLU_OUT_OF_MEMORY,
 * WARPLU_OVERFLOW, WARPLU_PROGRAM_TOO_LARGE, WARPLU_CANCELLED. */
warplu_status wlu_lu_compile(wlu_context *ctx, const warplu_options *options, const wlu_cost *cost,
                             const wlu_pattern *pattern, const wlu_pivots *pivots, wlu_program **out);
/* Adds the transposed solve. Others may replay the program meanwhile, but not ask for its bytes or its slots of y and
 * x. */
warplu_status wlu_lu_compile_transposed(wlu_context *ctx, const wlu_pattern *pattern, const wlu_pivots *pivots,
                                        wlu_program *program);

#endif
