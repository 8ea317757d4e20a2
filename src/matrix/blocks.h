/* Diagonal blocks: a block triangular form of a pattern, and the patterns of its blocks.
 *
 * Orders, counts and dissections work on one diagonal block: the CSC pattern of an n by n matrix (unsymmetric, rows
 * ascending, the diagonal free of zeros). All blocks of a form are extracted at once in O(n + nnz). */
#ifndef WLU_MATRIX_BLOCKS_H
#define WLU_MATRIX_BLOCKS_H

#include "matrix/sparse.h"

/* Rows and columns permuted so that entries stand only in diagonal blocks and above them. */
typedef struct wlu_btf {
    int32_t nblocks;
    int32_t largest_block;
    int32_t *row;   /* n: row[k] is the original row at position k */
    int32_t *col;   /* n: col[k] is the original column at position k; ascending in each block */
    int32_t *block; /* nblocks + 1 boundaries; n + 1 allocated */
} wlu_btf;

void wlu_btf_free(wlu_context *ctx, wlu_btf *btf);

typedef struct wlu_diagonal_block {
    int32_t n;
    const int32_t *p; /* n + 1 */
    const int32_t *i;
    int32_t paired; /* entries with a counterpart across the diagonal, those on it among them; 0 where not counted */
    const int32_t *edge_p, *edge_i; /* B + B' above its diagonal, as p and i; NULL where it is not listed */
} wlu_diagonal_block;

/* Entries that suffice for B + B', as p and i: its edges where they are listed, else all of B. */
static inline wlu_diagonal_block wlu_diagonal_block_edges(const wlu_diagonal_block *block)
{
    int listed = block->edge_p != NULL;
    return (wlu_diagonal_block){
        .n = block->n, .p = listed ? block->edge_p : block->p, .i = listed ? block->edge_i : block->i};
}

/* The diagonal blocks of a permuted matrix, one after the other: entries outside the blocks left out, indices
 * local to each block, rows ascending. Built at once in O(n + nnz), however many blocks there are. */
typedef struct wlu_blocks {
    int32_t nblocks;
    const int32_t *block; /* nblocks + 1 boundaries, borrowed */
    int32_t *p;           /* n + nblocks: block b's pointers begin at block[b] + b, each from 0 */
    int32_t *first;       /* nblocks + 1: its rows begin at i + first[b]; first[nblocks] entries in all */
    int32_t *i;
    int32_t *paired;                       /* nblocks */
    int32_t *edge_p, *edge_first, *edge_i; /* as p, first and i; NULL where edges are not listed */
} wlu_blocks;

/* A(form->row, form->col) cut into form's blocks; form must outlive *out. pairs: lists the edges of B + B' and counts
 * entries with a counterpart, which predictions go by. WARPLU_OUT_OF_MEMORY: nothing owned. */
warplu_status wlu_blocks_extract(wlu_context *ctx, const wlu_pattern *a, const wlu_btf *form, int pairs,
                                 wlu_blocks *out);
void wlu_blocks_free(wlu_context *ctx, wlu_blocks *blocks);
/* A view of block b. */
wlu_diagonal_block wlu_blocks_get(const wlu_blocks *blocks, int32_t b);

/* Neighbours in B + B' that are eliminated after each pivot, by position: p (n + 1), i (nnz); some stand there twice.
 * pos: the position of each row and column. next: n, workspace. */
void wlu_block_later(const wlu_diagonal_block *block, const int32_t *pos, int32_t *p, int32_t *i, int32_t *next);

#endif
