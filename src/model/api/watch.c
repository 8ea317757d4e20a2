/* Stores the handles that runs hand out as rows, has the engine prepare to compute them, and frees them. */
#include "model/api/watch.h"

#include <math.h>
#include <string.h>

#include "model/api/engine.h"

void wlm_watched_free(warplu_sim *sim)
{
    wlm_watched *w = &sim->watched;
    if (sim->own != NULL) sim->engine->forget(sim);
    wlu_free(&sim->ctx, w->handle);
    wlu_free(&sim->ctx, w->values);
    *w = (wlm_watched){0};
}

warplu_status warplu_sim_watch(warplu_sim *sim, const int64_t *of, int32_t count, double every, warplu_row_fn fn,
                               void *user)
{
    if (sim == NULL) return WARPLU_INVALID_ARGUMENT;
    wlm_watched_free(sim);
    if (fn == NULL) return WARPLU_SUCCESS;
    if (of == NULL || count < 0 || !(every > 0.0) || !isfinite(every))
        return wlu_fail(&sim->ctx, WARPLU_INVALID_ARGUMENT, "watching: expected handles, and an interval above 0");
    for (int32_t i = 0; i < count; i++)
        if (!wlm_is_handle(sim, of[i]))
            return wlu_fail(&sim->ctx, WARPLU_INVALID_ARGUMENT, "watching: %lld is no handle", (long long)of[i]);
    wlm_watched *w = &sim->watched;
    *w = (wlm_watched){.count = count, .every = every, .user = user, .fn = fn};
    w->handle = WLU_ALLOC(&sim->ctx, count, int64_t);
    w->values = WLU_ALLOC(&sim->ctx, count, double);
    warplu_status status =
        w->handle == NULL || w->values == NULL ? wlu_fail_memory(&sim->ctx, "watched values") : WARPLU_SUCCESS;
    if (status == WARPLU_SUCCESS) {
        memcpy(w->handle, of, (size_t)count * sizeof *of);
        status = sim->engine->watch(sim);
    }
    if (status < 0) wlm_watched_free(sim);
    return status;
}
