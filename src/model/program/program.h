/* A program computes outputs from inputs by instructions on slots, in one order, without branches.
 *
 * A slot holds 64 numbers, one for each lane. Slots 0 to inputs - 1 are the inputs, the next ones the outputs, then
 * temporaries, which are used again behind the last instruction that reads them. Constants have no slots: an
 * operand below 0 is one. Products that one sum alone reads are fused with it here (FMA, FNMA), so that every
 * executor rounds alike. Instructions stand depth first (Sethi and Ullman, 1970), which keeps few numbers alive.
 * Outputs may be inputs, constants or one another: a MOVE is made. Cost of compiling: O(n log n). */
#ifndef WLU_MODEL_PROGRAM_PROGRAM_H
#define WLU_MODEL_PROGRAM_PROGRAM_H

#include <stdio.h>

#include "model/graph/graph.h"

enum { WLM_LANES = 64 };

/* An instruction, to = opcode(a, b, c). An operand is a slot or, below 0, constant[-1 - operand]; operands that the
 * opcode does not have are 0, but where it reads a table (graph/table.h) c is that table's number, or -1. opcode is a
 * wlm_opcode, or WLM_MOVE, which copies a. */
enum { WLM_MOVE = WLM_OPCODES };
typedef struct wlm_instruction {
    int32_t opcode, to, a, b, c;
} wlm_instruction;

int wlm_operand_count(int32_t opcode);

typedef struct wlm_program {
    int32_t inputs, outputs, slots, constants, instructions; /* counts; slots: inputs, outputs and temporaries */
    wlm_instruction *instruction;
    double *constant;
    int32_t tables;
    const wlm_table **table; /* one for each instruction that reads one; they are the model's */
} wlm_program;

int wlm_is_tabled(int32_t opcode);

/* Returns the table that an instruction reads; NULL where it reads none. */
const wlm_table *wlm_program_table(const wlm_program *program, const wlm_instruction *instruction);

/* Compiles the nodes that outputs need. Inputs have numbers below `inputs`. The graph is not kept.
 * WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW; WARPLU_INVALID_ARGUMENT where an input's number or an output is out of
 * range. */
warplu_status wlm_program_compile(const wlm_graph *graph, const wlm_node *outputs, int32_t output_count, int32_t inputs,
                                  wlm_program **out);
/* Compiles two programs, where some inputs keep their numbers over many runs (fixed[i] is not 0): `once` computes
 * what depends on those alone and is needed by others; its outputs are the body's last inputs. Both run on the file
 * of the body: what `once` has written stays there until it runs again. The bits are those of one program. */
warplu_status wlm_program_split(const wlm_graph *graph, const wlm_node *outputs, int32_t output_count, int32_t inputs,
                                const unsigned char *fixed, wlm_program **once, wlm_program **body);
void wlm_program_destroy(wlu_context *ctx, wlm_program **program);
/* Checks a program. WARPLU_INTERNAL, with a message, where an instruction reads a slot that nothing has written,
 * writes an input, names a slot, constant or opcode that does not exist, or where an output is never written. */
warplu_status wlm_program_verify(wlu_context *ctx, const wlm_program *program);
/* Writes one line for each instruction. */
void wlm_program_disassemble(const wlm_program *program, FILE *out);

#endif
