/* `const` and `nodes`. */
#include <string.h>

#include "model/text/columns.h"
#include "model/text/lexer.h"
#include "model/text/statements.h"
#include "model/text/units.h"

void wlm_parse_constant(wlm_reading *r)
{
    wlm_builder b = {.r = r, .where = "a constant"};
    wlm_place place = r->token.place;
    wlm_word name = wlm_needs_name(r, "the name of a constant");
    if (!wlm_needs(r, "=", "'='")) return;
    wlm_tree *tree = wlm_parse_expression(r);
    if (tree == NULL) return;
    int32_t unit = wlm_parse_unit(r);
    double value = wlm_number_of(&b, tree, "a constant");
    char *text = wlm_take_text(&r->scratch, name.text, name.length);
    if (text == NULL) return;
    unit = wlm_unit_of(&b, tree, unit, "the value of", text);
    wlm_add_global(r, name, (wlm_global){.type = WLM_GLOBAL_CONSTANT, .value = value, .unit = unit, .place = place});
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

/* A set while its quantities are read, and the names that its values may have: its index i, and columns of a table. */
typedef struct filling {
    wlm_reading *r;
    wlm_set *set;
    wlm_scope index;
    const wlm_csv *csv; /* NULL: none */
    wlm_scope *column;
    const wlm_scope *scope;
    unsigned char *used; /* for each column: 1 where a value needs it */
} filling;

/* Gives each node a value, by an expression of its index i and the columns of its row. */
static void fill(filling *f, wlm_quantity *quantity, const wlm_tree *tree)
{
    wlm_reading *r = f->r;
    wlm_builder b = {.r = r, .scope = f->scope, .where = "a value of a node"};
    int32_t count = f->set->count;
    r->values += count;
    if (r->values > WLM_VALUES_MOST)
        wlm_fail_at(r, WARPLU_OVERFLOW, quantity->place, "more than %lld values of nodes and instances",
                    (long long)WLM_VALUES_MOST);
    quantity->value = r->status == WARPLU_SUCCESS ? wlm_take_for(r, r->kept, count, sizeof(double)) : NULL;
    for (int32_t k = 0; f->csv != NULL && tree != NULL && k < f->csv->columns; k++)
        f->used[k] |= (unsigned char)wlm_mentions(tree, f->column[k].name);
    for (int32_t k = 0; k < count && r->status == WARPLU_SUCCESS; k++) {
        f->index.value = k;
        if (f->csv != NULL) wlm_column_values(f->csv, f->column, k);
        b.steps = 0;
        quantity->value[k] = tree != NULL ? wlm_number_of(&b, tree, "a value of a node") : 0.0;
    }
    if (tree != NULL) wlm_unit_of(&b, tree, quantity->unit, "the value of", quantity->name);
}

/* Reads type name [= value], or type name[count] ..., which declares name[0] and so on. */
static void parse_quantity(filling *f, wlm_quantity_type type)
{
    wlm_reading *r = f->r;
    wlm_set *set = f->set;
    enum { COMPONENTS_MOST = 1024 };
    wlm_builder b = {.r = r, .where = "a number of quantities"};
    wlm_tree *tree = wlm_parse_name(r, "the name of a quantity"), *value = NULL;
    if (tree == NULL) return;
    if (type == WLM_FIXED && !wlm_sees(r, "=")) wlm_expected(r, "'=' and the value of what is fixed");
    if (type != WLM_SUM && wlm_takes(r, "=")) {
        value = wlm_parse_expression(r);
        if (value == NULL) return;
    }
    int32_t unit = wlm_parse_unit(r);
    if (tree->index != NULL && tree->index->next != NULL)
        wlm_fail_at(r, WARPLU_BAD_FORMAT, tree->index->next->place, "expected one number of quantities, found more");
    int64_t count =
        tree->index != NULL ? wlm_whole_of(&b, tree->index, "a number of quantities", 1, COMPONENTS_MOST) : 0;
    wlm_tree number = {.type = WLM_TREE_NUMBER};
    if (tree->index != NULL) tree->index = &number;
    do {
        wlm_quantity quantity = {.type = type, .place = tree->place, .unit = unit};
        if (!add_quantity(r, set, quantity, wlm_name_of(&b, tree))) return;
        if (type != WLM_SUM) fill(f, &set->quantity[set->quantities - 1], value);
        number.number += 1.0;
    } while (number.number < (double)count && r->status == WARPLU_SUCCESS);
}

/* Reads the names of unknowns that have to stay above 0, as they are where a run begins. */
static void parse_positive(filling *f)
{
    wlm_reading *r = f->r;
    wlm_builder b = {.r = r, .where = "a number of quantities"};
    do {
        wlm_tree *tree = wlm_parse_name(r, "the name of a quantity");
        wlm_quantity *q = f->set->quantity, *end = q + f->set->quantities;
        if (tree == NULL) return;
        wlm_word name = wlm_name_of(&b, tree);
        while (q < end && !wlm_word_is(name, q->name)) q++;
        if (q == end || !wlm_quantity_is_unknown(q->type)) {
            wlm_fail_at(r, WARPLU_BAD_FORMAT, tree->place, "'%.*s' is no balance and no store of '%.40s' above",
                        WLM_SHOWN(name), f->set->name);
            return;
        }
        q->is_positive = 1;
        for (int32_t k = 0; k < f->set->count && r->status == WARPLU_SUCCESS; k++)
            if (!(q->value[k] > 0.0))
                wlm_fail_at(r, WARPLU_BAD_FORMAT, tree->place,
                            "expected a value above 0 for %.40s[%d].%.40s, found %.9g", f->set->name, (int)k, q->name,
                            q->value[k]);
    } while (r->status == WARPLU_SUCCESS && wlm_takes(r, ","));
}

static void parse_quantities(filling *f)
{
    wlm_reading *r = f->r;
    static const char *const words[] = {"balance", "store", "sum", "fixed"};
    while (r->status == WARPLU_SUCCESS && !wlm_takes(r, "}")) {
        int type = 0;
        if (r->token.type == WLM_TOKEN_LINE) {
            wlm_next(r);
            continue;
        }
        if (wlm_takes_name(r, "positive")) {
            parse_positive(f);
            continue;
        }
        while (type < 4 && !wlm_takes_name(r, words[type])) type++;
        if (type == 4)
            wlm_expected(r, "'balance', 'store', 'sum', 'fixed', 'positive' or '}'");
        else
            parse_quantity(f, (wlm_quantity_type)type);
    }
    if (r->status == WARPLU_SUCCESS && f->set->quantities == 0)
        wlm_fail_at(r, WARPLU_BAD_FORMAT, f->set->place, "expected a quantity of '%.40s', found none", f->set->name);
}

/* Reads the table behind `from`, which has a row for each node. */
static void parse_rows(filling *f, int is_counted)
{
    wlm_reading *r = f->r;
    wlm_place place = r->token.place;
    f->csv = wlm_parse_from(r);
    if (f->csv == NULL) return;
    if (f->csv->rows == 0)
        wlm_fail_at(r, WARPLU_BAD_FORMAT, place, "expected a row for each node of '%.40s', found none", f->set->name);
    else if (is_counted && f->csv->rows != f->set->count)
        wlm_fail_at(r, WARPLU_BAD_FORMAT, place, "expected a row for each of %d nodes, found %d rows",
                    (int)f->set->count, (int)f->csv->rows);
    f->set->count = f->csv->rows;
    f->column = wlm_column_scopes(r, f->csv, &f->scope);
    f->used = wlm_take_for(r, &r->scratch, f->csv->columns, 1);
    if (f->used != NULL) memset(f->used, 0, (size_t)f->csv->columns);
}

static void check_columns(const filling *f)
{
    for (int32_t k = 0; f->csv != NULL && k < f->csv->columns; k++)
        if (!f->used[k])
            wlm_fail_at(
                f->r, WARPLU_BAD_FORMAT, f->set->place,
                "no value of '%.40s' uses column '%.40s' of its table; 'columns ...' takes those that are named",
                f->set->name, f->csv->name[k]);
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
    filling f = {.r = r, .set = set, .index = {.name = {"i", 1}}};
    f.scope = &f.index;
    if (wlm_takes_name(r, "from")) parse_rows(&f, tree->index != NULL);
    if (r->status != WARPLU_SUCCESS || !wlm_needs(r, "{", "'{'")) return;
    parse_quantities(&f);
    if (r->status == WARPLU_SUCCESS) check_columns(&f);
}
