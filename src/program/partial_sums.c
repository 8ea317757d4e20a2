/* Cutting very long chains into partial sums. See partial_sums.h. */
#include "program/partial_sums.h"

#include <string.h>

#include "program/program.h"

typedef struct cutter {
    const wlu_program *p;
    const wlu_stream *from;
    wlu_stream to;        /* the counts: what has been put */
    int32_t tiles;        /* first chunk of records into panels */
    const int64_t *chain; /* records that are cut, ascending, */
    int64_t chains, next; /* so many; the first of the segment at hand */
    int32_t
        *inserted; /* by level of a segment, from 1: whether its chains are cut, then how many levels come before it */
    int32_t sum, product; /* next slots of partial sums: to be written, and read */
} cutter;

warplu_status wlu_long_chains_find(wlu_context *ctx, const wlu_cost *cost, const wlu_stream *s, wlu_long_chains *out)
{
    int64_t most = cost->record_terms;
    if (most == 0) return WARPLU_SUCCESS;
    out->chain = WLU_ALLOC(ctx, s->nterms / most, int64_t);
    if (out->chain == NULL) return wlu_fail_memory(ctx, "chains in partial sums");
    for (int64_t r = 0; r < s->nrecords; r++) {
        int64_t sums = wlu_cost_partial_sums(cost, wlu_stream_terms(s, r));
        if (sums == 0) continue;
        out->chain[out->count++] = r;
        out->sums += sums;
    }
    return WARPLU_SUCCESS;
}

/* The first chain from number k on that is not before record r. */
static int64_t chain_behind(const cutter *c, int64_t k, int64_t r)
{
    while (k < c->chains && c->chain[k] < r) k++;
    return k;
}

/* ----------------------------------------------------------------- records */

static void put_vector(cutter *c, wlu_vector like, int32_t level, int opcode)
{
    like.level = level;
    like.opcode = opcode;
    like.first = c->to.nrecords;
    like.count = 0;
    c->to.vector[c->to.nvectors++] = like;
}

/* The last vector ends with the last record. */
static void end_vector(cutter *c)
{
    wlu_vector *v = &c->to.vector[c->to.nvectors - 1];
    v->count = c->to.nrecords - v->first;
    if (v->count > c->to.longest_vector) c->to.longest_vector = v->count;
}

/* Terms of the last record: count of those of record r, from number `at` on. */
static void put_terms(cutter *c, int64_t r, int64_t at, int64_t count)
{
    const wlu_stream *from = c->from;
    memcpy(c->to.operand + 2 * c->to.nterms, from->operand + 2 * (from->begin[r] + at),
           2 * (size_t)count * sizeof *from->operand);
    c->to.nterms += count;
    c->to.begin[c->to.nrecords] = c->to.nterms;
}

/* Records r .. end - 1 as they are. */
static void put_records(cutter *c, int64_t r, int64_t end)
{
    const wlu_stream *from = c->from;
    wlu_stream *to = &c->to;
    size_t count = (size_t)(end - r), terms = (size_t)(from->begin[end] - from->begin[r]);
    int64_t at = to->nrecords, shift = to->nterms - from->begin[r];
    memcpy(to->opcode + at, from->opcode + r, count * sizeof *to->opcode);
    memcpy(to->target + at, from->target + r, count * sizeof *to->target);
    memcpy(to->start + at, from->start + r, count * sizeof *to->start);
    memcpy(to->divisor + at, from->divisor + r, count * sizeof *to->divisor);
    memcpy(to->finished + at, from->finished + r, count * sizeof *to->finished);
    memcpy(to->operand + 2 * to->nterms, from->operand + 2 * from->begin[r], 2 * terms * sizeof *to->operand);
    for (int64_t k = 0; k < end - r; k++) to->begin[at + k + 1] = from->begin[r + k + 1] + shift;
    to->nrecords += end - r;
    to->nterms += (int64_t)terms;
}

/* A record that like record r was finished, with the terms that are put next. */
static void put_record(cutter *c, int64_t r, int opcode, int32_t target, int32_t start, int32_t divisor)
{
    int64_t at = c->to.nrecords++;
    c->to.opcode[at] = (uint8_t)opcode;
    c->to.target[at] = target;
    c->to.start[at] = start;
    c->to.divisor[at] = divisor;
    c->to.finished[at] = c->from->finished[r];
}

/* The partial sums of chains k .. end - 1, as a vector like this one. */
static void put_sums(cutter *c, wlu_vector like, int32_t level, int64_t k, int64_t end)
{
    put_vector(c, like, level, WLU_DOT);
    for (; k < end; k++) {
        int64_t r = c->chain[k], terms = wlu_stream_terms(c->from, r),
                each = wlu_cost_partial_sum_terms(c->p->cost, terms);
        for (int64_t q = 0, sums = wlu_cost_partial_sums(c->p->cost, terms); q < sums; q++) {
            put_record(c, r, WLU_DOT, c->sum++, (int32_t)c->p->zero, -1);
            put_terms(c, r, q * each, each);
        }
    }
    end_vector(c);
}

/* The record of a chain that is cut, with the terms that no partial sum has. What is ready last comes before the sums:
 * these take a handoff. */
static void put_rest(cutter *c, int64_t r)
{
    const wlu_stream *s = c->from;
    int64_t terms = wlu_stream_terms(s, r), sums = wlu_cost_partial_sums(c->p->cost, terms),
            done = sums * wlu_cost_partial_sum_terms(c->p->cost, terms);
    put_record(c, r, s->opcode[r], s->target[r], s->start[r], s->divisor[r]);
    put_terms(c, r, done, terms - done);
    for (int64_t k = 0; k < sums; k++) {
        int32_t *pair = c->to.operand + 2 * c->to.nterms++;
        pair[0] = (int32_t)c->p->minus_one;
        pair[1] = c->product++;
    }
    c->to.begin[c->to.nrecords] = c->to.nterms;
}

/* ----------------------------------------------------------------- vectors */

static int64_t records_end(const wlu_vector *v)
{
    return v->first + v->count;
}

/* A vector whose partial sums have been put; k: the first chain that is not before it. */
static void put_rests(cutter *c, const wlu_vector *v, int32_t level, int64_t k)
{
    int64_t r = v->first, end = records_end(v);
    put_vector(c, *v, level, v->opcode);
    for (; k < c->chains && c->chain[k] < end; k++) {
        put_records(c, r, c->chain[k]);
        put_rest(c, c->chain[k]);
        r = c->chain[k] + 1;
    }
    put_records(c, r, end);
    end_vector(c);
}

/* The vector behind those of v's chunk and level. */
static int64_t level_end(const wlu_stream *s, int64_t v)
{
    int64_t end = v + 1;
    while (end < s->nvectors && s->vector[end].chunk == s->vector[v].chunk &&
           s->vector[end].level == s->vector[v].level)
        end++;
    return end;
}

/* Vectors first .. end - 1, whose levels are those of one segment: how many levels come before each, in c->inserted.
 * Returns how many are inserted. */
static int32_t insert_levels(cutter *c, int64_t first, int64_t end)
{
    const wlu_stream *s = c->from;
    int64_t k = c->next;
    int32_t highest = 0, levels = 0;
    memset(c->inserted, 0, ((size_t)s->nlevels + 1) * sizeof *c->inserted);
    for (int64_t v = first; v < end; v++) {
        int64_t behind = chain_behind(c, k, records_end(&s->vector[v]));
        if (s->vector[v].level > highest) highest = s->vector[v].level;
        if (behind > k) c->inserted[s->vector[v].level] = 1;
        k = behind;
    }
    for (int32_t level = 1; level <= highest; level++) {
        levels += c->inserted[level];
        c->inserted[level] = levels;
    }
    return levels;
}

/* Levelled vectors first .. end - 1 of one segment. */
static void put_levels(cutter *c, int64_t first, int64_t end)
{
    const wlu_stream *s = c->from;
    c->to.nlevels += insert_levels(c, first, end);
    for (int64_t v = first; v < end;) {
        int64_t behind = level_end(s, v), chains = chain_behind(c, c->next, records_end(&s->vector[behind - 1]));
        int32_t level = s->vector[v].level + c->inserted[s->vector[v].level];
        if (chains > c->next) put_sums(c, s->vector[v], level - 1, c->next, chains);
        for (; v < behind; v++) put_rests(c, &s->vector[v], level, chain_behind(c, c->next, s->vector[v].first));
        c->next = chains;
    }
}

/* Vectors into panels, behind all others: v and those that follow. What goes into them may be of any part. */
static void put_panels(cutter *c, int64_t v)
{
    const wlu_stream *s = c->from;
    if (c->next < c->chains) {
        const wlu_vector top = {.chunk = c->p->parts > 1 ? c->tiles - 1 : s->vector[v - 1].chunk};
        int32_t level = c->to.vector[c->to.nvectors - 1].level + 1;
        put_sums(c, top, level, c->next, c->chains);
        if (level > c->to.nlevels) c->to.nlevels = level;
    }
    for (; v < s->nvectors; v++) {
        c->next = chain_behind(c, c->next, s->vector[v].first);
        put_rests(c, &s->vector[v], s->vector[v].level, c->next);
    }
}

/* The segments of a solve, whose levels begin anew in each; or the factorization. */
static void put_stream(cutter *c, wlu_triangular *t)
{
    const wlu_stream *s = c->from;
    int64_t first = 0;
    c->to.nlevels = s->nlevels;
    for (int32_t k = 0; t != NULL && k <= t->regions; k++) {
        int64_t end = t->segment[k + 1];
        put_levels(c, first, end);
        t->segment[k + 1] = c->to.nvectors;
        first = end;
    }
    if (t != NULL) return;
    while (first < s->nvectors && s->vector[first].chunk < c->tiles) first++;
    put_levels(c, 0, first);
    put_panels(c, first);
}

/* ------------------------------------------------------------------- stream */

/* Each cut chain has a vector of sums at most. */
warplu_status wlu_partial_sums_cut(wlu_context *ctx, const wlu_program *p, const wlu_long_chains *chains, int32_t tiles,
                                   wlu_stream *stream, wlu_triangular *t)
{
    int64_t first = t != NULL ? p->solve_sums : p->sums, end = t != NULL ? p->nslots : p->y;
    cutter c = {.p = p,
                .from = stream,
                .tiles = tiles,
                .chain = chains->chain,
                .chains = chains->count,
                .sum = (int32_t)first,
                .product = (int32_t)first};
    if (first + chains->sums > end)
        return wlu_fail(ctx, WARPLU_INTERNAL, "%lld partial sums have no slots", (long long)chains->sums);
    c.inserted = WLU_ALLOC(ctx, (int64_t)stream->nlevels + 1, int32_t);
    warplu_status status =
        wlu_stream_allocate(ctx, &c.to, stream->nrecords + chains->sums, stream->nterms + chains->sums);
    c.to.vector = WLU_ALLOC(ctx, stream->nvectors + chains->count, wlu_vector);
    if (status == WARPLU_SUCCESS && (c.inserted == NULL || c.to.vector == NULL))
        status = wlu_fail_memory(ctx, "partial sums of the program");
    if (status == WARPLU_SUCCESS) {
        put_stream(&c, t);
        wlu_stream_free(ctx, stream);
        *stream = c.to;
    } else {
        wlu_stream_free(ctx, &c.to);
    }
    wlu_free(ctx, c.inserted);
    return status;
}
