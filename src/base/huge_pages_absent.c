/* Systems without advice about pages: nothing is advised, and the library takes no regions of its own. See
 * huge_pages.h. */
#include "base/huge_pages.h"

void wlu_advise_huge_pages(void *block, size_t bytes)
{
    (void)block;
    (void)bytes;
}

void wlu_drop_pages(void *block, size_t bytes)
{
    (void)block;
    (void)bytes;
}

void *wlu_map_huge_pages(size_t bytes)
{
    (void)bytes;
    return NULL;
}

void wlu_unmap(void *block, size_t bytes)
{
    (void)block;
    (void)bytes;
}

int wlu_has_huge_pages(void)
{
    return 0;
}
