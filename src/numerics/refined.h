/* What refined solves have come to. For kernels too. */
#ifndef WLU_NUMERICS_REFINED_H
#define WLU_NUMERICS_REFINED_H

#include <stdint.h>

#include "base/power.h"

/* What solves since the last replay have come to. */
typedef struct wlu_refined {
    double backward_error; /* the largest; -1: there was none */
    int32_t steps;         /* corrections, most */
    uint32_t inaccurate;   /* right-hand sides that are not solved to `accurate` of FP64 (numerics/thresholds.def) */
} wlu_refined;

WLU_PORTABLE wlu_refined wlu_refined_none(void)
{
    wlu_refined none = {-1.0, 0, 0};
    return none;
}

#endif
