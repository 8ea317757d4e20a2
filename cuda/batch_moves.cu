/* What batches do beside replays, in doubles, real or complex: numbers of the caller into rows of members and back,
 * residuals, what members are told. See exec/device/groups.h. */
#include "exec/device/group_solves.h"

typedef unsigned long long u64;

enum {
    LANES = WLU_GROUP_LANES,
    ROWS = WLU_GROUP_MOVERS / LANES,
    WARPS = WLU_GROUP_MOVERS / WLU_WARP,
    LOOKERS = WLU_GROUP_LOOKERS / LANES
};

/* A number of a caller's. */
static __device__ __forceinline__ wlu_wide read_number(const wlu_group_move &m, int64_t member, int number)
{
    const wlu_group_source from = {m.at + member * m.by_member, m.by_number};
    if (m.map == NULL) return wlu_group_read_source(&from, number);
    int q = __ldg(m.first + number), end = __ldg(m.first + number + 1);
    wlu_wide sum = wlu_group_read_source(&from, __ldg(m.map + q));
    while (++q < end) sum = WLU_WIDE_ADD(sum, wlu_group_read_source(&from, __ldg(m.map + q)));
    return sum;
}

static __device__ __forceinline__ void write_number(double *to, wlu_wide x)
{
    wlu_wide_put(to, 0, x);
}

static __device__ __forceinline__ u64 size_bits(wlu_wide x)
{
    return wlu_bits_of_double(WLU_WIDE_SIZE(x));
}

static __device__ __forceinline__ int64_t row_of(const wlu_group_move &m, const wlu_group_work &w, int i)
{
    return wlu_group_at(m.to_rooms ? wlu_group_room(&w, i) : w.work + (int64_t)i, m.numbers);
}

/* A tile of 32 numbers of a group's members: warps read and write along a member's numbers where these are close, and
 * rows of members along them; what lies otherwise is turned in shared memory. */
typedef wlu_wide tile_of[LANES][WLU_WARP + 1];

/* Where a thread is among a member's numbers, and in rows. */
typedef struct places {
    int of_warp, warp, lane, row;
} places;

static __device__ __forceinline__ places place(void)
{
    int t = (int)threadIdx.x;
    places p = {t % WLU_WARP, t / WLU_WARP, t % LANES, t / LANES};
    return p;
}

extern "C" __global__ void __launch_bounds__(WLU_GROUP_MOVERS)
    WLU_NUMBER_NAME(wlu_batch_in)(const __grid_constant__ wlu_group_move m, const __grid_constant__ wlu_group_work w)
{
    __shared__ tile_of tile;
    const places p = place();
    int first = (int)blockIdx.x * WLU_WARP, group = (int)blockIdx.y * LANES, count = wlu_group_count(&w);
    bool turns = m.by_member != WLU_NUMBER_REALS;
    for (int k = p.warp; k < LANES && turns; k += WARPS)
        if (group + k < count && first + p.of_warp < m.numbers)
            tile[k][p.of_warp] = read_number(m, wlu_group_member(&w, group + k), first + p.of_warp);
    __syncthreads();
    if (group + p.lane >= count) return;
    wlu_wide *to = m.rows + row_of(m, w, group + p.lane);
    int64_t member = wlu_group_member(&w, group + p.lane);
    for (int k = p.row; k < WLU_WARP && first + k < m.numbers; k += ROWS)
        to[(int64_t)(first + k) * LANES] = turns ? tile[p.lane][k] : read_number(m, member, first + k);
}

extern "C" __global__ void __launch_bounds__(WLU_GROUP_MOVERS)
    WLU_NUMBER_NAME(wlu_batch_out)(const __grid_constant__ wlu_group_move m, const __grid_constant__ wlu_group_work w)
{
    __shared__ tile_of tile;
    const places p = place();
    int first = (int)blockIdx.x * WLU_WARP, group = (int)blockIdx.y * LANES, count = wlu_group_count(&w);
    bool turns = m.by_member != WLU_NUMBER_REALS;
    if (group + p.lane < count) {
        const wlu_wide *from = m.rows + row_of(m, w, group + p.lane);
        double *to = m.at + wlu_group_member(&w, group + p.lane) * m.by_member;
        for (int k = p.row; k < WLU_WARP && first + k < m.numbers; k += ROWS) {
            wlu_wide x = from[(int64_t)(first + k) * LANES];
            if (turns)
                tile[p.lane][k] = x;
            else
                write_number(to + (first + k) * m.by_number, x);
        }
    }
    __syncthreads();
    for (int k = p.warp; k < LANES && turns; k += WARPS)
        if (group + k < count && first + p.of_warp < m.numbers)
            write_number(m.at + wlu_group_member(&w, group + k) * m.by_member + (first + p.of_warp) * m.by_number,
                         tile[k][p.of_warp]);
}

/* ------------------------------------------------------------- refinement */

typedef struct shared {
    u64 error[LANES], largest[LANES];
} shared;

static __device__ __forceinline__ void begin(shared &sh)
{
    if (threadIdx.x < LANES) sh.error[threadIdx.x] = sh.largest[threadIdx.x] = 0;
    __syncthreads();
}

/* Before the first trial, or after one: a warp a row. */
extern "C" __global__ void __launch_bounds__(WLU_GROUP_LOOKERS)
    WLU_NUMBER_NAME(wlu_batch_look)(const __grid_constant__ wlu_refine_rows rows,
                                    const __grid_constant__ wlu_group_work w,
                                    const __grid_constant__ wlu_group_step step)
{
    __shared__ shared sh;
    int lane = (int)threadIdx.x % LANES, row = (int)threadIdx.x / LANES, i = (int)blockIdx.x * LANES + lane;
    int64_t own = w.work + (int64_t)i, at = wlu_group_at(own, w.n);
    wlu_refine_control c = wlu_refine_fresh();
    int count = wlu_group_count(&w);
    if ((int)blockIdx.x * LANES >= count) return;
    bool works = !step.residual || !w.side[own].control.ended;
    if (!__syncthreads_or(works)) return;
    if (step.residual) c = w.side[own].control;
    const wlu_wide *entries = w.entries + wlu_group_at(wlu_group_room(&w, i), w.numbers), *b = w.b + at;
    const wlu_wide *x = w.x[c.at ? 0 : 1] + at;
    uint64_t error = 0, largest = 0;
    begin(sh);
    for (int k = row; k < rows.n && works && i < count; k += LOOKERS) {
        if (step.residual)
            w.r[at + (int64_t)k * LANES] = wlu_group_residual(&rows, entries, b, x, k, c.unknown, &error, &largest);
        else
            largest = max(largest, wlu_refine_size(b[(int64_t)k * LANES], rows.power[k]));
    }
    atomicMax(&sh.error[lane], (u64)error);
    atomicMax(&sh.largest[lane], (u64)largest);
    __syncthreads();
    if (row > 0 || !works) return;
    if (!step.residual) {
        w.side[own] = wlu_group_begin(&w, i, sh.largest[lane]);
        return;
    }
    c.error = sh.error[lane];
    c.largest = sh.largest[lane];
    wlu_refine_judge(&c, w.single, wlu_refine_enough_of_member(w.single));
    w.side[own].control = c;
}

/* The best of each lane to r, and what has come of it. */
extern "C" __global__ void __launch_bounds__(WLU_GROUP_LOOKERS)
    WLU_NUMBER_NAME(wlu_batch_deliver)(const __grid_constant__ wlu_group_work w,
                                       const __grid_constant__ wlu_group_step step)
{
    __shared__ shared sh;
    int lane = (int)threadIdx.x % LANES, row = (int)threadIdx.x / LANES;
    int64_t own = w.work + (int64_t)blockIdx.x * LANES + lane, at = wlu_group_at(own, w.n);
    if ((int)blockIdx.x * LANES >= wlu_group_count(&w)) return;
    const wlu_group_side side = w.side[own];
    u64 largest = 0, of_b = 0;
    begin(sh);
    for (int k = row; k < w.n; k += LOOKERS) {
        wlu_wide x = wlu_group_number(&w, &side, at + (int64_t)k * LANES);
        w.r[at + (int64_t)k * LANES] = x;
        largest = max(largest, size_bits(x));
        of_b = max(of_b, size_bits(w.b[at + (int64_t)k * LANES]));
    }
    atomicMax(&sh.largest[lane], largest);
    atomicMax(&sh.error[lane], of_b);
    __syncthreads();
    if (row > 0) return;
    wlu_group_outcome o = step.first ? wlu_group_no_outcome() : w.outcome[own];
    wlu_group_tell(&o, sh.largest[lane], sh.error[lane] == 0);
    if (!side.plain) wlu_refine_tell(&side.control, &o.refined);
    w.outcome[own] = o;
}

/* What members are told. solved: there was a solve. */
extern "C" __global__ void __launch_bounds__(WLU_GROUP_MOVERS)
    WLU_NUMBER_NAME(wlu_batch_results)(const __grid_constant__ wlu_group_work w, wlu_group_result *result, int solved)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < wlu_group_count(&w)) result[wlu_group_member(&w, i)] = wlu_group_result_of(&w, i, solved);
}
