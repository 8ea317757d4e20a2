/* Runs a simulation by either engine: checks arguments, makes output times, counts time. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/environment.h"
#include "model/api/engine.h"

/* Returns 1 where the only member has failed, which every later run says again. */
static int is_over(const warplu_sim *sim)
{
    return sim->members == 1 && sim->record[0].status < 0;
}

warplu_status warplu_sim_run(warplu_sim *sim, double t)
{
    wlu_environment environment;
    wlm_outputs outputs;
    if (sim == NULL) return WARPLU_INVALID_ARGUMENT;
    if (!(t > sim->time) || !isfinite(t))
        return wlu_fail(&sim->ctx, WARPLU_INVALID_ARGUMENT, "run to t = %g: expected a time behind %g", t, sim->time);
    if (is_over(sim)) return wlu_fail(&sim->ctx, sim->record[0].status, "%s", sim->failure);
    warplu_status status = wlm_outputs_make(sim, t, &outputs);
    if (status < 0) return status;
    int64_t begin = wlu_now_ns();
    wlu_environment_enter(&environment);
    sim->stopped = 0;
    status = sim->engine->run(sim, t, &outputs);
    wlu_environment_leave(&environment);
    sim->run_seconds += (double)(wlu_now_ns() - begin) * 1e-9;
    if (is_over(sim)) memcpy(sim->failure, sim->ctx.last_message, sizeof sim->failure);
    return status;
}
