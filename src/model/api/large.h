/* Simulations whose lanes are instances: one member, by the engine of src/model/system. Handles are unknowns, then sums
 * that are no unknowns, fixed quantities, and the definitions of all instances. */
#ifndef WLU_MODEL_API_LARGE_H
#define WLU_MODEL_API_LARGE_H

#include "model/api/parts.h"

typedef struct wlm_large wlm_large;

/* 1 where the options ask for it, or leave the choice and there is one member, many instances, and a method that this
 * engine has. *method: the one that is meant. */
int wlm_large_suits(const warplu_sim *sim, wlm_method *method);
/* Fills sim->large and sim->n. Statuses of wlm_transient_create. */
warplu_status wlm_large_create(warplu_sim *sim, wlm_method method);
void wlm_large_destroy(warplu_sim *sim);

int64_t wlm_large_handles(const warplu_sim *sim);
warplu_status wlm_large_find(warplu_sim *sim, const char *name, int64_t *handle);
warplu_status wlm_large_name(const warplu_sim *sim, int64_t handle, char *name, int64_t bytes, int32_t *line);
warplu_status wlm_large_get(warplu_sim *sim, int64_t handle, double *out);
/* Sets an unknown; other handles are WARPLU_INVALID_ARGUMENT. */
warplu_status wlm_large_set(warplu_sim *sim, int64_t handle, double value);
/* Steps to t, and tells of what is watched. */
warplu_status wlm_large_run(warplu_sim *sim, double t);
/* The system for stamps; WARPLU_WRONG_PHASE where lanes are members or the method is explicit. */
struct wlm_system;
warplu_status wlm_large_system(warplu_sim *sim, struct wlm_system **out);
void wlm_large_statistics(const warplu_sim *sim, warplu_sim_statistics *out);

#endif
