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
    wlu_real factor[STEPS][WLU_WARP], other[STEPS][WLU_WARP];
    unsigned operand[STEPS][WLU_WARP]; /* address of the other operand in shared memory */
    wlu_real start[WLU_WARP], scale[WLU_WARP];
    unsigned from[WLU_WARP], to[WLU_WARP]; /* addresses of the start and of the result's place; no place: 0 */
    wlu_real *slot[WLU_WARP];              /* the result's */
    int steps, is_long;
    u64 full, empty; /* barriers: it has been put in, and computed */
} narrow_stage;

typedef struct narrow_shared {
    narrow_stage stage[FETCHERS];
    wlu_real place[WLU_TASK_PLACES];
} narrow_shared;

static_assert(sizeof(narrow_shared) <= WLU_SOLVE_ROOM(sizeof(wlu_real)), "shared memory of a run");

static __device__ __forceinline__ wlu_real read_at(unsigned address)
{
    wlu_real x;
    asm volatile("ld.shared.f" SLOT_WIDTH " %0, [%1];" : "=" SLOT_NUMBER(x) : "r"(address) : "memory");
    return x;
}

/* Barriers in shared memory between two warps, one arriving, the other waiting; a phase ends when all 32 lanes have arrived. */
static __device__ __forceinline__ void make_barrier(u64 *barrier)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address_of(barrier)), "r"(WLU_WARP) : "memory");
}

static __device__ __forceinline__ void unmake_barrier(u64 *barrier)
{
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(address_of(barrier)) : "memory");
}

static __device__ __forceinline__ void arrive_at(u64 *barrier)
{
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(address_of(barrier)) : "memory");
}

/* Whether the phase has ended, the first being 0. */
static __device__ __forceinline__ bool has_ended(u64 *barrier, int phase)
{
    int ended;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }"
                 : "=r"(ended)
                 : "r"(address_of(barrier)), "r"(phase & 1)
                 : "memory");
    return ended != 0;
}

static __device__ __forceinline__ void wait_at(u64 *barrier, int phase)
{
    while (!has_ended(barrier, phase)) continue;
    __syncwarp();
}

/* What a lane reads of the stream for a bundle, one bundle ahead of the numbers that it names. */
typedef struct narrow_record {
    wlu_bundle bundle;
    wlu_device_record record;
    int2 pair[STEPS];
    int leads;
} narrow_record;

static __device__ __forceinline__ wlu_bundle read_bundle(const wlu_device_stream &d, const wlu_solve_task &task, int k)
{
    int4 raw = k < task.count ? __ldg((const int4 *)(d.bundle + task.first + k)) : make_int4(0, 0, 0, 0);
    wlu_bundle b;
    memcpy(&b, &raw, sizeof b);
    return b;
}

static __device__ __forceinline__ narrow_record read_record(const wlu_device_stream &d, const wlu_bundle &b, int lane)
{
    narrow_record x;
    int is_long = b.shape == WLU_BUNDLE_LONG, mine = is_long ? lane >> 3 : lane;
    int4 raw = make_int4(0, 0, 0, 0);
    const int2 *pair = (const int2 *)d.operand + WLU_WARP * (int64_t)b.operand + lane;
    x.bundle = b;
    x.leads = mine < b.records && (!is_long || (lane & 7) == 0);
    if (x.leads) raw = __ldg((const int4 *)(d.record + b.first + mine));
    memcpy(&x.record, &raw, sizeof x.record);
#pragma unroll
    for (int k = 0; k < STEPS; k++) x.pair[k] = k < b.steps ? __ldg(pair + WLU_WARP * k) : make_int2(0, 0);
    return x;
}

/* A lane's operands: what is in slots is waited for, what the run computes is only named. */
static __device__ __forceinline__ void fetch_terms(const wlu_device_state &s, const two_buffers &slots,
                                                   const narrow_record &b, narrow_shared &sh,
                                                   const narrow_stage *to, wlu_real *factor, wlu_real *other,
                                                   unsigned *operand, int lane)
{
    const wlu_real *at[2 * STEPS];
    slot_bits x[2 * STEPS];
#pragma unroll
    for (int k = 0; k < STEPS; k++) {
        int2 p = b.pair[k];
        int has = k < b.bundle.steps, first = p.x < 0 ? p.y : p.x, second = p.x < 0 ? p.x : p.y;
        at[2 * k] = slots.at(first);
        at[2 * k + 1] = slots.at(max(second, 0));
        operand[k] = second < 0 ? address_of(sh.place + ~second) : address_of(&to->other[k][lane]);
        x[2 * k] = x[2 * k + 1] = 0;
        if (has) x[2 * k] = peek(at[2 * k]);
        if (has && second >= 0) x[2 * k + 1] = peek(at[2 * k + 1]);
    }
    wait_all<2 * STEPS>(s, at, x);
#pragma unroll
    for (int k = 0; k < STEPS; k++) {
        factor[k] = number(x[2 * k]);
        other[k] = number(x[2 * k + 1]);
    }
}

/* One bundle into this warp's stage, its use-th, once the one before has been computed. */
static __device__ __forceinline__ void fetch_bundle(const wlu_device_state &s, const two_buffers &slots, const narrow_record &b,
                                                    int first, narrow_shared &sh, narrow_stage *to, int use, int lane)
{
    const wlu_device_record &r = b.record;
    const wlu_real *at[2] = {NULL, NULL};
    slot_bits x[2] = {0, bits_of((wlu_real)1)};
    wlu_real factor[STEPS], other[STEPS];
    unsigned operand[STEPS], from = address_of(&to->start[lane]);
    int from_slot = r.flags & WLU_RECORD_FROM_SLOT, mine = b.bundle.shape == WLU_BUNDLE_LONG ? lane >> 3 : lane;
    int place = b.bundle.first + mine - first;
    if (b.leads) {
        if (from_slot && r.start < 0) from = address_of(sh.place + ~r.start);
        if (from_slot && r.start >= 0) x[0] = peek(at[0] = slots.at(r.start));
        if (!from_slot) x[0] = bits_of(wlu_lane_publishable(from_source(s, r.start, r.power)));
        if (r.flags & WLU_RECORD_SCALED) x[1] = peek(at[1] = slots.at(r.other));
    }
    __syncwarp();
    fetch_terms(s, slots, b, sh, to, factor, other, operand, lane);
    wait_all<2>(s, at, x);
    __syncwarp();
    if (use > 0) wait_at(&to->empty, use - 1);
    WLU_DELAY(b.bundle.operand + lane);
#pragma unroll
    for (int k = 0; k < STEPS; k++) {
        if (k >= b.bundle.steps) break;
        to->factor[k][lane] = factor[k];
        to->other[k][lane] = other[k];
        to->operand[k][lane] = operand[k];
    }
    to->start[lane] = number(x[0]);
    to->scale[lane] = number(x[1]);
    to->from[lane] = from;
    to->to[lane] = b.leads ? address_of(sh.place + place) : 0;
    to->slot[lane] = slots.at(r.target);
    if (lane == 0) {
        to->steps = b.bundle.steps;
        to->is_long = b.bundle.shape == WLU_BUNDLE_LONG;
    }
    arrive_at(&to->full);
}

/* What a lane reads of a stage: in registers while the bundle before it is computed. */
typedef struct narrow_bundle {
    wlu_real factor[STEPS], scale, *slot;
    unsigned operand[STEPS], from, to;
    int steps, is_long;
} narrow_bundle;

static __device__ __forceinline__ narrow_bundle read_stage(const narrow_stage *x, int lane)
{
    narrow_bundle b;
    b.steps = x->steps;
    b.is_long = x->is_long;
    b.from = x->from[lane];
    b.to = x->to[lane];
    b.scale = x->scale[lane];
    b.slot = x->slot[lane];
#pragma unroll
    for (int k = 0; k < STEPS; k++) { /* what lies behind its steps is never used */
        b.factor[k] = x->factor[k][lane];
        b.operand[k] = x->operand[k][lane];
    }
    return b;
}

/* The result goes to its place, for the next bundle, and to its slot. */
static __device__ __forceinline__ void compute_bundle(const narrow_bundle &b)
{
    wlu_real start = read_at(b.from), acc = b.is_long ? 0.0 : start;
#pragma unroll
    for (int k = 0; k < STEPS; k++)
        if (k < b.steps) acc = wlu_lane_term(b.is_long, acc, b.factor[k], read_at(b.operand[k]));
    if (b.is_long) {
        acc = wlu_lane_pair(acc, __shfl_xor_sync(~0u, acc, 4));
        acc = wlu_lane_pair(acc, __shfl_xor_sync(~0u, acc, 2));
        acc = wlu_lane_pair(acc, __shfl_xor_sync(~0u, acc, 1));
    }
    wlu_real value = wlu_lane_publishable(wlu_lane_scale(wlu_lane_total(b.is_long, start, acc), b.scale));
    if (b.to != 0) {
        asm volatile("st.shared.f" SLOT_WIDTH " [%0], %1;" ::"r"(b.to), SLOT_NUMBER(value) : "memory");
        publish(b.slot, value);
    }
    __syncwarp();
}

/* The warp that computes. */
static __device__ __forceinline__ void run_bundles_in_turn(int count, narrow_shared &sh, int lane)
{
    narrow_bundle next;
    bool has = false;
    for (int k = 0; k < count; k++) {
        narrow_stage *x = &sh.stage[k % FETCHERS], *ahead = &sh.stage[(k + 1) % FETCHERS];
        WLU_DELAY(k);
        if (!has) {
            wait_at(&x->full, k / FETCHERS);
            next = read_stage(x, lane);
        }
        narrow_bundle now = next;
        has = __all_sync(~0u, k + 1 < count && has_ended(&ahead->full, (k + 1) / FETCHERS));
        if (has) next = read_stage(ahead, lane);
        compute_bundle(now);
        arrive_at(&x->empty); /* operands were there until now */
    }
}

/* A warp that fetches. */
static __device__ __forceinline__ void fetch_bundles(const wlu_device_stream &d, const wlu_device_state &s, const two_buffers &slots,
                                                     const wlu_solve_task &task, narrow_shared &sh, int fetcher, int lane)
{
    int first = __ldg(&d.bundle[task.first].first);
    narrow_record next = read_record(d, read_bundle(d, task, fetcher), lane);
    wlu_bundle after = read_bundle(d, task, fetcher + FETCHERS);
    for (int k = fetcher; k < task.count; k += FETCHERS) {
        narrow_record now = next;
        next = read_record(d, after, lane);
        after = read_bundle(d, task, k + 2 * FETCHERS);
        WLU_DELAY(k);
        fetch_bundle(s, slots, now, first, sh, &sh.stage[fetcher], k / FETCHERS, lane);
    }
}

/* All warps of the block. */
static __device__ __forceinline__ void run_narrow(const wlu_device_stream &d, const wlu_device_state &s, const two_buffers &slots,
                                                  const wlu_solve_task &task, narrow_shared &sh, int tid)
{
    int lane = tid % WLU_WARP, fetcher = tid / WLU_WARP - 1;
    if (tid < FETCHERS) {
        make_barrier(&sh.stage[tid].full);
        make_barrier(&sh.stage[tid].empty);
    }
    __syncthreads();
    if (fetcher < 0)
        run_bundles_in_turn(task.count, sh, lane);
    else
        fetch_bundles(d, s, slots, task, sh, fetcher, lane);
    __syncthreads();
    if (tid >= FETCHERS) return;
    unmake_barrier(&sh.stage[tid].full);
    unmake_barrier(&sh.stage[tid].empty);
}

#endif
