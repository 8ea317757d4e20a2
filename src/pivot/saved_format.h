/* The header of a saved file as it stands on disk, for its writer and its reader. See saved.h. */
#ifndef WLU_PIVOT_SAVED_FORMAT_H
#define WLU_PIVOT_SAVED_FORMAT_H

#include "pivot/saved.h"

#define WLU_SAVED_MAGIC "\x89warplu\n" /* eight bytes: binary, and no text mode leaves the last one alone */
#define WLU_SAVED_ORDER_MARK UINT32_C(0x01020304)

typedef struct wlu_saved_header {
    uint8_t magic[8];
    uint32_t order_mark, version;
    int64_t bytes;
    int32_t n, nnz, nvalues, nblocks, ncandidates;
    uint32_t flags;
    int64_t l_nnz, u_nnz;
} wlu_saved_header;

_Static_assert(sizeof(wlu_saved_header) == WLU_SAVED_HEADER_BYTES, "the header has no gaps");

/* Bytes of the whole file, but for a program, from the counts, which are not negative. */
static inline int64_t wlu_saved_header_total(const wlu_saved_header *h)
{
    int64_t n = h->n, total = WLU_SAVED_HEADER_BYTES + 4 * (n + 1 + (int64_t)h->nnz);
    if (h->flags & WLU_SAVED_DUPLICATES) total += 4 * ((int64_t)h->nnz + 1);
    if (!(h->flags & WLU_SAVED_IDENTITY)) total += 4 * (int64_t)h->nvalues;
    total +=
        4 * ((int64_t)h->nblocks + 1) + h->ncandidates * (4 * 4 + (h->flags & WLU_SAVED_SOLVES ? 4 : 3) * 8 + 8 * n);
    if (h->flags & WLU_SAVED_PIVOTS) total += 2 * 4 + 8 * 8 + 3 * 4 * n + 8 * n + 2 * n;
    if (h->flags & WLU_SAVED_COLUMN_SCALES) total += 2 * n;
    return total + 4;
}

#endif
