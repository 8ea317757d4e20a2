/* The public calls: arguments are checked, options become a context, its last message becomes the error record.
 *
 * Sized structs are copied as far as both sides know them, so that a caller of an older or newer header is served. Text
 * is converted to numbers and back in the library's floating-point environment; the caller's is restored. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/sized.h"
#include "matrix_market/read.h"
#include "matrix_market/write.h"

/* A matrix without its size: what a caller of the first version of the header has. */
enum { MATRIX_BYTES_LEAST = offsetof(warplu_mm_matrix, allocator_user) + sizeof(void *) };

void warplu_mm_init_options(warplu_mm_options *options)
{
    if (options != NULL) *options = (warplu_mm_options){.size = sizeof *options};
}

/* A context for the options; 0 where they are wrong. */
static int open_context(wlu_context *ctx, const warplu_mm_options *options)
{
    warplu_mm_options o;
    warplu_mm_init_options(&o);
    wlu_context_init(ctx, NULL);
    if (options != NULL && !wlu_sized_take(&o, sizeof o, options)) return 0;
    if ((o.allocate == NULL) != (o.release == NULL)) return 0;
    if (o.allocate != NULL) {
        ctx->allocate = o.allocate;
        ctx->allocate_zeros = NULL;
        ctx->release = o.release;
        ctx->allocator_user = o.allocator_user;
    }
    ctx->cancel = o.cancel;
    ctx->cancel_user = o.cancel_user;
    return 1;
}

/* Fills the caller's record, where there is one, and returns the status. */
static warplu_status report(warplu_mm_error *error, warplu_status status, int64_t line, const char *text)
{
    if (!wlu_sized_is_set(error)) return status;
    warplu_mm_error all = {.status = status, .line = line};
    snprintf(all.text, sizeof all.text, "%.*s", (int)sizeof all.text - 1, text);
    wlu_sized_give(error, &all, sizeof all);
    return status;
}

static warplu_status read_file(const char *path, const warplu_mm_options *options, wlu_mm_extent extent,
                               warplu_mm_matrix *matrix, warplu_mm_error *error)
{
    wlu_context ctx;
    wlu_environment environment;
    int64_t line = 0;
    if (path == NULL || matrix == NULL || matrix->size < MATRIX_BYTES_LEAST)
        return report(error, WARPLU_INVALID_ARGUMENT, 0, "reading a matrix: no path, or no matrix with its size");
    if (!open_context(&ctx, options))
        return report(error, WARPLU_INVALID_ARGUMENT, 0, "reading a matrix: options without a size or allocator");
    warplu_mm_matrix all;
    wlu_environment_enter(&environment);
    warplu_status status = wlu_mm_read(&ctx, path, extent, &all, &line);
    wlu_environment_leave(&environment);
    if (options != NULL && all.ptr != NULL) {
        all.release = options->release;
        all.allocator_user = options->allocator_user;
    }
    wlu_sized_give(matrix, &all, sizeof all);
    return report(error, status, line, ctx.last_message);
}

warplu_status warplu_mm_read(const char *path, const warplu_mm_options *options, warplu_mm_matrix *matrix,
                             warplu_mm_error *error)
{
    return read_file(path, options, WLU_MM_WHOLE_FILE, matrix, error);
}

warplu_status warplu_mm_read_sizes(const char *path, const warplu_mm_options *options, warplu_mm_matrix *matrix,
                                   warplu_mm_error *error)
{
    return read_file(path, options, WLU_MM_SIZES_ALONE, matrix, error);
}

static void release_by_free(void *pointer, void *user)
{
    (void)user;
    free(pointer);
}

void warplu_mm_free(warplu_mm_matrix *matrix)
{
    if (matrix == NULL || matrix->size < MATRIX_BYTES_LEAST) return;
    void (*release)(void *, void *) = matrix->release != NULL ? matrix->release : release_by_free;
    void *const arrays[] = {matrix->ptr, matrix->idx, matrix->values};
    for (int k = 0; k < 3; k++)
        if (arrays[k] != NULL) release(arrays[k], matrix->allocator_user);
    size_t size = matrix->size;
    memset(matrix, 0, size < sizeof *matrix ? size : sizeof *matrix);
    matrix->size = size;
}

warplu_status warplu_mm_write(const char *path, const warplu_mm_matrix *matrix, const char *comment,
                              const warplu_mm_options *options, warplu_mm_error *error)
{
    wlu_context ctx;
    wlu_environment environment;
    if (path == NULL || matrix == NULL || matrix->size < MATRIX_BYTES_LEAST)
        return report(error, WARPLU_INVALID_ARGUMENT, 0, "writing a matrix: no path, or no matrix with its size");
    if (!open_context(&ctx, options))
        return report(error, WARPLU_INVALID_ARGUMENT, 0, "writing a matrix: options without a size or allocator");
    wlu_environment_enter(&environment);
    warplu_status status = wlu_mm_write(&ctx, path, matrix, comment);
    wlu_environment_leave(&environment);
    return report(error, status, 0, ctx.last_message);
}
