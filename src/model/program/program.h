/* Programs: the nodes that outputs need, as instructions on slots, in one order, without branches.
 *
 * A slot holds 64 numbers, one for each lane. Slots 0 to inputs - 1 are the inputs, the next ones the outputs, then
 * constants, then temporaries, which are used again once the last instruction that reads them is behind. Products that
 * one sum alone reads are fused with it here (FMA, FNMA), so that every executor rounds alike. Instructions stand depth
 * first (Sethi and Ullman, 1970), which keeps few numbers alive. Outputs may be inputs, constants or one another: a MOVE
 * is made. Cost of compiling: O(n log n). */
#ifndef WLU_MODEL_PROGRAM_PROGRAM_H
#define WLU_MODEL_PROGRAM_PROGRAM_H

#include <stdio.h>

#include "model/graph/graph.h"

enum { WLM_LANES = 64 };

/* slot[to] = opcode(slot[a], slot[b], slot[c]); operands beyond those of the opcode are 0. opcode is a wlm_opcode, or
 * WLM_MOVE. */
enum { WLM_MOVE = WLM_OPCODES };
typedef struct wlm_instruction {
    int32_t opcode, to, a, b, c;
} wlm_instruction;

typedef struct wlm_program {
    int32_t inputs, outputs, constants, slots, instructions; /* counts; slots: of all kinds */
    wlm_instruction *instruction;
    double *constant; /* slot inputs + outputs + i holds constant[i] in every lane */
} wlm_program;

/* Compiles what outputs need. Inputs have numbers below `inputs`. The graph is not changed, and may go.
 * WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status wlm_program_compile(const wlm_graph *graph, const wlm_node *outputs, int32_t output_count, int32_t inputs,
                                  wlm_program **out);
void wlm_program_destroy(wlu_context *ctx, wlm_program **program);
/* WARPLU_INTERNAL, with a message, where an instruction reads a slot that nothing has written, writes an input or a
 * constant, or names a slot or an opcode that is not there. */
warplu_status wlm_program_verify(wlu_context *ctx, const wlm_program *program);
/* One instruction a line. */
void wlm_program_disassemble(const wlm_program *program, FILE *out);

#endif
