/* What rounding can do to solves by a program, by the shapes of its sums (docs/instruction-set.md). */
#ifndef WLU_LU_ROUNDING_H
#define WLU_LU_ROUNDING_H

#include "lu/lu.h"
#include "numerics/bound.h"

/* Counts of roundings of the program's sums, of solves with A or A' whether it has these yet or not.
 * O(|L| + |U| + |F| + rows of tiles). WARPLU_OUT_OF_MEMORY; free them after a success. */
warplu_status wlu_lu_find_rounds(wlu_context *ctx, const wlu_pattern *a, const wlu_pivots *pivots,
                                 const wlu_program *program, int transposed, wlu_rounds *out);
/* Gives a program that has all but A' its counts for solves with A, their lines, and the bound that it is judged by.
 * WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_lu_bound_program(wlu_context *ctx, const wlu_pattern *a, const wlu_pivots *pivots,
                                   wlu_program *program);

#endif
