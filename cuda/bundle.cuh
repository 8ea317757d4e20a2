/* Bundles: a warp takes them by tickets, in topological order.
 *
 * All operands of four steps are asked for before any is looked at, and polled together; the divisor is asked for first. The next ticket
 * and its header are fetched meanwhile: a warp that holds a later ticket works on an earlier one, so whoever waits waits
 * for a bundle that somebody works on. */
#ifndef WLU_BUNDLE_CUH
#define WLU_BUNDLE_CUH

#include "slots.cuh"

/* Where slots lie: all in one buffer; or, in a solve, those below `split` in the factorization's, the others in its own. */
typedef struct one_buffer {
    double *v;
    __device__ __forceinline__ double *at(int slot) const { return v + slot; }
} one_buffer;

typedef struct two_buffers {
    double *factors, *own; /* own: less split */
    int split;
    __device__ __forceinline__ double *at(int slot) const { return (slot < split ? factors : own) + slot; }
} two_buffers;

/* Largest magnitudes that a thread has seen. */
typedef struct seen {
    u64 of[WLU_DEVICE_AREAS];
} seen;

static __device__ __forceinline__ void look(seen &m, int area, u64 bits)
{
#pragma unroll
    for (int k = 1; k < WLU_DEVICE_AREAS; k++)
        if (area == k && bits > m.of[k]) m.of[k] = bits;
}

static __device__ __forceinline__ double from_source(const wlu_device_state &s, int32_t at, uint16_t power)
{
    return at < 0 ? 0.0 : wlu_lane_load(s.source[at], power);
}

/* The lane's terms, some steps at a time; the operands' places are fetched one round ahead. */
template <class memory>
static __device__ __forceinline__ double run_terms(const wlu_device_state &s, const memory &v, const int2 *pair, int steps,
                                                   int is_long, double acc)
{
    enum { AHEAD = 4 };
    int2 next[AHEAD];
#pragma unroll
    for (int i = 0; i < AHEAD; i++)
        if (i < steps) next[i] = __ldg(pair + WLU_WARP * i);
    for (int k = 0; k < steps; k += AHEAD) {
        const double *at[2 * AHEAD];
        u64 x[2 * AHEAD];
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            at[2 * i] = v.at(next[i].x);
            at[2 * i + 1] = v.at(next[i].y);
            x[2 * i] = x[2 * i + 1] = 0;
            if (k + i < steps) {
                x[2 * i] = peek(at[2 * i]);
                x[2 * i + 1] = peek(at[2 * i + 1]);
            }
        }
#pragma unroll
        for (int i = 0; i < AHEAD; i++)
            if (k + AHEAD + i < steps) next[i] = __ldg(pair + WLU_WARP * (k + AHEAD + i));
        wait_all<2 * AHEAD>(s, at, x);
#pragma unroll
        for (int i = 0; i < AHEAD; i++)
            if (k + i < steps) acc = wlu_lane_term(is_long, acc, number(x[2 * i]), number(x[2 * i + 1]));
    }
    return acc;
}

template <class memory>
static __device__ __forceinline__ void finish_record(const wlu_device_state &s, const memory &v, const wlu_device_record &r,
                                                     double value, u64 divisor, seen &m)
{
    if (r.flags & WLU_RECORD_SCALED) value = WLU_MUL(value, number(wait(s, v.at(r.other), divisor)));
    if (r.flags & WLU_RECORD_RECIPROCAL) {
        double reciprocal = WLU_INVERT(value);
        publish(v.at(r.other), reciprocal);
        look(m, WLU_DEVICE_RECIPROCAL, wlu_lane_magnitude(reciprocal));
    }
    publish(v.at(r.target), value);
    look(m, r.area, wlu_lane_magnitude(value));
}

template <class memory>
static __device__ __forceinline__ void run_records(const wlu_device_stream &d, const wlu_device_state &s, const memory &v,
                                                   const wlu_bundle &b, int lane, seen &m)
{
    int is_long = b.shape == WLU_BUNDLE_LONG, mine = is_long ? lane >> 3 : lane;
    int leads = mine < b.records && (!is_long || (lane & 7) == 0);
    wlu_device_record r;
    u64 divisor = 0;
    double start = 0.0;
    r.flags = 0;
    if (leads) {
        int4 raw = __ldg((const int4 *)(d.record + b.first + mine));
        memcpy(&r, &raw, sizeof r);
        if (r.flags & WLU_RECORD_SCALED) divisor = peek(v.at(r.other));
        if (r.flags & WLU_RECORD_FROM_SLOT)
            start = number(wait(s, v.at(r.start), peek(v.at(r.start))));
        else
            start = from_source(s, r.start, r.power);
    }
    const int2 *pair = (const int2 *)d.operand + WLU_WARP * (int64_t)b.operand + lane;
    double sum = run_terms(s, v, pair, b.steps, is_long, is_long ? 0.0 : start);
    __syncwarp();
    if (is_long) {
        sum = wlu_lane_pair(sum, __shfl_xor_sync(~0u, sum, 4));
        sum = wlu_lane_pair(sum, __shfl_xor_sync(~0u, sum, 2));
        sum = wlu_lane_pair(sum, __shfl_xor_sync(~0u, sum, 1));
    }
    if (leads) finish_record(s, v, r, wlu_lane_total(is_long, start, sum), divisor, m);
}

template <class memory>
static __device__ __forceinline__ void run_loads(const wlu_device_stream &d, const wlu_device_state &s, const memory &v,
                                                 const wlu_bundle &b, int lane, seen &m)
{
    for (int k = lane; k < b.steps; k += WLU_WARP) {
        double x = from_source(s, __ldg(d.load_source + b.operand + k), __ldg(d.load_power + b.operand + k));
        publish(v.at(b.first + k), x);
        look(m, b.records, wlu_lane_magnitude(x));
    }
}

/* Entry k of the guards: a column's, and a row's. */
static __device__ __forceinline__ void look_at_entry(const wlu_device_guards &g, const wlu_device_state &s, int k, seen &m)
{
    int row = k < g.shared ? k : g.n + (k - g.shared);
    double column_entry = s.source[__ldg(g.a_source + k)];
    double row_entry = row == k ? column_entry : s.source[__ldg(g.a_source + row)];
    look(m, WLU_DEVICE_INVERSE, wlu_lane_inverse(column_entry, __ldg(g.a_scale + k)));
    look(m, WLU_DEVICE_DRIFT, wlu_lane_drift(row_entry, __ldg(g.row_scale + k)));
}

static __device__ __forceinline__ void run_guards(const wlu_device_guards &g, const wlu_device_state &s, const wlu_bundle &b,
                                                  int lane, seen &m)
{
    for (int k = b.first + lane; k < b.first + b.steps; k += WLU_WARP) look_at_entry(g, s, k, m);
}

static __device__ __forceinline__ uint32_t take(uint32_t *ticket, int lane)
{
    uint32_t t = 0;
    if (lane == 0) t = atomicAdd(ticket, 1u);
    return t;
}

/* Takes bundles until there are no more; `other` runs those that are neither records nor loads. */
template <class memory, class others>
static __device__ __forceinline__ void run_bundles(const wlu_device_stream &d, const wlu_device_state &s, const memory &v, uint32_t *ticket,
                                                   int lane, seen &m, const others &other)
{
    uint32_t count = (uint32_t)d.bundles, now = __shfl_sync(~0u, take(ticket, lane), 0);
    uint32_t next = take(ticket, lane);
    int4 header = now < count ? __ldg((const int4 *)(d.bundle + now)) : make_int4(0, 0, 0, 0);
    while (now < count) {
        wlu_bundle b;
        memcpy(&b, &header, sizeof b);
        now = __shfl_sync(~0u, next, 0);
        next = take(ticket, lane);
        if (now < count) header = __ldg((const int4 *)(d.bundle + now));
        if (b.shape <= WLU_BUNDLE_LONG)
            run_records(d, s, v, b, lane, m);
        else if (b.shape == WLU_BUNDLE_LOADS)
            run_loads(d, s, v, b, lane, m);
        else
            other(b);
    }
}

#endif
