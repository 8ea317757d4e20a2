/* The reference executor: the program as it is, replayed record by record (reference.c) for one member after the
 * other, in FP64 or FP32. */
#include "base/environment.h"
#include "exec/reference/reference.h"

typedef struct reference_state {
    wlu_state base;
    const wlu_reference_replay *replay; /* of the precision */
    wlu_host_slots *slots;              /* of each member */
    double *block;
} reference_state;

static warplu_status open_target(wlu_context *ctx, wlu_target *target, const wlu_cost **cost)
{
    (void)ctx;
    target->device = 0;
    target->strategy = WARPLU_STRATEGY_AUTO;
    *cost = &wlu_cost_cpu;
    return WARPLU_SUCCESS;
}

/* ------------------------------------------------------------------ images */

static warplu_status load(wlu_context *ctx, const wlu_target *target, const wlu_program *program, wlu_image **image)
{
    if (*image == NULL) {
        *image = WLU_CALLOC(ctx, 1, wlu_image);
        if (*image == NULL) return wlu_fail_memory(ctx, "image of the reference executor");
        **image = (wlu_image){.target = *target, .program = program};
    }
    (*image)->transposed = program->has_transposed;
    (*image)->bytes[0] = wlu_program_factor_bytes(program);
    (*image)->bytes[1] = wlu_program_solve_bytes(program);
    return WARPLU_SUCCESS;
}

static void unload(wlu_context *ctx, wlu_image **image)
{
    wlu_free(ctx, *image);
    *image = NULL;
}

/* ------------------------------------------------------------------ states */

static void destroy(wlu_context *ctx, wlu_state **state)
{
    reference_state *s = (reference_state *)*state;
    wlu_free(ctx, s->block);
    wlu_free(ctx, s->slots);
    wlu_free(ctx, s->base.health);
    wlu_free(ctx, s);
    *state = NULL;
}

static const wlu_reference_replay *replay_of(const wlu_target *target)
{
    if (target->doubles > 1) return &wlu_replay_reference_complex;
    return wlu_precision_is_single(target->precision) ? &wlu_replay_reference_single : &wlu_replay_reference;
}

static warplu_status create(wlu_context *ctx, const wlu_image *image, int32_t count, wlu_team *team, wlu_state **state)
{
    int64_t doubles = wlu_host_doubles(image->program, 0), all = count * doubles + WLU_HOST_ALIGN;
    reference_state *s = WLU_CALLOC(ctx, 1, reference_state);
    (void)team;
    if (s == NULL) return wlu_fail_memory(ctx, "state");
    *state = &s->base;
    s->base.image = image;
    s->base.count = count;
    s->base.bytes = all * (int64_t)sizeof(double);
    s->replay = replay_of(&image->target);
    s->base.health = WLU_CALLOC(ctx, count, wlu_health);
    s->slots = WLU_CALLOC(ctx, count, wlu_host_slots);
    s->block = WLU_ALLOC(ctx, all, double);
    if (s->base.health == NULL || s->slots == NULL || s->block == NULL) {
        destroy(ctx, state);
        return wlu_fail_memory(ctx, "slots of the state");
    }
    for (int32_t m = 0; m < count; m++)
        s->slots[m] = wlu_host_place(image->program, 0, wlu_host_aligned(s->block) + m * doubles);
    return WARPLU_SUCCESS;
}

static warplu_status fetch(wlu_context *ctx, wlu_state *state, int32_t member, wlu_slots *out)
{
    const wlu_host_slots *s = &((reference_state *)state)->slots[member];
    (void)ctx;
    *out = (wlu_slots){s->v, s->umax};
    return WARPLU_SUCCESS;
}

/* ----------------------------------------------------------------- replays */

static warplu_status refactor(wlu_context *ctx, wlu_state *state, const double *values)
{
    const reference_state *s = (reference_state *)state;
    const wlu_program *p = state->image->program;
    wlu_environment env;
    (void)ctx;
    wlu_environment_enter(&env);
    for (int32_t m = 0; m < state->count; m++)
        s->replay->refactor(p, &s->slots[m], values + m * (int64_t)p->nvalues * p->doubles, &state->health[m]);
    wlu_environment_leave(&env);
    return WARPLU_SUCCESS;
}

static warplu_status solve(wlu_context *ctx, wlu_state *state, wlu_stream_kind kind, int nrhs, const double *b,
                           int64_t ldb, double *x, int64_t ldx, double *largest)
{
    const reference_state *s = (reference_state *)state;
    const wlu_program *p = state->image->program;
    wlu_environment env;
    (void)ctx;
    wlu_environment_enter(&env);
    for (int64_t k = 0; k < state->count * (int64_t)nrhs; k++)
        largest[k] = s->replay->solve(p, &s->slots[k / nrhs], wlu_program_solve(p, kind), b + k * ldb, x + k * ldx);
    wlu_environment_leave(&env);
    return WARPLU_SUCCESS;
}

const wlu_executor wlu_executor_reference = {
    .name = "reference",
    .open = open_target,
    .load = load,
    .unload = unload,
    .create = create,
    .destroy = destroy,
    .refactor = refactor,
    .solve = solve,
    .fetch = fetch,
};
