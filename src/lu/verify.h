/* The part of a program's verification that knows LU; see wlu_program_kind. */
#ifndef WLU_LU_VERIFY_H
#define WLU_LU_VERIFY_H

#include "lu/lu.h"
#include "program/verify.h"

warplu_status wlu_lu_verify(wlu_context *ctx, const wlu_program *program, int32_t *stamp);
int wlu_lu_has_region(const wlu_program *program, const wlu_solve_region *region);

#endif
