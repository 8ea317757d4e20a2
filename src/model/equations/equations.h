/* A whole model as one system of equations in one graph, d/dt q_i(t, y) = f_i(t, y), of n unknowns y:
 *
 *     a state, a store     q = y, f the rate or the sum of contributions
 *     a balance            q the sum of the charges, f minus the sum of the flows
 *     a closing equation   q is absent, f the expression
 *
 * All instances are copied into the graph, with their uniform parameters as constants. For small systems, whose lanes
 * are members of a batch; systems of many instances keep a graph for each kind (src/model/system). Cost: the nodes of
 * all instances. */
#ifndef WLU_MODEL_EQUATIONS_EQUATIONS_H
#define WLU_MODEL_EQUATIONS_EQUATIONS_H

#include <math.h>

#include "model/text/arena.h"
#include "model/text/model.h"

/* A state that has to stay between two numbers; or, of a node, above 0, which `least` is then. */
typedef struct wlm_range {
    int32_t unknown;
    double least, most;
} wlm_range;

/* Returns how far steps of these tolerances may lead a state beyond a bound: the error of the range's width. */
static inline double wlm_range_slack(double least, double most, double relative, double absolute)
{
    double width = most - least < INFINITY ? most - least : fmax(fabs(least), fabs(most));
    return absolute + relative * width;
}

/* Inputs of the graph: 0 is t, 1 to n are y, n + 1 to n + lane_parameters are parameters that differ between lanes, and
 * the next one is the length of the step, which rates, definitions and sums alone may need. */
typedef struct wlm_equations {
    wlu_context *ctx;
    wlm_arena kept; /* has all arrays */
    wlm_graph *graph;
    int32_t n, lane_parameters;
    wlm_node *f;         /* n */
    wlm_node *q;         /* n; WLM_NONE where the equation has no q */
    wlm_node *steady;    /* n; WLM_NONE of what is no gate */
    wlm_node *tau;       /* n */
    wlm_node *initial;   /* n; they depend on lane parameters alone */
    char **name;         /* n: "lr91.m", "cell[3].v" */
    wlm_place *place;    /* n: where the text has the equation */
    int32_t sums, fixed; /* quantities of nodes that are no unknowns */
    int32_t locals;      /* these, then definitions of all instances: what can be watched beside unknowns */
    wlm_node *local;
    char **local_name;
    int32_t events;
    wlm_event *event; /* their states are numbers of unknowns */
    int32_t pulses;
    wlm_pulse *pulse;
    char **lane_parameter;    /* lane_parameters names */
    int32_t ranges, positive; /* positive: the first ones are of what has to stay above 0 */
    wlm_range *range;
    int32_t limits;
    wlm_limit *limit;
    char **limit_name; /* "flux[3].limit" */
    wlm_place step;    /* as the model's */
} wlm_equations;

/* Makes the equations. lane_parameter: names of parameters, as "lr91.gna", that become inputs.
 * WARPLU_INVALID_ARGUMENT where one is no parameter; WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW; WARPLU_BAD_FORMAT where
 * sums depend on each other in a circle. */
warplu_status wlm_equations_create(wlu_context *ctx, const wlm_model *model, const char *const *lane_parameter,
                                   int32_t lane_parameters, wlm_equations **out);
void wlm_equations_destroy(wlm_equations **equations);

#endif
