/* Fusing chains of scalar records into levelled DOT streams. See fuse.h. */
#include "program/fuse.h"

#include "base/sort.h"

#include <string.h>

/* LENGTHS: longer chains than this are not told apart when records are ordered. */
enum { CHUNK = 2048, LENGTH_BITS = 11, LENGTHS = 1 << LENGTH_BITS };

/* Scalar records a tick of `finished`: 2^39 records fit 32 bits; records of one tick are ordered by level. */
enum { CLOCK_SHIFT = 8 };

/* Closes the chain of slot a, which a record of this level reads; returns the record's level then. Levels begin anew in
 * each group that is in turn. */
static inline int32_t read_slot(const wlu_fuse *f, const wlu_fused *reader, int32_t level, int32_t a)
{
    int32_t r = f->chain[a];
    if (r < 0) return level;
    wlu_fused *x = &f->record[r];
    x->closed = 1;
    return x->level < level || (f->grouping.in_turn && x->chunk != reader->chunk) ? level : x->level + 1;
}

/* A record of target t, which has none. */
static wlu_fused *make_record(wlu_fuse *f, int32_t t)
{
    f->chain[t] = (int32_t)f->nrecords;
    wlu_fused *made = &f->record[f->nrecords++];
    int32_t group = f->grouping.group != NULL ? f->grouping.group(f->grouping.user, t, f->step) : 0;
    *made = (wlu_fused){.target = t, .start = t, .divisor = -1, .level = 1, .chunk = group, .opcode = WLU_DOT};
    return made;
}

/* What is no term ends a chain, or begins one. */
static warplu_status read_other(wlu_fuse *f, wlu_fused *r, const wlu_record *rec)
{
    const wlu_opcode_info *info = &wlu_opcode_table[rec->opcode];
    if (info->shape == WLU_SHAPE_TS && info->compiled != WLU_NONE) {
        r->start = rec->a;
    } else if (info->shape == WLU_SHAPE_TD && info->compiled != WLU_NONE) {
        r->opcode = (uint8_t)info->compiled;
        r->divisor = rec->a;
    } else {
        return wlu_fail(f->ctx, WARPLU_INTERNAL, "opcode %d cannot be fused", rec->opcode);
    }
    r->level = read_slot(f, r, r->level, rec->a);
    return WARPLU_SUCCESS;
}

static warplu_status count_records(wlu_fuse *f, const wlu_record *rec, int64_t n)
{
    const wlu_fuse in = *f; /* what stays while records are counted */
    int64_t clock = f->clock;
    for (const wlu_record *end = rec + n; rec < end; rec++) {
        if (rec->opcode == WLU_GUARD) f->step = rec->t + 1;
        if (rec->opcode == WLU_LOAD || rec->opcode == WLU_GUARD) continue;
        int32_t at = in.chain[rec->t];
        wlu_fused *r = at >= 0 ? &in.record[at] : make_record(f, rec->t);
        if (r->closed) return wlu_fail(f->ctx, WARPLU_INTERNAL, "slot %d is written after it was read", rec->t);
        r->finished = (int32_t)(clock++ >> CLOCK_SHIFT);
        if (rec->opcode == WLU_MSUB) {
            r->length++;
            r->level = read_slot(&in, r, read_slot(&in, r, r->level, rec->a), rec->b);
        } else {
            warplu_status status = read_other(f, r, rec);
            if (status < 0) return status;
        }
    }
    f->clock = clock;
    return WARPLU_SUCCESS;
}

int32_t wlu_fuse_chunk(const wlu_fuse *f, int32_t group)
{
    return group < f->grouping.levelled ? group * f->nchunks
                                        : f->grouping.levelled * f->nchunks + group - f->grouping.levelled;
}

/* Groups into chunks, of which those that are not levelled have one level. */
static void find_chunks(wlu_fuse *f)
{
    for (int64_t k = 0; k < f->nrecords; k++) {
        wlu_fused *r = &f->record[k];
        int levelled = r->chunk < f->grouping.levelled;
        r->chunk = wlu_fuse_chunk(f, r->chunk) + (levelled && f->nchunks > 1 ? r->finished / f->chunk : 0);
        if (!levelled) r->level = 0;
    }
}

/* Order in the program: chunk, level, opcode, longer chains first, emission order. */
static int32_t chunk_of(const void *fuse, int32_t record)
{
    return ((const wlu_fuse *)fuse)->record[record].chunk;
}

static int32_t level_of(const void *fuse, int32_t record)
{
    return ((const wlu_fuse *)fuse)->record[record].level;
}

static int32_t kind_of(const void *fuse, int32_t record)
{
    const wlu_fuse *f = fuse;
    const wlu_fused *r = &f->record[record];
    return (f->split ? r->opcode - WLU_RCP : 0) << LENGTH_BITS |
           (LENGTHS - 1 - (r->length < LENGTHS ? r->length : LENGTHS - 1));
}

/* Whether number k of the order is the first of a vector. */
static inline int starts_vector(const wlu_fuse *f, int64_t k)
{
    if (k == 0) return 1;
    const wlu_fused *r = &f->record[f->order[k]], *before = &f->record[f->order[k - 1]];
    return r->level != before->level || r->chunk != before->chunk || (f->split && r->opcode != before->opcode);
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
        const wlu_fused *r = &f->record[f->order[k]];
        if (starts_vector(f, k)) *++v = (wlu_vector){r->chunk, r->level, r->opcode, k, 0};
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

/* Puts the records into f->order. */
static warplu_status sort_records(wlu_fuse *f, int32_t nlevels)
{
    int64_t n = f->nrecords, chunks = 1, levels = nlevels + (int64_t)1, kinds = (WLU_OPCODES - WLU_RCP) << LENGTH_BITS;
    for (int64_t r = 0; r < n; r++)
        if (f->record[r].chunk >= chunks) chunks = f->record[r].chunk + (int64_t)1;
    int64_t keys = chunks > levels ? chunks : levels;
    int32_t *order = WLU_ALLOC(f->ctx, n, int32_t), *place = WLU_ALLOC(f->ctx, keys > kinds ? keys : kinds, int32_t);
    f->order = WLU_ALLOC(f->ctx, n, int32_t);
    warplu_status status = WARPLU_SUCCESS;
    if (order == NULL || place == NULL || f->order == NULL) {
        status = wlu_fail_memory(f->ctx, "order of the program");
    } else {
        wlu_sort_by(f, kind_of, kinds, n, NULL, f->order, place);
        wlu_sort_by(f, level_of, levels, n, f->order, order, place);
        wlu_sort_by(f, chunk_of, chunks, n, order, f->order, place);
    }
    wlu_free(f->ctx, order);
    wlu_free(f->ctx, place);
    return status;
}

/* Ticks of `finished` in a chunk: all of them if the slots stay in the cache anyway. */
static int32_t chunk_ticks(const wlu_fuse *f)
{
    return f->chunk_records > 0 && f->emitter->slots > f->chunk_slots ? (int32_t)(f->chunk_records >> CLOCK_SHIFT) + 1
                                                                      : INT32_MAX;
}

warplu_status wlu_fuse_begin(wlu_fuse *f, wlu_stream *out)
{
    wlu_record *chunk = WLU_ALLOC(f->ctx, CHUNK, wlu_record);
    f->chain = WLU_ALLOC(f->ctx, f->emitter->slots, int32_t);
    f->record = WLU_ALLOC(f->ctx, f->emitter->slots, wlu_fused);
    if (chunk == NULL || f->chain == NULL || f->record == NULL) {
        wlu_free(f->ctx, chunk);
        return wlu_fail_memory(f->ctx, "chains of the program");
    }
    for (int64_t k = 0; k < f->emitter->slots; k++) f->chain[k] = -1;
    warplu_status status = WARPLU_SUCCESS;
    int64_t n;
    while (status == WARPLU_SUCCESS && (n = wlu_emitter_next(f->emitter, chunk, CHUNK)) > 0) {
        status = count_records(f, chunk, n);
        if (status == WARPLU_SUCCESS) status = wlu_poll_cancel(f->ctx);
    }
    wlu_free(f->ctx, chunk);
    if (status < 0) return status;
    out->nrecords = f->nrecords;
    f->chunk = chunk_ticks(f);
    f->nchunks = (int32_t)(f->clock >> CLOCK_SHIFT) / f->chunk + 1;
    for (int64_t r = 0; r < f->nrecords; r++)
        if (f->record[r].level > out->nlevels) out->nlevels = f->record[r].level;
    find_chunks(f);
    status = sort_records(f, out->nlevels);
    return status < 0 ? status : make_vectors(f, out);
}

warplu_status wlu_fuse_finish(wlu_fuse *f, const int32_t *slot, wlu_stream *out, wlu_record *loads)
{
    int64_t nr = f->nrecords;
    wlu_record *chunk = WLU_ALLOC(f->ctx, CHUNK, wlu_record);
    int32_t **cursor = WLU_ALLOC(f->ctx, nr, int32_t *); /* where the next pair of each goes */
    out->target = WLU_ALLOC(f->ctx, nr, int32_t);
    out->finished = WLU_ALLOC(f->ctx, nr, int32_t);
    out->start = WLU_ALLOC(f->ctx, nr, int32_t);
    out->divisor = WLU_ALLOC(f->ctx, nr, int32_t);
    out->operand = WLU_ALLOC(f->ctx, 2 * out->nterms, int32_t);
    warplu_status status = WARPLU_SUCCESS;
    if (chunk == NULL || cursor == NULL || out->finished == NULL || out->target == NULL || out->start == NULL ||
        out->divisor == NULL || out->operand == NULL) {
        status = wlu_fail_memory(f->ctx, "operands of the program");
        goto done;
    }
    for (int64_t k = 0; k < nr; k++) {
        const wlu_fused *r = &f->record[f->order[k]];
        out->target[k] = slot[r->target];
        out->finished[k] = r->finished;
        out->start[k] = slot[r->start];
        out->divisor[k] = r->divisor < 0 ? -1 : slot[r->divisor];
        cursor[f->order[k]] = out->operand + 2 * out->begin[k];
    }
    wlu_emitter_rewind(f->emitter);
    int64_t n;
    while (status == WARPLU_SUCCESS && (n = wlu_emitter_next(f->emitter, chunk, CHUNK)) > 0) {
        for (const wlu_record *rec = chunk, *end = chunk + n; rec < end; rec++) {
            if (rec->opcode == WLU_LOAD && loads != NULL) *loads++ = *rec;
            if (rec->opcode != WLU_MSUB) continue;
            int32_t **at = &cursor[f->chain[rec->t]];
            (*at)[0] = slot[rec->a];
            (*at)[1] = slot[rec->b];
            *at += 2;
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
