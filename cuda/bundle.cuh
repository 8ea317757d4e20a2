/* Bundles: a warp takes them by tickets, in topological order.
 *
 * All operands of four steps are asked for before any is looked at, and polled together; the divisor is asked for
 * first. The next ticket and its header are fetched meanwhile: a warp that holds a later ticket works on an earlier
 * one, so whoever waits waits for a bundle that somebody works on. */
#ifndef WLU_BUNDLE_CUH
#define WLU_BUNDLE_CUH

#include "slots.cuh"

/* Where slots lie: all in one buffer; or, in a solve, those below `split` in the factorization's, the others in its
 * own. */
typedef struct one_buffer {
    wlu_number *v;
    __device__ __forceinline__ wlu_number *at(int slot) const
    {
        return v + slot;
    }
} one_buffer;

typedef struct two_buffers {
    wlu_number *factors, *own; /* own: less split */
    int split;
    __device__ __forceinline__ wlu_number *at(int slot) const
    {
        return (slot < split ? factors : own) + slot;
    }
} two_buffers;

/* A thread's maxima: those areas that every replay looks at, in registers. */
static __device__ __forceinline__ void maxima_clear(wlu_maxima &m)
{
#pragma unroll
    for (int k = 0; k < WLU_AREAS; k++) m.of[k] = 0;
}

static __device__ __forceinline__ void maxima_add(wlu_maxima &m, int area, u64 bits)
{
#pragma unroll
    for (int k = 1; k < WLU_SEEN_AREAS; k++)
        if (area == k && bits > m.of[k]) m.of[k] = bits;
}

/* What loads read; in FP32 a residual may be far from its range. */
static __device__ __forceinline__ wlu_wide source_of(const wlu_device_state &s, int32_t at)
{
    wlu_wide x = wlu_wide_at(s.source, (int64_t)at);
    return WLU_REAL_SINGLE ? WLU_WIDE_SCALED(s.scale, x) : x;
}

static __device__ __forceinline__ wlu_number from_source(const wlu_device_state &s, int32_t at, uint16_t power)
{
    return at < 0 ? wlu_zero() : wlu_lane_load(source_of(s, at), power);
}

/* Where a lane's sum begins: a number, or a slot that was looked at once and is waited for when it is needed, for until
 * then operands can be on their way. */
typedef struct start_value {
    const wlu_number *at; /* or NULL: `seen` are the number's bits */
    slot_bits seen;
} start_value;

static __device__ __forceinline__ wlu_number begin_with(const wlu_device_state &s, const start_value &start)
{
    const wlu_number *const at[1] = {start.at};
    slot_bits x[1] = {start.seen};
    if (start.at != NULL) wait_all<1>(s, at, x);
    return number(x[0]);
}

/* The lane's terms, some steps at a time; the operands' places are fetched one round ahead. */
template <class memory>
static __device__ __forceinline__ wlu_number run_terms(const wlu_device_state &s, const memory &v, const int2 *pair,
                                                       int steps, int is_long, const start_value &start)
{
    enum { AHEAD = 4 };
    wlu_number acc = wlu_zero();
    int2 next[AHEAD];
#pragma unroll
    for (int i = 0; i < AHEAD; i++)
        if (i < steps) next[i] = __ldg(pair + WLU_WARP * i);
    for (int k = 0; k < steps; k += AHEAD) {
        const wlu_number *at[2 * AHEAD];
        slot_bits x[2 * AHEAD];
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            at[2 * i] = v.at(next[i].x);
            at[2 * i + 1] = v.at(next[i].y);
            x[2 * i] = x[2 * i + 1] = no_bits();
            if (k + i < steps) {
                x[2 * i] = peek(at[2 * i]);
                x[2 * i + 1] = peek(at[2 * i + 1]);
            }
        }
#pragma unroll
        for (int i = 0; i < AHEAD; i++)
            if (k + AHEAD + i < steps) next[i] = __ldg(pair + WLU_WARP * (k + AHEAD + i));
        if (k == 0 && !is_long) acc = begin_with(s, start);
        wait_all<2 * AHEAD>(s, at, x);
#pragma unroll
        for (int i = 0; i < AHEAD; i++)
            if (k + i < steps) acc = wlu_lane_term(is_long, acc, number(x[2 * i]), number(x[2 * i + 1]));
    }
    return steps > 0 || is_long ? acc : begin_with(s, start);
}

/* The terms of a record that has the whole warp: 32 at a time, of which four belong to each of the eight accumulators,
 * that of lane c to lanes c, c + 8, ... */
template <class memory>
static __device__ __forceinline__ wlu_number run_wide(const wlu_device_state &s, const memory &v, const int2 *pair,
                                                      int steps, int lane)
{
    enum { AHEAD = 6, SUMS = 8 };
    wlu_number acc = wlu_zero();
    for (int k = 0; k < steps; k += AHEAD) {
        const wlu_number *at[2 * AHEAD];
        slot_bits x[2 * AHEAD];
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            int2 next = k + i < steps ? __ldg(pair + WLU_WARP * (k + i)) : make_int2(0, 0);
            at[2 * i] = v.at(next.x);
            at[2 * i + 1] = v.at(next.y);
        }
#pragma unroll
        for (int i = 0; i < 2 * AHEAD; i++) x[i] = k + i / 2 < steps ? peek(at[i]) : no_bits();
        wait_all<2 * AHEAD>(s, at, x);
        __syncwarp();
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            wlu_number a = number(x[2 * i]), b = number(x[2 * i + 1]);
            if (k + i >= steps) break;
#pragma unroll
            for (int j = 0; j < WLU_WARP; j += SUMS)
                acc = wlu_lane_term(1, acc, shuffle(a, j + lane % SUMS), shuffle(b, j + lane % SUMS));
        }
    }
    return acc;
}

template <class memory>
static __device__ __forceinline__ void finish_record(const wlu_device_state &s, const memory &v,
                                                     const wlu_device_instruction &r, wlu_number value,
                                                     slot_bits divisor, wlu_maxima &m)
{
    if (r.flags & WLU_RECORD_CLOSED) {
        const wlu_number *const at[1] = {v.at(r.other)};
        slot_bits x[1] = {divisor};
        wait_all<1>(s, at, x);
        value = wlu_lane_end(r.flags / WLU_RECORD_OPCODE, value, number(x[0]));
    }
    WLU_DELAY(r.target);
    publish(v.at(r.target), value);
    if (r.flags & WLU_RECORD_RECIPROCAL) {
        wlu_number reciprocal = wlu_lane_invert(value);
        publish(v.at(r.other), reciprocal);
        maxima_add(m, WLU_AREA_RECIPROCAL, wlu_lane_size(reciprocal));
    }
    maxima_add(m, r.area, wlu_lane_size(value));
}

/* Lanes of a record, as a power of two. */
static __device__ __forceinline__ int lanes_shift(int shape)
{
    return shape == WLU_BUNDLE_SHORT ? 0 : shape == WLU_BUNDLE_LONG ? 3 : 5;
}

template <class memory>
static __device__ __forceinline__ void run_records(const wlu_device_stream &d, const wlu_device_state &s,
                                                   const memory &v, const wlu_bundle &b, int lane, wlu_maxima &m)
{
    int shift = lanes_shift(b.shape), mine = lane >> shift, is_long = shift > 0;
    int leads = mine < b.records && mine << shift == lane;
    const int2 *pair = (const int2 *)d.operand + WLU_WARP * (int64_t)b.operand + lane;
    wlu_device_instruction r;
    slot_bits divisor = no_bits();
    start_value start = {NULL, no_bits()};
    wlu_number sum;
    r.flags = 0;
    if (leads) {
        int4 raw = __ldg((const int4 *)(d.record + b.first + mine));
        memcpy(&r, &raw, sizeof r);
        if (r.flags & WLU_RECORD_CLOSED) divisor = peek(v.at(r.other));
        if (r.flags & WLU_RECORD_FROM_SLOT)
            start = {v.at(r.start), peek(v.at(r.start))};
        else
            start.seen = bits_of(from_source(s, r.start, r.power));
    }
    __syncwarp();
    if (b.shape == WLU_BUNDLE_WIDE)
        sum = run_wide(s, v, pair, b.steps, lane);
    else
        sum = run_terms(s, v, pair, b.steps, is_long, start);
    __syncwarp();
    if (is_long) {
        sum = wlu_lane_pair(sum, shuffle_xor(sum, 4));
        sum = wlu_lane_pair(sum, shuffle_xor(sum, 2));
        sum = wlu_lane_pair(sum, shuffle_xor(sum, 1));
    }
    if (!leads) return;
    wlu_number begin = is_long ? begin_with(s, start) : wlu_zero();
    if (WLU_NUMBER_REALS == 1 || !wlu_record_is_loaded(&b, &r)) sum = wlu_lane_total(is_long, begin, sum);
    finish_record(s, v, r, sum, divisor, m);
}

template <class memory>
static __device__ __forceinline__ void run_loads(const wlu_device_stream &d, const wlu_device_state &s, const memory &v,
                                                 const wlu_bundle &b, int lane, wlu_maxima &m)
{
    for (int k = lane; k < b.steps; k += WLU_WARP) {
        wlu_number x = from_source(s, __ldg(d.load_source + b.operand + k), __ldg(d.load_power + b.operand + k));
        publish(v.at(b.first + k), x);
        maxima_add(m, b.records, wlu_lane_size(x));
    }
}

/* Entry k of the guards: a column's, and a row's. */
static __device__ __forceinline__ void look_at_entry(const wlu_device_guards &g, const wlu_device_state &s, int k,
                                                     wlu_maxima &m)
{
    int row = k < g.shared ? k : g.n + (k - g.shared);
    wlu_wide column_entry = wlu_wide_at(s.source, (int64_t)__ldg(g.a_source + k));
    wlu_wide row_entry = row == k ? column_entry : wlu_wide_at(s.source, (int64_t)__ldg(g.a_source + row));
    maxima_add(m, WLU_AREA_INVERSE, wlu_lane_inverse(column_entry, __ldg(g.a_scale + k)));
    maxima_add(m, WLU_AREA_DRIFT, wlu_lane_drift(row_entry, __ldg(g.row_scale + k)));
}

static __device__ __forceinline__ void run_guards(const wlu_device_guards &g, const wlu_device_state &s,
                                                  const wlu_bundle &b, int lane, wlu_maxima &m)
{
    for (int k = b.first + lane; k < b.first + b.steps; k += WLU_WARP) look_at_entry(g, s, k, m);
}

static __device__ __forceinline__ uint32_t take(uint32_t *ticket, int lane)
{
    uint32_t t = 0;
    if (lane == 0) t = atomicAdd(ticket, 1u);
    return t;
}

/* Takes bundles of first .. first + count - 1 until there are no more; `other` runs those that are neither records nor
 * loads. */
template <class memory, class others>
static __device__ __forceinline__ void run_bundles(const wlu_device_stream &d, const wlu_device_state &s,
                                                   const memory &v, uint32_t *ticket, int32_t first, uint32_t count,
                                                   int lane, wlu_maxima &m, const others &other)
{
    uint32_t now = __shfl_sync(~0u, take(ticket, lane), 0);
    uint32_t next = take(ticket, lane);
    int4 header = now < count ? __ldg((const int4 *)(d.bundle + first + now)) : make_int4(0, 0, 0, 0);
    while (now < count) {
        wlu_bundle b;
        memcpy(&b, &header, sizeof b);
        WLU_DELAY(now);
        now = __shfl_sync(~0u, next, 0);
        next = take(ticket, lane);
        if (now < count) header = __ldg((const int4 *)(d.bundle + first + now));
        if (b.shape <= WLU_BUNDLE_WIDE)
            run_records(d, s, v, b, lane, m);
        else if (b.shape == WLU_BUNDLE_LOADS)
            run_loads(d, s, v, b, lane, m);
        else
            other(b);
    }
}

#endif
