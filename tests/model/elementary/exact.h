/* Elementary functions in 120 bits by MPFR, and errors in units of the last place. */
#ifndef WLU_TEST_ELEMENTARY_EXACT_H
#define WLU_TEST_ELEMENTARY_EXACT_H

#include "model/elementary/elementary.h"

#include <math.h>
#include <mpfr.h>

enum { EXACT_BITS = 120 };

#define mpfr_rsqrt mpfr_rec_sqrt

static inline void exact_function(wlm_function f, mpfr_t r, mpfr_t a, mpfr_t b)
{
    switch (f) {
#define WLM_ONE(name) \
    case WLM_FUNCTION_##name: \
        mpfr_##name(r, a, MPFR_RNDN); \
        break;
#define WLM_TWO(name) \
    case WLM_FUNCTION_##name: \
        mpfr_##name(r, a, b, MPFR_RNDN); \
        break;
#include "model/elementary/functions.def"
#undef WLM_ONE
#undef WLM_TWO
    default: break;
    }
}

/* |y - r| in units of the last place of r as a double; infinite where y is not the NaN, the infinity, or the zero
 * with its sign that it has to be. r is overwritten. */
static inline double exact_error(double y, mpfr_t r, mpfr_t difference)
{
    if (mpfr_nan_p(r) || isnan(y)) return mpfr_nan_p(r) && isnan(y) ? 0 : INFINITY;
    if (mpfr_zero_p(r)) return y == 0 && !signbit(y) == !mpfr_signbit(r) ? 0 : INFINITY;
    if (y == 0 && !signbit(y) != !mpfr_signbit(r)) return INFINITY;
    /* Infinite is what rounds to 2^1024. */
    if (mpfr_inf_p(r) || (isinf(y) && mpfr_get_exp(r) >= 1024)) {
        double nearest = mpfr_get_d(r, MPFR_RNDN);
        return isinf(nearest) && isinf(y) && signbit(y) == signbit(nearest) ? 0
               : isinf(y) && !isinf(nearest)                                ? 1
                                                                            : INFINITY;
    }
    long exponent = mpfr_get_exp(r) < -1021 ? -1021 : mpfr_get_exp(r);
    mpfr_sub_d(difference, r, y, MPFR_RNDN);
    mpfr_mul_2si(difference, difference, 53 - exponent, MPFR_RNDN);
    return fabs(mpfr_get_d(difference, MPFR_RNDN));
}

#endif
