/* The time of a compiled factorization on a target that executes at once all that is ready, by its path and its work;
 * and the order of tiles' sources, which the same simulation finds: what is done early is subtracted while what is late
 * is waited for.
 *
 * The path is found by an event simulation in the order of the program, without limits on what runs side by side: a
 * record ends when the last of its operands is there, a handoff and its terms later (a reciprocal comes with the pivot
 * it is made of), a tile as in cost/region_search.h, records into its panel being waited for first. O(program), and of
 * a tile's sources what sorting takes. */
#ifndef WLU_LU_SIMULATE_H
#define WLU_LU_SIMULATE_H

#include "lu/lu.h"

typedef struct wlu_simulation {
    double dot_path_ns; /* until the last DOT record is done, those into panels apart, */
    double path_ns;     /* and all */
    double work_ns;
    double ns; /* wlu_cost_time of both */
} wlu_simulation;

/* By the constants of the program's cost. Orders its sources. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_lu_simulate(wlu_context *ctx, wlu_program *program, wlu_simulation *out);

#endif
