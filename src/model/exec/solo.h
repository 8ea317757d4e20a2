/* A solo is a program for one member: like operations of that member stand side by side in a vector's lanes.
 *
 * In code for lanes (exec.h) one member uses one lane of a vector of eight, and waits for each operation. Here
 * independent operations of one opcode are a row, computed by one instruction (superword-level parallelism: Larsen and
 * Amarasinghe 2000): thirty exponentials of a cell are four rows. Sums and products whose operands stand anywhere, as
 * those of reaction networks, are singles: one instruction computes a list of them one by one, for bringing four
 * together costs more, and calls of many kernels in turn are guessed wrong. Each operation rounds as there: the same
 * bits, but of a NaN only that it is one.
 *
 * Cost of making one: O(operations), 0.4 us each. Running, with AVX-512, takes 0.3 to 0.6 of the time of code for lanes
 * where a model has exponentials; singles take 0.8 to 1 ns each. */
#ifndef WLU_MODEL_EXEC_SOLO_H
#define WLU_MODEL_EXEC_SOLO_H

#include "model/exec/isa.h"
#include "model/program/program.h"

typedef struct wlm_solo wlm_solo;

/* Makes a solo of a program, which is not kept. lanes: of the files that it is run on, 1 or WLM_LANES. *out is NULL,
 * with success, where the instruction set has no vectors or is missing, or the program has more than 2^20 operations.
 * WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_solo_create(wlu_context *ctx, const wlm_program *program, wlm_isa isa, int32_t lanes, wlm_solo **out);
void wlm_solo_destroy(wlu_context *ctx, wlm_solo **solo);

/* Makes a thread's memory, which the caller frees by wlm_file_free (exec.h). NULL where there is no memory. */
double *wlm_solo_open(wlu_context *ctx, const wlm_solo *solo);
/* Runs it once. Inputs and outputs stand in lane 0 of the slots of the file. */
void wlm_solo_run(const wlm_solo *solo, double *lines, double *file);

#endif
