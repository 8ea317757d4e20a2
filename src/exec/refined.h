/* Solutions refined by residuals in FP64 on the host (exec/residual/refine.h), whatever executor solves for the
 * corrections: one in FP32, which makes mixed precision, or in FP64, which is what solves on device pointers that are
 * checked come to. What an image and a state have for it beside the executor's own; images.c comes here where the
 * target refines and the executor does not. */
#ifndef WLU_EXEC_REFINED_H
#define WLU_EXEC_REFINED_H

#include "exec/state.h"

/* Packs the rows of A, and where the image has the transposed solve of A', unless they are there.
 * WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_refining_load(wlu_context *ctx, wlu_image *image);
void wlu_refining_unload(wlu_context *ctx, wlu_image *image);
int64_t wlu_refining_bytes(const wlu_image *image);

/* For all members. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_refining_create(wlu_context *ctx, wlu_state *state);
void wlu_refining_destroy(wlu_context *ctx, wlu_state *state);
/* Solves are those of a batch's members (numerics/refine.h). lent: the values of each refactorization stay where they
 * are, and as they are, until the last solve by it: residuals read them there, and replays whose solves are not refined
 * copy none. */
void wlu_refining_take_members(wlu_state *state, int lent);
/* The members' values, of a refactorization, for residuals. */
void wlu_refining_keep(wlu_state *state, const double *values);
/* As the executor's solve; one right-hand side of each member after the other. state->refined: of them all. */
warplu_status wlu_refining_solve(wlu_context *ctx, wlu_state *state, wlu_stream_kind kind, int nrhs, const double *b,
                                 int64_t ldb, double *x, int64_t ldx, double *largest);

#endif
