/* The arithmetic of steps and of their control, for one lane: written once against the algebra that is included before
 * (elementary/algebra_portable.h). On the CPU its values are numbers (pace.c, for both engines, and step/newton.c),
 * on a device registers of a kernel that is being written (device/control.c, device/newton.c), so both do the same
 * operations in the same order. There is no branch: what a lane does next is chosen by truths. Loops, loads, stores and
 * jumps stand beside it, by hand, in each. Arguments that are `int` are known when a kernel is written.
 *
 * Rules: method/pace.h, method/tolerance.h, method/tableau.h. */
#include <warplu/status.h>

#include "model/elementary/signs.h"
#include "model/method/slack.h"
#include "model/method/tableau.h"
#include "model/method/tolerance.h"

/* ------------------------------------------------------------------ lengths */

/* Returns how far rounding may move a time. */
WLM_INLINE V wlm_control_slack(V t)
{
    return v_mul(v_set(WLM_SLACK), v_abs(t));
}

/* Returns how well the length of the step to an event, of about h, is to be known. */
WLM_INLINE V wlm_control_sharp(V now, V h)
{
    return v_add(v_mul(v_set(1e-10), h), wlm_control_slack(now));
}

/* Says whether the length of the step to an event, between low and high, is known well enough. At 0 times have no
 * rounding, and what happens right behind it would be sought for ever: beside the way to the stop it is there. */
WLM_INLINE M wlm_control_is_found(V now, V stop, V low, V high)
{
    V least = v_mul(v_set(0x1p-100), v_sub(stop, now));
    return v_less_equal(v_sub(high, low), v_max(wlm_control_sharp(now, high), least));
}

/* Says whether an event beyond low is at the stop, as far as can be told: then it happens with what is due there. */
WLM_INLINE M wlm_control_is_at_stop(V now, V stop, V low)
{
    V room = v_sub(stop, now), told = v_mul(v_set(2.0), wlm_control_sharp(now, room));
    return v_less_equal(v_sub(room, low), v_max(told, v_mul(v_set(WLM_ONE_TIME), v_abs(stop))));
}

/* The length of a step; ends: it ends at the stop. */
typedef struct wlm_length {
    V h;
    M ends;
} wlm_length;

/* Returns the next step, which has the length `want` unless something is against it. longest: of controlled steps.
 * may_search: an event may be searched for, between steps of low and of high; high 0: none is. */
WLM_INLINE wlm_length wlm_control_length(V now, V stop, V want, V longest, V low, V high, int controlled,
                                         int may_search)
{
    V room = v_sub(stop, now), h = controlled ? v_select(v_less(longest, want), longest, want) : want;
    M ends = v_less_equal(v_mul(v_set(0.999999), room), h);
    if (controlled) h = v_select(v_less(room, v_add(h, h)), v_mul(v_set(0.5), room), h);
    h = v_select(ends, room, h);
    if (!may_search) return (wlm_length){h, ends};
    M searches = v_less(v_set(0.0), high);
    V half = v_add(low, v_mul(v_set(0.5), v_sub(high, low)));
    half = v_select(wlm_control_is_found(now, stop, low, high), high, half);
    half = v_select(wlm_control_is_at_stop(now, stop, low), room, half);
    M is_whole = v_less_equal(room, half); /* the event is at the stop */
    return (wlm_length){v_select(searches, half, h), m_or(m_and(ends, m_not(searches)), m_and(searches, is_whole))};
}

/* The least of limits so far and its number, or the first one that is not above 0, as a NaN is not. */
typedef struct wlm_least {
    V limit;
    I number;
} wlm_least;

WLM_INLINE wlm_least wlm_control_least(wlm_least least, V limit, int32_t number)
{
    M is_good = v_less(v_set(0.0), least.limit), breaks = m_not(v_less(v_set(0.0), limit));
    M takes = m_and(is_good, m_or(breaks, v_less(limit, least.limit)));
    return (wlm_least){v_select(takes, limit, least.limit), i_select(takes, i_set((uint64_t)number), least.number)};
}

/* ----------------------------------------------------------------- verdicts */

WLM_INLINE I wlm_control_status(warplu_status status)
{
    return i_set((uint64_t)(int64_t)status);
}

/* Returns `well`, unless a norm or a health says otherwise. weak: the status of a weak pivot. */
WLM_INLINE I wlm_control_health(V norm, V health, I well, warplu_status weak)
{
    M is_number = m_and(v_equal(norm, norm), v_equal(health, health));
    I status = i_select(v_less(v_set(0.0), health), well, wlm_control_status(weak));
    return i_select(is_number, status, wlm_control_status(WARPLU_NOT_FINITE));
}

/* Returns the status that a step has failed with, or 0. sum: the new state's numbers times 0, summed up. */
WLM_INLINE I wlm_control_verdict(V norm, V health, V sum, warplu_status weak)
{
    I well = i_select(v_equal(sum, v_set(0.0)), i_set(0), wlm_control_status(WARPLU_NOT_FINITE));
    return wlm_control_health(norm, health, well, weak);
}

/* Returns the status that a step is refused with, because it has failed or its error is too large, or 0. */
WLM_INLINE I wlm_control_judge(I failed, V norm, int controlled)
{
    if (!controlled) return failed;
    M is_large = m_and(i_equal(failed, i_set(0)), m_not(v_less_equal(norm, v_set(1.0))));
    return i_select(is_large, wlm_control_status(WARPLU_STEP_TOO_SMALL), failed);
}

/* Returns the factor for the length of a step that is refused. */
WLM_INLINE V wlm_control_shrink(I failed, V factor, int controlled)
{
    if (!controlled) return v_set(0.25);
    return v_select(i_equal(failed, i_set(0)), v_min(factor, v_set(0.9)), v_set(0.25));
}

/* Returns a length up to which steps do not tell unknowns that follow rates (index 2): these are differences of charges
 * over the step, which rounding moves by as much as longer steps bend them. end: of the run. */
WLM_INLINE V wlm_control_blur(V now, V end)
{
    return v_mul(v_set(WLM_BLUR), v_max(v_abs(now), v_abs(end)));
}

/* Returns a length up to which steps are not tried; shortest: that of the whole run. */
WLM_INLINE V wlm_control_shortest(V shortest, V now)
{
    return v_max(v_mul(v_set(16.0 * DBL_EPSILON), v_abs(now)), shortest);
}

/* Returns the status of a step that a limit leaves no length for, else 0. want: the length that it leaves; shortest:
 * that of the whole run. */
WLM_INLINE I wlm_control_limited(V limit, V want, V shortest, V now)
{
    M fits = m_and(v_less(v_set(0.0), limit), v_less_equal(wlm_control_shortest(shortest, now), want));
    I none = i_select(v_equal(limit, limit), wlm_control_status(WARPLU_STEP_TOO_SMALL),
                      wlm_control_status(WARPLU_NOT_FINITE));
    return i_select(fits, i_set(0), none);
}

/* The end of an iteration of Newton's: done, or its status. before: the norm of the change before; is_late: there were
 * two. */
typedef struct wlm_iteration {
    I status;
    M is_done;
} wlm_iteration;

WLM_INLINE wlm_iteration wlm_control_iteration(V norm, V health, V before, M is_late)
{
    M grows = m_and(is_late, v_less(v_mul(v_set(4.0), before), norm));
    I well = i_select(grows, wlm_control_status(WARPLU_NO_CONVERGENCE), i_set(0));
    return (wlm_iteration){wlm_control_health(norm, health, well, WARPLU_SINGULAR), v_less_equal(norm, v_set(0.01))};
}

/* ------------------------------------------------------- events, acceptance */

WLM_INLINE M wlm_control_rises(V before, V after)
{
    return m_and(v_less(before, v_set(0.0)), v_less_equal(v_set(0.0), after));
}

/* The search for an event behind a step of h: the lengths between which it is, and whether another step is tried. */
typedef struct wlm_search {
    V low, high;
    M again;
} wlm_search;

WLM_INLINE wlm_search wlm_control_search(V now, V stop, V h, V low, V high, M has_event)
{
    M begins = v_equal(high, v_set(0.0));
    V before = v_select(begins, v_set(0.0), low), behind = v_select(has_event, h, high);
    before = v_select(has_event, before, h);
    M is_sharp = m_or(wlm_control_is_found(now, stop, before, behind), wlm_control_is_at_stop(now, stop, before));
    M is_found = m_and(has_event, is_sharp);
    M again = m_not(m_or(is_found, m_and(begins, m_not(has_event))));
    return (wlm_search){before, v_select(again, behind, v_set(0.0)), again};
}

/* The result of taking a step of h: the time, the next step, and whether it is at the stop. factor: how many times as
 * long the next one may be. */
typedef struct wlm_taken {
    V now, want;
    M arrives;
} wlm_taken;

WLM_INLINE wlm_taken wlm_control_take(V now, V stop, V want, V h, V factor, M was_refused, M ends, int controlled)
{
    V t = v_add(now, h), next = v_mul(h, v_select(was_refused, v_min(factor, v_set(1.0)), factor));
    M arrives = m_or(ends, v_less_equal(v_sub(stop, t), wlm_control_slack(stop)));
    if (controlled) want = v_select(v_less(h, want), v_max(next, want), next);
    return (wlm_taken){v_select(arrives, stop, t), want, arrives};
}

/* Returns the change of an unknown over the tolerance. */
WLM_INLINE V wlm_control_change(V from, V to, const wlm_tolerance *asked)
{
    V size = v_max(v_abs(from), v_abs(to));
    return v_div(v_abs(v_sub(to, from)), v_add(v_set(asked->absolute), v_mul(v_set(asked->relative), size)));
}

/* Returns the length up to which a step does not tell them by this method, behind one of length `before`; 0: none. By
 * their change alone, without a step before, a rule that looks back would take all of it for an error. */
WLM_INLINE V wlm_control_untold(const wlm_implicit *m, V now, V end, V before)
{
    V blur = wlm_control_blur(now, end);
    if (!wlm_implicit_looks_back(m)) return blur;
    return v_select(v_less(v_set(0.0), before), blur, v_set((double)INFINITY));
}

/* Says whether a step of h from now is the first one so short that it does not tell what follows rates, behind another
 * one of length `before`; 0: none. */
WLM_INLINE M wlm_control_strays(const wlm_implicit *m, V now, V end, V before, V h)
{
    V share = v_set(m->share), blur = wlm_control_blur(now, end);
    return m_and(v_less(blur, v_mul(share, before)), v_less_equal(v_mul(share, h), blur));
}

/* ------------------------------------------------- stages, by tableau.h's words */

/* Returns t + c h, moved to where the equations do not jump. */
WLM_INLINE V wlm_control_stage_time(V t, V h, double c, V first, V last)
{
    return v_max(v_min(v_add(t, v_mul(v_set(c), h)), last), first);
}

/* Returns the first stage's charges without its rates. */
WLM_INLINE V wlm_control_first_charge(const wlm_implicit *m, V h, V q, V f)
{
    return v_add(q, v_mul(v_mul(v_set(m->weight), h), f));
}

/* Return the second stage's, and where its iterations begin: on the line through y and the first stage's solution. */
WLM_INLINE V wlm_control_second_charge(const wlm_implicit *m, V q, V q_stage)
{
    return v_add(q_stage, v_mul(v_set(m->of_start), v_sub(q_stage, q))); /* a charge that rests stays what it is */
}

WLM_INLINE V wlm_control_second_guess(const wlm_implicit *m, V y, V stage)
{
    V by = v_set(1.0 - m->time);
    return v_add(stage, v_div(v_mul(v_sub(stage, y), by), v_set(m->time)));
}

/* The rates by which the error of a step is estimated: at its beginning, behind its stages, and at the beginning of the
 * step before, which was `before` long. */
typedef struct wlm_rates {
    V begin, first, second, earlier, before;
} wlm_rates;

WLM_INLINE V wlm_control_error_of_ends(V h, const wlm_rates *f)
{
    return v_mul(v_mul(v_set(0.5), h), v_sub(f->first, f->begin));
}

WLM_INLINE V wlm_control_error_of_steps(V h, const wlm_rates *f)
{
    V here = v_div(v_sub(f->first, f->begin), h), there = v_div(v_sub(f->begin, f->earlier), f->before);
    V cube = v_div(v_mul(v_mul(h, h), h), v_set(6.0));
    V error = v_div(v_mul(cube, v_sub(here, there)), v_add(h, f->before));
    return v_select(v_less(v_set(0.0), f->before), error, wlm_control_error_of_ends(h, f));
}

WLM_INLINE V wlm_control_error_of_stages(const wlm_implicit *m, V h, const wlm_rates *f)
{
    V sum = v_sub(v_div(f->begin, v_set(m->over[0])), v_div(f->first, v_set(m->over[1])));
    return v_mul(v_mul(v_set(m->by), h), v_add(sum, v_div(f->second, v_set(m->over[2]))));
}

/* Returns the error of a step, in charges. */
WLM_INLINE V wlm_control_error(const wlm_implicit *m, V h, const wlm_rates *f)
{
    if (m->error == WLM_ERROR_OF_ENDS) return wlm_control_error_of_ends(h, f);
    if (m->error == WLM_ERROR_OF_STEPS) return wlm_control_error_of_steps(h, f);
    return wlm_control_error_of_stages(m, h, f);
}
