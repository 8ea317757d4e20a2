/* Steps of one-step methods: one run of one program. */
#include "model/step/lanes.h"

void wlm_step_lanes_attempt(wlm_step_lanes *l)
{
    int32_t n = l->n, after = 1 + n + l->stepper->parameters;
    double *t = wlm_workspace_input(&l->step, 0), *h = wlm_workspace_input(&l->step, after);
    for (int32_t k = 0; k < l->used; k++) {
        t[k] = l->t[k];
        h[k] = l->h[k];
        WLM_ROW(h, 1)[k] = l->last[k];
        WLM_ROW(h, 2)[k] = l->first[k];
    }
    wlm_workspace_run(&l->step, l->used);
    l->next_state = wlm_workspace_output(&l->step, 0);
    wlm_step_lanes_take_estimate(l, wlm_workspace_output(&l->step, n));
}
