/* The solver on random matrices, through the API: solutions of A x = b and A' x = b after factor and refactor, under
 * every option that changes the arithmetic. The oracle is the residual in extended precision. */
#include "check.h"

#include "support/dense.h"
#include "support/matrices.h"
#include "solver/solver.h"
#include "support/options.h"

#include <math.h>
#include <string.h>

enum { NMAX = 60, TRIES = 300 };

static uint64_t seed;

static void fill_random(double *b, int64_t count)
{
    for (int64_t k = 0; k < count; k++) b[k] = 2.0 * check_uniform(&seed) - 1.0;
}

static warplu_options random_options(void)
{
    static const double tolerances[] = {0.001, 0.1, 1.0};
    warplu_options o;
    check_init_options(&o);
    o.ordering = (warplu_ordering)check_below(&seed, 4);
    o.btf = check_below(&seed, 4) > 0;
    o.matching = (warplu_matching)check_below(&seed, 3);
    o.scaling = (warplu_scaling)check_below(&seed, 3);
    o.pivot_tolerance = tolerances[check_below(&seed, 3)];
    o.check = WARPLU_CHECK_ALWAYS;
    o.executor = (warplu_executor)check_below(&seed, 3);
    return o;
}

/* Right-hand sides of a call at most: two whole groups of the executors' and a part. */
enum { MOST = 20 };

/* Each of several solutions has the bits of its solve alone. */
static void check_alone(warplu_solver *s, int32_t n, int transposed, int32_t nrhs, const double *b, int32_t ldb,
                        const double *x, int32_t ldx)
{
    double *alone = malloc((size_t)n * sizeof *alone);
    for (int32_t k = 0; k < nrhs; k++) {
        warplu_status status = transposed ? warplu_solve_transposed(s, 1, b + k * ldb, n, alone, n)
                                          : warplu_solve(s, 1, b + k * ldb, n, alone, n);
        CHECK(status >= 0);
        CHECK_SAY(memcmp(alone, x + k * ldx, (size_t)n * sizeof *x) == 0, "column %d of %d, transposed %d", k, nrhs,
                  transposed);
    }
    free(alone);
}

/* Several right-hand sides with padding between columns, in place or not; padding stays untouched. */
static void check_solves(warplu_solver *s, const double *dense, int32_t n, int transposed)
{
    int32_t nrhs = check_below(&seed, check_below(&seed, 2) ? 4 : MOST + 1), in_place = check_below(&seed, 2);
    int32_t ldb = n + check_below(&seed, 3), ldx = in_place ? ldb : n + check_below(&seed, 3);
    double *b = malloc((size_t)(MOST * ldb + 1) * sizeof *b), *x = malloc((size_t)(MOST * ldx + 1) * sizeof *x);
    fill_random(b, MOST * ldb);
    fill_random(x, MOST * ldx);
    double *kept = malloc((size_t)(MOST * ldx + 1) * sizeof *kept);
    if (in_place) memcpy(x, b, (size_t)(MOST * ldb) * sizeof *x);
    memcpy(kept, x, (size_t)(MOST * ldx) * sizeof *x);
    const double *rhs = in_place ? x : b;
    warplu_status status =
        transposed ? warplu_solve_transposed(s, nrhs, rhs, ldb, x, ldx) : warplu_solve(s, nrhs, rhs, ldb, x, ldx);
    CHECK_SAY(status == WARPLU_SUCCESS, "%s: %s", warplu_status_name(status), warplu_get_message(s));
    for (int32_t k = 0; k < nrhs; k++) {
        double omega = test_dense_backward_error(n, dense, transposed, b + k * ldb, x + k * ldx);
        CHECK_SAY(omega <= 1e-13, "backward error %g, transposed %d, in place %d", omega, transposed, in_place);
    }
    for (int32_t k = 0; k < MOST; k++)
        for (int32_t i = k < nrhs ? n : 0; i < ldx; i++) CHECK(x[k * ldx + i] == kept[k * ldx + i]);
    check_alone(s, n, transposed, nrhs, b, ldb, x, ldx);
    free(b);
    free(x);
    free(kept);
}

static void one_matrix(test_matrix *m, const warplu_options *o)
{
    warplu_solver *s = NULL;
    CHECK(warplu_create(&s, o) == WARPLU_SUCCESS);
    s->ctx.unsplit = check_below(&seed, 2);
    warplu_status status = warplu_analyze(s, m->n, m->ptr, m->idx, check_below(&seed, 2) ? m->x : NULL);
    if (status == WARPLU_SUCCESS) status = warplu_factor(s, m->x);
    CHECK_SAY(status == WARPLU_SUCCESS, "%s: %s", warplu_status_name(status), warplu_get_message(s));
    for (int round = 0; round < 4 && status >= 0; round++) {
        double *dense = test_matrix_dense(m);
        check_solves(s, dense, m->n, 0);
        check_solves(s, dense, m->n, 1);
        free(dense);
        test_matrix_vary(m, &seed, round == 2 ? 0.999 : 0.1);
        status = warplu_refactor(s, m->x);
        CHECK_SAY(status == WARPLU_SUCCESS || status == WARPLU_REPIVOTED, "%s: %s", warplu_status_name(status),
                  warplu_get_message(s));
    }
    warplu_destroy(&s);
    CHECK(s == NULL);
}

static void solutions_are_backward_stable(void)
{
    seed = 264575;
    printf("# seed %llu\n", (unsigned long long)seed);
    for (int t = 0; t < TRIES; t++) {
        if (!check_due()) continue;
        test_recipe r = test_recipe_random(&seed, NMAX);
        warplu_options o = random_options();
        test_matrix m;
        int before = check_failures;
        test_matrix_random(&m, &seed, &r);
        one_matrix(&m, &o);
        test_matrix_free(&m);
        if (check_failures > before)
            printf("#   in try %d: %s, n = %d, ordering %d, btf %d, scaling %d, tolerance %g\n", t,
                   test_shape_name(r.shape), r.n, (int)o.ordering, o.btf, (int)o.scaling, o.pivot_tolerance);
    }
}

static void a_zero_right_hand_side_gives_zero(void)
{
    for (int check = WARPLU_CHECK_OFF; check <= WARPLU_CHECK_ALWAYS; check++) {
        const test_recipe r = {.shape = TEST_BLOCKS, .n = 20};
        warplu_options o;
        warplu_solver *s = NULL;
        test_matrix m;
        double b[20] = {0}, x[20];
        seed = 31 + (uint64_t)check;
        check_init_options(&o);
        o.check = (warplu_check)check;
        test_matrix_random(&m, &seed, &r);
        fill_random(x, 20);
        CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS);
        CHECK(warplu_analyze(s, m.n, m.ptr, m.idx, NULL) == WARPLU_SUCCESS);
        CHECK(warplu_factor(s, m.x) == WARPLU_SUCCESS);
        CHECK(warplu_solve(s, 1, b, 20, x, 20) == WARPLU_SUCCESS);
        for (int32_t i = 0; i < 20; i++) CHECK(x[i] == 0.0);
        fill_random(x, 20);
        CHECK(warplu_solve_transposed(s, 1, b, 20, x, 20) == WARPLU_SUCCESS);
        for (int32_t i = 0; i < 20; i++) CHECK(x[i] == 0.0);
        warplu_destroy(&s);
        test_matrix_free(&m);
    }
}

/* Pivots chosen for one matrix and replayed where they are poor: |l| = 1e4 is suspect, so the solve is checked. It is
 * refined to full accuracy if all solves are to be checked, else only if it is not accurate to 1e-10. Returns 1 if it
 * was refined. */
static int replay_poor_pivots(warplu_check check, double bound)
{
    const test_recipe r = {.shape = TEST_DENSE, .n = 12};
    warplu_options o;
    warplu_solver *s = NULL;
    warplu_statistics stats = {.size = sizeof stats};
    test_matrix m;
    double b[12], x[12];
    check_init_options(&o);
    o.ordering = WARPLU_ORDERING_NATURAL;
    o.check = check;
    test_matrix_random(&m, &seed, &r);
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(s, m.n, m.ptr, m.idx, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s, m.x) == WARPLU_SUCCESS);
    m.x[0] *= 1e-4;
    CHECK(warplu_refactor(s, m.x) == WARPLU_SUCCESS);
    fill_random(b, 12);
    CHECK(warplu_solve(s, 1, b, 12, x, 12) == WARPLU_SUCCESS);
    double *dense = test_matrix_dense(&m), omega = test_dense_backward_error(12, dense, 0, b, x);
    CHECK_SAY(omega <= bound, "%g", omega);
    CHECK(warplu_get_statistics(s, &stats) == WARPLU_SUCCESS);
    CHECK_SAY(stats.backward_error >= 0.0 && stats.backward_error <= bound, "%g", stats.backward_error);
    free(dense);
    warplu_destroy(&s);
    test_matrix_free(&m);
    return stats.refined_solves == 1 && stats.refinement_steps >= 1;
}

static void refinement_recovers_accuracy(void)
{
    seed = 282842;
    printf("# seed %llu\n", (unsigned long long)seed);
    int refined = 0, needless = 0;
    for (int t = 0; t < 50; t++) refined += replay_poor_pivots(WARPLU_CHECK_ALWAYS, 1e-14);
    for (int t = 0; t < 50; t++) needless += replay_poor_pivots(WARPLU_CHECK_SUSPECT, 1e-10);
    CHECK_SAY(refined >= 10, "%d solves were refined", refined);
    CHECK_SAY(needless == 0, "%d accurate solves were refined", needless);
}

int main(void)
{
    RUN(solutions_are_backward_stable);
    RUN(a_zero_right_hand_side_gives_zero);
    RUN(refinement_recovers_accuracy);
    return check_done();
}
