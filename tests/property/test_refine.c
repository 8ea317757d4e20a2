/* What the device decides solutions by (exec/device/refine.h), on the host, of numbers from anywhere in the range: an
 * error is the true one, or infinite where sums are out of range or below 1e-270; only a right-hand side of zeros has
 * the solution 0 at once. Rows side by side (exec/residual/row_lanes.h) come to the same bits, by all instruction
 * sets. */
#include "check.h"

#include "exec/cpu/instruction_set.h"
#include "exec/residual/refine.h"
#include "matrix/rows.h"
#include "numerics/backward_error.h"
#include "support/extremes.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { NMAX = 100, CASES = 30000 }; /* a full row of more than WLU_REFINE_LONG entries */

static const uint64_t SEED = 20260915;

/* Rows of op(A) as the device has them, in scales that take each row's largest entry to about 1. */
typedef struct packed {
    int32_t *begin, *column, *source, *next;
    uint16_t *power;
} packed;

static wlu_refine_rows pack(const test_extremes *t, packed *p)
{
    const wlu_pattern *a = t->a;
    size_t n = (size_t)a->n, nnz = (size_t)a->nnz;
    *p = (packed){malloc((n + 1) * sizeof *p->begin), malloc(nnz * sizeof *p->column), malloc(nnz * sizeof *p->source),
                  malloc(n * sizeof *p->next), malloc(n * sizeof *p->power)};
    if (t->transposed) {
        memcpy(p->begin, a->p, (n + 1) * sizeof *p->begin);
        memcpy(p->column, a->i, nnz * sizeof *p->column);
        for (int32_t e = 0; e < a->nnz; e++) p->source[e] = e;
    } else {
        wlu_bucket(a->n, a->p, a->i, NULL, p->begin, p->column, p->source, p->next);
    }
    for (int32_t i = 0; i < a->n; i++) {
        double largest = 0.0;
        for (int32_t k = p->begin[i]; k < p->begin[i + 1]; k++) largest = fmax(largest, fabs(t->entries[p->source[k]]));
        p->power[i] = wlu_upper_of_power(wlu_positive_inverse_power(largest));
    }
    return (wlu_refine_rows){p->begin, p->column, p->source, p->power, a->n, 1, a->n};
}

static void packed_free(packed *p)
{
    free(p->begin);
    free(p->column);
    free(p->source);
    free(p->next);
    free(p->power);
}

/* x NULL: before the first one. unknown: the largest of x. */
static void check_side_by_side(int64_t k, const test_extremes *t, const wlu_refine_rows *rows, const double *x,
                               double unknown)
{
    double r[NMAX], mine[NMAX];
    wlu_context ctx;
    wlu_row_lanes lanes;
    wlu_refine_control one = {.unknown = unknown};
    wlu_context_init(&ctx, NULL);
    CHECK(wlu_row_lanes_pack(&ctx, rows, &lanes) == WARPLU_SUCCESS);
    for (int32_t i = 0; i < rows->n; i++) wlu_refine_look_at(rows, t->entries, t->b, x, i, r, &one);
    for (wlu_instruction_set set = 0; set < WLU_SIMD_SETS; set++) {
        wlu_refine_control c = {.unknown = unknown};
        if (!wlu_instruction_set_supported(set)) continue;
        wlu_instruction_set_kernels(set, 1)->look_at(&lanes, rows->n, t->entries, t->b, x, mine, &c);
        for (int32_t q = 0; q < lanes.longs; q++)
            wlu_refine_look_at(rows, t->entries, t->b, x, lanes.long_row[q], mine, &c);
        int same = c.error == one.error && c.largest == one.largest;
        for (int32_t i = 0; i < rows->n; i++) same &= mine[i] == r[i] || (isnan(mine[i]) && isnan(r[i]));
        CHECK_SAY(same, "case %lld, %s, n = %d, %d long: error %g or %g", (long long)k, wlu_instruction_set_name(set),
                  rows->n, lanes.longs, wlu_double_of_bits(c.error), wlu_double_of_bits(one.error));
    }
    wlu_block_free(&ctx, &lanes.block);
}

static void check_case(int64_t k, const test_extremes *t, int64_t *told)
{
    wide rest[NMAX], scale[NMAX];
    double r[NMAX], largest_b = 0.0;
    packed p;
    wlu_refine_rows rows = pack(t, &p);
    test_verdicts v = test_extremes_judge(t, rest, scale);
    wlu_refine_control c = wlu_refine_fresh();
    for (int32_t i = 0; i < t->a->n; i++) {
        largest_b = fmax(largest_b, fabs(t->b[i]));
        c.unknown = fmax(c.unknown, fabs(t->x[i]));
    }
    check_side_by_side(k, t, &rows, NULL, 0.0);
    check_side_by_side(k, t, &rows, t->x, c.unknown);
    wlu_refine_control begun = wlu_refine_fresh();
    wlu_refine_look(&rows, t->entries, t->b, NULL, r, k % 2, 0.0, &begun);
    CHECK_SAY(begun.best == (largest_b == 0.0 ? 0.0 : INFINITY), "case %lld: error %g at the beginning, largest b %g",
              (long long)k, begun.best, largest_b);
    wlu_refine_look(&rows, t->entries, t->b, t->x, r, k % 2, 0.0, &c);
    int ends = v.least < (wide)1e-269 || v.most > (wide)DBL_MAX / 2;
    *told += c.best < INFINITY;
    double most = v.componentwise.most;
    if (t->a->n > WLU_REFINE_LONG) most = fmax(most, (v.whole.most + 1e-12) / WLU_REFINE_LONG); /* of long rows */
    CHECK_SAY((c.best >= v.componentwise.least && c.best <= most) || (c.best == INFINITY && ends),
              "case %lld, n = %d, A%s: %.17g, true is %.17g to %.17g", (long long)k, t->a->n, t->transposed ? "'" : "",
              c.best, v.componentwise.least, most);
    packed_free(&p);
}

static void errors_are_true_or_infinite(void)
{
#ifdef TEST_EXTREMES_MISSING
    SKIP("no arithmetic wider than double");
#endif
    int64_t told = 0;
    printf("# seed %llu\n", (unsigned long long)SEED);
    for (int64_t k = 0; k < CASES && check_failures < 20; k++) {
        if (!check_due()) continue;
        uint64_t seed = (SEED + (uint64_t)k) * UINT64_C(0x9e3779b97f4a7c15) | 1;
        wlu_context ctx;
        test_extremes t;
        wlu_context_init(&ctx, NULL);
        test_extremes_draw(&t, &ctx, &seed, NMAX);
        check_case(k, &t, &told);
        test_extremes_free(&t, &ctx);
    }
    printf("# %lld of %d finite\n", (long long)told, CASES);
    CHECK(told > 0);
}

/* max|a| max|x| is the largest number there is, and with b beside it overflows: an x that has nothing to do with b. */
static void a_bound_that_overflows_hides_nothing(void)
{
    const wlu_row_sums s = {0.0, 0.0, DBL_MAX};
    for (int exponent = 297; exponent <= 307; exponent++) {
        double b = pow(10.0, exponent), error = wlu_sums_error(&s, b, b, 1.0, 2);
        CHECK_SAY(error == 1.0, "b = %g: error %g", b, error);
    }
}

/* Rows side by side come to the bits of the row by itself: r, error and size. */
static void check_complex_lanes(const wlu_refine_rows *rows, const double *entries, const double *b, const double *x,
                                const double *r, const wlu_refine_control *alone)
{
    wlu_context ctx;
    wlu_row_lanes lanes;
    wlu_context_init(&ctx, NULL);
    CHECK(wlu_row_lanes_pack(&ctx, rows, &lanes) == WARPLU_SUCCESS);
    for (wlu_instruction_set set = 0; set < WLU_SIMD_SETS && lanes.longs == 0; set++) {
        wlu_refine_control c = {.unknown = alone->unknown};
        double mine[2];
        if (!wlu_instruction_set_supported(set)) continue;
        wlu_instruction_set_kernels(set, 2)->look_at(&lanes, 1, entries, b, x, mine, &c);
        CHECK_SAY(c.error == alone->error && c.largest == alone->largest && mine[0] == r[0] && mine[1] == r[1],
                  "%s, %d entries: error %g or %g", wlu_instruction_set_name(set), rows->begin[1],
                  wlu_double_of_bits(c.error), wlu_double_of_bits(alone->error));
    }
    wlu_block_free(&ctx, &lanes.block);
}

/* Of random complex numbers, rows short and long: no less than the true error, and at most 1.3 times that. */
static void complex_errors_are_at_most_too_large(void)
{
    enum { ROWS = 200, MOST = 2 * WLU_REFINE_LONG_SUMS };
    static double entries[2 * MOST], x[2 * MOST];
    static int32_t column[MOST];
    const uint16_t power = wlu_upper_of_power(1.0);
    uint64_t seed = SEED;
    for (int32_t k = 0; k < ROWS; k++) {
        const int32_t begin[] = {0, k < ROWS / 2 ? k % 12 : (int32_t)(check_uniform(&seed) * MOST)};
        const wlu_refine_rows rows = {begin, column, column, &power, 1, 2, MOST};
        wlu_refine_control c = wlu_refine_fresh();
        double b[] = {check_uniform(&seed), check_uniform(&seed)}, r[2];
        wide rest[] = {b[0], b[1]}, weight = hypot(b[0], b[1]);
        double norm = 0.0, unknown = 0.0;
        for (int32_t e = 0; e < begin[1]; e++) {
            double *a = entries + 2 * e, *y = x + 2 * e;
            column[e] = e;
            for (int q = 0; q < 2; q++) {
                a[q] = 2.0 * check_uniform(&seed) - 1.0;
                y[q] = 2.0 * check_uniform(&seed) - 1.0;
                c.unknown = fmax(c.unknown, fabs(y[q]));
            }
            rest[0] -= (wide)a[0] * y[0] - (wide)a[1] * y[1];
            rest[1] -= (wide)a[0] * y[1] + (wide)a[1] * y[0];
            weight += (wide)hypot(a[0], a[1]) * hypot(y[0], y[1]);
            norm = fmax(norm, hypot(a[0], a[1]));
            unknown = fmax(unknown, hypot(y[0], y[1]));
        }
        wlu_refine_look_at_complex(&rows, entries, b, x, 0, r, &c);
        double modulus = hypot((double)rest[0], (double)rest[1]), error = modulus / (double)weight;
        double found = wlu_double_of_bits(c.error), slack = 1e-14, times = 1.3;
        if (begin[1] > WLU_REFINE_LONG) { /* as a whole; largest x are sizes */
            double whole = modulus / (norm * unknown + hypot(b[0], b[1]));
            error = fmax(error, whole / WLU_REFINE_LONG);
            times = 1.9;
        }
        CHECK_SAY(found >= error - slack && found <= times * error + 100.0 * slack, "%d entries: error %g, true %g",
                  begin[1], found, error);
        CHECK(fabs(r[0] - (double)rest[0]) <= slack * (double)weight &&
              fabs(r[1] - (double)rest[1]) <= slack * (double)weight);
        CHECK(wlu_double_of_bits(c.largest) == fmax(fabs(r[0]), fabs(r[1])));
        check_complex_lanes(&rows, entries, b, x, r, &c);
    }
}

typedef struct form_case {
    double part; /* |A||x| over 1000 n eps max|a| max|x| */
    double first, second;
} form_case;

/* Whether it is no less than the error by the form that the part has, and little more. Between half of the usual part
 * and the whole, either. */
static void check_form(const char *how, const form_case *c, double found)
{
    const double slack = 1.0 + 1e-12;
    int first = found * slack >= c->first && found <= 1.6 * slack * c->first;
    int second = found * slack >= c->second && found <= 1.7 * slack * c->second;
    CHECK_SAY((first && c->part > 0.5) || (second && c->part <= 1.0), "%s: %.3f of the usual part: %g, not %g or %g",
              how, c->part, found, c->first, c->second);
}

/* What a number on the circle of this radius is. */
static void turn(uint64_t *seed, double radius, double *z)
{
    double angle = 2.0 * acos(-1.0) * check_uniform(seed);
    z[0] = radius * cos(angle);
    z[1] = radius * sin(angle);
}

/* Two equations of one unknown each, the first of which is so small that its error is by one form or the other. */
static void complex_errors_near_the_switch(void)
{
    static const int32_t ptr[] = {0, 1, 2}, idx[] = {0, 1}, begin[] = {0, 1, 2};
    const uint16_t power[] = {wlu_upper_of_power(1.0), wlu_upper_of_power(1.0)};
    uint64_t seed = SEED + 1;
    wlu_context ctx;
    wlu_pattern *a = NULL;
    wlu_rows *rows = NULL;
    wlu_context_init(&ctx, NULL);
    CHECK(wlu_pattern_create(&ctx, WARPLU_STORAGE_CSC, 2, ptr, idx, &a) == WARPLU_SUCCESS);
    a->doubles = 2;
    CHECK(wlu_rows_create(&ctx, a, wlu_residual_kernel(2), &rows) == WARPLU_SUCCESS);
    for (int k = 0; k < 20000; k++) {
        const double usual = 1000.0 * 2 * DBL_EPSILON;
        double entries[4], x[4], b[4] = {0}, r[4], one[2], work[64];
        form_case c = {.part = 0.2 + check_uniform(&seed)};
        turn(&seed, 1.0, entries);
        turn(&seed, 1.0, entries + 2);
        turn(&seed, c.part * usual, x);
        turn(&seed, 1.0, x + 2);
        b[2] = entries[2] * x[2] - entries[3] * x[3];
        b[3] = entries[2] * x[3] + entries[3] * x[2];
        c.first = 1.0; /* b_0 is 0: r is all that there is */
        c.second = c.part * usual / (c.part * usual + 1.0);
        const wlu_refine_rows flat = {begin, idx, idx, power, 2, 2, 2};
        wlu_refine_control control = wlu_refine_fresh();
        for (int q = 0; q < 4; q++) control.unknown = fmax(control.unknown, fabs(x[q]));
        wlu_refine_look_at_complex(&flat, entries, b, x, 0, r, &control);
        check_form("refined", &c, wlu_double_of_bits(control.error));
        const wlu_refine_rows alone = {begin, idx, idx, power, 1, 2, 2};
        wlu_refine_control same = {.unknown = control.unknown};
        wlu_refine_look_at_complex(&alone, entries, b, x, 0, one, &same);
        check_complex_lanes(&alone, entries, b, x, one, &same);
        for (int by_rows = 0; by_rows <= 1; by_rows++) {
            wlu_checked m = {a, by_rows ? rows : NULL, entries, NULL};
            wlu_errors found = wlu_backward_errors(&m, 0, b, x, (wlu_errors){0.0, INFINITY}, work);
            check_form(by_rows ? "by rows" : "by columns", &c, found.componentwise);
        }
    }
    wlu_rows_destroy(&ctx, &rows);
    wlu_pattern_destroy(&ctx, &a);
}

int main(void)
{
    RUN(complex_errors_near_the_switch);
    RUN(complex_errors_are_at_most_too_large);
    RUN(a_bound_that_overflows_hides_nothing);
    RUN(errors_are_true_or_infinite);
    return check_done();
}
