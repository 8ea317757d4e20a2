/* How many roundings a term of a sum is in, at most, for the sums that factors and solves are made of.
 *
 * A sum in order rounds its partial sums. Each is what the sum comes to, less the terms that follow, so that its size
 * is at most that of these and of the result: a term is in as many roundings as there are terms, whatever their order,
 * signs and sizes are, and however roundings depend on each other (Higham, Accuracy and Stability of Numerical
 * Algorithms, 2nd ed., lemma 8.4). Accumulators and trees (numerics/sums.h), tiles, partial sums and regions round a
 * term less often; docs/instruction-set.md has their shapes, tests/property/test_rounds.c holds these numbers against
 * programs, record by record.
 *
 * Of solves with A the outer factor is L and the inner one U, an outer line a row of L and a crossing line a column of
 * U; with A' they are U' and L', and rows are columns. Cost: O(|L| + |U| + |F|). */
#ifndef WLU_NUMERICS_ROUNDS_H
#define WLU_NUMERICS_ROUNDS_H

#include "base/context.h"
#include "matrix/sparse.h"

/* What a bound is of: the patterns and scales of pivots, all by position but the scales (pivot/pivots.h). */
typedef struct wlu_bounded_factors {
    const wlu_pattern *a;
    int32_t nblocks;
    const int32_t *block;                   /* nblocks + 1 */
    const int32_t *row, *col;               /* n: of A at each position */
    const int32_t *row_pos, *col_pos;       /* n: positions of A's */
    const int16_t *exponent, *col_exponent; /* n: of A's scales; columns': NULL where they are not scaled */
    const double *row_unit;                 /* n: brings the largest entry of each row into [1, 2) */
    const int32_t *row_largest;             /* n: and which entry of A that is */
    const int32_t *col_largest;             /* n: the entry that was largest in each column of its block, scaled */
    const int64_t *lp, *up, *fp;            /* n + 1 */
    const int32_t *li, *ui, *fi;
} wlu_bounded_factors;

/* How sums are made. in_order: term by term, by columns; nothing else counts then. */
typedef struct wlu_sum_shapes {
    int in_order;
    double whole, piece;  /* longer chains than `whole` are cut into pieces of so many terms, or a few more; 0: none */
    const uint8_t *tiled; /* n: 1 where the terms of a pivot are subtracted in order */
    /* n, of pivots that solves with A have a region for: how many tiles are subtracted, one by one, from y and from x;
     * -1 where there is a chain. NULL: no regions. */
    const int32_t *y_tiles, *x_tiles;
} wlu_sum_shapes;

/* n each, by position, in one block. */
typedef struct wlu_rounds {
    double *outer;    /* of the factorization, a term of an entry of either factor in the outer line, ... */
    double *crossing; /* ... in the crossing line: the less of the two counts */
    double *first;    /* of the first substitution, terms of F among them */
    double *second;   /* of the second one */
    double *loads;    /* entries of F in the outer line */
    double *entries;  /* entries of A in it, at most: those of L, U and F */
} wlu_rounds;

/* WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_rounds_find(wlu_context *ctx, const wlu_bounded_factors *factors, const wlu_sum_shapes *shapes,
                              int transposed, wlu_rounds *out);
void wlu_rounds_free(wlu_context *ctx, wlu_rounds *rounds);

#endif
