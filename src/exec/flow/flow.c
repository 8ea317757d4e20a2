/* The executor `flow`: the program packed for a device (exec/device), replayed by one launch (cuda/flow.cu).
 *
 * The image is uploaded once; a state's slots stay on the device and come to the host when somebody looks at them. */
#include "exec/flow/image.h"

#include "exec/device/copies.h"
#include "exec/device/pack.h"
#include "exec/device/replays.h"
#include "exec/device/states.h"
#include "exec/flow/launch.h"
#include "exec/flow/refine.h"

enum { BLOCKS_MOST = 2 };

static warplu_status open_target(wlu_context *ctx, wlu_target *target, const wlu_cost **cost)
{
    target->strategy = WARPLU_STRATEGY_FLOW;
    *cost = &wlu_cost_cuda;
    return wlu_cuda_device_number(ctx, target->device, &target->device);
}

/* ------------------------------------------------------------------ images */

static void unload(wlu_context *ctx, wlu_image **image)
{
    wlu_flow_image *im = (wlu_flow_image *)*image;
    if (wlu_cuda_enter(NULL, im->of.device) == WARPLU_SUCCESS) {
        wlu_flow_free_rows(im);
        for (int k = 0; k < 2; k++)
            if (im->solve[k].block != 0) wlu_cuda.free(im->solve[k].block);
        if (im->block != 0) wlu_cuda.free(im->block);
        wlu_cuda_leave(NULL, WARPLU_SUCCESS);
    }
    wlu_free(ctx, im);
    *image = NULL;
}

/* Grid and shared memory of launches. */
static warplu_status shape(wlu_context *ctx, wlu_flow_image *im)
{
    int blocks = 0;
    int64_t panel = WLU_PANEL_BYTES(im->of.slot_bytes, im->placed.panel_rows);
    int64_t ring = WLU_TILE_RING_BYTES(im->of.slot_bytes), whole = ring + panel;
    int apart = whole > im->of.kernels->shared_bytes;
    im->shared_bytes = (unsigned)(im->placed.tiles == 0 ? 0 : apart ? ring : whole);
    warplu_status status =
        WLU_CUDA(ctx, occupancy, &blocks, im->of.kernels->flow, WLU_TILE_THREADS, (size_t)im->shared_bytes);
    if (status == WARPLU_SUCCESS && blocks < 1)
        status = wlu_fail(ctx, WARPLU_DEVICE_FAILED, "a block of the kernel does not fit into a multiprocessor");
    if (blocks > BLOCKS_MOST) blocks = BLOCKS_MOST;
    im->grid = (unsigned)(im->of.device->multiprocessors * blocks);
    im->of.panels_bytes = apart ? (int64_t)im->grid * panel : 0;
    return status;
}

/* Packed on the host, copied to the device, where the addresses become those of the device. */
static warplu_status upload(wlu_context *ctx, wlu_flow_image *im, const wlu_device_image *packed)
{
    warplu_status status = wlu_cuda_upload(ctx, &packed->block, &im->block);
    if (status < 0) return status;
    im->of.base.bytes[0] = packed->block.bytes;
    im->placed = wlu_device_place(packed, (const void *)(uintptr_t)im->block);
    im->of.slots = im->placed.slots;
    im->of.tiles = im->placed.tiles;
    im->of.gather = im->placed.gather;
    return shape(ctx, im);
}

static warplu_status load_factorization(wlu_context *ctx, wlu_flow_image *im)
{
    wlu_device_image packed;
    warplu_status status = wlu_device_pack(ctx, im->of.base.program, &packed);
    if (status < 0) return status;
    status = wlu_cuda_enter(ctx, im->of.device);
    if (status == WARPLU_SUCCESS) status = wlu_cuda_leave(ctx, upload(ctx, im, &packed));
    wlu_device_image_free(ctx, &packed);
    return status;
}

static warplu_status upload_solve(wlu_context *ctx, wlu_flow_solve *to, const wlu_solve_image *packed)
{
    warplu_status status = wlu_cuda_upload(ctx, &packed->block, &to->block);
    if (status < 0) return status;
    to->bytes = packed->block.bytes;
    to->placed = wlu_device_place_solve(packed, wlu_cuda_pointer(to->block));
    return status;
}

static warplu_status load_solve(wlu_context *ctx, wlu_flow_image *im, wlu_stream_kind kind)
{
    wlu_flow_solve *to = &im->solve[kind == WLU_STREAM_SOLVE_TRANSPOSED];
    wlu_solve_image packed;
    warplu_status status = WARPLU_SUCCESS;
    if (wlu_precision_refines(im->of.base.target.precision)) status = wlu_flow_load_rows(ctx, im, kind);
    if (status < 0 || to->block != 0) return status; /* it is there where only leaving the context had failed */
    status = wlu_device_pack_solve(ctx, im->of.base.program, kind, &packed);
    if (status < 0) return status;
    status = wlu_cuda_enter(ctx, im->of.device);
    if (status == WARPLU_SUCCESS) status = wlu_cuda_leave(ctx, upload_solve(ctx, to, &packed));
    wlu_solve_image_free(ctx, &packed);
    return status;
}

static warplu_status make(wlu_context *ctx, const wlu_target *target, const wlu_program *program, wlu_image **image)
{
    warplu_status status =
        wlu_resident_image_create(ctx, target, program, &wlu_flow_residence, sizeof(wlu_flow_image), image);
    if (status < 0) return status;
    wlu_flow_image *im = (wlu_flow_image *)*image;
    im->of.buffers = 2;
    /* of the larger kind: y, x, constants, the regions' unknowns twice and as many partial results at most */
    im->of.solve_slots =
        wlu_cuda_aligned(8 * (program->nslots - program->y + 4 * (int64_t)wlu_lu_of(program)->tiles.m)) / 8;
    status = load_factorization(ctx, im);
    if (status == WARPLU_SUCCESS) status = load_solve(ctx, im, WLU_STREAM_SOLVE);
    if (status < 0) unload(ctx, image);
    return status;
}

static warplu_status load(wlu_context *ctx, const wlu_target *target, const wlu_program *program, wlu_image **image)
{
    warplu_status status = *image == NULL ? make(ctx, target, program, image) : WARPLU_SUCCESS;
    wlu_flow_image *im = (wlu_flow_image *)*image;
    if (status == WARPLU_SUCCESS && program->has_transposed && !im->of.base.transposed) {
        status = load_solve(ctx, im, WLU_STREAM_SOLVE_TRANSPOSED);
        im->of.base.transposed = status == WARPLU_SUCCESS;
    }
    if (im != NULL)
        im->of.base.bytes[1] = im->solve[0].bytes + im->solve[1].bytes + im->rows[0].bytes + im->rows[1].bytes;
    return status;
}

static warplu_status create(wlu_context *ctx, const wlu_image *image, int32_t count, wlu_team *team, wlu_state **state)
{
    (void)team;
    return wlu_resident_create(ctx, image, count, sizeof(wlu_flow_state), state);
}

const wlu_executor wlu_executor_flow = {
    .name = "flow",
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
