/* Reads names of parameters, "kind.name" or "kind[i].name", and stores their values: those of all members in a copy of
 * the model, of which only uses that change are copied; those of each member in columns of sim->parameter. A name that
 * means nothing is refused with the name that is nearest to it. Cost: a pass over the uses for each name. */
#include "model/api/parameters.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/text/csv.h"
#include "model/text/names.h"
#include "model/text/reading.h"

/* Returns the parameter that "kind.name", or "kind[index].name", means in a use whose first instance is number `first`
 * of its kind; -1: none. *instance: its instance of the use; -1: all. */
static int32_t parameter_of(const wlm_model *m, const wlm_use *use, int32_t first, const char *name, int32_t *instance)
{
    const wlm_kind *kind = &m->kind[use->kind];
    const char *parameter;
    int32_t length;
    int64_t index;
    if (!wlm_names_split(name, &length, &index, &parameter) || !wlm_word_is((wlm_word){name, length}, kind->name))
        return -1;
    int all = name[length] == '.';
    if (!all && (index < first || index >= (int64_t)first + use->count)) return -1;
    *instance = all ? -1 : (int32_t)(index - first);
    for (int32_t p = 0; p < kind->parameters; p++)
        if (strcmp(parameter, kind->parameter[p].name) == 0) return p;
    return -1;
}

/* Calls `change` for each use that the name means something in; 0 where there is none. */
typedef int change_fn(wlm_arena *kept, wlm_use *use, int32_t parameter, int32_t instance, double *value);

static int for_each(const wlm_model *m, wlm_arena *kept, const char *name, change_fn *change, double *value)
{
    int found = 0;
    for (int32_t u = 0; u < m->uses; u++) {
        int32_t first = 0, instance;
        for (int32_t v = 0; v < u; v++) first += m->use[v].kind == m->use[u].kind ? m->use[v].count : 0;
        int32_t p = parameter_of(m, &m->use[u], first, name, &instance);
        if (p >= 0 && !change(kept, &m->use[u], p, instance, value)) return -1;
        found += p >= 0;
    }
    return found;
}

/* Sets a parameter of all instances of a use, or of one, for which all get a value of their own. */
static int change_value(wlm_arena *kept, wlm_use *use, int32_t p, int32_t instance, double *value)
{
    if (instance < 0) {
        use->uniform[p] = *value;
        use->parameter[p] = NULL;
        return 1;
    }
    if (use->parameter[p] == NULL) {
        use->parameter[p] = wlm_take(kept, use->count, sizeof(double));
        for (int32_t k = 0; k < use->count && use->parameter[p] != NULL; k++) use->parameter[p][k] = use->uniform[p];
    }
    if (use->parameter[p] != NULL) use->parameter[p][instance] = *value;
    return use->parameter[p] != NULL;
}

/* Reads the value of the instances that a name means, NaN of a parameter by its rule, into value[0]; value[1] is 1 once
 * there is one. Returns 0 where two differ. */
static int read_value(wlm_arena *kept, wlm_use *use, int32_t p, int32_t instance, double *value)
{
    (void)kept;
    const double *own = use->parameter[p];
    int32_t first = instance < 0 ? 0 : instance, end = instance < 0 ? use->count : instance + 1;
    for (int32_t k = first; k < end; k++) {
        double x = own != NULL ? own[k] : use->uniform[p];
        int same = x == value[0] || (isnan(x) && isnan(value[0]));
        if (value[1] > 0.0 && !same) return 0;
        value[0] = x, value[1] = 1.0;
    }
    return 1;
}

static warplu_status unknown_parameter(warplu_sim *sim, const char *name)
{
    const wlm_model *m = &sim->changed;
    wlm_nearest nearest;
    char known[80];
    wlm_nearest_init(&nearest, wlm_word_of(name));
    for (int32_t k = 0; k < m->kinds; k++) {
        for (int32_t p = 0; p < m->kind[k].parameters; p++) {
            int length = snprintf(known, sizeof known, "%s.%s", m->kind[k].name, m->kind[k].parameter[p].name);
            if (length < (int)sizeof known) wlm_nearest_try(&nearest, known);
        }
    }
    return wlu_fail(&sim->ctx, WARPLU_INVALID_ARGUMENT,
                    "'%s' is no parameter: expected KIND.PARAMETER, or KIND[I].PARAMETER%s", name,
                    wlm_nearest_text(&nearest));
}

static warplu_status copy_use(wlm_arena *kept, const wlm_use *from, int32_t count, wlm_use *to)
{
    *to = *from;
    to->uniform = wlm_take(kept, count, sizeof *to->uniform);
    to->parameter = wlm_take(kept, count, sizeof *to->parameter);
    if (to->uniform == NULL || to->parameter == NULL) return wlu_fail_memory(kept->ctx, "parameters");
    for (int32_t p = 0; p < count; p++) {
        to->uniform[p] = from->uniform[p];
        if (from->parameter == NULL || from->parameter[p] == NULL) continue;
        to->parameter[p] = wlm_take(kept, from->count, sizeof(double));
        if (to->parameter[p] == NULL) return wlu_fail_memory(kept->ctx, "parameters");
        memcpy(to->parameter[p], from->parameter[p], (size_t)from->count * sizeof(double));
    }
    return WARPLU_SUCCESS;
}

/* Copies a model with uses whose parameters may be changed. */
static warplu_status copy_model(wlm_arena *kept, const wlm_model *from, wlm_model *to)
{
    *to = *from;
    to->use = wlm_take(kept, from->uses, sizeof(wlm_use));
    warplu_status status = to->use == NULL ? wlu_fail_memory(kept->ctx, "parameters") : WARPLU_SUCCESS;
    for (int32_t u = 0; u < from->uses && status == WARPLU_SUCCESS; u++)
        status = copy_use(kept, &from->use[u], from->kind[from->use[u].kind].parameters, &to->use[u]);
    return status;
}

warplu_status wlm_parameters_of(const warplu_sim *sim, int64_t member, wlm_arena *kept, wlm_model *out)
{
    warplu_status status = copy_model(kept, &sim->changed, out);
    for (int32_t i = 0; i < sim->varying_count && status == WARPLU_SUCCESS; i++) {
        double value = sim->parameter[member * sim->varying_count + i];
        if (for_each(out, kept, sim->varying[i], change_value, &value) < 0)
            status = wlu_fail_memory(kept->ctx, "parameters");
    }
    return status;
}

warplu_status wlm_parameters_set(warplu_sim *sim)
{
    const wlm_model *text = sim->model->text;
    const warplu_sim_options *o = &sim->options;
    sim->kept.ctx = &sim->ctx;
    warplu_status status = copy_model(&sim->kept, text, &sim->changed);
    for (int32_t i = 0; i < o->set_count && status == WARPLU_SUCCESS; i++) {
        double value = o->set_value[i];
        if (!isfinite(value)) return wlu_fail(&sim->ctx, WARPLU_NOT_FINITE, "%s is set to %g", o->set[i], value);
        int found = for_each(&sim->changed, &sim->kept, o->set[i], change_value, &value);
        if (found < 0) status = wlu_fail_memory(&sim->ctx, "parameters");
        if (found == 0) status = unknown_parameter(sim, o->set[i]);
    }
    return status;
}

static warplu_status name_varying(warplu_sim *sim, int32_t count, const char *const *names)
{
    sim->varying = wlm_take(&sim->kept, count, sizeof(char *));
    if (sim->varying == NULL) return wlu_fail_memory(&sim->ctx, "parameters");
    for (; sim->varying_count < count; sim->varying_count++) {
        char *name = wlm_take_text(&sim->kept, names[sim->varying_count], (int64_t)strlen(names[sim->varying_count]));
        if (name == NULL) return wlu_fail_memory(&sim->ctx, "parameters");
        sim->varying[sim->varying_count] = name;
    }
    return WARPLU_SUCCESS;
}

/* Makes room for the values of all members, and fills in the text's; given: 1 where others are put there at once. */
static warplu_status fill_varying(warplu_sim *sim, int given)
{
    int32_t count = sim->varying_count;
    if (count > 0 && sim->members > INT64_MAX / 8 / count)
        return wlu_fail(&sim->ctx, WARPLU_OVERFLOW, "%lld members", (long long)sim->members);
    sim->parameter = wlm_take(&sim->kept, sim->members * count, sizeof(double));
    if (sim->parameter == NULL) return wlu_fail_memory(&sim->ctx, "parameters");
    for (int32_t i = 0; i < count; i++) {
        double value[2] = {0.0, 0.0};
        int found = for_each(&sim->changed, &sim->kept, sim->varying[i], read_value, value);
        if (found == 0) return unknown_parameter(sim, sim->varying[i]);
        if (found < 0 && !given)
            return wlu_fail(&sim->ctx, WARPLU_INVALID_ARGUMENT,
                            "'%s' varies, but instances have different values of it: name one, as KIND[I].PARAMETER, "
                            "or set it for all",
                            sim->varying[i]);
        for (int64_t m = 0; m < sim->members; m++) sim->parameter[m * count + i] = value[0];
    }
    return WARPLU_SUCCESS;
}

static int32_t instances_of(const wlm_model *m, wlm_word kind)
{
    int32_t count = 0;
    for (int32_t u = 0; u < m->uses; u++)
        if (wlm_word_is(kind, m->kind[m->use[u].kind].name)) count += m->use[u].count;
    return count;
}

/* Returns 1 where all that a name of `set` means has values of the column. */
static int is_covered(const wlm_model *m, const char *name, const char *column)
{
    const char *parameter, *other;
    int32_t length, other_length;
    int64_t number, other_number;
    if (!wlm_names_split(name, &length, &number, &parameter) ||
        !wlm_names_split(column, &other_length, &other_number, &other) || length != other_length ||
        memcmp(name, column, (size_t)length) != 0 || strcmp(parameter, other) != 0)
        return 0;
    int all = name[length] == '.' && instances_of(m, (wlm_word){name, length}) > 1;
    return column[length] == '.' || (!all && number == other_number);
}

/* Refuses values of `set` that columns would take the place of. */
static warplu_status check_columns(warplu_sim *sim, const wlm_csv *csv, const char *path)
{
    const warplu_sim_options *o = &sim->options;
    for (int32_t i = 0; i < o->set_count; i++)
        for (int32_t k = 0; k < csv->columns; k++)
            if (is_covered(&sim->changed, o->set[i], csv->name[k]))
                return wlu_fail(&sim->ctx, WARPLU_INVALID_ARGUMENT,
                                "'%s' is set for all members, and '%s' of %s has a value for each: leave one out",
                                o->set[i], csv->name[k], path);
    return WARPLU_SUCCESS;
}

/* asked: how many members there are to be; 0: as many as there are lines. */
static warplu_status from_file(warplu_sim *sim, const char *path, int64_t asked)
{
    wlm_arena arena = {.ctx = &sim->ctx};
    wlm_csv csv;
    warplu_status status = wlm_csv_read(&sim->ctx, &arena, path, &csv);
    if (status == WARPLU_SUCCESS && csv.rows == 0)
        status = wlu_fail(&sim->ctx, WARPLU_BAD_FORMAT, "%s: no members: expected a line of numbers for each", path);
    if (status == WARPLU_SUCCESS && asked > 0 && asked != csv.rows)
        status = wlu_fail(&sim->ctx, WARPLU_INVALID_ARGUMENT,
                          "%s has %d lines of numbers: expected one for each of %lld members", path, (int)csv.rows,
                          (long long)asked);
    if (status == WARPLU_SUCCESS) status = check_columns(sim, &csv, path);
    if (status == WARPLU_SUCCESS) {
        sim->members = csv.rows;
        status = name_varying(sim, csv.columns, (const char *const *)csv.name);
    }
    if (status == WARPLU_SUCCESS) status = fill_varying(sim, 1);
    if (status == WARPLU_SUCCESS)
        memcpy(sim->parameter, csv.value, (size_t)(sim->members * csv.columns) * sizeof(double));
    wlm_arena_free(&arena);
    return status;
}

warplu_status wlm_parameters_vary(warplu_sim *sim)
{
    const warplu_sim_options *o = &sim->options;
    const wlm_model *text = sim->model->text;
    sim->members = o->members > 0 ? o->members : text->batch > 0 ? text->batch : 1;
    if (o->members_file != NULL) return from_file(sim, o->members_file, o->members);
    if (o->varying_count == 0 && text->batch_file != NULL) return from_file(sim, text->batch_file, sim->members);
    warplu_status status = name_varying(sim, o->varying_count, o->varying);
    return status == WARPLU_SUCCESS ? fill_varying(sim, 0) : status;
}

warplu_status wlm_parameters_refuse(warplu_sim *sim, int64_t number)
{
    return wlu_fail(&sim->ctx, WARPLU_WRONG_PHASE, "'%s' is a parameter: it is set before the first run",
                    sim->varying[number]);
}
