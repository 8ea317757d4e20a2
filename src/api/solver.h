/* The solver: one of each object and the policy that ties them. Internal face, for the API's files, the command
 * line and tests. */
#ifndef WLU_SOLVER_H
#define WLU_SOLVER_H

#include "exec/exec.h"

struct warplu_solver {
    wlu_context ctx;
    warplu_options options;
    const wlu_executor *executor;
    wlu_analysis *analysis;
    wlu_pivots *pivots;
    wlu_program *program;
    void *image;
    wlu_state *state;
    int transposed_loaded;
    int factored;      /* the state holds usable factors */
    int fresh;         /* pivoted for the values at hand */
    int suspect;       /* the next solves are checked */
    int proven[2];     /* A, A': a checked solve with these pivots was accurate without refinement; until then every
                          solve is checked */
    int transposed_wanted; /* A' has been solved for: values are kept until it is proven too */
    double *entries;   /* nnz: the values of the factors at hand, gathered; kept where solves are checked */
    int entries_kept;
    double *work;      /* 6 n: residual, weights, right-hand side, correction, best x */
    int64_t factors, refactors, repivots, solves, refined_solves;
    double backward_error;
    int32_t refinement_steps;
};

/* Pivots, compiles, loads and replays for gathered entries; on success the new objects replace the old ones, on
 * failure the old ones stay. values: the caller's array. */
warplu_status wlu_solver_pivot(warplu_solver *s, const double *values, const double *entries);

/* Takes the factors that fresh pivots gave: WARPLU_NOT_FINITE if they overflow. Threshold pivoting promises little where
 * values span many orders of magnitude, so solves are checked until one has shown that it is accurate. */
warplu_status wlu_solver_accept(warplu_solver *s);

/* Verdict on a replay. */
typedef enum wlu_verdict { WLU_HEALTHY, WLU_SUSPECT, WLU_WEAK } wlu_verdict;
wlu_verdict wlu_judge(const wlu_health *health, const wlu_pivot_quality *quality, double pivot_absolute);

#endif
