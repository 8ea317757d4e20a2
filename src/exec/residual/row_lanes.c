/* Packing rows eight side by side. See row_lanes.h. */
#include "exec/residual/row_lanes.h"

#include <stddef.h>

enum { LANES = 8, LENGTHS = WLU_REFINE_LONG + 1 };

/* Rows by their number of entries. */
typedef struct lengths {
    int64_t rows[LENGTHS];
    int64_t groups, words;
    int32_t longs;
} lengths;

static int32_t length_of(const wlu_refine_rows *rows, int32_t i)
{
    return rows->begin[i + 1] - rows->begin[i];
}

static lengths count(const wlu_refine_rows *rows)
{
    lengths c = {{0}, 0, 0, 0};
    for (int32_t i = 0; i < rows->n; i++) {
        if (length_of(rows, i) < LENGTHS)
            c.rows[length_of(rows, i)]++;
        else
            c.longs++;
    }
    for (int64_t k = 0; k < LENGTHS; k++) {
        int64_t groups = (c.rows[k] + LANES - 1) / LANES;
        c.groups += groups;
        c.words += 2 * LANES * groups * k;
    }
    return c;
}

/* Rows in their groups; each length's first place is a group's. */
static void place_rows(const wlu_refine_rows *rows, const lengths *c, wlu_row_lanes *to)
{
    int64_t next[LENGTHS], place = 0;
    int32_t longs = 0;
    for (int32_t k = 0; k < LENGTHS; k++) {
        next[k] = place;
        for (int64_t end = place + c->rows[k]; place < end; place += LANES) to->steps[place / LANES] = k;
    }
    for (int32_t i = 0; i < rows->n; i++) {
        int32_t length = length_of(rows, i);
        if (length < LENGTHS)
            to->row[next[length]++] = i;
        else
            to->long_row[longs++] = i;
    }
    for (int32_t k = 0; k < LENGTHS; k++)
        for (; next[k] % LANES != 0; next[k]++) to->row[next[k]] = to->row[next[k] - 1];
}

static void fill_groups(const wlu_refine_rows *rows, wlu_row_lanes *to)
{
    int32_t *word = to->word;
    for (int64_t g = 0; g < to->groups; g++) {
        const int32_t *row = to->row + LANES * g;
        for (int q = 0; q < LANES; q++) to->power[LANES * g + q] = rows->power[row[q]];
        for (int32_t k = 0; k < to->steps[g]; k++)
            for (int q = 0; q < 2 * LANES; q++)
                *word++ = (q < LANES ? rows->source : rows->column)[rows->begin[row[q % LANES]] + k];
    }
}

warplu_status wlu_row_lanes_pack(wlu_context *ctx, const wlu_refine_rows *rows, wlu_row_lanes *out)
{
    const lengths c = count(rows);
    const wlu_piece list[] = {
        WLU_PIECE_ROOM(wlu_row_lanes, row, int32_t, LANES * c.groups),
        WLU_PIECE_ROOM(wlu_row_lanes, steps, int32_t, c.groups),
        WLU_PIECE_ROOM(wlu_row_lanes, word, int32_t, c.words),
        WLU_PIECE_ROOM(wlu_row_lanes, power, uint16_t, LANES * c.groups),
        WLU_PIECE_ROOM(wlu_row_lanes, long_row, int32_t, c.longs),
    };
    *out = (wlu_row_lanes){.groups = c.groups, .longs = c.longs};
    warplu_status status = wlu_block_fill(ctx, list, (int)(sizeof list / sizeof *list), &out->block);
    if (status < 0) {
        *out = (wlu_row_lanes){0};
        return status;
    }
    wlu_block_place(&out->block, out->block.memory, out);
    place_rows(rows, &c, out);
    fill_groups(rows, out);
    return status;
}
