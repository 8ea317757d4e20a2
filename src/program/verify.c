/* Verification of a compiled program. See verify.h.
 *
 * stamp[slot] is when the slot was last written: 0 never, or taken by a region of the second stage; 1 by a load, 2 + k
 * by vector k of the stream (regions count as one vector behind the last, those of a second stage as the vector before
 * them). A partial sum is 0 before it is written and after it is read, for it is read once. */
#include "program/verify.h"

#include <string.h>

warplu_status wlu_program_broken(wlu_context *ctx, const char *what, int64_t at, int64_t slot)
{
    return wlu_fail(ctx, WARPLU_INTERNAL, "program verification: %s at %lld, slot %lld", what, (long long)at,
                    (long long)slot);
}

typedef struct verifier {
    wlu_context *ctx;
    const wlu_program *p;
    int32_t *stamp;
    int32_t oldest; /* no operand may be written by an earlier vector, but by loads */
    int second;     /* the second stage, which is linear in what it is given */
} verifier;

static warplu_status broken(const verifier *v, const char *what, int64_t at, int64_t slot)
{
    return wlu_program_broken(v->ctx, what, at, slot);
}

static int in_range(const verifier *v, int64_t slot)
{
    return slot >= 0 && slot < v->p->nslots;
}

static warplu_status check_loads(verifier *v, const wlu_loads *l, int64_t sources)
{
    if (l->first < 0 || l->first + l->count > v->p->nslots) return broken(v, "load area", l->first, l->count);
    for (int64_t k = 0; k < l->count; k++) {
        if (l->source[k] < -1 || l->source[k] >= sources) return broken(v, "load source", k, l->source[k]);
        v->stamp[l->first + k] = 1;
    }
    return WARPLU_SUCCESS;
}

static warplu_status check_list(verifier *v, int64_t sources)
{
    const wlu_program *p = v->p;
    for (int64_t k = p->region_slots; k < p->sums; k++) v->stamp[k] = 1; /* zeroed */
    for (int64_t k = 0; k < p->list.count; k++) {
        if (p->list.target[k] < p->region_slots || p->list.target[k] >= p->sums)
            return broken(v, "listed load", k, p->list.target[k]);
        if (p->list.source[k] < 0 || p->list.source[k] >= sources)
            return broken(v, "load source", k, p->list.source[k]);
    }
    return WARPLU_SUCCESS;
}

/* An operand read by vector k must have been written before it. */
static warplu_status check_read(const verifier *v, int64_t slot, int64_t record, int32_t now)
{
    if (!in_range(v, slot)) return broken(v, "operand out of range", record, slot);
    if (v->stamp[slot] == 0) return broken(v, "operand read before it is written", record, slot);
    if (v->stamp[slot] >= now) return broken(v, "reader beside its writer", record, slot);
    if (v->stamp[slot] > 1 && v->stamp[slot] < v->oldest) return broken(v, "operand of another part", record, slot);
    return WARPLU_SUCCESS;
}

static int is_sum(const wlu_program *p, int64_t slot)
{
    return (slot >= p->sums && slot < p->y) || (slot >= p->solve_sums && slot < p->nslots);
}

/* A product is of two slots that hold numbers, or of -1 and a partial sum that nobody has read. */
static warplu_status check_product(const verifier *v, const int32_t *pair, int64_t r, int32_t now)
{
    warplu_status status = check_read(v, pair[0], r, now);
    if (status == WARPLU_SUCCESS) status = check_read(v, pair[1], r, now);
    if (status < 0) return status;
    int sums = is_sum(v->p, pair[1]);
    if (is_sum(v->p, pair[0]) || (pair[0] == v->p->minus_one) != sums || pair[1] == v->p->minus_one)
        return broken(v, "product of a partial sum", r, pair[1]);
    if (sums) v->stamp[pair[1]] = 0;
    return WARPLU_SUCCESS;
}

/* What is written: a partial sum by a DOT from +0, which has nothing in it that waits to be read; no constants. */
static warplu_status check_target(const verifier *v, const wlu_stream *s, int64_t r)
{
    const wlu_program *p = v->p;
    int32_t t = s->target[r];
    if (wlu_opcode_in_streams(s->opcode[r]) == WLU_STAGES_NONE)
        return broken(v, "opcode that no stream has", r, s->opcode[r]);
    if (!in_range(v, t)) return broken(v, "target out of range", r, t);
    if (t == p->zero || t == p->minus_one) return broken(v, "constant written", r, t);
    if (is_sum(p, t) && (s->opcode[r] != WLU_DOT || s->start[r] != p->zero || v->stamp[t] != 0))
        return broken(v, "partial sum", r, t);
    return WARPLU_SUCCESS;
}

/* Of a stream that has ended: sums are read. */
static warplu_status check_sums(const verifier *v, int64_t first, int64_t end)
{
    for (int64_t k = first; k < end; k++)
        if (v->stamp[k] != 0) return broken(v, "partial sum that nobody reads", k - first, k);
    return WARPLU_SUCCESS;
}

/* In the second stage each product has one slot of it and one of the first, and divisors are of the first. */
static warplu_status check_linear(const verifier *v, const wlu_stream *s, int64_t r)
{
    const wlu_program *p = v->p;
    wlu_shape shape = wlu_opcode_table[s->opcode[r]].shape;
    if (wlu_opcode_in_streams(s->opcode[r]) != WLU_STAGES_BOTH)
        return broken(v, "opcode that a second stage does not have", r, s->opcode[r]);
    if (wlu_shape_has_start(shape) && s->start[r] < p->y) return broken(v, "start of the first stage", r, s->start[r]);
    if (wlu_shape_has_divisor(shape) && s->divisor[r] >= p->y)
        return broken(v, "divisor of the second stage", r, s->divisor[r]);
    for (int64_t q = 2 * s->begin[r]; q < 2 * s->begin[r + 1]; q += 2)
        if ((s->operand[q] >= p->y && s->operand[q] != p->minus_one) || s->operand[q + 1] < p->y)
            return broken(v, "product that is not linear", r, s->operand[q]);
    return WARPLU_SUCCESS;
}

/* What its shape says the record reads. */
static warplu_status check_operands(const verifier *v, const wlu_stream *s, int64_t r, int32_t now)
{
    wlu_shape shape = wlu_opcode_table[s->opcode[r]].shape;
    warplu_status status = v->second ? check_linear(v, s, r) : WARPLU_SUCCESS;
    if (status == WARPLU_SUCCESS && wlu_shape_has_start(shape) && s->start[r] != s->target[r])
        status = check_read(v, s->start[r], r, now);
    if (status == WARPLU_SUCCESS && wlu_shape_has_divisor(shape)) status = check_read(v, s->divisor[r], r, now);
    if (status == WARPLU_SUCCESS && (is_sum(v->p, s->start[r]) || is_sum(v->p, s->divisor[r])))
        return broken(v, "partial sum as it is", r, s->start[r]);
    if (status == WARPLU_SUCCESS && !wlu_shape_has_terms(shape) && s->begin[r + 1] != s->begin[r])
        return broken(v, "terms that the opcode does not have", r, s->target[r]);
    for (int64_t q = 2 * s->begin[r]; q < 2 * s->begin[r + 1] && status == WARPLU_SUCCESS; q += 2)
        status = check_product(v, s->operand + q, r, now);
    return status;
}

/* Targets first, so that a reader beside its writer is seen in either order. */
static warplu_status check_vector(verifier *v, const wlu_stream *s, const wlu_vector *vector, int32_t now)
{
    for (int64_t r = vector->first; r < vector->first + vector->count; r++) {
        int32_t t = s->target[r];
        warplu_status status = check_target(v, s, r);
        if (status < 0) return status;
        if (wlu_shape_has_start(wlu_opcode_table[s->opcode[r]].shape) && s->start[r] == t && v->stamp[t] == 0)
            return broken(v, "chain starts from an unwritten slot", r, t);
        if (v->stamp[t] == now) return broken(v, "two records of a vector on one target", r, t);
        if (vector->opcode != WLU_OPCODES && vector->opcode != s->opcode[r])
            return broken(v, "opcode differs from its vector's", r, t);
        v->stamp[t] = now;
    }
    for (int64_t r = vector->first; r < vector->first + vector->count; r++) {
        warplu_status status = check_operands(v, s, r, now);
        if (status < 0) return status;
    }
    return WARPLU_SUCCESS;
}

/* The stamp of the first vector that vector k of the factorization may need: parts need nothing of each other, the top
 * and tiles of all. */
static int32_t oldest_vector(const wlu_program *p, int64_t k)
{
    for (int32_t part = 0; part < p->parts; part++)
        if (k < p->part[part + 1]) return (int32_t)(2 + p->part[part]);
    return 0;
}

/* Vectors begin .. end - 1. */
static warplu_status check_vectors(verifier *v, const wlu_stream *s, int64_t begin, int64_t end)
{
    int64_t next = begin > 0 ? s->vector[begin - 1].first + s->vector[begin - 1].count : 0;
    for (int64_t k = begin; k < end; k++) {
        if (s->vector[k].first != next) return broken(v, "vectors leave a gap", k, next);
        next += s->vector[k].count;
        if (k > 0 && s->vector[k].chunk == s->vector[k - 1].chunk && s->vector[k].level < s->vector[k - 1].level)
            return broken(v, "levels fall", k, next);
        v->oldest = s == &v->p->dot ? oldest_vector(v->p, k) : 0;
        warplu_status status = check_vector(v, s, &s->vector[k], (int32_t)(2 + k));
        if (status < 0) return status;
    }
    return end < s->nvectors || next == s->nrecords ? WARPLU_SUCCESS
                                                    : broken(v, "records outside all vectors", next, s->nrecords);
}

/* A region reads slots of its own, which nobody does behind it, and writes others, once. */
static warplu_status check_region(verifier *v, const wlu_triangular *t, int32_t segment)
{
    const wlu_program *p = v->p;
    const wlu_solve_region *r = &t->region[segment];
    if (p->kind->has_region == NULL || !p->kind->has_region(p, r))
        return broken(v, "units of a region", r->begin, r->end);
    for (int32_t at = r->first; at < r->behind; at++) {
        int32_t from = t->tile_y[at], to = t->tile_x[at];
        if (!in_range(v, from) || v->stamp[from] == 0) return broken(v, "what a region reads", at, from);
        if (to < p->y || to >= p->zero || v->stamp[to] != 0) return broken(v, "what a region writes", at, to);
        v->stamp[to] = (int32_t)(1 + t->segment[segment + 1]);
        v->stamp[from] = 0;
    }
    return WARPLU_SUCCESS;
}

/* Each segment with the region behind it. */
static warplu_status check_segments(verifier *v, const wlu_triangular *t)
{
    warplu_status status = WARPLU_SUCCESS;
    if (t->regions < 0 || t->segment[0] != 0 || t->segment[t->regions + 1] != t->stream.nvectors)
        return broken(v, "segments of the solve", t->regions, t->segment[0]);
    for (int32_t segment = 0; segment <= t->regions; segment++)
        if (t->segment[segment + 1] < t->segment[segment])
            return broken(v, "segments of the solve", segment, t->segment[segment]);
    if (t->regions > 0 && (t->tile_y == NULL || t->tile_x == NULL))
        return broken(v, "regions without slots", 0, t->regions);
    for (int32_t segment = 0; segment <= t->regions && status == WARPLU_SUCCESS; segment++) {
        status = check_vectors(v, &t->stream, t->segment[segment], t->segment[segment + 1]);
        if (status == WARPLU_SUCCESS && segment < t->regions) status = check_region(v, t, segment);
    }
    return status;
}

static warplu_status check_triangular(verifier *v, const wlu_triangular *t)
{
    const wlu_program *p = v->p;
    for (int64_t k = 0; k < p->y; k++)
        if (v->stamp[k] != 0) v->stamp[k] = 1;
    memset(v->stamp + p->y, 0, (size_t)(2 * (int64_t)p->n) * sizeof *v->stamp);
    v->second = 1;
    warplu_status status = check_loads(v, &t->load, p->n);
    if (status == WARPLU_SUCCESS) status = check_segments(v, t);
    if (status == WARPLU_SUCCESS) status = check_sums(v, p->solve_sums, p->nslots);
    for (int64_t k = 0; k < p->n && status == WARPLU_SUCCESS; k++) {
        if (v->stamp[p->x + k] == 0) return broken(v, "unknown never written", k, p->x + k);
        if (t->index[k] < 0 || t->index[k] >= p->n) return broken(v, "index of an unknown", k, t->index[k]);
    }
    return status;
}

warplu_status wlu_program_verify(wlu_context *ctx, const wlu_program *p)
{
    verifier v = {.ctx = ctx, .p = p, .stamp = WLU_CALLOC(ctx, p->nslots, int32_t)};
    if (v.stamp == NULL) return wlu_fail_memory(ctx, "program verification");
    int64_t sources = wlu_program_sources(p);
    v.stamp[p->zero] = 1;
    if (p->minus_one >= 0) v.stamp[p->minus_one] = 1;
    warplu_status status = check_loads(&v, &p->load, sources);
    if (status == WARPLU_SUCCESS) status = check_list(&v, sources);
    if (status == WARPLU_SUCCESS) status = check_vectors(&v, &p->dot, 0, p->dot.nvectors);
    if (status == WARPLU_SUCCESS) status = check_sums(&v, p->sums, p->y);
    if (status == WARPLU_SUCCESS && p->kind->verify != NULL) status = p->kind->verify(ctx, p, v.stamp);
    if (status == WARPLU_SUCCESS) status = check_triangular(&v, &p->solve);
    if (status == WARPLU_SUCCESS && p->has_transposed) status = check_triangular(&v, &p->transposed);
    wlu_free(ctx, v.stamp);
    return status;
}
