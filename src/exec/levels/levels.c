/* The executor `levels`: the compiler's streams as they are on a device, replayed by a launch a vector. */
#include "exec/levels/image.h"

#include "exec/device/copies.h"
#include "exec/device/replays.h"
#include "exec/device/states.h"
#include "exec/levels/launch.h"

static warplu_status open_target(wlu_context *ctx, wlu_target *target, const wlu_cost **cost)
{
    if (wlu_precision_refines(target->precision))
        return wlu_fail(ctx, WARPLU_PRECISION_UNSUPPORTED,
                        "the cuda executor does not compute in mixed precision by the strategy levels");
    if (target->strategy != WLU_STRATEGY_LAUNCHES) target->strategy = WARPLU_STRATEGY_LEVELS;
    *cost = &wlu_cost_levels;
    return wlu_cuda_device_number(ctx, target->device, &target->device);
}

static void unload(wlu_context *ctx, wlu_image **image)
{
    wlu_levels_image *im = (wlu_levels_image *)*image;
    if (wlu_cuda_enter(NULL, im->of.device) == WARPLU_SUCCESS) {
        for (int k = 0; k < WLU_LEVELS_STREAMS; k++)
            if (im->stream[k].block != 0) wlu_cuda.free(im->stream[k].block);
        wlu_cuda_leave(NULL, WARPLU_SUCCESS);
    }
    for (int k = 0; k < WLU_LEVELS_STREAMS; k++) wlu_level_image_free(ctx, &im->stream[k].image);
    wlu_free(ctx, im);
    *image = NULL;
}

static warplu_status upload(wlu_context *ctx, wlu_levels_stream *l, void *structure)
{
    const wlu_block *packed = &l->image.block;
    if (l->block != 0) wlu_cuda.free(l->block); /* only leaving the context had failed */
    l->block = 0;
    warplu_status status = wlu_cuda_upload(ctx, packed, &l->block);
    if (status < 0) return status;
    l->bytes = packed->bytes;
    wlu_block_place(packed, wlu_cuda_pointer(l->block), structure);
    return status;
}

static warplu_status enter_and_upload(wlu_context *ctx, wlu_levels_image *im, wlu_levels_stream *l, void *structure)
{
    warplu_status status = wlu_cuda_enter(ctx, im->of.device);
    if (status == WARPLU_SUCCESS) status = wlu_cuda_leave(ctx, upload(ctx, l, structure));
    wlu_block_free(ctx, &l->image.block);
    return status;
}

static warplu_status load_factorization(wlu_context *ctx, wlu_levels_image *im)
{
    wlu_levels_stream *l = &im->stream[WLU_LEVELS_FACTOR];
    warplu_status status = wlu_level_pack(ctx, im->of.base.program, &l->image);
    if (status < 0) return status;
    status = enter_and_upload(ctx, im, l, &l->image.of.program);
    im->of.gather = l->image.of.program.gather;
    im->of.base.bytes[0] = l->bytes;
    return status;
}

static warplu_status load_solve(wlu_context *ctx, wlu_levels_image *im, int which)
{
    wlu_levels_stream *l = &im->stream[which];
    wlu_level_image_free(ctx, &l->image);
    warplu_status status = wlu_level_pack_solve(
        ctx, im->of.base.program, which == WLU_LEVELS_TRANSPOSED ? WLU_STREAM_SOLVE_TRANSPOSED : WLU_STREAM_SOLVE,
        &l->image);
    return status == WARPLU_SUCCESS ? enter_and_upload(ctx, im, l, &l->image.of.solve) : status;
}

static warplu_status make(wlu_context *ctx, const wlu_target *target, const wlu_program *program, wlu_image **image)
{
    warplu_status status =
        wlu_resident_image_create(ctx, target, program, &wlu_levels_residence, sizeof(wlu_levels_image), image);
    if (status < 0) return status;
    wlu_levels_image *im = (wlu_levels_image *)*image;
    im->of.buffers = 1;
    im->of.slots = program->nslots;
    status = load_factorization(ctx, im);
    if (status == WARPLU_SUCCESS) status = load_solve(ctx, im, WLU_LEVELS_SOLVE);
    if (status < 0) unload(ctx, image);
    return status;
}

static warplu_status load(wlu_context *ctx, const wlu_target *target, const wlu_program *program, wlu_image **image)
{
    warplu_status status = *image == NULL ? make(ctx, target, program, image) : WARPLU_SUCCESS;
    wlu_levels_image *im = (wlu_levels_image *)*image;
    if (status == WARPLU_SUCCESS && program->has_transposed && !im->of.base.transposed) {
        status = load_solve(ctx, im, WLU_LEVELS_TRANSPOSED);
        im->of.base.transposed = status == WARPLU_SUCCESS;
    }
    if (im != NULL) im->of.base.bytes[1] = im->stream[WLU_LEVELS_SOLVE].bytes + im->stream[WLU_LEVELS_TRANSPOSED].bytes;
    return status;
}

static warplu_status create(wlu_context *ctx, const wlu_image *image, int32_t count, wlu_team *team, wlu_state **state)
{
    (void)team;
    return wlu_resident_create(ctx, image, count, sizeof(wlu_levels_state), state);
}

const wlu_executor wlu_executor_levels = {
    .name = "levels",
    .refines = 1,
    .device = &wlu_resident_device,
    .open = open_target,
    .load = load,
    .unload = unload,
    .create = create,
    .destroy = wlu_resident_destroy,
    .refactor = wlu_resident_refactor,
    .solve = wlu_resident_solve,
    .fetch = wlu_resident_fetch,
};
