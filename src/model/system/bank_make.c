/* Makes a use's program: derivatives of its rows, then outputs and inputs. */
#include <string.h>

#include "model/system/bank_maker.h"

static wlm_node times(wlm_graph *g, wlm_node a, wlm_node b)
{
    return wlm_binary(g, WLM_MUL, a, b);
}

/* ------------------------------------------------------------------ outputs */

static void add_addend(wlm_bank_maker *m, wlm_role role, wlm_where row, wlm_where column, wlm_node node)
{
    if (node == WLM_NONE) return;
    wlm_bank_addend *to = &m->addend[m->addends];
    *to = (wlm_bank_addend){.role = role, .row = row, .column = column};
    m->bare[m->addends++] = wlm_without_sign(m->graph, node, &to->minus);
}

static int32_t add_output(wlm_bank_maker *m, wlm_node node, int to_vector, int32_t at)
{
    m->output[m->outputs] = node;
    m->place[m->outputs] = (wlm_bank_output){.to_vector = to_vector, .at = at};
    return m->outputs++;
}

/* Makes the outputs of addends: one of those that differ by their signs alone. */
static warplu_status share_outputs(wlm_bank_maker *m)
{
    int32_t nodes = wlm_node_count(m->graph);
    int32_t *of = WLU_ALLOC(m->ctx, nodes, int32_t);
    if (of == NULL) return wlu_fail_memory(m->ctx, m->kind->name);
    for (int32_t k = 0; k < nodes; k++) of[k] = -1;
    for (int32_t k = 0; k < m->addends; k++) {
        int32_t *output = &of[m->bare[k]];
        if (*output < 0) *output = add_output(m, m->bare[k], 0, 0);
        m->addend[k].output = *output;
    }
    wlu_free(m->ctx, of);
    return WARPLU_SUCCESS;
}

/* Finds where a leaf's unknown stands; 0 where it is no unknown. */
static int leaf_where(const wlm_bank_maker *m, int32_t leaf, wlm_where *where)
{
    const wlm_leaf *l = &m->kind->leaf[leaf];
    int32_t variable = l->type == WLM_LEAF_UNKNOWN ? m->kind->states + l->index : l->index;
    where->node = NULL;
    switch (l->type) {
    case WLM_LEAF_STATE:
    case WLM_LEAF_UNKNOWN: where->first = wlm_layout_variable(m->layout, m->use, variable)->first; return 1;
    case WLM_LEAF_PORT:
        *where = wlm_bank_port(m, l->index);
        return wlm_layout_port(m->layout, m->use, l->index)->memory == WLM_MEMORY_UNKNOWNS;
    default: return 0;
    }
}

/* Returns factor 0 times the derivative of q plus factor 1 times that of f. */
static wlm_node entry(wlm_bank_maker *m, int32_t r, int32_t leaf)
{
    wlm_node f = wlm_jacobian_at(&m->df, r, leaf), q = wlm_jacobian_at(&m->dq, r, leaf), sum = WLM_NONE;
    if (f != WLM_NONE && !wlm_node_is(m->graph, f, 0.0)) sum = times(m->graph, wlm_bank_factor(m, 1), f);
    if (q == WLM_NONE || wlm_node_is(m->graph, q, 0.0)) return sum;
    wlm_node charge = times(m->graph, wlm_bank_factor(m, 0), q);
    return sum == WLM_NONE ? charge : wlm_binary(m->graph, WLM_ADD, charge, sum);
}

static warplu_status derive(wlm_bank_maker *m)
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

/* Replaces f of rows by its derivatives by time, or by those of q, which goes. */
static warplu_status derive_by_time(wlm_bank_maker *m)
{
    int32_t leaf = 0;
    while (leaf < m->kind->leaves && m->kind->leaf[leaf].type != WLM_LEAF_TIME) leaf++;
    if (leaf == m->kind->leaves) m->rows = 0;
    if (m->rows == 0) return WARPLU_SUCCESS;
    wlm_node *list = WLU_ALLOC(m->ctx, m->rows, wlm_node);
    if (list == NULL) return wlu_fail_memory(m->ctx, "derivatives");
    for (int32_t r = 0; r < m->rows; r++) list[r] = m->want == WLM_WANT_BY_TIME ? m->row[r].f : m->row[r].q;
    warplu_status status = wlm_derive(m->graph, list, m->rows, leaf, 1, &m->df);
    for (int32_t r = 0; r < m->rows && status == WARPLU_SUCCESS; r++) {
        m->row[r].f = wlm_jacobian_at(&m->df, r, 0);
        m->row[r].q = WLM_NONE;
        if (wlm_node_is(m->graph, m->row[r].f, 0.0)) m->row[r].f = WLM_NONE;
    }
    wlu_free(m->ctx, list);
    return status;
}

static warplu_status list_outputs(wlm_bank_maker *m)
{
    int matrix = m->want == WLM_WANT_MATRIX;
    if (m->want == WLM_WANT_BY_TIME || m->want == WLM_WANT_Q_BY_TIME) {
        warplu_status status = derive_by_time(m);
        if (status != WARPLU_SUCCESS) return status;
    }
    if (matrix) {
        warplu_status status = derive(m);
        if (status != WARPLU_SUCCESS) return status;
    }
    int64_t most = (int64_t)m->rows * (2 + (matrix ? m->kind->leaves : 0));
    m->output = WLU_ALLOC(m->ctx, most, wlm_node);
    m->place = WLU_ALLOC(m->ctx, most, wlm_bank_output);
    m->bare = WLU_ALLOC(m->ctx, most, wlm_node);
    m->addend = WLU_ALLOC(m->ctx, most, wlm_bank_addend);
    if (!WLU_ALL_THERE(m->output, m->place, m->bare, m->addend)) return wlu_fail_memory(m->ctx, m->kind->name);
    wlm_where none = {0, NULL}, column;
    for (int32_t r = 0; r < m->rows; r++) {
        const wlm_bank_row *row = &m->row[r];
        int alone = row->role == WLM_ROLE_VECTOR || row->role == WLM_ROLE_ALONE;
        if (!alone)
            add_addend(m, row->role, row->where, none, row->f);
        else if (row->f != WLM_NONE)
            add_output(m, row->f, row->role == WLM_ROLE_VECTOR, row->where.first);
        add_addend(m, WLM_ROLE_Q, row->where, none, row->q);
        for (int32_t leaf = 0; matrix && leaf < m->kind->leaves; leaf++)
            if (leaf_where(m, leaf, &column)) add_addend(m, WLM_ROLE_ENTRY, row->where, column, entry(m, r, leaf));
    }
    warplu_status status = wlm_graph_status(m->graph);
    return status == WARPLU_SUCCESS ? share_outputs(m) : status;
}

/* ------------------------------------------------------------------- inputs */

int wlm_where_in_order(const wlm_where *where, int32_t count)
{
    if (where->node == NULL) return 1;
    int32_t i = 1;
    while (i < count && where->node[i] == where->node[0] + i) i++;
    return i >= count;
}

static wlm_bank_input input_of(const wlm_bank_maker *m, int32_t slot)
{
    wlm_bank_input in = {.source = WLM_SOURCE_FACTOR, .slot = slot, .factor = slot - m->kind->leaves};
    int32_t state = slot - m->kind->leaves - WLM_FACTORS;
    if (state >= 0)
        return (wlm_bank_input){.source = WLM_SOURCE_MEMORY,
                                .slot = slot,
                                .memory = WLM_MEMORY_UNKNOWNS,
                                .where = {wlm_layout_variable(m->layout, m->use, state)->first, NULL},
                                .in_order = 1};
    if (slot >= m->kind->leaves) return in;
    const wlm_leaf *leaf = &m->kind->leaf[slot];
    in.source = WLM_SOURCE_MEMORY;
    if (leaf->type == WLM_LEAF_TIME) {
        in.source = WLM_SOURCE_TIME;
    } else if (leaf->type == WLM_LEAF_STEP) {
        in.source = WLM_SOURCE_FACTOR, in.factor = 0;
    } else if (leaf->type == WLM_LEAF_PARAMETER) {
        in.source = WLM_SOURCE_PARAMETER;
        in.parameter = m->of->parameter[leaf->index];
    } else {
        leaf_where(m, slot, &in.where);
        in.memory =
            leaf->type == WLM_LEAF_PORT ? wlm_layout_port(m->layout, m->use, leaf->index)->memory : WLM_MEMORY_UNKNOWNS;
        in.in_order = wlm_where_in_order(&in.where, m->of->count);
    }
    return in;
}

/* Makes the indices of the port that an input reads, once for all its quantities. */
static warplu_status find_indices(const wlm_bank_maker *m, wlm_bank *out, wlm_bank_input *in)
{
    if (in->source != WLM_SOURCE_MEMORY || in->in_order) return WARPLU_SUCCESS;
    int32_t quantity = m->kind->leaf[in->slot].index, port = m->kind->port_quantity[quantity].port;
    wlm_indices *indices = &out->indices[port];
    in->indices = indices;
    if (indices->node != NULL) return WARPLU_SUCCESS;
    int32_t nodes = wlm_layout_port(m->layout, m->use, quantity)->count;
    return wlm_indices_make(m->ctx, in->where.node, m->of->count, nodes, indices);
}

static warplu_status list_inputs(const wlm_bank_maker *m, wlm_bank *out)
{
    int32_t inputs = m->kind->leaves + WLM_FACTORS + m->kind->states;
    out->ports = m->kind->ports;
    out->indices = WLU_CALLOC(m->ctx, out->ports, wlm_indices);
    unsigned char *reads = WLU_ALLOC(m->ctx, inputs, unsigned char);
    out->input = WLU_ALLOC(m->ctx, inputs, wlm_bank_input);
    warplu_status status = !WLU_ALL_THERE(reads, out->input, out->indices)
                               ? wlu_fail_memory(m->ctx, m->kind->name)
                               : wlm_graph_reads(m->graph, m->output, m->outputs, inputs, reads);
    for (int32_t k = 0; k < inputs && status == WARPLU_SUCCESS; k++) {
        if (!reads[k]) continue;
        out->input[out->inputs] = input_of(m, k);
        status = find_indices(m, out, &out->input[out->inputs++]);
    }
    wlu_free(m->ctx, reads);
    return status;
}

static warplu_status place_contributions(const wlm_bank_maker *m, int32_t *contributions)
{
    for (int32_t k = 0; k < m->outputs; k++) {
        if (m->place[k].to_vector) continue;
        if (*contributions > INT32_MAX - m->of->count)
            return wlu_fail(m->ctx, WARPLU_OVERFLOW, "more than 2^31 - 1 contributions to nodes and to the matrix");
        m->place[k].at = *contributions;
        *contributions += m->of->count;
    }
    return WARPLU_SUCCESS;
}

/* Finds whether a row's charge has derivatives that change in a run, or depends on time itself. */
static warplu_status judge_charge(const wlm_bank_maker *m, int32_t r, int *changes)
{
    warplu_status status = wlm_bank_reads(m, &m->row[r].q, 1, WLM_READS_TIME, changes);
    for (int32_t k = m->dq.ptr[r]; k < m->dq.ptr[r + 1] && !*changes && status == WARPLU_SUCCESS; k++)
        if (m->kind->leaf[m->dq.idx[k]].type != WLM_LEAF_PARAMETER && !wlm_node_is(m->graph, m->dq.node[k], 0.0))
            status = wlm_bank_reads(m, &m->dq.node[k], 1, WLM_READS_TIME | WLM_READS_UNKNOWNS, changes);
    return status;
}

/* Finds the first such charge. */
static warplu_status find_changing(const wlm_bank_maker *m, wlm_bank *out)
{
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t r = 0; r < m->rows && !out->changes && status == WARPLU_SUCCESS; r++) {
        if (m->row[r].q == WLM_NONE) continue;
        status = judge_charge(m, r, &out->changes);
        out->changing = m->row[r].where;
    }
    return status;
}

/* Finds whether entries of the matrix change in a run: all at once, for each look is at the whole graph. */
static warplu_status find_varying(const wlm_bank_maker *m, int *varies)
{
    int32_t count = 0;
    wlm_node *entry = WLU_ALLOC(m->ctx, m->addends, wlm_node);
    if (entry == NULL) return wlu_fail_memory(m->ctx, m->kind->name);
    for (int32_t k = 0; k < m->addends; k++)
        if (m->addend[k].role == WLM_ROLE_ENTRY) entry[count++] = m->bare[k];
    warplu_status status = wlm_bank_reads(m, entry, count, WLM_READS_TIME | WLM_READS_UNKNOWNS, varies);
    wlu_free(m->ctx, entry);
    return status;
}

/* Finds whether equations are linear with constant coefficients. */
static warplu_status find_facts(const wlm_bank_maker *m, wlm_bank *out)
{
    warplu_status status = find_changing(m, out);
    if (status == WARPLU_SUCCESS) status = wlm_bank_jump(m, m->output, m->outputs, &out->varies);
    return status == WARPLU_SUCCESS && !out->varies ? find_varying(m, &out->varies) : status;
}

/* -------------------------------------------------------------------- whole */

/* Returns 1 of what steps compute, 0 of what is computed once. */
static int runs_often(wlm_want want)
{
    switch (want) {
    case WLM_WANT_SUMS:
    case WLM_WANT_VALUES:
    case WLM_WANT_MATRIX:
    case WLM_WANT_BY_TIME:
    case WLM_WANT_Q_BY_TIME:
    case WLM_WANT_UPDATE:
    case WLM_WANT_LIMITS:
    case WLM_WANT_CROSSINGS:
    case WLM_WANT_ASSIGNMENTS: return 1;
    case WLM_WANT_INITIAL:
    case WLM_WANT_PULSES:
    case WLM_WANT_TIMES:
    case WLM_WANT_MASS: break;
    }
    return 0;
}

/* Marks inputs and outputs that stand in order in arrays. */
static warplu_status find_moves(const wlm_bank_maker *m, wlm_bank *out)
{
    if (m->of->count < WLM_LANES || !runs_often(m->want)) return WARPLU_SUCCESS;
    out->moves = WLU_CALLOC(m->ctx, (int64_t)out->program->inputs + m->outputs, unsigned char);
    if (out->moves == NULL) return wlu_fail_memory(m->ctx, m->kind->name);
    for (const wlm_bank_input *in = out->input; in < out->input + out->inputs; in++)
        out->moves[in->slot] = in->source == WLM_SOURCE_PARAMETER || (in->source == WLM_SOURCE_MEMORY && in->in_order);
    memset(out->moves + out->program->inputs, 1, (size_t)m->outputs);
    return WARPLU_SUCCESS;
}

static warplu_status make(wlm_bank_maker *m, wlm_isa isa, int32_t *contributions, wlm_bank *out)
{
    warplu_status status = wlm_bank_copy(m);
    if (status != WARPLU_SUCCESS) return status;
    status = wlm_bank_rows(m);
    if (status == WARPLU_SUCCESS) status = list_outputs(m);
    if (status == WARPLU_SUCCESS && m->want == WLM_WANT_MATRIX) status = find_facts(m, out);
    if (status == WARPLU_SUCCESS) status = place_contributions(m, contributions);
    if (status == WARPLU_SUCCESS) status = list_inputs(m, out);
    if (status == WARPLU_SUCCESS && m->outputs > 0)
        status = wlm_program_compile(m->graph, m->output, m->outputs, m->kind->leaves + WLM_FACTORS + m->kind->states,
                                     &out->program);
    if (status == WARPLU_SUCCESS && m->outputs > 0 && m->of->count == 1 && runs_often(m->want))
        status = wlm_solo_create(m->ctx, out->program, isa, 1, &out->solo);
    if (status == WARPLU_SUCCESS && m->outputs > 0 && out->solo == NULL)
        status = wlm_code_create(m->ctx, out->program, isa, &out->code);
    if (status == WARPLU_SUCCESS && m->outputs > 0) status = find_moves(m, out);
    out->kernels = wlm_kernels_of(isa);
    out->use = m->use;
    out->count = m->of->count;
    out->outputs = m->outputs;
    out->addends = m->addends;
    out->output = m->place;
    out->addend = m->addend;
    m->place = NULL;
    m->addend = NULL;
    return status;
}

warplu_status wlm_bank_create(const wlm_layout *layout, int32_t use, wlm_want want, int32_t level, wlm_isa isa,
                              int32_t *contributions, wlm_bank *out)
{
    memset(out, 0, sizeof *out);
    const wlm_use *of = &layout->model->use[use];
    if (!layout->taken[use] || of->count == 0) return WARPLU_SUCCESS;
    wlm_bank_maker m = {.layout = layout,
                        .ctx = layout->ctx,
                        .use = use,
                        .level = level,
                        .want = want,
                        .of = of,
                        .kind = &layout->model->kind[of->kind]};
    warplu_status status = make(&m, isa, contributions, out);
    if (status != WARPLU_SUCCESS) wlm_bank_free(m.ctx, out);
    wlm_jacobian_free(m.ctx, &m.df);
    wlm_jacobian_free(m.ctx, &m.dq);
    wlm_graph_destroy(&m.graph);
    wlu_free(m.ctx, m.flow);
    wlu_free(m.ctx, m.row);
    wlu_free(m.ctx, m.output);
    wlu_free(m.ctx, m.place);
    wlu_free(m.ctx, m.bare);
    wlu_free(m.ctx, m.addend);
    return status;
}
