/* What kernels are to the interpreter: a table for each instruction set. */
#ifndef WLU_MODEL_EXEC_KERNEL_H
#define WLU_MODEL_EXEC_KERNEL_H

#include "model/program/program.h"

typedef struct wlm_packed wlm_packed;
/* Runs one instruction on all lanes, or on the first `lanes`, a multiple of eight. */
typedef void wlm_kernel(const wlm_packed *i, char *file, int lanes);

/* An instruction as kernels read it: distances of slots in bytes, constants in place. One cache line. */
enum { WLM_OPERANDS_MOST = 6 };
struct wlm_packed {
    wlm_kernel *kernel;
    int64_t to;
    union {
        int64_t distance;
        double constant;
    } from[WLM_OPERANDS_MOST];
};

/* For all lanes, for the first ones. */
typedef struct wlm_kernel_pair {
    wlm_kernel *all, *first;
} wlm_kernel_pair;

/* What is fused with an EXP of x, of constants c1 to c4 and n, a constant or a slot:
 *     before    x, (x + c1) c2 or (x + c1) / c2
 *     behind    e, e c3 + c4 rounded once, n / (e c3 + c4)
 * operands: x, c1, c2, c3, c4, n. */
enum { WLM_EXP_ALONE, WLM_EXP_SCALED, WLM_EXP_DIVIDED, WLM_BEFORE_EXP };
enum { WLM_EXP_AS_IT_IS, WLM_EXP_LINEAR, WLM_EXP_BELOW_SLOT, WLM_EXP_BELOW_CONSTANT, WLM_BEHIND_EXP };

/* Two cheap operations, where the second alone reads the result t of the first, of slots a, b, d, e and constants
 * c1 to c4. A sum or product with a constant, and NEG, is x c1 + c2, rounded once. Operands: a, b or c1, c2; d or
 * c3, e or c4. */
#define WLM_FIRST_OF_TWO(KERNEL) \
    KERNEL(LINEAR) /* a c1 + c2 */ \
    KERNEL(ADD)    /* a + b */ \
    KERNEL(SUB)    /* a - b */ \
    KERNEL(MUL)    /* a b */
#define WLM_SECOND_OF_TWO(KERNEL, first) \
    KERNEL(first, LINEAR)         /* t c3 + c4 */ \
    KERNEL(first, ADD)            /* t + d */ \
    KERNEL(first, SUB)            /* t - d */ \
    KERNEL(first, SUB_FROM)       /* d - t */ \
    KERNEL(first, MUL)            /* t d */ \
    KERNEL(first, DIV)            /* t / d */ \
    KERNEL(first, DIV_CONSTANT)   /* t / c3 */ \
    KERNEL(first, BELOW)          /* d / t */ \
    KERNEL(first, BELOW_CONSTANT) /* c3 / t */ \
    KERNEL(first, FMA)            /* t d + e */ \
    KERNEL(first, FNMA)           /* e - t d */ \
    KERNEL(first, ADD_PRODUCT)    /* d e + t */ \
    KERNEL(first, SUB_PRODUCT)    /* t - d e */ \
    KERNEL(first, ADD_MULTIPLE)   /* d c4 + t */ \
    KERNEL(first, MULTIPLE)       /* t c3 + e */
#define WLM_NAME_FIRST(name) WLM_FIRST_##name,
#define WLM_NAME_SECOND(first, name) WLM_SECOND_##name,
enum { WLM_FIRST_OF_TWO(WLM_NAME_FIRST) WLM_FIRSTS };
enum { WLM_SECOND_OF_TWO(WLM_NAME_SECOND, NONE) WLM_SECONDS };

enum { WLM_FORMS = 8 };
typedef struct wlm_kernels {
    wlm_kernel_pair plain[WLM_MOVE + 1][WLM_FORMS]; /* by opcode, by bits of operands that are constants */
    wlm_kernel_pair exp[WLM_BEFORE_EXP][WLM_BEHIND_EXP];
    wlm_kernel_pair two[WLM_FIRSTS][WLM_SECONDS]; /* NULL where the instruction set rounds once by a call alone */
} wlm_kernels;

extern const wlm_kernels wlm_kernels_portable, wlm_kernels_avx2, wlm_kernels_avx512, wlm_kernels_neon;

#endif
