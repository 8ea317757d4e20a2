/* Values of instances: reads quantities, which the steps hold, and computes definitions from them. */
#include "model/api/instances.h"

void wlm_asked_free(warplu_sim *sim, wlm_asked_definition *definition)
{
    wlm_formula_free(&sim->ctx, &definition->formula);
    definition->handle = -1;
}

static const wlm_kind *kind_of(const warplu_sim *sim, const wlm_asked_definition *d)
{
    return &sim->changed.kind[sim->changed.use[d->use].kind];
}

static warplu_status create(warplu_sim *sim, int64_t handle, wlm_asked_definition *d)
{
    wlm_asked_free(sim, d);
    wlm_asked_place(sim, handle, d);
    const wlm_kind *kind = kind_of(sim, d);
    warplu_status status = wlm_formula_create(&sim->ctx, "definition", kind->graph, &kind->local[d->local].node, 1,
                                              kind->leaves, &d->formula);
    if (status < 0) d->handle = -1;
    return status;
}

/* Reads the number of a leaf of an instance. */
static warplu_status read_leaf(warplu_sim *sim, const wlm_asked_definition *d, const wlm_leaf *leaf, double *out)
{
    const wlm_instances *l = sim->own;
    const wlm_use *use = &sim->changed.use[d->use];
    const wlm_kind *kind = kind_of(sim, d);
    int32_t i = leaf->index, at = d->instance;
    const wlm_block *block = NULL;
    switch (leaf->type) {
    case WLM_LEAF_TIME: *out = wlm_transient_time(l->transient); return WARPLU_SUCCESS;
    case WLM_LEAF_PARAMETER:
        *out = use->parameter[i] != NULL ? use->parameter[i][at] : use->uniform[i];
        return WARPLU_SUCCESS;
    case WLM_LEAF_STATE: block = wlm_layout_variable(l->layout, d->use, i); break;
    case WLM_LEAF_UNKNOWN: block = wlm_layout_variable(l->layout, d->use, kind->states + i); break;
    case WLM_LEAF_PORT:
        block = wlm_layout_port(l->layout, d->use, i);
        at = use->node[kind->port_quantity[i].port][at];
        break;
    }
    return wlm_transient_read(l->transient, block->memory, block->first + at, 1, out);
}

static warplu_status compute(warplu_sim *sim, const wlm_asked_definition *d, double *out)
{
    const wlm_kind *kind = kind_of(sim, d);
    for (int32_t i = 0; i < kind->leaves; i++) {
        warplu_status status = read_leaf(sim, d, &kind->leaf[i], wlm_formula_input(&d->formula, i));
        if (status < 0) return status;
    }
    wlm_formula_run(&d->formula);
    *out = wlm_formula_output(&d->formula, 0);
    return WARPLU_SUCCESS;
}

/* Reads the value of a handle; `definition` is used where the handle is one's. */
static warplu_status value_of(warplu_sim *sim, int64_t handle, const wlm_asked_definition *definition, double *out)
{
    int32_t number;
    if (wlm_instances_kind(sim, handle) == WARPLU_HANDLE_KIND_DEFINITION) return compute(sim, definition, out);
    wlm_memory memory = wlm_instances_memory(sim, handle, &number);
    return wlm_transient_read(((const wlm_instances *)sim->own)->transient, memory, number, 1, out);
}

warplu_status wlm_instances_get(warplu_sim *sim, int64_t handle, int64_t first, int64_t count, double *out)
{
    wlm_asked_definition *last = &((wlm_instances *)sim->own)->last;
    warplu_status status = WARPLU_SUCCESS;
    (void)first, (void)count; /* there is one member */
    if (wlm_instances_kind(sim, handle) == WARPLU_HANDLE_KIND_DEFINITION && last->handle != handle)
        status = create(sim, handle, last);
    return status < 0 ? status : value_of(sim, handle, last, out);
}

void wlm_instances_forget(warplu_sim *sim)
{
    wlm_instances *l = sim->own;
    for (int32_t i = 0; i < l->watched_count; i++) wlm_asked_free(sim, &l->watched[i]);
    wlu_free(&sim->ctx, l->watched);
    l->watched = NULL;
    l->watched_count = 0;
}

warplu_status wlm_instances_watch(warplu_sim *sim)
{
    wlm_instances *l = sim->own;
    const wlm_watched *w = &sim->watched;
    warplu_status status = WARPLU_SUCCESS;
    l->watched = WLU_CALLOC(&sim->ctx, w->count, wlm_asked_definition);
    if (l->watched == NULL) return wlu_fail_memory(&sim->ctx, "watched values");
    for (int32_t i = 0; i < w->count && status == WARPLU_SUCCESS; i++) {
        l->watched_count = i + 1;
        if (wlm_instances_kind(sim, w->handle[i]) == WARPLU_HANDLE_KIND_DEFINITION)
            status = create(sim, w->handle[i], &l->watched[i]);
    }
    return status;
}

warplu_status wlm_instances_compute(warplu_sim *sim)
{
    const wlm_instances *l = sim->own;
    const wlm_watched *w = &sim->watched;
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t i = 0; i < w->count && status >= 0; i++)
        status = value_of(sim, w->handle[i], &l->watched[i], &w->values[i]);
    return status;
}
