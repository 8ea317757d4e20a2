/* What refined solves have come to. For kernels too. */
#ifndef WLU_NUMERICS_REFINED_H
#define WLU_NUMERICS_REFINED_H

#include <stdint.h>

#include "base/power.h"

/* Some units in the last place: residuals of rows of many entries have as much of their own. A correction of more than
 * these costs as much as a solve, and gains digits. */
#define WLU_REFINE_ENOUGH (16 * 2.220446049250313e-16)
/* An error above this is no success: what FP64 promises (wlu_bounds). */
#define WLU_REFINE_ACCURATE 1e-10

/* What solves since the last replay have come to. */
typedef struct wlu_refined {
    double backward_error; /* the largest; -1: there was none */
    int32_t steps;         /* corrections, most */
    uint32_t inaccurate;   /* right-hand sides that are not solved to WLU_REFINE_ACCURATE */
} wlu_refined;

WLU_PORTABLE wlu_refined wlu_refined_none(void)
{
    wlu_refined none = {-1.0, 0, 0};
    return none;
}

#endif
