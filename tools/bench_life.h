/* Lives of the entries of warplu bench, as bench_life.c times them and bench_life_report.c tells of them.
 *
 * A life is a solver's from its analysis to the last of so many solves. Its calls are the analysis, the first
 * factorization and a solve, then a refactorization and a solve in turn: 2 * solves + 1. */
#ifndef WLU_BENCH_LIFE_H
#define WLU_BENCH_LIFE_H

#include "bench.h"

/* What the lives of an entry on a matrix took. */
struct bench_life {
    const bench_numbers *horizons;      /* the plan's */
    bench_samples total[BENCH_NUMBERS]; /* up to each horizon */
    /* Of each call, over the repeats of the life to that horizon: to each of an entry that is told, else to the last
     * alone. */
    int64_t *shortest[BENCH_NUMBERS];
    int32_t judged, inaccurate; /* answers */
    warplu_statistics at_end;   /* of an executor's solver, after the longest life */
};

/* The longest call behind the first factorization, each taken by its shortest repeat. */
typedef struct bench_longest {
    double ms, share; /* share: over all calls before it; NaN where there is none */
    int32_t solve;    /* from 1: the solve that it is, or that it factors for */
    int is_solve;
} bench_longest;

/* Of all matrices so far, over the first executor, by entry and horizon. */
typedef struct bench_life_means {
    double log_sum[BENCH_ENTRIES][BENCH_NUMBERS], least[BENCH_ENTRIES][BENCH_NUMBERS];
    int below[BENCH_ENTRIES][BENCH_NUMBERS];
    int compared[BENCH_ENTRIES], inaccurate[BENCH_ENTRIES], matrices;
} bench_life_means;

static inline int64_t bench_life_calls(int32_t solves)
{
    return 2 * (int64_t)solves + 1;
}

static inline int32_t bench_longest_horizon(const bench_numbers *horizons)
{
    return horizons->of[horizons->length - 1];
}

bench_longest bench_life_longest(const bench_life *life);
/* Up to a horizon, each call by its shortest repeat: on a busy machine a whole life is never undisturbed. */
double bench_life_shortest_ms(const bench_life *life, int horizon);

/* bench_life_report.c: one matrix as a JSON line, or rows of the table; the table's means. */
void bench_life_report(const bench_plan *plan, const bench_case *c, bench_life_means *means);
void bench_life_report_end(const bench_plan *plan, const bench_life_means *means);

#endif
