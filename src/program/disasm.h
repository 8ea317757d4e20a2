/* Disassembly: the compiled program as text, slots under the names that the front end gives them, p(k) for partial
 * sums, s(n) for what has no name. */
#ifndef WLU_PROGRAM_DISASM_H
#define WLU_PROGRAM_DISASM_H

#include <stdio.h>

#include "program/program.h"

/* Writes loads, streams and regions. naming: for the front end (of LU: its pivots). WARPLU_OUT_OF_MEMORY,
 * WARPLU_CANNOT_WRITE. */
warplu_status wlu_program_disassemble(wlu_context *ctx, const wlu_program *program, const void *naming, FILE *file);

#endif
