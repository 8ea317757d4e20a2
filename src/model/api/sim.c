/* Makes simulations, frees them, and answers questions about them. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/environment.h"
#include "base/sized.h"
#include "base/team.h"
#include "model/api/engine.h"
#include "model/api/parameters.h"
#include "model/api/watch.h"

void warplu_sim_init_options(warplu_sim_options *options)
{
    if (options == NULL) return;
    memset(options, 0, sizeof *options);
    options->size = sizeof *options;
    options->threads = 1;
}

/* Returns 1 where an array has `count` names. */
static int are_names(const char *const *name, int32_t count)
{
    if (count < 0 || (count > 0 && name == NULL)) return 0;
    for (int32_t k = 0; k < count; k++)
        if (name[k] == NULL) return 0;
    return 1;
}

static int is_executor(warplu_executor e)
{
    return e == WARPLU_EXECUTOR_AUTO || e == WARPLU_EXECUTOR_CPU || e == WARPLU_EXECUTOR_CUDA;
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
    else if (!(o->cfl >= 0.0) || !isfinite(o->cfl) || (o->cfl > 0.0 && o->dt > 0.0))
        wrong = "cfl: expected a number from 0, and 0 beside a dt";
    else if (!(o->relative >= 0.0 && o->relative < 1.0) || !(o->absolute >= 0.0) || !isfinite(o->absolute))
        wrong = "relative, absolute: expected 0 <= relative < 1, and 0 <= absolute";
    else if (o->executor == WARPLU_EXECUTOR_REFERENCE)
        wrong = "executor: reference steps no models, expected auto, cpu or cuda";
    else if (!is_executor(o->executor))
        wrong = "executor";
    else if (o->device < -1)
        wrong = "device: expected a number from 0, or -1";
    else if (o->threads < 0 || o->threads > WLU_TEAM_MOST)
        wrong = "threads: expected 0 to 1024";
    else if (o->steps < 0)
        wrong = "steps";
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

static double or_said(double given, double said)
{
    return given > 0.0 ? given : said;
}

/* Makes the engine. One program of the whole model may be too large, by the operations of its factorization: then the
 * other engine takes it, whose matrices are the solver's, where options leave that open; and nobody hears of the
 * attempt. */
static warplu_status make_engine(warplu_sim *sim, wlm_method method)
{
    if (!wlm_engine_has_other(sim, method)) return sim->engine->make(sim, method);
    warplu_message_fn message = sim->ctx.message;
    sim->ctx.message = NULL;
    warplu_status status = sim->engine->make(sim, method);
    sim->ctx.message = message;
    if (status == WARPLU_PROGRAM_TOO_LARGE) {
        sim->engine->destroy(sim);
        sim->own = NULL;
        sim->engine = &wlm_instances_engine;
        return sim->engine->make(sim, method);
    }
    if (status < 0 && message != NULL) message(status, sim->ctx.last_message, sim->ctx.message_user);
    return status;
}

static warplu_status make(warplu_sim *sim)
{
    const wlm_run_statement *said = &sim->changed.run;
    wlm_method method;
    int64_t begin = wlu_now_ns();
    if (sim->options.dt == 0.0 && sim->options.cfl == 0.0) sim->options.dt = said->dt, sim->options.cfl = said->cfl;
    sim->options.relative = or_said(sim->options.relative, said->relative);
    sim->options.absolute = or_said(sim->options.absolute, said->absolute);
    if (sim->options.cfl > 0.0 && !wlm_model_has_limits(&sim->changed))
        return wlu_fail(
            &sim->ctx, WARPLU_INVALID_ARGUMENT,
            "cfl: expected an element with a line 'limit ...' that is used, for it is times the least limit");
    sim->engine = wlm_engine_for(sim, &method);
    warplu_status status = make_engine(sim, method);
    sim->compile_seconds = (double)(wlu_now_ns() - begin) * 1e-9;
    return status;
}

static warplu_status make_records(warplu_sim *sim)
{
    sim->record = WLU_CALLOC(&sim->ctx, sim->members, warplu_sim_member);
    if (sim->record == NULL) return wlu_fail_memory(&sim->ctx, "simulation");
    for (int64_t m = 0; m < sim->members; m++) sim->record[m].unknown = -1;
    return WARPLU_SUCCESS;
}

/* A warplu_cancel_fn: returns 1 where the caller asks for an end, or its function of rows has. */
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
    if (status == WARPLU_SUCCESS) status = make(sim);
    if (status == WARPLU_SUCCESS) status = make_records(sim);
    wlu_environment_leave(&environment);
    sim->ctx.cancel = asked, sim->ctx.cancel_user = sim;
    /* The caller's arrays have been read and need not last. */
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
    if (s->engine != NULL) s->engine->destroy(s);
    wlm_arena_free(&s->kept);
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

warplu_status warplu_sim_get_statistics(const warplu_sim *sim, warplu_sim_statistics *statistics)
{
    if (sim == NULL || !wlu_sized_is_set(statistics)) return WARPLU_INVALID_ARGUMENT;
    warplu_sim_statistics all = {.method = sim->options.method,
                                 .lanes_are_members = sim->engine->lanes_are_members,
                                 .members = sim->members,
                                 .unknowns = sim->n,
                                 .compile_seconds = sim->compile_seconds,
                                 .run_seconds = sim->run_seconds};
    sim->engine->count(sim, &all);
    wlu_sized_give(statistics, &all, sizeof all);
    return WARPLU_SUCCESS;
}

warplu_status warplu_sim_get_members(warplu_sim *sim, int64_t first, int64_t count, warplu_sim_member *out, size_t size)
{
    if (sim == NULL || out == NULL || size != sizeof *out || !wlm_are_members(sim, first, count))
        return WARPLU_INVALID_ARGUMENT;
    memcpy(out, sim->record + first, (size_t)count * sizeof *out);
    return WARPLU_SUCCESS;
}
