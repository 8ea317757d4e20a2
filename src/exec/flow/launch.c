/* Launches of the executor `flow`: one for a refactorization, one for up to WLU_MANY right-hand sides, side by side,
 * with refinement or without. A state has two buffers of solve slots for each of them; both kinds of solve take turns
 * on the same buffers. */
#include "exec/flow/launch.h"

#include "exec/device/copies.h"
#include "exec/device/replays.h"
#include "exec/flow/refine.h"

enum { BLOCKS_MOST = 2 };

/* Grid and shared memory of launches; slots. */
static warplu_status shape(wlu_context *ctx, wlu_resident_image *of)
{
    wlu_flow_image *im = (wlu_flow_image *)of;
    const wlu_device_program *p = &of->stream[WLU_STREAM_FACTOR].program;
    int blocks = 0;
    int64_t panel = WLU_PANEL_BYTES(of->slot_bytes, p->panel_rows);
    int64_t ring = WLU_TILE_RING_BYTES(of->slot_bytes), whole = ring + panel;
    int apart = whole > of->kernels->shared_bytes;
    im->shared_bytes = (unsigned)(p->tiles == 0 ? 0 : apart ? ring : whole);
    warplu_status status =
        WLU_CUDA(ctx, occupancy, &blocks, of->kernels->flow, WLU_TILE_THREADS, (size_t)im->shared_bytes);
    if (status == WARPLU_SUCCESS && blocks < 1)
        status = wlu_fail(ctx, WARPLU_DEVICE_FAILED, "a block of the kernel does not fit into a multiprocessor");
    if (blocks > BLOCKS_MOST) blocks = BLOCKS_MOST;
    im->grid = (unsigned)(of->device->multiprocessors * blocks);
    of->buffers = 2;
    of->slots = p->slots;
    of->tiles = p->tiles;
    of->solve_slots = wlu_cuda_aligned(of->slot_bytes * wlu_device_solve_slots(of->base.program)) / of->slot_bytes;
    of->panels_bytes = apart ? (int64_t)im->grid * panel : 0;
    of->gather = p->gather;
    return status;
}

/* Poison everywhere but in constants. Buffers follow each other. */
static warplu_status begin(wlu_context *ctx, wlu_resident *d)
{
    const wlu_resident_image *im = wlu_resident_image_of(d);
    const wlu_device_state *solves = &d->solves.state;
    warplu_status status = wlu_cuda_poison(ctx, im, d->state.v[0], wlu_cuda_aligned(im->slot_bytes * im->slots),
                                           im->buffers, 0, d->stream);
    if (status < 0) return status;
    return wlu_cuda_poison(ctx, im, solves->v[0], im->slot_bytes * solves->slots, 2 * (int64_t)d->solves.sides,
                           im->base.program->y, d->stream);
}

static warplu_status attach(wlu_context *ctx, wlu_resident *d)
{
    return wlu_flow_attach_refine(ctx, (wlu_flow_state *)d);
}

static void detach(wlu_resident *d)
{
    wlu_flow_detach_refine((wlu_flow_state *)d);
}

static warplu_status refactor(wlu_context *ctx, wlu_resident *d, const double *source, wlu_cu_handle stream)
{
    const wlu_flow_image *im = wlu_flow_image_of(d);
    wlu_device_program program = im->of.stream[WLU_STREAM_FACTOR].program;
    wlu_device_state state = d->state;
    void *parameters[] = {&program, &state};
    state.source = source;
    return WLU_CUDA(ctx, launch, im->of.kernels->flow, im->grid, 1, 1, WLU_TILE_THREADS, 1, 1, im->shared_bytes, stream,
                    parameters, NULL);
}

/* A kernel of solves, how many of its blocks a multiprocessor holds; early: directly behind the factorization, and
 * before its end. With anything else between them it could begin before what comes before that. */
typedef struct solve_kernel {
    wlu_cu_handle kernel;
    int blocks, early;
} solve_kernel;

/* behind: a factorization; early where that can be. */
static solve_kernel kernel_of(const wlu_cuda_kernels *k, int refines, int behind)
{
    int blocks = refines ? k->refine_early_blocks : k->early_blocks;
    if (behind && blocks > 0) return (solve_kernel){refines ? k->refine_early : k->early, blocks, 1};
    if (refines) return (solve_kernel){k->refine, k->refine_blocks, 0};
    return (solve_kernel){k->solve, k->solve_blocks, 0};
}

static warplu_status launch_kernel(wlu_context *ctx, const wlu_resident_image *im, int refines, int behind,
                                   unsigned sides, void **parameters, wlu_cu_handle stream)
{
    wlu_cu_launch_attribute attribute = {.id = WLU_CU_LAUNCH_BEHIND, .of.value = 1};
    const solve_kernel k = kernel_of(im->kernels, refines, behind);
    unsigned blocks = (unsigned)(im->device->multiprocessors * k.blocks), room = (unsigned)im->kernels->solve_bytes;
    wlu_cu_launch how = {blocks, sides, 1, WLU_TILE_THREADS, 1, 1, room, stream, &attribute, 1};
    if (k.early) return WLU_CUDA(ctx, launch_with, &how, k.kernel, parameters, NULL);
    return WLU_CUDA(ctx, launch, k.kernel, blocks, sides, 1, WLU_TILE_THREADS, 1, 1, room, stream, parameters, NULL);
}

/* f: the right-hand sides' refinement, or NULL. residual: the first solve is for f's, not for a's right-hand sides. */
static warplu_status launch(wlu_context *ctx, const wlu_resident *d, const wlu_async_solve *a,
                            const wlu_device_refine *f, int residual, int behind, wlu_cu_handle stream)
{
    const wlu_flow_image *im = wlu_flow_image_of(d);
    wlu_device_solve solve = im->of.stream[a->kind].solve;
    wlu_device_state state = d->solves.state;
    wlu_refine_rows rows = im->of.rows[a->kind].rows;
    wlu_device_refine refine = {0};
    wlu_solve_of of = {.v = {d->state.v[0], d->state.v[1]},
                       .control = d->state.control,
                       .x = a->x,
                       .ldb = a->ldb,
                       .ldx = a->ldx,
                       .withheld = a->withhold ? WLU_WEAK : WLU_DEVICE_VOID};
    void *parameters[] = {&solve, &state, &of, &rows, &refine};
    state.source = a->b;
    if (residual) {
        state.source = f->r;
        of.ldb = wlu_resident_vector(d);
    }
    if (f != NULL) {
        refine = *f;
        of.refine = f->control;
        for (int k = 0; k < 2; k++) of.trial[k] = f->x[k];
    }
    return launch_kernel(ctx, &im->of, f != NULL, behind, (unsigned)a->nrhs, parameters, stream);
}

/* A factorization whose values residuals read: where they are the caller's, what comes behind it keeps them. */
static warplu_status refactor_before(wlu_context *ctx, wlu_resident *d, const double *values, wlu_device_refine *f,
                                     wlu_cu_handle stream)
{
    const wlu_resident_image *im = wlu_resident_image_of(d);
    if (im->gather.entries > 0) return wlu_resident_enqueue_refactor(ctx, d, values, stream);
    f->entries = values;
    f->kept = wlu_cuda_pointer(wlu_cuda_address(d->state.source));
    f->keeps = wlu_entries_of(im->base.program);
    d->elsewhere |= stream != d->stream;
    return refactor(ctx, d, values, stream);
}

/* With refinement. values: of a factorization before the first solution; or NULL. */
static warplu_status refine(wlu_context *ctx, wlu_flow_state *state, const double *values, const wlu_async_solve *a,
                            wlu_cu_handle stream)
{
    wlu_resident *d = &state->of;
    wlu_device_refine f = wlu_flow_refine_of(state, a);
    int fresh = state->refine.fresh, begins = f.single || fresh < a->nrhs;
    warplu_status status = WARPLU_SUCCESS;
    if (begins) status = wlu_flow_begin_refine(ctx, wlu_flow_image_of(d), &f, a, stream);
    state->refine.fresh = 0;
    if (status == WARPLU_SUCCESS && values != NULL) status = refactor_before(ctx, d, values, &f, stream);
    if (status == WARPLU_SUCCESS) status = launch(ctx, d, a, &f, begins, values != NULL, stream);
    if (status == WARPLU_SUCCESS) state->refine.fresh = fresh > a->nrhs ? fresh : a->nrhs;
    return status;
}

static warplu_status solve(wlu_context *ctx, wlu_resident *d, const double *values, const wlu_async_solve *a,
                           int refines, wlu_cu_handle stream)
{
    wlu_async_solve share = *a;
    if (refines) return refine(ctx, (wlu_flow_state *)d, values, a, stream);
    warplu_status status = wlu_resident_put_aside(ctx, d, &share, stream);
    if (status == WARPLU_SUCCESS && values != NULL) status = wlu_resident_enqueue_refactor(ctx, d, values, stream);
    return status == WARPLU_SUCCESS ? launch(ctx, d, &share, NULL, 0, values != NULL, stream) : status;
}

const wlu_residence wlu_flow_residence = {sizeof(wlu_flow_image),
                                          sizeof(wlu_flow_state),
                                          1u << WLU_CUDA_FLOW | 1u << WLU_CUDA_SOLVE,
                                          wlu_device_pack,
                                          shape,
                                          begin,
                                          attach,
                                          detach,
                                          refactor,
                                          solve};
