/* Finds the index of a large system, by its matrices beside the initial values (method/pencil.h). */
#include "model/method/pencil.h"
#include "model/system/stepping.h"

/* Fails with the name of that marked unknown whose equation comes first in the text. */
static warplu_status say(const wlm_transient *s, const unsigned char *power, int32_t index)
{
    int32_t first = -1, others = -1;
    wlm_place place = {.line = 0};
    char name[200];
    for (int32_t i = 0; i < s->n; i++) {
        if (!wlm_pencil_blames(power[i], index)) continue;
        others++;
        wlm_place here = wlm_layout_block(s->layout, WLM_MEMORY_UNKNOWNS, i)->equation;
        if (first < 0 || here.line < place.line) first = i, place = here;
    }
    wlm_layout_name(s->layout, WLM_MEMORY_UNKNOWNS, first, name, sizeof name);
    return wlm_method_takes_index(s->ctx, s->options.method, index, place, name, others);
}

static warplu_status judge(wlm_transient *s, double *y, double *charge, double *rate, unsigned char *power)
{
    wlm_system *system = s->system;
    int32_t index = 1;
    for (int32_t i = 0; i < s->n; i++) y[i] = wlm_pencil_beside(s->y[i], i);
    wlm_system_stamp(system, 0.0, y, 1.0, 0.0, s->work[0], NULL, charge);
    wlm_system_stamp(system, 0.0, y, 0.0, 1.0, s->work[0], NULL, rate);
    wlm_pencil p = {s->n, system->pattern.ptr, system->pattern.idx, charge, rate, system->dynamic};
    warplu_status status = wlm_pencil_judge(s->ctx, &p, power, &index);
    s->index_is_higher = index > 1;
    return status == WARPLU_SUCCESS && index != 1 ? say(s, power, index) : status;
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
