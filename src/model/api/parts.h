/* What the calls of warplu/model.h work on. */
#ifndef WLU_MODEL_API_PARTS_H
#define WLU_MODEL_API_PARTS_H

#include <stdatomic.h>
#include <warplu/model.h>

#include "base/count.h"
#include "model/device/lanes.h"
#include "model/exec/exec.h"
#include "model/step/drive.h"
#include "model/text/model.h"

struct warplu_model {
    wlu_context ctx;
    wlu_count count; /* of simulations that read it, and of the caller */
    wlm_model *text;
};

/* Handles are numbers: unknowns first, then definitions, then varying parameters. */
typedef struct wlm_watched {
    int64_t *handle;            /* count */
    int32_t count, definitions; /* definitions: of the count */
    double every;
    warplu_row_fn fn;
    void *user;
    wlm_program *program; /* outputs: the watched definitions; NULL without any */
    wlm_code *code;
    double *file, *values; /* values: count */
} wlm_watched;

struct warplu_sim {
    wlu_context ctx;
    warplu_model *model;
    wlm_model changed;          /* the text's model with the parameters that were set */
    warplu_sim_options options; /* without the caller's arrays, once it is made */
    int64_t members;
    struct wlm_large *large; /* lanes are instances; NULL: members, and the next two are there */
    wlm_equations *equations;
    wlm_stepper *stepper;
    wlm_device_lanes *device; /* of the executor CUDA */
    int32_t n, varying_count;
    char **varying;            /* names */
    double *parameter;         /* [member][varying] */
    double *state;             /* [member][unknown]: where a run ends and the next one begins */
    unsigned char *given;      /* the same places: initial values that were set; NULL: none */
    warplu_sim_member *record; /* of each member */
    wlm_watched watched;
    int64_t steps, rejected, iterations;
    double time, compile_seconds, run_seconds;
    int begun;          /* a run has begun */
    int settled;        /* the state is what a run came to, and was not set since */
    atomic_int stopped; /* what is told of rows has asked for an end of this run */
};

/* Releases the model once nobody reads it. */
void wlm_model_release(warplu_model **model);
/* A context with the model's functions. */
void wlm_context_of(wlu_context *ctx, const warplu_model *model);

#endif
