/* The objects of warplu/model.h. A simulation has the parts that all have, and an engine with parts of its own. */
#ifndef WLU_MODEL_API_PARTS_H
#define WLU_MODEL_API_PARTS_H

#include <stdatomic.h>
#include <warplu/model.h>

#include "base/count.h"
#include "model/text/arena.h"
#include "model/text/model.h"

struct warplu_model {
    wlu_context ctx;
    wlu_count count; /* how many read it: simulations, and the caller */
    wlm_model *text;
};

/* A sum over a range of nodes or instances (totals.h). */
typedef struct wlm_total {
    char *name;
    int64_t count, *handle; /* of the engine's */
} wlm_total;

/* The handles that runs hand out as rows. Where sums are watched, engines compute their parts, which stand in their
 * place. */
typedef struct wlm_watched {
    int64_t *handle; /* count of them, of the engine's */
    int32_t count, columns;
    int32_t *parts; /* for each column: how many of them it is the sum of; 0: it is one by itself */
    double *row;    /* a number for each column */
    double every;
    warplu_row_fn fn; /* the caller's; NULL: nothing is watched */
    void *user;
    double *values; /* count values of the row that is handed out */
} wlm_watched;

struct warplu_sim {
    wlu_context ctx;
    warplu_model *model;
    wlm_arena kept;             /* has uses of `changed`, and varying parameters */
    wlm_model changed;          /* the text's model with the parameters that were set */
    warplu_sim_options options; /* without the caller's arrays; where dt or tolerances are 0, the text's */
    const struct wlm_engine_calls *engine;
    void *own; /* the engine's own part; NULL: it was not made */
    int64_t members;
    int32_t n, varying_count;
    char **varying;            /* names of parameters that vary */
    double *parameter;         /* [member][varying] */
    warplu_sim_member *record; /* for each member: its outcome */
    wlm_watched watched;
    int32_t totals;
    wlm_total *total; /* in `kept` */
    double time;      /* the time of members that have not failed, where the next run begins */
    double compile_seconds, run_seconds;
    atomic_int stopped;              /* the caller's function of rows has asked to end this run */
    char failure[WLU_MESSAGE_BYTES]; /* the message of the only member's failure */
};

/* Counts what a model has. */
warplu_model_counts wlm_model_count(const wlm_model *model);
/* Frees the model once nobody reads it. */
void wlm_model_release(warplu_model **model);
/* Makes a context with the model's allocator and message function. */
void wlm_context_of(wlu_context *ctx, const warplu_model *model);

#endif
