/* Facts about the methods that step models, from methods.def, and which engine has which. */
#ifndef WLU_MODEL_METHOD_METHODS_H
#define WLU_MODEL_METHOD_METHODS_H

#include "base/context.h"
#include "model/method/tableau.h"
#include "model/method/place.h"

typedef enum wlm_method {
    WLM_METHOD_NONE,
#define WLM_METHOD(number, enumerator, name, order, small, device, large, how) WLM_##enumerator = number,
#include "model/method/methods.def"
#undef WLM_METHOD
    WLM_METHODS /* their number plus 1 */
} wlm_method;

/* The methods where none is asked for: the first where dq/dy is constant and q does not depend on time, else the
 * second. */
static const wlm_method wlm_method_default = WLM_RODAS4, wlm_method_default_of_any = WLM_TR_BDF2;

/* A family has one way of being compiled, and asks this of M = dq/dy:
 *
 *     explicit    Runge and Kutta's; M diagonal, constant, nowhere zero
 *     gates       gates exactly, the rest as Euler; the same
 *     implicit    stages by Newton's iterations, on charges, with df/dy and dq/dy; any M, index 1 and 2
 *     rosenbrock  a solve for each stage with one matrix a step, df/dy and df/dt; M constant, index 1
 *     split       kinds with states as gates do, the others, which have to be linear, by one constant factorization */
typedef enum wlm_family {
    WLM_FAMILY_EXPLICIT,
    WLM_FAMILY_GATES,
    WLM_FAMILY_IMPLICIT,
    WLM_FAMILY_ROSENBROCK,
    WLM_FAMILY_SPLIT,
    WLM_FAMILIES
} wlm_family;

/* The engines: one program of the whole model, whose lanes are members (src/model/step), on a CPU or on a device; and a
 * program of each kind, whose lanes are instances (src/model/system), on a CPU. */
typedef enum wlm_engine { WLM_SMALL, WLM_SMALL_ON_DEVICE, WLM_LARGE, WLM_ENGINES } wlm_engine;

enum { WLM_NO_STEPS = -1, WLM_FIXED_STEPS = 0 };

typedef struct wlm_method_facts {
    const char *name;
    int order;
    int estimate[WLM_ENGINES]; /* the order of the error that controls steps, in h; WLM_NO_STEPS, WLM_FIXED_STEPS */
    wlm_family family;
    const wlm_explicit *explicit; /* NULL unless it is of this family; so are the next two */
    const wlm_implicit *implicit;
    const wlm_rosenbrock *rosenbrock;
} wlm_method_facts;

/* Returns its facts; NULL where there is no such method. */
const wlm_method_facts *wlm_method_of(wlm_method method);
/* Returns 1 where an engine has the method, with steps of a fixed length or, where that is 0, controlled ones. */
int wlm_method_supports(wlm_method method, wlm_engine engine, double step);
/* Returns WARPLU_SUCCESS where it has; else fails with WARPLU_INVALID_ARGUMENT and the reason. */
warplu_status wlm_method_check(wlu_context *ctx, wlm_method method, wlm_engine engine, double step);
/* Returns 1 of methods that solve for the unknowns of a step, by df/dy and dq/dy. */
static inline int wlm_method_solves(const wlm_method_facts *method)
{
    return method->family == WLM_FAMILY_IMPLICIT || method->family == WLM_FAMILY_ROSENBROCK;
}
/* Returns 1 of explicit methods with steps of a fixed length: these are so cheap that ranges of states are checked at
 * stops alone. */
int wlm_method_is_plain(wlm_method method, double step);
/* Returns WARPLU_SUCCESS where this method steps equations that need the length of the step; else fails with
 * WARPLU_MODEL_EQUATIONS and the place where they do, the first in the text. */
warplu_status wlm_method_takes_step(wlu_context *ctx, wlm_method method, wlm_place place);
/* What makes an index other than 1: the unknowns, as "a, b and 3 more", how many, and of an index above 2 what they
 * follow. */
typedef struct wlm_method_index {
    int32_t index, count;
    wlm_place place; /* of the first in the text */
    const char *names, *followed;
} wlm_method_index;
/* Returns WARPLU_SUCCESS where this method steps this index; else fails with WARPLU_MODEL_EQUATIONS. */
warplu_status wlm_method_takes_index(wlu_context *ctx, wlm_method method, const wlm_method_index *what);

#endif
