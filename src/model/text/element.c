/* Parses one element: its head, its lines, and then, once all names are known, values and equations, as nodes of the
 * kind's graph. Names and loops are element_names.c's and element_lines.c's, the order of definitions
 * element_order.c's. */
#include "model/text/element.h"

#include <stdio.h>
#include <string.h>

#include "model/text/lexer.h"
#include "model/text/units.h"

/* ---------------------------------------------------------------- the head */

static void add_port(wlm_element *e, wlm_place place, wlm_word name)
{
    wlm_kind *kind = e->kind;
    if (e->r->status != WARPLU_SUCCESS) return;
    if (wlm_names_find(&e->ports, name.text, name.length) >= 0) {
        wlm_fail_at(e->r, WARPLU_BAD_FORMAT, place, "port '%.*s' is there already", WLM_SHOWN(name));
        return;
    }
    char *text = wlm_take_text(e->r->kept, name.text, name.length);
    if (text == NULL || wlm_names_add(&e->ports, &e->r->scratch, text) < 0) {
        wlm_fail_taking(e->r);
        return;
    }
    if (!wlm_more_for(e->r, e->r->kept, &kind->port, kind->ports, sizeof *kind->port)) return;
    kind->port[kind->ports++] = text;
}

/* Reads port, or port[count]. */
static void parse_port(wlm_element *e)
{
    enum { PORTS_MOST = 1024 };
    wlm_reading *r = e->r;
    wlm_tree *tree = wlm_parse_name(r, "the name of a port");
    if (tree == NULL) return;
    if (tree->index == NULL) {
        add_port(e, tree->place, tree->name);
        return;
    }
    if (tree->index->next != NULL)
        wlm_fail_at(r, WARPLU_BAD_FORMAT, tree->index->next->place, "expected one number of ports, found more");
    int64_t count = wlm_whole_of(&e->builder, tree->index, "a number of ports", 1, PORTS_MOST);
    for (int64_t k = 0; k < count && r->status == WARPLU_SUCCESS; k++) {
        wlm_tree number = {.type = WLM_TREE_NUMBER, .number = (double)k};
        tree->index = &number;
        add_port(e, tree->place, wlm_name_of(&e->builder, tree));
    }
}

static void parse_head(wlm_element *e)
{
    wlm_reading *r = e->r;
    if (wlm_takes(r, "(") && !wlm_takes(r, ")")) {
        do parse_port(e);
        while (r->status == WARPLU_SUCCESS && wlm_takes(r, ","));
        wlm_needs(r, ")", "',' or ')'");
    }
    if (r->token.type != WLM_TOKEN_LINE)
        wlm_expected(r, e->kind->ports > 0 ? "the end of the line" : "'(' or the end of the line");
}

/* ------------------------------------------------------------------ values */

static void value_state(wlm_element *e, int32_t k)
{
    const wlm_pending *pending = &e->state[k];
    wlm_state *state = &e->kind->state[k];
    state->initial = wlm_element_node(e, pending->value, pending->scope);
    wlm_element_restrict(e, state->initial, WLM_MAY_PARAMETERS, pending->value->place, "an initial value");
    wlm_element_unit(e, pending->value, pending->scope, pending->line->unit, "the value of", state->name);
    if (pending->least == NULL) return;
    wlm_element_unit(e, pending->least, pending->scope, pending->line->unit, "the range of", state->name);
    wlm_element_unit(e, pending->most, pending->scope, pending->line->unit, "the range of", state->name);
    e->builder.scope = pending->scope;
    state->least = wlm_number_of(&e->builder, pending->least, "the bound of a state");
    state->most = wlm_number_of(&e->builder, pending->most, "the bound of a state");
    if (!(state->least < state->most))
        wlm_fail_at(e->r, WARPLU_BAD_FORMAT, pending->least->place,
                    "expected a range that ends above its begin, found %g..%g", state->least, state->most);
}

static void value_unknown(wlm_element *e, int32_t k)
{
    const wlm_pending *pending = &e->unknown[k];
    wlm_unknown *unknown = &e->kind->unknown[k];
    unknown->initial = wlm_element_node(e, pending->value, pending->scope);
    wlm_element_restrict(e, unknown->initial, WLM_MAY_PARAMETERS, pending->value->place, "an initial value");
    wlm_element_unit(e, pending->value, pending->scope, pending->line->unit, "the value of", unknown->name);
}

/* --------------------------------------------------------------- equations */

int32_t wlm_element_state(wlm_element *e, const wlm_tree *tree, const wlm_scope *scope)
{
    e->builder.scope = scope;
    wlm_word name =
        tree->type == WLM_TREE_PORT ? wlm_dotted_name_of(&e->builder, tree) : wlm_name_of(&e->builder, tree);
    name = wlm_own_name(&e->builder, name);
    int32_t symbol = e->r->status == WARPLU_SUCCESS ? wlm_names_find(&e->owner.names, name.text, name.length) : -1;
    if (symbol >= 0 && e->symbol[symbol].type == WLM_SYMBOL_STATE) return e->symbol[symbol].index;
    wlm_nearest nearest;
    wlm_nearest_init(&nearest, name);
    for (int32_t k = 0; k < e->kind->states; k++) wlm_nearest_try(&nearest, e->kind->state[k].name);
    wlm_fail_at(e->r, WARPLU_BAD_FORMAT, tree->place, "'%.*s' is %s of element %.40s, expected a state%s",
                WLM_SHOWN(name), symbol >= 0 ? wlm_symbol_text(&e->owner, symbol) : "no state", e->kind->name,
                wlm_nearest_text(&nearest));
    return -1;
}

static void add_closing(wlm_element *e, const wlm_item *item)
{
    wlm_kind *kind = e->kind;
    if (!wlm_more_for(e->r, e->r->kept, &kind->closing, kind->closings, sizeof *kind->closing)) return;
    kind->closing[kind->closings].place = item->line->place;
    kind->closing[kind->closings++].node = wlm_element_node(e, item->line->value, item->scope);
    wlm_element_unit(e, item->line->value, item->scope, WLM_UNIT_OPEN, "", "");
}

static void add_limit(wlm_element *e, const wlm_item *item)
{
    wlm_kind *kind = e->kind;
    if (!wlm_more_for(e->r, e->r->kept, &kind->limit, kind->limits, sizeof *kind->limit)) return;
    kind->limit[kind->limits].place = item->line->place;
    kind->limit[kind->limits++].node = wlm_element_node(e, item->line->value, item->scope);
    wlm_element_unit(e, item->line->value, item->scope, WLM_UNIT_TIME, "the limit of", "step");
}

static void add_equations(wlm_element *e)
{
    for (int32_t k = 0; k < e->items && e->r->status == WARPLU_SUCCESS; k++) {
        const wlm_item *item = &e->item[k];
        e->builder.building = WLM_TO_NODE;
        switch (item->line->type) {
        case WLM_LINE_RATE:
        case WLM_LINE_GATE: wlm_element_rate_line(e, item); break;
        case WLM_LINE_CLOSING: add_closing(e, item); break;
        case WLM_LINE_CONTRIBUTION: wlm_element_contribute(e, item); break;
        case WLM_LINE_EVENT: wlm_element_event(e, item); break;
        case WLM_LINE_LIMIT: add_limit(e, item); break;
        case WLM_LINE_PARAMETER:
        case WLM_LINE_STATE:
        case WLM_LINE_DISCRETE:
        case WLM_LINE_UNKNOWN:
        case WLM_LINE_INPUT:
        case WLM_LINE_DEFINITION:
        case WLM_LINE_PART:
        case WLM_LINE_FOR: break;
        }
    }
}

/* ------------------------------------------------------------------- whole */

static void count_equations(wlm_element *e)
{
    const wlm_kind *kind = e->kind;
    for (int32_t k = 0; k < kind->states; k++)
        if (kind->state[k].rate == WLM_NONE)
            wlm_fail_at(e->r, WARPLU_MODEL_EQUATIONS, kind->state[k].place,
                        "state '%.40s' of element %.40s has no equation; add \"%.40s' = ...\"", kind->state[k].name,
                        kind->name, kind->state[k].name);
    if (kind->unknowns != kind->closings)
        wlm_fail_at(e->r, WARPLU_MODEL_EQUATIONS,
                    kind->unknowns > kind->closings ? kind->unknown[0].place : kind->closing[0].place,
                    "element %.40s has %d unknown%s and %d closing equation%s; %s", kind->name, kind->unknowns,
                    kind->unknowns == 1 ? "" : "s", kind->closings, kind->closings == 1 ? "" : "s",
                    kind->unknowns > kind->closings ? "add '0 = ...'"
                                                    : "declare 'unknown ...', or take equations away");
}

static void build(wlm_element *e, const wlm_line *lines)
{
    wlm_element_expand(e, lines, NULL);
    if (e->reads_rates && e->r->status == WARPLU_SUCCESS) wlm_element_list_rates(e);
    e->builder.building = WLM_TO_NUMBER;
    wlm_element_value_parameters(e);
    wlm_element_define(e);
    for (int32_t k = 0; k < e->kind->states && e->r->status == WARPLU_SUCCESS; k++) value_state(e, k);
    for (int32_t k = 0; k < e->kind->unknowns && e->r->status == WARPLU_SUCCESS; k++) value_unknown(e, k);
    add_equations(e);
    wlm_element_seek_conditions(e);
    count_equations(e);
}

void wlm_parse_element(wlm_reading *r)
{
    wlm_element e = {.r = r, .time = WLM_NONE, .step = WLM_NONE};
    wlm_model *model = r->model;
    wlm_line *lines = NULL;
    wlm_place place = r->token.place;
    wlm_word name = wlm_needs_name(r, "the name of an element");
    if (!wlm_add_global(r, name, (wlm_global){.type = WLM_GLOBAL_KIND, .index = model->kinds, .place = place})) return;
    if (!wlm_more_for(r, r->kept, &model->kind, model->kinds, sizeof *model->kind)) return;
    e.kind = &model->kind[model->kinds];
    *e.kind = (wlm_kind){.name = r->names.name[r->names.count - 1], .place = place};
    r->status = wlm_graph_create(r->ctx, model->literal, &e.kind->graph);
    if (r->status != WARPLU_SUCCESS) return;
    model->kinds++;
    e.builder = (wlm_builder){.r = r, .graph = e.kind->graph, .owner = &e.owner, .where = "an element"};
    wlm_element_own(&e);
    parse_head(&e);
    int32_t rates = r->rates;
    int is_read = r->status == WARPLU_SUCCESS && wlm_parse_lines(r, &lines);
    e.reads_rates = r->rates > rates;
    if (is_read && wlm_more_for(r, &r->scratch, &r->body, r->bodies, sizeof *r->body)) {
        r->body[r->bodies++] = (wlm_body){lines, e.reads_rates};
        build(&e, lines);
    }
}
