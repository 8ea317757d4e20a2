/* Solves on device pointers that nobody vouches for: where pivots are unproven, or the options have every solve
 * checked, the device refines them in FP64 and says how accurate they are; elsewhere it does neither. On the fake
 * driver. */
#include <warplu/device.h>
#include <warplu/inspect.h>
#include <warplu/save.h>

#include "host.h"
#include "solver/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 2 };

/* The first pivot is kept: |l| = 5e5, and a solution has some digits fewer. Or no matter. */
static const double small_pivot[] = {2e-6, 1, 1, 1}, even[] = {2, 1, 1, 3};
/* |l| = 5e3: a solution that is no proof, and accurate enough. */
static const double smallish_pivot[] = {2e-4, 1, 1, 1};
/* Of x = (1/3, 1/7) and (-3, 0.1), nearly. */
static const double rhs[2 * N] = {2e-6 / 3 + 1.0 / 7, 1.0 / 3 + 1.0 / 7, -6e-6 + 0.1, -2.9};

typedef struct checked_case {
    const double *values;
    warplu_check check;
    warplu_on_weak on_weak;
    int refined;
    double tolerance; /* 0: one that keeps the small pivot */
} checked_case;

static const checked_case cases[] = {
    {small_pivot, WARPLU_CHECK_OFF, WARPLU_ON_WEAK_REPIVOT, 0, 0.0},
    {small_pivot, WARPLU_CHECK_SUSPECT, WARPLU_ON_WEAK_REPIVOT, 1, 0.0},
    {small_pivot, WARPLU_CHECK_SUSPECT, WARPLU_ON_WEAK_REFINE, 1, 0.0},
    {small_pivot, WARPLU_CHECK_SUSPECT, WARPLU_ON_WEAK_REPORT, 0, 0.0},
    {small_pivot, WARPLU_CHECK_ALWAYS, WARPLU_ON_WEAK_REPIVOT, 1, 0.0},
    {smallish_pivot, WARPLU_CHECK_OFF, WARPLU_ON_WEAK_REPIVOT, 0, 0.0},
    {smallish_pivot, WARPLU_CHECK_SUSPECT, WARPLU_ON_WEAK_REPIVOT, 1, 0.0},
    {smallish_pivot, WARPLU_CHECK_ALWAYS, WARPLU_ON_WEAK_REPIVOT, 1, 0.0},
    {even, WARPLU_CHECK_SUSPECT, WARPLU_ON_WEAK_REPIVOT, 0, 0.0},
    {even, WARPLU_CHECK_ALWAYS, WARPLU_ON_WEAK_REPIVOT, 1, 0.0},
};

static warplu_solver *open_case(const checked_case *c)
{
    warplu_options o = options_for(WARPLU_EXECUTOR_CUDA);
    warplu_solver *s = NULL;
    o.check = c->check;
    o.on_weak = c->on_weak;
    o.pivot_tolerance = c->tolerance > 0.0 ? c->tolerance : 1e-9;
    o.ordering = WARPLU_ORDERING_NATURAL;
    o.matching = WARPLU_MATCHING_NEVER;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS && warplu_analyze(s, N, ptr, idx, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s, c->values) == WARPLU_SUCCESS &&
          warplu_solve_transposed(s, 0, NULL, N, NULL, N) == WARPLU_SUCCESS);
    return s;
}

/* Two right-hand sides, by one call or by two. */
static void solve_on_device(warplu_solver *s, const checked_case *c, int in_one, int transposed, double *x)
{
    const double *values = by_emulator_on_device(c->values), *from = by_emulator_on_device(rhs);
    double *to = by_emulator_on_device(x);
    if (in_one) {
        CHECK(warplu_refactor_solve_device(s, values, transposed, 2, from, N, to, N, NULL) == WARPLU_ENQUEUED);
    } else {
        CHECK(warplu_refactor_device(s, values, NULL) == WARPLU_ENQUEUED);
        CHECK(warplu_solve_device(s, transposed, 2, from, N, to, N, NULL) == WARPLU_ENQUEUED);
    }
    /* a small pivot that is kept, and that the device does not refine, is proven by nothing */
    warplu_status status = warplu_finish_device(s, NULL, NULL);
    warplu_device_health h = health_of(s);
    int refined = h.backward_error >= 0.0, unproven = !refined && h.largest_l > 1e5 && c->check != WARPLU_CHECK_OFF;
    CHECK_SAY(status == (unproven ? WARPLU_UNCHECKED : WARPLU_SUCCESS), "%s, |l| %g", warplu_status_name(status),
              h.largest_l);
}

/* Errors above what is enough are refined, others stay as they are. raw: of the same pivots' solves that nobody
 * refines. */
static void judge(const checked_case *c, const warplu_device_health *h, double error, double *raw, const char *what)
{
    CHECK_SAY(h->inaccurate == 0 && (h->backward_error >= 0.0) == c->refined, "%s: %g", what, h->backward_error);
    CHECK_SAY(!c->refined || fabs(h->backward_error - error) < 1e-15, "%s: told %g, is %g", what, h->backward_error,
              error);
    if (c->values == even) CHECK_SAY(error < 1e-15 && h->refinement_steps == 0, "%s: %g", what, error);
    if (c->values == even) return;
    if (!c->refined) *raw = error;
    double enough = wlu_refine_enough(c->check == WARPLU_CHECK_ALWAYS, N);
    int corrected = c->refined && *raw > enough;
    CHECK_SAY((h->refinement_steps > 0) == corrected && (corrected ? error <= enough : error == *raw),
              "%s: %g, unrefined %g, enough %g", what, error, *raw, enough);
}

static void who_is_not_proven_is_refined(void)
{
    enum { WAYS = 4 }; /* the matrices are symmetric, so that A' has these solutions too */
    double raw[WAYS] = {0.0}, least = INFINITY, most = 0.0;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        warplu_solver *s = open_case(&cases[c]);
        for (int k = 0; k < WAYS; k++) {
            double x[2 * N], error = -1.0;
            char what[32];
            snprintf(what, sizeof what, "case %d, way %d", (int)c, k);
            solve_on_device(s, &cases[c], k % 2, k / 2, x);
            CHECK(warplu_compute_backward_error(s, k / 2, cases[c].values, 2, rhs, N, x, N, &error) == WARPLU_SUCCESS);
            warplu_device_health h = health_of(s);
            judge(&cases[c], &h, error, &raw[k], what);
            least = fmin(least, raw[k]);
            most = fmax(most, raw[k]);
        }
        warplu_destroy(&s);
        nothing_is_left("refined");
    }
    CHECK_SAY(least > wlu_thresholds_of(0).corrected && least < wlu_refine_enough(0, N) &&
                  most > wlu_refine_enough(0, N),
              "%g to %g", least, most);
}

/* The host's solves have the reference's bits and are checked by the host, whatever the device does with its own. */
static void the_hosts_solves_are_the_hosts(void)
{
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        warplu_solver *s = open_case(&cases[c]);
        warplu_statistics t = {.size = sizeof t};
        double x[N];
        int64_t looks = kernel.looks;
        CHECK(warplu_refactor(s, cases[c].values) == WARPLU_SUCCESS &&
              warplu_solve(s, 1, rhs, N, x, N) == WARPLU_SUCCESS);
        CHECK(warplu_get_statistics(s, &t) == WARPLU_SUCCESS && kernel.looks == looks);
        int checked =
            cases[c].check != WARPLU_CHECK_OFF && (cases[c].values != even || cases[c].check == WARPLU_CHECK_ALWAYS);
        CHECK_SAY((t.checked_solves > 0) == checked, "case %d: %lld checked", (int)c, (long long)t.checked_solves);
        warplu_destroy(&s);
        nothing_is_left("the host's");
    }
}

/* A hundred times the tolerance would not keep the pivot: the other is proven, and nobody has to look at solves. */
static void stricter_pivots_take_the_place_of_unproven_ones(void)
{
    for (int kept = 0; kept <= 1; kept++) {
        const checked_case c = {small_pivot, WARPLU_CHECK_SUSPECT, WARPLU_ON_WEAK_REPIVOT, kept, kept ? 1e-8 : 1e-7};
        warplu_solver *s = open_case(&c);
        double x[2 * N], error = -1.0;
        solve_on_device(s, &c, 1, 0, x);
        CHECK(warplu_compute_backward_error(s, 0, c.values, 2, rhs, N, x, N, &error) == WARPLU_SUCCESS &&
              error < (kept ? 1e-12 : 1e-15));
        warplu_device_health h = health_of(s);
        CHECK((h.backward_error >= 0.0) == kept);
        CHECK_SAY((h.largest_l > 1e5) == kept, "kept %d: |l| = %g, error %g", kept, h.largest_l, error);
        warplu_destroy(&s);
        nothing_is_left("stricter");
    }
}

/* A matching scales unknowns that differ by 1e8, and would have every solve checked: rows alone are scaled, and the
 * pivots proven. A ring whose large entries are off the diagonal: matched it is tridiagonal but for its ends. */
static void scales_that_need_no_checks_are_preferred(void)
{
    enum { RING = 24 };
    int32_t begin[RING + 1], row[3 * RING];
    double values[3 * RING];
    for (int32_t j = 0; j < RING; j++) {
        begin[j] = 3 * j;
        for (int32_t k = 0; k < 3; k++) {
            row[3 * j + k] = (j + k) % RING;
            values[3 * j + k] = (k == 1 ? 4.0 : 1e-3) * (j % 2 ? 1e8 : 1.0);
        }
    }
    begin[RING] = 3 * RING;
    for (int checked = 0; checked <= 1; checked++) {
        warplu_options o = options_for(WARPLU_EXECUTOR_CUDA);
        warplu_solver *s = NULL;
        o.check = checked ? WARPLU_CHECK_SUSPECT : WARPLU_CHECK_OFF;
        CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS && warplu_analyze(s, RING, begin, row, values) == WARPLU_SUCCESS);
        CHECK(warplu_factor(s, values) == WARPLU_SUCCESS);
        CHECK_SAY(s->analysis->candidate[0].matched &&
                      s->current.plan->pivots->scales == (checked ? WLU_ROWS_SCALED : WLU_BOTH_SCALED),
                  "matched %d, scales %d", s->analysis->candidate[0].matched, (int)s->current.plan->pivots->scales);
        CHECK(s->current.plan->pivots->candidate == 0 &&
              s->current.accurate_solves[0] == (checked ? WLU_TRIAL_SOLVES : 0));
        warplu_destroy(&s);
        nothing_is_left("scales");
    }
}

/* A file proves nothing. */
static void restored_pivots_are_not_proven(void)
{
    static const checked_case c = {even, WARPLU_CHECK_SUSPECT, WARPLU_ON_WEAK_REPIVOT, 1, 0.0};
    char path[] = "checked-XXXXXX";
    int fd = mkstemp(path);
    warplu_solver *s = open_case(&c), *restored = NULL;
    warplu_options o = options_for(WARPLU_EXECUTOR_CUDA);
    double x[2 * N];
    CHECK(fd >= 0 && warplu_save(s, path) == WARPLU_SUCCESS);
    CHECK(warplu_create(&restored, &o) == WARPLU_SUCCESS && warplu_restore(restored, path) == WARPLU_SUCCESS);
    CHECK(warplu_refactor(restored, even) == WARPLU_SUCCESS);
    solve_on_device(restored, &c, 1, 0, x);
    CHECK(health_of(restored).backward_error >= 0.0);
    CHECK(close(fd) == 0 && unlink(path) == 0);
    warplu_destroy(&s);
    warplu_destroy(&restored);
    nothing_is_left("restored");
}

/* A program of a file is on the device when it has been read: the first replay is one, with the bits of the solver that
 * saved it. A solver for a CPU passes it over. */
static void saved_programs_are_replayed(void)
{
    for (int k = 0; k < 6; k++) {
        char path[] = "program-XXXXXX";
        int fd = mkstemp(path);
        warplu_options o = options_for(WARPLU_EXECUTOR_CUDA);
        warplu_solver *restored[2] = {NULL, NULL};
        warplu_statistics t = {.size = sizeof t};
        double y[NMAX];
        pair p;
        o.device_strategy = k % 2 ? WARPLU_STRATEGY_LEVELS : WARPLU_STRATEGY_FLOW;
        o.precision = (warplu_precision)(k / 2);
        if (warplu_create(&restored[0], &o) != WARPLU_SUCCESS) {
            CHECK(close(fd) == 0 && unlink(path) == 0);
            continue;
        }
        open_pair_of(&p, &grid, o);
        int32_t n = p.m.n;
        CHECK(warplu_factor(p.cuda, p.m.x) == WARPLU_SUCCESS && warplu_save_program(p.cuda, path) == WARPLU_SUCCESS);
        CHECK_SAY(warplu_restore(restored[0], path) == WARPLU_SUCCESS, "%s", warplu_get_message(restored[0]));
        CHECK(warplu_get_statistics(restored[0], &t) == WARPLU_SUCCESS && t.compiled == 1 && t.compilations == 0);
        p.cuda->current.accurate_solves[0] = p.cuda->current.accurate_solves[1] = 0; /* a file proves nothing */
        CHECK(warplu_refactor(p.cuda, p.m.x) == WARPLU_SUCCESS);
        CHECK(warplu_refactor(restored[0], p.m.x) == WARPLU_SUCCESS);
        CHECK(warplu_solve(restored[0], 1, p.b, n, y, n) == WARPLU_SUCCESS);
        double *x = p.b + n;
        CHECK_SAY(warplu_solve(p.cuda, 1, p.b, n, x, n) == WARPLU_SUCCESS && memcmp(x, y, (size_t)n * sizeof *x) == 0,
                  "%s, precision %d", k % 2 ? "levels" : "flow", k / 2);
        CHECK(warplu_get_statistics(restored[0], &t) == WARPLU_SUCCESS && t.compilations == 0 && t.factors == 0);
        o.executor = WARPLU_EXECUTOR_CPU;
        o.device_strategy = WARPLU_STRATEGY_AUTO;
        o.precision = WARPLU_PRECISION_DOUBLE;
        CHECK(warplu_create(&restored[1], &o) == WARPLU_SUCCESS && warplu_restore(restored[1], path) == WARPLU_SUCCESS);
        CHECK(warplu_get_statistics(restored[1], &t) == WARPLU_SUCCESS && t.compiled == 0);
        CHECK(close(fd) == 0 && unlink(path) == 0);
        warplu_destroy(&restored[0]);
        warplu_destroy(&restored[1]);
        close_pair(&p);
    }
}

/* New pivots on the device are put to the test before they are used there. */
static void new_pivots_are_proven(void)
{
    warplu_options o = options_for(WARPLU_EXECUTOR_CUDA);
    warplu_solver *s = weak_solver(&o);
    double x[N];
    CHECK(warplu_refactor_device(s, by_emulator_on_device(poor), NULL) == WARPLU_ENQUEUED);
    CHECK(warplu_finish_device(s, poor, NULL) == WARPLU_REPIVOTED);
    CHECK(warplu_refactor_solve_device(s, by_emulator_on_device(poor), 0, 1, by_emulator_on_device(b), N,
                                       by_emulator_on_device(x), N, NULL) == WARPLU_ENQUEUED);
    CHECK(warplu_finish_device(s, NULL, NULL) == WARPLU_SUCCESS && health_of(s).backward_error == -1.0);
    CHECK(fabs(x[0] - 1.0) < 1e-15 && fabs(x[1] - 1.0) < 1e-15);
    warplu_destroy(&s);
    nothing_is_left("proven");
}

int main(void)
{
    if (!open_fake()) return 1;
    RUN(who_is_not_proven_is_refined);
    RUN(the_hosts_solves_are_the_hosts);
    RUN(stricter_pivots_take_the_place_of_unproven_ones);
    RUN(scales_that_need_no_checks_are_preferred);
    RUN(restored_pivots_are_not_proven);
    RUN(saved_programs_are_replayed);
    RUN(new_pivots_are_proven);
    return check_done();
}
