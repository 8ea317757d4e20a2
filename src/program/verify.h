/* Verification of a compiled program, in debug builds and in every test: operands in range, every slot written
 * before it is read, no two records of a vector on one target, no reader beside its writer, loads inside the
 * value array, tiles, their sources and targets well formed, parts that need nothing of each other. O(program) time, 4
 * bytes a slot. */
#ifndef WLU_PROGRAM_VERIFY_H
#define WLU_PROGRAM_VERIFY_H

#include "program/program.h"

/* WARPLU_INTERNAL with a message that names the record; WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_program_verify(wlu_context *ctx, const wlu_program *program);

#endif
