/* Componentwise backward error of a solution. */
#ifndef WLU_CHECK_ERROR_H
#define WLU_CHECK_ERROR_H

#include "base/sparse.h"

/* The largest over i of |r_i| / (|A||x| + |b|)_i with r = b - A x (A' where transposed); where the denominator
 * is below 1000 n eps (max|A_i.| max|x| + |b_i|), the second form |r_i| / ((|A||x|)_i + max|A_i.| max|x|)
 * (Arioli, Demmel and Duff, SIAM J. Matrix Anal. Appl. 10, 1989). 0 where r_i = 0; NaN or infinity in, NaN out.
 * An upper bound of at most `enough` may be returned instead (0: none). entries: the pattern's gathered values. r (n) takes
 * the residual; work: 2 n. O(n + nnz). */
double wlu_backward_error(const wlu_pattern *a, const double *entries, int transposed, const double *b,
                          const double *x, double enough, double *r, double *work);

#endif
