/* The order of fused records in the program, and their vectors. See fuse.h. Records are sorted by one key, digit by
 * digit, each of about as many values as there are records: O(records) a digit, of which there is mostly one. */
#include "program/fuse.h"

#include <string.h>

/* Longer chains than this are not told apart when records are ordered. */
enum { LENGTHS = 2048 };

int32_t wlu_fuse_chunk(const wlu_fuse *f, int32_t group)
{
    return group < f->grouping.levelled ? group * f->nchunks
                                        : f->grouping.levelled * f->nchunks + group - f->grouping.levelled;
}

/* Groups into chunks, of which those that are not levelled have one level; levels; counts. */
static void find_chunks(wlu_fuse *f, wlu_stream *out)
{
    out->nrecords = f->nrecords;
    for (int64_t k = 0; k < f->nrecords; k++) {
        wlu_fused *r = &f->record[k];
        int levelled = r->chunk < f->grouping.levelled;
        r->chunk = wlu_fuse_chunk(f, r->chunk) + (levelled && f->nchunks > 1 ? r->finished / f->chunk : 0);
        int32_t level = wlu_fuse_level(f->level[r->target]);
        r->level = levelled ? level : 0;
        if (level > out->nlevels) out->nlevels = level;
        out->nterms += r->length;
    }
}

/* Keys of the order in the program: chunk, level, opcode, longer chains first. Returns how many there may be. */
static int64_t find_keys(const wlu_fuse *f, int32_t nlevels, int64_t *key)
{
    int32_t longest = 0, last = 0, levelled = f->grouping.levelled * f->nchunks;
    for (int64_t k = 0; k < f->nrecords; k++) {
        if (f->record[k].length > longest) longest = f->record[k].length;
        if (f->record[k].chunk > last) last = f->record[k].chunk;
    }
    if (longest >= LENGTHS) longest = LENGTHS - 1;
    int64_t kinds = longest + (int64_t)1, levels = nlevels + (int64_t)1;
    int64_t opcodes = f->split ? WLU_OPCODES - WLU_RCP : 1;
    for (int64_t k = 0; k < f->nrecords; k++) {
        const wlu_fused *r = &f->record[k];
        int64_t level = r->chunk < levelled ? r->chunk * levels + r->level : levelled * levels + r->chunk - levelled;
        key[k] = (level * opcodes + (f->split ? r->opcode - WLU_RCP : 0)) * kinds +
                 (r->length < longest ? longest - r->length : 0);
    }
    return (last < levelled ? levelled * levels : levelled * levels + last - levelled + 1) * opcodes * kinds;
}

/* Sorts records 0 .. n - 1 by their keys, digit by digit; stable. Returns one of the two arrays. place: 2^bits. */
static int32_t *sort_records(const int64_t *key, int64_t keys, int64_t n, int bits, int32_t *from, int32_t *to,
                             int32_t *place)
{
    int64_t digits = INT64_C(1) << bits;
    for (int64_t r = 0; r < n; r++) from[r] = (int32_t)r;
    for (int shift = 0; (keys - 1) >> shift > 0; shift += bits) {
        memset(place, 0, (size_t)digits * sizeof *place);
        for (int64_t r = 0; r < n; r++) place[key[r] >> shift & (digits - 1)]++;
        for (int64_t d = 0, sum = 0; d < digits; d++) {
            int32_t count = place[d];
            place[d] = (int32_t)sum;
            sum += count;
        }
        for (int64_t q = 0; q < n; q++) to[place[key[from[q]] >> shift & (digits - 1)]++] = from[q];
        int32_t *sorted = to;
        to = from;
        from = sorted;
    }
    return from;
}

/* The first record of each vector, in the order of the program. Returns how many there are. */
static int64_t find_vectors(const wlu_fuse *f, const int32_t *order, int32_t *first)
{
    int64_t vectors = 0;
    const wlu_fused *before = NULL;
    for (int64_t k = 0; k < f->nrecords; k++) {
        const wlu_fused *r = &f->record[order[k]];
        if (before == NULL || r->level != before->level || r->chunk != before->chunk ||
            (f->split && r->opcode != before->opcode))
            first[vectors++] = (int32_t)k;
        before = r;
    }
    return vectors;
}

static void list_records(wlu_fuse *f, const int32_t *order, wlu_stream *out)
{
    int64_t terms = 0;
    for (int64_t k = 0; k < f->nrecords; k++) {
        const wlu_fused *r = &f->record[order[k]];
        f->term[order[k]] = out->begin[k] = terms;
        out->opcode[k] = r->opcode;
        out->target[k] = r->target;
        out->start[k] = r->start;
        out->divisor[k] = r->divisor;
        out->finished[k] = r->finished;
        terms += r->length;
    }
    out->begin[f->nrecords] = terms;
}

static void list_vectors(wlu_fuse *f, const int32_t *order, const int32_t *first, wlu_stream *out)
{
    for (int64_t v = 0; v < out->nvectors; v++) {
        const wlu_fused *r = &f->record[order[first[v]]];
        int64_t end = v + 1 < out->nvectors ? first[v + 1] : out->nrecords, count = end - first[v];
        out->vector[v] = (wlu_vector){r->chunk, r->level, r->opcode, first[v], count};
        for (int64_t k = first[v]; !f->split && k < end; k++)
            if (out->opcode[k] != r->opcode) out->vector[v].opcode = WLU_OPCODES;
        if (count > out->longest_vector) out->longest_vector = count;
    }
}

/* Digits of about as many values as there are records. */
static int digit_bits(int64_t records)
{
    int bits = 8;
    while (bits < 24 && INT64_C(1) << bits < records) bits++;
    return bits;
}

warplu_status wlu_fuse_order(wlu_fuse *f, wlu_stream *out)
{
    int64_t n = f->nrecords;
    int bits = digit_bits(n);
    int64_t *key = WLU_ALLOC(f->ctx, n, int64_t);
    int32_t *from = WLU_ALLOC(f->ctx, n, int32_t), *to = WLU_ALLOC(f->ctx, n, int32_t);
    int32_t *place = WLU_ALLOC(f->ctx, INT64_C(1) << bits, int32_t);
    f->term = WLU_ALLOC(f->ctx, n, int64_t);
    warplu_status status = WARPLU_SUCCESS;
    if (!key || !from || !to || !place || !f->term) {
        status = wlu_fail_memory(f->ctx, "order of the program");
    } else {
        find_chunks(f, out);
        int32_t *order = sort_records(key, find_keys(f, out->nlevels, key), n, bits, from, to, place);
        int32_t *first = order == from ? to : from;
        out->nvectors = find_vectors(f, order, first);
        status = wlu_stream_allocate(f->ctx, out, out->nvectors, n, out->nterms);
        if (status == WARPLU_SUCCESS) {
            list_records(f, order, out);
            list_vectors(f, order, first, out);
        }
    }
    wlu_free(f->ctx, key);
    wlu_free(f->ctx, from);
    wlu_free(f->ctx, to);
    wlu_free(f->ctx, place);
    return status;
}
