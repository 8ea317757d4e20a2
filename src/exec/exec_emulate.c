/* The emulate executor: the program packed for a device, replayed on the CPU by the emulated device (emulate/machine.h), by
 * default in the order of the queues. Solves run as the CUDA executor's do. For tests: every access is checked, and a replay
 * takes some twenty times as long as the CPU executor's. Never the choice of AUTO. */
#include "exec/emulate/emulate.h"

#include "base/environment.h"

#include <string.h>

enum { W = WLU_TILE_WIDTH };

typedef struct emulate_image {
    const wlu_program *program;
    wlu_device_image packed;
    void *reference; /* image of the reference executor, for solves */
} emulate_image;

/* What a state has on the emulated device. */
typedef struct emulate_state {
    wlu_device_state state;
    wlu_device_control control;
    wlu_device_health health;
    wlu_machine *machine;
    double *block;
    uint32_t fetched; /* generation of what the host's slots hold */
} emulate_state;

static emulate_state *emulated(const wlu_state *state)
{
    return (emulate_state *)(void *)state->device;
}

static warplu_status available(wlu_context *ctx)
{
    (void)ctx;
    return WARPLU_SUCCESS;
}

static void destroy(wlu_context *ctx, void **out)
{
    emulate_image *im = *out;
    *out = NULL;
    if (im == NULL) return;
    if (im->reference != NULL) wlu_executor_reference.destroy(ctx, &im->reference);
    wlu_device_image_free(ctx, &im->packed);
    wlu_free(ctx, im);
}

static warplu_status load(wlu_context *ctx, const wlu_program *program, void **out)
{
    emulate_image *im = WLU_CALLOC(ctx, 1, emulate_image);
    *out = im;
    if (im == NULL) return wlu_fail_memory(ctx, "image of the emulator");
    im->program = program;
    warplu_status status = wlu_executor_reference.load(ctx, program, &im->reference);
    if (status == WARPLU_SUCCESS) status = wlu_device_pack(ctx, program, &im->packed);
    if (status < 0) destroy(ctx, out);
    return status;
}

static warplu_status load_transposed(wlu_context *ctx, void *image)
{
    emulate_image *im = image;
    return wlu_executor_reference.load_transposed(ctx, im->reference);
}

static void detach(wlu_context *ctx, wlu_state *state)
{
    emulate_state *d = emulated(state);
    state->device = NULL;
    if (d == NULL) return;
    wlu_machine_free(ctx, &d->machine);
    wlu_free(ctx, d->block);
    wlu_free(ctx, d);
}

warplu_status wlu_emulate_schedule(wlu_context *ctx, const void *image, wlu_state *state, const wlu_emulate_mode *mode)
{
    const emulate_image *im = image;
    const wlu_program *p = im->program;
    emulate_state *d = emulated(state);
    wlu_machine_free(ctx, &d->machine);
    return wlu_machine_create(ctx, &im->packed.program, im->packed.block.memory, im->packed.block.bytes,
                              p->gather != NULL ? p->gather->nnz : p->nvalues, mode, &d->machine);
}

const wlu_device_image *wlu_emulate_image(const void *image)
{
    return &((const emulate_image *)image)->packed;
}

int64_t wlu_emulate_looks_in_vain(const wlu_state *state)
{
    return emulated(state)->machine->in_vain;
}

double *wlu_emulate_slots(const wlu_state *state, uint32_t ahead)
{
    const emulate_state *d = emulated(state);
    return d->state.v[(d->control.generation + ahead + 1) % 2];
}

static warplu_status attach(wlu_context *ctx, const void *image, wlu_state *state)
{
    const emulate_image *im = image;
    const wlu_device_program *p = &im->packed.program;
    const wlu_emulate_mode mode = wlu_emulate_in_order();
    emulate_state *d = WLU_CALLOC(ctx, 1, emulate_state);
    if (d == NULL) return wlu_fail_memory(ctx, "state of the emulator");
    state->device = (struct wlu_on_device *)(void *)d;
    d->block = WLU_ALLOC(ctx, 2 * (int64_t)p->slots + W * (int64_t)p->tiles, double);
    warplu_status status = d->block != NULL ? wlu_emulate_schedule(ctx, image, state, &mode) : wlu_fail_memory(ctx, "slots of the emulator");
    if (status < 0) {
        detach(ctx, state);
        return status;
    }
    d->state = (wlu_device_state){.v = {d->block, d->block + p->slots},
                                  .slots = p->slots,
                                  .umax = d->block + 2 * (int64_t)p->slots,
                                  .control = &d->control,
                                  .health = &d->health,
                                  .bound = im->program->guard.bound};
    for (int k = 0; k < 2; k++) wlu_machine_poison(p, d->state.v[k]);
    return WARPLU_SUCCESS;
}

static warplu_status fetch(wlu_context *ctx, const void *image, wlu_state *state)
{
    const emulate_image *im = image;
    emulate_state *d = emulated(state);
    uint32_t generation = d->health.generation;
    (void)ctx;
    if (generation == d->fetched) return WARPLU_SUCCESS;
    memcpy(state->v, d->state.v[(generation - 1) % 2], (size_t)im->program->nslots * sizeof *state->v);
    memcpy(state->umax, d->state.umax, W * (size_t)im->packed.program.tiles * sizeof *state->umax);
    d->fetched = generation;
    return WARPLU_SUCCESS;
}

static warplu_status refactor(wlu_context *ctx, const void *image, wlu_state *state, const double *values)
{
    const emulate_image *im = image;
    emulate_state *d = emulated(state);
    wlu_environment env;
    wlu_environment_enter(&env);
    d->state.source = wlu_begin_refactor(im->program, state, values);
    warplu_status status = wlu_machine_flow(d->machine, &d->state);
    if (status == WARPLU_SUCCESS) {
        const wlu_device_health *h = &d->health;
        state->health = (wlu_health){.largest_l = h->largest_l,
                                     .largest_u = h->largest_u,
                                     .growth = h->growth,
                                     .smallest_pivot = h->smallest_pivot,
                                     .drift = h->drift,
                                     .finite = h->finite};
        if (h->undecided) {
            fetch(ctx, image, state);
            state->health.growth = wlu_closer_growth(im->program, state, d->state.source);
        }
    }
    wlu_environment_leave(&env);
    return status < 0 ? wlu_fail(ctx, status, "%s", d->machine->message) : status;
}

static warplu_status solve(wlu_context *ctx, const void *image, wlu_state *state, wlu_stream_kind kind, const double *b,
                           double *x, double *largest)
{
    const emulate_image *im = image;
    fetch(ctx, image, state);
    return wlu_executor_reference.solve(ctx, im->reference, state, kind, b, x, largest);
}

static warplu_status solve_many(wlu_context *ctx, const void *image, wlu_state *state, wlu_stream_kind kind, int count,
                                const double *b, int64_t ldb, double *x, int64_t ldx, double *largest)
{
    for (int k = 0; k < count; k++) solve(ctx, image, state, kind, b + k * ldb, x + k * ldx, &largest[k]);
    return WARPLU_SUCCESS;
}

static int64_t bytes(const void *image, int solves)
{
    const emulate_image *im = image;
    return solves ? wlu_executor_reference.bytes(im->reference, 1) : im->packed.block.bytes;
}

const wlu_executor wlu_executor_emulate = {
    .name = "emulate",
    .cost = &wlu_cost_cuda,
    .available = available,
    .load = load,
    .load_transposed = load_transposed,
    .refactor = refactor,
    .solve = solve,
    .solve_many = solve_many,
    .bytes = bytes,
    .destroy = destroy,
    .attach = attach,
    .detach = detach,
    .fetch = fetch,
};
