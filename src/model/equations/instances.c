/* Copies what one instance has into the graph: rows of its states and unknowns, contributions, definitions, events. */
#include <string.h>

#include "model/equations/flatten.h"

/* Copies all nodes of an instance in one call, so that what two of them share stays shared in a literal graph, too. */
static warplu_status copy_instance(wlm_flat *f, int32_t use, int32_t instance)
{
    const wlm_kind *kind = &f->model->kind[f->model->use[use].kind];
    wlm_flat_bind(f, use, instance);
    return wlm_graph_copy(kind->graph, f->e->graph, f->inputs, kind->leaves, f->nodes, wlm_node_count(kind->graph),
                          f->copies);
}

/* Returns the instance's copy of a kind's node. */
static wlm_node own(const wlm_flat *f, wlm_node node)
{
    return node == WLM_NONE ? WLM_NONE : f->copies[node];
}

static warplu_status name_row(wlm_flat *f, int32_t row, const wlm_use *use, int32_t index, const char *name)
{
    const wlm_kind *kind = &f->model->kind[use->kind];
    f->e->name[row] = wlm_flat_name(f, kind->name, index, f->kind_count[use->kind], name);
    return f->e->name[row] != NULL ? WARPLU_SUCCESS : wlu_fail_memory(f->ctx, "equations");
}

static warplu_status add_states(wlm_flat *f, const wlm_use *use, int32_t index, int32_t first)
{
    const wlm_kind *kind = &f->model->kind[use->kind];
    wlm_equations *e = f->e;
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t i = 0; i < kind->states && status == WARPLU_SUCCESS; i++) {
        const wlm_state *s = &kind->state[i];
        int32_t row = first + i;
        e->f[row] = own(f, s->rate), e->initial[row] = own(f, s->initial);
        e->steady[row] = own(f, s->steady), e->tau[row] = own(f, s->tau);
        e->q[row] = wlm_input(e->graph, 1 + row);
        e->place[row] = s->place;
        if (wlm_state_has_range(s)) e->range[e->ranges++] = (wlm_range){row, s->least, s->most};
        status = name_row(f, row, use, index, s->name);
    }
    return status;
}

static warplu_status add_unknowns(wlm_flat *f, const wlm_use *use, int32_t index, int32_t first)
{
    const wlm_kind *kind = &f->model->kind[use->kind];
    wlm_equations *e = f->e;
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t i = 0; i < kind->unknowns && status == WARPLU_SUCCESS; i++) {
        e->initial[first + i] = own(f, kind->unknown[i].initial);
        status = name_row(f, first + i, use, index, kind->unknown[i].name);
    }
    for (int32_t i = 0; i < kind->closings; i++) {
        int32_t row = f->closing_row[f->closings++];
        e->f[row] = own(f, kind->closing[i].node);
        e->place[row] = kind->closing[i].place;
    }
    return status;
}

static void add_contributions(wlm_flat *f, const wlm_use *use, int32_t instance)
{
    const wlm_kind *kind = &f->model->kind[use->kind];
    for (int32_t i = 0; i < kind->contributions; i++) {
        const wlm_contribution *c = &kind->contribution[i];
        int32_t place = wlm_flat_place(f, use, instance, c->quantity);
        if (f->row[place] < 0) continue;
        if (c->flow != WLM_NONE) f->sum[place] = wlm_flat_add(f->e->graph, f->sum[place], own(f, c->flow));
        if (c->charge != WLM_NONE) f->charge[place] = wlm_flat_add(f->e->graph, f->charge[place], own(f, c->charge));
    }
}

static warplu_status add_locals(wlm_flat *f, const wlm_use *use, int32_t index)
{
    const wlm_kind *kind = &f->model->kind[use->kind];
    wlm_equations *e = f->e;
    for (int32_t i = 0; i < kind->locals; i++) {
        int32_t to = f->locals++;
        e->local[to] = own(f, kind->local[i].node);
        e->local_name[to] = wlm_flat_name(f, kind->name, index, f->kind_count[use->kind], kind->local[i].name);
        if (e->local_name[to] == NULL) return wlu_fail_memory(f->ctx, "equations");
    }
    return WARPLU_SUCCESS;
}

static warplu_status add_limits(wlm_flat *f, const wlm_use *use, int32_t index)
{
    const wlm_kind *kind = &f->model->kind[use->kind];
    wlm_equations *e = f->e;
    for (int32_t i = 0; i < kind->limits; i++) {
        int32_t to = f->limits++;
        e->limit[to] = (wlm_limit){kind->limit[i].place, own(f, kind->limit[i].node)};
        e->limit_name[to] = wlm_flat_name(f, kind->name, index, f->kind_count[use->kind], "limit");
        if (e->limit_name[to] == NULL) return wlu_fail_memory(f->ctx, "equations");
    }
    return WARPLU_SUCCESS;
}

static warplu_status add_event(wlm_flat *f, const wlm_event *from, int32_t first)
{
    wlm_event *to = &f->e->event[f->events++];
    to->place = from->place, to->slots = from->slots, to->priority = from->priority, to->initially = from->initially;
    to->due = from->due > 0 ? first + from->due : 0;
    to->state = wlm_take(&f->e->kept, from->assignments, sizeof *to->state);
    to->value = wlm_take(&f->e->kept, from->assignments, sizeof *to->value);
    to->how = wlm_take(&f->e->kept, from->assignments, 1);
    if (to->state == NULL || to->value == NULL || to->how == NULL) return wlu_fail_memory(f->ctx, "equations");
    to->assignments = from->assignments;
    for (int32_t i = 0; i < from->assignments; i++) {
        to->state[i] = first + from->state[i];
        to->value[i] = own(f, from->value[i]);
        to->how[i] = (unsigned char)wlm_event_how(from, i);
    }
    to->crossing = own(f, from->crossing), to->at = own(f, from->at);
    return WARPLU_SUCCESS;
}

static warplu_status add_times(wlm_flat *f, const wlm_use *use, int32_t first)
{
    const wlm_kind *kind = &f->model->kind[use->kind];
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t i = 0; i < kind->events && status == WARPLU_SUCCESS; i++)
        status = add_event(f, &kind->event[i], first);
    for (int32_t i = 0; i < kind->pulses; i++) {
        const wlm_pulse *p = &kind->pulse[i];
        f->e->pulse[f->pulses++] = (wlm_pulse){own(f, p->delay), own(f, p->width), own(f, p->period), p->table};
    }
    return status;
}

warplu_status wlm_flat_instances(wlm_flat *f)
{
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t u = 0; u < f->model->uses; u++) {
        const wlm_use *use = &f->model->use[u];
        const wlm_kind *kind = &f->model->kind[use->kind];
        for (int32_t k = 0; k < use->count && status == WARPLU_SUCCESS; k++) {
            int32_t index = f->use_instance[u] + k, state = f->state[u] + k * kind->states;
            status = copy_instance(f, u, k);
            if (status == WARPLU_SUCCESS) status = add_states(f, use, index, state);
            if (status == WARPLU_SUCCESS) status = add_unknowns(f, use, index, f->unknown[u] + k * kind->unknowns);
            if (status == WARPLU_SUCCESS) add_contributions(f, use, k);
            if (status == WARPLU_SUCCESS) status = add_locals(f, use, index);
            if (status == WARPLU_SUCCESS) status = add_limits(f, use, index);
            if (status == WARPLU_SUCCESS) status = add_times(f, use, state);
        }
    }
    return status;
}
