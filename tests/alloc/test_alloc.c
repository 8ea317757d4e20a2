/* Memory: the k-th allocation fails for every k through a solver's life, and each call answers WARPLU_OUT_OF_MEMORY,
 * leaks nothing and works when tried again; replays and solves allocate nothing at all. */
#include "check.h"

#include "api/solver.h"
#include "support/build.h"
#include "support/dense.h"

#include <math.h>
#include <string.h>

enum { NMAX = 64 };

typedef struct life {
    const char *name;
    test_recipe recipe;
    uint64_t seed;
    int64_t max_program_bytes; /* 0: the default */
    warplu_executor executor;
    int odd_diagonal; /* the diagonal holds an explicit zero: the first values replace the analysis */
    warplu_matching matching;
} life;

static const life lives[] = {
    {"blocks", {.shape = TEST_BLOCKS, .n = 12}, 5, 0, WARPLU_EXECUTOR_AUTO, 0, WARPLU_MATCHING_AUTO},
    {"duplicates", {.shape = TEST_BLOCKS, .n = 10, .duplicates = 1, .shuffled = 1}, 6, 0, WARPLU_EXECUTOR_AUTO, 0, WARPLU_MATCHING_AUTO},
    {"exchanges", {.shape = TEST_SPARSE, .n = 14, .weak_diagonal = 1}, 7, 0, WARPLU_EXECUTOR_REFERENCE, 0, WARPLU_MATCHING_AUTO},
    {"columns", {.shape = TEST_DENSE, .n = 40}, 8, 60000, WARPLU_EXECUTOR_CPU, 0, WARPLU_MATCHING_AUTO},
    {"zero diagonal", {.shape = TEST_GRID, .n = 9}, 9, 0, WARPLU_EXECUTOR_AUTO, 1, WARPLU_MATCHING_AUTO},
    {"matched", {.shape = TEST_GRID, .n = 16, .weak_diagonal = 1}, 10, 0, WARPLU_EXECUTOR_AUTO, 0, WARPLU_MATCHING_ALWAYS},
    {"matched late", {.shape = TEST_GRID, .n = 16}, 11, 0, WARPLU_EXECUTOR_AUTO, 1, WARPLU_MATCHING_ALWAYS},
};

typedef struct session {
    const life *of;
    test_matrix m;
    test_allocator memory;
    warplu_solver *solver;
    warplu_options options;
    double b[NMAX], x[2][NMAX];
} session;

enum { CREATE, ANALYZE, FACTOR, REFACTOR, SOLVE, SOLVE_TRANSPOSED, STEPS };
static const char *const step_names[STEPS] = {"create", "analyze", "factor", "refactor", "solve", "solve_transposed"};

static warplu_status take_step(session *s, int step)
{
    int32_t n = s->m.n;
    switch (step) {
    case CREATE: return warplu_create(&s->solver, &s->options);
    case ANALYZE: return warplu_analyze(s->solver, n, s->m.ptr, s->m.idx, s->of->odd_diagonal ? NULL : s->m.x);
    case FACTOR: return warplu_factor(s->solver, s->m.x);
    case REFACTOR: return warplu_refactor(s->solver, s->m.x);
    case SOLVE: return warplu_solve(s->solver, 1, s->b, n, s->x[0], n);
    default: return warplu_solve_transposed(s->solver, 1, s->b, n, s->x[1], n);
    }
}

static void open_session(session *s, const life *of)
{
    uint64_t seed = of->seed;
    memset(s, 0, sizeof *s);
    s->of = of;
    test_matrix_random(&s->m, &seed, &of->recipe);
    if (of->odd_diagonal) s->m.x[0] = 0.0;
    for (int32_t i = 0; i < s->m.n; i++) s->b[i] = check_uniform(&seed) - 0.5;
    warplu_options_init(&s->options);
    s->options.executor = of->executor;
    s->options.matching = of->matching;
    if (of->max_program_bytes > 0) s->options.max_program_bytes = of->max_program_bytes;
    test_use_allocator(&s->options, &s->memory);
}

static void check_solutions(const session *s)
{
    double *dense = test_matrix_dense(&s->m);
    for (int t = 0; t < 2; t++) {
        double omega = test_dense_backward_error(s->m.n, dense, t, s->b, s->x[t]);
        CHECK_SAY(omega <= 1e-11, "%s, transposed %d: %g", s->of->name, t, omega);
    }
    free(dense);
}

/* One life in which allocation k fails, once; 0 if the life has fewer. */
static int live(const life *of, int64_t k)
{
    session s;
    open_session(&s, of);
    s.memory.fail_at = k;
    for (int step = CREATE; step < STEPS; step++) {
        warplu_status status = take_step(&s, step);
        if (status < 0) {
            CHECK_SAY(status == WARPLU_OUT_OF_MEMORY && s.memory.calls >= k, "%s, allocation %lld, %s: %s", of->name,
                      (long long)k, step_names[step], warplu_status_name(status));
            if (step > CREATE) CHECK(strstr(warplu_message(s.solver), "memory") != NULL);
            if (step == CREATE) CHECK(s.solver == NULL && s.memory.alive == 0);
            status = take_step(&s, step);
        }
        CHECK_SAY(status == WARPLU_SUCCESS || (step == REFACTOR && status == WARPLU_REPIVOTED),
                  "%s, allocation %lld, %s again: %s", of->name, (long long)k, step_names[step],
                  warplu_status_name(status));
        if (status < 0) break;
    }
    check_solutions(&s);
    warplu_destroy(&s.solver);
    CHECK_SAY(s.memory.alive == 0, "%s, allocation %lld: %lld blocks leak", of->name, (long long)k,
              (long long)s.memory.alive);
    test_matrix_free(&s.m);
    return s.memory.calls >= k;
}

static void every_allocation_may_fail(void)
{
    for (size_t c = 0; c < sizeof lives / sizeof *lives; c++) {
        int64_t k = 1;
        while (live(&lives[c], k) && k < 5000) k++;
        printf("# %s: %lld allocations\n", lives[c].name, (long long)(k - 1));
        CHECK(k > 30 && k < 5000);
    }
}

/* The cases above reach what they are meant to reach. */
static void the_cases_differ(void)
{
    for (size_t c = 0; c < sizeof lives / sizeof *lives; c++) {
        session s;
        warplu_statistics t = {.size = sizeof t};
        open_session(&s, &lives[c]);
        for (int step = CREATE; step < STEPS; step++) CHECK(take_step(&s, step) == WARPLU_SUCCESS);
        CHECK(warplu_get_statistics(s.solver, &t) == WARPLU_SUCCESS);
        if (strcmp(lives[c].name, "columns") == 0) CHECK_SAY(t.column_pivots > 0, "no COLUMN pivots");
        if (lives[c].recipe.shape == TEST_BLOCKS) CHECK(t.blocks >= 3 && t.f_nnz > 0);
        if (lives[c].recipe.duplicates) CHECK(t.nnz < s.m.nnz);
        if (lives[c].odd_diagonal) CHECK(!s.solver->analysis->provisional);
        warplu_destroy(&s.solver);
        test_matrix_free(&s.m);
    }
}

/* A failing re-pivot or factor leaves a solver whose next call works. */
static void failing_again_and_again(void)
{
    const double good[] = {1, 1, 1, 2}, weak[] = {1e-16, 1, 1, 2}, b[] = {1, 3};
    const int32_t ptr[] = {0, 2, 4}, idx[] = {0, 1, 0, 1};
    for (int64_t k = 1; k < 2000; k++) {
        test_allocator memory;
        warplu_options o;
        warplu_solver *s = NULL;
        double x[2];
        warplu_options_init(&o);
        o.ordering = WARPLU_ORDER_NATURAL;
        o.btf = 0;
        test_use_allocator(&o, &memory);
        CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS && warplu_analyze(s, 2, ptr, idx, NULL) == WARPLU_SUCCESS);
        CHECK(warplu_factor(s, good) == WARPLU_SUCCESS);
        memory.fail_at = memory.calls + k;
        warplu_status status = warplu_refactor(s, weak);
        CHECK(status == WARPLU_REPIVOTED || status == WARPLU_OUT_OF_MEMORY);
        if (status < 0) CHECK(warplu_solve(s, 1, b, 2, x, 2) == WARPLU_WRONG_PHASE);
        memory.fail_at = 0;
        CHECK(warplu_refactor(s, good) >= 0);
        CHECK(warplu_solve(s, 1, b, 2, x, 2) >= 0 && fabs(x[0] + 1.0) < 1e-14 && fabs(x[1] - 2.0) < 1e-14);
        CHECK(warplu_refactor(s, weak) >= 0);
        CHECK(warplu_solve(s, 1, b, 2, x, 2) >= 0 && fabs(x[0] - 1.0) < 1e-14 && fabs(x[1] - 1.0) < 1e-14);
        warplu_destroy(&s);
        CHECK(memory.alive == 0);
        if (status == WARPLU_REPIVOTED) {
            printf("# a re-pivot makes %lld allocations\n", (long long)(k - 1));
            CHECK(k > 20);
            return;
        }
    }
    CHECK(!"some k should succeed");
}

/* A solve that pivots again, two right-hand sides at a time, transposed or not, without refinement: Wilkinson's growth at
 * threshold 0.001, so new pivots do not help either. Whatever allocation fails, the old factors answer with a warning, and
 * the next refactor works. */
static void solves_that_pivot_again_may_fail(void)
{
    enum { N = 8 };
    int32_t ptr[N + 1], idx[N * N];
    double poor[N * N], good[N * N], b[2 * N], x[2 * N];
    for (int32_t q = 0; q < N * N; q++) {
        int32_t i = q % N, j = q / N;
        idx[q] = i;
        poor[q] = j == N - 1 ? 1.0 + 0.1 * i : i == j ? 1.0 : i > j ? -(900.0 + 7.0 * i + 3.0 * j) : 0.0;
        good[q] = i == j ? 10.0 : 1.0;
    }
    for (int32_t j = 0; j <= N; j++) ptr[j] = j * N;
    for (int32_t i = 0; i < 2 * N; i++) b[i] = 1.0 + 0.3 * i;
    for (int transposed = 0; transposed <= 1; transposed++) {
        int64_t k = 0;
        test_allocator memory = {.calls = 0};
        do {
            warplu_status (*solve)(warplu_solver *, int32_t, const double *, int32_t, double *, int32_t) =
                transposed ? warplu_solve_transposed : warplu_solve;
            warplu_options o;
            warplu_solver *s = NULL;
            warplu_options_init(&o);
            o.ordering = WARPLU_ORDER_NATURAL;
            o.btf = 0;
            o.max_refinement_steps = 0;
            test_use_allocator(&o, &memory);
            CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS && warplu_analyze(s, N, ptr, idx, NULL) == WARPLU_SUCCESS);
            CHECK(warplu_factor(s, poor) == WARPLU_SUCCESS && solve(s, 2, b, N, x, N) == WARPLU_INACCURATE);
            CHECK(warplu_refactor(s, poor) == WARPLU_SUCCESS);
            memory.fail_at = memory.calls + ++k;
            warplu_status status = solve(s, 2, b, N, x, N);
            CHECK_SAY(status == WARPLU_INACCURATE, "allocation %lld: %s", (long long)k, warplu_status_name(status));
            k = memory.calls < memory.fail_at ? -k : k;
            memory.fail_at = 0;
            CHECK(warplu_refactor(s, good) >= 0 && solve(s, 2, b, N, x, N) >= 0);
            warplu_destroy(&s);
            CHECK(memory.alive == 0);
        } while (k > 0 && k < 2000);
        printf("# a solve that pivots again makes %lld allocations\n", (long long)-k - 1);
        CHECK(k < -20);
    }
}

static void replays_and_solves_allocate_nothing(void)
{
    for (size_t c = 0; c < sizeof lives / sizeof *lives; c++)
        for (int check = WARPLU_CHECK_OFF; check <= WARPLU_CHECK_ALWAYS; check++) {
            session s;
            open_session(&s, &lives[c]);
            s.options.check = (warplu_check)check;
            for (int step = CREATE; step < STEPS; step++) CHECK(take_step(&s, step) == WARPLU_SUCCESS);
            int64_t calls = s.memory.calls, alive = s.memory.alive;
            for (int round = 0; round < 3; round++)
                for (int step = REFACTOR; step < STEPS; step++) CHECK(take_step(&s, step) == WARPLU_SUCCESS);
            CHECK_SAY(s.memory.calls == calls && s.memory.alive == alive, "%s, check %d: %lld allocations",
                      lives[c].name, check, (long long)(s.memory.calls - calls));
            warplu_destroy(&s.solver);
            CHECK(s.memory.alive == 0);
            test_matrix_free(&s.m);
        }
}

int main(void)
{
    RUN(every_allocation_may_fail);
    RUN(the_cases_differ);
    RUN(failing_again_and_again);
    RUN(solves_that_pivot_again_may_fail);
    RUN(replays_and_solves_allocate_nothing);
    return check_done();
}
