/* The fused multiplication and addition of Windows builds, against this machine's: numbers from the whole range,
 * special ones, third terms that cancel all or most of the product, and such as decide which way a tie goes. */
#include "base/fused.h"

#include <float.h>
#include <string.h>

#include "check.h"

enum { CASES = 300000 };

static uint64_t seed = 1;

static double any_number(void)
{
    static const double special[] = {
        0.0,       -0.0,       1.0,     -1.0,    INFINITY, -INFINITY,         NAN,
        0x1p-1074, -0x1p-1074, DBL_MIN, DBL_MAX, -DBL_MAX, 1.0 + DBL_EPSILON, 1.0 - DBL_EPSILON / 2,
        FLT_MIN,   FLT_MAX};
    uint64_t kind = check_random(&seed) % 32, bits = check_random(&seed);
    double x;
    if (kind < 16) return special[kind];
    if (kind < 28) bits = (bits & UINT64_C(0x800fffffffffffff)) | (uint64_t)(1023 - 90 + kind * 7) << 52;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* 1 + k 2^-bits: products of such two are often halfway between two numbers of twice their bits, less one. */
static double short_number(int bits)
{
    return 1.0 + (double)(check_random(&seed) % 4096) * ldexp(1.0, -bits);
}

static double tiny_number(int range)
{
    return ldexp(check_random(&seed) % 2 != 0 ? 1.0 : -1.0, -100 - (int)(check_random(&seed) % (uint64_t)range));
}

static int same(double x, double y)
{
    return (isnan(x) && isnan(y)) || (x == y && signbit(x) == signbit(y));
}

static void is_rounded_once(void)
{
    for (int k = 0; k < CASES; k++) {
        volatile double a = any_number(), b = any_number(), c = any_number();
        uint64_t kind = check_random(&seed) % 8;
        if (kind < 2) c = -(a * b);
        if (kind == 1) c = nextafter(c, INFINITY);
        if (kind == 2) a = short_number(26), b = short_number(27), c = tiny_number(900);
        const double found = wlu_fused_exactly(a, b, c), expected = wlu_fused(a, b, c);
        CHECK_SAY(same(found, expected), "%a * %a + %a: %a, not %a", a, b, c, found, expected);
    }
}

static void single_is_rounded_once(void)
{
    for (int k = 0; k < CASES; k++) {
        volatile float a = (float)any_number(), b = (float)any_number(), c = (float)any_number();
        uint64_t kind = check_random(&seed) % 4;
        if (kind == 0) c = -(a * b);
        if (kind == 1) a = (float)short_number(12), b = (float)short_number(12), c = (float)tiny_number(40);
        const float found = wlu_fused_single_exactly(a, b, c), expected = wlu_fused_single(a, b, c);
        CHECK_SAY(same(found, expected), "%a * %a + %a: %a, not %a", a, b, c, found, expected);
    }
}

int main(void)
{
    RUN(is_rounded_once);
    RUN(single_is_rounded_once);
    return check_done();
}
