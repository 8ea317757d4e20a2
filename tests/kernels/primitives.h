/* The primitives of simd_*.h as functions on memory, one table for each instruction set: a v8 cannot cross from a file
 * compiled for one instruction set to one compiled for another. */
#ifndef WLU_TEST_PRIMITIVES_H
#define WLU_TEST_PRIMITIVES_H

#include <stdint.h>

enum { PRIMITIVE_MEMORY = 64 };

typedef struct primitive_operands {
    double a[8], b[8], c[8];
    double magnitude[2][8];          /* without signs */
    double rows[8][8];               /* eight vectors */
    double memory[PRIMITIVE_MEMORY]; /* gathered from */
    int32_t index[8];                /* into memory, each another one */
    int32_t maybe[8];                /* the same, or -1 */
    uint16_t upper[8];               /* of powers of two */
    int lane;
} primitive_operands;

/* out: PRIMITIVE_MEMORY numbers, of which a primitive writes its first so many, or those it scatters to. */
typedef void primitive(const primitive_operands *o, double *out);

#define PRIMITIVES(X) \
    X(zero) \
    X(set) \
    X(load) \
    X(add) \
    X(mul) \
    X(div) \
    X(fma) \
    X(fnma) \
    X(abs) \
    X(gather) \
    X(gather_or_zero) \
    X(scatter) \
    X(load_powers) \
    X(inverse_power) \
    X(max_bits) \
    X(greater_of) \
    X(all_greater) \
    X(select) \
    X(first) \
    X(lane) \
    X(from) \
    X(eliminate) \
    X(tree) \
    X(trees) \
    X(transpose)

typedef enum primitive_name {
#define X(name) PRIMITIVE_##name,
    PRIMITIVES(X)
#undef X
        PRIMITIVE_COUNT
} primitive_name;

extern primitive *const test_primitives_avx512[PRIMITIVE_COUNT], *const test_primitives_avx512_loads[PRIMITIVE_COUNT],
                                                                     *const test_primitives_avx2[PRIMITIVE_COUNT];
extern primitive *const test_primitives_neon[PRIMITIVE_COUNT], *const test_primitives_portable[PRIMITIVE_COUNT];

#endif
