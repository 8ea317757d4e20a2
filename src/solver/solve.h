/* Solves by the factors at hand, and what they are worth. The api checks phases and arguments first. */
#ifndef WLU_SOLVER_SOLVE_H
#define WLU_SOLVER_SOLVE_H

#include "solver/parts.h"

/* warplu_solve, or warplu_solve_transposed. */
warplu_status wlu_solver_solve(warplu_solver *s, int transposed, int32_t nrhs, const double *b, int32_t ldb, double *x,
                               int32_t ldx);
/* warplu_compute_backward_error. */
warplu_status wlu_solver_backward_error(const warplu_solver *s, int transposed, const double *values, int32_t nrhs,
                                        const double *b, int32_t ldb, const double *x, int32_t ldx, double *omega);

#endif
