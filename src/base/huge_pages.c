/* Advice to the kernel, where it takes any; other systems have huge_pages_absent.c. See huge_pages.h. */
#define _DEFAULT_SOURCE /* madvise */
#include "base/huge_pages.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* Refused: pages are small, or stay. */
static void advise_whole(void *block, size_t bytes, uintptr_t page, int advice)
{
    uintptr_t at = (uintptr_t)block, first = (at + page - 1) / page * page, end = (at + bytes) / page * page;
    if (first < end) (void)madvise((void *)first, end - first, advice);
}

void wlu_advise_huge_pages(void *block, size_t bytes)
{
    advise_whole(block, bytes, WLU_HUGE_PAGE, MADV_HUGEPAGE);
}

void wlu_drop_pages(void *block, size_t bytes)
{
    advise_whole(block, bytes, (uintptr_t)sysconf(_SC_PAGESIZE), MADV_DONTNEED);
}

void *wlu_map_huge_pages(size_t bytes)
{
    char *all = mmap(NULL, bytes + WLU_HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) return NULL;
    size_t before = (WLU_HUGE_PAGE - (uintptr_t)all % WLU_HUGE_PAGE) % WLU_HUGE_PAGE;
    if (before > 0) (void)munmap(all, before);
    (void)munmap(all + before + bytes, WLU_HUGE_PAGE - before);
    wlu_advise_huge_pages(all + before, bytes);
    return all + before;
}

void wlu_unmap(void *block, size_t bytes)
{
    (void)munmap(block, bytes);
}

#if defined(__has_feature)
#define WLU_HAS_FEATURE(name) __has_feature(name)
#else
#define WLU_HAS_FEATURE(name) 0
#endif

int wlu_has_huge_pages(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || WLU_HAS_FEATURE(address_sanitizer) || \
    WLU_HAS_FEATURE(thread_sanitizer) || WLU_HAS_FEATURE(memory_sanitizer)
    return 0;
#else
    return 1;
#endif
}
