/* The emulate executor: the program packed for a device, replayed on the CPU by the emulated device
 * (emulate/machine.h), by default in the order of the queues. For tests: every access is checked, and a replay takes
 * some twenty times as long as the CPU executor's. Never the choice of AUTO. */
#include "exec/emulate/emulate.h"

#include "base/environment.h"

#include <string.h>

enum { W = WLU_TILE_WIDTH, KINDS = 2 };

typedef struct emulate_image {
    const wlu_program *program;
    int single;
    wlu_device_image packed;
    wlu_solve_image solve[KINDS]; /* A; A', once it is wanted */
} emulate_image;

/* What a launch works on, in host memory. */
typedef struct launched {
    wlu_device_state state;
    wlu_device_control control;
    wlu_device_health health;
} launched;

/* What a state has on the emulated device. */
typedef struct emulate_state {
    launched factors, solves;
    wlu_emulate_mode mode;
    wlu_machine *machine, *solver[KINDS]; /* solver: made at the first solve of its kind */
    double *block;
    double *b, *x;    /* n each */
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

/* ------------------------------------------------------------------ images */

static void destroy(wlu_context *ctx, void **out)
{
    emulate_image *im = *out;
    *out = NULL;
    if (im == NULL) return;
    for (int k = 0; k < KINDS; k++) wlu_solve_image_free(ctx, &im->solve[k]);
    wlu_device_image_free(ctx, &im->packed);
    wlu_free(ctx, im);
}

static warplu_status load_as(wlu_context *ctx, const wlu_program *program, int single, void **out)
{
    emulate_image *im = WLU_CALLOC(ctx, 1, emulate_image);
    *out = im;
    if (im == NULL) return wlu_fail_memory(ctx, "image of the emulator");
    im->program = program;
    im->single = single;
    warplu_status status = wlu_device_pack(ctx, program, &im->packed);
    if (status == WARPLU_SUCCESS) status = wlu_device_pack_solve(ctx, program, WLU_STREAM_SOLVE, &im->solve[0]);
    if (status < 0) destroy(ctx, out);
    return status;
}

static warplu_status load_double(wlu_context *ctx, const wlu_program *program, void **out)
{
    return load_as(ctx, program, 0, out);
}

static warplu_status load_single(wlu_context *ctx, const wlu_program *program, void **out)
{
    return load_as(ctx, program, 1, out);
}

static warplu_status load_transposed(wlu_context *ctx, void *image)
{
    emulate_image *im = image;
    return wlu_device_pack_solve(ctx, im->program, WLU_STREAM_SOLVE_TRANSPOSED, &im->solve[1]);
}

static int64_t bytes(const void *image, int solves)
{
    const emulate_image *im = image;
    return solves ? im->solve[0].block.bytes + im->solve[1].block.bytes : im->packed.block.bytes;
}

const wlu_device_image *wlu_emulate_image(const void *image)
{
    return &((const emulate_image *)image)->packed;
}

const wlu_solve_image *wlu_emulate_solve_image(const void *image, wlu_stream_kind kind)
{
    return &((const emulate_image *)image)->solve[kind == WLU_STREAM_SOLVE_TRANSPOSED];
}

/* ------------------------------------------------------------------ states */

/* Numbers that loads read. */
static int64_t values_of(const wlu_program *p)
{
    return p->gather != NULL ? p->gather->nnz : p->nvalues;
}

/* Of a solve of either kind: y, x, constants, the regions' unknowns twice and as many partial results at most. */
static int64_t solve_slots(const wlu_program *p)
{
    return p->nslots - p->y + 4 * (int64_t)p->tiles.m;
}

static void free_machines(wlu_context *ctx, emulate_state *d)
{
    wlu_machine_free(ctx, &d->machine);
    for (int k = 0; k < KINDS; k++) wlu_machine_free(ctx, &d->solver[k]);
}

static void detach(wlu_context *ctx, wlu_state *state)
{
    emulate_state *d = emulated(state);
    state->device = NULL;
    if (d == NULL) return;
    free_machines(ctx, d);
    wlu_free(ctx, d->block);
    wlu_free(ctx, d);
}

warplu_status wlu_emulate_schedule(wlu_context *ctx, const void *image, wlu_state *state, const wlu_emulate_mode *mode)
{
    const emulate_image *im = image;
    emulate_state *d = emulated(state);
    free_machines(ctx, d);
    d->mode = *mode;
    return wlu_machine_create(ctx, &im->packed.program, &im->packed.block, values_of(im->program), im->single, mode,
                              &d->machine);
}

int64_t wlu_emulate_looks_in_vain(const wlu_state *state)
{
    return emulated(state)->machine->in_vain;
}

int64_t wlu_emulate_looks_of_solve(const wlu_state *state)
{
    const wlu_machine *m = emulated(state)->solver[0];
    return m != NULL ? m->in_vain : 0;
}

double *wlu_emulate_slots(const wlu_state *state, uint32_t ahead)
{
    const launched *d = &emulated(state)->factors;
    return d->state.v[(d->control.generation + ahead + 1) % 2];
}

/* v: room for as many doubles as both buffers have slots, of which slot 0 is slot `first` of the program. */
static void begin(launched *d, const wlu_program *p, int64_t first, double *v, int single, int64_t slots)
{
    d->state.slots = slots;
    d->state.scale = 1.0;
    d->state.control = &d->control;
    d->state.health = &d->health;
    for (int k = 0; k < 2; k++) {
        d->state.v[k] = v + k * slots;
        wlu_machine_poison(d->state.v[k], single, slots, p->zero - first, p->minus_one - first);
    }
}

static warplu_status attach(wlu_context *ctx, const void *image, wlu_state *state)
{
    const emulate_image *im = image;
    const wlu_program *p = im->program;
    const wlu_emulate_mode mode = wlu_emulate_in_order();
    int64_t slots = im->packed.program.slots, own = solve_slots(p), n = p->n;
    emulate_state *d = WLU_CALLOC(ctx, 1, emulate_state);
    if (d == NULL) return wlu_fail_memory(ctx, "state of the emulator");
    state->device = (struct wlu_on_device *)(void *)d;
    d->block = WLU_ALLOC(ctx, 2 * (slots + own + n) + W * (int64_t)p->tiles.count, double);
    warplu_status status = d->block != NULL ? wlu_emulate_schedule(ctx, image, state, &mode)
                                            : wlu_fail_memory(ctx, "slots of the emulator");
    if (status < 0) {
        detach(ctx, state);
        return status;
    }
    begin(&d->factors, p, 0, d->block, im->single, slots);
    begin(&d->solves, p, p->y, d->block + 2 * slots, im->single, own);
    d->b = d->block + 2 * (slots + own);
    d->x = d->b + n;
    d->factors.state.umax = d->x + n;
    d->factors.state.bound = p->guard.bound;
    d->factors.state.quality = p->guard.quality;
    d->factors.state.rounding = p->guard.rounding;
    d->factors.state.pivot_absolute = p->guard.pivot_absolute;
    return WARPLU_SUCCESS;
}

static warplu_status fetch(wlu_context *ctx, const void *image, wlu_state *state)
{
    const emulate_image *im = image;
    emulate_state *d = emulated(state);
    uint32_t generation = d->factors.health.generation;
    (void)ctx;
    if (generation == d->fetched) return WARPLU_SUCCESS;
    const void *v = d->factors.state.v[(generation - 1) % 2];
    for (int64_t k = 0; k < im->program->nslots; k++)
        state->v[k] = wlu_double_of_bits(wlu_emulated_slot(v, im->single, k));
    memcpy(state->umax, d->factors.state.umax, W * (size_t)im->program->tiles.count * sizeof *state->umax);
    d->fetched = generation;
    return WARPLU_SUCCESS;
}

/* ----------------------------------------------------------------- replays */

static void read_health(wlu_state *state, int single)
{
    const emulate_state *d = emulated(state);
    const wlu_device_health *h = &d->factors.health;
    state->health = (wlu_health){.largest_l = h->largest_l,
                                 .largest_u = h->largest_u,
                                 .growth = h->growth,
                                 .smallest_pivot = h->smallest_pivot,
                                 .drift = h->drift,
                                 .finite = h->finite,
                                 .single = single};
}

static warplu_status refactor(wlu_context *ctx, const void *image, wlu_state *state, const double *values)
{
    emulate_state *d = emulated(state);
    wlu_environment env;
    wlu_environment_enter(&env);
    d->factors.state.source = wlu_begin_refactor(((const emulate_image *)image)->program, state, values);
    warplu_status status = wlu_machine_flow(d->machine, &d->factors.state);
    if (status == WARPLU_SUCCESS) read_health(state, ((const emulate_image *)image)->single);
    wlu_environment_leave(&env);
    return status < 0 ? wlu_fail(ctx, status, "%s", d->machine->message) : status;
}

static warplu_status solve(wlu_context *ctx, const void *image, wlu_state *state, wlu_stream_kind kind, const double *b,
                           double *x, double *largest)
{
    const emulate_image *im = image;
    emulate_state *d = emulated(state);
    int k = kind == WLU_STREAM_SOLVE_TRANSPOSED;
    size_t n_bytes = (size_t)im->program->n * sizeof *b;
    warplu_status status = WARPLU_SUCCESS;
    if (d->solver[k] == NULL)
        status = wlu_machine_create_solve(ctx, &im->solve[k].solve, &im->solve[k].block, im->single, &d->mode,
                                          &d->solver[k]);
    if (status < 0) return status;
    const wlu_solve_of of = {.v = {d->factors.state.v[0], d->factors.state.v[1]},
                             .control = &d->factors.control,
                             .x = d->x,
                             .withheld = WLU_DEVICE_VOID};
    wlu_environment env;
    wlu_environment_enter(&env);
    memcpy(d->b, b, n_bytes);
    d->solves.state.source = d->b;
    status = wlu_machine_solve(d->solver[k], &d->solves.state, &of);
    memcpy(x, d->x, n_bytes);
    *largest = d->solves.health.largest_u;
    wlu_environment_leave(&env);
    return status < 0 ? wlu_fail(ctx, status, "%s", d->solver[k]->message) : status;
}

static warplu_status solve_many(wlu_context *ctx, const void *image, wlu_state *state, wlu_stream_kind kind, int count,
                                const double *b, int64_t ldb, double *x, int64_t ldx, double *largest)
{
    warplu_status status = WARPLU_SUCCESS;
    for (int k = 0; k < count && status == WARPLU_SUCCESS; k++)
        status = solve(ctx, image, state, kind, b + k * ldb, x + k * ldx, &largest[k]);
    return status;
}

static const wlu_executor *with(warplu_strategy strategy, warplu_precision precision)
{
    (void)strategy;
    return precision == WARPLU_PRECISION_DOUBLE   ? &wlu_executor_emulate
           : precision == WARPLU_PRECISION_SINGLE ? &wlu_executor_emulate_single
           : precision == WARPLU_PRECISION_MIXED  ? &wlu_executor_emulate_mixed
                                                  : NULL;
}

#define EXECUTOR(of_precision, of_load) \
    { \
        .name = "emulate", .precision = (of_precision), .cost = &wlu_cost_cuda, .available = available, \
        .load = (of_load), .load_transposed = load_transposed, .refactor = refactor, .solve = solve, \
        .solve_many = solve_many, .bytes = bytes, .destroy = destroy, .attach = attach, .detach = detach, \
        .fetch = fetch, .with = with \
    }

const wlu_executor wlu_executor_emulate = EXECUTOR(WARPLU_PRECISION_DOUBLE, load_double);
const wlu_executor wlu_executor_emulate_single = EXECUTOR(WARPLU_PRECISION_SINGLE, load_single);
