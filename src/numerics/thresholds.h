/* The thresholds of the numerics (thresholds.def) as numbers of a precision. For kernels too. What is read of the
 * struct is a constant, or one of two; the struct itself is never built. */
#ifndef WLU_NUMERICS_THRESHOLDS_H
#define WLU_NUMERICS_THRESHOLDS_H

#include "base/power.h"

typedef struct wlu_thresholds {
#define WLU_THRESHOLD(name, fp64, fp32, meaning) double name;
#include "numerics/thresholds.def"
#undef WLU_THRESHOLD
} wlu_thresholds;

/* single: factors are computed in FP32. */
WLU_PORTABLE wlu_thresholds wlu_thresholds_of(int single)
{
    wlu_thresholds t = {
#define WLU_THRESHOLD(name, fp64, fp32, meaning) single ? fp32 : fp64,
#include "numerics/thresholds.def"
#undef WLU_THRESHOLD
    };
    return t;
}

#endif
