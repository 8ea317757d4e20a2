/* One cache, one solver, many threads: solvers are opened, used and closed for a few patterns on all threads at once; a
 * solver is cloned while its owner computes; several threads call one solver. Answers are right, counts add up, and the
 * thread sanitizer, where the build has it, sees no race. */
#include <warplu/cache.h>
#include <warplu/inspect.h>

#include "check.h"

#include "support/matrices.h"

#include <pthread.h>
#include <stdatomic.h>

enum { N = 60, PATTERNS = 3, THREADS = 4, ROUNDS = 60 };

static test_matrix pattern[PATTERNS];
static warplu_cache *cache;
static warplu_solver *common;
static atomic_int wrong, running;

/* Whether a refactorization with values of its own and a solve are right. */
static int serves(warplu_solver *s, const test_matrix *m, uint64_t *seed)
{
    double *values = malloc((size_t)m->nnz * sizeof *values), b[N], x[N], omega = 1.0;
    for (int32_t q = 0; q < m->nnz; q++) values[q] = m->x[q] * (0.9 + 0.2 * check_uniform(seed));
    for (int32_t i = 0; i < m->n; i++) b[i] = check_uniform(seed) - 0.5;
    int good = warplu_refactor(s, values) >= 0 && warplu_solve(s, 1, b, m->n, x, m->n) >= 0 &&
               warplu_compute_backward_error(s, 0, values, 1, b, m->n, x, m->n, &omega) == WARPLU_SUCCESS;
    free(values);
    return good && omega < 1e-10;
}

static void *open_and_close(void *arg)
{
    uint64_t seed = 7919u * (uint64_t)(1 + *(int *)arg);
    for (int round = 0; round < ROUNDS; round++) {
        const test_matrix *m = &pattern[check_below(&seed, PATTERNS)];
        warplu_solver *s = NULL;
        if (warplu_open_solver(&s, cache, NULL, m->n, m->ptr, m->idx, m->x) != WARPLU_SUCCESS) {
            wrong++;
            continue;
        }
        for (int k = check_below(&seed, 4); k >= 0; k--) wrong += !serves(s, m, &seed);
        if (check_below(&seed, 8) == 0)
            warplu_destroy(&s);
        else
            warplu_close_solver(&s);
    }
    return NULL;
}

static void run_on_all(void *(*work)(void *), int count)
{
    pthread_t thread[THREADS];
    int number[THREADS];
    wrong = 0;
    for (int k = 0; k < count; k++) {
        number[k] = k;
        CHECK(pthread_create(&thread[k], NULL, work, &number[k]) == 0);
    }
    for (int k = 0; k < count; k++) pthread_join(thread[k], NULL);
    CHECK_SAY(wrong == 0, "%d wrong", (int)wrong);
}

static void threads_open_and_close(void)
{
    warplu_cache_options options;
    warplu_cache_init_options(&options);
    options.max_bytes = 400000; /* some have to go */
    CHECK(warplu_cache_create(&cache, &options) == WARPLU_SUCCESS);
    run_on_all(open_and_close, THREADS);
    warplu_cache_statistics t = {.size = sizeof t};
    CHECK(warplu_cache_get_statistics(cache, &t) == WARPLU_SUCCESS);
    CHECK(t.in_use == 0 && t.reused + t.cloned + t.analyzed == (int64_t)THREADS * ROUNDS &&
          t.bytes <= options.max_bytes);
    CHECK_SAY(t.patterns <= PATTERNS && t.reused > t.cloned + t.analyzed, "reused %d, cloned %d, analyzed %d",
              (int)t.reused, (int)t.cloned, (int)t.analyzed);
    warplu_cache_destroy(&cache);
}

/* The first thread computes, the others clone its solver and compute by the clones. */
static void *compute_or_clone(void *arg)
{
    uint64_t seed = 31u * (uint64_t)(1 + *(int *)arg);
    if (*(int *)arg == 0) {
        for (int round = 0; round < 4 * ROUNDS; round++) wrong += !serves(common, &pattern[0], &seed);
        running = 0;
        return NULL;
    }
    for (int round = 0; round < ROUNDS && running; round++) {
        warplu_solver *clone = NULL;
        wrong += warplu_clone(&clone, common) != WARPLU_SUCCESS || !serves(clone, &pattern[0], &seed);
        warplu_destroy(&clone);
    }
    return NULL;
}

static void a_source_in_use_is_cloned(void)
{
    running = 1;
    CHECK(warplu_create(&common, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(common, N, pattern[0].ptr, pattern[0].idx, pattern[0].x) == WARPLU_SUCCESS);
    run_on_all(compute_or_clone, THREADS);
    warplu_destroy(&common);
}

/* Calls of all threads on one solver: any order will do, but each is done whole. */
static void *call_common(void *arg)
{
    uint64_t seed = 101u * (uint64_t)(1 + *(int *)arg);
    double b[N], x[N];
    warplu_statistics t = {.size = sizeof t};
    for (int round = 0; round < ROUNDS; round++) {
        for (int32_t i = 0; i < N; i++) b[i] = check_uniform(&seed);
        wrong += warplu_refactor(common, pattern[0].x) < 0;
        wrong += warplu_solve(common, 1, b, N, x, N) < 0;
        wrong += warplu_get_statistics(common, &t) < 0 || t.n != N;
        double omega = 1.0;
        wrong += warplu_compute_backward_error(common, 0, pattern[0].x, 1, b, N, x, N, &omega) < 0 || !(omega < 1e-12);
    }
    return NULL;
}

static void calls_on_one_solver_take_turns(void)
{
    CHECK(warplu_create(&common, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(common, N, pattern[0].ptr, pattern[0].idx, pattern[0].x) == WARPLU_SUCCESS);
    CHECK(warplu_factor(common, pattern[0].x) == WARPLU_SUCCESS);
    run_on_all(call_common, THREADS);
    warplu_statistics t = {.size = sizeof t};
    CHECK(warplu_get_statistics(common, &t) == WARPLU_SUCCESS && t.refactors == THREADS * ROUNDS);
    warplu_destroy(&common);
}

int main(void)
{
    static const test_shape shapes[PATTERNS] = {TEST_GRID, TEST_SPARSE, TEST_BAND};
    uint64_t seed = 1;
    for (int k = 0; k < PATTERNS; k++) {
        test_recipe recipe = {.shape = shapes[k], .n = N};
        test_matrix_random(&pattern[k], &seed, &recipe);
    }
    RUN(threads_open_and_close);
    RUN(a_source_in_use_is_cloned);
    RUN(calls_on_one_solver_take_turns);
    for (int k = 0; k < PATTERNS; k++) test_matrix_free(&pattern[k]);
    return check_done();
}
