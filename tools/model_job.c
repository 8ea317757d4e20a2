/* Opens a model and makes a simulation of it, as options of `warplu model` say: parameters, methods, members,
 * executors. */
#include "model_job.h"

#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "interrupt.h"

const char *const model_methods[] = {"auto",
#define WLM_METHOD(number, enumerator, name, order, small, device, large, how) [number] = name,
#include "model/method/methods.def"
#undef WLM_METHOD
                                     NULL};

#define EXECUTORS(EXECUTOR) EXECUTOR(AUTO, "auto") EXECUTOR(CPU, "cpu") EXECUTOR(CUDA, "cuda")
#define NAME_OF(executor, name) name,
#define VALUE_OF(executor, name) WARPLU_EXECUTOR_##executor,
const char *const model_executors[] = {EXECUTORS(NAME_OF) NULL};
static const warplu_executor executors[] = {EXECUTORS(VALUE_OF)};

void model_request_init(model_request *q)
{
    *q = (model_request){.threads = 1};
    q->set = (args_list){.capacity = MODEL_SETS_MOST, .items = q->set_items};
}

void model_begin(model_job *r, const model_request *q, const char *path)
{
    *r = (model_job){.q = q, .path = path};
    wlu_context_init(&r->ctx, NULL);
    r->ctx.message = cmd_message;
    r->table.ctx = &r->ctx;
}

warplu_status model_open(model_job *r)
{
    warplu_model_options options;
    warplu_model_init_options(&options);
    options.message = cmd_message;
    return warplu_model_read(&r->model, r->path, &options);
}

void model_close(model_job *r)
{
    model_table_free(&r->table);
    warplu_sim_destroy(&r->sim);
    warplu_model_destroy(&r->model);
    wlu_free(&r->ctx, r->set_text);
    wlu_free(&r->ctx, r->watch_text);
    wlu_free(&r->ctx, r->name);
    wlu_free(&r->ctx, r->handle);
}

/* A copy of the text, which is cut into names. NULL: no memory, which has been said. */
static char *copy_text(model_job *r, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = WLU_ALLOC(&r->ctx, (int64_t)bytes, char);
    if (copy == NULL)
        wlu_fail_memory(&r->ctx, "options");
    else
        memcpy(copy, text, bytes);
    return copy;
}

int model_split_sets(model_job *r)
{
    size_t bytes = 1;
    for (int i = 0; i < r->q->set.count; i++) bytes += strlen(r->q->set.items[i]) + 1;
    r->set_text = WLU_ALLOC(&r->ctx, (int64_t)bytes, char);
    if (r->set_text == NULL) return wlu_fail_memory(&r->ctx, "options") == WARPLU_SUCCESS;
    char *at = r->set_text;
    for (int i = 0; i < r->q->set.count; i++) {
        const char *item = r->q->set.items[i], *sign = strchr(item, '=');
        char *end = NULL;
        if (sign != NULL) r->set_value[i] = strtod(sign + 1, &end);
        if (sign == NULL || sign == item || end == sign + 1 || *end != '\0') {
            cmd_say("--set %s: expected NAME=NUMBER", item);
            return 0;
        }
        memcpy(at, item, (size_t)(sign - item));
        at[sign - item] = '\0';
        r->set_name[i] = at;
        at += sign - item + 1;
    }
    return 1;
}

/* Returns the comma behind a name of a list, or NULL; commas between brackets are of indices. */
static char *comma_behind(char *name)
{
    for (int depth = 0; *name != '\0'; name++) {
        if (*name == ',' && depth == 0) return name;
        depth += (*name == '[') - (*name == ']');
    }
    return NULL;
}

int model_list_watches(model_job *r)
{
    warplu_model_counts counts = {.size = sizeof counts};
    warplu_model_get_counts(r->model, &counts);
    int64_t count = counts.watches;
    if (r->q->watch != NULL) {
        r->watch_text = copy_text(r, r->q->watch);
        if (r->watch_text == NULL) return 0;
        count = 1;
        for (char *at = comma_behind(r->watch_text); at != NULL; at = comma_behind(at + 1)) count++;
    }
    r->name = WLU_ALLOC(&r->ctx, count, const char *);
    r->handle = WLU_ALLOC(&r->ctx, count, int64_t);
    if (r->name == NULL || r->handle == NULL) return wlu_fail_memory(&r->ctx, "options") == WARPLU_SUCCESS;
    char *rest = r->watch_text;
    for (int64_t k = 0; k < count; k++) {
        r->name[k] = r->q->watch == NULL ? warplu_model_get_watch(r->model, k) : rest;
        char *comma = rest != NULL ? comma_behind(rest) : NULL;
        if (comma != NULL) *comma = '\0', rest = comma + 1;
        if (warplu_sim_find(r->sim, r->name[k], &r->handle[k]) < 0) return 0;
    }
    r->watched = (int32_t)count;
    return 1;
}

warplu_status model_make_sim(model_job *r)
{
    const model_request *q = r->q;
    warplu_sim_options options;
    warplu_sim_init_options(&options);
    options.members = q->members, options.threads = (int)q->threads;
    options.method = (warplu_method)q->method;
    options.dt = q->dt, options.cfl = q->cfl, options.relative = q->relative, options.absolute = q->absolute;
    options.steps = q->steps;
    options.executor = executors[q->executor];
    options.lanes = q->lanes;
    options.members_file = q->from;
    options.set = r->set_name, options.set_value = r->set_value, options.set_count = q->set.count;
    options.cancel = interrupt_asked;
    return warplu_sim_create(&r->sim, r->model, &options);
}

int model_times(model_job *r, double *to, double *every)
{
    warplu_model_get_times(r->model, to, every);
    if (r->q->to > 0.0) *to = r->q->to;
    if (r->q->every > 0.0) *every = r->q->every;
    if (!(*to > 0.0)) {
        cmd_say("%s: no end of the run: expected 'run ... to T' in the text, or --to T", r->path);
        return 0;
    }
    if (!(*every > 0.0)) *every = *to / 1000.0;
    return 1;
}
