/* Euler, Runge and Kutta's methods of method/tableau.h, Rush and Larsen. */
#include <string.h>

#include "base/clock.h"
#include "model/method/tableau.h"
#include "model/system/stepping.h"

/* Rates y' = f / M at a stage. */
static void rates(wlm_transient *s, double t, const double *y, double *out)
{
    int64_t begin = wlu_now_ns();
    wlm_system_evaluate(s->system, wlm_stage_time(s, t), y, out, NULL);
    for (int32_t i = 0; i < s->system->layout->node_n; i++) out[i] /= s->mass[i];
    s->statistics.evaluate_ns += (double)(wlu_now_ns() - begin);
}

warplu_status wlm_step_euler(wlm_transient *s, double h, double *norm)
{
    double *k = s->work[0];
    *norm = 0.0;
    rates(s, s->t, s->y, k);
    for (int32_t i = 0; i < s->n; i++) s->next[i] = s->y[i] + h * k[i];
    return wlm_transient_judge(s, 0);
}

void wlm_combine_stages(const wlm_transient *s, const double *from, double h, const double *by, int stages, double *out)
{
    size_t bytes = (size_t)s->n * sizeof *out;
    if (from != NULL)
        memcpy(out, from, bytes);
    else
        memset(out, 0, bytes);
    for (int j = 0; j < stages; j++) {
        const double *k = s->work[j];
        double times = h * by[j];
        for (int32_t i = 0; times != 0.0 && i < s->n; i++) out[i] += times * k[i];
    }
}

/* Stages are work vectors from 0 on. Where the last one is at the end of the step, it is the first of the next. */
static warplu_status by_tableau(wlm_transient *s, const wlm_explicit *e, double h, double *norm)
{
    int first = e->lower > 0 && !s->fresh;
    double *at = s->work[WLM_STAGES_MOST];
    *norm = 0.0;
    for (int k = first; k < e->stages; k++) {
        wlm_combine_stages(s, s->y, h, e->a[k], k, at);
        rates(s, s->t + e->c[k] * h, at, s->work[k]);
    }
    wlm_combine_stages(s, s->y, h, e->b, e->stages, s->next);
    if (e->lower > 0 && s->options.step == 0.0) {
        wlm_combine_stages(s, NULL, h, e->e, e->stages, at);
        *norm = wlm_weighted_norm(s, at, s->y, s->next);
    }
    return wlm_transient_judge(s, 0);
}

warplu_status wlm_step_rk4(wlm_transient *s, double h, double *norm)
{
    return by_tableau(s, &wlm_tableau_rk4, h, norm);
}

warplu_status wlm_step_dormand_prince(wlm_transient *s, double h, double *norm)
{
    return by_tableau(s, &wlm_tableau_dormand_prince, h, norm);
}

warplu_status wlm_step_rush_larsen(wlm_transient *s, double h, double *norm)
{
    double *f = s->work[0];
    int64_t begin = wlu_now_ns();
    *norm = 0.0;
    int finite = wlm_system_update(s->system, wlm_stage_time(s, s->t), h, s->y, f, s->next);
    for (int32_t i = 0; i < s->system->layout->node_n; i++) s->next[i] = s->y[i] + h * f[i] / s->mass[i];
    s->statistics.evaluate_ns += (double)(wlu_now_ns() - begin);
    return wlm_transient_judge(s, finite);
}
