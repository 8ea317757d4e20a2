/* Replays of many members, 32 of them in the lanes of a warp, a thread block a group. See exec/device/groups.h, whose
 * functions compute. Every warp executes its list of records in order; where it needs what others leave, it waits for
 * their counts in shared memory. */
#include "exec/device/group_solves.h"

typedef unsigned long long u64;

enum { LANES = WLU_GROUP_LANES, POLL_NS = 20 };

static_assert(sizeof(wlu_group_record) == 2 * sizeof(int4), "read as two");

typedef struct shared {
    volatile int32_t done[LANES]; /* records of each warp that are */
    u64 largest[WLU_AREAS][LANES];
} shared;

/* A lane's part of a group. */
typedef struct lane_of {
    const wlu_real *a;
    wlu_real *b;
    wlu_group_source from;
    double scale;
} lane_of;

static __device__ __forceinline__ wlu_group_record read_record(const wlu_group_record *at)
{
    union {
        int4 words[2];
        wlu_group_record record;
    } u;
    u.words[0] = __ldg((const int4 *)at);
    u.words[1] = __ldg((const int4 *)at + 1);
    return u.record;
}

static __device__ __forceinline__ void begin(shared &sh)
{
    for (int k = (int)threadIdx.x; k < WLU_AREAS * LANES; k += (int)blockDim.x) ((u64 *)sh.largest)[k] = 0;
    if (threadIdx.x < LANES) sh.done[threadIdx.x] = 0;
}

/* What the block's threads have written before it is seen by who sees what they write behind it. */
static __device__ __forceinline__ void fence(void)
{
    asm volatile("fence.acq_rel.cta;" ::: "memory");
}

/* Until so many records of each lane's warp are done. Who waits leaves memory to who works. */
static __device__ __forceinline__ void wait_for(const shared &sh, int wanted, int lane)
{
    while (!__all_sync(~0u, sh.done[lane] >= wanted)) __nanosleep(POLL_NS);
    fence();
    __syncwarp();
}

static __device__ __forceinline__ void tell(shared &sh, int warp, int lane, int done)
{
    fence();
    __syncwarp();
    if (lane == 0) sh.done[warp] = done;
}

static __device__ __forceinline__ void raise(shared &sh, int area, int lane, u64 x)
{
    if (x > 0) atomicMax(&sh.largest[area][lane], x);
}

/* 32 entries of each member, turned: a lane reads an entry, and a row is a member's. */
static __device__ __noinline__ void load_tile(const double *mine, double *to, int entry)
{
    unsigned at = (unsigned)__cvta_generic_to_shared(to) + 8 * (threadIdx.x % LANES);
#pragma unroll 8
    for (int m = 0; m < LANES; m++) {
        const double *member = (const double *)__shfl_sync(~0u, (u64)mine, m);
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(at + 8 * WLU_GROUP_ROW * m), "l"(member + entry)
                     : "memory");
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
}

/* What the guards see of an entry. */
static __device__ __forceinline__ void look_at_entry(const wlu_group_record &r, double entry, int lane, shared &sh)
{
    if (r.column_power) raise(sh, WLU_AREA_INVERSE, lane, wlu_lane_inverse(entry, r.column_power));
    if (r.row_power) raise(sh, WLU_AREA_DRIFT, lane, wlu_lane_drift(entry, r.row_power));
}

/* The warp's list. FACTOR: seen are maxima by area, ring is the block's. */
template <bool FACTOR>
static __device__ __forceinline__ void run_list(const wlu_group_stream &s, const lane_of &of, shared &sh,
                                                uint64_t *seen, double *ring)
{
    int warp = (int)threadIdx.x / LANES, lane = (int)threadIdx.x % LANES;
    int first = __ldg(s.first + warp), end = __ldg(s.first + warp + 1);
    const int32_t *pair = s.pair + 2 * __ldg((const long long *)s.first_pair + warp);
    wlu_group_record now = read_record(s.record + first);
    int wanted = first < end && now.need >= 0 ? __ldg(s.need + now.need * LANES + lane) : 0;
    for (int k = first; k < end; k++) {
        wlu_group_record next = read_record(s.record + k + 1);
        if (now.need >= 0) wait_for(sh, wanted, lane);
        if (FACTOR && now.opcode == WLU_LOAD) {
            if (of.from.ring != NULL) load_tile(of.from.loaded, ring + now.start, __ldg(s.entry + now.target + lane));
        } else {
            double entry = 0.0;
            wlu_real x = wlu_group_start(&now, of.b, &of.from, of.scale, &entry);
            x = wlu_group_value(&now, pair, of.a, of.b, x);
            of.b[(int64_t)now.target * LANES] = x;
            if (FACTOR) wlu_group_see(seen, now.area, x);
            if (FACTOR && (now.column_power | now.row_power)) look_at_entry(now, entry, lane, sh);
        }
        if (now.tells) tell(sh, warp, lane, k + 1 - first);
        pair += 2 * now.terms;
        now = next;
        wanted = k + 1 < end && now.need >= 0 ? __ldg(s.need + now.need * LANES + lane) : 0;
    }
}

/* The second bound of growth, of the whole block. */
static __device__ __noinline__ void bound(const wlu_group_factor &f, const wlu_real *v, wlu_group_source from,
                                          shared &sh)
{
    int lane = (int)threadIdx.x % LANES;
    u64 worst = wlu_bits_of_double(1.0);
    for (int k = (int)threadIdx.x / LANES; k < f.us; k += (int)blockDim.x / LANES)
        worst = max(worst, (u64)wlu_group_relative(&f, v, &from, k));
    raise(sh, WLU_AREA_RELATIVE, lane, worst);
    __syncthreads();
}

static __device__ __forceinline__ wlu_maxima maxima_of(const shared &sh, int lane)
{
    wlu_maxima m;
#pragma unroll
    for (int k = 0; k < WLU_AREAS; k++) m.of[k] = sh.largest[k][lane];
    return m;
}

extern "C" __global__ void __launch_bounds__(WLU_GROUP_WARPS *WLU_GROUP_LANES, 1)
    WLU_REAL_NAME(wlu_batch_refactor)(const __grid_constant__ wlu_group_factor f,
                                      const __grid_constant__ wlu_group_work w)
{
    extern __shared__ __align__(16) double ring[];
    __shared__ shared sh;
    if ((int)blockIdx.x * LANES >= wlu_group_count(&w)) return;
    int lane = (int)threadIdx.x % LANES, i = (int)blockIdx.x * LANES + lane;
    int64_t room = wlu_group_room(&w, i);
    wlu_real *v = w.v + wlu_group_at(room, w.slots);
    const lane_of of = {v, v, wlu_group_source_of(&w, i, room, ring), 1.0};
    uint64_t seen[WLU_SLOT_AREAS] = {};
    begin(sh);
    if (threadIdx.x < LANES) {
        v[(int64_t)f.zero * LANES] = 0;
        v[(int64_t)f.minus_one * LANES] = -1;
    }
    __syncthreads();
    run_list<true>(f.stream, of, sh, seen, ring);
#pragma unroll
    for (int k = WLU_AREA_U; k < WLU_SLOT_AREAS; k++) raise(sh, k, lane, seen[k]);
    raise(sh, WLU_AREA_DRIFT, lane, wlu_bits_of_double(1.0));
    __syncthreads();
    wlu_maxima m = maxima_of(sh, lane);
    if (__syncthreads_or(wlu_growth_is_open(&m, &f.criteria))) bound(f, v, of.from, sh);
    if (threadIdx.x >= LANES) return;
    m = maxima_of(sh, lane);
    w.health[room] = wlu_health_conclude(&m, &f.criteria, WLU_REAL_SINGLE);
}

/* The largest of b, of each lane. */
static __device__ __noinline__ u64 largest_of_b(const wlu_group_work &w, int64_t at, shared &sh)
{
    int lane = (int)threadIdx.x % LANES;
    u64 largest = 0;
    for (int k = (int)threadIdx.x / LANES; k < w.n; k += (int)blockDim.x / LANES)
        largest = max(largest, (u64)wlu_magnitude_bits(w.b[at + (int64_t)k * LANES]));
    raise(sh, WLU_AREA_L, lane, largest);
    __syncthreads();
    return sh.largest[WLU_AREA_L][lane];
}

/* The solution's numbers go where they are wanted; returns the largest magnitude. */
static __device__ __forceinline__ u64 store(const wlu_group_solve &s, const wlu_group_work &w, const wlu_real *v,
                                            int64_t at, int what, const wlu_refine_control &c, double scale)
{
    u64 largest = 0;
    const double *before = w.x[c.at ? 1 : 0] + at;
    double *to = w.x[wlu_group_buffer(what, &c)] + at;
    if (what == WLU_GROUP_NOTHING) return 0;
    for (int k = (int)threadIdx.x / LANES; k < s.n; k += (int)blockDim.x / LANES) {
        double x = wlu_lane_store(v[(int64_t)__ldg(s.store + k) * LANES], __ldg(s.power + k));
        if (what == WLU_GROUP_TRIAL)
            x = wlu_refine_trial(&c, before[(int64_t)k * LANES], x);
        else if (WLU_REAL_SINGLE)
            x = WLU_DOUBLE_DIV(x, scale);
        to[(int64_t)k * LANES] = x;
        largest = max(largest, (u64)wlu_magnitude_bits(x));
    }
    return largest;
}

/* One right-hand side of each member, or its residual. Solutions that are not refined are told of here. */
extern "C" __global__ void __launch_bounds__(WLU_GROUP_WARPS *WLU_GROUP_LANES, 1)
    WLU_REAL_NAME(wlu_batch_substitute)(const __grid_constant__ wlu_group_solve s,
                                        const __grid_constant__ wlu_group_work w,
                                        const __grid_constant__ wlu_group_step step)
{
    __shared__ shared sh;
    int lane = (int)threadIdx.x % LANES, warp = (int)threadIdx.x / LANES, i = (int)blockIdx.x * LANES + lane;
    int64_t own = w.work + (int64_t)i, at = wlu_group_at(own, w.n), room = wlu_group_room(&w, i);
    wlu_refine_control c = wlu_refine_fresh();
    if ((int)blockIdx.x * LANES >= wlu_group_count(&w)) return;
    int what = wlu_group_purpose(&w, &step, own, &c);
    if (step.residual && !__syncthreads_or(what != WLU_GROUP_NOTHING)) return;
    wlu_real *v = w.own + wlu_group_at(own, w.own_slots);
    begin(sh);
    if (warp == 0) {
        v[(int64_t)s.zero * LANES] = 0;
        v[(int64_t)s.minus_one * LANES] = -1;
    }
    __syncthreads();
    u64 of_b = WLU_REAL_SINGLE && !step.residual ? largest_of_b(w, at, sh) : 0;
    double scale = wlu_group_scale(what, &c, of_b);
    const lane_of of = {w.v + wlu_group_at(room, w.slots), v, {(step.residual ? w.r : w.b) + at, NULL, LANES}, scale};
    run_list<false>(s.stream, of, sh, NULL, NULL);
    __syncthreads();
    raise(sh, WLU_AREA_U, lane, store(s, w, v, at, what, c, scale));
    __syncthreads();
    u64 largest = sh.largest[WLU_AREA_U][lane];
    if (!WLU_REAL_SINGLE && !step.refines && __syncthreads_or(largest == 0)) of_b = largest_of_b(w, at, sh);
    if (warp > 0) return;
    if (what == WLU_GROUP_TRIAL) w.side[own].control.unknown = wlu_double_of_bits(largest);
    if (!step.refines) {
        wlu_group_outcome o = step.first ? wlu_group_no_outcome() : w.outcome[own];
        wlu_group_tell(&o, largest, largest == 0 && of_b == 0);
        w.outcome[own] = o;
    }
}
