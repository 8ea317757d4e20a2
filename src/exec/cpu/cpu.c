/* The CPU executor: packed streams, tiles, SIMD kernels chosen when the image is made; refactorizations on the state's
 * team (exec/cpu/threads.c). */
#include "exec/cpu/instruction_set.h"
#include "exec/cpu/verify.h"

#include "base/environment.h"
#include "program/fuse.h"

static warplu_status available(wlu_context *ctx)
{
    (void)ctx;
    return WARPLU_SUCCESS;
}

wlu_rows_residual *wlu_residual_kernel(void)
{
    return wlu_best_kernels()->residual;
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

/* Of this kind of solve. packed: its stream. */
static warplu_status place_solve(wlu_context *ctx, const wlu_program *p, const wlu_triangular *t,
                                 const wlu_packed *packed, wlu_cpu_places *loads, wlu_cpu_places *stores)
{
    const wlu_loads *l = &t->load;
    warplu_status status = find_places(ctx, p->n, l->first, l->source, packed->unit ? NULL : l->scale, loads);
    return status < 0 ? status : find_places(ctx, p->n, p->x, t->index, t->scale, stores);
}

static void places_free(wlu_context *ctx, wlu_cpu_places *s)
{
    wlu_free(ctx, s->place);
    wlu_free(ctx, s->scale);
    *s = (wlu_cpu_places){0};
}

static void destroy(wlu_context *ctx, void **out)
{
    wlu_image *im = *out;
    if (im == NULL) return;
    wlu_packed_free(ctx, &im->dot);
    wlu_packed_free(ctx, &im->solve);
    wlu_packed_free(ctx, &im->transposed);
    places_free(ctx, &im->loads);
    places_free(ctx, &im->stores);
    places_free(ctx, &im->loads_transposed);
    places_free(ctx, &im->stores_transposed);
    wlu_free(ctx, im);
    *out = NULL;
}

static warplu_status load(wlu_context *ctx, const wlu_program *program, void **out)
{
    wlu_image *im = WLU_CALLOC(ctx, 1, wlu_image);
    *out = im;
    if (im == NULL) return wlu_fail_memory(ctx, "image of the CPU executor");
    im->program = program;
    im->kernels = wlu_best_kernels();
    warplu_status status = wlu_pack_stream(ctx, program, NULL, &im->dot);
    const wlu_triangular *solve = &program->solve;
    if (status == WARPLU_SUCCESS) status = wlu_pack_stream(ctx, program, solve, &im->solve);
    if (status == WARPLU_SUCCESS) status = place_solve(ctx, program, solve, &im->solve, &im->loads, &im->stores);
#if defined(WLU_VERIFY_PROGRAMS)
    if (status == WARPLU_SUCCESS) status = wlu_cpu_image_verify(ctx, program, im);
#endif
    if (status < 0) destroy(ctx, out);
    return status;
}

static warplu_status load_transposed(wlu_context *ctx, void *image)
{
    wlu_image *im = image;
    const wlu_triangular *t = &im->program->transposed;
    warplu_status status = wlu_pack_stream(ctx, im->program, t, &im->transposed);
    if (status == WARPLU_SUCCESS)
        status = place_solve(ctx, im->program, t, &im->transposed, &im->loads_transposed, &im->stores_transposed);
#if defined(WLU_VERIFY_PROGRAMS)
    if (status == WARPLU_SUCCESS) status = wlu_cpu_image_verify(ctx, im->program, im);
#endif
    if (status < 0) {
        wlu_packed_free(ctx, &im->transposed);
        places_free(ctx, &im->loads_transposed);
        places_free(ctx, &im->stores_transposed);
    }
    return status;
}

static warplu_status refactor(wlu_context *ctx, const void *image, wlu_state *state, const double *values)
{
    (void)ctx;
    const wlu_image *im = image;
    const wlu_program *p = im->program;
    wlu_environment env;
    wlu_environment_enter(&env);
    const double *source = wlu_begin_refactor(p, state, values);
    wlu_cpu_replay(im, state, source);
    im->kernels->guards(&im->dot, p, state, source);
    wlu_environment_leave(&env);
    return WARPLU_SUCCESS;
}

static warplu_status solve(wlu_context *ctx, const void *image, wlu_state *state, wlu_stream_kind kind, const double *b,
                           double *x, double *largest)
{
    (void)ctx;
    const wlu_image *im = image;
    const wlu_program *p = im->program;
    int transposed = kind == WLU_STREAM_SOLVE_TRANSPOSED;
    const wlu_triangular *t = transposed ? &p->transposed : &p->solve;
    wlu_environment env;
    wlu_environment_enter(&env);
    double *v = state->v;
    const wlu_packed *packed = transposed ? &im->transposed : &im->solve;
    im->kernels->load(packed, 0, 1, b, v, NULL);
    for (int32_t r = 0; r <= t->regions; r++) {
        im->kernels->stream(packed, r, r + 1, b, v, NULL);
        if (r < t->regions) im->kernels->solve_tiles(p, state, t, t->region[r]);
    }
    *largest = im->kernels->store(transposed ? &im->stores_transposed : &im->stores, v, x);
    wlu_environment_leave(&env);
    return WARPLU_SUCCESS;
}

static warplu_status solve_many(wlu_context *ctx, const void *image, wlu_state *state, wlu_stream_kind kind, int count,
                                const double *b, int64_t ldb, double *x, int64_t ldx, double *largest)
{
    (void)ctx;
    const wlu_image *im = image;
    int transposed = kind == WLU_STREAM_SOLVE_TRANSPOSED;
    wlu_columns columns = {count, b, ldb, x, ldx, largest};
    wlu_environment env;
    wlu_environment_enter(&env);
    im->kernels->solve_many(im->program, state, transposed ? &im->program->transposed : &im->program->solve,
                            transposed ? &im->loads_transposed : &im->loads,
                            transposed ? &im->stores_transposed : &im->stores, &columns);
    wlu_environment_leave(&env);
    return WARPLU_SUCCESS;
}

static int64_t places_bytes(const wlu_cpu_places *s)
{
    return s->n * (int64_t)(sizeof *s->place + (s->scale != NULL ? sizeof *s->scale : 0));
}

static int64_t bytes(const void *image, int solves)
{
    const wlu_image *im = image;
    const wlu_program *p = im->program;
    if (!solves) /* the stream and its loads in packed form */
        return wlu_program_factor_bytes(p) - wlu_stream_bytes(&p->dot) - 12 * p->load.count +
               wlu_packed_bytes(&im->dot);
    return wlu_packed_bytes(&im->solve) + wlu_packed_bytes(&im->transposed) + places_bytes(&im->loads) +
           places_bytes(&im->stores) + places_bytes(&im->loads_transposed) + places_bytes(&im->stores_transposed);
}

const wlu_executor wlu_executor_cpu = {
    .name = "cpu",
    .cost = &wlu_cost_cpu,
    .available = available,
    .load = load,
    .load_transposed = load_transposed,
    .refactor = refactor,
    .solve = solve,
    .solve_many = solve_many,
    .bytes = bytes,
    .destroy = destroy,
};
