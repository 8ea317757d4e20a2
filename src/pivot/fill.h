/* Fill: the patterns of L, U and F, column by column as pivots are chosen.
 *
 * Method: Gilbert and Peierls (SIAM J. Sci. Stat. Comput. 9, 1988): the pattern of a column of L and U is what a
 * depth-first search from the column of A reaches in the graph of L; the graph is shortened by symmetric pruning
 * (Eisenstat and Liu, SIAM J. Matrix Anal. Appl. 14, 1993). Entries are structural. Each diagonal block is on its own.
 *
 *     wlu_fill_begin(&f, ...);
 *     for every position k:  wlu_fill_column(&f, k, j, ...);  choose at in [lp[k], lnz);  wlu_fill_pivot(&f, k, at);
 *     wlu_fill_finish(&f, values);
 *     wlu_fill_free(&f);
 *
 * The pivot search keeps values beside the patterns; saved pivots get their patterns back without any. Columns of equal
 * pattern, but for the pivots of each other, are kept in one order, so that they can be subtracted together
 * (supernodes). Columns are sorted once all stand. Cost: time at most proportional to the terms; 4 bytes an entry (12
 * with values), as much again while long columns are sorted, 29 n. */
#ifndef WLU_PIVOT_FILL_H
#define WLU_PIVOT_FILL_H

#include "pivot/pivots.h"

typedef struct wlu_fill {
    wlu_context *ctx;
    const wlu_pattern *a;
    wlu_pivots *out; /* borrowed: row, lp, up, fp grow with the columns, li, ui, fi are made at the end */
    int64_t lnz, lcap, unz, ucap, fnz, fcap;
    int32_t *li, *ui, *fi; /* li and fi hold rows of A until the end, ui ascending positions */
    int with_values;
    double *lx, *ux, *fx; /* room for values beside them, or NULL */
    int32_t *pinv;        /* n: pivot position of each row, or -1: the pivots' row_pos */
    int32_t *mark;        /* n: last column that reached the row */
    int32_t *stack;       /* n: pivots reached, from the end */
    uint64_t *bits;       /* one for each position, zero between columns */
    uint8_t *group;       /* n: columns of its group before it; they have its rows, in its order, and its pivot */
    int32_t *dfs;         /* n: path of pivots */
    int64_t *dfs_pos;     /* n: and where to go on in each */
    int64_t *end;         /* n: of the part of each column of L that is searched: less than all once pruned */
} wlu_fill;

/* guess: entries of L, and of U, to begin with. out has its n and arrays but for li, ui, fi. WARPLU_OUT_OF_MEMORY;
 * freed by the caller after a failure too. */
warplu_status wlu_fill_begin(wlu_fill *f, wlu_context *ctx, const wlu_pattern *a, double guess, int with_values,
                             wlu_pivots *out);

/* The pattern of position k, which is column j of A, of the block [begin, end): rows without pivots in li[lp[k] ..
 * lnz), pivots in ui[up[k] .. unz), which ascend, rows of earlier blocks in fi[fp[k] .. fnz) in A's order. Counts
 * terms. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_fill_column(wlu_fill *f, int32_t k, int32_t j, int32_t begin, int32_t end);

/* Makes li[at] the pivot of position k and takes it out of the list, whose order may change. */
void wlu_fill_pivot(wlu_fill *f, int32_t k, int64_t at);
/* Shortens the graph; once the values of column k stand. */
void wlu_fill_prune(wlu_fill *f, int32_t k);

/* Positions, the final patterns with ascending rows, height. values: whose lx, ux, fx and group become those found, or
 * NULL. WARPLU_OUT_OF_MEMORY, WARPLU_CANCELLED. */
warplu_status wlu_fill_finish(wlu_fill *f, wlu_factors *values);
void wlu_fill_free(wlu_fill *f);

/* Fills in the patterns, terms and height of pivots whose orders and blocks are known. No more than l_most entries of L
 * and u_most of U: WARPLU_BAD_FORMAT beyond, and where a pivot is no entry of its column. WARPLU_OUT_OF_MEMORY,
 * WARPLU_CANCELLED. */
warplu_status wlu_pivots_find_patterns(wlu_context *ctx, const wlu_pattern *a, int64_t l_most, int64_t u_most,
                                       wlu_pivots *pivots);

#endif
