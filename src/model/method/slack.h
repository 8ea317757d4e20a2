/* Rounding of times. Edges are hit up to it: nothing within this of one is taken for the next. */
#ifndef WLU_MODEL_METHOD_SLACK_H
#define WLU_MODEL_METHOD_SLACK_H

#include <float.h>
#include <math.h>

#define WLM_SLACK (8.0 * DBL_EPSILON)

static inline double wlm_slack(double t)
{
    return WLM_SLACK * fabs(t);
}

/* Returns the first time that stages may have behind an edge at t. */
static inline double wlm_behind(double t)
{
    return t + fmax(wlm_slack(t), DBL_MIN);
}

#endif
