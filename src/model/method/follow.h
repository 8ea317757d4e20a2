/* Finds unknowns that follow the rates of others (index 2), as the current of a voltage source beside a capacitor
 * does: at starts and behind jumps no equation says what they are. Steps of backward Euler from there do, each a
 * quarter as long as the one before: limits of three of them at the length 0 have errors of third order, and of
 * these limits that is taken which differs least from the one before (Ridders, Advances in Engineering Software 4,
 * 1982). Longer steps see more of how solutions bend, shorter ones more of rounding. Both engines do so. */
#ifndef WLU_MODEL_METHOD_FOLLOW_H
#define WLU_MODEL_METHOD_FOLLOW_H

#include <math.h>

#include "model/method/slack.h"
#include "model/method/tolerance.h"

enum { WLM_FOLLOW_STEPS = 12 };

/* A limit is good enough where it differs from the one before by less than this, in tolerances. */
static const double wlm_follow_enough = 1e-3;

/* The least share of the run that a step has behind followers that were found anew: shorter ones would tell them worse
 * again, and what a method keeps of that it keeps for ever. */
static const double wlm_follow_again = 0x1p-13;

/* Returns the longest of these steps from t: a power of 2, so that the times of all are exact. whole: the length of the
 * run; fixed: that of fixed steps, or 0; edge: the time to the next jump. */
static inline double wlm_follow_length(double t, double whole, double fixed, double edge)
{
    double h = fmax(fixed > 0.0 ? fixed : 0.01 * whole, WLM_BLUR * fabs(t));
    return exp2(floor(log2(fmin(h, 0.25 * edge))));
}

/* Returns the limit of the results of steps of 16 h, 4 h, h. */
static inline double wlm_follow_limit(double first, double second, double third)
{
    return (first - 20.0 * second + 64.0 * third) / 45.0;
}

/* Returns the larger of `most` and the difference of two limits, in tolerances; infinity where that is no number. */
static inline double wlm_follow_more(double most, double limit, double before, const wlm_tolerance *by)
{
    double difference = wlm_tolerance_ratio(by, limit - before, fabs(limit));
    return difference <= most ? most : isnan(difference) ? INFINITY : difference;
}

#endif
