/* The files that make solos (solo.h) share these types and calls. */
#ifndef WLU_MODEL_EXEC_SOLO_PARTS_H
#define WLU_MODEL_EXEC_SOLO_PARTS_H

#include "model/exec/kernel.h"

/* An operand: a number that an item computes, or a constant where item is below 0. */
typedef struct wlm_solo_value {
    int32_t item;
    double constant;
} wlm_solo_value;

enum { WLM_SOLO_OPERANDS = 1 + WLM_SOLO_CONSTANTS };

/* An operation. Sums, differences and products are FMA, which rounds them as they do; an EXP has the linear
 * functions around it, exp((x k0 + k1) k2 + k3) k4 + k5: operands x, k0 to k5. */
typedef struct wlm_solo_item {
    int32_t opcode, operands;
    int32_t input;     /* of INPUT: its slot */
    int32_t uses;      /* operands and outputs that are this item; 0: nobody needs it */
    int32_t row, lane; /* lane -1: in all of them */
    wlm_solo_value operand[WLM_SOLO_OPERANDS];
} wlm_solo_item;

/* Items of one opcode, in lanes; -1: none. */
typedef struct wlm_solo_row {
    int32_t opcode, cycles; /* cycles: until the end of a run from its beginning */
    int32_t item[WLM_SOLO_WIDTH];
} wlm_solo_row;

typedef struct wlm_solo_plan {
    wlu_context *ctx;
    const wlm_program *program;
    const wlm_kernels *kernels;
    int32_t items, rows;
    wlm_solo_item *item;
    wlm_solo_value *output; /* of the program */
    wlm_solo_row *row;      /* the last one runs first */
} wlm_solo_plan;

/* Where a number stands in the file, in lane 0 of its slot, and in lines. */
typedef struct wlm_solo_carry {
    int64_t in_file, at;
} wlm_solo_carry;

struct wlm_solo {
    int width;
    int32_t instructions, picks, inputs, outputs, lines, constants;
    wlm_solo_instruction *instruction;
    wlm_solo_pick *pick;
    wlm_solo_carry *input, *output;
    double *constant; /* lines of constants, which stand behind the others */
};

/* Fills item, items and output, which the caller frees. */
warplu_status wlm_solo_list(wlm_solo_plan *plan);
/* Fills row, rows, and each item's row and lane. */
warplu_status wlm_solo_order(wlm_solo_plan *plan);
/* Instructions of rows; items that stand alone have rows of their own then. */
warplu_status wlm_solo_emit(wlm_solo_plan *plan, struct wlm_solo *solo);

#endif
