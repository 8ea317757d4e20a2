/* What all kernels share, those of replays and those of batches: the including file defines v8 and its functions
 * (simd_*.h). */
#include "program/opcodes.h"

/* A function of which every call is an instance of its own, with the call's constants: compilers leave large ones out
 * of line, where they branch on what they are given. */
#if defined(__GNUC__)
#define WLU_INSTANCE static inline __attribute__((always_inline))
#else
#define WLU_INSTANCE static inline
#endif

/* Where lanes are chosen when the code is compiled: every round of the loop that follows, which numbers lanes or
 * registers, is an instance of its own, and so is every call of a function that holds such loops or is called in
 * them. */
#if !defined(V8_LANES_ARE_CONSTANTS)
#define WLU_UNROLL
#define WLU_UNROLLED static inline
#elif defined(__clang__)
#define WLU_UNROLL _Pragma("clang loop unroll(full)")
#define WLU_UNROLLED WLU_INSTANCE
#else
#define WLU_UNROLL _Pragma("GCC unroll 8")
#define WLU_UNROLLED WLU_INSTANCE
#endif

#include "exec/cpu/eights.h"

/* Words of the stream are wanted this far ahead, once a line: hardware does not follow across pages, and forgets the
 * stream between gathers. 30 % of a replay of 7 MB, nothing where the stream stays in the second cache. */
enum { PREFETCH_WORDS = 1024 };

static inline void prefetch(const void *w)
{
#if defined(__GNUC__)
    __builtin_prefetch((const void *)((uintptr_t)w + PREFETCH_WORDS * sizeof(int32_t)));
#else
    (void)w;
#endif
}

/* The end of records, of chains x and divisors d; the opcode is a constant in each instance. */
#define WLU_OPCODE(name, shape, flops, compiled, semantics)
#define WLU_STREAM_OPCODE(name, shape, flops, compiled, semantics, end, stages) \
    case WLU_##name: return end;

WLU_INSTANCE n8 ends_of(int opcode, n8 x, n8 d)
{
    switch (opcode) {
#define TIMES(a, b) n8_mul(a, b)
#define MINUS(a, b) n8_sub(a, b)
#define OVER(a) n8_inverse(a)
#include "program/opcodes.def"
#undef OVER
#undef MINUS
#undef TIMES
    }
    return n8_set(wlu_number_of(NAN, NAN));
}
#undef WLU_OPCODE

/* Magnitudes of what wlu_inverse_power gives. */
static inline v8 inverse_magnitude(v8 magnitude)
{
    return v8_abs(v8_inverse_power(magnitude));
}
