/* Compares the times at which an event happens; recurrence.h says by what rules. */
#include "model/method/recurrence.h"

#include <math.h>
#include <stdio.h>

#include "model/method/slack.h"

enum { QUICK_MOST = 100 };
static const double PROBE = 0x1p-24, FIRST_PROBE = 0x1p-34, AHEAD = 2e-10, AHEAD_MOST = 0x1p-10, ROUNDINGS = 16.0;

void wlm_recurrence_begin(wlm_recurrence *r)
{
    *r = (wlm_recurrence){.fired = NAN, .last = NAN, .gap = NAN};
}

int wlm_event_is_ahead(double before, double after, double t, double h)
{
    double share = fmax(AHEAD, fmin(WLM_ONE_TIME * fabs(t) / h, AHEAD_MOST));
    return before < 0.0 && after < 0.0 && after + share * (after - before) >= 0.0;
}

wlm_event_fault wlm_recurrence_fire(wlm_recurrence *r, double t, double crossing)
{
    if (t > r->fired) r->quick = t - r->fired <= WLM_ONE_TIME * fabs(t) ? r->quick + 1 : 0;
    r->fired = t;
    r->over = fmax(crossing, 0.0);
    r->below = fmin(crossing, 0.0);
    return r->quick > QUICK_MOST ? WLM_EVENT_CLOSER : WLM_EVENT_FINE;
}

double wlm_recurrence_level(const wlm_recurrence *r, double t, double crossing)
{
    return r->fired == t && crossing >= r->below ? fmax(crossing, 0.0) : crossing;
}

void wlm_recurrence_leave(wlm_recurrence *r, double t, double *crossing)
{
    int is_set = *crossing == 0.0;
    if (r->fired != t) return;
    if (!is_set) r->over = 0.0;
    *crossing = wlm_recurrence_level(r, t, *crossing);
    r->pending = *crossing < 0.0 || t == 0.0 ? 0 : 1 + is_set;
    r->probe = t + (is_set ? FIRST_PROBE : PROBE) * fabs(t);
}

wlm_event_fault wlm_recurrence_probe(wlm_recurrence *r, double t, double crossing)
{
    if (r->pending == 0 || t < r->probe) return WLM_EVENT_FINE;
    double gap = r->fired - r->last, next = gap * (gap / r->gap);
    r->pending = crossing < 0.0 ? 0 : r->pending - 1;
    r->probe = t + PROBE * fabs(t);
    if (crossing < 0.0) r->gap = gap, r->last = r->fired;
    int is_last = crossing >= 0.0 && r->pending == 0, is_held = r->over > 0.0 && crossing > ROUNDINGS * r->over;
    int is_closer = gap < r->gap && next < 4.0 * PROBE * fabs(t);
    return is_last && (is_held || is_closer) ? WLM_EVENT_CLOSER : WLM_EVENT_FINE;
}

void wlm_recurrence_ahead(const wlm_recurrence *r, double *probe)
{
    if (r->pending > 0 && (*probe == 0.0 || r->probe < *probe)) *probe = r->probe;
}

wlm_event_fault wlm_queue_fault(const double *before, const double *behind, int32_t slots, double t)
{
    for (int32_t k = 0; k < slots; k++)
        if (before[k] < 0.0)
            return behind[k] > t + wlm_slack(t) && isfinite(behind[k]) ? WLM_EVENT_FINE : WLM_EVENT_DELAY;
    return WLM_EVENT_FULL;
}

int wlm_event_is_due(double due, double t)
{
    return fabs(due - t) <= WLM_ONE_TIME * fabs(t);
}

int wlm_event_has_time(double at, double t0)
{
    return at > fmin(0.0, t0);
}

warplu_status wlm_event_status(wlm_event_fault fault)
{
    return fault == WLM_EVENT_CLOSER ? WARPLU_STEP_TOO_SMALL : WARPLU_MODEL_EQUATIONS;
}

void wlm_event_say(wlm_event_fault fault, wlm_place place, wlm_place other, const char *name, char *text, size_t bytes)
{
    switch (fault) {
    case WLM_EVENT_TIME:
        snprintf(text, bytes, "the time of the event at line " WLM_LINE_FORMAT " is not behind the start",
                 WLM_LINE(place));
        break;
    case WLM_EVENT_CONFLICT:
        snprintf(text, bytes,
                 "the events at lines " WLM_LINE_FORMAT " and " WLM_LINE_FORMAT " happen at once, and both set %.100s",
                 WLM_LINE(place), WLM_LINE(other), name);
        break;
    case WLM_EVENT_ROUNDS:
        snprintf(text, bytes,
                 "events make each other happen more than %d times at once, at last that at line " WLM_LINE_FORMAT "",
                 WLM_EVENT_ROUNDS_MOST, WLM_LINE(place));
        break;
    case WLM_EVENT_CLOSER:
        snprintf(text, bytes,
                 "the event at line " WLM_LINE_FORMAT
                 " happens at times that come ever closer, and steps cannot follow",
                 WLM_LINE(place));
        break;
    case WLM_EVENT_DELAY:
        snprintf(text, bytes, "the delay of the event at line " WLM_LINE_FORMAT " is no number above 0",
                 WLM_LINE(place));
        break;
    case WLM_EVENT_FULL:
        snprintf(text, bytes, "more than %d of the event at line " WLM_LINE_FORMAT " wait at a time",
                 WLM_EVENT_WAITING_MOST, WLM_LINE(place));
        break;
    case WLM_EVENT_FINE: text[0] = '\0'; break;
    }
}
