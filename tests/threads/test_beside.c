/* Everything beside everything: solvers that share nothing but their source run two of the public calls (beside.c) at
 * the same time, each pair, a call beside itself too, from a barrier on. No call fails, each answers what it answers
 * alone, and the thread sanitizer, where the build has it, sees no race: neither where the source's program is there
 * nor where whoever comes first compiles it. A' is new to the program in either case.
 *
 * Races between two locks show in one order of the two alone: one thread or the other is late by a random time.
 * --rounds N runs every pair N times. */
#include "check.h"

#include "beside.h"

#include "support/options.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 64, LATE = 20000 };

typedef struct runner {
    beside_actor actor;
    const beside_operation *operation;
    int late;
} runner;

static int rounds = 1;
static atomic_int ready;

static void *run(void *arg)
{
    runner *r = arg;
    atomic_fetch_add(&ready, 1);
    while (atomic_load(&ready) < 2) sched_yield();
    for (volatile int k = 0; k < r->late; k++) {
    }
    r->operation->run(&r->actor);
    return NULL;
}

static void open_source(beside_source *s, const test_matrix *m, int eager)
{
    memset(s, 0, sizeof *s);
    s->m = m;
    check_init_options(&s->options);
    if (!eager) s->options.expected_refactors = 1.0;
    CHECK(warplu_create(&s->solver, &s->options) == WARPLU_SUCCESS && warplu_cache_create(&s->cache, NULL) == 0);
    CHECK(warplu_analyze(s->solver, m->n, m->ptr, m->idx, m->x) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s->solver, m->x) == WARPLU_SUCCESS);
}

static void close_source(beside_source *s)
{
    warplu_cache_destroy(&s->cache);
    warplu_destroy(&s->solver);
}

/* What an operation answers alone, from the same source. */
static void run_alone(const beside_operation *o, const test_matrix *m, int eager, double *x)
{
    static beside_actor alone;
    beside_source source;
    open_source(&source, m, eager);
    beside_begin(&alone, &source, o->need, "beside_0.wlu");
    o->run(&alone);
    CHECK_SAY(alone.status >= 0, "%s alone: %s", o->name, warplu_status_name(alone.status));
    memcpy(x, alone.x, sizeof alone.x);
    beside_end(&alone);
    close_source(&source);
}

static void run_pair(const beside_operation *const o[2], const test_matrix *m, int eager, double *const alone[2],
                     uint64_t *seed)
{
    static runner pair[2];
    static const char *const path[2] = {"beside_1.wlu", "beside_2.wlu"};
    beside_source source;
    pthread_t thread[2];
    open_source(&source, m, eager);
    atomic_store(&ready, 0);
    for (int k = 0; k < 2; k++) {
        pair[k].operation = o[k];
        beside_begin(&pair[k].actor, &source, o[k]->need, path[k]);
    }
    int late = check_below(seed, 3);
    for (int k = 0; k < 2; k++) pair[k].late = late == k ? check_below(seed, LATE) : 0;
    for (int k = 0; k < 2; k++) CHECK(pthread_create(&thread[k], NULL, run, &pair[k]) == 0);
    for (int k = 0; k < 2; k++) pthread_join(thread[k], NULL);
    for (int k = 0; k < 2; k++) {
        const beside_actor *a = &pair[k].actor;
        CHECK_SAY(a->status >= 0, "%s beside %s: %s", o[k]->name, o[1 - k]->name, warplu_status_name(a->status));
        CHECK_SAY(memcmp(a->x, alone[k], sizeof a->x) == 0, "%s beside %s: not as alone", o[k]->name, o[1 - k]->name);
        beside_end(&pair[k].actor);
    }
    close_source(&source);
}

static int count_operations(void)
{
    int count = 0;
    while (beside_operations[count].name != NULL) count++;
    return count;
}

/* A row of the table: the operation, and x where it was beside operation k. */
static void print_row(int at, int count)
{
    printf("# %2d ", at);
    for (int k = 0; k < count; k++) printf("%s", k <= at ? "x" : ".");
    printf(" %s\n", beside_operations[at].name);
}

static void run_pairs(test_shape shape, int eager)
{
    static double alone[MOST][BESIDE_NUMBERS];
    uint64_t seed = 577215 + (uint64_t)shape;
    test_recipe r = {.shape = shape, .n = BESIDE_N};
    test_matrix m;
    int count = count_operations(), before = check_failures;
    test_matrix_random(&m, &seed, &r);
    for (int k = 0; k < count; k++) run_alone(&beside_operations[k], &m, eager, alone[k]);
    for (int k = 0; k < count && check_failures < before + 20; k++) {
        for (int q = 0; q < (k + 1) * rounds; q++) {
            const beside_operation *o[2] = {&beside_operations[k], &beside_operations[q / rounds]};
            run_pair(o, &m, eager, (double *[2]){alone[k], alone[q / rounds]}, &seed);
        }
        print_row(k, count);
    }
    test_matrix_free(&m);
}

static void calls_beside_each_other_share_a_program(void)
{
    run_pairs(TEST_GRID, 1);
}

static void calls_beside_each_other_compile_it(void)
{
    run_pairs(TEST_BLOCKS, 0);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--rounds") == 0) rounds = atoi(argv[2]);
    RUN(calls_beside_each_other_share_a_program);
    RUN(calls_beside_each_other_compile_it);
    return check_done();
}
