/* METIS is opened late: not when the library is loaded, nor for a matrix that AMD orders well enough; for a mesh whose
 * factors are worth it once; and where there is none, it is analyzed all the same. dlopen is this program's. */
#include "../klu_abi.h"
#include "check.h"

#include <dlfcn.h>
#include <string.h>

enum { EDGE = 32, N = EDGE * EDGE * EDGE, MOST_NZ = 7 * N };

static int asked; /* for METIS, so often */

void *dlopen(const char *name, int flags)
{
    (void)flags;
    asked += name != NULL && strstr(name, "metis") != NULL;
    return NULL;
}

/* Whether a file of this name is mapped. */
static int is_loaded(const char *name)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];
    int found = 0;
    if (maps == NULL) return 0;
    while (fgets(line, sizeof line, maps) != NULL) found |= strstr(line, name) != NULL;
    fclose(maps);
    return found;
}

typedef struct mesh {
    int n, Ap[N + 1], Ai[MOST_NZ];
} mesh;

/* Seven points in a cube of this edge. */
static void make(mesh *a, int edge)
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

static int is_analyzed(mesh *a)
{
    wk_common c;
    klu_defaults(&c);
    wk_symbolic *s = klu_analyze(a->n, a->Ap, a->Ai, &c);
    const int analyzed = s != NULL && c.status == WK_OK;
    klu_free_symbolic(&s, &c);
    return analyzed;
}

static mesh subject;

static void loading_leaves_metis_closed(void)
{
    CHECK(!is_loaded("libmetis"));
#ifdef WK_STATIC
    CHECK(!is_loaded("libamd") && !is_loaded("libbtf"));
#endif
}

static void small_meshes_leave_metis_closed(void)
{
    make(&subject, 4);
    CHECK(is_analyzed(&subject));
    CHECK_SAY(asked == 0, "asked %d times", asked);
}

static void meshes_that_metis_would_order_are_analyzed_without(void)
{
    make(&subject, EDGE);
    CHECK(is_analyzed(&subject));
    CHECK(asked > 0);
}

int main(void)
{
    RUN(loading_leaves_metis_closed);
    RUN(small_meshes_leave_metis_closed);
    RUN(meshes_that_metis_would_order_are_analyzed_without);
    return check_done();
}
