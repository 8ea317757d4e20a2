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
    const wlm_tolerance *asked, *of_steps; /* tolerances of solutions, and of the method's steps */
    wlm_graph *graph;
    int32_t n, inputs; /* inputs so far: 1 + n + parameters, and more */
    int32_t outputs;
    wlm_node *output; /* at most 2 n + 8, or what begin was told */
    wlm_node *work;   /* room for stages */
} wlm_step_build;

/* Begins a graph. The tolerances must outlive the build. */
warplu_status wlm_build_begin(wlm_step_build *b, const wlm_derived *derived, const wlm_tolerance *asked,
                              const wlm_tolerance *of_steps, int32_t outputs);
void wlm_build_end(wlm_step_build *b);

/* Adds the next input to the graph. */
wlm_node wlm_build_input(wlm_step_build *b);
void wlm_build_output(wlm_step_build *b, wlm_node node);
/* Copies `count` nodes of the equations with t and y replaced. */
warplu_status wlm_build_at(const wlm_step_build *b, wlm_node t, const wlm_node *y, const wlm_node *wanted,
                           int32_t count, wlm_node *out);
/* Builds the largest |e_i| / scale_i, NaN where one is. The scale is by the larger of |y| and |other|; other may be
 * NULL. */
wlm_node wlm_build_norm(const wlm_step_build *b, const wlm_tolerance *by, const wlm_node *e, const wlm_node *y,
                        const wlm_node *other);
/* Builds the factor by which the next step is longer (method/tolerance.h), where the error is of this order in h. */
wlm_node wlm_build_factor(const wlm_step_build *b, wlm_node norm, int order);
/* Builds the LU of M inverse - J, from the nodes of M and J at t and y. The caller owns *lu. */
warplu_status wlm_build_lu(const wlm_step_build *b, const wlm_node *m, const wlm_node *j, wlm_node inverse,
                           wlm_lu **lu);
/* Builds the health of a step with this LU: above 0 where the step is good. Where M is diagonal without zeros, the
 * determinant must have M's sign: if not, the step is too long for a mode that grows, and would jump over a pole. */
wlm_node wlm_build_health(const wlm_step_build *b, const wlm_node *m, const wlm_lu *lu);

/* Every one-step method has these inputs beyond the equations': h, which is where equations have the length of the
 * step that they need, and the last and first time that stages may have, so
 * that none sees what is beyond a jump. Its outputs are n of the new state, and norm of the error, factor and health,
 * which are 0, 1 and 1 of methods without an estimate. */
enum { WLM_STEP_INPUTS = 3, WLM_STEP_OUTPUTS = 3 };
warplu_status wlm_build_explicit(wlm_step_build *b, const wlm_explicit *tableau);
warplu_status wlm_build_rush_larsen(wlm_step_build *b);
/* controlled: 1 where a step that ends without rates is refused: its norm is no number. */
warplu_status wlm_build_rosenbrock(wlm_step_build *b, const wlm_rosenbrock *tableau, int controlled);

/* Builds an iteration of Newton's for q(y) - c = dh f(t, y), and for f = 0 in rows without q. More inputs: dh, n of c.
 * Outputs: n of the new iterate, norm of its change, health. follows: 1 where unknowns of rows without charges follow
 * rates (index 2), and count by WLM_TOLERANCE_OF_FOLLOWERS. */
warplu_status wlm_build_newton(wlm_step_build *b, int follows);
/* Builds charges and rates. Outputs: n of q, 0 where there is none, and n of f. */
warplu_status wlm_build_charges(wlm_step_build *b);
/* Builds the error of unknowns from that in charges, (M - dh J)^-1 e, of this order. More inputs: dh, a length, n of e,
 * n of the state before. Outputs: norm, factor, health. follows: 1 where unknowns of rows without charges follow rates
 * (index 2): they count by what was asked for, and where dh is longer than that length alone, for their errors contain
 * what they were at the beginning of the step: beyond a jump no shorter step would seem better. */
warplu_status wlm_build_estimate(wlm_step_build *b, int order, int follows);
/* Builds a first step by Hairer's rule (Hairer, Norsett, Wanner 1993, II.4), for a method of this order; algebraic
 * unknowns are left out. Output: h. */
warplu_status wlm_build_first(wlm_step_build *b, int order);

#endif
