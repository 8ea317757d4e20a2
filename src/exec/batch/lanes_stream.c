/* Packing records for lanes: their order, forms, words. See lanes.h.
 *
 * Records are taken in windows, in the flat program's order, which is that of locality. In a window each has a level,
 * one more than those of what it needs; in order of level, opcode, area and length, records next to each other are
 * independent and of one form. O(records + terms), and a radix sort. */
#include "exec/batch/lanes.h"

#include <string.h>

#include "base/sort.h"

/* Records of a window; terms of a chain for which lengths are told apart. */
enum { WINDOW = 256, LENGTH_BITS = 16, LENGTH_MOST = (1 << LENGTH_BITS) - 1 };
/* Bits of the other parts of the order's key. */
enum { SUM_BITS = 2, AREA_BITS = 3, OPCODE_BITS = 4, LEVEL_BITS = 9 };
_Static_assert(WLU_OPCODES <= 1 << OPCODE_BITS && WLU_SLOT_AREAS <= 1 << AREA_BITS && WINDOW < 1 << LEVEL_BITS,
               "a key has room for them");
/* Chains of different lengths go side by side where the shortest has at least this part of the longest's terms. */
static const double LIKE_LENGTH = 0.75;

typedef struct packer {
    wlu_context *ctx;
    const wlu_flat *flat;
    const wlu_flat_stream *s;
    int64_t own;             /* slots of the solve; -1: the factorization */
    int64_t *written, *read; /* by slot: window * (WINDOW + 1) + level of the last record that does */
    int64_t *last;           /* by slot, of the factorization: the last record that writes it */
    wlu_sort_entry *order[2];
    int64_t *count; /* of the sort */
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
    return key << LENGTH_BITS | (uint64_t)(terms < LENGTH_MOST ? terms : LENGTH_MOST);
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

/* Which operand four records of one length have in common: a form's kind; FOUR: none. */
static int shared(const packer *p, const wlu_sort_entry *at)
{
    int64_t terms = terms_of(p, at[0].record);
    const int32_t *first = p->s->operand + 2 * p->s->begin[at[0].record];
    int a = 1, b = 1;
    for (int q = 1; q < 4; q++) {
        const int32_t *other = p->s->operand + 2 * p->s->begin[at[q].record];
        if (terms_of(p, at[q].record) != terms) return WLU_LANES_FOUR;
        for (int64_t k = 0; k < terms && (a || b); k++) {
            a = a && first[2 * k] == other[2 * k];
            b = b && first[2 * k + 1] == other[2 * k + 1];
        }
    }
    return a ? WLU_LANES_SHARED_A : b ? WLU_LANES_SHARED_B : WLU_LANES_FOUR;
}

/* Groups of four side by side, of a kind. */
static int put_fours(packer *p, const wlu_sort_entry *at, int64_t groups, int kind)
{
    if (groups == 0) return 1;
    int64_t r = at->record;
    if (!make_room(p, 2)) return 0;
    begin_run(p, form_of_chains(p->s->opcode[r]) + kind, area_of(p, r), groups);
    for (int64_t g = 0; g < groups; g++, at += 4) {
        int64_t terms = terms_of(p, at[3].record); /* the longest */
        if (!make_room(p, 1 + 4 * 3 + 8 * terms)) return 0;
        word(p, (uint32_t)terms);
        for (int q = 0; q < 4; q++) head(p, at[q].record);
        for (int64_t k = 0; k < terms; k++) {
            if (kind == WLU_LANES_SHARED_A) operand_a(p, at[0].record, k);
            if (kind == WLU_LANES_SHARED_B) operand_b(p, at[0].record, k);
            for (int q = 0; q < 4; q++) {
                if (kind != WLU_LANES_SHARED_A) operand_a(p, at[q].record, k);
                if (kind != WLU_LANES_SHARED_B) operand_b(p, at[q].record, k);
            }
        }
    }
    return 1;
}

/* Chains in order of more than a few terms, by length: those that share an operand, then four of like length, then
 * what is left. `rest` has room for them. */
static int put_chains(packer *p, const wlu_sort_entry *at, int64_t count, wlu_sort_entry *rest)
{
    int64_t left = 0, done = 0, begin = 0;
    int kind = WLU_LANES_FOUR, good = 1;
    for (int64_t q = 0; q < count && good;) {
        int next = q + 4 <= count ? shared(p, at + q) : WLU_LANES_FOUR;
        if (next != kind || next == WLU_LANES_FOUR) {
            if (kind != WLU_LANES_FOUR) good = put_fours(p, at + begin, (q - begin) / 4, kind);
            begin = q;
            kind = next;
        }
        if (next == WLU_LANES_FOUR) rest[left++] = at[q];
        q += next == WLU_LANES_FOUR ? 1 : 4;
        if (q >= count && kind != WLU_LANES_FOUR && good) good = put_fours(p, at + begin, (q - begin) / 4, kind);
    }
    for (int64_t q = 0; q < left && good; q = done) {
        int64_t groups = 0, singles = 0;
        while (done + 4 <= left &&
               (double)terms_of(p, rest[done].record) >= LIKE_LENGTH * (double)terms_of(p, rest[done + 3].record)) {
            groups++;
            done += 4;
        }
        good = put_fours(p, rest + q, groups, WLU_LANES_FOUR);
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
    out->word = WLU_ALLOC(ctx, p.room, uint32_t);
    if (p.written == NULL || p.read == NULL || p.last == NULL || p.order[0] == NULL || p.order[1] == NULL ||
        p.count == NULL || out->word == NULL) {
        status = wlu_fail_memory(ctx, "order of a batch's records");
    } else {
        for (int64_t k = 0; k < slots; k++) p.written[k] = p.read[k] = -1;
        for (int64_t r = 0; r < records; r++) p.last[s->target[r]] = r;
        status = put_stream(&p);
    }
    void *owned[] = {p.written, p.read, p.last, p.order[0], p.order[1], p.count};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) wlu_free(ctx, owned[k]);
    return status;
}
