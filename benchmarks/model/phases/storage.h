/* Which equations are explicit: of d/dt q(y) = f, those whose q is one unknown times a number that is not 0. */
#ifndef PHASES_STORAGE_H
#define PHASES_STORAGE_H

#include "model/equations/equations.h"

/* coefficient[i]: of y_i in q_i. WARPLU_INVALID_ARGUMENT names an equation that is not explicit;
 * WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_storage(wlu_context *ctx, const wlm_equations *equations, double *coefficient);

#endif
