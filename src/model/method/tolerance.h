/* The meaning of tolerances, in both engines: the error of each unknown is divided by absolute + relative |y|; the
 * largest quotient counts, and at 1 it is what was asked for.
 *
 * Methods estimate the error of a step, of order e in h; errors of a solution are what steps add up to, of the order p
 * of the method. Held to the tolerance itself, errors of steps would leave solutions with errors of its power p / e:
 * far above it for tr-bdf2, trapezoidal and backward-euler, whose estimate has the order p + 1, and further the less is
 * asked for. So errors of steps are held to relative^(e / p - 1) times the tolerances, and solutions have errors in
 * proportion to what was asked for (Stetter's tolerance proportionality; Hairer, Norsett, Wanner 1993, II.4, on errors
 * of steps and of solutions). Runge and Kutta's and Rosenbrock's methods have e = p: their better solution goes on.
 *
 * Newton's iterations end by what was asked for: at changes of a hundredth of it (small engine, device) or of a tenth
 * with those to come (large one), and as matrices are new each time, what is left is of the square of that. At starts
 * and behind jumps the small engine ends at a thousandth. */
#ifndef WLU_MODEL_METHOD_TOLERANCE_H
#define WLU_MODEL_METHOD_TOLERANCE_H

#include <math.h>

#include "model/method/methods.h"

/* A tolerance: errors are divided by absolute + relative |y|. */
typedef struct wlm_tolerance {
    double relative, absolute;
} wlm_tolerance;

/* Returns an error over the tolerance, for an unknown of this size. */
static inline double wlm_tolerance_ratio(const wlm_tolerance *by, double error, double size)
{
    return fabs(error) / (by->absolute + by->relative * size);
}

/* Returns the tolerance that errors of steps are held to, where `asked` is that of solutions; with steps of a fixed
 * length (step above 0) it is the same. */
wlm_tolerance wlm_tolerance_of_steps(wlm_method method, wlm_engine engine, double step, wlm_tolerance asked);

/* A step whose error was `norm` is followed by one that is SAFETY norm^(-1 / e) times as long, within these. */
#define WLM_FACTOR_SAFETY 0.9
#define WLM_FACTOR_LEAST 0.2
#define WLM_FACTOR_MOST 5.0

/* The share of their change by which unknowns that follow rates (index 2) count in an iteration: they are differences
 * of charges over a step, and move by the rounding of these. */
#define WLM_TOLERANCE_OF_FOLLOWERS 0.01

/* The share of charges that rounding moves them by, from step to step that may be five times as long as the one before:
 * errors of those unknowns are not told from this over the step. */
#define WLM_ROUNDING_OF_CHARGES 0x1p-48

#endif
