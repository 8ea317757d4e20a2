/* Refinement on a CUDA device: what a state needs beside its solves. */
#ifndef WLU_EXEC_FLOW_REFINE_H
#define WLU_EXEC_FLOW_REFINE_H

#include "exec/flow/image.h"

/* Where the target refines; within the device's context, as all that follows. */
warplu_status wlu_flow_attach_refine(wlu_context *ctx, wlu_flow_state *state);
void wlu_flow_detach_refine(wlu_flow_state *state);

/* The refinement of these right-hand sides, as many as there is room for. */
wlu_device_refine wlu_flow_refine_of(const wlu_flow_state *state, const wlu_async_solve *solve);
/* Before the first solution: residuals are the right-hand sides. Enqueued. */
warplu_status wlu_flow_begin_refine(wlu_context *ctx, const wlu_flow_image *image, const wlu_device_refine *f,
                                    const wlu_async_solve *solve, wlu_cu_handle stream);

#endif
