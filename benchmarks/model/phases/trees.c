#include "phases/trees.h"

static const int64_t too_many = INT64_MAX / 4;

int wlm_trees_ends(const wlm_trees *t, wlm_node node)
{
    return t->owner[node] >= 0 || wlm_opcode_operands(wlm_node_opcode(t->graph, node)) == 0;
}

int wlm_trees_chain(const wlm_trees *t, wlm_node node)
{
    wlm_opcode opcode = wlm_node_opcode(t->graph, node);
    if (opcode != WLM_ADD && opcode != WLM_MUL) return -1;
    for (int k = 0; k < 2; k++) {
        wlm_node operand = wlm_node_operand(t->graph, node, k);
        if (wlm_node_opcode(t->graph, operand) == opcode && !wlm_trees_ends(t, operand)) return k;
    }
    return -1;
}

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* What an operand takes where it stands in a tree. */
static int32_t stack_of(const wlm_trees *t, wlm_node node)
{
    return wlm_trees_ends(t, node) ? 1 : t->stack[node];
}

/* Words of an operation: its own, and jumps of a condition; of operands that are ends, at most three. */
static void measure(wlm_trees *t, wlm_node node)
{
    wlm_opcode opcode = wlm_node_opcode(t->graph, node);
    int operands = wlm_opcode_operands(opcode), chain = wlm_trees_chain(t, node);
    t->stack[node] = t->depth[node] = 1;
    t->words[node] = 3;
    for (int k = 0; k < operands; k++) {
        int at = chain >= 0 ? k != chain : opcode == WLM_SELECT ? 0 : k; /* where it stands on the stack */
        wlm_node operand = wlm_node_operand(t->graph, node, k);
        int is_end = wlm_trees_ends(t, operand);
        t->stack[node] = larger(t->stack[node], at + stack_of(t, operand));
        t->depth[node] = larger(t->depth[node], (is_end ? 0 : t->depth[operand]) + (k != chain));
        t->words[node] += is_end ? 3 : t->words[operand];
    }
    if (t->words[node] > too_many) t->words[node] = too_many;
}

warplu_status wlm_trees_create(wlu_context *ctx, const wlm_graph *graph, const int32_t *definition, wlm_trees *out)
{
    int32_t count = wlm_node_count(graph);
    wlm_trees *t = out;
    t->graph = graph;
    t->owner = WLU_ALLOC(ctx, count, int32_t);
    t->stack = WLU_ALLOC(ctx, count, int32_t);
    t->depth = WLU_ALLOC(ctx, count, int32_t);
    t->words = WLU_ALLOC(ctx, count, int64_t);
    if (t->owner == NULL || t->stack == NULL || t->depth == NULL || t->words == NULL)
        return wlu_fail_memory(ctx, "phases");
    for (wlm_node node = 0; node < count; node++)
        t->owner[node] = wlm_opcode_operands(wlm_node_opcode(graph, node)) > 0 ? definition[node] : -1;
    for (wlm_node node = 0; node < count; node++) measure(t, node);
    return WARPLU_SUCCESS;
}

void wlm_trees_free(wlu_context *ctx, wlm_trees *trees)
{
    wlu_free(ctx, trees->owner);
    wlu_free(ctx, trees->stack);
    wlu_free(ctx, trees->depth);
    wlu_free(ctx, trees->words);
}
