/* Gives parameters their values: a number, or a rule where other parameters say it, as `param b = 2*a`.
 *
 * What gives b a value comes when the element has long been built: a use, a table, an option, a member. So b is an
 * input as any other, whose value is NaN while nothing gives it one, and what its name means in expressions is
 *
 *     if b = b then b else 2*a
 *
 * where NaN alone is not itself. Whatever gives a its value, the rule follows, and so do initial values and times that
 * need b. Cost: two operations for each rule, at the start alone, or none where b is a constant of the program. */
#include <math.h>

#include "model/text/element.h"
#include "model/text/units.h"

static const char what[] = "the value of a parameter";

static void add_rule(wlm_element *e, int32_t symbol)
{
    const wlm_pending *pending = &e->parameter[e->symbol[symbol].index];
    int32_t rule = wlm_element_new_definition(e, symbol);
    if (rule < 0) return;
    e->symbol[symbol].definition = rule;
    e->definition[rule].item = (wlm_item){pending->line, pending->scope};
    e->definition[rule].value = pending->value;
}

void wlm_element_value_parameters(wlm_element *e)
{
    for (int32_t s = 0; s < e->owner.names.count && e->r->status == WARPLU_SUCCESS; s++) {
        int32_t k = e->symbol[s].index;
        if (e->symbol[s].type != WLM_SYMBOL_PARAMETER) continue;
        e->builder.scope = e->parameter[k].scope;
        if (wlm_is_constant(&e->builder, e->parameter[k].value)) {
            e->kind->parameter[k].value = wlm_number_of(&e->builder, e->parameter[k].value, what);
            wlm_unit_of(&e->builder, e->parameter[k].value, e->symbol[s].unit, "the value of", e->owner.names.name[s]);
        } else {
            add_rule(e, s);
        }
    }
}

void wlm_element_close_rule(wlm_element *e, wlm_definition *rule)
{
    wlm_graph *g = e->kind->graph;
    double *value = &e->kind->parameter[e->symbol[rule->symbol].index].value;
    wlm_element_restrict(e, rule->node, WLM_MAY_PARAMETERS, rule->value->place, what);
    if (e->r->status != WARPLU_SUCCESS) return;
    if (wlm_node_opcode(g, rule->node) == WLM_CONSTANT) { /* as `if 1 then 2 else a` is */
        *value = wlm_node_value(g, rule->node);
        e->symbol[rule->symbol].definition = -1;
        if (!isfinite(*value)) wlm_fail_at(e->r, WARPLU_BAD_FORMAT, rule->value->place, "%s is not finite", what);
        return;
    }
    wlm_node own = wlm_symbol_leaf(e, rule->symbol), is_given = wlm_binary(g, WLM_EQ, own, own);
    rule->node = wlm_ternary(g, WLM_SELECT, is_given, own, rule->node);
    *value = (double)NAN;
}
