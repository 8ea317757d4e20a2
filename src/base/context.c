/* Context: allocation through the caller's functions with checked sizes, messages, cancellation. */
#include "base/context.h"

#include "base/huge_pages.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *default_allocate(size_t bytes, void *user)
{
    (void)user;
    void *p = malloc(bytes);
    if (bytes >= WLU_HUGE_MIN && p != NULL) wlu_advise_huge_pages(p, bytes);
    return p;
}

static void *default_zeros(size_t bytes, void *user)
{
    (void)user;
    void *p = calloc(1, bytes); /* large blocks are zero as they come */
    if (bytes >= WLU_HUGE_MIN && p != NULL) wlu_advise_huge_pages(p, bytes);
    return p;
}

static void default_release(void *pointer, void *user)
{
    (void)user;
    free(pointer);
}

void wlu_context_init(wlu_context *ctx, const warplu_options *options)
{
    memset(ctx, 0, sizeof *ctx);
    ctx->allocate = default_allocate;
    ctx->allocate_zeros = default_zeros;
    ctx->release = default_release;
    if (options == NULL) return;
    if (options->allocate != NULL) {
        ctx->allocate = options->allocate;
        ctx->allocate_zeros = NULL;
        ctx->release = options->release;
        ctx->allocator_user = options->allocator_user;
    }
    ctx->message = options->message;
    ctx->message_user = options->message_user;
    ctx->cancel = options->cancel;
    ctx->cancel_user = options->cancel_user;
}

/* 0: too many; else at least 1. */
static size_t bytes_of(int64_t count, size_t size)
{
    if (count < 0 || (uint64_t)count > (uint64_t)PTRDIFF_MAX / size) return 0;
    return count > 0 ? (size_t)count * size : 1;
}

void *wlu_alloc(wlu_context *ctx, int64_t count, size_t size)
{
    size_t bytes = bytes_of(count, size);
    return bytes > 0 ? ctx->allocate(bytes, ctx->allocator_user) : NULL;
}

void *wlu_calloc(wlu_context *ctx, int64_t count, size_t size)
{
    size_t bytes = bytes_of(count, size);
    if (bytes > 0 && ctx->allocate_zeros != NULL) return ctx->allocate_zeros(bytes, ctx->allocator_user);
    void *p = wlu_alloc(ctx, count, size);
    if (p != NULL) memset(p, 0, (size_t)count * size);
    return p;
}

void *wlu_resize(wlu_context *ctx, void *pointer, int64_t old_count, int64_t new_count, size_t size)
{
    void *p = wlu_alloc(ctx, new_count, size);
    if (p == NULL) return NULL;
    int64_t kept = old_count < new_count ? old_count : new_count;
    if (pointer != NULL && kept > 0) memcpy(p, pointer, (size_t)kept * size);
    wlu_free(ctx, pointer);
    return p;
}

void wlu_free(wlu_context *ctx, void *pointer)
{
    if (pointer != NULL) ctx->release(pointer, ctx->allocator_user);
}

warplu_status wlu_fail(wlu_context *ctx, warplu_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(ctx->last_message, sizeof ctx->last_message, format, args);
    va_end(args);
    if (ctx->message != NULL) ctx->message(status, ctx->last_message, ctx->message_user);
    return status;
}

warplu_status wlu_fail_memory(wlu_context *ctx, const char *what)
{
    return wlu_fail(ctx, WARPLU_OUT_OF_MEMORY, "out of memory: %s", what);
}

warplu_status wlu_poll_cancel(wlu_context *ctx)
{
    if (ctx->cancel == NULL || ctx->cancel(ctx->cancel_user) == 0) return WARPLU_SUCCESS;
    return wlu_fail(ctx, WARPLU_CANCELLED, "cancelled by the caller");
}
