/* The shape of sums, which executors of one program must agree on (docs/instruction-set.md). A chain of up to
 * WLU_DOT_IN_ORDER_MAX terms is summed in order; a longer one in WLU_DOT_LANES strided accumulators (term i into
 * accumulator i mod 8) and a pairwise tree: ((0+4)+(2+6)) + ((1+5)+(3+7)). For kernels too. */
#ifndef WLU_NUMERICS_SUMS_H
#define WLU_NUMERICS_SUMS_H

enum { WLU_DOT_IN_ORDER_MAX = 16, WLU_DOT_LANES = 8 };

#endif
