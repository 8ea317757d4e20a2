/* Finds the index of a small system, by its derivatives as numbers (method/pencil.h). */
#include <stdio.h>

#include "model/method/pencil.h"
#include "model/step/derived.h"

/* Both matrices by columns, in one pattern. */
typedef struct numbers {
    int32_t *ptr, *idx;
    double *charge, *rate;
    unsigned char *dynamic, *power;
} numbers;

static void place_all(const wlm_derived *d, numbers *a)
{
    for (int32_t k = 0; k < d->both.ptr[d->n]; k++) a->ptr[d->both.idx[k] + 2]++;
    for (int32_t j = 0; j < d->n; j++) a->ptr[j + 2] += a->ptr[j + 1]; /* ptr[j + 1] is where column j is filled next */
    for (int32_t i = 0; i < d->n; i++)
        for (int32_t k = d->both.ptr[i]; k < d->both.ptr[i + 1]; k++) {
            const int32_t at = a->ptr[d->both.idx[k] + 1]++;
            a->idx[at] = i;
            a->charge[at] = d->of_m[k] >= 0 ? d->m_value[d->of_m[k]] : 0.0;
            a->rate[at] = d->of_j[k] >= 0 ? d->j_value[d->of_j[k]] : 0.0;
        }
}

static warplu_status open_numbers(const wlm_derived *d, numbers *a)
{
    wlu_context *ctx = d->ctx;
    int64_t n = d->n, entries = d->both.ptr[n];
    a->ptr = WLU_CALLOC(ctx, n + 2, int32_t);
    a->idx = WLU_ALLOC(ctx, entries, int32_t);
    a->charge = WLU_ALLOC(ctx, entries, double);
    a->rate = WLU_ALLOC(ctx, entries, double);
    a->dynamic = WLU_ALLOC(ctx, n, unsigned char);
    a->power = WLU_ALLOC(ctx, n, unsigned char);
    if (!WLU_ALL_THERE(a->ptr, a->idx, a->charge, a->rate, a->dynamic, a->power)) return wlu_fail_memory(ctx, "step");
    for (int32_t i = 0; i < n; i++) a->dynamic[i] = d->q[i] != WLM_NONE;
    return WARPLU_SUCCESS;
}

static void close_numbers(wlu_context *ctx, numbers *a)
{
    void *all[] = {a->ptr, a->idx, a->charge, a->rate, a->dynamic, a->power};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) wlu_free(ctx, all[k]);
}

static void write_name(const void *equations, int32_t unknown, char *text, size_t bytes)
{
    const wlm_equations *e = equations;
    snprintf(text, bytes, "%s", e->name != NULL ? e->name[unknown] : "?");
}

static wlm_place place_of(const void *equations, int32_t unknown)
{
    const wlm_equations *e = equations;
    return e->place != NULL ? e->place[unknown] : (wlm_place){.line = 0};
}

warplu_status wlm_derived_check_index(const wlm_derived *d, wlm_method method, int *is_higher)
{
    numbers a = {0};
    int32_t index = 1;
    *is_higher = 0;
    if (d->algebraic == 0 || d->m_value == NULL) return WARPLU_SUCCESS;
    warplu_status status = open_numbers(d, &a);
    if (status == WARPLU_SUCCESS) {
        place_all(d, &a);
        wlm_pencil p = {d->n, a.ptr, a.idx, a.charge, a.rate, a.dynamic};
        status = wlm_pencil_judge(d->ctx, &p, a.power, &index);
    }
    const wlm_pencil_names names = {d->equations, d->n, write_name, place_of};
    *is_higher = index > 1;
    if (status == WARPLU_SUCCESS && index != 1) status = wlm_pencil_check(d->ctx, method, index, a.power, &names);
    close_numbers(d->ctx, &a);
    return status;
}
