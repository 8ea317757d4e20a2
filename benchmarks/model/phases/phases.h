/* The strategy `phases`: models as Okuyama, Okita, Abe, Asai, Nomura and Hagihara run them on a GPU (An accelerated
 * interpreter of the general biophysical simulator insilicoSim, IPSJ Transactions on Advanced Computing Systems,
 * 2012), kept as published so that its tables can be counted and its times be measured. One bytecode for a stack
 * machine an equation, level scheduling, one launch a phase, and the paper's four switches; src/model/program is
 * what models are run by.
 *
 * Unify (section 4.2): a warp whose bytecodes are of one kind has one bytecode. Operands that differ go to a table
 * outside, those of one instruction side by side, where *_IND finds lane by lane. Equations should be those of
 * read.h: formulas.h says why. Cost: O(words of all lanes), and what warps.h says. */
#ifndef PHASES_PHASES_H
#define PHASES_PHASES_H

#include <stdio.h>

#include "model/equations/equations.h"

typedef struct wlm_phases_options {
    int reorder, redundant, unify, merge;
    int32_t stack; /* most that a bytecode may use: sums and products are split; 0: that of the kernels */
} wlm_phases_options;

typedef struct wlm_phase {
    int32_t first, threads; /* of index: repeating threads included */
    int32_t bytecodes;      /* without those */
    int32_t kinds;          /* of them, as table 5 counts */
    int32_t instructions;   /* of the longest */
} wlm_phase;

/* Variable 0 is t; then states, parameters of lanes, definitions that are no other name of one of those. The last
 * phase is that of the ODEs. */
typedef struct wlm_phases {
    int32_t states, parameters, definitions, variables, phases;
    int32_t stack; /* the deepest */
    int32_t threads;
    int64_t words, table_bytes; /* of code; of the table, in whole numbers of 8 bytes */
    wlm_phase *phase;
    uint32_t *index; /* of each thread: the word its bytecode begins at */
    uint32_t *code;
    unsigned char *table;
    int32_t *variable; /* of each local of the equations */
} wlm_phases;

/* The equations may go. WARPLU_INVALID_ARGUMENT, with a message, where there are events, or an equation is not
 * y' = f(t, y) or needs a deeper stack; WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status wlm_phases_create(wlu_context *ctx, const wlm_equations *equations, const wlm_phases_options *options,
                                wlm_phases **out);
void wlm_phases_destroy(wlu_context *ctx, wlm_phases **phases);
/* Each warp's bytecode, or those of its lanes, one instruction a line; lanes that repeat are named together. */
void wlm_phases_disassemble(const wlm_phases *phases, FILE *out);

#endif
