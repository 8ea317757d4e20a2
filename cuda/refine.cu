/* Refinement of solutions by residuals in FP64, between launches of the solve. See exec/device/refine.h, whose
 * functions compute, and exec/refine.c, which is the same on the host.
 *
 *   look      r = b - A x for a trial, its errors; the last thread block of a right-hand side decides what comes next.
 *             Launches of a right-hand side that has come to its end leave at once. One that begins a solve sets r = b:
 *             what goes into FP32 is scaled by it; solves in FP64 take b itself
 *   deliver   the best x to the caller; the last thread block of all writes down the outcome of the solves
 *
 * Eight lanes take a row, and a warp four rows. A row of more than LONG entries has a warp, with eight accumulators
 * a lane. A hub's row has the whole thread block, one accumulator a thread. */
#include "exec/device/refine.h"
#include "words.cuh"

enum { THREADS = WLU_REFINE_THREADS, WARPS = THREADS / WLU_WARP, SUMS = WLU_REFINE_SUMS, ROWS = WLU_WARP / SUMS };
enum { LONG = WLU_REFINE_LONG, HUB = 2048, EACH = WLU_REFINE_LONG_SUMS / WLU_WARP };

typedef struct shared {
    wlu_row_sums sums[WLU_REFINE_LONG_SUMS];
    u64 error, largest;
    uint32_t ticket;
} shared;

/* Sums of so many lanes, in all of them. */
template <int LANES> static __device__ __forceinline__ wlu_row_sums join_lanes(wlu_row_sums s)
{
#pragma unroll
    for (int apart = LANES / 2; apart > 0; apart /= 2) {
        wlu_row_sums other = {shuffle_xor(s.product, apart), __shfl_xor_sync(~0u, s.weight, apart),
                              __shfl_xor_sync(~0u, s.norm, apart)};
        wlu_row_join(&s, &other);
    }
    return s;
}

/* Every apart-th entry of a row from `first` on; as many loads are under way as the compiler unrolls. */
static __device__ __forceinline__ wlu_row_sums sum_entries(const wlu_refine_rows &rows, const double *entries,
                                                           const double *x, int first, int end, int apart)
{
    wlu_row_sums s = wlu_row_begin();
#pragma unroll 4
    for (int k = first; k < end; k += apart)
        wlu_row_add(&s, wlu_wide_at(entries, (int64_t)__ldg(rows.source + k)),
                    wlu_wide_at(x, (int64_t)__ldg(rows.column + k)));
    return s;
}

/* A row by the whole warp. */
static __device__ __forceinline__ wlu_row_sums sum_long(const wlu_refine_rows &rows, const double *entries,
                                                        const double *x, int begin, int end, int lane)
{
    wlu_row_sums s[EACH];
#pragma unroll
    for (int j = 0; j < EACH; j++) s[j] = wlu_row_begin();
    for (int first = begin + lane; first < end; first += WLU_REFINE_LONG_SUMS)
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            int k = first + j * WLU_WARP;
            if (k < end)
                wlu_row_add(&s[j], wlu_wide_at(entries, (int64_t)__ldg(rows.source + k)),
                            wlu_wide_at(x, (int64_t)__ldg(rows.column + k)));
        }
#pragma unroll
    for (int apart = EACH / 2; apart > 0; apart /= 2)
#pragma unroll
        for (int j = 0; j < apart; j++) wlu_row_join(&s[j], &s[j + apart]);
    return join_lanes<WLU_WARP>(s[0]);
}

/* A row by the whole block: the sums are the first thread's of the shared ones. */
static __device__ __forceinline__ void sum_hub(const wlu_refine_rows &rows, const double *entries, const double *x,
                                               int begin, int end, shared &sh)
{
    int tid = (int)threadIdx.x;
    sh.sums[tid] = sum_entries(rows, entries, x, begin + tid, end, WLU_REFINE_LONG_SUMS);
    for (int apart = WLU_REFINE_LONG_SUMS / 2; apart > 0; apart /= 2) {
        __syncthreads();
        if (tid < apart) wlu_row_join(&sh.sums[tid], &sh.sums[tid + apart]);
    }
    __syncthreads();
}

/* A lane's row, which is number lane / 8 of the warp's; begin: end where there is none. Hubs' are left out. */
static __device__ __forceinline__ wlu_row_sums sum_rows(const wlu_refine_rows &rows, const double *entries,
                                                        const double *x, int begin, int end, int lane)
{
    bool is_short = end - begin <= LONG, is_long = !is_short && end - begin <= HUB;
    wlu_row_sums s = sum_entries(rows, entries, x, begin + lane % SUMS, is_short ? end : begin, SUMS);
    __syncwarp();
    s = join_lanes<SUMS>(s);
    for (unsigned left = __ballot_sync(~0u, is_long && lane % SUMS == 0); left != 0; left &= left - 1) {
        int owner = __ffs((int)left) - 1;
        int first = __shfl_sync(~0u, begin, owner), last = __shfl_sync(~0u, end, owner);
        wlu_row_sums all = sum_long(rows, entries, x, first, last, lane);
        if (lane / SUMS == owner / SUMS) s = all;
    }
    return s;
}

/* The same for hubs' among the block's rows, `first` and those that follow it: mine is where the lane's row is one. */
static __device__ __forceinline__ void sum_hubs(const wlu_refine_rows &rows, const double *entries, const double *x,
                                                int64_t first, int64_t own, shared &sh, wlu_row_sums *mine)
{
    for (int64_t i = first; i < first + WARPS * ROWS && i < rows.n; i++) {
        int begin = __ldg(rows.begin + i), end = __ldg(rows.begin + i + 1);
        if (end - begin <= HUB) continue;
        sum_hub(rows, entries, x, begin, end, sh);
        if (own == i) *mine = sh.sums[0];
        __syncthreads();
    }
}

/* Into the block's maximum. */
static __device__ __forceinline__ void raise(u64 *largest, u64 x)
{
#pragma unroll
    for (int apart = WLU_WARP / 2; apart > 0; apart /= 2) {
        u64 y = __shfl_xor_sync(~0u, x, apart);
        if (y > x) x = y;
    }
    if (threadIdx.x % WLU_WARP == 0 && x > 0) atomicMax(largest, x);
}

/* Whether this block is the last of so many to come by: all its threads get the answer. */
static __device__ __forceinline__ bool is_last(uint32_t *departures, uint32_t blocks, shared &sh)
{
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) sh.ticket = atomicAdd(departures, 1u);
    __syncthreads();
    if (sh.ticket != blocks - 1) return false;
    __threadfence();
    return true;
}

/* What blocks and earlier launches have left behind. */
static __device__ __forceinline__ wlu_refine_control read_control(const wlu_refine_control *c)
{
    wlu_refine_control now = *c;
    now.error = *(volatile const uint64_t *)&c->error;
    now.largest = *(volatile const uint64_t *)&c->largest;
    return now;
}

extern "C" __global__ void __launch_bounds__(WLU_REFINE_THREADS)
    WLU_NUMBER_NAME(wlu_refine_look)(const __grid_constant__ wlu_refine_rows rows,
                                     const __grid_constant__ wlu_device_refine f, int begins)
{
    __shared__ shared sh;
    int side = (int)blockIdx.y, lane = (int)threadIdx.x % WLU_WARP, n = rows.n;
    int64_t own = WLU_NUMBER_REALS * (int64_t)n * side;
    wlu_refine_control *c = f.control + side;
    if (!begins && *(volatile uint32_t *)&c->ended) return;
    const double *b = f.b + f.ldb * side, *x = begins ? NULL : (c->at ? f.x[0] : f.x[1]) + own;
    double *r = f.r + own, unknown = c->unknown;
    u64 error = 0, largest = 0;
    if (threadIdx.x == 0) sh.error = sh.largest = 0;
    __syncthreads();
    for (int64_t first = (int64_t)blockIdx.x * WARPS * ROWS; first < n; first += (int64_t)gridDim.x * WARPS * ROWS) {
        int64_t i = first + threadIdx.x / SUMS;
        int from = i < n && !begins ? __ldg(rows.begin + i) : 0, to = i < n && !begins ? __ldg(rows.begin + i + 1) : 0;
        wlu_row_sums sums = wlu_row_begin();
        if (!begins) sums = sum_rows(rows, f.entries, x, from, to, lane);
        if (__syncthreads_or(to - from > HUB)) sum_hubs(rows, f.entries, x, first, i, sh, &sums);
        if (i >= n || lane % SUMS != 0) continue;
        wlu_wide bi = wlu_wide_at(b, i), left = begins ? bi : WLU_WIDE_SUB(bi, sums.product);
        wlu_wide_put(r, i, left);
        largest = max(largest, (u64)wlu_refine_size(left, __ldg(rows.power + i)));
        if (!begins) error = max(error, (u64)wlu_magnitude_bits(wlu_sums_error(&sums, left, bi, unknown, n)));
    }
    __syncwarp();
    raise(&sh.error, error);
    raise(&sh.largest, largest);
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicMax((u64 *)&c->error, sh.error);
        atomicMax((u64 *)&c->largest, sh.largest);
    }
    if (!is_last(&c->departures, gridDim.x, sh) || threadIdx.x > 0) return;
    wlu_refine_control now = read_control(c);
    if (begins)
        wlu_refine_begin(&now, f.single);
    else
        wlu_refine_judge(&now, f.single, f.enough);
    now.departures = 0;
    *c = now;
}

extern "C" __global__ void __launch_bounds__(WLU_REFINE_THREADS)
    WLU_NUMBER_NAME(wlu_refine_deliver)(const __grid_constant__ wlu_device_refine f, int n)
{
    __shared__ shared sh;
    int side = (int)blockIdx.y;
    const wlu_refine_control c = f.control[side];
    const double *x = (c.at ? f.x[1] : f.x[0]) + WLU_NUMBER_REALS * (int64_t)n * side;
    double *out = f.out + f.ldx * side;
    bool withheld = f.factors->verdict >= f.withheld || !(c.best <= f.worst);
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n; i += (int64_t)gridDim.x * THREADS)
        wlu_wide_put(out, i, wlu_refine_number(&c, withheld, wlu_wide_at(x, i)));
    if (!is_last(f.departures, gridDim.x * gridDim.y, sh) || threadIdx.x > 0) return;
    wlu_refined total = *f.total;
    for (int k = 0; k < (int)gridDim.y; k++) {
        wlu_refined one = wlu_refined_none();
        wlu_refine_tell(&f.control[k], &one);
        wlu_refine_tell(&f.control[k], &total);
        f.each[k] = one;
        f.control[k] = wlu_refine_fresh(); /* for the next solve's first trial */
    }
    *f.total = total;
    *f.told = total;
    *f.departures = 0;
}
