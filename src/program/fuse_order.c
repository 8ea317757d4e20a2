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

/* Groups into chunks, of which those that are not levelled have one level; levels; counts; which lengths there are. */
static void find_chunks(wlu_fuse *f, wlu_stream *out, int32_t *rank)
{
    int64_t terms = 0;
    int32_t highest = 0, levelled = f->grouping.levelled;
    out->nrecords = f->nrecords;
    for (wlu_fused *r = f->record, *end = r + f->nrecords; r < end; r++) {
        int32_t level = wlu_fuse_level(f->level[r->target]);
        if (level > highest) highest = level;
        terms += r->length;
        rank[r->length < LENGTHS ? LENGTHS - 1 - r->length : 0] = 1;
        r->level = r->chunk < levelled ? level : 0;
        if (f->nchunks == 1) continue; /* groups are chunks */
        int32_t chunk = r->chunk < levelled ? r->finished / f->chunk : 0;
        r->chunk = wlu_fuse_chunk(f, r->chunk) + chunk;
    }
    out->nlevels = highest;
    out->nterms = terms;
}

/* Keys of the order in the program: chunk, level, opcode, longer chains first. Returns how many there may be. */
static int64_t find_keys(const wlu_fuse *f, int32_t nlevels, int32_t *rank, int64_t *key)
{
    int64_t lengths = 0, levels = nlevels + (int64_t)1, levelled = f->grouping.levelled * (int64_t)f->nchunks;
    int64_t opcodes = f->split ? WLU_OPCODES - WLU_RCP : 1, last = -1;
    for (int k = 0; k < LENGTHS; k++) {
        int there = rank[k];
        rank[k] = (int32_t)lengths;
        lengths += there;
    }
    for (int64_t k = 0; k < f->nrecords; k++) {
        const wlu_fused *r = &f->record[k];
        int64_t place = r->chunk < levelled ? r->chunk * levels + r->level : levelled * (levels - 1) + r->chunk;
        if (place > last) last = place;
        if (f->split) place = place * opcodes + r->opcode - WLU_RCP;
        key[k] = place * lengths + rank[r->length < LENGTHS ? LENGTHS - 1 - r->length : 0];
    }
    return (last + 1) * opcodes * lengths;
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

/* One digit where it has at most four values a record, else digits of about as many values as there are records. */
static int digit_bits(int64_t keys, int64_t records)
{
    int one = 0, bits = 8;
    while ((keys - 1) >> one > 0) one++;
    while (bits < 24 && INT64_C(1) << bits < records) bits++;
    return one <= bits + 2 ? one : bits;
}

/* Sorts, then lists. key, from, to: nrecords. */
static warplu_status put_in_order(wlu_fuse *f, int64_t *key, int32_t *from, int32_t *to, wlu_stream *out)
{
    int32_t rank[LENGTHS] = {0};
    find_chunks(f, out, rank);
    int64_t keys = find_keys(f, out->nlevels, rank, key);
    int bits = digit_bits(keys, f->nrecords);
    int32_t *place = WLU_ALLOC(f->ctx, INT64_C(1) << bits, int32_t);
    if (place == NULL) return wlu_fail_memory(f->ctx, "order of the program");
    int32_t *order = sort_records(key, keys, f->nrecords, bits, from, to, place), *first = order == from ? to : from;
    wlu_free(f->ctx, place);
    out->nvectors = find_vectors(f, order, first);
    warplu_status status = wlu_stream_allocate(f->ctx, out, out->nvectors, out->nrecords, out->nterms);
    if (status < 0) return status;
    list_records(f, order, out);
    list_vectors(f, order, first, out);
    return WARPLU_SUCCESS;
}

warplu_status wlu_fuse_order(wlu_fuse *f, wlu_stream *out)
{
    int64_t *key = WLU_ALLOC(f->ctx, f->nrecords, int64_t);
    int32_t *from = WLU_ALLOC(f->ctx, f->nrecords, int32_t), *to = WLU_ALLOC(f->ctx, f->nrecords, int32_t);
    f->term = WLU_ALLOC(f->ctx, f->nrecords, int64_t);
    warplu_status status = WARPLU_SUCCESS;
    if (!key || !from || !to || !f->term)
        status = wlu_fail_memory(f->ctx, "order of the program");
    else
        status = put_in_order(f, key, from, to, out);
    wlu_free(f->ctx, key);
    wlu_free(f->ctx, from);
    wlu_free(f->ctx, to);
    return status;
}
