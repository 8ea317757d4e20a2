/* How many steps a run may take, in both engines and on a device: an end of runs that get nowhere. Where accuracy
 * chooses the steps nobody knows how many there will be; a fixed length says it itself. */
#ifndef WLU_MODEL_METHOD_ALLOWANCE_H
#define WLU_MODEL_METHOD_ALLOWANCE_H

#include <stdint.h>

#define WLM_CONTROLLED_MOST 10000000

/* The message: the time, the status' text, the steps. */
#define WLM_STEPS_SPENT "at t = %g: %s, %lld: the option steps (--steps) allows more"

/* Returns the most steps of a run, refused ones too. asked: 0 where nobody says; step: above 0 of fixed steps. */
static inline int64_t wlm_steps_most(int64_t asked, double step)
{
    return asked > 0 ? asked : step > 0.0 ? INT64_MAX : WLM_CONTROLLED_MOST;
}

#endif
