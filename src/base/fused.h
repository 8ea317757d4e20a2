/* a b + c, rounded once: what C's fma is.
 *
 * That of MinGW-w64 10.0 is not: it rounds twice in places, and makes a NaN of a product beyond the largest double and
 * an infinity of the other sign. On Windows the library takes the processor's instruction or, where there is none,
 * integers: 30 ns, the same bits. */
#ifndef WLU_BASE_FUSED_H
#define WLU_BASE_FUSED_H

#include <math.h>

#if defined(_WIN32)
double wlu_fused(double a, double b, double c);
float wlu_fused_single(float a, float b, float c);
#else
#define wlu_fused(a, b, c) fma((a), (b), (c))
#define wlu_fused_single(a, b, c) fmaf((a), (b), (c))
#endif

/* Without the instruction; with a 128-bit type, which MinGW-w64 has for processors of 64 bits. */
double wlu_fused_exactly(double a, double b, double c);
float wlu_fused_single_exactly(float a, float b, float c);

#endif
