/* A compiled factorization in a file: the section of a program (pivot/saved.h).
 *
 * Only what the compiler searched for is kept: the TILE region and its tiles, the parts of threads. All else, records,
 * levels, operands, panels, loads, guards and solves, follows from that, the pattern, the pivots and the options, by
 * the same walks that a compilation takes. So whatever the bytes say, what comes of them is a program of these pivots,
 * or none. The order of records is not kept: to read it and to make sure of it took more instructions than to list and
 * sort the chains (memplus, 41 against 38 million), and four bytes a record.
 *
 *     header      wlu_saved_lu
 *     region      int32 position[tiled], first[tiles + 1]
 *     parts       if parts > 1: uint8 part[n], owner[tiles]
 *
 * A program is for one target (its cost constants), one number of threads and one version of these rules; any other
 * solver compiles its own. Cost of reading: O(n + |L| + |U|), then that of compiling less the search for the region. */
#ifndef WLU_LU_SAVED_H
#define WLU_LU_SAVED_H

#include "lu/lu.h"
#include "pivot/saved.h"

/* Rules by which a program follows from its section; to be raised when they change. */
enum { WLU_SAVED_LU_VERSION = 1 };

typedef struct wlu_saved_lu {
    uint32_t version;
    int32_t threads; /* that were asked for */
    uint64_t target; /* wlu_cost_fingerprint */
    double predicted_ns;
    int32_t parts, tiled, tiles;
    int32_t transposed; /* 1: with its transposed solve */
} wlu_saved_lu;

_Static_assert(sizeof(wlu_saved_lu) == 40, "the header has no gaps");

/* Of the section, from counts that are not negative. */
static inline int64_t wlu_saved_lu_bytes(const wlu_saved_lu *h, int32_t n)
{
    return (int64_t)sizeof *h + 4 * ((int64_t)h->tiled + h->tiles + 1) + (h->parts > 1 ? (int64_t)n + h->tiles : 0);
}

typedef struct wlu_lu_saved {
    const char *name; /* of the file, for messages */
    wlu_saved_lu h;
    const uint8_t *position, *first, *part, *owner;
} wlu_lu_saved;

/* Looks at a section, whose bytes stay the caller's. *fits: it is of this version, for these threads and this target.
 * WARPLU_BAD_FORMAT. */
warplu_status wlu_lu_saved_open(wlu_context *ctx, const char *name, wlu_saved_program bytes, int32_t n, int32_t threads,
                                const wlu_cost *cost, wlu_lu_saved *out, int *fits);
/* The program of a section that fits, its transposed solve too if that is there; NULL where it takes more than
 * max_program_bytes. As wlu_lu_compile, and WARPLU_BAD_FORMAT. */
warplu_status wlu_lu_restore(wlu_context *ctx, const warplu_options *options, const wlu_cost *cost,
                             const wlu_pattern *pattern, const wlu_pivots *pivots, const wlu_lu_saved *saved,
                             wlu_program **out);

/* The section of a program that was compiled for so many threads; the caller frees it. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_lu_save(wlu_context *ctx, const wlu_program *program, const wlu_pivots *pivots, int32_t threads,
                          uint8_t **bytes, int64_t *count);

#endif
