/* Errors of the elementary functions against MPFR: exp and log at most 1 unit of the last place, the others at
 * most 2, at any double.
 *
 *     test_accuracy                      some thousand points of each function
 *     test_accuracy POINTS [FUNCTION]    so many, with the largest error of each; 10^7 take a minute a function */
#include "check.h"

#include "exact.h"
#include "points.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t points = 4000;
static const char *only;

typedef struct worst {
    double error, a, b, y;
} worst;

static worst sweep(wlm_function f, const wlm_elementary *set)
{
    worst w = {0};
    double a[POINTS_AT_A_TIME], b[POINTS_AT_A_TIME], y[POINTS_AT_A_TIME];
    uint64_t seed = 4711 + (uint64_t)f;
    mpfr_t x1, x2, r, difference;
    mpfr_inits2(53, x1, x2, (mpfr_ptr)NULL);
    mpfr_inits2(EXACT_BITS, r, difference, (mpfr_ptr)NULL);
    for (int64_t p = 0; p < points; p += POINTS_AT_A_TIME) {
        points_draw(f, &seed, a, b);
        set->function[f](y, a, b, POINTS_AT_A_TIME);
        for (int k = 0; k < POINTS_AT_A_TIME; k++) {
            mpfr_set_d(x1, a[k], MPFR_RNDN);
            mpfr_set_d(x2, b[k], MPFR_RNDN);
            exact_function(f, r, x1, x2);
            double error = exact_error(y[k], r, difference);
            if (error > w.error) w = (worst){error, a[k], b[k], y[k]};
        }
    }
    mpfr_clears(x1, x2, r, difference, (mpfr_ptr)NULL);
    return w;
}

static void errors_are_small(void)
{
    for (int k = 0; k < WLM_ELEMENTARY_FUNCTIONS; k++) {
        wlm_function f = (wlm_function)k;
        if (only != NULL && strcmp(only, function_name(f)) != 0) continue;
        double limit = f == WLM_FUNCTION_exp || f == WLM_FUNCTION_log ? 1 : 2;
        worst w = sweep(f, wlm_elementary_table(0));
        printf("# %s: %.3f ulp at %a, %a\n", function_name(f), w.error, w.a, w.b);
        CHECK_SAY(w.error <= limit, "%s(%a, %a) = %a: %g ulp", function_name(f), w.a, w.b, w.y, w.error);
    }
}

/* What the errors are measured with. */
static void an_error_is_seen(void)
{
    mpfr_t r, difference;
    mpfr_inits2(EXACT_BITS, r, difference, (mpfr_ptr)NULL);
    mpfr_set_d(r, 1.0, MPFR_RNDN);
    CHECK(exact_error(1 + 0x1p-52, r, difference) == 1);
    CHECK(exact_error(1, r, difference) == 0 && isinf(exact_error(NAN, r, difference)));
    CHECK(exact_error(INFINITY, r, difference) == INFINITY);
    mpfr_set_d(r, 0x1p-1074, MPFR_RNDN);
    CHECK(exact_error(0, r, difference) == 1 && isinf(exact_error(-0.0, r, difference)));
    mpfr_set_zero(r, 1);
    CHECK(exact_error(0, r, difference) == 0 && isinf(exact_error(-0.0, r, difference)));
    mpfr_set_inf(r, -1);
    CHECK(exact_error(-INFINITY, r, difference) == 0 && isinf(exact_error(INFINITY, r, difference)));
    mpfr_clears(r, difference, (mpfr_ptr)NULL);
}

int main(int argc, char **argv)
{
    if (argc > 1) points = atoll(argv[1]);
    if (argc > 2) only = argv[2];
    RUN(errors_are_small);
    RUN(an_error_is_seen);
    return check_done();
}
