/* METIS is opened late: not when the library is loaded, nor for a matrix that AMD orders well enough; for a mesh whose
 * factors are worth it once; and where there is none, it is analyzed all the same. dlopen is this program's. */
#include "mesh.h"

#include <dlfcn.h>

static int asked; /* for METIS, so often */

void *dlopen(const char *name, int flags)
{
    (void)flags;
    asked += name != NULL && strstr(name, "metis") != NULL;
    return NULL;
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
