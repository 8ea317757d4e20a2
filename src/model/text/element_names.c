/* Gives names of an element their nodes: inputs of its graph, or definitions that are built already. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/text/element.h"
#include "model/text/units.h"

const char *wlm_symbol_text(const wlm_owner *owner, int32_t symbol)
{
    static const char *const texts[] = {"a parameter", "a state", "an unknown", "a definition"};
    const wlm_element *e = (const wlm_element *)(const void *)owner;
    const wlm_symbol *s = &e->symbol[symbol];
    if (s->type == WLM_SYMBOL_STATE && e->kind->state[s->index].is_discrete) return "a discrete variable";
    return texts[s->type];
}

wlm_node wlm_element_leaf(wlm_element *e, wlm_leaf_type type, int32_t index)
{
    wlm_kind *kind = e->kind;
    if (!wlm_more_for(e->r, e->r->kept, &kind->leaf, kind->leaves, sizeof *kind->leaf)) return 0;
    kind->leaf[kind->leaves] = (wlm_leaf){type, index};
    return wlm_input(kind->graph, kind->leaves++);
}

static wlm_value of_node(wlm_node node)
{
    return (wlm_value){0.0, node};
}

wlm_node wlm_symbol_leaf(wlm_element *e, int32_t symbol)
{
    static const wlm_leaf_type types[] = {WLM_LEAF_PARAMETER, WLM_LEAF_STATE, WLM_LEAF_UNKNOWN};
    wlm_symbol *s = &e->symbol[symbol];
    if (s->leaf == WLM_NONE) s->leaf = wlm_element_leaf(e, types[s->type], s->index);
    return s->leaf;
}

wlm_node wlm_symbol_node(wlm_element *e, int32_t symbol)
{
    int32_t definition = e->symbol[symbol].definition;
    return definition >= 0 ? e->definition[definition].node : wlm_symbol_leaf(e, symbol);
}

static wlm_value own_symbol(wlm_owner *owner, const wlm_builder *b, int32_t symbol)
{
    wlm_element *e = (wlm_element *)(void *)owner;
    if (b->building == WLM_TO_NODE) return of_node(wlm_symbol_node(e, symbol));
    if (b->building == WLM_TO_UNIT) return of_node(e->symbol[symbol].unit);
    if (e->symbol[symbol].definition >= 0) wlm_element_wait_for(e, e->symbol[symbol].definition);
    return of_node(0);
}

wlm_node wlm_element_time(wlm_element *e)
{
    if (e->time == WLM_NONE) e->time = wlm_element_leaf(e, WLM_LEAF_TIME, 0);
    return e->time;
}

static wlm_value own_time(wlm_owner *owner, const wlm_builder *b)
{
    if (b->building == WLM_TO_UNIT) return of_node(WLM_UNIT_TIME);
    return of_node(b->building == WLM_TO_NEEDS ? 0 : wlm_element_time((wlm_element *)(void *)owner));
}

static wlm_value own_step(wlm_owner *owner, const wlm_builder *b, wlm_place place)
{
    wlm_element *e = (wlm_element *)(void *)owner;
    if (b->building == WLM_TO_NEEDS) return of_node(0);
    if (b->building == WLM_TO_UNIT) return of_node(WLM_UNIT_TIME);
    if (e->step == WLM_NONE) e->step = wlm_element_leaf(e, WLM_LEAF_STEP, 0);
    if (e->kind->step.line == 0 || place.line < e->kind->step.line) e->kind->step = place;
    return of_node(e->step);
}

int32_t wlm_element_port(wlm_element *e, wlm_builder *b, const wlm_tree *tree)
{
    wlm_word name = wlm_name_of(b, tree);
    const wlm_element_part *part = wlm_part_of(b->scope);
    int32_t port = -1;
    if (part == NULL && b->r->status == WARPLU_SUCCESS) port = wlm_names_find(&e->ports, name.text, name.length);
    for (int32_t k = 0; part != NULL && k < part->kind->ports; k++)
        if (wlm_word_is(name, part->kind->port[k])) port = part->port[k];
    if (port < 0) {
        wlm_nearest nearest;
        wlm_nearest_init(&nearest, name);
        wlm_nearest_try_all(&nearest, &e->ports);
        wlm_fail_at(e->r, WARPLU_BAD_FORMAT, tree->place, "'%.*s' is no port of element %.40s%s", WLM_SHOWN(name),
                    e->kind->name, wlm_nearest_text(&nearest));
    }
    return port;
}

static int32_t new_quantity(wlm_element *e, char *both, wlm_port_quantity quantity)
{
    wlm_kind *kind = e->kind;
    int32_t count = kind->port_quantities;
    if (!wlm_more_for(e->r, e->r->kept, &kind->port_quantity, count, sizeof *kind->port_quantity) ||
        !wlm_more_for(e->r, &e->r->scratch, &e->quantity_leaf, count, sizeof *e->quantity_leaf))
        return -1;
    if (wlm_names_add(&e->quantities, &e->r->scratch, both) < 0) return wlm_fail_taking(e->r), -1;
    kind->port_quantity[count] = quantity;
    e->quantity_leaf[count] = WLM_NONE;
    return kind->port_quantities++;
}

int32_t wlm_element_quantity(wlm_element *e, wlm_builder *b, const wlm_tree *tree)
{
    int32_t port = wlm_element_port(e, b, tree);
    if (port < 0) return -1;
    wlm_word name = wlm_name_of(b, tree->quantity);
    if (tree->quantity->quantity != NULL)
        wlm_fail_at(b->r, WARPLU_BAD_FORMAT, tree->quantity->place, "'%.*s' is no quantity of a node", WLM_SHOWN(name));
    size_t room = strlen(e->kind->port[port]) + (size_t)name.length + 2;
    char *both = wlm_take_for(e->r, &e->r->scratch, (int64_t)room, 1);
    if (both == NULL || e->r->status != WARPLU_SUCCESS) return -1;
    int32_t length = snprintf(both, room, "%s.%.*s", e->kind->port[port], (int)name.length, name.text);
    int32_t known = wlm_names_find(&e->quantities, both, length);
    if (known >= 0) return known;
    char *kept = wlm_take_text(e->r->kept, name.text, name.length);
    if (kept == NULL) return wlm_fail_taking(e->r), -1;
    return new_quantity(e, both, (wlm_port_quantity){.port = port, .name = kept, .place = tree->quantity->place});
}

/* Returns the value of part.name. */
static wlm_value of_part(wlm_element *e, wlm_builder *b, const wlm_tree *tree)
{
    wlm_nearest nearest;
    wlm_word name = wlm_own_name(b, wlm_dotted_name_of(b, tree));
    int32_t symbol = wlm_names_find(&e->owner.names, name.text, name.length);
    if (symbol >= 0) return own_symbol(&e->owner, b, symbol);
    wlm_nearest_init(&nearest, name);
    wlm_nearest_try_all(&nearest, &e->owner.names);
    wlm_fail_at(e->r, WARPLU_BAD_FORMAT, tree->place, "'%.*s' is not defined in element %.40s%s", WLM_SHOWN(name),
                e->kind->name, wlm_nearest_text(&nearest));
    return of_node(0);
}

static wlm_value own_port(wlm_owner *owner, wlm_builder *b, const wlm_tree *tree)
{
    wlm_element *e = (wlm_element *)(void *)owner;
    wlm_word part = wlm_own_name(b, wlm_name_of(b, tree));
    if (wlm_names_find(&e->parts, part.text, part.length) >= 0) return of_part(e, b, tree);
    int32_t quantity = wlm_element_quantity(e, b, tree);
    if (quantity < 0 || b->building == WLM_TO_NEEDS) return of_node(0);
    if (b->building == WLM_TO_UNIT) return of_node(e->kind->port_quantity[quantity].unit);
    if (e->quantity_leaf[quantity] == WLM_NONE)
        e->quantity_leaf[quantity] = wlm_element_leaf(e, WLM_LEAF_PORT, quantity);
    return of_node(e->quantity_leaf[quantity]);
}

wlm_node wlm_element_node(wlm_element *e, const wlm_tree *tree, const wlm_scope *scope)
{
    wlm_builder *b = &e->builder;
    if (e->reads_rates) wlm_element_need(e, tree, scope);
    b->building = WLM_TO_NODE;
    b->scope = scope;
    wlm_node node = wlm_value_of(b, tree).node;
    b->scope = NULL;
    warplu_status status = wlm_graph_status(e->kind->graph);
    if (e->r->status == WARPLU_SUCCESS && status != WARPLU_SUCCESS) e->r->status = status; /* which has been said */
    return e->r->status == WARPLU_SUCCESS ? node : 0;
}

int32_t wlm_element_unit(wlm_element *e, const wlm_tree *tree, const wlm_scope *scope, int32_t wanted, const char *what,
                         const char *name)
{
    wlm_builder *b = &e->builder;
    const wlm_scope *before = b->scope;
    b->scope = scope;
    int32_t unit = wlm_unit_of(b, tree, wanted, what, name);
    b->scope = before;
    return unit;
}

/* ------------------------------------------------------------ what is seen */

/* Fills the masks of all nodes that have been made by now; 0 after a failure. */
static int fill_masks(wlm_element *e)
{
    const wlm_graph *g = e->kind->graph;
    for (; e->masks < wlm_node_count(g); e->masks++) {
        if (!wlm_more_for(e->r, &e->r->scratch, &e->mask, e->masks, 1)) return 0;
        wlm_opcode opcode = wlm_node_opcode(g, e->masks);
        unsigned char mask = 0;
        if (opcode == WLM_INPUT) mask = (unsigned char)(1u << e->kind->leaf[wlm_node_input(g, e->masks)].type);
        for (int k = 0; k < wlm_opcode_operands(opcode); k++) mask |= e->mask[wlm_node_operand(g, e->masks, k)];
        e->mask[e->masks] = mask;
    }
    return 1;
}

static void leaf_text(const wlm_element *e, wlm_leaf leaf, char *text, size_t size)
{
    const wlm_kind *kind = e->kind;
    const wlm_port_quantity *q = kind->port_quantity;
    switch (leaf.type) {
    case WLM_LEAF_TIME: snprintf(text, size, "t"); break;
    case WLM_LEAF_STEP: snprintf(text, size, "step"); break;
    case WLM_LEAF_PARAMETER: snprintf(text, size, "%.40s", kind->parameter[leaf.index].name); break;
    case WLM_LEAF_STATE: snprintf(text, size, "%.40s", kind->state[leaf.index].name); break;
    case WLM_LEAF_UNKNOWN: snprintf(text, size, "%.40s", kind->unknown[leaf.index].name); break;
    case WLM_LEAF_PORT: snprintf(text, size, "%.40s.%.40s", kind->port[q[leaf.index].port], q[leaf.index].name); break;
    }
}

unsigned wlm_element_leaves(wlm_element *e, wlm_node node)
{
    return e->r->status == WARPLU_SUCCESS && fill_masks(e) ? e->mask[node] : 0;
}

void wlm_element_restrict(wlm_element *e, wlm_node node, unsigned types, wlm_place place, const char *what)
{
    const wlm_graph *g = e->kind->graph;
    char text[96];
    if ((wlm_element_leaves(e, node) & ~types) == 0) return;
    while (wlm_node_opcode(g, node) != WLM_INPUT) { /* goes down to a leaf that is not allowed */
        int k = 0;
        while ((e->mask[wlm_node_operand(g, node, k)] & ~types) == 0) k++;
        node = wlm_node_operand(g, node, k);
    }
    leaf_text(e, e->kind->leaf[wlm_node_input(g, node)], text, sizeof text);
    wlm_fail_at(e->r, WARPLU_BAD_FORMAT, place, "expected %s to depend on parameters%s alone, it depends on '%s'", what,
                types & WLM_MAY_TIME ? " and the time" : "", text);
}

void wlm_element_own(wlm_element *e)
{
    e->owner.name = e->kind->name;
    e->owner.text = wlm_symbol_text;
    e->owner.symbol = own_symbol;
    e->owner.time = own_time;
    e->owner.step = own_step;
    e->owner.port = own_port;
    e->owner.rate = wlm_element_rate;
    e->owner.pulse = wlm_element_pulse;
    e->owner.jump = wlm_element_jump;
    e->owner.lookup = wlm_element_lookup;
}
