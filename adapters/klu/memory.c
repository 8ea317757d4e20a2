/* klu_malloc, klu_free and klu_realloc, which count in memusage. Sizes are of n items, of at least one. */
#include "klu_abi.h"

#include <stdlib.h>

#include "foreign.h"

static size_t least(size_t n)
{
    return n > 0 ? n : 1;
}

/* What keeps so many items from being allocated. */
static int check_size(size_t n, size_t size)
{
    if (size == 0) return WK_INVALID;
    if (n >= (size_t)WK_INT_MAX || least(n) > SIZE_MAX / size) return WK_TOO_LARGE;
    return WK_OK;
}

void *WK_SHARED(malloc)(size_t n, size_t size, wk_common *common)
{
    WK_LEAVE(WK_SHARED(malloc), n, size, common);
    if (common == NULL) return NULL;
    const int check = check_size(n, size);
    void *p = check == WK_OK ? malloc(least(n) * size) : NULL;
    if (p == NULL) {
        common->status = check != WK_OK ? check : WK_OUT_OF_MEMORY;
        return NULL;
    }
    common->memusage += least(n) * size;
    if (common->mempeak < common->memusage) common->mempeak = common->memusage;
    return p;
}

void *WK_SHARED(free)(void *p, size_t n, size_t size, wk_common *common)
{
    WK_LEAVE(WK_SHARED(free), p, n, size, common);
    if (p == NULL || common == NULL) return NULL;
    free(p);
    common->memusage -= least(n) * size;
    return NULL;
}

void *WK_SHARED(realloc)(size_t nnew, size_t nold, size_t size, void *p, wk_common *common)
{
    WK_LEAVE(WK_SHARED(realloc), nnew, nold, size, p, common);
    if (common == NULL) return NULL;
    if (p == NULL) return WK_SHARED(malloc)(nnew, size, common);
    const int check = check_size(nnew, size);
    void *moved = check == WK_OK ? realloc(p, least(nnew) * size) : NULL;
    if (moved == NULL) {
        common->status = check != WK_OK ? check : WK_OUT_OF_MEMORY;
        return check == WK_INVALID ? NULL : p;
    }
    common->memusage += (least(nnew) - least(nold)) * size;
    if (common->mempeak < common->memusage) common->mempeak = common->memusage;
    return moved;
}
