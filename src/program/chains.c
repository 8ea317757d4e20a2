/* The order of chains in the program, and their vectors. See chains.h. */
#include "program/chains.h"

#include <string.h>

warplu_status wlu_chains_allocate(wlu_chains *c, int64_t most)
{
    c->chain = WLU_ALLOC(c->ctx, most, wlu_chain);
    return c->chain != NULL ? WARPLU_SUCCESS : wlu_fail_memory(c->ctx, "chains of the program");
}

void wlu_chains_free(wlu_chains *c)
{
    wlu_free(c->ctx, c->chain);
    wlu_free(c->ctx, c->term);
}

int32_t wlu_chains_chunk(const wlu_chains *c, int32_t group)
{
    return group < c->levelled ? group * c->nchunks : c->levelled * c->nchunks + group - c->levelled;
}

/* Keys of the order in the program: chunk, level, opcode, and in the lowest bits longer chains first. */
typedef struct key_parts {
    int32_t rank[WLU_CHAIN_LENGTHS]; /* of a length, the longest first */
    int32_t kind[WLU_OPCODES];       /* of an opcode; all 0 where vectors mix them */
    int64_t kinds, levels;           /* opcodes; levels that a chunk of a levelled group has */
    int64_t levelled;                /* places of all of these; each of the other groups has one behind them */
    int length_bits;
    int64_t keys; /* not more than so many */
} key_parts;

static int bits_of(int64_t count)
{
    int bits = 0;
    while ((count - 1) >> bits > 0) bits++;
    return bits;
}

static void find_parts(const wlu_chains *c, key_parts *k)
{
    int32_t lengths = 0, kinds = 0;
    for (int length = WLU_CHAIN_LENGTHS - 1; length >= 0; length--) {
        k->rank[length] = lengths;
        lengths += c->there[length];
    }
    for (int opcode = 0; opcode < WLU_OPCODES; opcode++) {
        k->kind[opcode] = c->split ? kinds : 0;
        kinds += c->used[opcode];
    }
    k->kinds = c->split && kinds > 0 ? kinds : 1;
    k->levels = c->nlevels + (int64_t)1;
    k->levelled = c->levelled * (int64_t)c->nchunks * k->levels;
    k->length_bits = bits_of(lengths);
    k->keys = ((k->levelled + c->groups - c->levelled) * k->kinds) << k->length_bits;
}

/* Groups become chunks; those that are not levelled have one level. */
static void find_keys(const wlu_chains *c, const key_parts *k, int64_t *key)
{
    const int32_t levelled = c->levelled, nchunks = c->nchunks;
    for (int64_t n = 0, count = c->count; n < count; n++) {
        wlu_chain *r = &c->chain[n];
        int32_t group = r->chunk, length = r->length < WLU_CHAIN_LENGTHS ? r->length : WLU_CHAIN_LENGTHS - 1;
        int64_t place = k->levelled + group - levelled;
        if (nchunks > 1) r->chunk = wlu_chains_chunk(c, group) + (group < levelled ? r->finished / c->ticks : 0);
        if (group < levelled)
            place = r->chunk * k->levels + r->level;
        else
            r->level = 0;
        key[n] = (place * k->kinds + k->kind[r->opcode]) << k->length_bits | k->rank[length];
    }
}

/* Sorts numbers 0 .. n - 1 by their keys, digit by digit; stable. Returns one of the two arrays. place: 2^bits. */
static int32_t *sort_chains(const int64_t *key, int64_t keys, int64_t n, int bits, int32_t *from, int32_t *to,
                            int32_t *place)
{
    int64_t digits = keys < INT64_C(1) << bits ? keys : INT64_C(1) << bits, mask = (INT64_C(1) << bits) - 1;
    for (int64_t r = 0; r < n && keys <= 1; r++) from[r] = (int32_t)r;
    for (int shift = 0; (keys - 1) >> shift > 0; shift += bits) {
        memset(place, 0, (size_t)digits * sizeof *place);
        for (int64_t r = 0; r < n; r++) place[key[r] >> shift & mask]++;
        for (int64_t d = 0, sum = 0; d < digits; d++) {
            int32_t count = place[d];
            place[d] = (int32_t)sum;
            sum += count;
        }
        if (shift == 0)
            for (int64_t q = 0; q < n; q++) to[place[key[q] & mask]++] = (int32_t)q;
        else
            for (int64_t q = 0; q < n; q++) to[place[key[from[q]] >> shift & mask]++] = from[q];
        int32_t *sorted = to;
        to = from;
        from = sorted;
    }
    return from;
}

/* Lists the chains as records in this order, and the first one of each vector. */
static void list_records(wlu_chains *c, const int32_t *order, int length_bits, int32_t *first, wlu_stream *out)
{
    const wlu_stream to = *out;
    int64_t *term = c->term, terms = 0, vectors = 0, before = -1; /* term: keys until now */
    for (int64_t k = 0; k < to.nrecords; k++) {
        const wlu_chain *r = &c->chain[order[k]];
        int64_t vector = term[order[k]] >> length_bits;
        if (vector != before) first[vectors++] = (int32_t)k;
        before = vector;
        term[order[k]] = to.begin[k] = terms;
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

static warplu_status list_vectors(const wlu_chains *c, const int32_t *order, const int32_t *first, wlu_stream *out)
{
    out->vector = WLU_ALLOC(c->ctx, out->nvectors, wlu_vector);
    if (out->vector == NULL) return wlu_fail_memory(c->ctx, "vectors of the program");
    for (int64_t v = 0; v < out->nvectors; v++) {
        const wlu_chain *r = &c->chain[order[first[v]]];
        int64_t end = v + 1 < out->nvectors ? first[v + 1] : out->nrecords, count = end - first[v];
        out->vector[v] = (wlu_vector){r->chunk, r->level, r->opcode, first[v], count};
        for (int64_t k = first[v]; !c->split && k < end; k++)
            if (out->opcode[k] != r->opcode) out->vector[v].opcode = WLU_OPCODES;
        if (count > out->longest_vector) out->longest_vector = count;
    }
    return WARPLU_SUCCESS;
}

/* One digit where its places are no more work than another digit, else digits of about as many values as there are
 * chains. */
static int digit_bits(int64_t keys, int64_t chains)
{
    int one = bits_of(keys), bits = 4;
    while (bits < 24 && INT64_C(1) << bits < chains) bits++;
    return one <= bits + 1 ? one : bits;
}

/* Sorts, then lists. from, to: as many as there are chains. */
static warplu_status put_in_order(wlu_chains *c, int32_t *from, int32_t *to, wlu_stream *out)
{
    key_parts parts;
    find_parts(c, &parts);
    find_keys(c, &parts, c->term);
    int64_t keys = parts.keys;
    int bits = digit_bits(keys, c->count);
    int32_t *place = WLU_ALLOC(c->ctx, INT64_C(1) << bits, int32_t);
    if (place == NULL) return wlu_fail_memory(c->ctx, "order of the program");
    int32_t *order = sort_chains(c->term, keys, c->count, bits, from, to, place), *first = order == from ? to : from;
    wlu_free(c->ctx, place);
    warplu_status status = wlu_stream_allocate(c->ctx, out, c->count, c->terms);
    if (status < 0) return status;
    out->nrecords = c->count;
    out->nterms = c->terms;
    out->nlevels = c->nlevels;
    list_records(c, order, parts.length_bits, first, out);
    return list_vectors(c, order, first, out);
}

warplu_status wlu_chains_order(wlu_chains *c, wlu_stream *out)
{
    int32_t *from = WLU_ALLOC(c->ctx, c->count, int32_t), *to = WLU_ALLOC(c->ctx, c->count, int32_t);
    c->term = WLU_ALLOC(c->ctx, c->count, int64_t);
    c->nchunks = c->ticks > 0 ? (int32_t)(c->clock >> WLU_CHAIN_TICK) / c->ticks + 1 : 1;
    warplu_status status = WARPLU_SUCCESS;
    if (!from || !to || !c->term)
        status = wlu_fail_memory(c->ctx, "order of the program");
    else
        status = put_in_order(c, from, to, out);
    wlu_free(c->ctx, from);
    wlu_free(c->ctx, to);
    return status;
}
