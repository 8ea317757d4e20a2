/* The engine whose lanes are instances: a program of each kind (model/system). Several members are as many systems,
 * made and run one after the other. Handles are unknowns, then sums that are no unknowns, fixed quantities, the
 * definitions of all instances, and varying parameters. Cost: that of one member, times their number. */
#ifndef WLU_MODEL_API_INSTANCES_H
#define WLU_MODEL_API_INSTANCES_H

#include "model/api/engine.h"
#include "model/exec/formula.h"
#include "model/system/transient.h"

/* A definition of one instance, compiled and ready to be computed. */
typedef struct wlm_asked_definition {
    int64_t handle; /* -1: none yet */
    int32_t use, local, instance;
    wlm_formula formula;
} wlm_asked_definition;

/* A member in time. */
typedef struct wlm_instances_member {
    wlm_arena kept;
    wlm_model *model; /* with the member's parameters, in `kept` */
    wlm_transient *transient;
    unsigned char *given; /* n: 1 of initial values that were set before the first run; NULL: none */
} wlm_instances_member;

typedef struct wlm_instances {
    wlm_transient_options options;
    wlm_instances_member *member;  /* one for each; their layouts are alike */
    int begun;                     /* a run has begun */
    wlm_asked_definition last;     /* the one that was read last */
    wlm_asked_definition *watched; /* one for each watched handle; empty where it is no definition's */
    int32_t watched_count;
} wlm_instances;

/* Returns where a member is in time. */
static inline wlm_transient *wlm_instances_transient(const warplu_sim *sim, int64_t member)
{
    return ((const wlm_instances *)sim->own)->member[member].transient;
}

static inline const wlm_layout *wlm_instances_layout(const warplu_sim *sim)
{
    return wlm_transient_layout(wlm_instances_transient(sim, 0));
}

/* Returns the number of a varying parameter; below 0 of other handles. */
int64_t wlm_instances_parameter(const warplu_sim *sim, int64_t handle);

/* Functions of the engine's table (engine.h). */
int64_t wlm_instances_handles(const warplu_sim *sim);
warplu_handle_kind wlm_instances_kind(const warplu_sim *sim, int64_t handle);
int64_t wlm_instances_find(const warplu_sim *sim, const char *name, wlm_suggestion *suggestion);
void wlm_instances_name(const warplu_sim *sim, int64_t handle, char *name, size_t bytes);
wlm_place wlm_instances_place(const warplu_sim *sim, int64_t handle);
warplu_status wlm_instances_get(warplu_sim *sim, int64_t handle, int64_t first, int64_t count, double *out);
warplu_status wlm_instances_watch(warplu_sim *sim);
void wlm_instances_forget(warplu_sim *sim);

/* Frees its formula, if it has one. */
void wlm_asked_free(warplu_sim *sim, wlm_asked_definition *definition);
warplu_status wlm_instances_run(warplu_sim *sim, double t, const wlm_outputs *outputs);

/* Computes a member's watched handles at its present time, into watched.values. */
warplu_status wlm_instances_compute(warplu_sim *sim, int64_t member);

#endif
