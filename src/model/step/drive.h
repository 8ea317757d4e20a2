/* Integrates members of a batch, 64 at a time in lanes, from t0 to t1.
 *
 * Each lane has a time and a step of its own: control looks at one lane alone. So what a member's result is does not
 * depend on which members stand beside it, nor on threads, and a member that fails harms no other. A lane whose
 * member is done takes the next one.
 *
 * Steps end exactly at output times, at edges and at timed events; beyond an edge a lane begins again
 * with a small step. An event by sign is searched by bisection on the length of the step;
 * one that rises and falls within a step is not seen. Where there are algebraic rows,
 * damped Newton makes a lane consistent at t0 and after jumps, its charges held. What that cannot mend, and would need
 * homotopies (gmin, source stepping), fails.
 *
 * Control: method/control.h and method/tolerance.h. A step that has NaN, ends where rates are NaN, has weak pivots
 * or no convergence of Newton's iterations is tried again with a quarter of its length. What smaller steps cannot
 * mend has its status: WARPLU_NOT_FINITE, WARPLU_SINGULAR, WARPLU_NO_CONVERGENCE, WARPLU_STEP_TOO_SMALL. More steps
 * than may be are WARPLU_TOO_MANY_STEPS. A step that is accepted and leads a state out of its range ends the member,
 * WARPLU_OUT_OF_RANGE; plain steps are looked at where they stop.
 *
 * Cost: a run of the step's program for each step of the slowest lane of 64; memory a few files of the programs. */
#ifndef WLU_MODEL_STEP_DRIVE_H
#define WLU_MODEL_STEP_DRIVE_H

#include "model/step/job.h"

/* Drives members first to first + count - 1, and writes their fates. WARPLU_MEMBERS_FAILED where some failed;
 * WARPLU_INVALID_ARGUMENT, WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_drive_members(const wlm_stepper *stepper, const wlm_drive *drive, int64_t first, int64_t count);

/* Fails with WARPLU_INVALID_ARGUMENT unless the times are in order. */
warplu_status wlm_drive_check(const wlm_stepper *stepper, const wlm_drive *drive);

#endif
