/* A number with more digits and a far wider exponent than double, so that no product of doubles leaves its range:
 * long double where it is 80 or 128 bits, else __float128. Where there is neither, WIDE_MISSING is defined. */
#ifndef WLU_WIDE_H
#define WLU_WIDE_H

#include <float.h>

#if LDBL_MAX_EXP >= 16384 && LDBL_MANT_DIG >= 64
typedef long double wide;
#elif defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 wide;
#else
#define WIDE_MISSING 1
typedef double wide;
#endif

static inline wide wide_abs(wide a)
{
    return a < 0 ? -a : a;
}

/* a 2^k, exact while it stays in range. */
static inline wide wide_scale(wide a, int k)
{
    for (; k >= 512; k -= 512) a *= (wide)0x1p512;
    for (; k <= -512; k += 512) a *= (wide)0x1p-512;
    for (; k > 0; k--) a *= 2;
    for (; k < 0; k++) a *= (wide)0.5;
    return a;
}

#endif
