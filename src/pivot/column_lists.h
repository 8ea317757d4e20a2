/* Lists for small systems: the refactorization by columns written out, without what columns cost however short they
 * are.
 *
 * Where each number stands is found once. A refactorization loads the entries of A, times their scales, into the slots
 * of L, U and F; then each column has its terms, each of three slots, and its quotients. Solves go by rows, whose sums
 * stay in a register. Every number has its terms in the order of columns.c, so that all bits are the same, health
 * included, and lists may take the place of columns at any time.
 *
 * Factors that have lists (wlu_factors_add_lists) keep their numbers in one block, pivots, L, U, F, so that a slot is
 * one index of 16 bits. Memory: 6 bytes a term, 12 an entry of A, 4 an entry of L, U and F beside the numbers. To make
 * them takes about as long as two refactorizations. */
#ifndef WLU_PIVOT_COLUMN_LISTS_H
#define WLU_PIVOT_COLUMN_LISTS_H

#include "pivot/pivots.h"

/* Where the parts of the block of numbers begin, behind the pivots. */
typedef struct wlu_places {
    int64_t l, u, f, end;
} wlu_places;

static inline wlu_places wlu_listed_places(const wlu_pivots *p)
{
    const int64_t l = p->n, u = l + p->lp[p->n], f = u + p->up[p->n];
    return (wlu_places){l, u, f, f + p->fp[p->n]};
}

/* How much there is of a column: entries of A within its block, terms, entries of U and of L. */
typedef struct wlu_listed_column {
    int32_t terms;
    uint16_t loads, upper, lower;
} wlu_listed_column;

/* How many entries of a row are subtracted going forward, of F and of L, and going back, of U. */
typedef struct wlu_listed_row {
    uint16_t before, behind;
} wlu_listed_row;

typedef struct wlu_column_lists {
    wlu_listed_column *column; /* n */
    wlu_listed_row *row;       /* n */
    double *scale;             /* of each load; those of the blocks by column, then those of F */
    uint16_t *load;            /* two for each: the slot, and the entry of A */
    uint16_t *term;            /* three for each: x, l and u of x - l u */
    uint16_t *zero;            /* slots that nothing is loaded into */
    uint16_t *solve;           /* two for each entry of L, U and F, in the order of solves: the slot, and its column */
    double *col_scale;         /* n, by position; NULL: ones */
    int32_t zeros;
} wlu_column_lists;

/* Whether indices of 16 bits are enough. */
int wlu_column_lists_fit(const wlu_pattern *a, const wlu_pivots *p);
/* WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_column_lists_create(wlu_context *ctx, const wlu_pattern *a, const wlu_pivots *p,
                                      wlu_column_lists **out);
void wlu_column_lists_destroy(wlu_context *ctx, wlu_column_lists **lists);

#endif
