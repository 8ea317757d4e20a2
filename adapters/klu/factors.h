/* A solver with what KLU's structures show of its factors, whatever indices the caller has: the orders and scales
 * of its pivots, read again when the pivots are others, and the diagonal of U, read after every factorization, in
 * O(n). */
#ifndef WK_FACTORS_H
#define WK_FACTORS_H

#include <warplu/inspect.h>

typedef struct wk_factors {
    warplu_solver *solver; /* NULL: the matrix is structurally singular */
    int32_t n, doubles;    /* doubles: of a value, 1 or 2 */
    int usable;            /* the last factorization has left factors */
    int64_t number;        /* of the pivots that what follows describes; 0: of none */

    int32_t blocks;
    int64_t lnz, unz, nzoff;      /* L and U with their diagonals */
    int64_t block_lnz, block_unz; /* the most in one block */
    int32_t *row, *col;           /* n: of each pivot */
    int32_t *block;               /* blocks + 1 */
    double *row_scale, *col_scale;
    double *diagonal; /* n values: room for U's, scaled */
} wk_factors;

/* Room for n. 0: there is no memory; wk_factors_release then, too. */
int wk_factors_create(wk_factors *f, int32_t n, int doubles);
/* Closes the solver, too. */
void wk_factors_release(wk_factors *f);

/* Reads orders and scales of the factors at hand; *moved is 1 where pivots are others than before, else nothing has
 * changed. Statuses of warplu_extract_factors. */
warplu_status wk_factors_read(wk_factors *f, int *moved);

#endif
