/* Fill-reducing orderings of one diagonal block, one file each, behind one table.
 *
 * A block comes as the CSC pattern of an n by n matrix (unsymmetric, diagonal zero-free, rows ascending).
 * order[k] is the block-local index eliminated k-th. Orderings that hold global state (METIS reseeds rand,
 * changes signal handlers, is not reentrant) run under one process-wide lock with that state restored. */
#ifndef WLU_ORDER_ORDER_H
#define WLU_ORDER_ORDER_H

#include "matrix/blocks.h"

/* WARPLU_SUCCESS, WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW, WARPLU_NOT_COMPILED. */
typedef warplu_status (*wlu_order_fn)(wlu_context *ctx, const wlu_diagonal_block *block, int32_t *order);

warplu_status wlu_order_natural(wlu_context *ctx, const wlu_diagonal_block *block, int32_t *order);
warplu_status wlu_order_amd(wlu_context *ctx, const wlu_diagonal_block *block, int32_t *order);
warplu_status wlu_order_colamd(wlu_context *ctx, const wlu_diagonal_block *block, int32_t *order);
warplu_status wlu_order_metis(wlu_context *ctx, const wlu_diagonal_block *block, int32_t *order);
/* Another draw: METIS is random. wlu_order_metis takes a fixed seed, so that two runs, or two machines, get one order.
 */
enum { WLU_METIS_SEED = 1 };
warplu_status wlu_order_metis_drawn(wlu_context *ctx, const wlu_diagonal_block *block, int seed, int32_t *order);

/* The last value of warplu_ordering. */
enum { WLU_ORDERING_LAST = WARPLU_ORDERING_GIVEN };

/* NULL for WARPLU_ORDERING_AUTO and WARPLU_ORDERING_GIVEN. */
wlu_order_fn wlu_order_function(warplu_ordering ordering);
/* 1 if this build has it (METIS is optional). */
int wlu_ordering_compiled(warplu_ordering ordering);
/* "amd", "colamd", ... as the command line spells them; "?" for a number that is no ordering. */
const char *wlu_ordering_name(warplu_ordering ordering);
/* The ordering of that name; 0 if there is none. */
int wlu_ordering_parse(const char *name, warplu_ordering *out);

#endif
