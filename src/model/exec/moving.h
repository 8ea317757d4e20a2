/* Runs code on inputs and outputs where they stand, in arrays of the caller's, 64 numbers after 64.
 *
 * Inputs whose numbers stand one after the other need no copy into a file, nor outputs one out of it: moving code is a
 * thread's copy of the instructions, in which the operands that name such a slot are addresses in arrays. They are set
 * for each 64 lanes, which costs a store an operand; a copy costs 16 loads and stores of four numbers. Outputs must not
 * overlap inputs. Files of fewer than 64 lanes are run as they are (exec.h). */
#ifndef WLU_MODEL_EXEC_MOVING_H
#define WLU_MODEL_EXEC_MOVING_H

#include "model/exec/exec.h"

typedef struct wlm_moving wlm_moving;

/* Makes a moving code in which the slots that are marked, of the program's first `slots`, may move. The code outlives
 * it. WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_moving_create(wlu_context *ctx, const wlm_code *code, int32_t slots, const unsigned char *moves,
                                wlm_moving **out);
void wlm_moving_destroy(wlu_context *ctx, wlm_moving **moving);

/* Puts the 64 numbers of a slot that moves at `at`, for runs on this file. */
void wlm_moving_put(wlm_moving *moving, const double *file, int32_t slot, const double *at);
/* Runs all lanes. Each slot that moves has been put somewhere. */
void wlm_moving_run(const wlm_moving *moving, double *file);

#endif
