/* Runs programs on the CPU: vector bytecode, 64 lanes an instruction.
 *
 * A file is the memory of one run: slots times 64 doubles, [slot][lane], aligned to 64 bytes. The caller writes
 * inputs, runs and reads outputs, as often as it likes. Lanes do not see each other: what stands in one, NaN too,
 * changes no bit of another. All instruction sets give the same bits (of a NaN, that it is one). */
#ifndef WLU_MODEL_EXEC_EXEC_H
#define WLU_MODEL_EXEC_EXEC_H

#include "model/exec/isa.h"
#include "model/program/program.h"

/* Code is a program for one instruction set: operands are distances in bytes, opcodes are kernels; with constants. */
typedef struct wlm_code wlm_code;

/* WARPLU_OUT_OF_MEMORY; WARPLU_OVERFLOW where a file would be larger than memory can be; WARPLU_NOT_COMPILED where
 * the instruction set is not there. The program may go. */
warplu_status wlm_code_create(wlu_context *ctx, const wlm_program *program, wlm_isa isa, wlm_code **out);
void wlm_code_destroy(wlu_context *ctx, wlm_code **code);

/* A file for a program, of zeros; freed by wlm_file_free. NULL where there is no memory. */
double *wlm_file_create(wlu_context *ctx, const wlm_program *program);
/* Numbers, zeros, aligned as files are. */
double *wlm_block_create(wlu_context *ctx, int64_t numbers);
/* Takes NULL. */
void wlm_file_free(wlu_context *ctx, double *file);

/* Runs the instructions once on the first `lanes` lanes, rounded up to whole vectors of eight; 1 to 64. */
void wlm_run(const wlm_code *code, double *file, int32_t lanes);

#endif
