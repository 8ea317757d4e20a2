/* Parameters of a simulation: those that are set for all members, and those of which members have their own
 * values. */
#ifndef WLU_MODEL_API_PARAMETERS_H
#define WLU_MODEL_API_PARAMETERS_H

#include "model/api/parts.h"

/* sim->changed: the text's model, in which uses have the values that the options set. Freed by wlm_parameters_free.
 * WARPLU_INVALID_ARGUMENT where a name is no parameter, and the message names the nearest one. */
warplu_status wlm_parameters_set(warplu_sim *sim);
/* sim->members, and the varying parameters' names and values, by the options, their file or the text's. */
warplu_status wlm_parameters_vary(warplu_sim *sim);
void wlm_parameters_free(warplu_sim *sim);

#endif
