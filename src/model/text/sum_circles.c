/* Checks that no sum of nodes depends on itself: a graph with an edge from each sum to those that contributions to it
 * read is searched in depth, with a stack of its own, so that a chain of any length does not exhaust the thread's.
 * Cost: a mark of the nodes of each contribution to a sum, and O(contributions that read sums). */
#include <string.h>

#include "model/text/statements.h"

/* The graph. Sums are numbered set by set, quantity by quantity, node by node. */
typedef struct sums {
    wlm_reading *r;
    const wlm_model *model;
    int32_t **first; /* [set][quantity]: the number of its first sum; -1 where it is no sum */
    int32_t count;
    int64_t edges;
    int64_t *ptr; /* count + 1: where each sum's edges begin */
    int32_t *idx;
    unsigned char *open; /* for each sum: 1 on the path, 2 done */
    int32_t *stack;
    int64_t *at; /* for each sum on the stack: the next edge */
} sums;

static int number_sums(sums *s)
{
    const wlm_model *model = s->model;
    int64_t count = 0;
    s->first = wlm_take_for(s->r, &s->r->scratch, model->sets, sizeof *s->first);
    for (int32_t k = 0; s->first != NULL && k < model->sets; k++) {
        s->first[k] = wlm_take_for(s->r, &s->r->scratch, model->set[k].quantities, sizeof **s->first);
        if (s->first[k] == NULL) return 0;
        for (int32_t q = 0; q < model->set[k].quantities; q++) {
            int is_sum = model->set[k].quantity[q].type == WLM_SUM;
            s->first[k][q] = is_sum ? (int32_t)count : -1;
            count += is_sum ? model->set[k].count : 0;
        }
    }
    s->count = (int32_t)count; /* it fits, for values are bounded */
    return s->first != NULL;
}

/* Returns the first sum of the set that a use's port quantity is bound to, or -1. */
static int32_t first_of(const sums *s, const wlm_use *use, int32_t quantity)
{
    const wlm_kind *kind = &s->model->kind[use->kind];
    return s->first[use->set[kind->port_quantity[quantity].port]][use->quantity[quantity]];
}

static int32_t sum_at(const sums *s, const wlm_use *use, int32_t quantity, int32_t instance)
{
    const wlm_kind *kind = &s->model->kind[use->kind];
    return first_of(s, use, quantity) + use->node[kind->port_quantity[quantity].port][instance];
}

typedef void edge_fn(sums *s, int32_t from, int32_t to);

static void count_edge(sums *s, int32_t from, int32_t to)
{
    (void)to;
    s->ptr[from + 1]++;
    s->edges++;
}

/* Adds an edge. Rows are filled from their ends; once all are full, ptr[k + 1] is where row k begins. */
static void put_edge(sums *s, int32_t from, int32_t to)
{
    s->idx[--s->ptr[from + 1]] = to;
}

/* Visits the edges of a contribution: from its sum to each sum that it reads, for all instances. */
static void visit_contribution(sums *s, const wlm_use *use, const wlm_contribution *c, edge_fn *edge)
{
    const wlm_kind *kind = &s->model->kind[use->kind];
    unsigned char *reads = WLU_ALLOC(s->r->ctx, kind->leaves, unsigned char);
    if (reads == NULL || wlm_graph_reads(kind->graph, &c->flow, 1, kind->leaves, reads) != WARPLU_SUCCESS)
        wlm_fail_taking(s->r);
    for (int32_t k = 0; k < kind->leaves && s->r->status == WARPLU_SUCCESS; k++) {
        const wlm_leaf *leaf = &kind->leaf[k];
        if (!reads[k] || leaf->type != WLM_LEAF_PORT || first_of(s, use, leaf->index) < 0) continue;
        for (int32_t i = 0; i < use->count; i++)
            edge(s, sum_at(s, use, c->quantity, i), sum_at(s, use, leaf->index, i));
    }
    wlu_free(s->r->ctx, reads);
}

static void visit(sums *s, edge_fn *edge)
{
    for (int32_t u = 0; u < s->model->uses; u++) {
        const wlm_use *use = &s->model->use[u];
        const wlm_kind *kind = &s->model->kind[use->kind];
        for (int32_t c = 0; c < kind->contributions && s->r->status == WARPLU_SUCCESS; c++)
            if (first_of(s, use, kind->contribution[c].quantity) >= 0)
                visit_contribution(s, use, &kind->contribution[c], edge);
    }
}

static void fail_circle(const sums *s, int32_t sum)
{
    for (int32_t k = 0; k < s->model->sets; k++)
        for (int32_t q = 0; q < s->model->set[k].quantities; q++) {
            const wlm_set *set = &s->model->set[k];
            int32_t node = sum - s->first[k][q];
            if (s->first[k][q] < 0 || node < 0 || node >= set->count) continue;
            wlm_fail_at(s->r, WARPLU_BAD_FORMAT, set->quantity[q].place,
                        "expected sums without a circle, found that %.40s[%d].%.40s needs itself", set->name, (int)node,
                        set->quantity[q].name);
        }
}

static void search(sums *s, int32_t from)
{
    int32_t depth = 0;
    s->stack[0] = from;
    s->at[0] = s->ptr[from];
    s->open[from] = 1;
    while (depth >= 0) {
        int32_t sum = s->stack[depth];
        if (s->at[depth] == s->ptr[sum + 1]) {
            s->open[sum] = 2;
            depth--;
            continue;
        }
        int32_t next = s->idx[s->at[depth]++];
        if (s->open[next] == 1) {
            fail_circle(s, next);
            return;
        }
        if (s->open[next] == 2) continue;
        s->open[next] = 1;
        s->stack[++depth] = next;
        s->at[depth] = s->ptr[next];
    }
}

static void search_all(sums *s)
{
    wlm_arena *scratch = &s->r->scratch;
    s->idx = wlm_take_for(s->r, scratch, s->edges, sizeof *s->idx);
    s->open = wlm_take_for(s->r, scratch, s->count, 1);
    s->stack = wlm_take_for(s->r, scratch, s->count, sizeof *s->stack);
    s->at = wlm_take_for(s->r, scratch, s->count, sizeof *s->at);
    if (s->r->status != WARPLU_SUCCESS) return;
    memset(s->open, 0, (size_t)s->count);
    for (int32_t k = 0; k < s->count; k++) s->ptr[k + 1] += s->ptr[k];
    visit(s, put_edge);
    memmove(s->ptr, s->ptr + 1, (size_t)s->count * sizeof *s->ptr);
    s->ptr[s->count] = s->edges;
    for (int32_t k = 0; k < s->count && s->r->status == WARPLU_SUCCESS; k++)
        if (s->open[k] == 0) search(s, k);
}

void wlm_check_sums(wlm_reading *r)
{
    sums s = {.r = r, .model = r->model};
    if (r->status != WARPLU_SUCCESS || !number_sums(&s) || s.count == 0) return;
    s.ptr = wlm_take_for(r, &r->scratch, (int64_t)s.count + 1, sizeof *s.ptr);
    if (s.ptr == NULL) return;
    memset(s.ptr, 0, ((size_t)s.count + 1) * sizeof *s.ptr);
    visit(&s, count_edge);
    if (r->status == WARPLU_SUCCESS && s.edges > 0) search_all(&s);
}
