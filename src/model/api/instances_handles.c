/* Handles of instances: finds the quantity or definition that a number means, and its name. */
#include <stdlib.h>
#include <string.h>

#include "model/api/instances.h"

static const wlm_layout *layout_of(const warplu_sim *sim)
{
    return ((const wlm_instances *)sim->own)->layout;
}

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

int64_t wlm_instances_handles(const warplu_sim *sim)
{
    int64_t count = first_of(layout_of(sim), WARPLU_HANDLE_KIND_DEFINITION);
    for (int32_t u = 0; u < sim->changed.uses; u++) count += definitions_of(&sim->changed, u);
    return count;
}

warplu_handle_kind wlm_instances_kind(const warplu_sim *sim, int64_t handle)
{
    warplu_handle_kind kind = WARPLU_HANDLE_KIND_DEFINITION;
    while (handle < first_of(layout_of(sim), kind)) kind--;
    return kind;
}

/* Returns the handle of "kind.local" or "kind[i].local"; i counts instances over all uses of the kind; -1: none. */
static int64_t find_definition(const warplu_sim *sim, const char *name)
{
    const wlm_model *m = &sim->changed;
    const char *dot = strrchr(name, '.'), *bracket = strchr(name, '[');
    if (dot == NULL) return -1;
    size_t length = bracket != NULL ? (size_t)(bracket - name) : (size_t)(dot - name);
    char *end = NULL;
    int64_t wanted = bracket != NULL ? strtoll(bracket + 1, &end, 10) : 0,
            handle = first_of(layout_of(sim), WARPLU_HANDLE_KIND_DEFINITION);
    if (bracket != NULL && (end == bracket + 1 || end[0] != ']' || end + 1 != dot)) return -1;
    for (int32_t u = 0; u < m->uses; handle += definitions_of(m, u), u++) {
        const wlm_kind *kind = &m->kind[m->use[u].kind];
        if (strlen(kind->name) != length || strncmp(kind->name, name, length) != 0) continue;
        int32_t count = m->use[u].count;
        if (wanted >= 0 && wanted < count)
            for (int32_t k = 0; k < kind->locals; k++)
                if (strcmp(kind->local[k].name, dot + 1) == 0) return handle + (int64_t)k * count + wanted;
        wanted -= count;
    }
    return -1;
}

int64_t wlm_instances_find(const warplu_sim *sim, const char *name, wlm_suggestion *suggestion)
{
    static const warplu_handle_kind kind[] = {[WLM_MEMORY_UNKNOWNS] = WARPLU_HANDLE_KIND_UNKNOWN,
                                              [WLM_MEMORY_SUMS] = WARPLU_HANDLE_KIND_SUM,
                                              [WLM_MEMORY_FIXED] = WARPLU_HANDLE_KIND_FIXED};
    wlm_memory memory = WLM_MEMORY_UNKNOWNS;
    int32_t number = wlm_layout_find(layout_of(sim), name, &memory);
    int64_t handle = number >= 0 ? first_of(layout_of(sim), kind[memory]) + number : find_definition(sim, name);
    if (handle < 0) wlm_suggest(suggestion, &sim->changed, name);
    return handle;
}

wlm_memory wlm_instances_memory(const warplu_sim *sim, int64_t handle, int32_t *number)
{
    warplu_handle_kind kind = wlm_instances_kind(sim, handle);
    *number = (int32_t)(handle - first_of(layout_of(sim), kind));
    return kind == WARPLU_HANDLE_KIND_UNKNOWN ? WLM_MEMORY_UNKNOWNS
           : kind == WARPLU_HANDLE_KIND_SUM   ? WLM_MEMORY_SUMS
                                              : WLM_MEMORY_FIXED;
}

void wlm_asked_place(const warplu_sim *sim, int64_t handle, wlm_asked_definition *definition)
{
    const wlm_model *m = &sim->changed;
    int64_t rest = handle - first_of(layout_of(sim), WARPLU_HANDLE_KIND_DEFINITION);
    int32_t u = 0;
    for (; rest >= definitions_of(m, u); u++) rest -= definitions_of(m, u);
    definition->handle = handle;
    definition->use = u;
    definition->local = (int32_t)(rest / m->use[u].count);
    definition->instance = (int32_t)(rest % m->use[u].count);
}

/* Writes "set[i].quantity", the name of a sum or a fixed quantity. */
static void name_quantity(const warplu_sim *sim, wlm_memory memory, int32_t number, char *name, size_t bytes)
{
    const wlm_model *m = &sim->changed;
    for (int32_t s = 0; s < m->sets; s++)
        for (int32_t q = 0; q < m->set[s].quantities; q++) {
            const wlm_block *block = wlm_layout_quantity(layout_of(sim), s, q);
            if (block->memory != memory || number < block->first || number >= (int64_t)block->first + block->count)
                continue;
            wlm_layout_write_name(name, bytes, m->set[s].name, m->set[s].count, number - block->first,
                                  m->set[s].quantity[q].name);
        }
}

static void name_definition(const warplu_sim *sim, int64_t handle, char *name, size_t bytes)
{
    wlm_asked_definition d;
    wlm_asked_place(sim, handle, &d);
    const wlm_kind *kind = &sim->changed.kind[sim->changed.use[d.use].kind];
    int64_t all, before = wlm_layout_instances_before(&sim->changed, d.use, &all);
    wlm_layout_write_name(name, bytes, kind->name, all, before + d.instance, kind->local[d.local].name);
}

void wlm_instances_name(const warplu_sim *sim, int64_t handle, char *name, size_t bytes)
{
    int32_t number;
    name[0] = '\0';
    if (wlm_instances_kind(sim, handle) == WARPLU_HANDLE_KIND_DEFINITION) {
        name_definition(sim, handle, name, bytes);
        return;
    }
    wlm_memory memory = wlm_instances_memory(sim, handle, &number);
    if (memory == WLM_MEMORY_UNKNOWNS)
        wlm_layout_name(layout_of(sim), number, name, bytes);
    else
        name_quantity(sim, memory, number, name, bytes);
}

int32_t wlm_instances_line(const warplu_sim *sim, int64_t handle)
{
    wlm_place use;
    return wlm_layout_place(layout_of(sim), (int32_t)handle, &use).line;
}
