/* See stats.h. At its end a process that made calls adds a line to the file that WARPLU_KLU_STATS names, or to stderr
 * where it is 1: words of the form name=value, times in seconds of wall time.
 *
 *     warplu-klu pid=17 wall=1.2 cpu=1.1 total=0.9 analyze=2:0.01 factor=1:0.02 refactor=50:0.5 ...
 *
 * and for each object whose calls it has left to another KLU
 *
 *     warplu-klu-left NAME
 *
 * wall: since the library was loaded; cpu: user seconds of the process; total: within KLU's calls, of all threads. */
#include "stats.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

int wk_stats_wanted;
const char *(*wk_stats_left)(int number);

static const char *const names[WK_CALLS] = {"analyze", "factor",  "refactor", "solve",   "tsolve",
                                            "rcond",   "rgrowth", "condest",  "extract", "free"};
static atomic_int_fast64_t calls[WK_CALLS], times[WK_CALLS];
static int64_t loaded;
static char path[4096];

int64_t wk_stats_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void wk_stats_add(wk_call call, int64_t ns)
{
    atomic_fetch_add_explicit(&calls[call], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&times[call], ns, memory_order_relaxed);
}

__attribute__((constructor)) static void begin(void)
{
    const char *where = getenv("WARPLU_KLU_STATS");
    if (where == NULL || *where == '\0' || strcmp(where, "0") == 0) return;
    snprintf(path, sizeof path, "%s", where);
    loaded = wk_stats_now();
    wk_stats_wanted = 1;
}

static void write_line(FILE *to)
{
    struct rusage usage;
    int64_t total = 0;
    char line[2048];
    int at = 0;
    for (int k = 0; k < WK_CALLS; k++) total += atomic_load(&times[k]);
    getrusage(RUSAGE_SELF, &usage);
    at += snprintf(line, sizeof line, "warplu-klu pid=%ld wall=%.6f cpu=%.6f total=%.6f", (long)getpid(),
                   1e-9 * (double)(wk_stats_now() - loaded),
                   (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec, 1e-9 * (double)total);
    for (int k = 0; k < WK_CALLS; k++)
        if (atomic_load(&calls[k]) > 0)
            at += snprintf(line + at, sizeof line - (size_t)at, " %s=%" PRId64 ":%.6f", names[k],
                           (int64_t)atomic_load(&calls[k]), 1e-9 * (double)atomic_load(&times[k]));
    fprintf(to, "%s\n", line);
}

__attribute__((destructor)) static void end(void)
{
    int64_t count = 0;
    for (int k = 0; k < WK_CALLS; k++) count += atomic_load(&calls[k]);
    if (!wk_stats_wanted || (count == 0 && wk_stats_left == NULL)) return;
    FILE *to = strcmp(path, "1") == 0 ? stderr : fopen(path, "a");
    if (to == NULL) {
        fprintf(stderr, "warplu-klu: WARPLU_KLU_STATS: cannot write %s\n", path);
        return;
    }
    if (count > 0) write_line(to);
    for (int k = 0; wk_stats_left != NULL && wk_stats_left(k) != NULL; k++)
        fprintf(to, "warplu-klu-left %s\n", wk_stats_left(k));
    if (to != stderr) fclose(to);
}
