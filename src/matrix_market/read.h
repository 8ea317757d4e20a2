/* Matrix Market files in the caller's context. What they mean stands in include/warplu/matrix_market.h. */
#ifndef WLU_MATRIX_MARKET_READ_H
#define WLU_MATRIX_MARKET_READ_H

#include <warplu/matrix_market.h>

#include "base/context.h"

typedef enum wlu_mm_extent { WLU_MM_SIZES_ALONE, WLU_MM_WHOLE_FILE } wlu_mm_extent;

/* Reads a file as warplu_mm_read or warplu_mm_read_sizes does, but for the members release and allocator_user. *line:
 * the line at fault, 0 if there is none. */
warplu_status wlu_mm_read(wlu_context *ctx, const char *path, wlu_mm_extent extent, warplu_mm_matrix *out,
                          int64_t *line);

#endif
