/* Arrays of an image in one block of memory, whose addresses become pointers of a struct once it is known where the
 * block lies. */
#ifndef WLU_BASE_BLOCK_H
#define WLU_BASE_BLOCK_H

#include <stddef.h>

#include "base/context.h"

enum { WLU_PIECES_MAX = 24 };

/* An array, and the offset of its pointer in the struct. from NULL: the owner of the block writes it. */
typedef struct wlu_piece {
    size_t field;
    const void *from;
    int64_t bytes;
} wlu_piece;

/* What goes to pointer `name` of struct `type`: so many numbers of an array, or room for so many elements. */
#define WLU_PIECE(type, name, array, count) \
    { \
        offsetof(type, name), array, (count) * (int64_t)sizeof *(array) \
    }
#define WLU_PIECE_ROOM(type, name, element, count) \
    { \
        offsetof(type, name), NULL, (count) * (int64_t)sizeof(element) \
    }

typedef struct wlu_block {
    void *memory;
    int64_t bytes;
    int count;
    size_t field[WLU_PIECES_MAX];
    int64_t at[WLU_PIECES_MAX];
} wlu_block;

/* Copies the pieces that are somewhere. WARPLU_OUT_OF_MEMORY: *out is zeros. */
warplu_status wlu_block_fill(wlu_context *ctx, const wlu_piece *piece, int count, wlu_block *out);
/* Room of the piece whose pointer has this offset. */
void *wlu_block_room(const wlu_block *block, size_t field);
void wlu_block_free(wlu_context *ctx, wlu_block *block);
/* Sets the pointers of the struct as if the block lay at base. */
void wlu_block_place(const wlu_block *block, const void *base, void *structure);

#endif
