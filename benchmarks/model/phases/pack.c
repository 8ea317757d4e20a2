#include "phases/pack.h"

#include <string.h>

/* Lanes of one warp. */
typedef struct warp {
    const int32_t *thread;
    int32_t lanes;
} warp;

static const uint32_t *code_of(const wlm_packer *p, int32_t thread)
{
    return p->b->code + p->b->first[thread];
}

static void put(wlm_packer *p, uint32_t word)
{
    if (p->code != NULL) p->code[p->words] = word;
    p->words++;
}

/* Whether `words` words at a place are the same in all lanes. */
static int all_same(const wlm_packer *p, const warp *w, int64_t at, int words)
{
    const uint32_t *first = code_of(p, w->thread[0]) + at;
    for (int32_t k = 1; k < w->lanes; k++)
        if (memcmp(first, code_of(p, w->thread[k]) + at, (size_t)words * sizeof *first) != 0) return 0;
    return 1;
}

/* The operands of all lanes go to the table; the instruction has the place. */
static void put_indirect(wlm_packer *p, const warp *w, int opcode, int64_t at, int words)
{
    size_t bytes = (size_t)words * sizeof(uint32_t);
    put(p, wlm_phases_word(opcode, 0));
    put(p, (uint32_t)p->table_bytes);
    for (int32_t k = 0; k < w->lanes && p->table != NULL; k++)
        memcpy(p->table + p->table_bytes + (size_t)k * bytes, code_of(p, w->thread[k]) + at, bytes);
    p->table_bytes += ((int64_t)bytes * w->lanes + 7) / 8 * 8;
}

static int indirect(uint32_t word)
{
    switch (word & 255) {
    case WLM_PHASES_CONSTANT: return WLM_PHASES_CONSTANT_IND;
    case WLM_PHASES_VARIABLE: return WLM_PHASES_VARIABLE_IND;
    case WLM_PHASES_ASSIGN: return WLM_PHASES_ASSIGN_IND;
    default: return -1;
    }
}

/* Constants became shorter: jumps land where their targets went. */
static void mend_jumps(const wlm_packer *p, const uint32_t *code, int64_t words, int64_t begin)
{
    for (int64_t at = 0; at < words; at += 1 + wlm_phases_inline(code[at])) {
        if (!wlm_phases_is_jump(code[at])) continue;
        int64_t target = at + 1 + (code[at] >> 8);
        p->code[begin + p->moved[at]] = wlm_phases_word((int)(code[at] & 255), p->moved[target] - p->moved[at] - 1);
    }
}

static void pack_unified(wlm_packer *p, const warp *w)
{
    const uint32_t *code = code_of(p, w->thread[0]);
    int64_t words = p->b->first[w->thread[0] + 1] - p->b->first[w->thread[0]], begin = p->words;
    for (int64_t at = 0; at < words;) {
        int operands = wlm_phases_inline(code[at]);
        p->moved[at] = (int32_t)(p->words - begin);
        if (operands == 0 || all_same(p, w, at + 1, operands)) {
            for (int k = 0; k <= operands; k++) put(p, code[at + k]);
        } else {
            put_indirect(p, w, indirect(code[at]), at + 1, operands);
        }
        at += 1 + operands;
    }
    if (p->code != NULL) mend_jumps(p, code, words, begin);
}

static void pack_own(wlm_packer *p, int32_t thread)
{
    int64_t words = p->b->first[thread + 1] - p->b->first[thread];
    p->written[thread] = p->words;
    if (p->code != NULL) memcpy(p->code + p->words, code_of(p, thread), (size_t)words * sizeof *p->code);
    p->words += words;
}

static int is_one_kind(const wlm_packer *p, const warp *w)
{
    for (int32_t k = 1; k < w->lanes; k++)
        if (p->b->kind[w->thread[k]] != p->b->kind[w->thread[0]]) return 0;
    return 1;
}

void wlm_pack_phase(wlm_packer *p, const int32_t *thread, int32_t lanes, int32_t lane)
{
    for (int32_t first = 0; first < lanes; first += WLU_WARP) {
        warp w = {thread + first, lanes - first < WLU_WARP ? lanes - first : WLU_WARP};
        int unified = p->unify && is_one_kind(p, &w);
        int64_t begin = p->words;
        if (unified) pack_unified(p, &w);
        for (int32_t k = 0; k < w.lanes; k++) {
            if (!unified && p->written[w.thread[k]] < 0) pack_own(p, w.thread[k]);
            if (p->index != NULL) p->index[lane + first + k] = (uint32_t)(unified ? begin : p->written[w.thread[k]]);
        }
    }
}
