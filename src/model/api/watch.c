/* Finds, names, reads and writes handles of small systems: unknowns, then definitions, then varying parameters. What
 * is computed from unknowns, definitions and initial values, is a program of its own (`asked`), compiled when it is
 * first asked for and run on one lane for one member. */
#include "model/api/watch.h"

#include <math.h>
#include <string.h>

#include "base/environment.h"
#include "model/api/large.h"
#include "model/text/reading.h"

static int32_t definitions(const warplu_sim *sim)
{
    return sim->equations->locals;
}

static const char *name_of(const warplu_sim *sim, int64_t handle)
{
    if (handle < sim->n) return sim->equations->name[handle];
    handle -= sim->n;
    return handle < definitions(sim) ? sim->equations->local_name[handle] : sim->varying[handle - definitions(sim)];
}

static int64_t handles(const warplu_sim *sim)
{
    if (sim->large != NULL) return wlm_large_handles(sim);
    return (int64_t)sim->n + definitions(sim) + sim->varying_count;
}

/* 1 where the names are equal, an index that only one instance or node has left out or not. */
static int is_named(const char *name, const char *asked)
{
    for (; *name != '\0' && *asked != '\0'; name++, asked++) {
        if (*name == *asked) continue;
        if (strncmp(asked, "[0].", 4) != 0 || *name != '.') return 0;
        asked += 3;
    }
    return *name == *asked;
}

warplu_status warplu_sim_find(warplu_sim *sim, const char *name, int64_t *handle)
{
    if (sim == NULL || name == NULL || handle == NULL) return WARPLU_INVALID_ARGUMENT;
    if (sim->large != NULL) return wlm_large_find(sim, name, handle);
    wlm_nearest nearest;
    wlm_nearest_init(&nearest, wlm_word_of(name));
    for (int64_t h = 0; h < handles(sim); h++) {
        if (is_named(name_of(sim, h), name)) {
            *handle = h;
            return WARPLU_SUCCESS;
        }
        wlm_nearest_try(&nearest, name_of(sim, h));
    }
    *handle = -1;
    return wlu_fail(&sim->ctx, WARPLU_INVALID_ARGUMENT, "'%s' is no unknown, definition or varying parameter%s", name,
                    wlm_nearest_text(&nearest));
}

/* A program whose outputs are nodes of the equations, ready to run on one lane. */
typedef struct wlm_asked {
    wlm_program *program;
    wlm_code *code;
    double *file;
} wlm_asked;

static void asked_free(wlu_context *ctx, wlm_asked *a)
{
    wlm_file_free(ctx, a->file);
    wlm_code_destroy(ctx, &a->code);
    wlm_program_destroy(ctx, &a->program);
}

static warplu_status asked_create(warplu_sim *sim, const wlm_node *nodes, int32_t count, wlm_asked *out)
{
    int32_t inputs = 1 + sim->n + sim->varying_count;
    *out = (wlm_asked){0};
    warplu_status status = wlm_program_compile(sim->equations->graph, nodes, count, inputs, &out->program);
    if (status == WARPLU_SUCCESS) status = wlm_code_create(&sim->ctx, out->program, WLM_ISA_BEST, &out->code);
    if (status == WARPLU_SUCCESS) out->file = wlm_file_create(&sim->ctx, out->program);
    if (status == WARPLU_SUCCESS && out->file == NULL) status = wlu_fail_memory(&sim->ctx, "simulation");
    if (status < 0) asked_free(&sim->ctx, out);
    return status;
}

/* Runs it for one member; y may be NULL, where nothing depends on unknowns. */
static void asked_run(const warplu_sim *sim, const wlm_code *code, double *file, int64_t member, double t,
                      const double *y)
{
    file[0] = t;
    for (int32_t i = 0; i < sim->n; i++) file[(int64_t)(1 + i) * WLM_LANES] = y != NULL ? y[i] : 0.0;
    for (int32_t i = 0; i < sim->varying_count; i++)
        file[(int64_t)(1 + sim->n + i) * WLM_LANES] = sim->parameter[member * sim->varying_count + i];
    wlm_run(code, file, 1);
}

static double output_of(const wlm_program *program, const double *file, int32_t number)
{
    return file[(int64_t)(program->inputs + number) * WLM_LANES];
}

warplu_status wlm_initial_states(warplu_sim *sim)
{
    wlm_asked a;
    warplu_status status = asked_create(sim, sim->equations->initial, sim->n, &a);
    if (status < 0) return status;
    for (int64_t m = 0; m < sim->members; m++) {
        asked_run(sim, a.code, a.file, m, 0.0, NULL);
        for (int64_t i = 0, at = m * sim->n; i < sim->n; i++, at++)
            if (sim->given == NULL || !sim->given[at]) sim->state[at] = output_of(a.program, a.file, (int32_t)i);
    }
    asked_free(&sim->ctx, &a);
    return WARPLU_SUCCESS;
}

static int in_range(const warplu_sim *sim, int64_t handle, int64_t first, int64_t count)
{
    return handle >= 0 && handle < handles(sim) && first >= 0 && count >= 0 && first <= sim->members - count;
}

static warplu_status get_definition(warplu_sim *sim, int32_t number, int64_t first, int64_t count, double *out)
{
    wlm_asked a;
    warplu_status status = asked_create(sim, &sim->equations->local[number], 1, &a);
    if (status < 0) return status;
    for (int64_t m = first; m < first + count; m++) {
        asked_run(sim, a.code, a.file, m, sim->record[m].time, sim->state + m * sim->n);
        out[m - first] = output_of(a.program, a.file, 0);
    }
    asked_free(&sim->ctx, &a);
    return WARPLU_SUCCESS;
}

warplu_status warplu_sim_get(warplu_sim *sim, int64_t handle, int64_t first, int64_t count, double *out)
{
    wlu_environment environment;
    if (sim == NULL || out == NULL || !in_range(sim, handle, first, count)) return WARPLU_INVALID_ARGUMENT;
    if (sim->large != NULL) return count > 0 ? wlm_large_get(sim, handle, out) : WARPLU_SUCCESS;
    int64_t behind = handle - sim->n - definitions(sim);
    if (handle >= sim->n && behind < 0) {
        wlu_environment_enter(&environment);
        warplu_status status = get_definition(sim, (int32_t)(handle - sim->n), first, count, out);
        wlu_environment_leave(&environment);
        return status;
    }
    for (int64_t m = first; m < first + count; m++)
        out[m - first] =
            handle < sim->n ? sim->state[m * sim->n + handle] : sim->parameter[m * sim->varying_count + behind];
    return WARPLU_SUCCESS;
}

static warplu_status check_finite(warplu_sim *sim, int64_t first, int64_t count, const double *in)
{
    for (int64_t k = 0; k < count; k++)
        if (!isfinite(in[k]))
            return wlu_fail(&sim->ctx, WARPLU_NOT_FINITE, "a value of member %lld is set to %g", (long long)(first + k),
                            in[k]);
    return WARPLU_SUCCESS;
}

/* Before the first run these are initial values, which parameters that are set later leave as they are. */
static warplu_status set_unknown(warplu_sim *sim, int64_t handle, int64_t first, int64_t count, const double *in)
{
    if (sim->given == NULL && !sim->begun) {
        sim->given = WLU_CALLOC(&sim->ctx, sim->members * sim->n, unsigned char);
        if (sim->given == NULL) return wlu_fail_memory(&sim->ctx, "initial values");
    }
    sim->settled = 0;
    for (int64_t m = first; m < first + count; m++) {
        sim->state[m * sim->n + handle] = in[m - first];
        if (sim->given != NULL) sim->given[m * sim->n + handle] = 1;
    }
    return WARPLU_SUCCESS;
}

warplu_status warplu_sim_set(warplu_sim *sim, int64_t handle, int64_t first, int64_t count, const double *in)
{
    wlu_environment environment;
    if (sim == NULL || in == NULL || !in_range(sim, handle, first, count)) return WARPLU_INVALID_ARGUMENT;
    warplu_status status = check_finite(sim, first, count, in);
    if (status < 0) return status;
    if (sim->large != NULL) return count > 0 ? wlm_large_set(sim, handle, in[0]) : WARPLU_SUCCESS;
    int64_t behind = handle - sim->n - definitions(sim);
    if (handle >= sim->n && behind < 0)
        return wlu_fail(&sim->ctx, WARPLU_INVALID_ARGUMENT, "'%s' is a definition: it cannot be set",
                        name_of(sim, handle));
    if (behind >= 0 && sim->begun)
        return wlu_fail(&sim->ctx, WARPLU_WRONG_PHASE, "'%s' is a parameter: it is set before the first run",
                        name_of(sim, handle));
    if (behind < 0) return set_unknown(sim, handle, first, count, in);
    for (int64_t m = first; m < first + count; m++) sim->parameter[m * sim->varying_count + behind] = in[m - first];
    wlu_environment_enter(&environment);
    status = wlm_initial_states(sim); /* they may depend on the parameter */
    wlu_environment_leave(&environment);
    return status;
}

void wlm_watched_free(warplu_sim *sim)
{
    wlm_watched *w = &sim->watched;
    wlm_asked a = {w->program, w->code, w->file};
    asked_free(&sim->ctx, &a);
    wlu_free(&sim->ctx, w->handle);
    wlu_free(&sim->ctx, w->values);
    *w = (wlm_watched){0};
}

static warplu_status watch_definitions(warplu_sim *sim, wlm_watched *w)
{
    wlm_asked a;
    wlm_node *nodes = WLU_ALLOC(&sim->ctx, w->count, wlm_node);
    if (nodes == NULL) return wlu_fail_memory(&sim->ctx, "watched values");
    for (int32_t i = 0; i < w->count; i++) {
        int64_t number = w->handle[i] - sim->n;
        if (number >= 0 && number < definitions(sim)) nodes[w->definitions++] = sim->equations->local[number];
    }
    warplu_status status = WARPLU_SUCCESS;
    if (w->definitions > 0) {
        status = asked_create(sim, nodes, w->definitions, &a);
        if (status == WARPLU_SUCCESS) w->program = a.program, w->code = a.code, w->file = a.file;
    }
    wlu_free(&sim->ctx, nodes);
    return status;
}

warplu_status warplu_sim_watch(warplu_sim *sim, const int64_t *of, int32_t count, double every, warplu_row_fn fn,
                               void *user)
{
    if (sim == NULL) return WARPLU_INVALID_ARGUMENT;
    wlm_watched_free(sim);
    if (fn == NULL) return WARPLU_SUCCESS;
    if (of == NULL || count < 0 || !(every > 0.0) || !isfinite(every))
        return wlu_fail(&sim->ctx, WARPLU_INVALID_ARGUMENT, "watching: expected handles, and an interval above 0");
    for (int32_t i = 0; i < count; i++)
        if (!in_range(sim, of[i], 0, 0))
            return wlu_fail(&sim->ctx, WARPLU_INVALID_ARGUMENT, "watching: %lld is no handle", (long long)of[i]);
    wlm_watched *w = &sim->watched;
    *w = (wlm_watched){.count = count, .every = every, .user = user};
    w->handle = WLU_ALLOC(&sim->ctx, count, int64_t);
    w->values = WLU_ALLOC(&sim->ctx, count, double);
    warplu_status status =
        w->handle == NULL || w->values == NULL ? wlu_fail_memory(&sim->ctx, "watched values") : WARPLU_SUCCESS;
    if (status == WARPLU_SUCCESS) {
        memcpy(w->handle, of, (size_t)count * sizeof *of);
        if (sim->large == NULL) status = watch_definitions(sim, w);
    }
    w->fn = fn;
    if (status < 0) wlm_watched_free(sim);
    return status;
}

void wlm_watched_compute(warplu_sim *sim, int64_t member, double t, const double *y)
{
    wlm_watched *w = &sim->watched;
    int32_t next = 0;
    if (w->program != NULL) asked_run(sim, w->code, w->file, member, t, y);
    for (int32_t i = 0; i < w->count; i++) {
        int64_t handle = w->handle[i], behind = handle - sim->n - definitions(sim);
        w->values[i] = handle < sim->n ? y[handle]
                       : behind < 0    ? output_of(w->program, w->file, next++)
                                       : sim->parameter[member * sim->varying_count + behind];
    }
}

warplu_status warplu_sim_get_name(warplu_sim *sim, int64_t handle, char *name, int64_t bytes, int32_t *line)
{
    if (sim == NULL || !in_range(sim, handle, 0, 0) || (name != NULL && bytes < 1)) return WARPLU_INVALID_ARGUMENT;
    if (sim->large != NULL) return wlm_large_name(sim, handle, name, bytes, line);
    if (name != NULL) snprintf(name, (size_t)bytes, "%s", name_of(sim, handle));
    if (line != NULL) *line = handle < sim->n ? sim->equations->place[handle].line : 0;
    return WARPLU_SUCCESS;
}
