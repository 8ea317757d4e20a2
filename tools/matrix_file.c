/* Matrix Market files in a context. See matrix_file.h. */
#include "matrix_file.h"

static warplu_mm_options options_of(const wlu_context *ctx)
{
    return (warplu_mm_options){.size = sizeof(warplu_mm_options),
                               .allocate = ctx->allocate,
                               .release = ctx->release,
                               .allocator_user = ctx->allocator_user,
                               .cancel = ctx->cancel,
                               .cancel_user = ctx->cancel_user};
}

warplu_status matrix_file_read(wlu_context *ctx, const char *path, warplu_mm_matrix *out)
{
    warplu_mm_options options = options_of(ctx);
    warplu_mm_error error = {.size = sizeof error};
    out->size = sizeof *out;
    warplu_status status = warplu_mm_read(path, &options, out, &error);
    return status < 0 ? wlu_fail(ctx, status, "%s", error.text) : status;
}

warplu_status matrix_file_write(wlu_context *ctx, const char *path, const warplu_mm_matrix *matrix, const char *comment)
{
    warplu_mm_options options = options_of(ctx);
    warplu_mm_error error = {.size = sizeof error};
    warplu_status status = warplu_mm_write(path, matrix, comment, &options, &error);
    return status < 0 ? wlu_fail(ctx, status, "%s", error.text) : status;
}

warplu_status matrix_file_write_array(wlu_context *ctx, const char *path, warplu_mm_field field, int32_t n,
                                      int32_t columns, double *values, const char *comment)
{
    warplu_mm_matrix array = {.size = sizeof array,
                              .typecode = {.format = WARPLU_MM_FORMAT_ARRAY, .field = field},
                              .nrow = n,
                              .ncol = columns,
                              .values = values};
    return matrix_file_write(ctx, path, &array, comment);
}
