/* Makes the table of methods from methods.def and answers questions about it. Refusals of a method for its engine, for
 * the length of its steps or for the index come from here, so that all stand in one place. */
#include "model/method/methods.h"

#include <math.h>
#include <warplu/model.h>

#define EXPLICIT(tableau) .family = WLM_FAMILY_EXPLICIT, .explicit = &wlm_tableau_##tableau
#define GATES .family = WLM_FAMILY_GATES
#define IMPLICIT(tableau) .family = WLM_FAMILY_IMPLICIT, .implicit = &wlm_tableau_##tableau
#define ROSENBROCK(tableau) .family = WLM_FAMILY_ROSENBROCK, .rosenbrock = &wlm_tableau_##tableau
#define SPLIT .family = WLM_FAMILY_SPLIT
static const wlm_method_facts facts[] = {
#define WLM_METHOD(number, enumerator, name, order, small, device, large, how) \
    [number] = {name, order, {small, device, large}, how},
#include "model/method/methods.def"
#undef WLM_METHOD
};

/* A method has one number for users and for the library. */
#define WLM_METHOD(number, enumerator, name, order, small, device, large, how) \
    _Static_assert(WARPLU_METHOD_##enumerator == number, "warplu/model.h has another number for " name);
#include "model/method/methods.def"
#undef WLM_METHOD

const wlm_method_facts *wlm_method_of(wlm_method method)
{
    return method > WLM_METHOD_NONE && method < WLM_METHODS ? &facts[method] : NULL;
}

int wlm_method_supports(wlm_method method, wlm_engine engine, double step)
{
    const wlm_method_facts *f = wlm_method_of(method);
    return f != NULL && f->estimate[engine] >= (step > 0.0 ? WLM_FIXED_STEPS : 1);
}

warplu_status wlm_method_check(wlu_context *ctx, wlm_method method, wlm_engine engine, double step)
{
    int large = engine == WLM_LARGE;
    if (!wlm_method_supports(method, engine, INFINITY))
        return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT,
                        large ? "method %d has no steps for large systems" : "step: no method %d", (int)method);
    if (step >= 0.0 && wlm_method_supports(method, engine, step)) return WARPLU_SUCCESS;
    return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT,
                    large ? "%s takes steps of a fixed length above 0"
                          : "step: %s has no error estimate and needs the length of a step",
                    wlm_method_of(method)->name);
}

int wlm_method_is_plain(wlm_method method, double step)
{
    return step > 0.0 && !wlm_method_solves(wlm_method_of(method));
}

/* A length that is part of a rate is that of the one step which the rate makes. */
warplu_status wlm_method_takes_step(wlu_context *ctx, wlm_method method, wlm_place place)
{
    const wlm_method_facts *f = wlm_method_of(method);
    if (f->explicit != NULL && f->explicit->stages == 1) return WARPLU_SUCCESS;
    return wlu_fail(ctx, WARPLU_MODEL_EQUATIONS,
                    "line " WLM_LINE_FORMAT
                    ": %s has no one length of a step that an expression with 'step' could mean: take euler",
                    WLM_LINE(place), f->name);
}

warplu_status wlm_method_takes_index(wlu_context *ctx, wlm_method method, const wlm_method_index *what)
{
    const wlm_method_facts *f = wlm_method_of(method);
    const char *follow = what->count > 1 ? "follow" : "follows", *have = what->count > 1 ? "have" : "has";
    if (what->index == 0 && what->count > 1)
        return wlu_fail(ctx, WARPLU_MODEL_EQUATIONS,
                        "line " WLM_LINE_FORMAT
                        ": no equation fixes %s, which may all move together: a net without a path to a fixed node?",
                        WLM_LINE(what->place), what->names);
    if (what->index == 0)
        return wlu_fail(ctx, WARPLU_MODEL_EQUATIONS, "line " WLM_LINE_FORMAT ": no equation is left for %s",
                        WLM_LINE(what->place), what->names);
    if (what->index > 2)
        return wlu_fail(ctx, WARPLU_MODEL_EQUATIONS,
                        "line " WLM_LINE_FORMAT
                        ": no method steps %s, which %s the rates of the rates of %s, for equations bind these and "
                        "their rates (index above 2)",
                        WLM_LINE(what->place), what->names, follow, what->followed);
    if (f->family == WLM_FAMILY_IMPLICIT) return WARPLU_SUCCESS;
    return wlu_fail(ctx, WARPLU_MODEL_EQUATIONS,
                    "line " WLM_LINE_FORMAT
                    ": %s cannot step %s, which %s the rates of others and %s none (index 2): take tr-bdf2, "
                    "trapezoidal or backward-euler",
                    WLM_LINE(what->place), f->name, what->names, follow, have);
}
