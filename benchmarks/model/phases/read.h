/* Equations for `phases` from a model's text: as they are written there, in a literal graph (model/graph/graph.h). */
#ifndef PHASES_READ_H
#define PHASES_READ_H

#include "model/equations/equations.h"

/* Statuses and messages are those of wlm_model_read and wlm_equations_create. */
warplu_status wlm_phases_read(wlu_context *ctx, const char *path, wlm_equations **out);

#endif
