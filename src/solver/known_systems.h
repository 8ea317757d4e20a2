/* Known systems of the values in the solver's entries, which factors have to solve. */
#ifndef WLU_SOLVER_KNOWN_SYSTEMS_H
#define WLU_SOLVER_KNOWN_SYSTEMS_H

#include "solver/parts.h"

/* So many for each of A and A'. */
enum { WLU_KNOWN_SYSTEMS = 3 };

/* The backward error of the first known system of A as the factors at hand solve it, or a bound of it below `enough`. A
 * solve and a residual. What a device answers. */
warplu_status wlu_solver_known_error(warplu_solver *s, double enough, double *error);
/* How many in a row are solved as exactly as can be expected (`proven` of numerics/thresholds.def), by these factors of
 * these pivots, or where factors is NULL by those at hand. error: of the last one tried. A solve and a residual for
 * each. */
int wlu_solver_count_known_systems(warplu_solver *s, const wlu_pivots *pivots, wlu_factors *factors, int transposed,
                                   double *error);
/* Whether the factors at hand solve all of them without refinement. The same cost. */
int wlu_solver_solves_known_systems(warplu_solver *s, int transposed);

#endif
