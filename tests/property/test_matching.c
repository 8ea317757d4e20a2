/* Matching through the solver: where the diagonal is weak it is found, brings fewer terms and better growth, and its
 * scales of both sides hold through refactors, both solves, several right-hand sides and blocks. */
#include <warplu/inspect.h>

#include "check.h"

#include "support/build.h"
#include "support/dense.h"
#include "support/options.h"

#include <math.h>
#include <string.h>

enum { SIDE = 24, N = SIDE * SIDE, NMAX = 60, TRIES = 150, NRHS = 3 };

static uint64_t seed;

static warplu_solver *solver_with(warplu_matching matching, warplu_check check)
{
    warplu_options o;
    warplu_solver *s = NULL;
    check_init_options(&o);
    o.matching = matching;
    o.check = check;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS);
    return s;
}

static warplu_statistics statistics(const warplu_solver *s)
{
    warplu_statistics t = {.size = sizeof t};
    CHECK(warplu_get_statistics(s, &t) == WARPLU_SUCCESS);
    return t;
}

/* Rows of a five-point mesh, one of them another's place, and a diagonal of the given size where the mesh has left it:
 * small entries that attract a pattern's order. */
static void moved_mesh(test_matrix *m, double diagonal)
{
    int32_t q = 0;
    *m = (test_matrix){.n = N,
                       .ptr = calloc(N + 1, sizeof *m->ptr),
                       .idx = calloc(6 * N, sizeof *m->idx),
                       .x = calloc(6 * N, sizeof *m->x)};
    for (int32_t j = 0; j < N; j++) {
        const int32_t beside[] = {j, j % SIDE ? j - 1 : -1, (j + 1) % SIDE ? j + 1 : -1, j - SIDE,
                                  j + SIDE < N ? j + SIDE : -1};
        m->ptr[j] = q;
        for (int k = 0; k < 5; k++) {
            if (beside[k] < 0) continue;
            m->idx[q] = (int32_t)((7 * (int64_t)beside[k] + 31) % N); /* 7 and N have no common divisor */
            m->x[q++] = k == 0 ? 4.0 + check_uniform(&seed) : -1.0;
        }
        m->idx[q] = j;
        m->x[q++] = diagonal;
    }
    m->nnz = m->ptr[N] = q;
}

/* Several right-hand sides, both ways. */
static void check_solves(warplu_solver *s, const test_matrix *m, double bound)
{
    size_t n = (size_t)m->n;
    double *b = malloc(NRHS * n * sizeof *b), *x = malloc(NRHS * n * sizeof *x), omega = 1.0;
    for (size_t k = 0; k < NRHS * n; k++) b[k] = check_uniform(&seed) - 0.5;
    CHECK(warplu_solve(s, NRHS, b, m->n, x, m->n) == WARPLU_SUCCESS);
    CHECK(warplu_compute_backward_error(s, 0, m->x, NRHS, b, m->n, x, m->n, &omega) == WARPLU_SUCCESS);
    CHECK_SAY(omega <= bound, "%g", omega);
    CHECK(warplu_solve_transposed(s, NRHS, b, m->n, x, m->n) == WARPLU_SUCCESS);
    CHECK(warplu_compute_backward_error(s, 1, m->x, NRHS, b, m->n, x, m->n, &omega) == WARPLU_SUCCESS);
    CHECK_SAY(omega <= bound, "transposed: %g", omega);
    free(b);
    free(x);
}

static warplu_statistics run(const test_matrix *m, warplu_matching matching, int values_known)
{
    warplu_solver *s = solver_with(matching, WARPLU_CHECK_SUSPECT);
    CHECK(warplu_analyze(s, m->n, m->ptr, m->idx, values_known ? m->x : NULL) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s, m->x) == WARPLU_SUCCESS);
    check_solves(s, m, 1e-10);
    CHECK(warplu_refactor(s, m->x) == WARPLU_SUCCESS);
    check_solves(s, m, 1e-10);
    warplu_statistics t = statistics(s);
    warplu_destroy(&s);
    return t;
}

static void a_weak_diagonal_is_matched(void)
{
    static const double diagonals[] = {0.0, 1e-9, 1e-3};
    seed = 1009;
    for (int d = 0; d < 3; d++)
        for (int known = 0; known < 2; known++) {
            test_matrix m;
            if (!check_due()) continue;
            moved_mesh(&m, diagonals[d]);
            warplu_statistics never = run(&m, WARPLU_MATCHING_NEVER, known);
            warplu_statistics unasked = run(&m, WARPLU_MATCHING_AUTO, known),
                              always = run(&m, WARPLU_MATCHING_ALWAYS, known);
            printf("# diagonal %g, known %d: %lld terms never, %lld unasked, %lld always; growth %.1e, %.1e, %.1e\n",
                   diagonals[d], known, (long long)never.terms, (long long)unasked.terms, (long long)always.terms,
                   never.pivot_growth, unasked.pivot_growth, always.pivot_growth);
            CHECK(unasked.terms <= always.terms);
            CHECK(unasked.pivot_growth >= 0.1 && always.pivot_growth >= 0.1);
            if (diagonals[d] > 0.0) CHECK((double)unasked.terms < 0.5 * (double)never.terms);
            CHECK(unasked.largest_l <= 10.0 && always.largest_l <= 10.0);
            test_matrix_free(&m);
        }
}

/* A strong diagonal is left alone: the same program whatever the option says, but for always. */
static void a_strong_diagonal_is_left_alone(void)
{
    seed = 4;
    const test_recipe recipe = {.shape = TEST_GRID, .n = 100};
    test_matrix m;
    test_matrix_random(&m, &seed, &recipe);
    for (int32_t j = 0; j < m.n; j++)
        for (int32_t q = m.ptr[j]; q < m.ptr[j + 1]; q++) m.x[q] = m.idx[q] == j ? 4.5 : -1.0;
    test_build b[2];
    for (int k = 0; k < 2; k++) {
        warplu_options o;
        check_init_options(&o);
        o.matching = k ? WARPLU_MATCHING_NEVER : WARPLU_MATCHING_AUTO;
        if (test_build_pivots(&b[k], &o, &m) != WARPLU_SUCCESS) CHECK(!"pivots");
        CHECK(b[k].pivots->col_exponent == NULL);
    }
    CHECK(memcmp(b[0].pivots->row, b[1].pivots->row, (size_t)m.n * sizeof *b[0].pivots->row) == 0);
    CHECK(memcmp(b[0].pivots->col, b[1].pivots->col, (size_t)m.n * sizeof *b[0].pivots->col) == 0);
    test_build_free(&b[0]);
    test_build_free(&b[1]);
    test_matrix_free(&m);
}

/* Rows and columns by powers of two far apart: matching undoes them, exactly. */
static void badly_scaled_both_sides(void)
{
    seed = 90210;
    printf("# seed %llu\n", (unsigned long long)seed);
    int scaled = 0;
    for (int t = 0; t < TRIES; t++) {
        test_recipe recipe = test_recipe_random(&seed, NMAX);
        test_matrix m;
        test_build b;
        int16_t row[NMAX], col[NMAX];
        test_matrix_random(&m, &seed, &recipe);
        for (int32_t k = 0; k < m.n; k++) {
            row[k] = (int16_t)(check_below(&seed, 401) - 200);
            col[k] = (int16_t)(check_below(&seed, 401) - 200);
        }
        for (int32_t j = 0; j < m.n; j++)
            for (int32_t q = m.ptr[j]; q < m.ptr[j + 1]; q++) m.x[q] = ldexp(m.x[q], row[m.idx[q]] + col[j]);
        warplu_solver *s = solver_with(WARPLU_MATCHING_ALWAYS, WARPLU_CHECK_ALWAYS);
        CHECK(warplu_analyze(s, m.n, m.ptr, m.idx, m.x) == WARPLU_SUCCESS && warplu_factor(s, m.x) == WARPLU_SUCCESS);
        check_solves(s, &m, 1e-14);
        test_matrix_vary(&m, &seed, 0.1);
        CHECK(warplu_refactor(s, m.x) == WARPLU_SUCCESS);
        check_solves(s, &m, 1e-14);
        warplu_destroy(&s);
        warplu_options o;
        check_init_options(&o);
        o.matching = WARPLU_MATCHING_ALWAYS;
        if (test_build_pivots(&b, &o, &m) == WARPLU_SUCCESS) {
            scaled += b.pivots->col_exponent != NULL;
            test_build_free(&b);
        }
        test_matrix_free(&m);
    }
    CHECK_SAY(scaled > TRIES / 3, "%d", scaled);
}

/* New values whose large entries lie elsewhere: pivots are chosen again, with scales of their own. */
static void values_may_move_their_weight(void)
{
    enum { SIZE = 40 };
    seed = 77;
    for (int t = 0; t < 20; t++) {
        const test_recipe recipe = {.shape = TEST_DENSE, .n = SIZE};
        test_matrix m;
        test_matrix_random(&m, &seed, &recipe);
        warplu_solver *s = solver_with(WARPLU_MATCHING_ALWAYS, WARPLU_CHECK_SUSPECT);
        for (int round = 0; round < 4; round++) {
            int32_t shift = check_below(&seed, SIZE);
            for (int32_t j = 0; j < SIZE; j++)
                for (int32_t q = m.ptr[j]; q < m.ptr[j + 1]; q++)
                    m.x[q] = (m.idx[q] == (j + shift) % SIZE ? 1.0 : 1e-6) *
                             ldexp(1.0 + check_uniform(&seed), round * 60 * (j % 3 - 1));
            if (round == 0) CHECK(warplu_analyze(s, SIZE, m.ptr, m.idx, m.x) == WARPLU_SUCCESS);
            CHECK(warplu_refactor(s, m.x) >= 0);
            check_solves(s, &m, 1e-10);
        }
        warplu_destroy(&s);
        test_matrix_free(&m);
    }
}

/* Values without a full transversal are singular, and the next ones are not. */
static void singular_values_are_said_so(void)
{
    const int32_t ptr[] = {0, 2, 4}, idx[] = {0, 1, 0, 1};
    const double singular[] = {1.0, 0.0, 2.0, 0.0}, weak[] = {0.0, 3.0, 2.0, 0.0};
    for (int matching = WARPLU_MATCHING_AUTO; matching <= WARPLU_MATCHING_ALWAYS; matching++)
        for (int known = 0; known < 2; known++) {
            double b[] = {4.0, 6.0}, x[2];
            warplu_solver *s = solver_with((warplu_matching)matching, WARPLU_CHECK_SUSPECT);
            CHECK(warplu_analyze(s, 2, ptr, idx, known ? singular : NULL) == WARPLU_SUCCESS);
            CHECK(warplu_factor(s, singular) == WARPLU_SINGULAR);
            CHECK(warplu_factor(s, weak) == WARPLU_SUCCESS);
            CHECK(warplu_solve(s, 1, b, 2, x, 2) == WARPLU_SUCCESS && x[0] == 2.0 && x[1] == 2.0);
            warplu_destroy(&s);
        }
}

int main(void)
{
    RUN(a_weak_diagonal_is_matched);
    RUN(a_strong_diagonal_is_left_alone);
    RUN(badly_scaled_both_sides);
    RUN(values_may_move_their_weight);
    RUN(singular_values_are_said_so);
    return check_done();
}
