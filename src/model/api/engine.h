/* An engine steps a simulation. It is a table of functions: one engine has lanes that are members (members.h), the
 * other lanes that are instances (instances.h). The public calls check arguments, write messages and hand out rows
 * for both; when they call these functions, handles are the simulation's and counts are above 0. */
#ifndef WLU_MODEL_API_ENGINE_H
#define WLU_MODEL_API_ENGINE_H

#include <stdio.h>

#include "model/api/parts.h"
#include "model/api/rows.h"
#include "model/method/methods.h"
#include "model/text/reading.h"

struct wlm_system;

/* The nearest name to one that is none. */
typedef struct wlm_suggestion {
    char bare[64]; /* the name without its number */
    wlm_nearest nearest;
} wlm_suggestion;

typedef struct wlm_engine_calls {
    int lanes_are_members;

    /* Fills sim->own and sim->n, and sim->options.method where the method is NONE and the engine chooses. Statuses of
     * warplu_sim_create. After a failure destroy frees what was made; it takes NULL too. */
    warplu_status (*make)(warplu_sim *sim, wlm_method method);
    void (*destroy)(warplu_sim *sim);

    int64_t (*handles_count)(const warplu_sim *sim);
    warplu_handle_kind (*kind)(const warplu_sim *sim, int64_t handle);
    /* Returns the handle of a name; -1 where there is none, and the suggestion has the nearest name. */
    int64_t (*find)(const warplu_sim *sim, const char *name, wlm_suggestion *suggestion);
    void (*name)(const warplu_sim *sim, int64_t handle, char *name, size_t bytes);
    wlm_place (*place)(const warplu_sim *sim, int64_t handle); /* of an unknown's equation; line 0: not known */

    warplu_status (*get)(warplu_sim *sim, int64_t handle, int64_t first, int64_t count, double *out);
    /* Sets values of unknowns and parameters. */
    warplu_status (*set)(warplu_sim *sim, int64_t handle, int64_t first, int64_t count, const double *in);
    /* Prepares to compute the handles of sim->watched, and frees what the last call prepared. */
    warplu_status (*watch)(warplu_sim *sim);
    void (*forget)(warplu_sim *sim);

    /* Steps to t and hands out rows; records outcomes of members, and sim->time. Statuses of warplu_sim_run. */
    warplu_status (*run)(warplu_sim *sim, double t, const wlm_outputs *outputs);
    /* Fills counts of operations, steps, rejected steps and iterations. */
    void (*count)(const warplu_sim *sim, warplu_sim_statistics *out);

    struct wlm_system *(*system)(warplu_sim *sim);         /* which is stamped; NULL, or an answer of NULL: none */
    void (*disassemble)(const warplu_sim *sim, FILE *out); /* NULL: it has no program of a step */
} wlm_engine_calls;

extern const wlm_engine_calls wlm_members_engine, wlm_instances_engine;

/* Returns the length of fixed steps, as methods are asked for it: infinite where limits say it; 0 where errors do. */
static inline double wlm_fixed_step(const warplu_sim *sim)
{
    return sim->options.cfl > 0.0 ? (double)INFINITY : sim->options.dt;
}

static inline int wlm_is_handle(const warplu_sim *sim, int64_t handle)
{
    return handle >= 0 && handle < sim->engine->handles_count(sim) + sim->totals;
}

/* Returns 1 where there are so many members from `first` on. */
static inline int wlm_are_members(const warplu_sim *sim, int64_t first, int64_t count)
{
    return first >= 0 && count >= 0 && first <= sim->members - count;
}

/* Returns the engine that the options ask for, else the one that suits the model. *method is the method that is meant;
 * NONE: the engine chooses. */
const wlm_engine_calls *wlm_engine_for(const warplu_sim *sim, wlm_method *method);
/* Returns 1 where lanes are members and might be instances as well, by options and method. */
int wlm_engine_has_other(const warplu_sim *sim, wlm_method method);

#endif
