/* Fusing chains of scalar records into levelled DOT streams. See fuse.h. */
#include "program/fuse.h"

#include "base/sort.h"

#include <string.h>

/* LENGTHS: longer chains than this are not told apart when records are ordered. */
enum { CHUNK = 2048, LENGTH_BITS = 11, LENGTHS = 1 << LENGTH_BITS };

/* Scalar records a tick of `finished`: 2^39 records fit 32 bits; records of one tick are ordered by level. */
enum { CLOCK_SHIFT = 8 };

/* The level at which slot a is ready for records of the reader's group; closes its chain. */
static inline int32_t read_level(wlu_fuse *f, const wlu_fused *reader, int32_t a)
{
    int32_t r = f->chain[a];
    if (r < 0) return 0;
    f->record[r].closed = 1;
    return f->in_turn && f->record[r].group != reader->group ? 0 : f->record[r].level;
}

/* The open record of target t, made if there is none; NULL if t was read before. */
static inline wlu_fused *record_of(wlu_fuse *f, int32_t t)
{
    int32_t r = f->chain[t];
    if (r >= 0) return f->record[r].closed ? NULL : &f->record[r];
    f->chain[t] = (int32_t)f->nrecords;
    wlu_fused *made = &f->record[f->nrecords++];
    int32_t group = f->group != NULL ? f->group(f->grouping, t, f->column) : 0;
    *made = (wlu_fused){.target = t, .start = t, .divisor = -1, .level = 1, .group = group, .opcode = WLU_DOT};
    return made;
}

static inline void raise(wlu_fused *r, int32_t operand_level)
{
    if (operand_level >= r->level) r->level = operand_level + 1;
}

static inline warplu_status count_record(wlu_fuse *f, const wlu_record *rec)
{
    if (rec->opcode == WLU_GUARD) f->column = rec->t + 1;
    if (rec->opcode == WLU_LOAD || rec->opcode == WLU_GUARD) return WARPLU_SUCCESS;
    wlu_fused *r = record_of(f, rec->t);
    if (r == NULL) return wlu_fail(f->ctx, WARPLU_INTERNAL, "slot %d is written after it was read", rec->t);
    r->finished = (int32_t)(f->clock++ >> CLOCK_SHIFT);
    switch (rec->opcode) {
    case WLU_MSUB:
        r->length++;
        raise(r, read_level(f, r, rec->a));
        raise(r, read_level(f, r, rec->b));
        break;
    case WLU_MOVE:
        r->start = rec->a;
        raise(r, read_level(f, r, rec->a));
        break;
    case WLU_DIV:
        r->opcode = WLU_DOTS;
        r->divisor = rec->a + f->reciprocal_offset;
        raise(r, read_level(f, r, r->divisor));
        break;
    case WLU_RCP:
        r->opcode = WLU_RCP;
        r->divisor = rec->a;
        raise(r, read_level(f, r, rec->a));
        break;
    default: return wlu_fail(f->ctx, WARPLU_INTERNAL, "opcode %d cannot be fused", rec->opcode);
    }
    return WARPLU_SUCCESS;
}

int32_t wlu_fuse_chunk(const wlu_fuse *f, int32_t group)
{
    return group < f->levelled ? group * f->nchunks : f->levelled * f->nchunks + group - f->levelled;
}

/* Order in the program: chunk, level, opcode, longer chains first, emission order. */
static inline uint64_t sort_key(const wlu_fuse *f, const wlu_fused *r)
{
    uint64_t longest_first = (uint64_t)(LENGTHS - 1 - (r->length < LENGTHS ? r->length : LENGTHS - 1));
    uint64_t kind = f->split ? (uint64_t)(r->opcode - WLU_RCP) : 0;
    uint64_t chunk = (uint64_t)wlu_fuse_chunk(f, r->group), level = 0;
    if (r->group < f->levelled) {
        chunk += (uint64_t)(r->finished / f->chunk);
        level = (uint64_t)r->level;
    }
    uint64_t place = chunk << f->level_bits | level;
    return place << (LENGTH_BITS + 2) | kind << LENGTH_BITS | longest_first;
}

static int starts_vector(const wlu_sort_entry *sorted, int64_t k)
{
    return k == 0 || sorted[k].key >> LENGTH_BITS != sorted[k - 1].key >> LENGTH_BITS;
}

static warplu_status make_vectors(wlu_fuse *f, const wlu_sort_entry *sorted, wlu_stream *out)
{
    for (int64_t k = 0; k < f->nrecords; k++) out->nvectors += starts_vector(sorted, k);
    out->vector = WLU_ALLOC(f->ctx, out->nvectors, wlu_vector);
    out->opcode = WLU_ALLOC(f->ctx, f->nrecords, uint8_t);
    out->begin = WLU_ALLOC(f->ctx, f->nrecords + 1, int64_t);
    if (out->vector == NULL || out->opcode == NULL || out->begin == NULL)
        return wlu_fail_memory(f->ctx, "vectors of the program");
    wlu_vector *v = out->vector - 1;
    for (int64_t k = 0; k < f->nrecords; k++) {
        const wlu_fused *r = &f->record[sorted[k].record];
        f->order[k] = (int32_t)sorted[k].record;
        if (starts_vector(sorted, k)) {
            uint64_t place = sorted[k].key >> (LENGTH_BITS + 2);
            int32_t level = (int32_t)(place & (((uint64_t)1 << f->level_bits) - 1));
            *++v = (wlu_vector){(int32_t)(place >> f->level_bits), level, r->opcode, k, 0};
        }
        v->count++;
        if (v->opcode != r->opcode) v->opcode = WLU_OPCODES;
        if (v->count > out->longest_vector) out->longest_vector = v->count;
        out->opcode[k] = r->opcode;
        out->begin[k] = out->nterms;
        out->nterms += r->length;
    }
    out->begin[f->nrecords] = out->nterms;
    return WARPLU_SUCCESS;
}

/* Puts the records into f->order, and into vectors. */
static warplu_status sort_records(wlu_fuse *f, wlu_stream *out)
{
    int64_t n = f->nrecords;
    wlu_sort_entry *entries = WLU_ALLOC(f->ctx, 2 * n, wlu_sort_entry);
    int64_t *count = WLU_ALLOC(f->ctx, WLU_SORT_DIGITS, int64_t);
    f->order = WLU_ALLOC(f->ctx, n, int32_t);
    warplu_status status = WARPLU_SUCCESS;
    if (entries == NULL || count == NULL || f->order == NULL) {
        status = wlu_fail_memory(f->ctx, "order of the program");
    } else {
        while (out->nlevels >> f->level_bits != 0) f->level_bits++;
        for (int64_t r = 0; r < n; r++) entries[r] = (wlu_sort_entry){sort_key(f, &f->record[r]), r};
        status = make_vectors(f, wlu_sort(entries, entries + n, n, count), out);
    }
    wlu_free(f->ctx, entries);
    wlu_free(f->ctx, count);
    return status;
}

/* Ticks of `finished` in a chunk: all of them if the slots stay in the cache anyway. */
static int32_t chunk_ticks(const wlu_fuse *f)
{
    return f->chunk_records > 0 && f->nlogical > f->chunk_slots ? (int32_t)(f->chunk_records >> CLOCK_SHIFT) + 1
                                                                : INT32_MAX;
}

warplu_status wlu_fuse_begin(wlu_fuse *f, wlu_stream *out)
{
    wlu_record *chunk = WLU_ALLOC(f->ctx, CHUNK, wlu_record);
    f->chain = WLU_ALLOC(f->ctx, f->nlogical, int32_t);
    f->record = WLU_ALLOC(f->ctx, f->nlogical, wlu_fused);
    if (chunk == NULL || f->chain == NULL || f->record == NULL) {
        wlu_free(f->ctx, chunk);
        return wlu_fail_memory(f->ctx, "chains of the program");
    }
    for (int64_t k = 0; k < f->nlogical; k++) f->chain[k] = -1;
    warplu_status status = WARPLU_SUCCESS;
    int64_t n;
    while (status == WARPLU_SUCCESS && (n = wlu_emitter_next(f->emitter, chunk, CHUNK)) > 0) {
        for (int64_t k = 0; k < n && status == WARPLU_SUCCESS; k++) status = count_record(f, &chunk[k]);
        if (status == WARPLU_SUCCESS) status = wlu_poll_cancel(f->ctx);
    }
    wlu_free(f->ctx, chunk);
    if (status < 0) return status;
    out->nrecords = f->nrecords;
    f->chunk = chunk_ticks(f);
    f->nchunks = (int32_t)(f->clock >> CLOCK_SHIFT) / f->chunk + 1;
    for (int64_t r = 0; r < f->nrecords; r++)
        if (f->record[r].level > out->nlevels) out->nlevels = f->record[r].level;
    return sort_records(f, out);
}

warplu_status wlu_fuse_finish(wlu_fuse *f, const int32_t *slot, wlu_stream *out, wlu_record *loads)
{
    int64_t nr = f->nrecords;
    wlu_record *chunk = WLU_ALLOC(f->ctx, CHUNK, wlu_record);
    int64_t *cursor = WLU_ALLOC(f->ctx, nr, int64_t);
    out->target = WLU_ALLOC(f->ctx, nr, int32_t);
    out->finished = WLU_ALLOC(f->ctx, nr, int32_t);
    out->start = WLU_ALLOC(f->ctx, nr, int32_t);
    out->divisor = WLU_ALLOC(f->ctx, nr, int32_t);
    out->operand = WLU_ALLOC(f->ctx, 2 * out->nterms, int32_t);
    warplu_status status = WARPLU_SUCCESS;
    if (chunk == NULL || cursor == NULL || out->finished == NULL || out->target == NULL || out->start == NULL || out->divisor == NULL ||
        out->operand == NULL) {
        status = wlu_fail_memory(f->ctx, "operands of the program");
        goto done;
    }
    for (int64_t k = 0; k < nr; k++) {
        const wlu_fused *r = &f->record[f->order[k]];
        out->target[k] = slot[r->target];
        out->finished[k] = r->finished;
        out->start[k] = slot[r->start];
        out->divisor[k] = r->divisor < 0 ? -1 : slot[r->divisor];
        cursor[f->order[k]] = 2 * out->begin[k];
    }
    wlu_emitter_rewind(f->emitter);
    int64_t n;
    while (status == WARPLU_SUCCESS && (n = wlu_emitter_next(f->emitter, chunk, CHUNK)) > 0) {
        for (int64_t k = 0; k < n; k++) {
            if (chunk[k].opcode == WLU_LOAD && loads != NULL) *loads++ = chunk[k];
            if (chunk[k].opcode != WLU_MSUB) continue;
            int64_t *at = &cursor[f->chain[chunk[k].t]];
            out->operand[(*at)++] = slot[chunk[k].a];
            out->operand[(*at)++] = slot[chunk[k].b];
        }
        status = wlu_poll_cancel(f->ctx);
    }
done:
    wlu_free(f->ctx, chunk);
    wlu_free(f->ctx, cursor);
    return status;
}

void wlu_fuse_free(wlu_fuse *f)
{
    wlu_free(f->ctx, f->chain);
    wlu_free(f->ctx, f->record);
    wlu_free(f->ctx, f->order);
}

void wlu_stream_free(wlu_context *ctx, wlu_stream *s)
{
    void *owned[] = {s->vector, s->opcode, s->target, s->start, s->divisor, s->begin, s->operand, s->finished};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) wlu_free(ctx, owned[k]);
    memset(s, 0, sizeof *s);
}

int64_t wlu_stream_bytes(const wlu_stream *s)
{
    return s->nvectors * (int64_t)sizeof *s->vector + s->nrecords * 25 + 8 * s->nterms;
}
