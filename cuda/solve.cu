/* Solves: one launch for forward and back substitution. Blocks take tasks from one queue, by tickets, in topological
 * order: bundles of the DOT stream; what pivots pull from tiles of other tile paths; tile paths.
 *
 * With refinement a solve is one correction of several, or none (exec/device/refine.h): it takes residuals, and leaves
 * trials.
 *
 * Half of the blocks poison the other buffer before their first task, the others what is left of it when there are no
 * more. */
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

/* The right-hand side's refinement; NULL where there is none. */
static __device__ __forceinline__ wlu_refine_control *refinement_of(const wlu_solve_of &of)
{
    return of.refine != NULL ? of.refine + blockIdx.y : NULL;
}

static __device__ __forceinline__ void store(const wlu_device_solve &d, const wlu_device_state &s,
                                             const wlu_solve_of &of, bool withheld, double *to, const wlu_number *own,
                                             const wlu_bundle &b, int lane, wlu_maxima &m)
{
    const wlu_refine_control *c = refinement_of(of);
    const double *before =
        c != NULL ? (c->at ? of.trial[1] : of.trial[0]) + WLU_NUMBER_REALS * (int64_t)d.n * blockIdx.y : NULL;
    for (int k = b.first + lane; k < b.first + b.steps; k += WLU_WARP) {
        const wlu_number *at = own + d.x + k;
        int64_t index = __ldg(d.index + k);
        wlu_wide x = wlu_lane_store(number(wait(s, at)), __ldg(d.power + k));
        if (c != NULL) x = wlu_refine_trial(c, wlu_wide_at(before, index), x);
        if (withheld) x = wlu_wide_withheld();
        wlu_wide_put(to, index, x);
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
    if (refinement_of(of) != NULL) s.scale = refinement_of(of)->down;
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

template <bool EARLY>
static __device__ __forceinline__ void solve(const wlu_device_solve &d, const wlu_device_state &all,
                                             const wlu_solve_of &of)
{
    extern __shared__ __align__(16) char room[];
    __shared__ tile_shared sh;
    __shared__ uint32_t ticket;
    int tid = (int)threadIdx.x, lane = tid % WLU_WARP;
    wlu_refine_control *refine = refinement_of(of);
    if (refine != NULL && refine->ended) {
        if (EARLY) wait_for_kernel_before(); /* or what comes behind this one would not */
        return;
    }
    const wlu_device_state s = slice_of(all, of, (int)blockIdx.y);
    double *x = refine != NULL ? (refine->at ? of.trial[0] : of.trial[1]) + WLU_NUMBER_REALS * (int64_t)d.n * blockIdx.y
                               : of.x + of.ldx * blockIdx.y;
    wlu_maxima m;
    if (tid == 0) sh.ticket = atomicAdd(&s.control->arrivals, 1u);
    begin_maxima(sh, m);
    uint32_t arrival = sh.ticket, generation = *(volatile uint32_t *)&s.control->generation;
    uint32_t begun = *(volatile const uint32_t *)&of.control->begun;
    wlu_number *factors = begun & 1 ? of.v[0] : of.v[1], *own = generation & 1 ? s.v[1] : s.v[0];
    wlu_number *other = generation & 1 ? s.v[0] : s.v[1];
    two_buffers slots;
    slots.factors = factors;
    slots.own = own - d.split;
    slots.split = d.split;
    if (arrival >= gridDim.x / 2) poison(s, other, d.zero, d.minus_one, sh, tid);
    for (;;) {
        __syncthreads();
        if (tid == 0) sh.ticket = atomicAdd(&s.control->tiles, 1u);
        __syncthreads();
        if (sh.ticket >= (uint32_t)d.tasks) break;
        const int4 raw = __ldg((const int4 *)(d.task + sh.ticket));
        wlu_solve_task task;
        memcpy(&task, &raw, sizeof task);
        WLU_TRACE(sh.ticket, 0);
        WLU_DELAY(sh.ticket);
        if (task.kind == WLU_TASK_STREAM)
            run_task(d.stream, s, slots, task, *(narrow_shared *)room, &ticket, tid, m, [&](const wlu_bundle &b) {
                store(d, s, of, is_withheld<EARLY>(s, of, begun), x, own, b, lane, m);
            });
        else if (task.kind == WLU_TASK_PULLS_FORWARD || task.kind == WLU_TASK_PULLS_BACK)
            run_pulls<EARLY>(d, s, factors, own, task, task.kind == WLU_TASK_PULLS_FORWARD, tid);
        else if (task.kind == WLU_TASK_TILE_PATH_FORWARD)
            run_tile_path<EARLY>(d, s, factors, own, task, 1, *(path_shared *)room, tid);
        else
            run_tile_path<EARLY>(d, s, factors, own, task, 0, *(path_shared *)room, tid);
        WLU_TRACE(sh.ticket, 1);
    }
    poison(s, other, d.zero, d.minus_one, sh, tid);
    __syncwarp();
    if (!leave(s, sh, m)) return;
    if (refine != NULL && tid == 0) refine->unknown = number(*(volatile u64 *)&s.control->largest.of[WLU_AREA_U]);
    conclude_solve(s);
}

extern "C" __global__ void __launch_bounds__(WLU_TILE_THREADS)
    WLU_NUMBER_NAME(wlu_solve)(const __grid_constant__ wlu_device_solve d, const __grid_constant__ wlu_device_state all,
                               const __grid_constant__ wlu_solve_of of)
{
    solve<false>(d, all, of);
}

/* As a dependent launch behind the factorization: it begins when there is room, and polls factors as all else. */
extern "C" __global__ void __launch_bounds__(WLU_TILE_THREADS)
    WLU_NUMBER_NAME(wlu_solve_early)(const __grid_constant__ wlu_device_solve d,
                                     const __grid_constant__ wlu_device_state all,
                                     const __grid_constant__ wlu_solve_of of)
{
    solve<true>(d, all, of);
}
