/* Finds, names, reads and sets values by handles of a simulation. */
#include <math.h>

#include "base/environment.h"
#include "model/api/totals.h"

enum { NAME_BYTES = 200 };

warplu_status warplu_sim_find(warplu_sim *sim, const char *name, int64_t *handle)
{
    wlm_suggestion suggestion;
    if (sim == NULL || name == NULL || handle == NULL) return WARPLU_INVALID_ARGUMENT;
    *handle = -1;
    if (wlm_names_total(name)) return wlm_total_find(sim, name, handle);
    *handle = sim->engine->find(sim, name, &suggestion);
    if (*handle >= 0) return WARPLU_SUCCESS;
    return wlu_fail(&sim->ctx, WARPLU_INVALID_ARGUMENT,
                    "'%s' is no unknown, sum, fixed quantity, definition or varying parameter: expected "
                    "SET[I].QUANTITY or KIND[I].NAME%s",
                    name, wlm_nearest_text(&suggestion.nearest));
}

warplu_status warplu_sim_get_name(warplu_sim *sim, int64_t handle, char *name, int64_t bytes, int32_t *line)
{
    if (sim == NULL || !wlm_is_handle(sim, handle) || (name != NULL && bytes < 1)) return WARPLU_INVALID_ARGUMENT;
    const wlm_total *total = wlm_total_of(sim, handle);
    if (name != NULL && total != NULL)
        snprintf(name, (size_t)bytes, "%s", total->name);
    else if (name != NULL)
        sim->engine->name(sim, handle, name, (size_t)bytes);
    wlm_place place = handle < sim->n ? sim->engine->place(sim, handle) : (wlm_place){.line = 0};
    if (line != NULL) *line = place.file == NULL ? place.line : 0;
    return WARPLU_SUCCESS;
}

warplu_status warplu_sim_get_kind(warplu_sim *sim, int64_t handle, warplu_handle_kind *kind)
{
    if (sim == NULL || !wlm_is_handle(sim, handle) || kind == NULL) return WARPLU_INVALID_ARGUMENT;
    *kind = wlm_total_of(sim, handle) != NULL ? WARPLU_HANDLE_KIND_DEFINITION : sim->engine->kind(sim, handle);
    return WARPLU_SUCCESS;
}

warplu_status warplu_sim_get(warplu_sim *sim, int64_t handle, int64_t first, int64_t count, double *out)
{
    wlu_environment environment;
    if (sim == NULL || out == NULL || !wlm_is_handle(sim, handle) || !wlm_are_members(sim, first, count))
        return WARPLU_INVALID_ARGUMENT;
    if (count == 0) return WARPLU_SUCCESS;
    wlu_environment_enter(&environment);
    const wlm_total *total = wlm_total_of(sim, handle);
    warplu_status status =
        total != NULL ? wlm_total_get(sim, total, first, count, out) : sim->engine->get(sim, handle, first, count, out);
    wlu_environment_leave(&environment);
    return status;
}

static warplu_status check_finite(warplu_sim *sim, int64_t first, int64_t count, const double *in)
{
    for (int64_t k = 0; k < count; k++)
        if (!isfinite(in[k]))
            return wlu_fail(&sim->ctx, WARPLU_NOT_FINITE, "a value of member %lld is set to %g", (long long)(first + k),
                            in[k]);
    return WARPLU_SUCCESS;
}

/* Refuses to set values that are computed. */
static warplu_status check_kind(warplu_sim *sim, int64_t handle)
{
    static const char *const computed[] = {[WARPLU_HANDLE_KIND_SUM] = "sum",
                                           [WARPLU_HANDLE_KIND_FIXED] = "fixed quantity",
                                           [WARPLU_HANDLE_KIND_DEFINITION] = "definition",
                                           [WARPLU_HANDLE_KIND_PARAMETER] = NULL};
    const wlm_total *total = wlm_total_of(sim, handle);
    const char *what = total != NULL ? "sum over a range" : computed[sim->engine->kind(sim, handle)];
    char name[NAME_BYTES];
    if (what == NULL) return WARPLU_SUCCESS;
    warplu_sim_get_name(sim, handle, name, sizeof name, NULL);
    return wlu_fail(&sim->ctx, WARPLU_INVALID_ARGUMENT, "'%s' is a %s: it cannot be set", name, what);
}

warplu_status warplu_sim_set(warplu_sim *sim, int64_t handle, int64_t first, int64_t count, const double *in)
{
    wlu_environment environment;
    if (sim == NULL || in == NULL || !wlm_is_handle(sim, handle) || !wlm_are_members(sim, first, count))
        return WARPLU_INVALID_ARGUMENT;
    warplu_status status = check_finite(sim, first, count, in);
    if (status == WARPLU_SUCCESS) status = check_kind(sim, handle);
    if (status < 0 || count == 0) return status;
    wlu_environment_enter(&environment);
    status = sim->engine->set(sim, handle, first, count, in);
    wlu_environment_leave(&environment);
    return status;
}
