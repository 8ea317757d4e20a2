/* A method made ready for a system of equations: its programs. Immutable: threads share it, each with workspaces of its
 * own.
 *
 * One-step methods are one program a step. Implicit ones, with Newton's iterations, are three: an iteration,
 * charges, an estimate. Beside them: where lanes begin, a first step, events. Nothing here knows of control of steps:
 * that is drive.h.
 *
 * Cost of making one: milliseconds; memory: the programs'. */
#ifndef WLU_MODEL_STEP_STEPPER_H
#define WLU_MODEL_STEP_STEPPER_H

#include "model/method/tolerance.h"
#include "model/step/part.h"

typedef struct wlm_step_options {
    wlm_method method;
    double relative, absolute; /* 0: 1e-6 and 1e-9; method/tolerance.h says what they mean */
    double step;               /* above 0: fixed steps of this length; methods without an error estimate need one */
    double cfl;                /* above 0, in place of `step`: times the least limit of the equations */
    double longest, shortest;  /* bounds of controlled steps; 0: none, and what rounding of t asks for */
    int alone;                 /* 1: one member will be driven, as a solo (exec/solo.h): faster, but dearer to make */
    int64_t most;              /* steps of a lane, rejected ones too; 0: as wlm_steps_most says */
} wlm_step_options;

typedef struct wlm_stepper {
    wlu_context *ctx;
    const wlm_equations *equations;
    const wlm_method_facts *facts;
    wlm_step_options options; /* with defaults filled in */
    wlm_tolerance asked, of_steps;
    int32_t n, parameters, algebraic;
    int index_is_higher; /* than 1 */
    unsigned char *held; /* n: 1 of unknowns that charges determine */
    union {
        struct {
            wlm_part step; /* of one-step methods */
            /* Of the others; newton and charges also where algebraic rows need a start. */
            wlm_part newton, charges, estimate;
            wlm_part first; /* of controlled steps */
            /* Outputs: n initial; 3 numbers of each pulse (period 0: none), `at` of each event (NaN: none). */
            wlm_part begin;
            wlm_part limit;    /* the limits; where `cfl` asks for them */
            wlm_part crossing; /* the crossing of each event; 1 where it has none */
            wlm_part assign;   /* values of all events' assignments */
        };
        wlm_part part[WLM_PARTS];
    };
    int32_t crossings, assignments;
} wlm_stepper;

/* Makes a stepper; the equations must outlive it. WARPLU_INVALID_ARGUMENT where options do not fit;
 * WARPLU_MODEL_EQUATIONS where the equations are not for this method; those of wlm_lu_create; WARPLU_OUT_OF_MEMORY,
 * WARPLU_OVERFLOW. */
warplu_status wlm_stepper_create(const wlm_equations *equations, const wlm_step_options *options, wlm_stepper **out);
/* Returns 1 where steps keep errors of unknowns that follow rates, and are controlled: behind short ones these are
 * found anew. */
static inline int wlm_stepper_strays(const wlm_stepper *s)
{
    const wlm_implicit *m = s->facts->implicit;
    return s->index_is_higher && m != NULL && !m->forgets && s->options.step == 0.0;
}
/* Takes NULL, leaves NULL. */
void wlm_stepper_destroy(wlm_stepper **stepper);

#endif
