/* An allocator that fails after `left` blocks: for tests that fail each allocation in turn. */
#ifndef WLU_TESTS_MODEL_LIMITED_H
#define WLU_TESTS_MODEL_LIMITED_H

#include <stdlib.h>

#include "base/context.h"

static int64_t left;

static void *limited(size_t bytes, void *user)
{
    (void)user;
    return left-- > 0 ? malloc(bytes) : NULL;
}

static void limited_free(void *pointer, void *user)
{
    (void)user;
    free(pointer);
}

static inline void limit(wlu_context *ctx)
{
    ctx->allocate = limited, ctx->release = limited_free, ctx->allocate_zeros = NULL;
}

#endif
