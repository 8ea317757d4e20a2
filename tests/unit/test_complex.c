/* Complex values, as callers see them: every kind of solve of random matrices, judged in long double outside of the
 * library; what is not finite; singular matrices; saved files; determinant, factors, condition numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <warplu/complex.h>
#include <warplu/inspect.h>
#include <warplu/save.h>

#include "check.h"
#include "matrices.h"
#include "simd.h"
#include "stages.h"

enum { NMAX = 90, SIDES = 9 };

typedef struct system {
    test_matrix m; /* its real parts */
    double *z;     /* values */
    double b[2 * NMAX * SIDES], x[2 * NMAX * SIDES];
} system_of;

static double draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 33) / 1073741824.0 - 1.0;
}

/* Imaginary parts of like size; an explicit zero stays one. */
static void open_system(system_of *s, uint64_t *seed, const test_recipe *recipe)
{
    test_matrix_random(&s->m, seed, recipe);
    s->z = malloc(2 * (size_t)s->m.nnz * sizeof *s->z + 1);
    for (int32_t q = 0; q < s->m.nnz; q++) {
        s->z[2 * q] = s->m.x[q];
        s->z[2 * q + 1] = s->m.x[q] * draw(seed);
    }
    for (int k = 0; k < 2 * NMAX * SIDES; k++) s->b[k] = draw(seed);
}

static void close_system(system_of *s)
{
    test_matrix_free(&s->m);
    free(s->z);
}

static void vary(system_of *s, uint64_t *seed)
{
    for (int32_t q = 0; q < 2 * s->m.nnz; q++) s->z[q] *= 1.0 + 0.2 * draw(seed);
}

typedef enum form { PLAIN, TRANSPOSED, CONJUGATE, FORMS } form;

/* The largest error of an equation as a whole, by moduli. */
static double error_of(const system_of *s, form f, const double *b, const double *x)
{
    long double r[2 * NMAX], most[NMAX] = {0}, sum[2];
    double xmax = 0.0, worst = 0.0;
    for (int32_t i = 0; i < s->m.n; i++) {
        r[2 * i] = b[2 * i];
        r[2 * i + 1] = b[2 * i + 1];
        xmax = fmax(xmax, hypot(x[2 * i], x[2 * i + 1]));
    }
    for (int32_t j = 0; j < s->m.n; j++)
        for (int32_t q = s->m.ptr[j]; q < s->m.ptr[j + 1]; q++) {
            int32_t row = f == PLAIN ? s->m.idx[q] : j, col = f == PLAIN ? j : s->m.idx[q];
            long double re = s->z[2 * q], im = f == CONJUGATE ? -s->z[2 * q + 1] : s->z[2 * q + 1];
            sum[0] = re * x[2 * col] - im * x[2 * col + 1];
            sum[1] = re * x[2 * col + 1] + im * x[2 * col];
            r[2 * row] -= sum[0];
            r[2 * row + 1] -= sum[1];
            most[row] = fmaxl(most[row], hypotl(re, im));
        }
    for (int32_t i = 0; i < s->m.n; i++) {
        double size = (double)most[i] * xmax + hypot(b[2 * i], b[2 * i + 1]);
        double e = (double)hypotl(r[2 * i], r[2 * i + 1]) / size;
        if (!(e <= worst)) worst = e;
    }
    return worst;
}

static warplu_status solve(warplu_solver *s, form f, int32_t nrhs, const double *b, int32_t ldb, double *x, int32_t ldx)
{
    if (f == PLAIN) return warplu_solve(s, nrhs, b, ldb, x, ldx);
    return f == TRANSPOSED ? warplu_solve_transposed(s, nrhs, b, ldb, x, ldx)
                           : warplu_solve_conjugate_transposed(s, nrhs, b, ldb, x, ldx);
}

/* All three, for so many right-hand sides; those of a first transposed solve may be unchecked, and are right too. */
static void check_solves(warplu_solver *solver, system_of *s, int32_t nrhs, const char *what)
{
    int32_t n = s->m.n;
    for (int f = 0; f < FORMS; f++) {
        warplu_status status = solve(solver, (form)f, nrhs, s->b, n, s->x, n);
        CHECK_SAY(status == WARPLU_SUCCESS || status == WARPLU_REPIVOTED || (f > 0 && status == WARPLU_UNCHECKED),
                  "%s, form %d: %s", what, f, warplu_status_name(status));
        for (int32_t k = 0; k < nrhs; k++) {
            double e = error_of(s, (form)f, s->b + 2 * n * k, s->x + 2 * n * k);
            CHECK_SAY(e <= 1e-10, "%s, form %d, n %d, side %d: %g", what, f, n, k, e);
        }
    }
}

static warplu_options options_of_complex(void)
{
    warplu_options o;
    warplu_init_options(&o);
    o.scalar = WARPLU_SCALAR_COMPLEX;
    return o;
}

/* Options that lead to other ways of answering. */
static void vary_options(warplu_options *o, int k)
{
    static const warplu_check checks[] = {WARPLU_CHECK_SUSPECT, WARPLU_CHECK_ALWAYS, WARPLU_CHECK_SUSPECT};
    static const double expected[] = {0.0, 1000.0, 4.0};
    o->check = checks[k % 3];
    o->expected_refactors = expected[k / 2 % 3];
    o->executor = k % 5 == 0 ? WARPLU_EXECUTOR_REFERENCE : WARPLU_EXECUTOR_AUTO;
    o->threads = o->executor == WARPLU_EXECUTOR_AUTO && k % 7 == 0 ? 2 : 1;
    o->matching = k % 4 == 1 ? WARPLU_MATCHING_ALWAYS : WARPLU_MATCHING_AUTO;
    o->on_weak = k % 11 == 3 ? WARPLU_ON_WEAK_REFINE : WARPLU_ON_WEAK_REPIVOT;
    o->btf = k % 6 != 2;
    o->max_program_bytes = k % 9 == 4 ? 1 : o->max_program_bytes; /* by columns alone */
}

static void every_solve_is_accurate(void)
{
    uint64_t seed = 24;
    for (int k = 0; k < 240; k++) {
        if (!check_due()) continue;
        system_of s;
        test_recipe recipe = test_recipe_random(&seed, NMAX);
        warplu_options o = options_of_complex();
        warplu_solver *solver = NULL;
        open_system(&s, &seed, &recipe);
        vary_options(&o, k);
        CHECK(warplu_create(&solver, &o) == WARPLU_SUCCESS);
        CHECK(warplu_analyze(solver, s.m.n, s.m.ptr, s.m.idx, k % 2 ? s.z : NULL) == WARPLU_SUCCESS);
        CHECK(warplu_factor(solver, s.z) == WARPLU_SUCCESS);
        for (int step = 0; step < 14; step++) {
            check_solves(solver, &s, step % 4 == 1 ? SIDES : 1, test_shape_name(recipe.shape));
            vary(&s, &seed);
            warplu_status status = warplu_refactor(solver, s.z);
            CHECK_SAY(status >= 0, "step %d: %s", step, warplu_get_message(solver));
            if (status == WARPLU_WEAK) break;
        }
        warplu_destroy(&solver);
        close_system(&s);
    }
}

/* The bits of every instruction set and of several right-hand sides at once are those of the reference. */
static void executors_give_equal_bits(void)
{
    static const char *const sets[] = {"avx512", "avx512-loads", "avx2", "neon", "portable"};
    uint64_t seed = 7;
    for (int k = 0; k < 60; k++) {
        system_of s;
        test_recipe recipe = test_recipe_random(&seed, NMAX);
        double expected[2 * NMAX * SIDES];
        open_system(&s, &seed, &recipe);
        if (k % 5 == 0) s.z[1] = -0.0;
        if (k % 5 == 1) s.z[0] *= 0x1p-1060;
        for (int32_t q = 0; k % 5 == 2 && q < 2 * s.m.nnz; q++) s.z[q] *= 0x1p900;
        for (int i = 0; k % 7 == 2 && i < 2 * NMAX * SIDES; i++) s.b[i] = -0.0;
        for (int e = 0; e <= (int)(sizeof sets / sizeof *sets); e++) {
            if (e > 0 && !test_simd_is_here(sets[e - 1])) continue;
            warplu_options o = options_of_complex();
            warplu_solver *solver = NULL;
            o.executor = e == 0 ? WARPLU_EXECUTOR_REFERENCE : WARPLU_EXECUTOR_CPU;
            o.expected_refactors = 1000.0;
            o.check = WARPLU_CHECK_OFF;
            o.scaling = WARPLU_SCALING_NONE;
            if (e > 0) setenv("WARPLU_SIMD", sets[e - 1], 1);
            CHECK(warplu_create(&solver, &o) == WARPLU_SUCCESS);
            CHECK(warplu_analyze(solver, s.m.n, s.m.ptr, s.m.idx, s.z) == WARPLU_SUCCESS);
            CHECK(warplu_factor(solver, s.z) == WARPLU_SUCCESS && warplu_refactor(solver, s.z) == WARPLU_SUCCESS);
            for (int f = 0; f < FORMS; f++)
                for (int nrhs = 1; nrhs <= SIDES; nrhs += SIDES - 1) {
                    size_t bytes = 2 * (size_t)s.m.n * (size_t)nrhs * sizeof(double);
                    warplu_status status = solve(solver, (form)f, nrhs, s.b, s.m.n, s.x, s.m.n);
                    CHECK_SAY(status >= 0 || status == WARPLU_NOT_FINITE, "%s", warplu_status_name(status));
                    if (e == 0 && f == 0 && nrhs == SIDES) memcpy(expected, s.x, bytes);
                    if (e > 0 && f == 0 && nrhs == SIDES)
                        CHECK_SAY(memcmp(expected, s.x, bytes) == 0, "%s, %s", sets[e - 1],
                                  test_shape_name(recipe.shape));
                    if (f == 0 && nrhs == 1 && e > 0)
                        CHECK_SAY(memcmp(expected, s.x, bytes) == 0, "alone, %s", sets[e - 1]);
                }
            warplu_destroy(&solver);
        }
        unsetenv("WARPLU_SIMD");
        close_system(&s);
    }
}

/* Real values give the real solver's answers, to rounding. */
static void real_values_give_real_answers(void)
{
    uint64_t seed = 5;
    for (int k = 0; k < 30; k++) {
        system_of s;
        test_recipe recipe = {.shape = (test_shape)(k % TEST_SHAPES), .n = 40};
        warplu_options o = options_of_complex();
        warplu_solver *complex = NULL, *real = NULL;
        double x[NMAX], b[NMAX], largest = 0.0;
        open_system(&s, &seed, &recipe);
        for (int32_t q = 0; q < s.m.nnz; q++) s.z[2 * q + 1] = 0.0;
        for (int32_t i = 0; i < s.m.n; i++) {
            b[i] = s.b[2 * i];
            s.b[2 * i + 1] = 0.0;
        }
        CHECK(warplu_create(&complex, &o) == WARPLU_SUCCESS && warplu_create(&real, NULL) == WARPLU_SUCCESS);
        CHECK(warplu_analyze(complex, s.m.n, s.m.ptr, s.m.idx, s.z) == WARPLU_SUCCESS);
        CHECK(warplu_analyze(real, s.m.n, s.m.ptr, s.m.idx, s.m.x) == WARPLU_SUCCESS);
        CHECK(warplu_factor(complex, s.z) == WARPLU_SUCCESS && warplu_factor(real, s.m.x) == WARPLU_SUCCESS);
        CHECK(warplu_solve(complex, 1, s.b, s.m.n, s.x, s.m.n) == WARPLU_SUCCESS);
        CHECK(warplu_solve(real, 1, b, s.m.n, x, s.m.n) == WARPLU_SUCCESS);
        for (int32_t i = 0; i < s.m.n; i++) largest = fmax(largest, fabs(x[i]));
        for (int32_t i = 0; i < s.m.n; i++)
            CHECK_SAY(fabs(s.x[2 * i] - x[i]) <= 1e-9 * largest && s.x[2 * i + 1] == 0.0, "%g %g, %g", s.x[2 * i],
                      s.x[2 * i + 1], x[i]);
        warplu_destroy(&complex);
        warplu_destroy(&real);
        close_system(&s);
    }
}

/* The 3 by 3 matrix of the cases below: full, by columns. */
static const int32_t ptr3[] = {0, 3, 6, 9}, idx3[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};

static warplu_solver *solver3(const double *z, warplu_status expected)
{
    warplu_options o = options_of_complex();
    warplu_solver *s = NULL;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS && warplu_analyze(s, 3, ptr3, idx3, NULL) == WARPLU_SUCCESS);
    warplu_status status = warplu_factor(s, z);
    CHECK_SAY(status == expected, "%s: %s", warplu_status_name(status), warplu_get_message(s));
    return s;
}

static const double usual3[] = {4, 1, 1, -1, 0, 2, 1, 0, 5, 0, -1, 1, 2, 2, 0, 1, 3, -4};

static void what_is_not_finite_is_named(void)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int part = 0; part < 2; part++)
        for (int k = 0; k < 3; k++) {
            double z[18], b[6] = {1, 2, 3, 4, 5, 6}, x[6];
            memcpy(z, usual3, sizeof z);
            z[2 * 5 + part] = bad[k];
            warplu_solver *s = solver3(z, WARPLU_NOT_FINITE);
            CHECK(strstr(warplu_get_message(s), "(2, 1)") != NULL);
            CHECK(strstr(warplu_get_message(s), part ? "imaginary" : "real") != NULL);
            CHECK(warplu_factor(s, usual3) == WARPLU_SUCCESS);
            b[2 + part] = bad[k];
            CHECK(warplu_solve(s, 1, b, 3, x, 3) == WARPLU_NOT_FINITE);
            warplu_destroy(&s);
        }
}

static void singular_matrices_are_explained(void)
{
    double zero_row[18], multiple[18];
    memcpy(zero_row, usual3, sizeof zero_row);
    memcpy(multiple, usual3, sizeof multiple);
    for (int j = 0; j < 3; j++) {
        zero_row[6 * j + 2] = zero_row[6 * j + 3] = 0.0; /* row 1 */
        multiple[6 * j + 4] = -2.0 * usual3[6 * j + 1];  /* row 2 is 2 i times row 0 */
        multiple[6 * j + 5] = 2.0 * usual3[6 * j];
    }
    warplu_solver *s = solver3(zero_row, WARPLU_SINGULAR);
    CHECK(strstr(warplu_get_message(s), "row 1 is zero") != NULL);
    warplu_destroy(&s);
    s = solver3(multiple, WARPLU_SINGULAR);
    CHECK_SAY(strstr(warplu_get_message(s), "rows 0 and 2 are multiples") != NULL, "%s", warplu_get_message(s));
    warplu_destroy(&s);
}

static void multiply(double *to, const double *a, const double *b)
{
    double re = a[0] * b[0] - a[1] * b[1], im = a[0] * b[1] + a[1] * b[0];
    to[0] = re;
    to[1] = im;
}

static void questions_are_answered(void)
{
    static const int even[3][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}}, odd[3][3] = {{0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    double det[2] = {0.0, 0.0}, mantissa[2], norm = 0.0, inverse = 0.0, condition, growth, bound;
    int64_t exponent;
    warplu_solver *s = solver3(usual3, WARPLU_SUCCESS);
    for (int k = 0; k < 3; k++)
        for (int sign = 0; sign < 2; sign++) {
            const int *p = sign ? odd[k] : even[k];
            double t[2];
            multiply(t, usual3 + 2 * p[0], usual3 + 6 + 2 * p[1]);
            multiply(t, t, usual3 + 12 + 2 * p[2]);
            det[0] += sign ? -t[0] : t[0];
            det[1] += sign ? -t[1] : t[1];
        }
    CHECK(warplu_compute_determinant(s, mantissa, &exponent) == WARPLU_SUCCESS);
    double found[] = {ldexp(mantissa[0], (int)exponent), ldexp(mantissa[1], (int)exponent)};
    CHECK_SAY(hypot(found[0] - det[0], found[1] - det[1]) <= 1e-13 * hypot(det[0], det[1]), "%g + %g i, not %g + %g i",
              found[0], found[1], det[0], det[1]);
    for (int j = 0; j < 3; j++) {
        double e[6] = {0}, x[6], column = 0.0, of_inverse = 0.0, omega;
        e[2 * j] = 1.0;
        CHECK(warplu_solve(s, 1, e, 3, x, 3) == WARPLU_SUCCESS);
        for (int i = 0; i < 3; i++) {
            column += hypot(usual3[6 * j + 2 * i], usual3[6 * j + 2 * i + 1]);
            of_inverse += hypot(x[2 * i], x[2 * i + 1]);
        }
        norm = fmax(norm, column);
        inverse = fmax(inverse, of_inverse);
        CHECK(warplu_compute_backward_error(s, 0, usual3, 1, e, 3, x, 3, &omega) == WARPLU_SUCCESS && omega <= 1e-15);
        CHECK(warplu_bound_forward_error(s, 0, usual3, 1, e, 3, x, 3, &bound) == WARPLU_SUCCESS && bound <= 1e-13);
        x[3] += 0.5;
        CHECK(warplu_compute_backward_error(s, 0, usual3, 1, e, 3, x, 3, &omega) == WARPLU_SUCCESS && omega > 0.05);
        CHECK(warplu_bound_forward_error(s, 0, usual3, 1, e, 3, x, 3, &bound) == WARPLU_SUCCESS && bound > 0.1);
    }
    CHECK(warplu_estimate_condition(s, usual3, &condition) == WARPLU_SUCCESS);
    CHECK_SAY(condition <= (1.0 + 1e-12) * norm * inverse && condition >= norm * inverse / 3.0, "%g, not %g", condition,
              norm * inverse); /* an estimate from below */
    CHECK(warplu_compute_pivot_growth(s, usual3, &growth) == WARPLU_SUCCESS && growth > 0.1 && growth <= 1.0);
    warplu_destroy(&s);
}

/* Pivots and the extremes of their moduli, beside U as it is extracted. */
static void check_diagonal(warplu_solver *solver, int32_t n, const int64_t *up, const double *ux)
{
    double diagonal[2 * 20], smallest = -1.0, largest = -1.0, low = INFINITY, high = 0.0;
    CHECK(warplu_extract_diagonal(solver, diagonal, &smallest, &largest) == WARPLU_SUCCESS);
    for (int32_t j = 0; j < n; j++) {
        const double *u = ux + 2 * (up[j + 1] - 1);
        CHECK(memcmp(u, diagonal + 2 * j, 2 * sizeof *u) == 0);
        low = fmin(low, hypot(u[0], u[1]));
        high = fmax(high, hypot(u[0], u[1]));
    }
    CHECK(fabs(smallest - low) <= 1e-15 * low && fabs(largest - high) <= 1e-15 * high);
    warplu_statistics told = {.size = sizeof told};
    CHECK(warplu_get_statistics(solver, &told) == WARPLU_SUCCESS && told.largest_pivot == largest);
}

/* Factors by columns and by a program: P' R A C Q = L U + F, and the pivots are U's diagonal. */
static void factors_are_handed_out(void)
{
    uint64_t seed = 11;
    for (int k = 0; k < 40; k++) {
        system_of s;
        test_recipe recipe = {.shape = (test_shape)(k % TEST_SHAPES), .n = 20, .weak_diagonal = k % 3 == 0};
        static double dense[2 * 400], l[2 * 400], u[2 * 400];
        static int64_t lp[21], up[21], fp[21];
        static int32_t li[400], ui[400], fi[400], p[20], q[20];
        static double lx[800], ux[800], fx[800], r[20], c[20];
        warplu_options o = options_of_complex();
        warplu_solver *solver = NULL;
        o.expected_refactors = k % 2 ? 1000.0 : 4.0;
        open_system(&s, &seed, &recipe);
        CHECK(warplu_create(&solver, &o) == WARPLU_SUCCESS);
        CHECK(warplu_analyze(solver, s.m.n, s.m.ptr, s.m.idx, s.z) == WARPLU_SUCCESS);
        CHECK(warplu_factor(solver, s.z) == WARPLU_SUCCESS);
        warplu_factors_view v = {.size = sizeof v, .Lp = lp, .Li = li, .Lx = lx, .Up = up, .Ui = ui, .Ux = ux};
        v.Fp = fp, v.Fi = fi, v.Fx = fx, v.P = p, v.Q = q, v.R = r, v.C = c;
        CHECK(warplu_extract_factors(solver, &v) == WARPLU_SUCCESS);
        int32_t n = s.m.n;
        check_diagonal(solver, n, up, ux);
        memset(dense, 0, sizeof dense);
        memset(l, 0, sizeof l);
        memset(u, 0, sizeof u);
        for (int32_t j = 0; j < n; j++) {
            for (int32_t e = s.m.ptr[j]; e < s.m.ptr[j + 1]; e++)
                for (int part = 0; part < 2; part++) dense[2 * (j * n + s.m.idx[e]) + part] += s.z[2 * e + part];
            for (int64_t e = lp[j]; e < lp[j + 1]; e++) memcpy(l + 2 * (j * n + li[e]), lx + 2 * e, 16);
            for (int64_t e = up[j]; e < up[j + 1]; e++) memcpy(u + 2 * (j * n + ui[e]), ux + 2 * e, 16);
        }
        double worst = 0.0, largest = 0.0;
        for (int32_t j = 0; j < n; j++)
            for (int32_t i = 0; i < n; i++) {
                const double *a = dense + 2 * (q[j] * n + p[i]);
                double rest[] = {a[0] * r[p[i]] * c[q[j]], a[1] * r[p[i]] * c[q[j]]}, t[2];
                for (int32_t h = 0; h < n; h++) {
                    multiply(t, l + 2 * (h * n + i), u + 2 * (j * n + h));
                    rest[0] -= t[0];
                    rest[1] -= t[1];
                    largest = fmax(largest, hypot(t[0], t[1]));
                }
                for (int64_t e = fp[j]; e < fp[j + 1]; e++)
                    if (fi[e] == i) {
                        rest[0] -= fx[2 * e];
                        rest[1] -= fx[2 * e + 1];
                    }
                worst = fmax(worst, hypot(rest[0], rest[1]));
            }
        CHECK_SAY(worst <= 1e-12 * largest, "%s: %g of %g", test_shape_name(recipe.shape), worst, largest);
        warplu_destroy(&solver);
        close_system(&s);
    }
}

static void saved_solvers_come_back(void)
{
    char path[] = "/tmp/warplu_complex_XXXXXX";
    uint64_t seed = 3;
    close(mkstemp(path));
    for (int k = 0; k < 20; k++) {
        system_of s;
        test_recipe recipe = test_recipe_random(&seed, NMAX);
        warplu_options o = options_of_complex();
        warplu_solver *a = NULL, *b = NULL, *real = NULL, *clone = NULL;
        double x[2 * NMAX];
        open_system(&s, &seed, &recipe);
        o.expected_refactors = 1000.0;
        CHECK(warplu_create(&a, &o) == WARPLU_SUCCESS && warplu_create(&b, &o) == WARPLU_SUCCESS);
        CHECK(warplu_create(&real, NULL) == WARPLU_SUCCESS);
        CHECK(warplu_analyze(a, s.m.n, s.m.ptr, s.m.idx, s.z) == WARPLU_SUCCESS);
        CHECK(warplu_factor(a, s.z) == WARPLU_SUCCESS);
        CHECK((k % 2 ? warplu_save(a, path) : warplu_save_program(a, path)) == WARPLU_SUCCESS);
        CHECK(warplu_restore(real, path) == WARPLU_PATTERN_MISMATCH);
        CHECK(warplu_restore(b, path) == WARPLU_SUCCESS && warplu_clone(&clone, a) == WARPLU_SUCCESS);
        vary(&s, &seed);
        warplu_solver *const all[] = {a, b, clone};
        for (int t = 0; t < 3; t++) {
            warplu_status status = warplu_refactor(all[t], s.z);
            CHECK_SAY(status >= 0, "%d: %s", t, warplu_get_message(all[t]));
            check_solves(all[t], &s, 1, "saved");
            CHECK(warplu_solve(all[t], 1, s.b, s.m.n, s.x, s.m.n) >= 0);
            if (t > 0 && status == WARPLU_SUCCESS)
                CHECK(memcmp(x, s.x, 2 * (size_t)s.m.n * sizeof *x) == 0);
            else
                memcpy(x, s.x, sizeof x);
        }
        warplu_destroy(&a);
        warplu_destroy(&b);
        warplu_destroy(&real);
        warplu_destroy(&clone);
        close_system(&s);
    }
    unlink(path);
}

/* In place, and with other leading dimensions, the bits are the same. */
/* Pivots of modulus 1 whose sizes are less, and those of their inverses too: by these the smallest pivot is larger than
 * any entry. */
static void pivots_with_small_inverses_come_back(void)
{
    const int32_t ptr[] = {0, 2, 4}, idx[] = {0, 1, 0, 1};
    const double z[] = {0.7, 0.7, 0.0625, 0.0, 0.0625, 0.0, 0.7, 0.7};
    char path[] = "complex-XXXXXX";
    warplu_options o;
    warplu_solver *s = NULL, *restored = NULL;
    int file = mkstemp(path);
    CHECK(file >= 0 && close(file) == 0);
    warplu_init_options(&o);
    o.scalar = WARPLU_SCALAR_COMPLEX;
    o.expected_refactors = 1000.0;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS && warplu_create(&restored, &o) == WARPLU_SUCCESS);
    test_replay_first(s);
    CHECK(warplu_analyze(s, 2, ptr, idx, z) == WARPLU_SUCCESS && warplu_factor(s, z) == WARPLU_SUCCESS);
    CHECK(warplu_save(s, path) == WARPLU_SUCCESS);
    CHECK_SAY(warplu_restore(restored, path) == WARPLU_SUCCESS, "%s", warplu_get_message(restored));
    unlink(path);
    warplu_destroy(&s);
    warplu_destroy(&restored);
}

static void sides_may_stand_anywhere(void)
{
    uint64_t seed = 17;
    system_of s;
    test_recipe recipe = {.shape = TEST_GRID, .n = 49, .duplicates = 1};
    warplu_options o = options_of_complex();
    warplu_solver *solver = NULL;
    double wide[2 * (NMAX + 3) * SIDES];
    open_system(&s, &seed, &recipe);
    int32_t n = s.m.n, ld = n + 3;
    CHECK(warplu_create(&solver, &o) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(solver, n, s.m.ptr, s.m.idx, s.z) == WARPLU_SUCCESS);
    CHECK(warplu_factor(solver, s.z) == WARPLU_SUCCESS);
    for (int step = 0; step < 20; step++) CHECK(warplu_refactor(solver, s.z) == WARPLU_SUCCESS);
    for (int f = 0; f < FORMS; f++) {
        for (int k = 0; k < 2; k++) CHECK(solve(solver, (form)f, SIDES, s.b, n, s.x, n) >= 0);
        for (int32_t k = 0; k < SIDES; k++) memcpy(wide + 2 * k * ld, s.b + 2 * k * n, 2 * (size_t)n * sizeof *wide);
        CHECK(solve(solver, (form)f, SIDES, wide, ld, wide, ld) >= 0);
        for (int32_t k = 0; k < SIDES; k++)
            CHECK_SAY(memcmp(wide + 2 * k * ld, s.x + 2 * k * n, 2 * (size_t)n * sizeof *wide) == 0, "form %d, %d", f,
                      k);
    }
    warplu_destroy(&solver);
    close_system(&s);
}

static void what_cannot_be_is_refused(void)
{
    warplu_options o = options_of_complex();
    warplu_solver *s = NULL;
    o.precision = WARPLU_PRECISION_SINGLE;
    o.executor = WARPLU_EXECUTOR_REFERENCE;
    CHECK(warplu_create(&s, &o) == WARPLU_PRECISION_UNSUPPORTED && s == NULL);
    o.precision = WARPLU_PRECISION_DOUBLE;
    o.scalar = (warplu_scalar)2;
    CHECK(warplu_create(&s, &o) == WARPLU_INVALID_ARGUMENT && s == NULL);
}

int main(void)
{
    RUN(every_solve_is_accurate);
    RUN(executors_give_equal_bits);
    RUN(real_values_give_real_answers);
    RUN(what_is_not_finite_is_named);
    RUN(singular_matrices_are_explained);
    RUN(questions_are_answered);
    RUN(factors_are_handed_out);
    RUN(saved_solvers_come_back);
    RUN(pivots_with_small_inverses_come_back);
    RUN(sides_may_stand_anywhere);
    RUN(what_cannot_be_is_refused);
    return check_done();
}
