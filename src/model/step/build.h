/* Steps of methods as graphs: each takes the equations' graph, copies it for each stage with inputs replaced, and
 * ends in the nodes of a new state. Common terms of stages, constants and structural zeros vanish as in any graph.
 *
 * Inputs of every graph here begin as the equations': 0 is t, 1 to n are y, then parameters; what follows is listed at
 * each. Where nodes are scaled, it is by absolute + relative |y|, and norms are the largest over the unknowns.
 * Cost: that of the nodes, stages times those of f, and once of the derivatives and of LU. */
#ifndef WLU_MODEL_STEP_BUILD_H
#define WLU_MODEL_STEP_BUILD_H

#include "model/step/derived.h"
#include "model/step/lu.h"
#include "model/method/tolerance.h"

/* A graph under construction and its outputs. */
typedef struct wlm_step_build {
    const wlm_derived *derived;
    const wlm_tolerance *asked, *of_steps; /* of solutions, and of the method's steps */
    wlm_graph *graph;
    int32_t n, inputs; /* inputs so far: 1 + n + parameters, and more */
    int32_t outputs;
    wlm_node *output; /* at most 2 n + 8, or what begin was told */
    wlm_node *work;   /* room for stages */
} wlm_step_build;

/* The tolerances must outlive the build. */
warplu_status wlm_build_begin(wlm_step_build *b, const wlm_derived *derived, const wlm_tolerance *asked,
                              const wlm_tolerance *of_steps, int32_t outputs);
void wlm_build_end(wlm_step_build *b);

/* The next input of the graph. */
wlm_node wlm_build_input(wlm_step_build *b);
void wlm_build_output(wlm_step_build *b, wlm_node node);
/* Copies `count` nodes of the equations with t and y replaced. */
warplu_status wlm_build_at(const wlm_step_build *b, wlm_node t, const wlm_node *y, const wlm_node *wanted,
                           int32_t count, wlm_node *out);
/* The largest |e_i| / scale_i, and no number where one is none; y and other: the scale's values, the larger one of
 * which counts; other may be NULL. */
wlm_node wlm_build_norm(const wlm_step_build *b, const wlm_tolerance *by, const wlm_node *e, const wlm_node *y,
                        const wlm_node *other);
/* The factor by which the next step is longer (method/tolerance.h), where the error is of this order in h. */
wlm_node wlm_build_factor(const wlm_step_build *b, wlm_node norm, int order);
/* The LU of M inverse - J, with nodes of M and J as they stand at t and y. The caller owns *lu. */
warplu_status wlm_build_lu(const wlm_step_build *b, const wlm_node *m, const wlm_node *j, wlm_node inverse,
                           wlm_lu **lu);
/* The health of a step with this LU. Where M is diagonal without zeros it also says whether the determinant has M's
 * sign: if not, the step is too long for a mode that grows, as it is where it would jump over a pole. */
wlm_node wlm_build_health(const wlm_step_build *b, const wlm_node *m, const wlm_lu *lu);

/* What every one-step method takes and gives. Inputs beyond the equations': h, and the last and first time that
 * stages may have, so that none sees what is beyond a jump. Outputs: n of the new state; norm of the error, factor,
 * health: of fixed methods 0, 1 and 1. */
enum { WLM_STEP_INPUTS = 3, WLM_STEP_OUTPUTS = 3 };
warplu_status wlm_build_explicit(wlm_step_build *b, const wlm_explicit *tableau);
warplu_status wlm_build_rush_larsen(wlm_step_build *b);
warplu_status wlm_build_rosenbrock(wlm_step_build *b, const wlm_rosenbrock *tableau);

/* An iteration of Newton's for q(y) - c = dh f(t, y), in rows without q for f = 0. Inputs beyond: dh, n of c.
 * Outputs: n of the new iterate, norm of its change, health. */
warplu_status wlm_build_newton(wlm_step_build *b);
/* Outputs: n of q, 0 where there is none, and n of f. */
warplu_status wlm_build_charges(wlm_step_build *b);
/* Of an error in charges that of unknowns, (M - dh J)^-1 e. Inputs beyond: dh, n of e, n of the state before.
 * Outputs: norm, factor, health. `order`: of the error. ends_alone: unknowns of rows without charges are in the
 * factor alone, by what was asked for. Where they follow rates (index 2) what they were at the beginning of the step,
 * which forgets it, is measured too: no shorter step would seem better. */
warplu_status wlm_build_estimate(wlm_step_build *b, int order, int ends_alone);
/* A first step by Hairer's rule (Hairer, Norsett, Wanner 1993, II.4), for a method of this order; algebraic unknowns
 * are left out. Output: h. */
warplu_status wlm_build_first(wlm_step_build *b, int order);

#endif
