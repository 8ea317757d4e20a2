/* The policy between replays: new factors answer at once and are compiled later, earlier pivots come back, weak replays
 * prove themselves, options that keep weak pivots, clones. */
#include <warplu/inspect.h>

#include "check.h"

#include "solver/solver.h"
#include "solver/replay.h"
#include "solver/trial.h"
#include "support/build.h"
#include "support/dense.h"
#include "support/options.h"

#include <math.h>
#include <string.h>

enum { N = 2 };
static const int32_t ptr[] = {0, 2, 4}, idx[] = {0, 1, 0, 1};
/* `weak` is weak for the pivots of `good`. */
static const double good[] = {1, 1, 1, 2}, weak[] = {1e-16, 1, 1, 2};
static const double b[] = {1, 3};

static warplu_options natural(void)
{
    warplu_options o;
    check_init_options(&o);
    o.ordering = WARPLU_ORDERING_NATURAL;
    o.btf = 0;
    return o;
}

static warplu_solver *make(const warplu_options *o)
{
    warplu_solver *s = NULL;
    CHECK(warplu_create(&s, o) == WARPLU_SUCCESS && warplu_analyze(s, N, ptr, idx, NULL) == WARPLU_SUCCESS);
    return s;
}

static warplu_statistics statistics(const warplu_solver *s)
{
    warplu_statistics t = {.size = sizeof t};
    CHECK(warplu_get_statistics(s, &t) == WARPLU_SUCCESS);
    return t;
}

static double error_of_solve(warplu_solver *s, const double *values)
{
    double x[N], omega = INFINITY;
    warplu_status status = warplu_solve(s, 1, b, N, x, N);
    CHECK_SAY(status == WARPLU_SUCCESS, "%s", warplu_status_name(status));
    CHECK(warplu_compute_backward_error(s, 0, values, 1, b, N, x, N, &omega) == WARPLU_SUCCESS);
    return omega;
}

static void new_factors_answer_before_they_are_compiled(void)
{
    warplu_options o = natural();
    warplu_solver *s = make(&o);
    CHECK(warplu_factor(s, good) == WARPLU_SUCCESS && statistics(s).compiled && statistics(s).compilations == 1);
    CHECK(warplu_refactor(s, weak) == WARPLU_REPIVOTED);
    CHECK(!statistics(s).compiled && statistics(s).repivots == 1 && statistics(s).weak_replays == 1);
    CHECK(error_of_solve(s, weak) <= DBL_EPSILON);
    for (int k = 0; k < WLU_COMPILE_AFTER; k++) {
        CHECK(!statistics(s).compiled);
        CHECK(warplu_refactor(s, weak) == WARPLU_SUCCESS && error_of_solve(s, weak) <= DBL_EPSILON);
    }
    CHECK(warplu_refactor(s, weak) == WARPLU_SUCCESS && statistics(s).compiled);
    CHECK(error_of_solve(s, weak) <= DBL_EPSILON && statistics(s).compilations == 2);
    warplu_destroy(&s);
}

/* Two regimes in turn: each is pivoted and compiled once, then its program comes back. */
static void programs_come_back(void)
{
    warplu_options o = natural();
    warplu_solver *s = make(&o);
    CHECK(warplu_factor(s, good) == WARPLU_SUCCESS);
    CHECK(warplu_refactor(s, weak) == WARPLU_REPIVOTED && statistics(s).cached_programs == 1);
    for (int k = 0; k <= WLU_COMPILE_AFTER; k++) CHECK(warplu_refactor(s, weak) == WARPLU_SUCCESS);
    CHECK(statistics(s).compilations == 2 && statistics(s).cache_bytes > 0);
    for (int k = 0; k < 5; k++) {
        CHECK(warplu_factor(s, good) == WARPLU_SUCCESS && error_of_solve(s, good) <= DBL_EPSILON);
        CHECK(warplu_refactor(s, weak) == WARPLU_SUCCESS && error_of_solve(s, weak) <= DBL_EPSILON);
    }
    warplu_statistics t = statistics(s);
    CHECK_SAY(t.compilations == 2 && t.repivots == 1 && t.cache_hits >= 10, "%lld compiled, %lld repivots, %lld hits",
              (long long)t.compilations, (long long)t.repivots, (long long)t.cache_hits);
    warplu_destroy(&s);
    o.max_cache_bytes = 0;
    s = make(&o);
    CHECK(warplu_factor(s, good) == WARPLU_SUCCESS && warplu_refactor(s, weak) == WARPLU_REPIVOTED);
    CHECK(statistics(s).cached_programs == 0 && statistics(s).cache_bytes == 0);
    warplu_destroy(&s);
}

/* |l| = 1e7, and yet the replay solves accurately: a dominated row, scaled up. It stays, for a while. */
static void weak_replays_may_prove_themselves(void)
{
    const double harmless[] = {1, 1e7, 0, 2e7};
    warplu_options o = natural();
    warplu_solver *s = make(&o);
    CHECK(warplu_factor(s, good) == WARPLU_SUCCESS);
    CHECK(warplu_refactor(s, harmless) == WARPLU_SUCCESS);
    warplu_statistics t = statistics(s);
    CHECK(t.weak_replays == 1 && t.proven_replays == 1 && t.repivots == 0 && t.largest_l > 1e6);
    CHECK(error_of_solve(s, harmless) <= wlu_solver_thresholds(s).accurate && statistics(s).checked_solves == 1);
    int kept = 1;
    while (kept < 100 && warplu_refactor(s, harmless) == WARPLU_SUCCESS) kept++;
    CHECK_SAY(kept == 4 && statistics(s).repivots == 1, "%d", kept);
    warplu_destroy(&s);
}

/* Healthy replays in between do not make accurate_solves free: they come to new pivots all the same, which serve both;
 * rare ones go on. */
static void proofs_among_healthy_replays_come_to_new_pivots(void)
{
    const double harmless[] = {1, 1e7, 0, 2e7};
    for (int healthy = 1; healthy <= 64; healthy *= 64) {
        warplu_options o = natural();
        warplu_solver *s = make(&o);
        CHECK(warplu_factor(s, good) == WARPLU_SUCCESS);
        for (int k = 0; k < 40; k++) {
            for (int h = 0; h < healthy; h++)
                CHECK(warplu_refactor(s, good) >= 0 && error_of_solve(s, good) <= DBL_EPSILON);
            CHECK(warplu_refactor(s, harmless) >= 0 && error_of_solve(s, harmless) <= wlu_thresholds_of(0).accurate);
        }
        warplu_statistics t = statistics(s);
        CHECK_SAY(healthy == 1 ? t.proven_replays < 10 && t.repivots == 1 && t.weak_replays < 20
                               : t.proven_replays == 40 && t.repivots == 0,
                  "%d to one: %lld proven, %lld repivots, %lld weak", healthy, (long long)t.proven_replays,
                  (long long)t.repivots, (long long)t.weak_replays);
        warplu_destroy(&s);
    }
}

/* Full matrices whose k-th rotation of the rows stands out: weak for the pivots of every other k. */
enum { ROTATED = 12 };

static void fill_rotated(int32_t n, int32_t k, double *values)
{
    for (int32_t i = 0; i < n * n; i++) values[i] = 1e-12 * (1.0 + 0.37 * (i * 7 % 11));
    for (int32_t j = 0; j < n; j++) values[j * n + (j + k) % n] = 1.0 + 0.1 * j;
}

static warplu_solver *make_full(int32_t n, const warplu_options *o)
{
    int32_t p[ROTATED + 1], i[ROTATED * ROTATED];
    warplu_solver *s = NULL;
    for (int32_t j = 0; j <= n; j++) p[j] = j * n;
    for (int32_t e = 0; e < n * n; e++) i[e] = e % n;
    CHECK(warplu_create(&s, o) == WARPLU_SUCCESS && warplu_analyze(s, n, p, i, NULL) == WARPLU_SUCCESS);
    return s;
}

/* Replays the regime's values, and solves. */
static void visit(warplu_solver *s, int32_t n, int32_t regime)
{
    double values[ROTATED * ROTATED], rhs[ROTATED], x[ROTATED], omega = INFINITY;
    fill_rotated(n, regime, values);
    for (int32_t i = 0; i < n; i++) rhs[i] = 1.0 + i;
    CHECK(warplu_refactor(s, values) >= 0 && warplu_solve(s, 1, rhs, n, x, n) == WARPLU_SUCCESS);
    CHECK(warplu_compute_backward_error(s, 0, values, 1, rhs, n, x, n, &omega) == WARPLU_SUCCESS && omega <= 1e-14);
}

/* Regimes in turn: pivots are chosen once for each, compiled soon though no visit lasts long enough for that, and after
 * some turns each gives way to the next before it is weak. */
static void regimes_take_turns(void)
{
    static const char *const turns[] = {"AB", "AAB", "ABC", "AABCC", "ABAC"};
    for (size_t k = 0; k < sizeof turns / sizeof *turns; k++)
        for (int eager = 0; eager <= 1; eager++) {
            warplu_options o = natural();
            if (!eager) o.expected_refactors = 1;
            warplu_solver *s = make_full(3, &o);
            int32_t period = (int32_t)strlen(turns[k]), regimes = strchr(turns[k], 'C') != NULL ? 3 : 2;
            for (int32_t step = 0; step < 10 * period; step++) visit(s, 3, turns[k][step % period] - 'A');
            warplu_statistics before = statistics(s);
            for (int32_t step = 0; step < 10 * period; step++) visit(s, 3, turns[k][step % period] - 'A');
            warplu_statistics t = statistics(s);
            CHECK_SAY(t.repivots == regimes - 1 && t.compilations == regimes && before.compilations == regimes,
                      "%s, eager %d: %lld repivots, %lld compiled, %lld in time", turns[k], eager,
                      (long long)t.repivots, (long long)t.compilations, (long long)before.compilations);
            int foreseen = strcmp(turns[k], "ABAC") != 0; /* what follows A cannot be: half of its visits end weak */
            CHECK_SAY(t.weak_replays - before.weak_replays == (foreseen ? 0 : 20), "%s: %lld weak replays", turns[k],
                      (long long)(t.weak_replays - before.weak_replays));
            CHECK(t.checked_solves == before.checked_solves); /* what was proven stays so */
            warplu_destroy(&s);
        }
}

/* A few replays by columns repay no compilation; coming back does, for it says that there is more to come. */
static void what_comes_back_twice_is_compiled(void)
{
    warplu_options o = natural();
    warplu_solver *s = make_full(3, &o);
    CHECK(statistics(s).compilations == 0);
    for (int32_t k = 0; k < 6; k++) {
        visit(s, 3, k % 2);
        CHECK_SAY(statistics(s).compilations == (k < 5 ? 1 : 2), "visit %d", k);
    }
    warplu_destroy(&s);
}

/* Regimes without a rhythm: no more pivots than regimes, and hardly more weak replays than changes. */
static void regimes_come_as_they_like(void)
{
    uint64_t seed = 11;
    warplu_options o = natural();
    warplu_solver *s = make_full(3, &o);
    int changes = 0, at = 0;
    visit(s, 3, 0);
    for (int step = 0; step < 400; step++) {
        int next = check_below(&seed, 2) == 0 ? at : (at + 1 + check_below(&seed, 2)) % 3;
        changes += next != at;
        at = next;
        visit(s, 3, at);
    }
    warplu_statistics t = statistics(s);
    CHECK_SAY(t.repivots == 2 && t.compilations == 3, "%lld repivots, %lld compiled", (long long)t.repivots,
              (long long)t.compilations);
    CHECK_SAY(t.weak_replays < changes + changes / 4, "%lld weak replays, %d changes", (long long)t.weak_replays,
              changes);
    warplu_destroy(&s);
}

/* Where no regime comes back, earlier pivots are tried less and less; where they do after all, they are found. */
static void tries_in_vain_become_rare(void)
{
    warplu_options o = natural();
    warplu_solver *s = make_full(ROTATED, &o);
    for (int32_t k = 0; k < ROTATED; k++) visit(s, ROTATED, k);
    CHECK_SAY(s->regimes.misses == 5 && statistics(s).repivots == ROTATED - 1 &&
                  statistics(s).cached_programs == WLU_CACHE_MAX,
              "%d rounds", s->regimes.misses);
    for (int32_t k = 0; k < 40; k++) visit(s, ROTATED, k % 2);
    CHECK_SAY(s->regimes.misses == 0 && statistics(s).repivots <= ROTATED + 6, "%lld repivots",
              (long long)statistics(s).repivots);
    warplu_destroy(&s);
}

static void weak_pivots_are_kept_where_asked(void)
{
    double x[N];
    for (int k = WARPLU_ON_WEAK_REFINE; k <= WARPLU_ON_WEAK_REPORT; k++) {
        warplu_options o = natural();
        o.on_weak = (warplu_on_weak)k;
        warplu_solver *s = make(&o);
        CHECK(warplu_factor(s, good) == WARPLU_SUCCESS);
        CHECK(warplu_refactor(s, weak) == WARPLU_WEAK && warplu_get_message(s)[0] != '\0');
        warplu_status status = warplu_solve(s, 1, b, N, x, N);
        CHECK_SAY(status == WARPLU_INACCURATE || (k == WARPLU_ON_WEAK_REFINE && status == WARPLU_SUCCESS), "%s",
                  warplu_status_name(status));
        CHECK(statistics(s).refinement_steps > 0 || k == WARPLU_ON_WEAK_REPORT || status == WARPLU_INACCURATE);
        CHECK(k == WARPLU_ON_WEAK_REFINE || statistics(s).refinement_steps == 0);
        CHECK(statistics(s).repivots == 0);
        double zero[] = {0, 1, 1, 2};
        CHECK(warplu_refactor(s, zero) == WARPLU_NOT_FINITE && warplu_solve(s, 1, b, N, x, N) == WARPLU_WRONG_PHASE);
        CHECK(warplu_refactor(s, good) == WARPLU_SUCCESS && error_of_solve(s, good) <= DBL_EPSILON);
        warplu_destroy(&s);
    }
}

/* No replays expected: nothing is compiled until they come all the same. */
static void what_is_not_replayed_is_not_compiled(void)
{
    warplu_options o = natural();
    o.expected_refactors = 1;
    warplu_solver *s = make(&o);
    CHECK(warplu_factor(s, good) == WARPLU_SUCCESS && error_of_solve(s, good) <= DBL_EPSILON);
    CHECK(!statistics(s).compiled && statistics(s).program_bytes == 0 && statistics(s).lu_nnz == 4);
    double x[N];
    CHECK(warplu_solve_transposed(s, 1, b, N, x, N) == WARPLU_SUCCESS && fabs(x[0] + 1.0) < 1e-15 && x[1] == 2.0);
    for (int k = 0; k <= WLU_COMPILE_AFTER; k++) CHECK(warplu_refactor(s, good) == WARPLU_SUCCESS);
    CHECK(statistics(s).compiled && error_of_solve(s, good) <= DBL_EPSILON);
    warplu_destroy(&s);
}

static void three_accurate_solves_end_the_checks(void)
{
    for (int eager = 0; eager <= 1; eager++) {
        warplu_options o = natural();
        if (!eager) o.expected_refactors = 1;
        warplu_solver *s = make(&o);
        CHECK(warplu_factor(s, good) == WARPLU_SUCCESS);
        for (int k = 1; k < 6; k++) {
            CHECK(warplu_refactor(s, good) == WARPLU_SUCCESS && error_of_solve(s, good) <= DBL_EPSILON);
            /* pivots that are compiled at once were put to three known systems */
            CHECK(statistics(s).checked_solves == (eager ? 0 : k < 3 ? k : 3));
        }
        warplu_destroy(&s);
    }
}

/* Solutions of one size come out exactly where a right-hand side of ones does not: with l = 714 the last known system
 * is the one that tells. */
static void a_right_hand_side_of_ones_is_a_known_system(void)
{
    const double telling[] = {0.0014, 1, 3.0 / 7.0, 0.4}, ones[] = {1, 1};
    warplu_options o = natural();
    o.check = WARPLU_CHECK_OFF;
    warplu_solver *s = make(&o);
    double x[N], omega = 0.0;
    CHECK(warplu_factor(s, telling) == WARPLU_SUCCESS && warplu_solve(s, 1, ones, N, x, N) == WARPLU_SUCCESS);
    CHECK(warplu_compute_backward_error(s, 0, telling, 1, ones, N, x, N, &omega) == WARPLU_SUCCESS &&
          omega > wlu_thresholds_of(0).proven);
    warplu_destroy(&s);
    o.check = WARPLU_CHECK_SUSPECT;
    s = make(&o);
    CHECK(warplu_factor(s, telling) == WARPLU_SUCCESS && warplu_refactor(s, telling) == WARPLU_SUCCESS);
    wlu_solver_prove_unbounded(s);
    CHECK_SAY(s->current.accurate_solves[0] == WLU_TRIAL_SOLVES - 1, "%d", s->current.accurate_solves[0]);
    warplu_destroy(&s);
}

/* Of 30 000 small matrices whose columns differ by up to 1e6, replayed with the values they were factored with, 13 had
 * an unchecked solve with an error of 1e-10 to 2e-9 in some equation where spread alone was bounded, none with |l|
 * beside it. */
static void large_l_beside_uneven_scales_is_always_checked(void)
{
    wlu_pivot_quality q = {
        .growth = 1, .largest_l = 900, .row_spread = 2, .col_spread = 30, .row_scale_spread = 1, .col_scale_spread = 1};
    CHECK(!wlu_scales_are_even(&q, 1) && wlu_scales_are_even(&q, 0));
    q.largest_l = 1;
    CHECK(wlu_scales_are_even(&q, 1));
    q.row_scale_spread = 3e4;
    CHECK(!wlu_scales_are_even(&q, 1) && wlu_scales_are_even(&q, 0));
    q.row_spread = 1e5;
    CHECK(!wlu_scales_are_even(&q, 0));
    q = (wlu_pivot_quality){
        .largest_l = 1, .row_spread = NAN, .col_spread = 1, .row_scale_spread = 1, .col_scale_spread = 1};
    CHECK(!wlu_scales_are_even(&q, 0) && wlu_scales_are_even(&q, 1));

    const double uneven[] = {1e-2, 1, 1e4, 2e4}; /* column 1 is 1e4 times column 0, l = 100 */
    warplu_options o = natural();
    warplu_solver *s = make(&o);
    double x[N];
    CHECK(warplu_factor(s, uneven) == WARPLU_SUCCESS);
    for (int k = 0; k < 10; k++) {
        CHECK(warplu_solve_transposed(s, 1, b, N, x, N) == WARPLU_SUCCESS &&
              warplu_refactor(s, uneven) == WARPLU_SUCCESS);
        CHECK(statistics(s).checked_solves == k + 1);
    }
    warplu_destroy(&s);
}

/* A program that will not fit is no reason to stop: the factors go on. */
static void refused_programs_leave_the_factors(void)
{
    warplu_options o = natural();
    o.expected_refactors = 1;
    o.max_program_bytes = 1;
    warplu_solver *s = make(&o);
    CHECK(warplu_factor(s, good) == WARPLU_SUCCESS);
    for (int k = 0; k < 4 * WLU_COMPILE_AFTER; k++)
        CHECK(warplu_refactor(s, good) == WARPLU_SUCCESS && error_of_solve(s, good) <= DBL_EPSILON);
    CHECK(!statistics(s).compiled && statistics(s).compilations == 0 && warplu_get_message(s)[0] == '\0');
    warplu_solver *c = NULL; /* has no factors to begin with */
    CHECK(warplu_clone(&c, s) == WARPLU_SUCCESS);
    for (int k = 0; k < 4 * WLU_COMPILE_AFTER; k++)
        CHECK(warplu_refactor(c, good) == WARPLU_SUCCESS && error_of_solve(c, good) <= DBL_EPSILON);
    CHECK(!statistics(c).compiled && warplu_get_message(c)[0] == '\0');
    warplu_destroy(&c);
    warplu_destroy(&s);
}

static void count_messages(warplu_status status, const char *text, void *user)
{
    (void)status;
    (void)text;
    ++*(int *)user;
}

/* Nor is it where a program was to come at once: nothing is said, and the pivots stay. */
static void factors_answer_where_no_program_fits(void)
{
    int messages = 0;
    warplu_options o = natural();
    o.max_program_bytes = 1;
    o.message = count_messages;
    o.message_user = &messages;
    warplu_solver *s = make(&o), *c = NULL;
    double x[N];
    for (int again = 0; again < 2; again++) {
        CHECK(warplu_factor(s, good) == WARPLU_SUCCESS && error_of_solve(s, good) <= DBL_EPSILON);
        const wlu_pivots *pivots = wlu_solver_pivots(s);
        for (int k = 0; k < 4 * WLU_COMPILE_AFTER; k++)
            CHECK(warplu_refactor(s, good) == WARPLU_SUCCESS && error_of_solve(s, good) <= DBL_EPSILON);
        CHECK(warplu_solve_transposed(s, 1, b, N, x, N) == WARPLU_SUCCESS && x[0] == -1.0 && x[1] == 2.0);
        CHECK(wlu_solver_pivots(s) == pivots && !statistics(s).compiled && statistics(s).program_bytes == 0);
    }
    CHECK(warplu_clone(&c, s) == WARPLU_SUCCESS && warplu_refactor(c, good) == WARPLU_SUCCESS);
    CHECK(error_of_solve(c, good) <= DBL_EPSILON && statistics(c).factors == 0 && statistics(s).factors == 2);
    CHECK(messages == 0 && warplu_get_message(s)[0] == '\0');
    CHECK(warplu_refactor(s, weak) == WARPLU_REPIVOTED && error_of_solve(s, weak) <= DBL_EPSILON && messages == 1);
    CHECK(warplu_refactor(s, good) == WARPLU_SUCCESS && error_of_solve(s, good) <= DBL_EPSILON);
    warplu_destroy(&c);
    warplu_destroy(&s);
}

/* One above the blocks is loaded, never eliminated; one of U may have nobody to hand itself on to. */
static void every_entry_is_looked_at(void)
{
    const int32_t p[] = {0, 1, 3}, i[] = {0, 0, 1}; /* [a b; 0 c] */
    const double fine[] = {2, 1, 4};
    double x[N];
    for (int t = 0; t < 12; t++) {
        int k = t % 3, compiled = t / 3 % 2, btf = t / 6;
        warplu_options o = natural();
        warplu_solver *s = NULL;
        double broken[] = {2, 1, 4};
        o.btf = btf;
        o.expected_refactors = compiled ? 1000 : 1;
        broken[k] = k == 0 ? INFINITY : NAN;
        CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS && warplu_analyze(s, N, p, i, NULL) == WARPLU_SUCCESS);
        CHECK(warplu_factor(s, fine) == WARPLU_SUCCESS && statistics(s).f_nnz == btf);
        CHECK(statistics(s).compiled == compiled);
        CHECK(warplu_refactor(s, broken) == WARPLU_NOT_FINITE && warplu_solve(s, 1, b, N, x, N) == WARPLU_WRONG_PHASE);
        CHECK(warplu_refactor(s, fine) == WARPLU_SUCCESS && warplu_solve(s, 1, b, N, x, N) == WARPLU_SUCCESS);
        warplu_destroy(&s);
    }
}

/* What the caller asks for says nothing about the pivots. */
static void right_hand_sides_that_are_not_finite_cost_no_pivots(void)
{
    warplu_options o = natural();
    warplu_solver *s = make(&o);
    const double broken[] = {NAN, 1, INFINITY, 3};
    double x[2 * N];
    CHECK(warplu_factor(s, good) == WARPLU_SUCCESS && warplu_refactor(s, good) == WARPLU_SUCCESS);
    for (int k = 0; k < 2; k++) {
        CHECK(warplu_solve(s, 1, broken + N * k, N, x, N) == WARPLU_NOT_FINITE);
        CHECK(warplu_solve_transposed(s, 1, broken + N * k, N, x, N) == WARPLU_NOT_FINITE);
    }
    CHECK(statistics(s).repivots == 0 && statistics(s).compiled);
    CHECK(error_of_solve(s, good) <= DBL_EPSILON);
    warplu_destroy(&s);
}

/* Also where the analysis is made again, in vain, with values that are singular too. */
static void earlier_pivots_outlast_singular_values(void)
{
    warplu_options o = natural();
    warplu_solver *s = make(&o);
    const double singular[] = {1, 1, 1, 1};
    CHECK(warplu_factor(s, good) == WARPLU_SUCCESS);
    for (int k = 0; k < 3; k++) CHECK(warplu_factor(s, singular) == WARPLU_SINGULAR);
    CHECK(warplu_refactor(s, good) == WARPLU_SUCCESS && statistics(s).refactors == 1 && statistics(s).factors == 4);
    CHECK(error_of_solve(s, good) <= DBL_EPSILON && statistics(s).compilations == 1);
    warplu_destroy(&s);
}

/* Asks to stop at the poll that brings the count to zero. */
static int stop_at(void *user)
{
    return --*(int *)user == 0;
}

/* A factor that is stopped anywhere, while it pivots or compiles, leaves the pivots and the program there were. */
static void a_stopped_factor_leaves_the_earlier_pivots(void)
{
    int polls = -1, stopped = 0;
    warplu_options o = natural();
    o.cancel = stop_at;
    o.cancel_user = &polls;
    warplu_solver *s = make(&o);
    CHECK(warplu_factor(s, good) == WARPLU_SUCCESS);
    const wlu_pivots *earlier = wlu_solver_pivots(s);
    const wlu_program *program = wlu_solver_program(s);
    while (stopped < 100) {
        polls = stopped + 1;
        warplu_status status = warplu_factor(s, weak);
        polls = -1;
        if (status == WARPLU_SUCCESS) break;
        stopped++;
        CHECK(status == WARPLU_CANCELLED && wlu_solver_pivots(s) == earlier && wlu_solver_program(s) == program);
        CHECK(warplu_refactor(s, good) == WARPLU_SUCCESS && error_of_solve(s, good) <= DBL_EPSILON);
    }
    CHECK_SAY(stopped >= 2 && stopped < 100, "%d polls", stopped);
    CHECK(wlu_solver_pivots(s) != earlier && error_of_solve(s, weak) <= DBL_EPSILON);
    warplu_destroy(&s);
}

/* An analysis made from values that turn out singular is made again with the next. */
static void poor_first_values_do_not_stay(void)
{
    enum { M = 4 };
    const int32_t p[] = {0, 4, 8, 12, 16};
    int32_t i[16];
    double zero[16] = {0}, x[M];
    const double one[M] = {1, 1, 1, 1}, later[] = {4, 1, 0, 0, 1, 4, 1, 0, 0, 1, 4, 1, 0, 0, 1, 4};
    for (int32_t k = 0; k < 16; k++) i[k] = k % 4;
    warplu_solver *s = NULL;
    CHECK(check_create(&s) == WARPLU_SUCCESS && warplu_analyze(s, M, p, i, zero) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s, zero) == WARPLU_SINGULAR);
    CHECK(warplu_refactor(s, later) == WARPLU_SUCCESS && warplu_solve(s, 1, one, M, x, M) == WARPLU_SUCCESS);
    CHECK(s->settling.unsettled == WLU_SETTLED);
    const wlu_pivots *pivots = wlu_solver_pivots(s);
    for (int32_t k = 0; k < M; k++) CHECK(pivots->row[k] == pivots->col[k]); /* its diagonal dominates */
    warplu_destroy(&s);
}

/* Three diagonals and a shifted one: which is large decides on the order. */
static void fill_bands(int32_t n, int32_t shift, double band, double shifted, int32_t *p, int32_t *i, double *x)
{
    int32_t q = 0;
    for (int32_t j = 0; j < n; j++) {
        p[j] = q;
        for (int32_t k = 0; k < n; k++) {
            if (k != (j + shift) % n && abs(k - j) > 1) continue;
            i[q] = k;
            x[q++] = k == (j + shift) % n ? shifted : k == j ? 3.0 * band : band;
        }
    }
    p[n] = q;
}

/* First values that factor well but have nothing in common with those to come leave an order that does not suit them: a
 * re-pivot finds a better one, once. */
static void first_values_unlike_all_others_do_not_stay(void)
{
    enum { M = 60, SHIFT = 17 };
    int32_t p[M + 1], i[4 * M];
    double unlike[4 * M], usual[4 * M], x[M], one[M];
    int64_t terms[2];
    for (int32_t k = 0; k < M; k++) one[k] = 1.0;
    fill_bands(M, SHIFT, 0.0, 1.0, p, i, unlike);
    fill_bands(M, SHIFT, 1.0, 1e-9, p, i, usual);
    for (int poor = 0; poor <= 1; poor++) {
        warplu_solver *s = NULL;
        const double *first = poor ? unlike : usual;
        CHECK(check_create(&s) == WARPLU_SUCCESS && warplu_analyze(s, M, p, i, first) == WARPLU_SUCCESS);
        CHECK(warplu_factor(s, first) == WARPLU_SUCCESS);
        CHECK(warplu_refactor(s, usual) == (poor ? WARPLU_REPIVOTED : WARPLU_SUCCESS));
        CHECK(warplu_solve(s, 1, one, M, x, M) == WARPLU_SUCCESS && s->settling.reconsidered == poor);
        terms[poor] = statistics(s).terms;
        for (int k = 0; k <= WLU_COMPILE_AFTER; k++) CHECK(warplu_refactor(s, usual) == WARPLU_SUCCESS);
        CHECK(warplu_solve(s, 1, one, M, x, M) == WARPLU_SUCCESS && statistics(s).repivots == poor);
        warplu_destroy(&s);
    }
    CHECK_SAY(terms[1] <= terms[0], "%lld against %lld terms", (long long)terms[1], (long long)terms[0]);
}

static void clones_share_and_go_their_own_way(void)
{
    warplu_options o = natural();
    warplu_solver *s = make(&o), *c = NULL, *d = NULL;
    double x[N];
    CHECK(warplu_clone(NULL, s) == WARPLU_INVALID_ARGUMENT && warplu_clone(&c, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_factor(s, good) == WARPLU_SUCCESS);
    CHECK(warplu_clone(&c, s) == WARPLU_SUCCESS && wlu_solver_pivots(c) == wlu_solver_pivots(s));
    CHECK(warplu_solve(c, 1, b, N, x, N) == WARPLU_WRONG_PHASE);
    CHECK(warplu_refactor(c, good) == WARPLU_SUCCESS && error_of_solve(c, good) <= DBL_EPSILON);
    CHECK(wlu_solver_program(c) == wlu_solver_program(s) && c->current.state != s->current.state);
    CHECK(warplu_refactor(c, weak) == WARPLU_REPIVOTED && error_of_solve(c, weak) <= DBL_EPSILON);
    CHECK(wlu_solver_pivots(c) != wlu_solver_pivots(s) && statistics(s).repivots == 0);
    CHECK(warplu_clone(&d, c) == WARPLU_SUCCESS); /* of pivots not compiled yet */
    warplu_destroy(&s);
    warplu_destroy(&c);
    CHECK(warplu_refactor(d, weak) == WARPLU_SUCCESS && error_of_solve(d, weak) <= DBL_EPSILON);
    warplu_destroy(&d);
    CHECK(check_create(&s) == WARPLU_SUCCESS);
    CHECK(warplu_clone(&c, s) == WARPLU_WRONG_PHASE && c == NULL);
    warplu_destroy(&s);
}

int main(void)
{
    RUN(new_factors_answer_before_they_are_compiled);
    RUN(programs_come_back);
    RUN(weak_replays_may_prove_themselves);
    RUN(proofs_among_healthy_replays_come_to_new_pivots);
    RUN(regimes_take_turns);
    RUN(what_comes_back_twice_is_compiled);
    RUN(regimes_come_as_they_like);
    RUN(tries_in_vain_become_rare);
    RUN(weak_pivots_are_kept_where_asked);
    RUN(what_is_not_replayed_is_not_compiled);
    RUN(three_accurate_solves_end_the_checks);
    RUN(a_right_hand_side_of_ones_is_a_known_system);
    RUN(large_l_beside_uneven_scales_is_always_checked);
    RUN(refused_programs_leave_the_factors);
    RUN(factors_answer_where_no_program_fits);
    RUN(every_entry_is_looked_at);
    RUN(right_hand_sides_that_are_not_finite_cost_no_pivots);
    RUN(earlier_pivots_outlast_singular_values);
    RUN(a_stopped_factor_leaves_the_earlier_pivots);
    RUN(poor_first_values_do_not_stay);
    RUN(first_values_unlike_all_others_do_not_stay);
    RUN(clones_share_and_go_their_own_way);
    return check_done();
}
