/* Disassembly: the compiled program as text, slots under the names of what they hold: d(k) pivot, r(k)
 * reciprocal, l(i,j), u(i,j), f(i,j) in pivot positions, y(k), x(k), s(n) for what has no name. */
#ifndef WLU_PROGRAM_DISASM_H
#define WLU_PROGRAM_DISASM_H

#include <stdio.h>

#include "program/program.h"

/* Writes loads, stream, TILE region, guards and the solve. WARPLU_OUT_OF_MEMORY, WARPLU_CANNOT_WRITE. */
warplu_status wlu_program_disassemble(wlu_context *ctx, const wlu_pivots *pivots, const wlu_program *program,
                                      FILE *file);

#endif
