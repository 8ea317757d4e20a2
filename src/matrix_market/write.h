/* Writes a matrix as warplu_mm_write does. See include/warplu/matrix_market.h. */
#ifndef WLU_MATRIX_MARKET_WRITE_H
#define WLU_MATRIX_MARKET_WRITE_H

#include <warplu/matrix_market.h>

#include "base/context.h"

warplu_status wlu_mm_write(wlu_context *ctx, const char *path, const warplu_mm_matrix *m, const char *comment);

#endif
