/* Hashes of elementary functions' results over the points of a seed, and the file of them. */
#ifndef WLU_TEST_ELEMENTARY_HASHED_H
#define WLU_TEST_ELEMENTARY_HASHED_H

#include "points.h"

#include <inttypes.h>
#include <stdio.h>

enum { HASHED_POINTS = 4096 };

/* Any NaN is the same. */
static inline uint64_t hashed_number(uint64_t hash, double y)
{
    uint64_t bits = y == y ? bits_of_point(y) : 1;
    for (int byte = 0; byte < 8; byte++) hash = (hash ^ (bits >> 8 * byte & 255)) * UINT64_C(1099511628211);
    return hash;
}

static inline uint64_t hashed_function(wlm_function f, const wlm_elementary *set)
{
    uint64_t seed = 1 + (uint64_t)f, hash = UINT64_C(14695981039346656037);
    for (int p = 0; p < HASHED_POINTS; p += POINTS_AT_A_TIME) {
        double a[POINTS_AT_A_TIME], b[POINTS_AT_A_TIME], y[POINTS_AT_A_TIME];
        points_draw(f, &seed, a, b);
        set->function[f](y, a, b, POINTS_AT_A_TIME);
        for (int k = 0; k < POINTS_AT_A_TIME; k++) hash = hashed_number(hash, y[k]);
    }
    return hash;
}

static inline int hashed_write(const char *path, const uint64_t *hashes)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) return 0;
    fprintf(file, "function,hash\n");
    for (int f = 0; f < WLM_ELEMENTARY_FUNCTIONS; f++)
        fprintf(file, "%s,%016" PRIx64 "\n", function_name((wlm_function)f), hashes[f]);
    return fclose(file) == 0;
}

/* 1 if the file has a line for each function, in order. */
static inline int hashed_read(const char *path, uint64_t *hashes)
{
    FILE *file = fopen(path, "r");
    if (file == NULL) return 0;
    char name[32];
    int right = fscanf(file, "%31[^\n]", name) == 1 && strcmp(name, "function,hash") == 0;
    for (int f = 0; f < WLM_ELEMENTARY_FUNCTIONS && right; f++)
        right = fscanf(file, " %31[^,],%" SCNx64, name, &hashes[f]) == 2 &&
                strcmp(name, function_name((wlm_function)f)) == 0;
    fclose(file);
    return right;
}

#endif
