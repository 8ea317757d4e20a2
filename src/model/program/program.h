/* Programs: the nodes that outputs need, as instructions on slots, in one order, without branches.
 *
 * A slot holds 64 numbers, one for each lane. Slots 0 to inputs - 1 are the inputs, the next ones the outputs, then
 * temporaries, which are used again once the last instruction that reads them is behind. Constants have no slots:
 * an operand below 0 is one. Products that one sum alone reads are fused with it here (FMA, FNMA), so that every
 * executor rounds alike. Instructions stand depth first (Sethi and Ullman, 1970), which keeps few numbers alive.
 * Outputs may be inputs, constants or one another: a MOVE is made. Cost of compiling: O(n log n). */
#ifndef WLU_MODEL_PROGRAM_PROGRAM_H
#define WLU_MODEL_PROGRAM_PROGRAM_H

#include <stdio.h>

#include "model/graph/graph.h"

enum { WLM_LANES = 64 };

/* to = opcode(a, b, c): slots, or, of operands below 0, constant[-1 - operand]; those beyond the opcode's are 0.
 * opcode is a wlm_opcode, or WLM_MOVE, which copies a. */
enum { WLM_MOVE = WLM_OPCODES };
typedef struct wlm_instruction {
    int32_t opcode, to, a, b, c;
} wlm_instruction;

int wlm_operand_count(int32_t opcode);

typedef struct wlm_program {
    int32_t inputs, outputs, slots, constants, instructions; /* counts; slots: inputs, outputs and temporaries */
    wlm_instruction *instruction;
    double *constant;
} wlm_program;

/* Compiles what outputs need. Inputs have numbers below `inputs`. The graph is not changed, and may go.
 * WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW; WARPLU_INVALID_ARGUMENT where an input's number or an output is out of
 * range. */
warplu_status wlm_program_compile(const wlm_graph *graph, const wlm_node *outputs, int32_t output_count, int32_t inputs,
                                  wlm_program **out);
/* The same in two programs, where some inputs keep their numbers over many runs (fixed[i] is not 0): `once`
 * computes what depends on those alone and is needed beyond them; its outputs are the body's last inputs. Both use
 * one file, which is to be that of the body: what `once` has written stays there until it runs again. Same bits as
 * the whole. */
warplu_status wlm_program_split(const wlm_graph *graph, const wlm_node *outputs, int32_t output_count, int32_t inputs,
                                const unsigned char *fixed, wlm_program **once, wlm_program **body);
void wlm_program_destroy(wlu_context *ctx, wlm_program **program);
/* WARPLU_INTERNAL, with a message, where an instruction reads a slot that nothing has written, writes an input,
 * names a slot, a constant or an opcode that is not there, or where an output is never written. */
warplu_status wlm_program_verify(wlu_context *ctx, const wlm_program *program);
/* One instruction a line. */
void wlm_program_disassemble(const wlm_program *program, FILE *out);

#endif
