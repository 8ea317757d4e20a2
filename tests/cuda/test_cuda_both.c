/* Refactorization and solve in one call on device pointers: what the two calls answer, launch and compute, whichever
 * strategy; the solve early where it may be. On the fake driver. */
#include <warplu/device.h>

#include "host.h"

#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIDES = 9, LD = NMAX + 2, DOUBLES = 2 * SIDES * LD };

static int64_t calls_of(const warplu_solver *s)
{
    warplu_statistics t = {.size = sizeof t};
    CHECK(warplu_get_statistics(s, &t) == WARPLU_SUCCESS);
    return t.refactors + 1000 * t.solves;
}

/* One that is refused leaves everything as it was. */
static void what_is_refused(void)
{
    pair p;
    double x[NMAX];
    int stream;
    open_pair(&p, &grid);
    int32_t n = p.m.n;
    double *values = by_emulator_on_device(p.m.x), *to = by_emulator_on_device(x), *from = by_emulator_on_device(p.b);
    const struct {
        double *values, *b, *x;
        int32_t transposed, nrhs, ldb, ldx;
        warplu_status status;
    } cases[] = {{NULL, from, to, 0, 1, n, n, WARPLU_INVALID_ARGUMENT},
                 {values, NULL, to, 0, 1, n, n, WARPLU_INVALID_ARGUMENT},
                 {values, from, NULL, 0, 1, n, n, WARPLU_INVALID_ARGUMENT},
                 {values, from, to, 0, -1, n, n, WARPLU_INVALID_ARGUMENT},
                 {values, from, to, 0, 1, n - 1, n, WARPLU_INVALID_ARGUMENT},
                 {values, from, to, 0, 1, n, n - 1, WARPLU_INVALID_ARGUMENT},
                 {values, to, to, 0, 1, n, n + 1, WARPLU_INVALID_ARGUMENT},
                 {values, from, from + 1, 0, 1, n, n, WARPLU_INVALID_ARGUMENT},
                 {values, from, to, 1, 1, n, n, WARPLU_WRONG_PHASE}};
    CHECK(warplu_refactor_solve_device(NULL, values, 0, 1, from, n, to, n, &stream) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_refactor_solve_device(p.cuda, values, 0, 1, from, n, to, n, &stream) == WARPLU_WRONG_PHASE);
    CHECK(warplu_factor(p.cuda, p.m.x) == WARPLU_SUCCESS && warplu_factor(p.reference, p.m.x) == WARPLU_SUCCESS);
    CHECK(warplu_refactor_solve_device(p.reference, values, 0, 1, from, n, to, n, &stream) == WARPLU_NOT_COMPILED);
    int64_t calls = fake->calls, counted = calls_of(p.cuda);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        warplu_status status =
            warplu_refactor_solve_device(p.cuda, cases[k].values, cases[k].transposed, cases[k].nrhs, cases[k].b,
                                         cases[k].ldb, cases[k].x, cases[k].ldx, &stream);
        CHECK_SAY(status == cases[k].status, "case %d: %s", (int)k, warplu_status_name(status));
    }
    CHECK(fake->calls == calls && calls_of(p.cuda) == counted);
    CHECK(warplu_solve(p.cuda, 1, p.b, n, x, n) == WARPLU_SUCCESS);
    CHECK(warplu_refactor_solve_device(p.cuda, values, 0, 1, from, n, to, n, &stream) == WARPLU_ENQUEUED);
    CHECK(calls_of(p.cuda) == counted + 2001);
    CHECK(warplu_solve(p.cuda, 1, p.b, n, x, n) == WARPLU_WRONG_PHASE &&
          warplu_finish_device(p.cuda, NULL, &stream) == WARPLU_SUCCESS);
    CHECK(warplu_refactor_solve_device(p.cuda, values, 0, 0, NULL, n, NULL, n, &stream) == WARPLU_ENQUEUED);
    CHECK(warplu_finish_device(p.cuda, NULL, &stream) == WARPLU_SUCCESS);
    close_pair(&p);
}

/* Each as a call of its own, and both as one; x in the place of b, or not. */
static void compare_with_two_calls(pair *p, int transposed, int32_t nrhs, int in_place)
{
    static double rhs[DOUBLES], x[2][DOUBLES];
    int32_t n = p->m.n, ld = n + 2;
    size_t bytes = (size_t)test_matrix_doubles(&p->m) * (size_t)nrhs * (size_t)ld * sizeof(double);
    const double *values = by_emulator_on_device(p->m.x);
    int stream, flow = replayed_by == WARPLU_STRATEGY_FLOW;
    for (int k = 0; k < DOUBLES; k++) rhs[k] = check_uniform(&seed) - 0.5;
    for (int k = 0; k < 2; k++) {
        if (in_place)
            memcpy(x[k], rhs, sizeof rhs);
        else
            memset(x[k], 7, sizeof rhs);
    }
    const double *from[2] = {by_emulator_on_device(in_place ? x[0] : rhs),
                             by_emulator_on_device(in_place ? x[1] : rhs)};
    CHECK(warplu_refactor_device(p->cuda, values, &stream) == WARPLU_ENQUEUED);
    CHECK(warplu_solve_device(p->cuda, transposed, nrhs, from[0], ld, by_emulator_on_device(x[0]), ld, &stream) ==
          WARPLU_ENQUEUED);
    warplu_device_health before = health_of(p->cuda);
    int64_t behind = fake->behind, launches = fake->launches, solves = kernel.solves, alive = fake->alive;
    CHECK(warplu_refactor_solve_device(p->cuda, values, transposed, nrhs, from[1], ld, by_emulator_on_device(x[1]), ld,
                                       &stream) == WARPLU_ENQUEUED);
    warplu_device_health after = health_of(p->cuda);
    before.generation++;
    CHECK(memcmp(&before, &after, sizeof before) == 0 && memcmp(x[0], x[1], sizeof rhs) == 0 && fake->alive == alive);
    CHECK(nrhs == 0 || in_place || memcmp(x[0], rhs, bytes) != 0);
    CHECK(!flow || kernel.solves == solves + nrhs);
    CHECK(!flow || fake->launches == launches + 1 + (p->cuda->current.plan->program->gather != NULL) +
                                         (nrhs + WLU_MANY - 1) / WLU_MANY);
    CHECK_SAY(fake->behind == behind + (flow && nrhs > 0), "%lld early", (long long)(fake->behind - behind));
    CHECK(warplu_finish_device(p->cuda, p->m.x, &stream) == WARPLU_SUCCESS);
}

static void the_bits_of_two_calls(void)
{
    static const int32_t counts[] = {0, 1, WLU_MANY, SIDES};
    for (int duplicates = 0; duplicates <= 1; duplicates++) {
        pair p;
        test_recipe r = {.shape = TEST_GRID, .n = 36, .duplicates = duplicates};
        open_pair(&p, &r);
        CHECK(warplu_factor(p.cuda, p.m.x) == WARPLU_SUCCESS && warplu_factor(p.reference, p.m.x) == WARPLU_SUCCESS);
        compare_solves(&p); /* which makes the transposed solve's program */
        for (int k = 0; k < 16; k++) {
            test_matrix_vary(&p.m, &seed, 0.1);
            compare_with_two_calls(&p, k & 1, counts[k / 4], k / 2 & 1);
        }
        CHECK(warplu_refactor(p.reference, p.m.x) == WARPLU_SUCCESS);
        compare_solves(&p);
        close_pair(&p);
    }
}

static void complex_values_alike(void)
{
    made_of = WARPLU_SCALAR_COMPLEX;
    replayed_by = WARPLU_STRATEGY_FLOW;
    the_bits_of_two_calls();
    made_of = WARPLU_SCALAR_REAL;
}

static void weak_solutions_are_withheld(void)
{
    for (int kept = 0; kept <= 1; kept++) {
        warplu_options o = options_for(WARPLU_EXECUTOR_CUDA);
        o.on_weak = kept ? WARPLU_ON_WEAK_REPORT : WARPLU_ON_WEAK_REPIVOT;
        warplu_solver *s = weak_solver(&o);
        double x[2] = {7, 7}, *to = by_emulator_on_device(x);
        const double *from = by_emulator_on_device(b);
        for (int step = 0; step < 2; step++) {
            CHECK(warplu_refactor_solve_device(s, by_emulator_on_device(poor), 0, 1, from, 2, to, 2, NULL) ==
                  WARPLU_ENQUEUED);
            CHECK_SAY(isnan(x[0]) == !kept && isnan(x[1]) == !kept, "x = %g, %g", x[0], x[1]);
            CHECK(warplu_finish_device(s, NULL, NULL) == WARPLU_WEAK);
            CHECK(warplu_refactor_solve_device(s, by_emulator_on_device(good), 0, 1, from, 2, to, 2, NULL) ==
                  WARPLU_ENQUEUED);
            CHECK(x[0] == -1.0 && x[1] == 2.0);
            CHECK(warplu_finish_device(s, NULL, NULL) == WARPLU_SUCCESS);
        }
        warplu_destroy(&s);
        nothing_is_left("withheld");
    }
}

/* Whichever call to the driver fails: no solve of factors that were not even begun, and the next one is as good as
 * ever. */
static void any_call_may_fail(void)
{
    pair p;
    double x[NMAX], y[NMAX], *values;
    int stream;
    open_pair(&p, &grid);
    int32_t n = p.m.n;
    values = by_emulator_on_device(p.m.x);
    CHECK(warplu_factor(p.cuda, p.m.x) == WARPLU_SUCCESS && warplu_solve(p.cuda, 1, p.b, n, y, n) == WARPLU_SUCCESS);
    for (int in_place = 0; in_place <= 1; in_place++) {
        int64_t calls = 4 + in_place; /* enter, perhaps put b aside, factorize, solve, leave */
        for (int64_t k = 1; k <= calls + 1; k++) {
            int64_t launches = fake->launches;
            memcpy(x, p.b, sizeof x);
            double *to = by_emulator_on_device(x), *from = in_place ? to : by_emulator_on_device(p.b);
            fake->calls = 0;
            fake->lasting = 0;
            fake->failure = INVALID;
            fake->fail_at = k;
            warplu_status status = warplu_refactor_solve_device(p.cuda, values, 0, 1, from, n, to, n, &stream);
            CHECK_SAY(status == (k > calls ? WARPLU_ENQUEUED : WARPLU_DEVICE_FAILED), "call %lld: %s", (long long)k,
                      warplu_status_name(status));
            CHECK(fake->launches - launches == (k < calls - 1 ? 0 : k == calls - 1 ? 1 : 2));
            CHECK(k <= calls || fake->calls == calls);
            fake->fail_at = 0;
        }
        CHECK(memcmp(x, y, (size_t)n * sizeof *x) == 0 &&
              warplu_finish_device(p.cuda, NULL, &stream) == WARPLU_SUCCESS);
    }
    close_pair(&p);
}

static void never_early(void)
{
    pair p;
    double x[NMAX], y[NMAX];
    int stream;
    open_pair(&p, &grid);
    int32_t n = p.m.n;
    CHECK(warplu_factor(p.cuda, p.m.x) == WARPLU_SUCCESS && warplu_solve(p.cuda, 1, p.b, n, y, n) == WARPLU_SUCCESS);
    CHECK(warplu_refactor_solve_device(p.cuda, by_emulator_on_device(p.m.x), 0, 1, by_emulator_on_device(p.b), n,
                                       by_emulator_on_device(x), n, &stream) == WARPLU_ENQUEUED);
    CHECK(fake->behind == 0 && memcmp(x, y, (size_t)n * sizeof *x) == 0);
    close_pair(&p);
}

/* Kernels are found once in a process: each case in one of its own, before this one finds them. */
static void early_only_where_it_may_be(void)
{
    for (int k = 0; k < 2; k++) {
        int ended = 0;
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            if (k == 0) fake->ptx = FAKE_CUDA_PTX - 10; /* code that does not wait for the kernel before it */
            if (k == 1) fake->version = 12020;          /* graphs that do not know of it */
            never_early();
            fflush(stdout);
            _exit(check_failures > 0);
        }
        CHECK(child > 0 && waitpid(child, &ended, 0) == child && WIFEXITED(ended));
        CHECK_SAY(WEXITSTATUS(ended) == 0, "case %d", k);
    }
}

int main(void)
{
    if (!open_fake()) return 1;
    RUN(early_only_where_it_may_be);
    RUN(what_is_refused);
    RUN(any_call_may_fail);
    RUN(complex_values_alike);
    for (int k = WARPLU_STRATEGY_FLOW; k <= (int)WLU_STRATEGY_LAUNCHES; k++) {
        replayed_by = (warplu_strategy)k;
        RUN(the_bits_of_two_calls);
        RUN(weak_solutions_are_withheld);
    }
    return check_done();
}
