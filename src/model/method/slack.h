/* Rounding of times, and of differences over times. Edges are hit up to it: nothing within this of one is taken for the
 * next. */
#ifndef WLU_MODEL_METHOD_SLACK_H
#define WLU_MODEL_METHOD_SLACK_H

#include <float.h>
#include <math.h>

#define WLM_SLACK (8.0 * DBL_EPSILON)

/* Events whose times differ by less than this share of them are of one time: searches and rounding of many steps alone
 * tell them apart. */
#define WLM_ONE_TIME 0x1p-36

/* The share of a time over which rates are best told by differences. */
#define WLM_BLUR 0x1p-26

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
