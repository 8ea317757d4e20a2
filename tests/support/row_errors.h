/* Errors of equations with very many entries, by sums of at least 106 bits where they are long: a judge for matrices
 * whose dense counterparts fit no memory. Its code shares nothing with the library's. O(nnz). */
#ifndef WLU_TEST_ROW_ERRORS_H
#define WLU_TEST_ROW_ERRORS_H

#include "matrices.h"

/* Which matrix is meant: a, its transpose, or of complex numbers its conjugate transpose. */
typedef enum row_errors_op { ROW_ERRORS_PLAIN, ROW_ERRORS_TRANSPOSED, ROW_ERRORS_CONJUGATE } row_errors_op;

/* Of an x for op(a) x = b, by moduli, a without duplicates, all finite and far from the ends of the range.
 *
 * whole: the largest |r|_i / (max|a_i.| max|x| + |b|_i); row: whose. componentwise: the largest |r|_i / (|a||x| +
 * |b|)_i, where that denominator is below 1000 n 2^-52 of the other one by the second form (Arioli, Demmel and Duff,
 * SIAM J. Matrix Anal. Appl. 10, 1989). */
typedef struct row_errors {
    double whole, componentwise;
    int32_t row;
} row_errors;

row_errors row_errors_of(const test_matrix *a, row_errors_op op, const double *b, const double *x);
/* b = op(a) x, by sums of doubles. */
void row_products(const test_matrix *a, row_errors_op op, const double *x, double *b);

#endif
