/* Partial sums: a very long chain is cut, so that many warps add up its terms at once.
 *
 * Circuits have hubs: a supply rail's row of L, U or F has thousands of entries, and one warp takes eight terms a step.
 * Of a chain of T terms the first ones, which are ready first (order_terms.h), go to records of their own, and its own
 * record adds up what is left:
 *
 *     DOT  p(0) = 0 - a0 * b0 - a1 * b1 ...                              wlu_cost_partial_sum_terms each
 *     DOT  v[t] = v[s] - (its last terms) - (-1 * p(0)) - (-1 * p(1)) ...    or DOTS
 *
 * So there is nothing new for an executor: DOT records, slots for sums, a slot that holds -1. Sums have a level of
 * their own before that of the chain, so that no order has to be found again; those of chains into panels one behind
 * all other levels. Each is written once and read once. Only the cost table says from how many terms on. */
#ifndef WLU_PROGRAM_PARTIAL_SUMS_H
#define WLU_PROGRAM_PARTIAL_SUMS_H

#include "program/program.h"

/* Records of a stream whose chains are to be cut, ascending, and how many partial sums they are to have. */
typedef struct wlu_long_chains {
    int64_t *chain;
    int64_t count, sums;
} wlu_long_chains;

/* As the target has it. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_long_chains_find(wlu_context *ctx, const wlu_cost *cost, const wlu_stream *stream,
                                   wlu_long_chains *out);
/* Cuts these chains of a compiled stream, its terms being in their final order; renews its vectors and levels, and the
 * segments of a solve. solve: whose stream it is, or NULL. tiles: the first chunk of records into panels. A copy of the
 * stream: for those that have such chains. WARPLU_OUT_OF_MEMORY, WARPLU_INTERNAL. */
warplu_status wlu_partial_sums_cut(wlu_context *ctx, const wlu_program *program, const wlu_long_chains *chains,
                                   int32_t tiles, wlu_stream *stream, wlu_triangular *solve);

#endif
