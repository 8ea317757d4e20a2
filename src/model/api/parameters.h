/* Parameters of a simulation: some are set for all members, others have a value for each member. */
#ifndef WLU_MODEL_API_PARAMETERS_H
#define WLU_MODEL_API_PARAMETERS_H

#include "model/api/parts.h"

/* Fills sim->changed: the text's model with the values that the options set, in sim->kept. WARPLU_INVALID_ARGUMENT
 * where a name is no parameter; the message names the nearest one. */
warplu_status wlm_parameters_set(warplu_sim *sim);
/* Fills sim->members, and names and values of varying parameters, from the options, their file or the text's. */
warplu_status wlm_parameters_vary(warplu_sim *sim);
/* Copies sim->changed with a member's values of varying parameters, into the arena. WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_parameters_of(const warplu_sim *sim, int64_t member, wlm_arena *kept, wlm_model *out);
/* Fails with WARPLU_WRONG_PHASE: the varying parameter cannot be set once a run has begun. */
warplu_status wlm_parameters_refuse(warplu_sim *sim, int64_t number);

#endif
