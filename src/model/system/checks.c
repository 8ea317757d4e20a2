/* Checks what steps of large systems have come to. */
#include "base/finite.h"
#include "model/equations/equations.h"
#include "model/system/stepping.h"

warplu_status wlm_transient_judge(const wlm_transient *s, int others_are_finite)
{
    if (wlu_all_finite(s->next, others_are_finite ? s->layout->node_n : s->n)) return WARPLU_SUCCESS;
    char name[200];
    int32_t i = 0;
    while (wlu_all_finite(&s->next[i], 1)) i++;
    wlm_system_describe(s->system, i, name, sizeof name);
    return wlu_fail(s->ctx, WARPLU_NOT_FINITE, "t = %.6g: %s is not finite after a step", s->t, name);
}

static warplu_status say_outside(const wlm_transient *s, const wlm_state *state, int32_t unknown)
{
    char name[200];
    wlm_system_describe(s->system, unknown, name, sizeof name);
    return wlu_fail(s->ctx, WARPLU_OUT_OF_RANGE, "t = %.9g: %s is %.9g, outside of its range %g..%g", s->t, name,
                    s->y[unknown], state->least, state->most);
}

/* Checks the states that have ranges, of all instances. */
static warplu_status check_ranges(const wlm_transient *s)
{
    const wlm_layout *l = s->layout;
    for (const wlm_block *b = l->block + l->node_blocks; b < l->block + l->blocks; b++) {
        const wlm_state *state = b->state;
        if (state == NULL || !wlm_state_has_range(state)) continue;
        double slack = wlm_range_slack(state->least, state->most, s->options.relative, s->options.absolute);
        double least = state->least - slack, most = state->most + slack;
        for (int32_t i = b->first; i < b->first + b->count; i++)
            if (s->y[i] < least || s->y[i] > most) return say_outside(s, state, i);
    }
    return WARPLU_SUCCESS;
}

/* Checks what has to stay above 0 at nodes. */
static warplu_status check_positive(const wlm_transient *s)
{
    const wlm_layout *l = s->layout;
    for (const wlm_block *b = l->block; b < l->block + l->node_blocks; b++) {
        if (!b->quantity->is_positive) continue;
        int32_t i = b->first;
        while (i < b->first + b->count && s->y[i] > 0.0) i++;
        if (i == b->first + b->count) continue;
        char name[200];
        wlm_system_describe(s->system, i, name, sizeof name);
        return wlu_fail(s->ctx, WARPLU_OUT_OF_RANGE, "t = %.9g: %s is %.9g, and has to stay above 0", s->t, name,
                        s->y[i]);
    }
    return WARPLU_SUCCESS;
}

warplu_status wlm_transient_check(const wlm_transient *s)
{
    const wlm_transient_options *o = &s->options;
    if (s->pace.lost && s->t >= s->pace.edge)
        return wlu_fail(s->ctx, WARPLU_STEP_TOO_SMALL, "at t = %g: %s", s->t, wlm_pace_why_lost);
    warplu_status status = check_positive(s);
    if (status != WARPLU_SUCCESS || (s->t != s->pace.stop && wlm_method_is_plain(o->method, o->step))) return status;
    return check_ranges(s);
}
