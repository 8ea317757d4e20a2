/* The interpreter calls kernels by a table for each instruction set. */
#ifndef WLU_MODEL_EXEC_KERNEL_H
#define WLU_MODEL_EXEC_KERNEL_H

#include "model/program/program.h"

typedef struct wlm_packed wlm_packed;
/* Runs one instruction on all lanes, or on the first `lanes`, a multiple of eight. */
typedef void wlm_kernel(const wlm_packed *i, char *file, int lanes);

/* An instruction as kernels read it: distances of slots in bytes, and constants themselves. It fills one cache line. */
enum { WLM_OPERANDS_MOST = 6 };
struct wlm_packed {
    wlm_kernel *kernel;
    int64_t to;
    union {
        int64_t distance;
        double constant;
        const wlm_table *table; /* at the place behind the last operand, where the operation reads one */
    } from[WLM_OPERANDS_MOST];
};

/* The kernels of an operation for all lanes, and for the first ones. */
typedef struct wlm_kernel_pair {
    wlm_kernel *all, *first;
} wlm_kernel_pair;

/* The operations that are fused with an EXP, where c1 to c4 are constants and n is a constant or a slot:
 *     before    x, (x + c1) c2 or (x + c1) / c2
 *     behind    e, e c3 + c4 rounded once, n / (e c3 + c4)
 * operands: x, c1, c2, c3, c4, n. */
enum { WLM_EXP_ALONE, WLM_EXP_SCALED, WLM_EXP_DIVIDED, WLM_BEFORE_EXP };
enum { WLM_EXP_AS_IT_IS, WLM_EXP_LINEAR, WLM_EXP_BELOW_SLOT, WLM_EXP_BELOW_CONSTANT, WLM_BEHIND_EXP };

/* Two cheap operations in one kernel, where the second alone reads the result t of the first; a, b, f, d, e are slots
 * and c1 to c4 constants. A sum or product with a constant, one of both, and NEG, is x c1 + c2, rounded once. A
 * division or a root runs beside the loads of the other. Operands: a, b or c1, f or c2; d or c3, e or c4. */
#define WLM_FIRST_OF_TWO(KERNEL) \
    KERNEL(LINEAR) /* a c1 + c2 */ \
    KERNEL(ADD)    /* a + b */ \
    KERNEL(SUB)    /* a - b */ \
    KERNEL(MUL)    /* a b */ \
    KERNEL(DIV)    /* a / b */ \
    KERNEL(FMA)    /* a b + f */ \
    KERNEL(FNMA)   /* f - a b */ \
    KERNEL(SELECT) /* b where a is not 0, else f */
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
    KERNEL(first, MULTIPLE)       /* t c3 + e */ \
    KERNEL(first, SQRT)           /* the root of t */ \
    KERNEL(first, SELECT_THEN)    /* t where d is not 0, else e */ \
    KERNEL(first, SELECT_ELSE)    /* e where d is not 0, else t */
#define WLM_NAME_FIRST(name) WLM_FIRST_##name,
#define WLM_NAME_SECOND(first, name) WLM_SECOND_##name,
enum { WLM_FIRST_OF_TWO(WLM_NAME_FIRST) WLM_FIRSTS };
enum { WLM_SECOND_OF_TWO(WLM_NAME_SECOND, NONE) WLM_SECONDS };

/* Instructions of solos (solo.h) work on lines, which are vectors of `width` numbers. Distances are in bytes. */
enum { WLM_SOLO_WIDTH = 8, WLM_SOLO_CONSTANTS = 6 };
/* Brings numbers of the line at `at` into a vector: for each lane its place in the vector and on through the line, in
 * eighths of a vector. */
typedef struct wlm_solo_pick {
    int32_t at;
    unsigned char place[WLM_SOLO_WIDTH];
} wlm_solo_pick;
/* An operand is a line, or one number for all lanes, or a line into which a pick brings numbers of another one, or it
 * is gathered number by number, from more lines than two. */
typedef enum wlm_solo_form { WLM_SOLO_LINE, WLM_SOLO_NUMBER, WLM_SOLO_PICKED, WLM_SOLO_GATHERED } wlm_solo_form;
typedef struct wlm_solo_operand {
    int32_t at;
    wlm_solo_form form;
    union {
        const wlm_solo_pick *pick;
        const int32_t *lane;    /* GATHERED: where each lane's number is */
        const wlm_table *table; /* of operand WLM_SOLO_TABLE, where the operation reads one */
    };
} wlm_solo_operand;
enum { WLM_SOLO_TABLE = 2 };
/* One operation of numbers: where its result and its operands are. */
typedef struct wlm_solo_single {
    int32_t to, from[3];
} wlm_solo_single;
typedef struct wlm_solo_instruction wlm_solo_instruction;
typedef void wlm_solo_kernel(const wlm_solo_instruction *i, char *lines);
/* An instruction of one cache line. An EXP has x and lines of constants: exp((x k0 + k1) k2 + k3) k4 + k5. */
struct wlm_solo_instruction {
    wlm_solo_kernel *kernel;
    int32_t to;
    union {
        wlm_solo_operand from[3];
        struct {
            wlm_solo_operand x;
            int32_t constant[WLM_SOLO_CONSTANTS];
        } exp;
        struct {
            const wlm_solo_single *single;
            int32_t count; /* in this order, each behind the one before */
        } singles;
    } of;
};

/* The commonest opcodes have a kernel for each form of operands. Its number is 16 times the first operand's form, 4
 * times the second one's and the third one's. */
enum { WLM_SOLO_FORMS = 4 * 4 * 4 };
typedef struct wlm_solo_kernels {
    wlm_solo_kernel *fma[WLM_SOLO_FORMS], *fnma[WLM_SOLO_FORMS], *select[WLM_SOLO_FORMS];
    wlm_solo_kernel *div[WLM_SOLO_FORMS / 4];
    wlm_solo_kernel *div_one, *div_half; /* divide lane 0 into all, or the lower half: less time */
    wlm_solo_kernel *exp;
    wlm_solo_kernel *fma_singles, *fnma_singles;
    wlm_solo_kernel *any[WLM_OPCODES]; /* by opcode, for operands of any form */
} wlm_solo_kernels;

/* What is made of a sum of contributions: a rate, sum / mass, or what a step of h makes of y by it, y + h rate. */
typedef struct wlm_finish {
    const double *mass; /* NULL: 1 */
    const double *y;    /* NULL: the rate is wanted */
    double h;
} wlm_finish;

static inline double wlm_finished(const wlm_finish *finish, int32_t i, double sum)
{
    double rate = finish->mass != NULL ? sum / finish->mass[i] : sum;
    return finish->y != NULL ? finish->y[i] + finish->h * rate : rate;
}

/* A sum of arrays, term after term: each is added or subtracted. */
enum { WLM_SUM_TERMS = 8 };
typedef struct wlm_array_sum {
    int terms; /* 1 to WLM_SUM_TERMS */
    struct {
        const double *from;
        int minus;
    } term[WLM_SUM_TERMS];
    wlm_finish finish;
} wlm_array_sum;
/* Writes the sums of the first `count` elements to `to`, which is none of the arrays. */
typedef void wlm_array_sum_kernel(const wlm_array_sum *sum, int32_t count, double *to);

/* Eight numbers of an array: the first `split` from number `low` on, the others, from their own places on, of the eight
 * from `high` on. Eight numbers can be read at both. */
enum { WLM_SPLICE = 8 };
typedef struct wlm_splice {
    int32_t low, high, split;
} wlm_splice;
/* Writes `count` times eight numbers to `to`. */
typedef void wlm_splice_kernel(const double *from, const wlm_splice *splice, int32_t count, double *to);

enum { WLM_FORMS = 8 };
typedef struct wlm_kernels {
    int width; /* numbers in a vector */
    wlm_array_sum_kernel *sum;
    wlm_splice_kernel *splice;
    const wlm_solo_kernels *solo;                   /* NULL where it is 1 */
    wlm_kernel_pair plain[WLM_MOVE + 1][WLM_FORMS]; /* by opcode, and bit k set where operand k is a constant */
    wlm_kernel_pair exp[WLM_BEFORE_EXP][WLM_BEHIND_EXP];
    wlm_kernel_pair two[WLM_FIRSTS][WLM_SECONDS]; /* NULL where fma is a call and no instruction */
} wlm_kernels;

extern const wlm_kernels wlm_kernels_portable, wlm_kernels_avx2, wlm_kernels_avx512, wlm_kernels_neon;

#endif
