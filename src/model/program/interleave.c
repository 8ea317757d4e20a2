/* Puts instructions that use different units of a processor side by side. See work.h.
 *
 * A division occupies the divider for as long as an exponential occupies all other units. Depth first they follow
 * one another; a processor looks ahead by a few instructions of 64 lanes only. So the order is made again, by
 * chains, runs of operations of which each alone reads the one before: of the next few chains that can start, that
 * one stands first which waits least for its operands and the divider. What is alive grows by the chains of that
 * window at most. The times are those of AVX-512 kernels, in ns for 64 lanes; on others their ratios are much the
 * same. O(operations). */
#include "model/program/work.h"

#include <string.h>

enum {
    WINDOW = 4,
    CHEAP_NS = 4,
    DIVISION_NS = 43,
    ROOT_NS = 66,
    EXPONENTIAL_NS = 34,
    FUNCTION_NS = 80,
    POWER_NS = 240
};

typedef struct wlm_chain {
    int32_t first, count;               /* its operations: places in the order */
    int64_t ready, busy, divider, done; /* its operands' time; ns of other units, of the divider; its end */
    int placed;
} wlm_chain;

typedef struct wlm_weaver {
    const wlm_work *work;
    const wlm_node *order;
    wlm_chain *chain;
    int32_t *chain_of; /* for each node; -1 where it is in none */
    int32_t chains;
    int64_t now, divider; /* until when the other units, and the divider, are busy */
} wlm_weaver;

static int reads(const wlm_work *w, wlm_node node, wlm_node a)
{
    int found = 0;
    for (int k = 0; k < wlm_work_operands(w, node); k++) found |= w->of[node].operand[k] == a;
    return found;
}

static void add_time(wlm_chain *c, int32_t opcode)
{
    switch (wlm_opcode_cost((wlm_opcode)opcode)) {
    case WLM_COST_NOTHING: break;
    case WLM_COST_CHEAP: c->busy += CHEAP_NS; break;
    case WLM_COST_DIVISION: c->divider += DIVISION_NS, c->busy += CHEAP_NS; break;
    case WLM_COST_ROOT: c->divider += ROOT_NS, c->busy += CHEAP_NS; break;
    case WLM_COST_EXPONENTIAL: c->busy += EXPONENTIAL_NS; break;
    case WLM_COST_FUNCTION: c->busy += FUNCTION_NS; break;
    case WLM_COST_POWER: c->busy += POWER_NS; break;
    }
}

static void find_chains(wlm_weaver *v, int32_t count)
{
    const wlm_work *w = v->work;
    for (int32_t i = 0; i < count; i++) {
        wlm_node node = v->order[i];
        int goes_on = i > 0 && w->uses[v->order[i - 1]] == 1 && reads(w, node, v->order[i - 1]);
        if (!goes_on) v->chain[v->chains++] = (wlm_chain){.first = i};
        wlm_chain *c = &v->chain[v->chains - 1];
        c->count++;
        add_time(c, w->of[node].opcode);
        v->chain_of[node] = v->chains - 1;
    }
}

/* Returns 0 where an operand is in a chain that has no place yet; else 1, and sets when all operands are there. */
static int can_start(const wlm_weaver *v, int32_t number)
{
    wlm_chain *c = &v->chain[number];
    c->ready = 0;
    for (int32_t i = c->first; i < c->first + c->count; i++) {
        const wlm_node *operand = v->work->of[v->order[i]].operand;
        for (int k = 0; k < wlm_work_operands(v->work, v->order[i]); k++) {
            int32_t of = wlm_is_operation(v->work, operand[k]) ? v->chain_of[operand[k]] : number;
            if (of == number) continue;
            if (!v->chain[of].placed) return 0;
            if (v->chain[of].done > c->ready) c->ready = v->chain[of].done;
        }
    }
    return 1;
}

static int64_t wait_of(const wlm_weaver *v, const wlm_chain *c)
{
    int64_t begin = c->ready > v->now ? c->ready : v->now;
    int64_t behind_divider = c->divider > 0 && v->divider > begin + c->busy ? v->divider - begin - c->busy : 0;
    return begin - v->now + behind_divider;
}

/* Returns that one of the next chains from `from` on which waits least. */
static int32_t next_chain(const wlm_weaver *v, int32_t from)
{
    int32_t best = -1, seen = 0;
    int64_t least = INT64_MAX;
    for (int32_t k = from; k < v->chains && seen < WINDOW; k++) {
        if (v->chain[k].placed) continue;
        seen++;
        if (!can_start(v, k) || wait_of(v, &v->chain[k]) >= least) continue;
        least = wait_of(v, &v->chain[k]);
        best = k;
    }
    return best;
}

static void place(wlm_weaver *v, int32_t number)
{
    wlm_chain *c = &v->chain[number];
    int64_t begin = c->ready > v->now ? c->ready : v->now;
    v->now = begin + c->busy;
    c->done = v->now;
    if (c->divider > 0) {
        v->divider = (v->divider > begin ? v->divider : begin) + c->divider;
        c->done = v->divider > v->now ? v->divider : v->now;
    }
    c->placed = 1;
}

static void weave(wlm_weaver *v, wlm_node *to)
{
    int32_t from = 0, at = 0;
    for (int32_t done = 0; done < v->chains; done++) {
        int32_t number = next_chain(v, from);
        place(v, number);
        memcpy(to + at, v->order + v->chain[number].first, (size_t)v->chain[number].count * sizeof *to);
        at += v->chain[number].count;
        while (from < v->chains && v->chain[from].placed) from++;
    }
}

warplu_status wlm_interleave(const wlm_work *work, const wlm_node *order, int32_t count, wlm_node *to)
{
    wlm_weaver v = {.work = work, .order = order};
    v.chain = WLU_ALLOC(work->ctx, count, wlm_chain);
    v.chain_of = WLU_ALLOC(work->ctx, work->count, int32_t);
    int enough = v.chain != NULL && v.chain_of != NULL;
    if (enough) {
        find_chains(&v, count);
        weave(&v, to);
    }
    wlu_free(work->ctx, v.chain);
    wlu_free(work->ctx, v.chain_of);
    return enough ? WARPLU_SUCCESS : wlu_fail_memory(work->ctx, "order of a program");
}
