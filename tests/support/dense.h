/* Dense oracles: symbolic and numeric LU of the permuted, scaled matrix, and solution bounds, in extended
 * precision where they judge rounding. All matrices are n by n, column-major. O(n^3). */
#ifndef WLU_TEST_DENSE_H
#define WLU_TEST_DENSE_H

#include <float.h>

#include "pivot/pivots.h"

/* m(k, l) = 2^exponent a(row[k], col[l]) as the pivots order and scale it; the caller frees it. */
double *test_dense_permuted(int32_t n, const double *a, const wlu_pivots *pivots);

/* Pattern of L + U + F at pivot positions from the pattern of A alone: 1 where an entry is structural. Blocks are
 * eliminated on their own; entries above them are F. terms and height as in wlu_pivots. */
unsigned char *test_dense_symbolic(const wlu_pattern *a, const wlu_pivots *pivots, int64_t *terms, int32_t *height);

/* LU without exchanges of each diagonal block of m, in place, in long double: L below, U on and above, F
 * untouched. The caller frees it. */
long double *test_dense_lu(int32_t n, const double *m, const wlu_pivots *pivots);

/* Largest over the entries of |L U + F - m| / (|L||U| + |m|), for L U F given in one array as above. Backward
 * stable whatever the pivots: at most about n eps where L, U and F came from an LU in double precision. */
double test_dense_factor_error(int32_t n, const double *m, const double *lu, const wlu_pivots *pivots);

/* Largest over i of |b - op(a) x| / (|op(P L U Q + F)||x| + |b|), m and lu as above: the bound that a
 * triangular solve with these factors obeys up to a few n eps. transposed: of a'. */
double test_dense_solve_error(int32_t n, const double *a, const double *lu, const wlu_pivots *pivots, int transposed,
                              const double *b, const double *x);

/* Componentwise backward error of a x = b (a' x = b) as the public header defines it, residual in long double;
 * infinite where x is not finite. */
double test_dense_backward_error(int32_t n, const double *a, int transposed, const double *b, const double *x);

/* The inverse of a by Gauss-Jordan elimination with complete pivoting, rows and columns equilibrated, refined
 * until its error is small componentwise, and det a = *mantissa 2^*exponent, both in extended precision. The
 * caller frees it. NULL, and a determinant of 0, where no pivot is left. */
long double *test_dense_inverse(int32_t n, const double *a, long double *mantissa, int64_t *exponent);

#endif
