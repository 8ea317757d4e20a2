/* Advice to the kernel. See huge_pages.h. */
#define _DEFAULT_SOURCE /* madvise */
#include "base/huge_pages.h"

#include <stdint.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 1 << 21 };

void wlu_advise_huge_pages(void *block, size_t bytes)
{
#if defined(MADV_HUGEPAGE)
    uintptr_t at = (uintptr_t)block, first = (at + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    uintptr_t end = (at + bytes) / HUGE_PAGE * HUGE_PAGE;
    if (first < end) (void)madvise((void *)first, end - first, MADV_HUGEPAGE); /* refused: pages are small */
#else
    (void)block;
    (void)bytes;
#endif
}
