/* States on a CUDA device. See states.h.
 *
 * A state takes two blocks: one on the device (its buffers of slots, umax, values, panels of blocks whose shared memory
 * is too small, control), one pinned (values on their way, health); and two more for solves. The host has room for
 * slots once somebody has looked at them. */
#include "exec/device/states.h"

#include "exec/device/copies.h"

#include <string.h>

enum { W = WLU_TILE_WIDTH };

/* Warps of a block that work on bundles. On an H200 2 to 8 are equal within 3 percent. */
enum { BUNDLE_WARPS = 4 };

/* Polls before a wait is given up: some ten seconds. A replay takes milliseconds; a solve that begins early waits for
 * all of it. */
enum { PATIENCE = 1 << 25 };

/* A state of many unknowns takes right-hand sides one at a time: so many bytes of buffers for all of them are enough.
 */
enum { SIDE_BY_SIDE_BYTES = 1 << 28 };

/* ---------------------------------------------------------------- layout */

/* Parts of the block at this address; returns its bytes. */
static int64_t place(wlu_resident *d, wlu_cu_address block)
{
    const wlu_resident_image *im = wlu_resident_image_of(d);
    wlu_cu_address at = block;
    wlu_device_state *s = &d->state;
    for (int k = 0; k < 2; k++) s->v[k] = k < im->buffers ? wlu_cuda_take(&at, im->slot_bytes * im->slots) : s->v[0];
    s->umax = wlu_cuda_take(&at, 8 * W * im->tiles);
    s->source = wlu_cuda_take(&at, 8 * wlu_entries_of(im->base.program));
    s->panels = im->panels_bytes > 0 ? wlu_cuda_take(&at, im->panels_bytes) : NULL;
    s->control = wlu_cuda_take(&at, (int64_t)sizeof *s->control);
    return (int64_t)(at - block);
}

/* The same of solves. */
static int64_t place_solves(wlu_resident *d, wlu_cu_address block)
{
    const wlu_resident_image *im = wlu_resident_image_of(d);
    wlu_resident_solves *to = &d->solves;
    int64_t n_bytes = 8 * to->sides * (int64_t)im->base.program->n;
    wlu_cu_address at = block;
    wlu_device_state *s = &to->state;
    for (int k = 0; k < 2; k++) s->v[k] = wlu_cuda_take(&at, im->slot_bytes * im->solve_slots * to->sides);
    to->b = wlu_cuda_take(&at, n_bytes);
    to->x = wlu_cuda_take(&at, n_bytes);
    s->control = wlu_cuda_take(&at, to->sides * (int64_t)sizeof *s->control);
    return (int64_t)(at - block);
}

/* -------------------------------------------------------- create, destroy */

/* Slots and control as before the first replay. A replay that is given up leaves them fit for another. */
static warplu_status begin(wlu_context *ctx, wlu_resident *d)
{
    const wlu_resident_image *im = wlu_resident_image_of(d);
    const wlu_device_state *s = &d->state, *solves = &d->solves.state;
    warplu_status status = im->residence->begin(ctx, d);
    if (status == WARPLU_SUCCESS)
        status = WLU_CUDA(ctx, clear, wlu_cuda_address(s->control), 0, sizeof *s->control, d->stream);
    if (status == WARPLU_SUCCESS)
        status = WLU_CUDA(ctx, clear, wlu_cuda_address(solves->control), 0,
                          (size_t)d->solves.sides * sizeof *solves->control, d->stream);
    return status == WARPLU_SUCCESS ? WLU_CUDA(ctx, stream_wait, d->stream) : status;
}

static warplu_status allocate(wlu_context *ctx, wlu_resident *d)
{
    const wlu_resident_image *im = wlu_resident_image_of(d);
    const wlu_program *p = im->base.program;
    wlu_device_state *s = &d->state;
    size_t values = (size_t)wlu_cuda_aligned(8 * wlu_entries_of(p));
    void *pinned = NULL, *on_device;
    d->base.bytes = place(d, 0);
    warplu_status status = WLU_CUDA(ctx, stream_create, &d->stream, WLU_CU_STREAM_NON_BLOCKING);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, alloc, &d->block, (size_t)d->base.bytes);
    if (status < 0) return status;
    place(d, d->block);
    status = wlu_cuda_pin(ctx, values + sizeof *d->health + sizeof *d->refined, &pinned, &on_device);
    d->staging = pinned;
    if (status < 0) return status;
    d->health = (wlu_device_health *)((char *)pinned + values);
    d->refined = (wlu_refined *)(d->health + 1);
    *d->health = (wlu_device_health){0};
    *d->refined = wlu_refined_none();
    s->health = (wlu_device_health *)((char *)on_device + values);
    s->slots = im->slots;
    s->criteria = wlu_lu_of(p)->guard.criteria;
    s->bundle_blocks = (uint32_t)im->device->multiprocessors;
    s->bundle_warps = BUNDLE_WARPS;
    s->patience = PATIENCE;
    s->scale = 1.0;
    return status;
}

static warplu_status allocate_solves(wlu_context *ctx, wlu_resident *d)
{
    const wlu_resident_image *im = wlu_resident_image_of(d);
    wlu_resident_solves *to = &d->solves;
    int64_t n = im->base.program->n;
    void *pinned = NULL, *on_device;
    to->sides = WLU_MANY;
    if (place_solves(d, 0) > SIDE_BY_SIDE_BYTES) to->sides = 1;
    int64_t bytes = place_solves(d, 0);
    warplu_status status = WLU_CUDA(ctx, alloc, &to->block, (size_t)bytes);
    if (status < 0) return status;
    place_solves(d, to->block);
    status =
        wlu_cuda_pin(ctx, (size_t)to->sides * ((size_t)n * sizeof(double) + sizeof *to->health), &pinned, &on_device);
    to->staging = pinned;
    if (status < 0) return status;
    to->health = (wlu_device_health *)(to->staging + n * to->sides);
    to->state.health = (wlu_device_health *)((double *)on_device + n * to->sides);
    to->state.slots = im->solve_slots;
    to->state.patience = PATIENCE;
    to->state.scale = 1.0;
    d->base.bytes += bytes;
    return status;
}

static warplu_status attach(wlu_context *ctx, wlu_resident *d)
{
    warplu_status status = allocate(ctx, d);
    if (status == WARPLU_SUCCESS) status = allocate_solves(ctx, d);
    if (status == WARPLU_SUCCESS) status = begin(ctx, d);
    return status < 0 ? status : wlu_resident_image_of(d)->residence->attach(ctx, d);
}

static void release(wlu_resident *d)
{
    if (d->stream != NULL) wlu_cuda.stream_wait(d->stream);
    wlu_cuda_settle(NULL, d);
    wlu_resident_image_of(d)->residence->detach(d);
    if (d->solves.block != 0) wlu_cuda.free(d->solves.block);
    if (d->solves.staging != NULL) wlu_cuda.host_free(d->solves.staging);
    if (d->block != 0) wlu_cuda.free(d->block);
    if (d->staging != NULL) wlu_cuda.host_free(d->staging);
    if (d->stream != NULL) wlu_cuda.stream_destroy(d->stream);
}

void wlu_resident_destroy(wlu_context *ctx, wlu_state **state)
{
    wlu_resident *d = wlu_resident_of(*state);
    if (wlu_cuda_enter(NULL, wlu_resident_image_of(d)->device) == WARPLU_SUCCESS) {
        release(d);
        wlu_cuda_leave(NULL, WARPLU_SUCCESS);
    }
    wlu_free(ctx, d->host);
    wlu_free(ctx, d);
    *state = NULL;
}

warplu_status wlu_resident_create(wlu_context *ctx, const wlu_image *image, int32_t count, wlu_team *team,
                                  wlu_state **state)
{
    warplu_status status = wlu_state_single_member(ctx, image, count);
    (void)team;
    if (status < 0) return status;
    *state = wlu_calloc(ctx, 1, ((const wlu_resident_image *)image)->residence->state_bytes);
    if (*state == NULL) return wlu_fail_memory(ctx, "state on the device");
    wlu_resident *d = wlu_resident_of(*state);
    d->base = (wlu_state){.image = image, .count = 1, .health = &d->of_last};
    status = wlu_cuda_enter(ctx, wlu_resident_image_of(d)->device);
    if (status == WARPLU_SUCCESS) status = wlu_cuda_leave(ctx, attach(ctx, d));
    if (status < 0) wlu_resident_destroy(ctx, state);
    return status;
}

/* ----------------------------------------------------------------- fetch */

/* Slots of FP32 lie in the upper half of the array, and become doubles in their order. */
static void widen(double *v, int64_t count)
{
    const char *from = (const char *)v + count * (int64_t)(sizeof *v - sizeof(float));
    for (int64_t k = 0; k < count; k++) {
        float x;
        memcpy(&x, from + k * (int64_t)sizeof x, sizeof x);
        v[k] = (double)x;
    }
}

static warplu_status copy_slots(wlu_context *ctx, wlu_resident *d)
{
    const wlu_resident_image *im = wlu_resident_image_of(d);
    warplu_status status = wlu_cuda_settle(ctx, d);
    uint32_t generation = d->health->generation;
    if (status < 0 || generation == d->fetched) return status;
    const void *v = d->state.v[(generation - 1) % 2];
    int64_t count = im->base.program->nslots;
    size_t slots = (size_t)im->slot_bytes * (size_t)count, umax = 8 * W * (size_t)im->tiles;
    char *to = (char *)d->host + (sizeof(double) * (size_t)count - slots);
    status = WLU_CUDA(ctx, to_host, to, wlu_cuda_address(v), slots, d->stream);
    if (status == WARPLU_SUCCESS && umax > 0)
        status = WLU_CUDA(ctx, to_host, d->host + count, wlu_cuda_address(d->state.umax), umax, d->stream);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, stream_wait, d->stream);
    if (status < 0) return status;
    if (im->slot_bytes < (int)sizeof(double)) widen(d->host, count);
    d->fetched = generation;
    return status;
}

warplu_status wlu_resident_fetch(wlu_context *ctx, wlu_state *state, int32_t member, wlu_slots *out)
{
    wlu_resident *d = wlu_resident_of(state);
    const wlu_resident_image *im = wlu_resident_image_of(d);
    int64_t count = im->base.program->nslots + W * im->tiles;
    (void)member;
    if (d->host == NULL) {
        d->host = WLU_CALLOC(ctx, count, double);
        if (d->host == NULL) return wlu_fail_memory(ctx, "slots on the host");
        d->base.bytes += count * (int64_t)sizeof *d->host;
    }
    warplu_status status = wlu_cuda_enter(ctx, im->device);
    if (status == WARPLU_SUCCESS) status = wlu_cuda_leave(ctx, copy_slots(ctx, d));
    *out = (wlu_slots){d->host, d->host + im->base.program->nslots};
    return status;
}
