/* Fill: the patterns of L, U and F, column by column as pivots are chosen.
 *
 * Method: Gilbert and Peierls (SIAM J. Sci. Stat. Comput. 9, 1988): the pattern of a column of L and U is what a
 * depth-first search from the column of A reaches in the graph of L; the graph is shortened by symmetric pruning
 * (Eisenstat and Liu, SIAM J. Matrix Anal. Appl. 14, 1993). Entries are structural. Each diagonal block is on its own.
 *
 *     wlu_fill_begin(&f, ...);
 *     for every position k:
 *         wlu_fill_open(&f, ...);
 *         for every row of the column: wlu_fill_row(&f, k, begin, row);
 *         wlu_fill_reach(&f, k);
 *         choose a row in li[lp[k] .. lnz);  depth = wlu_fill_pivot(&f, k, row);
 *         for every other row of the list: wlu_fill_keep(&f, row, depth, to++);  wlu_fill_close(&f, k, to);
 *     wlu_fill_finish(&f, values);
 *     wlu_fill_free(&f);
 *
 * The pivot search keeps values beside the patterns; saved pivots get their patterns back without any. Columns of equal
 * pattern, but for the pivots of each other, are kept in one order, so that they can be subtracted together
 * (supernodes). Columns are sorted once all stand. Cost: time at most proportional to the terms; 4 bytes an entry (12
 * with real values), 37 n. */
#ifndef WLU_PIVOT_FILL_H
#define WLU_PIVOT_FILL_H

#include "pivot/pivots.h"

typedef struct wlu_fill {
    wlu_context *ctx;
    const wlu_pattern *a;
    wlu_pivots *out; /* borrowed: row, lp, up, fp grow with the columns, li, ui, fi are made at the end */
    int64_t lnz, lcap, unz, ucap, fnz, fcap;
    int32_t *li, *ui, *fi; /* li and fi hold rows of A until the end, ui ascending positions */
    int doubles;           /* of a value beside each; 0: there are none */
    double *lx, *ux, *fx;  /* these, or NULL */
    int32_t *pinv;         /* n: pivot position of each row, or -1: the pivots' row_pos */
    int32_t *mark;         /* n: last column that reached the row */
    int32_t *stack;        /* n: pivots of the column of A, from the front, and those reached, from the end */
    int64_t roots;         /* of the former */
    uint64_t *bits;        /* one for each position, zero between columns */
    uint64_t *words;       /* and one for each word of these */
    uint8_t *group;        /* n: columns of its group before it; they have its rows, in its order, and its pivot */
    int32_t *depth;        /* n: pivots on the longest chain that ends at each one */
    int32_t *row_depth;    /* n: and on the longest that each row without a pivot waits for */
    int32_t *dfs;          /* n: path of pivots */
    int64_t *dfs_pos;      /* n: and where to go on in each */
    int64_t *end;          /* n: of the part of each column of L that is searched: less than all once pruned */
} wlu_fill;

/* guess: entries of L, and of U. doubles: of a value beside each; 0: none. out has its n and arrays but for li, ui, fi.
 * WARPLU_OUT_OF_MEMORY; freed by the caller after a failure too. */
warplu_status wlu_fill_begin(wlu_fill *f, wlu_context *ctx, const wlu_pattern *a, double guess, int doubles,
                             wlu_pivots *out);

/* Room for so many more rows of L, and so many of F. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_fill_grow(wlu_fill *f, int32_t rows, int32_t entries);

/* Position k of a block that ends at end, and a column of so many entries. wlu_fill_row writes one row ahead.
 * WARPLU_OUT_OF_MEMORY. */
static inline warplu_status wlu_fill_open(wlu_fill *f, int32_t k, int32_t end, int32_t entries)
{
    int32_t rows = end - k + 1;
    f->roots = 0;
    if (f->lnz + rows <= f->lcap && f->fnz + entries <= f->fcap) return WARPLU_SUCCESS;
    return wlu_fill_grow(f, rows, entries);
}

/* Takes up a row of the column of A that is to be position k, in the block that begins at begin. Returns whether it is
 * of an earlier block: then it goes to fi[fp[k] .. fnz). */
static inline int wlu_fill_row(wlu_fill *f, int32_t k, int32_t begin, int32_t row)
{
    int32_t at = f->pinv[row];
    if ((uint32_t)at < (uint32_t)begin) {
        f->fi[f->fnz++] = row;
        return 1;
    }
    f->mark[row] = k; /* a row has a pivot, or not, at random: no branch */
    f->li[f->lnz] = row;
    f->lnz += at < 0;
    f->stack[f->roots] = at;
    f->roots += at >= 0;
    return 0;
}

/* All that the column's pivots reach. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_fill_search(wlu_fill *f, int32_t k);

/* The pattern of position k: rows without pivots in li[lp[k] .. lnz), pivots in ui[up[k] .. unz), which ascend. All of
 * them have k for their mark. WARPLU_OUT_OF_MEMORY. */
static inline warplu_status wlu_fill_reach(wlu_fill *f, int32_t k)
{
    warplu_status status = f->roots > 0 ? wlu_fill_search(f, k) : WARPLU_SUCCESS;
    f->out->up[k + 1] = f->unz;
    f->out->fp[k + 1] = f->fnz;
    return status;
}

/* Different positions into ascending order, elsewhere. */
void wlu_fill_sort(const wlu_fill *f, const int32_t *from, int32_t count, int32_t *at);

/* Column k takes the list of the column before if it belongs to its group; of as many rows it is. */
void wlu_fill_join_group(wlu_fill *f, int32_t k, int32_t row);
/* Shortens the part of column kk that is searched, which was all of it, if it holds the pivot row. */
void wlu_fill_prune(wlu_fill *f, int32_t kk, int32_t row);

/* Makes a row of the list the pivot of position k; it is still in the list, unless k has joined a group. Counts terms,
 * shortens the graph. A column of one row has nothing to prune. Returns the pivot's depth: it waits for every pivot in
 * column k of U and row k of L. */
static inline int32_t wlu_fill_pivot(wlu_fill *f, int32_t k, int32_t row)
{
    const int64_t *lp = f->out->lp;
    const int32_t *depth = f->depth;
    int32_t most = f->row_depth[row];
    int64_t terms = 0;
    f->out->row[k] = row;
    f->pinv[row] = k;
    if (f->doubles > 0 && k > 0 && lp[k] - lp[k - 1] == f->lnz - lp[k]) wlu_fill_join_group(f, k, row);
    for (int64_t u = f->out->up[k], last = f->unz; u < last; u++) {
        int32_t kk = f->ui[u];
        int64_t tail = lp[kk + 1], rows = tail - lp[kk];
        terms += rows;
        most = depth[kk] > most ? depth[kk] : most;
        if (rows > 1 && f->end[kk] == tail) wlu_fill_prune(f, kk, row);
    }
    f->depth[k] = ++most;
    f->out->terms += terms;
    f->out->height = f->out->height > most ? f->out->height : most;
    return most;
}

/* A row of the list in its place in column k of L. */
static inline void wlu_fill_keep(wlu_fill *f, int32_t row, int32_t depth, int64_t to)
{
    f->li[to] = row;
    f->row_depth[row] = f->row_depth[row] > depth ? f->row_depth[row] : depth;
}

/* Column k of L ends at to. */
static inline void wlu_fill_close(wlu_fill *f, int32_t k, int64_t to)
{
    f->lnz = f->out->lp[k + 1] = f->end[k] = to;
}

/* Positions and the final patterns with ascending rows. values: whose lx, ux, fx and group become those found, or
 * NULL. WARPLU_OUT_OF_MEMORY, WARPLU_CANCELLED. */
warplu_status wlu_fill_finish(wlu_fill *f, wlu_factors *values);
/* The same of complex values. */
warplu_status wlu_fill_finish_complex(wlu_fill *f, wlu_factors *values);
void wlu_fill_free(wlu_fill *f);

/* Fills in the patterns, terms and height of pivots whose orders and blocks are known. No more than l_most entries of L
 * and u_most of U: WARPLU_BAD_FORMAT beyond, and where a pivot is no entry of its column. WARPLU_OUT_OF_MEMORY,
 * WARPLU_CANCELLED. */
warplu_status wlu_pivots_find_patterns(wlu_context *ctx, const wlu_pattern *a, int64_t l_most, int64_t u_most,
                                       wlu_pivots *pivots);

#endif
