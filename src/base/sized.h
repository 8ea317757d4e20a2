/* Structs of the public headers that may grow (docs/abi.md, "Sized structs"): each begins with a size_t, `size`, of the
 * caller's header. An older header's struct is shorter; what lies behind its end is never touched. O(size). */
#ifndef WLU_BASE_SIZED_H
#define WLU_BASE_SIZED_H

#include <stddef.h>

/* Options: *out, of `bytes` and with the defaults in it, takes what the caller has given, and keeps its own size. 0:
 * the given size is not set, no multiple of a size_t's, or larger than what this library knows; *out is as it was. */
int wlu_sized_take(void *out, size_t bytes, const void *given);
/* Whether a struct that the library is to fill is there, and has a size. */
int wlu_sized_is_set(const void *to);
/* What the library says: as much of `all`, of `bytes`, as the caller's struct has room for; its size becomes that. */
void wlu_sized_give(void *to, const void *all, size_t bytes);

#endif
