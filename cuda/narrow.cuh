/* Runs of narrow levels: one warp computes bundle after bundle, so that results reach the next one through its own shared
 * memory, with nothing to poll; the block's other warps fetch what bundles need, a bundle each, some bundles ahead.
 *
 * A stage says where each lane finds its operands in shared memory: among the results of the run, or in the stage itself, where
 * what comes from elsewhere was put. */
#ifndef WLU_NARROW_CUH
#define WLU_NARROW_CUH

#include "launch.cuh"

enum { FETCHERS = WLU_TILE_THREADS / WLU_WARP - 1, STEPS = WLU_RUN_STEPS };

/* A bundle on its way; a lane's numbers lie side by side with its neighbours'. */
typedef struct narrow_stage {
    double factor[STEPS][WLU_WARP], other[STEPS][WLU_WARP];
    unsigned operand[STEPS][WLU_WARP]; /* address of the other operand in shared memory */
    double start[WLU_WARP], scale[WLU_WARP];
    unsigned from[WLU_WARP], to[WLU_WARP]; /* addresses of the start and of the result's place; no place: 0 */
    double *slot[WLU_WARP];                /* the result's */
    int steps, is_long;
    uint32_t full; /* bundles of this stage that have been put in */
} narrow_stage;

typedef struct narrow_shared {
    narrow_stage stage[FETCHERS];
    uint32_t done; /* bundles */
    double place[WLU_TASK_PLACES];
} narrow_shared;

static_assert(sizeof(narrow_shared) <= WLU_SOLVE_ROOM, "shared memory of a run");

static __device__ __forceinline__ unsigned address_of(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

static __device__ __forceinline__ double read_at(unsigned address)
{
    double x;
    asm volatile("ld.shared.f64 %0, [%1];" : "=d"(x) : "r"(address) : "memory");
    return x;
}

/* Waits in shared memory, for somebody of this block. */
static __device__ __forceinline__ void wait_until(const uint32_t *counter, uint32_t at_least)
{
    while ((int32_t)(*(volatile const uint32_t *)counter - at_least) < 0) continue;
    __syncwarp();
}

static __device__ __forceinline__ void tell(uint32_t *counter, uint32_t value, int lane)
{
    __threadfence_block();
    __syncwarp();
    if (lane == 0) *(volatile uint32_t *)counter = value;
}

/* Fetches a lane's operands: what is in slots is waited for, what the run computes is only named. */
static __device__ __forceinline__ void fetch_terms(const wlu_device_state &s, const two_buffers &slots, const int2 *pair, int steps,
                                                   narrow_shared &sh, const narrow_stage *to, double *factor, double *other,
                                                   unsigned *operand, int lane)
{
    const double *at[2 * STEPS];
    u64 x[2 * STEPS];
#pragma unroll
    for (int k = 0; k < STEPS; k++) {
        int2 p = k < steps ? __ldg(pair + WLU_WARP * k) : make_int2(0, 0);
        int place = min(p.x, p.y);
        at[2 * k] = slots.at(max(p.x, p.y));
        at[2 * k + 1] = slots.at(max(place, 0));
        if (place >= 0) at[2 * k] = slots.at(p.x), at[2 * k + 1] = slots.at(p.y);
        operand[k] = place < 0 ? address_of(sh.place + ~place) : address_of(&to->other[k][lane]);
        x[2 * k] = x[2 * k + 1] = 0;
        if (k < steps) x[2 * k] = peek(at[2 * k]);
        if (k < steps && place >= 0) x[2 * k + 1] = peek(at[2 * k + 1]);
    }
    wait_all<2 * STEPS>(s, at, x);
#pragma unroll
    for (int k = 0; k < STEPS; k++) {
        factor[k] = number(x[2 * k]);
        other[k] = number(x[2 * k + 1]);
    }
}

/* One bundle into this warp's stage, once the stage is free: the `before`-th of the run's bundles has left it. */
static __device__ __forceinline__ void fetch_bundle(const wlu_device_stream &d, const wlu_device_state &s, const two_buffers &slots,
                                                    const wlu_bundle &b, int first, narrow_shared &sh, narrow_stage *to, uint32_t before,
                                                    int lane)
{
    int is_long = b.shape == WLU_BUNDLE_LONG, mine = is_long ? lane >> 3 : lane;
    int leads = mine < b.records && (!is_long || (lane & 7) == 0);
    wlu_device_record r;
    const double *at[2] = {NULL, NULL};
    u64 x[2] = {0, (u64)__double_as_longlong(1.0)};
    double factor[STEPS], other[STEPS];
    unsigned operand[STEPS], from = address_of(&to->start[lane]);
    r.flags = 0;
    r.target = 0;
    if (leads) {
        int4 raw = __ldg((const int4 *)(d.record + b.first + mine));
        memcpy(&r, &raw, sizeof r);
        int from_slot = r.flags & WLU_RECORD_FROM_SLOT;
        if (from_slot && r.start < 0) from = address_of(sh.place + ~r.start);
        if (from_slot && r.start >= 0) x[0] = peek(at[0] = slots.at(r.start));
        if (!from_slot) x[0] = (u64)__double_as_longlong(from_source(s, r.start, r.power));
        if (r.flags & WLU_RECORD_SCALED) x[1] = peek(at[1] = slots.at(r.other));
    }
    __syncwarp();
    fetch_terms(s, slots, (const int2 *)d.operand + WLU_WARP * (int64_t)b.operand + lane, b.steps, sh, to, factor, other, operand, lane);
    wait_all<2>(s, at, x);
    __syncwarp();
    wait_until(&sh.done, before);
#pragma unroll
    for (int k = 0; k < STEPS; k++) {
        to->factor[k][lane] = factor[k];
        to->other[k][lane] = other[k];
        to->operand[k][lane] = operand[k];
    }
    to->start[lane] = number(x[0]);
    to->scale[lane] = number(x[1]);
    to->from[lane] = from;
    to->to[lane] = leads ? address_of(sh.place + (b.first + mine - first)) : 0;
    to->slot[lane] = slots.at(r.target);
    if (lane == 0) {
        to->steps = b.steps;
        to->is_long = is_long;
    }
}

/* A bundle that is all there. */
static __device__ __forceinline__ void compute_bundle(const narrow_stage *b, int lane)
{
    int steps = b->steps, is_long = b->is_long;
    double start = read_at(b->from[lane]), acc = is_long ? 0.0 : start;
    unsigned to = b->to[lane];
#pragma unroll
    for (int k = 0; k < STEPS; k++)
        if (k < steps) acc = wlu_lane_term(is_long, acc, b->factor[k][lane], read_at(b->operand[k][lane]));
    if (is_long) {
        acc = wlu_lane_pair(acc, __shfl_xor_sync(~0u, acc, 4));
        acc = wlu_lane_pair(acc, __shfl_xor_sync(~0u, acc, 2));
        acc = wlu_lane_pair(acc, __shfl_xor_sync(~0u, acc, 1));
    }
    double value = wlu_lane_publishable(wlu_lane_scale(wlu_lane_total(is_long, start, acc), b->scale[lane]));
    if (to != 0) {
        asm volatile("st.shared.f64 [%0], %1;" ::"r"(to), "d"(value) : "memory");
        publish(b->slot[lane], value);
    }
    __syncwarp();
}

/* All warps of the block. */
static __device__ __forceinline__ void run_narrow(const wlu_device_stream &d, const wlu_device_state &s, const two_buffers &slots,
                                                  const wlu_solve_task &task, narrow_shared &sh, int tid)
{
    int lane = tid % WLU_WARP, fetcher = tid / WLU_WARP - 1;
    if (tid < FETCHERS) sh.stage[tid].full = 0;
    if (tid == 0) sh.done = 0;
    __syncthreads();
    if (fetcher < 0) {
        for (int k = 0; k < task.count; k++) {
            narrow_stage *b = &sh.stage[k % FETCHERS];
            wait_until(&b->full, (uint32_t)(k / FETCHERS + 1));
            compute_bundle(b, lane);
            tell(&sh.done, (uint32_t)k + 1, lane);
        }
        return;
    }
    int first = __ldg(&d.bundle[task.first].first);
    for (int k = fetcher; k < task.count; k += FETCHERS) {
        int4 raw = __ldg((const int4 *)(d.bundle + task.first + k));
        wlu_bundle b;
        memcpy(&b, &raw, sizeof b);
        fetch_bundle(d, s, slots, b, first, sh, &sh.stage[fetcher], k < FETCHERS ? 0u : (uint32_t)(k - FETCHERS + 1), lane);
        tell(&sh.stage[fetcher].full, (uint32_t)(k / FETCHERS + 1), lane);
    }
}

#endif
