/* Finds unknowns of a large system that follow the rates of others, by method/follow.h. Unknowns of rows with charges
 * stay as they are. Cost: 8 to 24 factorizations. */
#include "model/method/follow.h"

#include <string.h>

#include "model/system/stepping.h"

enum { Q0, FIRST, C, SECOND, LIMIT };

/* Steps by h from y, whose charges are held, to s->next. */
static warplu_status step(wlm_transient *s, double t, double h)
{
    double *c = s->work[C];
    wlm_newton w = {.t = t + h, .alpha = 1.0 / h, .beta = -1.0, .c = c};
    for (int32_t i = 0; i < s->n; i++) c[i] = s->system->dynamic[i] ? -w.alpha * s->work[Q0][i] : 0.0;
    memcpy(s->next, s->y, (size_t)s->n * sizeof *s->next);
    warplu_status status = wlm_newton_solve(s, &w, s->next);
    if (!wlm_is_hard(status)) return status;
    for (int32_t i = 0; i < s->n; i++) s->next[i] = (double)NAN; /* a shorter step may do */
    return WARPLU_SUCCESS;
}

/* Extrapolates this step and the two before to a limit. Returns its difference from the limit before, in tolerances. */
static double extrapolate(const wlm_transient *s)
{
    double most = 0.0, *limit = s->work[LIMIT];
    for (int32_t i = 0; i < s->n; i++) {
        if (s->system->held[i]) continue;
        double before = limit[i];
        limit[i] = wlm_follow_limit(s->work[FIRST][i], s->work[SECOND][i], s->next[i]);
        most = wlm_follow_more(most, limit[i], before, &s->asked);
    }
    return most;
}

/* Makes the last step the second one, and the second the first. */
static void shift(wlm_transient *s)
{
    double *oldest = s->work[FIRST];
    s->work[FIRST] = s->work[SECOND];
    s->work[SECOND] = s->next;
    s->next = oldest;
}

warplu_status wlm_transient_follow(wlm_transient *s)
{
    double t = wlm_stage_time(s, s->t), least = INFINITY;
    double h = wlm_follow_length(t, s->whole, s->options.step, s->pace.edge - s->t);
    wlm_system_evaluate(s->system, t, s->y, NULL, s->work[Q0]);
    for (int k = 0; k < WLM_FOLLOW_STEPS && least > wlm_follow_enough; k++, h *= 0.25) {
        warplu_status status = step(s, t, h);
        if (status != WARPLU_SUCCESS) return status;
        double difference = k >= 2 ? extrapolate(s) : INFINITY;
        if (k == 2) difference = INFINITY; /* the first limit has none before it */
        for (int32_t i = 0; i < s->n && difference < least; i++)
            if (!s->system->held[i]) s->y[i] = s->work[LIMIT][i];
        least = fmin(least, difference);
        shift(s);
    }
    return least < INFINITY ? WARPLU_SUCCESS
                            : wlu_fail(s->ctx, WARPLU_NO_CONVERGENCE,
                                       "t = %.6g: no step tells the unknowns that follow the rates of others", s->t);
}
