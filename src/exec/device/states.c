/* States on a CUDA device. See states.h.
 *
 * A state takes two blocks: one on the device (its buffers of slots, umax, values, panels of blocks whose shared memory
 * is too small, control; and what solves have of these), one pinned (numbers on their way, health). The host has room
 * for slots once somebody has looked at them. */
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

/* Parts of the block from this address on; returns the address behind them. */
static wlu_cu_address place(wlu_resident *d, wlu_cu_address at)
{
    const wlu_resident_image *im = wlu_resident_image_of(d);
    wlu_device_state *s = &d->state;
    for (int k = 0; k < 2; k++) s->v[k] = k < im->buffers ? wlu_cuda_take(&at, im->slot_bytes * im->slots) : s->v[0];
    s->umax = wlu_cuda_take(&at, 8 * W * im->tiles);
    s->source = wlu_cuda_take(&at, 8 * wlu_entries_of(im->base.program));
    s->panels = im->panels_bytes > 0 ? wlu_cuda_take(&at, im->panels_bytes) : NULL;
    s->control = wlu_cuda_take(&at, (int64_t)sizeof *s->control);
    return at;
}

/* The same of solves. */
static wlu_cu_address place_solves(wlu_resident *d, wlu_cu_address at)
{
    const wlu_resident_image *im = wlu_resident_image_of(d);
    wlu_resident_solves *to = &d->solves;
    int64_t n_bytes = 8 * to->sides * wlu_resident_vector(d);
    wlu_device_state *s = &to->state;
    for (int k = 0; k < 2; k++) s->v[k] = wlu_cuda_take(&at, im->slot_bytes * im->solve_slots * to->sides);
    to->b = wlu_cuda_take(&at, n_bytes);
    to->x = wlu_cuda_take(&at, n_bytes);
    s->control = wlu_cuda_take(&at, to->sides * (int64_t)sizeof *s->control);
    return at;
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

/* The block on the device. */
static warplu_status allocate(wlu_context *ctx, wlu_resident *d)
{
    d->solves.sides = WLU_MANY;
    if (place_solves(d, 0) > SIDE_BY_SIDE_BYTES) d->solves.sides = 1;
    d->base.bytes = (int64_t)place_solves(d, place(d, 0));
    warplu_status status = WLU_CUDA(ctx, alloc, &d->block, (size_t)d->base.bytes);
    if (status == WARPLU_SUCCESS) place_solves(d, place(d, d->block));
    return status;
}

/* The pinned block: values or right-hand sides, which are never on their way at once; then what the device tells. */
static warplu_status pin(wlu_context *ctx, wlu_resident *d)
{
    const wlu_program *p = wlu_resident_image_of(d)->base.program;
    wlu_resident_solves *solves = &d->solves;
    int64_t values = 8 * wlu_entries_of(p), sides = 8 * solves->sides * wlu_resident_vector(d);
    size_t numbers = (size_t)wlu_cuda_aligned(values > sides ? values : sides), of_solves = (size_t)solves->sides;
    size_t told = sizeof *d->health + sizeof *d->refined;
    void *pinned = NULL, *on_device;
    warplu_status status = wlu_cuda_pin(ctx, numbers + told + of_solves * sizeof *solves->health, &pinned, &on_device);
    d->staging = solves->staging = pinned;
    if (status < 0) return status;
    d->health = (wlu_device_health *)((char *)pinned + numbers);
    d->refined = (wlu_refined *)(d->health + 1);
    solves->health = (wlu_device_health *)(d->refined + 1);
    *d->health = (wlu_device_health){0};
    *d->refined = wlu_refined_none();
    d->state.health = (wlu_device_health *)((char *)on_device + numbers);
    solves->state.health = (wlu_device_health *)((char *)on_device + numbers + told);
    return status;
}

static void set_constants(wlu_resident *d)
{
    const wlu_resident_image *im = wlu_resident_image_of(d);
    wlu_device_state *s = &d->state, *solves = &d->solves.state;
    s->slots = im->slots;
    s->criteria = wlu_lu_of(im->base.program)->guard.criteria;
    s->bundle_blocks = (uint32_t)im->device->multiprocessors;
    s->bundle_warps = BUNDLE_WARPS;
    solves->slots = im->solve_slots;
    s->patience = solves->patience = PATIENCE;
    s->scale = solves->scale = 1.0;
}

static warplu_status attach(wlu_context *ctx, wlu_resident *d)
{
    warplu_status status = WLU_CUDA(ctx, stream_create, &d->stream, WLU_CU_STREAM_NON_BLOCKING);
    if (status == WARPLU_SUCCESS) status = allocate(ctx, d);
    if (status == WARPLU_SUCCESS) status = pin(ctx, d);
    if (status == WARPLU_SUCCESS) {
        set_constants(d);
        status = begin(ctx, d);
    }
    return status < 0 ? status : wlu_resident_image_of(d)->residence->attach(ctx, d);
}

static void release(wlu_resident *d)
{
    if (d->stream != NULL) wlu_cuda.stream_wait(d->stream);
    wlu_cuda_settle(NULL, d->elsewhere);
    wlu_resident_image_of(d)->residence->detach(d);
    if (d->block != 0) wlu_cuda.free(d->block);
    if (d->staging != NULL) wlu_cuda.host_free(d->staging);
    if (d->stream != NULL) wlu_cuda.stream_destroy(d->stream);
}

void wlu_resident_destroy(wlu_context *ctx, wlu_state **state)
{
    wlu_resident *d = wlu_resident_of(*state);
    if (wlu_cuda_enter(NULL, &wlu_resident_image_of(d)->device->on) == WARPLU_SUCCESS) {
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
    status = wlu_cuda_enter(ctx, &wlu_resident_image_of(d)->device->on);
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
    warplu_status status = wlu_cuda_settle(ctx, d->elsewhere);
    uint32_t generation = d->health->generation;
    if (status < 0 || generation == d->fetched) return status;
    const void *v = d->state.v[(generation - 1) % 2];
    int64_t numbers = im->base.program->nslots, count = im->base.program->doubles * numbers;
    size_t slots = (size_t)im->slot_bytes * (size_t)numbers, umax = 8 * W * (size_t)im->tiles;
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
    int64_t slots = im->base.program->doubles * im->base.program->nslots, count = slots + W * im->tiles;
    (void)member;
    if (d->host == NULL) {
        d->host = WLU_CALLOC(ctx, count, double);
        if (d->host == NULL) return wlu_fail_memory(ctx, "slots on the host");
        d->base.bytes += count * (int64_t)sizeof *d->host;
    }
    warplu_status status = wlu_cuda_enter(ctx, &im->device->on);
    if (status == WARPLU_SUCCESS) status = wlu_cuda_leave(ctx, copy_slots(ctx, d));
    *out = (wlu_slots){d->host, d->host + slots};
    return status;
}
