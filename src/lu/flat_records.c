/* Records of a flat program: room for them, their levels, and those that streams of the program have. See flat_build.h.
 *
 * A record's level is one more than the highest among what writes its operands, its start and its divisor; and what
 * reads or writes its target before. In the first stage nobody reads what is written again. */
#include "lu/flat_build.h"

#include <string.h>

/* -------------------------------------------------------------------- room */

static warplu_status fail(wlu_context *ctx)
{
    return wlu_fail_memory(ctx, "flat program");
}

/* An array of count elements gets room for as many as said; on failure it stays. */
static int resize(wlu_context *ctx, void *array, int64_t count, int64_t room, size_t size)
{
    void *old, *moved;
    memcpy(&old, array, sizeof old);
    moved = wlu_resize(ctx, old, count, room, size);
    if (moved != NULL) memcpy(array, &moved, sizeof moved);
    return moved != NULL;
}

static warplu_status resize_records(wlu_flat_builder *b, int64_t room)
{
    wlu_flat_stream *s = b->out;
    wlu_context *ctx = b->ctx;
    int64_t count = s->nrecords;
    if (room > INT32_MAX)
        return wlu_fail(ctx, WARPLU_OVERFLOW, "%lld records of a flat program exceed 32-bit levels", (long long)room);
    b->records = room;
    return resize(ctx, &s->opcode, count, room, sizeof *s->opcode) &&
                   resize(ctx, &s->sum, count, room, sizeof *s->sum) &&
                   resize(ctx, &s->level, count, room, sizeof *s->level) &&
                   resize(ctx, &s->target, count, room, sizeof *s->target) &&
                   resize(ctx, &s->start, count, room, sizeof *s->start) &&
                   resize(ctx, &s->divisor, count, room, sizeof *s->divisor) &&
                   resize(ctx, &s->begin, count + 1, room + 1, sizeof *s->begin)
               ? WARPLU_SUCCESS
               : fail(ctx);
}

static warplu_status resize_terms(wlu_flat_builder *b, int64_t room)
{
    b->terms = room;
    return resize(b->ctx, &b->out->operand, 2 * b->out->nterms, 2 * room, sizeof *b->out->operand) ? WARPLU_SUCCESS
                                                                                                   : fail(b->ctx);
}

warplu_status wlu_flat_begin(wlu_flat_builder *b, wlu_flat_stream *out, int64_t slots)
{
    int second = out != &b->flat->factor;
    b->out = out;
    b->base = second ? (int32_t)b->flat->count : 0;
    b->next = second ? b->base : WLU_FLAT_CONSTANTS;
    b->records = b->terms = 0;
    b->written = WLU_CALLOC(b->ctx, slots, int32_t);
    if (second) b->read = WLU_CALLOC(b->ctx, slots, int32_t);
    out->begin = WLU_CALLOC(b->ctx, 1, int64_t);
    return b->written != NULL && (b->read != NULL || !second) && out->begin != NULL ? WARPLU_SUCCESS : fail(b->ctx);
}

void wlu_flat_forget_levels(wlu_flat_builder *b)
{
    wlu_free(b->ctx, b->written);
    wlu_free(b->ctx, b->read);
    b->written = b->read = NULL;
}

warplu_status wlu_flat_reserve(wlu_flat_builder *b, int64_t records, int64_t terms)
{
    const wlu_flat_stream *s = b->out;
    int64_t most = s->nrecords + records;
    warplu_status status = WARPLU_SUCCESS;
    if (most > b->records) status = resize_records(b, most + s->nrecords);
    if (status < 0 || s->nterms + terms <= b->terms) return status;
    return resize_terms(b, 2 * s->nterms + terms);
}

warplu_status wlu_flat_end(wlu_flat_builder *b)
{
    wlu_flat_forget_levels(b);
    warplu_status status = b->records > b->out->nrecords ? resize_records(b, b->out->nrecords) : WARPLU_SUCCESS;
    return status == WARPLU_SUCCESS && b->terms > b->out->nterms ? resize_terms(b, b->out->nterms) : status;
}

void wlu_flat_stream_free(wlu_context *ctx, wlu_flat_stream *s)
{
    void *owned[] = {s->opcode, s->sum, s->level, s->target, s->start, s->divisor, s->begin, s->operand};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) wlu_free(ctx, owned[k]);
    memset(s, 0, sizeof *s);
}

/* ----------------------------------------------------------------- records */

static inline int32_t higher(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* Level of a slot's last writer. What earlier stages have left is there before all levels. */
static inline int32_t writer(const wlu_flat_builder *b, int32_t slot)
{
    return slot < b->base ? 0 : b->written[slot - b->base];
}

static inline void note_read(const wlu_flat_builder *b, int32_t slot, int32_t level)
{
    if (slot >= b->base) b->read[slot - b->base] = higher(b->read[slot - b->base], level);
}

/* A record of the first stage. */
static int32_t find_level(const wlu_flat_builder *b, int32_t target, int32_t start, int32_t divisor,
                          const int32_t *operand, int64_t terms)
{
    const int32_t *written = b->written;
    int32_t level = higher(written[target], written[start]);
    if (divisor >= 0) level = higher(level, written[divisor]);
    for (int64_t k = 0; k < 2 * terms; k++) level = higher(level, written[operand[k]]);
    return level + 1;
}

/* A record of a second one, whose divisor and operands a are of the first. */
static int32_t find_second_level(const wlu_flat_builder *b, int32_t target, int32_t start, const int32_t *operand,
                                 int64_t terms)
{
    int32_t level = higher(writer(b, start), higher(writer(b, target), b->read[target - b->base]));
    for (int64_t k = 0; k < terms; k++) level = higher(level, writer(b, operand[2 * k + 1]));
    note_read(b, start, level + 1);
    for (int64_t k = 0; k < terms; k++) note_read(b, operand[2 * k + 1], level + 1);
    return level + 1;
}

void wlu_flat_put(wlu_flat_builder *b, wlu_opcode opcode, wlu_sum sum, int32_t target, int32_t start, int32_t divisor,
                  int64_t terms)
{
    wlu_flat_stream *s = b->out;
    const int32_t *operand = s->operand + 2 * s->nterms;
    int64_t r = s->nrecords++;
    int32_t level = b->read == NULL ? find_level(b, target, start, divisor, operand, terms)
                                    : find_second_level(b, target, start, operand, terms);
    b->written[target - b->base] = level;
    s->nlevels = higher(s->nlevels, level);
    s->nterms += terms;
    s->opcode[r] = (uint8_t)opcode;
    s->sum[r] = (uint8_t)sum;
    s->level[r] = level;
    s->target[r] = target;
    s->start[r] = start;
    s->divisor[r] = divisor;
    s->begin[r + 1] = s->nterms;
}

/* ------------------------------------------------- records of the program's */

int64_t wlu_flat_put_terms(wlu_flat_builder *b, const wlu_stream *s, int64_t r, int32_t *to)
{
    int64_t terms = wlu_stream_terms(s, r), placed = 0, found = 0;
    const int32_t *pair = s->operand + 2 * s->begin[r];
    int places = wlu_flat_sum(terms) == WLU_SUM_LANES;
    for (int64_t k = 0; k < terms; k++, pair += 2) {
        int32_t first = wlu_flat_read(b, pair[0]), second = wlu_flat_read(b, pair[1]);
        int zero = first == WLU_FLAT_ZERO || second == WLU_FLAT_ZERO;
        if (zero && !places) continue;
        to[2 * placed] = zero ? WLU_FLAT_ZERO : first;
        to[2 * placed + 1] = zero ? WLU_FLAT_ZERO : second;
        placed++;
        found += !zero;
    }
    return found > 0 ? placed : 0;
}

warplu_status wlu_flat_copy(wlu_flat_builder *b, const wlu_stream *s, int64_t r)
{
    wlu_opcode opcode = (wlu_opcode)s->opcode[r];
    int64_t terms = wlu_stream_terms(s, r);
    warplu_status status = wlu_flat_reserve(b, 1, terms);
    if (status < 0) return status;
    int chain = wlu_opcode_is_chain(opcode);
    int32_t divisor = wlu_opcode_has_divisor(opcode) ? wlu_flat_read(b, s->divisor[r]) : -1;
    int32_t start = chain ? wlu_flat_read(b, s->start[r]) : WLU_FLAT_ZERO;
    int64_t placed = wlu_flat_put_terms(b, s, r, wlu_flat_operands(b));
    int stays = placed == 0 && opcode == WLU_DOT && s->start[r] == s->target[r];
    int zero = placed == 0 && start == WLU_FLAT_ZERO && wlu_flat_is_zero(b, s->target[r]) &&
               (opcode == WLU_DOT || opcode == WLU_DOTS);
    if (!stays && !zero)
        wlu_flat_put(b, opcode, wlu_flat_sum(placed), wlu_flat_write(b, s->target[r]), start, divisor, placed);
    return WARPLU_SUCCESS;
}

const wlu_sort_entry *wlu_flat_sort(const wlu_flat_builder *b, const wlu_stream *s, int64_t first, int64_t end)
{
    for (int64_t k = 0; k < end - first; k++)
        b->entries[k] = (wlu_sort_entry){(uint64_t)(uint32_t)s->finished[first + k], first + k};
    return wlu_sort(b->entries, b->scratch, end - first, b->digits);
}
