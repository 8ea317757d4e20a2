/* Finds unknowns of lanes that follow the rates of others, by method/follow.h. Unknowns of rows with charges stay as
 * they are. Cost: 8 to 24 iterations. */
#include "model/method/follow.h"

#include <string.h>

#include "model/step/lanes.h"

enum { ROUNDS_MOST = 10 };

/* Work memory of lanes. */
typedef struct follow {
    unsigned char active[WLM_LANES];
    double h[WLM_LANES], least[WLM_LANES]; /* least: the difference of the best limit, which y has */
    double *first, *second, *limit;        /* n rows: the ends of the two steps before, and their limit */
} follow;

static size_t bytes(const wlm_step_lanes *l)
{
    return (size_t)l->n * WLM_LANES * sizeof(double);
}

static double from(const wlm_step_lanes *l, int32_t lane)
{
    return fmax(l->t[lane], l->first[lane]);
}

static void prepare(wlm_step_lanes *l, const unsigned char *marked, follow *f)
{
    double t[WLM_LANES];
    *f = (follow){.first = l->q_stage, .second = l->f_stage, .limit = l->f_end};
    for (int32_t k = 0; k < WLM_LANES; k++) {
        t[k] = from(l, k);
        f->h[k] = 1.0;
        f->least[k] = INFINITY;
        f->active[k] = (unsigned char)(marked[k] && l->pace[k].member >= 0);
        if (!f->active[k]) continue;
        wlm_lane_find_edge(l, k);
        f->h[k] =
            wlm_follow_length(t[k], l->drive->t1 - l->drive->t0, l->stepper->options.step, l->pace[k].edge - l->t[k]);
    }
    wlm_step_lanes_run(l, &l->charges, t, l->y);
    wlm_step_lanes_copy(l, wlm_newton_charges(l), wlm_workspace_output(&l->charges, 0), l->n);
}

/* Takes an iterate; returns 1 where another one is needed. What is not finite stays so, and no limit is made of it. */
static int take(wlm_step_lanes *l, int32_t lane)
{
    double norm = wlm_workspace_output(&l->newton, l->n)[lane];
    l->drive->fate[l->pace[lane].member].iterations++;
    wlm_lane_iterate(l, lane);
    return isfinite(norm) && norm > 1e-3;
}

/* Steps from y, whose charges stand in the workspace; lanes for which it does not converge get NaN. */
static void step(wlm_step_lanes *l, const follow *f)
{
    double *dh = wlm_newton_lengths(l), *t = wlm_workspace_input(&l->newton, 0),
           *y = wlm_workspace_input(&l->newton, 1);
    unsigned char going[WLM_LANES];
    int left = 0;
    memcpy(y, l->y, bytes(l));
    for (int32_t k = 0; k < l->used; k++) {
        dh[k] = f->h[k];
        t[k] = from(l, k) + f->h[k];
        left += going[k] = f->active[k];
    }
    for (int round = 0; left > 0 && round < ROUNDS_MOST; round++) {
        wlm_workspace_run(&l->newton, l->used);
        left = 0;
        for (int32_t k = 0; k < l->used; k++)
            if (going[k]) left += going[k] = (unsigned char)take(l, k);
    }
    for (int32_t k = 0; k < l->used; k++)
        for (int32_t i = 0; i < l->n && going[k]; i++) WLM_ROW(y, i)[k] = (double)NAN;
}

/* Extrapolates this step and the two before to a limit. Returns its difference from the limit before, in tolerances. */
static double extrapolate(const wlm_step_lanes *l, const follow *f, int32_t lane)
{
    double most = 0.0;
    for (int32_t i = 0; i < l->n; i++) {
        if (l->stepper->held[i]) continue;
        double *before = &WLM_ROW(f->limit, i)[lane];
        double limit = wlm_follow_limit(WLM_ROW(f->first, i)[lane], WLM_ROW(f->second, i)[lane],
                                        wlm_workspace_input(&l->newton, 1 + i)[lane]);
        most = wlm_follow_more(most, limit, *before, &l->stepper->asked);
        *before = limit;
    }
    return most;
}

/* Gives y the limit where that is better than what it has. Returns 1 where a shorter step may do still better. The
 * first limit has none to be compared with. */
static int judge(wlm_step_lanes *l, follow *f, int32_t lane, int is_first)
{
    double difference = extrapolate(l, f, lane);
    if (is_first || !(difference < f->least[lane])) return 1;
    f->least[lane] = difference;
    for (int32_t i = 0; i < l->n; i++)
        if (!l->stepper->held[i]) WLM_ROW(l->y, i)[lane] = WLM_ROW(f->limit, i)[lane];
    return difference > wlm_follow_enough;
}

void wlm_step_lanes_follow(wlm_step_lanes *l, const unsigned char *marked)
{
    follow f;
    int left = 1;
    prepare(l, marked, &f);
    for (int s = 0; s < WLM_FOLLOW_STEPS && left > 0; s++) {
        step(l, &f);
        left = 0;
        for (int32_t k = 0; k < l->used; k++) {
            if (f.active[k]) left += f.active[k] = (unsigned char)(s < 2 || judge(l, &f, k, s == 2));
            f.h[k] *= 0.25;
        }
        double *oldest = f.first;
        f.first = f.second, f.second = oldest;
        memcpy(oldest, wlm_workspace_input(&l->newton, 1), bytes(l));
    }
    for (int32_t k = 0; k < l->used; k++)
        if (marked[k] && l->pace[k].member >= 0 && isinf(f.least[k]))
            wlm_lane_fail(l, k, WARPLU_NO_CONVERGENCE, wlm_workspace_output(&l->newton, 0));
}

void wlm_step_lanes_follow_strays(wlm_step_lanes *l)
{
    int any = 0;
    for (int32_t k = 0; k < l->used; k++) any |= l->strayed[k] &= l->pace[k].member >= 0;
    if (!any) return;
    wlm_step_lanes_follow(l, l->strayed);
    for (int32_t k = 0; k < l->used; k++) {
        if (!l->strayed[k] || l->pace[k].member < 0) continue;
        l->pace[k].want = fmax(l->pace[k].want, wlm_follow_again * (l->drive->t1 - l->drive->t0));
        l->h_before[k] = 0.0;
        wlm_lane_find_stop(l, k);
    }
    memset(l->strayed, 0, sizeof l->strayed);
}
