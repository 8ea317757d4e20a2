/* Matrix Market files for the command line: the library's reader and writer with a context's allocator, messages and
 * cancel function. A failure has been handed to the context's message function when a call here returns. */
#ifndef WLU_MATRIX_FILE_H
#define WLU_MATRIX_FILE_H

#include <warplu/matrix_market.h>

#include "base/context.h"

/* See warplu_mm_read; out's size need not be set. */
warplu_status matrix_file_read(wlu_context *ctx, const char *path, warplu_mm_matrix *out);
/* See warplu_mm_write. */
warplu_status matrix_file_write(wlu_context *ctx, const char *path, const warplu_mm_matrix *matrix,
                                const char *comment);
/* Writes n by columns numbers of this field, column-major, as an array. */
warplu_status matrix_file_write_array(wlu_context *ctx, const char *path, warplu_mm_field field, int32_t n,
                                      int32_t columns, double *values, const char *comment);

#endif
