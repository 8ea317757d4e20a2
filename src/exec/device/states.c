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

/* Bytes from one part of a state's block to the next; slots: of all buffers. */
typedef struct layout {
    int64_t slots, umax, values, panels, control;
} layout;

static layout layout_of(const wlu_resident_image *im)
{
    return (layout){.slots = im->buffers * wlu_cuda_aligned(im->slot_bytes * im->slots),
                    .umax = wlu_cuda_aligned(8 * W * im->tiles),
                    .values = wlu_cuda_aligned(8 * wlu_entries_of(im->base.program)),
                    .panels = wlu_cuda_aligned(im->panels_bytes),
                    .control = wlu_cuda_aligned((int64_t)sizeof(wlu_device_control))};
}

static int64_t bytes_of(const layout *l)
{
    return l->slots + l->umax + l->values + l->panels + l->control;
}

static void place(wlu_resident *d, const layout *l)
{
    const wlu_resident_image *im = wlu_resident_image_of(d);
    const wlu_guards *guard = &wlu_lu_of(im->base.program)->guard;
    wlu_cu_address at = d->block;
    wlu_device_state *s = &d->state;
    s->v[0] = wlu_cuda_pointer(at);
    s->v[1] = wlu_cuda_pointer(at + (uint64_t)(im->buffers - 1) * (uint64_t)l->slots / 2);
    at += (uint64_t)l->slots;
    s->slots = im->slots;
    s->umax = wlu_cuda_pointer(at);
    at += (uint64_t)l->umax;
    s->source = wlu_cuda_pointer(at);
    at += (uint64_t)l->values;
    if (l->panels > 0) s->panels = wlu_cuda_pointer(at);
    at += (uint64_t)l->panels;
    s->control = wlu_cuda_pointer(at);
    s->criteria = guard->criteria;
    s->bundle_blocks = (uint32_t)im->device->multiprocessors;
    s->bundle_warps = BUNDLE_WARPS;
    s->patience = PATIENCE;
    s->scale = 1.0;
}

static void place_solves(wlu_resident *d)
{
    const wlu_resident_image *im = wlu_resident_image_of(d);
    wlu_resident_solves *to = &d->solves;
    int64_t n = im->base.program->n, slots = im->solve_slots;
    wlu_device_state *s = &to->state;
    s->slots = slots;
    s->v[0] = wlu_cuda_pointer(to->block);
    s->v[1] = wlu_cuda_pointer(wlu_cuda_slot(im, s->v[0], slots * to->sides));
    to->b = wlu_cuda_pointer(wlu_cuda_slot(im, s->v[1], slots * to->sides));
    to->x = to->b + n * to->sides;
    s->control = (wlu_device_control *)(to->x + n * to->sides);
    s->patience = d->state.patience;
    s->scale = 1.0;
}

/* ------------------------------------------------------------------ images */

warplu_status wlu_resident_image_create(wlu_context *ctx, const wlu_target *target, const wlu_program *program,
                                        const wlu_residence *residence, size_t bytes, wlu_image **image)
{
    int single = wlu_precision_is_single(target->precision);
    *image = NULL;
    wlu_resident_image *im = wlu_calloc(ctx, 1, bytes);
    if (im == NULL) return wlu_fail_memory(ctx, "image for the device");
    im->base = (wlu_image){.target = *target, .program = program};
    im->residence = residence;
    im->slot_bytes = single ? 4 : 8;
    warplu_status status = wlu_cuda_device_find(ctx, target->device, &im->device);
    if (status < 0) {
        wlu_free(ctx, im);
        return status;
    }
    im->kernels = &im->device->of[single];
    *image = &im->base;
    return WARPLU_SUCCESS;
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

static warplu_status allocate(wlu_context *ctx, wlu_resident *d, const layout *l)
{
    wlu_cu_address health;
    void *pinned = NULL;
    size_t staged = (size_t)l->values;
    warplu_status status = WLU_CUDA(ctx, stream_create, &d->stream, WLU_CU_STREAM_NON_BLOCKING);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, alloc, &d->block, (size_t)bytes_of(l));
    if (status == WARPLU_SUCCESS)
        status = WLU_CUDA(ctx, host_alloc, &pinned, staged + sizeof *d->health + sizeof *d->refined,
                          WLU_CU_HOST_PORTABLE | WLU_CU_HOST_MAPPED);
    if (status < 0) return status;
    d->staging = pinned;
    d->health = (wlu_device_health *)((char *)pinned + staged);
    d->refined = (wlu_refined *)(d->health + 1);
    status = WLU_CUDA(ctx, host_address, &health, d->health, 0);
    if (status < 0) return status;
    place(d, l);
    d->state.health = wlu_cuda_pointer(health);
    *d->health = (wlu_device_health){0};
    *d->refined = wlu_refined_none();
    return status;
}

static warplu_status allocate_solves(wlu_context *ctx, wlu_resident *d)
{
    const wlu_resident_image *im = wlu_resident_image_of(d);
    wlu_resident_solves *to = &d->solves;
    int64_t n = im->base.program->n,
            side = 2 * im->slot_bytes * im->solve_slots + 16 * n + (int64_t)sizeof(wlu_device_control);
    wlu_cu_address health;
    void *pinned = NULL;
    to->sides = side * WLU_MANY <= SIDE_BY_SIDE_BYTES ? WLU_MANY : 1;
    to->bytes = side * to->sides;
    warplu_status status = WLU_CUDA(ctx, alloc, &to->block, (size_t)to->bytes);
    if (status == WARPLU_SUCCESS)
        status =
            WLU_CUDA(ctx, host_alloc, &pinned, (size_t)to->sides * ((size_t)n * sizeof(double) + sizeof *to->health),
                     WLU_CU_HOST_PORTABLE | WLU_CU_HOST_MAPPED);
    if (status < 0) return status;
    to->staging = pinned;
    to->health = (wlu_device_health *)(to->staging + n * to->sides);
    status = WLU_CUDA(ctx, host_address, &health, to->health, 0);
    if (status < 0) return status;
    place_solves(d);
    to->state.health = wlu_cuda_pointer(health);
    return status;
}

static warplu_status attach(wlu_context *ctx, wlu_resident *d)
{
    const wlu_resident_image *im = wlu_resident_image_of(d);
    layout l = layout_of(im);
    warplu_status status = allocate(ctx, d, &l);
    if (status == WARPLU_SUCCESS) status = allocate_solves(ctx, d);
    if (status == WARPLU_SUCCESS) status = begin(ctx, d);
    if (status < 0) return status;
    d->base.bytes = bytes_of(&l) + d->solves.bytes;
    return im->residence->attach(ctx, d);
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

warplu_status wlu_resident_create(wlu_context *ctx, const wlu_image *image, int32_t count, size_t bytes,
                                  wlu_state **state)
{
    warplu_status status = wlu_state_single_member(ctx, image, count);
    if (status < 0) return status;
    *state = wlu_calloc(ctx, 1, bytes);
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
