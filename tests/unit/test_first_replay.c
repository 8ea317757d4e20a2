/* First factorizations that are replays: the pivots are those of a search, answers are right, and where the diagonal
 * fails, memory or a bound ends, or the caller cancels, nothing of them is left. */
#include "check.h"

#include "api/save.h"
#include "pivot/saved.h"
#include "solver/solver.h"
#include "support/build.h"
#include "support/stages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NMAX = 60, TRIES = 400 };

static uint64_t seed = 20261;

static warplu_statistics statistics(const warplu_solver *s)
{
    warplu_statistics t = {.size = sizeof t};
    CHECK(warplu_get_statistics(s, &t) == WARPLU_SUCCESS);
    return t;
}

/* A solver whose first factorization is a replay wherever that can be. */
static warplu_solver *begin(const warplu_options *o, const test_matrix *m)
{
    warplu_solver *s = NULL;
    CHECK(warplu_create(&s, o) == WARPLU_SUCCESS && warplu_analyze(s, m->n, m->ptr, m->idx, NULL) == WARPLU_SUCCESS);
    test_replay_first(s);
    return s;
}

static double error_of_solve(warplu_solver *s, const test_matrix *m, int transposed)
{
    double b[NMAX], x[NMAX], error = 1.0;
    for (int32_t i = 0; i < m->n; i++) b[i] = 1.0 + 0.01 * i;
    warplu_status status =
        transposed ? warplu_solve_transposed(s, 1, b, m->n, x, m->n) : warplu_solve(s, 1, b, m->n, x, m->n);
    CHECK_SAY(status == WARPLU_SUCCESS, "%s", warplu_status_text(status));
    CHECK(warplu_compute_backward_error(s, transposed, m->x, 1, b, m->n, x, m->n, &error) == WARPLU_SUCCESS);
    return error;
}

#define SAME(a, b, count) (memcmp((a), (b), (size_t)(count) * sizeof *(a)) == 0)

static int near(double a, double b)
{
    return a == b || fabs(a - b) <= 1e-9 * fabs(b);
}

/* Pivots of a replay, and of a search. */
static void compare(const wlu_pivots *p, const wlu_pivots *q)
{
    const wlu_pivot_quality *a = &p->quality, *b = &q->quality;
    int32_t n = p->n;
    CHECK(n == q->n && p->nblocks == q->nblocks && p->height == q->height && p->terms == q->terms);
    CHECK(SAME(p->block, q->block, p->nblocks + 1) && SAME(p->row, q->row, n) && SAME(p->col, q->col, n));
    CHECK(SAME(p->row_pos, q->row_pos, n) && SAME(p->col_pos, q->col_pos, n) && SAME(p->exponent, q->exponent, n));
    CHECK(SAME(p->largest, q->largest, n) && SAME(p->row_largest, q->row_largest, n));
    CHECK(SAME(p->row_unit, q->row_unit, n));
    CHECK(SAME(p->lp, q->lp, n + 1) && SAME(p->up, q->up, n + 1) && SAME(p->fp, q->fp, n + 1));
    CHECK(SAME(p->li, q->li, p->lp[n]) && SAME(p->ui, q->ui, p->up[n]) && SAME(p->fi, q->fi, p->fp[n]));
    CHECK(p->candidate == q->candidate && p->scales == q->scales && p->ordering == q->ordering);
    CHECK(p->col_exponent == NULL && q->col_exponent == NULL && p->predicted_terms == q->predicted_terms);
    CHECK(a->row_spread == b->row_spread && a->col_spread == b->col_spread);
    CHECK(a->row_scale_spread == b->row_scale_spread && a->col_scale_spread == b->col_scale_spread);
    CHECK_SAY(near(a->largest_l, b->largest_l) && near(a->largest_u, b->largest_u), "%g %g, %g %g", a->largest_l,
              b->largest_l, a->largest_u, b->largest_u);
    CHECK_SAY(near(a->smallest_pivot, b->smallest_pivot), "%g %g", a->smallest_pivot, b->smallest_pivot);
    /* programs look at computed u alone: others are of A, where a power of two stands for the largest entry */
    CHECK_SAY(a->growth >= (1.0 - 1e-9) * b->growth && a->growth <= 2.0 * b->growth, "%g %g", a->growth, b->growth);
}

/* One matrix, by both; returns whether the replay served. */
static int one_matrix(const warplu_options *o, test_matrix *m)
{
    warplu_solver *s = begin(o, m), *searched = begin(o, m);
    searched->replays_first = 0;
    searched->growth.searches = 1;
    warplu_status status = warplu_factor(searched, m->x);
    CHECK(warplu_factor(s, m->x) == status);
    int replayed = s->current.state != NULL && searched->current.state == NULL;
    if (status == WARPLU_SUCCESS) {
        compare(wlu_solver_pivots(s), wlu_solver_pivots(searched));
        for (int transposed = 0; transposed <= 1; transposed++)
            CHECK(error_of_solve(s, m, transposed) <= 1e-10 || statistics(s).verdict != WLU_HEALTHY);
        test_matrix_vary(m, &seed, 0.1);
        CHECK(warplu_refactor(s, m->x) >= WARPLU_SUCCESS);
        CHECK(error_of_solve(s, m, 0) <= 1e-10);
    }
    warplu_destroy(&s);
    warplu_destroy(&searched);
    return replayed;
}

static void pivots_are_those_of_a_search(void)
{
    int replayed = 0, symmetric = 0;
    for (int t = 0; t < TRIES; t++) {
        static const double tolerances[] = {0.001, 0.1, 1.0};
        test_recipe r = test_recipe_random(&seed, NMAX);
        warplu_options o;
        test_matrix m;
        int before = check_failures;
        r.weak_diagonal = check_below(&seed, 4) == 0;
        warplu_init_options(&o);
        o.pivot_tolerance = tolerances[check_below(&seed, 3)];
        o.scaling = (warplu_scaling)check_below(&seed, 3);
        o.btf = check_below(&seed, 4) > 0;
        if (check_below(&seed, 3) == 0) o.executor = WARPLU_EXECUTOR_REFERENCE;
        test_matrix_random(&m, &seed, &r);
        int served = one_matrix(&o, &m);
        replayed += served;
        symmetric += served && r.shape == TEST_GRID;
        test_matrix_free(&m);
        if (check_failures > before) printf("#   in try %d: %s, n = %d\n", t, test_shape_name(r.shape), r.n);
    }
    CHECK_SAY(replayed > TRIES / 3 && symmetric > TRIES / 20, "%d replays of %d, %d of grids", replayed, TRIES,
              symmetric);
}

static void make_grid(test_matrix *m)
{
    const test_recipe grid = {.shape = TEST_GRID, .n = 49};
    test_matrix_random(m, &seed, &grid);
}

/* Each entry above the diagonal has a counterpart in number, but not in place. */
static void counts_that_agree_are_no_symmetry(void)
{
    static const double dense[] = {4, 0, 0, 1, 0, 4, 1, 0, 1, 0, 4, 0, 0, 1, 0, 4};
    warplu_options o;
    test_matrix m;
    warplu_init_options(&o);
    o.ordering = WARPLU_ORDERING_NATURAL;
    o.btf = 0;
    test_matrix_from_dense(&m, 4, dense);
    CHECK(one_matrix(&o, &m));
    test_matrix_free(&m);
}

/* As many replays as there are calls, whatever is expected; clones and later values go on with the program. */
static void one_program_serves(void)
{
    static const double expected[] = {0.0, 3.0, 8.0, 1000.0};
    test_matrix m;
    make_grid(&m);
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        warplu_options o;
        warplu_solver *clone = NULL;
        warplu_init_options(&o);
        o.expected_refactors = expected[k];
        warplu_solver *s = begin(&o, &m);
        CHECK(warplu_factor(s, m.x) == WARPLU_SUCCESS && s->phase == WLU_FACTORED);
        CHECK(statistics(s).compiled && statistics(s).compilations == 1 && statistics(s).factor_ns > 0.0);
        CHECK(wlu_solver_pivots(s)->quality.growth <= 1.0);
        CHECK(wlu_lu_of(wlu_solver_program(s))->guard.criteria.growth <= 1e-2);
        for (int solves = 0; solves < 3; solves++) CHECK(error_of_solve(s, &m, 0) <= 1e-13);
        int64_t checked = expected[k] < 8.0; /* the first; then known systems have proven the pivots */
        CHECK(statistics(s).checked_solves == checked);
        CHECK(warplu_refactor(s, m.x) == WARPLU_SUCCESS && error_of_solve(s, &m, 0) <= 1e-13);
        CHECK(statistics(s).checked_solves == checked && statistics(s).compilations == 1);
        CHECK(warplu_clone(&clone, s) == WARPLU_SUCCESS && warplu_refactor(clone, m.x) == WARPLU_SUCCESS);
        CHECK(error_of_solve(clone, &m, 0) <= 1e-13);
        warplu_destroy(&clone);
        CHECK(warplu_factor(s, m.x) == WARPLU_SUCCESS && error_of_solve(s, &m, 1) <= 1e-13);
        warplu_destroy(&s);
    }
    test_matrix_free(&m);
}

/* n by n, column-major, and what a search makes of it. replays: before it, once. */
static void falls_back(int32_t n, const double *dense, warplu_status expected, int replays)
{
    test_matrix m;
    test_allocator a;
    warplu_options o;
    warplu_init_options(&o);
    test_use_allocator(&o, &a);
    o.ordering = WARPLU_ORDERING_NATURAL;
    test_matrix_from_dense(&m, n, dense);
    warplu_solver *s = begin(&o, &m);
    int64_t before = a.calls;
    CHECK(warplu_factor(s, m.x) == expected && s->growth.searches == replays);
    CHECK(!statistics(s).compiled && statistics(s).compilations == 0 && s->cache.count == 0);
    if (expected == WARPLU_SUCCESS) CHECK(error_of_solve(s, &m, 0) <= 1e-15 && error_of_solve(s, &m, 1) <= 1e-15);
    int64_t first = a.calls - before;
    CHECK(warplu_factor(s, m.x) == expected && (a.calls - before - first < first - 50) == replays);
    warplu_destroy(&s);
    test_matrix_free(&m);
}

/* A pivot that becomes zero, one that becomes small, a matrix that is singular, and a diagonal that A shows to fail. */
static void a_failing_diagonal_is_searched(void)
{
    static const double zero[] = {1, 1, 0, 1, 1, 1, 0, 1, 1}, small[] = {1, 1, 0, 1, 1.0009765625, 1, 0, 1, 1},
                        singular[] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, weak[] = {1e-9, 1, 1, 1};
    falls_back(3, zero, WARPLU_SUCCESS, 1);
    falls_back(3, small, WARPLU_SUCCESS, 1);
    falls_back(3, singular, WARPLU_SINGULAR, 1);
    falls_back(2, weak, WARPLU_SUCCESS, 0);
}

static void values_that_are_not_finite_are_refused(void)
{
    test_matrix m;
    make_grid(&m);
    double first = m.x[0];
    warplu_solver *s = begin(NULL, &m);
    m.x[0] = NAN;
    CHECK(warplu_factor(s, m.x) == WARPLU_NOT_FINITE && wlu_solver_pivots(s) == NULL);
    m.x[0] = first;
    CHECK(warplu_factor(s, m.x) == WARPLU_SUCCESS && statistics(s).compiled && error_of_solve(s, &m, 0) <= 1e-13);
    warplu_destroy(&s);
    test_matrix_free(&m);
}

/* What does not fit is searched for as if nothing had been tried. */
static void bounds_hold(void)
{
    test_matrix m;
    make_grid(&m);
    for (int k = 0; k < 3; k++) {
        warplu_options o;
        warplu_init_options(&o);
        if (k == 0) o.max_program_bytes = 64;
        if (k == 1) o.max_factor_bytes = 64;
        if (k == 2) o.precision = WARPLU_PRECISION_SINGLE, o.executor = WARPLU_EXECUTOR_REFERENCE;
        warplu_solver *s = NULL;
        CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS);
        test_replay_first(s);
        warplu_status status = warplu_analyze(s, m.n, m.ptr, m.idx, NULL);
        CHECK(status == (k == 1 ? WARPLU_FACTORS_TOO_LARGE : WARPLU_SUCCESS));
        if (k != 1) CHECK(warplu_factor(s, m.x) == WARPLU_SUCCESS && !statistics(s).compiled);
        if (k == 0) CHECK(error_of_solve(s, &m, 0) <= 1e-13);
        warplu_destroy(&s);
    }
    test_matrix_free(&m);
}

/* The k-th allocation fails, alone or with all after it: the answer is right, or there is none. */
static void memory_that_ends_is_searched_without(void)
{
    test_matrix m;
    make_grid(&m);
    int replays = 0, searches = 0, failures = 0;
    for (int lasting = 0; lasting <= 1; lasting++)
        for (int64_t k = 1, done = 0; !done; k++) {
            test_allocator a;
            warplu_options o;
            warplu_init_options(&o);
            test_use_allocator(&o, &a);
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
            replays += statistics(s).compiled;
            searches += !statistics(s).compiled;
            CHECK(error_of_solve(s, &m, 0) <= 1e-13);
            warplu_destroy(&s);
            CHECK(a.alive == 0);
        }
    CHECK_SAY(searches > 10 && failures > 10 && replays > 10, "%d, %d, %d", searches, failures, replays);
    test_matrix_free(&m);
}

static int polls, cancel_at;

static int cancels(void *user)
{
    (void)user;
    return ++polls == cancel_at;
}

static void it_is_cancelled(void)
{
    test_matrix m;
    make_grid(&m);
    warplu_status status = WARPLU_CANCELLED;
    int cancelled = 0;
    for (int k = 1; status == WARPLU_CANCELLED; k++) {
        warplu_options o;
        warplu_init_options(&o);
        o.cancel = cancels;
        cancel_at = 0;
        warplu_solver *s = begin(&o, &m);
        polls = 0;
        cancel_at = k;
        status = warplu_factor(s, m.x);
        cancelled += status == WARPLU_CANCELLED;
        cancel_at = 0;
        if (status == WARPLU_CANCELLED) {
            CHECK(wlu_solver_pivots(s) == NULL && s->phase == WLU_ANALYZED && warplu_get_message(s)[0] != '\0');
            CHECK(warplu_factor(s, m.x) == WARPLU_SUCCESS);
        }
        CHECK(statistics(s).compiled && error_of_solve(s, &m, 0) <= 1e-13);
        warplu_destroy(&s);
    }
    CHECK_SAY(status == WARPLU_SUCCESS && cancelled >= 4, "%d polls", cancelled);
    test_matrix_free(&m);
}

/* One entry of the diagonal in so many. */
static void scale_diagonal(test_matrix *m, int32_t step, double by)
{
    for (int32_t j = 0; j < m->n; j += step)
        for (int32_t q = m->ptr[j]; q < m->ptr[j + 1]; q++) m->x[q] *= m->idx[q] == j ? by : 1.0;
}

/* Weak values get new pivots, by a search; saved pivots come back. */
static void life_goes_on_as_after_a_search(void)
{
    test_matrix m;
    warplu_solver *restored = NULL;
    make_grid(&m);
    warplu_solver *s = begin(NULL, &m);
    CHECK(warplu_factor(s, m.x) == WARPLU_SUCCESS && statistics(s).compiled);
    int64_t size = wlu_saved_bytes(s->analysis, wlu_solver_pivots(s), wlu_saved_no_program);
    uint8_t *bytes = malloc((size_t)size);
    wlu_saved_encode(s->analysis, wlu_solver_pivots(s), wlu_saved_no_program, bytes);
    CHECK(warplu_create(&restored, NULL) == WARPLU_SUCCESS);
    CHECK(wlu_solver_restore(restored, "bytes", bytes, size) == WARPLU_SUCCESS);
    restored->phase = WLU_PIVOTED;
    compare(wlu_solver_pivots(restored), wlu_solver_pivots(s));
    CHECK(warplu_refactor(restored, m.x) == WARPLU_SUCCESS && error_of_solve(restored, &m, 0) <= 1e-13);
    scale_diagonal(&m, 3, 1e-18);
    CHECK(warplu_refactor(s, m.x) >= WARPLU_SUCCESS && error_of_solve(s, &m, 0) <= 1e-10);
    CHECK(statistics(s).weak_replays == 1);
    free(bytes);
    warplu_destroy(&s);
    warplu_destroy(&restored);
    test_matrix_free(&m);
}

/* A file with the program: what the first replay has shown is in it, and the program found again is the same. */
static void its_program_is_saved(void)
{
    char path[] = "/tmp/warplu_first_replay_XXXXXX";
    warplu_solver *restored = NULL;
    test_matrix m;
    int file = mkstemp(path);
    make_grid(&m);
    warplu_solver *s = begin(NULL, &m);
    CHECK(file >= 0 && warplu_factor(s, m.x) == WARPLU_SUCCESS && warplu_save_program(s, path) == WARPLU_SUCCESS);
    CHECK(warplu_create(&restored, NULL) == WARPLU_SUCCESS && warplu_restore(restored, path) == WARPLU_SUCCESS);
    CHECK(warplu_refactor(restored, m.x) == WARPLU_SUCCESS && error_of_solve(restored, &m, 0) <= 1e-13);
    compare(wlu_solver_pivots(restored), wlu_solver_pivots(s));
    const wlu_criteria *a = &wlu_lu_of(wlu_solver_program(restored))->guard.criteria;
    const wlu_criteria *b = &wlu_lu_of(wlu_solver_program(s))->guard.criteria;
    CHECK(a->growth == b->growth && SAME(&a->quality, &b->quality, 1) && SAME(&a->bound, &b->bound, 1));
    close(file);
    unlink(path);
    warplu_destroy(&s);
    warplu_destroy(&restored);
    test_matrix_free(&m);
}

/* Factors that columns replay slowly are replays from the first to the last, without being told: of new, of restored
 * and of other pivots. */
static void large_factors_are_not_replayed_by_columns(void)
{
    enum { M = 1000 };
    static double b[M], x[M];
    const test_recipe full = {.shape = TEST_DENSE, .n = M};
    warplu_solver *s = NULL, *restored = NULL;
    test_matrix m;
    test_matrix_random(&m, &seed, &full);
    scale_diagonal(&m, 1, 100.0);
    for (int32_t i = 0; i < M; i++) b[i] = 1.0;
    CHECK(warplu_create(&s, NULL) == WARPLU_SUCCESS && warplu_create(&restored, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(s, m.n, m.ptr, m.idx, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s, m.x) == WARPLU_SUCCESS && statistics(s).compiled);
    int64_t size = wlu_saved_bytes(s->analysis, wlu_solver_pivots(s), wlu_saved_no_program);
    uint8_t *bytes = malloc((size_t)size);
    wlu_saved_encode(s->analysis, wlu_solver_pivots(s), wlu_saved_no_program, bytes);
    CHECK(wlu_solver_restore(restored, "bytes", bytes, size) == WARPLU_SUCCESS);
    restored->phase = WLU_PIVOTED;
    CHECK(warplu_refactor(restored, m.x) == WARPLU_SUCCESS && statistics(restored).compiled);
    CHECK(warplu_solve(restored, 1, b, M, x, M) == WARPLU_SUCCESS);
    scale_diagonal(&m, 7, 1e-18);
    CHECK(warplu_refactor(s, m.x) == WARPLU_REPIVOTED && !statistics(s).compiled);
    CHECK(warplu_solve(s, 1, b, M, x, M) == WARPLU_SUCCESS);
    CHECK(warplu_refactor(s, m.x) == WARPLU_SUCCESS && statistics(s).compiled && statistics(s).repivots == 1);
    CHECK(warplu_solve(s, 1, b, M, x, M) == WARPLU_SUCCESS);
    free(bytes);
    warplu_destroy(&s);
    warplu_destroy(&restored);
    test_matrix_free(&m);
}

/* Within the replay, by one thread or by several, as a search is (test_bounds.c). */
static void a_replay_is_polled_by_work(void)
{
    enum { M = 700 };
    const double terms_a_poll = 1 << 22;
    const test_recipe full = {.shape = TEST_DENSE, .n = M};
    test_matrix m;
    test_matrix_random(&m, &seed, &full);
    scale_diagonal(&m, 1, 100.0);
    for (int threads = 1; threads <= 2; threads++) {
        warplu_options o;
        warplu_init_options(&o);
        o.threads = threads;
        o.cancel = cancels;
        cancel_at = 0;
        warplu_solver *s = begin(&o, &m);
        polls = 0;
        CHECK(warplu_factor(s, m.x) == WARPLU_SUCCESS && statistics(s).compiled);
        int used = polls, needed = (int)(statistics(s).terms / terms_a_poll);
        CHECK_SAY(2 * threads * used >= needed && needed >= 25, "%d polls, %d needed", used, needed); /* or a tile */
        warplu_destroy(&s);
        for (int at = 1; at <= used; at += 1 + used / 12 * check_every()) {
            cancel_at = 0;
            s = begin(&o, &m);
            polls = 0;
            cancel_at = at;
            CHECK_SAY(warplu_factor(s, m.x) == WARPLU_CANCELLED, "poll %d of %d", at, used);
            CHECK(wlu_solver_pivots(s) == NULL && s->phase == WLU_ANALYZED);
            cancel_at = 0;
            CHECK(warplu_factor(s, m.x) == WARPLU_SUCCESS && statistics(s).compiled);
            warplu_destroy(&s);
        }
    }
    test_matrix_free(&m);
}

int main(void)
{
    RUN(pivots_are_those_of_a_search);
    RUN(counts_that_agree_are_no_symmetry);
    RUN(one_program_serves);
    RUN(a_failing_diagonal_is_searched);
    RUN(values_that_are_not_finite_are_refused);
    RUN(bounds_hold);
    RUN(memory_that_ends_is_searched_without);
    RUN(it_is_cancelled);
    RUN(life_goes_on_as_after_a_search);
    RUN(its_program_is_saved);
    RUN(large_factors_are_not_replayed_by_columns);
    RUN(a_replay_is_polled_by_work);
    return check_done();
}
