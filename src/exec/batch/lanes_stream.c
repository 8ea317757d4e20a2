/* Packing records for lanes: their order, forms, words. See lanes.h.
 *
 * Records are taken in windows, in the flat program's order, which is that of locality. In a window each has a level,
 * one more than those of what it needs; in order of level, opcode, area and length, records next to each other are
 * independent and of one form. O(records + terms), and a radix sort. */
#include "exec/batch/lanes.h"

#include <string.h>

#include "base/sort.h"

/* Records of a window. */
enum { WINDOW = 256 };
/* Bits of the parts of the order's key. */
enum { LENGTH_BITS = 3, SUM_BITS = 2, AREA_BITS = 3, OPCODE_BITS = 4, LEVEL_BITS = 9 };
_Static_assert(WLU_OPCODES <= 1 << OPCODE_BITS && WLU_SLOT_AREAS <= 1 << AREA_BITS && WINDOW < 1 << LEVEL_BITS &&
                   WLU_LANES_UNROLLED + 1 < 1 << LENGTH_BITS,
               "a key has room for them");
/* Chains of different lengths go side by side where the shortest has at least this part of the longest's terms. */
static const double LIKE_LENGTH = 0.75;
/* Four chains share operands where they have this many terms a step: a step is five loads, a term alone two. */
static const double SHARE_LEAST = 2.7;

/* Where a record has an operand. */
typedef struct seat {
    int64_t record, term;
} seat;

typedef struct packer {
    wlu_context *ctx;
    const wlu_flat *flat;
    const wlu_flat_stream *s;
    int64_t own;             /* slots of the solve; -1: the factorization */
    int64_t *written, *read; /* by slot: window * (WINDOW + 1) + level of the last record that does */
    int64_t *last;           /* by slot, of the factorization: the last record that writes it */
    wlu_sort_entry *order[2];
    int64_t *count;             /* of the sort */
    seat *seat;                 /* by operand, of four records */
    int64_t *merge, merge_room; /* steps of four chains, and how many there is room for */
    wlu_lanes_stream *out;
    int64_t room; /* words */
    int strange;  /* an operand that no such stage may have */
} packer;

static int64_t terms_of(const packer *p, int64_t r)
{
    return p->s->begin[r + 1] - p->s->begin[r];
}

static wlu_area area_of(const packer *p, int64_t r)
{
    return p->own < 0 && p->last[p->s->target[r]] == r ? (wlu_area)p->flat->area[p->s->target[r]] : WLU_AREA_NONE;
}

/* ------------------------------------------------------------------- order */

static int64_t later(int64_t level, int64_t other)
{
    return other >= level ? other + 1 : level;
}

/* Level of a record in its window, which begins at `base`: above those of what it reads, and where it writes what
 * others have read or written, of these. */
static int64_t level_of(packer *p, int64_t r, int64_t base)
{
    const wlu_flat_stream *s = p->s;
    int chain = wlu_opcode_is_chain(s->opcode[r]);
    int64_t level = base;
    for (int64_t k = 2 * s->begin[r]; k < 2 * s->begin[r + 1]; k++) level = later(level, p->written[s->operand[k]]);
    if (chain) level = later(level, p->written[s->start[r]]);
    if (s->divisor[r] >= 0) level = later(level, p->written[s->divisor[r]]);
    level = later(level, p->read[s->target[r]]);
    level = later(level, p->written[s->target[r]]);
    for (int64_t k = 2 * s->begin[r]; k < 2 * s->begin[r + 1]; k++)
        if (p->read[s->operand[k]] < level) p->read[s->operand[k]] = level;
    if (chain && s->start[r] != s->target[r] && p->read[s->start[r]] < level) p->read[s->start[r]] = level;
    if (s->divisor[r] >= 0 && p->read[s->divisor[r]] < level) p->read[s->divisor[r]] = level;
    p->written[s->target[r]] = level;
    return level - base;
}

static uint64_t key_of(packer *p, int64_t r)
{
    int64_t window = r / WINDOW, terms = terms_of(p, r);
    uint64_t key = (uint64_t)window << LEVEL_BITS | (uint64_t)level_of(p, r, window * (WINDOW + 1));
    key = key << OPCODE_BITS | p->s->opcode[r];
    key = key << AREA_BITS | (uint64_t)area_of(p, r);
    key = key << SUM_BITS | p->s->sum[r];
    return key << LENGTH_BITS | (uint64_t)(terms <= WLU_LANES_UNROLLED ? terms : WLU_LANES_UNROLLED + 1);
}

static const wlu_sort_entry *order_records(packer *p)
{
    for (int64_t r = 0; r < p->s->nrecords; r++) p->order[0][r] = (wlu_sort_entry){key_of(p, r), r};
    return wlu_sort(p->order[0], p->order[1], p->s->nrecords, p->count);
}

/* ------------------------------------------------------------------- words */

static void word(packer *p, uint32_t w)
{
    p->out->word[p->out->nwords++] = w;
}

static int make_room(packer *p, int64_t words)
{
    if (p->out->nwords + words <= p->room) return 1;
    int64_t room = 2 * p->room + words;
    uint32_t *to = wlu_resize(p->ctx, p->out->word, p->out->nwords, room, sizeof *to);
    if (to == NULL) return 0;
    p->out->word = to;
    p->room = room;
    return 1;
}

/* Of a factor: a divisor, a first operand. */
static void factor(packer *p, int32_t slot)
{
    p->strange |= slot >= p->flat->count;
    word(p, (uint32_t)(WLU_LANES * (int64_t)slot));
}

/* Of what the stage works on. */
static void number(packer *p, int32_t slot)
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
    word(p, (uint32_t)(WLU_LANES * at));
}

static void begin_run(packer *p, int form, wlu_area area, int64_t count)
{
    word(p, (uint32_t)form | (uint32_t)area << 8);
    word(p, (uint32_t)count);
}

static void head(packer *p, int64_t r)
{
    number(p, p->s->target[r]);
    if (wlu_opcode_is_chain(p->s->opcode[r])) number(p, p->s->start[r]);
    if (p->s->divisor[r] >= 0) factor(p, p->s->divisor[r]);
}

/* Term k; of chains that are filled up, 0 * 0 behind the last. */
static void operand_a(packer *p, int64_t r, int64_t k)
{
    factor(p, k < terms_of(p, r) ? p->s->operand[2 * (p->s->begin[r] + k)] : p->flat->zero);
}

static void operand_b(packer *p, int64_t r, int64_t k)
{
    number(p, k < terms_of(p, r) ? p->s->operand[2 * (p->s->begin[r] + k) + 1] : p->flat->zero);
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

static int64_t filled_up(int64_t terms)
{
    return (terms + WLU_DOT_LANES - 1) / WLU_DOT_LANES * WLU_DOT_LANES;
}

/* A run of records one by one; kind: of the form. */
static int put_records(packer *p, const wlu_sort_entry *at, int64_t count, int kind)
{
    if (count == 0) return 1;
    int64_t r = at->record;
    int form = form_of_chains(p->s->opcode[r]);
    if (!make_room(p, 2)) return 0;
    begin_run(p, wlu_opcode_is_chain(p->s->opcode[r]) ? form + kind : form, area_of(p, r), count);
    for (int64_t q = 0; q < count; q++) {
        r = at[q].record;
        int64_t terms = kind == WLU_LANES_LONG ? filled_up(terms_of(p, r)) : terms_of(p, r);
        if (!make_room(p, 4 + 2 * terms)) return 0;
        if (kind > WLU_LANES_UNROLLED) word(p, (uint32_t)terms);
        head(p, r);
        for (int64_t k = 0; k < terms; k++) {
            operand_a(p, r, k);
            operand_b(p, r, k);
        }
    }
    return 1;
}

/* Groups of four side by side, of nothing in common; ascending in length. */
static int put_fours(packer *p, const wlu_sort_entry *at, int64_t groups)
{
    if (groups == 0) return 1;
    int64_t r = at->record;
    if (!make_room(p, 2)) return 0;
    begin_run(p, form_of_chains(p->s->opcode[r]) + WLU_LANES_FOUR, area_of(p, r), groups);
    for (int64_t g = 0; g < groups; g++, at += 4) {
        int64_t terms = terms_of(p, at[3].record);
        if (!make_room(p, 1 + 4 * 3 + 8 * terms)) return 0;
        word(p, (uint32_t)terms);
        for (int q = 0; q < 4; q++) head(p, at[q].record);
        for (int64_t k = 0; k < terms; k++)
            for (int q = 0; q < 4; q++) {
                operand_a(p, at[q].record, k);
                operand_b(p, at[q].record, k);
            }
    }
    return 1;
}

static int32_t operand_of(const packer *p, int64_t r, int64_t k, int side)
{
    return p->s->operand[2 * (p->s->begin[r] + k) + side];
}

/* Whether some chain comes to operand o later on. */
static int comes_later(const packer *p, const wlu_sort_entry *at, const int64_t *next, int32_t o)
{
    for (int q = 0; q < 4; q++) {
        const seat *of = &p->seat[4 * (int64_t)o + q];
        if (of->record == at[q].record && of->term > next[q]) return 1;
    }
    return 0;
}

/* The chain whose operand is next: one that no other has further on, of these that which most have; or -1. */
static int lead_of(const packer *p, const wlu_sort_entry *at, const int64_t *next, int side)
{
    int lead = -1, most = 0;
    for (int q = 0; q < 4; q++) {
        if (next[q] == terms_of(p, at[q].record)) continue;
        int32_t o = operand_of(p, at[q].record, next[q], side);
        int worth = comes_later(p, at, next, o) ? 1 : 5;
        for (int other = 0; other < 4; other++)
            worth +=
                next[other] < terms_of(p, at[other].record) && operand_of(p, at[other].record, next[other], side) == o;
        if (worth <= most) continue;
        lead = q;
        most = worth;
    }
    return lead;
}

/* Merges the terms of four chains into steps, each of one operand on `side` and of those that go with it; a chain that
 * has no such term then has 0. Chains keep their order. Returns the steps, or -1 where there would be more than `most`:
 * step k is the terms merge[4 k ..] of the chains, or -1. */
static int64_t merge_terms(packer *p, const wlu_sort_entry *at, int side, int64_t most)
{
    int64_t next[4] = {0}, steps = 0;
    for (int q = 0; q < 4; q++)
        for (int64_t k = 0; k < terms_of(p, at[q].record); k++)
            p->seat[4 * (int64_t)operand_of(p, at[q].record, k, side) + q] = (seat){at[q].record, k};
    for (;; steps++) {
        int64_t *step = p->merge + 4 * steps;
        int lead = lead_of(p, at, next, side);
        if (lead < 0) return steps;
        if (steps == most) return -1;
        int32_t o = operand_of(p, at[lead].record, next[lead], side);
        for (int q = 0; q < 4; q++) {
            int has = next[q] < terms_of(p, at[q].record) && operand_of(p, at[q].record, next[q], side) == o;
            step[q] = has ? next[q]++ : -1;
        }
    }
}

/* Steps of four chains that share operands, and which, or -1 where that does not pay. In a solve they have to have all
 * of them in common: an infinite right-hand side times 0 is NaN. */
static int64_t share(packer *p, const wlu_sort_entry *at, int *side)
{
    int64_t terms = 0, longest = 0;
    for (int q = 0; q < 4; q++) {
        int64_t of = terms_of(p, at[q].record);
        terms += of;
        longest = of > longest ? of : longest;
    }
    int64_t most = p->own >= 0 ? (4 * longest == terms ? longest : -1) : (int64_t)((double)terms / SHARE_LEAST);
    if (most < longest) return -1;
    if (most > p->merge_room) most = p->merge_room;
    for (*side = 0; *side < 2; ++*side) {
        int64_t steps = merge_terms(p, at, *side, most);
        if (steps >= 0) return steps;
    }
    return -1;
}

/* A group that shares operands on this side. */
static int put_shared(packer *p, const wlu_sort_entry *at, int64_t steps, int side)
{
    int64_t r = at->record;
    if (!make_room(p, 3 + 4 * 3 + 5 * steps)) return 0;
    begin_run(p, form_of_chains(p->s->opcode[r]) + (side == 0 ? WLU_LANES_SHARED_A : WLU_LANES_SHARED_B), area_of(p, r),
              1);
    word(p, (uint32_t)steps);
    for (int q = 0; q < 4; q++) head(p, at[q].record);
    for (int64_t k = 0; k < steps; k++) {
        const int64_t *step = p->merge + 4 * k;
        int lead = 0;
        while (step[lead] < 0) lead++;
        if (side == 0) operand_a(p, at[lead].record, step[lead]);
        if (side == 1) operand_b(p, at[lead].record, step[lead]);
        for (int q = 0; q < 4; q++) {
            int64_t term = step[q] < 0 ? terms_of(p, at[q].record) : step[q];
            if (side == 0) operand_b(p, at[q].record, term);
            if (side == 1) operand_a(p, at[q].record, term);
        }
    }
    return 1;
}

/* By length; few. */
static void sort_by_length(const packer *p, wlu_sort_entry *at, int64_t count)
{
    for (int64_t k = 1; k < count; k++) {
        wlu_sort_entry moved = at[k];
        int64_t q = k;
        for (; q > 0 && terms_of(p, at[q - 1].record) > terms_of(p, moved.record); q--) at[q] = at[q - 1];
        at[q] = moved;
    }
}

/* Chains in order of more than a few terms: neighbours that share operands, then four of like length, then what is
 * left. `rest` has room for them. */
static int put_chains(packer *p, const wlu_sort_entry *at, int64_t count, wlu_sort_entry *rest)
{
    int64_t left = 0, done = 0;
    int good = 1;
    for (int64_t q = 0; q < count && good;) {
        int side;
        int64_t steps = q + 4 <= count ? share(p, at + q, &side) : -1;
        if (steps >= 0)
            good = put_shared(p, at + q, steps, side);
        else
            rest[left++] = at[q];
        q += steps >= 0 ? 4 : 1;
    }
    sort_by_length(p, rest, left);
    for (int64_t q = 0; q < left && good; q = done) {
        int64_t groups = 0, singles = 0;
        while (done + 4 <= left &&
               (double)terms_of(p, rest[done].record) >= LIKE_LENGTH * (double)terms_of(p, rest[done + 3].record)) {
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
static int put_alike(packer *p, const wlu_sort_entry *at, int64_t count, wlu_sort_entry *rest)
{
    wlu_sum sum = (wlu_sum)p->s->sum[at->record];
    if (!wlu_opcode_is_chain(p->s->opcode[at->record])) return put_records(p, at, count, 0);
    if (sum != WLU_SUM_IN_ORDER)
        return put_records(p, at, count, sum == WLU_SUM_LANES ? WLU_LANES_LONG : WLU_LANES_TREE);
    for (int kind = 0; kind <= WLU_LANES_UNROLLED; kind++) {
        int64_t same = 0;
        while (same < count && terms_of(p, at[same].record) == kind) same++;
        if (!put_records(p, at, same, kind)) return 0;
        at += same;
        count -= same;
    }
    return put_chains(p, at, count, rest);
}

static warplu_status put_stream(packer *p)
{
    int64_t records = p->s->nrecords;
    const wlu_sort_entry *order = order_records(p);
    wlu_sort_entry *rest = order == p->order[0] ? p->order[1] : p->order[0];
    for (int64_t q = 0, end; q < records; q = end) {
        for (end = q + 1; end < records && order[end].key >> LENGTH_BITS == order[q].key >> LENGTH_BITS;) end++;
        if (!put_alike(p, order + q, end - q, rest)) return wlu_fail_memory(p->ctx, "stream of a batch");
    }
    if (p->strange) return wlu_fail(p->ctx, WARPLU_INTERNAL, "a record of a batch reads what is not of its stage");
    return WARPLU_SUCCESS;
}

warplu_status wlu_lanes_pack_stream(wlu_context *ctx, const wlu_flat *flat, const wlu_flat_solve *solve,
                                    wlu_lanes_stream *out)
{
    const wlu_flat_stream *s = solve != NULL ? &solve->stream : &flat->factor;
    packer p = {.ctx = ctx, .flat = flat, .s = s, .own = solve != NULL ? solve->own : -1, .out = out};
    int64_t slots = flat->count + (solve != NULL ? solve->own : 0), records = s->nrecords;
    warplu_status status = WARPLU_SUCCESS;
    p.room = 4 * records + 2 * s->nterms + s->nterms / 4;
    p.written = WLU_ALLOC(ctx, slots, int64_t);
    p.read = WLU_ALLOC(ctx, slots, int64_t);
    p.last = WLU_ALLOC(ctx, slots, int64_t);
    for (int k = 0; k < 2; k++) p.order[k] = WLU_ALLOC(ctx, records, wlu_sort_entry);
    p.count = WLU_ALLOC(ctx, WLU_SORT_DIGITS, int64_t);
    for (int64_t r = 0; r < records; r++)
        p.merge_room = p.merge_room > terms_of(&p, r) ? p.merge_room : terms_of(&p, r);
    p.merge_room = 4 * p.merge_room;
    p.seat = WLU_ALLOC(ctx, 4 * slots, seat);
    p.merge = WLU_ALLOC(ctx, 4 * p.merge_room, int64_t);
    out->word = WLU_ALLOC(ctx, p.room, uint32_t);
    if (p.written == NULL || p.read == NULL || p.last == NULL || p.order[0] == NULL || p.order[1] == NULL ||
        p.count == NULL || p.merge == NULL || p.seat == NULL || out->word == NULL) {
        status = wlu_fail_memory(ctx, "order of a batch's records");
    } else {
        for (int64_t k = 0; k < 4 * slots; k++) p.seat[k].record = -1;
        for (int64_t k = 0; k < slots; k++) p.written[k] = p.read[k] = -1;
        for (int64_t r = 0; r < records; r++) p.last[s->target[r]] = r;
        status = put_stream(&p);
    }
    void *owned[] = {p.written, p.read, p.last, p.order[0], p.order[1], p.count, p.merge, p.seat};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) wlu_free(ctx, owned[k]);
    return status;
}
