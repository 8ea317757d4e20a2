/* Estimates of the 1-norm of a matrix of which only products with vectors are known. */
#ifndef WLU_NUMERICS_NORM_H
#define WLU_NUMERICS_NORM_H

#include <stdint.h>

/* x = B x, or x = B' x where transposed, in place. */
typedef void (*wlu_apply)(void *user, int transposed, double *x);

/* A lower bound of ||B||_1, rounding aside, and seldom less than a third of it: Hager (SIAM J. Sci. Stat.
 * Comput. 5, 1984) in the form of Higham (ACM TOMS 14, 1988, algorithm 674), with its vector of alternating
 * signs against cancellation. Infinity where a product is not finite. B is n by n, of numbers of so many doubles; work
 * 2 n numbers; up to 7 products with B, 5 with B'. */
double wlu_estimate_norm(int32_t n, int doubles, wlu_apply apply, void *user, double *work);

/* The modulus of number k of so many doubles. */
double wlu_modulus(const double *x, int64_t k, int doubles);

#endif
