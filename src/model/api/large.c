/* The engine of large systems behind the calls of warplu/model.h: handles, values and runs of one member whose lanes
 * are instances. A handle is a number of the layout, and behind these one of an instance's definitions, which are
 * compiled when they are first asked for or watched: a model may have millions, of which few are looked at. */
#include "model/api/large.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/team.h"
#include "model/api/suggest.h"
#include "model/system/transient.h"

/* Fewer instances leave most of 64 lanes empty. */
enum { INSTANCES_ENOUGH = 16, THREADS_MOST = 64 };

/* A definition that is asked for, ready to run. */
typedef struct definition {
    int64_t handle; /* -1: none yet */
    int32_t use, local, instance;
    wlm_program *program;
    wlm_code *code;
    double *file;
} definition;

struct wlm_large {
    wlm_transient *transient;
    const wlm_layout *layout;
    definition last;     /* the one that was asked for last */
    definition *watched; /* watched.count of them; those of other handles are empty */
    int32_t watched_count;
};

static double step_of(const warplu_sim *sim)
{
    return sim->options.dt > 0.0 ? sim->options.dt : sim->changed.run.dt;
}

int wlm_large_suits(const warplu_sim *sim, wlm_method *method)
{
    const wlm_model *m = &sim->changed;
    int32_t most = 0;
    for (int32_t u = 0; u < m->uses; u++) most = m->use[u].count > most ? m->use[u].count : most;
    *method = sim->options.method != WARPLU_METHOD_AUTO ? (wlm_method)sim->options.method : m->run.method;
    if (sim->options.lanes != WARPLU_LANES_AUTO) return sim->options.lanes == WARPLU_LANES_INSTANCES;
    if (*method != WLM_METHOD_NONE && !wlm_method_supports(*method, WLM_SMALL, INFINITY)) return 1;
    return sim->members == 1 && sim->varying_count == 0 && sim->options.executor != WARPLU_EXECUTOR_CUDA &&
           (*method == WLM_METHOD_NONE || wlm_method_supports(*method, WLM_LARGE, step_of(sim))) &&
           most >= INSTANCES_ENOUGH;
}

warplu_status wlm_large_create(warplu_sim *sim, wlm_method method)
{
    const warplu_sim_options *o = &sim->options;
    const wlm_run_statement *said = &sim->changed.run;
    if (sim->members != 1 || sim->varying_count > 0 || o->executor == WARPLU_EXECUTOR_CUDA)
        return wlu_fail(&sim->ctx, WARPLU_INVALID_ARGUMENT,
                        "lanes that are instances (split is such a method): expected one member, on the CPU");
    sim->large = WLU_CALLOC(&sim->ctx, 1, wlm_large);
    if (sim->large == NULL) return wlu_fail_memory(&sim->ctx, "simulation");
    sim->large->last.handle = -1;
    wlm_transient_options t;
    wlm_transient_options_init(&t);
    t.method = method;
    t.step = step_of(sim);
    t.relative = o->relative > 0.0 ? o->relative : said->relative;
    t.absolute = o->absolute > 0.0 ? o->absolute : said->absolute;
    t.threads = o->threads == 0 ? wlu_team_processors() : o->threads;
    if (t.threads > THREADS_MOST) t.threads = THREADS_MOST;
    warplu_status status = wlm_transient_create(&sim->ctx, &sim->changed, &t, &sim->large->transient);
    if (status < 0) return status;
    sim->large->layout = wlm_transient_layout(sim->large->transient);
    sim->n = sim->large->layout->n;
    sim->options.method = (warplu_method)wlm_transient_method(sim->large->transient);
    return WARPLU_SUCCESS;
}

static void definition_free(warplu_sim *sim, definition *d)
{
    wlm_file_free(&sim->ctx, d->file);
    wlm_code_destroy(&sim->ctx, &d->code);
    wlm_program_destroy(&sim->ctx, &d->program);
    *d = (definition){.handle = -1};
}

static void forget_watched(warplu_sim *sim)
{
    wlm_large *l = sim->large;
    for (int32_t i = 0; i < l->watched_count; i++) definition_free(sim, &l->watched[i]);
    wlu_free(&sim->ctx, l->watched);
    l->watched = NULL;
    l->watched_count = 0;
}

void wlm_large_destroy(warplu_sim *sim)
{
    if (sim->large == NULL) return;
    forget_watched(sim);
    definition_free(sim, &sim->large->last);
    wlm_transient_destroy(&sim->large->transient);
    wlu_free(&sim->ctx, sim->large);
    sim->large = NULL;
}

/* Where handles of a kind of numbers begin. */
static int64_t first_of(const wlm_layout *l, wlm_memory memory)
{
    return memory == WLM_MEMORY_UNKNOWNS ? 0 : memory == WLM_MEMORY_SUMS ? l->n : (int64_t)l->n + l->sums;
}

static int64_t first_definition(const wlm_layout *l)
{
    return (int64_t)l->n + l->sums + l->fixed;
}

static int64_t definitions_of(const wlm_model *m, int32_t use)
{
    return (int64_t)m->use[use].count * m->kind[m->use[use].kind].locals;
}

int64_t wlm_large_handles(const warplu_sim *sim)
{
    int64_t count = first_definition(sim->large->layout);
    for (int32_t u = 0; u < sim->changed.uses; u++) count += definitions_of(&sim->changed, u);
    return count;
}

/* The handle of "kind.local" or "kind[i].local", instances counted over the kind's uses; -1. */
static int64_t find_definition(const warplu_sim *sim, const char *name)
{
    const wlm_model *m = &sim->changed;
    const char *dot = strrchr(name, '.'), *bracket = strchr(name, '[');
    if (dot == NULL) return -1;
    size_t length = bracket != NULL ? (size_t)(bracket - name) : (size_t)(dot - name);
    char *end = NULL;
    int64_t wanted = bracket != NULL ? strtoll(bracket + 1, &end, 10) : 0,
            handle = first_definition(sim->large->layout);
    if (bracket != NULL && (end == bracket + 1 || end[0] != ']' || end + 1 != dot)) return -1;
    for (int32_t u = 0; u < m->uses; handle += definitions_of(m, u), u++) {
        const wlm_kind *kind = &m->kind[m->use[u].kind];
        if (strlen(kind->name) != length || strncmp(kind->name, name, length) != 0) continue;
        int32_t count = m->use[u].count;
        if (wanted >= 0 && wanted < count)
            for (int32_t k = 0; k < kind->locals; k++)
                if (strcmp(kind->local[k].name, dot + 1) == 0) return handle + (int64_t)k * count + wanted;
        wanted -= count;
    }
    return -1;
}

warplu_status wlm_large_find(warplu_sim *sim, const char *name, int64_t *handle)
{
    wlm_memory memory = WLM_MEMORY_UNKNOWNS;
    int32_t number = wlm_layout_find(sim->large->layout, name, &memory);
    *handle = number >= 0 ? first_of(sim->large->layout, memory) + number : find_definition(sim, name);
    if (*handle >= 0) return WARPLU_SUCCESS;
    wlm_suggestion suggestion;
    wlm_suggest(&suggestion, &sim->changed, name);
    return wlu_fail(&sim->ctx, WARPLU_INVALID_ARGUMENT,
                    "'%s' is no unknown, sum or definition: expected SET[I].QUANTITY or KIND[I].NAME%s", name,
                    wlm_nearest_text(&suggestion.nearest));
}

/* Sums, fixed quantities: "set[i].quantity". */
static void name_quantity(const warplu_sim *sim, wlm_memory memory, int64_t number, char *name, int64_t bytes)
{
    const wlm_model *m = &sim->changed;
    for (int32_t s = 0; s < m->sets; s++)
        for (int32_t q = 0; q < m->set[s].quantities; q++) {
            const wlm_block *block = wlm_layout_quantity(sim->large->layout, s, q);
            if (block->memory != memory || number < block->first || number >= (int64_t)block->first + block->count)
                continue;
            wlm_layout_write_name(name, (size_t)bytes, m->set[s].name, m->set[s].count, number - block->first,
                                  m->set[s].quantity[q].name);
        }
}

/* What the handle of a definition means. */
static void place_definition(const warplu_sim *sim, int64_t handle, definition *d)
{
    const wlm_model *m = &sim->changed;
    int64_t rest = handle - first_definition(sim->large->layout);
    int32_t u = 0;
    for (; rest >= definitions_of(m, u); u++) rest -= definitions_of(m, u);
    d->handle = handle;
    d->use = u;
    d->local = (int32_t)(rest / m->use[u].count);
    d->instance = (int32_t)(rest % m->use[u].count);
}

warplu_status wlm_large_name(const warplu_sim *sim, int64_t handle, char *name, int64_t bytes, int32_t *line)
{
    const wlm_layout *l = sim->large->layout;
    wlm_place use, place = {0, 0};
    if (handle < l->n) place = wlm_layout_place(l, (int32_t)handle, &use);
    if (line != NULL) *line = place.line;
    if (name == NULL) return WARPLU_SUCCESS;
    name[0] = '\0';
    if (handle < l->n) {
        wlm_layout_name(l, (int32_t)handle, name, (size_t)bytes);
    } else if (handle < first_definition(l)) {
        wlm_memory memory = handle < (int64_t)l->n + l->sums ? WLM_MEMORY_SUMS : WLM_MEMORY_FIXED;
        name_quantity(sim, memory, handle - first_of(l, memory), name, bytes);
    } else {
        definition d;
        place_definition(sim, handle, &d);
        const wlm_use *of = &sim->changed.use[d.use];
        const wlm_kind *kind = &sim->changed.kind[of->kind];
        int64_t all, before = wlm_layout_instances_before(&sim->changed, d.use, &all);
        wlm_layout_write_name(name, (size_t)bytes, kind->name, all, before + d.instance, kind->local[d.local].name);
    }
    return WARPLU_SUCCESS;
}

static warplu_status definition_create(warplu_sim *sim, int64_t handle, definition *d)
{
    definition_free(sim, d);
    place_definition(sim, handle, d);
    const wlm_kind *kind = &sim->changed.kind[sim->changed.use[d->use].kind];
    warplu_status status = wlm_program_compile(kind->graph, &kind->local[d->local].node, 1, kind->leaves, &d->program);
    if (status == WARPLU_SUCCESS) status = wlm_code_create(&sim->ctx, d->program, WLM_ISA_BEST, &d->code);
    if (status == WARPLU_SUCCESS) d->file = wlm_file_create(&sim->ctx, d->program);
    if (status == WARPLU_SUCCESS && d->file == NULL) status = wlu_fail_memory(&sim->ctx, "definition");
    if (status < 0) definition_free(sim, d);
    return status;
}

/* What an instance reads. */
static warplu_status read_leaf(warplu_sim *sim, const definition *d, const wlm_leaf *leaf, double *out)
{
    const wlm_large *l = sim->large;
    const wlm_use *use = &sim->changed.use[d->use];
    const wlm_kind *kind = &sim->changed.kind[use->kind];
    int32_t i = leaf->index, at = d->instance;
    const wlm_block *block = NULL;
    switch (leaf->type) {
    case WLM_LEAF_TIME: *out = wlm_transient_time(l->transient); return WARPLU_SUCCESS;
    case WLM_LEAF_PARAMETER:
        *out = use->parameter[i] != NULL ? use->parameter[i][at] : use->uniform[i];
        return WARPLU_SUCCESS;
    case WLM_LEAF_STATE: block = wlm_layout_member(l->layout, d->use, i); break;
    case WLM_LEAF_UNKNOWN: block = wlm_layout_member(l->layout, d->use, kind->states + i); break;
    case WLM_LEAF_PORT:
        block = wlm_layout_port(l->layout, d->use, i);
        at = use->node[kind->port_quantity[i].port][at];
        break;
    }
    return wlm_transient_read(l->transient, block->memory, block->first + at, 1, out);
}

static warplu_status definition_value(warplu_sim *sim, const definition *d, double *out)
{
    const wlm_kind *kind = &sim->changed.kind[sim->changed.use[d->use].kind];
    for (int32_t i = 0; i < kind->leaves; i++) {
        warplu_status status = read_leaf(sim, d, &kind->leaf[i], &d->file[(int64_t)i * WLM_LANES]);
        if (status < 0) return status;
    }
    wlm_run(d->code, d->file, 1);
    *out = d->file[(int64_t)d->program->inputs * WLM_LANES];
    return WARPLU_SUCCESS;
}

/* d: the definition, if the handle is one's. */
static warplu_status value_of(warplu_sim *sim, int64_t handle, const definition *d, double *out)
{
    const wlm_layout *l = sim->large->layout;
    wlm_memory memory = handle < l->n                      ? WLM_MEMORY_UNKNOWNS
                        : handle < (int64_t)l->n + l->sums ? WLM_MEMORY_SUMS
                                                           : WLM_MEMORY_FIXED;
    if (handle >= first_definition(l)) return definition_value(sim, d, out);
    return wlm_transient_read(sim->large->transient, memory, (int32_t)(handle - first_of(l, memory)), 1, out);
}

warplu_status wlm_large_get(warplu_sim *sim, int64_t handle, double *out)
{
    definition *last = &sim->large->last;
    warplu_status status = WARPLU_SUCCESS;
    if (handle >= first_definition(sim->large->layout) && last->handle != handle)
        status = definition_create(sim, handle, last);
    return status < 0 ? status : value_of(sim, handle, last, out);
}

warplu_status wlm_large_set(warplu_sim *sim, int64_t handle, double value)
{
    if (handle >= sim->large->layout->n)
        return wlu_fail(&sim->ctx, WARPLU_INVALID_ARGUMENT, "only unknowns can be set");
    wlm_transient_change(sim->large->transient)[handle] = value;
    return WARPLU_SUCCESS;
}

/* Definitions among what is watched, compiled once a run. */
static warplu_status prepare_watched(warplu_sim *sim)
{
    wlm_large *l = sim->large;
    const wlm_watched *w = &sim->watched;
    forget_watched(sim);
    if (w->fn == NULL) return WARPLU_SUCCESS;
    l->watched = WLU_CALLOC(&sim->ctx, w->count, definition);
    if (l->watched == NULL) return wlu_fail_memory(&sim->ctx, "watched values");
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t i = 0; i < w->count && status == WARPLU_SUCCESS; i++) {
        l->watched[i].handle = -1;
        l->watched_count = i + 1;
        if (w->handle[i] >= first_definition(l->layout)) status = definition_create(sim, w->handle[i], &l->watched[i]);
    }
    return status;
}

static warplu_status tell(warplu_sim *sim, double t)
{
    wlm_watched *w = &sim->watched;
    for (int32_t i = 0; i < w->count; i++) {
        warplu_status status = value_of(sim, w->handle[i], &sim->large->watched[i], &w->values[i]);
        if (status < 0) return status;
    }
    int ended = w->fn(0, t, w->count, w->values, w->user) != 0;
    return ended ? wlu_fail(&sim->ctx, WARPLU_CANCELLED, "cancelled by the caller") : WARPLU_SUCCESS;
}

static warplu_status run_and_tell(warplu_sim *sim, double t)
{
    const wlm_watched *w = &sim->watched;
    wlm_transient *transient = sim->large->transient;
    double from = wlm_transient_time(transient);
    if (w->fn == NULL) return wlm_transient_run(transient, t);
    warplu_status status = wlm_transient_settle(transient, t), worst = WARPLU_SUCCESS;
    if (status < 0) return status;
    double first = floor(from / w->every * (1.0 + 1e-15)) + 1.0, last = floor(t / w->every * (1.0 + 1e-15));
    if (last - first > INT32_MAX)
        return wlu_fail(&sim->ctx, WARPLU_OVERFLOW, "%g output times from %g to %g", last - first, from, t);
    status = tell(sim, from);
    for (double k = first; k <= last && status >= 0; k++) {
        double next = fmin(k * w->every, t);
        if (next > wlm_transient_time(transient)) status = wlm_transient_approach(transient, next);
        if (status > 0) worst = status;
        if (status >= 0) status = tell(sim, next);
    }
    if (status >= 0 && wlm_transient_time(transient) < t) status = wlm_transient_approach(transient, t);
    if (status >= 0) status = wlm_transient_jump(transient);
    return status < 0 ? status : worst;
}

/* 1 where it is the member that cannot go on. What is short of memory, cancelled or not counted goes on when it is
 * asked to again, from the last step that was taken. */
static int is_final(warplu_status status)
{
    return status == WARPLU_NO_CONVERGENCE || status == WARPLU_STEP_TOO_SMALL || status == WARPLU_NOT_FINITE ||
           status == WARPLU_SINGULAR || status == WARPLU_OUT_OF_RANGE;
}

warplu_status wlm_large_run(warplu_sim *sim, double t)
{
    warplu_status status = prepare_watched(sim);
    if (status < 0) return status;
    sim->begun = 1;
    status = run_and_tell(sim, t);
    sim->time = wlm_transient_time(sim->large->transient);
    sim->record[0].time = sim->time;
    if (is_final(status)) sim->record[0].status = status;
    return status;
}

void wlm_large_statistics(const warplu_sim *sim, warplu_sim_statistics *out)
{
    wlm_transient_statistics s;
    wlm_transient_get_statistics(sim->large->transient, &s);
    out->lanes_are_members = 0;
    out->steps = s.steps, out->rejected = s.rejected;
    out->newton_iterations = s.iterations;
}

warplu_status wlm_large_system(warplu_sim *sim, struct wlm_system **out)
{
    *out = sim->large != NULL ? wlm_transient_system(sim->large->transient) : NULL;
    if (*out != NULL) return WARPLU_SUCCESS;
    return wlu_fail(&sim->ctx, WARPLU_WRONG_PHASE,
                    "no matrix: expected lanes that are instances, and an implicit method");
}
