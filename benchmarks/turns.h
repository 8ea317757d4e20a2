/* What benchmarks share that let two libraries take turns in one process: how a library is loaded into a name space of
 * its own, and the median of turns. */
#ifndef WLU_BENCHMARKS_TURNS_H
#define WLU_BENCHMARKS_TURNS_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In a name space of its own. NULL, said on standard error, where it does not load. Needs _GNU_SOURCE. */
static inline void *open_library(const char *program, const char *path)
{
    void *library = dlmopen(LM_ID_NEWLM, path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) fprintf(stderr, "%s: %s\n", program, dlerror());
    return library;
}

/* Finds a function: function is where its pointer goes. 0, said on standard error, where the library has none. */
static inline int find_function(const char *program, void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    if (found == NULL) fprintf(stderr, "%s: %s\n", program, dlerror());
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static inline int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of count numbers, which are sorted. */
static inline double median(double *of, int count)
{
    qsort(of, (size_t)count, sizeof *of, compare_numbers);
    return of[count / 2];
}

#endif
