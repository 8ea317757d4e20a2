/* A mesh whose factors are worth an order by METIS, and whether METIS is open. */
#ifndef WK_TESTS_MESH_H
#define WK_TESTS_MESH_H

#include "../klu_abi.h"
#include "check.h"

#include <string.h>

enum { EDGE = 32, N = EDGE * EDGE * EDGE, MOST_NZ = 7 * N };

typedef struct mesh {
    int n, Ap[N + 1], Ai[MOST_NZ];
} mesh;

/* Seven points in a cube of this edge. */
static inline void make(mesh *a, int edge)
{
    const int step[] = {-edge * edge, -edge, -1, 0, 1, edge, edge * edge};
    const int by[] = {edge * edge, edge, 1};
    int at = 0;
    a->n = edge * edge * edge;
    for (int j = 0; j < a->n; j++) {
        a->Ap[j] = at;
        for (int k = 0; k < 7; k++) {
            const int axis = k < 3 ? k : 6 - k, place = k == 3 ? 0 : j / by[axis] % edge;
            if ((k < 3 && place == 0) || (k > 3 && place == edge - 1)) continue;
            a->Ai[at++] = j + step[k];
        }
    }
    a->Ap[a->n] = at;
}

static inline int is_analyzed(mesh *a)
{
    wk_common c;
    klu_defaults(&c);
    wk_symbolic *s = klu_analyze(a->n, a->Ap, a->Ai, &c);
    const int analyzed = s != NULL && c.status == WK_OK;
    klu_free_symbolic(&s, &c);
    return analyzed;
}

/* Whether a file of this name is mapped. */
static inline int is_loaded(const char *name)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];
    int found = 0;
    if (maps == NULL) return 0;
    while (fgets(line, sizeof line, maps) != NULL) found |= strstr(line, name) != NULL;
    fclose(maps);
    return found;
}

#endif
