/* Makes and frees simulations whose lanes are instances, and sets what they begin with; their table of calls. See
 * instances.h. */
#include "model/api/instances.h"

#include "base/team.h"
#include "model/api/parameters.h"

static void free_member(warplu_sim *sim, wlm_instances_member *one)
{
    wlm_transient_destroy(&one->transient);
    wlu_free(&sim->ctx, one->given);
    wlm_arena_free(&one->kept);
}

/* Makes a member with its parameters, at t = 0. */
static warplu_status make_member(warplu_sim *sim, int64_t m, wlm_instances_member *out)
{
    const wlm_instances *l = sim->own;
    *out = (wlm_instances_member){.kept = {.ctx = &sim->ctx}};
    out->model = wlm_take(&out->kept, 1, sizeof *out->model);
    warplu_status status = out->model == NULL ? wlu_fail_memory(&sim->ctx, "simulation")
                                              : wlm_parameters_of(sim, m, &out->kept, out->model);
    if (status == WARPLU_SUCCESS) status = wlm_transient_create(&sim->ctx, out->model, &l->options, &out->transient);
    if (status < 0) free_member(sim, out);
    return status;
}

static warplu_status make(warplu_sim *sim, wlm_method method)
{
    const warplu_sim_options *o = &sim->options;
    wlm_instances *l = sim->own = WLU_CALLOC(&sim->ctx, 1, wlm_instances);
    if (l == NULL) return wlu_fail_memory(&sim->ctx, "simulation");
    l->last.handle = -1;
    wlm_transient_options *t = &l->options;
    wlm_transient_options_init(t);
    t->method = method;
    t->step = o->dt;
    t->cfl = o->cfl;
    t->relative = o->relative;
    t->absolute = o->absolute;
    t->on_device = o->executor == WARPLU_EXECUTOR_CUDA;
    t->device = o->device;
    t->threads = o->threads == 0 ? wlu_team_processors() : o->threads;
    if (t->threads > WLM_THREADS_MOST) t->threads = WLM_THREADS_MOST;
    l->member = WLU_CALLOC(&sim->ctx, sim->members, wlm_instances_member);
    if (l->member == NULL) return wlu_fail_memory(&sim->ctx, "simulation");
    for (int64_t m = 0; m < sim->members; m++) {
        warplu_status status = make_member(sim, m, &l->member[m]);
        if (status < 0) return status;
    }
    sim->n = wlm_instances_layout(sim)->n;
    sim->options.method = (warplu_method)wlm_transient_method(wlm_instances_transient(sim, 0));
    return WARPLU_SUCCESS;
}

static void destroy(warplu_sim *sim)
{
    wlm_instances *l = sim->own;
    if (l == NULL) return;
    wlm_asked_free(sim, &l->last);
    for (int64_t m = 0; l->member != NULL && m < sim->members; m++)
        if (l->member[m].kept.ctx != NULL) free_member(sim, &l->member[m]);
    wlu_free(&sim->ctx, l->member);
    wlu_free(&sim->ctx, l);
}

/* Makes a member anew, for a parameter of it has changed: initial values may depend on it, but for those that were
 * set. */
static warplu_status remake(warplu_sim *sim, int64_t m)
{
    wlm_instances_member *one = &((wlm_instances *)sim->own)->member[m], made;
    warplu_status status = make_member(sim, m, &made);
    if (status < 0) return status;
    double *before = wlm_transient_change(one->transient), *now = wlm_transient_change(made.transient);
    for (int32_t i = 0; i < sim->n && one->given != NULL; i++) now[i] = one->given[i] ? before[i] : now[i];
    made.given = one->given, one->given = NULL;
    free_member(sim, one);
    *one = made;
    return WARPLU_SUCCESS;
}

static warplu_status set_parameter(warplu_sim *sim, int64_t parameter, int64_t m, double value)
{
    double *at = &sim->parameter[m * sim->varying_count + parameter], before = *at;
    if (((const wlm_instances *)sim->own)->begun) return wlm_parameters_refuse(sim, parameter);
    *at = value;
    warplu_status status = remake(sim, m);
    if (status < 0) *at = before;
    return status;
}

static warplu_status set_unknown(warplu_sim *sim, int64_t handle, int64_t m, double value)
{
    const wlm_instances *l = sim->own;
    wlm_instances_member *one = &l->member[m];
    if (one->given == NULL && !l->begun && sim->varying_count > 0) {
        one->given = WLU_CALLOC(&sim->ctx, sim->n, unsigned char);
        if (one->given == NULL) return wlu_fail_memory(&sim->ctx, "initial values");
    }
    if (one->given != NULL) one->given[handle] = 1;
    wlm_transient_change(one->transient)[handle] = value;
    return WARPLU_SUCCESS;
}

static warplu_status set(warplu_sim *sim, int64_t handle, int64_t first, int64_t count, const double *in)
{
    const int64_t parameter = wlm_instances_parameter(sim, handle);
    warplu_status status = WARPLU_SUCCESS;
    for (int64_t m = first; m < first + count && status == WARPLU_SUCCESS; m++)
        status = parameter >= 0 ? set_parameter(sim, parameter, m, in[m - first])
                                : set_unknown(sim, handle, m, in[m - first]);
    return status;
}

static void count(const warplu_sim *sim, warplu_sim_statistics *out)
{
    for (int64_t m = 0; m < sim->members; m++) {
        wlm_transient_statistics s;
        wlm_transient_get_statistics(wlm_instances_transient(sim, m), &s);
        out->steps += s.steps, out->rejected += s.rejected;
        out->newton_iterations += s.iterations;
    }
}

/* The matrix is of one member's parameters. */
static struct wlm_system *system_of(warplu_sim *sim)
{
    return sim->members == 1 ? wlm_transient_system(wlm_instances_transient(sim, 0)) : NULL;
}

const wlm_engine_calls wlm_instances_engine = {.make = make,
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
                                               .run = wlm_instances_run,
                                               .count = count,
                                               .system = system_of};
