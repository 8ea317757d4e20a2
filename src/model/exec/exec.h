/* Runs programs on the CPU: vector bytecode, 64 lanes an instruction.
 *
 * A file is the memory of one run: slots times 64 doubles, [slot][lane], aligned to 64 bytes. The caller writes
 * inputs, runs and reads outputs, as often as it likes. Lanes do not see each other: no number in one, not even NaN,
 * changes a bit of another. All instruction sets give the same bits (of a NaN, that it is one). */
#ifndef WLU_MODEL_EXEC_EXEC_H
#define WLU_MODEL_EXEC_EXEC_H

#include "model/exec/isa.h"
#include "model/program/program.h"

/* A program for one instruction set: operands are distances in bytes, opcodes are kernels; it has its constants. */
typedef struct wlm_code wlm_code;

/* Makes code of a program, which is not kept. WARPLU_OUT_OF_MEMORY; WARPLU_OVERFLOW where a file would be larger than
 * memory can be; WARPLU_NOT_COMPILED where this build or machine does not have the instruction set. */
warplu_status wlm_code_create(wlu_context *ctx, const wlm_program *program, wlm_isa isa, wlm_code **out);
void wlm_code_destroy(wlu_context *ctx, wlm_code **code);

/* Makes a file of zeros for a program; the caller frees it by wlm_file_free. NULL where there is no memory. */
double *wlm_file_create(wlu_context *ctx, const wlm_program *program);
/* Makes a block of so many zeros, aligned as files are and freed as they are. */
double *wlm_block_create(wlu_context *ctx, int64_t numbers);
/* Frees a file or a block, or takes NULL. */
void wlm_file_free(wlu_context *ctx, double *file);

/* Runs the instructions once on the first `lanes` lanes, rounded up to whole vectors of eight; 1 to 64. */
void wlm_run(const wlm_code *code, double *file, int32_t lanes);

#endif
