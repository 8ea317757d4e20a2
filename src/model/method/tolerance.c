/* Computes what errors of steps are held to, so that errors of solutions are in proportion to rtol and atol.
 * tolerance.h says how. */
#include "model/method/tolerance.h"

#include <math.h>

/* Tolerances of steps are at least this: below, rounding would be measured. */
static const double RELATIVE_LEAST = 0x1p-44;

wlm_tolerance wlm_tolerance_of_steps(wlm_method method, wlm_engine engine, double step, wlm_tolerance asked)
{
    const wlm_method_facts *f = wlm_method_of(method);
    const int controlled = step == 0.0 && f->estimate[engine] > f->order;
    double share = controlled ? pow(asked.relative, (double)f->estimate[engine] / f->order - 1.0) : 1.0;
    if (share * asked.relative < RELATIVE_LEAST) share = fmin(1.0, RELATIVE_LEAST / asked.relative);
    return (wlm_tolerance){share * asked.relative, share * asked.absolute};
}
