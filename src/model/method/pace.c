/* Computes where a step ends and how long the next one is; pace.h says by what rules. Only arithmetic on one wlm_pace:
 * no equations, no memory. device/control.c writes the same as PTX; tests/model/test_step_device.c compares bits. */
#include "model/method/pace.h"

void wlm_pace_edge(wlm_pace *a, double now, double time, int32_t kind)
{
    if (time > now + wlm_slack(now) && time < a->edge) a->edge = time, a->kind = kind;
}

void wlm_pace_pulse(wlm_pace *a, double now, double delay, double width, double period, int32_t kind)
{
    double turn = 0.0;
    if (period > 0.0 && now > delay) turn = floor((now - delay) / period) - 1.0;
    for (int k = 0; k < (period > 0.0 ? 4 : 1); k++) {
        double up = turn + k < 0.0 ? delay : delay + (turn + k) * period;
        wlm_pace_edge(a, now, up, kind);
        wlm_pace_edge(a, now, up + width, kind + 1);
    }
}

double wlm_pace_last(const wlm_pace *a)
{
    return isinf(a->edge) ? DBL_MAX : a->edge - wlm_slack(a->edge);
}

void wlm_pace_stop(wlm_pace *a, double now, double stop, double fixed)
{
    a->stop = a->edge < stop ? a->edge : stop;
    double room = a->stop - now;
    if (fixed > 0.0) a->want = room / fmax(1.0, ceil(room / fixed - 1e-6));
}

static int is_found(const wlm_pace *a, double now)
{
    return a->high - a->low <= 1e-10 * a->high + wlm_slack(now);
}

double wlm_pace_length(wlm_pace *a, double now, double fixed, double longest)
{
    double room = a->stop - now, h = a->want;
    a->ends = 0;
    if (a->high > 0.0) return is_found(a, now) ? a->high : a->low + 0.5 * (a->high - a->low);
    if (fixed == 0.0 && longest > 0.0 && h > longest) h = longest;
    if (h >= 0.999999 * room) {
        a->ends = 1;
        return room;
    }
    return fixed == 0.0 && 2.0 * h > room ? 0.5 * room : h;
}

int wlm_pace_searches(wlm_pace *a, double now, double h, int has_event)
{
    if (!has_event) {
        if (a->high == 0.0) return 0;
        a->low = h;
        return 1;
    }
    if (a->high == 0.0) a->low = 0.0;
    a->high = h;
    if (!is_found(a, now)) return 1;
    a->high = 0.0;
    return 0;
}

int wlm_pace_accept(wlm_pace *a, double now, double h, double factor, double fixed)
{
    double next = h * (a->rejected ? fmin(factor, 1.0) : factor), t = now + h;
    a->behind = -1;
    a->rejected = 0;
    if (fixed == 0.0) a->want = h < a->want ? fmax(next, a->want) : next;
    return a->ends || a->stop - t <= wlm_slack(a->stop);
}

void wlm_pace_reject(wlm_pace *a, double h, double factor)
{
    a->want = h * factor;
    a->high = 0.0;
    a->rejected = 1;
}

void wlm_pace_restart(wlm_pace *a, double now, int32_t kind, double learnt)
{
    a->behind = kind;
    a->rejected = 0;
    if (learnt < a->want) a->want = fmax(learnt, fmin(a->want, 0x1p-24 * fabs(now)));
}

double wlm_pace_shortest(double given, double now, double whole)
{
    return fmax(given, fmax(16.0 * DBL_EPSILON * fabs(now), 1e-20 * whole));
}
