/* Cutting very long chains into partial sums. See pieces.h. */
#include "program/pieces.h"

#include <string.h>

#include "program/fuse.h"

typedef struct cutter {
    const wlu_program *p;
    const wlu_stream *from;
    wlu_stream to;     /* the counts: what has been put */
    int32_t tiles;     /* first chunk of records into panels */
    int32_t *inserted; /* by level of a part, from 1 on: whether chains of it are cut, then how many levels come before it */
    int32_t sum, product; /* next slots of partial sums: to be written, and read */
} cutter;

/* Chains that are cut, their partial sums. */
typedef struct tally {
    int64_t chains, sums;
} tally;

static int64_t terms_of(const wlu_stream *s, int64_t r)
{
    return s->begin[r + 1] - s->begin[r];
}

static int64_t pieces_of(const cutter *c, int64_t r)
{
    return wlu_cost_pieces(c->p->cost, terms_of(c->from, r));
}

static tally count_pieces(const cutter *c, int64_t first, int64_t end)
{
    tally all = {0};
    for (int64_t r = first; r < end; r++) {
        int64_t pieces = pieces_of(c, r);
        all.chains += pieces > 0;
        all.sums += pieces;
    }
    return all;
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

/* A record of the last vector, without terms as yet. */
static void put_record(cutter *c, int64_t like, int opcode, int32_t target, int32_t start, int32_t divisor)
{
    wlu_stream *s = &c->to;
    int64_t r = s->nrecords++;
    wlu_vector *v = &s->vector[s->nvectors - 1];
    s->opcode[r] = (uint8_t)opcode;
    s->target[r] = target;
    s->start[r] = start;
    s->divisor[r] = divisor;
    s->finished[r] = c->from->finished[like];
    s->begin[r + 1] = s->begin[r];
    if (++v->count > s->longest_vector) s->longest_vector = v->count;
}

/* Terms of the last record: count of those of record r, from number `at` on. */
static void put_terms(cutter *c, int64_t r, int64_t at, int64_t count)
{
    const wlu_stream *from = c->from;
    memcpy(c->to.operand + 2 * c->to.nterms, from->operand + 2 * (from->begin[r] + at), 2 * (size_t)count * sizeof *from->operand);
    c->to.nterms += count;
    c->to.begin[c->to.nrecords] = c->to.nterms;
}

static void put_product(cutter *c)
{
    int32_t *pair = c->to.operand + 2 * c->to.nterms++;
    pair[0] = (int32_t)c->p->minus_one;
    pair[1] = c->product++;
    c->to.begin[c->to.nrecords] = c->to.nterms;
}

/* The partial sums of records first .. end - 1. */
static void put_sums(cutter *c, int64_t first, int64_t end)
{
    for (int64_t r = first; r < end; r++) {
        int64_t pieces = pieces_of(c, r), piece = pieces > 0 ? wlu_cost_piece(c->p->cost, terms_of(c->from, r)) : 0;
        for (int64_t k = 0; k < pieces; k++) {
            put_record(c, r, WLU_DOT, c->sum++, (int32_t)c->p->zero, -1);
            put_terms(c, r, k * piece, piece);
        }
    }
}

/* The record itself, with the terms that no partial sum has. What is ready last comes before the sums: these take a handoff. */
static void put_rest(cutter *c, int64_t r)
{
    const wlu_stream *s = c->from;
    int64_t pieces = pieces_of(c, r), done = pieces > 0 ? pieces * wlu_cost_piece(c->p->cost, terms_of(s, r)) : 0;
    put_record(c, r, s->opcode[r], s->target[r], s->start[r], s->divisor[r]);
    put_terms(c, r, done, terms_of(s, r) - done);
    for (int64_t k = 0; k < pieces; k++) put_product(c);
}

/* ----------------------------------------------------------------- vectors */

/* The vector behind those of v's chunk and level. */
static int64_t level_end(const wlu_stream *s, int64_t v)
{
    int64_t end = v + 1;
    while (end < s->nvectors && s->vector[end].chunk == s->vector[v].chunk && s->vector[end].level == s->vector[v].level) end++;
    return end;
}

static int64_t records_end(const wlu_vector *v)
{
    return v->first + v->count;
}

/* Vectors first .. end - 1, whose levels are those of one part: how many levels come before each, in c->inserted. Returns how many
 * are inserted. */
static int32_t insert_levels(cutter *c, int64_t first, int64_t end)
{
    const wlu_stream *s = c->from;
    int32_t highest = 0, levels = 0;
    memset(c->inserted, 0, ((size_t)s->nlevels + 1) * sizeof *c->inserted);
    for (int64_t v = first; v < end; v++) {
        const wlu_vector *at = &s->vector[v];
        if (at->level > highest) highest = at->level;
        if (c->inserted[at->level] == 0) c->inserted[at->level] = count_pieces(c, at->first, records_end(at)).chains > 0;
    }
    for (int32_t level = 1; level <= highest; level++) {
        levels += c->inserted[level];
        c->inserted[level] = levels;
    }
    return levels;
}

/* Levelled vectors first .. end - 1 of one part. */
static void put_levels(cutter *c, int64_t first, int64_t end)
{
    const wlu_stream *s = c->from;
    c->to.nlevels += insert_levels(c, first, end);
    for (int64_t v = first, behind; v < end; v = behind) {
        int32_t level = s->vector[v].level + c->inserted[s->vector[v].level];
        behind = level_end(s, v);
        int64_t r = s->vector[v].first, last = records_end(&s->vector[behind - 1]);
        if (count_pieces(c, r, last).chains > 0) {
            put_vector(c, s->vector[v], level - 1, WLU_DOT);
            put_sums(c, r, last);
        }
        for (; v < behind; v++) {
            put_vector(c, s->vector[v], level, s->vector[v].opcode);
            for (; r < records_end(&s->vector[v]); r++) put_rest(c, r);
        }
    }
}

/* Vectors into panels, behind all others: v and those that follow. What goes into them may be of any part. */
static void put_panels(cutter *c, int64_t v)
{
    const wlu_stream *s = c->from;
    if (v == s->nvectors) return;
    int64_t r = s->vector[v].first;
    if (count_pieces(c, r, s->nrecords).chains > 0) {
        const wlu_vector top = {.chunk = c->p->parts > 1 ? c->tiles - 1 : s->vector[v - 1].chunk};
        int32_t level = c->to.vector[c->to.nvectors - 1].level + 1;
        put_vector(c, top, level, WLU_DOT);
        if (level > c->to.nlevels) c->to.nlevels = level;
        put_sums(c, r, s->nrecords);
    }
    for (; v < s->nvectors; v++) {
        put_vector(c, s->vector[v], s->vector[v].level, s->vector[v].opcode);
        for (; r < records_end(&s->vector[v]); r++) put_rest(c, r);
    }
}

/* The parts of a solve, whose levels begin anew in each; or the factorization. */
static void put_stream(cutter *c, wlu_triangular *t)
{
    const wlu_stream *s = c->from;
    int64_t first = 0;
    c->to.nlevels = s->nlevels;
    for (int32_t part = 0; t != NULL && part <= t->regions; part++) {
        int64_t end = t->part[part + 1];
        put_levels(c, first, end);
        t->part[part + 1] = c->to.nvectors;
        first = end;
    }
    if (t != NULL) return;
    while (first < s->nvectors && s->vector[first].chunk < c->tiles) first++;
    put_levels(c, 0, first);
    put_panels(c, first);
}

/* ------------------------------------------------------------------- stream */

/* Room for the stream with its sums; each cut chain has a vector of sums at most. */
static warplu_status allocate(wlu_context *ctx, cutter *c, tally all)
{
    const wlu_stream *s = c->from;
    int64_t records = s->nrecords + all.sums, terms = s->nterms + all.sums;
    wlu_stream *to = &c->to;
    to->vector = WLU_ALLOC(ctx, s->nvectors + all.chains, wlu_vector);
    to->opcode = WLU_ALLOC(ctx, records, uint8_t);
    to->target = WLU_ALLOC(ctx, records, int32_t);
    to->start = WLU_ALLOC(ctx, records, int32_t);
    to->divisor = WLU_ALLOC(ctx, records, int32_t);
    to->finished = WLU_ALLOC(ctx, records, int32_t);
    to->begin = WLU_ALLOC(ctx, records + 1, int64_t);
    to->operand = WLU_ALLOC(ctx, 2 * terms, int32_t);
    c->inserted = WLU_ALLOC(ctx, (int64_t)s->nlevels + 1, int32_t);
    if (!to->vector || !to->opcode || !to->target || !to->start || !to->divisor || !to->finished || !to->begin || !to->operand ||
        !c->inserted)
        return wlu_fail_memory(ctx, "partial sums of the program");
    to->begin[0] = 0;
    return WARPLU_SUCCESS;
}

warplu_status wlu_pieces_cut(wlu_context *ctx, const wlu_program *p, int32_t tiles, wlu_stream *stream, wlu_triangular *t)
{
    int64_t first = t != NULL ? p->solve_sums : p->sums, end = t != NULL ? p->nslots : p->y;
    cutter c = {.p = p, .from = stream, .tiles = tiles, .sum = (int32_t)first, .product = (int32_t)first};
    if (p->cost->record_terms == 0) return WARPLU_SUCCESS;
    tally all = count_pieces(&c, 0, stream->nrecords);
    if (all.chains == 0) return WARPLU_SUCCESS;
    if (first + all.sums > end) return wlu_fail(ctx, WARPLU_INTERNAL, "%lld partial sums have no slots", (long long)all.sums);
    warplu_status status = allocate(ctx, &c, all);
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
