/* What the parts of a reader share. See saved_reader.h. */
#include "pivot/saved_reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SHOWN = 200, TEXT_BYTES = 256 };

warplu_status wlu_reader_refuse(wlu_context *ctx, const char *name, warplu_status status, const char *format, ...)
{
    char text[TEXT_BYTES];
    size_t length = strlen(name);
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return wlu_fail(ctx, status, "%s: %s", length > NAME_SHOWN ? name + length - NAME_SHOWN : name, text);
}

void wlu_reader_take(wlu_reader *r, void *to, int64_t count, size_t size)
{
    memcpy(to, r->at, (size_t)count * size);
    r->at += (size_t)count * size;
}

void *wlu_reader_take_array(wlu_reader *r, int64_t count, size_t size)
{
    void *to = wlu_alloc(r->ctx, count, size);
    if (to != NULL) wlu_reader_take(r, to, count, size);
    return to;
}

warplu_status wlu_reader_check_permutation(wlu_reader *r, const char *what, int32_t count, const int32_t *order)
{
    memset(r->seen, 0, (size_t)count * sizeof *r->seen);
    for (int32_t k = 0; k < count; k++)
        if (order[k] < 0 || order[k] >= count || r->seen[order[k]]++)
            return WLU_READER_BAD(r, "%s: expected each of 0 to %d once, found %d at %d", what, count - 1, order[k], k);
    return WARPLU_SUCCESS;
}

warplu_status wlu_reader_check_orders(wlu_reader *r, const char *what, int joined, const int32_t *row,
                                      const int32_t *col)
{
    const wlu_analysis *an = r->analysis;
    warplu_status status = wlu_reader_check_permutation(r, what, an->n, row);
    if (status == WARPLU_SUCCESS) status = wlu_reader_check_permutation(r, what, an->n, col);
    for (int32_t b = 0; b < an->nblocks && !joined && status == WARPLU_SUCCESS; b++)
        for (int32_t k = an->block[b]; k < an->block[b + 1] && status == WARPLU_SUCCESS; k++)
            if (r->row_block[row[k]] != b || r->col_block[col[k]] != b)
                status = WLU_READER_BAD(r, "%s: position %d holds a row or column of another block", what, k);
    return status;
}
