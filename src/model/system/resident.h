/* A large system that stays on a CUDA device: unknowns, sums, parameters and lists of places are in one block of its
 * memory, and one kernel takes whole steps of an explicit method, thread blocks waiting for each other between parts of
 * a step. The host is asked at stops alone where steps have a fixed length and no event has to be looked for.
 *
 * A thread computes an instance of a use, then a sum or an unknown, in the operations and the order of the CPU's
 * passes (pass.h, gather.h, explicit.c), so that all numbers have its bits. Cost of a step: the longest instance of
 * each level of sums and of the rates, and for each a wait of all thread blocks, of about a microsecond; or the
 * memory's bandwidth.
 */
#ifndef WLU_MODEL_SYSTEM_RESIDENT_H
#define WLU_MODEL_SYSTEM_RESIDENT_H

#include "model/system/stepping.h"

/* Makes the kernel of the transient's system and method, and its memory. device: from 0, or -1 (device/driver.h).
 * WARPLU_INVALID_ARGUMENT where the method is not explicit; WARPLU_NO_DEVICE, WARPLU_DEVICE_FAILED,
 * WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status wlm_resident_create(const wlm_transient *transient, int device, wlm_resident **out);
/* Takes NULL, leaves NULL. */
void wlm_resident_destroy(wlm_resident **resident);

/* Returns 1 where wlm_resident_advance takes steps by itself; else each is an attempt of wlm_step_resident. */
int wlm_resident_loops(const wlm_resident *resident);

/* What steps have come to: how many were taken, the time, and the length of the last one. */
typedef struct wlm_resident_steps {
    int64_t taken;
    double t, h;
} wlm_resident_steps;

/* Takes steps to the stop of the transient's pace, `most` at most; y is where they ended. WARPLU_NOT_FINITE: `next` is
 * that of a step that was not taken, where a number is not finite, or not above 0 and has to be. */
warplu_status wlm_resident_advance(wlm_transient *transient, int64_t most, wlm_resident_steps *steps);
/* Makes the end of an attempt the beginning of the next one. */
void wlm_resident_move_on(wlm_resident *resident);
/* Says that y is no longer what the device has; takes NULL. */
void wlm_resident_forget(wlm_resident *resident);

/* Tries a step, as the CPU's families do. */
wlm_step_fn wlm_step_resident;

#endif
