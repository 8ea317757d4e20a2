/* Cuts pieces from blocks, each with twice the room of the one before, up to 64 KiB; what is larger has a block to
 * itself. An array grows in place where it is the newest piece and there is room, else by a copy. */
#include "model/text/arena.h"

#include <string.h>

enum { BLOCK_FIRST = 256, BLOCK_MOST = 65536, ALIGNMENT = 8 }; /* each block has twice the room of the one before */

typedef struct wlm_arena_block {
    struct wlm_arena_block *before;
    double data[];
} wlm_arena_block;

void *wlm_take(wlm_arena *arena, int64_t count, size_t size)
{
    if (count < 0 || (uint64_t)count > (uint64_t)PTRDIFF_MAX / 2 / size) return NULL;
    size_t bytes = ((size_t)count * size + ALIGNMENT) / ALIGNMENT * ALIGNMENT; /* of nothing: a piece of its own, too */
    if (bytes > arena->room - arena->used) {
        size_t room = arena->room < BLOCK_FIRST / 2 ? BLOCK_FIRST : 2 * arena->room;
        if (room > BLOCK_MOST) room = BLOCK_MOST;
        if (room < bytes) room = bytes;
        wlm_arena_block *block = wlu_calloc(arena->ctx, (int64_t)(sizeof *block + room), 1);
        if (block == NULL) return NULL;
        block->before = arena->block;
        arena->block = block;
        arena->used = 0;
        arena->room = room;
    }
    void *piece = (char *)arena->block->data + arena->used;
    arena->used += bytes;
    return piece;
}

void *wlm_take_more(wlm_arena *arena, void *array, int32_t count, size_t size)
{
    enum { FIRST = 4 };
    if (count != 0 && (count < FIRST || (count & (count - 1)) != 0)) return array;
    void *more = wlm_take(arena, count == 0 ? FIRST : 2 * (int64_t)count, size);
    if (more != NULL && count > 0) memcpy(more, array, (size_t)count * size);
    return more;
}

char *wlm_take_text(wlm_arena *arena, const char *text, int64_t length)
{
    char *copy = wlm_take(arena, length + 1, 1);
    if (copy != NULL && length > 0) memcpy(copy, text, (size_t)length);
    return copy;
}

void wlm_arena_free(wlm_arena *arena)
{
    while (arena->block != NULL) {
        wlm_arena_block *before = arena->block->before;
        wlu_free(arena->ctx, arena->block);
        arena->block = before;
    }
    arena->used = arena->room = 0;
}
