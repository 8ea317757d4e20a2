/* Fusing chains of scalar records into levelled DOT streams. See fuse.h. */
#include "program/fuse.h"

#include "base/sort.h"

#include <string.h>

/* LENGTHS: longer chains than this are not told apart when records are ordered. */
enum { CHUNK = 2048, LENGTH_BITS = 11, LENGTHS = 1 << LENGTH_BITS };

/* Scalar records a tick of `finished`: 2^39 records fit 32 bits; records of one tick are ordered by level. */
enum { CLOCK_SHIFT = 8 };

static warplu_status grow_records(wlu_fuse *f)
{
    int64_t cap = f->capacity * 2 + 1024;
    struct {
        void **array;
        size_t size;
    } arrays[] = {{(void **)&f->target, 4}, {(void **)&f->start, 4},  {(void **)&f->divisor, 4},
                  {(void **)&f->level, 4},  {(void **)&f->length, 4}, {(void **)&f->opcode, 1},
                  {(void **)&f->closed, 1},
                  {(void **)&f->finished, 4},
                  {(void **)&f->of, 4}};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        void *p = wlu_resize(f->ctx, *arrays[k].array, f->nrecords, cap, arrays[k].size);
        if (p == NULL) return wlu_fail_memory(f->ctx, "records of the program");
        *arrays[k].array = p;
    }
    f->capacity = cap;
    return WARPLU_SUCCESS;
}

/* The level at which slot a is ready; closes its chain. */
static inline int32_t read_level(wlu_fuse *f, int32_t a)
{
    int32_t r = f->chain[a];
    if (r < 0) return 0;
    f->closed[r] = 1;
    return f->level[r];
}

/* The open record of target t, made if there is none; -1 out of memory, -2 if t was read before. */
static inline int32_t record_of(wlu_fuse *f, int32_t t)
{
    int32_t r = f->chain[t];
    if (r >= 0) return f->closed[r] ? -2 : r;
    if (f->nrecords == f->capacity && grow_records(f) < 0) return -1;
    r = (int32_t)f->nrecords++;
    f->chain[t] = r;
    f->target[r] = f->start[r] = t;
    f->divisor[r] = -1;
    f->length[r] = 0;
    f->level[r] = 1;
    f->opcode[r] = WLU_DOT;
    f->closed[r] = 0;
    f->of[r] = f->group != NULL ? f->group(f->grouping, t, f->column) : 0;
    return r;
}

static inline void raise(wlu_fuse *f, int32_t r, int32_t operand_level)
{
    if (operand_level >= f->level[r]) f->level[r] = operand_level + 1;
}

static warplu_status count_record(wlu_fuse *f, const wlu_record *rec)
{
    if (rec->opcode == WLU_GUARD) f->column = rec->t + 1;
    if (rec->opcode == WLU_LOAD || rec->opcode == WLU_GUARD) return WARPLU_SUCCESS;
    int32_t r = record_of(f, rec->t);
    if (r == -1) return WARPLU_OUT_OF_MEMORY;
    if (r == -2) return wlu_fail(f->ctx, WARPLU_INTERNAL, "slot %d is written after it was read", rec->t);
    f->finished[r] = (int32_t)(f->clock++ >> CLOCK_SHIFT);
    int32_t d;
    switch (rec->opcode) {
    case WLU_MSUB:
        f->length[r]++;
        raise(f, r, read_level(f, rec->a));
        raise(f, r, read_level(f, rec->b));
        break;
    case WLU_MOVE:
        f->start[r] = rec->a;
        raise(f, r, read_level(f, rec->a));
        break;
    case WLU_DIV:
        d = rec->a + f->reciprocal_offset;
        f->opcode[r] = WLU_DOTS;
        f->divisor[r] = d;
        raise(f, r, read_level(f, d));
        break;
    case WLU_RCP:
        f->opcode[r] = WLU_RCP;
        f->divisor[r] = rec->a;
        raise(f, r, read_level(f, rec->a));
        break;
    default: return wlu_fail(f->ctx, WARPLU_INTERNAL, "opcode %d cannot be fused", rec->opcode);
    }
    return WARPLU_SUCCESS;
}

int32_t wlu_fuse_chunk(const wlu_fuse *f, int32_t group)
{
    return group < f->levelled ? group * f->nchunks : f->levelled * f->nchunks + group - f->levelled;
}

static inline int32_t chunk_of(const wlu_fuse *f, int32_t r)
{
    return wlu_fuse_chunk(f, f->of[r]) + (f->of[r] < f->levelled ? f->finished[r] / f->chunk : 0);
}

/* The level of a record's vector. */
static inline int32_t level_of(const wlu_fuse *f, int32_t r)
{
    return f->of[r] < f->levelled ? f->level[r] : 0;
}

/* Order in the program: chunk, level, opcode, longer chains first, emission order. */
static inline uint64_t sort_key(const wlu_fuse *f, int32_t r)
{
    uint64_t longest_first = (uint64_t)(LENGTHS - 1 - (f->length[r] < LENGTHS ? f->length[r] : LENGTHS - 1));
    uint64_t kind = f->split ? (uint64_t)(f->opcode[r] - WLU_RCP) : 0;
    uint64_t place = (uint64_t)chunk_of(f, r) << f->level_bits | (uint64_t)level_of(f, r);
    return place << (LENGTH_BITS + 2) | kind << LENGTH_BITS | longest_first;
}

/* Puts the records into f->order. */
static warplu_status sort_records(wlu_fuse *f, int32_t nlevels)
{
    int64_t n = f->nrecords;
    wlu_sort_entry *entries = WLU_ALLOC(f->ctx, 2 * n, wlu_sort_entry);
    int64_t *count = WLU_ALLOC(f->ctx, WLU_SORT_DIGITS, int64_t);
    f->order = WLU_ALLOC(f->ctx, n, int32_t);
    warplu_status status = WARPLU_SUCCESS;
    if (entries == NULL || count == NULL || f->order == NULL) {
        status = wlu_fail_memory(f->ctx, "order of the program");
    } else {
        while (nlevels >> f->level_bits != 0) f->level_bits++;
        for (int64_t r = 0; r < n; r++) entries[r] = (wlu_sort_entry){sort_key(f, (int32_t)r), r};
        const wlu_sort_entry *sorted = wlu_sort(entries, entries + n, n, count);
        for (int64_t k = 0; k < n; k++) f->order[k] = (int32_t)sorted[k].record;
    }
    wlu_free(f->ctx, entries);
    wlu_free(f->ctx, count);
    return status;
}

static int starts_vector(const wlu_fuse *f, int64_t at)
{
    if (at == 0) return 1;
    int32_t r = f->order[at], before = f->order[at - 1];
    return chunk_of(f, r) != chunk_of(f, before) || level_of(f, r) != level_of(f, before) ||
           (f->split && f->opcode[r] != f->opcode[before]);
}

static warplu_status make_vectors(wlu_fuse *f, wlu_stream *out)
{
    for (int64_t k = 0; k < f->nrecords; k++) out->nvectors += starts_vector(f, k);
    out->vector = WLU_ALLOC(f->ctx, out->nvectors, wlu_vector);
    out->opcode = WLU_ALLOC(f->ctx, f->nrecords, uint8_t);
    out->begin = WLU_ALLOC(f->ctx, f->nrecords + 1, int64_t);
    if (out->vector == NULL || out->opcode == NULL || out->begin == NULL)
        return wlu_fail_memory(f->ctx, "vectors of the program");
    wlu_vector *v = out->vector - 1;
    for (int64_t k = 0; k < f->nrecords; k++) {
        int32_t r = f->order[k];
        if (starts_vector(f, k)) *++v = (wlu_vector){chunk_of(f, r), level_of(f, r), f->opcode[r], k, 0};
        v->count++;
        if (v->opcode != f->opcode[r]) v->opcode = WLU_OPCODES;
        if (v->count > out->longest_vector) out->longest_vector = v->count;
        out->opcode[k] = f->opcode[r];
        out->begin[k] = out->nterms;
        out->nterms += f->length[r];
    }
    out->begin[f->nrecords] = out->nterms;
    return WARPLU_SUCCESS;
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
    if (chunk == NULL || f->chain == NULL) {
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
        if (f->level[r] > out->nlevels) out->nlevels = f->level[r];
    status = sort_records(f, out->nlevels);
    return status < 0 ? status : make_vectors(f, out);
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
        int32_t r = f->order[k];
        out->target[k] = slot[f->target[r]];
        out->finished[k] = f->finished[r];
        out->start[k] = slot[f->start[r]];
        out->divisor[k] = f->divisor[r] < 0 ? -1 : slot[f->divisor[r]];
        cursor[r] = 2 * out->begin[k];
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
    void *owned[] = {f->chain,  f->target, f->start,  f->divisor, f->level,
                     f->length, f->opcode, f->closed, f->order,
                     f->finished, f->of};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) wlu_free(f->ctx, owned[k]);
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
