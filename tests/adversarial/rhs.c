/* Right-hand sides. See rhs.h. */
#include "rhs.h"

#include "attack.h"
#include "support/check.h"
#include "support/wide.h"

#include <math.h>

typedef enum rhs_kind {
    RHS_UNIFORM,
    RHS_GRADED,
    RHS_TINY,
    RHS_HUGE,
    RHS_ZERO,
    RHS_UNIT,
    RHS_PRODUCT,
    RHS_PRODUCT_GRADED,
    RHS_NOT_FINITE,
    RHS_KINDS
} rhs_kind;

/* b := op(A) x for an x of that many orders of magnitude. */
static void product_with(const test_matrix *a, uint64_t *seed, int transposed, double orders, double *b)
{
    wide *sum = calloc((size_t)a->n, sizeof *sum);
    double *x = malloc((size_t)a->n * sizeof *x);
    for (int32_t i = 0; i < a->n; i++)
        x[i] = (check_below(seed, 2) ? 1.0 : -1.0) * pow(10.0, orders * (2.0 * check_uniform(seed) - 1.0));
    for (int32_t j = 0; j < a->n; j++)
        for (int32_t q = a->ptr[j]; q < a->ptr[j + 1]; q++) {
            int32_t i = a->idx[q];
            sum[transposed ? j : i] += (wide)a->x[q] * (wide)x[transposed ? i : j];
        }
    for (int32_t i = 0; i < a->n; i++)
        b[i] = wide_abs(sum[i]) < (wide)1e307 ? (double)sum[i] : sum[i] > 0 ? 1e307 : -1e307;
    free(sum);
    free(x);
}

static const char *const names[RHS_KINDS + 1] = {
    "b uniform",   "b graded",   "b near 1e-300", "b near 1e300", "b zero",
    "b one entry", "b = A(+-1)", "b = A(graded)", "b not finite", "b of several kinds",
};

static rhs_kind draw_kind(uint64_t *seed)
{
    int32_t dice = check_below(seed, 24);
    return dice < 8 ? RHS_UNIFORM : (rhs_kind)(dice < 23 ? RHS_UNIFORM + (dice - 8) / 2 : RHS_NOT_FINITE);
}

static void draw_rhs(const test_matrix *a, uint64_t *seed, int transposed, rhs_kind kind, double *b)
{
    int32_t n = a->n, one = check_below(seed, n);
    double power = attack_power(seed), orders = fabs(log10(power));
    if (kind == RHS_PRODUCT || kind == RHS_PRODUCT_GRADED) {
        product_with(a, seed, transposed, kind == RHS_PRODUCT ? 0.0 : orders / (1 + check_below(seed, 4)), b);
        return;
    }
    for (int32_t i = 0; i < n; i++) {
        double v = check_uniform(seed) - 0.5, grade = pow(10.0, orders * (2.0 * check_uniform(seed) - 1.0));
        b[i] = kind == RHS_GRADED                     ? v * grade
               : kind == RHS_TINY                     ? v * 1e-300
               : kind == RHS_HUGE                     ? v * 1e300
               : kind == RHS_ZERO || kind == RHS_UNIT ? 0.0
                                                      : v;
    }
    if (kind == RHS_UNIT) b[one] = check_below(seed, 2) ? 1.0 : power;
    if (kind == RHS_NOT_FINITE) b[one] = check_below(seed, 2) ? NAN : INFINITY;
}

const char *rhs_draw(const test_matrix *a, uint64_t *seed, int transposed, int32_t nrhs, double *b, int32_t ld)
{
    rhs_kind kind = draw_kind(seed);
    int mixed = nrhs > 1 && check_below(seed, 3) == 0;
    for (int32_t k = 0; k < nrhs; k++)
        draw_rhs(a, seed, transposed, mixed ? draw_kind(seed) : kind, b + (size_t)k * (size_t)ld);
    return names[mixed ? (int)RHS_KINDS : (int)kind];
}
