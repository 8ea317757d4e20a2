/* Names and values of members: reads and sets unknowns and parameters, and computes definitions from them. */
#include <string.h>

#include "model/api/members.h"
#include "model/api/parameters.h"
#include "model/text/names.h"

/* ------------------------------------------------------------------ handles */

static int64_t first_parameter(const warplu_sim *sim)
{
    const wlm_members *m = sim->own;
    return (int64_t)sim->n + m->equations->locals;
}

int64_t wlm_members_handles(const warplu_sim *sim)
{
    return first_parameter(sim) + sim->varying_count;
}

warplu_handle_kind wlm_members_kind(const warplu_sim *sim, int64_t handle)
{
    const wlm_equations *e = ((const wlm_members *)sim->own)->equations;
    int64_t sums = (int64_t)sim->n + e->sums;
    return handle < sim->n                 ? WARPLU_HANDLE_KIND_UNKNOWN
           : handle < sums                 ? WARPLU_HANDLE_KIND_SUM
           : handle < sums + e->fixed      ? WARPLU_HANDLE_KIND_FIXED
           : handle < first_parameter(sim) ? WARPLU_HANDLE_KIND_DEFINITION
                                           : WARPLU_HANDLE_KIND_PARAMETER;
}

static const char *name_of(const warplu_sim *sim, int64_t handle)
{
    const wlm_equations *e = ((const wlm_members *)sim->own)->equations;
    if (handle < sim->n) return e->name[handle];
    handle -= sim->n;
    return handle < e->locals ? e->local_name[handle] : sim->varying[handle - e->locals];
}

int64_t wlm_members_find(const warplu_sim *sim, const char *name, wlm_suggestion *suggestion)
{
    wlm_nearest_init(&suggestion->nearest, wlm_word_of(name));
    for (int64_t h = 0; h < wlm_members_handles(sim); h++) {
        if (wlm_names_match(name_of(sim, h), name)) return h;
        wlm_nearest_try(&suggestion->nearest, name_of(sim, h));
    }
    return -1;
}

void wlm_members_name(const warplu_sim *sim, int64_t handle, char *name, size_t bytes)
{
    snprintf(name, bytes, "%s", name_of(sim, handle));
}

wlm_place wlm_members_place(const warplu_sim *sim, int64_t handle)
{
    return ((const wlm_members *)sim->own)->equations->place[handle];
}

/* ----------------------------------------------------------------- formulas */

static warplu_status create(warplu_sim *sim, const wlm_node *nodes, int32_t count, wlm_formula *out)
{
    const wlm_members *m = sim->own;
    return wlm_formula_create(&sim->ctx, "definition", m->equations->graph, nodes, count,
                              1 + sim->n + sim->varying_count + 1, out);
}

/* Runs a formula for one member; y may be NULL where nothing depends on unknowns. */
static void compute(const warplu_sim *sim, const wlm_formula *f, int64_t member, double t, double step, const double *y)
{
    *wlm_formula_input(f, 0) = t;
    for (int32_t i = 0; i < sim->n; i++) *wlm_formula_input(f, 1 + i) = y != NULL ? y[i] : 0.0;
    for (int32_t i = 0; i < sim->varying_count; i++)
        *wlm_formula_input(f, 1 + sim->n + i) = sim->parameter[member * sim->varying_count + i];
    *wlm_formula_input(f, 1 + sim->n + sim->varying_count) = step;
    wlm_formula_run(f);
}

warplu_status wlm_members_begin(warplu_sim *sim)
{
    wlm_members *m = sim->own;
    wlm_formula f;
    warplu_status status = create(sim, m->equations->initial, sim->n, &f);
    if (status < 0) return status;
    for (int64_t k = 0; k < sim->members; k++) {
        compute(sim, &f, k, 0.0, 0.0, NULL);
        for (int64_t i = 0, at = k * sim->n; i < sim->n; i++, at++)
            if (m->given == NULL || !m->given[at]) m->state[at] = wlm_formula_output(&f, (int32_t)i);
    }
    wlm_formula_free(&sim->ctx, &f);
    return WARPLU_SUCCESS;
}

/* ------------------------------------------------------------------- values */

static warplu_status get_definition(warplu_sim *sim, int64_t number, int64_t first, int64_t count, double *out)
{
    wlm_members *m = sim->own;
    wlm_formula f;
    warplu_status status = create(sim, &m->equations->local[number], 1, &f);
    if (status < 0) return status;
    for (int64_t k = 0; k < count; k++) {
        compute(sim, &f, first + k, m->clock[first + k], m->step[first + k], m->state + (first + k) * sim->n);
        out[k] = wlm_formula_output(&f, 0);
    }
    wlm_formula_free(&sim->ctx, &f);
    return WARPLU_SUCCESS;
}

warplu_status wlm_members_get(warplu_sim *sim, int64_t handle, int64_t first, int64_t count, double *out)
{
    const wlm_members *m = sim->own;
    int64_t parameter = handle - first_parameter(sim);
    if (handle >= sim->n && parameter < 0) return get_definition(sim, handle - sim->n, first, count, out);
    for (int64_t k = first; k < first + count; k++)
        out[k - first] =
            handle < sim->n ? m->state[k * sim->n + handle] : sim->parameter[k * sim->varying_count + parameter];
    return WARPLU_SUCCESS;
}

/* Sets an unknown. Before the first run it is an initial value, which parameters that are set later do not change. */
static warplu_status set_unknown(warplu_sim *sim, int64_t handle, int64_t first, int64_t count, const double *in)
{
    wlm_members *m = sim->own;
    if (m->given == NULL && !m->begun) {
        m->given = WLU_CALLOC(&sim->ctx, sim->members * sim->n, unsigned char);
        if (m->given == NULL) return wlu_fail_memory(&sim->ctx, "initial values");
    }
    m->settled = 0;
    for (int64_t k = first; k < first + count; k++) {
        m->state[k * sim->n + handle] = in[k - first];
        if (m->given != NULL) m->given[k * sim->n + handle] = 1;
    }
    return WARPLU_SUCCESS;
}

warplu_status wlm_members_set(warplu_sim *sim, int64_t handle, int64_t first, int64_t count, const double *in)
{
    const wlm_members *m = sim->own;
    int64_t parameter = handle - first_parameter(sim);
    if (parameter < 0) return set_unknown(sim, handle, first, count, in);
    if (m->begun) return wlm_parameters_refuse(sim, parameter);
    for (int64_t k = first; k < first + count; k++) sim->parameter[k * sim->varying_count + parameter] = in[k - first];
    return wlm_members_begin(sim); /* initial values may depend on the parameter */
}

/* ------------------------------------------------------------------ watches */

void wlm_members_forget(warplu_sim *sim)
{
    wlm_members *m = sim->own;
    wlm_formula_free(&sim->ctx, &m->watched);
}

/* Compiles what is watched and computed into one formula. */
warplu_status wlm_members_watch(warplu_sim *sim)
{
    wlm_members *m = sim->own;
    const wlm_watched *w = &sim->watched;
    int32_t computed = 0;
    wlm_node *nodes = WLU_ALLOC(&sim->ctx, w->count, wlm_node);
    if (nodes == NULL) return wlu_fail_memory(&sim->ctx, "watched values");
    for (int32_t i = 0; i < w->count; i++)
        if (w->handle[i] >= sim->n && w->handle[i] < first_parameter(sim))
            nodes[computed++] = m->equations->local[w->handle[i] - sim->n];
    warplu_status status = computed > 0 ? create(sim, nodes, computed, &m->watched) : WARPLU_SUCCESS;
    wlu_free(&sim->ctx, nodes);
    return status;
}

void wlm_members_compute(warplu_sim *sim, int64_t member, double t, double step, const double *y)
{
    const wlm_members *m = sim->own;
    wlm_watched *w = &sim->watched;
    int32_t next = 0;
    if (m->watched.program != NULL) compute(sim, &m->watched, member, t, step, y);
    for (int32_t i = 0; i < w->count; i++) {
        int64_t handle = w->handle[i], parameter = handle - first_parameter(sim);
        w->values[i] = handle < sim->n ? y[handle]
                       : parameter < 0 ? wlm_formula_output(&m->watched, next++)
                                       : sim->parameter[member * sim->varying_count + parameter];
    }
}
