/* Names of elementary functions, and arguments for them by a seed, without a C library's functions and with one draw a
 * statement, so that all machines and compilers draw the same. */
#ifndef WLU_TEST_ELEMENTARY_POINTS_H
#define WLU_TEST_ELEMENTARY_POINTS_H

#include "check.h"
#include "model/elementary/elementary.h"

#include <string.h>

enum { POINTS_AT_A_TIME = 64 };

static inline const char *function_name(wlm_function f)
{
    static const char *const names[] = {
#define WLM_ONE(name) #name,
#define WLM_TWO(name) #name,
#include "model/elementary/functions.def"
#undef WLM_ONE
#undef WLM_TWO
    };
    return names[f];
}

static inline double point_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static inline uint64_t bits_of_point(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static inline double point_between(uint64_t *seed, double low, double high)
{
    return low + (high - low) * check_uniform(seed);
}
/* 2^e, -1022 <= e <= 1023. */
static inline double point_power(int32_t e)
{
    return point_of_bits((uint64_t)(e + 1023) << 52);
}

/* x, y with y log x mostly where x^y neither over- nor underflows, or just does. */
static inline void point_of_pow(uint64_t *seed, double *x, double *y)
{
    double log_of_result = point_between(seed, -750, 715);
    switch (check_below(seed, 5)) {
    case 0: { /* all magnitudes */
        int32_t e = check_below(seed, 2046) - 1022;
        *x = point_power(e) * point_between(seed, 1, 2);
        *y = log_of_result / (0.693 * (e + 0.45));
        return;
    }
    case 1: { /* near 1 */
        double d = point_between(seed, -1, 1);
        d *= point_power(-2 - check_below(seed, 50));
        *x = 1 + d;
        *y = log_of_result / (d - d * d / 2 + 1e-300);
        return;
    }
    case 2: /* whole exponents of both signs */
        *x = point_between(seed, -10, 10);
        *y = check_below(seed, 601) - 300;
        return;
    case 3: /* what models have */
        *x = point_between(seed, 0, 20);
        *y = point_between(seed, -5, 5);
        return;
    default: /* any bits */ *x = point_of_bits(check_random(seed)); *y = point_of_bits(check_random(seed));
    }
}

static inline double point_of_one(uint64_t *seed)
{
    double sign = check_random(seed) & 1 ? 1 : -1, part = check_uniform(seed);
    int32_t kind = check_below(seed, 6), few = check_below(seed, 52);
    switch (kind) {
    case 0: return point_of_bits(check_random(seed));
    case 1: return sign * part;
    case 2: return -750 + 1465 * part;
    case 3: return sign * (1 + part) * point_power(few - 37);
    case 4: { /* near multiples of pi / 2 */
        double k = (double)(check_random(seed) >> (12 + few));
        int32_t aside = check_below(seed, 5) - 2;
        return sign * point_of_bits(bits_of_point(k * 1.5707963267948966 + 1e-300) + (uint64_t)(int64_t)aside);
    }
    default: return 1 + sign * part * point_power(-few); /* near 1 */
    }
}

/* All quadrants, quotients of all magnitudes, near those where parts meet, and what over- and underflows. */
static inline void point_of_atan2(uint64_t *seed, double *y, double *x)
{
    static const double quotient[] = {0.4142135623730951, 1.0, 2.414213562373095, 0x1p-60, 0x1p60, 0x1p-1000};
    int32_t kind = check_below(seed, 4), few = check_below(seed, 6), aside = check_below(seed, 5) - 2;
    *x = point_of_one(seed);
    *y = point_of_one(seed);
    if (kind == 0) *y = point_of_bits(bits_of_point(*x * quotient[few]) + (uint64_t)(int64_t)aside);
    if (kind == 1) *y = *x * point_between(seed, -4, 4);
}

/* Mostly where erfc is no 0 and no 2. */
static inline double point_of_erf(uint64_t *seed)
{
    int32_t kind = check_below(seed, 4);
    if (kind == 0) return point_of_one(seed);
    return kind == 1 ? point_between(seed, -1, 1) : point_between(seed, -6.5, 27.5);
}

static inline void points_draw(wlm_function f, uint64_t *seed, double *a, double *b)
{
    for (int k = 0; k < POINTS_AT_A_TIME; k++)
        if (f == WLM_FUNCTION_pow) {
            point_of_pow(seed, &a[k], &b[k]);
        } else if (f == WLM_FUNCTION_atan2) {
            point_of_atan2(seed, &a[k], &b[k]);
        } else {
            a[k] = f == WLM_FUNCTION_erf || f == WLM_FUNCTION_erfc ? point_of_erf(seed) : point_of_one(seed);
            b[k] = 0;
        }
}

/* The same number, or both no number: signs and payloads of NaN are the processor's. */
static inline int points_agree(double x, double y)
{
    return bits_of_point(x) == bits_of_point(y) || (x != x && y != y);
}

#endif
