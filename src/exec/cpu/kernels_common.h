/* What all kernels of a v8 share, those of replays and those of batches: the including file defines v8 and its
 * functions (simd_*.h). */
#include "program/opcodes.h"

/* A function of which every call is an instance of its own, with the call's constants: compilers leave large ones out
 * of line, where they branch on what they are given. */
#if defined(__GNUC__)
#define WLU_INSTANCE static inline __attribute__((always_inline))
#else
#define WLU_INSTANCE static inline
#endif

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

WLU_INSTANCE v8 ends_of(int opcode, v8 x, v8 d)
{
    switch (opcode) {
#define TIMES(a, b) v8_mul(a, b)
#define MINUS(a, b) v8_fnma(b, v8_set(1.0), a)
#define OVER(a) v8_div(v8_set(1.0), a)
#include "program/opcodes.def"
#undef OVER
#undef MINUS
#undef TIMES
    }
    return v8_set(NAN);
}
#undef WLU_OPCODE

/* v8_tree of each lane. */
static inline v8 lanes_tree(const v8 *a)
{
    return v8_add(v8_add(v8_add(a[0], a[4]), v8_add(a[2], a[6])), v8_add(v8_add(a[1], a[5]), v8_add(a[3], a[7])));
}

static inline v8 lanes_minus(v8 a, v8 b)
{
    return v8_fnma(b, v8_set(1.0), a);
}

/* Magnitudes of what wlu_inverse_power gives. */
static inline v8 inverse_magnitude(v8 magnitude)
{
    return v8_abs(v8_inverse_power(magnitude));
}
