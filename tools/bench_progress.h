/* Where a long run is, on a terminal: file, entry, what it does, percent, time left. Silent where standard error is
 * no terminal. */
#ifndef WLU_BENCH_PROGRESS_H
#define WLU_BENCH_PROGRESS_H

#include <stdint.h>

typedef struct bench_progress {
    int shown; /* standard error is a terminal */
    int done, total;
    int64_t start_ns, last_ns;
} bench_progress;

void bench_progress_begin(bench_progress *p, int total);
/* The line, anew; at most ten times a second. */
void bench_progress_show(bench_progress *p, const char *path, const char *entry, const char *doing);
/* Takes the line away, for something else to be said. */
void bench_progress_clear(const bench_progress *p);
/* One of the total is done; its report is to be printed where the line stood. */
void bench_progress_step(bench_progress *p);

#endif
