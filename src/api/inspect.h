/* What the functions that ask a solver about its factors have in common. */
#ifndef WLU_API_INSPECT_H
#define WLU_API_INSPECT_H

#include <warplu/inspect.h>

#include "exec/numeric.h"
#include "solver/parts.h"

/* The factors at hand, wherever the solver, which has some, holds them. What a device answers. */
warplu_status wlu_inspect_factors(warplu_solver *s, wlu_numeric *out);

/* The entries of the values, all finite, in an array for wlu_free. WARPLU_OUT_OF_MEMORY, WARPLU_NOT_FINITE.
 */
warplu_status wlu_inspect_values(warplu_solver *s, const double *values, double **entries);

#endif
