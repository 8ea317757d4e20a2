/* Executors whose solutions are refined (exec/refine.h), on the host: others in FP32, which makes mixed
 * precision, or the reference in FP64, which is what solves on device pointers that are checked come to. */
#include "exec/exec.h"

#include <math.h>
#include <string.h>

#include "base/environment.h"
#include "exec/device/pack_rows.h"
#include "exec/refine.h"

enum { KINDS = 2 };

typedef struct refined_image {
    const wlu_program *program;
    const wlu_executor *inner;
    void *image;                /* of it */
    wlu_rows_image rows[KINDS]; /* A; A', once it is wanted */
} refined_image;

/* What a state has beside the other executor's. */
struct wlu_refining {
    const wlu_executor *inner;
    wlu_refine_control control;
    double *entries;          /* of the last refactorization */
    double *x[2], *r, *found; /* n each */
};

static int64_t values_of(const wlu_program *p)
{
    return p->gather != NULL ? p->gather->nnz : p->nvalues;
}

/* ------------------------------------------------------------------ images */

static void destroy(wlu_context *ctx, void **out)
{
    refined_image *im = *out;
    *out = NULL;
    if (im == NULL) return;
    if (im->image != NULL) im->inner->destroy(ctx, &im->image);
    for (int k = 0; k < KINDS; k++) wlu_rows_image_free(ctx, &im->rows[k]);
    wlu_free(ctx, im);
}

static warplu_status load(wlu_context *ctx, const wlu_program *program, const wlu_executor *inner, void **out)
{
    refined_image *im = WLU_CALLOC(ctx, 1, refined_image);
    *out = im;
    if (im == NULL) return wlu_fail_memory(ctx, "image of an executor that refines");
    im->program = program;
    im->inner = inner;
    warplu_status status = inner->load(ctx, program, &im->image);
    if (status == WARPLU_SUCCESS) status = wlu_device_pack_rows(ctx, program, WLU_STREAM_SOLVE, &im->rows[0]);
    if (status < 0) destroy(ctx, out);
    return status;
}

#define LOAD(of_inner) \
    static warplu_status load_##of_inner(wlu_context *ctx, const wlu_program *program, void **out) \
    { \
        return load(ctx, program, &wlu_executor_##of_inner, out); \
    }

LOAD(reference)
LOAD(reference_single)
LOAD(emulate_single)

static warplu_status load_transposed(wlu_context *ctx, void *image)
{
    refined_image *im = image;
    warplu_status status = WARPLU_SUCCESS;
    if (im->rows[1].block.memory == NULL)
        status = wlu_device_pack_rows(ctx, im->program, WLU_STREAM_SOLVE_TRANSPOSED, &im->rows[1]);
    return status == WARPLU_SUCCESS ? im->inner->load_transposed(ctx, im->image) : status;
}

static int64_t bytes(const void *image, int solves)
{
    const refined_image *im = image;
    int64_t inner = im->inner->bytes(im->image, solves);
    return solves ? inner + im->rows[0].block.bytes + im->rows[1].block.bytes : inner;
}

/* ------------------------------------------------------------------ states */

static void detach(wlu_context *ctx, wlu_state *state)
{
    struct wlu_refining *f = state->refining;
    state->refining = NULL;
    if (f == NULL) return;
    if (state->device != NULL) f->inner->detach(ctx, state);
    wlu_free(ctx, f->entries);
    wlu_free(ctx, f);
}

static warplu_status attach(wlu_context *ctx, const void *image, wlu_state *state)
{
    const refined_image *im = image;
    int64_t n = im->program->n, values = values_of(im->program);
    struct wlu_refining *f = WLU_CALLOC(ctx, 1, struct wlu_refining);
    if (f == NULL) return wlu_fail_memory(ctx, "state of an executor that refines");
    state->refining = f;
    f->inner = im->inner;
    f->entries = WLU_CALLOC(ctx, values + 4 * n, double);
    warplu_status status = f->entries != NULL ? WARPLU_SUCCESS : wlu_fail_memory(ctx, "residuals");
    if (status == WARPLU_SUCCESS && im->inner->attach != NULL) status = im->inner->attach(ctx, im->image, state);
    if (status < 0) {
        detach(ctx, state);
        return status;
    }
    f->x[0] = f->entries + values;
    f->x[1] = f->x[0] + n;
    f->r = f->x[1] + n;
    f->found = f->r + n;
    state->bytes += (values + 4 * n) * (int64_t)sizeof(double);
    return status;
}

static warplu_status fetch(wlu_context *ctx, const void *image, wlu_state *state)
{
    const refined_image *im = image;
    return state->device != NULL ? im->inner->fetch(ctx, im->image, state) : WARPLU_SUCCESS;
}

/* ----------------------------------------------------------------- replays */

static warplu_status refactor(wlu_context *ctx, const void *image, wlu_state *state, const double *values)
{
    const refined_image *im = image;
    const wlu_program *p = im->program;
    warplu_status status = im->inner->refactor(ctx, im->image, state, values);
    memcpy(state->refining->entries, p->gather != NULL ? state->source : values, (size_t)values_of(p) * sizeof *values);
    return status;
}

/* A correction: what the other executor finds for the residual, scaled where that is in FP32. */
static warplu_status correct(wlu_context *ctx, const refined_image *im, wlu_state *state, wlu_stream_kind kind)
{
    struct wlu_refining *f = state->refining;
    wlu_refine_control *c = &f->control;
    double *trial = f->x[1 - c->at], largest;
    int32_t n = im->program->n;
    for (int32_t i = 0; i < n; i++) f->r[i] *= c->down;
    warplu_status status = im->inner->solve(ctx, im->image, state, kind, f->r, f->found, &largest);
    c->unknown = 0.0;
    for (int32_t i = 0; i < n; i++) {
        trial[i] = wlu_refine_trial(c, f->x[c->at][i], f->found[i]);
        c->unknown = wlu_larger_bits(c->unknown, fabs(trial[i]));
    }
    return status;
}

static warplu_status refine(wlu_context *ctx, const refined_image *im, wlu_state *state, wlu_stream_kind kind,
                            const double *b)
{
    struct wlu_refining *f = state->refining;
    const wlu_device_rows *rows = &im->rows[kind == WLU_STREAM_SOLVE_TRANSPOSED].rows;
    warplu_status status = WARPLU_SUCCESS;
    int single = wlu_precision_is_single(im->inner->precision);
    f->control = (wlu_refine_control){0};
    wlu_refine_look(rows, f->entries, b, NULL, f->r, single, &f->control);
    for (int step = 0; step <= wlu_refine_steps(im->program, single) && !f->control.ended && status == WARPLU_SUCCESS;
         step++) {
        status = correct(ctx, im, state, kind);
        if (status == WARPLU_SUCCESS)
            wlu_refine_look(rows, f->entries, b, f->x[1 - f->control.at], f->r, single, &f->control);
    }
    return status;
}

/* Adds to state->refined. */
static warplu_status solve_one(wlu_context *ctx, const refined_image *im, wlu_state *state, wlu_stream_kind kind,
                               const double *b, double *x, double *largest)
{
    struct wlu_refining *f = state->refining;
    wlu_environment env;
    wlu_environment_enter(&env);
    warplu_status status = refine(ctx, im, state, kind, b);
    if (status == WARPLU_SUCCESS) {
        wlu_refine_deliver(&f->control, im->program->n, f->x, 0, x);
        wlu_refine_tell(&f->control, &state->refined);
        *largest = 0.0;
        for (int32_t i = 0; i < im->program->n; i++) *largest = wlu_larger_bits(*largest, fabs(x[i]));
    }
    wlu_environment_leave(&env);
    return status;
}

static warplu_status solve_many(wlu_context *ctx, const void *image, wlu_state *state, wlu_stream_kind kind, int count,
                                const double *b, int64_t ldb, double *x, int64_t ldx, double *largest)
{
    warplu_status status = WARPLU_SUCCESS;
    state->refined = wlu_refined_none();
    for (int k = 0; k < count && status == WARPLU_SUCCESS; k++)
        status = solve_one(ctx, image, state, kind, b + k * ldb, x + k * ldx, &largest[k]);
    return status;
}

static warplu_status solve(wlu_context *ctx, const void *image, wlu_state *state, wlu_stream_kind kind, const double *b,
                           double *x, double *largest)
{
    int64_t n = ((const refined_image *)image)->program->n;
    return solve_many(ctx, image, state, kind, 1, b, n, x, n, largest);
}

static warplu_status available(wlu_context *ctx)
{
    (void)ctx;
    return WARPLU_SUCCESS;
}

#define EXECUTOR(of_name, of_precision, of_cost, of_load) \
    { \
        .name = (of_name), .precision = (of_precision), .cost = (of_cost), .available = available, .load = (of_load), \
        .load_transposed = load_transposed, .refactor = refactor, .solve = solve, .solve_many = solve_many, \
        .bytes = bytes, .destroy = destroy, .attach = attach, .detach = detach, .fetch = fetch \
    }

const wlu_executor wlu_executor_reference_mixed =
    EXECUTOR("reference", WARPLU_PRECISION_MIXED, &wlu_cost_cpu, load_reference_single);
const wlu_executor wlu_executor_reference_refined =
    EXECUTOR("reference", WLU_DOUBLE_REFINED, &wlu_cost_cpu, load_reference);
const wlu_executor wlu_executor_emulate_mixed =
    EXECUTOR("emulate", WARPLU_PRECISION_MIXED, &wlu_cost_cuda, load_emulate_single);
