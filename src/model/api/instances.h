/* The engine whose lanes are instances: one member, a program of each kind (model/system). Handles are unknowns, then
 * sums that are no unknowns, fixed quantities, and the definitions of all instances. */
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

typedef struct wlm_instances {
    wlm_transient *transient;
    const wlm_layout *layout;
    wlm_asked_definition last;     /* the one that was read last */
    wlm_asked_definition *watched; /* one for each watched handle; empty where it is no definition's */
    int32_t watched_count;
} wlm_instances;

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
/* Computes the watched handles at the simulation's present time, into watched.values. */
warplu_status wlm_instances_compute(warplu_sim *sim);

#endif
