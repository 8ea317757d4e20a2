/* What steps a simulation: a table of functions, one for lanes that are members (members.h), one for lanes that are
 * instances (instances.h). The calls check arguments, find words for what is wrong, and tell of rows, alike for both;
 * then they call these, so that handles are those of the simulation and counts are above 0. */
#ifndef WLU_MODEL_API_ENGINE_H
#define WLU_MODEL_API_ENGINE_H

#include <stdio.h>

#include "model/api/parts.h"
#include "model/api/rows.h"
#include "model/api/suggest.h"
#include "model/method/methods.h"

struct wlm_system;

typedef struct wlm_engine_calls {
    int lanes_are_members;
    const char *handles; /* what handles may be of, in words */

    /* Fills sim->own and sim->n, and sim->options.method where the method is NONE, its own choice. Statuses of
     * warplu_sim_create. What fails half made is left for destroy, which takes NULL too. */
    warplu_status (*make)(warplu_sim *sim, wlm_method method);
    void (*destroy)(warplu_sim *sim);

    int64_t (*handles_count)(const warplu_sim *sim);
    warplu_handle_kind (*kind)(const warplu_sim *sim, int64_t handle);
    /* The handle of a name; -1 where there is none, with the likest name. */
    int64_t (*find)(const warplu_sim *sim, const char *name, wlm_suggestion *suggestion);
    void (*name)(const warplu_sim *sim, int64_t handle, char *name, size_t bytes);
    int32_t (*line)(const warplu_sim *sim, int64_t handle); /* of an unknown; 0: not known */

    warplu_status (*get)(warplu_sim *sim, int64_t handle, int64_t first, int64_t count, double *out);
    /* Of unknowns and parameters. */
    warplu_status (*set)(warplu_sim *sim, int64_t handle, int64_t first, int64_t count, const double *in);
    /* Makes ready to compute what sim->watched has; forgets what the last call made. */
    warplu_status (*watch)(warplu_sim *sim);
    void (*forget)(warplu_sim *sim);

    /* Steps to t and tells of outputs; records what becomes of members, and sim->time. Statuses of warplu_sim_run. */
    warplu_status (*run)(warplu_sim *sim, double t, const wlm_outputs *outputs);
    /* Operations, steps, what was rejected, iterations. */
    void (*count)(const warplu_sim *sim, warplu_sim_statistics *out);

    struct wlm_system *(*system)(warplu_sim *sim);         /* what stamps; NULL, or an answer of NULL: there is none */
    void (*disassemble)(const warplu_sim *sim, FILE *out); /* NULL: there is no program of a step */
} wlm_engine_calls;

extern const wlm_engine_calls wlm_members_engine, wlm_instances_engine;

static inline int wlm_is_handle(const warplu_sim *sim, int64_t handle)
{
    return handle >= 0 && handle < sim->engine->handles_count(sim);
}

/* Whether there are so many members from `first` on. */
static inline int wlm_are_members(const warplu_sim *sim, int64_t first, int64_t count)
{
    return first >= 0 && count >= 0 && first <= sim->members - count;
}

/* The engine that the options ask for, else the one that suits the model. *method: the one that is meant; NONE: the
 * engine's choice. */
const wlm_engine_calls *wlm_engine_for(const warplu_sim *sim, wlm_method *method);

#endif
