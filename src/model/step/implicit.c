/* Builds the parts of methods with Newton's iterations: an iteration, charges, and an error estimate; and first
 * steps. */
#include "model/step/build.h"

/* Nodes of M, J and LU at the state of the inputs. */
typedef struct point {
    wlm_node t, *y; /* the inputs of the graph */
    wlm_node *m, *j;
    wlm_lu *lu;
} point;

static void end(const wlm_step_build *b, point *p)
{
    wlm_lu_destroy(&p->lu);
    wlu_free(b->derived->ctx, p->m);
    wlu_free(b->derived->ctx, p->j);
}

static void take_inputs(const wlm_step_build *b, point *p)
{
    p->t = wlm_input(b->graph, 0);
    p->y = b->work;
    for (int32_t i = 0; i < b->n; i++) p->y[i] = wlm_input(b->graph, 1 + i);
}

static warplu_status begin(const wlm_step_build *b, wlm_node inverse, point *p)
{
    const wlm_derived *d = b->derived;
    take_inputs(b, p);
    p->m = WLU_ALLOC(d->ctx, d->m.ptr[d->n], wlm_node);
    p->j = WLU_ALLOC(d->ctx, d->j.ptr[d->n], wlm_node);
    if (p->m == NULL || p->j == NULL) return wlu_fail_memory(d->ctx, "step");
    warplu_status status = wlm_build_at(b, p->t, p->y, d->m.node, d->m.ptr[d->n], p->m);
    if (status == WARPLU_SUCCESS) status = wlm_build_at(b, p->t, p->y, d->j.node, d->j.ptr[d->n], p->j);
    return status == WARPLU_SUCCESS ? wlm_build_lu(b, p->m, p->j, inverse, &p->lu) : status;
}

/* Takes out of numbers what is of unknowns that rest: rounding of charges would move them, and they have no error. */
static void leave_out_resting(const wlm_step_build *b, wlm_node *of)
{
    for (int32_t i = 0; i < b->n; i++)
        if (b->derived->rests[i]) of[i] = WLM_NONE;
}

/* Builds a norm of unknowns that charges determine; e keeps these alone. */
static wlm_node norm_of_held(const wlm_step_build *b, const wlm_tolerance *by, wlm_node *e, const wlm_node *y,
                             const wlm_node *before)
{
    for (int32_t i = 0; i < b->n; i++)
        if (!b->derived->held[i]) e[i] = WLM_NONE;
    return wlm_build_norm(b, by, e, y, before);
}

/* Builds the norm of an iteration's change. */
static wlm_node norm_of_change(const wlm_step_build *b, int follows, wlm_node *change, const wlm_node *y)
{
    wlm_graph *g = b->graph;
    const wlm_node all = wlm_build_norm(b, b->asked, change, y, NULL);
    if (!follows) return all;
    const wlm_node part = wlm_binary(g, WLM_MUL, wlm_constant(g, WLM_TOLERANCE_OF_FOLLOWERS), all);
    return wlm_binary(g, WLM_MAX, norm_of_held(b, b->asked, change, y, NULL), part);
}

warplu_status wlm_build_newton(wlm_step_build *b, int follows)
{
    wlm_graph *g = b->graph;
    int32_t n = b->n;
    wlm_node inverse = wlm_binary(g, WLM_DIV, wlm_constant(g, 1.0), wlm_build_input(b));
    wlm_node *f = b->work + n, *q = f + n, *change = q + n;
    point p = {0};
    warplu_status status = begin(b, inverse, &p);
    if (status == WARPLU_SUCCESS) status = wlm_build_at(b, p.t, p.y, b->derived->f, n, f);
    if (status == WARPLU_SUCCESS) status = wlm_build_at(b, p.t, p.y, b->derived->q, n, q);
    for (int32_t i = 0; i < n && status == WARPLU_SUCCESS; i++) {
        wlm_node c = wlm_build_input(b);
        change[i] = f[i];
        if (q[i] != WLM_NONE) change[i] = wlm_ternary(g, WLM_FNMA, wlm_binary(g, WLM_SUB, q[i], c), inverse, f[i]);
    }
    leave_out_resting(b, change);
    if (status == WARPLU_SUCCESS) status = wlm_lu_solve(p.lu, change, change);
    if (status == WARPLU_SUCCESS) {
        for (int32_t i = 0; i < n; i++) wlm_build_output(b, wlm_binary(g, WLM_ADD, p.y[i], change[i]));
        leave_out_resting(b, change);
        wlm_build_output(b, norm_of_change(b, follows, change, p.y));
        wlm_build_output(b, p.lu->health);
        status = wlm_graph_status(g);
    }
    end(b, &p);
    return status;
}

warplu_status wlm_build_charges(wlm_step_build *b)
{
    point p = {0};
    take_inputs(b, &p);
    wlm_node *q = b->work + b->n, *f = q + b->n;
    warplu_status status = wlm_build_at(b, p.t, p.y, b->derived->q, b->n, q);
    if (status == WARPLU_SUCCESS) status = wlm_build_at(b, p.t, p.y, b->derived->f, b->n, f);
    if (status != WARPLU_SUCCESS) return status;
    for (int32_t i = 0; i < b->n; i++) wlm_build_output(b, q[i] != WLM_NONE ? q[i] : wlm_constant(b->graph, 0.0));
    for (int32_t i = 0; i < b->n; i++) wlm_build_output(b, f[i]);
    return wlm_graph_status(b->graph);
}

/* Builds what errors are beyond the rounding of charges over the step. */
static warplu_status beyond_rounding(const wlm_step_build *b, const point *p, wlm_node inverse, const wlm_node *error,
                                     wlm_node *out)
{
    wlm_graph *g = b->graph;
    const wlm_node share = wlm_binary(g, WLM_MUL, wlm_constant(g, WLM_ROUNDING_OF_CHARGES), inverse);
    warplu_status status = wlm_build_at(b, p->t, p->y, b->derived->q, b->n, out);
    for (int32_t i = 0; i < b->n && status == WARPLU_SUCCESS; i++)
        if (out[i] != WLM_NONE) out[i] = wlm_binary(g, WLM_MUL, share, out[i]);
    if (status == WARPLU_SUCCESS) status = wlm_lu_solve(p->lu, out, out);
    for (int32_t i = 0; i < b->n && status == WARPLU_SUCCESS; i++) {
        if (error[i] == WLM_NONE) out[i] = WLM_NONE;
        if (error[i] == WLM_NONE) continue;
        const wlm_node size = wlm_unary(g, WLM_ABS, error[i]);
        out[i] =
            wlm_binary(g, WLM_MAX, wlm_constant(g, 0.0), wlm_binary(g, WLM_SUB, size, wlm_unary(g, WLM_ABS, out[i])));
    }
    return status;
}

/* Builds the norm of a step where unknowns follow rates: they are measured by what was asked for, in long steps
 * alone. */
static warplu_status norm_with_followers(const wlm_step_build *b, const point *p, wlm_node inverse, wlm_node is_long,
                                         wlm_node *error, const wlm_node *before, wlm_node *norm)
{
    wlm_node *beyond = error + 2 * (int64_t)b->n;
    warplu_status status = beyond_rounding(b, p, inverse, error, beyond);
    if (status != WARPLU_SUCCESS) return status;
    const wlm_node all = wlm_build_norm(b, b->asked, beyond, p->y, before);
    *norm = norm_of_held(b, b->of_steps, error, p->y, before);
    *norm = wlm_ternary(b->graph, WLM_SELECT, is_long, wlm_binary(b->graph, WLM_MAX, all, *norm), *norm);
    return WARPLU_SUCCESS;
}

warplu_status wlm_build_estimate(wlm_step_build *b, int order, int follows)
{
    wlm_graph *g = b->graph;
    int32_t n = b->n;
    wlm_node dh = wlm_build_input(b), is_long = wlm_binary(g, WLM_LT, wlm_build_input(b), dh), norm = WLM_NONE;
    wlm_node inverse = wlm_binary(g, WLM_DIV, wlm_constant(g, 1.0), dh);
    wlm_node *error = b->work + n, *before = error + n;
    point p = {0};
    warplu_status status = begin(b, inverse, &p);
    for (int32_t i = 0; i < n; i++) {
        wlm_node e = wlm_build_input(b);
        error[i] = b->derived->q[i] != WLM_NONE ? wlm_binary(g, WLM_MUL, e, inverse) : WLM_NONE;
    }
    leave_out_resting(b, error);
    for (int32_t i = 0; i < n; i++) before[i] = wlm_build_input(b);
    if (status == WARPLU_SUCCESS) status = wlm_lu_solve(p.lu, error, error);
    if (status == WARPLU_SUCCESS) leave_out_resting(b, error);
    if (status == WARPLU_SUCCESS && follows)
        status = norm_with_followers(b, &p, inverse, is_long, error, before, &norm);
    else if (status == WARPLU_SUCCESS)
        norm = wlm_build_norm(b, b->of_steps, error, p.y, before);
    if (status == WARPLU_SUCCESS) {
        wlm_build_output(b, norm);
        wlm_build_output(b, wlm_build_factor(b, norm, order));
        wlm_build_output(b, wlm_build_health(b, p.m, p.lu));
        status = wlm_graph_status(g);
    }
    end(b, &p);
    return status;
}

/* Builds rates of those unknowns whose row has its own capacity; where that is nothing, none. */
static warplu_status slopes(const wlm_step_build *b, wlm_node t, const wlm_node *y, wlm_node *out)
{
    wlm_graph *g = b->graph;
    warplu_status status = wlm_build_at(b, t, y, b->derived->f, b->n, out);
    for (int32_t i = 0; i < b->n && status == WARPLU_SUCCESS; i++) {
        wlm_node capacity = wlm_jacobian_at(&b->derived->m, i, i);
        if (capacity == WLM_NONE || wlm_node_is(b->derived->graph, capacity, 0.0)) {
            out[i] = WLM_NONE;
            continue;
        }
        status = wlm_build_at(b, t, y, &capacity, 1, &capacity);
        if (status != WARPLU_SUCCESS) break;
        const wlm_node zero = wlm_constant(g, 0.0), is_none = wlm_binary(g, WLM_EQ, capacity, zero);
        out[i] = wlm_ternary(g, WLM_SELECT, is_none, zero, wlm_binary(g, WLM_DIV, out[i], capacity));
    }
    return status;
}

static wlm_node root(wlm_graph *g, wlm_node a, int order)
{
    return wlm_binary(g, WLM_POW, a, wlm_constant(g, 1.0 / order));
}

warplu_status wlm_build_first(wlm_step_build *b, int order)
{
    wlm_graph *g = b->graph;
    point p = {0};
    take_inputs(b, &p);
    wlm_node *slope = b->work + b->n, *moved = slope + b->n, *second = moved + b->n;
    warplu_status status = slopes(b, p.t, p.y, slope);
    if (status != WARPLU_SUCCESS) return status;
    wlm_node size = wlm_build_norm(b, b->asked, p.y, p.y, NULL);
    wlm_node rate = wlm_build_norm(b, b->asked, slope, p.y, NULL);
    wlm_node tiny = wlm_constant(g, 1e-5), hundredth = wlm_constant(g, 0.01);
    wlm_node small = wlm_binary(g, WLM_OR, wlm_binary(g, WLM_LT, size, tiny), wlm_binary(g, WLM_LT, rate, tiny));
    wlm_node h = wlm_binary(g, WLM_DIV, wlm_binary(g, WLM_MUL, hundredth, size), rate);
    h = wlm_ternary(g, WLM_SELECT, small, wlm_constant(g, 1e-6), h);
    for (int32_t i = 0; i < b->n; i++)
        moved[i] = slope[i] == WLM_NONE ? p.y[i] : wlm_ternary(g, WLM_FMA, h, slope[i], p.y[i]);
    status = slopes(b, wlm_binary(g, WLM_ADD, p.t, h), moved, second);
    if (status != WARPLU_SUCCESS) return status;
    for (int32_t i = 0; i < b->n; i++)
        if (slope[i] != WLM_NONE) second[i] = wlm_binary(g, WLM_SUB, second[i], slope[i]);
    wlm_node bend = wlm_binary(g, WLM_DIV, wlm_build_norm(b, b->asked, second, p.y, NULL), h);
    wlm_node most = wlm_binary(g, WLM_MAX, rate, bend);
    wlm_node by_order = root(g, wlm_binary(g, WLM_DIV, hundredth, most), order + 1);
    wlm_node by_size = wlm_binary(g, WLM_MAX, wlm_constant(g, 1e-6), wlm_binary(g, WLM_MUL, h, wlm_constant(g, 1e-3)));
    wlm_node next = wlm_ternary(g, WLM_SELECT, wlm_binary(g, WLM_LE, most, wlm_constant(g, 1e-15)), by_size, by_order);
    wlm_build_output(b, wlm_binary(g, WLM_MIN, next, wlm_binary(g, WLM_MUL, h, wlm_constant(g, 100.0))));
    return wlm_graph_status(g);
}
