/* Errors of a few rows as wholes, by sums of twice the digits. */
#ifndef WLU_NUMERICS_MARKED_ROWS_H
#define WLU_NUMERICS_MARKED_ROWS_H

#include "matrix/sparse.h"

/* The largest |r_i| / (max|A_i.| max|x| + |b_i|) over rows i of A (A' where transposed) with work[i] != 0, r = b - A x
 * (Ogita, Rump and Oishi, SIAM J. Sci. Comput. 26, 2005, algorithm 5.3): of a row of k entries r is off by 2^-53 |r|
 * and k^2 2^-106 (|A||x| + |b|) at most. |A||x| + |b| of these rows is in the range of numbers. work: wlu_check_work of
 * A. O(n + nnz). */
typedef double wlu_find_marked_error(const wlu_pattern *a, const double *entries, int transposed, const double *b,
                                     const double *x, double *work);
wlu_find_marked_error wlu_marked_error, wlu_marked_error_complex;

#endif
