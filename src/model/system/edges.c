/* Lists the pulses of all instances, equal ones once, and finds their edges. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/system/stepping.h"

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    for (int k = 0; k < 3; k++)
        if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
    return 0;
}

static void keep_different(wlm_edges *e)
{
    int32_t kept = 0;
    if (e->pulses > 0) qsort(e->pulse, (size_t)e->pulses, 3 * sizeof(double), compare);
    for (int32_t k = 0; k < e->pulses; k++) {
        if (kept > 0 && compare(e->pulse + 3 * (int64_t)k, e->pulse + 3 * (int64_t)(kept - 1)) == 0) continue;
        memmove(e->pulse + 3 * (int64_t)kept++, e->pulse + 3 * (int64_t)k, 3 * sizeof(double));
    }
    e->pulses = kept;
}

/* Evaluates the pulses of a use into out[pulse][part][instance]. */
static warplu_status evaluate(const wlm_layout *layout, int32_t use, wlm_isa isa, double *out)
{
    wlm_bank bank;
    int32_t contributions = 0;
    warplu_status status = wlm_bank_create(layout, use, WLM_WANT_PULSES, 0, isa, &contributions, &bank);
    if (status != WARPLU_SUCCESS) return status;
    double *file = bank.outputs > 0 ? wlm_file_create(layout->ctx, bank.program) : NULL;
    wlm_bank_arrays arrays = {.contribution = out};
    if (bank.outputs > 0 && file == NULL) status = wlu_fail_memory(layout->ctx, "pulses");
    if (file != NULL) wlm_bank_run(&bank, file, &arrays, 0, bank.count);
    wlm_file_free(layout->ctx, file);
    wlm_bank_free(layout->ctx, &bank);
    return status;
}

/* Adds the pulses of a use, but for instances with the same pulse as the instance before: mostly all have the same.
 * What is no time has no edge, and no place in an order. */
static warplu_status add_use(const wlm_layout *layout, int32_t use, wlm_isa isa, wlm_edges *e)
{
    int32_t pulses = layout->model->kind[layout->model->use[use].kind].pulses, count = layout->model->use[use].count;
    double *part = WLU_CALLOC(layout->ctx, 3 * (int64_t)pulses * count, double);
    if (part == NULL) return wlu_fail_memory(layout->ctx, "pulses");
    warplu_status status = evaluate(layout, use, isa, part);
    for (int32_t p = 0; p < pulses && status == WARPLU_SUCCESS; p++)
        for (int32_t i = 0; i < count; i++) {
            double *to = e->pulse + 3 * (int64_t)e->pulses;
            for (int k = 0; k < 3; k++) to[k] = part[(3 * (int64_t)p + k) * count + i];
            e->pulses += isfinite(to[0]) && (e->pulses == 0 || compare(to, to - 3) != 0);
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
    out->pulse = WLU_ALLOC(layout->ctx, 3 * count, double);
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
    const double *pulse = edges->pulse;
    for (int32_t p = 0; p < edges->pulses; p++, pulse += 3)
        wlm_pace_pulse(pace, now, pulse[0], pulse[1], pulse[2], 2 * p);
}
