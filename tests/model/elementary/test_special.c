/* Values that C99, Annex F, gives for zeros, infinities, NaN and the ends of ranges, on every instruction set of
 * this machine. */
#include "check.h"

#include "points.h"

#include <math.h>

typedef struct value {
    wlm_function f;
    double a, b, result;
} value;

#define F(name) WLM_FUNCTION_##name
#define PI 0x1.921fb54442d18p1
#define TINY 0x1p-1074
#define HUGE_DOUBLE 0x1.fffffffffffffp1023

static const value of_one[] = {
    {F(exp), 0.0, 0, 1},
    {F(exp), -0.0, 0, 1},
    {F(exp), -INFINITY, 0, 0},
    {F(exp), INFINITY, 0, INFINITY},
    {F(exp), NAN, 0, NAN},
    {F(exp), HUGE_DOUBLE, 0, INFINITY},
    {F(exp), -HUGE_DOUBLE, 0, 0},
    {F(exp), 0x1.62e42fefa39fp9, 0, INFINITY}, /* the least that overflows */
    {F(exp), 0x1.62e42fefa39efp9, 0, 0x1.fffffffffff2ap1023},
    {F(exp), -0x1.74910d52d3051p9, 0, TINY}, /* the last that is not 0 */
    {F(exp), -0x1.74910d52d3052p9, 0, 0},
    {F(exp), TINY, 0, 1},
    {F(log), 1, 0, 0},
    {F(log), 0.0, 0, -INFINITY},
    {F(log), -0.0, 0, -INFINITY},
    {F(log), -TINY, 0, NAN},
    {F(log), -INFINITY, 0, NAN},
    {F(log), INFINITY, 0, INFINITY},
    {F(log), NAN, 0, NAN},
    {F(log), TINY, 0, -0x1.74385446d71c3p9},
    {F(log), HUGE_DOUBLE, 0, 0x1.62e42fefa39efp9},
    {F(log10), 1, 0, 0},
    {F(log10), 1000, 0, 3},
    {F(log10), 1e22, 0, 22},
    {F(log10), 0.0, 0, -INFINITY},
    {F(log10), -1, 0, NAN},
    {F(log10), INFINITY, 0, INFINITY},
    {F(log10), NAN, 0, NAN},
    {F(sin), 0.0, 0, 0.0},
    {F(sin), -0.0, 0, -0.0},
    {F(sin), TINY, 0, TINY},
    {F(sin), INFINITY, 0, NAN},
    {F(sin), -INFINITY, 0, NAN},
    {F(sin), NAN, 0, NAN},
    {F(sin), 0x1.6ac5b262ca1ffp849, 0, 1}, /* next to an odd multiple of pi / 2, by 2^-60 */
    {F(cos), 0x1.6ac5b262ca1ffp849, 0, -0x1.14ae72e6ba22fp-61},
    {F(cos), 0.0, 0, 1},
    {F(cos), INFINITY, 0, NAN},
    {F(cos), NAN, 0, NAN},
    {F(tan), -0.0, 0, -0.0},
    {F(tan), -TINY, 0, -TINY},
    {F(tan), INFINITY, 0, NAN},
    {F(tan), NAN, 0, NAN},
    {F(atan), -0.0, 0, -0.0},
    {F(atan), -TINY, 0, -TINY},
    {F(atan), INFINITY, 0, PI / 2},
    {F(atan), -INFINITY, 0, -PI / 2},
    {F(atan), 1, 0, PI / 4},
    {F(atan), NAN, 0, NAN},
    {F(tanh), -0.0, 0, -0.0},
    {F(tanh), TINY, 0, TINY},
    {F(tanh), INFINITY, 0, 1},
    {F(tanh), -INFINITY, 0, -1},
    {F(tanh), NAN, 0, NAN},
    {F(sinh), -0.0, 0, -0.0},
    {F(sinh), -TINY, 0, -TINY},
    {F(sinh), INFINITY, 0, INFINITY},
    {F(sinh), -INFINITY, 0, -INFINITY},
    {F(sinh), -HUGE_DOUBLE, 0, -INFINITY},
    {F(sinh), NAN, 0, NAN},
    {F(cosh), -0.0, 0, 1},
    {F(cosh), -INFINITY, 0, INFINITY},
    {F(cosh), HUGE_DOUBLE, 0, INFINITY},
    {F(cosh), NAN, 0, NAN},
    {F(asin), -0.0, 0, -0.0},
    {F(asin), TINY, 0, TINY},
    {F(asin), 1, 0, PI / 2},
    {F(asin), -1, 0, -PI / 2},
    {F(asin), 1 + 0x1p-52, 0, NAN},
    {F(asin), -INFINITY, 0, NAN},
    {F(asin), NAN, 0, NAN},
    {F(acos), 1, 0, 0.0},
    {F(acos), -1, 0, PI},
    {F(acos), 0, 0, PI / 2},
    {F(acos), -1 - 0x1p-52, 0, NAN},
    {F(acos), INFINITY, 0, NAN},
    {F(acos), NAN, 0, NAN},
    {F(expm1), -0.0, 0, -0.0},
    {F(expm1), -TINY, 0, -TINY},
    {F(expm1), -INFINITY, 0, -1},
    {F(expm1), -HUGE_DOUBLE, 0, -1},
    {F(expm1), INFINITY, 0, INFINITY},
    {F(expm1), HUGE_DOUBLE, 0, INFINITY},
    {F(expm1), NAN, 0, NAN},
    {F(log1p), -0.0, 0, -0.0},
    {F(log1p), TINY, 0, TINY},
    {F(log1p), -1, 0, -INFINITY},
    {F(log1p), -1 - 0x1p-52, 0, NAN},
    {F(log1p), INFINITY, 0, INFINITY},
    {F(log1p), -INFINITY, 0, NAN},
    {F(log1p), NAN, 0, NAN},
    {F(erf), 0.0, 0, 0.0},
    {F(erf), -0.0, 0, -0.0},
    {F(erf), TINY, 0, TINY},
    {F(erf), -TINY, 0, -TINY},
    {F(erf), 6, 0, 1},
    {F(erf), INFINITY, 0, 1},
    {F(erf), -INFINITY, 0, -1},
    {F(erf), HUGE_DOUBLE, 0, 1},
    {F(erf), NAN, 0, NAN},
    {F(erfc), 0.0, 0, 1},
    {F(erfc), -0.0, 0, 1},
    {F(erfc), TINY, 0, 1},
    {F(erfc), INFINITY, 0, 0.0},
    {F(erfc), -INFINITY, 0, 2},
    {F(erfc), HUGE_DOUBLE, 0, 0.0},
    {F(erfc), -HUGE_DOUBLE, 0, 2},
    {F(erfc), 0x1.b39dc41e48bfcp4, 0, TINY}, /* the last that is not 0 */
    {F(erfc), 0x1.b39dc41e48bfdp4, 0, 0.0},
    {F(erfc), NAN, 0, NAN},
    {F(rsqrt), 4, 0, 0.5},
    {F(rsqrt), 0.0, 0, INFINITY},
    {F(rsqrt), -0.0, 0, -INFINITY},
    {F(rsqrt), INFINITY, 0, 0.0},
    {F(rsqrt), TINY, 0, 0x1p537},
    {F(rsqrt), HUGE_DOUBLE, 0, 0x1p-512},
    {F(rsqrt), -TINY, 0, NAN},
    {F(rsqrt), -INFINITY, 0, NAN},
    {F(rsqrt), NAN, 0, NAN},
};

/* F.9.1.4, in its order, and what over- and underflows. */
static const value of_atan2[] = {
    {F(atan2), 0.0, -0.0, PI},
    {F(atan2), -0.0, -0.0, -PI},
    {F(atan2), 0.0, 0.0, 0.0},
    {F(atan2), -0.0, 0.0, -0.0},
    {F(atan2), 0.0, -1, PI},
    {F(atan2), -0.0, -TINY, -PI},
    {F(atan2), 0.0, 1, 0.0},
    {F(atan2), -0.0, INFINITY, -0.0},
    {F(atan2), -1, 0.0, -PI / 2},
    {F(atan2), -TINY, -0.0, -PI / 2},
    {F(atan2), 1, -0.0, PI / 2},
    {F(atan2), HUGE_DOUBLE, 0.0, PI / 2},
    {F(atan2), 1, -INFINITY, PI},
    {F(atan2), -HUGE_DOUBLE, -INFINITY, -PI},
    {F(atan2), 1, INFINITY, 0.0},
    {F(atan2), -TINY, INFINITY, -0.0},
    {F(atan2), INFINITY, -1, PI / 2},
    {F(atan2), -INFINITY, HUGE_DOUBLE, -PI / 2},
    {F(atan2), INFINITY, -INFINITY, 0x1.2d97c7f3321d2p1},
    {F(atan2), -INFINITY, -INFINITY, -0x1.2d97c7f3321d2p1},
    {F(atan2), INFINITY, INFINITY, PI / 4},
    {F(atan2), -INFINITY, INFINITY, -PI / 4},
    {F(atan2), NAN, 1, NAN},
    {F(atan2), 1, NAN, NAN},
    {F(atan2), NAN, INFINITY, NAN},
    {F(atan2), INFINITY, NAN, NAN},
    {F(atan2), 0.0, NAN, NAN},
    {F(atan2), HUGE_DOUBLE, HUGE_DOUBLE, PI / 4},
    {F(atan2), TINY, -TINY, 0x1.2d97c7f3321d2p1},
    {F(atan2), TINY, 1, TINY},
    {F(atan2), -TINY, 2, -0.0},
    {F(atan2), TINY, HUGE_DOUBLE, 0.0},
    {F(atan2), 0x1p-1000, 0x1p10, 0x1p-1010},
};

/* F.9.4.4, in its order. */
static const value of_pow[] = {
    {F(pow), 0.0, -3, INFINITY},
    {F(pow), -0.0, -3, -INFINITY},
    {F(pow), -0.0, -0x1.fffffffffffffp52, -INFINITY}, /* the largest odd exponent */
    {F(pow), 0.0, -2, INFINITY},
    {F(pow), -0.0, -2, INFINITY},
    {F(pow), -0.0, -0.5, INFINITY},
    {F(pow), -0.0, -0x1p53, INFINITY},
    {F(pow), -0.0, -INFINITY, INFINITY},
    {F(pow), 0.0, 3, 0.0},
    {F(pow), -0.0, 3, -0.0},
    {F(pow), -0.0, 2, 0.0},
    {F(pow), -0.0, 0.5, 0.0},
    {F(pow), -0.0, INFINITY, 0.0},
    {F(pow), -1, INFINITY, 1},
    {F(pow), -1, -INFINITY, 1},
    {F(pow), 1, NAN, 1},
    {F(pow), 1, INFINITY, 1},
    {F(pow), 1, -HUGE_DOUBLE, 1},
    {F(pow), NAN, 0.0, 1},
    {F(pow), NAN, -0.0, 1},
    {F(pow), INFINITY, 0.0, 1},
    {F(pow), 0.0, 0.0, 1},
    {F(pow), -8, 1.0 / 3, NAN},
    {F(pow), -TINY, 0.5, NAN},
    {F(pow), -1, TINY, NAN},
    {F(pow), 0.5, -INFINITY, INFINITY},
    {F(pow), -0.5, -INFINITY, INFINITY},
    {F(pow), 2, -INFINITY, 0.0},
    {F(pow), -2, -INFINITY, 0.0},
    {F(pow), 1 - 0x1p-53, INFINITY, 0.0},
    {F(pow), -0.5, INFINITY, 0.0},
    {F(pow), 1 + 0x1p-52, INFINITY, INFINITY},
    {F(pow), -2, INFINITY, INFINITY},
    {F(pow), -INFINITY, -3, -0.0},
    {F(pow), -INFINITY, -2, 0.0},
    {F(pow), -INFINITY, -0.5, 0.0},
    {F(pow), -INFINITY, 3, -INFINITY},
    {F(pow), -INFINITY, 2, INFINITY},
    {F(pow), -INFINITY, 0.5, INFINITY},
    {F(pow), -INFINITY, INFINITY, INFINITY},
    {F(pow), INFINITY, -TINY, 0.0},
    {F(pow), INFINITY, TINY, INFINITY},
    {F(pow), NAN, 1, NAN},
    {F(pow), 2, NAN, NAN},
    {F(pow), -NAN, -1, NAN},
    /* and numbers */
    {F(pow), -1, 0x1.fffffffffffffp52, -1},
    {F(pow), -1, 0x1p53, 1},
    {F(pow), -2, 3, -8},
    {F(pow), -2, -1074, TINY},
    {F(pow), -2, -1073, -2 * TINY},
    {F(pow), 2, 1023, 0x1p1023},
    {F(pow), 2, 1024, INFINITY},
    {F(pow), -2, 1025, -INFINITY},
    {F(pow), 2, -1076, 0.0},
    {F(pow), 10, 3, 1000},
    {F(pow), 3, 20, 3486784401},
    {F(pow), TINY, 1, TINY},
    {F(pow), HUGE_DOUBLE, 1, HUGE_DOUBLE},
    {F(pow), HUGE_DOUBLE, HUGE_DOUBLE, INFINITY},
    {F(pow), HUGE_DOUBLE, -HUGE_DOUBLE, 0.0},
    {F(pow), TINY, HUGE_DOUBLE, 0.0},
    {F(pow), 2, TINY, 1},
    {F(pow), 4, 0.5, 2},
};

static void compare(const wlm_elementary *set, const value *values, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        const value *v = &values[k];
        double a[8], b[8], y[8];
        for (int lane = 0; lane < 8; lane++) { /* alone among others: no lane depends on its neighbours */
            a[lane] = lane == 5 ? v->a : 0.75;
            b[lane] = lane == 5 ? v->b : 1.5;
        }
        set->function[v->f](y, a, b, 8);
        CHECK_SAY(points_agree(y[5], v->result), "%s: %s(%a, %a) = %a, expected %a", set->name, function_name(v->f),
                  v->a, v->b, y[5], v->result);
        CHECK(points_agree(y[0], y[7]) && y[0] == y[0]);
    }
}

static void functions_of_one(void)
{
    for (int k = 0; wlm_elementary_table(k) != NULL; k++)
        compare(wlm_elementary_table(k), of_one, sizeof of_one / sizeof *of_one);
}

static void functions_of_two(void)
{
    for (int k = 0; wlm_elementary_table(k) != NULL; k++) {
        compare(wlm_elementary_table(k), of_pow, sizeof of_pow / sizeof *of_pow);
        compare(wlm_elementary_table(k), of_atan2, sizeof of_atan2 / sizeof *of_atan2);
    }
}

/* Every function has its values above, and its name. */
static void no_function_is_forgotten(void)
{
    for (int f = 0; f < WLM_ELEMENTARY_FUNCTIONS; f++) {
        int found = f == WLM_FUNCTION_pow || f == WLM_FUNCTION_atan2;
        for (size_t k = 0; k < sizeof of_one / sizeof *of_one; k++) found |= (int)of_one[k].f == f;
        CHECK_SAY(found, "%s", function_name((wlm_function)f));
    }
    CHECK(strcmp(function_name(WLM_FUNCTION_log1p), "log1p") == 0 && wlm_function_arguments(WLM_FUNCTION_pow) == 2);
}

int main(void)
{
    RUN(functions_of_one);
    RUN(functions_of_two);
    RUN(no_function_is_forgotten);
    return check_done();
}
