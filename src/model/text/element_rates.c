/* Rates of states: lines x' = ... and gates, and expressions that read x', which is the expression of that line. A rate
 * that is read is built as definitions are, when something needs it first; a circle of them is none. */
#include <string.h>

#include "model/text/element.h"
#include "model/text/units.h"

static int is_quotient(const wlm_graph *g, wlm_node a)
{
    return wlm_node_opcode(g, a) == WLM_DIV;
}

/* Returns (steady - x) / tau. Most gates are given by two speeds, with steady = a / (a + b) and tau = 1 / (a + b);
 * their rate is a - x (a + b), which needs no division. */
static wlm_node rate_of_gate(wlm_graph *g, const wlm_state *state, wlm_node x)
{
    wlm_node steady = state->steady, tau = state->tau, away = wlm_binary(g, WLM_SUB, steady, x);
    if (!is_quotient(g, tau) || !wlm_node_is(g, wlm_node_operand(g, tau, 0), 1.0))
        return wlm_binary(g, WLM_DIV, away, tau);
    wlm_node speed = wlm_node_operand(g, tau, 1);
    if (!is_quotient(g, steady) || wlm_node_operand(g, steady, 1) != speed) return wlm_binary(g, WLM_MUL, away, speed);
    return wlm_binary(g, WLM_SUB, wlm_node_operand(g, steady, 0), wlm_binary(g, WLM_MUL, x, speed));
}

/* Fails where the state is a discrete variable. */
static int refuses_discrete(wlm_element *e, int32_t k, wlm_place place)
{
    const wlm_state *state = &e->kind->state[k];
    if (state->is_discrete)
        wlm_fail_at(e->r, WARPLU_BAD_FORMAT, place,
                    "'%.40s' of element %.40s is a discrete variable, at line " WLM_LINE_FORMAT
                    ": it has no rate, events alone set it",
                    state->name, e->kind->name, WLM_LINE(state->place));
    return state->is_discrete;
}

void wlm_element_add_rate(wlm_element *e, const wlm_item *item)
{
    const wlm_line *line = item->line;
    wlm_graph *g = e->kind->graph;
    int32_t k = wlm_element_state(e, line->name, item->scope);
    if (k < 0) return;
    wlm_state *state = &e->kind->state[k];
    if (refuses_discrete(e, k, line->place)) return;
    if (state->rate != WLM_NONE)
        wlm_fail_at(e->r, WARPLU_MODEL_EQUATIONS, line->place,
                    "state '%.40s' of element %.40s has an equation already, at line " WLM_LINE_FORMAT "", state->name,
                    e->kind->name, WLM_LINE(state->place));
    int32_t symbol = wlm_names_find(&e->owner.names, state->name, (int32_t)strlen(state->name));
    int32_t unit = e->symbol[symbol].unit;
    if (line->type == WLM_LINE_GATE) {
        wlm_node x = wlm_symbol_node(e, symbol);
        state->steady = wlm_element_node(e, line->second, item->scope);
        state->tau = wlm_element_node(e, line->third, item->scope);
        state->rate = rate_of_gate(g, state, x);
        wlm_element_unit(e, line->second, item->scope, unit, "the value that is gone to by", state->name);
        wlm_element_unit(e, line->third, item->scope, WLM_UNIT_TIME, "the time constant of", state->name);
    } else {
        state->rate = wlm_element_node(e, line->value, item->scope);
        wlm_element_unit(e, line->value, item->scope, wlm_unit_rate(e->r, unit), "the rate of", state->name);
    }
    state->place = line->place;
}

void wlm_element_rate_line(wlm_element *e, const wlm_item *item)
{
    int32_t state = e->reads_rates ? wlm_element_state(e, item->line->name, item->scope) : -1;
    const wlm_definition *listed = state >= 0 ? &e->definition[e->rate[state]] : NULL;
    if (listed != NULL && listed->item.line == item->line && listed->item.scope == item->scope)
        wlm_element_build(e, e->rate[state]);
    else if (e->r->status == WARPLU_SUCCESS)
        wlm_element_add_rate(e, item);
}

void wlm_element_list_rates(wlm_element *e)
{
    e->rate = wlm_take_for(e->r, &e->r->scratch, e->kind->states, sizeof *e->rate);
    if (e->rate == NULL) return;
    for (int32_t k = 0; k < e->kind->states; k++) e->rate[k] = -1;
    for (int32_t k = 0; k < e->items && e->r->status == WARPLU_SUCCESS; k++) {
        const wlm_item *item = &e->item[k];
        if (item->line->type != WLM_LINE_RATE && item->line->type != WLM_LINE_GATE) continue;
        int32_t state = wlm_element_state(e, item->line->name, item->scope);
        if (state < 0 || e->rate[state] >= 0) continue;
        const char *name = e->kind->state[state].name;
        int32_t rate = wlm_element_new_definition(e, wlm_names_find(&e->owner.names, name, (int32_t)strlen(name)));
        if (rate < 0) return;
        e->rate[state] = rate;
        e->definition[rate].item = *item;
        e->definition[rate].value = item->line->value;
    }
}

wlm_value wlm_element_rate(wlm_owner *owner, wlm_builder *b, const wlm_tree *state)
{
    wlm_element *e = (wlm_element *)(void *)owner;
    wlm_value value = {0.0, 0};
    wlm_building building = b->building;
    int32_t k = wlm_element_state(e, state, b->scope);
    if (k >= 0 && !refuses_discrete(e, k, state->place) && e->rate[k] < 0)
        wlm_fail_at(e->r, WARPLU_MODEL_EQUATIONS, state->place, "state '%.40s' of element %.40s has no equation",
                    e->kind->state[k].name, e->kind->name);
    if (e->r->status != WARPLU_SUCCESS) return value;
    if (building == WLM_TO_NEEDS)
        wlm_element_wait_for(e, e->rate[k]);
    else
        value.node = e->definition[e->rate[k]].node;
    return value;
}
