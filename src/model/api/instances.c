/* Makes, runs and frees simulations whose lanes are instances; their table of calls. See instances.h. */
#include "model/api/instances.h"

#include "base/team.h"
#include "model/method/allowance.h"

static warplu_status make(warplu_sim *sim, wlm_method method)
{
    const warplu_sim_options *o = &sim->options;
    if (sim->members != 1 || sim->varying_count > 0 || o->executor == WARPLU_EXECUTOR_CUDA)
        return wlu_fail(&sim->ctx, WARPLU_INVALID_ARGUMENT,
                        "lanes that are instances (split is such a method): expected one member, on the CPU");
    wlm_instances *l = sim->own = WLU_CALLOC(&sim->ctx, 1, wlm_instances);
    if (l == NULL) return wlu_fail_memory(&sim->ctx, "simulation");
    l->last.handle = -1;
    wlm_transient_options t;
    wlm_transient_options_init(&t);
    t.method = method;
    t.step = o->dt;
    t.relative = o->relative;
    t.absolute = o->absolute;
    t.threads = o->threads == 0 ? wlu_team_processors() : o->threads;
    if (t.threads > WLM_THREADS_MOST) t.threads = WLM_THREADS_MOST;
    warplu_status status = wlm_transient_create(&sim->ctx, &sim->changed, &t, &l->transient);
    if (status < 0) return status;
    l->layout = wlm_transient_layout(l->transient);
    sim->n = l->layout->n;
    sim->options.method = (warplu_method)wlm_transient_method(l->transient);
    return WARPLU_SUCCESS;
}

static void destroy(warplu_sim *sim)
{
    wlm_instances *l = sim->own;
    if (l == NULL) return;
    wlm_asked_free(sim, &l->last);
    wlm_transient_destroy(&l->transient);
    wlu_free(&sim->ctx, l);
}

static warplu_status set(warplu_sim *sim, int64_t handle, int64_t first, int64_t count, const double *in)
{
    const wlm_instances *l = sim->own;
    (void)first, (void)count; /* there is one member */
    wlm_transient_change(l->transient)[handle] = in[0];
    return WARPLU_SUCCESS;
}

static warplu_status tell(warplu_sim *sim, double t)
{
    warplu_status status = wlm_instances_compute(sim);
    if (status < 0) return status;
    wlm_row_tell(sim, 0, t);
    return wlm_row_verdict(sim, WARPLU_SUCCESS);
}

static warplu_status run_and_tell(warplu_sim *sim, double t, const wlm_outputs *outputs)
{
    wlm_transient *transient = ((const wlm_instances *)sim->own)->transient;
    if (outputs->count == 0) return wlm_transient_run(transient, t);
    warplu_status status = wlm_transient_settle(transient, t), worst = WARPLU_SUCCESS;
    for (int32_t k = 0; k < outputs->count && status >= 0; k++) {
        double next = wlm_output_time(outputs, k);
        if (next > wlm_transient_time(transient)) status = wlm_transient_approach(transient, next);
        if (status > 0) worst = status;
        if (status >= 0) status = tell(sim, next);
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

static warplu_status run(warplu_sim *sim, double t, const wlm_outputs *outputs)
{
    const warplu_sim_options *o = &sim->options;
    wlm_transient_allow(((const wlm_instances *)sim->own)->transient, wlm_steps_most(o->steps, o->dt));
    warplu_status status = run_and_tell(sim, t, outputs);
    double now = wlm_transient_time(((const wlm_instances *)sim->own)->transient);
    sim->time = is_final(status) ? t : now;
    sim->record[0].time = now;
    if (is_final(status)) sim->record[0].status = status;
    return status;
}

static void count(const warplu_sim *sim, warplu_sim_statistics *out)
{
    wlm_transient_statistics s;
    wlm_transient_get_statistics(((const wlm_instances *)sim->own)->transient, &s);
    out->steps = s.steps, out->rejected = s.rejected;
    out->newton_iterations = s.iterations;
}

static struct wlm_system *system_of(warplu_sim *sim)
{
    return wlm_transient_system(((const wlm_instances *)sim->own)->transient);
}

const wlm_engine_calls wlm_instances_engine = {.handles = "unknown, sum, fixed quantity or definition",
                                               .make = make,
                                               .destroy = destroy,
                                               .handles_count = wlm_instances_handles,
                                               .kind = wlm_instances_kind,
                                               .find = wlm_instances_find,
                                               .name = wlm_instances_name,
                                               .place = wlm_instances_place,
                                               .get = wlm_instances_get,
                                               .set = set,
                                               .watch = wlm_instances_watch,
                                               .forget = wlm_instances_forget,
                                               .run = run,
                                               .count = count,
                                               .system = system_of};
