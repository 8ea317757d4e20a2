/* Refinement of a solution by residuals in FP64 on the host: the specification of what cuda/refine.cu does.
 * exec/device/refine.h has what both compute alike. */
#ifndef WLU_EXEC_REFINE_H
#define WLU_EXEC_REFINE_H

#include "exec/device/refine.h"

/* One right-hand side's way from residual to residual: r = b - A x, its errors, and what comes next. x: the trial, or
 * NULL before the first one: then r is b. control is as it was left the last time. O(n + nnz). */
void wlu_refine_look(const wlu_device_rows *rows, const double *entries, const double *b, const double *x, double *r,
                     int single, wlu_refine_control *control);

/* The solution, of both buffers; see wlu_refine_number. */
void wlu_refine_deliver(const wlu_refine_control *control, int32_t n, double *const best[2], int withheld, double *to);

#endif
