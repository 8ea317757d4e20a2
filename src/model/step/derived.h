/* Equations with their derivatives, in a graph of their own: what steps are built from.
 *
 * Rows of charges are independent of each other: a dependent one is made an algebraic equation.
 *
 * Kinds of methods ask different things of M = dq/dy: explicit ones that it be diagonal, constant in time and nowhere
 * zero, Rosenbrock methods that it be constant in time, and index 1, the others nothing. Cost: that of wlm_derive. */
#ifndef WLU_MODEL_STEP_DERIVED_H
#define WLU_MODEL_STEP_DERIVED_H

#include "model/equations/equations.h"
#include "model/graph/derive.h"
#include "model/method/methods.h"

typedef struct wlm_derived {
    wlu_context *ctx;
    const wlm_equations *equations;
    wlm_graph *graph;
    int32_t n, parameters;          /* inputs: 0 is t, then n of y, then the lanes' parameters */
    int32_t algebraic;              /* rows without q, or whose q depends on others' */
    wlm_node *f, *q, *steady, *tau; /* n each */
    wlm_node *by_time;              /* df/dt; WLM_NONE where it is zero */
    wlm_jacobian j, m;              /* df/dy, without columns of unknowns that rest; dq/dy */
    unsigned char *held;            /* n: 1 of unknowns that charges determine, each by itself */
    wlm_jacobian both;              /* where either has an entry, without nodes */
    int32_t *of_m, *of_j;           /* the entry of m, of j that stands at each of both; -1: none */
    int32_t *row, *column;          /* n each: pivot k of M / h - J stands there */
    unsigned char *rests;           /* n: 1 where q is y and f is 0: no step changes it, events alone do */
    double *m_value, *j_value;      /* both as wlm_derived_sample has them; NULL: not sampled, or not finite */
} wlm_derived;

/* Derives equations, which must outlive *out. WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status wlm_derived_create(const wlm_equations *equations, wlm_derived **out);
/* Writes what nodes of its graph are worth at one of two states beside the initial values, `which` 0 or 1, where
 * nothing is zero by chance. WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status wlm_derived_evaluate(const wlm_derived *derived, const wlm_node *nodes, int32_t count, int which,
                                   double *out);
/* Fills both, of_m and of_j. WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status wlm_derived_lay_out(wlm_derived *derived);
/* Fills m_value and j_value, by which the index is judged and pivots are chosen: both matrices beside the initial
 * values. WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status wlm_derived_sample(wlm_derived *derived);
/* Fills row and column, behind those two. The statuses of wlm_pivots_choose. */
warplu_status wlm_derived_choose_pivots(wlm_derived *derived);
/* Makes rows whose charges depend on those of others algebraic (method/rank.h): such a row has, in place of d/dt q = f,
 * the sum of f of all of them, less the rate of what time alone has in the sum of q. m is derived; *changed: 1 where
 * there are any. Fills held. WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status wlm_derived_find_dependent(wlm_derived *derived, int *changed);
/* Takes NULL, leaves NULL. */
void wlm_derived_destroy(wlm_derived **derived);

/* Finds whether the index is above 1, and fails where this method does not take it (pencil.h). WARPLU_MODEL_EQUATIONS;
 * WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status wlm_derived_check_index(const wlm_derived *derived, wlm_method method, int *is_higher);
/* Fails with WARPLU_MODEL_EQUATIONS and the row unless M is constant, and no charge depends on time itself. */
warplu_status wlm_derived_needs_constant(const wlm_derived *derived, const char *method);
/* Fails alike unless M is constant and diagonal without zeros. */
warplu_status wlm_derived_needs_diagonal(const wlm_derived *derived, const char *method);

#endif
