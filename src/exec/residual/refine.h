/* Refinement of a solution by residuals in FP64 on the host: the specification of what cuda/refine.cu does.
 * numerics/refine.h has what both compute alike. */
#ifndef WLU_EXEC_RESIDUAL_REFINE_H
#define WLU_EXEC_RESIDUAL_REFINE_H

#include "lu/lu.h"
#include "numerics/refine.h"

/* How many corrections a solve of this program has at most, by factors in FP32 or in FP64. */
static inline int wlu_refine_steps(const wlu_program *program, int single)
{
    int most = single ? WLU_REFINE_STEPS : WLU_REFINE_STEPS_DOUBLE;
    return program->refinement_steps < most ? program->refinement_steps : most;
}

/* One right-hand side's way from residual to residual: r = b - A x, its errors, and what comes next. x: the trial, or
 * NULL before the first one: then r is b. enough: an error of at most this is the last. control is as it was left the
 * last time. O(n + nnz). */
void wlu_refine_look(const wlu_refine_rows *rows, const double *entries, const double *b, const double *x, double *r,
                     int single, double enough, wlu_refine_control *control);

/* Its parts: row i's, r[i] and the largest error and size in control; then what comes next. begins: there was no x. */
typedef void wlu_refine_row(const wlu_refine_rows *rows, const double *entries, const double *b, const double *x,
                            int32_t i, double *r, wlu_refine_control *control);
wlu_refine_row wlu_refine_look_at, wlu_refine_look_at_complex;
static inline wlu_refine_row *wlu_refine_row_of(const wlu_refine_rows *rows)
{
    return rows->doubles == 1 ? wlu_refine_look_at : wlu_refine_look_at_complex;
}
void wlu_refine_conclude(wlu_refine_control *control, int begins, int single, double enough);

/* The solution, of both buffers, so many doubles; see wlu_refine_number. */
void wlu_refine_deliver(const wlu_refine_control *control, int64_t doubles, double *const best[2], int withheld,
                        double *to);

#endif
