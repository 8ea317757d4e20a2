/* One program of a stepper, ready to run: what depends on the lanes' parameters alone is a program of its own, run
 * once for each set of them. Immutable; each thread has a file of its own. */
#ifndef WLU_MODEL_STEP_PART_H
#define WLU_MODEL_STEP_PART_H

#include "model/exec/exec.h"
#include "model/exec/solo.h"
#include "model/step/build.h"

typedef struct wlm_part {
    wlm_program *once, *body;
    wlm_code *once_code, *code;
    wlm_solo *solo; /* of body; NULL: there is none */
} wlm_part;

/* Compiles the build's outputs; alone: with a solo. WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status wlm_part_create(const wlm_step_build *build, int alone, wlm_part *part);
void wlm_part_destroy(wlu_context *ctx, wlm_part *part);

/* A file of a part, with its rows. */
typedef struct wlm_desk {
    const wlm_part *part; /* NULL: there is none */
    double *file, *lines; /* lines: of solo */
} wlm_desk;

warplu_status wlm_desk_open(wlu_context *ctx, const wlm_part *part, wlm_desk *desk);
void wlm_desk_close(wlu_context *ctx, wlm_desk *desk);

/* The 64 numbers of an input, of an output. */
static inline double *wlm_desk_input(const wlm_desk *desk, int32_t number)
{
    return desk->file + (int64_t)number * WLM_LANES;
}

static inline const double *wlm_desk_output(const wlm_desk *desk, int32_t number)
{
    return desk->file + (int64_t)(desk->part->body->inputs + number) * WLM_LANES;
}

/* What the parameters decide, after they were written. */
static inline void wlm_desk_prepare(const wlm_desk *desk)
{
    wlm_run(desk->part->once_code, desk->file, WLM_LANES);
}

static inline void wlm_desk_run(const wlm_desk *desk, int32_t lanes)
{
    if (lanes == 1 && desk->lines != NULL)
        wlm_solo_run(desk->part->solo, desk->lines, desk->file);
    else
        wlm_run(desk->part->code, desk->file, lanes);
}

#endif
