/* Finds the name of a model's quantity, state, unknown or definition that is nearest to a name that is none of them.
 * Numbers of instances and nodes are left out of both, for there may be millions of them. */
#ifndef WLU_MODEL_API_SUGGEST_H
#define WLU_MODEL_API_SUGGEST_H

#include "model/text/model.h"
#include "model/text/reading.h"

typedef struct wlm_suggestion {
    char bare[64]; /* the name without its number */
    wlm_nearest nearest;
} wlm_suggestion;

/* Looks for the name; wlm_nearest_text of `nearest` then is the text for messages. */
void wlm_suggest(wlm_suggestion *suggestion, const wlm_model *model, const char *name);

#endif
