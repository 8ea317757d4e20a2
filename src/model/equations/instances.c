/* Copies what one instance has into the graph: rows of its states and unknowns, contributions, definitions, events. */
#include <string.h>

#include "model/equations/flatten.h"

static warplu_status copy(wlm_flat *f, const wlm_kind *kind, const wlm_node *from, int32_t count, wlm_node *to)
{
    return wlm_graph_copy(kind->graph, f->e->graph, f->inputs, kind->leaves, from, count, to);
}

static warplu_status name_row(wlm_flat *f, int32_t row, const wlm_use *use, int32_t index, const char *name)
{
    const wlm_kind *kind = &f->model->kind[use->kind];
    f->e->name[row] = wlm_flat_name(f->ctx, kind->name, index, f->kind_count[use->kind], name);
    return f->e->name[row] != NULL ? WARPLU_SUCCESS : wlu_fail_memory(f->ctx, "equations");
}

static warplu_status add_states(wlm_flat *f, const wlm_use *use, int32_t index, int32_t first)
{
    const wlm_kind *kind = &f->model->kind[use->kind];
    wlm_equations *e = f->e;
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t i = 0; i < kind->states && status == WARPLU_SUCCESS; i++) {
        const wlm_state *s = &kind->state[i];
        wlm_node wanted[4] = {s->rate, s->initial, s->steady, s->tau};
        int32_t row = first + i;
        status = copy(f, kind, wanted, 4, wanted);
        e->f[row] = wanted[0], e->initial[row] = wanted[1], e->steady[row] = wanted[2], e->tau[row] = wanted[3];
        e->q[row] = wlm_input(e->graph, 1 + row);
        e->place[row] = s->place;
        if (status == WARPLU_SUCCESS) status = name_row(f, row, use, index, s->name);
    }
    return status;
}

static warplu_status add_unknowns(wlm_flat *f, const wlm_use *use, int32_t index, int32_t first)
{
    const wlm_kind *kind = &f->model->kind[use->kind];
    wlm_equations *e = f->e;
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t i = 0; i < kind->unknowns && status == WARPLU_SUCCESS; i++) {
        status = copy(f, kind, &kind->unknown[i].initial, 1, &e->initial[first + i]);
        if (status == WARPLU_SUCCESS) status = name_row(f, first + i, use, index, kind->unknown[i].name);
    }
    for (int32_t i = 0; i < kind->closings && status == WARPLU_SUCCESS; i++) {
        int32_t row = f->closing_row[f->closings++];
        status = copy(f, kind, &kind->closing[i].node, 1, &e->f[row]);
        e->place[row] = kind->closing[i].place;
    }
    return status;
}

static warplu_status add_contributions(wlm_flat *f, const wlm_use *use, int32_t instance)
{
    const wlm_kind *kind = &f->model->kind[use->kind];
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t i = 0; i < kind->contributions && status == WARPLU_SUCCESS; i++) {
        const wlm_contribution *c = &kind->contribution[i];
        int32_t place = wlm_flat_place(f, use, instance, c->quantity), row = f->row[place];
        wlm_node both[2] = {c->flow, c->charge};
        if (row < 0) continue;
        status = copy(f, kind, both, 2, both);
        if (status != WARPLU_SUCCESS) return status;
        if (both[0] != WLM_NONE) f->sum[place] = wlm_flat_add(f->e->graph, f->sum[place], both[0]);
        if (both[1] != WLM_NONE) f->charge[place] = wlm_flat_add(f->e->graph, f->charge[place], both[1]);
    }
    return status;
}

static warplu_status add_locals(wlm_flat *f, const wlm_use *use, int32_t index)
{
    const wlm_kind *kind = &f->model->kind[use->kind];
    wlm_equations *e = f->e;
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t i = 0; i < kind->locals && status == WARPLU_SUCCESS; i++) {
        int32_t to = f->locals++;
        status = copy(f, kind, &kind->local[i].node, 1, &e->local[to]);
        e->local_name[to] = wlm_flat_name(f->ctx, kind->name, index, f->kind_count[use->kind], kind->local[i].name);
        if (status == WARPLU_SUCCESS && e->local_name[to] == NULL) status = wlu_fail_memory(f->ctx, "equations");
    }
    return status;
}

static warplu_status add_event(wlm_flat *f, const wlm_kind *kind, const wlm_event *from, int32_t first)
{
    wlm_event *to = &f->e->event[f->events++];
    wlm_node both[2] = {from->crossing, from->at};
    to->place = from->place;
    to->state = WLU_ALLOC(f->ctx, from->assignments, int32_t);
    to->value = WLU_ALLOC(f->ctx, from->assignments, wlm_node);
    if (to->state == NULL || to->value == NULL) return wlu_fail_memory(f->ctx, "equations");
    to->assignments = from->assignments;
    for (int32_t i = 0; i < from->assignments; i++) to->state[i] = first + from->state[i];
    warplu_status status = copy(f, kind, both, 2, both);
    to->crossing = both[0], to->at = both[1];
    return status == WARPLU_SUCCESS ? copy(f, kind, from->value, from->assignments, to->value) : status;
}

static warplu_status add_times(wlm_flat *f, const wlm_use *use, int32_t first)
{
    const wlm_kind *kind = &f->model->kind[use->kind];
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t i = 0; i < kind->events && status == WARPLU_SUCCESS; i++)
        status = add_event(f, kind, &kind->event[i], first);
    for (int32_t i = 0; i < kind->pulses && status == WARPLU_SUCCESS; i++) {
        wlm_node three[3] = {kind->pulse[i].delay, kind->pulse[i].width, kind->pulse[i].period};
        status = copy(f, kind, three, 3, three);
        f->e->pulse[f->pulses++] = (wlm_pulse){three[0], three[1], three[2]};
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
            wlm_flat_bind(f, u, k);
            status = add_states(f, use, index, state);
            if (status == WARPLU_SUCCESS) status = add_unknowns(f, use, index, f->unknown[u] + k * kind->unknowns);
            if (status == WARPLU_SUCCESS) status = add_contributions(f, use, k);
            if (status == WARPLU_SUCCESS) status = add_locals(f, use, index);
            if (status == WARPLU_SUCCESS) status = add_times(f, use, state);
        }
    }
    return status;
}
