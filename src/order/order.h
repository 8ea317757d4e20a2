/* Fill-reducing orderings of one diagonal block, one file each, behind one table.
 *
 * A block comes as the CSC pattern of an n by n matrix (unsymmetric, diagonal zero-free, rows ascending).
 * order[k] is the block-local index eliminated k-th. Orderings that hold global state (METIS reseeds rand,
 * changes signal handlers, is not reentrant) run under one process-wide lock with that state restored. */
#ifndef WLU_ORDER_ORDER_H
#define WLU_ORDER_ORDER_H

#include "base/context.h"
#include "order/btf.h"

typedef struct wlu_diagonal_block {
    int32_t n;
    const int32_t *p; /* n + 1 */
    const int32_t *i;
    int32_t
        paired; /* entries that have a counterpart across the diagonal, those on it too; or 0, and nobody has counted */
} wlu_diagonal_block;

/* The entries of column j that with their counterparts say all there is to say about B + B': those above the diagonal
 * of a symmetric block, else all. Returns where they end. */
static inline int32_t wlu_block_end(const wlu_diagonal_block *block, int32_t j)
{
    int32_t q = block->p[j], end = block->p[j + 1];
    if (block->paired < block->p[block->n]) return end;
    while (q < end && block->i[q] < j) q++;
    return q;
}

/* The diagonal blocks of a permuted matrix, one after the other: entries outside the blocks left out, indices
 * local to each block, rows ascending. Built at once in O(n + nnz), however many blocks there are. */
typedef struct wlu_blocks {
    int32_t nblocks;
    const int32_t *block; /* nblocks + 1 boundaries, borrowed */
    int32_t *p;           /* n + nblocks: block b's pointers begin at block[b] + b, each from 0 */
    int32_t *first;       /* nblocks + 1: its rows begin at i + first[b]; first[nblocks] entries in all */
    int32_t *i;
    int32_t *paired; /* nblocks */
} wlu_blocks;

/* A(form->row, form->col) cut into form's blocks; form must outlive *out. WARPLU_OUT_OF_MEMORY: nothing
 * owned. */
warplu_status wlu_blocks_extract(wlu_context *ctx, const wlu_pattern *a, const wlu_btf *form, wlu_blocks *out);
void wlu_blocks_free(wlu_context *ctx, wlu_blocks *blocks);
/* A view of block b. */
wlu_diagonal_block wlu_blocks_get(const wlu_blocks *blocks, int32_t b);

/* Neighbours in B + B' eliminated after each pivot, by position: p (n + 1), i (nnz); some twice. pos:
 * of each row and column. next: n, workspace. */
void wlu_block_later(const wlu_diagonal_block *block, const int32_t *pos, int32_t *p, int32_t *i, int32_t *next);

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

/* NULL for WARPLU_ORDERING_AUTO and WARPLU_ORDERING_GIVEN. */
wlu_order_fn wlu_order_function(warplu_ordering ordering);
/* 1 if this build has it (METIS is optional). */
int wlu_ordering_compiled(warplu_ordering ordering);
/* "amd", "colamd", ... as the command line spells them; "?" for a number that is no ordering. */
const char *wlu_ordering_name(warplu_ordering ordering);
/* The ordering of that name; 0 if there is none. */
int wlu_ordering_parse(const char *name, warplu_ordering *out);

#endif
