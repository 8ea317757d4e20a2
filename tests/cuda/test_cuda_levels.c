/* The strategy `levels` on the fake driver, whose kernels are the lanes' functions on the host: the reference's answers
 * by launches and by graphs, split and not, and what is launched. */
#include <warplu/device.h>

#include "host.h"

#include <string.h>

static const warplu_strategy strategies[] = {WLU_STRATEGY_LAUNCHES, WARPLU_STRATEGY_LEVELS};

static warplu_options options_of(warplu_strategy strategy)
{
    warplu_options o = options_for(WARPLU_EXECUTOR_CUDA);
    o.device_strategy = strategy;
    return o;
}

/* Vectors of both kinds, and long records among them, have been seen. */
static int64_t mixed, longs;

static void note_vectors(const warplu_solver *s)
{
    const wlu_program *p = s->current.plan != NULL ? s->current.plan->program : NULL;
    for (int64_t k = 0; p != NULL && k < p->dot.nvectors; k++) mixed += p->dot.vector[k].opcode == WLU_OPCODES;
    for (int64_t r = 0; p != NULL && r < p->dot.nrecords; r++)
        longs += p->dot.begin[r + 1] - p->dot.begin[r] > WLU_DOT_IN_ORDER_MAX;
}

static void same_answers_as_the_reference(void)
{
    warplu_status worst = WARPLU_SUCCESS;
    for (int round = 0; round < 120; round++) {
        pair p;
        test_recipe r = test_recipe_random(&seed, NMAX);
        open_pair_of(&p, &r, options_of(strategies[round % 2]));
        p.cuda->ctx.unsplit = p.reference->ctx.unsplit = round / 2 % 2 == 0;
        CHECK(warplu_factor(p.cuda, p.m.x) == warplu_factor(p.reference, p.m.x));
        for (int step = 0; step < 5; step++) replay_alike(&p, step, &worst);
        note_vectors(p.cuda);
        close_pair(&p);
    }
    CHECK(worst == WARPLU_REPIVOTED && mixed > 0 && longs > 0);
    printf("# %lld launches, %lld graphs; %lld mixed vectors, %lld long records\n", (long long)fake->launches,
           (long long)fake->graphs, (long long)mixed, (long long)longs);
}

/* A launch for the loads, one a vector, one for the guards or stores; the vectors' as one graph. */
static void what_is_launched(void)
{
    for (int k = 0; k < 2; k++) {
        pair p;
        double x[NMAX];
        warplu_statistics s = {.size = sizeof s};
        open_pair_of(&p, &grid, options_of(strategies[k]));
        CHECK(warplu_factor(p.cuda, p.m.x) == WARPLU_SUCCESS && warplu_get_statistics(p.cuda, &s) == WARPLU_SUCCESS);
        int64_t launches = fake->launches, graphs = fake->graphs, calls = fake->calls;
        CHECK(warplu_refactor_device(p.cuda, by_emulator_on_device(p.m.x), NULL) == WARPLU_ENQUEUED);
        CHECK(fake->launches == launches + s.vectors + 2 && fake->graphs == graphs + k);
        CHECK(fake->calls == calls + 4 + (k == 0 ? s.vectors : 2)); /* enter, leave, two launches; is it captured? */
        CHECK(warplu_finish_device(p.cuda, NULL, NULL) == WARPLU_SUCCESS);
        launches = fake->launches;
        CHECK(warplu_solve_device(p.cuda, 0, 1, by_emulator_on_device(p.b), p.m.n, by_emulator_on_device(x), p.m.n,
                                  NULL) == WARPLU_ENQUEUED);
        CHECK(fake->launches == launches + s.solve_vectors + 2);
        close_pair(&p);
    }
}

/* Records alone have to fit: there is no tile to make them fewer. */
static void too_large(void)
{
    static const test_recipe dense = {.shape = TEST_DENSE, .n = 30};
    test_matrix m;
    warplu_solver *s = NULL;
    warplu_options o = options_of(WARPLU_STRATEGY_LEVELS);
    o.max_program_bytes = 40000;
    test_matrix_random(&m, &seed, &dense);
    CHECK(create_cuda(&s, &o) == WARPLU_SUCCESS && warplu_analyze(s, m.n, m.ptr, m.idx, m.x) == WARPLU_SUCCESS);
    warplu_status status = warplu_factor(s, m.x);
    CHECK_SAY(status == WARPLU_PROGRAM_TOO_LARGE, "%s", warplu_status_name(status));
    const wlu_pivots *pivots = wlu_solver_pivots(s);
    CHECK(pivots != NULL && strstr(warplu_get_message(s), "max_program_bytes") != NULL);
    for (int k = 0; k < 3; k++) { /* columns cannot replay there, and pivoting again would not help */
        CHECK(warplu_refactor(s, m.x) == WARPLU_PROGRAM_TOO_LARGE && wlu_solver_pivots(s) == pivots);
        CHECK(strstr(warplu_get_message(s), "max_program_bytes") != NULL);
    }
    warplu_statistics t = {.size = sizeof t};
    CHECK(warplu_get_statistics(s, &t) == WARPLU_SUCCESS && t.factors == 1 && t.refactors == 3);
    warplu_destroy(&s);
    test_matrix_free(&m);
}

static void strategies_are_checked(void)
{
    warplu_solver *s = NULL;
    warplu_options o = options_of((warplu_strategy)(WARPLU_STRATEGY_LEVELS + 1));
    CHECK(warplu_create(&s, &o) == WARPLU_INVALID_ARGUMENT && s == NULL);
    for (int k = WARPLU_STRATEGY_AUTO; k <= WARPLU_STRATEGY_LEVELS; k++) {
        o = options_of((warplu_strategy)k);
        CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS);
        CHECK((s->target.executor == &wlu_executor_flow) == (k <= WARPLU_STRATEGY_FLOW));
        warplu_destroy(&s);
        o.precision = WARPLU_PRECISION_MIXED;
        warplu_status status = warplu_create(&s, &o);
        CHECK_SAY(status == (k <= WARPLU_STRATEGY_FLOW ? WARPLU_SUCCESS : WARPLU_PRECISION_UNSUPPORTED), "%s",
                  warplu_status_name(status));
        warplu_destroy(&s);
        o.precision = WARPLU_PRECISION_DOUBLE;
        o.executor = WARPLU_EXECUTOR_CPU; /* which has but one */
        CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS && s->target.executor == &wlu_executor_cpu);
        warplu_destroy(&s);
    }
}

int main(void)
{
    if (!open_fake()) return 1;
    RUN(same_answers_as_the_reference);
    computed_in = WARPLU_PRECISION_SINGLE;
    RUN(same_answers_as_the_reference);
    computed_in = WARPLU_PRECISION_DOUBLE;
    RUN(what_is_launched);
    RUN(too_large);
    RUN(strategies_are_checked);
    return check_done();
}
