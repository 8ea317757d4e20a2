/* Makes the equations of equations.h. Unknowns are numbered: quantities of nodes first, set by set, then states and
 * unknowns of instances, use by use. */
#include "model/equations/flatten.h"

#include <string.h>

#include "model/text/names.h"
#include "model/text/reading.h"

int32_t wlm_flat_place(const wlm_flat *f, const wlm_use *use, int32_t instance, int32_t port_quantity)
{
    int32_t port = f->model->kind[use->kind].port_quantity[port_quantity].port, set = use->set[port];
    return f->first[set] + use->quantity[port_quantity] * f->model->set[set].count + use->node[port][instance];
}

wlm_node wlm_flat_add(wlm_graph *graph, wlm_node a, wlm_node b)
{
    return a == WLM_NONE ? b : wlm_binary(graph, WLM_ADD, a, b);
}

char *wlm_flat_name(wlm_flat *f, const char *of, int32_t index, int32_t count, const char *name)
{
    size_t room = strlen(of) + strlen(name) + 16;
    char *text = wlm_take(&f->e->kept, (int64_t)room, 1);
    if (text != NULL) wlm_names_write(text, room, of, count, index, name);
    return text;
}

/* Returns the number of the lane parameter that is named "kind.name" or "kind[index].name"; -1. */
static int32_t lane_parameter_of(const wlm_flat *f, int32_t kind, int32_t index, int32_t parameter)
{
    const wlm_kind *k = &f->model->kind[kind];
    for (int32_t i = 0; i < f->e->lane_parameters; i++) {
        const char *text = f->e->lane_parameter[i], *name;
        int32_t length;
        int64_t number;
        if (wlm_names_split(text, &length, &number, &name) && (text[length] == '.' || number == index) &&
            wlm_word_is((wlm_word){text, length}, k->name) && strcmp(name, k->parameter[parameter].name) == 0)
            return i;
    }
    return -1;
}

static wlm_node bind_parameter(const wlm_flat *f, int32_t number, int32_t instance, int32_t parameter)
{
    const wlm_use *use = &f->model->use[number];
    int32_t lane = lane_parameter_of(f, use->kind, f->use_instance[number] + instance, parameter);
    if (lane >= 0) return wlm_input(f->e->graph, 1 + f->e->n + lane);
    const double *values = use->parameter != NULL ? use->parameter[parameter] : NULL;
    return wlm_constant(f->e->graph, values != NULL ? values[instance] : use->uniform[parameter]);
}

void wlm_flat_bind(wlm_flat *f, int32_t number, int32_t instance)
{
    const wlm_use *use = &f->model->use[number];
    const wlm_kind *kind = &f->model->kind[use->kind];
    wlm_graph *g = f->e->graph;
    for (int32_t i = 0; i < kind->leaves; i++) {
        int32_t index = kind->leaf[i].index;
        switch (kind->leaf[i].type) {
        case WLM_LEAF_TIME: f->inputs[i] = wlm_input(g, 0); break;
        case WLM_LEAF_PARAMETER: f->inputs[i] = bind_parameter(f, number, instance, index); break;
        case WLM_LEAF_STATE: f->inputs[i] = wlm_input(g, 1 + f->state[number] + instance * kind->states + index); break;
        case WLM_LEAF_UNKNOWN:
            f->inputs[i] = wlm_input(g, 1 + f->unknown[number] + instance * kind->unknowns + index);
            break;
        case WLM_LEAF_STEP: f->inputs[i] = wlm_input(g, 1 + f->e->n + f->e->lane_parameters); break;
        case WLM_LEAF_PORT: f->inputs[i] = f->value[wlm_flat_place(f, use, instance, index)]; break;
        }
    }
}

/* Counts all that the equations will have, and fails where that is too much or does not match. */
static warplu_status count(wlm_flat *f, int64_t *n, int64_t *unknowns, int64_t *closings)
{
    const wlm_model *m = f->model;
    wlm_equations *e = f->e;
    int64_t places = 0, locals = 0, sums = 0, fixed = 0, events = 0, pulses = 0, limits = 0;
    for (int32_t s = 0; s < m->sets; s++) {
        places += (int64_t)m->set[s].count * m->set[s].quantities;
        for (int32_t q = 0; q < m->set[s].quantities; q++) {
            wlm_quantity_type type = m->set[s].quantity[q].type;
            *(wlm_quantity_is_unknown(type) ? n : type == WLM_FIXED ? &fixed : &sums) += m->set[s].count;
            f->ranges += m->set[s].quantity[q].is_positive ? m->set[s].count : 0;
        }
    }
    for (int32_t u = 0; u < m->uses; u++) {
        const wlm_kind *k = &m->kind[m->use[u].kind];
        int64_t times = m->use[u].count;
        *n += times * (k->states + k->unknowns);
        *unknowns += times * k->unknowns, *closings += times * k->closings;
        locals += times * k->locals, events += times * k->events, pulses += times * k->pulses;
        limits += times * k->limits;
        for (int32_t i = 0; i < k->states; i++) f->ranges += wlm_state_has_range(&k->state[i]) ? times : 0;
        if (k->leaves > f->inputs_most) f->inputs_most = k->leaves;
        if (wlm_node_count(k->graph) > f->nodes_most) f->nodes_most = wlm_node_count(k->graph);
    }
    locals += sums + fixed;
    if (*n > INT32_MAX / 4 || places > INT32_MAX || locals > INT32_MAX || events + pulses + limits > INT32_MAX / 4)
        return wlu_fail(f->ctx, WARPLU_OVERFLOW, "equations: %lld unknowns are too many for one graph", (long long)*n);
    if (*unknowns != *closings)
        return wlu_fail(f->ctx, WARPLU_MODEL_EQUATIONS, "equations: %lld unknowns, but %lld equations that close them",
                        (long long)*unknowns, (long long)*closings);
    f->places = (int32_t)places;
    e->sums = (int32_t)sums, e->fixed = (int32_t)fixed;
    e->limits = (int32_t)limits, e->step = m->step;
    e->n = (int32_t)*n, e->locals = (int32_t)locals, e->events = (int32_t)events, e->pulses = (int32_t)pulses;
    return WARPLU_SUCCESS;
}

static warplu_status make_room(wlm_flat *f, int64_t unknowns)
{
    const wlm_model *m = f->model;
    wlm_equations *e = f->e;
    wlm_arena *kept = &e->kept, *scratch = &f->scratch;
    e->f = wlm_take(kept, 5 * (int64_t)e->n, sizeof *e->f);
    e->name = wlm_take(kept, e->n, sizeof *e->name);
    e->place = wlm_take(kept, e->n, sizeof *e->place);
    e->local = wlm_take(kept, e->locals, sizeof *e->local);
    e->local_name = wlm_take(kept, e->locals, sizeof *e->local_name);
    e->event = wlm_take(kept, e->events, sizeof *e->event);
    e->pulse = wlm_take(kept, e->pulses, sizeof *e->pulse);
    e->range = wlm_take(kept, f->ranges, sizeof *e->range);
    e->limit = wlm_take(kept, e->limits, sizeof *e->limit);
    e->limit_name = wlm_take(kept, e->limits, sizeof *e->limit_name);
    f->first = wlm_take(scratch, m->sets, sizeof *f->first);
    f->value = wlm_take(scratch, 4 * (int64_t)f->places, sizeof *f->value);
    f->use_instance = wlm_take(scratch, 3 * (int64_t)m->uses, sizeof *f->use_instance);
    f->kind_count = wlm_take(scratch, m->kinds, sizeof *f->kind_count);
    f->closing_row = wlm_take(scratch, unknowns, sizeof *f->closing_row);
    f->inputs = wlm_take(scratch, f->inputs_most, sizeof *f->inputs);
    f->nodes = wlm_take(scratch, 2 * (int64_t)f->nodes_most, sizeof *f->nodes);
    int all = WLU_ALL_THERE(e->f, e->name, e->place, e->local, e->local_name, e->event, e->pulse, e->range, e->limit,
                            e->limit_name, f->first, f->value, f->use_instance, f->kind_count, f->closing_row,
                            f->inputs, f->nodes);
    if (!all) return wlu_fail_memory(f->ctx, "equations");
    e->q = e->f + e->n, e->steady = e->q + e->n, e->tau = e->steady + e->n, e->initial = e->tau + e->n;
    for (int64_t i = 0; i < 5 * (int64_t)e->n; i++) e->f[i] = WLM_NONE;
    f->sum = f->value + f->places, f->charge = f->sum + f->places, f->row = f->charge + f->places;
    for (int64_t i = 0; i < 4 * (int64_t)f->places; i++) f->value[i] = WLM_NONE;
    f->copies = f->nodes + f->nodes_most;
    for (wlm_node node = 0; node < f->nodes_most; node++) f->nodes[node] = node;
    f->state = f->use_instance + m->uses, f->unknown = f->state + m->uses;
    return WARPLU_SUCCESS;
}

static warplu_status number_quantity(wlm_flat *f, const wlm_set *set, const wlm_quantity *q, int32_t place,
                                     int32_t *row)
{
    wlm_equations *e = f->e;
    for (int32_t j = 0; j < set->count; j++, place++) {
        if (q->type == WLM_FIXED) f->value[place] = wlm_constant(e->graph, q->value[j]);
        if (!wlm_quantity_is_unknown(q->type)) continue;
        f->row[place] = *row;
        f->value[place] = wlm_input(e->graph, 1 + *row);
        e->initial[*row] = wlm_constant(e->graph, q->value[j]);
        e->place[*row] = q->place;
        if (q->is_positive) e->range[e->ranges++] = (wlm_range){*row, 0.0, INFINITY};
        e->name[*row] = wlm_flat_name(f, set->name, j, set->count, q->name);
        if (e->name[(*row)++] == NULL) return wlu_fail_memory(f->ctx, "equations");
    }
    return WARPLU_SUCCESS;
}

static warplu_status number(wlm_flat *f)
{
    const wlm_model *m = f->model;
    wlm_equations *e = f->e;
    int32_t row = 0, place = 0, unknowns = 0;
    for (int32_t s = 0; s < m->sets; s++) {
        f->first[s] = place;
        for (int32_t q = 0; q < m->set[s].quantities; q++, place += m->set[s].count) {
            warplu_status status = number_quantity(f, &m->set[s], &m->set[s].quantity[q], place, &row);
            if (status != WARPLU_SUCCESS) return status;
        }
    }
    e->positive = e->ranges; /* those of instances follow */
    for (int32_t u = 0; u < m->uses; u++) {
        const wlm_kind *kind = &m->kind[m->use[u].kind];
        int32_t times = m->use[u].count;
        f->use_instance[u] = f->kind_count[m->use[u].kind];
        f->kind_count[m->use[u].kind] += times;
        f->state[u] = row;
        f->unknown[u] = row + times * kind->states;
        row += times * (kind->states + kind->unknowns);
        for (int32_t i = 0; i < times * kind->unknowns; i++) f->closing_row[unknowns++] = f->unknown[u] + i;
    }
    return WARPLU_SUCCESS;
}

/* Finishes the rows of balances and stores, once all contributions are there. */
static void close_rows(wlm_flat *f)
{
    wlm_graph *g = f->e->graph;
    for (int32_t s = 0, place = 0; s < f->model->sets; s++)
        for (int32_t k = 0; k < f->model->set[s].quantities * f->model->set[s].count; k++, place++) {
            int32_t row = f->row[place];
            if (row < 0) continue;
            int store = f->model->set[s].quantity[k / f->model->set[s].count].type == WLM_STORE;
            wlm_node sum = f->sum[place], charge = f->charge[place], y = wlm_input(g, 1 + row);
            if (sum == WLM_NONE) sum = wlm_constant(g, 0.0);
            f->e->f[row] = store ? sum : wlm_unary(g, WLM_NEG, sum);
            f->e->q[row] = charge;
            if (store) f->e->q[row] = charge == WLM_NONE ? y : wlm_binary(g, WLM_SUB, y, charge);
        }
}

/* Adds quantities of one type to what can be watched. */
static warplu_status watch_quantities(wlm_flat *f, wlm_quantity_type type)
{
    for (int32_t s = 0, place = 0; s < f->model->sets; s++) {
        const wlm_set *set = &f->model->set[s];
        for (int32_t k = 0; k < set->quantities * set->count; k++, place++) {
            const wlm_quantity *q = &set->quantity[k / set->count];
            if (q->type != type) continue;
            char *name = wlm_flat_name(f, set->name, k % set->count, set->count, q->name);
            if (name == NULL) return wlu_fail_memory(f->ctx, "equations");
            f->e->local[f->locals] = f->value[place], f->e->local_name[f->locals++] = name;
        }
    }
    return WARPLU_SUCCESS;
}

/* Checks that each lane parameter's name is that of a kind's parameter, of all its instances or of one. */
static warplu_status check_parameters(const wlm_flat *f)
{
    const wlm_model *m = f->model;
    for (int32_t i = 0; i < f->e->lane_parameters; i++) {
        int found = 0;
        for (int32_t u = 0; u < m->uses && !found; u++)
            for (int32_t k = 0; k < m->use[u].count && !found; k++)
                for (int32_t p = 0; p < m->kind[m->use[u].kind].parameters && !found; p++)
                    found = lane_parameter_of(f, m->use[u].kind, f->use_instance[u] + k, p) == i;
        if (!found)
            return wlu_fail(f->ctx, WARPLU_INVALID_ARGUMENT, "equations: '%s' is no parameter, or stands there twice",
                            f->e->lane_parameter[i]);
    }
    return WARPLU_SUCCESS;
}

static warplu_status flatten(wlm_flat *f)
{
    int64_t n = 0, unknowns = 0, closings = 0;
    warplu_status status = count(f, &n, &unknowns, &closings);
    if (status == WARPLU_SUCCESS) status = wlm_graph_create(f->ctx, f->model->literal, &f->e->graph);
    if (status == WARPLU_SUCCESS) status = make_room(f, unknowns);
    if (status == WARPLU_SUCCESS) status = number(f);
    if (status == WARPLU_SUCCESS) status = check_parameters(f);
    if (status == WARPLU_SUCCESS) status = wlm_flat_sums(f);
    if (status == WARPLU_SUCCESS) status = watch_quantities(f, WLM_SUM);
    if (status == WARPLU_SUCCESS) status = watch_quantities(f, WLM_FIXED);
    if (status == WARPLU_SUCCESS) status = wlm_flat_instances(f);
    if (status != WARPLU_SUCCESS) return status;
    close_rows(f);
    return wlm_graph_status(f->e->graph);
}

static warplu_status copy_names(wlm_equations *e, const char *const *names, int32_t count)
{
    e->lane_parameter = wlm_take(&e->kept, count, sizeof *e->lane_parameter);
    if (e->lane_parameter == NULL) return wlu_fail_memory(e->ctx, "equations");
    for (; e->lane_parameters < count; e->lane_parameters++) {
        const char *name = names[e->lane_parameters];
        e->lane_parameter[e->lane_parameters] = wlm_take_text(&e->kept, name, (int64_t)strlen(name));
        if (e->lane_parameter[e->lane_parameters] == NULL) return wlu_fail_memory(e->ctx, "equations");
    }
    return WARPLU_SUCCESS;
}

warplu_status wlm_equations_create(wlu_context *ctx, const wlm_model *model, const char *const *lane_parameter,
                                   int32_t lane_parameters, wlm_equations **out)
{
    *out = NULL;
    wlm_equations *e = WLU_CALLOC(ctx, 1, wlm_equations);
    if (e == NULL) return wlu_fail_memory(ctx, "equations");
    e->ctx = e->kept.ctx = ctx;
    wlm_flat f = {.ctx = ctx, .model = model, .e = e, .scratch = {.ctx = ctx}};
    warplu_status status = copy_names(e, lane_parameter, lane_parameters);
    if (status == WARPLU_SUCCESS) status = flatten(&f);
    wlm_arena_free(&f.scratch);
    if (status != WARPLU_SUCCESS) wlm_equations_destroy(&e);
    *out = e;
    return status;
}

void wlm_equations_destroy(wlm_equations **equations)
{
    wlm_equations *e = *equations;
    if (e == NULL) return;
    wlm_arena_free(&e->kept);
    wlm_graph_destroy(&e->graph);
    wlu_free(e->ctx, e);
    *equations = NULL;
}
