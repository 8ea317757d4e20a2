/* Computes where a step ends and how long the next one is; pace.h says by what rules. Only arithmetic on one wlm_pace:
 * no equations, no memory. What a device does as well is control.h's, here by numbers. */
#include "model/method/pace.h"

#include "model/elementary/algebra_portable.h"
#include "model/method/control.h"

const char wlm_pace_why_lost[] = "a pulse that begins here is shorter than times are told apart";

void wlm_pace_clear(wlm_pace *a)
{
    a->edge = INFINITY;
    a->here = -1;
    a->lost = 0;
}

void wlm_pace_edge(wlm_pace *a, double now, double time, int32_t kind)
{
    if (fabs(time - now) <= wlm_slack(now)) a->here = kind;
    if (time > now + wlm_slack(now) && time < a->edge) a->edge = time, a->kind = kind, a->lost = 0;
}

void wlm_pace_pulse(wlm_pace *a, double now, double delay, double width, double period, int32_t kind)
{
    double turn = 0.0;
    if (period > 0.0 && now > delay) turn = floor((now - delay) / period) - 1.0;
    for (int k = 0; k < (period > 0.0 ? 4 : 1); k++) {
        double up = turn + k < 0.0 ? delay : delay + (turn + k) * period;
        wlm_pace_edge(a, now, up, kind);
        if (up == a->edge && width > 0.0 && width < 2.0 * wlm_slack(up)) a->lost = 1;
        wlm_pace_edge(a, now, up + width, kind + 1);
    }
}

/* Returns how many edges of the table are below x. */
static int32_t edges_below(const wlm_table *table, double x)
{
    int32_t low = 0, high = table->edges;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (table->edge[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Two edges on either side of now are offered: rounding of what it is looked up by may take one for its neighbour. */
static void offer_table(wlm_pace *a, double now, const wlm_table *table, double at, double scale, double period,
                        int32_t kind)
{
    enum { NEAR = 2 };
    if (!isfinite(at) || !isfinite(scale) || scale == 0.0) return;
    double first = fmin(at + table->edge[0] * scale, at + table->edge[table->edges - 1] * scale);
    double turn = period > 0.0 ? floor((now - first) / period) - 1.0 : 0.0;
    for (int k = 0; k < (period > 0.0 ? 3 : 1); k++) {
        double origin = at + (turn + k) * period;
        int32_t from = edges_below(table, (now - origin) / scale);
        for (int32_t e = from > NEAR ? from - NEAR : 0; e < table->edges && e < from + NEAR; e++)
            wlm_pace_edge(a, now, origin + table->edge[e] * scale, kind);
    }
}

void wlm_pace_times(wlm_pace *a, double now, const wlm_table *table, double delay, double width, double period,
                    int32_t kind)
{
    if (table == NULL)
        wlm_pace_pulse(a, now, delay, width, period, kind);
    else
        offer_table(a, now, table, delay, width, period, kind);
}

int wlm_pace_begin(wlm_pace *a, double now, double *first)
{
    int is_ahead = a->here >= 0 && now == 0.0;
    *first = a->here >= 0 && !is_ahead ? wlm_behind(now) : now;
    if (is_ahead) a->kind = a->here;
    return is_ahead;
}

double wlm_pace_last(const wlm_pace *a)
{
    return isinf(a->edge) ? DBL_MAX : a->edge - wlm_slack(a->edge);
}

void wlm_pace_stop(wlm_pace *a, double now, double stop, double fixed)
{
    if (fabs(a->edge - stop) < wlm_slack(stop)) a->edge = stop;
    a->stop = a->edge < stop ? a->edge : stop;
    double room = a->stop - now;
    if (fixed > 0.0) a->want = room / fmax(1.0, ceil(room / fixed - 1e-6));
}

int32_t wlm_pace_least(const double *limit, int64_t count, int64_t apart, double *least)
{
    wlm_least found = {INFINITY, UINT64_MAX};
    for (int64_t k = 0; k < count; k++) found = wlm_control_least(found, limit[k * apart], (int32_t)k);
    *least = found.limit;
    return (int32_t)(int64_t)found.number;
}

const char *wlm_pace_why_limited(warplu_status status)
{
    return status == WARPLU_NOT_FINITE ? "is no number" : "leaves no step that is long enough";
}

warplu_status wlm_pace_limit(wlm_pace *a, double now, double least, double cfl, double shortest)
{
    a->want = cfl * least;
    return (warplu_status)wlm_control_limited(least, a->want, shortest, now);
}

double wlm_pace_length(wlm_pace *a, double now, double fixed, double longest)
{
    if (!(longest > 0.0)) longest = INFINITY;
    wlm_length next = wlm_control_length(now, a->stop, a->want, longest, a->low, a->high, fixed == 0.0, a->high > 0.0);
    a->ends = next.ends.is;
    return next.h;
}

int wlm_pace_searches(wlm_pace *a, double now, double h, int has_event)
{
    wlm_search s = wlm_control_search(now, a->stop, h, a->low, a->high, (M){has_event});
    a->low = s.low;
    a->high = s.high;
    return s.again.is;
}

int wlm_pace_rises(double before, double after)
{
    return wlm_control_rises(before, after).is;
}

warplu_status wlm_pace_verdict(double norm, double health, double sum, warplu_status weak)
{
    return (warplu_status)wlm_control_verdict(norm, health, sum, weak);
}

warplu_status wlm_pace_judge(warplu_status failed, double norm, double fixed)
{
    return (warplu_status)wlm_control_judge(wlm_control_status(failed), norm, fixed == 0.0);
}

int wlm_pace_accept(wlm_pace *a, double *now, double h, double factor, double fixed)
{
    wlm_taken taken = wlm_control_take(*now, a->stop, a->want, h, factor, (M){a->rejected}, (M){a->ends}, fixed == 0.0);
    a->behind = -1;
    a->rejected = 0;
    a->want = taken.want;
    *now = taken.now;
    return taken.arrives.is;
}

void wlm_pace_reject(wlm_pace *a, double h, warplu_status failed, double factor)
{
    a->want = h * wlm_control_shrink(wlm_control_status(failed), factor, 1);
    a->high = 0.0;
    a->rejected = 1;
}

void wlm_pace_restart(wlm_pace *a, double now, int32_t kind, double learnt, const wlm_table *table)
{
    int bends = table != NULL && !table->jumps;
    a->behind = kind;
    a->rejected = 0;
    if (!bends && learnt < a->want) a->want = fmax(learnt, fmin(a->want, 0x1p-24 * fabs(now)));
}

double wlm_pace_blur(double now, double end)
{
    return wlm_control_blur(now, end);
}

double wlm_pace_shortest(double given, double now, double whole)
{
    return wlm_control_shortest(fmax(given, 1e-20 * whole), now);
}
