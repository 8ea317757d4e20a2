/* Names and values of instances: finds what handles mean, reads quantities, which the steps hold, and computes
 * definitions from them. */
#include <string.h>

#include "model/api/instances.h"
#include "model/text/names.h"

/* ------------------------------------------------------------------ handles */

/* Returns the first handle of a kind of handles. */
static int64_t first_of(const wlm_layout *l, warplu_handle_kind kind)
{
    switch (kind) {
    case WARPLU_HANDLE_KIND_UNKNOWN: return 0;
    case WARPLU_HANDLE_KIND_SUM: return l->n;
    case WARPLU_HANDLE_KIND_FIXED: return (int64_t)l->n + l->sums;
    case WARPLU_HANDLE_KIND_DEFINITION:
    case WARPLU_HANDLE_KIND_PARAMETER: break;
    }
    return (int64_t)l->n + l->sums + l->fixed;
}

static int64_t definitions_of(const wlm_model *m, int32_t use)
{
    return (int64_t)m->use[use].count * m->kind[m->use[use].kind].locals;
}

static int64_t first_parameter(const warplu_sim *sim)
{
    int64_t count = first_of(wlm_instances_layout(sim), WARPLU_HANDLE_KIND_DEFINITION);
    for (int32_t u = 0; u < sim->changed.uses; u++) count += definitions_of(&sim->changed, u);
    return count;
}

int64_t wlm_instances_handles(const warplu_sim *sim)
{
    return first_parameter(sim) + sim->varying_count;
}

int64_t wlm_instances_parameter(const warplu_sim *sim, int64_t handle)
{
    return handle - first_parameter(sim);
}

warplu_handle_kind wlm_instances_kind(const warplu_sim *sim, int64_t handle)
{
    warplu_handle_kind kind = WARPLU_HANDLE_KIND_DEFINITION;
    if (wlm_instances_parameter(sim, handle) >= 0) return WARPLU_HANDLE_KIND_PARAMETER;
    while (handle < first_of(wlm_instances_layout(sim), kind)) kind--;
    return kind;
}

/* Returns the handle of "kind.local" or "kind[i].local"; i counts instances over all uses of the kind; -1: none. */
static int64_t find_definition(const warplu_sim *sim, const char *name)
{
    const wlm_model *m = &sim->changed;
    const char *local;
    int32_t length;
    int64_t wanted, handle = first_of(wlm_instances_layout(sim), WARPLU_HANDLE_KIND_DEFINITION);
    if (!wlm_names_split(name, &length, &wanted, &local)) return -1;
    int is_numbered = name[length] == '[';
    for (int32_t u = 0; u < m->uses; handle += definitions_of(m, u), u++) {
        const wlm_kind *kind = &m->kind[m->use[u].kind];
        if (!wlm_word_is((wlm_word){name, length}, kind->name)) continue;
        int32_t count = m->use[u].count;
        int64_t all = 1;
        if (!is_numbered) wlm_layout_instances_before(m, u, &all);
        if (wanted >= 0 && wanted < count && all == 1)
            for (int32_t k = 0; k < kind->locals; k++)
                if (strcmp(kind->local[k].name, local) == 0) return handle + (int64_t)k * count + wanted;
        wanted -= count;
    }
    return -1;
}

static void try_name(wlm_nearest *nearest, const char *owner, const char *owned)
{
    char name[64];
    int length = snprintf(name, sizeof name, "%s.%s", owner, owned);
    if (length < (int)sizeof name) wlm_nearest_try(nearest, name);
}

/* Looks for the nearest name of a quantity, state, unknown or definition. Numbers of instances and nodes are left
 * out, for there may be millions of them: the cost is one distance of words for each name that the text declares. */
static void suggest(wlm_suggestion *suggestion, const warplu_sim *sim, const char *name)
{
    const wlm_model *m = &sim->changed;
    wlm_nearest *nearest = &suggestion->nearest;
    const char *bracket = strchr(name, '['), *rest = bracket != NULL ? strchr(bracket, ']') : NULL;
    int owner = rest != NULL ? (int)(bracket - name) : 0;
    snprintf(suggestion->bare, sizeof suggestion->bare, "%.*s%s", owner, name, rest != NULL ? rest + 1 : name);
    wlm_nearest_init(nearest, wlm_word_of(suggestion->bare));
    for (int32_t s = 0; s < m->sets; s++)
        for (int32_t q = 0; q < m->set[s].quantities; q++)
            try_name(nearest, m->set[s].name, m->set[s].quantity[q].name);
    for (int32_t k = 0; k < m->kinds; k++) {
        const wlm_kind *kind = &m->kind[k];
        for (int32_t i = 0; i < kind->states; i++) try_name(nearest, kind->name, kind->state[i].name);
        for (int32_t i = 0; i < kind->unknowns; i++) try_name(nearest, kind->name, kind->unknown[i].name);
        for (int32_t i = 0; i < kind->locals; i++) try_name(nearest, kind->name, kind->local[i].name);
    }
    for (int32_t i = 0; i < sim->varying_count; i++) wlm_nearest_try(nearest, sim->varying[i]);
    const char *dot = strchr(name, '.');
    if (dot != NULL && strcmp(nearest->best, name) == 0) /* it lacks a number alone */
        snprintf(nearest->best, sizeof nearest->best, "%.*s[0]%s", (int)(dot - name), name, dot);
}

int64_t wlm_instances_find(const warplu_sim *sim, const char *name, wlm_suggestion *suggestion)
{
    static const warplu_handle_kind kind[] = {[WLM_MEMORY_UNKNOWNS] = WARPLU_HANDLE_KIND_UNKNOWN,
                                              [WLM_MEMORY_SUMS] = WARPLU_HANDLE_KIND_SUM,
                                              [WLM_MEMORY_FIXED] = WARPLU_HANDLE_KIND_FIXED};
    wlm_memory memory = WLM_MEMORY_UNKNOWNS;
    int32_t number = wlm_layout_find(wlm_instances_layout(sim), name, &memory);
    int64_t handle =
        number >= 0 ? first_of(wlm_instances_layout(sim), kind[memory]) + number : find_definition(sim, name);
    for (int32_t i = 0; i < sim->varying_count && handle < 0; i++)
        if (wlm_names_match(sim->varying[i], name)) handle = first_parameter(sim) + i;
    if (handle < 0) suggest(suggestion, sim, name);
    return handle;
}

/* Returns the memory, and the number there, of a handle that is no definition's. */
static wlm_memory memory_of(const warplu_sim *sim, int64_t handle, int32_t *number)
{
    warplu_handle_kind kind = wlm_instances_kind(sim, handle);
    *number = (int32_t)(handle - first_of(wlm_instances_layout(sim), kind));
    return kind == WARPLU_HANDLE_KIND_UNKNOWN ? WLM_MEMORY_UNKNOWNS
           : kind == WARPLU_HANDLE_KIND_SUM   ? WLM_MEMORY_SUMS
                                              : WLM_MEMORY_FIXED;
}

/* Finds the use, instance and definition that a handle means. */
static void place(const warplu_sim *sim, int64_t handle, wlm_asked_definition *definition)
{
    const wlm_model *m = &sim->changed;
    int64_t rest = handle - first_of(wlm_instances_layout(sim), WARPLU_HANDLE_KIND_DEFINITION);
    int32_t u = 0;
    for (; rest >= definitions_of(m, u); u++) rest -= definitions_of(m, u);
    definition->handle = handle;
    definition->use = u;
    definition->local = (int32_t)(rest / m->use[u].count);
    definition->instance = (int32_t)(rest % m->use[u].count);
}

static void name_definition(const warplu_sim *sim, int64_t handle, char *name, size_t bytes)
{
    wlm_asked_definition d;
    place(sim, handle, &d);
    const wlm_kind *kind = &sim->changed.kind[sim->changed.use[d.use].kind];
    int64_t all, before = wlm_layout_instances_before(&sim->changed, d.use, &all);
    wlm_names_write(name, bytes, kind->name, all, before + d.instance, kind->local[d.local].name);
}

void wlm_instances_name(const warplu_sim *sim, int64_t handle, char *name, size_t bytes)
{
    int32_t number;
    const int64_t parameter = wlm_instances_parameter(sim, handle);
    name[0] = '\0';
    if (parameter >= 0) {
        snprintf(name, bytes, "%s", sim->varying[parameter]);
        return;
    }
    if (wlm_instances_kind(sim, handle) == WARPLU_HANDLE_KIND_DEFINITION) {
        name_definition(sim, handle, name, bytes);
        return;
    }
    wlm_memory memory = memory_of(sim, handle, &number);
    wlm_layout_name(wlm_instances_layout(sim), memory, number, name, bytes);
}

wlm_place wlm_instances_place(const warplu_sim *sim, int64_t handle)
{
    return wlm_layout_block(wlm_instances_layout(sim), WLM_MEMORY_UNKNOWNS, (int32_t)handle)->place;
}

/* ------------------------------------------------------------------- values */

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
    place(sim, handle, d);
    const wlm_kind *kind = kind_of(sim, d);
    warplu_status status = wlm_formula_create(&sim->ctx, "definition", kind->graph, &kind->local[d->local].node, 1,
                                              kind->leaves, &d->formula);
    if (status < 0) d->handle = -1;
    return status;
}

/* Reads the number of a leaf of an instance, of a member. */
static warplu_status read_leaf(warplu_sim *sim, int64_t member, const wlm_asked_definition *d, const wlm_leaf *leaf,
                               double *out)
{
    const wlm_instances_member *one = &((const wlm_instances *)sim->own)->member[member];
    const wlm_layout *layout = wlm_transient_layout(one->transient);
    const wlm_use *use = &one->model->use[d->use];
    const wlm_kind *kind = kind_of(sim, d);
    int32_t i = leaf->index, at = d->instance;
    const wlm_block *block = NULL;
    switch (leaf->type) {
    case WLM_LEAF_TIME: *out = wlm_transient_clock(one->transient); return WARPLU_SUCCESS;
    case WLM_LEAF_STEP: *out = wlm_transient_length(one->transient); return WARPLU_SUCCESS;
    case WLM_LEAF_PARAMETER:
        *out = use->parameter[i] != NULL ? use->parameter[i][at] : use->uniform[i];
        return WARPLU_SUCCESS;
    case WLM_LEAF_STATE: block = wlm_layout_variable(layout, d->use, i); break;
    case WLM_LEAF_UNKNOWN: block = wlm_layout_variable(layout, d->use, kind->states + i); break;
    case WLM_LEAF_PORT:
        block = wlm_layout_port(layout, d->use, i);
        at = use->node[kind->port_quantity[i].port][at];
        break;
    }
    return wlm_transient_read(one->transient, block->memory, block->first + at, 1, out);
}

static warplu_status compute(warplu_sim *sim, int64_t member, const wlm_asked_definition *d, double *out)
{
    const wlm_kind *kind = kind_of(sim, d);
    for (int32_t i = 0; i < kind->leaves; i++) {
        warplu_status status = read_leaf(sim, member, d, &kind->leaf[i], wlm_formula_input(&d->formula, i));
        if (status < 0) return status;
    }
    wlm_formula_run(&d->formula);
    *out = wlm_formula_output(&d->formula, 0);
    return WARPLU_SUCCESS;
}

/* Reads a member's value of a handle; `definition` is used where the handle is one's. */
static warplu_status value_of(warplu_sim *sim, int64_t member, int64_t handle, const wlm_asked_definition *definition,
                              double *out)
{
    int32_t number;
    const int64_t parameter = wlm_instances_parameter(sim, handle);
    if (parameter >= 0) {
        *out = sim->parameter[member * sim->varying_count + parameter];
        return WARPLU_SUCCESS;
    }
    if (wlm_instances_kind(sim, handle) == WARPLU_HANDLE_KIND_DEFINITION) return compute(sim, member, definition, out);
    wlm_memory memory = memory_of(sim, handle, &number);
    return wlm_transient_read(wlm_instances_transient(sim, member), memory, number, 1, out);
}

warplu_status wlm_instances_get(warplu_sim *sim, int64_t handle, int64_t first, int64_t count, double *out)
{
    wlm_asked_definition *last = &((wlm_instances *)sim->own)->last;
    warplu_status status = WARPLU_SUCCESS;
    if (wlm_instances_kind(sim, handle) == WARPLU_HANDLE_KIND_DEFINITION && last->handle != handle)
        status = create(sim, handle, last);
    for (int64_t m = first; m < first + count && status >= 0; m++)
        status = value_of(sim, m, handle, last, &out[m - first]);
    return status;
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

warplu_status wlm_instances_compute(warplu_sim *sim, int64_t member)
{
    const wlm_instances *l = sim->own;
    const wlm_watched *w = &sim->watched;
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t i = 0; i < w->count && status >= 0; i++)
        status = value_of(sim, member, w->handle[i], &l->watched[i], &w->values[i]);
    return status;
}
