/* Opens a model and makes a simulation of it, as options of `warplu model` say: parameters, methods, members,
 * executors. */
#include "model_job.h"

#include <stdio.h>
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

/* Returns the length of the first name of a list; commas between brackets are of indices. */
static int length_of(const char *names)
{
    int depth = 0, length = 0;
    for (; names[length] != '\0' && (names[length] != ',' || depth > 0); length++)
        depth += (names[length] == '[') - (names[length] == ']');
    return length;
}

/* An item of --watch: a name, or those of a range, as cell[3..9].v. */
typedef struct watch_item {
    const char *text;
    int length, open, close; /* open, close: where the range's brackets are; 0: there is none */
    long long first, last;
} watch_item;

static watch_item item_at(const char *text)
{
    watch_item item = {.text = text, .length = length_of(text)};
    long long first, last;
    int open = 0, close = 0;
    if (strncmp(text, "sum ", 4) == 0) return item; /* a name by itself */
    int found = sscanf(text, "%*[^][.,]%n[%lld..%lld%n]", &open, &first, &last, &close);
    if (found == 2 && close > 0 && close < item.length && text[close] == ']')
        item.open = open, item.close = close, item.first = first, item.last = last;
    return item;
}

static int64_t count_of(const watch_item *item)
{
    return item->last >= item->first ? item->last - item->first + 1 : 0;
}

/* Counts the names of --watch and the bytes that they need; 0 where a range is none, which is said. */
static int count_names(const char *list, int64_t *count, int64_t *bytes)
{
    enum { NAMES_MOST = 1 << 24, DIGITS = 24 };
    *count = *bytes = 0;
    for (const char *at = list;; at++) {
        watch_item item = item_at(at);
        int64_t names = count_of(&item);
        if (names == 0 || names > NAMES_MOST - *count) {
            cmd_say("--watch %.*s: expected a range of at least one and at most %d numbers", item.length, at,
                    (int)(NAMES_MOST - *count));
            return 0;
        }
        *count += names, *bytes += names * (item.length + DIGITS);
        at += item.length;
        if (*at == '\0') return 1;
    }
}

/* Writes the names of --watch. */
static void write_names(model_job *r, int64_t count, int64_t bytes)
{
    char *text = r->watch_text;
    const char *at = r->q->watch;
    for (int64_t k = 0; k < count; at += length_of(at) + 1) {
        const watch_item item = item_at(at);
        for (int64_t i = 0; i < count_of(&item); i++) {
            int length = item.close > 0 ? snprintf(text, (size_t)bytes, "%.*s[%lld%.*s", item.open, at,
                                                   item.first + (long long)i, item.length - item.close, at + item.close)
                                        : snprintf(text, (size_t)bytes, "%.*s", item.length, at);
            r->name[k++] = text;
            text += length + 1, bytes -= length + 1;
        }
    }
}

int model_list_watches(model_job *r)
{
    warplu_model_counts counts = {.size = sizeof counts};
    warplu_model_get_counts(r->model, &counts);
    int64_t count = counts.watches, bytes = 0;
    if (r->q->watch != NULL && !count_names(r->q->watch, &count, &bytes)) return 0;
    r->watch_text = WLU_ALLOC(&r->ctx, bytes, char);
    r->name = WLU_ALLOC(&r->ctx, count, const char *);
    r->handle = WLU_ALLOC(&r->ctx, count, int64_t);
    if (!WLU_ALL_THERE(r->watch_text, r->name, r->handle)) return wlu_fail_memory(&r->ctx, "options") == WARPLU_SUCCESS;
    if (r->q->watch != NULL) write_names(r, count, bytes);
    for (int64_t k = 0; k < count; k++) {
        if (r->q->watch == NULL) r->name[k] = warplu_model_get_watch(r->model, k);
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
