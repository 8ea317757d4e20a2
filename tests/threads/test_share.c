/* Solvers on several threads that share one analysis, pivots and program, all made while others run: every thread gets
 * the bits it would get alone, and the thread sanitizer, where the build has it, sees no race. */
#include "check.h"

#include "support/build.h"
#include "support/matrices.h"
#include "support/options.h"

#include <pthread.h>
#include <string.h>

enum { N = 60, THREADS = 4, ROUNDS = 25 };

typedef struct job {
    warplu_solver *solver;
    const test_matrix *m;
    uint64_t seed;
    warplu_status status;
    int64_t repivots;
    double x[ROUNDS][2][N];
} job;

/* Replays with values of its own, one in eight so different that pivots may be chosen again; A and A' each round. */
static void *work(void *arg)
{
    job *j = arg;
    int32_t n = j->m->n, nnz = j->m->nnz;
    double *values = malloc((size_t)nnz * sizeof *values), b[N];
    warplu_statistics t = {.size = sizeof t};
    for (int round = 0; round < ROUNDS && j->status >= 0; round++) {
        for (int32_t q = 0; q < nnz; q++) {
            double factor = 0.9 + 0.2 * check_uniform(&j->seed);
            if (round % 8 == 7 && check_below(&j->seed, 4) == 0) factor *= 1e-9;
            values[q] = j->m->x[q] * factor;
        }
        for (int32_t i = 0; i < n; i++) b[i] = check_uniform(&j->seed) - 0.5;
        j->status = warplu_refactor(j->solver, values);
        if (j->status >= 0) j->status = warplu_solve(j->solver, 1, b, n, j->x[round][0], n);
        if (j->status >= 0) j->status = warplu_solve_transposed(j->solver, 1, b, n, j->x[round][1], n);
    }
    if (warplu_get_statistics(j->solver, &t) == WARPLU_SUCCESS) j->repivots = t.repivots;
    free(values);
    return NULL;
}

static void prepare(job *j, const warplu_solver *source, const test_matrix *m, int k)
{
    memset(j, 0, sizeof *j);
    j->m = m;
    j->seed = 1000003u * (unsigned)(k + 1);
    CHECK(warplu_clone(&j->solver, source) == WARPLU_SUCCESS);
}

/* eager: the program is compiled before it is shared, or by whichever thread comes first. */
static void share(test_shape shape, int eager)
{
    static job together[THREADS], alone;
    pthread_t thread[THREADS];
    uint64_t seed = 271828 + (uint64_t)shape;
    test_recipe r = {.shape = shape, .n = N, .weak_diagonal = 1, .duplicates = shape == TEST_BLOCKS};
    test_matrix m;
    warplu_options o;
    warplu_solver *source = NULL, *keeper = NULL;
    test_matrix_random(&m, &seed, &r);
    check_init_options(&o);
    if (!eager) o.expected_refactors = 1;
    CHECK(warplu_create(&source, &o) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(source, m.n, m.ptr, m.idx, m.x) == WARPLU_SUCCESS &&
          warplu_factor(source, m.x) == WARPLU_SUCCESS);
    for (int k = 0; k < THREADS; k++) prepare(&together[k], source, &m, k);
    CHECK(warplu_clone(&keeper, source) == WARPLU_SUCCESS);
    warplu_destroy(&source); /* what is shared outlives its maker */
    for (int k = 0; k < THREADS; k++) CHECK(pthread_create(&thread[k], NULL, work, &together[k]) == 0);
    for (int k = 0; k < THREADS; k++) pthread_join(thread[k], NULL);
    int64_t repivots = 0;
    for (int k = 0; k < THREADS; k++) {
        CHECK_SAY(together[k].status >= 0, "thread %d: %s", k, warplu_status_name(together[k].status));
        prepare(&alone, keeper, &m, k);
        work(&alone);
        CHECK_SAY(memcmp(alone.x, together[k].x, sizeof alone.x) == 0, "thread %d, %s", k, test_shape_name(shape));
        repivots += together[k].repivots;
        warplu_destroy(&together[k].solver);
        warplu_destroy(&alone.solver);
    }
    printf("# %s, %s: %lld pivoted again\n", test_shape_name(shape), eager ? "eager" : "lazy", (long long)repivots);
    warplu_destroy(&keeper);
    test_matrix_free(&m);
}

static void programs_are_shared(void)
{
    for (int shape = 0; shape < TEST_SHAPES; shape++) share((test_shape)shape, 1);
}

static void the_first_thread_compiles_for_all(void)
{
    for (int shape = 0; shape < TEST_SHAPES; shape++) share((test_shape)shape, 0);
}

/* Values for which the pivots shared are weak: some threads retire the plan while others add A' to it. */
static void *retire(void *arg)
{
    job *j = arg;
    int32_t n = j->m->n, nnz = j->m->nnz;
    double *values = malloc((size_t)nnz * sizeof *values), b[N];
    for (int32_t q = 0; q < nnz; q++) values[q] = j->m->x[q] * (q % 3 == (int32_t)(j->seed % 3) ? 1e-14 : 1.0);
    for (int32_t i = 0; i < n; i++) b[i] = i + 1.0;
    j->status = warplu_refactor(j->solver, j->seed % 2 == 0 ? values : j->m->x);
    if (j->status >= 0) j->status = warplu_solve_transposed(j->solver, 1, b, n, j->x[0][0], n);
    free(values);
    return NULL;
}

static void plans_are_retired_and_grow_at_once(void)
{
    static job together[THREADS];
    pthread_t thread[THREADS];
    uint64_t seed = 1618;
    test_recipe r = {.shape = TEST_GRID, .n = N};
    test_matrix m;
    warplu_options o;
    warplu_solver *source = NULL;
    test_matrix_random(&m, &seed, &r);
    check_init_options(&o);
    int64_t retired = 0;
    for (int round = 0; round < ROUNDS; round++) {
        CHECK(warplu_create(&source, &o) == WARPLU_SUCCESS);
        CHECK(warplu_analyze(source, m.n, m.ptr, m.idx, m.x) == WARPLU_SUCCESS);
        CHECK(warplu_factor(source, m.x) == WARPLU_SUCCESS);
        for (int k = 0; k < THREADS; k++) {
            prepare(&together[k], source, &m, k);
            together[k].seed = (uint64_t)(round + k);
        }
        warplu_destroy(&source);
        for (int k = 0; k < THREADS; k++) CHECK(pthread_create(&thread[k], NULL, retire, &together[k]) == 0);
        for (int k = 0; k < THREADS; k++) {
            warplu_statistics t = {.size = sizeof t};
            pthread_join(thread[k], NULL);
            CHECK_SAY(together[k].status >= 0, "thread %d: %s", k, warplu_status_name(together[k].status));
            CHECK(warplu_get_statistics(together[k].solver, &t) == WARPLU_SUCCESS);
            retired += t.repivots;
            warplu_destroy(&together[k].solver);
        }
    }
    CHECK(retired > 0);
    test_matrix_free(&m);
}

/* Solvers that have nothing in common, METIS' lock apart. */
static void *analyze_and_solve(void *arg)
{
    int *failed = arg;
    uint64_t seed = 31337;
    test_recipe r = {.shape = TEST_GRID, .n = 900};
    test_matrix m;
    warplu_solver *s = NULL;
    test_matrix_random(&m, &seed, &r);
    double *b = calloc((size_t)m.n, sizeof *b);
    b[0] = 1.0;
    *failed = check_create(&s) < 0 || warplu_analyze(s, m.n, m.ptr, m.idx, m.x) < 0 || warplu_factor(s, m.x) < 0 ||
              warplu_refactor(s, m.x) < 0 || warplu_solve(s, 1, b, m.n, b, m.n) != WARPLU_SUCCESS;
    warplu_destroy(&s);
    test_matrix_free(&m);
    free(b);
    return NULL;
}

static void solvers_apart_do_not_meet(void)
{
    pthread_t thread[THREADS];
    int failed[THREADS];
    for (int k = 0; k < THREADS; k++) CHECK(pthread_create(&thread[k], NULL, analyze_and_solve, &failed[k]) == 0);
    for (int k = 0; k < THREADS; k++) {
        pthread_join(thread[k], NULL);
        CHECK(!failed[k]);
    }
}

int main(void)
{
    RUN(programs_are_shared);
    RUN(the_first_thread_compiles_for_all);
    RUN(plans_are_retired_and_grow_at_once);
    RUN(solvers_apart_do_not_meet);
    return check_done();
}
