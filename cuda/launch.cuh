/* What every launch does beside its work: a block's shared bookkeeping, poison for the next replay, maxima; and what
 * kernels share: copies to shared memory, dependent launches. */
#ifndef WLU_LAUNCH_CUH
#define WLU_LAUNCH_CUH

#include "bundle.cuh"

/* HALF: of a block's threads, where half of them copies what the other half works on. */
enum { W = 8, HALF = WLU_TILE_THREADS / 2 };

/* Where a build for measurements notes the time. */
#ifndef WLU_TRACE
#define WLU_TRACE(tile, what)
#endif

typedef struct tile_shared {
    u64 umax[W];
    wlu_maxima largest;
    uint32_t ticket, open;
} tile_shared;

/* Copies to shared memory under way while a block works. */
static __device__ __forceinline__ void copy16(void *to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address_of(to)), "l"(from) : "memory");
}

static __device__ __forceinline__ void copy4(void *to, const void *from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address_of(to)), "l"(from) : "memory");
}

static __device__ __forceinline__ void copy_slot(void *to, const wlu_number *from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(address_of(to)), "l"(from), "n"(sizeof *from)
                 : "memory");
}

/* What was asked for until now is a group; waits until no more than so many groups, the last, are under way, or none.
 */
static __device__ __forceinline__ void end_copies(void)
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int GROUPS> static __device__ __forceinline__ void wait_copies(void)
{
    asm volatile("cp.async.wait_group %0;" ::"n"(GROUPS) : "memory");
}

static __device__ __forceinline__ void wait_all_copies(void)
{
    asm volatile("cp.async.wait_all;" ::: "memory");
}

static __device__ __forceinline__ int read_now(const int32_t *p)
{
    int x;
    asm volatile("ld.shared.s32 %0, [%1];" : "=r"(x) : "r"(address_of(p)));
    return x;
}

/* Dependent launches: the next kernel of the stream may come while this one runs, if it was launched so; and it waits
 * here for this one's end. Nothing on devices that lack them, where kernels come one after the other. */
static __device__ __forceinline__ void let_dependents_come(void)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

static __device__ __forceinline__ void wait_for_kernel_before(void)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

enum { POISON_A_TICKET = 2048 };

/* A share of the buffer that the next replay writes: POISON_A_TICKET slots from `first` on. */
static __device__ __forceinline__ void poison_share(const wlu_device_state &s, wlu_number *other, int zero,
                                                    int minus_one, int64_t first, int tid)
{
    WLU_DELAY(first);
    for (int k = tid; k < POISON_A_TICKET && first + k < s.slots; k += WLU_TILE_THREADS)
        if (first + k != zero && first + k != minus_one) other[first + k] = number(bits_of_words(WLU_REAL_POISON));
}

/* Shares of it, as long as there are some. */
static __device__ __forceinline__ void poison(const wlu_device_state &s, wlu_number *other, int zero, int minus_one,
                                              tile_shared &sh, int tid)
{
    for (;;) {
        __syncthreads();
        if (tid == 0) sh.ticket = atomicAdd(&s.control->poison, 1u);
        __syncthreads();
        int64_t first = (int64_t)sh.ticket * POISON_A_TICKET;
        if (first >= s.slots) return;
        poison_share(s, other, zero, minus_one, first, tid);
    }
}

static __device__ __forceinline__ u64 largest_of_warp(u64 x)
{
#pragma unroll
    for (int apart = WLU_WARP / 2; apart > 0; apart /= 2) {
        u64 y = __shfl_xor_sync(~0u, x, apart);
        if (y > x) x = y;
    }
    return x;
}

/* A thread's maxima into the block's. */
static __device__ __forceinline__ void maxima_join_block(tile_shared &sh, int tid, const wlu_maxima &m)
{
#pragma unroll
    for (int k = 1; k < WLU_SEEN_AREAS; k++) {
        u64 x = largest_of_warp(m.of[k]);
        if (tid % WLU_WARP == 0 && x > 0) atomicMax((u64 *)&sh.largest.of[k], x);
    }
}

/* And the block's into the replay's. */
static __device__ __forceinline__ void collect(const wlu_device_state &s, tile_shared &sh, int tid, const wlu_maxima &m)
{
    maxima_join_block(sh, tid, m);
    __syncthreads();
    if (tid > 0 && tid < WLU_AREAS && sh.largest.of[tid] > 0)
        atomicMax((u64 *)&s.control->largest.of[tid], (u64)sh.largest.of[tid]);
}

#endif
