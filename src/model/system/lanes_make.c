/* A use's equations, with uniform parameters as constants, their derivatives, and the program of what is wanted. */
#include <string.h>

#include "model/graph/derive.h"
#include "model/system/lanes.h"

/* An equation of an instance: where it stands, f and q. */
typedef struct row {
    wlm_where where;
    wlm_role role; /* of f */
    wlm_node f, q;
} row;

/* Inputs of programs: leaves, factors, then the states that no leaf reads. */
enum { FACTORS = 2 };
enum { PER_FLOW = 2, PER_STATE = 4, PER_UNKNOWN = 2 };

typedef struct maker {
    const wlm_layout *layout;
    wlu_context *ctx;
    int32_t use, level;
    wlm_want want;
    const wlm_use *of;
    const wlm_kind *kind;
    wlm_graph *graph;
    wlm_node *flow, *state,
        *unknown; /* copies, PER_ of each: flow, charge; rate, steady, tau, initial; closing, initial */
    int32_t rows;
    row *row;
    wlm_jacobian df, dq;
    int32_t outputs;
    wlm_node *output;
    wlm_lane_output *place;
} maker;

static wlm_node times(wlm_graph *g, wlm_node a, wlm_node b)
{
    return wlm_binary(g, WLM_MUL, a, b);
}

static wlm_node factor_input(const maker *m, int32_t which)
{
    return wlm_input(m->graph, m->kind->leaves + which);
}

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
}

static warplu_status copy_equations(maker *m)
{
    const wlm_kind *kind = m->kind;
    int64_t count = PER_FLOW * (int64_t)kind->contributions + PER_STATE * (int64_t)kind->states +
                    PER_UNKNOWN * (int64_t)kind->unknowns;
    wlm_node *input = WLU_ALLOC(m->ctx, kind->leaves, wlm_node);
    m->flow = WLU_ALLOC(m->ctx, count, wlm_node);
    warplu_status status =
        input == NULL || m->flow == NULL ? wlu_fail_memory(m->ctx, kind->name) : wlm_graph_create(m->ctx, &m->graph);
    if (status == WARPLU_SUCCESS) {
        m->state = m->flow + PER_FLOW * (int64_t)kind->contributions;
        m->unknown = m->state + PER_STATE * (int64_t)kind->states;
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

static void add_row(maker *m, wlm_where where, wlm_role role, wlm_node f, wlm_node q)
{
    m->row[m->rows++] = (row){.where = where, .role = role, .f = f, .q = q};
}

static wlm_where port_where(const maker *m, int32_t port_quantity)
{
    return (wlm_where){.first = wlm_layout_port(m->layout, m->use, port_quantity)->first,
                       .node = m->of->node[m->kind->port_quantity[port_quantity].port]};
}

/* 1 where the nodes need a leaf that changes in a run. */
static int varies(const maker *m, const wlm_node *nodes, int32_t count, unsigned char *needed)
{
    int found = 0;
    wlm_graph_mark(m->graph, nodes, count, needed);
    for (wlm_node node = 0; node < wlm_node_count(m->graph); node++) {
        if (!needed[node] || wlm_node_opcode(m->graph, node) != WLM_INPUT) continue;
        int32_t leaf = wlm_node_input(m->graph, node);
        if (leaf >= m->kind->leaves) continue;
        wlm_leaf_type type = m->kind->leaf[leaf].type;
        int fixed = type == WLM_LEAF_PORT &&
                    wlm_layout_port(m->layout, m->use, m->kind->leaf[leaf].index)->memory == WLM_MEMORY_FIXED;
        found |= type != WLM_LEAF_PARAMETER && !fixed;
    }
    return found;
}

/* The derivative of a charge by the quantity it is added to; fails where there is more to it. */
static warplu_status mass_of(maker *m, int32_t contribution, wlm_node *out)
{
    const wlm_contribution *c = &m->kind->contribution[contribution];
    wlm_jacobian d;
    *out = WLM_NONE;
    warplu_status status = wlm_derive(m->graph, &m->flow[PER_FLOW * contribution + 1], 1, 0, m->kind->leaves, &d);
    if (status != WARPLU_SUCCESS) return status;
    unsigned char *needed = WLU_ALLOC(m->ctx, wlm_node_count(m->graph), unsigned char);
    if (needed == NULL) status = wlu_fail_memory(m->ctx, m->kind->name);
    for (int32_t k = 0; status == WARPLU_SUCCESS && k < d.ptr[1]; k++) {
        const wlm_leaf *leaf = &m->kind->leaf[d.idx[k]];
        int own = leaf->type == WLM_LEAF_PORT && leaf->index == c->quantity;
        if (leaf->type == WLM_LEAF_PARAMETER || wlm_node_is(m->graph, d.node[k], 0.0)) continue;
        if (!own || varies(m, &d.node[k], 1, needed))
            status =
                wlu_fail(m->ctx, WARPLU_MODEL_EQUATIONS,
                         "line %d: the charge that %s adds to its node is not that node's quantity times a constant, "
                         "as this method needs",
                         c->place.line, m->kind->name);
        *out = d.node[k];
    }
    wlu_free(m->ctx, needed);
    wlm_jacobian_free(m->ctx, &d);
    return status;
}

static warplu_status add_contributions(maker *m)
{
    for (int32_t c = 0; c < m->kind->contributions; c++) {
        int32_t quantity = m->kind->contribution[c].quantity;
        const wlm_block *to = wlm_layout_port(m->layout, m->use, quantity);
        wlm_node flow = m->flow[PER_FLOW * c], charge = m->flow[PER_FLOW * c + 1];
        int sum = to->memory == WLM_MEMORY_SUMS;
        if (sum != (m->want == WLM_WANT_SUMS) || (sum && to->level != m->level)) continue;
        if (wlm_layout_port_quantity(m->layout->model, m->use, quantity)->type == WLM_BALANCE && flow != WLM_NONE)
            flow = wlm_unary(m->graph, WLM_NEG, flow);
        if (m->want == WLM_WANT_MASS) {
            warplu_status status = mass_of(m, c, &flow);
            if (status != WARPLU_SUCCESS) return status;
        }
        int charges = m->want == WLM_WANT_VALUES || m->want == WLM_WANT_MATRIX;
        add_row(m, port_where(m, quantity), sum ? WLM_ROLE_SUM : WLM_ROLE_F, flow, charges ? charge : WLM_NONE);
    }
    return WARPLU_SUCCESS;
}

static int32_t leaf_of_state(const wlm_kind *kind, int32_t state)
{
    for (int32_t k = 0; k < kind->leaves; k++)
        if (kind->leaf[k].type == WLM_LEAF_STATE && kind->leaf[k].index == state) return k;
    return -1;
}

/* The state after a step of factor 0: a gate's exactly where its steady value and time constant stay, others by Euler. */
static wlm_node updated(maker *m, int32_t state)
{
    wlm_graph *g = m->graph;
    int32_t leaf = leaf_of_state(m->kind, state);
    const wlm_node *of = m->state + PER_STATE * state;
    wlm_node rate = of[0], steady = of[1], tau = of[2], h = factor_input(m, 0);
    wlm_node x = wlm_input(g, leaf >= 0 ? leaf : m->kind->leaves + FACTORS + state);
    if (steady == WLM_NONE) return wlm_ternary(g, WLM_FMA, h, rate, x);
    wlm_node decay = wlm_unary(g, WLM_EXP, wlm_unary(g, WLM_NEG, wlm_binary(g, WLM_DIV, h, tau)));
    return wlm_ternary(g, WLM_FMA, decay, wlm_binary(g, WLM_SUB, x, steady), steady);
}

static void add_own(maker *m)
{
    for (int32_t s = 0; s < m->kind->states; s++) {
        wlm_where where = {wlm_layout_member(m->layout, m->use, s)->first, NULL};
        const wlm_node *of = m->state + PER_STATE * s;
        wlm_node node = m->want == WLM_WANT_UPDATE ? updated(m, s) : of[m->want == WLM_WANT_INITIAL ? 3 : 0];
        add_row(m, where, WLM_ROLE_VECTOR, node, WLM_NONE);
    }
    for (int32_t k = 0; k < m->kind->unknowns; k++) {
        wlm_where where = {wlm_layout_member(m->layout, m->use, m->kind->states + k)->first, NULL};
        add_row(m, where, WLM_ROLE_VECTOR, m->unknown[PER_UNKNOWN * k + (m->want == WLM_WANT_INITIAL)], WLM_NONE);
    }
}

/* ------------------------------------------------------------------ outputs */

static void add_output(maker *m, wlm_role role, wlm_where at, wlm_where column, wlm_node node)
{
    if (node == WLM_NONE) return;
    m->output[m->outputs] = node;
    m->place[m->outputs++] = (wlm_lane_output){.role = role, .row = at, .column = column, .at = at.first};
}

/* Where a leaf's unknown stands; 0 where it is no unknown. */
static int leaf_where(const maker *m, int32_t leaf, wlm_where *where)
{
    const wlm_leaf *l = &m->kind->leaf[leaf];
    int32_t member = l->type == WLM_LEAF_UNKNOWN ? m->kind->states + l->index : l->index;
    where->node = NULL;
    switch (l->type) {
    case WLM_LEAF_STATE:
    case WLM_LEAF_UNKNOWN: where->first = wlm_layout_member(m->layout, m->use, member)->first; return 1;
    case WLM_LEAF_PORT:
        *where = port_where(m, l->index);
        return wlm_layout_port(m->layout, m->use, l->index)->memory == WLM_MEMORY_UNKNOWNS;
    default: return 0;
    }
}

/* factor 0 times the derivative of q plus factor 1 times that of f. */
static wlm_node entry(maker *m, int32_t r, int32_t leaf)
{
    wlm_node f = wlm_jacobian_at(&m->df, r, leaf), q = wlm_jacobian_at(&m->dq, r, leaf), sum = WLM_NONE;
    if (f != WLM_NONE && !wlm_node_is(m->graph, f, 0.0)) sum = times(m->graph, factor_input(m, 1), f);
    if (q == WLM_NONE || wlm_node_is(m->graph, q, 0.0)) return sum;
    wlm_node charge = times(m->graph, factor_input(m, 0), q);
    return sum == WLM_NONE ? charge : wlm_binary(m->graph, WLM_ADD, charge, sum);
}

static warplu_status derive(maker *m)
{
    wlm_node *list = WLU_ALLOC(m->ctx, 2 * (int64_t)m->rows, wlm_node);
    if (list == NULL) return wlu_fail_memory(m->ctx, "derivatives");
    for (int32_t r = 0; r < m->rows; r++) {
        list[r] = m->row[r].f;
        list[m->rows + r] = m->row[r].q;
    }
    warplu_status status = wlm_derive(m->graph, list, m->rows, 0, m->kind->leaves, &m->df);
    if (status == WARPLU_SUCCESS) status = wlm_derive(m->graph, list + m->rows, m->rows, 0, m->kind->leaves, &m->dq);
    wlu_free(m->ctx, list);
    return status;
}

static warplu_status list_outputs(maker *m)
{
    int matrix = m->want == WLM_WANT_MATRIX;
    if (matrix) {
        warplu_status status = derive(m);
        if (status != WARPLU_SUCCESS) return status;
    }
    int64_t most = (int64_t)m->rows * (2 + (matrix ? m->kind->leaves : 0));
    m->output = WLU_ALLOC(m->ctx, most, wlm_node);
    m->place = WLU_ALLOC(m->ctx, most, wlm_lane_output);
    if (m->output == NULL || m->place == NULL) return wlu_fail_memory(m->ctx, m->kind->name);
    wlm_where none = {0, NULL}, column;
    for (int32_t r = 0; r < m->rows; r++) {
        add_output(m, m->row[r].role, m->row[r].where, none, m->row[r].f);
        add_output(m, WLM_ROLE_Q, m->row[r].where, none, m->row[r].q);
        for (int32_t leaf = 0; matrix && leaf < m->kind->leaves; leaf++)
            if (leaf_where(m, leaf, &column)) add_output(m, WLM_ROLE_ENTRY, m->row[r].where, column, entry(m, r, leaf));
    }
    return wlm_graph_status(m->graph);
}

/* ------------------------------------------------------------------- inputs */

static int in_order(const wlm_where *where, int32_t count)
{
    if (where->node == NULL) return 1;
    int32_t i = 1;
    while (i < count && where->node[i] == where->node[0] + i) i++;
    return i >= count;
}

static wlm_lane_input input_of(const maker *m, int32_t slot)
{
    wlm_lane_input in = {.source = WLM_SOURCE_FACTOR, .slot = slot, .factor = slot - m->kind->leaves};
    int32_t state = slot - m->kind->leaves - FACTORS;
    if (state >= 0)
        return (wlm_lane_input){.source = WLM_SOURCE_MEMORY,
                                .slot = slot,
                                .memory = WLM_MEMORY_UNKNOWNS,
                                .where = {wlm_layout_member(m->layout, m->use, state)->first, NULL},
                                .in_order = 1};
    if (slot >= m->kind->leaves) return in;
    const wlm_leaf *leaf = &m->kind->leaf[slot];
    in.source = WLM_SOURCE_MEMORY;
    if (leaf->type == WLM_LEAF_TIME) {
        in.source = WLM_SOURCE_TIME;
    } else if (leaf->type == WLM_LEAF_PARAMETER) {
        in.source = WLM_SOURCE_PARAMETER;
        in.parameter = m->of->parameter[leaf->index];
    } else {
        leaf_where(m, slot, &in.where);
        in.memory =
            leaf->type == WLM_LEAF_PORT ? wlm_layout_port(m->layout, m->use, leaf->index)->memory : WLM_MEMORY_UNKNOWNS;
        in.in_order = in_order(&in.where, m->of->count);
    }
    return in;
}

static warplu_status list_inputs(const maker *m, wlm_lanes *out)
{
    int32_t nodes = wlm_node_count(m->graph);
    unsigned char *needed = WLU_ALLOC(m->ctx, nodes, unsigned char);
    out->input = WLU_ALLOC(m->ctx, (int64_t)m->kind->leaves + FACTORS + m->kind->states, wlm_lane_input);
    if (needed == NULL || out->input == NULL) {
        wlu_free(m->ctx, needed);
        return wlu_fail_memory(m->ctx, m->kind->name);
    }
    wlm_graph_mark(m->graph, m->output, m->outputs, needed);
    for (wlm_node node = 0; node < nodes; node++)
        if (needed[node] && wlm_node_opcode(m->graph, node) == WLM_INPUT)
            out->input[out->inputs++] = input_of(m, wlm_node_input(m->graph, node));
    wlu_free(m->ctx, needed);
    return WARPLU_SUCCESS;
}

static warplu_status place_contributions(const maker *m, int32_t *contributions)
{
    for (int32_t k = 0; k < m->outputs; k++) {
        if (m->place[k].role == WLM_ROLE_VECTOR) continue;
        if (*contributions > INT32_MAX - m->of->count)
            return wlu_fail(m->ctx, WARPLU_OVERFLOW, "more than 2^31 - 1 contributions to nodes and to the matrix");
        m->place[k].at = *contributions;
        *contributions += m->of->count;
    }
    return WARPLU_SUCCESS;
}

/* Whether entries of the matrix change in a run. */
static warplu_status find_varies(const maker *m, wlm_lanes *out)
{
    unsigned char *needed = WLU_ALLOC(m->ctx, wlm_node_count(m->graph), unsigned char);
    if (needed == NULL) return wlu_fail_memory(m->ctx, m->kind->name);
    for (int32_t k = 0; k < m->outputs && !out->varies; k++)
        if (m->place[k].role == WLM_ROLE_ENTRY) out->varies = varies(m, &m->output[k], 1, needed);
    wlu_free(m->ctx, needed);
    return WARPLU_SUCCESS;
}

/* -------------------------------------------------------------------- whole */

static warplu_status make(maker *m, wlm_isa isa, int32_t *contributions, wlm_lanes *out)
{
    warplu_status status = copy_equations(m);
    if (status != WARPLU_SUCCESS) return status;
    m->row = WLU_ALLOC(m->ctx, (int64_t)m->kind->contributions + m->kind->states + m->kind->unknowns, row);
    if (m->row == NULL) return wlu_fail_memory(m->ctx, m->kind->name);
    if (m->want != WLM_WANT_INITIAL) status = add_contributions(m);
    if (m->want != WLM_WANT_SUMS && m->want != WLM_WANT_MASS) add_own(m);
    if (status == WARPLU_SUCCESS) status = list_outputs(m);
    if (status == WARPLU_SUCCESS) status = find_varies(m, out);
    if (status == WARPLU_SUCCESS) status = place_contributions(m, contributions);
    if (status == WARPLU_SUCCESS) status = list_inputs(m, out);
    if (status == WARPLU_SUCCESS && m->outputs > 0)
        status = wlm_program_compile(m->graph, m->output, m->outputs, m->kind->leaves + FACTORS + m->kind->states,
                                     &out->program);
    if (status == WARPLU_SUCCESS && m->outputs > 0) status = wlm_code_create(m->ctx, out->program, isa, &out->code);
    out->use = m->use;
    out->count = m->of->count;
    out->outputs = m->outputs;
    out->output = m->place;
    m->place = NULL;
    return status;
}

warplu_status wlm_lanes_create(const wlm_layout *layout, int32_t use, wlm_want want, int32_t level, wlm_isa isa,
                               int32_t *contributions, wlm_lanes *out)
{
    memset(out, 0, sizeof *out);
    const wlm_use *of = &layout->model->use[use];
    if (!layout->taken[use] || of->count == 0) return WARPLU_SUCCESS;
    maker m = {.layout = layout,
               .ctx = layout->ctx,
               .use = use,
               .level = level,
               .want = want,
               .of = of,
               .kind = &layout->model->kind[of->kind]};
    warplu_status status = make(&m, isa, contributions, out);
    if (status != WARPLU_SUCCESS) wlm_lanes_free(m.ctx, out);
    wlm_jacobian_free(m.ctx, &m.df);
    wlm_jacobian_free(m.ctx, &m.dq);
    wlm_graph_destroy(&m.graph);
    wlu_free(m.ctx, m.flow);
    wlu_free(m.ctx, m.row);
    wlu_free(m.ctx, m.output);
    wlu_free(m.ctx, m.place);
    return status;
}
