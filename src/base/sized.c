/* Copies structs that begin with their size, up to where the shorter header ends; sized.h has the rules. */
#include "base/sized.h"

#include <string.h>

int wlu_sized_is_set(const void *to)
{
    size_t size = 0;
    if (to != NULL) memcpy(&size, to, sizeof size);
    return size >= sizeof size;
}

int wlu_sized_take(void *out, size_t bytes, const void *given)
{
    size_t size;
    if (!wlu_sized_is_set(given)) return 0;
    memcpy(&size, given, sizeof size);
    if (size > bytes || size % sizeof size != 0) return 0;
    memcpy(out, given, size);
    memcpy(out, &bytes, sizeof bytes);
    return 1;
}

void wlu_sized_give(void *to, const void *all, size_t bytes)
{
    size_t size;
    memcpy(&size, to, sizeof size);
    if (size > bytes) size = bytes;
    memcpy(to, all, size);
    memcpy(to, &size, sizeof size);
}
