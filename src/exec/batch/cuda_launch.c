/* Launches for members of a batch whose numbers are on the device: into rows, refactorization, solve with its
 * refinement, out of rows, results. */
#include "exec/batch/cuda_state.h"

#include "device/kernels.h"
#include "exec/residual/refine.h"

enum { LANES = WLU_GROUP_LANES, REPLAYERS = WLU_GROUP_WARPS * WLU_WARP };

static unsigned parts(int64_t numbers, int64_t of)
{
    return (unsigned)((numbers + of - 1) / of);
}

/* A block for each group. */
static warplu_status launch(wlu_context *ctx, wlu_cu_handle kernel, const wlu_batch_task *t, int threads,
                            void **parameters, wlu_cu_handle stream)
{
    return WLU_CUDA(ctx, launch, kernel, parts(t->work.count, LANES), 1, 1, (unsigned)threads, 1, 1, 0, stream,
                    parameters, NULL);
}

static warplu_status move(wlu_context *ctx, wlu_cu_handle kernel, const wlu_batch_task *t, wlu_group_move m,
                          wlu_cu_handle stream)
{
    wlu_group_work work = t->work;
    void *parameters[] = {&m, &work};
    return WLU_CUDA(ctx, launch, kernel, parts(m.numbers, WLU_WARP), parts(work.count, LANES), 1, WLU_GROUP_MOVERS, 1,
                    1, 0, stream, parameters, NULL);
}

/* Const is what kernels of both directions share a structure for. */
static double *at(const double *numbers)
{
    return wlu_cuda_pointer(wlu_cuda_address(numbers));
}

/* Whether replays read the caller's values where they are: nobody wants them later, they are no sums of duplicates, and
 * lie one member behind the other, or side by side. */
static int read_at_once(const wlu_batch_device_state *s, const wlu_batch_task *t)
{
    int wanted = t->work.place != NULL || t->check != WLU_BATCH_UNCHECKED;
    const int64_t one = s->base.program->doubles;
    return !wanted && s->gather.entries == 0 && (t->values.by_number == one || t->values.by_member == one);
}

static warplu_status refactor(wlu_context *ctx, const wlu_batch_device_state *s, const wlu_batch_task *t,
                              wlu_cu_handle stream)
{
    wlu_group_factor factor = s->factor;
    wlu_group_work work = t->work;
    void *parameters[] = {&factor, &work};
    warplu_status status = WARPLU_SUCCESS;
    const wlu_group_move in = {.at = at(t->values.at),
                               .by_member = t->values.by_member,
                               .by_number = t->values.by_number,
                               .rows = work.entries,
                               .numbers = (int32_t)work.numbers,
                               .to_rooms = 1,
                               .first = s->gather.entries > 0 ? s->gather.first : NULL,
                               .map = s->gather.entries > 0 ? s->gather.map : NULL};
    if (read_at_once(s, t)) {
        work.values = in.at;
        work.by_member = in.by_member;
        work.by_number = in.by_number;
    } else {
        status = move(ctx, s->movers->batch_in, t, in, stream);
    }
    if (status < 0) return status;
    return launch(ctx, s->kernels->batch_refactor, t, REPLAYERS, parameters, stream);
}

/* ----------------------------------------------------------------- solves */

static warplu_status substitute(wlu_context *ctx, const wlu_batch_device_state *s, const wlu_batch_task *t,
                                wlu_group_step step, wlu_cu_handle stream)
{
    wlu_group_solve solve = s->solve[t->kind == WLU_STREAM_SOLVE_TRANSPOSED];
    wlu_group_work work = t->work;
    void *parameters[] = {&solve, &work, &step};
    return launch(ctx, s->kernels->batch_substitute, t, REPLAYERS, parameters, stream);
}

static warplu_status look(wlu_context *ctx, const wlu_batch_device_state *s, const wlu_batch_task *t,
                          wlu_group_step step, wlu_cu_handle stream)
{
    wlu_refine_rows rows = s->rows[t->kind == WLU_STREAM_SOLVE_TRANSPOSED];
    wlu_group_work work = t->work;
    void *parameters[] = {&rows, &work, &step};
    return launch(ctx, s->movers->batch_look, t, WLU_GROUP_LOOKERS, parameters, stream);
}

/* Those that have come to their end leave at once. */
static warplu_status refine(wlu_context *ctx, const wlu_batch_device_state *s, const wlu_batch_task *t,
                            wlu_cu_handle stream)
{
    wlu_group_step step = {.refines = 1, .first = t->column == 0};
    wlu_group_work work = t->work;
    void *parameters[] = {&work, &step};
    int steps = wlu_refine_steps(s->base.program, s->single);
    warplu_status status = look(ctx, s, t, step, stream);
    for (int k = 0; k <= steps && status == WARPLU_SUCCESS; k++) {
        step.residual = k > 0;
        status = substitute(ctx, s, t, step, stream);
        step.residual = 1;
        if (status == WARPLU_SUCCESS) status = look(ctx, s, t, step, stream);
    }
    return status < 0 ? status : launch(ctx, s->movers->batch_deliver, t, WLU_GROUP_LOOKERS, parameters, stream);
}

static warplu_status solve(wlu_context *ctx, const wlu_batch_device_state *s, const wlu_batch_task *t,
                           wlu_cu_handle stream)
{
    const wlu_group_step plain = {.first = t->column == 0};
    int32_t n = s->base.program->n;
    int refines = t->check != WLU_BATCH_UNCHECKED;
    const wlu_group_move in = {.at = at(t->b.at) + t->column * t->b.by_column,
                               .by_member = t->b.by_member,
                               .by_number = t->b.by_number,
                               .rows = t->work.b,
                               .numbers = n};
    const wlu_group_move out = {.at = t->x.at + t->column * t->x.by_column,
                                .by_member = t->x.by_member,
                                .by_number = t->x.by_number,
                                .rows = refines ? t->work.r : t->work.x[0],
                                .numbers = n};
    warplu_status status = move(ctx, s->movers->batch_in, t, in, stream);
    if (status == WARPLU_SUCCESS) status = refines ? refine(ctx, s, t, stream) : substitute(ctx, s, t, plain, stream);
    return status < 0 ? status : move(ctx, s->movers->batch_out, t, out, stream);
}

static warplu_status tell(wlu_context *ctx, const wlu_batch_device_state *s, const wlu_batch_task *t,
                          wlu_cu_handle stream)
{
    wlu_group_work work = t->work;
    wlu_group_result *result = t->result;
    int solved = t->x.at != NULL;
    void *parameters[] = {&work, &result, &solved};
    return wlu_cuda_launch(ctx, s->movers->batch_results, work.count, WLU_GROUP_MOVERS, parameters, stream);
}

warplu_status wlu_batch_cuda_enqueue(wlu_context *ctx, const wlu_batch_device_state *s, const wlu_batch_task *t,
                                     wlu_cu_handle stream)
{
    warplu_status status = t->values.at != NULL ? refactor(ctx, s, t, stream) : WARPLU_SUCCESS;
    if (status == WARPLU_SUCCESS && t->x.at != NULL) status = solve(ctx, s, t, stream);
    return status == WARPLU_SUCCESS && t->tells ? tell(ctx, s, t, stream) : status;
}
