/* Finds rows of a small system whose charges depend on those of others, and makes algebraic equations of them. What
 * holds at one state is asked again at others: rows whose dependence changes keep their charges. */
#include "model/method/pencil.h"
#include "model/method/rank.h"
#include "model/step/derived.h"

/* Whether each row has the charge of its own unknown alone, as rates of states have; then that is held. */
static int are_plain(wlm_derived *d)
{
    const wlm_jacobian *m = &d->m;
    int plain = 1;
    for (int32_t i = 0; i < d->n; i++) {
        const int32_t count = m->ptr[i + 1] - m->ptr[i];
        d->held[i] = count == 1 && m->idx[m->ptr[i]] == i;
        plain &= d->held[i] || d->q[i] == WLM_NONE;
    }
    return plain;
}

/* Row r less the sum of those that it depends on. term, by: room for as many. */
static warplu_status make_algebraic(wlm_derived *d, const wlm_dependences *dependences, int32_t k, wlm_node *term,
                                    double *by)
{
    const int32_t r = dependences->row[k], first = dependences->ptr[k], count = 1 + dependences->ptr[k + 1] - first;
    wlm_jacobian by_time = {0};
    wlm_node q = WLM_NONE;
    for (int32_t e = 0; e < count; e++) by[e] = e == 0 ? 1.0 : -dependences->by[first + e - 1];
    for (int32_t e = 0; e < count; e++) term[e] = d->q[e == 0 ? r : dependences->of[first + e - 1]];
    warplu_status status = wlm_graph_sum(d->graph, term, by, count, &q);
    for (int32_t e = 0; e < count; e++) term[e] = d->f[e == 0 ? r : dependences->of[first + e - 1]];
    if (status == WARPLU_SUCCESS) status = wlm_graph_sum(d->graph, term, by, count, &d->f[r]);
    if (status == WARPLU_SUCCESS) status = wlm_derive(d->graph, &q, 1, 0, 1, &by_time);
    const wlm_node rate = status == WARPLU_SUCCESS ? wlm_jacobian_at(&by_time, 0, 0) : WLM_NONE;
    if (rate != WLM_NONE) d->f[r] = wlm_binary(d->graph, WLM_SUB, d->f[r], rate);
    wlm_jacobian_free(d->ctx, &by_time);
    d->q[r] = WLM_NONE;
    return status;
}

static warplu_status make_all_algebraic(wlm_derived *d, double *value, int *changed)
{
    wlm_dependences dependences = {0};
    const wlm_rows m = {d->n, d->m.ptr, d->m.idx, value};
    const int32_t entries = d->m.ptr[d->n];
    warplu_status status = wlm_derived_evaluate(d, d->m.node, entries, 0, value);
    if (status == WARPLU_SUCCESS) status = wlm_rank_find(d->ctx, &m, &dependences, d->held);
    for (int k = 1; k < WLM_PENCIL_STATES && status == WARPLU_SUCCESS && dependences.count > 0; k++) {
        status = wlm_derived_evaluate(d, d->m.node, entries, k, value);
        if (status == WARPLU_SUCCESS) status = wlm_rank_keep(d->ctx, &m, &dependences);
    }
    *changed = status == WARPLU_SUCCESS && dependences.count > 0;
    wlm_node *term = WLU_ALLOC(d->ctx, d->n, wlm_node);
    double *by = WLU_ALLOC(d->ctx, d->n, double);
    if (term == NULL || by == NULL) status = wlu_fail_memory(d->ctx, "step");
    for (int32_t k = 0; k < dependences.count && status == WARPLU_SUCCESS; k++)
        status = make_algebraic(d, &dependences, k, term, by);
    wlu_free(d->ctx, term);
    wlu_free(d->ctx, by);
    wlm_dependences_free(d->ctx, &dependences);
    return status;
}

warplu_status wlm_derived_find_dependent(wlm_derived *d, int *changed)
{
    *changed = 0;
    if (are_plain(d)) return WARPLU_SUCCESS;
    double *value = WLU_ALLOC(d->ctx, d->m.ptr[d->n], double);
    warplu_status status = value == NULL ? wlu_fail_memory(d->ctx, "step") : make_all_algebraic(d, value, changed);
    wlu_free(d->ctx, value);
    return status;
}
