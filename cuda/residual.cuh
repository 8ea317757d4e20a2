/* Residuals and backward errors of rows, by a block: eight lanes take a row, and a warp four rows. A row of more than
 * LONG entries has a warp, with eight accumulators a lane. A hub's row has the whole block, one accumulator a thread.
 * numerics/refine.h has the arithmetic, exec/residual/refine.c does the same on the host. */
#ifndef WLU_RESIDUAL_CUH
#define WLU_RESIDUAL_CUH

#include "exec/device/refine.h"
#include "words.cuh"

enum { THREADS = WLU_REFINE_THREADS, SUMS = WLU_REFINE_SUMS };
enum { ROWS_A_BLOCK = THREADS / SUMS };
enum { LONG = WLU_REFINE_LONG, HUB = 1024, EACH = WLU_REFINE_LONG_SUMS / WLU_WARP };

/* A block's: room for the sums of a hub's row; the largest of its rows. */
typedef struct residual_shared {
    wlu_row_sums *sums;
    u64 error, largest;
} residual_shared;

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

/* Every apart-th entry of a row from `first` on, to sums of what is before. So many are read at once; in place of those
 * behind the end the first one is, once more. */
template <int AT_ONCE>
static __device__ __forceinline__ wlu_row_sums sum_entries(wlu_row_sums s, const wlu_refine_rows &rows,
                                                           const double *entries, const double *x, int first, int end,
                                                           int apart)
{
    for (; first < end; first += AT_ONCE * apart) {
        wlu_wide a[AT_ONCE], y[AT_ONCE];
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++) {
            int k = first + j * apart < end ? first + j * apart : first;
            a[j] = wlu_wide_at(entries, (int64_t)__ldg(rows.source + k));
            y[j] = wlu_wide_at(x, (int64_t)__ldg(rows.column + k));
        }
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++)
            if (first + j * apart < end) wlu_row_add(&s, a[j], y[j]);
    }
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
                                               int begin, int end, residual_shared &sh)
{
    int tid = (int)threadIdx.x;
    sh.sums[tid] = sum_entries<16>(wlu_row_begin(), rows, entries, x, begin + tid, end, WLU_REFINE_LONG_SUMS);
    for (int apart = WLU_REFINE_LONG_SUMS / 2; apart > 0; apart /= 2) {
        __syncthreads();
        if (tid < apart) wlu_row_join(&sh.sums[tid], &sh.sums[tid + apart]);
    }
    __syncthreads();
}

/* A lane's row, which is number lane / 8 of the warp's: from begin on, begin being end where there is none; the lane's
 * first entry in a short one, where first is 1; the row's right-hand side. What can be read before x is there. */
typedef struct row_start {
    int begin, end, first, column;
    wlu_wide entry, b;
} row_start;

static __device__ __forceinline__ row_start fetch_row(const wlu_refine_rows &rows, const double *entries,
                                                      const double *b, int64_t i, int lane)
{
    row_start r = {0, 0, 0, 0, wlu_wide_of(0.0, 0.0), wlu_wide_of(0.0, 0.0)};
    if (i >= rows.n) return r;
    r.begin = __ldg(rows.begin + i);
    r.end = __ldg(rows.begin + i + 1);
    r.b = wlu_wide_at(b, i);
    int k = r.begin + lane % SUMS;
    r.first = r.end - r.begin <= LONG && k < r.end;
    if (!r.first) return r;
    r.column = __ldg(rows.column + k);
    r.entry = wlu_wide_at(entries, (int64_t)__ldg(rows.source + k));
    return r;
}

/* Hubs' are left out. */
static __device__ __forceinline__ wlu_row_sums sum_rows(const wlu_refine_rows &rows, const double *entries,
                                                        const double *x, const row_start &r, int lane)
{
    int begin = r.begin, end = r.end;
    bool is_short = end - begin <= LONG, is_long = !is_short && end - begin <= HUB;
    wlu_row_sums s = wlu_row_begin();
    if (r.first) wlu_row_add(&s, r.entry, wlu_wide_at(x, (int64_t)r.column));
    s = sum_entries<4>(s, rows, entries, x, begin + SUMS + lane % SUMS, is_short ? end : begin, SUMS);
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
                                                int64_t first, int64_t own, residual_shared &sh, wlu_row_sums *mine)
{
    for (int64_t i = first; i < first + ROWS_A_BLOCK && i < rows.n; i++) {
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

#endif
