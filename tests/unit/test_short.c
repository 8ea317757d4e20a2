/* The short way of small systems: what goes it has the bits of the long way and keeps the promise, judged in wider
 * arithmetic, through random lives; what may not go it is left alone, with all that it has found. */
#include <warplu/cache.h>
#include <warplu/inspect.h>

#include "check.h"

#include "solver/parts.h"
#include "support/matrices.h"
#include "support/row_errors.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

enum { NMAX = 40, TRIES = 300, STEPS = 12 };
static const double PROMISE = 1e-10;

static uint64_t seed = 42;

/* By lists, or by a program. */
static warplu_solver *make(const test_matrix *m, int check, int by_program)
{
    warplu_solver *s = NULL;
    warplu_options o;
    warplu_init_options(&o);
    o.repeatable = by_program ? WARPLU_REPEATABLE_NOT : WARPLU_REPEATABLE_STRICTLY;
    o.expected_refactors = by_program ? 1000.0 : 0.0;
    o.check = check;
    o.scalar = m->doubles == 2 ? WARPLU_SCALAR_COMPLEX : WARPLU_SCALAR_REAL;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(s, m->n, m->ptr, m->idx, m->x) >= 0);
    return s;
}

static int same(const double *a, const double *b, int64_t count)
{
    return memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

/* How often either call was done. */
static int64_t refactors, solves[2]; /* with A, with A' */

static warplu_status solve(warplu_solver *s, int transposed, int32_t n, const double *b, double *x)
{
    return transposed ? warplu_solve_transposed(s, 1, b, n, x, n) : warplu_solve(s, 1, b, n, x, n);
}

/* One step of both solvers; the second one has no short way: it leaves solves unchecked, as its caller wants them. */
static void step(warplu_solver *brief, warplu_solver *slow, const test_matrix *m)
{
    const int64_t d = test_matrix_doubles(m), n = m->n;
    double b[2 * NMAX], x[2 * NMAX], y[2 * NMAX], diagonal[2 * NMAX];
    const double *pivots;
    int64_t number = 0, expected = -1;
    warplu_status status = warplu_refactor(slow, m->x);
    int done = warplu_try_refactor(brief, m->x, &pivots, &number);
    if (done) {
        CHECK(status == WARPLU_SUCCESS && warplu_get_pivots_number(brief, &expected) >= 0 && number == expected);
        CHECK(warplu_extract_diagonal(slow, diagonal, NULL, NULL) >= 0 && same(diagonal, pivots, d * n));
        refactors++;
    } else if (warplu_refactor(brief, m->x) < 0) {
        return;
    }
    for (int transposed = 0; transposed <= 1; transposed++) {
        for (int64_t i = 0; i < d * n; i++) b[i] = x[i] = check_uniform(&seed) - 0.5;
        if (!warplu_try_solve(brief, transposed, x, x)) {
            CHECK(same(b, x, d * n));
            (void)solve(brief, transposed, m->n, b, y); /* which ends trials */
            continue;
        }
        solves[transposed]++;
        CHECK(solve(slow, transposed, m->n, b, y) >= 0 && same(x, y, d * n));
        row_errors e = row_errors_of(m, transposed ? ROW_ERRORS_TRANSPOSED : ROW_ERRORS_PLAIN, b, x);
        CHECK_SAY(e.whole <= PROMISE, "equation %d is wrong by %g, transposed %d", e.row, e.whole, transposed);
        CHECK(solve(brief, transposed, m->n, b, y) == WARPLU_SUCCESS && same(x, y, d * n));
    }
}

static void live_all(int by_program)
{
    refactors = solves[0] = solves[1] = 0;
    for (int t = 0; t < TRIES; t++) {
        test_recipe r = test_recipe_random(&seed, NMAX);
        test_matrix m;
        r.duplicates = 0; /* the judge has none */
        test_matrix_random(&m, &seed, &r);
        if (t % 3 == 0) test_matrix_make_complex(&m, &seed);
        warplu_solver *brief = make(&m, WARPLU_CHECK_SUSPECT, by_program);
        warplu_solver *slow = make(&m, WARPLU_CHECK_REPLAYS, by_program);
        if (check_due() && warplu_factor(brief, m.x) >= 0 && warplu_factor(slow, m.x) >= 0)
            for (int k = 0; k < STEPS; k++) {
                test_matrix_vary(&m, &seed, k % 4 == 3 ? 0.999 : 0.1);
                step(brief, slow, &m);
            }
        warplu_destroy(&brief);
        warplu_destroy(&slow);
        test_matrix_free(&m);
    }
    printf("# %lld refactorizations, %lld and %lld solves the short way\n", (long long)refactors, (long long)solves[0],
           (long long)solves[1]);
    CHECK(solves[0] > TRIES * STEPS / 3 / check_every());
}

static void lives_by_lists_have_the_bits_of_the_long_way(void)
{
    live_all(0);
    const int64_t third = TRIES * STEPS / 3 / check_every();
    CHECK(refactors > third && solves[1] > third);
}

static void lives_by_programs_have_the_bits_of_the_long_way(void)
{
    live_all(1);
    CHECK(refactors == 0 && solves[1] == 0);
}

/* [4 1; 1 3], factored, and refactored until that goes the short way. */
static warplu_solver *make_two(test_matrix *m)
{
    static const double dense[] = {4, 1, 1, 3};
    test_matrix_from_dense(m, 2, dense);
    warplu_solver *s = make(m, WARPLU_CHECK_SUSPECT, 0);
    CHECK(warplu_factor(s, m->x) == WARPLU_SUCCESS);
    for (int k = 0; k < 2; k++) CHECK(warplu_refactor(s, m->x) == WARPLU_SUCCESS);
    return s;
}

static int tries(warplu_solver *s, const double *values, double *x)
{
    const double *pivots;
    int64_t number;
    return 2 * warplu_try_refactor(s, values, &pivots, &number) + warplu_try_solve(s, 0, x, x);
}

static void what_has_no_lists_is_left(void)
{
    test_matrix m;
    warplu_solver *two = make_two(&m), *s = make(&m, WARPLU_CHECK_SUSPECT, 0);
    double x[2] = {1, 2};
    CHECK(tries(s, m.x, x) == 0);                                            /* nothing has been factored */
    CHECK(warplu_factor(s, m.x) == WARPLU_SUCCESS && tries(s, m.x, x) == 1); /* by first factors, checked */
    CHECK(warplu_refactor(s, m.x) == WARPLU_SUCCESS);
    x[0] = 1;
    x[1] = 2;
    CHECK(tries(s, m.x, x) == 3);
    CHECK(fabs(4 * x[0] + x[1] - 1) < 1e-15 && fabs(x[0] + 3 * x[1] - 2) < 1e-15);
    warplu_destroy(&s);
    for (int check = WARPLU_CHECK_OFF; check <= WARPLU_CHECK_ALWAYS; check++) {
        s = make(&m, check, 0);
        CHECK(warplu_factor(s, m.x) >= 0 && warplu_refactor(s, m.x) >= 0);
        CHECK(tries(s, m.x, x) == (check == WARPLU_CHECK_SUSPECT ? 3 : 0));
        warplu_destroy(&s);
    }
    warplu_destroy(&two);
    test_matrix_free(&m);
}

/* Values whose replay is suspect, so that a solve has to be refined; whose pivots are weak, or none; and what comes
 * after. */
static void doubtful_replays_are_left(void)
{
    static const double weak[][4] = {{2e-6, 1, 1, 3}, {1e-30, 1, 1, 3},    {0, 1, 1, 3},
                                     {NAN, 1, 1, 3},  {4, 1, INFINITY, 3}, {4, 1, 12, 3}};
    test_matrix m;
    warplu_solver *s = make_two(&m);
    double x[2] = {1, 2};
    for (int k = 0; k < 6; k++) {
        CHECK_SAY(tries(s, weak[k], x) == (k == 0 ? 2 : 0), "values %d", k);
        warplu_status status = warplu_refactor(s, weak[k]);
        CHECK_SAY(k < 3 ? status >= 0 : status < 0, "values %d: %d, %s", k, status, warplu_get_message(s));
        if (k >= 3) CHECK(!warplu_try_solve(s, 0, x, x)); /* no factors */
        CHECK(warplu_refactor(s, m.x) == WARPLU_SUCCESS && tries(s, m.x, x) == 3);
    }
    CHECK(s->counted.repivots >= 2);
    warplu_destroy(&s);
    test_matrix_free(&m);
}

/* Solutions that underflow or overflow, and what is no number. */
static void doubtful_solutions_are_left(void)
{
    static const double b[][2] = {{1e-310, 1e-310}, {0, 0}, {NAN, 1}, {1, INFINITY}};
    test_matrix m;
    warplu_solver *s = make_two(&m);
    for (int k = 0; k < 4; k++) {
        double x[2] = {b[k][0], b[k][1]};
        CHECK_SAY(!warplu_try_solve(s, 0, x, x) && memcmp(x, b[k], sizeof x) == 0, "b %d", k);
    }
    for (int64_t q = 0; q < 4; q++) m.x[q] *= 1e-200;
    CHECK(warplu_factor(s, m.x) >= 0 && warplu_refactor(s, m.x) >= 0 && warplu_refactor(s, m.x) >= 0);
    double x[2] = {1e200, 1e200};
    CHECK(!warplu_try_solve(s, 0, x, x) && x[0] == 1e200);
    warplu_destroy(&s);
    test_matrix_free(&m);
}

static void other_rounding_is_left(void)
{
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    test_matrix m;
    warplu_solver *s = make_two(&m);
    double x[2] = {1, 2}, y[2] = {1, 2};
    for (int k = 0; k < 3; k++) {
        CHECK(fesetround(modes[k]) == 0);
        int done = warplu_try_solve(s, 0, x, x) + tries(s, m.x, x);
        fesetround(FE_TONEAREST);
        CHECK_SAY(done == 0, "mode %d", k);
    }
    CHECK(tries(s, m.x, x) == 3 && warplu_solve(s, 1, y, 2, y, 2) == WARPLU_SUCCESS && same(x, y, 2));
    warplu_destroy(&s);
    test_matrix_free(&m);
}

int main(void)
{
    printf("# seed %llu\n", (unsigned long long)seed);
    RUN(lives_by_lists_have_the_bits_of_the_long_way);
    RUN(lives_by_programs_have_the_bits_of_the_long_way);
    RUN(what_has_no_lists_is_left);
    RUN(doubtful_replays_are_left);
    RUN(doubtful_solutions_are_left);
    RUN(other_rounding_is_left);
    return check_done();
}
