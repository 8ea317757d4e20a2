/* Replays on a CUDA device: a copy of the values, one launch, one wait, the record of the health. See replay.h.
 *
 * A state takes two blocks: one on the device (two buffers of slots, umax, values, panels of blocks whose shared memory
 * is too small, control), one pinned (values on their way, health); and two more for solves. A replay allocates
 * nothing. */
#include "exec/cuda/levels.h"
#include "exec/cuda/refine.h"
#include "exec/cuda/solve.h"

#include <math.h>
#include <string.h>

enum { W = WLU_TILE_WIDTH, BLOCKS_MOST = 2 };

/* Warps of a block that work on bundles. On an H200 2 to 8 are equal within 3 percent. */
enum { BUNDLE_WARPS = 4 };

enum { GATHER_THREADS = 256 };

/* Polls before a wait is given up: some ten seconds. A replay takes milliseconds; a solve that begins early waits for
 * all of it. */
enum { PATIENCE = 1 << 25 };

_Static_assert(sizeof(warplu_device_health) == sizeof(wlu_device_health) + sizeof(wlu_refined) &&
                   offsetof(warplu_device_health, backward_error) == sizeof(wlu_device_health) &&
                   offsetof(warplu_device_health, refinement_steps) ==
                       sizeof(wlu_device_health) + offsetof(wlu_refined, steps) &&
                   offsetof(warplu_device_health, inaccurate) ==
                       sizeof(wlu_device_health) + offsetof(wlu_refined, inaccurate) &&
                   offsetof(warplu_device_health, drift) == offsetof(wlu_device_health, drift) &&
                   offsetof(warplu_device_health, finite) == offsetof(wlu_device_health, finite) &&
                   offsetof(warplu_device_health, failed) == offsetof(wlu_device_health, failed) &&
                   offsetof(warplu_device_health, verdict) == offsetof(wlu_device_health, verdict),
               "the public record is what devices write");

/* ---------------------------------------------------------------- images */

warplu_status wlu_cuda_upload(wlu_context *ctx, const wlu_device_block *packed, wlu_cu_address *block)
{
    warplu_status status = WLU_CUDA(ctx, alloc, block, (size_t)packed->bytes);
    if (status < 0) return status;
    status = WLU_CUDA(ctx, to_device, *block, packed->memory, (size_t)packed->bytes, NULL);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, stream_wait, NULL);
    if (status == WARPLU_SUCCESS) return status;
    wlu_cuda.free(*block);
    *block = 0;
    return status;
}

/* ---------------------------------------------------------------- layout */

/* Of the largest panel. */
static int64_t panel_bytes(const wlu_cuda_image *im)
{
    return WLU_PANEL_BYTES(im->slot_bytes, im->placed.panel_rows);
}

/* Numbers that loads read. */
static int64_t values_of(const wlu_program *p)
{
    return p->gather != NULL ? p->gather->nnz : p->nvalues;
}

/* The strategy `levels` waits for nothing, and needs no second buffer. */
static int buffers_of(const wlu_cuda_image *im)
{
    return im->strategy == WARPLU_STRATEGY_FLOW ? 2 : 1;
}

/* Bytes from one part of a state's block to the next; slots: of all buffers. */
typedef struct layout {
    int64_t slots, umax, values, panels, control;
} layout;

static layout layout_of(const wlu_cuda_image *im)
{
    layout l = {.slots = buffers_of(im) * wlu_cuda_aligned(im->slot_bytes * (int64_t)im->placed.slots),
                .umax = wlu_cuda_aligned(8 * W * (int64_t)im->placed.tiles),
                .values = wlu_cuda_aligned(8 * values_of(im->program)),
                .control = wlu_cuda_aligned((int64_t)sizeof(wlu_device_control))};
    if (im->panels_apart) l.panels = wlu_cuda_aligned((int64_t)im->grid * panel_bytes(im));
    return l;
}

static int64_t bytes_of(const layout *l)
{
    return l->slots + l->umax + l->values + l->panels + l->control;
}

static void place(wlu_on_device *d, const wlu_cuda_image *im, const layout *l)
{
    wlu_cu_address at = d->block;
    wlu_device_state *s = &d->state;
    s->v[0] = wlu_cuda_pointer(at);
    s->v[1] = wlu_cuda_pointer(at + (uint64_t)(buffers_of(im) - 1) * (uint64_t)l->slots / 2);
    at += (uint64_t)l->slots;
    s->slots = im->placed.slots;
    s->umax = wlu_cuda_pointer(at);
    at += (uint64_t)l->umax;
    s->source = wlu_cuda_pointer(at);
    at += (uint64_t)l->values;
    if (im->panels_apart) s->panels = wlu_cuda_pointer(at);
    at += (uint64_t)l->panels;
    s->control = wlu_cuda_pointer(at);
    s->bound = im->program->guard.bound;
    s->quality = im->program->guard.quality;
    s->rounding = im->program->guard.rounding;
    s->pivot_absolute = im->program->guard.pivot_absolute;
    s->bundle_blocks = (uint32_t)im->device->multiprocessors;
    s->bundle_warps = BUNDLE_WARPS;
    s->patience = PATIENCE;
    s->scale = 1.0;
}

warplu_status wlu_cuda_shape(wlu_context *ctx, wlu_cuda_image *im)
{
    int blocks = 0;
    int64_t ring = WLU_TILE_RING_BYTES(im->slot_bytes), whole = ring + panel_bytes(im);
    im->panels_apart = whole > im->kernels->shared_bytes;
    im->shared_bytes = (unsigned)(im->placed.tiles == 0 ? 0 : im->panels_apart ? ring : whole);
    warplu_status status =
        WLU_CUDA(ctx, occupancy, &blocks, im->kernels->flow, WLU_TILE_THREADS, (size_t)im->shared_bytes);
    if (status == WARPLU_SUCCESS && blocks < 1)
        status = wlu_fail(ctx, WARPLU_DEVICE_FAILED, "a block of the kernel does not fit into a multiprocessor");
    if (blocks > BLOCKS_MOST) blocks = BLOCKS_MOST;
    im->grid = (unsigned)(im->device->multiprocessors * blocks);
    return status;
}

/* -------------------------------------------------------- attach, detach */

/* -1 in FP32 and the upper half of the double; the lower half is 0. */
#define MINUS_ONE(slot_bytes) ((slot_bytes) == 4 ? UINT32_C(0xbf800000) : UINT32_C(0xbff00000))

/* Of a buffer. */
static warplu_status place_constants(wlu_context *ctx, const wlu_cuda_image *im, const void *v, int64_t first,
                                     wlu_cu_handle stream)
{
    const wlu_program *p = im->program;
    size_t bytes = (size_t)im->slot_bytes;
    wlu_cu_address minus_one = wlu_cuda_slot(im, v, p->minus_one - first);
    warplu_status status = WLU_CUDA(ctx, clear, wlu_cuda_slot(im, v, p->zero - first), 0, bytes, stream);
    if (status < 0 || p->minus_one < 0) return status;
    status = WLU_CUDA(ctx, clear, minus_one, 0, bytes, stream);
    return status < 0 ? status : WLU_CUDA(ctx, fill, minus_one + bytes - 4, MINUS_ONE(bytes), 1, stream);
}

warplu_status wlu_cuda_poison(wlu_context *ctx, const wlu_cuda_image *im, const void *v, int64_t slots, int64_t buffers,
                              int64_t first, wlu_cu_handle stream)
{
    size_t words = (size_t)(slots * buffers) * (size_t)im->slot_bytes / 4;
    warplu_status status = WLU_CUDA(ctx, fill, wlu_cuda_address(v), WLU_POISON_HALF, words, stream);
    for (int64_t k = 0; k < buffers && status == WARPLU_SUCCESS; k++)
        status = place_constants(ctx, im, wlu_cuda_pointer(wlu_cuda_slot(im, v, k * slots)), first, stream);
    return status;
}

/* Slots, control and health as before the first replay. A replay that is given up leaves them fit for another.
 */
static warplu_status begin(wlu_context *ctx, wlu_on_device *d, const wlu_cuda_image *im)
{
    warplu_status status = WARPLU_SUCCESS;
    if (im->strategy != WARPLU_STRATEGY_FLOW)
        status = WLU_CUDA(ctx, clear, wlu_cuda_address(d->state.v[0]), 0,
                          (size_t)im->slot_bytes * (size_t)im->placed.slots, d->stream);
    for (int k = 0; k < buffers_of(im) && im->strategy == WARPLU_STRATEGY_FLOW && status == WARPLU_SUCCESS; k++)
        status = wlu_cuda_poison(ctx, im, d->state.v[k], im->placed.slots, 1, 0, d->stream);
    if (status == WARPLU_SUCCESS)
        status = WLU_CUDA(ctx, clear, wlu_cuda_address(d->state.control), 0, sizeof(wlu_device_control), d->stream);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, stream_wait, d->stream);
    return status;
}

static warplu_status allocate(wlu_context *ctx, wlu_on_device *d, const wlu_cuda_image *im, const layout *l)
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
    place(d, im, l);
    d->state.health = wlu_cuda_pointer(health);
    *d->health = (wlu_device_health){0};
    *d->refined = wlu_refined_none();
    status = begin(ctx, d, im);
    if (status == WARPLU_SUCCESS) status = wlu_cuda_attach_solves(ctx, im, d);
    if (status == WARPLU_SUCCESS) status = wlu_cuda_attach_refine(ctx, im, d);
    return status == WARPLU_SUCCESS ? wlu_cuda_levels_attach(ctx, im, d) : status;
}

warplu_status wlu_cuda_settle(wlu_context *ctx, const wlu_on_device *d)
{
    return d->elsewhere ? wlu_cuda_check(ctx, wlu_cuda.context_wait(), "context_wait") : WARPLU_SUCCESS;
}

static void release(wlu_on_device *d)
{
    if (d->stream != NULL) wlu_cuda.stream_wait(d->stream);
    wlu_cuda_settle(NULL, d);
    wlu_cuda_detach_refine(d);
    wlu_cuda_detach_solves(d);
    wlu_cuda_levels_detach(d);
    if (d->block != 0) wlu_cuda.free(d->block);
    if (d->staging != NULL) wlu_cuda.host_free(d->staging);
    if (d->stream != NULL) wlu_cuda.stream_destroy(d->stream);
}

void wlu_cuda_detach(wlu_context *ctx, wlu_state *state)
{
    wlu_on_device *d = state->device;
    state->device = NULL;
    if (d == NULL) return;
    if (wlu_cuda_enter(NULL, d->device) == WARPLU_SUCCESS) {
        release(d);
        wlu_cuda_leave(NULL, WARPLU_SUCCESS);
    }
    wlu_free(ctx, d);
}

warplu_status wlu_cuda_attach(wlu_context *ctx, const void *image, wlu_state *state)
{
    const wlu_cuda_image *im = image;
    layout l = layout_of(im);
    wlu_on_device *d = WLU_CALLOC(ctx, 1, wlu_on_device);
    if (d == NULL) return wlu_fail_memory(ctx, "state on the device");
    d->device = im->device;
    state->device = d;
    warplu_status status = wlu_cuda_enter(ctx, im->device);
    if (status == WARPLU_SUCCESS) status = wlu_cuda_leave(ctx, allocate(ctx, d, im, &l));
    if (status == WARPLU_SUCCESS) {
        state->bytes += bytes_of(&l) + d->solves.bytes + d->refine.bytes;
    } else {
        wlu_cuda_detach(ctx, state);
    }
    return status;
}

/* ---------------------------------------------------------------- replay */

static warplu_status launch(wlu_context *ctx, const wlu_cuda_image *im, wlu_on_device *d, const double *source,
                            wlu_cu_handle stream)
{
    wlu_device_program program = im->placed;
    wlu_device_state state = d->state;
    void *parameters[] = {&program, &state};
    state.source = source;
    d->elsewhere |= stream != d->stream;
    if (im->strategy != WARPLU_STRATEGY_FLOW) return wlu_cuda_levels_refactor(ctx, im, d, source, stream);
    return WLU_CUDA(ctx, launch, im->kernels->flow, im->grid, 1, 1, WLU_TILE_THREADS, 1, 1, im->shared_bytes, stream,
                    parameters, NULL);
}

/* The record of the last replay becomes the state's health. */
static warplu_status read_health(wlu_context *ctx, const wlu_cuda_image *im, wlu_state *state)
{
    const wlu_device_health *h = state->device->health;
    state->health = (wlu_health){.largest_l = h->largest_l,
                                 .largest_u = h->largest_u,
                                 .growth = h->growth,
                                 .smallest_pivot = h->smallest_pivot,
                                 .drift = h->drift,
                                 .finite = h->finite,
                                 .single = im->slot_bytes == 4};
    state->refined = *state->device->refined;
    if (h->failed == 0) return WARPLU_SUCCESS;
    return wlu_fail(ctx, WARPLU_DEVICE_FAILED, "the replay was given up: a slot that others wait for was not written");
}

static warplu_status replay(wlu_context *ctx, const wlu_cuda_image *im, wlu_on_device *d, const double *source)
{
    size_t bytes = 8 * (size_t)values_of(im->program);
    warplu_status status = wlu_cuda_settle(ctx, d);
    memcpy(d->staging, source, bytes);
    if (status == WARPLU_SUCCESS)
        status = WLU_CUDA(ctx, to_device, wlu_cuda_address(d->state.source), d->staging, bytes, d->stream);
    if (status == WARPLU_SUCCESS) status = launch(ctx, im, d, d->state.source, d->stream);
    return status == WARPLU_SUCCESS ? WLU_CUDA(ctx, stream_wait, d->stream) : status;
}

warplu_status wlu_cuda_refactor(wlu_context *ctx, const void *image, wlu_state *state, const double *values)
{
    const wlu_cuda_image *im = image;
    const double *source = wlu_begin_refactor(im->program, state, values);
    warplu_status status = wlu_cuda_enter(ctx, im->device);
    if (status < 0) return status;
    status = replay(ctx, im, state->device, source);
    if (status == WARPLU_SUCCESS) status = read_health(ctx, im, state);
    return wlu_cuda_leave(ctx, status);
}

/* Values of a pattern with duplicates become entries first. */
static warplu_status gather(wlu_context *ctx, const wlu_cuda_image *im, wlu_on_device *d, const double *values,
                            wlu_cu_handle stream)
{
    wlu_device_gather map = im->placed.gather;
    const double *entries = d->state.source;
    void *parameters[] = {&map, &values, &entries};
    unsigned grid = (unsigned)((map.entries + (int64_t)GATHER_THREADS - 1) / GATHER_THREADS);
    return WLU_CUDA(ctx, launch, im->device->gather, grid, 1, 1, GATHER_THREADS, 1, 1, 0, stream, parameters, NULL);
}

warplu_status wlu_cuda_enqueue_refactor(wlu_context *ctx, const wlu_cuda_image *im, wlu_on_device *d,
                                        const double *values, wlu_cu_handle stream)
{
    warplu_status status = WARPLU_SUCCESS;
    if (im->placed.gather.entries > 0)
        status = gather(ctx, im, d, values, stream);
    else if (wlu_precision_refines(im->precision)) /* residuals read them when they may have changed */
        status = WLU_CUDA(ctx, on_device, wlu_cuda_address(d->state.source), wlu_cuda_address(values),
                          8 * (size_t)values_of(im->program), stream);
    else
        return launch(ctx, im, d, values, stream);
    return status < 0 ? status : launch(ctx, im, d, d->state.source, stream);
}

warplu_status wlu_cuda_refactor_async(wlu_context *ctx, const void *image, wlu_state *state, const double *values,
                                      void *stream)
{
    const wlu_cuda_image *im = image;
    warplu_status status = wlu_cuda_enter(ctx, im->device);
    return status < 0 ? status : wlu_cuda_leave(ctx, wlu_cuda_enqueue_refactor(ctx, im, state->device, values, stream));
}

warplu_status wlu_cuda_finish(wlu_context *ctx, const void *image, wlu_state *state, void *stream)
{
    const wlu_cuda_image *im = image;
    warplu_status status = wlu_cuda_enter(ctx, im->device);
    if (status < 0) return status;
    status = WLU_CUDA(ctx, stream_wait, stream);
    if (status == WARPLU_SUCCESS) status = read_health(ctx, im, state);
    return wlu_cuda_leave(ctx, status);
}

static warplu_status mark_suspect(wlu_context *ctx, wlu_on_device *d)
{
    warplu_status status = wlu_cuda_settle(ctx, d);
    if (status == WARPLU_SUCCESS)
        status = WLU_CUDA(ctx, fill, wlu_cuda_address(&d->state.control->verdict), WLU_SUSPECT, 1, d->stream);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, stream_wait, d->stream);
    if (status == WARPLU_SUCCESS) d->health->verdict = WLU_SUSPECT;
    return status;
}

warplu_status wlu_cuda_vouch(wlu_context *ctx, const void *image, wlu_state *state)
{
    const wlu_cuda_image *im = image;
    if (state->device->health->verdict != WLU_WEAK) return WARPLU_SUCCESS;
    warplu_status status = wlu_cuda_enter(ctx, im->device);
    return status < 0 ? status : wlu_cuda_leave(ctx, mark_suspect(ctx, state->device));
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

static warplu_status copy_slots(wlu_context *ctx, const wlu_cuda_image *im, wlu_state *state)
{
    wlu_on_device *d = state->device;
    warplu_status status = wlu_cuda_settle(ctx, d);
    uint32_t generation = d->health->generation;
    if (status < 0 || generation == d->fetched) return status;
    const void *v = d->state.v[(generation - 1) % 2];
    int64_t count = im->program->nslots;
    size_t slots = (size_t)im->slot_bytes * (size_t)count, umax = 8 * W * (size_t)im->placed.tiles;
    char *to = (char *)state->v + (sizeof(double) * (size_t)count - slots);
    status = WLU_CUDA(ctx, to_host, to, wlu_cuda_address(v), slots, d->stream);
    if (status == WARPLU_SUCCESS && umax > 0)
        status = WLU_CUDA(ctx, to_host, state->umax, wlu_cuda_address(d->state.umax), umax, d->stream);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, stream_wait, d->stream);
    if (status < 0) return status;
    if (im->slot_bytes < (int)sizeof(double)) widen(state->v, count);
    d->fetched = generation;
    return status;
}

warplu_status wlu_cuda_fetch(wlu_context *ctx, const void *image, wlu_state *state)
{
    const wlu_cuda_image *im = image;
    warplu_status status = wlu_cuda_enter(ctx, im->device);
    return status < 0 ? status : wlu_cuda_leave(ctx, copy_slots(ctx, im, state));
}
