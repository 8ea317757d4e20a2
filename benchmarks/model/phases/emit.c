#include "phases/emit.h"

#include <string.h>

/* An array with room for one more; NULL, and the status, where there is none. */
static void *room_for(wlm_emitter *e, void *array, int64_t count, int64_t *room, size_t size)
{
    if (count < *room) return array;
    int64_t more = *room > 0 ? 2 * *room : 256;
    void *moved = wlu_resize(e->ctx, array, count, more, size);
    if (moved == NULL) e->status = wlu_fail_memory(e->ctx, "phases");
    if (moved != NULL) *room = more;
    return moved;
}

void wlm_emit_word(wlm_emitter *e, uint32_t word)
{
    if (e->status != WARPLU_SUCCESS) return;
    uint32_t *code = room_for(e, e->code, e->words, &e->room, sizeof *code);
    if (code == NULL) return;
    e->code = code;
    code[e->words++] = word;
}

static void emit(wlm_emitter *e, int opcode, int64_t number)
{
    wlm_emit_word(e, wlm_phases_word(opcode, number));
}

/* A number comes to stand on `height` others. */
static void push(wlm_emitter *e, int opcode, int32_t height)
{
    if (height + 1 > e->deepest) e->deepest = height + 1;
    emit(e, opcode, 0);
}

void wlm_emit_constant(wlm_emitter *e, double value, int32_t height)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    push(e, WLM_PHASES_CONSTANT, height);
    wlm_emit_word(e, (uint32_t)bits);
    wlm_emit_word(e, (uint32_t)(bits >> 32));
}

static void read_definition(wlm_emitter *e, int32_t definition, int32_t height)
{
    push(e, WLM_PHASES_VARIABLE, height);
    wlm_emit_word(e, (uint32_t)(e->first_definition + definition));
    if (e->status != WARPLU_SUCCESS || e->reader[definition] == e->formula) return;
    int64_t room = e->edge_room;
    int32_t *operand = room_for(e, e->operand, e->edges, &room, sizeof *operand);
    if (operand == NULL) return;
    e->operand = operand;
    e->edge_room = (int32_t)room;
    operand[e->edges++] = definition;
    e->reader[definition] = e->formula;
}

static void emit_end(wlm_emitter *e, wlm_node node, int32_t height)
{
    const wlm_graph *g = e->trees->graph;
    if (e->trees->owner[node] >= 0) {
        read_definition(e, e->trees->owner[node], height);
    } else if (wlm_node_opcode(g, node) == WLM_CONSTANT) {
        wlm_emit_constant(e, wlm_node_value(g, node), height);
    } else {
        push(e, WLM_PHASES_VARIABLE, height);
        wlm_emit_word(e, (uint32_t)wlm_node_input(g, node));
    }
}

static void emit_tree(wlm_emitter *e, wlm_node node, int32_t height);

static void emit_operand(wlm_emitter *e, wlm_node node, int32_t height)
{
    if (wlm_trees_ends(e->trees, node))
        emit_end(e, node, height);
    else
        emit_tree(e, node, height);
}

static void wait_for(wlm_emitter *e, wlm_node node)
{
    if (e->status != WARPLU_SUCCESS) return;
    int64_t room = e->wait_room;
    wlm_node *wait = room_for(e, e->wait, e->waiting, &room, sizeof *wait);
    if (wait == NULL) return;
    e->wait = wait;
    e->wait_room = (int32_t)room;
    wait[e->waiting++] = node;
}

/* A chain: its terms lie waiting, the last one lowest; what would not fit the stack is added up before. */
static void emit_chain(wlm_emitter *e, wlm_node node, int32_t height)
{
    const wlm_trees *t = e->trees;
    int opcode = wlm_node_opcode(t->graph, node) == WLM_ADD ? WLM_PHASES_PLUS : WLM_PHASES_TIMES;
    int32_t below = e->waiting, pending = 0;
    for (int k = wlm_trees_chain(t, node); k >= 0; k = wlm_trees_chain(t, node)) {
        wait_for(e, wlm_node_operand(t->graph, node, 1 - k));
        node = wlm_node_operand(t->graph, node, k);
    }
    wait_for(e, wlm_node_operand(t->graph, node, 1));
    wait_for(e, wlm_node_operand(t->graph, node, 0));
    while (e->status == WARPLU_SUCCESS && e->waiting > below) {
        wlm_node term = e->wait[--e->waiting];
        int32_t stack = wlm_trees_ends(t, term) ? 1 : t->stack[term];
        if (pending > 1 && height + pending + stack > e->most) {
            emit(e, opcode, pending);
            pending = 1;
        }
        emit_operand(e, term, height + pending++);
    }
    emit(e, opcode, pending);
}

/* Sets the distance of a jump, of which nothing but the opcode is written, to here. */
static void land(wlm_emitter *e, int64_t jump)
{
    if (e->status != WARPLU_SUCCESS) return;
    e->code[jump] = wlm_phases_word((int)(e->code[jump] & 255), e->words - jump - 1);
}

static void emit_select(wlm_emitter *e, wlm_node node, int32_t height)
{
    const wlm_graph *g = e->trees->graph;
    emit_operand(e, wlm_node_operand(g, node, 0), height);
    int64_t unless = e->words;
    emit(e, WLM_PHASES_JUMP_UNLESS, 0);
    emit_operand(e, wlm_node_operand(g, node, 1), height);
    int64_t jump = e->words;
    emit(e, WLM_PHASES_JUMP, 0);
    land(e, unless);
    emit_operand(e, wlm_node_operand(g, node, 2), height);
    land(e, jump);
}

static void emit_tree(wlm_emitter *e, wlm_node node, int32_t height)
{
    const wlm_graph *g = e->trees->graph;
    wlm_opcode opcode = wlm_node_opcode(g, node);
    if (opcode == WLM_ADD || opcode == WLM_MUL) {
        emit_chain(e, node, height);
    } else if (opcode == WLM_SELECT) {
        emit_select(e, node, height);
    } else {
        for (int k = 0; k < wlm_opcode_operands(opcode); k++) emit_operand(e, wlm_node_operand(g, node, k), height + k);
        emit(e, opcode, 0);
    }
}

void wlm_emit_value(wlm_emitter *e, wlm_node node, int as_end)
{
    if (as_end)
        emit_operand(e, node, 0);
    else
        emit_tree(e, node, 0);
}
