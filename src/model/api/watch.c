/* Stores the handles that runs hand out as rows, has the engine prepare to compute them, and frees them. */
#include "model/api/watch.h"

#include <math.h>

#include "model/api/totals.h"

void wlm_watched_free(warplu_sim *sim)
{
    wlm_watched *w = &sim->watched;
    if (sim->own != NULL) sim->engine->forget(sim);
    wlu_free(&sim->ctx, w->handle);
    wlu_free(&sim->ctx, w->values);
    wlu_free(&sim->ctx, w->parts);
    wlu_free(&sim->ctx, w->row);
    *w = (wlm_watched){0};
}

/* Lists what the engine computes: what is watched, with the parts of sums in their places. */
static warplu_status list_handles(warplu_sim *sim, const int64_t *of)
{
    wlm_watched *w = &sim->watched;
    int64_t count = 0;
    w->parts = WLU_CALLOC(&sim->ctx, w->columns, int32_t);
    w->row = WLU_ALLOC(&sim->ctx, w->columns, double);
    if (w->parts == NULL || w->row == NULL) return wlu_fail_memory(&sim->ctx, "watched values");
    for (int32_t i = 0; i < w->columns; i++) {
        const wlm_total *total = wlm_total_of(sim, of[i]);
        if (total != NULL) w->parts[i] = (int32_t)total->count;
        count += total != NULL ? total->count : 1;
    }
    if (count > INT32_MAX) return wlu_fail(&sim->ctx, WARPLU_OVERFLOW, "more than 2^31 - 1 watched values");
    w->handle = WLU_ALLOC(&sim->ctx, count, int64_t);
    w->values = WLU_ALLOC(&sim->ctx, count, double);
    if (w->handle == NULL || w->values == NULL) return wlu_fail_memory(&sim->ctx, "watched values");
    for (int32_t i = 0; i < w->columns; i++) {
        const wlm_total *total = wlm_total_of(sim, of[i]);
        for (int64_t k = 0; total != NULL && k < total->count; k++) w->handle[w->count++] = total->handle[k];
        if (total == NULL) w->handle[w->count++] = of[i];
    }
    return WARPLU_SUCCESS;
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
    sim->watched = (wlm_watched){.columns = count, .every = every, .user = user, .fn = fn};
    warplu_status status = list_handles(sim, of);
    if (status == WARPLU_SUCCESS) status = sim->engine->watch(sim);
    if (status < 0) wlm_watched_free(sim);
    return status;
}
