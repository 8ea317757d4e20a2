/* Large blocks are advised to be of huge pages, where the kernel has them: told from the flags of the mapping that a
 * block is in. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* madvise */
#endif
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/context.h"
#include "check.h"

enum { BYTES = 64 << 20, FLAGS_UNKNOWN = -1 };

/* Whether the mapping that holds p has the flag "hg". */
static int is_advised(const void *p)
{
    FILE *maps = fopen("/proc/self/smaps", "r");
    char line[4096];
    int inside = 0, found = FLAGS_UNKNOWN;
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        unsigned long long begin, end;
        if (sscanf(line, "%llx-%llx ", &begin, &end) == 2) inside = (uintptr_t)p >= begin && (uintptr_t)p < end;
        if (inside && strncmp(line, "VmFlags:", 8) == 0) found = strstr(line, " hg") != NULL;
    }
    if (maps != NULL) fclose(maps);
    return found;
}

static int kernel_has_huge_pages(void)
{
    FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");
    if (file != NULL) fclose(file);
    return file != NULL;
}

/* Whether advice shows here at all: emulators of a processor keep it to themselves. */
static int advice_shows(void)
{
    uint8_t *own = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (own == MAP_FAILED) return 0;
    int shows = madvise(own, BYTES, MADV_HUGEPAGE) == 0 && is_advised(own + BYTES / 2) == 1;
    munmap(own, BYTES);
    return shows;
}

static void large_blocks_are_advised(void)
{
    wlu_context ctx;
    wlu_context_init(&ctx, NULL);
    uint8_t *block[2] = {WLU_ALLOC(&ctx, BYTES, uint8_t), WLU_CALLOC(&ctx, BYTES, uint8_t)};
    for (int k = 0; k < 2; k++) {
        CHECK(block[k] != NULL);
        if (block[k] == NULL) continue;
        int advised = is_advised(block[k] + BYTES / 2);
        if (kernel_has_huge_pages() && advice_shows()) CHECK_SAY(advised, "block %d", k);
    }
    for (size_t at = 0; block[1] != NULL && at < BYTES; at += 4096) CHECK(block[1][at] == 0);
    for (int k = 0; k < 2; k++) wlu_free(&ctx, block[k]);
}

int main(void)
{
    RUN(large_blocks_are_advised);
    return check_done();
}
