/* Packing records for lanes: their order, forms, words. See lanes.h.
 *
 * Records are taken in windows, in the flat program's order, which is that of locality. In a window each has a level,
 * one more than those of what it needs; in order of level, opcode, area and length, records next to each other are
 * independent and of one form. O(records + terms), and a radix sort. */
#include "exec/batch/lanes_pack.h"

#include <string.h>

/* Records of a window, rows of one of a panel: two of grids. Circuits take 4 to 8 % more with windows of 256 records,
 * nothing less with longer ones. */
enum { WINDOW = 1024, PANEL_ROWS = 2 * WLU_LANES_GRID_ROWS };
/* Bits of the parts of the order's key. */
enum { LENGTH_BITS = 3, SUM_BITS = 2, AREA_BITS = 3, OPCODE_BITS = 4, LEVEL_BITS = 11 };
_Static_assert(WLU_OPCODES <= 1 << OPCODE_BITS && WLU_SLOT_AREAS <= 1 << AREA_BITS && WINDOW < 1 << LEVEL_BITS &&
                   WLU_LANES_UNROLLED + 1 < 1 << LENGTH_BITS,
               "a key has room for them");
/* Chains of different lengths go side by side where the shortest has at least this part of the longest's terms. */
static const double LIKE_LENGTH = 0.75;

static wlu_area area_of(const wlu_lanes_packer *p, int64_t r)
{
    return p->own < 0 && p->last[p->s->target[r]] == r ? (wlu_area)p->flat->area[p->s->target[r]] : WLU_AREA_NONE;
}

/* ------------------------------------------------------------------- order */

static int64_t later(int64_t level, int64_t other)
{
    return other >= level ? other + 1 : level;
}

static void note_read(wlu_lanes_packer *p, int32_t slot, int64_t level)
{
    if (p->read[slot] < level) p->read[slot] = level;
}

/* Where the chain begins: what a grid has left stands in the target. */
static int32_t start_of(const wlu_lanes_packer *p, int64_t r)
{
    return p->done[r] > 0 ? p->s->target[r] : p->s->start[r];
}

/* Level of a record in its window, which begins at `base`: above those of what it reads, and where it writes what
 * others have read or written, of these. */
static int64_t level_of(wlu_lanes_packer *p, int64_t r, int64_t base)
{
    const wlu_flat_stream *s = p->s;
    const int32_t *operand = s->operand + 2 * (s->begin[r] + p->done[r]);
    int64_t count = 2 * wlu_lanes_terms(p, r), level = base;
    int chain = wlu_opcode_is_chain(s->opcode[r]);
    for (int64_t k = 0; k < count; k++) level = later(level, p->written[operand[k]]);
    if (chain) level = later(level, p->written[start_of(p, r)]);
    if (s->divisor[r] >= 0) level = later(level, p->written[s->divisor[r]]);
    level = later(level, p->read[s->target[r]]);
    level = later(level, p->written[s->target[r]]);
    for (int64_t k = 0; k < count; k++) note_read(p, operand[k], level);
    if (chain && start_of(p, r) != s->target[r]) note_read(p, s->start[r], level);
    if (s->divisor[r] >= 0) note_read(p, s->divisor[r], level);
    p->written[s->target[r]] = level;
    return level - base;
}

static uint64_t key_of(wlu_lanes_packer *p, int64_t r, int64_t window)
{
    int64_t terms = wlu_lanes_terms(p, r);
    uint64_t key = (uint64_t)window << LEVEL_BITS | (uint64_t)level_of(p, r, window * (WINDOW + 1));
    key = key << OPCODE_BITS | p->s->opcode[r];
    key = key << AREA_BITS | (uint64_t)area_of(p, r);
    key = key << SUM_BITS | p->s->sum[r];
    return key << LENGTH_BITS | (uint64_t)(terms <= WLU_LANES_UNROLLED ? terms : WLU_LANES_UNROLLED + 1);
}

/* The tile whose panel a record works on, or -1. */
static int32_t tile_of(const wlu_lanes_packer *p, int64_t r)
{
    return p->own < 0 ? p->cell[p->s->target[r]].tile : -1;
}

/* The end of a window: some rows of one panel, or so many other records. */
static int64_t window_end(const wlu_lanes_packer *p, int64_t first)
{
    int32_t tile = tile_of(p, first), row = -1, rows = 0;
    int64_t end = first;
    for (; end < p->s->nrecords && end - first < WINDOW && tile_of(p, end) == tile; end++) {
        if (tile < 0 || p->cell[p->s->target[end]].row == row) continue;
        if (rows++ == PANEL_ROWS) break;
        row = p->cell[p->s->target[end]].row;
    }
    return end;
}

/* Grids first. 0: no memory for them. */
static int order_records(wlu_lanes_packer *p)
{
    int64_t window = 0, end;
    p->to = &p->grids;
    for (int64_t first = 0; first < p->s->nrecords; first = end, window++) {
        end = window_end(p, first);
        if (tile_of(p, first) >= 0 && !wlu_lanes_put_grids(p, window, first, end)) return 0;
        p->grid_end[window] = p->grids.count;
        for (int64_t r = first; r < end; r++) p->order[0][r] = (wlu_sort_entry){key_of(p, r, window), r};
    }
    return 1;
}

/* ------------------------------------------------------------------- words */

int wlu_lanes_make_room(wlu_lanes_packer *p, int64_t words)
{
    wlu_lanes_words *to = p->to;
    if (to->count + words <= to->room) return 1;
    int64_t room = 2 * to->room + words;
    uint32_t *word = wlu_resize(p->ctx, to->word, to->count, room, sizeof *word);
    if (word == NULL) return 0;
    to->word = word;
    to->room = room;
    return 1;
}

void wlu_lanes_put_factor(wlu_lanes_packer *p, int32_t slot)
{
    p->strange |= slot >= p->flat->count;
    wlu_lanes_word(p, (uint32_t)(wlu_lanes_line(p->flat) * slot));
}

void wlu_lanes_put_number(wlu_lanes_packer *p, int32_t slot)
{
    int64_t at = slot;
    if (p->own >= 0) {
        if (slot >= p->flat->count)
            at = slot - p->flat->count;
        else if (slot == p->flat->zero)
            at = p->own;
        else if (slot == p->flat->minus_one)
            at = p->own + 1;
        else
            p->strange = 1;
    }
    wlu_lanes_word(p, (uint32_t)(wlu_lanes_line(p->flat) * at));
}

void wlu_lanes_put_operand(wlu_lanes_packer *p, int64_t r, int64_t k, int side)
{
    int32_t slot = k < wlu_lanes_terms(p, r) ? wlu_lanes_operand(p, r, k, side) : p->flat->zero;
    if (side == 0)
        wlu_lanes_put_factor(p, slot);
    else
        wlu_lanes_put_number(p, slot);
}

void wlu_lanes_put_head(wlu_lanes_packer *p, int64_t r)
{
    wlu_lanes_put_number(p, p->s->target[r]);
    if (wlu_opcode_is_chain(p->s->opcode[r])) wlu_lanes_put_number(p, start_of(p, r));
    if (p->s->divisor[r] >= 0) wlu_lanes_put_factor(p, p->s->divisor[r]);
}

static int form_of_chains(int opcode)
{
    switch (opcode) {
#define WLU_OPCODE(name, shape, flops, compiled, semantics)
#define WLU_STREAM_OPCODE(name, shape, flops, compiled, semantics, end, stages) \
    case WLU_##name: \
        return WLU_LANES_##name;
#define WLU_CHAIN_OPCODE(name, shape, flops, compiled, semantics, end, stages) \
    case WLU_##name: \
        return WLU_LANES_##name##_0;
#include "program/opcodes.def"
#undef WLU_OPCODE
    }
    return WLU_LANES_FORMS;
}

void wlu_lanes_begin_run(wlu_lanes_packer *p, int64_t r, int kind, int64_t count)
{
    int form = form_of_chains(p->s->opcode[r]) + (wlu_opcode_is_chain(p->s->opcode[r]) ? kind : 0);
    wlu_lanes_word(p, (uint32_t)form | (uint32_t)area_of(p, r) << 8);
    wlu_lanes_word(p, (uint32_t)count);
}

static int64_t filled_up(int64_t terms)
{
    return (terms + WLU_DOT_LANES - 1) / WLU_DOT_LANES * WLU_DOT_LANES;
}

/* A run of records one by one; kind: of the form. */
static int put_records(wlu_lanes_packer *p, const wlu_sort_entry *at, int64_t count, int kind)
{
    if (count == 0) return 1;
    if (!wlu_lanes_make_room(p, 2)) return 0;
    wlu_lanes_begin_run(p, at->record, kind, count);
    for (int64_t q = 0; q < count; q++) {
        int64_t r = at[q].record;
        int64_t terms = kind == WLU_LANES_LONG ? filled_up(wlu_lanes_terms(p, r)) : wlu_lanes_terms(p, r);
        if (!wlu_lanes_make_room(p, 4 + 2 * terms)) return 0;
        if (kind > WLU_LANES_UNROLLED) wlu_lanes_word(p, (uint32_t)terms);
        wlu_lanes_put_head(p, r);
        for (int64_t k = 0; k < terms; k++) {
            wlu_lanes_put_operand(p, r, k, 0);
            wlu_lanes_put_operand(p, r, k, 1);
        }
    }
    return 1;
}

/* Groups of four side by side, of nothing in common; ascending in length. */
static int put_fours(wlu_lanes_packer *p, const wlu_sort_entry *at, int64_t groups)
{
    if (groups == 0) return 1;
    if (!wlu_lanes_make_room(p, 2)) return 0;
    wlu_lanes_begin_run(p, at->record, WLU_LANES_FOUR, groups);
    for (int64_t g = 0; g < groups; g++, at += 4) {
        int64_t terms = wlu_lanes_terms(p, at[3].record);
        if (!wlu_lanes_make_room(p, 1 + 4 * 3 + 8 * terms)) return 0;
        wlu_lanes_word(p, (uint32_t)terms);
        for (int q = 0; q < 4; q++) wlu_lanes_put_head(p, at[q].record);
        for (int64_t k = 0; k < terms; k++)
            for (int q = 0; q < 4; q++) {
                wlu_lanes_put_operand(p, at[q].record, k, 0);
                wlu_lanes_put_operand(p, at[q].record, k, 1);
            }
    }
    return 1;
}

/* By length; few. */
static void sort_by_length(const wlu_lanes_packer *p, wlu_sort_entry *at, int64_t count)
{
    for (int64_t k = 1; k < count; k++) {
        wlu_sort_entry moved = at[k];
        int64_t q = k;
        for (; q > 0 && wlu_lanes_terms(p, at[q - 1].record) > wlu_lanes_terms(p, moved.record); q--) at[q] = at[q - 1];
        at[q] = moved;
    }
}

/* Chains in order of more than a few terms: neighbours that share operands, then four of like length, then what is
 * left. `rest` has room for them. */
static int put_chains(wlu_lanes_packer *p, const wlu_sort_entry *at, int64_t count, wlu_sort_entry *rest)
{
    int64_t left = 0, done = 0;
    int good = 1;
    for (int64_t q = 0; q < count && good;) {
        int side;
        int64_t steps = q + 4 <= count ? wlu_lanes_share(p, at + q, &side) : -1;
        if (steps >= 0)
            good = wlu_lanes_put_shared(p, at + q, steps, side);
        else
            rest[left++] = at[q];
        q += steps >= 0 ? 4 : 1;
    }
    sort_by_length(p, rest, left);
    for (int64_t q = 0; q < left && good; q = done) {
        int64_t groups = 0, singles = 0;
        while (done + 4 <= left && (double)wlu_lanes_terms(p, rest[done].record) >=
                                       LIKE_LENGTH * (double)wlu_lanes_terms(p, rest[done + 3].record)) {
            groups++;
            done += 4;
        }
        good = put_fours(p, rest + q, groups);
        if (groups == 0) singles = left - done < 4 ? left - done : 1;
        done += singles;
        if (good) good = put_records(p, rest + q, singles, WLU_LANES_ANY);
    }
    return good;
}

/* The records of one level, opcode, area and sum. */
static int put_alike(wlu_lanes_packer *p, const wlu_sort_entry *at, int64_t count, wlu_sort_entry *rest)
{
    wlu_sum sum = (wlu_sum)p->s->sum[at->record];
    if (!wlu_opcode_is_chain(p->s->opcode[at->record])) return put_records(p, at, count, 0);
    if (sum != WLU_SUM_IN_ORDER)
        return put_records(p, at, count, sum == WLU_SUM_LANES ? WLU_LANES_LONG : WLU_LANES_TREE);
    for (int kind = 0; kind <= WLU_LANES_UNROLLED; kind++) {
        int64_t same = 0;
        while (same < count && wlu_lanes_terms(p, at[same].record) == kind) same++;
        if (!put_records(p, at, same, kind)) return 0;
        at += same;
        count -= same;
    }
    return put_chains(p, at, count, rest);
}

/* The grids of this window. */
static int put_grids(wlu_lanes_packer *p, uint64_t window)
{
    int64_t first = window == 0 ? 0 : p->grid_end[window - 1], count = p->grid_end[window] - first;
    if (count == 0) return 1; /* perhaps of all windows, and there is no array */
    if (!wlu_lanes_make_room(p, count)) return 0;
    memcpy(p->to->word + p->to->count, p->grids.word + first, (size_t)count * sizeof *p->to->word);
    p->to->count += count;
    return 1;
}

static int put_stream(wlu_lanes_packer *p)
{
    const int window_bits = LENGTH_BITS + SUM_BITS + AREA_BITS + OPCODE_BITS + LEVEL_BITS;
    int64_t records = p->s->nrecords;
    uint64_t next = 0;
    if (!order_records(p)) return 0;
    const wlu_sort_entry *order = wlu_sort(p->order[0], p->order[1], records, p->count);
    wlu_sort_entry *rest = order == p->order[0] ? p->order[1] : p->order[0];
    p->to = &p->words;
    for (int64_t q = 0, end; q < records; q = end) {
        if (order[q].key >> window_bits == next && !put_grids(p, next++)) return 0;
        for (end = q + 1; end < records && order[end].key >> LENGTH_BITS == order[q].key >> LENGTH_BITS;) end++;
        if (!put_alike(p, order + q, end - q, rest)) return 0;
    }
    return 1;
}

/* All that is written while packing. 0: no memory. */
static int allocate(wlu_lanes_packer *p, int64_t slots)
{
    wlu_context *ctx = p->ctx;
    int64_t records = p->s->nrecords;
    p->words.room = 4 * records + 2 * p->s->nterms + p->s->nterms / 4;
    for (int64_t r = 0; r < records; r++)
        if (p->s->begin[r + 1] - p->s->begin[r] > p->merge_room) p->merge_room = p->s->begin[r + 1] - p->s->begin[r];
    p->merge_room *= 4;
    p->written = WLU_ALLOC(ctx, slots, int64_t);
    p->read = WLU_ALLOC(ctx, slots, int64_t);
    p->last = WLU_ALLOC(ctx, slots, int64_t);
    p->mine = WLU_CALLOC(ctx, slots, int64_t);
    p->done = WLU_CALLOC(ctx, records, int64_t);
    p->grid_end = WLU_ALLOC(ctx, records, int64_t);
    for (int k = 0; k < 2; k++) p->order[k] = WLU_ALLOC(ctx, records, wlu_sort_entry);
    p->count = WLU_ALLOC(ctx, WLU_SORT_DIGITS, int64_t);
    p->seat = WLU_ALLOC(ctx, 4 * slots, wlu_lanes_seat);
    p->merge = WLU_ALLOC(ctx, 4 * p->merge_room, int64_t);
    p->cell = WLU_ALLOC(ctx, p->flat->count, wlu_lanes_cell);
    p->pivot = WLU_ALLOC(ctx, p->flat->count, int32_t);
    p->words.word = WLU_ALLOC(ctx, p->words.room, uint32_t);
    return WLU_ALL_THERE(p->written, p->read, p->last, p->mine, p->done, p->grid_end, p->order[0], p->order[1],
                         p->count, p->seat, p->merge, p->cell, p->pivot, p->words.word);
}

warplu_status wlu_lanes_pack_stream(wlu_context *ctx, const wlu_flat *flat, const wlu_flat_solve *solve,
                                    wlu_lanes_stream *out)
{
    const wlu_flat_stream *s = solve != NULL ? &solve->stream : &flat->factor;
    wlu_lanes_packer p = {.ctx = ctx, .flat = flat, .s = s, .own = solve != NULL ? solve->own : -1};
    int64_t slots = flat->count + (solve != NULL ? solve->own : 0);
    warplu_status status = WARPLU_SUCCESS;
    int good = allocate(&p, slots);
    if (good) {
        for (int64_t k = 0; k < 4 * slots; k++) p.seat[k].record = -1;
        for (int64_t k = 0; k < slots; k++) p.written[k] = p.read[k] = p.last[k] = -1;
        for (int64_t r = 0; r < s->nrecords; r++) p.last[s->target[r]] = r;
        wlu_lanes_map_cells(&p);
        good = put_stream(&p);
    }
    if (!good) status = wlu_fail_memory(ctx, "records of a batch");
    if (good && p.strange)
        status = wlu_fail(ctx, WARPLU_INTERNAL, "a record of a batch reads what is not of its stage");
    if (status < 0) wlu_free(ctx, p.words.word);
    if (status == WARPLU_SUCCESS) *out = (wlu_lanes_stream){p.words.count, p.words.word};
    void *owned[] = {p.written,  p.read,  p.last, p.mine,  p.done, p.grid_end, p.order[0],
                     p.order[1], p.count, p.seat, p.merge, p.cell, p.pivot,    p.grids.word};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) wlu_free(ctx, owned[k]);
    return status;
}
