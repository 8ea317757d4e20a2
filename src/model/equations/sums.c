/* Makes the quantities that are sums, each once all that its contributions need is known. Contributions are added in
 * the order of uses and instances. Cost: the nodes of what is added, for each round; there are as many rounds as the
 * longest chain has sums that need each other. */
#include <string.h>

#include "model/equations/flatten.h"

static int is_sum(const wlm_flat *f, const wlm_use *use, int32_t port_quantity)
{
    const wlm_kind *kind = &f->model->kind[use->kind];
    const wlm_set *set = &f->model->set[use->set[kind->port_quantity[port_quantity].port]];
    return set->quantity[use->quantity[port_quantity]].type == WLM_SUM;
}

/* Returns 1 where all sums that a flow of this instance reads are known. */
static int is_ready(const wlm_flat *f, const wlm_use *use, int32_t instance, const unsigned char *reads)
{
    const wlm_kind *kind = &f->model->kind[use->kind];
    for (int32_t k = 0; k < kind->leaves; k++)
        if (reads[k] && kind->leaf[k].type == WLM_LEAF_PORT &&
            f->value[wlm_flat_place(f, use, instance, kind->leaf[k].index)] == WLM_NONE)
            return 0;
    return 1;
}

/* Adds one contribution of all instances; `waits` gets a 1 where a sum is not complete this round. */
static warplu_status add_contribution(wlm_flat *f, int32_t number, int32_t which, unsigned char *waits)
{
    const wlm_use *use = &f->model->use[number];
    const wlm_kind *kind = &f->model->kind[use->kind];
    const wlm_contribution *c = &kind->contribution[which];
    unsigned char *reads = WLU_ALLOC(f->ctx, kind->leaves, unsigned char);
    warplu_status status = reads == NULL ? wlu_fail_memory(f->ctx, "equations")
                                         : wlm_graph_reads(kind->graph, &c->flow, 1, kind->leaves, reads);
    for (int32_t k = 0; k < use->count && status == WARPLU_SUCCESS; k++) {
        int32_t place = wlm_flat_place(f, use, k, c->quantity);
        if (f->value[place] != WLM_NONE || c->flow == WLM_NONE) continue;
        if (!is_ready(f, use, k, reads)) {
            waits[place] = 1;
            continue;
        }
        wlm_node flow;
        wlm_flat_bind(f, number, k);
        status = wlm_graph_copy(kind->graph, f->e->graph, f->inputs, kind->leaves, &c->flow, 1, &flow);
        if (status == WARPLU_SUCCESS) f->sum[place] = wlm_flat_add(f->e->graph, f->sum[place], flow);
    }
    wlu_free(f->ctx, reads);
    return status;
}

/* Does one round; *made is the number of sums that became known, *left of those that are not. */
static warplu_status round_of_sums(wlm_flat *f, unsigned char *waits, int32_t *made, int32_t *left)
{
    const wlm_model *m = f->model;
    warplu_status status = WARPLU_SUCCESS;
    memset(waits, 0, (size_t)f->places);
    for (int32_t i = 0; i < f->places; i++) f->sum[i] = WLM_NONE;
    for (int32_t u = 0; u < m->uses && status == WARPLU_SUCCESS; u++)
        for (int32_t c = 0; c < m->kind[m->use[u].kind].contributions && status == WARPLU_SUCCESS; c++)
            if (is_sum(f, &m->use[u], m->kind[m->use[u].kind].contribution[c].quantity))
                status = add_contribution(f, u, c, waits);
    *made = *left = 0;
    for (int32_t i = 0; i < f->places; i++) {
        if (f->value[i] != WLM_NONE) continue;
        *left += waits[i];
        *made += !waits[i];
        if (!waits[i]) f->value[i] = f->sum[i] != WLM_NONE ? f->sum[i] : wlm_constant(f->e->graph, 0.0);
    }
    return status;
}

warplu_status wlm_flat_sums(wlm_flat *f)
{
    unsigned char *waits = wlm_take(&f->scratch, f->places, 1);
    if (waits == NULL) return wlu_fail_memory(f->ctx, "equations");
    int32_t made = 1, left = 1;
    warplu_status status = WARPLU_SUCCESS;
    while (status == WARPLU_SUCCESS && made > 0 && left > 0) status = round_of_sums(f, waits, &made, &left);
    if (status == WARPLU_SUCCESS && left > 0)
        status = wlu_fail(f->ctx, WARPLU_BAD_FORMAT, "equations: %d sums depend on each other in a circle", left);
    for (int32_t i = 0; i < f->places; i++) f->sum[i] = WLM_NONE;
    return status;
}
