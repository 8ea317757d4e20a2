/* How well x solves a system, judged by the command line itself from the matrix as read. */
#ifndef WLU_RESIDUAL_H
#define WLU_RESIDUAL_H

#include <warplu/matrix_market.h>

#include "base/context.h"

/* The bound above which an answer is not called right; and of a solver in that precision. */
#define ANSWER_IS_RIGHT 1e-10

static inline double answer_is_right(warplu_precision precision)
{
    return precision == WARPLU_PRECISION_SINGLE ? 1e-4 : ANSWER_IS_RIGHT;
}

/* The largest over the right-hand sides of |b - A x| / (|A| |x| + |b|) in the infinity norm (A' where
 * transposed); 0 where b = 0 and x = 0, NaN where x is not finite. b, x: n by nrhs, complex where a is. NaN too where
 * there is no memory for it. */
double relative_residual(wlu_context *ctx, const warplu_mm_matrix *a, int transposed, int32_t nrhs, const double *b,
                         const double *x);

#endif
