/* Terms by readiness. See order_terms.h. */
#include "program/order_terms.h"

#include <string.h>

typedef struct sorter {
    int32_t *level;   /* by slot: of the record that computes it, 0 before the first */
    int32_t *operand; /* a copy of the chain's, */
    int32_t *key;     /* and the level at which each of its terms is ready */
    int32_t *place;   /* by level from the chain's lowest on: where its next term goes */
} sorter;

static int32_t later(const sorter *s, const int32_t *pair)
{
    int32_t a = s->level[pair[0]], b = s->level[pair[1]];
    return a > b ? a : b;
}

/* Longer chains are sorted by counting their levels. */
enum { INSERTION_MAX = 20 };

static void insert_terms(int32_t *key, int32_t *operand, int64_t terms)
{
    for (int64_t k = 1; k < terms; k++) {
        int32_t pair[2] = {operand[2 * k], operand[2 * k + 1]}, level = key[k];
        int64_t to = k;
        for (; to > 0 && key[to - 1] > level; to--) {
            key[to] = key[to - 1];
            memcpy(operand + 2 * to, operand + 2 * (to - 1), sizeof pair);
        }
        key[to] = level;
        memcpy(operand + 2 * to, pair, sizeof pair);
    }
}

static void count_terms(const sorter *s, int32_t *operand, int64_t terms, int32_t lowest, int32_t highest)
{
    int32_t *place = s->place;
    memset(place, 0, (size_t)(highest - lowest + 1) * sizeof *place);
    for (int64_t k = 0; k < terms; k++) place[s->key[k] - lowest]++;
    for (int32_t level = 0, sum = 0; level <= highest - lowest; level++) {
        int32_t count = place[level];
        place[level] = sum;
        sum += count;
    }
    memcpy(s->operand, operand, 2 * (size_t)terms * sizeof *operand);
    for (int64_t k = 0; k < terms; k++)
        memcpy(operand + 2 * (int64_t)place[s->key[k] - lowest]++, s->operand + 2 * k, 2 * sizeof *operand);
}

/* Returns the highest level among the terms. */
static int32_t sort_chain(const sorter *s, int32_t *operand, int64_t terms)
{
    int32_t highest = 0, lowest = INT32_MAX;
    int sorted = 1;
    for (int64_t k = 0; k < terms; k++) {
        int32_t key = s->key[k] = later(s, operand + 2 * k);
        sorted &= key >= highest;
        highest = key > highest ? key : highest;
        lowest = key < lowest ? key : lowest;
    }
    if (sorted) return highest;
    if (terms <= INSERTION_MAX)
        insert_terms(s->key, operand, terms);
    else
        count_terms(s, operand, terms, lowest, highest);
    return highest;
}

/* Records first .. end - 1. A reciprocal is there with its pivot, and what goes to a region no record reads. Returns
 * the highest level. */
static int32_t sort_records(const sorter *s, const wlu_program *p, wlu_stream *stream, int64_t first, int64_t end)
{
    int32_t highest = 0;
    for (int64_t r = first; r < end; r++) {
        int64_t terms = wlu_stream_terms(stream, r);
        int32_t *operand = stream->operand + 2 * stream->begin[r];
        if (stream->opcode[r] == WLU_RCP) {
            s->level[stream->target[r]] = s->level[stream->divisor[r]];
            continue;
        }
        int32_t level = sort_chain(s, operand, terms);
        if (stream->target[r] >= p->region_slots && stream->target[r] < p->sums) continue;
        if (s->level[stream->start[r]] > level) level = s->level[stream->start[r]];
        if (stream->divisor[r] >= 0 && s->level[stream->divisor[r]] > level) level = s->level[stream->divisor[r]];
        s->level[stream->target[r]] = level + 1;
        if (level + 1 > highest) highest = level + 1;
    }
    return highest;
}

/* What a region solves for comes with the last of what is before it, so that there are no more levels than the stream
 * has. */
static void sort_segments(const sorter *s, const wlu_program *p, wlu_stream *stream, const wlu_triangular *t)
{
    int32_t highest = 0;
    for (int32_t segment = 0; segment <= t->regions; segment++) {
        int32_t level = sort_records(s, p, stream, wlu_segment_begin(t, segment), wlu_segment_begin(t, segment + 1));
        if (level > highest) highest = level;
        if (segment == t->regions) return;
        const wlu_solve_region *region = &t->region[segment];
        for (int32_t at = region->first; at < region->behind; at++) s->level[t->tile_x[at]] = highest;
    }
}

warplu_status wlu_order_terms(wlu_context *ctx, const wlu_program *p, wlu_stream *stream, const wlu_triangular *solve)
{
    int64_t longest = 0;
    for (int64_t r = 0; r < stream->nrecords; r++)
        if (wlu_stream_terms(stream, r) > longest) longest = wlu_stream_terms(stream, r);
    sorter s = {.level = WLU_CALLOC(ctx, p->nslots, int32_t),
                .operand = WLU_ALLOC(ctx, 2 * longest, int32_t),
                .key = WLU_ALLOC(ctx, longest, int32_t),
                .place = WLU_ALLOC(ctx, stream->nlevels + 1, int32_t)};
    warplu_status status = WARPLU_SUCCESS;
    if (s.level == NULL || s.operand == NULL || s.key == NULL || s.place == NULL)
        status = wlu_fail_memory(ctx, "order of the terms");
    else if (solve != NULL)
        sort_segments(&s, p, stream, solve);
    else
        sort_records(&s, p, stream, 0, stream->nrecords);
    wlu_free(ctx, s.level);
    wlu_free(ctx, s.operand);
    wlu_free(ctx, s.key);
    wlu_free(ctx, s.place);
    return status;
}
