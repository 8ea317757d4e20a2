/* Where steps end: outputs, edges of pulses, timed events. */
#include <float.h>
#include <math.h>

#include "model/step/lanes.h"

/* Edges are hit up to the rounding of their times: nothing within this of one is taken for the next. */
static double slack(double t)
{
    return 8.0 * DBL_EPSILON * fabs(t);
}

static void consider(wlm_lane *a, double now, double time, int32_t kind)
{
    if (time > now + slack(now) && time < a->edge) a->edge = time, a->kind = kind;
}

static void consider_pulse(wlm_lane *a, double now, const double *pulse, int32_t number)
{
    double delay = pulse[0], width = pulse[WLM_LANES], period = pulse[2 * WLM_LANES];
    double turn = 0.0;
    if (period > 0.0 && now > delay) turn = floor((now - delay) / period) - 1.0;
    for (int k = 0; k < (period > 0.0 ? 4 : 1); k++) {
        double up = turn + k < 0.0 ? delay : delay + (turn + k) * period;
        consider(a, now, up, 2 * number);
        consider(a, now, up + width, 2 * number + 1);
    }
}

void wlm_lane_find_edge(wlm_step_lanes *l, int32_t lane)
{
    const wlm_equations *e = l->stepper->equations;
    wlm_lane *a = &l->lane[lane];
    a->edge = INFINITY;
    for (int32_t k = 0; k < e->pulses; k++) consider_pulse(a, l->t[lane], WLM_ROW(l->pulse, 3 * k) + lane, k);
    for (int32_t k = 0; k < e->events; k++)
        consider(a, l->t[lane], WLM_ROW(l->pulse, 3 * e->pulses + k)[lane], 2 * e->pulses + k);
    l->last[lane] = a->edge - slack(a->edge);
    if (isinf(a->edge)) l->last[lane] = DBL_MAX;
}

void wlm_lane_find_stop(wlm_step_lanes *l, int32_t lane)
{
    wlm_lane *a = &l->lane[lane];
    const wlm_drive *d = l->drive;
    a->stop = d->t1;
    if (a->output < d->outputs && d->output[a->output] < a->stop) a->stop = d->output[a->output];
    if (a->edge < a->stop) a->stop = a->edge;
    double room = a->stop - l->t[lane], fixed = l->stepper->options.step;
    if (fixed > 0.0) a->want = room / fmax(1.0, ceil(room / fixed - 1e-6));
}

int wlm_lane_found(const wlm_step_lanes *l, int32_t lane)
{
    const wlm_lane *a = &l->lane[lane];
    return a->high - a->low <= 1e-10 * a->high + slack(l->t[lane]);
}

void wlm_lane_choose(wlm_step_lanes *l, int32_t lane)
{
    wlm_lane *a = &l->lane[lane];
    double room = a->stop - l->t[lane], h = a->want, fixed = l->stepper->options.step;
    double longest = l->stepper->options.longest;
    a->ends = 0;
    if (a->high > 0.0) {
        l->h[lane] = wlm_lane_found(l, lane) ? a->high : a->low + 0.5 * (a->high - a->low);
        return;
    }
    if (fixed == 0.0 && longest > 0.0 && h > longest) h = longest;
    if (h >= 0.999999 * room) {
        h = room;
        a->ends = 1;
    } else if (fixed == 0.0 && 2.0 * h > room) {
        h = 0.5 * room;
    }
    l->h[lane] = h;
}

void wlm_lane_restart(wlm_step_lanes *l, int32_t lane, int32_t kind)
{
    wlm_lane *a = &l->lane[lane];
    double learnt = WLM_ROW(l->learnt, kind)[lane];
    a->behind = kind;
    a->rejected = 0;
    l->first[lane] = l->t[lane] + slack(l->t[lane]);
    l->h_before[lane] = 0.0;
    if (learnt < a->want) a->want = learnt;
}
