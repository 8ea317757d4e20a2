/* Terms by readiness. See ready.h. */
#include "program/ready.h"

#include "base/sort.h"

#include <string.h>

typedef struct sorter {
    int32_t *level; /* by slot: of the record that computes it, 0 before the first */
    wlu_sort_entry *entries;
    int64_t *digits;
    int32_t *operand; /* a copy of the chain's */
} sorter;

static int32_t later(const sorter *s, const int32_t *pair)
{
    int32_t a = s->level[pair[0]], b = s->level[pair[1]];
    return a > b ? a : b;
}

/* Short chains by insertion: the radix sort's count alone is longer. */
enum { INSERTION_MAX = 48 };

static void insert_terms(const sorter *s, int32_t *operand, int64_t terms)
{
    for (int64_t k = 1; k < terms; k++) {
        int32_t pair[2] = {operand[2 * k], operand[2 * k + 1]}, level = later(s, pair);
        int64_t to = k;
        for (; to > 0 && later(s, operand + 2 * (to - 1)) > level; to--)
            memcpy(operand + 2 * to, operand + 2 * (to - 1), sizeof pair);
        memcpy(operand + 2 * to, pair, sizeof pair);
    }
}

static void sort_chain(const sorter *s, int32_t *operand, int64_t terms)
{
    if (terms <= INSERTION_MAX) {
        insert_terms(s, operand, terms);
        return;
    }
    for (int64_t k = 0; k < terms; k++) s->entries[k] = (wlu_sort_entry){(uint64_t)later(s, operand + 2 * k), k};
    const wlu_sort_entry *sorted = wlu_sort(s->entries, s->entries + terms, terms, s->digits);
    memcpy(s->operand, operand, 2 * (size_t)terms * sizeof *operand);
    for (int64_t k = 0; k < terms; k++) memcpy(operand + 2 * k, s->operand + 2 * sorted[k].record, 2 * sizeof *operand);
}

/* A reciprocal is there with its pivot. */
static void sort_stream(const sorter *s, wlu_stream *stream)
{
    for (int64_t r = 0; r < stream->nrecords; r++) {
        int64_t terms = stream->begin[r + 1] - stream->begin[r];
        int32_t *operand = stream->operand + 2 * stream->begin[r];
        if (stream->opcode[r] == WLU_RCP) {
            s->level[stream->target[r]] = s->level[stream->divisor[r]];
            continue;
        }
        sort_chain(s, operand, terms);
        int32_t level = terms > 0 ? later(s, operand + 2 * (terms - 1)) : 0;
        if (s->level[stream->start[r]] > level) level = s->level[stream->start[r]];
        if (stream->divisor[r] >= 0 && s->level[stream->divisor[r]] > level) level = s->level[stream->divisor[r]];
        s->level[stream->target[r]] = level + 1;
    }
}

warplu_status wlu_ready_sort(wlu_context *ctx, wlu_stream *stream, int64_t nslots)
{
    int64_t longest = 0;
    for (int64_t r = 0; r < stream->nrecords; r++)
        if (stream->begin[r + 1] - stream->begin[r] > longest) longest = stream->begin[r + 1] - stream->begin[r];
    sorter s = {.level = WLU_CALLOC(ctx, nslots, int32_t),
                .entries = WLU_ALLOC(ctx, 2 * longest, wlu_sort_entry),
                .digits = WLU_ALLOC(ctx, WLU_SORT_DIGITS, int64_t),
                .operand = WLU_ALLOC(ctx, 2 * longest, int32_t)};
    warplu_status status = WARPLU_SUCCESS;
    if (s.level == NULL || s.entries == NULL || s.digits == NULL || s.operand == NULL)
        status = wlu_fail_memory(ctx, "order of the terms");
    else
        sort_stream(&s, stream);
    wlu_free(ctx, s.level);
    wlu_free(ctx, s.entries);
    wlu_free(ctx, s.digits);
    wlu_free(ctx, s.operand);
    return status;
}
