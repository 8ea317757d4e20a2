/* What vouches for solves that nobody checks: bounds on rounding, known systems; and what a success promises, whoever
 * has checked. */
#include <warplu/inspect.h>

#include "check.h"

#include "exec/state.h"
#include "solver/solver.h"
#include "solver/bounded.h"
#include "solver/row_bounds.h"
#include "solver/trial.h"
#include "solver/trust.h"
#include "support/build.h"
#include "support/options.h"

#include <math.h>
#include <string.h>

enum { N = 80, MOST = N * N, SIDES = 5 };

typedef struct system_of {
    int32_t n, nnz, ptr[N + 1], idx[MOST];
    double first[MOST], now[MOST];
} system_of;

static uint64_t seed = 20261123;

static double normal(void)
{
    double sum = -6.0;
    for (int k = 0; k < 12; k++) sum += check_uniform(&seed);
    return sum;
}

/* Normal entries below the diagonal and on it, and full last columns: with other values U grows there. */
static void make_triangle(system_of *m, int32_t n, double density, int32_t full)
{
    m->n = n;
    m->nnz = 0;
    for (int32_t j = 0; j < n; j++) {
        m->ptr[j] = m->nnz;
        for (int32_t i = 0; i < n; i++)
            if (i == j || i == j + 1 || j >= n - full || (i > j && check_uniform(&seed) < density)) {
                m->idx[m->nnz] = i;
                m->first[m->nnz++] = normal();
            }
    }
    m->ptr[n] = m->nnz;
}

static void vary(system_of *m, double spread)
{
    for (int32_t q = 0; q < m->nnz; q++) m->now[q] = m->first[q] * (1.0 + spread * normal());
}

/* The largest error of an equation over max|a| max|x| + |b|. */
static double row_error(const system_of *m, const double *values, int transposed, const double *b, const double *x)
{
    long double r[N], norm[N] = {0}, most = 0, worst = 0;
    for (int32_t i = 0; i < m->n; i++) {
        r[i] = b[i];
        most = fmaxl(most, fabsl((long double)x[i]));
    }
    for (int32_t j = 0; j < m->n; j++)
        for (int32_t q = m->ptr[j]; q < m->ptr[j + 1]; q++) {
            int32_t row = transposed ? j : m->idx[q], col = transposed ? m->idx[q] : j;
            r[row] -= (long double)values[q] * x[col];
            norm[row] = fmaxl(norm[row], fabsl((long double)values[q]));
        }
    for (int32_t i = 0; i < m->n; i++) worst = fmaxl(worst, fabsl(r[i]) / (norm[i] * most + fabsl((long double)b[i])));
    return (double)worst;
}

static warplu_solver *make(const system_of *m, const warplu_options *o)
{
    warplu_solver *s = NULL;
    CHECK(warplu_create(&s, o) == WARPLU_SUCCESS &&
          warplu_analyze(s, m->n, m->ptr, m->idx, m->first) == WARPLU_SUCCESS);
    return s;
}

static warplu_statistics statistics(const warplu_solver *s)
{
    warplu_statistics t = {.size = sizeof t};
    CHECK(warplu_get_statistics(s, &t) == WARPLU_SUCCESS);
    return t;
}

static warplu_status solve(warplu_solver *s, int transposed, const double *b, double *x)
{
    int32_t n = s->analysis->n;
    return transposed ? warplu_solve_transposed(s, 1, b, n, x, n) : warplu_solve(s, 1, b, n, x, n);
}

/* Largest l, u and growth may each be harmless where their product is not: no answer is called a success that is none,
 * and some replays with l and u below a thousand have their solves checked. */
static void no_room_between_the_guards(void)
{
    static system_of m;
    int64_t successes = 0, harmless = 0;
    for (int trial = 0; trial < 500; trial++) {
        double b[N], x[N];
        if (!check_due()) continue;
        make_triangle(&m, 20 + check_below(&seed, N - 19), 0.2 + 0.8 * check_uniform(&seed), 1 + check_below(&seed, 3));
        warplu_solver *s = make(&m, NULL);
        if (warplu_factor(s, m.first) < 0) {
            warplu_destroy(&s);
            continue;
        }
        for (int k = 0; k < 12; k++) {
            vary(&m, k % 2 ? 0.3 : 0.05);
            s->current.accurate_solves[0] = s->current.accurate_solves[1] =
                WLU_TRIAL_SOLVES; /* earlier values were easy */
            if (warplu_refactor(s, m.now) != WARPLU_SUCCESS) continue;
            for (int32_t i = 0; i < m.n; i++) b[i] = normal();
            int64_t before = statistics(s).checked_solves;
            if (solve(s, k / 2 % 2, b, x) != WARPLU_SUCCESS) continue;
            warplu_statistics t = statistics(s);
            double error = row_error(&m, m.now, k / 2 % 2, b, x);
            CHECK_SAY(error <= 1e-10, "trial %d, replay %d: %g, |l| %g, |u| %g, checked %d", trial, k, error,
                      t.largest_l, t.largest_u, t.all_checked);
            CHECK(t.all_checked == (t.checked_solves > before));
            harmless +=
                t.largest_l < 1e3 && t.largest_u < 1e3 && t.pivot_growth > 1e-3 && t.row_drift <= 1024 && t.all_checked;
            successes++;
        }
        warplu_destroy(&s);
    }
    CHECK_SAY(successes > 2500 / check_every() && harmless > 0, "%lld, %lld", (long long)successes,
              (long long)harmless);
}

/* The bound is of the order of what it bounds where all entries are alike, and no number passes that is none. */
static void bounds_follow_from_counts(void)
{
    static system_of m;
    enum { SIDE = N / 2 };
    make_triangle(&m, SIDE, 1.0, SIDE);
    warplu_solver *s = make(&m, NULL);
    CHECK(warplu_factor(s, m.first) == WARPLU_SUCCESS);
    wlu_bound b[2];
    for (int t = 0; t <= 1; t++) {
        b[t] = wlu_plan_bound(&s->ctx, s->current.plan, s->current.state != NULL, t);
        CHECK_SAY(b[t].of_factors > SIDE * SIDE && b[t].of_factors < 4.0 * SIDE * SIDE * SIDE &&
                      b[t].of_loads < 2.0 * SIDE,
                  "%d: %g, %g", t, b[t].of_factors, b[t].of_loads);
    }
    wlu_health h = *wlu_solver_health(s);
    h.largest_l = h.growth = h.drift = 1.0;
    h.largest_u = 0.01;
    CHECK(wlu_is_bounded(&h, &b[0], 0) && wlu_is_bounded(&h, &b[1], 1));
    h.largest_u = NAN;
    CHECK(!wlu_is_bounded(&h, &b[0], 0));
    h.largest_u = 1e9;
    CHECK(!wlu_is_bounded(&h, &b[0], 0));
    h.largest_u = 0.5;
    CHECK(wlu_is_bounded(&h, &b[0], 0));
    h.single = 1; /* FP32 has three digits to lose where FP64 has six */
    CHECK(!wlu_is_bounded(&h, &b[0], 0));
    h.single = 0;
    wlu_criteria c = {.quality = s->current.plan->pivots->quality, .bound = b[0]};
    CHECK(wlu_judge(&h, &c) == WLU_HEALTHY && wlu_is_in_range(&h));
    c.bound.of_factors = INFINITY; /* suspect either way, and a closer look may help one of them */
    CHECK(wlu_judge(&h, &c) == WLU_SUSPECT && wlu_is_in_range(&h));
    c.bound = b[0];
    h.smallest_pivot = 1e-101;
    CHECK(wlu_judge(&h, &c) == WLU_SUSPECT && !wlu_is_in_range(&h));
    h.smallest_pivot = 1.0;
    b[0].of_factors = INFINITY;
    b[1].of_loads = NAN;
    CHECK(!wlu_is_bounded(&h, &b[0], 0) && !wlu_is_bounded(&h, &b[1], 1));
    warplu_destroy(&s);
}

/* A bound is found when a verdict or a solve wants it, once, that of A' for solves with A'. */
static void bounds_are_found_when_wanted(void)
{
    static system_of m;
    double b[N], x[N];
    warplu_options o;
    check_init_options(&o);
    o.expected_refactors = 1;
    make_triangle(&m, N, 1.0, N);
    for (int32_t i = 0; i < N; i++) b[i] = normal();
    warplu_solver *s = make(&m, &o), *clone = NULL;
    CHECK(warplu_factor(s, m.first) == WARPLU_SUCCESS && solve(s, 0, b, x) == WARPLU_SUCCESS);
    wlu_plan_lines *lines = s->current.plan->lines[0];
    CHECK(lines[0].line == NULL && lines[1].line == NULL);
    s->current.accurate_solves[0] = s->current.accurate_solves[1] = WLU_TRIAL_SOLVES;
    CHECK(warplu_refactor(s, m.first) == WARPLU_SUCCESS && solve(s, 0, b, x) == WARPLU_SUCCESS);
    CHECK(lines[0].line != NULL && lines[1].line == NULL);
    wlu_bound first = wlu_plan_bound(&s->ctx, s->current.plan, 0, 0);
    CHECK(warplu_clone(&clone, s) == WARPLU_SUCCESS && warplu_refactor(clone, m.first) == WARPLU_SUCCESS);
    CHECK(solve(s, 1, b, x) == WARPLU_SUCCESS && lines[1].line != NULL);
    wlu_bound again = wlu_plan_bound(&clone->ctx, clone->current.plan, 0, 0);
    CHECK(memcmp(&first, &again, sizeof first) == 0 && again.of_factors < INFINITY);
    warplu_destroy(&clone);
    warplu_destroy(&s);
}

/* A row's largest entry shrinks, and another takes its place: drift leaves it open, the magnitudes of now do not. */
static void magnitudes_of_now_prove_what_drift_does_not(void)
{
    static const int32_t ptr[] = {0, 2, 4}, idx[] = {0, 1, 0, 1};
    static const double first[] = {4, 1, 1, 4}, second[] = {4, 1, 1, 1e-5};
    double x[2];
    const double b[2] = {1, 2};
    warplu_solver *s = NULL;
    CHECK(check_create(&s) == WARPLU_SUCCESS && warplu_analyze(s, 2, ptr, idx, first) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s, first) == WARPLU_SUCCESS && warplu_refactor(s, second) == WARPLU_SUCCESS);
    CHECK(!wlu_solver_is_bounded_at_once(s, 0) && statistics(s).verdict == WARPLU_VERDICT_SUSPECT);
    CHECK(warplu_solve(s, 1, b, 2, x, 2) == WARPLU_SUCCESS && !statistics(s).all_checked &&
          s->trust.bounded[0] == WLU_BOUNDED);
    CHECK(warplu_refactor(s, first) == WARPLU_SUCCESS && statistics(s).verdict == WARPLU_VERDICT_HEALTHY);
    warplu_destroy(&s);
}

static const int32_t two_ptr[] = {0, 2, 4}, two_idx[] = {0, 1, 0, 1};
static const double good[] = {1, 1, 1, 2};

static warplu_solver *make_two(warplu_options *o)
{
    warplu_solver *s = NULL;
    o->ordering = WARPLU_ORDERING_NATURAL;
    o->btf = 0;
    CHECK(warplu_create(&s, o) == WARPLU_SUCCESS && warplu_analyze(s, 2, two_ptr, two_idx, good) == WARPLU_SUCCESS);
    return s;
}

/* b = 0 proves nothing; and pivots that a known system has failed are proven by known systems of other values alone. */
static void easy_solves_prove_nothing(void)
{
    const double zero[2] = {0, 0}, easy[2] = {1, 1};
    double x[2];
    warplu_options o;
    check_init_options(&o);
    o.expected_refactors = 1;
    warplu_solver *s = make_two(&o);
    CHECK(warplu_factor(s, good) == WARPLU_SUCCESS);
    for (int k = 0; k < 4; k++) CHECK(solve(s, k % 2, zero, x) == WARPLU_SUCCESS && x[0] == 0.0);
    CHECK(s->current.accurate_solves[0] == 0 && s->current.accurate_solves[1] == 0);
    for (int transposed = 0; transposed <= 1; transposed++) {
        CHECK(warplu_factor(s, good) == WARPLU_SUCCESS);
        s->current.accurate_solves[transposed] = WLU_DISPROVEN;
        for (int k = 0; k < 4; k++) CHECK(solve(s, transposed, easy, x) == WARPLU_SUCCESS);
        CHECK(s->current.accurate_solves[transposed] ==
              WLU_DISPROVEN); /* by the values that the pivots were chosen for */
        CHECK(warplu_refactor(s, good) == WARPLU_SUCCESS && solve(s, transposed, zero, x) == WARPLU_SUCCESS);
        CHECK(s->current.accurate_solves[transposed] == WLU_DISPROVEN);
        CHECK(solve(s, transposed, easy, x) == WARPLU_SUCCESS &&
              s->current.accurate_solves[transposed] == WLU_TRIAL_SOLVES);
    }
    warplu_destroy(&s);
}

/* Right-hand sides in a group are checked as they would be one by one. */
static void a_group_is_checked_as_its_members_are(void)
{
    double b[SIDES * 2], x[SIDES * 2];
    warplu_options o;
    check_init_options(&o);
    warplu_solver *s = make_two(&o);
    for (int k = 0; k < SIDES * 2; k++) b[k] = 1.0 + k;
    CHECK(warplu_factor(s, good) == WARPLU_SUCCESS && warplu_refactor(s, good) == WARPLU_SUCCESS);
    s->trust.retry[0].tried = 1; /* else known systems prove them */
    wlu_trust_keep_values(s, good);
    CHECK(warplu_solve(s, SIDES, b, 2, x, 2) == WARPLU_SUCCESS);
    CHECK_SAY(statistics(s).checked_solves == WLU_TRIAL_SOLVES && !statistics(s).all_checked, "%lld",
              (long long)statistics(s).checked_solves);
    warplu_destroy(&s);
}

/* Replays by a program whose solves are proven keep no values: what is asked of A' for the first time is proven by
 * columns of earlier ones, of a clone by those it came with. Of a restored solver there are none. */
static void earlier_values_prove_late_transposed_solves(void)
{
    const double b[2] = {1, 3};
    double x[2];
    warplu_options o;
    check_init_options(&o);
    o.expected_refactors = 1;
    warplu_solver *s = make_two(&o), *clone = NULL;
    CHECK(warplu_factor(s, good) == WARPLU_SUCCESS);
    for (int k = 0; k < 3; k++) CHECK(solve(s, 0, b, x) == WARPLU_SUCCESS);
    for (int k = 0; k < 10; k++) CHECK(warplu_refactor(s, good) == WARPLU_SUCCESS);
    CHECK(statistics(s).compiled && !s->checks.kept && warplu_clone(&clone, s) == WARPLU_SUCCESS);
    CHECK(warplu_refactor(clone, good) == WARPLU_SUCCESS && !clone->checks.kept);
    CHECK(solve(s, 1, b, x) == WARPLU_SUCCESS && !statistics(s).all_checked && x[0] == -1.0);
    CHECK(solve(clone, 1, b, x) == WARPLU_SUCCESS && !statistics(clone).all_checked);
    warplu_destroy(&clone);
    s->current.accurate_solves[1] = s->trust.retry[1].tried = s->checks.earlier = 0;
    CHECK(solve(s, 1, b, x) == WARPLU_UNCHECKED);
    warplu_destroy(&s);
}

/* A checked solution is held against the promise of those that are not: equations as wholes. Who asks for every check
 * asks for the smallest unknown too. */
static void one_promise_for_all(void)
{
    static system_of m;
    int64_t small = 0;
    for (int trial = 0; trial < 3000; trial++) {
        double b[N] = {0}, x[N], graded[N], omega = 0.0;
        warplu_options o;
        if (!check_due()) continue;
        check_init_options(&o);
        o.on_weak = WARPLU_ON_WEAK_REPORT;
        o.matching = WARPLU_MATCHING_NEVER;
        o.check = trial % 2 ? WARPLU_CHECK_ALWAYS : WARPLU_CHECK_SUSPECT;
        make_triangle(&m, 12, 0.2, 1);
        warplu_solver *s = make(&m, &o);
        if (warplu_factor(s, m.first) < 0) {
            warplu_destroy(&s);
            continue;
        }
        for (int32_t i = 0; i < m.n; i++) graded[i] = ldexp(normal(), -(int)check_below(&seed, 60));
        for (int32_t j = 0; j < m.n; j++)
            for (int32_t q = m.ptr[j]; q < m.ptr[j + 1]; q++) b[m.idx[q]] += m.first[q] * graded[j];
        warplu_status status = solve(s, 0, b, x);
        CHECK(warplu_compute_backward_error(s, 0, m.first, 1, b, m.n, x, m.n, &omega) == WARPLU_SUCCESS);
        double error = row_error(&m, m.first, 0, b, x);
        int kept = error <= 1e-10 && (o.check == WARPLU_CHECK_SUSPECT || omega <= 1e-10);
        CHECK_SAY(status == (kept ? WARPLU_SUCCESS : WARPLU_INACCURATE), "%s: %g, componentwise %g",
                  warplu_status_name(status), error, omega);
        small += kept && omega > 1e-10;
        warplu_destroy(&s);
    }
    CHECK_SAY(small > 0, "no case tells the two apart");
}

/* Right-hand sides of which every other has a solution that may have underflown, apart from x and in its place, by a
 * clone each: the same statuses, bits and checks. */
static void check_in_place(warplu_solver *const s[2], int32_t n, int32_t nrhs, int transposed, double tiny,
                           uint64_t *at)
{
    double b[SIDES * N], x[2][SIDES * N];
    warplu_status status[2];
    for (int32_t k = 0; k < nrhs * n; k++) b[k] = (check_uniform(at) + 0.5) * (k / n % 2 == 0 ? tiny : 1.0);
    memcpy(x[1], b, sizeof b);
    int64_t checked = statistics(s[0]).checked_solves;
    for (int k = 0; k < 2; k++)
        status[k] = transposed ? warplu_solve_transposed(s[k], nrhs, k ? x[k] : b, n, x[k], n)
                               : warplu_solve(s[k], nrhs, k ? x[k] : b, n, x[k], n);
    CHECK_SAY(status[0] == WARPLU_SUCCESS && status[1] == status[0], "%d of %g: %s, in place %s", nrhs, tiny,
              warplu_status_name(status[0]), warplu_status_name(status[1]));
    CHECK(memcmp(x[0], x[1], (size_t)(nrhs * n) * sizeof **x) == 0);
    CHECK(statistics(s[0]).checked_solves > checked);
    CHECK(statistics(s[1]).checked_solves == statistics(s[0]).checked_solves);
}

static void solutions_in_place_are_checked_as_those_apart(void)
{
    for (int k = 0; k < 12; k++) {
        const int transposed = k % 2;
        system_of m;
        warplu_options o;
        warplu_solver *s[2];
        double b[N], x[N];
        check_init_options(&o);
        if (k % 4 >= 2) o.expected_refactors = 1; /* by columns */
        make_triangle(&m, 12, 0.1, 0);
        for (int32_t j = 0; j < m.n; j++) m.first[m.ptr[j]] = 40.0 + j;
        for (int32_t i = 0; i < m.n; i++) b[i] = 1.0 + i;
        for (int q = 0; q < 2; q++) {
            s[q] = make(&m, &o);
            CHECK(warplu_factor(s[q], m.first) == WARPLU_SUCCESS);
            for (int trial = 0; trial < WLU_TRIAL_SOLVES; trial++)
                CHECK(solve(s[q], transposed, b, x) == WARPLU_SUCCESS);
            CHECK(s[q]->checks.kept && !wlu_solver_is_on_trial(s[q], transposed));
        }
        uint64_t at = 31337 + (uint64_t)k;
        const int32_t sides[] = {1, 2, SIDES, 1};
        for (int q = 0; q < 4; q++) check_in_place(s, m.n, sides[q], transposed, 1e-305, &at);
        for (int q = 0; q < 2; q++) warplu_destroy(&s[q]);
    }
}

/* What underflows in the scaled system shows in no bound: such solutions are checked. */
static void small_solutions_are_checked(void)
{
    static const double first[] = {1e-15, 1e-15, 1e-15, 2e-15};
    const double tiny[2] = {3e-300, 5e-300};
    double x[2], omega = 1.0;
    warplu_options o;
    check_init_options(&o);
    o.on_weak = WARPLU_ON_WEAK_REPORT;
    warplu_solver *s = make_two(&o);
    CHECK(warplu_factor(s, first) == WARPLU_SUCCESS && warplu_refactor(s, good) == WARPLU_SUCCESS);
    CHECK(statistics(s).row_drift > 1e14 && warplu_solve(s, 1, tiny, 2, x, 2) == WARPLU_SUCCESS);
    CHECK_SAY(statistics(s).all_checked, "x = %g, %g", x[0], x[1]);
    CHECK(warplu_compute_backward_error(s, 0, good, 1, tiny, 2, x, 2, &omega) == WARPLU_SUCCESS && omega <= 1e-10);
    warplu_destroy(&s);
}

/* What b = 0 gives, among others too, by a program whose solves nobody can check. */
static void solutions_that_are_zero_are_no_underflow(void)
{
    const double b[8] = {1, 3};
    double x[8];
    warplu_options o;
    check_init_options(&o);
    warplu_solver *s = make_two(&o);
    CHECK(warplu_factor(s, good) == WARPLU_SUCCESS && warplu_solve(s, 1, b, 2, x, 2) == WARPLU_SUCCESS);
    for (int k = 0; k < 10; k++) CHECK(warplu_refactor(s, good) == WARPLU_SUCCESS);
    CHECK(statistics(s).compiled && !s->checks.kept);
    CHECK(warplu_solve(s, 4, b, 2, x, 2) == WARPLU_SUCCESS && x[0] != 0.0 && x[2] == 0.0 && x[7] == 0.0);
    warplu_destroy(&s);
}

/* Before it has a program, mixed precision answers by columns, and to the same error. */
static void mixed_precision_refines_by_columns_too(void)
{
    const double b[2] = {1, 3};
    double x[2];
    warplu_options o;
    check_init_options(&o);
    o.expected_refactors = 1;
    o.precision = WARPLU_PRECISION_MIXED;
    o.executor = WARPLU_EXECUTOR_REFERENCE;
    warplu_solver *s = make_two(&o);
    CHECK(warplu_factor(s, good) == WARPLU_SUCCESS);
    for (int k = 0; k < 6; k++) {
        CHECK(warplu_refactor(s, good) == WARPLU_SUCCESS && !statistics(s).compiled &&
              warplu_solve(s, 1, b, 2, x, 2) == WARPLU_SUCCESS);
        CHECK(statistics(s).all_checked && statistics(s).backward_error <= wlu_thresholds_of(0).corrected);
    }
    warplu_destroy(&s);
}

/* Without any check, too: the reciprocal of an infinite pivot is 0, and would give a finite x. */
static void an_infinite_pivot_is_told_without_checks(void)
{
    const double infinite[] = {INFINITY, 0, 0, 1};
    warplu_options o;
    check_init_options(&o);
    warplu_init_options(NULL);
    for (int columns = 0; columns <= 1; columns++) {
        o.check = WARPLU_CHECK_OFF;
        o.expected_refactors = columns ? 1 : 1000;
        warplu_solver *s = make_two(&o);
        CHECK(warplu_factor(s, good) == WARPLU_SUCCESS && warplu_refactor(s, infinite) == WARPLU_NOT_FINITE);
        CHECK(warplu_refactor(s, good) == WARPLU_SUCCESS);
        warplu_destroy(&s);
    }
}

static int planted; /* -1: the executor's own */

static warplu_status refactor_and_plant(wlu_context *ctx, wlu_state *state, const double *values)
{
    warplu_status status = wlu_executor_reference.refactor(ctx, state, values);
    if (planted >= 0) state->health->verdict = planted;
    return status;
}

/* A replay is judged once, where it runs: another verdict in its state is believed, whatever its magnitudes say. */
static void the_verdict_of_a_replay_is_believed(void)
{
    static const double weak[] = {1e-16, 1, 1, 2};
    wlu_executor planting = wlu_executor_reference;
    warplu_options o;
    warplu_init_options(&o);
    o.executor = WARPLU_EXECUTOR_REFERENCE;
    o.expected_refactors = 1000;
    planting.refactor = refactor_and_plant;
    for (planted = -1; planted <= WLU_WEAK; planted++) {
        warplu_solver *s = make_two(&o);
        s->target.executor = s->refines.executor = &planting;
        CHECK(warplu_factor(s, good) == WARPLU_SUCCESS && warplu_refactor(s, good) == WARPLU_SUCCESS);
        warplu_statistics t = statistics(s);
        CHECK(t.weak_replays == (planted == WLU_WEAK) && t.proven_replays == t.weak_replays && t.repivots == 0);
        warplu_status status = warplu_refactor(s, weak);
        t = statistics(s);
        int believed = planted == WLU_HEALTHY || planted == WLU_SUSPECT;
        CHECK_SAY(status == (believed ? WARPLU_SUCCESS : WARPLU_REPIVOTED) && t.repivots == !believed,
                  "verdict %d planted: %s, %lld repivots", planted, warplu_status_name(status), (long long)t.repivots);
        if (believed) CHECK(t.verdict == planted);
        warplu_destroy(&s);
    }
}

/* Where the caller judges solutions a healthy replay vouches for its solves, pivots on trial or not, A or A'; what a
 * suspect one gives is checked and right, and a weak one is mended. */
static void replays_alone_may_be_judged(void)
{
    const int32_t ptr[] = {0, 2, 4}, idx[] = {0, 1, 0, 1};
    const double even[] = {1, 1, 1, 2}, weak[] = {1e-16, 1, 1, 2}, b[] = {1, 3};
    static const warplu_check checks[] = {WARPLU_CHECK_SUSPECT, WARPLU_CHECK_REPLAYS};
    for (int which = 0; which < 2; which++) {
        warplu_options o;
        warplu_solver *s = NULL;
        double x[2];
        check_init_options(&o);
        o.ordering = WARPLU_ORDERING_NATURAL;
        o.btf = 0;
        o.check = checks[which];
        CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS && warplu_analyze(s, 2, ptr, idx, NULL) == WARPLU_SUCCESS);
        for (int k = 0; k < 4; k++) {
            int transposed = which == 1 && k % 2; /* the default knows nothing of A' before the first solve by it */
            if (k > 0) wlu_solver_begin_trial(s, transposed);
            CHECK((k == 0 ? warplu_factor(s, even) : warplu_refactor(s, even)) == WARPLU_SUCCESS);
            CHECK(solve(s, transposed, b, x) == WARPLU_SUCCESS && s->trust.verdict == WLU_HEALTHY);
            CHECK(fabs(x[0] + 1.0) < 1e-14 && fabs(x[1] - 2.0) < 1e-14); /* A is symmetric */
        }
        CHECK((statistics(s).checked_solves == 0) == (checks[which] == WARPLU_CHECK_REPLAYS));
        CHECK(warplu_refactor(s, weak) == WARPLU_REPIVOTED && solve(s, 0, b, x) == WARPLU_SUCCESS);
        CHECK(fabs(x[0] - 1.0) < 1e-14 && fabs(x[1] - 1.0) < 1e-14);
        warplu_destroy(&s);
    }
}

/* [e 1; 1 2] by the pivots of [1 1; 1 2]: the smaller e is, the larger is l. */
static void suspect_replays_are_checked(void)
{
    const int32_t ptr[] = {0, 2, 4}, idx[] = {0, 1, 0, 1};
    const double even[] = {1, 1, 1, 2};
    int suspect = 0, healthy = 0;
    for (int k = 0; k <= 12; k++) {
        double e = pow(10.0, -k), values[] = {e, 1, 1, 2}, b[] = {1 + e, 3}, x[2];
        warplu_options o;
        warplu_solver *s = NULL;
        check_init_options(&o);
        o.ordering = WARPLU_ORDERING_NATURAL;
        o.btf = 0;
        o.check = WARPLU_CHECK_REPLAYS;
        CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS && warplu_analyze(s, 2, ptr, idx, NULL) == WARPLU_SUCCESS);
        CHECK(warplu_factor(s, even) == WARPLU_SUCCESS && warplu_refactor(s, values) >= 0);
        int doubtful = s->trust.verdict != WLU_HEALTHY;
        CHECK(doubtful || statistics(s).verdict == WARPLU_VERDICT_HEALTHY); /* who reads a doubt has a check */
        CHECK(solve(s, 0, b, x) == WARPLU_SUCCESS);
        CHECK_SAY(statistics(s).checked_solves == doubtful, "e = 1e-%d, verdict %d", k, (int)s->trust.verdict);
        CHECK_SAY(fabs(x[0] - 1.0) < 1e-9 && fabs(x[1] - 1.0) < 1e-9, "e = 1e-%d: (%.17g, %.17g)", k, x[0], x[1]);
        suspect += doubtful;
        healthy += !doubtful;
        warplu_destroy(&s);
    }
    CHECK_SAY(suspect > 0 && healthy > 0, "%d suspect, %d healthy", suspect, healthy);
}

int main(void)
{
    RUN(no_room_between_the_guards);
    RUN(replays_alone_may_be_judged);
    RUN(suspect_replays_are_checked);
    RUN(bounds_follow_from_counts);
    RUN(bounds_are_found_when_wanted);
    RUN(magnitudes_of_now_prove_what_drift_does_not);
    RUN(easy_solves_prove_nothing);
    RUN(a_group_is_checked_as_its_members_are);
    RUN(earlier_values_prove_late_transposed_solves);
    RUN(one_promise_for_all);
    RUN(small_solutions_are_checked);
    RUN(solutions_that_are_zero_are_no_underflow);
    RUN(solutions_in_place_are_checked_as_those_apart);
    RUN(mixed_precision_refines_by_columns_too);
    RUN(an_infinite_pivot_is_told_without_checks);
    RUN(the_verdict_of_a_replay_is_believed);
    return check_done();
}
