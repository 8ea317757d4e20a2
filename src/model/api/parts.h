/* What the calls of warplu/model.h work on. A simulation has what all have, and an engine with what is its own. */
#ifndef WLU_MODEL_API_PARTS_H
#define WLU_MODEL_API_PARTS_H

#include <stdatomic.h>
#include <warplu/model.h>

#include "base/count.h"
#include "model/text/model.h"

struct warplu_model {
    wlu_context ctx;
    wlu_count count; /* of simulations that read it, and of the caller */
    wlm_model *text;
};

/* What runs tell. */
typedef struct wlm_watched {
    int64_t *handle; /* count */
    int32_t count;
    double every;
    warplu_row_fn fn; /* NULL: nothing is watched */
    void *user;
    double *values; /* count: of the row that is told */
} wlm_watched;

struct warplu_sim {
    wlu_context ctx;
    warplu_model *model;
    wlm_model changed;          /* the text's model with the parameters that were set */
    warplu_sim_options options; /* without the caller's arrays, once it is made; dt and tolerances the text's, if 0 */
    const struct wlm_engine_calls *engine;
    void *own; /* the engine's; NULL: it was not made */
    int64_t members;
    int32_t n, varying_count;
    char **varying;            /* names */
    double *parameter;         /* [member][varying] */
    warplu_sim_member *record; /* of each member */
    wlm_watched watched;
    double time; /* where the next run begins, of members that have not failed */
    double compile_seconds, run_seconds;
    atomic_int stopped;              /* what is told of rows has asked for an end of this run */
    char failure[WLU_MESSAGE_BYTES]; /* what was said when the only member failed */
};

/* Releases the model once nobody reads it. */
void wlm_model_release(warplu_model **model);
/* A context with the model's functions. */
void wlm_context_of(wlu_context *ctx, const warplu_model *model);

#endif
