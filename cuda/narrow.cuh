/* Narrow sections: results reach the next level through the block's shared memory, with nothing to poll. Warps
 * take the section's bundles in turn, and while others compute fetch what theirs need from elsewhere: records two
 * bundles ahead, numbers one. Those who have computed a level arrive at its barrier, those who compute the next one
 * wait there.
 *
 * What counts is the number of instructions: most wait for the one before, some 5 cycles each, and a bundle's have the
 * time of eight levels. So the packer puts factors first in pairs, and what is rare is apart. (Named barriers for the
 * warps of two levels would take 0.04 us a level less; compute-sanitizer knows only those of whole blocks.) */
#ifndef WLU_NARROW_CUH
#define WLU_NARROW_CUH

#include <limits.h>

#include "launch.cuh"

enum { NARROW_WARPS = WLU_TILE_THREADS / WLU_WARP };

/* Levels have barriers in turn: whoever waits behind a level has done so before the next one ends. A phase ends when
 * all lanes of a level's warps have arrived, the fewer these are the more often each. */
enum { BARRIERS = 8, ARRIVALS = 12 };
static_assert(2 * WLU_NARROW_WIDTH <= NARROW_WARPS, "a warp is in one of two levels");
static_assert(WLU_NARROW_WIDTH == 4, "ARRIVALS is a multiple of all widths");

/* Steps whose numbers are fetched a bundle ahead, so many at a time; few records have more. */
enum { STEPS = WLU_NARROW_STEPS(sizeof(wlu_number)), PLACES = WLU_TASK_PLACES(sizeof(wlu_number)), SOME = 4 };

/* Numbers: the section's results; then what lanes have from elsewhere, a row a step, for their starts and for results
 * of lanes that lead none, so that all is read and written alike. Then factors of the steps that are not fetched ahead,
 * and which numbers their partners are. */
enum { START = STEPS, UNUSED_ROW, ROWS };
typedef struct narrow_shared {
    u64 barrier[BARRIERS];
    wlu_number number[PLACES + ROWS * WLU_TILE_THREADS];
    wlu_number factor[STEPS - SOME][WLU_TILE_THREADS];
    uint16_t partner[STEPS - SOME][WLU_TILE_THREADS];
} narrow_shared;

static_assert(sizeof(narrow_shared) == WLU_NARROW_ROOM(sizeof(wlu_number)), "shared memory of a narrow section");
static_assert(PLACES + ROWS * WLU_TILE_THREADS <= 65536, "numbers that 16 bits name");

static __device__ __forceinline__ void make_barrier(u64 *barrier)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address_of(barrier)), "r"((int)WLU_WARP * ARRIVALS)
                 : "memory");
}

static __device__ __forceinline__ void unmake_barrier(u64 *barrier)
{
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(address_of(barrier)) : "memory");
}

static __device__ __forceinline__ void arrive_at(unsigned barrier, unsigned times)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0], %1; }" ::"r"(barrier), "r"(times)
                 : "memory");
#else
    for (; times > 0; times--)
        asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(barrier) : "memory");
#endif
}

/* Whether the phase has ended, the first being 0; may wait a while for its end. */
static __device__ __forceinline__ bool has_ended(unsigned barrier, unsigned phase)
{
    int ended;
#if __CUDA_ARCH__ >= 900
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }"
#else
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }"
#endif
                 : "=r"(ended)
                 : "r"(barrier), "r"(phase & 1)
                 : "memory");
    return ended != 0;
}

static __device__ __forceinline__ wlu_bundle read_bundle(const wlu_device_stream &d, const wlu_solve_task &task, int k)
{
    int4 raw = k < task.count ? __ldg((const int4 *)(d.bundle + task.first + k)) : make_int4(0, 0, 0, 0);
    wlu_bundle b;
    memcpy(&b, &raw, sizeof b);
    return b;
}

/* What a lane reads of the stream for a bundle. x of a pair: slot of a factor, or none where there is no term; y: of an
 * unknown, or its place. */
typedef struct narrow_record {
    wlu_bundle bundle;
    wlu_device_instruction record;
    int2 pair[SOME];
    int leads;
} narrow_record;

static __device__ __forceinline__ const int2 *pairs_of(const wlu_device_stream &d, const wlu_bundle &b, int lane)
{
    return (const int2 *)d.operand + WLU_WARP * (int64_t)b.operand + lane;
}

static __device__ __forceinline__ int record_of(const wlu_bundle &b, int lane)
{
    return b.shape == WLU_BUNDLE_LONG ? lane >> 3 : lane;
}

static __device__ __forceinline__ narrow_record read_record(const wlu_device_stream &d, const wlu_bundle &b, int lane)
{
    narrow_record x;
    int4 raw = make_int4(0, 0, 0, 0);
    const int2 *pair = pairs_of(d, b, lane);
    x.bundle = b;
    x.leads = record_of(b, lane) < b.records && (b.shape != WLU_BUNDLE_LONG || (lane & 7) == 0);
    if (x.leads) raw = __ldg((const int4 *)(d.record + b.first + record_of(b, lane)));
    memcpy(&x.record, &raw, sizeof x.record);
#pragma unroll
    for (int i = 0; i < SOME; i++) x.pair[i] = i < b.steps ? __ldg(pair + WLU_WARP * i) : make_int2(INT_MAX, -1);
    return x;
}

/* The factor of a step that there is not, so that its term is -0, which changes no sum. Of complex numbers any zero
 * does (wlu_lane_total). */
static __device__ __forceinline__ slot_bits no_factor(const wlu_bundle &b)
{
    return bits_of(wlu_number_of((wlu_real)(b.shape == WLU_BUNDLE_LONG ? -0.0 : 0.0), 0));
}

/* A lane's numbers, on their way: factors and their partners, start, scale. */
enum { START_AHEAD = 2 * SOME, SCALE_AHEAD, NUMBERS };
typedef struct narrow_numbers {
    slot_bits x[NUMBERS];
    wlu_wide source;
} narrow_numbers;

static __device__ __forceinline__ narrow_numbers look(const wlu_device_state &s, const two_buffers &slots,
                                                      const narrow_record &b)
{
    const wlu_device_instruction &r = b.record;
    narrow_numbers n;
#pragma unroll
    for (int i = 0; i < NUMBERS; i++) n.x[i] = no_bits();
    n.source = wlu_wide_of(0.0, 0.0);
#pragma unroll
    for (int i = 0; i < SOME; i++) {
        if (i >= b.bundle.steps) n.x[2 * i] = no_factor(b.bundle);
        if (b.pair[i].x < slots.split) n.x[2 * i] = peek(slots.factors + b.pair[i].x);
        if (b.pair[i].y >= 0) n.x[2 * i + 1] = peek(slots.own + b.pair[i].y);
    }
    if (r.flags & WLU_RECORD_FROM_SLOT) {
        if (r.start >= 0) n.x[START_AHEAD] = peek(slots.own + r.start);
    } else if (r.start >= 0 && b.leads)
        n.source = source_of(s, r.start);
    if (r.flags & WLU_RECORD_CLOSED) n.x[SCALE_AHEAD] = peek(slots.factors + r.other);
    return n;
}

/* Looks at all of them again until they are there. */
static __device__ __forceinline__ void look_until_there(const wlu_device_state &s, const two_buffers &slots,
                                                        const narrow_record &b, narrow_numbers &n)
{
    for (uint32_t polls = 0; all_there(n.x) == 0; polls++) {
        bool ends = (polls & 255) == 255 && give_up(s, polls);
        if (!ends) n = look(s, slots, b);
#pragma unroll
        for (int i = 0; i < NUMBERS; i++)
            if (ends && unlike_poison(n.x[i]) == 0) n.x[i] = given_up();
    }
    __syncwarp();
}

/* What a lane computes with, but for what is in shared memory, at addresses of partners and start. */
typedef struct narrow_terms {
    wlu_number factor[SOME], scale;
    unsigned at[SOME], start, to;
    int closed;
} narrow_terms;

/* A number that is needed behind the barrier is computed before it. */
static __device__ __forceinline__ void compute_now(unsigned &x)
{
    asm volatile("" : "+r"(x));
}

static __device__ __forceinline__ unsigned address_of_number(const narrow_shared &sh, int which)
{
    return address_of(sh.number) + (unsigned)sizeof(wlu_number) * (unsigned)which;
}

/* Which number a lane reads: a result of the section, or x, put among its own. */
static __device__ __forceinline__ int number_of(narrow_shared &sh, int32_t named, int row, wlu_number x, int tid)
{
    int own = PLACES + row * WLU_TILE_THREADS + tid;
    write_at(address_of_number(sh, own), x);
    return named < 0 ? ~named : own;
}

/* Steps that were not fetched ahead. */
static __device__ __forceinline__ void fetch_rest(const wlu_device_stream &d, const wlu_device_state &s,
                                                  const two_buffers &slots, const wlu_bundle &b, narrow_shared &sh,
                                                  int tid)
{
    const int2 *pair = pairs_of(d, b, tid % (int)WLU_WARP);
#pragma unroll 1
    for (int first = SOME; first < b.steps; first += SOME) {
        const wlu_number *at[2 * SOME];
        slot_bits x[2 * SOME];
        int named[SOME];
#pragma unroll
        for (int i = 0; i < SOME; i++) {
            int has = first + i < b.steps;
            int2 p = has ? __ldg(pair + WLU_WARP * (first + i)) : make_int2(INT_MAX, -1);
            at[2 * i] = slots.factors + p.x;
            at[2 * i + 1] = slots.own + p.y;
            x[2 * i] = has ? no_bits() : no_factor(b);
            x[2 * i + 1] = no_bits();
            if (p.x < slots.split) x[2 * i] = peek(at[2 * i]);
            if (p.y >= 0) x[2 * i + 1] = peek(at[2 * i + 1]);
            named[i] = has ? p.y : 0;
        }
        wait_all<2 * SOME>(s, at, x);
#pragma unroll
        for (int i = 0; i < SOME; i++) {
            sh.factor[first - SOME + i][tid] = number(x[2 * i]);
            sh.partner[first - SOME + i][tid] = (uint16_t)number_of(sh, named[i], first + i, number(x[2 * i + 1]), tid);
        }
    }
    __syncwarp();
}

static __device__ __forceinline__ wlu_number add_rest(const narrow_shared &sh, int steps, int is_long, wlu_number acc,
                                                      int tid)
{
#pragma unroll 1
    for (int first = 0; first < steps - SOME; first += SOME) {
        wlu_number factor[SOME], other[SOME];
#pragma unroll
        for (int i = 0; i < SOME; i++) {
            factor[i] = sh.factor[first + i][tid];
            other[i] = read_at(address_of_number(sh, sh.partner[first + i][tid]));
        }
#pragma unroll
        for (int i = 0; i < SOME; i++) acc = wlu_lane_term(is_long, acc, factor[i], other[i]);
    }
    return acc;
}

static __device__ __forceinline__ wlu_number add_terms(const narrow_terms &t, const narrow_shared &sh, int steps,
                                                       int is_long, wlu_number acc, int tid)
{
    wlu_number other[SOME];
#pragma unroll
    for (int i = 0; i < SOME; i++) other[i] = read_at(t.at[i]);
#pragma unroll
    for (int i = 0; i < SOME; i++) acc = wlu_lane_term(is_long, acc, t.factor[i], other[i]);
    return steps > SOME ? add_rest(sh, steps, is_long, acc, tid) : acc;
}

/* The record's value, from results that are there. */
static __device__ __forceinline__ wlu_number compute(const wlu_bundle &b, const narrow_terms &t,
                                                     const narrow_shared &sh, int tid)
{
    wlu_number start = read_at(t.start);
    if (b.shape != WLU_BUNDLE_LONG) {
        wlu_number sum = add_terms(t, sh, b.steps, 0, start, tid);
        return wlu_lane_scale_closed(t.closed, wlu_lane_total(0, start, sum), t.scale);
    }
    wlu_number sum = add_terms(t, sh, b.steps, 1, wlu_zero(), tid);
    sum = wlu_lane_pair(sum, shuffle_xor(sum, 4));
    sum = wlu_lane_pair(sum, shuffle_xor(sum, 2));
    sum = wlu_lane_pair(sum, shuffle_xor(sum, 1));
    return wlu_lane_scale_closed(t.closed, wlu_lane_total(1, start, sum), t.scale);
}

/* A bundle whose numbers were looked at. begin: the section's first one. */
static __device__ __forceinline__ void run_bundle(const wlu_device_stream &d, const wlu_device_state &s,
                                                  const two_buffers &slots, const narrow_record &now, narrow_numbers &n,
                                                  narrow_shared &sh, const wlu_bundle &begin, int tid)
{
    const wlu_bundle &b = now.bundle;
    const wlu_device_instruction &r = now.record;
    int from_slot = r.flags & WLU_RECORD_FROM_SLOT;
    unsigned level = (b.level - begin.level) & 0xffffu, before = (level - 1) / BARRIERS, times = ARRIVALS / b.width;
    unsigned barrier = address_of(&sh.barrier[(level - 1) % BARRIERS]),
             behind = address_of(&sh.barrier[level % BARRIERS]);
    wlu_number *to = slots.own + r.target;
    narrow_terms t;
    look_until_there(s, slots, now, n);
    wlu_number start = from_slot ? number(n.x[START_AHEAD]) : wlu_lane_publishable(wlu_lane_load(n.source, r.power));
    t.closed = r.flags & WLU_RECORD_CLOSED;
    t.scale = t.closed ? number(n.x[SCALE_AHEAD]) : wlu_number_of((wlu_real)1, 0);
    int mine = now.leads ? b.first - begin.first + record_of(b, tid % (int)WLU_WARP)
                         : PLACES + UNUSED_ROW * WLU_TILE_THREADS + tid;
    t.start = address_of_number(sh, number_of(sh, from_slot ? r.start : 0, START, start, tid));
    t.to = address_of_number(sh, mine);
#pragma unroll
    for (int i = 0; i < SOME; i++) {
        t.factor[i] = number(n.x[2 * i]);
        t.at[i] = address_of_number(sh, number_of(sh, i < b.steps ? now.pair[i].y : 0, i, number(n.x[2 * i + 1]), tid));
        compute_now(t.at[i]);
    }
    if (b.steps > SOME) fetch_rest(d, s, slots, b, sh, tid);
    compute_now(t.start);
    compute_now(t.to);
    compute_now(barrier);
    compute_now(behind);
    compute_now(times);
    WLU_DELAY(b.operand);
    while (level > 0 && !has_ended(barrier, before)) continue;
    __syncwarp();
    wlu_number value = compute(b, t, sh, tid);
    write_at(t.to, value);
    arrive_at(behind, times);
    if (now.leads) publish(to, value);
}

/* All warps of the block. */
static __device__ __forceinline__ void run_narrow(const wlu_device_stream &d, const wlu_device_state &s,
                                                  const two_buffers &slots, const wlu_solve_task &task,
                                                  narrow_shared &sh, int tid)
{
    int lane = tid % WLU_WARP, warp = tid / WLU_WARP;
    wlu_bundle begin = read_bundle(d, task, 0), after = read_bundle(d, task, warp + 2 * NARROW_WARPS);
    narrow_record now = read_record(d, read_bundle(d, task, warp), lane);
    narrow_record next = read_record(d, read_bundle(d, task, warp + NARROW_WARPS), lane);
    narrow_numbers numbers = look(s, slots, now);
    if (tid < BARRIERS) make_barrier(&sh.barrier[tid]);
    __syncthreads();
#pragma unroll 1
    for (int k = warp; k < task.count; k += NARROW_WARPS) {
        narrow_numbers ahead = look(s, slots, next);
        narrow_record then = read_record(d, after, lane);
        after = read_bundle(d, task, k + 3 * NARROW_WARPS);
        WLU_DELAY(k);
        run_bundle(d, s, slots, now, numbers, sh, begin, tid);
        now = next;
        next = then;
        numbers = ahead;
    }
    __syncthreads();
    if (tid < BARRIERS) unmake_barrier(&sh.barrier[tid]);
}

#endif
