/* Limits of factors (numerics/limits.h): factors at their limits come to what is promised, and to no more; and a solver
 * whose factors are within theirs answers without a check, one whose factors are not does not. */
#include <warplu/warplu.h>

#include "check.h"

#include "numerics/limits.h"
#include "numerics/thresholds.h"
#include "solver/row_bounds.h"
#include "solver/limited.h"
#include "solver/replay.h"
#include "drawn_factors.h"
#include "support/stages.h"

#include <math.h>
#include <string.h>

static uint64_t seed = 20;

/* The largest error of an equation by these magnitudes, over what is promised, by the definition. */
static double promised_part(const drawn *d, double shrunk, const double *reach)
{
    static double l[N][N], u[N][N];
    double worst = 0.0;
    memset(l, 0, sizeof l);
    memset(u, 0, sizeof u);
    for (int32_t j = 0; j < N; j++) {
        l[j][j] = 1.0;
        u[j][j] = d->pivot[j];
        for (int64_t q = d->lp[j]; q < d->lp[j + 1]; q++) l[d->li[q]][j] = d->l[q];
        for (int64_t q = d->up[j]; q < d->up[j + 1]; q++) u[d->ui[q]][j] = d->u[q];
    }
    for (int32_t i = 0; i < N; i++) {
        double sum = 0.0;
        for (int32_t k = 0; k <= i; k++)
            for (int32_t j = k; j < N; j++) {
                double times = fmin(d->outer[i], d->crossing[j]) + d->sums[0][i] + d->sums[1][k] + 4.0;
                sum += (reach != NULL ? reach[j] : 1.0) * l[i][k] * times * u[k][j] *
                       (d->p.col_exponent != NULL ? ldexp(1.0, -d->col_exponent[j]) : 1.0);
            }
        worst =
            fmax(worst, 0x1p-53 * ldexp(sum, -d->exponent[i]) * d->unit[i] * shrunk / (1e-10 * share_of_factors(d, 0)));
    }
    return worst;
}

/* The first magnitudes come to 1/300 or so of the promise, or to no part of it. */
static void factors_at_their_limits_keep_the_promise(void)
{
    static drawn d;
    int found = 0, refused = 0;
    for (int trial = 0; trial < 3000; trial++) {
        double work[7 * N], reaches[N], least = INFINITY, *reach = trial % 2 ? reaches : NULL;
        draw_factors(&d, &seed);
        for (int32_t j = 0; j < N; j++) reaches[j] = ldexp(1.0, -check_below(&seed, 20));
        drawn first = d;
        wlu_magnitudes m = {d.l, d.u, d.pivot};
        wlu_rounds rounds = rounds_of(&d, 0);
        double part = promised_part(&d, 2.0, reach), share = share_of_factors(&d, 0);
        if (!wlu_limits_find(&d.p, &rounds, 2.0, share, reach, &m, work)) {
            refused++;
            CHECK_SAY(part > 0.3, "%g", part);
            continue;
        }
        found++;
        CHECK_SAY(promised_part(&d, 2.0, reach) <= 1.0 + 1e-9 && part <= 0.5, "%g, first %g",
                  promised_part(&d, 2.0, reach), part);
        for (int64_t q = 0; q < d.lp[N]; q++) least = fmin(least, d.l[q] / first.l[q]);
        for (int64_t q = 0; q < d.up[N]; q++) least = fmin(least, d.u[q] / first.u[q]);
        CHECK_SAY(least >= 1.0, "%g", least);
    }
    CHECK_SAY(found > 500 && refused > 100, "%d found, %d refused", found, refused);
}

static void numbers_that_are_none_have_no_limits(void)
{
    static drawn d;
    for (int where = 0; where < 3; where++) {
        double work[7 * N];
        do draw_factors(&d, &seed);
        while (d.lp[N] == 0 || d.up[N] == 0);
        *(where == 0 ? d.l : where == 1 ? d.u : d.pivot) = NAN;
        wlu_magnitudes m = {d.l, d.u, d.pivot};
        wlu_rounds rounds = rounds_of(&d, 0);
        CHECK(!wlu_limits_find(&d.p, &rounds, 1.0, 0.9, NULL, &m, work));
    }
}

/* Triangles of ones below the diagonal: U doubles from row to row of its last column. */
enum { SIDE = 10 };

typedef struct grown {
    int32_t ptr[SIDE + 1], idx[SIDE * SIDE];
    double x[SIDE * SIDE];
} grown;

static void make_grown(grown *g, double below)
{
    int32_t nnz = 0;
    for (int32_t j = 0; j < SIDE; j++) {
        g->ptr[j] = nnz;
        for (int32_t i = 0; i < SIDE; i++)
            if (i >= j || j == SIDE - 1) {
                g->idx[nnz] = i;
                g->x[nnz++] = i > j ? -below : 1.0;
            }
    }
    g->ptr[SIDE] = nnz;
}

static warplu_statistics statistics(const warplu_solver *s)
{
    warplu_statistics t = {.size = sizeof t};
    CHECK(warplu_get_statistics(s, &t) == WARPLU_SUCCESS);
    return t;
}

/* No bound on rounding proves these pivots, now or ever. */
static void open_bound(warplu_solver *s)
{
    wlu_plan *plan = s->current.plan;
    wlu_lu_edit(plan->program)->guard.criteria.bound.of_factors *= 1e12;
    for (int32_t i = 0; i < plan->pivots->n; i++) wlu_lu_edit(plan->program)->line[i] *= 1e12;
    wlu_mean_look look = {0};
    (void)wlu_solver_rows_hold(s, 0, &look, 0);
    wlu_means *means = s->current.listed[0].means;
    CHECK(means != NULL && means->count == plan->pivots->n);
    for (int32_t i = 0; i < means->count; i++) means->lines.line[i] *= 1e12; /* of which weights are parts */
    means->reach = 0.0;                                                      /* they serve whatever comes */
}

/* A solver whose pivots have so many accurate solves, and are not proven by the bound. */
static warplu_solver *make(const grown *g, int accurate_solves)
{
    warplu_options o;
    warplu_solver *s = NULL;
    warplu_init_options(&o);
    o.expected_refactors = 100;
    o.ordering = WARPLU_ORDERING_NATURAL;
    o.matching = WARPLU_MATCHING_NEVER;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS && warplu_analyze(s, SIDE, g->ptr, g->idx, g->x) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s, g->x) == WARPLU_SUCCESS);
    s->current.accurate_solves[0] = accurate_solves;
    open_bound(s);
    return s;
}

/* Replays the values and solves; whether the solve was checked. */
static int is_checked(warplu_solver *s, const double *values)
{
    double b[SIDE], x[SIDE];
    for (int32_t i = 0; i < SIDE; i++) b[i] = 1.0 + i;
    CHECK(warplu_refactor(s, values) == WARPLU_SUCCESS && warplu_solve(s, 1, b, SIDE, x, SIDE) == WARPLU_SUCCESS);
    return statistics(s).all_checked;
}

static void limits_are_sought_after_checks(void)
{
    grown g;
    make_grown(&g, 0.99);
    warplu_solver *s = make(&g, WLU_TRIAL_SOLVES);
    int checked = 0;
    while (checked < 100 && is_checked(s, g.x)) checked++;
    CHECK_SAY(checked == WLU_LIMITS_AFTER + 1, "%d", checked);
    for (int k = 0; k < 3; k++) CHECK(!is_checked(s, g.x));
    double kept = g.x[0];
    g.x[0] = kept / 512.0; /* l is 512 times as large */
    CHECK(is_checked(s, g.x));
    g.x[0] = kept;
    CHECK(!is_checked(s, g.x));
    warplu_destroy(&s);
}

/* Where the bound is open, known systems end the trial when limits are due, and not before. Of those that fail the
 * trial goes on. */
static void trials_end_when_limits_are_due(void)
{
    grown g;
    make_grown(&g, 0.25);
    for (int fails = 0; fails <= 1; fails++) {
        warplu_solver *s = make(&g, 0);
        for (int checked = 0; checked <= WLU_LIMITS_AFTER; checked++) {
            CHECK(!s->trust.retry[0].tried && s->current.accurate_solves[0] == 0);
            if (fails && checked == WLU_LIMITS_AFTER) s->current.plan->pivots->quality.row_spread = INFINITY;
            CHECK(is_checked(s, g.x));
        }
        CHECK(s->trust.retry[0].tried && (s->current.accurate_solves[0] == WLU_TRIAL_SOLVES) == !fails);
        for (int k = 0; k < 3; k++) CHECK(is_checked(s, g.x) == fails && (s->current.limits.upper == NULL) == fails);
        warplu_destroy(&s);
    }
}

/* Pauses double while looks are in vain, up to the longest, and end with one that is not. */
static void pauses_double(void)
{
    wlu_pause p = {0};
    int32_t expected = 0;
    for (int look = 0; look < 10; look++) {
        int32_t left_out = 0;
        while (!wlu_pause_is_over(&p)) left_out++;
        CHECK_SAY(left_out == expected, "look %d after %d, not %d", look, left_out, expected);
        wlu_pause_note(&p, 1);
        expected = look == 0 ? 0 : 2 * expected + 1 < WLU_LONGEST_PAUSE ? 2 * expected + 1 : WLU_LONGEST_PAUSE - 1;
    }
    wlu_pause_note(&p, 0);
    CHECK(wlu_pause_is_over(&p) && wlu_pause_is_over(&p));
}

/* Slots that have left their limits are looked at in the first replay, the second, the fourth, and the eighth: until
 * then replays within the limits are checked too. */
static void looks_in_vain_are_left_out(void)
{
    static const int within[] = {0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 1}, checked[] = {1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 0};
    grown g;
    make_grown(&g, 0.99);
    warplu_solver *s = make(&g, WLU_TRIAL_SOLVES);
    for (int k = 0; k <= WLU_LIMITS_AFTER; k++) CHECK(is_checked(s, g.x));
    double kept = g.x[0];
    for (size_t k = 0; k < sizeof within / sizeof *within; k++) {
        g.x[0] = within[k] ? kept : kept / 512.0;
        CHECK_SAY(is_checked(s, g.x) == checked[k], "replay %d", (int)k);
    }
    CHECK(s->trust.limits_pause.length == 0);
    warplu_destroy(&s);
}

/* Equations that shrink by more than limits allow for are looked at. */
static void small_equations_are_checked(void)
{
    grown g;
    make_grown(&g, 0.99);
    warplu_solver *s = make(&g, WLU_TRIAL_SOLVES);
    test_hasten_limits(s);
    CHECK(is_checked(s, g.x) && !is_checked(s, g.x));
    s->current.limits.shrunk = 1.5;
    for (int32_t q = g.ptr[SIDE - 1]; q < g.ptr[SIDE]; q++) g.x[q] *= 0.5;
    CHECK(!is_checked(s, g.x)); /* the first entry of each row is as large as it was */
    for (int32_t q = 0; q < g.ptr[SIDE]; q++) g.x[q] *= 0.5;
    CHECK(is_checked(s, g.x));
    warplu_destroy(&s);
}

/* The largest error of an equation over max|a| max|x| + |b|. */
static double row_error(const grown *g, const double *b, const double *x)
{
    long double r[SIDE], largest[SIDE] = {0}, most = 0, worst = 0;
    for (int32_t i = 0; i < SIDE; i++) {
        r[i] = b[i];
        most = fmaxl(most, fabsl((long double)x[i]));
    }
    for (int32_t j = 0; j < SIDE; j++)
        for (int32_t q = g->ptr[j]; q < g->ptr[j + 1]; q++) {
            r[g->idx[q]] -= (long double)g->x[q] * x[j];
            largest[g->idx[q]] = fmaxl(largest[g->idx[q]], fabsl((long double)g->x[q]));
        }
    for (int32_t i = 0; i < SIDE; i++)
        worst = fmaxl(worst, fabsl(r[i]) / (largest[i] * most + fabsl((long double)b[i])));
    return (double)worst;
}

/* A right-hand side whose last unknown is this, the others 1. */
static void side_of(const grown *g, double last, double *b)
{
    memset(b, 0, SIDE * sizeof *b);
    for (int32_t j = 0; j < SIDE; j++)
        for (int32_t q = g->ptr[j]; q < g->ptr[j + 1]; q++) b[g->idx[q]] += g->x[q] * (j == SIDE - 1 ? last : 1.0);
}

static int solve_is_checked(warplu_solver *s, const grown *g, int32_t count, const double *b, double *x)
{
    double kept[8 * SIDE];
    memcpy(kept, b, (size_t)count * SIDE * sizeof *b);
    CHECK(warplu_solve(s, count, b, SIDE, x, SIDE) == WARPLU_SUCCESS);
    for (int32_t k = 0; k < count; k++) CHECK(row_error(g, kept + k * SIDE, x + k * SIDE) <= 1e-10);
    return statistics(s).all_checked;
}

/* Where U grows in the column of an unknown that is small, limits vouch for solutions in which it is. */
static void limits_reach_for_like_solutions(void)
{
    double b[8 * SIDE], other[SIDE], x[8 * SIDE];
    grown g;
    make_grown(&g, 3.0);
    for (int32_t k = 0; k < 8; k++) side_of(&g, 1e-6, b + k * SIDE);
    side_of(&g, 1.0, other);
    for (int how = 0; how < 3; how++) {
        warplu_solver *s = make(&g, WLU_TRIAL_SOLVES);
        test_hasten_limits(s);
        CHECK(warplu_refactor(s, g.x) == WARPLU_SUCCESS && solve_is_checked(s, &g, 1, b, x));
        CHECK(s->current.limits.of_unknowns != NULL && !solve_is_checked(s, &g, 1, b, x));
        CHECK(warplu_refactor(s, g.x) == WARPLU_SUCCESS && !solve_is_checked(s, &g, 8, b, x));
        if (how == 0) CHECK(solve_is_checked(s, &g, 1, other, x));
        if (how == 1) { /* b is kept until its x has been seen */
            memcpy(x, b, SIDE * sizeof *x);
            CHECK(!solve_is_checked(s, &g, 1, x, x));
            memcpy(x, b, sizeof x);
            CHECK(!solve_is_checked(s, &g, 8, x, x));
            memcpy(x, other, SIDE * sizeof *x);
            CHECK(solve_is_checked(s, &g, 1, x, x));
        }
        if (how == 2) { /* the limits of the first go with the second, whatever is found after it */
            int64_t before = statistics(s).checked_solves;
            memcpy(b + SIDE, other, sizeof other);
            int all = solve_is_checked(s, &g, 8, b, x);
            CHECK_SAY(!all && statistics(s).checked_solves > before, "all %d, %lld", all,
                      (long long)(statistics(s).checked_solves - before));
        }
        warplu_destroy(&s);
    }
}

/* Whoever checks all solves has no use for limits; and limits do not vouch for pivots on trial, whose small unknowns
 * nobody vouches for. */
static void limits_are_for_suspects(void)
{
    grown g;
    make_grown(&g, 0.99);
    for (int on_trial = 0; on_trial <= 1; on_trial++) {
        warplu_solver *s = make(&g, on_trial ? WLU_DISPROVEN : WLU_TRIAL_SOLVES);
        test_hasten_limits(s);
        s->trust.retry[0].left = 1000; /* known systems of later values are not to prove the pivots */
        if (!on_trial) s->options.check = WARPLU_CHECK_ALWAYS;
        for (int k = 0; k < 4; k++) CHECK(is_checked(s, g.x));
        CHECK(s->current.limits.upper == NULL);
        warplu_destroy(&s);
    }
}

int main(void)
{
    RUN(factors_at_their_limits_keep_the_promise);
    RUN(numbers_that_are_none_have_no_limits);
    RUN(limits_are_sought_after_checks);
    RUN(trials_end_when_limits_are_due);
    RUN(pauses_double);
    RUN(looks_in_vain_are_left_out);
    RUN(small_equations_are_checked);
    RUN(limits_reach_for_like_solutions);
    RUN(limits_are_for_suspects);
    return check_done();
}
