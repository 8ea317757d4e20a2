/* A solver grows: the first answer comes without a program or a race, each stage after a number of refactorizations
 * that its share of what has been spent pays for, and answers are right all the way, with the same bits every time. */
#include "check.h"

#include "api/save.h"
#include "cost/stages.h"
#include "order/order.h"
#include "pivot/saved.h"
#include "solver/grow.h"
#include "solver/solver.h"
#include "support/matrices.h"
#include "support/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 900 };

static warplu_statistics statistics(const warplu_solver *s)
{
    warplu_statistics t = {.size = sizeof t};
    CHECK(warplu_get_statistics(s, &t) == WARPLU_SUCCESS);
    return t;
}

static warplu_solver *begin(const test_matrix *m, const warplu_options *o)
{
    warplu_solver *s = NULL;
    CHECK(warplu_create(&s, o) == WARPLU_SUCCESS && warplu_analyze(s, m->n, m->ptr, m->idx, m->x) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s, m->x) == WARPLU_SUCCESS);
    return s;
}

/* Where another order is better: the first one was the natural order. */
static warplu_solver *begin_poorly(const test_matrix *m, warplu_options *o)
{
    o->ordering = WARPLU_ORDERING_NATURAL;
    warplu_solver *s = begin(m, o);
    s->options.ordering = WARPLU_ORDERING_AUTO;
    return s;
}

static void make_grid(test_matrix *m, uint64_t seed)
{
    const test_recipe grid = {.shape = TEST_GRID, .n = N};
    test_matrix_random(m, &seed, &grid);
}

/* Of a solve for a right-hand side of ones, into x. */
static double error_of_solve(warplu_solver *s, const test_matrix *m, double *x)
{
    static double b[N];
    double error = 1.0;
    for (int32_t i = 0; i < m->n; i++) b[i] = 1.0;
    CHECK(warplu_solve(s, 1, b, m->n, x, m->n) == WARPLU_SUCCESS);
    CHECK(warplu_compute_backward_error(s, 0, m->x, 1, b, m->n, x, m->n, &error) == WARPLU_SUCCESS);
    return error;
}

static void the_first_answer_needs_one_order_and_no_program(void)
{
    static double x[N];
    test_matrix m;
    make_grid(&m, 1);
    warplu_solver *s = begin(&m, NULL);
    warplu_statistics t = statistics(s);
    CHECK(!t.compiled && t.compilations == 0 && t.candidates == 1 && s->analysis->depth == WLU_DEPTH_FIRST);
    CHECK(error_of_solve(s, &m, x) <= 1e-13);
    warplu_destroy(&s);
    warplu_options o;
    warplu_init_options(&o);
    o.expected_refactors = 1e4;
    s = begin(&m, &o);
    CHECK(statistics(s).compiled && s->analysis->depth == WLU_DEPTH_RACED && s->growth.race_after == 0);
    warplu_destroy(&s);
    test_matrix_free(&m);
}

/* A random graph, whose factors are nearly full. */
static void make_random_graph(test_matrix *m, int32_t n, int32_t partners, uint64_t seed)
{
    *m = (test_matrix){.n = n, .nnz = (partners + 1) * n};
    m->ptr = malloc(((size_t)n + 1) * sizeof *m->ptr);
    m->idx = malloc((size_t)m->nnz * sizeof *m->idx);
    m->x = malloc((size_t)m->nnz * sizeof *m->x);
    for (int32_t q = 0; q < m->nnz; q++) {
        m->idx[q] = q % (partners + 1) == 0 ? q / (partners + 1) : check_below(&seed, n);
        m->x[q] = q % (partners + 1) == 0 ? 2.0 * partners : check_uniform(&seed) - 0.5;
    }
    for (int32_t j = 0; j <= n; j++) m->ptr[j] = (partners + 1) * j;
}

/* Where factors take very long, METIS orders before the first answer too. */
static void a_long_first_answer_is_dissected(void)
{
    warplu_solver *s = NULL;
    test_matrix m;
    make_random_graph(&m, 4000, 8, 13);
    CHECK(warplu_create(&s, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(s, m.n, m.ptr, m.idx, NULL) == WARPLU_SUCCESS && s->analysis->depth == WLU_DEPTH_FIRST);
    const wlu_candidate *c = s->analysis->candidate;
    int orders = wlu_ordering_compiled(WARPLU_ORDERING_METIS) ? 2 : 1;
    CHECK_SAY(s->analysis->ncandidates == orders, "%d candidates", s->analysis->ncandidates);
    if (orders == 2) CHECK(wlu_candidate_ns(&c[0]) <= wlu_candidate_ns(&c[1]) && c[0].ordering != c[1].ordering);
    warplu_destroy(&s);
    test_matrix_free(&m);
}

/* Pivots that exceed all predictions are given up for those of a race, before the first answer. */
static void a_hopeless_order_races_at_once(void)
{
    static double x[N];
    warplu_solver *s = NULL;
    test_matrix m;
    make_grid(&m, 1);
    CHECK(check_create(&s) == WARPLU_SUCCESS);
    s->options.expected_refactors = 0.0;
    CHECK(warplu_analyze(s, m.n, m.ptr, m.idx, m.x) == WARPLU_SUCCESS);
    s->analysis->candidate[0].terms = 10.0; /* as if the search took far more than was predicted */
    CHECK(warplu_factor(s, m.x) == WARPLU_SUCCESS && s->analysis->depth == WLU_DEPTH_RACED);
    CHECK(error_of_solve(s, &m, x) <= 1e-13 && statistics(s).repivots == 0);
    warplu_destroy(&s);
    test_matrix_free(&m);
}

/* Each stage by its count, neither sooner nor later, and with right answers all the way. */
static void stages_come_by_count(void)
{
    warplu_options o;
    static double x[N];
    uint64_t seed = 3;
    test_matrix m;
    warplu_init_options(&o);
    make_grid(&m, 2);
    warplu_solver *s = begin_poorly(&m, &o);
    int64_t compile_after = s->current.service.compile_after, race_after = INT64_MAX - 1;
    int64_t terms = statistics(s).terms;
    for (int64_t k = 1; k <= race_after; k++) {
        test_matrix_vary(&m, &seed, 1e-3);
        CHECK(warplu_refactor(s, m.x) == WARPLU_SUCCESS);
        CHECK_SAY(statistics(s).compiled == (k > compile_after), "%lld of %lld", (long long)k,
                  (long long)compile_after);
        if (k > compile_after && race_after == INT64_MAX - 1) race_after = s->growth.race_after;
        CHECK((s->analysis->depth == WLU_DEPTH_RACED) <= (k >= race_after));
        if (k == compile_after + 2) /* the columns have proven A', too */
            CHECK(warplu_solve_transposed(s, 1, x, m.n, x, m.n) == WARPLU_SUCCESS);
        if (k < 8 || k == compile_after || k > race_after - 2) CHECK(error_of_solve(s, &m, x) <= 1e-13);
    }
    CHECK_SAY(s->growth.race_after == INT64_MAX, "no race after %lld refactorizations", (long long)race_after);
    CHECK_SAY(s->analysis->depth == WLU_DEPTH_RACED && statistics(s).terms < terms, "%lld terms before, %lld after",
              (long long)terms, (long long)statistics(s).terms);
    CHECK(statistics(s).compilations == 2 && statistics(s).repivots == 0);
    warplu_destroy(&s);
    test_matrix_free(&m);
}

/* The program is compiled when it takes no more than three quarters of what has been spent. */
static void stages_are_paid_for(void)
{
    test_matrix m;
    make_grid(&m, 4);
    warplu_solver *s = begin(&m, NULL);
    warplu_statistics t = statistics(s);
    wlu_extent e = {t.n, t.nnz, (double)t.lu_nnz, (double)t.terms};
    double spent = wlu_stage_analysis_ns(&e) + wlu_stage_pivoting_ns(&e);
    double step = wlu_stage_columns_ns(&e) + wlu_stage_solve_ns(&e), asked = wlu_stage_compilation_ns(&e) / 0.75;
    double steps = (double)s->current.service.compile_after;
    CHECK_SAY(spent + steps * step >= 0.99 * asked && spent + (steps - 1.0) * step <= 1.01 * asked,
              "%g steps of %g after %g, %g asked", steps, step, spent, asked);
    warplu_destroy(&s);
    test_matrix_free(&m);
}

static const int32_t tiny_ptr[] = {0, 3, 6, 9}, tiny_idx[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};

/* Three equations, refactored for so long; returns whether a program replays in the end. */
static int is_compiled_after(const warplu_options *o, int steps)
{
    warplu_solver *s = NULL;
    CHECK(warplu_create(&s, o) == WARPLU_SUCCESS && warplu_analyze(s, 3, tiny_ptr, tiny_idx, NULL) == WARPLU_SUCCESS);
    for (int step = 0; step < steps; step++) {
        double a[] = {4.0 + step, 1, 2, 1, 5, 1.5, 2, 1, 6}, b[] = {7.0 + step, 7, 9.5}, x[3];
        CHECK(warplu_refactor(s, a) == WARPLU_SUCCESS && warplu_solve(s, 1, b, 3, x, 3) == WARPLU_SUCCESS);
        for (int i = 0; i < 3; i++) CHECK(fabs(x[i] - 1.0) < 1e-13);
    }
    int compiled = statistics(s).compiled;
    warplu_destroy(&s);
    return compiled;
}

/* A program of three equations takes longer than their columns: it is made where it is asked for. */
static void tiny_systems_need_no_program(void)
{
    warplu_options o;
    warplu_init_options(&o);
    CHECK(!is_compiled_after(&o, 300));
    o.expected_refactors = 4;
    CHECK(is_compiled_after(&o, 20));
    o.expected_refactors = 1000;
    CHECK(is_compiled_after(&o, 1));
}

/* The same calls give the same bits, whatever stage they fall into. */
static void growth_keeps_bits(void)
{
    warplu_options o;
    static double x[2][N];
    test_matrix m[2];
    warplu_solver *s[2];
    uint64_t seed[2] = {5, 5};
    warplu_init_options(&o);
    for (int k = 0; k < 2; k++) make_grid(&m[k], 6);
    for (int k = 0; k < 2; k++) s[k] = begin_poorly(&m[k], &o);
    int64_t steps = s[0]->current.service.compile_after + 3;
    for (int64_t step = 0; step < steps; step++) {
        for (int k = 0; k < 2; k++) {
            test_matrix_vary(&m[k], &seed[k], 1e-3);
            CHECK(warplu_refactor(s[k], m[k].x) == WARPLU_SUCCESS && error_of_solve(s[k], &m[k], x[k]) <= 1e-13);
        }
        CHECK(memcmp(x[0], x[1], sizeof x[0]) == 0);
        if (step + 2 == steps) s[0]->growth.race_after = s[1]->growth.race_after = s[0]->counted.refactors + 1;
    }
    CHECK(s[0]->analysis->depth == WLU_DEPTH_RACED && s[1]->analysis->depth == WLU_DEPTH_RACED);
    for (int k = 0; k < 2; k++) warplu_destroy(&s[k]);
    for (int k = 0; k < 2; k++) test_matrix_free(&m[k]);
}

static int32_t allocations_left;

static void *allocate(size_t bytes, void *user)
{
    (void)user;
    return allocations_left-- > 0 ? malloc(bytes) : NULL;
}

static void release(void *pointer, void *user)
{
    (void)user;
    free(pointer);
}

/* Without memory a stage is left out, and the solver goes on as it was. */
static void a_stage_that_fails_changes_nothing(void)
{
    static double x[N];
    test_matrix m;
    int grown = 0;
    make_grid(&m, 7);
    warplu_options o;
    warplu_init_options(&o);
    o.allocate = allocate;
    o.release = release;
    for (int32_t left = 0; left < 400 && !grown; left += 7) {
        allocations_left = INT32_MAX;
        warplu_solver *s = begin_poorly(&m, &o);
        s->current.service.compile_after = 0;
        CHECK(warplu_refactor(s, m.x) == WARPLU_SUCCESS && statistics(s).compiled);
        s->growth.race_after = 1;
        allocations_left = left;
        CHECK(warplu_refactor(s, m.x) == WARPLU_SUCCESS);
        allocations_left = INT32_MAX;
        grown = s->analysis->depth == WLU_DEPTH_RACED;
        CHECK(statistics(s).compilations == 1 + grown && error_of_solve(s, &m, x) <= 1e-13);
        warplu_destroy(&s);
    }
    CHECK(grown);
    test_matrix_free(&m);
}

static int cancel_now(void *user)
{
    return *(int *)user;
}

/* The call fails, and the stage is put off until as many refactorizations have come again. */
static void growth_is_cancelled(void)
{
    test_matrix m;
    int cancels = 0;
    make_grid(&m, 8);
    warplu_options o;
    warplu_init_options(&o);
    o.cancel = cancel_now;
    o.cancel_user = &cancels;
    warplu_solver *s = begin_poorly(&m, &o);
    s->current.service.compile_after = 0;
    CHECK(warplu_refactor(s, m.x) == WARPLU_SUCCESS && statistics(s).compiled);
    s->growth.race_after = 1;
    cancels = 1;
    CHECK(warplu_refactor(s, m.x) == WARPLU_CANCELLED);
    cancels = 0;
    CHECK(warplu_refactor(s, m.x) == WARPLU_SUCCESS && statistics(s).compilations == 1);
    CHECK(warplu_refactor(s, m.x) == WARPLU_SUCCESS && statistics(s).compilations == 2);
    warplu_destroy(&s);
    test_matrix_free(&m);
}

/* So do values that no order can factor, and values that are not finite, whose refactor fails as it would have. */
static void values_put_growth_off(void)
{
    static double x[N];
    test_matrix m;
    warplu_options o;
    warplu_init_options(&o);
    make_grid(&m, 11);
    warplu_solver *s = begin_poorly(&m, &o);
    s->current.service.compile_after = 0;
    CHECK(warplu_refactor(s, m.x) == WARPLU_SUCCESS && statistics(s).compiled);
    s->growth.race_after = 1;
    double first = m.x[0];
    m.x[0] = NAN;
    CHECK(warplu_refactor(s, m.x) == WARPLU_NOT_FINITE && s->growth.race_after == 1);
    double *zeros = calloc((size_t)m.nnz, sizeof *zeros);
    CHECK(warplu_refactor(s, zeros) == WARPLU_SINGULAR && s->growth.race_after == 6);
    free(zeros);
    m.x[0] = first;
    for (int k = 4; k <= 6; k++) {
        CHECK(warplu_refactor(s, m.x) == WARPLU_SUCCESS && error_of_solve(s, &m, x) <= 1e-13);
        CHECK(statistics(s).compilations == 1 + (k == 6) && statistics(s).repivots == 0);
    }
    warplu_destroy(&s);
    test_matrix_free(&m);
}

/* Solves by columns are in FP64, and prove nothing of a program in FP32. */
static void a_program_of_another_precision_is_on_trial(void)
{
    static const warplu_precision precisions[] = {WARPLU_PRECISION_DOUBLE, WARPLU_PRECISION_SINGLE};
    static double x[N], b[N];
    test_matrix m;
    const test_recipe small = {.shape = TEST_GRID, .n = 9}; /* so few roundings that FP32 is proven, too */
    uint64_t seed = 12;
    test_matrix_random(&m, &seed, &small);
    for (int32_t i = 0; i < N; i++) b[i] = 1.0;
    for (int k = 0; k < 2; k++) {
        warplu_solver *clone = NULL;
        warplu_options o;
        warplu_init_options(&o);
        o.executor = WARPLU_EXECUTOR_REFERENCE;
        o.precision = precisions[k];
        warplu_solver *s = begin(&m, &o);
        for (int solves = 0; solves < 3; solves++) CHECK(warplu_solve(s, 1, b, N, x, N) == WARPLU_SUCCESS);
        CHECK(statistics(s).checked_solves == 3);
        CHECK(warplu_clone(&clone, s) == WARPLU_SUCCESS);
        s->current.service.compile_after = 0;
        CHECK(warplu_refactor(s, m.x) == WARPLU_SUCCESS && statistics(s).compiled);
        CHECK(warplu_refactor(clone, m.x) == WARPLU_SUCCESS && statistics(clone).compiled);
        for (int solves = 0; solves < 5; solves++) CHECK(warplu_solve(s, 1, b, N, x, N) == WARPLU_SUCCESS);
        for (int solves = 0; solves < 5; solves++) CHECK(warplu_solve(clone, 1, b, N, x, N) == WARPLU_SUCCESS);
        CHECK_SAY(statistics(s).checked_solves == 3 + 3 * k && statistics(clone).checked_solves == 3 * k,
                  "%d: %d, of the clone %d", k, (int)statistics(s).checked_solves,
                  (int)statistics(clone).checked_solves);
        warplu_destroy(&clone);
        warplu_destroy(&s);
    }
    test_matrix_free(&m);
}

/* Known systems prove the better order's pivots, as they do those of a factor that compiles: solves of A' need no
 * values that have not been kept. */
static void known_systems_prove_what_a_race_finds(void)
{
    static double x[N], b[N];
    warplu_options o;
    test_matrix m;
    warplu_init_options(&o);
    make_grid(&m, 9);
    warplu_solver *s = begin_poorly(&m, &o);
    s->current.service.compile_after = 0;
    CHECK(warplu_refactor(s, m.x) == WARPLU_SUCCESS && statistics(s).compiled);
    s->growth.race_after = 1;
    for (int k = 0; k < 3; k++) CHECK(warplu_refactor(s, m.x) == WARPLU_SUCCESS && error_of_solve(s, &m, x) <= 1e-13);
    CHECK(statistics(s).compilations == 2 && statistics(s).checked_solves == 0);
    for (int32_t i = 0; i < N; i++) b[i] = 1.0;
    CHECK(warplu_solve_transposed(s, 1, b, m.n, x, m.n) == WARPLU_SUCCESS);
    warplu_destroy(&s);
    test_matrix_free(&m);
}

/* What another pattern has spent pays for nothing of this one, and a clone has not spent anything yet. */
static void each_pattern_pays_for_its_own_race(void)
{
    test_matrix small, m;
    const test_recipe few = {.shape = TEST_GRID, .n = 9};
    uint64_t seed = 10;
    test_matrix_random(&small, &seed, &few);
    make_grid(&m, 10);
    int64_t planned[2], waits[2];
    for (int k = 0; k < 2; k++) {
        warplu_solver *s = begin(k == 0 ? &m : &small, NULL), *clone = NULL;
        for (int64_t step = 0; k == 1 && step < 20000; step++) CHECK(warplu_refactor(s, small.x) == WARPLU_SUCCESS);
        if (k == 1) CHECK(warplu_analyze(s, m.n, m.ptr, m.idx, m.x) == WARPLU_SUCCESS);
        if (k == 1) CHECK(warplu_factor(s, m.x) == WARPLU_SUCCESS);
        s->current.service.compile_after = 0;
        CHECK(warplu_refactor(s, m.x) == WARPLU_SUCCESS && statistics(s).compiled);
        planned[k] = s->growth.race_after;
        CHECK(warplu_clone(&clone, s) == WARPLU_SUCCESS);
        waits[k] = clone->growth.race_after - (clone->counted.refactors - clone->growth.began);
        warplu_destroy(&clone);
        warplu_destroy(&s);
    }
    CHECK_SAY(planned[0] > 2 && planned[0] == planned[1] && waits[0] == waits[1] && waits[0] == planned[0],
              "%lld and %lld, of clones %lld and %lld", (long long)planned[0], (long long)planned[1],
              (long long)waits[0], (long long)waits[1]);
    test_matrix_free(&small);
    test_matrix_free(&m);
}

/* A caller's order is read by warplu_analyze and never again, nor sought again, even by another solver that is told
 * nothing of it. */
static void a_given_order_stays(void)
{
    const double good[] = {4, 1, 1, 4}, zero_first[] = {0, 1, 1, 4};
    int32_t order[2] = {0, 1};
    warplu_solver *s = NULL, *restored = NULL;
    uint8_t bytes[1024];
    test_matrix m, other;
    warplu_options o;
    test_matrix_from_dense(&m, 2, good);
    test_matrix_from_dense(&other, 2, good);
    for (int32_t q = 0; q < 4; q++) other.x[q] = zero_first[q];
    warplu_init_options(&o);
    o.ordering = WARPLU_ORDERING_GIVEN;
    o.row_order = o.col_order = order;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(s, m.n, m.ptr, m.idx, m.x) == WARPLU_SUCCESS);
    order[0] = order[1] = 7; /* the caller's again */
    CHECK(warplu_factor(s, other.x) == WARPLU_SINGULAR);
    CHECK(warplu_factor(s, m.x) == WARPLU_SUCCESS);
    int64_t size = wlu_saved_bytes(s->analysis, NULL, wlu_saved_no_program);
    CHECK(size <= (int64_t)sizeof bytes && warplu_create(&restored, NULL) == WARPLU_SUCCESS);
    wlu_saved_encode(s->analysis, NULL, wlu_saved_no_program, bytes);
    CHECK(wlu_solver_restore(restored, "bytes", bytes, size) == WARPLU_SUCCESS);
    restored->phase = WLU_ANALYZED;
    CHECK(warplu_factor(restored, other.x) == WARPLU_SINGULAR);
    CHECK(restored->analysis->candidate[0].ordering == WARPLU_ORDERING_GIVEN);
    warplu_destroy(&s);
    warplu_destroy(&restored);
    test_matrix_free(&m);
    test_matrix_free(&other);
}

int main(void)
{
    RUN(the_first_answer_needs_one_order_and_no_program);
    RUN(a_long_first_answer_is_dissected);
    RUN(a_hopeless_order_races_at_once);
    RUN(stages_come_by_count);
    RUN(stages_are_paid_for);
    RUN(tiny_systems_need_no_program);
    RUN(growth_keeps_bits);
    RUN(a_stage_that_fails_changes_nothing);
    RUN(growth_is_cancelled);
    RUN(values_put_growth_off);
    RUN(a_program_of_another_precision_is_on_trial);
    RUN(known_systems_prove_what_a_race_finds);
    RUN(each_pattern_pays_for_its_own_race);
    RUN(a_given_order_stays);
    return check_done();
}
