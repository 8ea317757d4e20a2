/* Simulations: made, freed, asked about. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/environment.h"
#include "base/sized.h"
#include "base/team.h"
#include "model/api/large.h"
#include "model/api/parameters.h"
#include "model/api/watch.h"
#include "model/graph/derive.h"
#include "model/step/on_device.h"

void warplu_sim_init_options(warplu_sim_options *options)
{
    if (options == NULL) return;
    memset(options, 0, sizeof *options);
    options->size = sizeof *options;
    options->threads = 1;
}

/* 1 where `count` names stand in an array. */
static int are_names(const char *const *name, int32_t count)
{
    if (count < 0 || (count > 0 && name == NULL)) return 0;
    for (int32_t k = 0; k < count; k++)
        if (name[k] == NULL) return 0;
    return 1;
}

static int is_executor(warplu_executor e)
{
    return e == WARPLU_EXECUTOR_AUTO || e == WARPLU_EXECUTOR_CPU || e == WARPLU_EXECUTOR_REFERENCE ||
           e == WARPLU_EXECUTOR_CUDA;
}

static warplu_status check_options(wlu_context *ctx, const warplu_sim_options *o)
{
    const char *wrong = NULL;
    if (o->members < 0)
        wrong = "members";
    else if (o->lanes < WARPLU_LANES_AUTO || o->lanes > WARPLU_LANES_INSTANCES)
        wrong = "lanes";
    else if (o->method != WARPLU_METHOD_AUTO && wlm_method_of((wlm_method)o->method) == NULL)
        wrong = "method";
    else if (!(o->dt >= 0.0) || !isfinite(o->dt))
        wrong = "dt";
    else if (!(o->relative >= 0.0 && o->relative < 1.0) || !(o->absolute >= 0.0) || !isfinite(o->absolute))
        wrong = "relative, absolute: expected 0 <= relative < 1, and 0 <= absolute";
    else if (!is_executor(o->executor))
        wrong = "executor";
    else if (o->threads < 0 || o->threads > WLU_TEAM_MOST)
        wrong = "threads: expected 0 to 1024";
    else if (!are_names(o->varying, o->varying_count))
        wrong = "varying";
    else if (!are_names(o->set, o->set_count) || (o->set_count > 0 && o->set_value == NULL))
        wrong = "set";
    else if (o->varying_count > 0 && o->members_file != NULL)
        wrong = "varying beside members_file";
    if (wrong == NULL) return WARPLU_SUCCESS;
    return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "options of a simulation: %s", wrong);
}

static warplu_status take_options(warplu_sim *sim, const warplu_sim_options *options)
{
    warplu_sim_init_options(&sim->options);
    if (options != NULL && !wlu_sized_take(&sim->options, sizeof sim->options, options))
        return wlu_fail(&sim->ctx, WARPLU_INVALID_ARGUMENT,
                        "options of a simulation: size: call warplu_sim_init_options first");
    return check_options(&sim->ctx, &sim->options);
}

static int knows_time(warplu_sim *sim)
{
    const wlm_graph *g = sim->equations->graph;
    unsigned char *needed = WLU_ALLOC(&sim->ctx, wlm_node_count(g), unsigned char);
    int found = needed == NULL;
    if (needed != NULL) wlm_graph_mark(g, sim->equations->q, sim->equations->n, needed);
    for (wlm_node node = 0; node < wlm_node_count(g) && !found; node++)
        found = needed[node] && wlm_node_opcode(g, node) == WLM_INPUT && wlm_node_input(g, node) == 0;
    wlu_free(&sim->ctx, needed);
    return found;
}

/* 1 where dq/dy is a matrix of constants, and q knows no time: what Rosenbrock's methods ask for. */
static int has_constant_mass(warplu_sim *sim)
{
    const wlm_equations *e = sim->equations;
    wlm_jacobian m = {0};
    int constant = !knows_time(sim) && wlm_derive(e->graph, e->q, e->n, 1, e->n, &m) == WARPLU_SUCCESS;
    for (int32_t k = 0; constant && k < m.ptr[m.rows]; k++)
        constant = wlm_node_opcode(e->graph, m.node[k]) == WLM_CONSTANT;
    wlm_jacobian_free(&sim->ctx, &m);
    return constant;
}

static wlm_method method_of(warplu_sim *sim)
{
    wlm_method said = sim->model->text->run.method;
    if (sim->options.method != WARPLU_METHOD_AUTO) return (wlm_method)sim->options.method;
    if (said != WLM_METHOD_NONE) return said;
    return has_constant_mass(sim) ? wlm_method_default : wlm_method_default_of_any;
}

static double or_said(double given, double said)
{
    return given > 0.0 ? given : said;
}

static warplu_status compile_members(warplu_sim *sim)
{
    const warplu_sim_options *o = &sim->options;
    const wlm_run_statement *said = &sim->model->text->run;
    warplu_status status = wlm_equations_create(&sim->ctx, &sim->changed, (const char *const *)sim->varying,
                                                sim->varying_count, &sim->equations);
    if (status < 0) return status;
    sim->n = sim->equations->n;
    wlm_step_options step = {.method = method_of(sim),
                             .relative = or_said(o->relative, said->relative),
                             .absolute = or_said(o->absolute, said->absolute),
                             .step = or_said(o->dt, said->dt),
                             .alone = sim->members == 1 && o->executor != WARPLU_EXECUTOR_CUDA};
    sim->options.method = (warplu_method)step.method;
    status = wlm_stepper_create(sim->equations, &step, &sim->stepper);
    if (status == WARPLU_SUCCESS && o->executor == WARPLU_EXECUTOR_CUDA)
        status = wlm_device_of_stepper(sim->stepper, 0, &sim->device);
    return status;
}

static warplu_status compile(warplu_sim *sim)
{
    wlm_method method;
    int64_t begin = wlu_now_ns();
    warplu_status status = wlm_large_suits(sim, &method) ? wlm_large_create(sim, method) : compile_members(sim);
    sim->compile_seconds = (double)(wlu_now_ns() - begin) * 1e-9;
    return status;
}

static warplu_status make_members(warplu_sim *sim)
{
    if (sim->members > INT64_MAX / 8 / (sim->n + 1))
        return wlu_fail(&sim->ctx, WARPLU_OVERFLOW, "%lld members of %d unknowns", (long long)sim->members,
                        (int)sim->n);
    sim->state = WLU_ALLOC(&sim->ctx, sim->members * sim->n, double);
    sim->record = WLU_CALLOC(&sim->ctx, sim->members, warplu_sim_member);
    if (sim->state == NULL || sim->record == NULL) return wlu_fail_memory(&sim->ctx, "simulation");
    for (int64_t m = 0; m < sim->members; m++) sim->record[m].unknown = -1;
    return sim->large != NULL ? WARPLU_SUCCESS : wlm_initial_states(sim);
}

/* A warplu_cancel_fn: whether the caller, or what is told of rows, asks for an end. */
static int asked(void *user)
{
    const warplu_sim *sim = user;
    return sim->stopped || (sim->options.cancel != NULL && sim->options.cancel(sim->options.cancel_user) != 0);
}

warplu_status warplu_sim_create(warplu_sim **out, const warplu_model *model, const warplu_sim_options *options)
{
    wlu_environment environment;
    if (out == NULL) return WARPLU_INVALID_ARGUMENT;
    *out = NULL;
    if (model == NULL) return WARPLU_INVALID_ARGUMENT;
    wlu_context ctx;
    wlm_context_of(&ctx, model);
    warplu_sim *sim = WLU_CALLOC(&ctx, 1, warplu_sim);
    if (sim == NULL) return wlu_fail_memory(&ctx, "simulation");
    sim->ctx = ctx;
    memcpy(&sim->model, &model, sizeof sim->model);
    wlu_count_add(&sim->model->count);
    warplu_status status = take_options(sim, options);
    wlu_environment_enter(&environment);
    if (status == WARPLU_SUCCESS) status = wlm_parameters_set(sim);
    if (status == WARPLU_SUCCESS) status = wlm_parameters_vary(sim);
    if (status == WARPLU_SUCCESS) status = compile(sim);
    if (status == WARPLU_SUCCESS) status = make_members(sim);
    wlu_environment_leave(&environment);
    sim->ctx.cancel = asked, sim->ctx.cancel_user = sim;
    /* What the caller's arrays hold has been read: they need not last. */
    sim->options.varying = sim->options.set = NULL;
    sim->options.set_value = NULL, sim->options.members_file = NULL;
    if (status < 0)
        warplu_sim_destroy(&sim);
    else
        *out = sim;
    return status;
}

void warplu_sim_destroy(warplu_sim **sim)
{
    warplu_sim *s = sim != NULL ? *sim : NULL;
    if (s == NULL) return;
    wlm_watched_free(s);
    wlm_large_destroy(s);
    wlm_device_destroy(&s->device);
    wlm_stepper_destroy(&s->stepper);
    wlm_equations_destroy(&s->equations);
    wlm_parameters_free(s);
    wlu_free(&s->ctx, s->state);
    wlu_free(&s->ctx, s->given);
    wlu_free(&s->ctx, s->record);
    warplu_model *model = s->model;
    wlu_context ctx = s->ctx;
    wlu_free(&ctx, s);
    wlm_model_release(&model);
    *sim = NULL;
}

const char *warplu_sim_get_message(const warplu_sim *sim)
{
    return sim != NULL ? sim->ctx.last_message : "";
}

/* The program that is run most. */
static const wlm_part *step_of(const warplu_sim *sim)
{
    return sim->stepper->step.body != NULL ? &sim->stepper->step : &sim->stepper->newton;
}

warplu_status warplu_sim_get_statistics(const warplu_sim *sim, warplu_sim_statistics *statistics)
{
    if (sim == NULL || !wlu_sized_is_set(statistics)) return WARPLU_INVALID_ARGUMENT;
    warplu_sim_statistics all = {.method = sim->options.method,
                                 .lanes_are_members = 1,
                                 .members = sim->members,
                                 .unknowns = sim->n,
                                 .steps = sim->steps,
                                 .rejected = sim->rejected,
                                 .newton_iterations = sim->iterations,
                                 .compile_seconds = sim->compile_seconds,
                                 .run_seconds = sim->run_seconds};
    if (sim->large != NULL)
        wlm_large_statistics(sim, &all);
    else
        all.operations = step_of(sim)->body->instructions;
    wlu_sized_give(statistics, &all, sizeof all);
    return WARPLU_SUCCESS;
}

warplu_status warplu_sim_get_members(warplu_sim *sim, int64_t first, int64_t count, warplu_sim_member *out, size_t size)
{
    if (sim == NULL || out == NULL || size != sizeof *out || first < 0 || count < 0 || first > sim->members - count)
        return WARPLU_INVALID_ARGUMENT;
    memcpy(out, sim->record + first, (size_t)count * sizeof *out);
    return WARPLU_SUCCESS;
}

/* Hands out a text line by line. */
static warplu_status hand_out(char *text, int (*write)(const char *line, void *user), void *user)
{
    for (char *line = text, *end; *line != '\0'; line = end + 1) {
        end = strchr(line, '\n');
        if (end == NULL) end = line + strlen(line) - 1;
        *end = '\0';
        if (write(line, user) != 0) return WARPLU_CANNOT_WRITE;
    }
    return WARPLU_SUCCESS;
}

warplu_status warplu_sim_disassemble(warplu_sim *sim, int (*write)(const char *line, void *user), void *user)
{
    char *text = NULL;
    size_t bytes = 0;
    if (sim == NULL || write == NULL) return WARPLU_INVALID_ARGUMENT;
    if (sim->large != NULL)
        return wlu_fail(&sim->ctx, WARPLU_INVALID_ARGUMENT, "only programs whose lanes are members are shown");
    const wlm_part *step = step_of(sim);
    FILE *out = open_memstream(&text, &bytes);
    if (out == NULL) return wlu_fail_memory(&sim->ctx, "disassembly");
    if (step->once->instructions > 0) {
        fputs("once for each set of parameters:\n", out);
        wlm_program_disassemble(step->once, out);
        fputs("each step:\n", out);
    }
    wlm_program_disassemble(step->body, out);
    warplu_status status = fclose(out) == 0 ? hand_out(text, write, user) : wlu_fail_memory(&sim->ctx, "disassembly");
    free(text);
    return status;
}
