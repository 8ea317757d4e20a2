/* Steps cells in a network: kinds with states step by themselves, while nodes stay; what they add to nodes enters one
 * system with the other kinds' linear contributions, whose matrix is constant:
 *
 *     (M - h A) change = h (reactions(y) + coupling(y)),
 *
 * which is Godunov's splitting, in one solve. Rows without charges hold at the end of a step. One factorization serves
 * as long as h stays. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/finite.h"
#include "model/system/stepping.h"

/* Lengths of steps that differ by less than this part are equal but for rounding. */
static const double SAME = 1e-9;

/* The work vectors. */
enum { REACTION, COUPLING, RIGHT, WIDE };

/* ------------------------------------------------------------------- making */

static warplu_status check_kinds(const wlm_transient *s)
{
    const wlm_model *model = s->model;
    for (int32_t set = 0; set < model->sets; set++)
        for (int32_t q = 0; q < model->set[set].quantities; q++)
            if (model->set[set].quantity[q].type == WLM_SUM)
                return wlu_fail(s->ctx, WARPLU_MODEL_EQUATIONS,
                                "line " WLM_LINE_FORMAT ": split does not go with sums, as %s",
                                WLM_LINE(model->set[set].quantity[q].place), model->set[set].quantity[q].name);
    for (int32_t u = 0; u < model->uses; u++) {
        const wlm_kind *kind = &model->kind[model->use[u].kind];
        if (kind->states > 0 && kind->unknowns > 0)
            return wlu_fail(s->ctx, WARPLU_MODEL_EQUATIONS,
                            "line " WLM_LINE_FORMAT ": split does not go with %s, which has both states and "
                            "unknowns",
                            WLM_LINE(kind->place), kind->name);
    }
    return WARPLU_SUCCESS;
}

static warplu_status make_systems(wlm_transient *s)
{
    const wlm_model *model = s->model;
    unsigned char *cells = WLU_ALLOC(s->ctx, model->uses, unsigned char);
    unsigned char *others = WLU_ALLOC(s->ctx, model->uses, unsigned char);
    warplu_status status = cells == NULL || others == NULL ? wlu_fail_memory(s->ctx, "steps") : WARPLU_SUCCESS;
    for (int32_t u = 0; u < model->uses && status == WARPLU_SUCCESS; u++) {
        cells[u] = model->kind[model->use[u].kind].states > 0;
        others[u] = !cells[u];
    }
    wlm_system_options o;
    wlm_system_options_init(&o);
    o.threads = s->options.threads;
    o.isa = s->options.isa;
    o.check = s->options.check;
    o.updates = 1;
    o.taken = cells;
    o.number_all = 1;
    if (status == WARPLU_SUCCESS) status = wlm_system_create(s->ctx, model, &o, &s->system);
    o.updates = 0;
    o.number_all = 0;
    o.derivatives = 1;
    o.node_diagonals = 1;
    o.constant = 1;
    o.taken = others;
    if (status == WARPLU_SUCCESS) status = wlm_system_create(s->ctx, model, &o, &s->coupling);
    wlu_free(s->ctx, cells);
    wlu_free(s->ctx, others);
    return status;
}

/* Copies between the whole numbering and the coupling's: nodes are the same, unknowns of instances move by blocks. */
static void exchange(const wlm_transient *s, double *whole, double *part, int into_part)
{
    const wlm_layout *l = s->layout, *c = s->coupling->layout;
    for (int32_t b = l->node_blocks; b < l->blocks; b++) {
        size_t bytes = (size_t)c->block[b].count * sizeof(double);
        if (bytes == 0) continue;
        double *at = whole + l->block[b].first, *to = part + c->block[b].first;
        memcpy(into_part ? to : at, into_part ? at : to, bytes);
    }
    size_t nodes = (size_t)l->node_n * sizeof(double);
    if (nodes > 0) memcpy(into_part ? part : whole, into_part ? whole : part, nodes);
}

/* Returns 1 where the coupling's steps need its constant part alone. */
static int is_plain(const wlm_transient *s)
{
    const wlm_system *c = s->coupling;
    for (int32_t i = 0; i < c->layout->n; i++)
        if (c->dynamic[i]) return 0;
    for (int32_t u = 0; u < c->values.uses; u++)
        for (int32_t k = 0; k < c->values.bank[u].inputs; k++)
            if (c->values.bank[u].input[k].source == WLM_SOURCE_TIME) return 0;
    return 1;
}

warplu_status wlm_split_create(wlm_transient *s)
{
    warplu_status status = check_kinds(s);
    if (status == WARPLU_SUCCESS) status = make_systems(s);
    if (status != WARPLU_SUCCESS) return status;
    const wlm_kind *kind = wlm_system_varies(s->coupling);
    if (kind != NULL)
        return wlu_fail(s->ctx, WARPLU_MODEL_EQUATIONS,
                        "line " WLM_LINE_FORMAT ": split takes kinds without states that are linear in their "
                        "nodes, with constant coefficients, which %s is not",
                        WLM_LINE(kind->place), kind->name);
    s->layout = s->system->layout;
    s->n = s->layout->n;
    s->plain = is_plain(s);
    int32_t nc = s->coupling->layout->n;
    status = wlm_transient_make_room(s, WIDE + 1, s->n > nc ? s->n : nc, s->coupling->pattern.ptr[nc]);
    if (status == WARPLU_SUCCESS) status = wlm_system_mass(s->system, s->mass);
    if (status == WARPLU_SUCCESS && s->plain)
        wlm_system_evaluate(s->coupling, 0.0, s->work[WIDE], s->work[COUPLING], NULL);
    if (status == WARPLU_SUCCESS) status = wlm_system_initial(s->coupling, s->work[WIDE]);
    if (status == WARPLU_SUCCESS) status = wlm_system_initial(s->system, s->y);
    if (status == WARPLU_SUCCESS) exchange(s, s->y, s->work[WIDE], 0);
    return status;
}

/* -------------------------------------------------------------------- steps */

static warplu_status factor(wlm_transient *s, double h)
{
    if (s->factored_h > 0.0 && fabs(h - s->factored_h) <= SAME * h) return WARPLU_SUCCESS;
    wlm_system *c = s->coupling;
    s->factored_h = 0.0;
    wlm_system_stamp(c, s->t, s->work[WIDE], 1.0, -h, s->work[RIGHT], NULL, s->values);
    for (int32_t i = 0; i < s->layout->node_n; i++) s->values[c->pattern.diagonal[i]] += s->mass[i];
    int64_t begin = wlu_now_ns();
    warplu_status status = warplu_refactor(c->solver, s->values);
    s->statistics.factor_ns += (double)(wlu_now_ns() - begin);
    if (status < 0) return wlu_fail(s->ctx, status, "t = %.6g: %s", s->t, warplu_get_message(c->solver));
    s->factored_h = h;
    return WARPLU_SUCCESS;
}

/* Names the first row that is not finite, and the cell that adds most to it. */
static warplu_status say_not_finite(const wlm_transient *s, const double *right)
{
    char name[200], element[200];
    int32_t i = 0;
    while (wlu_all_finite(&right[i], 1)) i++;
    wlm_system_describe(s->coupling, i, name, sizeof name);
    wlm_system_blame(s->system, i, element, sizeof element);
    return wlu_fail(s->ctx, WARPLU_NOT_FINITE, "t = %.6g: what is added to %s is not finite%s%s", s->t, name,
                    element[0] != '\0' ? ", from " : "", element);
}

/* Makes the right-hand side whose solution is the change. */
static void weigh_change(wlm_transient *s, double h, const double *y, const double *f)
{
    wlm_system *c = s->coupling;
    double *right = s->work[RIGHT], *own = s->work[COUPLING];
    wlm_system_evaluate(c, wlm_stage_time(s, s->t + h), y, own, NULL);
    int32_t nodes = s->layout->node_n;
    for (int32_t i = 0; i < nodes; i++) right[i] = h * (own[i] + f[i]);
    for (int32_t i = nodes; i < c->layout->n; i++) right[i] = h * own[i];
}

/* Makes the right-hand side whose solution is the end of the step. The coupling has no charges and no time then: its
 * constant part stands in work[COUPLING], and it need not be evaluated. */
static void weigh_result(wlm_transient *s, double h, const double *y, const double *f)
{
    double *right = s->work[RIGHT];
    const double *constant = s->work[COUPLING];
    int32_t nodes = s->layout->node_n;
    for (int32_t i = 0; i < nodes; i++) right[i] = s->mass[i] * y[i] + h * (constant[i] + f[i]);
    for (int32_t i = nodes; i < s->coupling->layout->n; i++) right[i] = h * constant[i];
}

/* Steps the coupling's unknowns y linearly by h, with f of nodes from the cells. */
static warplu_status couple(wlm_transient *s, double h, double *y, const double *f)
{
    wlm_system *c = s->coupling;
    double *right = s->work[RIGHT];
    int64_t begin = wlu_now_ns();
    if (s->plain)
        weigh_result(s, h, y, f);
    else
        weigh_change(s, h, y, f);
    s->statistics.evaluate_ns += (double)(wlu_now_ns() - begin);
    if (!wlu_all_finite(right, c->layout->n)) return say_not_finite(s, right);
    wlm_drop_tiny(right, c->layout->n);
    begin = wlu_now_ns();
    warplu_status status = warplu_solve(c->solver, 1, right, c->layout->n, s->plain ? y : right, c->layout->n);
    s->statistics.solve_ns += (double)(wlu_now_ns() - begin);
    if (status < 0) return wlu_fail(s->ctx, status, "t = %.6g: %s", s->t, warplu_get_message(c->solver));
    if (status == WARPLU_INACCURATE || status == WARPLU_UNCHECKED)
        return wlu_fail(s->ctx, WARPLU_NO_CONVERGENCE, "t = %.6g: the network's solution is not accurate: %s", s->t,
                        warplu_get_message(c->solver));
    for (int32_t i = 0; !s->plain && i < c->layout->n; i++) y[i] += right[i];
    return WARPLU_SUCCESS;
}

/* Steps cells from y, with nodes that stay, into next, and f of nodes into work[REACTION]. 1 where states are
 * finite. */
static int react(wlm_transient *s, double h)
{
    int64_t begin = wlu_now_ns();
    const wlm_finish none = {0};
    int finite = wlm_system_update(s->system, wlm_stage_time(s, s->t), h, s->y, &none, s->work[REACTION], s->next);
    s->statistics.evaluate_ns += (double)(wlu_now_ns() - begin);
    return finite;
}

warplu_status wlm_step_split(wlm_transient *s, double h, double *norm)
{
    double *part = s->work[WIDE];
    *norm = 0.0;
    exchange(s, s->y, part, 1);
    warplu_status status = factor(s, h);
    if (status != WARPLU_SUCCESS) return status;
    int finite = react(s, h);
    status = couple(s, h, part, s->work[REACTION]);
    if (status != WARPLU_SUCCESS) return status;
    exchange(s, s->next, part, 0);
    return wlm_transient_judge(s, finite && s->coupling->layout->n == s->layout->node_n);
}
