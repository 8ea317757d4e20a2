/* The emulate executor: the program packed for a device, replayed on the CPU by the emulated device
 * (emulator/machine.h), by default in the order of the queues. For tests: every access is checked, and a replay takes
 * some twenty times as long as the CPU executor's. Never the choice of AUTO. */
#include "emulator/emulate.h"

#include "base/environment.h"
#include "exec/state.h"

#include <string.h>

enum { W = WLU_TILE_WIDTH };

typedef struct emulate_image {
    wlu_image base;
    const wlu_lanes *lanes;
    wlu_device_image stream[WLU_STREAM_KINDS]; /* A', once it is wanted */
} emulate_image;

/* What a launch works on, in host memory. */
typedef struct launched {
    wlu_device_state state;
    wlu_device_control control;
    wlu_device_health health;
} launched;

/* What a state has on the emulated device. */
typedef struct emulate_state {
    wlu_state base;
    wlu_health health; /* the base's */
    launched factors, solves;
    wlu_emulate_mode mode;
    wlu_machine *machine[WLU_STREAM_KINDS]; /* of solves made at the first one of its kind */
    double *block;
    double *b, *x;    /* n each */
    double *gathered; /* nnz: values where the pattern has duplicates */
    double *v;        /* nslots: those of the last replay, for who looks at them */
} emulate_state;

static emulate_state *emulated(const wlu_state *state)
{
    return (emulate_state *)(void *)(uintptr_t)state;
}

static const emulate_image *image_of(const emulate_state *d)
{
    return (const emulate_image *)d->base.image;
}

static warplu_status open_target(wlu_context *ctx, wlu_target *target, const wlu_cost **cost)
{
    (void)ctx;
    target->device = 0;
    target->strategy = WARPLU_STRATEGY_AUTO;
    *cost = &wlu_cost_cuda;
    return WARPLU_SUCCESS;
}

/* ------------------------------------------------------------------ images */

static void unload(wlu_context *ctx, wlu_image **out)
{
    emulate_image *im = (emulate_image *)*out;
    for (int kind = 0; kind < WLU_STREAM_KINDS; kind++) wlu_device_image_free(ctx, &im->stream[kind]);
    wlu_free(ctx, im);
    *out = NULL;
}

static warplu_status pack(wlu_context *ctx, emulate_image *im, wlu_stream_kind kind)
{
    warplu_status status = wlu_device_pack(ctx, im->base.program, kind, &im->stream[kind]);
    im->base.bytes[kind != WLU_STREAM_FACTOR] += im->stream[kind].block.bytes;
    return status;
}

static warplu_status make(wlu_context *ctx, const wlu_target *target, const wlu_program *program, wlu_image **out)
{
    emulate_image *im = WLU_CALLOC(ctx, 1, emulate_image);
    if (im == NULL) return wlu_fail_memory(ctx, "image of the emulator");
    im->base = (wlu_image){.target = *target, .program = program};
    im->lanes = wlu_lanes_of(wlu_precision_is_single(target->precision), target->doubles);
    *out = &im->base;
    warplu_status status = pack(ctx, im, WLU_STREAM_FACTOR);
    if (status == WARPLU_SUCCESS) status = pack(ctx, im, WLU_STREAM_SOLVE);
    if (status < 0) unload(ctx, out);
    return status;
}

static warplu_status load(wlu_context *ctx, const wlu_target *target, const wlu_program *program, wlu_image **out)
{
    warplu_status status = *out == NULL ? make(ctx, target, program, out) : WARPLU_SUCCESS;
    if (status < 0 || !program->has_transposed || (*out)->transposed) return status;
    status = pack(ctx, (emulate_image *)*out, WLU_STREAM_SOLVE_TRANSPOSED);
    (*out)->transposed = status == WARPLU_SUCCESS;
    return status;
}

const wlu_device_image *wlu_emulate_image(const wlu_image *image, wlu_stream_kind kind)
{
    return &((const emulate_image *)image)->stream[kind];
}

/* ------------------------------------------------------------------ states */

static void free_machines(wlu_context *ctx, emulate_state *d)
{
    for (int kind = 0; kind < WLU_STREAM_KINDS; kind++) wlu_machine_free(ctx, &d->machine[kind]);
}

static void destroy(wlu_context *ctx, wlu_state **state)
{
    emulate_state *d = emulated(*state);
    free_machines(ctx, d);
    wlu_free(ctx, d->block);
    wlu_free(ctx, d);
    *state = NULL;
}

warplu_status wlu_emulate_schedule(wlu_context *ctx, wlu_state *state, const wlu_emulate_mode *mode)
{
    emulate_state *d = emulated(state);
    const emulate_image *im = image_of(d);
    const wlu_device_image *packed = &im->stream[WLU_STREAM_FACTOR];
    free_machines(ctx, d);
    d->mode = *mode;
    return wlu_machine_create(ctx, &packed->program, &packed->block, wlu_entries_of(im->base.program), im->lanes, mode,
                              &d->machine[WLU_STREAM_FACTOR]);
}

int64_t wlu_emulate_looks_in_vain(const wlu_state *state, wlu_stream_kind kind)
{
    const wlu_machine *m = emulated(state)->machine[kind];
    return m != NULL ? m->in_vain : 0;
}

double *wlu_emulate_slots(const wlu_state *state, uint32_t ahead)
{
    const launched *d = &emulated(state)->factors;
    return d->state.v[(d->control.generation + ahead + 1) % 2];
}

/* v: room for the doubles of both buffers, as many as their numbers have; slot 0 is slot `first` of the program. */
static void begin(launched *d, const wlu_program *p, int64_t first, double *v, const wlu_lanes *lanes, int64_t slots)
{
    d->state.slots = slots;
    d->state.scale = 1.0;
    d->state.control = &d->control;
    d->state.health = &d->health;
    for (int k = 0; k < 2; k++) {
        d->state.v[k] = v + k * lanes->doubles * slots;
        wlu_machine_poison(d->state.v[k], lanes, slots, p->zero - first, p->minus_one - first);
    }
}

/* What a state works on, in one block. */
static void place(emulate_state *d)
{
    const emulate_image *im = image_of(d);
    const wlu_program *p = im->base.program;
    int64_t slots = im->stream[WLU_STREAM_FACTOR].program.slots, own = wlu_device_solve_slots(p);
    const int64_t doubles = p->doubles, n = doubles * p->n;
    begin(&d->factors, p, 0, d->block, im->lanes, slots);
    begin(&d->solves, p, p->y, d->block + 2 * doubles * slots, im->lanes, own);
    d->b = d->block + 2 * doubles * (slots + own);
    d->x = d->b + n;
    d->v = d->x + n;
    d->gathered = d->v + doubles * p->nslots;
    d->factors.state.umax = d->gathered + wlu_entries_of(p);
    d->factors.state.criteria = wlu_lu_of(p)->guard.criteria;
}

static warplu_status create(wlu_context *ctx, const wlu_image *image, int32_t count, wlu_team *team, wlu_state **state)
{
    const emulate_image *im = (const emulate_image *)image;
    const wlu_program *p = image->program;
    const wlu_emulate_mode mode = wlu_emulate_in_order();
    int64_t slots = im->stream[WLU_STREAM_FACTOR].program.slots + wlu_device_solve_slots(p);
    int64_t doubles = p->doubles * (2 * slots + 2 * (int64_t)p->n + p->nslots) + wlu_entries_of(p) +
                      W * (int64_t)wlu_lu_of(p)->tiles.count;
    (void)team;
    warplu_status status = wlu_state_single_member(ctx, image, count);
    if (status < 0) return status;
    emulate_state *d = WLU_CALLOC(ctx, 1, emulate_state);
    if (d == NULL) return wlu_fail_memory(ctx, "state of the emulator");
    d->base = (wlu_state){.image = image, .count = 1, .health = &d->health, .bytes = doubles * (int64_t)sizeof(double)};
    *state = &d->base;
    d->block = WLU_CALLOC(ctx, doubles, double);
    status =
        d->block != NULL ? wlu_emulate_schedule(ctx, *state, &mode) : wlu_fail_memory(ctx, "slots of the emulator");
    if (status == WARPLU_SUCCESS)
        place(d);
    else
        destroy(ctx, state);
    return status;
}

static warplu_status fetch(wlu_context *ctx, wlu_state *state, int32_t member, wlu_slots *out)
{
    emulate_state *d = emulated(state);
    const void *v = d->factors.state.v[(d->factors.health.generation - 1) % 2];
    (void)ctx;
    (void)member;
    for (int64_t k = 0; k < state->image->program->doubles * state->image->program->nslots; k++)
        d->v[k] = wlu_double_of_bits(wlu_emulated_word(v, image_of(d)->lanes, k));
    *out = (wlu_slots){d->v, d->factors.state.umax};
    return WARPLU_SUCCESS;
}

/* ----------------------------------------------------------------- replays */

static warplu_status refactor(wlu_context *ctx, wlu_state *state, const double *values)
{
    emulate_state *d = emulated(state);
    wlu_environment env;
    wlu_environment_enter(&env);
    d->factors.state.source = wlu_gather_values(state->image->program, values, d->gathered);
    wlu_machine *m = d->machine[WLU_STREAM_FACTOR];
    warplu_status status = wlu_machine_launch(m, &d->factors.state);
    d->health = status < 0 ? wlu_health_at_first() : wlu_device_health_read(&d->factors.health, m->lanes->single);
    wlu_environment_leave(&env);
    return status < 0 ? wlu_fail(ctx, status, "%s", m->message) : status;
}

static warplu_status solve_one(wlu_context *ctx, emulate_state *d, wlu_stream_kind kind, const double *b, double *x,
                               double *largest)
{
    const emulate_image *im = image_of(d);
    const wlu_device_image *packed = &im->stream[kind];
    wlu_machine **machine = &d->machine[kind];
    size_t n_bytes = (size_t)(im->base.program->doubles * im->base.program->n) * sizeof *b;
    warplu_status status = WARPLU_SUCCESS;
    if (*machine == NULL)
        status = wlu_machine_create_solve(ctx, &packed->solve, &packed->block, im->lanes, &d->mode, machine);
    if (status < 0) return status;
    const wlu_solve_of of = {.v = {d->factors.state.v[0], d->factors.state.v[1]},
                             .control = &d->factors.control,
                             .x = d->x,
                             .withheld = WLU_DEVICE_VOID};
    wlu_environment env;
    wlu_environment_enter(&env);
    memcpy(d->b, b, n_bytes);
    d->solves.state.source = d->b;
    status = wlu_machine_solve(*machine, &d->solves.state, &of);
    memcpy(x, d->x, n_bytes);
    *largest = d->solves.health.largest_u;
    wlu_environment_leave(&env);
    return status < 0 ? wlu_fail(ctx, status, "%s", (*machine)->message) : status;
}

static warplu_status solve(wlu_context *ctx, wlu_state *state, wlu_stream_kind kind, int nrhs, const double *b,
                           int64_t ldb, double *x, int64_t ldx, double *largest)
{
    warplu_status status = WARPLU_SUCCESS;
    for (int k = 0; k < nrhs && status == WARPLU_SUCCESS; k++)
        status = solve_one(ctx, emulated(state), kind, b + k * ldb, x + k * ldx, &largest[k]);
    return status;
}

const wlu_executor wlu_executor_emulate = {
    .name = "emulate",
    .open = open_target,
    .load = load,
    .unload = unload,
    .create = create,
    .destroy = destroy,
    .refactor = refactor,
    .solve = solve,
    .fetch = fetch,
};
