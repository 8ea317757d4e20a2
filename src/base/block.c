/* Images in one block. See block.h. */
#include "base/block.h"

#include <string.h>

enum { ALIGN = 256 };

warplu_status wlu_block_fill(wlu_context *ctx, const wlu_piece *piece, int count, wlu_block *out)
{
    *out = (wlu_block){.count = count};
    for (int k = 0; k < count; k++) {
        out->field[k] = piece[k].field;
        out->at[k] = out->bytes;
        out->bytes += (piece[k].bytes + ALIGN - 1) / ALIGN * ALIGN;
    }
    out->memory = WLU_ALLOC(ctx, out->bytes, char);
    if (out->memory == NULL) {
        *out = (wlu_block){0};
        return wlu_fail_memory(ctx, "image in one block");
    }
    for (int k = 0; k < count; k++) {
        char *to = (char *)out->memory + out->at[k];
        int64_t end = k + 1 < count ? out->at[k + 1] : out->bytes;
        if (piece[k].from != NULL && piece[k].bytes > 0) memcpy(to, piece[k].from, (size_t)piece[k].bytes);
        memset(to + piece[k].bytes, 0, (size_t)(end - out->at[k] - piece[k].bytes));
    }
    return WARPLU_SUCCESS;
}

void *wlu_block_room(const wlu_block *block, size_t field)
{
    int k = 0;
    while (block->field[k] != field) k++;
    return (char *)block->memory + block->at[k];
}

void wlu_block_free(wlu_context *ctx, wlu_block *block)
{
    wlu_free(ctx, block->memory);
    *block = (wlu_block){0};
}

void wlu_block_place(const wlu_block *block, const void *base, void *structure)
{
    for (int k = 0; k < block->count; k++) {
        const void *at = (const char *)base + block->at[k];
        memcpy((char *)structure + block->field[k], &at, sizeof at);
    }
}
