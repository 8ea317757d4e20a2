/* Makes transients, and answers questions about them. */
#include "model/system/transient.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "model/system/resident.h"

static wlm_step_fn *const steps[WLM_FAMILIES] = {
    [WLM_FAMILY_EXPLICIT] = wlm_step_explicit, [WLM_FAMILY_GATES] = wlm_step_rush_larsen,
    [WLM_FAMILY_IMPLICIT] = wlm_step_implicit, [WLM_FAMILY_ROSENBROCK] = wlm_step_rosenbrock,
    [WLM_FAMILY_SPLIT] = wlm_step_split,
};

void wlm_transient_options_init(wlm_transient_options *options)
{
    memset(options, 0, sizeof *options);
    options->method = WLM_BACKWARD_EULER;
    options->threads = 1;
    options->check = WARPLU_CHECK_SUSPECT;
}

/* ------------------------------------------------------------------- making */

static warplu_status check_options(wlu_context *ctx, wlm_transient_options *o)
{
    if (!(o->cfl >= 0.0 && isfinite(o->cfl)) || (o->cfl > 0.0 && o->step > 0.0) || isinf(o->step))
        return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT,
                        "a share of limits is below 0, or stands beside a length of steps, or that is infinite");
    if (o->cfl > 0.0) o->step = INFINITY; /* until a limit is known */
    warplu_status status = wlm_method_check(ctx, o->method, WLM_LARGE, o->step);
    if (status != WARPLU_SUCCESS) return status;
    if (o->cfl > 0.0 && wlm_method_of(o->method)->family == WLM_FAMILY_SPLIT)
        return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "split takes steps of a fixed length, and no cfl");
    if (!(o->relative >= 0.0) || !(o->absolute >= 0.0) || !(o->longest >= 0.0) || !(o->shortest >= 0.0))
        return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "tolerances and bounds of steps are not below 0");
    if (o->relative == 0.0) o->relative = 1e-6;
    if (o->absolute == 0.0) o->absolute = 1e-9;
    return WARPLU_SUCCESS;
}

/* Explicit methods: computes the mass, which every node must have. */
static warplu_status make_mass(wlm_transient *s)
{
    const wlm_system *system = s->system;
    char name[200];
    for (int32_t i = 0; i < s->n; i++) {
        if (system->dynamic[i]) continue;
        wlm_system_describe(system, i, name, sizeof name);
        return wlu_fail(s->ctx, WARPLU_MODEL_EQUATIONS, "%s has no rate of change: explicit methods cannot step it",
                        name);
    }
    warplu_status status = wlm_system_mass(s->system, s->mass);
    s->mass_is_1 = 1;
    for (int32_t i = 0; i < system->layout->node_n && status == WARPLU_SUCCESS; i++) {
        s->mass_is_1 &= s->mass[i] == 1.0;
        if (s->mass[i] == 0.0 || !isfinite(s->mass[i])) {
            wlm_system_describe(system, i, name, sizeof name);
            status =
                wlu_fail(s->ctx, WARPLU_MODEL_EQUATIONS, "the charges of %s sum up to %g times it", name, s->mass[i]);
        }
    }
    return status;
}

warplu_status wlm_transient_make_room(wlm_transient *s, int vectors, int32_t length, int32_t values)
{
    int fine = 1;
    s->y = WLU_CALLOC(s->ctx, s->n, double);
    s->next = WLU_CALLOC(s->ctx, s->n, double);
    s->mass = WLU_CALLOC(s->ctx, s->n, double);
    s->values = WLU_CALLOC(s->ctx, values, double);
    for (int k = 0; k < vectors; k++) {
        s->work[k] = WLU_CALLOC(s->ctx, length, double);
        fine &= s->work[k] != NULL;
    }
    if (!fine || s->y == NULL || s->next == NULL || s->mass == NULL || s->values == NULL)
        return wlu_fail_memory(s->ctx, "steps");
    return WARPLU_SUCCESS;
}

static void set_method(wlm_transient *s, wlm_method method)
{
    s->options.method = method;
    s->facts = wlm_method_of(method);
    s->asked = (wlm_tolerance){s->options.relative, s->options.absolute};
    s->of_steps = wlm_tolerance_of_steps(method, WLM_LARGE, s->options.step, s->asked);
    s->step = steps[s->facts->family];
}

static warplu_status make_whole(wlm_transient *s, int is_left)
{
    wlm_family family = s->facts->family;
    int implicit = wlm_method_solves(s->facts);
    wlm_system_options o;
    wlm_system_options_init(&o);
    o.threads = s->options.threads;
    o.isa = s->options.isa;
    o.by_time = family == WLM_FAMILY_ROSENBROCK;
    o.check = o.by_time ? s->options.check : WARPLU_CHECK_REPLAYS;
    o.derivatives = implicit;
    o.updates = family == WLM_FAMILY_GATES;
    o.limits = s->options.cfl > 0.0;
    warplu_status status = wlm_system_create(s->ctx, s->model, &o, &s->system);
    if (status != WARPLU_SUCCESS) return status;
    s->layout = s->system->layout;
    s->n = s->layout->n;
    if (is_left && wlm_system_changing(s->system) >= 0) set_method(s, wlm_method_default_of_any);
    status = wlm_transient_make_room(s, WLM_WORK, s->n, implicit ? s->system->pattern.ptr[s->n] : 0);
    if (status == WARPLU_SUCCESS && !implicit) status = make_mass(s);
    if (status == WARPLU_SUCCESS) status = wlm_system_initial(s->system, s->y);
    if (status == WARPLU_SUCCESS && s->facts->rosenbrock != NULL) status = wlm_charges_create(s);
    return status == WARPLU_SUCCESS && implicit ? wlm_transient_check_index(s) : status;
}

static warplu_status make(wlm_transient *s)
{
    int is_left = s->options.method == WLM_METHOD_NONE;
    if (is_left) s->options.method = wlm_method_default;
    warplu_status status = check_options(s->ctx, &s->options);
    if (status == WARPLU_SUCCESS && s->model->step.line > 0)
        status = wlm_method_takes_step(s->ctx, s->options.method, s->model->step);
    if (status != WARPLU_SUCCESS) return status;
    set_method(s, s->options.method);
    status = s->facts->family == WLM_FAMILY_SPLIT ? wlm_split_create(s) : make_whole(s, is_left);
    if (status == WARPLU_SUCCESS) status = wlm_edges_create(s->layout, s->options.isa, &s->edges);
    if (status == WARPLU_SUCCESS) status = wlm_events_create(s->system, &s->events);
    if (status == WARPLU_SUCCESS && s->options.on_device) {
        status = wlm_resident_create(s, s->options.device, &s->resident);
        s->step = wlm_step_resident;
    }
    if (status != WARPLU_SUCCESS) return status;
    s->learnt = WLU_ALLOC(s->ctx, 2 * (int64_t)s->edges.pulses + 1 + s->events.rows, double);
    return s->learnt != NULL ? WARPLU_SUCCESS : wlu_fail_memory(s->ctx, "steps");
}

warplu_status wlm_transient_create(wlu_context *ctx, const wlm_model *model, const wlm_transient_options *options,
                                   wlm_transient **out)
{
    *out = NULL;
    wlm_transient *s = WLU_CALLOC(ctx, 1, wlm_transient);
    if (s == NULL) return wlu_fail_memory(ctx, "steps");
    s->ctx = ctx;
    s->model = model;
    s->options = *options;
    s->fresh = s->sums_due = 1;
    s->allowed = INT64_MAX;
    s->clock_least = -DBL_MAX;
    s->clock_most = DBL_MAX;
    warplu_status status = make(s);
    if (status != WARPLU_SUCCESS) wlm_transient_destroy(&s);
    *out = s;
    return status;
}

void wlm_transient_destroy(wlm_transient **transient)
{
    wlm_transient *s = *transient;
    if (s == NULL) return;
    for (int k = 0; k < WLM_WORK; k++) wlu_free(s->ctx, s->work[k]);
    wlu_free(s->ctx, s->y);
    wlu_free(s->ctx, s->next);
    wlu_free(s->ctx, s->mass);
    wlu_free(s->ctx, s->values);
    wlm_resident_destroy(&s->resident);
    wlm_edges_free(s->ctx, &s->edges);
    wlm_events_free(&s->events);
    wlm_charges_free(s->ctx, &s->charges);
    wlu_free(s->ctx, s->learnt);
    wlm_system_destroy(&s->system);
    wlm_system_destroy(&s->coupling);
    wlu_free(s->ctx, s);
    *transient = NULL;
}

/* ------------------------------------------------------------------- asking */

wlm_method wlm_transient_method(const wlm_transient *transient)
{
    return transient->options.method;
}

double wlm_transient_time(const wlm_transient *transient)
{
    return transient->t;
}

double wlm_transient_clock(const wlm_transient *transient)
{
    return wlm_stage_time(transient, transient->t);
}

double wlm_transient_length(const wlm_transient *transient)
{
    return transient->system->step;
}

const wlm_layout *wlm_transient_layout(const wlm_transient *transient)
{
    return transient->layout;
}

wlm_system *wlm_transient_system(wlm_transient *transient)
{
    return transient->system != NULL && transient->system->options.derivatives ? transient->system : NULL;
}

double *wlm_transient_change(wlm_transient *transient)
{
    transient->fresh = transient->sums_due = 1;
    wlm_resident_forget(transient->resident);
    transient->started = 0;
    return transient->y;
}

void wlm_transient_allow(wlm_transient *transient, int64_t most)
{
    transient->allowed = most;
    transient->counted = transient->statistics.steps + transient->statistics.rejected;
}

void wlm_transient_fill_sums(wlm_transient *s)
{
    if (s->sums_due && s->layout->sums_are_unknowns)
        wlm_system_fill_sums(s->system, wlm_stage_time(s, s->t), s->y, s->work[0]);
    s->sums_due = 0;
}

warplu_status wlm_transient_read(wlm_transient *s, wlm_memory memory, int32_t first, int32_t count, double *out)
{
    const wlm_layout *l = s->layout;
    int32_t all = memory == WLM_MEMORY_UNKNOWNS ? l->n : memory == WLM_MEMORY_SUMS ? l->sums : l->fixed;
    if (first < 0 || count < 0 || first > all - count)
        return wlu_fail(s->ctx, WARPLU_INVALID_ARGUMENT, "%d numbers from %d on: there are %d", count, first, all);
    wlm_transient_fill_sums(s);
    if (memory == WLM_MEMORY_SUMS) wlm_system_evaluate(s->system, wlm_stage_time(s, s->t), s->y, NULL, NULL);
    const double *from = memory == WLM_MEMORY_UNKNOWNS ? s->y
                         : memory == WLM_MEMORY_SUMS   ? s->system->sums
                                                       : l->fixed_value;
    if (count > 0) memcpy(out, from + first, (size_t)count * sizeof *out);
    return WARPLU_SUCCESS;
}

void wlm_transient_get_statistics(const wlm_transient *transient, wlm_transient_statistics *statistics)
{
    *statistics = transient->statistics;
}
