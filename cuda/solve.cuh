/* What a block does for a solve's tasks: bundles of the DOT stream; what pivots pull from tiles of other tile paths;
 * tile paths. For kernels that solve once (solve.cu), and that refine what they solve (refine.cu). */
#ifndef WLU_SOLVE_CUH
#define WLU_SOLVE_CUH

#include "exec/device/refine.h"
#include "health.cuh"
#include "narrow.cuh"
#include "tile_path.cuh"

/* A row of eight factors; EARLY: before all are there. */
template <bool EARLY>
static __device__ __forceinline__ void read_factors(const wlu_device_state &s, const wlu_number *l, wlu_number *row)
{
    const wlu_number *at[W];
    slot_bits x[W];
#pragma unroll
    for (int c = 0; c < W; c += PIECE) {
        slot_piece some = EARLY ? slot_piece() : *(const slot_piece *)(l + c);
#pragma unroll
        for (int q = 0; q < PIECE; q++) {
            row[c + q] = some.of[q];
            at[c + q] = l + c + q;
        }
        if (EARLY) peek_piece(l + c, x + c);
    }
    if (!EARLY) return;
    wait_all<W>(s, at, x);
#pragma unroll
    for (int c = 0; c < W; c++) row[c] = number(x[c]);
}

/* A warp subtracts what a pivot takes, 32 rows at a time, each as soon as it and all before it are there. Who waits
 * polls one number, of the row whose turn is next: most tiles wait for the same one, and requests for one place are
 * served in turn. */
template <bool EARLY>
static __device__ __forceinline__ wlu_number subtract(const wlu_device_state &s, const wlu_solve_pull *pull, int begin,
                                                      int end, const wlu_number *factors, const wlu_number *unknowns,
                                                      int lane, wlu_number acc)
{
    for (int first = begin; first < end; first += WLU_WARP) {
        int count = min(end - first, (int)WLU_WARP), done = 0, computed = 0;
        wlu_number row[W], sum = wlu_zero();
        const wlu_number *at = unknowns, *from = unknowns;
        slot_bits x[W];
        int width = 0;
#pragma unroll
        for (int c = 0; c < W; c++) x[c] = no_bits();
        if (lane < count) {
            const wlu_solve_pull *mine = pull + first + lane;
            const wlu_number *l = factors + __ldg(&mine->row);
            at = unknowns + __ldg(&mine->first);
            width = __ldg(&mine->width);
#pragma unroll
            for (int c = 0; c < W; c++)
                if (c < width) x[c] = peek(at + c);
            read_factors<EARLY>(s, l, row);
        }
        for (uint32_t polls = 0; done < count; polls++) {
            bool missing = all_there(x) == 0;
            if (!missing && !computed && lane < count) {
                wlu_number y[W];
#pragma unroll
                for (int c = 0; c < W; c++) y[c] = number(x[c]);
                sum = wlu_lane_products(row, y);
                computed = 1;
            }
            unsigned there = __ballot_sync(~0u, !missing);
            while (done < count && there >> done & 1) {
                acc = wlu_lane_subtract(acc, shuffle(sum, done));
                done++;
            }
            if (done == count) break;
            bool end_now = (polls & 255) == 255 && give_up(s, polls), come = false;
            if (lane == done && !end_now) {
#pragma unroll
                for (int c = W - 1; c >= 0; c--)
                    if (unlike_poison(x[c]) == 0) from = at + c;
                come = unlike_poison(peek(from)) != 0;
            }
            if (!__any_sync(~0u, come || end_now)) continue;
#pragma unroll
            for (int c = 0; c < W; c++)
                if (unlike_poison(x[c]) == 0) x[c] = end_now ? given_up() : peek(at + c);
        }
    }
    return acc;
}

/* Pivots take what tiles of other tile paths have for them, a warp each. */
template <bool EARLY>
static __device__ __forceinline__ void run_pulls(const wlu_device_solve &d, const wlu_device_state &s,
                                                 const wlu_number *factors, wlu_number *own, const wlu_solve_task &task,
                                                 int forward, int tid)
{
    int warp = tid / WLU_WARP, lane = tid % WLU_WARP, at = task.first + warp;
    if (warp >= task.count) return;
    const int32_t *ends = (forward ? d.forward : d.back) + at;
    int begin = __ldg(ends), end = __ldg(ends + 1);
    if (begin == end) return;
    wlu_number *z = own + d.z, *unknowns = forward ? z : z + d.tiled;
    const wlu_number *start = forward ? own + __ldg(d.tile_y + at) : z + at;
    wlu_number left = subtract<EARLY>(s, d.pull, begin, end, factors, unknowns, lane, number(wait(s, start)));
    if (lane == 0) publish(own + __ldg(d.start + (forward ? 0 : d.tiled) + at), left);
}

/* Where a solution goes: to x, for each number what the solve finds; with refinement (control not NULL) that and what
 * it was before. */
typedef struct solve_target {
    const wlu_refine_control *control;
    const double *before;
    double *x;
} solve_target;

static __device__ __forceinline__ void store(const wlu_device_solve &d, const wlu_device_state &s,
                                             const solve_target &to, bool withheld, const wlu_number *own,
                                             const wlu_bundle &b, int lane, wlu_maxima &m)
{
    for (int k = b.first + lane; k < b.first + b.steps; k += WLU_WARP) {
        const wlu_number *at = own + d.x + k;
        int64_t index = __ldg(d.index + k);
        wlu_wide x = wlu_lane_store(number(wait(s, at)), __ldg(d.power + k));
        if (to.control != NULL) x = wlu_refine_trial(to.control, wlu_wide_at(to.before, index), x);
        if (withheld) x = wlu_wide_withheld();
        wlu_wide_put(to.x, index, x);
        maxima_add(m, WLU_AREA_U, wlu_bits_of_double(WLU_WIDE_SIZE(x)));
    }
}

/* Whether the solution is to be NaN: what the factorization has come to. An early solve waits for its end, and makes
 * sure that it has solved with this one. */
template <bool EARLY>
static __device__ __forceinline__ bool is_withheld(const wlu_device_state &s, const wlu_solve_of &of, uint32_t begun)
{
    if (EARLY) wait_for_kernel_before();
    volatile const wlu_device_control *c = of.control;
    if (!EARLY || c->generation == begun) return c->verdict >= of.withheld;
    atomicExch(&s.control->failed, 1u);
    return true;
}

/* The state of one of several right-hand sides. */
static __device__ __forceinline__ wlu_device_state slice_of(const wlu_device_state &all, const wlu_solve_of &of, int k)
{
    wlu_device_state s = all;
    s.v[0] += s.slots * k;
    s.v[1] += s.slots * k;
    s.source += of.ldb * k;
    s.control += k;
    s.health += k;
    return s;
}

/* A task's bundles, by its warps. */
template <class others>
static __device__ __forceinline__ void
run_task(const wlu_device_stream &stream, const wlu_device_state &s, const two_buffers &slots,
         const wlu_solve_task &task, narrow_shared &room, uint32_t *ticket, int tid, wlu_maxima &m, const others &other)
{
    if (task.places > 0) {
        run_narrow(stream, s, slots, task, room, tid);
        return;
    }
    if (tid == 0) *ticket = 0;
    __syncthreads();
    run_bundles(stream, s, slots, ticket, task.first, (uint32_t)task.count, tid % WLU_WARP, m, other);
}

/* The solve's own buffer of slots, behind those of the factorization that it reads. */
static __device__ __forceinline__ two_buffers buffers_of(const wlu_device_solve &d, wlu_number *factors,
                                                         wlu_number *own)
{
    two_buffers slots;
    slots.factors = factors;
    slots.own = own - d.split;
    slots.split = d.split;
    return slots;
}

/* One task by the whole block. begun: of the replay whose factors these are. */
template <bool EARLY>
static __device__ __forceinline__ void
run_solve_task(const wlu_device_solve &d, const wlu_device_state &s, const wlu_solve_of &of, const two_buffers &slots,
               uint32_t begun, uint32_t number, const solve_target &to, char *room, uint32_t *ticket, wlu_maxima &m)
{
    int tid = (int)threadIdx.x, lane = tid % WLU_WARP;
    wlu_number *factors = slots.factors, *own = slots.own + d.split;
    const int4 raw = __ldg((const int4 *)(d.task + number));
    wlu_solve_task task;
    memcpy(&task, &raw, sizeof task);
    WLU_TRACE(number, 0);
    WLU_DELAY(number);
    if (task.kind == WLU_TASK_STREAM)
        run_task(d.stream, s, slots, task, *(narrow_shared *)room, ticket, tid, m,
                 [&](const wlu_bundle &b) { store(d, s, to, is_withheld<EARLY>(s, of, begun), own, b, lane, m); });
    else if (task.kind == WLU_TASK_PULLS_FORWARD || task.kind == WLU_TASK_PULLS_BACK)
        run_pulls<EARLY>(d, s, factors, own, task, task.kind == WLU_TASK_PULLS_FORWARD, tid);
    else if (task.kind == WLU_TASK_TILE_PATH_FORWARD)
        run_tile_path<EARLY>(d, s, factors, own, task, 1, *(path_shared *)room, tid);
    else
        run_tile_path<EARLY>(d, s, factors, own, task, 0, *(path_shared *)room, tid);
    WLU_TRACE(number, 1);
}

#endif
