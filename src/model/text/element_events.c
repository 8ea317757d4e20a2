/* Adds events to a kind, and makes of those whose expression is a condition what steps can seek: a sign that rises from
 * below 0 as the condition becomes true, or a time where it is `t = ...` in other words. An equality of numbers that
 * move is true between steps, if ever, and refused. Cost: a pass over the graph for each kind that has such events. */
#include <string.h>

#include "model/text/element.h"
#include "model/text/units.h"

/* What a node depends on. */
enum { MOVES = 1, NOT_OF_PARAMETERS = 2, IS_TRUTH = 4 };

int wlm_element_assign(wlm_element *e, wlm_event *event, int32_t state, wlm_node value)
{
    if (!wlm_more_for(e->r, e->r->kept, &event->state, event->assignments, sizeof *event->state) ||
        !wlm_more_for(e->r, e->r->kept, &event->value, event->assignments, sizeof *event->value) ||
        !wlm_more_for(e->r, e->r->kept, &event->how, event->assignments, 1))
        return 0;
    event->state[event->assignments] = state;
    event->how[event->assignments] = WLM_SETS; /* until all is known */
    event->value[event->assignments++] = value;
    return 1;
}

static double priority_of(wlm_element *e, const wlm_item *item)
{
    if (item->line->priority == NULL) return 0.0;
    e->builder.scope = item->scope;
    e->builder.building = WLM_TO_NUMBER;
    double priority = wlm_number_of(&e->builder, item->line->priority, "the priority of an event");
    e->builder.building = WLM_TO_NODE;
    return priority;
}

void wlm_element_event(wlm_element *e, const wlm_item *item)
{
    const wlm_kind *kind = e->kind;
    const wlm_line *line = item->line;
    wlm_event event = {.place = line->place,
                       .crossing = WLM_NONE,
                       .at = WLM_NONE,
                       .falls = line->falls,
                       .initially = line->initially,
                       .priority = priority_of(e, item)};
    if (line->value != NULL) {
        event.at = wlm_element_node(e, line->value, item->scope);
        wlm_element_restrict(e, event.at, WLM_MAY_PARAMETERS, line->value->place, "the time of an event");
        wlm_element_unit(e, line->value, item->scope, WLM_UNIT_TIME, "the time of", "event");
    } else {
        event.crossing = wlm_element_node(e, line->second, item->scope);
        wlm_element_unit(e, line->second, item->scope, WLM_UNIT_OPEN, "", "");
    }
    for (const wlm_line *set = line->body; set != NULL && e->r->status == WARPLU_SUCCESS; set = set->next) {
        int32_t state = wlm_element_state(e, set->name, item->scope);
        for (int32_t k = 0; k < event.assignments; k++)
            if (event.state[k] == state)
                wlm_fail_at(e->r, WARPLU_BAD_FORMAT, set->place, "the event sets '%.40s' twice",
                            kind->state[state].name);
        wlm_node value = wlm_element_node(e, set->value, item->scope);
        if (e->r->status != WARPLU_SUCCESS || !wlm_element_assign(e, &event, state, value)) return;
        wlm_element_unit(e, set->value, item->scope, e->state[state].line->unit, "the value of",
                         kind->state[state].name);
    }
    wlm_node delay = line->delay != NULL ? wlm_element_node(e, line->delay, item->scope) : WLM_NONE;
    if (line->delay != NULL) wlm_element_unit(e, line->delay, item->scope, WLM_UNIT_TIME, "the delay of", "event");
    if (e->r->status == WARPLU_SUCCESS) wlm_element_add_event(e, &event, delay, line->late);
}

/* ---------------------------------------------------------------- conditions */

static int is_state(const wlm_kind *kind, wlm_node node, int32_t state)
{
    if (wlm_node_opcode(kind->graph, node) != WLM_INPUT) return 0;
    wlm_leaf leaf = kind->leaf[wlm_node_input(kind->graph, node)];
    return leaf.type == WLM_LEAF_STATE && leaf.index == state;
}

static int facts_of_input(const wlm_kind *kind, int32_t input)
{
    wlm_leaf leaf = kind->leaf[input];
    if (leaf.type == WLM_LEAF_PARAMETER) return 0;
    int rests = leaf.type == WLM_LEAF_STATE && wlm_node_is(kind->graph, kind->state[leaf.index].rate, 0.0);
    return NOT_OF_PARAMETERS | (rests ? 0 : MOVES);
}

/* Facts of a node from those of its operands. A select moves as what it chooses from, whatever its condition does. */
static int facts_of(const wlm_kind *kind, wlm_node node, const unsigned char *facts)
{
    const wlm_graph *g = kind->graph;
    int any = 0, all = IS_TRUTH;
    wlm_opcode opcode = wlm_node_opcode(g, node);
    if (opcode == WLM_CONSTANT) return wlm_node_is(g, node, 0.0) || wlm_node_is(g, node, 1.0) ? IS_TRUTH : 0;
    if (opcode == WLM_INPUT) return facts_of_input(kind, wlm_node_input(g, node));
    for (int k = 0; k < wlm_opcode_operands(opcode); k++) {
        const int of = facts[wlm_node_operand(g, node, k)], chooses = opcode == WLM_SELECT && k == 0;
        any |= of & ~(chooses ? MOVES | IS_TRUTH : IS_TRUTH);
        if (!chooses) all &= of;
    }
    if (wlm_opcode_course(opcode) == WLM_COURSE_RESTS) any &= ~MOVES;
    if (wlm_opcode_size(opcode) == WLM_SIZE_TRUTH) return any | IS_TRUTH;
    return wlm_opcode_size(opcode) == WLM_SIZE_KEEPS ? any | all : any;
}

/* Makes a timed event of `t = ...` in other words; returns 1 where the condition is that. */
static int is_time(const wlm_kind *kind, wlm_event *event, const unsigned char *facts)
{
    const wlm_graph *g = kind->graph;
    if (wlm_node_opcode(g, event->crossing) != WLM_EQ) return 0;
    for (int k = 0; k < 2; k++) {
        wlm_node t = wlm_node_operand(g, event->crossing, k), at = wlm_node_operand(g, event->crossing, 1 - k);
        if (wlm_node_opcode(g, t) != WLM_INPUT || kind->leaf[wlm_node_input(g, t)].type != WLM_LEAF_TIME) continue;
        if (facts[at] & NOT_OF_PARAMETERS) continue;
        event->at = at, event->crossing = WLM_NONE;
        return 1;
    }
    return 0;
}

/* Fails where a condition needs that numbers which move are equal. */
static void refuse_equalities(wlm_element *e, const wlm_event *event, const unsigned char *facts, unsigned char *needed)
{
    const wlm_graph *g = e->kind->graph;
    memset(needed, 0, (size_t)wlm_node_count(g));
    wlm_graph_mark(g, &event->crossing, 1, needed);
    for (wlm_node k = 0; k <= event->crossing; k++) {
        wlm_opcode opcode = wlm_node_opcode(g, k);
        if (!needed[k] || (opcode != WLM_EQ && opcode != WLM_NE)) continue;
        if (((facts[wlm_node_operand(g, k, 0)] | facts[wlm_node_operand(g, k, 1)]) & MOVES) == 0) continue;
        wlm_fail_at(
            e->r, WARPLU_BAD_FORMAT, event->place,
            "expected no '=' or '<>' of numbers that move in the condition of an event, for no step meets them; "
            "write the sign that rises, 'event x - 1:', or a time, 'event t = 1:'");
        return;
    }
}

/* Returns how a value depends on the state of this number: WLM_SETS and its flags. `reads`: a byte for each input of
 * the graph. */
static int setting_of(wlm_element *e, wlm_node value, int32_t state, const unsigned char *facts, unsigned char *reads)
{
    const wlm_kind *kind = e->kind;
    const wlm_graph *g = kind->graph;
    int mildest = WLM_SETS;
    for (; wlm_node_opcode(g, value) == WLM_SELECT; mildest = WLM_SETS_MAYBE) {
        wlm_node then = wlm_node_operand(g, value, 1), other = wlm_node_operand(g, value, 2);
        if (!is_state(kind, then, state) && !is_state(kind, other, state)) break;
        value = is_state(kind, then, state) ? other : then;
    }
    if (is_state(kind, value, state)) return WLM_SETS_MAYBE;
    if (facts[value] & IS_TRUTH) return mildest; /* x or y, made twice, is x or y */
    memset(reads, 0, (size_t)kind->leaves);
    e->r->status = wlm_graph_reads(g, &value, 1, kind->leaves, reads);
    for (int32_t j = 0; j < kind->leaves; j++)
        if (reads[j] && kind->leaf[j].type == WLM_LEAF_STATE && kind->leaf[j].index == state)
            return mildest | WLM_SETS_BY_ITSELF;
    return mildest;
}

static void note_settings(wlm_element *e, const unsigned char *facts, unsigned char *reads)
{
    wlm_kind *kind = e->kind;
    for (int32_t k = 0; k < kind->events; k++)
        for (int32_t i = 0; i < kind->event[k].assignments && e->r->status == WARPLU_SUCCESS; i++) {
            const wlm_event *event = &kind->event[k];
            event->how[i] = (unsigned char)setting_of(e, event->value[i], event->state[i], facts, reads);
        }
}

/* Makes signs of conditions, and turns those that fall. */
static void make_signs(wlm_kind *kind, const unsigned char *facts)
{
    wlm_graph *g = kind->graph;
    wlm_node half = WLM_NONE; /* nodes of signs stand behind those that there are facts of */
    for (int32_t k = 0; k < kind->events; k++) {
        wlm_event *event = &kind->event[k];
        wlm_node sign = event->crossing;
        if (sign == WLM_NONE) continue;
        if ((facts[sign] & IS_TRUTH) != 0) {
            if (half == WLM_NONE) half = wlm_constant(g, 0.5);
            sign = event->falls ? wlm_binary(g, WLM_SUB, half, sign) : wlm_binary(g, WLM_SUB, sign, half);
        } else if (event->falls) {
            sign = wlm_unary(g, WLM_NEG, sign);
        }
        event->crossing = sign;
    }
}

static void make_sought(wlm_element *e, unsigned char *facts, unsigned char *needed)
{
    wlm_kind *kind = e->kind;
    int32_t nodes = wlm_node_count(kind->graph);
    for (wlm_node k = 0; k < nodes; k++) facts[k] = (unsigned char)facts_of(kind, k, facts);
    note_settings(e, facts, needed);
    for (int32_t k = 0; k < kind->events; k++) {
        wlm_event *event = &kind->event[k];
        if (event->crossing == WLM_NONE || (facts[event->crossing] & IS_TRUTH) == 0) continue;
        if (event->falls || event->initially || !is_time(kind, event, facts))
            refuse_equalities(e, event, facts, needed);
    }
    make_signs(kind, facts);
}

void wlm_element_seek_conditions(wlm_element *e)
{
    if (e->kind->events == 0 || e->r->status != WARPLU_SUCCESS) return;
    wlu_context *ctx = wlm_graph_context(e->kind->graph);
    int64_t nodes = wlm_node_count(e->kind->graph);
    unsigned char *facts = WLU_CALLOC(ctx, 2 * nodes, unsigned char);
    if (facts == NULL)
        e->r->status = wlu_fail_memory(ctx, "events");
    else
        make_sought(e, facts, facts + nodes);
    wlu_free(ctx, facts);
    warplu_status status = wlm_graph_status(e->kind->graph);
    if (e->r->status == WARPLU_SUCCESS && status != WARPLU_SUCCESS) e->r->status = status;
}
