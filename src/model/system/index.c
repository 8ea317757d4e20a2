/* Finds the index of a large system, by its matrices beside the initial values (method/pencil.h). */
#include "model/method/pencil.h"
#include "model/system/stepping.h"

static void write_name(const void *layout, int32_t unknown, char *text, size_t bytes)
{
    wlm_layout_name(layout, WLM_MEMORY_UNKNOWNS, unknown, text, bytes);
}

static wlm_place place_of(const void *layout, int32_t unknown)
{
    return wlm_layout_block(layout, WLM_MEMORY_UNKNOWNS, unknown)->equation;
}

static warplu_status judge(wlm_transient *s, double *y, double *charge, double *rate, unsigned char *power)
{
    wlm_system *system = s->system;
    int32_t index = 1;
    for (int32_t i = 0; i < s->n; i++) y[i] = wlm_pencil_beside(s->y[i], i);
    wlm_system_stamp(system, 0.0, y, 1.0, 0.0, s->work[0], NULL, charge);
    wlm_system_stamp(system, 0.0, y, 0.0, 1.0, s->work[0], NULL, rate);
    wlm_dependent_drop_rounding(&system->dependent, rate);
    wlm_pencil p = {s->n, system->pattern.ptr, system->pattern.idx, charge, rate, system->dynamic};
    warplu_status status = wlm_pencil_judge(s->ctx, &p, power, &index);
    s->index_is_higher = index > 1;
    const wlm_pencil_names names = {s->layout, s->n, write_name, place_of};
    if (status != WARPLU_SUCCESS || index == 1) return status;
    return wlm_pencil_check(s->ctx, s->options.method, index, power, &names);
}

warplu_status wlm_transient_check_index(wlm_transient *s)
{
    int32_t algebraic = 0;
    for (int32_t i = 0; i < s->n; i++) algebraic += !s->system->dynamic[i];
    if (algebraic == 0) return WARPLU_SUCCESS;
    int64_t entries = s->system->pattern.ptr[s->n];
    double *charge = WLU_ALLOC(s->ctx, entries, double), *rate = WLU_ALLOC(s->ctx, entries, double);
    unsigned char *power = WLU_ALLOC(s->ctx, s->n, unsigned char);
    warplu_status status = charge == NULL || rate == NULL || power == NULL ? wlu_fail_memory(s->ctx, "steps")
                                                                           : judge(s, s->work[1], charge, rate, power);
    wlu_free(s->ctx, charge);
    wlu_free(s->ctx, rate);
    wlu_free(s->ctx, power);
    return status;
}
