/* The compiled program: one static schedule for the factorization and one for each kind of solve.
 *
 * Slots, in this order (physical; the program says where each area begins):
 *   computed U, pivots included | plain U and pivots | L | F      loaded densely, one source a slot
 *   reciprocals of DOT pivots | of tiled pivots
 *   panels of the TILE region                                     zeroed, then a list of loads, tile by tile
 *   partial sums of the factorization                             see pieces.h
 *   y | x | zero | trash | -1 | partial sums of a solve           -1 where the target has partial sums
 * Areas of DOT pivots stand in the order in which the stream writes them, so that neighbours in a vector store to
 * neighbours; y and x in the order of the solve's stream.
 * With several parts, each part's vectors and its tiles need nothing of other parts; vectors of the top's DOT pivots
 * follow when all parts are done, then the top's tiles. A refactorization is: loads, the DOT pivots' vectors of the
 * stream, the tiles, the guards. The DOT pivots come first and are closed under dependence: no DOT pivot needs a tiled
 * one. A tile is: its panel zeroed, its loads, the vectors of the stream into it (the terms of DOT pivots, a list of
 * their own for each tile, so that a panel is worked on while it is in the cache), its sources, its own pivots.
 * Immutable once built, shared between threads; scalar type FP64, slot width 32 bits. */
#ifndef WLU_PROGRAM_PROGRAM_H
#define WLU_PROGRAM_PROGRAM_H

#include "pivot/pivots.h"
#include "lu/emit.h"

/* Records of one chunk, one level and one opcode; opcode WLU_OPCODES where a level is not split and mixes them. */
typedef struct wlu_vector {
    int32_t chunk, level, opcode;
    int64_t first, count;
} wlu_vector;

/* A levelled stream of RCP, DOT and DOTS records. operand: pairs (a, b) of record r from begin[r]. */
typedef struct wlu_stream {
    int64_t nrecords, nterms, nvectors, longest_vector;
    int32_t nlevels;
    wlu_vector *vector;
    uint8_t *opcode;
    int32_t *target, *start, *divisor; /* divisor: scale slot of DOTS, operand of RCP; -1 for DOT */
    int32_t *finished;                 /* when the emitter finished the record: ascending (finished, level) is an
                                          order of execution too, with the emitter's locality */
    int64_t *begin;                    /* nrecords + 1, in pairs */
    int32_t *operand;                  /* 2 nterms */
} wlu_stream;

/* v[first + i] = scale[i] * source_values[source[i]], or 0 where source[i] is -1. */
typedef struct wlu_loads {
    int64_t first, count;
    int32_t *source;
    double *scale;
} wlu_loads;

/* v[target[i]] = scale[i] * source_values[source[i]]. */
typedef struct wlu_load_list {
    int64_t count;
    int32_t *target, *source;
    double *scale;
} wlu_load_list;

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
 * cannot grow), by two bounds from below (numerics/health.h), the second only where the first falls below `bound`. Both
 * read one entry a column, that which was largest when pivots were chosen.
 * Those entries are listed by their place in A, the rows' with them, for most are the largest of both.
 * Rows: by how much the entry that was largest in each has changed, up or down, is the drift; |l| is judged in scales
 * frozen then. Computed u: slots u .. u + count - 1, pivots included, and what the TILE region reports. */
typedef struct wlu_guards {
    double bound; /* WLU_GROWTH_BOUND, or a tenth of the growth at pivoting if that is less: for the first bound */
    int64_t count;
    int32_t *u_column; /* count: place below of each computed u's column */
    int32_t *column;   /* n: place below of the column at each position */
    int32_t shared; /* places 0 .. shared-1 are columns whose entry was the largest of its row too; those up to n the */
    int32_t entries;           /* other columns; n .. entries-1 the other rows */
    int32_t *a_source;         /* entries: the largest entry of the column or row when pivots were chosen */
    uint16_t *a_scale;         /* n, by column; wlu_power_of_upper, as row_scale */
    uint16_t *row_scale;       /* n: brings a row's entry into [1, 2); shared places, then places from n on */
    wlu_pivot_quality quality; /* what wlu_judge compares with */
    wlu_bound rounding;        /* of A */
    double pivot_absolute;     /* of the options */
} wlu_guards;

/* Growth whose first bound is better than this needs no second. */
#define WLU_GROWTH_BOUND 1e-2

/* Tiles of one block, which solve for its tiled pivots: from slots tile_y to slots tile_x, forward, then back. */
typedef struct wlu_solve_region {
    int32_t begin, end; /* tiles begin .. end - 1 */
} wlu_solve_region;

/* One kind of solve: load b; part 0 of the stream, region 0, part 1, and so on to the part behind the last region;
 * x[index[k]] = scale[k] * v[x + k]. Regions with empty parts between them need nothing of each other. Levels of the
 * stream begin anew in each part. */
typedef struct wlu_triangular {
    wlu_loads load;
    wlu_stream stream;
    int32_t regions;
    wlu_solve_region *region;
    int64_t *part;            /* regions + 2: first vector of each part, and their number */
    int32_t *tile_y, *tile_x; /* m each; NULL without a region */
    int32_t *index;
    double *scale; /* NULL: all 1 */
} wlu_triangular;

typedef struct wlu_program {
    int32_t n;
    int split;
    int32_t parts;        /* for as many threads; see partition.h */
    int64_t *part;        /* parts + 2: first vector of dot of each part, of the top's DOT pivots, of the tiles */
    const wlu_cost *cost; /* the target's constants it was compiled with */
    int64_t nslots;
    /* first slot of each area */
    int64_t u, l, f, reciprocal, tile_reciprocal, panels, sums, y, x, zero, trash;
    int64_t minus_one;          /* slot of this constant, or -1 */
    int64_t solve_sums;         /* to the last slot: for the kind of solve that has more partial sums */
    int32_t nvalues;            /* length of the caller's value array */
    const wlu_pattern *pattern; /* that it was compiled for, */
    const wlu_pattern *gather;  /* not NULL: and which has duplicates, so that loads read the gathered entries */
    int refinement_steps;       /* of the options: at most so many */
    int32_t *slot;              /* logical to physical slot; y and x as the last compiled solve has them */
    uint8_t *tiled;             /* n: 1 for pivots of the TILE region */
    wlu_loads load;
    wlu_load_list list;
    wlu_stream dot;
    wlu_tiles tiles;
    wlu_guards guard;
    wlu_triangular solve, transposed;
    int has_transposed;
    double predicted_ns;
    double path_ns; /* the longest path of that, where the target has paths */
    int64_t compile_ns;
} wlu_program;

/* Compiles the factorization and the solve. pattern and pivots must outlive the program. WARPLU_OUT_OF_MEMORY,
 * WARPLU_OVERFLOW, WARPLU_PROGRAM_TOO_LARGE, WARPLU_CANCELLED. */
warplu_status wlu_program_create(wlu_context *ctx, const warplu_options *options, const wlu_cost *cost,
                                 const wlu_pattern *pattern, const wlu_pivots *pivots, wlu_program **out);
/* Adds the transposed solve. Others may replay the program meanwhile, but not ask for its bytes or its slots of y and
 * x. */
warplu_status wlu_program_add_transposed(wlu_context *ctx, const wlu_pattern *pattern, const wlu_pivots *pivots,
                                         wlu_program *program);
void wlu_program_destroy(wlu_context *ctx, wlu_program **program);

/* First record of a part of a solve's stream; of part regions + 1: their number. */
static inline int64_t wlu_part_begin(const wlu_triangular *t, int32_t part)
{
    return t->part[part] < t->stream.nvectors ? t->stream.vector[t->part[part]].first : t->stream.nrecords;
}

/* Bytes of the factorization part, and of the solves. */
int64_t wlu_program_factor_bytes(const wlu_program *program);
int64_t wlu_program_solve_bytes(const wlu_program *program);

#endif
