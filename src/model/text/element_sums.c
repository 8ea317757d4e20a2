/* Reads contributions, port.quantity += sum: a term is a flow or, as ddt(...), a charge. The contributions of an
 * element to one quantity are added up in the order of their lines. */
#include "model/text/element.h"
#include "model/text/units.h"

/* The flow and the charge that the terms so far have come to. */
typedef struct sums {
    wlm_element *e;
    const wlm_scope *scope;
    wlm_node flow, charge;
} sums;

static int has_ddt(const wlm_tree *tree)
{
    if (tree->type == WLM_TREE_DDT) return 1;
    for (const wlm_tree *operand = tree->first; operand != NULL; operand = operand->next)
        if (has_ddt(operand)) return 1;
    return 0;
}

static void add_to(sums *s, wlm_node *sum, wlm_node term, wlm_node factor, int negative)
{
    wlm_graph *g = s->e->kind->graph;
    if (factor != WLM_NONE) term = wlm_binary(g, WLM_MUL, factor, term);
    if (*sum == WLM_NONE)
        *sum = negative ? wlm_unary(g, WLM_NEG, term) : term;
    else
        *sum = wlm_binary(g, negative ? WLM_SUB : WLM_ADD, *sum, term);
}

static void fail_ddt(sums *s, const wlm_tree *tree)
{
    wlm_fail_at(
        s->e->r, WARPLU_BAD_FORMAT, tree->place,
        "expected ddt(...) as a term of what is added to a node, or times parameters in one, found it elsewhere");
}

static void add_terms(sums *s, const wlm_tree *tree, wlm_node factor, int negative);

/* Adds a product that has ddt in one factor; the others depend on parameters alone. */
static void add_product(sums *s, const wlm_tree *chain, wlm_node factor, int negative)
{
    wlm_graph *g = s->e->kind->graph;
    const wlm_tree *charge = NULL;
    for (const wlm_tree *o = chain->first; o != NULL && s->e->r->status == WARPLU_SUCCESS; o = o->next) {
        int divides = o != chain->first && o->join == WLM_DIV, multiplies = o == chain->first || o->join == WLM_MUL;
        if (has_ddt(o)) {
            if (charge != NULL || !multiplies) fail_ddt(s, o);
            charge = o;
            continue;
        }
        if (!multiplies && !divides) fail_ddt(s, chain);
        wlm_node node = wlm_element_node(s->e, o, s->scope);
        wlm_element_restrict(s->e, node, WLM_MAY_PARAMETERS, o->place, "a factor of ddt(...)");
        if (divides)
            factor = wlm_binary(g, WLM_DIV, factor == WLM_NONE ? wlm_constant(g, 1.0) : factor, node);
        else
            factor = factor == WLM_NONE ? node : wlm_binary(g, WLM_MUL, factor, node);
    }
    add_terms(s, charge, factor, negative);
}

static void add_chain(sums *s, const wlm_tree *chain, wlm_node factor, int negative)
{
    int join = chain->first->next != NULL ? chain->first->next->join : WLM_ADD;
    if (join == WLM_MUL || join == WLM_DIV) {
        add_product(s, chain, factor, negative);
    } else if (join == WLM_ADD || join == WLM_SUB) {
        for (const wlm_tree *o = chain->first; o != NULL; o = o->next)
            add_terms(s, o, factor, o != chain->first && o->join == WLM_SUB ? !negative : negative);
    } else {
        fail_ddt(s, chain);
    }
}

static void add_terms(sums *s, const wlm_tree *tree, wlm_node factor, int negative)
{
    if (s->e->r->status != WARPLU_SUCCESS) return;
    if (!has_ddt(tree)) {
        add_to(s, &s->flow, wlm_element_node(s->e, tree, s->scope), factor, negative);
    } else if (tree->type == WLM_TREE_DDT) {
        add_to(s, &s->charge, wlm_element_node(s->e, tree->first, s->scope), factor, negative);
    } else if (tree->type == WLM_TREE_CHAIN) {
        add_chain(s, tree, factor, negative);
    } else if (tree->type == WLM_TREE_UNARY && tree->what == WLM_NEG) {
        add_terms(s, tree->first, factor, !negative);
    } else {
        fail_ddt(s, tree);
    }
}

static wlm_node sum_of(wlm_graph *g, wlm_node a, wlm_node b)
{
    return a == WLM_NONE ? b : b == WLM_NONE ? a : wlm_binary(g, WLM_ADD, a, b);
}

void wlm_element_contribute(wlm_element *e, const wlm_item *item)
{
    wlm_kind *kind = e->kind;
    e->builder.scope = item->scope;
    e->builder.building = WLM_TO_NUMBER; /* of the port's indices */
    int32_t quantity = wlm_element_quantity(e, &e->builder, item->line->name), k = 0;
    sums s = {e, item->scope, WLM_NONE, WLM_NONE};
    if (quantity < 0) return;
    add_terms(&s, item->line->value, WLM_NONE, 0);
    while (k < kind->contributions && kind->contribution[k].quantity != quantity) k++;
    if (k == kind->contributions) {
        if (!wlm_more_for(e->r, e->r->kept, &kind->contribution, k, sizeof *kind->contribution)) return;
        kind->contribution[kind->contributions++] = (wlm_contribution){quantity, item->line->place, WLM_NONE, WLM_NONE};
    }
    wlm_port_quantity *q = &kind->port_quantity[quantity];
    q->added = wlm_element_unit(e, item->line->value, item->scope, q->added, "what is added to", q->name);
    wlm_contribution *c = &kind->contribution[k];
    c->flow = sum_of(kind->graph, c->flow, s.flow);
    c->charge = sum_of(kind->graph, c->charge, s.charge);
}
