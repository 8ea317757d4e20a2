/* Makes starts consistent: by damped Newton; else with conductances to balances that fall to nothing (gmin
 * stepping); else with sources that rise from nothing. A step of backward Euler that is far shorter than the next
 * holds charges. */
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "model/system/stepping.h"

/* The length of that step, as a share of the first one that follows. */
static const double SHORT = 0x1p-40, SHORT_HIGHER = 0x1p-20; /* the latter of index 2, whose unknowns divide by it */
static const double GMIN_FIRST = 1.0, GMIN_LAST = 1e-13;
enum { SOURCES_MOST = 400 };

enum { Q0, F0, C, OFFSET = 4, AT = 3 };

static warplu_status by_gmin(wlm_transient *s, wlm_newton *w, double *y)
{
    warplu_status status = WARPLU_SUCCESS;
    for (double g = GMIN_FIRST; g >= GMIN_LAST && status == WARPLU_SUCCESS; g *= 0.1) {
        w->gmin = g;
        status = wlm_newton_solve_damped(s, w, y, &s->statistics.start_gmin);
    }
    w->gmin = 0.0;
    return status == WARPLU_SUCCESS ? wlm_newton_solve_damped(s, w, y, &s->statistics.start_gmin) : status;
}

/* Evaluates the residual at y into the offset. Returns 1 where it is finite. */
static int take_offset(wlm_transient *s, const wlm_newton *w, const double *y)
{
    double *offset = s->work[OFFSET], *q = s->work[AT];
    wlm_system_evaluate(s->system, w->t, y, offset, q);
    for (int32_t i = 0; i < s->n; i++)
        offset[i] = w->alpha * q[i] + w->beta * offset[i] + (w->c != NULL ? w->c[i] : 0.0);
    return wlu_all_finite(offset, s->n);
}

/* Steps sources: the residual at zero unknowns comes from sources, which are off at first and rise in steps that grow
 * and shrink. Where the residual at zero is not finite, that at y serves. */
static warplu_status by_sources(wlm_transient *s, wlm_newton *w, double *y)
{
    double *offset = s->work[OFFSET], *at = s->work[AT], step = 0.1, share = 1.0;
    for (int32_t i = 0; i < s->n; i++)
        if (!s->system->dynamic[i]) y[i] = 0.0;
    if (!take_offset(s, w, y)) {
        memcpy(y, s->y, (size_t)s->n * sizeof *y);
        take_offset(s, w, y);
    }
    w->offset = offset;
    memcpy(at, y, (size_t)s->n * sizeof *y);
    warplu_status status = WARPLU_SUCCESS;
    for (int k = 0; k < SOURCES_MOST && share > 0.0; k++) {
        w->share = share > step ? share - step : 0.0;
        status = wlm_newton_solve_damped(s, w, y, &s->statistics.start_sources);
        if (status == WARPLU_SUCCESS) {
            share = w->share;
            step *= 2.0;
            memcpy(at, y, (size_t)s->n * sizeof *y);
        } else if (!wlm_is_hard(status)) {
            break;
        } else {
            step *= 0.25;
            memcpy(y, at, (size_t)s->n * sizeof *y);
        }
        if (step < 0x1p-30) break;
    }
    w->offset = NULL;
    return share == 0.0 ? WARPLU_SUCCESS : status;
}

/* Writes a step that holds the charges of y. */
static void hold(wlm_transient *s, const wlm_newton *w)
{
    double *c = s->work[C];
    wlm_system_evaluate(s->system, w->t, s->y, NULL, s->work[Q0]);
    for (int32_t i = 0; i < s->n; i++) c[i] = s->system->dynamic[i] ? -w->alpha * s->work[Q0][i] : 0.0;
}

/* Solves to s->next. What follows rates (index 2) has the rounding of charges over so short a step: where iterations
 * only meet that, longer steps from s->y may do, and *is_found says so. */
static warplu_status solve(wlm_transient *s, wlm_newton *w, int *is_found)
{
    size_t bytes = (size_t)s->n * sizeof *s->y;
    memcpy(s->next, s->y, bytes);
    hold(s, w);
    warplu_status status = wlm_newton_solve_damped(s, w, s->next, &s->statistics.start_damped);
    if (wlm_is_hard(status) && s->index_is_higher) {
        status = wlm_transient_follow(s);
        *is_found = status == WARPLU_SUCCESS;
        hold(s, w);
    }
    if (!wlm_is_hard(status)) return status;
    memcpy(s->next, s->y, bytes);
    status = by_gmin(s, w, s->next);
    if (!wlm_is_hard(status)) return status;
    memcpy(s->next, s->y, bytes);
    return by_sources(s, w, s->next);
}

/* Restores unknowns with q = y to the bits that they had. */
static void restore(const wlm_transient *s, const double *from, double *y)
{
    const wlm_layout *l = s->system->layout;
    for (const wlm_block *b = l->block; b < l->block + l->node_blocks; b++)
        if (b->quantity->type == WLM_STORE && b->count > 0)
            memcpy(y + b->first, from + b->first, (size_t)b->count * sizeof *y);
    for (int32_t i = l->node_n; i < s->n; i++)
        if (s->system->dynamic[i]) y[i] = from[i];
}

warplu_status wlm_transient_start(wlm_transient *s)
{
    int32_t algebraic = 0;
    for (int32_t i = 0; i < s->n; i++) algebraic += !s->system->dynamic[i];
    if (algebraic == 0) return WARPLU_SUCCESS;
    double step = s->options.step > 0.0 ? s->options.step : s->pace.want;
    wlm_newton w = {.t = wlm_stage_time(s, s->t),
                    .alpha = 1.0 / ((s->index_is_higher ? SHORT_HIGHER : SHORT) * step),
                    .beta = -1.0,
                    .c = s->work[C]};
    int is_found = 0;
    warplu_status status = solve(s, &w, &is_found);
    if (status != WARPLU_SUCCESS || is_found) return status;
    if (!s->index_is_higher) restore(s, s->y, s->next);
    memcpy(s->y, s->next, (size_t)s->n * sizeof *s->y);
    return s->index_is_higher ? wlm_transient_follow(s) : WARPLU_SUCCESS;
}
