/* A part is one program of a stepper, ready to run: what depends on the lanes' parameters alone is a program of its
 * own, run once for each set of them. Parts are immutable; each thread has a workspace of its own. */
#ifndef WLU_MODEL_STEP_PART_H
#define WLU_MODEL_STEP_PART_H

#include "model/exec/exec.h"
#include "model/exec/solo.h"
#include "model/step/build.h"

typedef struct wlm_part {
    wlm_program *once, *body;
    wlm_code *once_code, *code;
    wlm_solo *solo; /* the body's; NULL: there is none */
} wlm_part;

/* How many a stepper may have. */
enum { WLM_PARTS = 9 };

/* Compiles the build's outputs; alone: 1: with a solo. WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status wlm_part_create(const wlm_step_build *build, int alone, wlm_part *part);
void wlm_part_destroy(wlu_context *ctx, wlm_part *part);

/* One thread runs a part on a workspace: a file of its body, and rows of its solo. */
typedef struct wlm_workspace {
    const wlm_part *part; /* NULL: the stepper does not have this part */
    double *file, *lines; /* lines: the solo's */
} wlm_workspace;

warplu_status wlm_workspace_open(wlu_context *ctx, const wlm_part *part, wlm_workspace *workspace);
void wlm_workspace_close(wlu_context *ctx, wlm_workspace *workspace);

/* Return the 64 numbers of an input, of an output. */
static inline double *wlm_workspace_input(const wlm_workspace *workspace, int32_t number)
{
    return workspace->file + (int64_t)number * WLM_LANES;
}

static inline const double *wlm_workspace_output(const wlm_workspace *workspace, int32_t number)
{
    return workspace->file + (int64_t)(workspace->part->body->inputs + number) * WLM_LANES;
}

/* Runs `once`, after parameters were written. */
static inline void wlm_workspace_prepare(const wlm_workspace *workspace)
{
    wlm_run(workspace->part->once_code, workspace->file, WLM_LANES);
}

static inline void wlm_workspace_run(const wlm_workspace *workspace, int32_t lanes)
{
    if (lanes == 1 && workspace->lines != NULL)
        wlm_solo_run(workspace->part->solo, workspace->lines, workspace->file);
    else
        wlm_run(workspace->part->code, workspace->file, lanes);
}

#endif
