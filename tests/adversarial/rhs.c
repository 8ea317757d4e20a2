/* Right-hand sides. See rhs.h. */
#include "rhs.h"

#include "attack.h"
#include "judge.h"
#include "support/check.h"
#include "support/wide.h"
#include "turn.h"

#include <math.h>
#include <string.h>

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

static double rounded(wide sum)
{
    return wide_abs(sum) < (wide)1e307 ? (double)sum : sum > 0 ? 1e307 : -1e307;
}

/* b := op(A) x, of pairs of parts, or of reals. */
static void multiply(const test_matrix *a, int op, const double *x, double *b)
{
    const int64_t doubles = test_matrix_doubles(a);
    wide *sum = calloc((size_t)(doubles * a->n), sizeof *sum);
    for (int32_t j = 0; j < a->n; j++)
        for (int32_t q = a->ptr[j]; q < a->ptr[j + 1]; q++) {
            const double *v = a->x + doubles * q, *y = x + doubles * (op != JUDGE_PLAIN ? a->idx[q] : j);
            wide *to = sum + doubles * (op != JUDGE_PLAIN ? j : a->idx[q]);
            wide im = doubles > 1 ? (op == JUDGE_CONJUGATE ? -v[1] : v[1]) : 0;
            to[0] += (wide)v[0] * (wide)y[0] - (doubles > 1 ? im * (wide)y[1] : 0);
            if (doubles > 1) to[1] += (wide)v[0] * (wide)y[1] + im * (wide)y[0];
        }
    for (int64_t i = 0; i < doubles * a->n; i++) b[i] = rounded(sum[i]);
    free(sum);
}

/* Complex numbers of these parts, in some way; reals as they are. */
static void turn_some(const test_matrix *a, uint64_t *seed, const double *v, double *to)
{
    if (test_matrix_doubles(a) == 1) {
        memcpy(to, v, (size_t)a->n * sizeof *to);
        return;
    }
    turn how = turn_draw(seed);
    turn_vector(&how, v, a->n, to);
}

/* b := op(A) x for an x of that many orders of magnitude. */
static void product_with(const test_matrix *a, uint64_t *seed, int op, double orders, double *b)
{
    size_t numbers = (size_t)(test_matrix_doubles(a) * a->n);
    double *v = malloc((size_t)a->n * sizeof *v), *x = malloc(numbers * sizeof *x);
    for (int32_t i = 0; i < a->n; i++)
        v[i] = (check_below(seed, 2) ? 1.0 : -1.0) * pow(10.0, orders * (2.0 * check_uniform(seed) - 1.0));
    turn_some(a, seed, v, x);
    multiply(a, op, x, b);
    free(v);
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

static void draw_rhs(const test_matrix *a, uint64_t *seed, int op, rhs_kind kind, double *to)
{
    int32_t n = a->n, one = check_below(seed, n);
    double power = attack_power(seed), orders = fabs(log10(power));
    if (kind == RHS_PRODUCT || kind == RHS_PRODUCT_GRADED) {
        product_with(a, seed, op, kind == RHS_PRODUCT ? 0.0 : orders / (1 + check_below(seed, 4)), to);
        return;
    }
    double *b = malloc((size_t)n * sizeof *b);
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
    turn_some(a, seed, b, to);
    free(b);
}

const char *rhs_draw(const test_matrix *a, uint64_t *seed, int op, int32_t nrhs, double *b, int32_t ld)
{
    rhs_kind kind = draw_kind(seed);
    int mixed = nrhs > 1 && check_below(seed, 3) == 0;
    for (int32_t k = 0; k < nrhs; k++)
        draw_rhs(a, seed, op, mixed ? draw_kind(seed) : kind, b + (int64_t)test_matrix_doubles(a) * k * ld);
    return names[mixed ? (int)RHS_KINDS : (int)kind];
}
