/* Verification of a compiled program, in debug builds and in every test: operands in range, every slot written
 * before it is read, no two records of a vector on one target, no reader beside its writer, loads inside the
 * value array, parts that need nothing of each other, a second stage that is linear (program.h), and what the front end
 * checks of its own. O(program) time, 4 bytes a slot. */
#ifndef WLU_PROGRAM_VERIFY_H
#define WLU_PROGRAM_VERIFY_H

#include "program/program.h"

/* WARPLU_INTERNAL with a message that names the record; WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_program_verify(wlu_context *ctx, const wlu_program *program);

/* For front ends: how many entries loads may take from, and WARPLU_INTERNAL with what is broken, where. */
static inline int64_t wlu_program_sources(const wlu_program *program)
{
    return program->gather != NULL ? program->gather->nnz : program->nvalues;
}
warplu_status wlu_program_broken(wlu_context *ctx, const char *what, int64_t at, int64_t slot);

#endif
