/* Runs simulations whose lanes are instances, member after member. See instances.h. */
#include <string.h>

#include "model/api/instances.h"
#include "model/method/allowance.h"

static warplu_status tell(warplu_sim *sim, int64_t member, double t)
{
    warplu_status status = wlm_instances_compute(sim, member);
    if (status < 0) return status;
    wlm_row_tell(sim, member, t);
    return wlm_row_verdict(sim, WARPLU_SUCCESS);
}

static warplu_status run_and_tell(warplu_sim *sim, int64_t member, double t, const wlm_outputs *outputs)
{
    wlm_transient *transient = wlm_instances_transient(sim, member);
    if (outputs->count == 0) return wlm_transient_run(transient, t);
    warplu_status status = wlm_transient_settle(transient, t), worst = WARPLU_SUCCESS;
    for (int32_t k = 0; k < outputs->count && status >= 0; k++) {
        double next = wlm_output_time(outputs, k);
        if (next > wlm_transient_time(transient)) status = wlm_transient_approach(transient, next);
        if (status > 0) worst = status;
        if (status >= 0) status = tell(sim, member, next);
    }
    if (status >= 0 && wlm_transient_time(transient) < t) status = wlm_transient_approach(transient, t);
    if (status >= 0) status = wlm_transient_jump(transient);
    return status < 0 ? status : worst;
}

/* Returns 1 of statuses after which the member cannot go on. After others (memory, cancelled, too many rows) the next
 * run goes on from the last step that was taken. */
static int is_final(warplu_status status)
{
    return status == WARPLU_NO_CONVERGENCE || status == WARPLU_STEP_TOO_SMALL || status == WARPLU_NOT_FINITE ||
           status == WARPLU_SINGULAR || status == WARPLU_OUT_OF_RANGE || status == WARPLU_TOO_MANY_STEPS ||
           status == WARPLU_MODEL_EQUATIONS;
}

/* Runs one of several members, whose message has its number. */
static warplu_status run_numbered(warplu_sim *sim, int64_t member, double t, const wlm_outputs *outputs)
{
    warplu_message_fn message = sim->ctx.message;
    char said[WLU_MESSAGE_BYTES - 64];
    sim->ctx.message = NULL;
    warplu_status status = run_and_tell(sim, member, t, outputs);
    sim->ctx.message = message;
    if (status >= 0) return status;
    memcpy(said, sim->ctx.last_message, sizeof said);
    said[sizeof said - 1] = '\0';
    return wlu_fail(&sim->ctx, status, "member %lld: %s", (long long)member, said);
}

static warplu_status run_member(warplu_sim *sim, int64_t member, double t, const wlm_outputs *outputs)
{
    const warplu_sim_options *o = &sim->options;
    wlm_transient *transient = wlm_instances_transient(sim, member);
    wlm_transient_allow(transient, wlm_steps_most(o->steps, wlm_fixed_step(sim)));
    warplu_status status =
        sim->members == 1 ? run_and_tell(sim, member, t, outputs) : run_numbered(sim, member, t, outputs);
    double now = wlm_transient_time(transient), reached = is_final(status) ? t : now;
    sim->record[member].time = now;
    if (is_final(status)) sim->record[member].status = status;
    if (reached > sim->time) sim->time = reached;
    return status;
}

/* Where a run of several members is interrupted, sim->time is where the first of them is: the others come there by the
 * next run, whose rows begin there. */
warplu_status wlm_instances_run(warplu_sim *sim, double t, const wlm_outputs *outputs)
{
    warplu_status worst = WARPLU_SUCCESS;
    ((wlm_instances *)sim->own)->begun = 1;
    for (int64_t m = 0; m < sim->members; m++) {
        warplu_status status = sim->record[m].status < 0 ? sim->record[m].status : run_member(sim, m, t, outputs);
        if (sim->members == 1 || (status < 0 && !is_final(status))) return status;
        if (status < 0) worst = WARPLU_MEMBERS_FAILED;
        if (status > 0 && worst == WARPLU_SUCCESS) worst = status;
    }
    return worst;
}
