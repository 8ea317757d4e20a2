/* Copies a use's equations into a graph of their own, and makes the rows of the want. */
#include <math.h>
#include <string.h>

#include "model/system/bank_maker.h"

static void list_equations(const wlm_kind *kind, wlm_node *to)
{
    for (int32_t c = 0; c < kind->contributions; c++) {
        *to++ = kind->contribution[c].flow;
        *to++ = kind->contribution[c].charge;
    }
    for (int32_t s = 0; s < kind->states; s++) {
        *to++ = kind->state[s].rate;
        *to++ = kind->state[s].steady;
        *to++ = kind->state[s].tau;
        *to++ = kind->state[s].initial;
    }
    for (int32_t k = 0; k < kind->unknowns; k++) {
        *to++ = kind->closing[k].node;
        *to++ = kind->unknown[k].initial;
    }
    for (int32_t p = 0; p < kind->pulses; p++) {
        *to++ = kind->pulse[p].delay;
        *to++ = kind->pulse[p].width;
        *to++ = kind->pulse[p].period;
    }
    for (int32_t k = 0; k < kind->limits; k++) *to++ = kind->limit[k].node;
    for (int32_t e = 0; e < kind->events; e++) {
        *to++ = kind->event[e].crossing;
        *to++ = kind->event[e].at;
    }
    for (int32_t e = 0; e < kind->events; e++)
        for (int32_t i = 0; i < kind->event[e].assignments; i++) *to++ = kind->event[e].value[i];
}

static int64_t assignments_of(const wlm_kind *kind)
{
    int64_t count = 0;
    for (int32_t e = 0; e < kind->events; e++) count += kind->event[e].assignments;
    return count;
}

warplu_status wlm_bank_copy(wlm_bank_maker *m)
{
    const wlm_kind *kind = m->kind;
    int64_t count = WLM_PER_FLOW * (int64_t)kind->contributions + WLM_PER_STATE * (int64_t)kind->states +
                    WLM_PER_UNKNOWN * (int64_t)kind->unknowns + WLM_PER_PULSE * (int64_t)kind->pulses + kind->limits +
                    WLM_PER_EVENT * (int64_t)kind->events + assignments_of(kind);
    wlm_node *input = WLU_ALLOC(m->ctx, kind->leaves, wlm_node);
    m->flow = WLU_ALLOC(m->ctx, count, wlm_node);
    warplu_status status =
        input == NULL || m->flow == NULL ? wlu_fail_memory(m->ctx, kind->name) : wlm_graph_create(m->ctx, 0, &m->graph);
    if (status == WARPLU_SUCCESS) {
        m->state = m->flow + WLM_PER_FLOW * (int64_t)kind->contributions;
        m->unknown = m->state + WLM_PER_STATE * (int64_t)kind->states;
        m->pulse = m->unknown + WLM_PER_UNKNOWN * (int64_t)kind->unknowns;
        m->limit = m->pulse + WLM_PER_PULSE * (int64_t)kind->pulses;
        m->event = m->limit + kind->limits;
        m->value = m->event + WLM_PER_EVENT * (int64_t)kind->events;
        for (int32_t k = 0; k < kind->leaves; k++) {
            int32_t p = kind->leaf[k].index;
            int uniform = kind->leaf[k].type == WLM_LEAF_PARAMETER && m->of->parameter[p] == NULL;
            input[k] = uniform ? wlm_constant(m->graph, m->of->uniform[p]) : WLM_NONE;
        }
        list_equations(kind, m->flow);
        status = wlm_graph_copy(kind->graph, m->graph, input, kind->leaves, m->flow, (int32_t)count, m->flow);
    }
    wlu_free(m->ctx, input);
    return status;
}

/* --------------------------------------------------------------------- rows */

static void add_row(wlm_bank_maker *m, wlm_where where, wlm_role role, wlm_node f, wlm_node q)
{
    m->row[m->rows++] = (wlm_bank_row){.where = where, .role = role, .f = f, .q = q};
}

wlm_where wlm_bank_port(const wlm_bank_maker *m, int32_t port_quantity)
{
    return (wlm_where){.first = wlm_layout_port(m->layout, m->use, port_quantity)->first,
                       .node = m->of->node[m->kind->port_quantity[port_quantity].port]};
}

/* Finds the derivative of a charge by the quantity it is added to; fails where it has others, or is not constant. */
static warplu_status mass_of(wlm_bank_maker *m, int32_t contribution, wlm_node *out)
{
    const wlm_contribution *c = &m->kind->contribution[contribution];
    wlm_jacobian d;
    *out = WLM_NONE;
    const wlm_node *charge = &m->flow[WLM_PER_FLOW * contribution + 1];
    warplu_status status = wlm_derive(m->graph, charge, 1, 0, m->kind->leaves, &d);
    if (status != WARPLU_SUCCESS) return status;
    int varies = 0, jumps = 0;
    status = wlm_bank_jump(m, charge, 1, &jumps);
    if (status == WARPLU_SUCCESS && !jumps) status = wlm_bank_reads(m, charge, 1, WLM_READS_TIME, &jumps);
    for (int32_t k = 0; status == WARPLU_SUCCESS && k < d.ptr[1]; k++) {
        const wlm_leaf *leaf = &m->kind->leaf[d.idx[k]];
        int own = leaf->type == WLM_LEAF_PORT && leaf->index == c->quantity;
        if (leaf->type == WLM_LEAF_PARAMETER || wlm_node_is(m->graph, d.node[k], 0.0)) continue;
        if (leaf->type == WLM_LEAF_PORT && wlm_layout_port(m->layout, m->use, leaf->index)->memory == WLM_MEMORY_FIXED)
            continue;
        status = wlm_bank_reads(m, &d.node[k], 1, WLM_READS_TIME | WLM_READS_UNKNOWNS, &varies);
        if (status == WARPLU_SUCCESS && (!own || varies || jumps))
            status = wlu_fail(m->ctx, WARPLU_MODEL_EQUATIONS,
                              "line " WLM_LINE_FORMAT
                              ": the charge that %s adds to its node is not that node's quantity times a constant, "
                              "as this method needs",
                              WLM_LINE(c->place), m->kind->name);
        *out = d.node[k];
    }
    wlm_jacobian_free(m->ctx, &d);
    return status;
}

static warplu_status add_contributions(wlm_bank_maker *m)
{
    for (int32_t c = 0; c < m->kind->contributions; c++) {
        int32_t quantity = m->kind->contribution[c].quantity;
        const wlm_block *to = wlm_layout_port(m->layout, m->use, quantity);
        wlm_node flow = m->flow[WLM_PER_FLOW * c], charge = m->flow[WLM_PER_FLOW * c + 1];
        int sum = to->memory == WLM_MEMORY_SUMS;
        if (to->memory == WLM_MEMORY_FIXED) continue;
        if (sum != (m->want == WLM_WANT_SUMS) || (sum && to->level != m->level)) continue;
        if (to->quantity->type == WLM_BALANCE && flow != WLM_NONE) flow = wlm_unary(m->graph, WLM_NEG, flow);
        if (m->want == WLM_WANT_MASS) {
            warplu_status status = mass_of(m, c, &flow);
            if (status != WARPLU_SUCCESS) return status;
        }
        int charges = m->want == WLM_WANT_VALUES || m->want == WLM_WANT_MATRIX || m->want == WLM_WANT_Q_BY_TIME;
        add_row(m, wlm_bank_port(m, quantity), sum ? WLM_ROLE_SUM : WLM_ROLE_F, flow, charges ? charge : WLM_NONE);
    }
    return WARPLU_SUCCESS;
}

static int32_t leaf_of_state(const wlm_kind *kind, int32_t state)
{
    for (int32_t k = 0; k < kind->leaves; k++)
        if (kind->leaf[k].type == WLM_LEAF_STATE && kind->leaf[k].index == state) return k;
    return -1;
}

/* Returns h / tau, as a product where tau is a reciprocal itself, as most are: divisions are what costs most here. */
static wlm_node over(wlm_graph *g, wlm_node h, wlm_node tau)
{
    if (wlm_node_opcode(g, tau) == WLM_DIV && wlm_node_is(g, wlm_node_operand(g, tau, 0), 1.0))
        return wlm_binary(g, WLM_MUL, h, wlm_node_operand(g, tau, 1));
    return wlm_binary(g, WLM_DIV, h, tau);
}

/* Returns the state after a step of factor 0: a gate's by its steady value and time constant, others by Euler. */
static wlm_node updated(wlm_bank_maker *m, int32_t state)
{
    wlm_graph *g = m->graph;
    int32_t leaf = leaf_of_state(m->kind, state);
    const wlm_node *of = m->state + WLM_PER_STATE * state;
    wlm_node rate = of[0], steady = of[1], tau = of[2], h = wlm_bank_factor(m, 0);
    wlm_node x = wlm_input(g, leaf >= 0 ? leaf : m->kind->leaves + WLM_FACTORS + state);
    if (steady == WLM_NONE) return wlm_ternary(g, WLM_FMA, h, rate, x);
    wlm_node decay = wlm_unary(g, WLM_EXP, wlm_unary(g, WLM_NEG, over(g, h, tau)));
    return wlm_ternary(g, WLM_FMA, decay, wlm_binary(g, WLM_SUB, x, steady), steady);
}

static void add_own(wlm_bank_maker *m)
{
    for (int32_t s = 0; s < m->kind->states; s++) {
        wlm_where where = {wlm_layout_variable(m->layout, m->use, s)->first, NULL};
        const wlm_node *of = m->state + WLM_PER_STATE * s;
        wlm_node node = m->want == WLM_WANT_UPDATE ? updated(m, s) : of[m->want == WLM_WANT_INITIAL ? 3 : 0];
        add_row(m, where, WLM_ROLE_VECTOR, node, WLM_NONE);
    }
    for (int32_t k = 0; k < m->kind->unknowns; k++) {
        wlm_where where = {wlm_layout_variable(m->layout, m->use, m->kind->states + k)->first, NULL};
        add_row(m, where, WLM_ROLE_VECTOR, m->unknown[WLM_PER_UNKNOWN * k + (m->want == WLM_WANT_INITIAL)], WLM_NONE);
    }
}

/* Adds each step-th node from `first` on as an output by itself; `absent` takes the place of WLM_NONE. */
static void add_alone(wlm_bank_maker *m, const wlm_node *first, int64_t count, int step, double absent)
{
    for (int64_t k = 0; k < count; k++) {
        wlm_node node = first[k * step];
        if (node == WLM_NONE) node = wlm_constant(m->graph, absent);
        add_row(m, (wlm_where){0, NULL}, WLM_ROLE_ALONE, node, WLM_NONE);
    }
}

warplu_status wlm_bank_rows(wlm_bank_maker *m)
{
    warplu_status status = WARPLU_SUCCESS;
    m->row = WLU_ALLOC(m->ctx,
                       (int64_t)m->kind->contributions + m->kind->states + m->kind->unknowns +
                           WLM_PER_PULSE * (int64_t)m->kind->pulses + m->kind->limits + m->kind->events +
                           assignments_of(m->kind),
                       wlm_bank_row);
    if (m->row == NULL) return wlu_fail_memory(m->ctx, m->kind->name);
    switch (m->want) {
    case WLM_WANT_INITIAL: add_own(m); break;
    case WLM_WANT_PULSES: add_alone(m, m->pulse, WLM_PER_PULSE * (int64_t)m->kind->pulses, 1, 0.0); break;
    case WLM_WANT_LIMITS: add_alone(m, m->limit, m->kind->limits, 1, INFINITY); break;
    case WLM_WANT_CROSSINGS: add_alone(m, m->event, m->kind->events, WLM_PER_EVENT, 1.0); break;
    case WLM_WANT_TIMES: add_alone(m, m->event + 1, m->kind->events, WLM_PER_EVENT, (double)NAN); break;
    case WLM_WANT_ASSIGNMENTS: add_alone(m, m->value, assignments_of(m->kind), 1, 0.0); break;
    case WLM_WANT_SUMS:
    case WLM_WANT_MASS: status = add_contributions(m); break;
    case WLM_WANT_VALUES:
    case WLM_WANT_MATRIX:
    case WLM_WANT_BY_TIME:
    case WLM_WANT_Q_BY_TIME:
    case WLM_WANT_UPDATE: status = add_contributions(m); add_own(m);
    }
    return status;
}
