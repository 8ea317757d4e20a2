/* Builds definitions in an order in which each stands behind those it needs: depth first, with a stack of its own, so
 * that a chain of any length does not exhaust the thread's. A definition that is met while it is open closes a circle;
 * the message names the definitions in it. Cost: each expression is looked at twice. */
#include <stdio.h>
#include <string.h>

#include "model/text/element.h"
#include "model/text/units.h"

int32_t wlm_element_new_definition(wlm_element *e, int32_t symbol)
{
    if (!wlm_more_for(e->r, &e->r->scratch, &e->definition, e->definitions, sizeof *e->definition)) return -1;
    e->definition[e->definitions] = (wlm_definition){.symbol = symbol, .at = -1, .node = WLM_NONE};
    return e->definitions++;
}

void wlm_element_wait_for(wlm_element *e, int32_t definition)
{
    if (e->definition[definition].progress == WLM_DONE) return;
    if (!wlm_more_for(e->r, &e->r->scratch, &e->wait, e->waiting, sizeof *e->wait)) return;
    e->wait[e->waiting++] = definition;
}

static int is_rate(const wlm_definition *d)
{
    return d->item.line->type == WLM_LINE_RATE || d->item.line->type == WLM_LINE_GATE;
}

/* Writes "'x' needs ", or "'x'' needs " of a rate. Returns how many characters there are. */
static size_t write_name(const wlm_element *e, int32_t definition, const char *behind, char *text, size_t size)
{
    enum { NAME_SHOWN = 24 };
    const wlm_definition *d = &e->definition[definition];
    return (size_t)snprintf(text, size, "'%.*s%s'%s", NAME_SHOWN, e->owner.names.name[d->symbol], is_rate(d) ? "'" : "",
                            behind);
}

/* Fails with the names of the open definitions from place `from` of the stack on, which close a circle. */
static void fail_circle(wlm_element *e, int32_t from)
{
    enum { NAMES_MOST = 8, EACH_MOST = 40 };
    char text[(NAMES_MOST + 2) * EACH_MOST];
    int32_t first = e->wait[from], count = 0;
    size_t at = 0;
    for (int32_t k = from; k < e->waiting; k++) {
        if (e->definition[e->wait[k]].at != k) continue; /* it only waits there */
        if (count++ < NAMES_MOST) at += write_name(e, e->wait[k], " needs ", text + at, sizeof text - at);
    }
    if (count > NAMES_MOST) at += (size_t)snprintf(text + at, sizeof text - at, "... needs ");
    write_name(e, first, "", text + at, sizeof text - at);
    wlm_fail_at(e->r, WARPLU_BAD_FORMAT, e->definition[first].item.line->place,
                "expected definitions without a circle, found that %s", text);
}

/* Puts the definitions that this one needs on the stack; fails where one of them is open. */
static void open_definition(wlm_element *e, int32_t definition)
{
    wlm_definition *d = &e->definition[definition];
    int32_t begin = e->waiting;
    d->progress = WLM_OPEN;
    d->at = begin - 1;
    e->builder.building = WLM_TO_NEEDS;
    e->builder.scope = d->item.scope;
    if (d->item.line->type == WLM_LINE_GATE) {
        wlm_value_of(&e->builder, d->item.line->second);
        wlm_value_of(&e->builder, d->item.line->third);
    } else {
        wlm_value_of(&e->builder, d->value);
    }
    for (int32_t k = begin; k < e->waiting && e->r->status == WARPLU_SUCCESS; k++) {
        if (e->definition[e->wait[k]].progress != WLM_OPEN) continue;
        int32_t from = e->definition[e->wait[k]].at;
        e->waiting = begin;
        fail_circle(e, from);
    }
}

/* Finds the unit of a definition, or of a rule. What has one, and is a quantity of a port, tells that quantity's. */
static void find_unit(wlm_element *e, const wlm_definition *d)
{
    wlm_symbol *symbol = &e->symbol[d->symbol];
    const char *name = e->owner.names.name[d->symbol];
    symbol->unit = wlm_element_unit(e, d->value, d->item.scope, symbol->unit, "the value of", name);
    int32_t leaf = wlm_node_opcode(e->kind->graph, d->node) == WLM_INPUT ? wlm_node_input(e->kind->graph, d->node) : -1;
    if (leaf < 0 || e->kind->leaf[leaf].type != WLM_LEAF_PORT) return;
    e->kind->port_quantity[e->kind->leaf[leaf].index].unit = symbol->unit;
}

static void close_definition(wlm_element *e, int32_t definition)
{
    wlm_definition *d = &e->definition[definition];
    wlm_kind *kind = e->kind;
    const wlm_line *line = d->item.line;
    if (is_rate(d)) {
        wlm_element_add_rate(e, &d->item);
        d->node = kind->state[e->symbol[d->symbol].index].rate;
        d->progress = WLM_DONE;
        return;
    }
    d->node = wlm_element_node(e, d->value, d->item.scope);
    d->progress = WLM_DONE;
    find_unit(e, d);
    if (line->type == WLM_LINE_PARAMETER) {
        wlm_element_close_rule(e, d);
        return;
    }
    if (line->type == WLM_LINE_INPUT)
        wlm_element_restrict(e, d->node, WLM_MAY_TIME | WLM_MAY_PARAMETERS, d->value->place, "an input");
    if (!wlm_more_for(e->r, e->r->kept, &kind->local, kind->locals, sizeof *kind->local)) return;
    kind->local[kind->locals++] = (wlm_local){e->owner.names.name[d->symbol], line->place, d->node};
}

/* Builds all definitions on the stack from `begin` on, and what they need. */
static void build_waiting(wlm_element *e, int32_t begin)
{
    while (e->waiting > begin && e->r->status == WARPLU_SUCCESS) {
        int32_t top = e->wait[e->waiting - 1];
        wlm_progress progress = e->definition[top].progress;
        if (progress == WLM_NEW) {
            open_definition(e, top);
            continue;
        }
        if (progress == WLM_OPEN) close_definition(e, top);
        e->waiting--;
    }
}

void wlm_element_build(wlm_element *e, int32_t definition)
{
    int32_t begin = e->waiting;
    wlm_element_wait_for(e, definition);
    build_waiting(e, begin);
}

void wlm_element_define(wlm_element *e)
{
    for (int32_t k = 0; k < e->definitions && e->r->status == WARPLU_SUCCESS; k++) {
        if (is_rate(&e->definition[k])) continue; /* where something reads it */
        wlm_element_build(e, k);
    }
}

void wlm_element_need(wlm_element *e, const wlm_tree *tree, const wlm_scope *scope)
{
    int32_t begin = e->waiting;
    e->builder.building = WLM_TO_NEEDS;
    e->builder.scope = scope;
    wlm_value_of(&e->builder, tree);
    build_waiting(e, begin);
}
