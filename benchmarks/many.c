/* Eight right-hand sides in one call against one at a time: warplu with its check off, and KLU, which takes up to four
 * at once.
 *
 *     build/benchmarks/many A.mtx B.mtx.gz ...
 *
 * Shortest times of calls that take turns for a second, in microseconds a right-hand side; nothing is judged. Exit
 * status 1 where a solution of the eight has not the bits of the one alone, or a matrix cannot be read or solved. */
#include "base/clock.h"
#include <warplu/matrix_market.h>
#include <warplu/warplu.h>

#include <suitesparse/klu.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 8 };
static const int64_t ROUNDS_NS = 1000000000;

typedef struct contest {
    warplu_mm_matrix a;
    warplu_mm_error error;
    warplu_solver *solver;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    double *b, *x, *alone; /* n by COUNT */
} contest;

/* COUNT right-hand sides, `each` in a call, into x. 0 on failure. */
static int by_warplu(contest *c, int each, double *x)
{
    int64_t n = c->a.nrow;
    for (int k = 0; k < COUNT; k += each)
        if (warplu_solve(c->solver, each, c->b + k * n, (int32_t)n, x + k * n, (int32_t)n) < 0) return 0;
    return 1;
}

/* KLU solves in place: what x holds is solved for. */
static int by_klu(contest *c, int each, double *x)
{
    int64_t n = c->a.nrow;
    for (int k = 0; k < COUNT; k += each)
        if (!klu_solve(c->symbolic, c->numeric, (int32_t)n, each, x + k * n, &c->common)) return 0;
    return 1;
}

static int time_call(contest *c, int (*solve)(contest *, int, double *), int each, double *x, double *best_us)
{
    memcpy(x, c->b, COUNT * (size_t)c->a.nrow * sizeof *x);
    int64_t start = wlu_now_ns();
    int done = solve(c, each, x);
    *best_us = fmin(*best_us, (double)(wlu_now_ns() - start) / (1e3 * COUNT));
    return done;
}

static int hold(contest *c, const char *name)
{
    double alone = INFINITY, many = INFINITY, klu_alone = INFINITY, klu_many = INFINITY;
    size_t bytes = COUNT * (size_t)c->a.nrow * sizeof *c->x;
    int64_t begun = wlu_now_ns();
    do {
        if (!time_call(c, by_warplu, 1, c->alone, &alone) || !time_call(c, by_warplu, COUNT, c->x, &many)) return 0;
        if (memcmp(c->x, c->alone, bytes) != 0) return 0;
        if (!time_call(c, by_klu, 1, c->x, &klu_alone) || !time_call(c, by_klu, COUNT, c->x, &klu_many)) return 0;
    } while (wlu_now_ns() - begun < ROUNDS_NS);
    printf("%-28s %8d %10.2f %10.2f %6.2f %10.2f %10.2f %6.2f\n", name, (int)c->a.nrow, alone, many, alone / many,
           klu_alone, klu_many, klu_many / many);
    return 1;
}

static int open_contest(contest *c, const char *path)
{
    warplu_options options;
    warplu_init_options(&options);
    options.check = WARPLU_CHECK_OFF;
    c->a.size = sizeof c->a;
    c->error.size = sizeof c->error;
    if (warplu_mm_read(path, NULL, &c->a, &c->error) < 0 || c->a.nrow != c->a.ncol || c->a.values == NULL) return 0;
    int32_t n = c->a.nrow;
    size_t numbers = COUNT * (size_t)n;
    c->b = malloc(numbers * sizeof *c->b);
    c->x = malloc(numbers * sizeof *c->x);
    c->alone = malloc(numbers * sizeof *c->alone);
    if (c->b == NULL || c->x == NULL || c->alone == NULL) return 0;
    for (size_t k = 0; k < numbers; k++) c->b[k] = 1.0 + (double)(k % 97) / 97.0;
    klu_defaults(&c->common);
    c->symbolic = klu_analyze(n, c->a.ptr, c->a.idx, &c->common);
    if (c->symbolic == NULL) return 0;
    c->numeric = klu_factor(c->a.ptr, c->a.idx, c->a.values, c->symbolic, &c->common);
    return c->numeric != NULL && warplu_create(&c->solver, &options) >= 0 &&
           warplu_analyze(c->solver, n, c->a.ptr, c->a.idx, c->a.values) >= 0 &&
           warplu_factor(c->solver, c->a.values) >= 0;
}

static void close_contest(contest *c)
{
    if (c->numeric != NULL) klu_free_numeric(&c->numeric, &c->common);
    if (c->symbolic != NULL) klu_free_symbolic(&c->symbolic, &c->common);
    warplu_mm_free(&c->a);
    warplu_destroy(&c->solver);
    free(c->b);
    free(c->x);
    free(c->alone);
}

int main(int argc, char **argv)
{
    int failed = 0;
    printf("%-28s %8s %10s %10s %6s %10s %10s %6s\n", "us a right-hand side", "n", "one", "of eight", "ratio",
           "klu one", "of eight", "ratio");
    for (int k = 1; k < argc; k++) {
        contest c = {0};
        const char *slash = strrchr(argv[k], '/');
        if (!open_contest(&c, argv[k]) || !hold(&c, slash != NULL ? slash + 1 : argv[k])) {
            fprintf(stderr, "many: %s\n", c.error.text[0] != '\0' ? c.error.text : argv[k]);
            failed = 1;
        }
        close_contest(&c);
    }
    return failed;
}
