/* Steps by the explicit methods of method/tableau.h, and by Rush and Larsen's. */
#include <string.h>

#include "base/clock.h"
#include "model/system/stepping.h"

/* Returns what is made of f of nodes: rates, or with y what a step of h makes of it. */
static wlm_finish finish_of(const wlm_transient *s, const double *y, double h)
{
    return (wlm_finish){.mass = s->mass_is_1 ? NULL : s->mass, .y = y, .h = h};
}

/* Computes the rates y' = f / M of a stage; those of nodes as `finish` says, into `nodes`. */
static void rates(wlm_transient *s, double t, const double *y, const wlm_finish *finish, double *nodes, double *own)
{
    int64_t begin = wlu_now_ns();
    wlm_system_rates(s->system, wlm_stage_time(s, t), y, finish, nodes, own);
    s->statistics.evaluate_ns += (double)(wlu_now_ns() - begin);
}

/* Computes to = from + times stage. */
static void add_stage(int32_t n, const double *from, double times, const double *stage, double *to)
{
    for (int32_t i = 0; i < n; i++) to[i] = from[i] + times * stage[i];
}

void wlm_combine_stages(const wlm_transient *s, const double *from, double h, const double *by, int stages, double *out)
{
    size_t bytes = (size_t)s->n * sizeof *out;
    if (from == NULL) from = memset(out, 0, bytes);
    for (int j = 0; j < stages; j++) {
        if (h * by[j] == 0.0) continue;
        add_stage(s->n, from, h * by[j], s->work[j], out);
        from = out;
    }
    if (from != out) memcpy(out, from, bytes);
}

/* Steps by Euler's method: nodes where their contributions are summed. */
static warplu_status euler(wlm_transient *s, double h)
{
    const int32_t nodes = s->system->layout->node_n;
    const wlm_finish step = finish_of(s, s->y, h);
    rates(s, s->t, s->y, &step, s->next, s->work[0]);
    add_stage(s->n - nodes, s->y + nodes, h, s->work[0] + nodes, s->next + nodes);
    return wlm_transient_judge(s, 0);
}

/* Steps by a tableau; its stages are work vectors from 0 on. */
warplu_status wlm_step_explicit(wlm_transient *s, double h, double *norm)
{
    const wlm_explicit *e = s->facts->explicit;
    const wlm_finish rate = finish_of(s, NULL, 0.0);
    double *at = s->work[WLM_STAGES_MOST];
    *norm = 0.0;
    s->system->step = h;
    if (e->stages == 1) return euler(s, h);
    for (int k = e->repeats && !s->fresh; k < e->stages; k++) {
        if (k > 0) wlm_combine_stages(s, s->y, h, e->a[k], k, at);
        rates(s, s->t + e->c[k] * h, k > 0 ? at : s->y, &rate, s->work[k], s->work[k]);
    }
    wlm_combine_stages(s, s->y, h, e->b, e->stages, s->next);
    if (e->lower > 0 && s->options.step == 0.0) {
        wlm_combine_stages(s, NULL, h, e->e, e->stages, at);
        *norm = wlm_weighted_norm(s, &s->of_steps, at, s->y, s->next);
    }
    return wlm_transient_judge(s, 0);
}

warplu_status wlm_step_rush_larsen(wlm_transient *s, double h, double *norm)
{
    const wlm_finish step = finish_of(s, s->y, h);
    int64_t begin = wlu_now_ns();
    *norm = 0.0;
    int finite = wlm_system_update(s->system, wlm_stage_time(s, s->t), h, s->y, &step, s->next, s->next);
    s->statistics.evaluate_ns += (double)(wlu_now_ns() - begin);
    return wlm_transient_judge(s, finite);
}
