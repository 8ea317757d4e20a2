/* Huge pages for large blocks.
 *
 * A fresh page of 4 KiB costs a page fault when it is first touched, about a microsecond on a virtual machine; one of
 * 2 MiB costs little more for each 4 KiB than clearing it. Linux gives these to memory that asks for them, and to all
 * where it is told to (/sys/kernel/mm/transparent_hugepage). The advice is for whole ones within a block: no memory
 * beside the block is touched, but 2 MiB at a time. Where there is no such advice, nothing is done. Cost: a system
 * call. */
#ifndef WLU_BASE_HUGE_PAGES_H
#define WLU_BASE_HUGE_PAGES_H

#include <stddef.h>

/* Smaller blocks have few whole ones, or none. */
enum { WLU_HUGE_MIN = 1 << 22 };

void wlu_advise_huge_pages(void *block, size_t bytes);

/* Fresh memory of zeros for multiples of WLU_HUGE_PAGE bytes, which begins with a huge page; NULL where there is
 * none. */
enum { WLU_HUGE_PAGE = 1 << 21 };
void *wlu_map_huge_pages(size_t bytes);
/* Whole pages within the block go back to the system; what they held is lost, they are there again when touched. */
void wlu_drop_pages(void *block, size_t bytes);
void wlu_unmap(void *block, size_t bytes);
/* Whether blocks of the library's own are worth it: there is the advice, and no sanitizer that watches malloc's. */
int wlu_has_huge_pages(void);

#endif
