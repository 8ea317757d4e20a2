/* The name of a model's quantities and members that is likest to one that is none, both without the number of an
 * instance or a node: there may be millions of these. */
#ifndef WLU_MODEL_API_SUGGEST_H
#define WLU_MODEL_API_SUGGEST_H

#include "model/text/model.h"
#include "model/text/reading.h"

typedef struct wlm_suggestion {
    char bare[64]; /* the name without its number */
    wlm_nearest nearest;
} wlm_suggestion;

/* wlm_nearest_text of `nearest` is what messages say. */
void wlm_suggest(wlm_suggestion *suggestion, const wlm_model *model, const char *name);

#endif
