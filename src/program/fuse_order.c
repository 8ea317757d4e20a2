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

/* Groups into chunks, of which those that are not levelled have one level; levels; counts. key: of each record its
 * length, as far as lengths are told apart; there: which of these there are. */
static void find_chunks(wlu_fuse *f, wlu_stream *out, int64_t *key, int32_t *there)
{
    const int32_t *of_slot = f->level;
    wlu_fused *record = f->record;
    int64_t terms = 0, count = f->nrecords;
    int32_t highest = 0, levelled = f->grouping.levelled, nchunks = f->nchunks;
    for (int64_t k = 0; k < count; k++) {
        wlu_fused *r = &record[k];
        int32_t level = wlu_fuse_level(of_slot[r->target]), length = r->length < LENGTHS ? r->length : LENGTHS - 1;
        highest = level > highest ? level : highest;
        terms += r->length;
        key[k] = length;
        there[length] = 1;
        r->level = r->chunk < levelled ? level : 0;
        if (nchunks == 1) continue; /* groups are chunks */
        int32_t chunk = r->chunk < levelled ? r->finished / f->chunk : 0;
        r->chunk = wlu_fuse_chunk(f, r->chunk) + chunk;
    }
    out->nrecords = count;
    out->nlevels = highest;
    out->nterms = terms;
}

/* Keys of the order in the program: chunk, level, opcode, longer chains first. there: turned into the order of lengths.
 * Returns how many keys there may be. */
static int64_t find_keys(const wlu_fuse *f, int32_t nlevels, int64_t *key, int32_t *there)
{
    const wlu_fused *record = f->record;
    int64_t lengths = 0, levels = nlevels + (int64_t)1, levelled = f->grouping.levelled * (int64_t)f->nchunks;
    int64_t kinds = f->split ? WLU_OPCODES - WLU_RCP : 1, last = 0, first_kind = f->split ? WLU_RCP : 0;
    for (int length = LENGTHS - 1; length >= 0; length--) {
        int more = there[length];
        there[length] = (int32_t)lengths;
        lengths += more;
    }
    for (int64_t k = 0, count = f->nrecords; k < count; k++) {
        const wlu_fused *r = &record[k];
        int64_t place = r->chunk < levelled ? r->chunk * levels + r->level : levelled * (levels - 1) + r->chunk;
        last = place > last ? place : last;
        place = place * kinds + (f->split ? r->opcode : 0) - first_kind;
        key[k] = place * lengths + there[key[k]];
    }
    return (last + 1) * kinds * lengths;
}

/* Sorts records 0 .. n - 1 by their keys, digit by digit; stable. Returns one of the two arrays. place: 2^bits. */
static int32_t *sort_records(const int64_t *key, int64_t keys, int64_t n, int bits, int32_t *from, int32_t *to,
                             int32_t *place)
{
    int64_t digits = INT64_C(1) << bits;
    for (int64_t r = 0; r < n && keys == 1; r++) from[r] = (int32_t)r;
    for (int shift = 0; (keys - 1) >> shift > 0; shift += bits) {
        memset(place, 0, (size_t)digits * sizeof *place);
        for (int64_t r = 0; r < n; r++) place[key[r] >> shift & (digits - 1)]++;
        for (int64_t d = 0, sum = 0; d < digits; d++) {
            int32_t count = place[d];
            place[d] = (int32_t)sum;
            sum += count;
        }
        if (shift == 0)
            for (int64_t q = 0; q < n; q++) to[place[key[q] & (digits - 1)]++] = (int32_t)q;
        else
            for (int64_t q = 0; q < n; q++) to[place[key[from[q]] >> shift & (digits - 1)]++] = from[q];
        int32_t *sorted = to;
        to = from;
        from = sorted;
    }
    return from;
}

/* Lists the records in this order, and the first one of each vector. */
static void list_records(wlu_fuse *f, const int32_t *order, int32_t *first, wlu_stream *out)
{
    const wlu_fused *record = f->record, *before = NULL;
    const wlu_stream to = *out;
    int64_t *term = f->term, terms = 0, vectors = 0; /* where keys were, which are of no more use */
    for (int64_t k = 0; k < to.nrecords; k++) {
        int32_t number = order[k];
        const wlu_fused *r = &record[number];
        if (before == NULL || r->level != before->level || r->chunk != before->chunk ||
            (f->split && r->opcode != before->opcode))
            first[vectors++] = (int32_t)k;
        before = r;
        term[number] = to.begin[k] = terms;
        to.opcode[k] = r->opcode;
        to.target[k] = r->target;
        to.start[k] = r->start;
        to.divisor[k] = r->divisor;
        to.finished[k] = r->finished;
        terms += r->length;
    }
    to.begin[to.nrecords] = terms;
    out->nvectors = vectors;
}

static warplu_status list_vectors(wlu_fuse *f, const int32_t *order, const int32_t *first, wlu_stream *out)
{
    out->vector = WLU_ALLOC(f->ctx, out->nvectors, wlu_vector);
    if (out->vector == NULL) return wlu_fail_memory(f->ctx, "vectors of the program");
    for (int64_t v = 0; v < out->nvectors; v++) {
        const wlu_fused *r = &f->record[order[first[v]]];
        int64_t end = v + 1 < out->nvectors ? first[v + 1] : out->nrecords, count = end - first[v];
        out->vector[v] = (wlu_vector){r->chunk, r->level, r->opcode, first[v], count};
        for (int64_t k = first[v]; !f->split && k < end; k++)
            if (out->opcode[k] != r->opcode) out->vector[v].opcode = WLU_OPCODES;
        if (count > out->longest_vector) out->longest_vector = count;
    }
    return WARPLU_SUCCESS;
}

/* One digit where its places are no more work than another digit, else digits of about as many values as there are
 * records. */
static int digit_bits(int64_t keys, int64_t records)
{
    int one = 0, bits = 8;
    while ((keys - 1) >> one > 0) one++;
    while (bits < 24 && INT64_C(1) << bits < records) bits++;
    return one <= bits + 1 ? one : bits;
}

/* Sorts, then lists. key: the records' terms later; from, to: nrecords. */
static warplu_status put_in_order(wlu_fuse *f, int64_t *key, int32_t *from, int32_t *to, wlu_stream *out)
{
    int32_t there[LENGTHS] = {0};
    find_chunks(f, out, key, there);
    int64_t keys = find_keys(f, out->nlevels, key, there);
    int bits = digit_bits(keys, f->nrecords);
    int32_t *place = WLU_ALLOC(f->ctx, INT64_C(1) << bits, int32_t);
    if (place == NULL) return wlu_fail_memory(f->ctx, "order of the program");
    int32_t *order = sort_records(key, keys, f->nrecords, bits, from, to, place), *first = order == from ? to : from;
    wlu_free(f->ctx, place);
    warplu_status status = wlu_stream_allocate(f->ctx, out, out->nrecords, out->nterms);
    if (status < 0) return status;
    list_records(f, order, first, out);
    return list_vectors(f, order, first, out);
}

warplu_status wlu_fuse_order(wlu_fuse *f, wlu_stream *out)
{
    int32_t *from = WLU_ALLOC(f->ctx, f->nrecords, int32_t), *to = WLU_ALLOC(f->ctx, f->nrecords, int32_t);
    f->term = WLU_ALLOC(f->ctx, f->nrecords, int64_t);
    warplu_status status = WARPLU_SUCCESS;
    if (!from || !to || !f->term)
        status = wlu_fail_memory(f->ctx, "order of the program");
    else
        status = put_in_order(f, f->term, from, to, out);
    wlu_free(f->ctx, from);
    wlu_free(f->ctx, to);
    return status;
}
