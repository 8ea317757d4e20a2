/* Euler, Runge and Kutta's method of order 4 (Kutta 1901), Rush and Larsen. */
#include "base/clock.h"
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

warplu_status wlm_step_rk4(wlm_transient *s, double h, double *norm)
{
    static const double at[4] = {0.0, 0.5, 0.5, 1.0};
    double *stage = s->work[4];
    *norm = 0.0;
    for (int k = 0; k < 4; k++) {
        for (int32_t i = 0; i < s->n; i++) stage[i] = k == 0 ? s->y[i] : s->y[i] + h * at[k] * s->work[k - 1][i];
        rates(s, s->t + at[k] * h, stage, s->work[k]);
    }
    double *const *k = s->work;
    for (int32_t i = 0; i < s->n; i++) s->next[i] = s->y[i] + h / 6.0 * (k[0][i] + 2.0 * (k[1][i] + k[2][i]) + k[3][i]);
    return wlm_transient_judge(s, 0);
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
