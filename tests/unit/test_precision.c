/* Single and mixed precision as their users see them: accuracy, and what says that they do not suffice. Bits:
 * tests/emulate. */
#include <warplu/batch.h>
#include <warplu/inspect.h>

#include "emulator/emulate.h"
#include "check.h"

#include "solver/solver.h"
#include "support/build.h"
#include "support/options.h"

#include <math.h>
#include <string.h>

enum { NMAX = 64, SIDES = 5, HILBERT = 12 };

static uint64_t seed = 3264;

static warplu_options options_of(warplu_executor executor, warplu_precision precision)
{
    warplu_options o;
    check_init_options(&o);
    o.executor = executor;
    o.precision = precision;
    return o;
}

static warplu_solver *solver_of(const warplu_options *o, const test_matrix *m)
{
    warplu_solver *s = NULL;
    CHECK(warplu_create(&s, o) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(s, m->n, m->ptr, m->idx, m->x) == WARPLU_SUCCESS && warplu_factor(s, m->x) == WARPLU_SUCCESS);
    return s;
}

static void the_cpu_has_double_precision_alone(void)
{
    for (int precision = WARPLU_PRECISION_SINGLE; precision <= WARPLU_PRECISION_MIXED; precision++) {
        warplu_options o = options_of(WARPLU_EXECUTOR_AUTO, (warplu_precision)precision);
        warplu_solver *s = NULL;
        CHECK(warplu_create(&s, &o) == WARPLU_PRECISION_UNSUPPORTED && s == NULL);
        o.executor = WARPLU_EXECUTOR_CPU;
        CHECK(warplu_create(&s, &o) == WARPLU_PRECISION_UNSUPPORTED && s == NULL);
    }
    for (int precision = -1; precision <= WARPLU_PRECISION_MIXED + 1; precision += WARPLU_PRECISION_MIXED + 2) {
        warplu_options o = options_of(WARPLU_EXECUTOR_REFERENCE, (warplu_precision)precision);
        warplu_solver *s = NULL;
        CHECK(warplu_create(&s, &o) == WARPLU_INVALID_ARGUMENT && s == NULL);
    }
}

/* max |b - A x|_i / (max|a_i.| max|x| + |b_i|), of A' where transposed: what unchecked solves promise. */
static double row_error(const test_matrix *m, int transposed, const double *b, const double *x)
{
    double r[NMAX], norm[NMAX] = {0}, largest = 0.0, worst = 0.0;
    memcpy(r, b, (size_t)m->n * sizeof *r);
    double *dense = test_matrix_dense(m); /* by columns */
    for (int32_t j = 0; j < m->n; j++)
        for (int32_t i = 0; i < m->n; i++) {
            double a = transposed ? dense[(int64_t)i * m->n + j] : dense[(int64_t)j * m->n + i];
            r[i] -= a * x[j];
            norm[i] = fmax(norm[i], fabs(a));
        }
    for (int32_t j = 0; j < m->n; j++) largest = fmax(largest, fabs(x[j]));
    for (int32_t i = 0; i < m->n; i++) worst = fmax(worst, fabs(r[i]) / (norm[i] * largest + fabs(b[i])));
    free(dense);
    return worst;
}

/* Both kinds of solve for several right-hand sides; the worst error, componentwise where that is promised. */
static double solve_both(warplu_solver *s, const test_matrix *m, const double *b, double *x)
{
    int32_t n = m->n;
    double worst = 0.0;
    for (int transposed = 0; transposed <= 1; transposed++) {
        double *to = x + transposed * SIDES * n, omega = 0.0;
        warplu_status status =
            transposed ? warplu_solve_transposed(s, SIDES, b, n, to, n) : warplu_solve(s, SIDES, b, n, to, n);
        CHECK_SAY(status == WARPLU_SUCCESS || status == WARPLU_REPIVOTED, "%s", warplu_status_name(status));
        if (s->target.precision == WARPLU_PRECISION_MIXED)
            CHECK(warplu_compute_backward_error(s, transposed, m->x, SIDES, b, n, to, n, &omega) == WARPLU_SUCCESS);
        for (int k = 0; k < SIDES && s->target.precision == WARPLU_PRECISION_SINGLE; k++)
            omega = fmax(omega, row_error(m, transposed, b + k * n, to + k * n));
        worst = fmax(worst, omega);
    }
    return worst;
}

/* Values of several replays: errors of the precision, of the reference and of the emulated device. Mixed precision
 * needs no checks for that; without them single precision promises nothing. */
static void compare(const test_recipe *recipe, warplu_precision precision, double least, double most)
{
    double b[SIDES * NMAX], x[2 * SIDES * NMAX], y[2 * SIDES * NMAX], worst = 0.0;
    test_matrix m;
    test_matrix_random(&m, &seed, recipe);
    warplu_options o = options_of(WARPLU_EXECUTOR_REFERENCE, precision);
    if (precision == WARPLU_PRECISION_MIXED) o.check = WARPLU_CHECK_OFF;
    warplu_solver *reference = solver_of(&o, &m);
    o.executor = TEST_EXECUTOR_EMULATE;
    warplu_solver *emulated = solver_of(&o, &m);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < SIDES * m.n; i++) b[i] = check_uniform(&seed) - 0.5;
        test_matrix_vary(&m, &seed, 0.1);
        CHECK(warplu_refactor(reference, m.x) >= WARPLU_SUCCESS && warplu_refactor(emulated, m.x) >= WARPLU_SUCCESS);
        double error = solve_both(reference, &m, b, x), other = solve_both(emulated, &m, b, y);
        worst = error > worst ? error : worst;
        CHECK_SAY(other <= most, "%s, n = %d: emulated, backward error %g", test_shape_name(recipe->shape), m.n, other);
    }
    CHECK_SAY(worst > least && worst <= most, "%s, n = %d: backward error %g", test_shape_name(recipe->shape), m.n,
              worst);
    warplu_destroy(&reference);
    warplu_destroy(&emulated);
    test_matrix_free(&m);
}

static void errors_are_those_of_the_precision(void)
{
    for (int t = 0; t < 2 * TEST_SHAPES; t++) {
        const test_recipe r = {.shape = (test_shape)(t / 2), .n = t % 2 ? 17 : 60, .duplicates = t % 3 == 0};
        compare(&r, WARPLU_PRECISION_SINGLE, 1e-12, 1e-4);
        compare(&r, WARPLU_PRECISION_MIXED, -1.0, 1e-14);
    }
}

/* Right-hand sides beyond the range of FP32: the same digits. */
static void right_hand_sides_may_be_of_any_size(void)
{
    static const double sizes[] = {0x1p-800, 0x1p-140, 0x1p140, 0x1p800};
    const test_recipe r = {.shape = TEST_GRID, .n = 49};
    for (int precision = WARPLU_PRECISION_SINGLE; precision <= WARPLU_PRECISION_MIXED; precision++) {
        double b[NMAX], x[NMAX], scaled[NMAX], y[NMAX];
        test_matrix m;
        test_matrix_random(&m, &seed, &r);
        warplu_options o = options_of(WARPLU_EXECUTOR_REFERENCE, (warplu_precision)precision);
        o.check = WARPLU_CHECK_OFF;
        warplu_solver *s = solver_of(&o, &m);
        for (int32_t i = 0; i < m.n; i++) b[i] = check_uniform(&seed) + 0.5;
        CHECK(warplu_solve(s, 1, b, m.n, x, m.n) == WARPLU_SUCCESS);
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            double worst = 0.0, largest = 0.0;
            for (int32_t i = 0; i < m.n; i++) scaled[i] = b[i] * sizes[k];
            CHECK(warplu_solve(s, 1, scaled, m.n, y, m.n) == WARPLU_SUCCESS);
            for (int32_t i = 0; i < m.n; i++) {
                worst = fmax(worst, fabs(y[i] / sizes[k] - x[i]));
                largest = fmax(largest, fabs(x[i]));
            }
            CHECK_SAY(worst <= (precision == WARPLU_PRECISION_SINGLE ? 1e-5 : 1e-13) * largest,
                      "precision %d, size %g: off by %g of %g", precision, sizes[k], worst, largest);
        }
        for (int32_t i = 0; i < m.n; i++) b[i] = 0.0;
        CHECK(warplu_solve(s, 1, b, m.n, x, m.n) == WARPLU_SUCCESS);
        for (int32_t i = 0; i < m.n; i++) CHECK(x[i] == 0.0);
        warplu_destroy(&s);
        test_matrix_free(&m);
    }
}

/* Members whose right-hand sides differ by powers of two have solutions that do. */
static void members_may_have_right_hand_sides_of_any_size(void)
{
    static const double sizes[] = {1.0, 0x1p-200, 0.25, 0.5, 2.0, 4.0, 0x1p200};
    enum { COUNT = sizeof sizes / sizeof *sizes };
    const test_recipe r = {.shape = TEST_GRID, .n = 49};
    double b[COUNT * NMAX], x[COUNT * NMAX];
    test_matrix m;
    warplu_batch *batch = NULL;
    warplu_batch_options how;
    test_matrix_random(&m, &seed, &r);
    warplu_options o = options_of(WARPLU_EXECUTOR_REFERENCE, WARPLU_PRECISION_SINGLE);
    o.check = WARPLU_CHECK_OFF;
    warplu_solver *s = solver_of(&o, &m);
    warplu_batch_init_options(&how);
    double *values = malloc(COUNT * (size_t)m.nnz * sizeof *values);
    for (int32_t k = 0; k < COUNT; k++) memcpy(values + (int64_t)k * m.nnz, m.x, (size_t)m.nnz * sizeof *values);
    for (int32_t i = 0; i < COUNT * m.n; i++) b[i] = i < m.n ? check_uniform(&seed) + 0.5 : b[i % m.n] * sizes[i / m.n];
    CHECK(warplu_batch_create(&batch, s, COUNT, &how) == WARPLU_SUCCESS);
    CHECK(warplu_batch_factor(batch, values) == WARPLU_SUCCESS);
    CHECK(warplu_batch_refactor_solve(batch, values, NULL, 0, 1, b, x) == WARPLU_SUCCESS);
    for (int32_t i = 0; i < COUNT * m.n; i++)
        CHECK_SAY(x[i] == x[i % m.n] * sizes[i / m.n], "size %g: %g and %g", sizes[i / m.n], x[i], x[i % m.n]);
    warplu_batch_destroy(&batch);
    warplu_destroy(&s);
    free(values);
    test_matrix_free(&m);
}

/* Dense, of condition 1e16: FP32 knows nothing of it. */
static void hilbert(test_matrix *m)
{
    memset(m, 0, sizeof *m);
    m->n = HILBERT;
    m->nnz = HILBERT * HILBERT;
    m->ptr = malloc((HILBERT + 1) * sizeof *m->ptr);
    m->idx = malloc((size_t)m->nnz * sizeof *m->idx);
    m->x = malloc((size_t)m->nnz * sizeof *m->x);
    for (int32_t j = 0; j <= HILBERT; j++) m->ptr[j] = HILBERT * j;
    for (int32_t j = 0; j < HILBERT; j++)
        for (int32_t i = 0; i < HILBERT; i++) {
            m->idx[HILBERT * j + i] = i;
            m->x[HILBERT * j + i] = 1.0 / (i + j + 1);
        }
}

static void what_FP32_cannot_solve_is_said(void)
{
    static const warplu_executor executors[] = {WARPLU_EXECUTOR_REFERENCE, TEST_EXECUTOR_EMULATE};
    double b[HILBERT], x[HILBERT], omega;
    test_matrix m;
    hilbert(&m);
    for (int k = 0; k < 2; k++) {
        warplu_statistics st = {.size = sizeof st};
        warplu_options o = options_of(executors[k], WARPLU_PRECISION_MIXED);
        o.check = WARPLU_CHECK_OFF;
        warplu_solver *s = solver_of(&o, &m);
        for (int i = 0; i < HILBERT; i++) b[i] = i % 3 - 1.0;
        warplu_status status = warplu_solve(s, 1, b, HILBERT, x, HILBERT);
        CHECK(warplu_compute_backward_error(s, 0, m.x, 1, b, HILBERT, x, HILBERT, &omega) == WARPLU_SUCCESS);
        CHECK(warplu_get_statistics(s, &st) == WARPLU_SUCCESS);
        CHECK_SAY(status == WARPLU_INACCURATE && omega > 1e-10, "%s, backward error %g", warplu_status_name(status),
                  omega);
        CHECK_SAY(fabs(st.backward_error - omega) <= 1e-3 * omega, "backward error %g, told %g", omega,
                  st.backward_error);
        warplu_destroy(&s);
        o.check = WARPLU_CHECK_SUSPECT; /* a check pivots again, whose factors are FP64 */
        s = solver_of(&o, &m);
        status = warplu_refactor(s, m.x);
        CHECK_SAY(status >= 0, "%s", warplu_status_name(status));
        status = warplu_solve(s, 1, b, HILBERT, x, HILBERT);
        CHECK(warplu_compute_backward_error(s, 0, m.x, 1, b, HILBERT, x, HILBERT, &omega) == WARPLU_SUCCESS);
        CHECK_SAY(status >= 0 && (omega <= 1e-10 || status == WARPLU_INACCURATE), "%s, backward error %g",
                  warplu_status_name(status), omega);
        warplu_destroy(&s);
    }
    test_matrix_free(&m);
}

/* What the scales of the pivots take below the smallest number there is: its solution underflows, and 0 is none. */
static void a_right_hand_side_that_underflows_is_not_solved(void)
{
    static const warplu_executor executors[] = {WARPLU_EXECUTOR_REFERENCE, TEST_EXECUTOR_EMULATE};
    static const int32_t ptr[] = {0, 1, 2}, idx[] = {0, 1};
    static const double values[] = {1e308, 1e308}, b[] = {0.0, 1e-30}, zero[] = {0.0, 0.0};
    for (int k = 0; k < 2; k++) {
        warplu_options o = options_of(executors[k], WARPLU_PRECISION_MIXED);
        warplu_statistics st = {.size = sizeof st};
        warplu_solver *s = NULL;
        double x[2];
        o.check = WARPLU_CHECK_OFF;
        CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS && warplu_analyze(s, 2, ptr, idx, values) == WARPLU_SUCCESS);
        CHECK(warplu_factor(s, values) == WARPLU_SUCCESS && warplu_refactor(s, values) == WARPLU_SUCCESS);
        warplu_status status = warplu_solve(s, 1, b, 2, x, 2);
        CHECK(warplu_get_statistics(s, &st) == WARPLU_SUCCESS);
        CHECK_SAY(status == WARPLU_INACCURATE && st.backward_error == 1.0, "%s, backward error %g, x = (%g, %g)",
                  warplu_status_name(status), st.backward_error, x[0], x[1]);
        CHECK(warplu_solve(s, 1, zero, 2, x, 2) == WARPLU_SUCCESS && x[0] == 0.0 && x[1] == 0.0);
        warplu_destroy(&s);
    }
}

/* No step allowed: a solution of FP32, and said so. */
static void refinement_steps_are_the_options(void)
{
    const test_recipe r = {.shape = TEST_GRID, .n = 49};
    double b[NMAX], x[NMAX];
    test_matrix m;
    test_matrix_random(&m, &seed, &r);
    for (int32_t i = 0; i < m.n; i++) b[i] = check_uniform(&seed) - 0.5;
    for (int steps = 0; steps <= 2; steps++) {
        warplu_statistics st = {.size = sizeof st};
        warplu_options o = options_of(WARPLU_EXECUTOR_REFERENCE, WARPLU_PRECISION_MIXED);
        o.check = WARPLU_CHECK_OFF;
        o.max_refinement_steps = steps;
        warplu_solver *s = solver_of(&o, &m);
        warplu_status status = warplu_solve(s, 1, b, m.n, x, m.n);
        CHECK_SAY(status == (steps > 0 ? WARPLU_SUCCESS : WARPLU_INACCURATE), "%d steps: %s", steps,
                  warplu_status_name(status));
        CHECK(warplu_get_statistics(s, &st) == WARPLU_SUCCESS && st.refinement_steps <= steps);
        CHECK_SAY(st.backward_error > 0.0 && st.backward_error <= (steps == 0 ? 1e-5 : 1e-11), "%d steps: %g", steps,
                  st.backward_error);
        warplu_destroy(&s);
    }
    test_matrix_free(&m);
}

int main(void)
{
    RUN(the_cpu_has_double_precision_alone);
    RUN(errors_are_those_of_the_precision);
    RUN(right_hand_sides_may_be_of_any_size);
    RUN(members_may_have_right_hand_sides_of_any_size);
    RUN(what_FP32_cannot_solve_is_said);
    RUN(a_right_hand_side_that_underflows_is_not_solved);
    RUN(refinement_steps_are_the_options);
    return check_done();
}
