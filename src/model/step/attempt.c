/* Steps of one-step methods: one run of one program. */
#include <math.h>
#include <string.h>

#include "model/step/lanes.h"

void wlm_step_lanes_attempt(wlm_step_lanes *l)
{
    int32_t n = l->n, after = 1 + n + l->stepper->parameters;
    double *h = wlm_desk_input(&l->step, after);
    memcpy(wlm_desk_input(&l->step, 0), l->t, sizeof l->t);
    memcpy(h, l->h, sizeof l->h);
    memcpy(WLM_ROW(h, 1), l->last, sizeof l->last);
    memcpy(WLM_ROW(h, 2), l->first, sizeof l->first);
    wlm_desk_run(&l->step, l->used);
    const double *health = wlm_desk_output(&l->step, n + 2);
    l->next_state = wlm_desk_output(&l->step, 0);
    memcpy(l->norm, wlm_desk_output(&l->step, n), sizeof l->norm);
    memcpy(l->factor, wlm_desk_output(&l->step, n + 1), sizeof l->factor);
    for (int32_t k = 0; k < l->used; k++) l->trouble[k] = wlm_lane_verdict(l, l->norm[k], health[k]);
}
