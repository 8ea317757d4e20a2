/* The progress line of warplu bench. The time left follows from the matrices that are done: a guess, until half are. */
#include "bench_progress.h"

#include "base/clock.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const int64_t PAUSE_NS = 100000000;

void bench_progress_begin(bench_progress *p, int total)
{
    *p = (bench_progress){.shown = isatty(STDERR_FILENO), .total = total, .start_ns = wlu_now_ns()};
}

void bench_progress_clear(const bench_progress *p)
{
    if (p->shown) fputs("\r\033[K", stderr);
}

void bench_progress_show(bench_progress *p, const char *path, const char *entry, const char *doing)
{
    int64_t now = wlu_now_ns();
    const char *slash = strrchr(path, '/');
    if (!p->shown || now - p->last_ns < PAUSE_NS) return;
    p->last_ns = now;
    bench_progress_clear(p);
    fprintf(stderr, "%d/%d %.40s: %s %s, %d %%", p->done + 1, p->total, slash != NULL ? slash + 1 : path, entry, doing,
            100 * p->done / p->total);
    if (p->done > 0)
        fprintf(stderr, ", about %.0f s left", (double)(now - p->start_ns) / 1e9 * (p->total - p->done) / p->done);
    fflush(stderr);
}

void bench_progress_step(bench_progress *p)
{
    bench_progress_clear(p);
    p->done++;
    p->last_ns = 0;
}
