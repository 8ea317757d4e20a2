/* Facts about the methods that step models, from methods.def, and which engine has which. */
#ifndef WLU_MODEL_METHOD_METHODS_H
#define WLU_MODEL_METHOD_METHODS_H

#include "base/context.h"
#include "model/method/tableau.h"

typedef enum wlm_method {
    WLM_METHOD_NONE,
#define WLM_METHOD(number, enumerator, name, order, small, device, large, how) WLM_##enumerator = number,
#include "model/method/methods.def"
#undef WLM_METHOD
    WLM_METHODS /* behind the last one */
} wlm_method;

/* Where nothing else is asked for: the first where dq/dy stays and q knows no time, else the second. */
static const wlm_method wlm_method_default = WLM_RODAS4, wlm_method_default_of_any = WLM_TR_BDF2;

/* What methods have in common by which they are compiled, with what they ask of M = dq/dy:
 *
 *     explicit    Runge and Kutta's; M diagonal, constant, nowhere zero
 *     gates       gates exactly, the rest as Euler; the same
 *     implicit    stages by Newton's iterations, on charges, with df/dy and dq/dy; any M, index 1 and 2
 *     rosenbrock  a solve for each stage with one matrix a step, df/dy and df/dt; M constant, index 1
 *     split       kinds with states as gates do, the others, which are linear, by one constant factorization */
typedef enum wlm_family {
    WLM_FAMILY_EXPLICIT,
    WLM_FAMILY_GATES,
    WLM_FAMILY_IMPLICIT,
    WLM_FAMILY_ROSENBROCK,
    WLM_FAMILY_SPLIT,
    WLM_FAMILIES
} wlm_family;

/* Engines, and what they run on: one program of the whole model, whose lanes are members (src/model/step), on a CPU or
 * a device; a program of each kind, whose lanes are instances (src/model/system), on a CPU. */
typedef enum wlm_engine { WLM_SMALL, WLM_SMALL_ON_DEVICE, WLM_LARGE, WLM_ENGINES } wlm_engine;

enum { WLM_NO_STEPS = -1, WLM_FIXED_STEPS = 0 };

typedef struct wlm_method_facts {
    const char *name;
    int order;
    int estimate[WLM_ENGINES]; /* the order of the error that controls steps, in h; WLM_NO_STEPS, WLM_FIXED_STEPS */
    wlm_family family;
    const wlm_explicit *explicit; /* of its family; NULL of others; so are the next two */
    const wlm_implicit *implicit;
    const wlm_rosenbrock *rosenbrock;
} wlm_method_facts;

/* NULL where there is no such method. */
const wlm_method_facts *wlm_method_of(wlm_method method);
/* 1 where an engine has the method, with steps of a fixed length or, where that is 0, controlled ones. */
int wlm_method_supports(wlm_method method, wlm_engine engine, double step);
/* SUCCESS where it has; else WARPLU_INVALID_ARGUMENT with the reason. */
warplu_status wlm_method_check(wlu_context *ctx, wlm_method method, wlm_engine engine, double step);
/* 1 of methods that solve for the unknowns of a step: by df/dy and dq/dy. */
static inline int wlm_method_solves(const wlm_method_facts *method)
{
    return method->family == WLM_FAMILY_IMPLICIT || method->family == WLM_FAMILY_ROSENBROCK;
}
/* 1 of explicit methods with steps of a fixed length, whose steps are so cheap that ranges of states are looked at
 * where they stop alone. */
int wlm_method_is_plain(wlm_method method, double step);
/* SUCCESS where this method goes with this index, not 1; else WARPLU_MODEL_EQUATIONS, said of the unknown in this line
 * that makes it so. */
warplu_status wlm_method_takes_index(wlu_context *ctx, wlm_method method, int32_t index, int32_t line,
                                     const char *name);

#endif
