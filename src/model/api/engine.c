/* Chooses the engine of a simulation, by its options, its members and the sizes of its uses. See engine.h. */
#include "model/api/engine.h"

#include <math.h>

/* With fewer instances most of 64 lanes would be empty. */
enum { INSTANCES_ENOUGH = 16 };

static int32_t most_instances(const wlm_model *m)
{
    int32_t most = 0;
    for (int32_t u = 0; u < m->uses; u++) most = m->use[u].count > most ? m->use[u].count : most;
    return most;
}

/* Chooses where options do not: lanes are instances where members cannot be, or where one member has many instances.
 * Without an unknown there is nothing to solve for, and lanes are members. */
static int instances_suit(const warplu_sim *sim, wlm_method method)
{
    if (method != WLM_METHOD_NONE && !wlm_method_supports(method, WLM_SMALL, INFINITY)) return 1;
    return sim->members == 1 && sim->varying_count == 0 && sim->options.executor != WARPLU_EXECUTOR_CUDA &&
           (method == WLM_METHOD_NONE || wlm_method_supports(method, WLM_LARGE, sim->options.dt)) &&
           most_instances(&sim->changed) >= INSTANCES_ENOUGH && wlm_model_count(&sim->changed).unknowns > 0;
}

const wlm_engine_calls *wlm_engine_for(const warplu_sim *sim, wlm_method *method)
{
    const warplu_sim_options *o = &sim->options;
    *method = o->method != WARPLU_METHOD_AUTO ? (wlm_method)o->method : sim->changed.run.method;
    int instances = o->lanes == WARPLU_LANES_AUTO ? instances_suit(sim, *method) : o->lanes == WARPLU_LANES_INSTANCES;
    return instances ? &wlm_instances_engine : &wlm_members_engine;
}
