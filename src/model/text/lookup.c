/* lookup(TABLE, x): operations that read a table (graph/table.h), around what keeps x within its ends. */
#include <stdio.h>

#include "model/text/build.h"

/* Finds the table that a tree names; NULL after a failure. */
static const wlm_table *table_of(wlm_reading *r, const wlm_tree *tree)
{
    int is_name = tree->type == WLM_TREE_NAME && tree->index == NULL;
    int32_t k = is_name ? wlm_names_find(&r->names, tree->name.text, tree->name.length) : -1;
    if (k >= 0 && r->global[k].type == WLM_GLOBAL_TABLE) return r->global[k].table;
    if (!is_name) {
        wlm_fail_at(r, WARPLU_BAD_FORMAT, tree->place, "expected the name of a table");
        return NULL;
    }
    wlm_nearest nearest;
    wlm_nearest_init(&nearest, tree->name);
    for (int32_t i = 0; i < r->names.count; i++)
        if (r->global[i].type == WLM_GLOBAL_TABLE) wlm_nearest_try(&nearest, r->names.name[i]);
    wlm_fail_at(r, WARPLU_BAD_FORMAT, tree->place, "'%.*s' is no table above%s", WLM_SHOWN(tree->name),
                wlm_nearest_text(&nearest));
    return NULL;
}

void wlm_take_table(wlm_reading *r, wlm_tree *call)
{
    call->table = table_of(r, call->first);
    call->first = call->first->next;
}

static wlm_value read_table(const wlm_builder *b, wlm_opcode opcode, const wlm_table *table, wlm_value x, wlm_value y)
{
    if (b->building == WLM_TO_NODE) return (wlm_value){0.0, wlm_read_table(b->graph, opcode, table, x.node, y.node)};
    return (wlm_value){wlm_evaluate_with(table, opcode, x.number, y.number, 0.0), 0};
}

/* Returns x, brought into the first period, or held at the ends: what jumps there are the edges of the table. */
static wlm_value within(const wlm_builder *b, const wlm_table *table, wlm_value x)
{
    const wlm_value none = {0.0, 0}, low = wlm_number_value(b, table->knot[0]),
                    high = wlm_number_value(b, table->knot[table->knots - 1]);
    if (table->period > 0.0) {
        wlm_value period = wlm_number_value(b, table->period), since = wlm_operate(b, WLM_SUB, x, low, none);
        wlm_value turns = wlm_operate(b, WLM_FLOOR, wlm_operate(b, WLM_DIV, since, period, none), none, none);
        return wlm_operate(b, WLM_FNMA, turns, period, x);
    }
    if (!table->is_held) return x;
    return wlm_operate(b, WLM_MAX, wlm_operate(b, WLM_MIN, x, high, none), low, none);
}

wlm_value wlm_build_lookup(wlm_builder *b, const wlm_tree *tree)
{
    const wlm_table *table = tree->table;
    wlm_value x = wlm_value_of(b, tree->first);
    if (b->building == WLM_TO_NEEDS || b->building == WLM_TO_UNIT || b->r->status != WARPLU_SUCCESS)
        return (wlm_value){0.0, 0};
    if (b->building == WLM_TO_NODE && b->owner != NULL) b->owner->lookup(b->owner, x.node, table);
    wlm_value inside = within(b, table, x), piece = read_table(b, WLM_FIND, table, inside, x);
    return read_table(b, WLM_PIECE, table, inside, piece);
}
