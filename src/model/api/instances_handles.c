/* Handles of instances: finds the quantity or definition that a number means, and its name. */
#include <string.h>

#include "model/api/instances.h"
#include "model/text/names.h"

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
    const char *local;
    int32_t length;
    int64_t wanted, handle = first_of(layout_of(sim), WARPLU_HANDLE_KIND_DEFINITION);
    if (!wlm_names_split(name, &length, &wanted, &local)) return -1;
    for (int32_t u = 0; u < m->uses; handle += definitions_of(m, u), u++) {
        const wlm_kind *kind = &m->kind[m->use[u].kind];
        if (!wlm_word_is((wlm_word){name, length}, kind->name)) continue;
        int32_t count = m->use[u].count;
        if (wanted >= 0 && wanted < count)
            for (int32_t k = 0; k < kind->locals; k++)
                if (strcmp(kind->local[k].name, local) == 0) return handle + (int64_t)k * count + wanted;
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

static void name_definition(const warplu_sim *sim, int64_t handle, char *name, size_t bytes)
{
    wlm_asked_definition d;
    wlm_asked_place(sim, handle, &d);
    const wlm_kind *kind = &sim->changed.kind[sim->changed.use[d.use].kind];
    int64_t all, before = wlm_layout_instances_before(&sim->changed, d.use, &all);
    wlm_names_write(name, bytes, kind->name, all, before + d.instance, kind->local[d.local].name);
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
    wlm_layout_name(layout_of(sim), memory, number, name, bytes);
}

int32_t wlm_instances_line(const warplu_sim *sim, int64_t handle)
{
    return wlm_layout_block(layout_of(sim), WLM_MEMORY_UNKNOWNS, (int32_t)handle)->place.line;
}
