/* Lists the pulses of all instances, equal ones once, and finds their edges. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/system/stepping.h"

static int compare(const void *a, const void *b)
{
    const wlm_times *x = a, *y = b;
    for (int k = 0; k < 3; k++)
        if (x->number[k] != y->number[k]) return x->number[k] < y->number[k] ? -1 : 1;
    uintptr_t of_x = (uintptr_t)x->table, of_y = (uintptr_t)y->table;
    return (of_x > of_y) - (of_x < of_y);
}

static void keep_different(wlm_edges *e)
{
    int32_t kept = 0;
    if (e->pulses > 0) qsort(e->pulse, (size_t)e->pulses, sizeof *e->pulse, compare);
    for (int32_t k = 0; k < e->pulses; k++)
        if (kept == 0 || compare(&e->pulse[k], &e->pulse[kept - 1]) != 0) e->pulse[kept++] = e->pulse[k];
    e->pulses = kept;
}

/* Evaluates the pulses of a use into out[pulse][part][instance]. */
static warplu_status evaluate(const wlm_layout *layout, int32_t use, wlm_isa isa, double *out)
{
    wlm_bank bank;
    int32_t contributions = 0;
    warplu_status status = wlm_bank_create(layout, use, WLM_WANT_PULSES, 0, isa, &contributions, &bank);
    if (status != WARPLU_SUCCESS) return status;
    wlm_bank_room room;
    wlm_bank_arrays arrays = {.contribution = out};
    status = wlm_bank_open(layout->ctx, &bank, &room);
    if (status == WARPLU_SUCCESS && bank.outputs > 0) wlm_bank_run(&bank, &room, &arrays, 0, bank.count);
    wlm_bank_close(layout->ctx, &room);
    wlm_bank_free(layout->ctx, &bank);
    return status;
}

/* Adds the pulses of a use, but for instances with the same pulse as the instance before: mostly all have the same.
 * What is no time has no edge, and no place in an order. */
static warplu_status add_use(const wlm_layout *layout, int32_t use, wlm_isa isa, wlm_edges *e)
{
    const wlm_kind *kind = &layout->model->kind[layout->model->use[use].kind];
    int32_t pulses = kind->pulses, count = layout->model->use[use].count;
    double *part = WLU_CALLOC(layout->ctx, 3 * (int64_t)pulses * count, double);
    if (part == NULL) return wlu_fail_memory(layout->ctx, "pulses");
    warplu_status status = evaluate(layout, use, isa, part);
    for (int32_t p = 0; p < pulses && status == WARPLU_SUCCESS; p++)
        for (int32_t i = 0; i < count; i++) {
            wlm_times *to = &e->pulse[e->pulses];
            for (int k = 0; k < 3; k++) to->number[k] = part[(3 * (int64_t)p + k) * count + i];
            to->table = kind->pulse[p].table;
            e->pulses += isfinite(to->number[0]) && (e->pulses == 0 || compare(to, to - 1) != 0);
        }
    wlu_free(layout->ctx, part);
    return status;
}

warplu_status wlm_edges_create(const wlm_layout *layout, wlm_isa isa, wlm_edges *out)
{
    const wlm_model *model = layout->model;
    int64_t count = 0;
    memset(out, 0, sizeof *out);
    for (int32_t u = 0; u < model->uses; u++)
        count += (int64_t)model->kind[model->use[u].kind].pulses * model->use[u].count;
    if (count > INT32_MAX) return wlu_fail(layout->ctx, WARPLU_OVERFLOW, "more than 2^31 - 1 pulses");
    out->pulse = WLU_ALLOC(layout->ctx, count, wlm_times);
    if (out->pulse == NULL) return wlu_fail_memory(layout->ctx, "pulses");
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t u = 0; u < model->uses && status == WARPLU_SUCCESS; u++)
        if (model->kind[model->use[u].kind].pulses > 0) status = add_use(layout, u, isa, out);
    if (status != WARPLU_SUCCESS) wlm_edges_free(layout->ctx, out);
    keep_different(out);
    return status;
}

void wlm_edges_free(wlu_context *ctx, wlm_edges *edges)
{
    wlu_free(ctx, edges->pulse);
    memset(edges, 0, sizeof *edges);
}

void wlm_edges_find(const wlm_edges *edges, wlm_pace *pace, double now)
{
    for (int32_t p = 0; p < edges->pulses; p++) {
        const double *number = edges->pulse[p].number;
        wlm_pace_times(pace, now, edges->pulse[p].table, number[0], number[1], number[2], 2 * p);
    }
}
