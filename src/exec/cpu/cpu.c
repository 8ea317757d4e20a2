/* The CPU executor: packed streams, tiles, SIMD kernels chosen when the image is made; refactorizations on the state's
 * team (exec/cpu/threads.c). */
#include "exec/cpu/instruction_set.h"
#include "exec/cpu/verify.h"

#include "base/environment.h"
#include "build_features.h"

static warplu_status open_target(wlu_context *ctx, wlu_target *target, const wlu_cost **cost)
{
    if (wlu_precision_is_single(target->precision))
        return wlu_fail(ctx, WARPLU_PRECISION_UNSUPPORTED, "the cpu executor does not compute in %s precision",
                        target->precision == WARPLU_PRECISION_SINGLE ? "single" : "mixed");
    target->device = 0;
    target->strategy = WARPLU_STRATEGY_AUTO;
    *cost = &wlu_cost_cpu;
    return WARPLU_SUCCESS;
}

wlu_rows_residual *wlu_residual_kernel(int doubles)
{
    return wlu_best_kernels(doubles)->residual;
}

wlu_weighed_largest *wlu_weighing_kernel(void)
{
    return wlu_best_kernels(1)->weigh;
}

wlu_sum_weighed *wlu_summing_kernel(int doubles)
{
    return wlu_best_kernels(doubles)->sum_weighed;
}

wlu_list_left *wlu_listing_kernel(int doubles)
{
    return wlu_best_kernels(doubles)->list_left;
}

wlu_look_at_rows *wlu_looking_kernel(int doubles)
{
    return wlu_best_kernels(doubles)->look_at;
}

/* Number k of the program, in slot first + k, is the caller's index[k]. scale: by k, or NULL. */
static warplu_status find_places(wlu_context *ctx, int32_t n, int64_t first, const int32_t *index, const double *scale,
                                 wlu_cpu_places *out)
{
    out->n = n;
    out->place = WLU_ALLOC(ctx, n, int32_t);
    if (scale != NULL) out->scale = WLU_ALLOC(ctx, n, double);
    if (out->place == NULL || (scale != NULL && out->scale == NULL))
        return wlu_fail_memory(ctx, "order of right-hand sides and solutions");
    for (int32_t k = 0; k < n; k++) {
        out->place[index[k]] = (int32_t)(first + k);
        if (scale != NULL) out->scale[index[k]] = scale[k];
    }
    return WARPLU_SUCCESS;
}

static void places_free(wlu_context *ctx, wlu_cpu_places *s)
{
    wlu_free(ctx, s->place);
    wlu_free(ctx, s->scale);
}

static void solve_free(wlu_context *ctx, wlu_cpu_solve *s)
{
    wlu_packed_free(ctx, &s->packed);
    places_free(ctx, &s->loads);
    places_free(ctx, &s->stores);
    *s = (wlu_cpu_solve){0};
}

static void unload(wlu_context *ctx, wlu_image **image)
{
    wlu_cpu_image *im = (wlu_cpu_image *)*image;
    wlu_packed_free(ctx, &im->dot);
    for (int k = 0; k < 2; k++) solve_free(ctx, &im->solve[k]);
    wlu_free(ctx, im);
    *image = NULL;
}

static int64_t places_bytes(const wlu_cpu_places *s)
{
    return s->n * (int64_t)(sizeof *s->place + (s->scale != NULL ? sizeof *s->scale : 0));
}

static void count_bytes(wlu_cpu_image *im)
{
    const wlu_program *p = im->base.program;
    im->base.bytes[0] = /* the stream and its loads in packed form */
        wlu_program_factor_bytes(p) - wlu_stream_bytes(&p->dot) - 12 * p->load.count + wlu_packed_bytes(&im->dot);
    im->base.bytes[1] = 0;
    for (int k = 0; k < 2; k++)
        im->base.bytes[1] += wlu_packed_bytes(&im->solve[k].packed) + places_bytes(&im->solve[k].loads) +
                             places_bytes(&im->solve[k].stores);
}

static warplu_status pack_solve(wlu_context *ctx, wlu_cpu_image *im, wlu_stream_kind kind)
{
    const wlu_program *p = im->base.program;
    const wlu_triangular *t = wlu_program_solve(p, kind);
    const wlu_loads *l = &t->load;
    wlu_cpu_solve *s = &im->solve[kind == WLU_STREAM_SOLVE_TRANSPOSED];
    warplu_status status = wlu_pack_stream(ctx, p, t, &s->packed);
    s->stage = t;
    if (status == WARPLU_SUCCESS)
        status = find_places(ctx, p->n, l->first, l->source, s->packed.unit ? NULL : l->scale, &s->loads);
    if (status == WARPLU_SUCCESS) status = find_places(ctx, p->n, p->x, t->index, t->scale, &s->stores);
#if defined(WLU_VERIFY_PROGRAMS)
    if (status == WARPLU_SUCCESS) status = wlu_cpu_image_verify(ctx, p, im);
#endif
    if (status < 0) solve_free(ctx, s);
    return status;
}

static warplu_status make(wlu_context *ctx, const wlu_target *target, const wlu_program *program, wlu_image **image)
{
    wlu_cpu_image *im = WLU_CALLOC(ctx, 1, wlu_cpu_image);
    if (im == NULL) return wlu_fail_memory(ctx, "image of the CPU executor");
    im->base.target = *target;
    im->base.program = program;
    im->kernels = wlu_best_kernels(program->doubles);
    *image = &im->base;
    warplu_status status = wlu_pack_stream(ctx, program, NULL, &im->dot);
    if (status == WARPLU_SUCCESS) status = pack_solve(ctx, im, WLU_STREAM_SOLVE);
    if (status < 0) unload(ctx, image);
    return status;
}

static warplu_status load(wlu_context *ctx, const wlu_target *target, const wlu_program *program, wlu_image **image)
{
    warplu_status status = *image == NULL ? make(ctx, target, program, image) : WARPLU_SUCCESS;
    if (status == WARPLU_SUCCESS && program->has_transposed && !(*image)->transposed) {
        status = pack_solve(ctx, (wlu_cpu_image *)*image, WLU_STREAM_SOLVE_TRANSPOSED);
        (*image)->transposed = status == WARPLU_SUCCESS;
    }
    if (*image != NULL) count_bytes((wlu_cpu_image *)*image);
    return status;
}

/* ------------------------------------------------------------------ states */

static void destroy(wlu_context *ctx, wlu_state **state)
{
    wlu_cpu_state *s = (wlu_cpu_state *)*state;
    wlu_free(ctx, s->many.block);
    wlu_free(ctx, s->block);
    wlu_free(ctx, s);
    *state = NULL;
}

static warplu_status create(wlu_context *ctx, const wlu_image *image, int32_t count, wlu_team *team, wlu_state **state)
{
    const wlu_program *p = image->program;
    int64_t parts = p->parts * (int64_t)(sizeof(wlu_part_state) / sizeof(double));
    int64_t apart = parts + wlu_host_aligned_count(p->n), doubles = wlu_host_doubles(p, apart) + WLU_HOST_ALIGN;
    warplu_status status = wlu_state_single_member(ctx, image, count);
    if (status < 0) return status;
    wlu_cpu_state *s = WLU_CALLOC(ctx, 1, wlu_cpu_state);
    if (s == NULL) return wlu_fail_memory(ctx, "state");
    double *block = WLU_ALLOC(ctx, doubles, double);
    if (block == NULL) {
        wlu_free(ctx, s);
        return wlu_fail_memory(ctx, "slots of the state");
    }
    s->base = (wlu_state){.image = image, .count = 1, .health = &s->health, .bytes = doubles * (int64_t)sizeof(double)};
    s->team = team;
    s->block = block;
    s->slots = wlu_host_place(p, apart, wlu_host_aligned(block));
    s->part = (wlu_part_state *)s->slots.apart;
    s->inverse = s->slots.apart + parts;
    *state = &s->base;
    return WARPLU_SUCCESS;
}

/* Makes the part for several right-hand sides unless it is there; 0: no memory, and nothing is said. */
static int widen(wlu_context *ctx, wlu_cpu_state *s)
{
    const wlu_program *p = s->base.image->program;
    int64_t row = WLU_MANY * (int64_t)p->doubles;
    int64_t slots = row * (p->nslots - p->y), tiled = row * wlu_lu_of(p)->tiles.m;
    int64_t count = slots + tiled + WLU_HOST_ALIGN;
    if (s->many.block != NULL) return 1;
    s->many.block = WLU_CALLOC(ctx, count, double); /* zeros: of the zero slot */
    if (s->many.block == NULL) return 0;
    s->many.v = wlu_host_aligned(s->many.block);
    s->many.x = s->many.v + slots;
    s->base.bytes += count * (int64_t)sizeof(double);
    return 1;
}

static warplu_status fetch(wlu_context *ctx, wlu_state *state, int32_t member, wlu_slots *out)
{
    const wlu_host_slots *s = &((wlu_cpu_state *)state)->slots;
    (void)ctx;
    (void)member;
    *out = (wlu_slots){s->v, s->umax};
    return WARPLU_SUCCESS;
}

/* ----------------------------------------------------------------- replays */

static warplu_status refactor(wlu_context *ctx, wlu_state *state, const double *values)
{
    wlu_cpu_state *s = (wlu_cpu_state *)state;
    const wlu_cpu_image *im = (const wlu_cpu_image *)state->image;
    const wlu_program *p = im->base.program;
    wlu_environment env;
    wlu_environment_enter(&env);
    s->health = wlu_health_at_first();
    const double *source = wlu_gather_values(p, values, s->slots.source);
    warplu_status status = wlu_cpu_replay(ctx, im, s, source);
    if (status == WARPLU_SUCCESS) im->kernels->guards(&im->dot, p, s, source);
    wlu_environment_leave(&env);
    return status;
}

/* Returns the largest magnitude of x. */
static double solve_alone(const wlu_cpu_image *im, wlu_cpu_state *s, const wlu_cpu_solve *solve, const double *b,
                          double *x)
{
    const wlu_triangular *t = solve->stage;
    im->kernels->load(&solve->packed, 0, 1, b, &s->slots, NULL);
    for (int32_t r = 0; r <= t->regions; r++) {
        im->kernels->stream(&solve->packed, r, r + 1, b, &s->slots, NULL);
        if (r < t->regions) im->kernels->solve_tiles(im->base.program, s, t, t->region[r]);
    }
    return im->kernels->store(&solve->stores, &s->slots, x);
}

static warplu_status solve(wlu_context *ctx, wlu_state *state, wlu_stream_kind kind, int nrhs, const double *b,
                           int64_t ldb, double *x, int64_t ldx, double *largest)
{
    wlu_cpu_state *s = (wlu_cpu_state *)state;
    const wlu_cpu_image *im = (const wlu_cpu_image *)state->image;
    const wlu_cpu_solve *of = &im->solve[kind == WLU_STREAM_SOLVE_TRANSPOSED];
    wlu_columns columns = {nrhs, b, ldb, x, ldx, largest};
    wlu_environment env;
    wlu_environment_enter(&env);
    if (nrhs > 1 && widen(ctx, s))
        im->kernels->solve_many(im->base.program, s, of, &columns);
    else
        for (int k = 0; k < nrhs; k++) largest[k] = solve_alone(im, s, of, b + k * ldb, x + k * ldx);
    wlu_environment_leave(&env);
    return WARPLU_SUCCESS;
}

const wlu_executor wlu_executor_cpu = {
    .name = "cpu",
    .open = open_target,
    .load = load,
    .unload = unload,
    .create = create,
    .destroy = destroy,
    .refactor = refactor,
    .solve = solve,
    .fetch = fetch,
};
