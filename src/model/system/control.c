/* Making transients, and their steps: edges, control, repetition. */
#include "model/system/transient.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/environment.h"
#include "base/finite.h"
#include "model/system/stepping.h"

typedef struct method {
    const char *name;
    wlm_step_fn *step;
    int implicit, update, control; /* control: it has an error estimate, of this order */
} method;

static const method methods[] = {
    [WLM_EULER] = {"euler", wlm_step_euler, 0, 0, 0},
    [WLM_RK4] = {"rk4", wlm_step_rk4, 0, 0, 0},
    [WLM_RUSH_LARSEN] = {"rush-larsen", wlm_step_rush_larsen, 0, 1, 0},
    [WLM_BACKWARD_EULER] = {"backward-euler", wlm_step_backward_euler, 1, 0, 0},
    [WLM_TRAPEZOIDAL] = {"trapezoidal", wlm_step_trapezoidal, 1, 0, 0},
    [WLM_TR_BDF2] = {"tr-bdf2", wlm_step_tr_bdf2, 1, 0, 3},
    [WLM_SPLIT] = {"split", wlm_step_split, 0, 1, 0},
};

static const method *method_of(wlm_method number)
{
    if ((int)number < 0 || (size_t)number >= sizeof methods / sizeof methods[0]) return NULL;
    return methods[number].step != NULL ? &methods[number] : NULL;
}

void wlm_transient_options_init(wlm_transient_options *options)
{
    memset(options, 0, sizeof *options);
    options->method = WLM_BACKWARD_EULER;
    options->threads = 1;
    options->check = WARPLU_CHECK_SUSPECT;
}

/* ------------------------------------------------------------------- making */

static warplu_status check_options(wlu_context *ctx, const wlm_model *model, wlm_transient_options *o)
{
    const method *m = method_of(o->method);
    if (m == NULL)
        return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "method %d has no steps for large systems", (int)o->method);
    if (!(o->step >= 0.0) || isinf(o->step) || (o->step == 0.0 && m->control == 0))
        return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "%s takes steps of a fixed length above 0", m->name);
    if (!(o->relative >= 0.0) || !(o->absolute >= 0.0) || !(o->longest >= 0.0) || !(o->shortest >= 0.0))
        return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "tolerances and bounds of steps are not below 0");
    if (o->relative == 0.0) o->relative = 1e-6;
    if (o->absolute == 0.0) o->absolute = 1e-9;
    for (int32_t u = 0; u < model->uses; u++) {
        const wlm_kind *kind = &model->kind[model->use[u].kind];
        if (kind->events > 0 && model->use[u].count > 0)
            return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "line %d: events of %s: steps of large systems have none",
                            kind->event[0].place.line, kind->name);
    }
    return WARPLU_SUCCESS;
}

/* Explicit methods: what is stepped has a mass. */
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
    for (int32_t i = 0; i < system->layout->node_n && status == WARPLU_SUCCESS; i++)
        if (s->mass[i] == 0.0 || !isfinite(s->mass[i])) {
            wlm_system_describe(system, i, name, sizeof name);
            status =
                wlu_fail(s->ctx, WARPLU_MODEL_EQUATIONS, "the charges of %s sum up to %g times it", name, s->mass[i]);
        }
    return status;
}

static warplu_status make_room(wlm_transient *s)
{
    int fine = 1;
    s->y = WLU_CALLOC(s->ctx, s->n, double);
    s->next = WLU_CALLOC(s->ctx, s->n, double);
    s->mass = WLU_CALLOC(s->ctx, s->n, double);
    int64_t values = s->system != NULL && s->system->options.derivatives ? s->system->pattern.ptr[s->n] : 0;
    s->values = WLU_CALLOC(s->ctx, values, double);
    for (int k = 0; k < WLM_WORK; k++) {
        s->work[k] = WLU_CALLOC(s->ctx, s->n, double);
        fine &= s->work[k] != NULL;
    }
    if (!fine || s->y == NULL || s->next == NULL || s->mass == NULL || s->values == NULL)
        return wlu_fail_memory(s->ctx, "steps");
    return WARPLU_SUCCESS;
}

static warplu_status make_whole(wlm_transient *s, const method *m)
{
    wlm_system_options o;
    wlm_system_options_init(&o);
    o.threads = s->options.threads;
    o.isa = s->options.isa;
    o.check = WARPLU_CHECK_REPLAYS;
    o.derivatives = m->implicit;
    o.updates = m->update;
    warplu_status status = wlm_system_create(s->ctx, s->model, &o, &s->system);
    if (status != WARPLU_SUCCESS) return status;
    s->layout = s->system->layout;
    s->n = s->layout->n;
    status = make_room(s);
    if (status == WARPLU_SUCCESS && !m->implicit) status = make_mass(s);
    if (status == WARPLU_SUCCESS) status = wlm_system_initial(s->system, s->y);
    return status == WARPLU_SUCCESS && m->implicit ? wlm_transient_check_index(s) : status;
}

static warplu_status make(wlm_transient *s)
{
    warplu_status status = check_options(s->ctx, s->model, &s->options);
    if (status != WARPLU_SUCCESS) return status;
    const method *m = method_of(s->options.method);
    status = s->options.method == WLM_SPLIT ? wlm_split_create(s) : make_whole(s, m);
    return status == WARPLU_SUCCESS ? wlm_edges_create(s->layout, s->options.isa, &s->edges) : status;
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
    s->fresh = 1;
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
    wlm_edges_free(s->ctx, &s->edges);
    wlm_system_destroy(&s->system);
    wlm_system_destroy(&s->coupling);
    wlu_free(s->ctx, s);
    *transient = NULL;
}

/* -------------------------------------------------------------------- steps */

warplu_status wlm_transient_judge(const wlm_transient *s, int others_are_finite)
{
    if (wlu_all_finite(s->next, others_are_finite ? s->layout->node_n : s->n)) return WARPLU_SUCCESS;
    char name[200];
    int32_t i = 0;
    while (wlu_all_finite(&s->next[i], 1)) i++;
    wlm_system_describe(s->system, i, name, sizeof name);
    return wlu_fail(s->ctx, WARPLU_NOT_FINITE, "t = %.6g: %s is not finite after a step", s->t, name);
}

/* A length that ends at `stop`, or leaves no sliver before it. */
static double length_to(const wlm_transient *s, double stop, int *ends)
{
    double room = stop - s->t, h = s->h;
    *ends = 1;
    if (s->options.step > 0.0) h = room / fmax(1.0, ceil(room / s->options.step - 1e-6));
    if (s->options.longest > 0.0 && s->options.step == 0.0 && h > s->options.longest) h = s->options.longest;
    if (h >= 0.999999 * room) return room;
    *ends = 0;
    return s->options.step == 0.0 && 2.0 * h > room ? 0.5 * room : h;
}

static double shortest(const wlm_transient *s)
{
    double rounding = 16.0 * DBL_EPSILON * fabs(s->t);
    return fmax(fmax(s->options.shortest, rounding), DBL_MIN);
}

static void accept(wlm_transient *s, double t)
{
    double *before = s->y;
    s->y = s->next;
    s->next = before;
    s->t = t;
    s->fresh = 0;
    s->statistics.steps++;
}

static warplu_status too_small(wlm_transient *s, warplu_status why, double norm)
{
    char before[WLU_MESSAGE_BYTES / 2];
    memcpy(before, s->ctx->last_message, sizeof before);
    before[sizeof before - 1] = '\0';
    if (wlm_is_hard(why))
        return wlu_fail(s->ctx, why, "t = %.9g: steps of %.3g are too long still: %s", s->t, s->h, before);
    return wlu_fail(s->ctx, WARPLU_STEP_TOO_SMALL,
                    "t = %.9g: steps of %.3g have errors of %.3g times the tolerance still", s->t, s->h, norm);
}

/* One step that is taken, towards `stop`. */
static warplu_status advance(wlm_transient *s, double stop)
{
    const method *m = method_of(s->options.method);
    double most = 5.0;
    for (;;) {
        int ends;
        double h = length_to(s, stop, &ends), norm = 0.0;
        warplu_status status = m->step(s, h, &norm);
        int controlled = s->options.step == 0.0;
        if (status != WARPLU_SUCCESS && (!controlled || !wlm_is_hard(status))) return status;
        if (status == WARPLU_SUCCESS && norm <= 1.0) {
            accept(s, ends ? stop : s->t + h);
            if (controlled) s->h = h * fmin(most, fmax(0.2, 0.9 * pow(fmax(norm, 1e-10), -1.0 / m->control)));
            return WARPLU_SUCCESS;
        }
        s->statistics.rejected++;
        most = 1.0;
        int failed = status != WARPLU_SUCCESS || isnan(norm);
        s->h = h * (failed ? 0.25 : fmax(0.2, 0.9 * pow(norm, -1.0 / m->control)));
        if (s->h < shortest(s)) return too_small(s, status, norm);
        if (wlu_poll_cancel(s->ctx) != WARPLU_SUCCESS) return WARPLU_CANCELLED;
    }
}

/* The clock between the edge behind and the one before; stages do not look beyond. */
static double set_clock(wlm_transient *s)
{
    double edge = wlm_edges_next(&s->edges, s->t);
    s->clock_most = isinf(edge) ? DBL_MAX : edge - wlm_edges_slack(edge);
    return edge;
}

static warplu_status begin(wlm_transient *s, double t)
{
    s->h = s->options.longest > 0.0 ? fmin(s->options.longest, 1e-6 * (t - s->t)) : 1e-6 * (t - s->t);
    set_clock(s);
    warplu_status status = s->system->options.derivatives ? wlm_transient_start(s) : WARPLU_SUCCESS;
    s->started = status == WARPLU_SUCCESS;
    return status;
}

/* Behind an edge f is another one, algebraic rows hold for other values, and steps begin small. */
static warplu_status cross(wlm_transient *s, double learnt)
{
    s->clock_least = s->t + wlm_edges_slack(s->t);
    set_clock(s);
    s->fresh = 1;
    if (s->options.step == 0.0) s->h = fmin(s->h, learnt);
    if (!s->system->options.derivatives) return WARPLU_SUCCESS;
    int steady = s->options.steady;
    s->options.steady = 0;
    warplu_status status = wlm_transient_start(s);
    s->options.steady = steady;
    return status;
}

static warplu_status run(wlm_transient *s, double t)
{
    warplu_status status = s->started ? WARPLU_SUCCESS : begin(s, t);
    double small = 1e-6 * (t - s->t);
    while (status == WARPLU_SUCCESS && s->t < t) {
        double edge = set_clock(s);
        status = advance(s, edge < t ? edge : t);
        if (status == WARPLU_SUCCESS && s->t == edge) status = cross(s, small);
        if (status == WARPLU_SUCCESS) status = wlu_poll_cancel(s->ctx);
    }
    return status;
}

warplu_status wlm_transient_run(wlm_transient *s, double t)
{
    if (!(t > s->t) || isinf(t)) return wlu_fail(s->ctx, WARPLU_INVALID_ARGUMENT, "t = %g is not beyond %g", t, s->t);
    wlu_environment environment;
    wlu_environment_enter(&environment);
    warplu_status status = run(s, t);
    wlu_environment_leave(&environment);
    return status;
}

double wlm_transient_time(const wlm_transient *transient)
{
    return transient->t;
}

const wlm_layout *wlm_transient_layout(const wlm_transient *transient)
{
    return transient->layout;
}

wlm_system *wlm_transient_system(wlm_transient *transient)
{
    return transient->system != NULL && transient->system->options.derivatives ? transient->system : NULL;
}

const double *wlm_transient_values(const wlm_transient *transient)
{
    return transient->y;
}

double *wlm_transient_change(wlm_transient *transient)
{
    transient->fresh = 1;
    transient->started = 0;
    return transient->y;
}

warplu_status wlm_transient_read(wlm_transient *s, wlm_memory memory, int32_t first, int32_t count, double *out)
{
    const wlm_layout *l = s->layout;
    int32_t all = memory == WLM_MEMORY_UNKNOWNS ? l->n : memory == WLM_MEMORY_SUMS ? l->sums : l->fixed;
    if (first < 0 || count < 0 || first > all - count)
        return wlu_fail(s->ctx, WARPLU_INVALID_ARGUMENT, "%d numbers from %d on: there are %d", count, first, all);
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
