/* Replays of many members, lanes of warps, a thread block a group. See exec/device/groups.h, whose functions compute.
 * Every warp executes its list of bundles in order; all warps of a block wait for each other between steps. */
#include "exec/device/group_solves.h"

typedef unsigned long long u64;

enum { LANES = WLU_GROUP_LANES, SIDES = WLU_GROUP_SIDES, THREADS = WLU_GROUP_WARPS * WLU_WARP, ROWS = THREADS / LANES };

/* Rings of a warp, a power of two of places: bundles, the one at hand and those it is given ahead; entries. */
enum { RING = 4, PARTS = sizeof(wlu_group_bundle) / 16 };

static_assert(WLU_GROUP_AHEAD == RING && WLU_GROUP_ASKED < RING - 1, "there is room");
static_assert(sizeof(wlu_group_bundle) % 16 == 0 && PARTS <= WLU_WARP, "a lane copies 16 bytes of a bundle");
static_assert(sizeof(wlu_group_record) == 2 * sizeof(int4), "read as two");

typedef struct rings {
    __align__(16) wlu_group_bundle bundle[WLU_GROUP_WARPS][RING];
    wlu_wide entry[WLU_GROUP_WARPS][RING][WLU_WARP];
} rings;

typedef struct shared {
    u64 largest[WLU_AREAS][LANES];
} shared;

/* A lane's part of a group. */
typedef struct lane_of {
    const wlu_number *a;
    wlu_number *b;
    wlu_group_source from;
    double scale;
} lane_of;

/* Copies to shared memory, which nobody waits for ... */
static __device__ __forceinline__ void copy_16(void *to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from)
                 : "memory");
}

static __device__ __forceinline__ void copy_8(void *to, const void *from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from)
                 : "memory");
}

/* An entry; a caller's complex numbers may stand at any double. */
static __device__ __forceinline__ void copy_entry(wlu_wide *to, const wlu_group_source &from, int64_t k)
{
#pragma unroll
    for (int part = 0; part < (int)(sizeof *to / sizeof(double)); part++)
        copy_8((double *)to + part, from.loaded + k * from.apart + part);
}

static __device__ __forceinline__ void end_copies(void)
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/* ... until the warp wants all that it has begun, but for what it has begun last. */
static __device__ __forceinline__ void wait_for_copies(void)
{
    asm volatile("cp.async.wait_group %0;" ::"n"(WLU_GROUP_ASKED - 1) : "memory");
    __syncwarp();
}

static __device__ __forceinline__ void begin(shared &sh)
{
    for (int k = (int)threadIdx.x; k < WLU_AREAS * LANES; k += THREADS) ((u64 *)sh.largest)[k] = 0;
}

static __device__ __forceinline__ void raise(shared &sh, int area, int lane, u64 x)
{
    if (x > *(volatile u64 *)&sh.largest[area][lane]) atomicMax(&sh.largest[area][lane], x);
}

static __device__ __forceinline__ wlu_group_record read_record(const wlu_group_record *at)
{
    union {
        int4 words[2];
        wlu_group_record record;
    } u;
    u.words[0] = *(const int4 *)at;
    u.words[1] = *((const int4 *)at + 1);
    return u.record;
}

/* What the guards see of an entry. */
static __device__ __forceinline__ void look_at_entry(int column_power, int row_power, wlu_wide entry, int lane,
                                                     shared &sh)
{
    if (column_power) raise(sh, WLU_AREA_INVERSE, lane, wlu_lane_inverse(entry, (uint16_t)column_power));
    if (row_power) raise(sh, WLU_AREA_DRIFT, lane, wlu_lane_drift(entry, (uint16_t)row_power));
}

/* Slots of a space, from one pointer to which they are added. */
static __device__ __forceinline__ wlu_number *slots_at(wlu_number *v)
{
    asm volatile("" : "+l"(v));
    __builtin_assume(__isGlobal(v));
    return v;
}

/* The warp's list. FACTOR: one space of slots, entries as they are, and guards look. What the next bundle needs comes
 * while operands are on their way. */
template <bool FACTOR>
static __device__ __forceinline__ void run_list(const wlu_group_stream &s, const lane_of &of, shared &sh, rings &all)
{
    int warp = (int)threadIdx.x / WLU_WARP, of_warp = (int)threadIdx.x % WLU_WARP, lane = of_warp % LANES,
        side = of_warp / LANES, count = __ldg(s.first + warp + 1) - __ldg(s.first + warp);
    wlu_group_bundle *ring = all.bundle[warp];
    wlu_wide(*entries)[WLU_WARP] = all.entry[warp];
    const int4 *ahead = (const int4 *)(s.bundle + __ldg(s.first + warp)) + of_warp;
    wlu_number *b = slots_at(of.b);
    const wlu_number *a = FACTOR ? b : slots_at((wlu_number *)of.a);
    for (int k = 0; k < RING; k++, ahead += PARTS)
        if (of_warp < PARTS) copy_16((int4 *)&ring[k] + of_warp, ahead);
    end_copies();
    end_copies(); /* of nothing: what is begun last is not waited for, and all bundles are wanted */
    wait_for_copies();
    wlu_group_record r = read_record(&ring[0].record[side]);
    wlu_wide entry = wlu_wide_of(0.0, 0.0);
    u64 most = FACTOR ? sh.largest[r.area][lane] : 0;
    if (r.ask >= 0) copy_entry(&entries[WLU_GROUP_ASKED][of_warp], of.from, r.ask);
    end_copies();
    for (int k = 0; k < count; k++, ahead += PARTS) {
        wlu_number left[WLU_GROUP_TERMS], right[WLU_GROUP_TERMS], x, d = wlu_zero();
#pragma unroll 1
        for (int wait = r.barriers; wait > 0; wait--) __syncthreads();
        if (r.start >= 0)
            x = b[(int64_t)r.start * LANES];
        else
            x = wlu_group_entry(FACTOR ? entry : WLU_WIDE_SCALED(of.scale, entry), r.power);
        if (r.divisor >= 0) d = a[(int64_t)r.divisor * LANES];
        wlu_group_operands(r.terms, ring[k % RING].pair[side], a, b, left, right);
        if (FACTOR && r.guarded) look_at_entry(r.column_power, r.row_power, entry, lane, sh);
        wait_for_copies();
        const wlu_group_record next = read_record(&ring[(k + 1) % RING].record[side]);
        if (of_warp < PARTS) copy_16((int4 *)&ring[k % RING] + of_warp, ahead);
        if (next.ask >= 0) copy_entry(&entries[(k + 1 + WLU_GROUP_ASKED) % RING][of_warp], of.from, next.ask);
        end_copies();
        entry = entries[(k + 1) % RING][of_warp];
        u64 most_then = FACTOR ? sh.largest[next.area][lane] : 0;
        x = wlu_group_end(r.opcode, r.terms, wlu_group_chain(r.sum, r.terms, left, right, x), d);
        b[(int64_t)r.target * LANES] = x;
        if (FACTOR) {
            u64 bits = wlu_lane_size(x);
            if (bits > most) atomicMax(&sh.largest[r.area][lane], bits);
        }
        r = next;
        most = most_then;
    }
    for (int wait = __ldg(s.last + warp); wait > 0; wait--) __syncthreads();
}

/* The second bound of growth, of the whole block. */
static __device__ __noinline__ void bound(const wlu_group_factor &f, const wlu_number *v, wlu_group_source from,
                                          shared &sh)
{
    int lane = (int)threadIdx.x % LANES;
    u64 worst = wlu_bits_of_double(1.0);
    for (int k = (int)threadIdx.x / LANES; k < f.us; k += ROWS)
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

extern "C" __global__ void __launch_bounds__(THREADS, WLU_GROUP_BLOCKS(WLU_NUMBER_REALS))
    WLU_NUMBER_NAME(wlu_batch_refactor)(const __grid_constant__ wlu_group_factor f,
                                        const __grid_constant__ wlu_group_work w)
{
    __shared__ shared sh;
    __shared__ rings all;
    if ((int)blockIdx.x * LANES >= wlu_group_count(&w)) return;
    int lane = (int)threadIdx.x % LANES, i = (int)blockIdx.x * LANES + lane;
    int64_t room = wlu_group_room(&w, i);
    wlu_number *v = w.v + wlu_group_at(room, w.slots);
    const lane_of of = {v, v, wlu_group_source_of(&w, i, room), 1.0};
    begin(sh);
    if (threadIdx.x < LANES) {
        v[(int64_t)f.zero * LANES] = wlu_zero();
        v[(int64_t)f.minus_one * LANES] = wlu_number_of(-1, 0);
    }
    __syncthreads();
    run_list<true>(f.stream, of, sh, all);
    raise(sh, WLU_AREA_DRIFT, lane, wlu_bits_of_double(1.0));
    __syncthreads();
    wlu_maxima m = maxima_of(sh, lane);
    if (__syncthreads_or(wlu_growth_is_open(&m, &f.criteria))) bound(f, v, of.from, sh);
    if (threadIdx.x >= LANES) return;
    m = maxima_of(sh, lane);
    w.health[room] = wlu_health_conclude(&m, &f.criteria, WLU_REAL_SINGLE);
}

static __device__ __forceinline__ u64 size_bits(wlu_wide x)
{
    return wlu_bits_of_double(WLU_WIDE_SIZE(x));
}

/* The largest of b, of each lane. */
static __device__ __noinline__ u64 largest_of_b(const wlu_group_work &w, int64_t at, shared &sh)
{
    int lane = (int)threadIdx.x % LANES;
    u64 largest = 0;
    for (int k = (int)threadIdx.x / LANES; k < w.n; k += ROWS)
        largest = max(largest, size_bits(w.b[at + (int64_t)k * LANES]));
    raise(sh, WLU_AREA_L, lane, largest);
    __syncthreads();
    return sh.largest[WLU_AREA_L][lane];
}

/* The solution's numbers go where they are wanted; returns the largest magnitude. */
static __device__ __forceinline__ u64 store(const wlu_group_solve &s, const wlu_group_work &w, const wlu_number *v,
                                            int64_t at, int what, const wlu_refine_control &c, double scale)
{
    u64 largest = 0;
    const wlu_wide *before = w.x[c.at ? 1 : 0] + at;
    wlu_wide *to = w.x[wlu_group_buffer(what, &c)] + at;
    if (what == WLU_GROUP_NOTHING) return 0;
    for (int k = (int)threadIdx.x / LANES; k < s.n; k += ROWS) {
        wlu_wide x = wlu_lane_store(v[(int64_t)__ldg(s.store + k) * LANES], __ldg(s.power + k));
        if (what == WLU_GROUP_TRIAL) x = wlu_refine_trial(&c, before[(int64_t)k * LANES], x);
#ifdef WLU_SINGLE
        else
            x = WLU_DOUBLE_DIV(x, scale);
#endif
        to[(int64_t)k * LANES] = x;
        largest = max(largest, size_bits(x));
    }
    return largest;
}

/* One right-hand side of each member, or its residual. Solutions that are not refined are told of here. */
extern "C" __global__ void __launch_bounds__(THREADS, WLU_GROUP_BLOCKS(WLU_NUMBER_REALS))
    WLU_NUMBER_NAME(wlu_batch_substitute)(const __grid_constant__ wlu_group_solve s,
                                          const __grid_constant__ wlu_group_work w,
                                          const __grid_constant__ wlu_group_step step)
{
    __shared__ shared sh;
    __shared__ rings all;
    int lane = (int)threadIdx.x % LANES, row = (int)threadIdx.x / LANES, i = (int)blockIdx.x * LANES + lane;
    int64_t own = w.work + (int64_t)i, at = wlu_group_at(own, w.n), room = wlu_group_room(&w, i);
    wlu_refine_control c = wlu_refine_fresh();
    if ((int)blockIdx.x * LANES >= wlu_group_count(&w)) return;
    int what = wlu_group_purpose(&w, &step, own, &c);
    if (step.residual && !__syncthreads_or(what != WLU_GROUP_NOTHING)) return;
    wlu_number *v = w.own + wlu_group_at(own, w.own_slots);
    begin(sh);
    if (row == 0) {
        v[(int64_t)s.zero * LANES] = wlu_zero();
        v[(int64_t)s.minus_one * LANES] = wlu_number_of(-1, 0);
    }
    __syncthreads();
    u64 of_b = WLU_REAL_SINGLE && !step.residual ? largest_of_b(w, at, sh) : 0;
    double scale = wlu_group_scale(what, &c, of_b);
    const lane_of of = {w.v + wlu_group_at(room, w.slots), v, wlu_group_row_source((step.residual ? w.r : w.b) + at),
                        scale};
    run_list<false>(s.stream, of, sh, all);
    __syncthreads();
    raise(sh, WLU_AREA_U, lane, store(s, w, v, at, what, c, scale));
    __syncthreads();
    u64 largest = sh.largest[WLU_AREA_U][lane];
    if (!WLU_REAL_SINGLE && !step.refines && __syncthreads_or(largest == 0)) of_b = largest_of_b(w, at, sh);
    if (row > 0) return;
    if (what == WLU_GROUP_TRIAL) w.side[own].control.unknown = wlu_double_of_bits(largest);
    if (!step.refines) {
        wlu_group_outcome o = step.first ? wlu_group_no_outcome() : w.outcome[own];
        wlu_group_tell(&o, largest, largest == 0 && of_b == 0);
        w.outcome[own] = o;
    }
}
