/* Makes and frees simulations whose lanes are members, and says what they hold; their table of calls. See members.h. */
#include "model/api/members.h"

#include "model/graph/derive.h"
#include "model/step/on_device.h"

/* Returns 1 where dq/dy is constant and q does not depend on time, as Rosenbrock's methods need. */
static int has_constant_mass(warplu_sim *sim, const wlm_equations *e)
{
    wlm_jacobian m = {0};
    unsigned char time;
    int constant = wlm_graph_reads(e->graph, e->q, e->n, 1, &time) == WARPLU_SUCCESS && !time &&
                   wlm_derive(e->graph, e->q, e->n, 1, e->n, &m) == WARPLU_SUCCESS;
    for (int32_t k = 0; constant && k < m.ptr[m.rows]; k++)
        constant = wlm_node_opcode(e->graph, m.node[k]) == WLM_CONSTANT;
    wlm_jacobian_free(&sim->ctx, &m);
    return constant;
}

static warplu_status make_stepper(warplu_sim *sim, wlm_members *m, wlm_method method)
{
    const warplu_sim_options *o = &sim->options;
    int on_device = o->executor == WARPLU_EXECUTOR_CUDA;
    if (on_device && sim->n == 0)
        return wlu_fail(&sim->ctx, WARPLU_INVALID_ARGUMENT,
                        "executor cuda: the model has no unknowns, so that there is nothing to step: take cpu");
    if (method == WLM_METHOD_NONE)
        method = has_constant_mass(sim, m->equations) ? wlm_method_default : wlm_method_default_of_any;
    wlm_step_options step = {.method = method,
                             .relative = o->relative,
                             .absolute = o->absolute,
                             .step = o->dt,
                             .cfl = o->cfl,
                             .most = o->steps,
                             .alone = sim->members == 1 && !on_device};
    sim->options.method = (warplu_method)method;
    warplu_status status = wlm_stepper_create(m->equations, &step, &m->stepper);
    if (status == WARPLU_SUCCESS && on_device) status = wlm_device_of_stepper(m->stepper, o->device, &m->device);
    return status;
}

static warplu_status make_states(warplu_sim *sim, wlm_members *m)
{
    if (sim->members > INT64_MAX / 8 / (sim->n + 1))
        return wlu_fail(&sim->ctx, WARPLU_OVERFLOW, "%lld members of %d unknowns", (long long)sim->members,
                        (int)sim->n);
    m->state = WLU_ALLOC(&sim->ctx, sim->members * sim->n, double);
    m->clock = WLU_CALLOC(&sim->ctx, sim->members, double);
    m->step = WLU_CALLOC(&sim->ctx, sim->members, double);
    return WLU_ALL_THERE(m->state, m->clock, m->step) ? wlm_members_begin(sim)
                                                      : wlu_fail_memory(&sim->ctx, "simulation");
}

static warplu_status make(warplu_sim *sim, wlm_method method)
{
    wlm_members *m = sim->own = WLU_CALLOC(&sim->ctx, 1, wlm_members);
    if (m == NULL) return wlu_fail_memory(&sim->ctx, "simulation");
    warplu_status status = wlm_equations_create(&sim->ctx, &sim->changed, (const char *const *)sim->varying,
                                                sim->varying_count, &m->equations);
    if (status < 0) return status;
    sim->n = m->equations->n;
    status = make_stepper(sim, m, method);
    return status == WARPLU_SUCCESS ? make_states(sim, m) : status;
}

static void destroy(warplu_sim *sim)
{
    wlm_members *m = sim->own;
    if (m == NULL) return;
    wlm_device_destroy(&m->device);
    wlm_stepper_destroy(&m->stepper);
    wlm_equations_destroy(&m->equations);
    wlu_free(&sim->ctx, m->state);
    wlu_free(&sim->ctx, m->clock);
    wlu_free(&sim->ctx, m->step);
    wlu_free(&sim->ctx, m->given);
    wlu_free(&sim->ctx, m);
}

/* Returns the part that runs most often. */
static const wlm_part *step_of(const wlm_members *m)
{
    return m->stepper->step.body != NULL ? &m->stepper->step : &m->stepper->newton;
}

static void count(const warplu_sim *sim, warplu_sim_statistics *out)
{
    const wlm_members *m = sim->own;
    out->operations = step_of(m)->body->instructions;
    out->steps = m->steps, out->rejected = m->rejected;
    out->newton_iterations = m->iterations;
}

static void disassemble(const warplu_sim *sim, FILE *out)
{
    const wlm_part *step = step_of(sim->own);
    if (step->once->instructions > 0) {
        fputs("once for each set of parameters:\n", out);
        wlm_program_disassemble(step->once, out);
        fputs("each step:\n", out);
    }
    wlm_program_disassemble(step->body, out);
}

const wlm_engine_calls wlm_members_engine = {.lanes_are_members = 1,
                                             .make = make,
                                             .destroy = destroy,
                                             .handles_count = wlm_members_handles,
                                             .kind = wlm_members_kind,
                                             .find = wlm_members_find,
                                             .name = wlm_members_name,
                                             .place = wlm_members_place,
                                             .get = wlm_members_get,
                                             .set = wlm_members_set,
                                             .watch = wlm_members_watch,
                                             .forget = wlm_members_forget,
                                             .run = wlm_members_run,
                                             .count = count,
                                             .disassemble = disassemble};
