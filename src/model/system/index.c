/* Finds the index of a large system, by its matrices beside the initial values (method/pencil.h). */
#include "model/method/pencil.h"
#include "model/system/stepping.h"

/* Returns the line of an unknown's equation; of a kind's unknown it is the closing equation's. */
static int32_t line_of(const wlm_layout *l, int32_t unknown)
{
    wlm_place use;
    for (int32_t u = 0; u < l->model->uses; u++) {
        const wlm_kind *kind = &l->model->kind[l->model->use[u].kind];
        for (int32_t k = 0; k < kind->unknowns; k++) {
            const wlm_block *block = wlm_layout_variable(l, u, kind->states + k);
            if (unknown >= block->first && unknown - block->first < block->count) return kind->closing[k].place.line;
        }
    }
    return wlm_layout_place(l, unknown, &use).line;
}

/* Fails with the name of that marked unknown whose equation comes first in the text. */
static warplu_status say(const wlm_transient *s, const unsigned char *power, int32_t index)
{
    int32_t first = -1, line = 0;
    char name[200];
    for (int32_t i = 0; i < s->n; i++) {
        if (power[i] != index - 1) continue;
        int32_t here = line_of(s->layout, i);
        if (first < 0 || here < line) first = i, line = here;
    }
    wlm_layout_name(s->layout, first, name, sizeof name);
    return wlm_method_takes_index(s->ctx, s->options.method, index, line, name);
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
    return status == WARPLU_SUCCESS && index > 1 ? say(s, power, index) : status;
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
