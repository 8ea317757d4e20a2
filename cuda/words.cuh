/* A number in instructions: its bits as a slot holds them, how these are read, written and told from poison, and how
 * numbers go through shared memory and between lanes. A complex number is two words, each its own flag: it is there
 * when both are.
 *
 * Reads and writes of slots are relaxed at device scope, that is in the second-level cache. Those of shared memory stay
 * where they are written; what is named `now` goes ahead of writes, for between whoever wrote and these there is always
 * a __syncthreads. */
#ifndef WLU_WORDS_CUH
#define WLU_WORDS_CUH

#include "exec/device/lanes.h"

typedef unsigned long long u64;

static __device__ __forceinline__ double number(u64 bits)
{
    return __longlong_as_double((long long)bits);
}

static __device__ __forceinline__ float number(unsigned bits)
{
    return __uint_as_float(bits);
}

static __device__ __forceinline__ u64 bits_of(double x)
{
    return (u64)__double_as_longlong(x);
}

static __device__ __forceinline__ unsigned bits_of(float x)
{
    return __float_as_uint(x);
}

/* Nothing that is published has poison's upper 32 bits: 0 where the word is still missing. */
template <class word> static __device__ __forceinline__ uint32_t word_unlike_poison(word x)
{
    return (uint32_t)(x >> (8 * sizeof x - 32)) ^ WLU_POISON_HALF;
}

#ifdef WLU_COMPLEX
typedef struct slot_bits {
    u64 re, im;
} slot_bits;

static __device__ __forceinline__ slot_bits bits_of_words(u64 word)
{
    return {word, word};
}

static __device__ __forceinline__ slot_bits peek(const wlu_number *p)
{
    slot_bits x;
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(x.re), "=l"(x.im) : "l"(p));
    return x;
}

static __device__ __forceinline__ void put(wlu_number *p, slot_bits x)
{
    asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(p), "l"(x.re), "l"(x.im) : "memory");
}

static __device__ __forceinline__ uint32_t unlike_poison(slot_bits x)
{
    return min(word_unlike_poison(x.re), word_unlike_poison(x.im));
}

/* Without a branch: looks again if it is missing. */
static __device__ __forceinline__ void look_again(const wlu_number *p, slot_bits &x)
{
    asm volatile("{ .reg .pred m; setp.eq.u32 m, %3, 0; @m ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2]; }"
                 : "+l"(x.re), "+l"(x.im)
                 : "l"(p), "r"(unlike_poison(x)));
}

static __device__ __forceinline__ wlu_number number(slot_bits x)
{
    return wlu_number_of(number(x.re), number(x.im));
}

static __device__ __forceinline__ slot_bits bits_of(wlu_number x)
{
    return {bits_of(x.re), bits_of(x.im)};
}

static __device__ __forceinline__ wlu_number read_now_at(unsigned address)
{
    wlu_number x;
    asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];" : "=d"(x.re), "=d"(x.im) : "r"(address));
    return x;
}

static __device__ __forceinline__ wlu_number read_at(unsigned address)
{
    wlu_number x;
    asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];" : "=d"(x.re), "=d"(x.im) : "r"(address) : "memory");
    return x;
}

static __device__ __forceinline__ void write_at(unsigned address, wlu_number x)
{
    asm volatile("st.shared.v2.f64 [%0], {%1, %2};" ::"r"(address), "d"(x.re), "d"(x.im) : "memory");
}

static __device__ __forceinline__ wlu_number shuffle(wlu_number x, int lane)
{
    return wlu_number_of(__shfl_sync(~0u, x.re, lane), __shfl_sync(~0u, x.im, lane));
}

static __device__ __forceinline__ wlu_number shuffle_xor(wlu_number x, int apart)
{
    return wlu_number_of(__shfl_xor_sync(~0u, x.re, apart), __shfl_xor_sync(~0u, x.im, apart));
}
#else
#ifdef WLU_SINGLE
typedef unsigned slot_bits;
#define SLOT_WIDTH "32"
#define SLOT_REGISTER "r"
#define SLOT_NUMBER "f"
#else
typedef u64 slot_bits;
#define SLOT_WIDTH "64"
#define SLOT_REGISTER "l"
#define SLOT_NUMBER "d"
#endif

static __device__ __forceinline__ slot_bits bits_of_words(slot_bits word)
{
    return word;
}

static __device__ __forceinline__ slot_bits peek(const wlu_number *p)
{
    slot_bits x;
    asm volatile("ld.relaxed.gpu.global.u" SLOT_WIDTH " %0, [%1];" : "=" SLOT_REGISTER(x) : "l"(p));
    return x;
}

static __device__ __forceinline__ void put(wlu_number *p, slot_bits x)
{
    asm volatile("st.relaxed.gpu.global.u" SLOT_WIDTH " [%0], %1;" ::"l"(p), SLOT_REGISTER(x) : "memory");
}

static __device__ __forceinline__ uint32_t unlike_poison(slot_bits x)
{
    return word_unlike_poison(x);
}

/* Without a branch: looks again if it is missing. */
static __device__ __forceinline__ void look_again(const wlu_number *p, slot_bits &x)
{
    asm volatile("{ .reg .pred m; setp.eq.u32 m, %2, 0; @m ld.relaxed.gpu.global.u" SLOT_WIDTH " %0, [%1]; }"
                 : "+" SLOT_REGISTER(x)
                 : "l"(p), "r"(unlike_poison(x)));
}

static __device__ __forceinline__ wlu_number read_now_at(unsigned address)
{
    wlu_number x;
    asm volatile("ld.shared.f" SLOT_WIDTH " %0, [%1];" : "=" SLOT_NUMBER(x) : "r"(address));
    return x;
}

static __device__ __forceinline__ wlu_number read_at(unsigned address)
{
    wlu_number x;
    asm volatile("ld.shared.f" SLOT_WIDTH " %0, [%1];" : "=" SLOT_NUMBER(x) : "r"(address) : "memory");
    return x;
}

static __device__ __forceinline__ void write_at(unsigned address, wlu_number x)
{
    asm volatile("st.shared.f" SLOT_WIDTH " [%0], %1;" ::"r"(address), SLOT_NUMBER(x) : "memory");
}

template <class real> static __device__ __forceinline__ real shuffle(real x, int lane)
{
    return __shfl_sync(~0u, x, lane);
}

template <class real> static __device__ __forceinline__ real shuffle_xor(real x, int apart)
{
    return __shfl_xor_sync(~0u, x, apart);
}
#endif

/* Of a replay that is given up; of a slot that nobody waits for. */
static __device__ __forceinline__ slot_bits given_up(void)
{
    return bits_of_words(WLU_REAL_NAN);
}

static __device__ __forceinline__ slot_bits no_bits(void)
{
    return bits_of_words(0);
}

/* 16 bytes of slots, read or written at once. */
enum { PIECE = 16 / sizeof(wlu_number) };

typedef struct __align__(16) slot_piece
{
    wlu_number of[PIECE];
}
slot_piece;

static __device__ __forceinline__ void peek_piece(const wlu_number *p, slot_bits *x)
{
#if defined(WLU_COMPLEX)
    x[0] = peek(p);
#elif defined(WLU_SINGLE)
    asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "l"(p));
#else
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(x[0]), "=l"(x[1]) : "l"(p));
#endif
}

static __device__ __forceinline__ void put_piece(wlu_number *p, const slot_bits *x)
{
#if defined(WLU_COMPLEX)
    put(p, x[0]);
#elif defined(WLU_SINGLE)
    asm volatile("st.relaxed.gpu.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(x[0]), "r"(x[1]), "r"(x[2]),
                 "r"(x[3])
                 : "memory");
#else
    asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(p), "l"(x[0]), "l"(x[1]) : "memory");
#endif
}

static __device__ __forceinline__ unsigned address_of(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

static __device__ __forceinline__ wlu_number read_now(const wlu_number *p)
{
    return read_now_at(address_of(p));
}

static __device__ __forceinline__ void read_piece_now(const wlu_number *p, wlu_number *x)
{
#if defined(WLU_COMPLEX)
    x[0] = read_now(p);
#elif defined(WLU_SINGLE)
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(x[0]), "=f"(x[1]), "=f"(x[2]), "=f"(x[3])
                 : "r"(address_of(p)));
#else
    asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];" : "=d"(x[0]), "=d"(x[1]) : "r"(address_of(p)));
#endif
}

#endif
