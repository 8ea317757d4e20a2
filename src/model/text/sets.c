/* `const` and `nodes`. */
#include <string.h>

#include "model/text/lexer.h"
#include "model/text/statements.h"

void wlm_parse_constant(wlm_reading *r)
{
    wlm_builder b = {.r = r, .where = "a constant"};
    wlm_place place = r->token.place;
    wlm_word name = wlm_needs_name(r, "the name of a constant");
    if (!wlm_needs(r, "=", "'='")) return;
    wlm_tree *tree = wlm_parse_expression(r);
    if (tree == NULL) return;
    wlm_add_global(
        r, name,
        (wlm_global){.type = WLM_GLOBAL_CONSTANT, .value = wlm_number_of(&b, tree, "a constant"), .place = place});
}

static int add_quantity(wlm_reading *r, wlm_set *set, wlm_quantity quantity, wlm_word name)
{
    for (int32_t k = 0; k < set->quantities; k++)
        if (wlm_word_is(name, set->quantity[k].name)) {
            wlm_fail_at(r, WARPLU_BAD_FORMAT, quantity.place,
                        "'%.*s' is a quantity of '%.40s' already, at line " WLM_LINE_FORMAT "", WLM_SHOWN(name),
                        set->name, WLM_LINE(set->quantity[k].place));
            return 0;
        }
    if (!wlm_more_for(r, r->kept, &set->quantity, set->quantities, sizeof *set->quantity)) return 0;
    quantity.name = wlm_take_text(r->kept, name.text, name.length);
    if (quantity.name == NULL) return wlm_fail_taking(r), 0;
    set->quantity[set->quantities++] = quantity;
    return 1;
}

/* Gives each node a value, by an expression of its index i. */
static void fill(wlm_reading *r, const wlm_set *set, wlm_quantity *quantity, const wlm_tree *tree)
{
    wlm_scope index = {.name = {"i", 1}};
    wlm_builder b = {.r = r, .scope = &index, .where = "a value of a node"};
    r->values += set->count;
    if (r->values > WLM_VALUES_MOST)
        wlm_fail_at(r, WARPLU_OVERFLOW, quantity->place, "more than %lld values of nodes and instances",
                    (long long)WLM_VALUES_MOST);
    quantity->value = r->status == WARPLU_SUCCESS ? wlm_take_for(r, r->kept, set->count, sizeof(double)) : NULL;
    for (int32_t k = 0; k < set->count && r->status == WARPLU_SUCCESS; k++) {
        index.value = k;
        b.steps = 0;
        quantity->value[k] = tree != NULL ? wlm_number_of(&b, tree, "a value of a node") : 0.0;
    }
}

/* Reads type name [= value], or type name[count] ..., which declares name[0] and so on. */
static void parse_quantity(wlm_reading *r, wlm_set *set, wlm_quantity_type type)
{
    enum { COMPONENTS_MOST = 1024 };
    wlm_builder b = {.r = r, .where = "a number of quantities"};
    wlm_tree *tree = wlm_parse_name(r, "the name of a quantity"), *value = NULL;
    if (tree == NULL) return;
    if (type == WLM_FIXED && !wlm_sees(r, "=")) wlm_expected(r, "'=' and the value of what is fixed");
    if (type != WLM_SUM && wlm_takes(r, "=")) {
        value = wlm_parse_expression(r);
        if (value == NULL) return;
    }
    if (tree->index != NULL && tree->index->next != NULL)
        wlm_fail_at(r, WARPLU_BAD_FORMAT, tree->index->next->place, "expected one number of quantities, found more");
    int64_t count =
        tree->index != NULL ? wlm_whole_of(&b, tree->index, "a number of quantities", 1, COMPONENTS_MOST) : 0;
    wlm_tree number = {.type = WLM_TREE_NUMBER};
    if (tree->index != NULL) tree->index = &number;
    do {
        if (!add_quantity(r, set, (wlm_quantity){.type = type, .place = tree->place}, wlm_name_of(&b, tree))) return;
        if (type != WLM_SUM) fill(r, set, &set->quantity[set->quantities - 1], value);
        number.number += 1.0;
    } while (number.number < (double)count && r->status == WARPLU_SUCCESS);
}

static void parse_quantities(wlm_reading *r, wlm_set *set)
{
    static const char *const words[] = {"balance", "store", "sum", "fixed"};
    while (r->status == WARPLU_SUCCESS && !wlm_takes(r, "}")) {
        int type = 0;
        if (r->token.type == WLM_TOKEN_LINE) {
            wlm_next(r);
            continue;
        }
        while (type < 4 && !wlm_takes_name(r, words[type])) type++;
        if (type == 4)
            wlm_expected(r, "'balance', 'store', 'sum', 'fixed' or '}'");
        else
            parse_quantity(r, set, (wlm_quantity_type)type);
    }
    if (r->status == WARPLU_SUCCESS && set->quantities == 0)
        wlm_fail_at(r, WARPLU_BAD_FORMAT, set->place, "expected a quantity of '%.40s', found none", set->name);
}

void wlm_parse_nodes(wlm_reading *r)
{
    wlm_model *model = r->model;
    wlm_builder b = {.r = r, .where = "the number of nodes"};
    wlm_tree *tree = wlm_parse_name(r, "the name of a set of nodes");
    if (tree == NULL ||
        !wlm_add_global(r, tree->name,
                        (wlm_global){.type = WLM_GLOBAL_SET, .index = model->sets, .place = tree->place}))
        return;
    if (tree->index != NULL && tree->index->next != NULL)
        wlm_fail_at(r, WARPLU_BAD_FORMAT, tree->index->next->place, "expected one number of nodes, found more");
    int64_t count = 1;
    if (tree->index != NULL) count = wlm_whole_of(&b, tree->index, "the number of nodes", 1, INT32_MAX);
    if (!wlm_more_for(r, r->kept, &model->set, model->sets, sizeof *model->set)) return;
    wlm_set *set = &model->set[model->sets++];
    *set = (wlm_set){.name = r->names.name[r->names.count - 1], .place = tree->place, .count = (int32_t)count};
    if (!wlm_needs(r, "{", "'{'")) return;
    parse_quantities(r, set);
}
