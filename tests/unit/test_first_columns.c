/* First factorizations of symmetric patterns that are replays by columns: bit for bit what a search finds, and a search
 * where the diagonal fails, memory ends or the caller may cancel for too long. */
#include "check.h"

#include "solver/solver.h"
#include "support/build.h"

#include <math.h>
#include <string.h>

enum { NMAX = 60, TRIES = 400 };

static uint64_t seed = 20262;

static warplu_solver *begin(const warplu_options *o, const test_matrix *m)
{
    warplu_solver *s = NULL;
    CHECK(warplu_create(&s, o) == WARPLU_SUCCESS && warplu_analyze(s, m->n, m->ptr, m->idx, NULL) == WARPLU_SUCCESS);
    return s;
}

/* A search has no use for it. */
static int is_replay(const warplu_solver *s)
{
    return s->current.factors != NULL && s->current.factors->worst > 0.0;
}

#define SAME(a, b, count) (memcmp((a), (b), (size_t)(count) * sizeof *(a)) == 0)

static void compare_pivots(const wlu_pivots *p, const wlu_pivots *q)
{
    int32_t n = p->n;
    CHECK(n == q->n && p->nblocks == q->nblocks && p->height == q->height && p->terms == q->terms);
    CHECK(SAME(p->block, q->block, p->nblocks + 1) && SAME(p->row, q->row, n) && SAME(p->col, q->col, n));
    CHECK(SAME(p->row_pos, q->row_pos, n) && SAME(p->col_pos, q->col_pos, n) && SAME(p->exponent, q->exponent, n));
    CHECK(SAME(p->largest, q->largest, n) && SAME(p->row_largest, q->row_largest, n));
    CHECK(SAME(p->row_unit, q->row_unit, n) && SAME(&p->quality, &q->quality, 1));
    CHECK(SAME(p->lp, q->lp, n + 1) && SAME(p->up, q->up, n + 1) && SAME(p->fp, q->fp, n + 1));
    CHECK(SAME(p->li, q->li, p->lp[n]) && SAME(p->ui, q->ui, p->up[n]) && SAME(p->fi, q->fi, p->fp[n]));
    CHECK(p->candidate == q->candidate && p->scales == q->scales && p->ordering == q->ordering);
    CHECK(p->col_exponent == NULL && q->col_exponent == NULL && p->predicted_terms == q->predicted_terms);
}

/* Solvers after a factorization by either way, and one more by columns. */
static void compare(warplu_solver *s, warplu_solver *searched, test_matrix *m)
{
    double b[2 * NMAX], x[2 * NMAX], y[2 * NMAX];
    const wlu_pivots *p = wlu_solver_pivots(s);
    const int64_t doubles = p->doubles, n = doubles * p->n;
    compare_pivots(p, wlu_solver_pivots(searched));
    for (int refactored = 0; refactored <= 1; refactored++) {
        const wlu_factors *f = s->current.factors, *g = searched->current.factors;
        CHECK(SAME(f->lx, g->lx, doubles * p->lp[p->n]) && SAME(f->ux, g->ux, doubles * p->up[p->n]));
        CHECK(SAME(f->pivot, g->pivot, n) && SAME(&f->health, &g->health, 1));
        CHECK(s->phase == searched->phase && s->trust.verdict == searched->trust.verdict);
        CHECK(s->current.service.compile_after == searched->current.service.compile_after);
        for (int64_t i = 0; i < n; i++) b[i] = 1.0 + 0.01 * (double)i;
        CHECK(warplu_solve(s, 1, b, p->n, x, p->n) == warplu_solve(searched, 1, b, p->n, y, p->n));
        CHECK(SAME(x, y, n) && s->counted.checked_solves == searched->counted.checked_solves);
        if (refactored) break;
        CHECK(warplu_refactor(s, m->x) == warplu_refactor(searched, m->x));
    }
}

/* Returns whether columns served. */
static int one_matrix(const warplu_options *o, test_matrix *m)
{
    warplu_solver *s = begin(o, m), *searched = begin(o, m);
    searched->growth.searches = 1;
    warplu_status status = warplu_factor(searched, m->x);
    CHECK(warplu_factor(s, m->x) == status && !is_replay(searched));
    int replayed = is_replay(s);
    CHECK(!replayed || (s->analysis->candidate[0].symmetric && !s->growth.searches));
    if (status == WARPLU_SUCCESS) compare(s, searched, m);
    warplu_destroy(&s);
    warplu_destroy(&searched);
    return replayed;
}

static test_matrix random_matrix(test_shape shape, int weak)
{
    test_matrix m;
    test_recipe r = test_recipe_random(&seed, NMAX);
    r.shape = shape;
    r.weak_diagonal = weak;
    test_matrix_random(&m, &seed, &r);
    return m;
}

static void columns_are_searches_bit_for_bit(void)
{
    static const double tolerances[] = {0.001, 0.1, 1.0};
    int replayed = 0;
    for (int t = 0; t < TRIES; t++) {
        warplu_options o;
        int before = check_failures;
        test_matrix m = random_matrix(check_below(&seed, 2) == 0 ? TEST_GRID : TEST_DENSE, check_below(&seed, 4) == 0);
        warplu_init_options(&o);
        o.pivot_tolerance = tolerances[check_below(&seed, 3)];
        o.scaling = (warplu_scaling)check_below(&seed, 3);
        o.check = check_below(&seed, 2) == 0 ? WARPLU_CHECK_REPLAYS : WARPLU_CHECK_SUSPECT;
        if (check_below(&seed, 3) == 0) o.executor = WARPLU_EXECUTOR_REFERENCE;
        replayed += one_matrix(&o, &m);
        if (check_failures > before) printf("#   in try %d, n = %d\n", t, m.n);
        test_matrix_free(&m);
    }
    CHECK_SAY(replayed > TRIES / 4, "%d replays of %d", replayed, TRIES);
}

/* Each value a complex number. */
static void complex_values_too(void)
{
    int replayed = 0;
    for (int t = 0; t < TRIES / 10; t++) {
        warplu_options o;
        test_matrix m = random_matrix(TEST_GRID, 0);
        double *x = malloc(2 * (size_t)m.nnz * sizeof *x), *real = m.x;
        warplu_init_options(&o);
        o.scalar = WARPLU_SCALAR_COMPLEX;
        for (int32_t q = 0; q < m.nnz; q++) {
            x[2 * q] = real[q];
            x[2 * q + 1] = 0.3 * real[q] * check_uniform(&seed);
        }
        m.x = x;
        replayed += one_matrix(&o, &m);
        m.x = real;
        free(x);
        test_matrix_free(&m);
    }
    CHECK_SAY(replayed > TRIES / 20, "%d replays", replayed);
}

enum { SIDE = 7, POINTS = SIDE * SIDE };

/* A grid, in full. */
static void fill_grid(double dense[POINTS * POINTS], double diagonal)
{
    memset(dense, 0, POINTS * POINTS * sizeof *dense);
    for (int j = 0; j < POINTS; j++) {
        dense[POINTS * j + j] = diagonal;
        if (j % SIDE > 0) dense[POINTS * j + j - 1] = dense[POINTS * (j - 1) + j] = 1.0;
        if (j >= SIDE) dense[POINTS * j + j - SIDE] = dense[POINTS * (j - SIDE) + j] = 1.0;
    }
}

/* One entry without a counterpart. */
static void patterns_without_symmetry_are_searched(void)
{
    static double dense[POINTS * POINTS];
    for (int lacks = 0; lacks <= 1; lacks++) {
        test_matrix m;
        fill_grid(dense, 5.0);
        if (lacks) dense[1] = 0.0;
        test_matrix_from_dense(&m, POINTS, dense);
        warplu_solver *s = begin(NULL, &m);
        CHECK(s->analysis->candidate[0].symmetric == !lacks && warplu_factor(s, m.x) == WARPLU_SUCCESS);
        CHECK(is_replay(s) == !lacks && s->growth.searches == 0);
        warplu_destroy(&s);
        test_matrix_free(&m);
    }
}

/* Pivots become zero on the way: the replay is in vain, and later calls search at once. */
static void a_failing_diagonal_is_searched(void)
{
    static double dense[POINTS * POINTS];
    double b[POINTS], x[POINTS];
    test_matrix m;
    fill_grid(dense, 1.0);
    test_matrix_from_dense(&m, POINTS, dense);
    warplu_solver *s = begin(NULL, &m);
    for (int i = 0; i < POINTS; i++) b[i] = 1.0;
    for (int calls = 0; calls < 2; calls++) {
        CHECK(warplu_factor(s, m.x) == WARPLU_SUCCESS && !is_replay(s) && s->growth.searches == 1);
        CHECK(warplu_solve(s, 1, b, POINTS, x, POINTS) >= WARPLU_SUCCESS);
    }
    warplu_destroy(&s);
    test_matrix_free(&m);
}

static int never(void *user)
{
    (void)user;
    return 0;
}

/* The k-th allocation fails, alone or with all after it: the answer is right, or there is none. */
static void memory_that_ends_is_searched_without(void)
{
    static double dense[POINTS * POINTS];
    test_matrix m;
    int replays = 0, failures = 0;
    fill_grid(dense, 5.0);
    test_matrix_from_dense(&m, POINTS, dense);
    for (int lasting = 0; lasting <= 1; lasting++)
        for (int64_t k = 1, done = 0; !done; k++) {
            test_allocator a;
            warplu_options o;
            warplu_init_options(&o);
            test_use_allocator(&o, &a);
            o.cancel = never; /* small factors need no poll */
            warplu_solver *s = begin(&o, &m);
            int64_t alive = a.alive;
            a.lasting = lasting;
            a.fail_at = a.calls + k;
            warplu_status status = warplu_factor(s, m.x);
            done = a.calls < a.fail_at;
            a.fail_at = 0;
            CHECK(status == WARPLU_SUCCESS || status == WARPLU_OUT_OF_MEMORY);
            failures += status < 0;
            if (status < 0) CHECK(a.alive == alive && warplu_factor(s, m.x) == WARPLU_SUCCESS);
            replays += is_replay(s);
            warplu_destroy(&s);
            CHECK(a.alive == 0);
        }
    CHECK_SAY(failures > 10 && replays > 10, "%d, %d", failures, replays);
    test_matrix_free(&m);
}

int main(void)
{
    RUN(columns_are_searches_bit_for_bit);
    RUN(complex_values_too);
    RUN(patterns_without_symmetry_are_searched);
    RUN(a_failing_diagonal_is_searched);
    RUN(memory_that_ends_is_searched_without);
    return check_done();
}
