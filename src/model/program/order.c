/* Finds orders of operations. See work.h.
 *
 * Depth first, an operation stands behind what it alone needs, so that few numbers wait. Where two operands are to
 * be computed, the one that needs more temporaries comes first, as if the graph were a tree (Sethi and Ullman, The
 * generation of optimal code for arithmetic expressions, 1970); for a graph that is a rule of thumb, so that others
 * are tried too: operands as they stand, outputs from the last to the first, and the order in which the nodes were
 * made. O(n) each. */
#include "model/program/work.h"

#include <string.h>

enum { BY_NEED = 1, BACKWARDS = 2, DEPTH_FIRST_ORDERS = 4 };

typedef struct wlm_orderer {
    const wlm_work *work;
    int32_t *need; /* for each node: the temporaries that it would need as a tree */
    int32_t *left; /* for each node: uses that are to come; before, 1 where it was visited */
    wlm_node *stack, *order;
    unsigned char *next; /* for each node: the operand to look at next */
    int32_t count;
} wlm_orderer;

static void measure_needs(wlm_orderer *o)
{
    const wlm_work *w = o->work;
    for (wlm_node node = 0; node < w->count; node++) {
        int operands = wlm_work_operands(w, node);
        int32_t sorted[3] = {0, 0, 0};
        for (int k = 0; k < operands; k++) {
            int32_t need = o->need[w->of[node].operand[k]];
            int at = k;
            for (; at > 0 && sorted[at - 1] < need; at--) sorted[at] = sorted[at - 1];
            sorted[at] = need;
        }
        int32_t most = operands > 0;
        for (int k = 0; k < operands; k++) most = sorted[k] > 0 && sorted[k] + k > most ? sorted[k] + k : most;
        o->need[node] = most;
    }
}

/* Returns the operand that is visited as number k. */
static wlm_node child(const wlm_orderer *o, wlm_node node, int k, int kind)
{
    const wlm_node *operand = o->work->of[node].operand;
    int operands = wlm_work_operands(o->work, node), place[3] = {0, 1, 2};
    if (kind & BY_NEED)
        for (int i = 1; i < operands; i++)
            for (int j = i; j > 0 && o->need[operand[place[j]]] > o->need[operand[place[j - 1]]]; j--) {
                int other = place[j];
                place[j] = place[j - 1], place[j - 1] = other;
            }
    return operand[place[k]];
}

static void visit(wlm_orderer *o, wlm_node root, int kind)
{
    int32_t depth = 0;
    if (o->left[root] || !wlm_is_operation(o->work, root)) return;
    o->stack[depth++] = root;
    o->left[root] = 1;
    o->next[root] = 0;
    while (depth > 0) {
        wlm_node node = o->stack[depth - 1];
        if (o->next[node] == wlm_work_operands(o->work, node)) {
            o->order[o->count++] = node;
            depth--;
            continue;
        }
        wlm_node below = child(o, node, o->next[node]++, kind);
        if (o->left[below] || !wlm_is_operation(o->work, below)) continue;
        o->stack[depth++] = below;
        o->left[below] = 1;
        o->next[below] = 0;
    }
}

static void depth_first(wlm_orderer *o, const wlm_node *outputs, int32_t output_count, int kind)
{
    memset(o->left, 0, (size_t)o->work->count * sizeof *o->left);
    o->count = 0;
    for (int32_t i = 0; i < output_count; i++) visit(o, outputs[kind & BACKWARDS ? output_count - 1 - i : i], kind);
}

static void as_made(wlm_orderer *o)
{
    o->count = 0;
    for (wlm_node node = 0; node < o->work->count; node++)
        if (o->work->uses[node] > 0 && wlm_is_operation(o->work, node)) o->order[o->count++] = node;
}

/* Returns how many numbers that are no outputs are alive at once, at most. */
static int32_t temporaries(wlm_orderer *o, const wlm_node *outputs, int32_t output_count)
{
    const wlm_work *w = o->work;
    int32_t alive = 0, most = 0;
    memcpy(o->left, w->uses, (size_t)w->count * sizeof *o->left);
    for (int32_t i = 0; i < output_count; i++) o->left[outputs[i]] = INT32_MAX;
    for (int32_t i = 0; i < o->count; i++) {
        wlm_node node = o->order[i];
        int operands = wlm_work_operands(w, node);
        for (int k = 0; k < operands; k++) {
            wlm_node a = w->of[node].operand[k];
            if (wlm_is_operation(w, a) && o->left[a] < INT32_MAX / 2) alive -= --o->left[a] == 0;
        }
        alive += o->left[node] < INT32_MAX / 2;
        most = alive > most ? alive : most;
    }
    return most;
}

static void choose(wlm_orderer *o, const wlm_node *outputs, int32_t output_count, wlm_node *best, int32_t *count)
{
    int32_t fewest = INT32_MAX;
    measure_needs(o);
    for (int kind = DEPTH_FIRST_ORDERS; kind >= 0; kind--) {
        if (kind == DEPTH_FIRST_ORDERS)
            as_made(o);
        else
            depth_first(o, outputs, output_count, kind);
        int32_t needed = temporaries(o, outputs, output_count);
        if (needed > fewest) continue;
        fewest = needed;
        *count = o->count;
        memcpy(best, o->order, (size_t)o->count * sizeof *best);
    }
}

warplu_status wlm_order(const wlm_work *work, const wlm_node *outputs, int32_t output_count, wlm_node *order,
                        int32_t *count)
{
    wlu_context *ctx = work->ctx;
    wlm_orderer o = {.work = work};
    o.need = WLU_ALLOC(ctx, work->count, int32_t);
    o.left = WLU_ALLOC(ctx, work->count, int32_t);
    o.stack = WLU_ALLOC(ctx, work->count, wlm_node);
    o.order = WLU_ALLOC(ctx, work->count, wlm_node);
    o.next = WLU_ALLOC(ctx, work->count, unsigned char);
    int enough = WLU_ALL_THERE(o.need, o.left, o.stack, o.order, o.next);
    if (enough) choose(&o, outputs, output_count, order, count);
    wlu_free(ctx, o.need);
    wlu_free(ctx, o.left);
    wlu_free(ctx, o.stack);
    wlu_free(ctx, o.order);
    wlu_free(ctx, o.next);
    return enough ? WARPLU_SUCCESS : wlu_fail_memory(ctx, "order of a program");
}
