/* Checks what needs the whole text: that something is added to every balance, and that names to watch exist. */
#include <stdio.h>
#include <string.h>

#include "model/text/statements.h"

/* Marks the nodes of a set's quantity that a use adds to. */
static void mark(const wlm_model *model, const wlm_use *use, int32_t set, int32_t quantity, unsigned char *reached)
{
    const wlm_kind *kind = &model->kind[use->kind];
    for (int32_t c = 0; c < kind->contributions; c++) {
        int32_t q = kind->contribution[c].quantity, port = kind->port_quantity[q].port;
        if (use->set[port] != set || use->quantity[q] != quantity) continue;
        for (int32_t k = 0; k < use->count; k++) reached[use->node[port][k]] = 1;
    }
}

static void check_balance(wlm_reading *r, int32_t s, int32_t q)
{
    const wlm_model *model = r->model;
    const wlm_set *set = &model->set[s];
    int32_t node = 0;
    unsigned char *reached = WLU_CALLOC(r->ctx, set->count, unsigned char);
    if (reached == NULL) {
        wlm_fail_taking(r);
        return;
    }
    for (int32_t u = 0; u < model->uses; u++) mark(model, &model->use[u], s, q, reached);
    while (node < set->count && reached[node]) node++;
    wlu_free(r->ctx, reached);
    if (node < set->count)
        wlm_fail_at(r, WARPLU_MODEL_EQUATIONS, set->quantity[q].place,
                    "nothing is added to balance %.40s[%d].%.40s, which has no equation then", set->name, node,
                    set->quantity[q].name);
}

void wlm_check_balances(wlm_reading *r)
{
    for (int32_t s = 0; s < r->model->sets; s++)
        for (int32_t q = 0; q < r->model->set[s].quantities && r->status == WARPLU_SUCCESS; q++)
            if (r->model->set[s].quantity[q].type == WLM_BALANCE) check_balance(r, s, q);
}

void wlm_check_cfl(wlm_reading *r)
{
    if (r->model->run.cfl > 0.0 && !wlm_model_has_limits(r->model))
        wlm_fail_at(r, WARPLU_BAD_FORMAT, r->model->run.place,
                    "expected an element with a line 'limit ...' that is used, for 'cfl' is times the least limit");
}

/* Returns 1 where the known name is the wanted one; offers it to `nearest`. */
static int sees(wlm_nearest *nearest, const char *known)
{
    wlm_nearest_try(nearest, known);
    return wlm_word_is(nearest->wanted, known);
}

/* Returns 1 where an element has the wanted name, and it can be watched. */
static int has_name(const wlm_kind *kind, wlm_nearest *nearest)
{
    int found = 0;
    for (int32_t k = 0; k < kind->states; k++) found |= sees(nearest, kind->state[k].name);
    for (int32_t k = 0; k < kind->unknowns; k++) found |= sees(nearest, kind->unknown[k].name);
    for (int32_t k = 0; k < kind->locals; k++) found |= sees(nearest, kind->local[k].name);
    return found;
}

static int has_quantity(const wlm_set *set, wlm_nearest *nearest)
{
    int found = 0;
    for (int32_t k = 0; k < set->quantities; k++) found |= sees(nearest, set->quantity[k].name);
    return found;
}

static int has_instances(wlm_global_type type)
{
    return type == WLM_GLOBAL_KIND || type == WLM_GLOBAL_SET;
}

/* Finds the element or set that is watched; NULL after a failure. */
static const wlm_global *owner_of(wlm_reading *r, const wlm_tree *tree)
{
    int32_t k = wlm_names_find(&r->names, tree->name.text, tree->name.length);
    if (k >= 0 && has_instances(r->global[k].type)) return &r->global[k];
    wlm_nearest nearest;
    wlm_nearest_init(&nearest, tree->name);
    for (k = 0; k < r->names.count; k++)
        if (has_instances(r->global[k].type)) wlm_nearest_try(&nearest, r->names.name[k]);
    wlm_fail_at(r, WARPLU_BAD_FORMAT, tree->place, "'%.*s' is no element and no set of nodes%s", WLM_SHOWN(tree->name),
                wlm_nearest_text(&nearest));
    return NULL;
}

/* Counts the instances or nodes of the owner. */
static int64_t count_of(const wlm_model *model, const wlm_global *owner)
{
    int64_t count = 0;
    if (owner->type == WLM_GLOBAL_SET) return model->set[owner->index].count;
    for (int32_t u = 0; u < model->uses; u++)
        if (model->use[u].kind == owner->index) count += model->use[u].count;
    return count;
}

/* Evaluates the numbers of the watched instances or nodes, of which there are `count`; -1 where there is one alone. */
static void find_range(wlm_reading *r, const wlm_asked_for *watched, int64_t count, int64_t *first, int64_t *last)
{
    const wlm_tree *tree = watched->tree;
    wlm_builder b = {.r = r, .where = "the number of what to watch"};
    *first = *last = -1;
    if (count == 0)
        wlm_fail_at(r, WARPLU_BAD_FORMAT, tree->place, "element '%.*s' is not used", WLM_SHOWN(tree->name));
    else if (tree->index == NULL && count > 1)
        wlm_fail_at(r, WARPLU_BAD_FORMAT, tree->place,
                    "expected a number from 0 to %lld behind '%.*s', for there are several", (long long)count - 1,
                    WLM_SHOWN(tree->name));
    else if (watched->is_sum && watched->last == NULL)
        wlm_fail_at(r, WARPLU_BAD_FORMAT, tree->place, "expected a range behind 'sum %.*s', as [0..%lld]",
                    WLM_SHOWN(tree->name), (long long)count - 1);
    if (r->status != WARPLU_SUCCESS || tree->index == NULL) return;
    *first = *last = wlm_whole_of(&b, tree->index, "the number of what to watch", 0, count - 1);
    if (watched->last != NULL)
        *last = wlm_whole_of(&b, watched->last, "the number of what to watch", *first, count - 1);
    if (count == 1 && !watched->is_sum) *first = *last = -1;
}

/* Adds a name to what is watched; number -1: of the only instance or node. Of a sum `last` is where its range ends. */
static int add_watch(wlm_reading *r, const wlm_asked_for *watched, wlm_word name, int64_t number, int64_t last)
{
    wlm_model *model = r->model;
    wlm_word owner = watched->tree->name;
    int64_t room = (int64_t)owner.length + name.length + 64;
    char *text = wlm_take_for(r, r->kept, room, 1);
    if (text == NULL || !wlm_more_for(r, r->kept, &model->watch, model->watches, sizeof *model->watch)) return 0;
    if (watched->is_sum)
        snprintf(text, (size_t)room, "sum %.*s[%lld..%lld].%.*s", owner.length, owner.text, (long long)number,
                 (long long)last, name.length, name.text);
    else if (number < 0)
        snprintf(text, (size_t)room, "%.*s.%.*s", owner.length, owner.text, name.length, name.text);
    else
        snprintf(text, (size_t)room, "%.*s[%lld].%.*s", owner.length, owner.text, (long long)number, name.length,
                 name.text);
    model->watch[model->watches++] = (wlm_watch){text, watched->place};
    return 1;
}

static void check_watch(wlm_reading *r, const wlm_asked_for *watched)
{
    const wlm_tree *tree = watched->tree;
    wlm_model *model = r->model;
    wlm_builder b = {.r = r, .where = "the number of what to watch"};
    int64_t number, last;
    const wlm_global *owner = owner_of(r, tree);
    if (owner == NULL) return;
    wlm_word name = wlm_name_of(&b, tree->quantity);
    find_range(r, watched, count_of(model, owner), &number, &last);
    if (r->status != WARPLU_SUCCESS) return;
    wlm_nearest nearest;
    wlm_nearest_init(&nearest, name);
    int is_set = owner->type == WLM_GLOBAL_SET;
    if (!(is_set ? has_quantity(&model->set[owner->index], &nearest) : has_name(&model->kind[owner->index], &nearest)))
        wlm_fail_at(r, WARPLU_BAD_FORMAT, tree->quantity->place, "'%.*s' is no %s %.*s that can be watched%s",
                    WLM_SHOWN(name), is_set ? "quantity of nodes" : "state, unknown or definition of element",
                    WLM_SHOWN(tree->name), wlm_nearest_text(&nearest));
    if (r->status == WARPLU_SUCCESS && watched->is_sum)
        add_watch(r, watched, name, number, last);
    else
        while (r->status == WARPLU_SUCCESS && number <= last && add_watch(r, watched, name, number, last)) number++;
}

void wlm_check_watches(wlm_reading *r)
{
    for (int32_t k = 0; k < r->watches && r->status == WARPLU_SUCCESS; k++) check_watch(r, &r->watched[k]);
}
