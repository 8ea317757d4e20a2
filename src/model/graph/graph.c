/* Keeps nodes in one growing array, and their numbers in a hash table with linear probing, at most half full. */
#include "model/graph/graph.h"

#include <math.h>
#include <string.h>

enum { NODES_MOST = 1 << 30, NODES_FIRST = 64 };

typedef struct wlm_entry {
    uint8_t opcode;
    wlm_node operand[3];
    int32_t input;
    double value;
    const wlm_table *table;
} wlm_entry;

struct wlm_graph {
    wlu_context *ctx;
    warplu_status status;
    int literal;
    int32_t count, room;
    wlm_entry *entry;
    int32_t *table; /* 2 room places, each a node's number plus 1, or 0 */
};

static const struct {
    int operands;
    const char *text;
    wlm_cost cost;
    wlm_course course;
    int is_elementary, is_tabled;
    wlm_size size;
    wlm_levels levels;
} opcodes[WLM_OPCODES] = {
#define WLM_OPCODE(name, operands, text, written, cost, course, size, levels, ...) \
    {operands, text, WLM_COST_##cost, WLM_COURSE_##course, 0, 0, WLM_SIZE_##size, WLM_LEVELS_##levels},
#define WLM_ELEMENTARY(name, operands, text, written, cost, course, size, levels, ...) \
    {operands, text, WLM_COST_##cost, WLM_COURSE_##course, 1, 0, WLM_SIZE_##size, WLM_LEVELS_##levels},
#define WLM_TABLED(name, operands, text, cost, course, size, ...) \
    {operands, text, WLM_COST_##cost, WLM_COURSE_##course, 0, 1, WLM_SIZE_##size, WLM_LEVELS_NEVER},
#include "model/graph/opcodes.def"
#undef WLM_OPCODE
};

int wlm_opcode_operands(wlm_opcode opcode)
{
    return opcodes[opcode].operands;
}

const char *wlm_opcode_text(wlm_opcode opcode)
{
    return opcodes[opcode].text;
}

wlm_cost wlm_opcode_cost(wlm_opcode opcode)
{
    return opcodes[opcode].cost;
}

wlm_course wlm_opcode_course(wlm_opcode opcode)
{
    return opcodes[opcode].course;
}

int wlm_opcode_is_elementary(wlm_opcode opcode)
{
    return opcodes[opcode].is_elementary;
}

int wlm_opcode_is_tabled(wlm_opcode opcode)
{
    return opcodes[opcode].is_tabled;
}

wlm_size wlm_opcode_size(wlm_opcode opcode)
{
    return opcodes[opcode].size;
}

int wlm_opcode_levels(wlm_opcode opcode, int which)
{
    return opcodes[opcode].levels == WLM_LEVELS_BY_ALL || (opcodes[opcode].levels == WLM_LEVELS_BY_B && which == 1);
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash ^= word;
    hash *= UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 29);
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t hash_of(const wlm_entry *e)
{
    uint64_t hash = mix(UINT64_C(0x243f6a8885a308d3), e->opcode);
    for (int k = 0; k < 3; k++) hash = mix(hash, (uint32_t)e->operand[k]);
    return mix(mix(mix(hash, (uint32_t)e->input), bits_of(e->value)), (uintptr_t)e->table);
}

static int same(const wlm_entry *a, const wlm_entry *b)
{
    return a->opcode == b->opcode && a->input == b->input && a->table == b->table &&
           bits_of(a->value) == bits_of(b->value) && memcmp(a->operand, b->operand, sizeof a->operand) == 0;
}

/* Returns the place of an equal node in the table, or the free one where it would stand. */
static int64_t place_of(const wlm_graph *g, const wlm_entry *e)
{
    int64_t places = 2 * (int64_t)g->room, at = (int64_t)(hash_of(e) % (uint64_t)places);
    while (g->table[at] != 0 && !same(&g->entry[g->table[at] - 1], e)) at = at + 1 == places ? 0 : at + 1;
    return at;
}

/* Makes room for twice as many nodes; 0 where there is none. */
static int grow(wlm_graph *g)
{
    if (g->room >= NODES_MOST) {
        g->status = wlu_fail(g->ctx, WARPLU_OVERFLOW, "equations: more than %d operations", NODES_MOST);
        return 0;
    }
    int32_t room = 2 * g->room;
    wlm_entry *entry = wlu_resize(g->ctx, g->entry, g->count, room, sizeof *entry);
    if (entry != NULL) g->entry = entry;
    int32_t *table = entry != NULL ? WLU_CALLOC(g->ctx, 2 * (int64_t)room, int32_t) : NULL;
    if (table == NULL) {
        g->status = wlu_fail_memory(g->ctx, "equations");
        return 0;
    }
    wlu_free(g->ctx, g->table);
    g->table = table;
    g->room = room;
    for (int32_t i = 0; i < g->count; i++) table[place_of(g, &g->entry[i])] = i + 1;
    return 1;
}

/* Returns 1 of nodes that are found again in literal graphs too: inputs and constants. */
static int is_shared(const wlm_graph *g, const wlm_entry *e)
{
    return !g->literal || opcodes[e->opcode].operands == 0;
}

static wlm_node add(wlm_graph *g, const wlm_entry *e)
{
    if (g->status != WARPLU_SUCCESS) return 0;
    int64_t at = place_of(g, e);
    if (g->table[at] != 0 && is_shared(g, e)) return g->table[at] - 1;
    if (g->count == g->room) {
        if (!grow(g)) return 0;
        at = place_of(g, e);
    }
    g->entry[g->count] = *e;
    g->table[at] = g->count + 1;
    return g->count++;
}

static wlm_entry entry_of(wlm_opcode opcode, wlm_node a, wlm_node b, wlm_node c)
{
    wlm_entry e;
    memset(&e, 0, sizeof e);
    e.opcode = (uint8_t)opcode;
    e.operand[0] = a, e.operand[1] = b, e.operand[2] = c;
    return e;
}

warplu_status wlm_graph_create(wlu_context *ctx, int literal, wlm_graph **out)
{
    *out = NULL;
    wlm_graph *g = WLU_CALLOC(ctx, 1, wlm_graph);
    if (g == NULL) return wlu_fail_memory(ctx, "equations");
    g->ctx = ctx;
    g->literal = literal;
    g->room = NODES_FIRST;
    g->entry = WLU_ALLOC(ctx, g->room, wlm_entry);
    g->table = WLU_CALLOC(ctx, 2 * (int64_t)g->room, int32_t);
    if (g->entry == NULL || g->table == NULL) {
        wlm_graph_destroy(&g);
        return wlu_fail_memory(ctx, "equations");
    }
    wlm_constant(g, NAN);
    *out = g;
    return WARPLU_SUCCESS;
}

void wlm_graph_destroy(wlm_graph **graph)
{
    wlm_graph *g = *graph;
    if (g == NULL) return;
    wlu_free(g->ctx, g->entry);
    wlu_free(g->ctx, g->table);
    wlu_free(g->ctx, g);
    *graph = NULL;
}

warplu_status wlm_graph_status(const wlm_graph *graph)
{
    return graph->status;
}

int wlm_graph_is_literal(const wlm_graph *graph)
{
    return graph->literal;
}

wlu_context *wlm_graph_context(const wlm_graph *graph)
{
    return graph->ctx;
}

wlm_node wlm_constant(wlm_graph *graph, double value)
{
    wlm_entry e = entry_of(WLM_CONSTANT, WLM_NONE, WLM_NONE, WLM_NONE);
    e.value = isnan(value) ? (double)NAN : value;
    return add(graph, &e);
}

wlm_node wlm_input(wlm_graph *graph, int32_t number)
{
    wlm_entry e = entry_of(WLM_INPUT, WLM_NONE, WLM_NONE, WLM_NONE);
    e.input = number;
    return add(graph, &e);
}

wlm_node wlm_graph_add(wlm_graph *graph, wlm_opcode opcode, wlm_node a, wlm_node b, wlm_node c)
{
    int operands = opcodes[opcode].operands;
    wlm_entry e =
        entry_of(opcode, operands > 0 ? a : WLM_NONE, operands > 1 ? b : WLM_NONE, operands > 2 ? c : WLM_NONE);
    return add(graph, &e);
}

/* Of constants it is a constant, unless the graph is literal. */
wlm_node wlm_read_table(wlm_graph *graph, wlm_opcode opcode, const wlm_table *table, wlm_node a, wlm_node b)
{
    if (graph->status != WARPLU_SUCCESS) return 0;
    if (opcodes[opcode].operands < 2) b = WLM_NONE;
    const wlm_entry *x = &graph->entry[a], *number = b != WLM_NONE ? &graph->entry[b] : x;
    if (!graph->literal && x->opcode == WLM_CONSTANT && number->opcode == WLM_CONSTANT)
        return wlm_constant(graph, wlm_evaluate_with(table, opcode, x->value, number->value, 0.0));
    wlm_entry e = entry_of(opcode, a, b, WLM_NONE);
    e.table = table;
    return add(graph, &e);
}

int32_t wlm_node_count(const wlm_graph *graph)
{
    return graph->count;
}

wlm_opcode wlm_node_opcode(const wlm_graph *graph, wlm_node node)
{
    return (wlm_opcode)graph->entry[node].opcode;
}

wlm_node wlm_node_operand(const wlm_graph *graph, wlm_node node, int which)
{
    return graph->entry[node].operand[which];
}

double wlm_node_value(const wlm_graph *graph, wlm_node node)
{
    return graph->entry[node].value;
}

int32_t wlm_node_input(const wlm_graph *graph, wlm_node node)
{
    return graph->entry[node].input;
}

const wlm_table *wlm_node_table(const wlm_graph *graph, wlm_node node)
{
    return graph->entry[node].table;
}

int wlm_node_is(const wlm_graph *graph, wlm_node node, double value)
{
    return node != WLM_NONE && graph->entry[node].opcode == WLM_CONSTANT && graph->entry[node].value == value;
}
