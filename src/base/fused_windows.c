/* Fused multiplication and addition in integers of 128 bits. See fused.h.
 *
 * The product of two doubles has at most 106 bits, and stands in the upper part of a number of 126. The third is
 * aligned to it, or the product to the third where that is larger. What is shifted out is kept as one bit behind all
 * others: that is enough, because nothing cancels where bits are lost. The sum is rounded once,
 * to nearest, ties to even. */
#include "base/fused.h"

#include <stdint.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

enum {
    DIGITS = 53,
    LEAST = -1074,       /* exponent of the smallest double */
    ROOM = 20,           /* zeros behind the product: it ends below 2^126 */
    REACH = 126 - DIGITS /* how far the third may be shifted up */
};

/* x = m 2^e, m of 53 bits, for x finite and not 0. */
static uint64_t split(double x, int *e)
{
    const double m = frexp(fabs(x), e);
    *e -= DIGITS;
    return (uint64_t)ldexp(m, DIGITS);
}

/* The last bit of the result says whether a bit was lost. */
static wide shift_down(wide m, int by)
{
    if (by >= 128) return m != 0;
    return by == 0 ? m : m >> by | ((m << (128 - by)) != 0);
}

static int bits_of(wide m)
{
    const uint64_t high = (uint64_t)(m >> 64), low = (uint64_t)m;
    return high != 0 ? 128 - __builtin_clzll(high) : low != 0 ? 64 - __builtin_clzll(low) : 0;
}

/* m 2^e, rounded; a power of two below the least double is none. */
static double rounded(wide m, int e)
{
    int by = bits_of(m) - DIGITS;
    if (by < LEAST - e) by = LEAST - e;
    if (by <= 0) return ldexp((double)(uint64_t)m, e);
    if (by > 127) return 0.0;
    uint64_t kept = (uint64_t)(m >> by);
    const wide rest = m << (128 - by), half = (wide)1 << 127;
    kept += rest > half || (rest == half && (kept & 1) != 0);
    return ldexp((double)kept, e + by);
}

double wlu_fused_exactly(double a, double b, double c)
{
    if (!isfinite(a) || !isfinite(b) || a == 0.0 || b == 0.0) return a * b + c;
    if (!isfinite(c)) return c + 0.0;
    if (c == 0.0) return a * b;
    int ea, eb, ec;
    const uint64_t ma = split(a, &ea), mb = split(b, &eb), mc = split(c, &ec);
    wide product = (wide)ma * mb << ROOM, third = mc;
    int e = ea + eb - ROOM;
    if (ec - e > REACH) {
        product = shift_down(product, ec - REACH - e);
        third <<= REACH;
        e = ec - REACH;
    } else {
        third = ec >= e ? third << (ec - e) : shift_down(third, e - ec);
    }
    const int negative = (a < 0.0) != (b < 0.0), differ = negative != (c < 0.0);
    const int turns = differ && third > product;
    const wide sum = !differ ? product + third : turns ? third - product : product - third;
    if (sum == 0) return 0.0;
    const double magnitude = rounded(sum, e);
    return negative != turns ? -magnitude : magnitude;
}

/* The product is exact in double. The sum is rounded to odd there, from which rounding to float is right: double has
 * more than twice as many digits (S. Boldo and G. Melquiond, Emulation of a FMA and correctly rounded sums using
 * proved algorithms on rounding to odd, IEEE Transactions on Computers 57, 2008). */
float wlu_fused_single_exactly(float a, float b, float c)
{
    const double product = (double)a * b;
    volatile double sum = product + c;
    if (!isfinite(sum) || sum == 0.0) return (float)sum;
    volatile double of_c = sum - product;
    volatile double of_product = sum - of_c;
    const double lost = (product - of_product) + (c - of_c);
    double odd = sum;
    uint64_t bits;
    memcpy(&bits, &odd, sizeof bits);
    if (lost != 0.0 && (bits & 1) == 0) {
        bits = (lost > 0.0) == (odd > 0.0) ? bits + 1 : bits - 1;
        memcpy(&odd, &bits, sizeof odd);
    }
    return (float)odd;
}

#if defined(_WIN32)
#if defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("fma"))) static double by_instruction(double a, double b, double c)
{
    return _mm_cvtsd_f64(_mm_fmadd_sd(_mm_set_sd(a), _mm_set_sd(b), _mm_set_sd(c)));
}

__attribute__((target("fma"))) static float single_by_instruction(float a, float b, float c)
{
    return _mm_cvtss_f32(_mm_fmadd_ss(_mm_set_ss(a), _mm_set_ss(b), _mm_set_ss(c)));
}

#define HAS_INSTRUCTION() __builtin_cpu_supports("fma")
#else
#define by_instruction wlu_fused_exactly
#define single_by_instruction wlu_fused_single_exactly
#define HAS_INSTRUCTION() 0
#endif

double wlu_fused(double a, double b, double c)
{
    return HAS_INSTRUCTION() ? by_instruction(a, b, c) : wlu_fused_exactly(a, b, c);
}

float wlu_fused_single(float a, float b, float c)
{
    return HAS_INSTRUCTION() ? single_by_instruction(a, b, c) : wlu_fused_single_exactly(a, b, c);
}
#endif
