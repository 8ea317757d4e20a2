/* Types and calls that the files which make solos (solo.h) share. */
#ifndef WLU_MODEL_EXEC_SOLO_PARTS_H
#define WLU_MODEL_EXEC_SOLO_PARTS_H

#include "model/exec/kernel.h"

/* An operand: a number that an item computes, or a constant where item is below 0. */
typedef struct wlm_solo_value {
    int32_t item;
    double constant;
} wlm_solo_value;

enum { WLM_SOLO_OPERANDS = 1 + WLM_SOLO_CONSTANTS };

/* An operation. Sums, differences and products are FMA, which rounds them alike; an EXP takes in the linear functions
 * around it, exp((x k0 + k1) k2 + k3) k4 + k5: operands x, k0 to k5. */
typedef struct wlm_solo_item {
    int32_t opcode, operands;
    int32_t input;          /* the slot of an INPUT */
    const wlm_table *table; /* NULL: it reads none */
    int32_t uses;           /* operands and outputs that are this item; 0: it is not needed */
    int32_t row, lane;      /* lane -1: it stands in all lanes */
    wlm_solo_value operand[WLM_SOLO_OPERANDS];
} wlm_solo_item;

/* Items of one opcode, one for each lane; -1 where a lane is empty. */
typedef struct wlm_solo_row {
    int32_t opcode, cycles; /* cycles: from its beginning to the end of a run */
    int32_t item[WLM_SOLO_WIDTH];
} wlm_solo_row;

typedef struct wlm_solo_plan {
    wlu_context *ctx;
    const wlm_program *program;
    const wlm_kernels *kernels;
    int32_t lanes; /* of files */
    int32_t items, rows;
    wlm_solo_item *item;
    wlm_solo_value *output; /* the program's outputs */
    wlm_solo_row *row;      /* the last one runs first */
} wlm_solo_plan;

/* An input or output: its slot in the file, where it stands in lane 0, and its place in lines. */
typedef struct wlm_solo_carry {
    int64_t in_file, at;
} wlm_solo_carry;

struct wlm_solo {
    int width;
    int32_t instructions, picks, gathers, singles, inputs, outputs, lines, constants; /* gathers: numbers of them */
    wlm_solo_instruction *instruction;
    wlm_solo_pick *pick;
    int32_t *gathered;
    wlm_solo_single *single;
    wlm_solo_carry *input, *output;
    double *constant; /* lines of constants, which stand behind the others */
};

/* Fills item, items and output, which the caller frees. */
warplu_status wlm_solo_list(wlm_solo_plan *plan);
/* Fills row, rows, and each item's row and lane. */
warplu_status wlm_solo_order(wlm_solo_plan *plan);
/* Makes the instructions of rows; items that are computed one by one get rows of their own. */
warplu_status wlm_solo_emit(wlm_solo_plan *plan, struct wlm_solo *solo);

#endif
