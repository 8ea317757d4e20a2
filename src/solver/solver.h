/* A solver's life. Internal face, for the api, the command line and tests; parts.h has the struct. */
#ifndef WLU_SOLVER_SOLVER_H
#define WLU_SOLVER_SOLVER_H

#include <warplu/warplu.h>

#include "solver/parts.h"

/* Each as the call of its name in warplu.h, for arguments that are not NULL and a phase that allows it (phase.def), in
 * the floating-point environment at hand; the api moves the phase on. */
warplu_status wlu_solver_create(warplu_solver **out, const warplu_options *options);
/* Frees a solver, and leaves NULL in its place. */
void wlu_solver_destroy(warplu_solver **solver);
warplu_status wlu_solver_clone(warplu_solver **out, const warplu_solver *source);
warplu_status wlu_solver_analyze(warplu_solver *s, int32_t n, const int32_t *ptr, const int32_t *idx,
                                 const double *values);
warplu_status wlu_solver_factor(warplu_solver *s, const double *values);
warplu_status wlu_solver_refactor(warplu_solver *s, const double *values);
/* A restored analysis, and its pivots unless they are NULL, become the solver's; on failure they are released. So does
 * their program, if the file has one that fits; else pivots are compiled as those just chosen are. Nothing vouches for
 * them. name: of the file. Statuses of wlu_plan_restore. */
warplu_status wlu_solver_adopt(warplu_solver *s, const char *name, wlu_analysis *analysis, wlu_pivots *pivots,
                               wlu_saved_program program);

/* What a solver begins with whose pattern another one has: owners of the analysis and of the plan, if there is one. */
typedef struct wlu_seed {
    wlu_analysis *analysis;
    wlu_plan *plan;
    wlu_settling settling;
    wlu_growth growth;
    int unsplit, first_index;
    int accurate_solves[2];
} wlu_seed;

/* Takes a solver with an analysis. O(1). */
wlu_seed wlu_solver_seed(const warplu_solver *source);
/* Takes a seed that is empty, and leaves it so. */
void wlu_seed_release(wlu_context *ctx, wlu_seed *seed);
/* A solver from a seed, which it takes on success. rows: of the pattern, to be shared, or NULL. Statuses of
 * warplu_clone. */
warplu_status wlu_solver_grow_from(warplu_solver **out, const warplu_options *options, wlu_seed *seed, wlu_rows *rows);

#endif
