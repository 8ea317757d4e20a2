/* Makes the instances of a use: for each the numbers of its nodes and the values of its parameters. */
#include <math.h>
#include <string.h>

#include "model/text/columns.h"
#include "model/text/statements.h"
#include "model/text/units.h"

enum { PAIR = 2 };

/* The names whose numbers differ between instances: indices of ranges or of pairs, and columns of a table. */
typedef struct rounds {
    wlm_making *m;
    int32_t indices;
    wlm_scope *index;       /* one for each range; each is within the one before */
    int64_t *from, *length; /* for each range */
    wlm_scope *column;      /* the columns of the table, within the last index */
    const wlm_scope *scope; /* the innermost one, which leads to all */
    wlm_builder builder;
} rounds;

static int varies(const rounds *s, const wlm_tree *tree)
{
    for (const wlm_scope *scope = s->scope; scope != NULL; scope = scope->outer)
        if (wlm_mentions(tree, scope->name)) return 1;
    return 0;
}

static int32_t ranges_of(const wlm_making *m)
{
    int32_t count = 0;
    for (const wlm_tree *range = m->ranges; range != NULL; range = range->next) count++;
    return m->pairs >= 0 ? PAIR : count;
}

static void begin_indices(rounds *s)
{
    wlm_making *m = s->m;
    wlm_reading *r = m->r;
    const wlm_tree *range = m->ranges;
    s->indices = ranges_of(m);
    s->index = wlm_take_for(r, &r->scratch, s->indices, sizeof *s->index);
    s->from = wlm_take_for(r, &r->scratch, s->indices, sizeof *s->from);
    s->length = wlm_take_for(r, &r->scratch, s->indices, sizeof *s->length);
    for (int32_t k = 0; k < s->indices && r->status == WARPLU_SUCCESS; k++) {
        int64_t to;
        s->index[k] = (wlm_scope){.name = {k == 0 ? "i" : "j", 1}, .outer = k > 0 ? &s->index[k - 1] : NULL};
        s->scope = &s->index[k];
        if (m->pairs >= 0) continue;
        s->index[k].name = range->name;
        if (!wlm_bounds_of(&s->builder, range, &s->from[k], &to)) return;
        s->length[k] = to - s->from[k] + 1;
        if (s->length[k] <= 0)
            wlm_fail_at(r, WARPLU_BAD_FORMAT, range->place, "expected a range of one number or more, found %lld..%lld",
                        (long long)s->from[k], (long long)to);
        range = range->next;
    }
}

/* Counts the instances; -1 after a failure. */
static int64_t count_of(rounds *s)
{
    wlm_making *m = s->m;
    int64_t count = 1;
    if (m->pairs >= 0) count = (int64_t)m->r->model->set[m->pairs].count * (m->r->model->set[m->pairs].count - 1);
    for (int32_t k = 0; m->pairs < 0 && k < s->indices && count <= INT32_MAX; k++) count *= s->length[k];
    if (m->csv != NULL && s->indices > 0 && m->csv->rows != count)
        wlm_fail_at(m->r, WARPLU_BAD_FORMAT, m->csv_place, "expected a row for each of %lld instances, found %d rows",
                    (long long)count, m->csv->rows);
    if (m->csv != NULL) count = m->csv->rows;
    if (count > INT32_MAX)
        wlm_fail_at(m->r, WARPLU_OVERFLOW, m->over_place, "more than %d instances of element %.40s", INT32_MAX,
                    m->kind->name);
    if (count == 0)
        wlm_fail_at(m->r, WARPLU_BAD_FORMAT, m->csv != NULL ? m->csv_place : m->over_place,
                    "expected at least one instance of element %.40s, found none", m->kind->name);
    return m->r->status == WARPLU_SUCCESS ? count : -1;
}

/* Sets the indices and columns of an instance. */
static void set_round(rounds *s, int64_t instance)
{
    wlm_making *m = s->m;
    int64_t rest = instance;
    s->builder.steps = 0;
    if (m->csv != NULL) wlm_column_values(m->csv, s->column, instance);
    if (m->pairs >= 0) {
        int64_t others = m->r->model->set[m->pairs].count - 1, i = rest / others, j = rest % others;
        s->index[0].value = (double)i;
        s->index[1].value = (double)(j + (j >= i));
        return;
    }
    for (int32_t k = s->indices - 1; k >= 0; k--) {
        s->index[k].value = (double)(s->from[k] + rest % s->length[k]);
        rest /= s->length[k];
    }
}

/* Takes memory for a value of each instance, which counts towards WLM_VALUES_MOST. */
static void *take_values(rounds *s, int64_t count, size_t size)
{
    wlm_reading *r = s->m->r;
    r->values += count;
    if (r->values > WLM_VALUES_MOST)
        wlm_fail_at(r, WARPLU_OVERFLOW, s->m->use->place, "more than %lld values of nodes and instances",
                    (long long)WLM_VALUES_MOST);
    return r->status == WARPLU_SUCCESS ? wlm_take_for(r, r->kept, count, size) : NULL;
}

static void bind_port(rounds *s, int32_t port)
{
    wlm_making *m = s->m;
    const wlm_binding *binding = &m->binding[port];
    const wlm_set *set = &m->r->model->set[binding->set];
    int32_t *node = take_values(s, m->use->count, sizeof *node);
    m->use->node[port] = node;
    for (int32_t k = 0; binding->index != NULL && k < m->use->count && m->r->status == WARPLU_SUCCESS; k++) {
        set_round(s, k);
        double number = wlm_number_of(&s->builder, binding->index, "the number of a node");
        if (number != floor(number))
            wlm_fail_at(m->r, WARPLU_BAD_FORMAT, binding->index->place,
                        "instance %d of %.40s: expected the whole number of a node, found %.9g", k, m->kind->name,
                        number);
        else if (number < 0.0 || number >= set->count)
            wlm_fail_at(m->r, WARPLU_BAD_FORMAT, binding->index->place,
                        "instance %d of %.40s: there is no %.40s[%.17g], %.40s has nodes 0 to %d", k, m->kind->name,
                        set->name, number, set->name, set->count - 1);
        else
            node[k] = (int32_t)number;
    }
}

static void set_parameter(rounds *s, const wlm_with *with)
{
    wlm_use *use = s->m->use;
    const wlm_parameter *parameter = &s->m->kind->parameter[with->parameter];
    wlm_unit_of(&s->builder, with->value, parameter->unit, "the value of", parameter->name);
    if (!varies(s, with->value)) {
        s->builder.steps = 0;
        use->uniform[with->parameter] = wlm_number_of(&s->builder, with->value, "the value of a parameter");
        return;
    }
    double *value = take_values(s, use->count, sizeof *value);
    use->parameter[with->parameter] = value;
    for (int32_t k = 0; k < use->count && s->m->r->status == WARPLU_SUCCESS; k++) {
        set_round(s, k);
        value[k] = wlm_number_of(&s->builder, with->value, "the value of a parameter");
    }
}

/* Sets the parameter that a column names; a column of another name has to be mentioned by an expression of the use. */
static void set_column(rounds *s, int32_t column)
{
    wlm_making *m = s->m;
    wlm_word name = s->column[column].name;
    int32_t parameter = 0, used = 0;
    while (parameter < m->kind->parameters && !wlm_word_is(name, m->kind->parameter[parameter].name)) parameter++;
    for (int32_t k = 0; k < m->withs; k++) {
        used |= wlm_mentions(m->with[k].value, name);
        if (m->with[k].parameter == parameter)
            wlm_fail_at(m->r, WARPLU_BAD_FORMAT, m->csv_place, "'%.*s' has a value already, by 'with'",
                        WLM_SHOWN(name));
    }
    for (int32_t k = 0; k < m->kind->ports; k++)
        used |= m->binding[k].index != NULL && wlm_mentions(m->binding[k].index, name);
    if (parameter < m->kind->parameters) {
        double *value = take_values(s, m->use->count, sizeof *value);
        m->use->parameter[parameter] = value;
        for (int32_t k = 0; value != NULL && k < m->use->count; k++)
            value[k] = m->csv->value[(int64_t)k * m->csv->columns + column];
    } else if (!used) {
        wlm_nearest nearest;
        wlm_nearest_init(&nearest, name);
        for (int32_t k = 0; k < m->kind->parameters; k++) wlm_nearest_try(&nearest, m->kind->parameter[k].name);
        wlm_fail_at(m->r, WARPLU_BAD_FORMAT, m->csv_place,
                    "column '%.*s' is no parameter of element %.40s, and nothing uses it%s", WLM_SHOWN(name),
                    m->kind->name, wlm_nearest_text(&nearest));
    }
}

void wlm_make_use(wlm_making *m)
{
    wlm_reading *r = m->r;
    wlm_use *use = m->use;
    rounds s = {.m = m, .builder = {.r = r, .where = "a use"}};
    begin_indices(&s);
    if (m->csv != NULL && r->status == WARPLU_SUCCESS) s.column = wlm_column_scopes(r, m->csv, &s.scope);
    int64_t count = r->status == WARPLU_SUCCESS ? count_of(&s) : -1;
    if (count < 0) return;
    use->count = (int32_t)count;
    use->node = wlm_take_for(r, r->kept, m->kind->ports, sizeof *use->node);
    use->parameter = wlm_take_for(r, r->kept, m->kind->parameters, sizeof *use->parameter);
    use->uniform = wlm_take_for(r, r->kept, m->kind->parameters, sizeof *use->uniform);
    if (r->status != WARPLU_SUCCESS) return;
    s.builder.scope = s.scope;
    for (int32_t k = 0; k < m->kind->parameters; k++) use->uniform[k] = m->kind->parameter[k].value;
    for (int32_t k = 0; k < m->kind->ports && r->status == WARPLU_SUCCESS; k++) bind_port(&s, k);
    for (int32_t k = 0; k < m->withs && r->status == WARPLU_SUCCESS; k++) set_parameter(&s, &m->with[k]);
    for (int32_t k = 0; m->csv != NULL && k < m->csv->columns && r->status == WARPLU_SUCCESS; k++) set_column(&s, k);
}
