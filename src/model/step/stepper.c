/* Chooses the programs that a method needs, builds and compiles them, and refuses equations that the method does not
 * take. The method's family, of methods.def, decides what is built. */
#include "model/step/stepper.h"

#include <math.h>
#include <string.h>

#include "model/method/allowance.h"

static warplu_status check_options(wlu_context *ctx, wlm_step_options *o)
{
    if (o->relative == 0.0) o->relative = 1e-6;
    if (o->absolute == 0.0) o->absolute = 1e-9;
    int fine = o->relative > 0.0 && o->relative < 1.0 && o->absolute > 0.0 && isfinite(o->absolute);
    if (!fine)
        return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "step: tolerances %g, %g are not between 0 and 1", o->relative,
                        o->absolute);
    if (!(o->cfl >= 0.0 && isfinite(o->cfl)) || (o->cfl > 0.0 && o->step > 0.0))
        return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "step: a share of limits is below 0, or stands beside a length");
    if (!(o->step >= 0.0 && isfinite(o->step)) || !(o->longest >= 0.0) || !(o->shortest >= 0.0) || o->most < 0)
        return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "step: a length or number of steps is below 0");
    if (o->cfl > 0.0) o->step = INFINITY; /* until a limit is known */
    o->most = wlm_steps_most(o->most, o->step);
    return wlm_method_check(ctx, o->method, WLM_SMALL, o->step);
}

/* A function that fills a graph, of which `make` compiles a part. */
typedef warplu_status build_fn(wlm_step_build *b, const wlm_stepper *s);

static warplu_status make(const wlm_stepper *s, const wlm_derived *d, build_fn *build, int32_t outputs, wlm_part *part)
{
    wlm_step_build b;
    warplu_status status = wlm_build_begin(&b, d, &s->asked, &s->of_steps, outputs);
    if (status == WARPLU_SUCCESS) status = build(&b, s);
    if (status == WARPLU_SUCCESS) status = wlm_part_create(&b, s->options.alone, part);
    wlm_build_end(&b);
    return status;
}

static warplu_status build_step(wlm_step_build *b, const wlm_stepper *s)
{
    if (s->facts->explicit != NULL) return wlm_build_explicit(b, s->facts->explicit);
    if (s->facts->rosenbrock != NULL) return wlm_build_rosenbrock(b, s->facts->rosenbrock, s->options.step == 0.0);
    return wlm_build_rush_larsen(b);
}

static warplu_status build_newton(wlm_step_build *b, const wlm_stepper *s)
{
    return wlm_build_newton(b, s->index_is_higher);
}

static warplu_status build_charges(wlm_step_build *b, const wlm_stepper *s)
{
    (void)s;
    return wlm_build_charges(b);
}

static warplu_status build_estimate(wlm_step_build *b, const wlm_stepper *s)
{
    return wlm_build_estimate(b, s->facts->estimate[WLM_SMALL], s->index_is_higher);
}

static warplu_status build_first(wlm_step_build *b, const wlm_stepper *s)
{
    return wlm_build_first(b, s->facts->order);
}

/* Adds nodes of the equations as outputs, at the inputs' t and y; `absent` takes the place of WLM_NONE. */
static warplu_status put(wlm_step_build *b, const wlm_node *wanted, int32_t count, double absent)
{
    wlm_node *out = b->output + b->outputs;
    warplu_status status = wlm_graph_copy(b->derived->equations->graph, b->graph, NULL, 0, wanted, count, out);
    if (status != WARPLU_SUCCESS) return status;
    for (int32_t i = 0; i < count; i++)
        if (out[i] == WLM_NONE) out[i] = wlm_constant(b->graph, absent);
    b->outputs += count;
    return wlm_graph_status(b->graph);
}

static warplu_status build_begin(wlm_step_build *b, const wlm_stepper *s)
{
    const wlm_equations *e = s->equations;
    warplu_status status = put(b, e->initial, e->n, 0.0);
    for (int32_t k = 0; k < e->pulses && status == WARPLU_SUCCESS; k++) {
        wlm_node pulse[3] = {e->pulse[k].delay, e->pulse[k].width, e->pulse[k].period};
        status = put(b, pulse, 3, 0.0);
    }
    for (int32_t k = 0; k < e->events && status == WARPLU_SUCCESS; k++) status = put(b, &e->event[k].at, 1, NAN);
    return status;
}

static warplu_status build_limits(wlm_step_build *b, const wlm_stepper *s)
{
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t k = 0; k < s->equations->limits && status == WARPLU_SUCCESS; k++)
        status = put(b, &s->equations->limit[k].node, 1, INFINITY);
    return status;
}

static warplu_status build_crossing(wlm_step_build *b, const wlm_stepper *s)
{
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t k = 0; k < s->equations->events && status == WARPLU_SUCCESS; k++)
        status = put(b, &s->equations->event[k].crossing, 1, 1.0);
    return status;
}

static warplu_status build_assign(wlm_step_build *b, const wlm_stepper *s)
{
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t k = 0; k < s->equations->events && status == WARPLU_SUCCESS; k++)
        status = put(b, s->equations->event[k].value, s->equations->event[k].assignments, 0.0);
    return status;
}

static warplu_status make_events(wlm_stepper *s, const wlm_derived *d)
{
    const wlm_equations *e = s->equations;
    for (int32_t k = 0; k < e->events; k++) {
        s->crossings += e->event[k].crossing != WLM_NONE;
        s->assignments += e->event[k].assignments;
    }
    warplu_status status = make(s, d, build_begin, e->n + 3 * e->pulses + e->events, &s->begin);
    if (status == WARPLU_SUCCESS && s->crossings > 0) status = make(s, d, build_crossing, e->events, &s->crossing);
    if (status == WARPLU_SUCCESS && e->events > 0) status = make(s, d, build_assign, s->assignments, &s->assign);
    return status;
}

static warplu_status check_equations(wlm_stepper *s, const wlm_derived *d)
{
    const wlm_method_facts *f = s->facts;
    if (f->implicit == NULL && f->rosenbrock == NULL) return wlm_derived_needs_diagonal(d, f->name);
    warplu_status status = f->rosenbrock != NULL ? wlm_derived_needs_constant(d, f->name) : WARPLU_SUCCESS;
    return status == WARPLU_SUCCESS ? wlm_derived_check_index(d, s->options.method, &s->index_is_higher) : status;
}

static warplu_status make_parts(wlm_stepper *s, wlm_derived *d)
{
    int32_t n = s->n;
    int implicit = s->facts->implicit != NULL;
    warplu_status status = check_equations(s, d);
    memcpy(s->held, d->held, (size_t)n);
    if (status == WARPLU_SUCCESS && wlm_method_solves(s->facts)) status = wlm_derived_choose_pivots(d);
    if (status == WARPLU_SUCCESS && !implicit) status = make(s, d, build_step, n + WLM_STEP_OUTPUTS, &s->step);
    if (status == WARPLU_SUCCESS && (implicit || d->algebraic > 0))
        status = make(s, d, build_newton, n + 2, &s->newton);
    if (status == WARPLU_SUCCESS && (implicit || d->algebraic > 0))
        status = make(s, d, build_charges, 2 * n, &s->charges);
    if (status == WARPLU_SUCCESS && implicit && s->options.step == 0.0)
        status = make(s, d, build_estimate, 3, &s->estimate);
    if (status == WARPLU_SUCCESS && s->options.step == 0.0) status = make(s, d, build_first, 1, &s->first);
    if (status == WARPLU_SUCCESS && s->options.cfl > 0.0)
        status = make(s, d, build_limits, s->equations->limits, &s->limit);
    return status == WARPLU_SUCCESS ? make_events(s, d) : status;
}

warplu_status wlm_stepper_create(const wlm_equations *equations, const wlm_step_options *options, wlm_stepper **out)
{
    wlu_context *ctx = equations->ctx;
    wlm_step_options o = *options;
    wlm_derived *d = NULL;
    *out = NULL;
    warplu_status status = check_options(ctx, &o);
    if (status == WARPLU_SUCCESS && equations->step.line > 0)
        status = wlm_method_takes_step(ctx, o.method, equations->step);
    if (status != WARPLU_SUCCESS) return status;
    wlm_stepper *s = WLU_CALLOC(ctx, 1, wlm_stepper);
    if (s == NULL) return wlu_fail_memory(ctx, "step");
    s->ctx = ctx, s->equations = equations, s->facts = wlm_method_of(o.method), s->options = o;
    s->asked = (wlm_tolerance){o.relative, o.absolute};
    s->of_steps = wlm_tolerance_of_steps(o.method, WLM_SMALL, o.step, s->asked);
    s->n = equations->n, s->parameters = equations->lane_parameters;
    s->held = WLU_ALLOC(ctx, s->n, unsigned char);
    status = s->held == NULL ? wlu_fail_memory(ctx, "step") : wlm_derived_create(equations, &d);
    if (status == WARPLU_SUCCESS && wlm_method_solves(s->facts)) status = wlm_derived_lay_out(d);
    if (status == WARPLU_SUCCESS && wlm_method_solves(s->facts)) status = wlm_derived_sample(d);
    if (status == WARPLU_SUCCESS) s->algebraic = d->algebraic;
    if (status == WARPLU_SUCCESS) status = make_parts(s, d);
    wlm_derived_destroy(&d);
    if (status != WARPLU_SUCCESS) wlm_stepper_destroy(&s);
    *out = s;
    return status;
}

void wlm_stepper_destroy(wlm_stepper **stepper)
{
    wlm_stepper *s = *stepper;
    if (s == NULL) return;
    for (int k = 0; k < WLM_PARTS; k++) wlm_part_destroy(s->ctx, &s->part[k]);
    wlu_free(s->ctx, s->held);
    wlu_free(s->ctx, s);
    *stepper = NULL;
}
