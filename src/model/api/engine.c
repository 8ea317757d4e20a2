/* Chooses the engine of a simulation, by its options, its members and the sizes of its uses. See engine.h. */
#include "model/api/engine.h"

#include <math.h>

/* With fewer instances most of 64 lanes would be empty. With so many unknowns one member's implicit steps are cheaper
 * by the solver's sparse factorization than by a program that has it written out: of 13 fitting problems and models of
 * BioModels with 32 to 464 unknowns compiling takes 0.1 to 0.2 of the time, and steps 0.4 to 0.8; of two with 34 and 36
 * these take 1.5 to 2 times as long. */
enum { INSTANCES_ENOUGH = 16, UNKNOWNS_ENOUGH = 32 };

static int32_t most_instances(const wlm_model *m)
{
    int32_t most = 0;
    for (int32_t u = 0; u < m->uses; u++) most = m->use[u].count > most ? m->use[u].count : most;
    return most;
}

/* Returns how many unknowns steps change: queues of events and discrete variables rest. */
static int64_t moving_unknowns(const wlm_model *m)
{
    int64_t moving = wlm_model_count(m).unknowns;
    for (int32_t u = 0; u < m->uses; u++) {
        const wlm_kind *kind = &m->kind[m->use[u].kind];
        for (int32_t i = 0; i < kind->states; i++)
            if (wlm_node_is(kind->graph, kind->state[i].rate, 0.0)) moving -= m->use[u].count;
    }
    return moving;
}

/* Returns 1 where lanes may be instances; on a device explicit methods alone step them. */
static int instances_may(const warplu_sim *sim, wlm_method method)
{
    int on_device = sim->options.executor == WARPLU_EXECUTOR_CUDA;
    if (method == WLM_METHOD_NONE) return !on_device;
    return wlm_method_supports(method, WLM_LARGE, wlm_fixed_step(sim)) &&
           !(on_device && wlm_method_solves(wlm_method_of(method)));
}

int wlm_engine_has_other(const warplu_sim *sim, wlm_method method)
{
    return sim->engine == &wlm_members_engine && sim->options.lanes == WARPLU_LANES_AUTO && instances_may(sim, method);
}

/* Chooses where options do not: lanes are instances where members cannot be, or where one member has many instances, or
 * many unknowns and a method that solves. Without an unknown there is nothing to solve for, and lanes are members. */
static int instances_suit(const warplu_sim *sim, wlm_method method)
{
    const int solves = method == WLM_METHOD_NONE || wlm_method_solves(wlm_method_of(method));
    if (method != WLM_METHOD_NONE && !wlm_method_supports(method, WLM_SMALL, INFINITY)) return 1;
    if (sim->members > 1 || sim->varying_count > 0 || !instances_may(sim, method)) return 0;
    if (wlm_model_count(&sim->changed).unknowns == 0) return 0;
    return most_instances(&sim->changed) >= INSTANCES_ENOUGH ||
           (solves && moving_unknowns(&sim->changed) >= UNKNOWNS_ENOUGH);
}

const wlm_engine_calls *wlm_engine_for(const warplu_sim *sim, wlm_method *method)
{
    const warplu_sim_options *o = &sim->options;
    *method = o->method != WARPLU_METHOD_AUTO ? (wlm_method)o->method : sim->changed.run.method;
    int instances = o->lanes == WARPLU_LANES_AUTO ? instances_suit(sim, *method) : o->lanes == WARPLU_LANES_INSTANCES;
    return instances ? &wlm_instances_engine : &wlm_members_engine;
}
