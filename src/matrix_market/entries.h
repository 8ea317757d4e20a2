/* What the scanner of a Matrix Market file hands to the assembler: the entries as the file holds them, before
 * symmetric storage is expanded. Grown with the data, never to what a size line merely declares. */
#ifndef WLU_MATRIX_MARKET_ENTRIES_H
#define WLU_MATRIX_MARKET_ENTRIES_H

#include <warplu/matrix_market.h>

#include "base/context.h"

typedef struct wlu_mm_entries {
    warplu_mm_typecode typecode;
    int is_unsigned; /* an integer field whose numbers are not negative */
    int32_t nrow, ncol;
    int64_t declared; /* entries the size line says */
    int64_t held;     /* entries read */
    int64_t expanded; /* entries once symmetric storage is expanded */
    int64_t capacity;
    int32_t *row, *col; /* zero-based; NULL for array files, whose entries stand in the format's order */
    double *values;     /* parts each; NULL for pattern files */
    int parts;          /* numbers per entry: 0 pattern, 1, 2 complex */
} wlu_mm_entries;

/* Makes the matrix. Takes entries->values where it can. On failure the caller releases out's arrays.
 * WARPLU_OUT_OF_MEMORY; WARPLU_NOT_FINITE, with the entry's place in *bad_row and *bad_col, where a sum of
 * duplicates overflows. Neither has reported a message yet. */
warplu_status wlu_mm_assemble(wlu_context *ctx, wlu_mm_entries *entries, warplu_mm_matrix *out, int32_t *bad_row,
                              int32_t *bad_col);

#endif
