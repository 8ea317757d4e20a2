/* Replays and solves on device pointers: enqueued on the caller's stream, judged when they are finished. The api checks
 * phases and arguments first. */
#ifndef WLU_SOLVER_DEVICE_H
#define WLU_SOLVER_DEVICE_H

#include "solver/parts.h"

/* Each as the call of warplu.h, and both: WARPLU_ENQUEUED, or what the device answers. */
warplu_status wlu_solver_refactor_device(warplu_solver *s, const double *device_values, void *stream);
warplu_status wlu_solver_solve_device(warplu_solver *s, wlu_async_solve *solve, void *stream);
warplu_status wlu_solver_refactor_solve_device(warplu_solver *s, const double *device_values, wlu_async_solve *solve,
                                               void *stream);
/* warplu_finish_device. */
warplu_status wlu_solver_finish_device(warplu_solver *s, const double *values, void *stream);

#endif
