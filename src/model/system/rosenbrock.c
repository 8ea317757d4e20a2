/* Steps large systems by Rosenbrock's methods of method/tableau.h: one matrix and one factorization a step, with frozen
 * pivots through the solver, and a solve for each stage. dq/dy is constant and evaluated once. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/finite.h"
#include "model/system/stepping.h"

/* The work vectors: stages from 0 on, then the others. */
enum { STAGE = WLM_STAGES_MOST, RIGHT, SUM, F0, BY_TIME };

/* ------------------------------------------------------------------ charges */

static warplu_status compress(const wlm_transient *s, const double *value, wlm_charges *out)
{
    const wlm_pattern *p = &s->system->pattern;
    int32_t count = 0;
    for (int32_t k = 0; k < p->ptr[p->n]; k++) count += value[k] != 0.0;
    out->ptr = WLU_ALLOC(s->ctx, (int64_t)p->n + 1, int32_t);
    out->idx = WLU_ALLOC(s->ctx, count, int32_t);
    out->value = WLU_ALLOC(s->ctx, count, double);
    if (out->ptr == NULL || out->idx == NULL || out->value == NULL) return wlu_fail_memory(s->ctx, "charges");
    count = 0;
    for (int32_t j = 0; j < p->n; j++) {
        out->ptr[j] = count;
        for (int32_t k = p->ptr[j]; k < p->ptr[j + 1]; k++)
            if (value[k] != 0.0) out->idx[count] = p->idx[k], out->value[count++] = value[k];
    }
    out->ptr[p->n] = count;
    return WARPLU_SUCCESS;
}

warplu_status wlm_charges_create(wlm_transient *s)
{
    int32_t row = wlm_system_changing(s->system);
    if (row >= 0) {
        char name[200];
        wlm_layout_name(s->layout, WLM_MEMORY_UNKNOWNS, row, name, sizeof name);
        return wlu_fail(s->ctx, WARPLU_MODEL_EQUATIONS,
                        "line " WLM_LINE_FORMAT
                        ": %s cannot step %s, whose charge is not linear in the unknowns: take tr-bdf2",
                        WLM_LINE(wlm_layout_block(s->layout, WLM_MEMORY_UNKNOWNS, row)->place), s->facts->name, name);
    }
    wlm_system_stamp(s->system, 0.0, s->y, 1.0, 0.0, s->work[F0], NULL, s->values);
    return compress(s, s->values, &s->charges);
}

void wlm_charges_free(wlu_context *ctx, wlm_charges *charges)
{
    wlu_free(ctx, charges->ptr);
    wlu_free(ctx, charges->idx);
    wlu_free(ctx, charges->value);
}

/* Adds by dq/dy x to `to`. */
static void add_charges(const wlm_transient *s, double by, const double *x, double *to)
{
    const wlm_charges *c = &s->charges;
    for (int32_t j = 0; j < s->n; j++) {
        double times = by * x[j];
        for (int32_t k = c->ptr[j]; k < c->ptr[j + 1]; k++) to[c->idx[k]] += c->value[k] * times;
    }
}

/* -------------------------------------------------------------------- steps */

static int is_at_start(const wlm_rosenbrock *r, int k)
{
    int at = r->alpha[k] == 0.0;
    for (int j = 0; j < k; j++) at &= r->a[k][j] == 0.0;
    return at;
}

static warplu_status begin(wlm_transient *s, const wlm_rosenbrock *r, double h, int *by_time)
{
    double t = wlm_stage_time(s, s->t);
    int64_t now = wlu_now_ns();
    wlm_system_stamp(s->system, t, s->y, 1.0 / (h * r->gamma), -1.0, s->work[F0], NULL, s->values);
    *by_time = wlm_system_by_time(s->system, t, s->y, s->work[BY_TIME]);
    s->statistics.evaluate_ns += (double)(wlu_now_ns() - now);
    if (!wlu_all_finite(s->values, s->system->pattern.ptr[s->n]))
        return wlm_newton_say(s, WARPLU_NOT_FINITE, "a derivative is not finite", t, s->work[F0]);
    return wlm_newton_factor(s, t);
}

static warplu_status stage(wlm_transient *s, const wlm_rosenbrock *r, double h, int k, int by_time)
{
    double *right = s->work[RIGHT], t = wlm_stage_time(s, s->t + r->alpha[k] * h), weight = r->sum[k] * h;
    int64_t now = wlu_now_ns();
    if (is_at_start(r, k)) {
        memcpy(right, s->work[F0], (size_t)s->n * sizeof *right);
    } else {
        wlm_combine_stages(s, s->y, 1.0, r->a[k], k, s->work[STAGE]);
        wlm_system_evaluate(s->system, t, s->work[STAGE], right, NULL);
    }
    if (k > 0) {
        wlm_combine_stages(s, NULL, 1.0, r->c[k], k, s->work[SUM]);
        add_charges(s, 1.0 / h, s->work[SUM], right);
    }
    for (int32_t i = 0; by_time && i < s->n; i++) right[i] += weight * s->work[BY_TIME][i];
    s->statistics.evaluate_ns += (double)(wlu_now_ns() - now);
    if (!wlu_all_finite(right, s->n)) return wlm_newton_say(s, WARPLU_NOT_FINITE, "a number is not finite", t, right);
    wlm_drop_tiny(right, s->n);
    return wlm_newton_back(s, right, s->work[k], 1);
}

warplu_status wlm_step_rosenbrock(wlm_transient *s, double h, double *norm)
{
    const wlm_rosenbrock *r = s->facts->rosenbrock;
    int by_time = 0;
    *norm = 0.0;
    warplu_status status = begin(s, r, h, &by_time);
    for (int k = 0; k < r->stages && status == WARPLU_SUCCESS; k++) status = stage(s, r, h, k, by_time);
    if (status != WARPLU_SUCCESS) return status;
    wlm_combine_stages(s, s->y, 1.0, r->m, r->stages, s->next);
    if (s->options.step == 0.0) {
        wlm_combine_stages(s, NULL, 1.0, r->e, r->stages, s->work[SUM]);
        *norm = wlm_weighted_norm(s, &s->of_steps, s->work[SUM], s->y, s->next);
    }
    return wlm_transient_judge(s, 0);
}
