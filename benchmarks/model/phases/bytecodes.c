/* Kinds are found by a hash table of their examples with linear probing, at most half full. */
#include "phases/bytecodes.h"

#include <string.h>

static const uint32_t *after(const uint32_t *at)
{
    return at + 1 + wlm_phases_inline(*at);
}

static uint64_t hash_of(const uint32_t *at, const uint32_t *end, int32_t *length)
{
    uint64_t hash = UINT64_C(0x243f6a8885a308d3);
    for (*length = 0; at < end; at = after(at), ++*length) {
        hash = (hash ^ *at) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

static int same_kind(const wlm_bytecodes *b, int32_t i, int32_t j)
{
    const uint32_t *at = b->code + b->first[i], *end = b->code + b->first[i + 1], *other = b->code + b->first[j];
    if (end - at != b->first[j + 1] - b->first[j]) return 0;
    for (; at < end; at = after(at), other = after(other))
        if (*at != *other) return 0;
    return 1;
}

/* table: twice as many places as threads; numbers of kinds plus 1, or 0. */
static void find_kinds(wlm_bytecodes *b, int32_t *table)
{
    int64_t places = 2 * (int64_t)b->threads;
    for (int32_t i = 0; i < b->threads; i++) {
        int32_t length;
        uint64_t hash = hash_of(b->code + b->first[i], b->code + b->first[i + 1], &length);
        int64_t at = (int64_t)(hash % (uint64_t)places);
        while (table[at] != 0 && !same_kind(b, b->example[table[at] - 1], i)) at = at + 1 == places ? 0 : at + 1;
        if (table[at] == 0) {
            b->example[b->kinds] = i;
            b->length[b->kinds] = length;
            table[at] = ++b->kinds;
        }
        b->kind[i] = table[at] - 1;
    }
}

static void join_formulas(const wlm_formulas *f, const wlm_schedule *s, wlm_bytecodes *b)
{
    int64_t at = 0;
    for (int32_t thread = 0; thread < s->threads; thread++) {
        b->first[thread] = at;
        for (int32_t k = s->first_formula[thread]; k < s->first_formula[thread + 1]; k++) {
            const wlm_formula *formula = &f->formula[s->formula[k]];
            memcpy(b->code + at, f->code + formula->first, (size_t)formula->words * sizeof *b->code);
            at += formula->words;
        }
        b->code[at++] = wlm_phases_word(WLM_PHASES_END, 0);
    }
    b->first[s->threads] = at;
}

warplu_status wlm_bytecodes_create(wlu_context *ctx, const wlm_formulas *formulas, const wlm_schedule *schedule,
                                   wlm_bytecodes **out)
{
    int64_t threads = schedule->threads;
    warplu_status status = WARPLU_SUCCESS;
    *out = NULL;
    wlm_bytecodes *b = WLU_CALLOC(ctx, 1, wlm_bytecodes);
    int32_t *table = WLU_CALLOC(ctx, 2 * threads, int32_t);
    if (b != NULL) {
        b->threads = schedule->threads;
        b->first = WLU_ALLOC(ctx, threads + 1, int64_t);
        b->code = WLU_ALLOC(ctx, formulas->words + threads, uint32_t);
        b->kind = WLU_ALLOC(ctx, threads, int32_t);
        b->example = WLU_ALLOC(ctx, threads, int32_t);
        b->length = WLU_ALLOC(ctx, threads, int32_t);
    }
    if (table == NULL || b == NULL || b->first == NULL || b->code == NULL || b->kind == NULL || b->example == NULL ||
        b->length == NULL)
        status = wlu_fail_memory(ctx, "phases");
    if (status == WARPLU_SUCCESS) {
        join_formulas(formulas, schedule, b);
        find_kinds(b, table);
    } else {
        wlm_bytecodes_destroy(ctx, &b);
    }
    wlu_free(ctx, table);
    *out = b;
    return status;
}

void wlm_bytecodes_destroy(wlu_context *ctx, wlm_bytecodes **bytecodes)
{
    wlm_bytecodes *b = *bytecodes;
    if (b == NULL) return;
    wlu_free(ctx, b->first);
    wlu_free(ctx, b->code);
    wlu_free(ctx, b->kind);
    wlu_free(ctx, b->example);
    wlu_free(ctx, b->length);
    wlu_free(ctx, b);
    *bytecodes = NULL;
}

int32_t wlm_bytecodes_differences(const wlm_bytecodes *b, int32_t kind_a, int32_t kind_b)
{
    const uint32_t *a = b->code + b->first[b->example[kind_a]], *other = b->code + b->first[b->example[kind_b]];
    int32_t differences = 0;
    for (int32_t k = 0; k < b->length[kind_a]; k++, a = after(a), other = after(other))
        differences += (*a & 255) != (*other & 255);
    return differences;
}
