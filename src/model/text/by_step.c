/* Notes where the length of the step is read, and refuses events, charges and limits that need it: they are asked for
 * beside steps, or at their ends alone. They may need it in themselves, or by sums whose contributions do. Cost:
 * nothing where no element that is used reads the length; else a look at each flow for each sum of a chain that need
 * each other. */
#include <string.h>

#include "model/text/statements.h"

typedef struct by_step {
    wlm_reading *r;
    const wlm_model *model;
    unsigned char **sum; /* [set][quantity]: 1 of sums that need the length */
    unsigned char *reads;
} by_step;

/* Returns the mark of what a use's port quantity is bound to. */
static unsigned char *mark_of(const by_step *s, const wlm_use *use, int32_t quantity)
{
    const wlm_kind *kind = &s->model->kind[use->kind];
    return &s->sum[use->set[kind->port_quantity[quantity].port]][use->quantity[quantity]];
}

/* Returns 1 where a node of the use's kind needs the length. */
static int needs_step(by_step *s, const wlm_use *use, wlm_node node)
{
    const wlm_kind *kind = &s->model->kind[use->kind];
    if (node == WLM_NONE || s->r->status != WARPLU_SUCCESS) return 0;
    if (wlm_graph_reads(kind->graph, &node, 1, kind->leaves, s->reads) != WARPLU_SUCCESS) wlm_fail_taking(s->r);
    for (int32_t k = 0; k < kind->leaves && s->r->status == WARPLU_SUCCESS; k++) {
        const wlm_leaf *leaf = &kind->leaf[k];
        if (!s->reads[k]) continue;
        if (leaf->type == WLM_LEAF_STEP || (leaf->type == WLM_LEAF_PORT && *mark_of(s, use, leaf->index))) return 1;
    }
    return 0;
}

/* Marks the sums that contributions of a use make need the length. Returns 1 where one is new. */
static int mark_sums(by_step *s, const wlm_use *use)
{
    const wlm_kind *kind = &s->model->kind[use->kind];
    int is_new = 0;
    for (int32_t c = 0; c < kind->contributions; c++) {
        const wlm_contribution *to = &kind->contribution[c];
        const wlm_set *set = &s->model->set[use->set[kind->port_quantity[to->quantity].port]];
        unsigned char *mark = mark_of(s, use, to->quantity);
        if (*mark || set->quantity[use->quantity[to->quantity]].type != WLM_SUM) continue;
        *mark = (unsigned char)needs_step(s, use, to->flow);
        is_new |= *mark;
    }
    return is_new;
}

static void refuse(by_step *s, const wlm_use *use, wlm_node node, wlm_place place, const char *what)
{
    if (needs_step(s, use, node))
        wlm_fail_at(s->r, WARPLU_BAD_FORMAT, place,
                    "expected %s that does not depend on the length of the step, 'step'", what);
}

static void check_use(by_step *s, const wlm_use *use)
{
    const wlm_kind *kind = &s->model->kind[use->kind];
    for (int32_t c = 0; c < kind->contributions; c++)
        refuse(s, use, kind->contribution[c].charge, kind->contribution[c].place, "a charge");
    for (int32_t k = 0; k < kind->limits; k++) refuse(s, use, kind->limit[k].node, kind->limit[k].place, "a limit");
    for (int32_t e = 0; e < kind->events; e++) {
        const wlm_event *event = &kind->event[e];
        refuse(s, use, event->crossing, event->place, "an event");
        for (int32_t i = 0; i < event->assignments; i++) refuse(s, use, event->value[i], event->place, "an event");
    }
}

/* Notes where the length is read first. Returns 1 where it is. */
static int find_first(wlm_model *model)
{
    for (int32_t u = 0; u < model->uses && model->step.line == 0; u++)
        model->step = model->kind[model->use[u].kind].step;
    return model->step.line > 0;
}

static void make_room(by_step *s)
{
    wlm_arena *scratch = &s->r->scratch;
    int32_t leaves = 0;
    for (int32_t k = 0; k < s->model->kinds; k++)
        leaves = s->model->kind[k].leaves > leaves ? s->model->kind[k].leaves : leaves;
    s->reads = wlm_take_for(s->r, scratch, leaves, 1);
    s->sum = wlm_take_for(s->r, scratch, s->model->sets, sizeof *s->sum);
    for (int32_t k = 0; s->sum != NULL && k < s->model->sets; k++) {
        s->sum[k] = wlm_take_for(s->r, scratch, s->model->set[k].quantities, 1);
        if (s->sum[k] == NULL) return;
    }
}

void wlm_check_by_step(wlm_reading *r)
{
    by_step s = {.r = r, .model = r->model};
    if (r->status != WARPLU_SUCCESS || !find_first(r->model)) return;
    make_room(&s);
    for (int is_new = 1; is_new && r->status == WARPLU_SUCCESS;) {
        is_new = 0;
        for (int32_t u = 0; u < r->model->uses; u++) is_new |= mark_sums(&s, &r->model->use[u]);
    }
    for (int32_t u = 0; u < r->model->uses && r->status == WARPLU_SUCCESS; u++) check_use(&s, &r->model->use[u]);
}
