/* Saved analysis and pivots: the bytes of a file, and back.
 *
 * All numbers are in the byte order of the machine that wrote them; a mark tells. One header, sections in a fixed
 * order without gaps, a checksum:
 *
 *     offset  type
 *          0  8 bytes   89 'w' 'a' 'r' 'p' 'l' 'u' 0a
 *          8  uint32    byte order mark 01020304
 *         12  uint32    format version, 1; 2 of a file with a program
 *         16  int64     bytes of the whole file
 *         24  int32     n; 28 nnz, entries of the pattern; 32 nvalues, length of the caller's value array;
 *                       36 blocks; 40 candidates; 44 uint32 flags (below)
 *         48  int64     entries of L; 56 entries of U; both 0 without pivots
 *
 *     pattern     int32 p[n + 1], i[nnz], map_ptr[nnz + 1] if DUPLICATES, map[nvalues] unless IDENTITY
 *     blocks      int32 block[blocks + 1]
 *     candidates  each: int32 ordering, matched, height, joined; double terms, lu_nnz, predicted_ns;
 *                 double solve_ns if SOLVES; int32 row[n], col[n]
 *     pivots      if PIVOTS: int32 candidate, whose columns they take, scales; double growth, largest_l,
 *                 largest_u, smallest_pivot, row_spread, col_spread, row_scale_spread, col_scale_spread;
 *                 int32 row[n], largest[n], row_largest[n]; double row_unit[n];
 *                 int16 exponent[n], col_exponent[n] if COLUMN_SCALES
 *     program     if PROGRAM: its bytes, to the checksum (lu/saved.h)
 *     checksum    uint32    CRC-32 of everything before it
 *
 * The patterns of L, U and F are not stored: they follow from the pattern of A and the order of the pivots, and are
 * found again. The same objects give the same bytes.
 *
 * Reading trusts nothing, the checksum neither: what does not make an analysis and pivots that the library could have
 * made itself is refused before it is used. Memory: the file and what it holds; L and U as far as they are announced.
 * Cost: O(file), and with pivots at most as many steps as the factorization has terms. */
#ifndef WLU_PIVOT_SAVED_H
#define WLU_PIVOT_SAVED_H

#include "pivot/pivots.h"

enum { WLU_SAVED_VERSION = 1, WLU_SAVED_PROGRAM_VERSION = 2, WLU_SAVED_HEADER_BYTES = 64 };

enum {
    WLU_SAVED_DUPLICATES = 1,
    WLU_SAVED_IDENTITY = 2,
    WLU_SAVED_ROWS_FINAL = 4,
    WLU_SAVED_PROVISIONAL = 8,
    WLU_SAVED_PIVOTS = 16,
    WLU_SAVED_COLUMN_SCALES = 32,
    WLU_SAVED_SOLVES = 64,   /* candidates were judged by solves too: only those may be joined */
    WLU_SAVED_FIRST = 128,   /* no orders have raced: a race is open to replays */
    WLU_SAVED_PROGRAM = 256, /* there are pivots too */
    WLU_SAVED_COMPLEX = 512, /* of values */
    WLU_SAVED_FLAGS = 1023
};

/* The section of a program; NULL, 0: there is none. */
typedef struct wlu_saved_program {
    const uint8_t *bytes;
    int64_t count;
} wlu_saved_program;

static const wlu_saved_program wlu_saved_no_program = {NULL, 0};

/* Bytes of the file for these; pivots may be NULL, and then there is no program. */
int64_t wlu_saved_bytes(const wlu_analysis *analysis, const wlu_pivots *pivots, wlu_saved_program program);
/* Writes them to out, which has room for that many. */
void wlu_saved_encode(const wlu_analysis *analysis, const wlu_pivots *pivots, wlu_saved_program program, uint8_t *out);
/* The checksum of a file's bytes, which stands in its last four. */
uint32_t wlu_saved_checksum(const uint8_t *bytes, int64_t size);

/* Whether a file of size bytes may be one of these, judged by its first bytes (all WLU_SAVED_HEADER_BYTES if it has
 * them), before memory is taken for the rest. name: for messages. WARPLU_BAD_FORMAT, WARPLU_VERSION_MISMATCH. */
warplu_status wlu_saved_check_header(wlu_context *ctx, const char *name, const uint8_t *bytes, int64_t size);
/* The analysis of a whole file, and the pivots or NULL; the caller owns both. On failure both are NULL. program: where
 * it stands in these bytes, unread.
 * WARPLU_BAD_FORMAT, WARPLU_VERSION_MISMATCH, WARPLU_OUT_OF_MEMORY, WARPLU_CANCELLED. */
warplu_status wlu_saved_decode(wlu_context *ctx, const char *name, const uint8_t *bytes, int64_t size,
                               wlu_analysis **analysis, wlu_pivots **pivots, wlu_saved_program *program);

#endif
