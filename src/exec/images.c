/* Images and states whatever their executor: refinement on the host where it is wanted, else the executor's own
 * functions. See exec.h. */
#include "exec/refined.h"
#include "exec/state.h"

/* ------------------------------------------------------------------ images */

static int host_refines(const wlu_target *target)
{
    return wlu_precision_refines(target->precision) && !target->executor->refines;
}

warplu_status wlu_image_load(wlu_context *ctx, const wlu_target *target, const wlu_program *program, wlu_image **image)
{
    int fresh = *image == NULL;
    warplu_status status = target->executor->load(ctx, target, program, image);
    if (status == WARPLU_SUCCESS && host_refines(target)) status = wlu_refining_load(ctx, *image);
    if (status < 0 && fresh) wlu_image_destroy(ctx, image);
    return status;
}

void wlu_image_destroy(wlu_context *ctx, wlu_image **image)
{
    if (*image == NULL) return;
    wlu_refining_unload(ctx, *image);
    (*image)->target.executor->unload(ctx, image);
}

const wlu_target *wlu_image_target(const wlu_image *image)
{
    return &image->target;
}

const wlu_program *wlu_image_program(const wlu_image *image)
{
    return image->program;
}

int64_t wlu_image_bytes(const wlu_image *image, int solves)
{
    return image->bytes[solves] + (solves ? wlu_refining_bytes(image) : 0);
}

/* ------------------------------------------------------------------ states */

warplu_status wlu_state_create(wlu_context *ctx, const wlu_image *image, int32_t count, wlu_team *team, wlu_state **out)
{
    *out = NULL;
    warplu_status status = image->target.executor->create(ctx, image, count, team, out);
    if (status == WARPLU_SUCCESS && image->refining != NULL) status = wlu_refining_create(ctx, *out);
    if (status < 0) wlu_state_destroy(ctx, out);
    return status;
}

void wlu_state_destroy(wlu_context *ctx, wlu_state **state)
{
    if (*state == NULL) return;
    wlu_refining_destroy(ctx, *state);
    wlu_free(ctx, (*state)->answers);
    (*state)->image->target.executor->destroy(ctx, state);
}

warplu_status wlu_state_refactor(wlu_context *ctx, wlu_state *state, const double *values)
{
    if (state->refining != NULL) wlu_refining_keep(state, values);
    return state->image->target.executor->refactor(ctx, state, values);
}

warplu_status wlu_state_refactor_polled(wlu_context *ctx, wlu_state *state, const double *values)
{
    state->polls = 1;
    warplu_status status = wlu_state_refactor(ctx, state, values);
    state->polls = 0;
    return status;
}

warplu_status wlu_state_solve(wlu_context *ctx, wlu_state *state, wlu_stream_kind kind, int nrhs, const double *b,
                              int64_t ldb, double *x, int64_t ldx, double *largest)
{
    if (state->refining != NULL) return wlu_refining_solve(ctx, state, kind, nrhs, b, ldb, x, ldx, largest);
    return state->image->target.executor->solve(ctx, state, kind, nrhs, b, ldb, x, ldx, largest);
}

warplu_status wlu_state_fetch(wlu_context *ctx, wlu_state *state, int32_t member, wlu_slots *out)
{
    return state->image->target.executor->fetch(ctx, state, member, out);
}

const wlu_image *wlu_state_image(const wlu_state *state)
{
    return state->image;
}

int64_t wlu_state_bytes(const wlu_state *state)
{
    return state->bytes;
}

const wlu_health *wlu_state_health(const wlu_state *state, int32_t member)
{
    return &state->health[member];
}

const wlu_refined *wlu_state_refined(const wlu_state *state)
{
    return &state->refined;
}

double *wlu_state_answers(wlu_context *ctx, wlu_state *state)
{
    int64_t count = WLU_MANY * (int64_t)state->image->program->n * state->image->program->doubles;
    if (state->answers != NULL) return state->answers;
    state->answers = WLU_ALLOC(ctx, count, double);
    if (state->answers != NULL) state->bytes += count * (int64_t)sizeof(double);
    return state->answers;
}
