/* Matrices and values of large systems, for loops of a caller's own. */
#include "base/environment.h"
#include "model/api/large.h"
#include "model/system/system.h"

warplu_status warplu_sim_get_pattern(warplu_sim *sim, int32_t *n, const int32_t **ptr, const int32_t **idx)
{
    struct wlm_system *system;
    if (sim == NULL || n == NULL || ptr == NULL || idx == NULL) return WARPLU_INVALID_ARGUMENT;
    warplu_status status = wlm_large_system(sim, &system);
    if (status < 0) return status;
    *n = system->pattern.n;
    *ptr = system->pattern.ptr;
    *idx = system->pattern.idx;
    return WARPLU_SUCCESS;
}

warplu_status warplu_sim_evaluate(warplu_sim *sim, double t, const double *y, double alpha, double beta, double *values,
                                  double *q, double *f)
{
    struct wlm_system *system;
    wlu_environment environment;
    if (sim == NULL || y == NULL) return WARPLU_INVALID_ARGUMENT;
    warplu_status status = wlm_large_system(sim, &system);
    if (status < 0) return status;
    double *room = f == NULL && values != NULL ? WLU_ALLOC(&sim->ctx, system->pattern.n, double) : NULL;
    if (f == NULL && values != NULL && room == NULL) return wlu_fail_memory(&sim->ctx, "evaluation");
    wlu_environment_enter(&environment);
    if (values != NULL)
        wlm_system_stamp(system, t, y, alpha, beta, f != NULL ? f : room, q, values); /* which needs room for f */
    else
        wlm_system_evaluate(system, t, y, f, q);
    wlu_environment_leave(&environment);
    wlu_free(&sim->ctx, room);
    return WARPLU_SUCCESS;
}
