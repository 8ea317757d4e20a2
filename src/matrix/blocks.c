/* The diagonal blocks of a block triangular form. See blocks.h.
 *
 * Extraction sorts all blocks at once by two bucket passes: entries inside blocks go first by row, then, in row order,
 * by column, so that the rows of each column ascend. O(n + nnz) time, 2 n + nnz int32 of work. The only work for each
 * block is its boundary, so tens of thousands of blocks of size 1 cost no more than their rows. */
#include "matrix/blocks.h"

#include <string.h>

void wlu_btf_free(wlu_context *ctx, wlu_btf *btf)
{
    wlu_free(ctx, btf->row);
    wlu_free(ctx, btf->col);
    wlu_free(ctx, btf->block);
    memset(btf, 0, sizeof *btf);
}

/* The entries inside blocks by row position, columns ascending: ti, with tp (n + 1) as count_entries left it.
 */
static void bucket_rows(const wlu_pattern *a, const wlu_btf *form, const int32_t *pos, int32_t *tp, int32_t *ti,
                        wlu_blocks *out)
{
    for (int32_t b = 0; b < form->nblocks; b++) {
        int32_t s = form->block[b], e = form->block[b + 1];
        for (int32_t k = s; k < e; k++) {
            int32_t j = form->col[k];
            for (int32_t q = a->p[j]; q < a->p[j + 1]; q++) {
                int32_t r = pos[a->i[q]];
                if (r >= s && r < e) ti[tp[r]++] = k;
            }
        }
    }
    /* tp[r] is now where row r ends, that is where row r + 1 begins. */
    memmove(tp + 1, tp, (size_t)a->n * sizeof *tp);
    tp[0] = 0;
    for (int32_t b = 0; b < form->nblocks; b++) out->first[b] = tp[form->block[b]];
    out->first[form->nblocks] = tp[a->n];
}

/* Counts the entries of each row position (to tp[r + 1]) and of each column (to its block's p), then sums. */
static void count_entries(const wlu_pattern *a, const wlu_btf *form, const int32_t *pos, int32_t *tp, wlu_blocks *out)
{
    memset(tp, 0, ((size_t)a->n + 1) * sizeof *tp);
    for (int32_t b = 0; b < form->nblocks; b++) {
        int32_t s = form->block[b], e = form->block[b + 1];
        int32_t *p = out->p + s + b;
        p[0] = 0;
        for (int32_t k = s; k < e; k++) {
            int32_t j = form->col[k], inside = 0;
            for (int32_t q = a->p[j]; q < a->p[j + 1]; q++) {
                int32_t r = pos[a->i[q]];
                if (r < s || r >= e) continue;
                tp[r + 1]++;
                inside++;
            }
            p[k - s + 1] = p[k - s] + inside;
        }
    }
    for (int32_t r = 0; r < a->n; r++) tp[r + 1] += tp[r];
}

/* Rows in ascending order into their columns. next: n. */
static void bucket_columns(const wlu_btf *form, const int32_t *tp, const int32_t *ti, int32_t *next, wlu_blocks *out)
{
    for (int32_t b = 0; b < form->nblocks; b++) {
        int32_t s = form->block[b], e = form->block[b + 1];
        const int32_t *p = out->p + s + b;
        for (int32_t k = s; k < e; k++) next[k] = out->first[b] + p[k - s];
        for (int32_t r = s; r < e; r++)
            for (int32_t q = tp[r]; q < tp[r + 1]; q++) out->i[next[ti[q]]++] = r - s;
    }
}

/* Counts what two ascending lists have in common: row r and column r of its block. */
static void count_pairs(const wlu_btf *form, const int32_t *tp, const int32_t *ti, wlu_blocks *out)
{
    for (int32_t b = 0; b < form->nblocks; b++) {
        wlu_diagonal_block block = wlu_blocks_get(out, b);
        int32_t s = form->block[b], paired = 0;
        for (int32_t k = 0; k < block.n; k++) {
            int32_t x = tp[s + k], y = block.p[k];
            while (x < tp[s + k + 1] && y < block.p[k + 1]) {
                int32_t col = ti[x] - s, row = block.i[y];
                paired += col == row;
                x += col <= row;
                y += row <= col;
            }
        }
        out->paired[b] = paired;
    }
}

warplu_status wlu_blocks_extract(wlu_context *ctx, const wlu_pattern *a, const wlu_btf *form, wlu_blocks *out)
{
    int32_t n = a->n;
    warplu_status status = WARPLU_SUCCESS;
    int32_t *ti = NULL;
    memset(out, 0, sizeof *out);
    out->nblocks = form->nblocks;
    out->block = form->block;
    int32_t *pos = WLU_ALLOC(ctx, n, int32_t);
    int32_t *tp = WLU_ALLOC(ctx, (int64_t)n + 1, int32_t);
    out->p = WLU_ALLOC(ctx, (int64_t)n + form->nblocks, int32_t);
    out->first = WLU_ALLOC(ctx, (int64_t)form->nblocks + 1, int32_t);
    out->paired = WLU_CALLOC(ctx, form->nblocks, int32_t);
    if (pos == NULL || tp == NULL || out->p == NULL || out->first == NULL || out->paired == NULL) goto memory;
    for (int32_t k = 0; k < n; k++) pos[form->row[k]] = k;
    count_entries(a, form, pos, tp, out);
    ti = WLU_ALLOC(ctx, tp[n], int32_t);
    out->i = WLU_ALLOC(ctx, tp[n], int32_t);
    if (ti == NULL || out->i == NULL) goto memory;
    bucket_rows(a, form, pos, tp, ti, out);
    bucket_columns(form, tp, ti, pos, out); /* pos is done with: it serves as next */
    count_pairs(form, tp, ti, out);
    goto done;
memory:
    status = wlu_fail_memory(ctx, "diagonal blocks");
    wlu_blocks_free(ctx, out);
done:
    wlu_free(ctx, pos);
    wlu_free(ctx, tp);
    wlu_free(ctx, ti);
    return status;
}

void wlu_blocks_free(wlu_context *ctx, wlu_blocks *blocks)
{
    wlu_free(ctx, blocks->p);
    wlu_free(ctx, blocks->first);
    wlu_free(ctx, blocks->i);
    wlu_free(ctx, blocks->paired);
    memset(blocks, 0, sizeof *blocks);
}

wlu_diagonal_block wlu_blocks_get(const wlu_blocks *blocks, int32_t b)
{
    int32_t s = blocks->block[b];
    wlu_diagonal_block view = {blocks->block[b + 1] - s, blocks->p + s + b, blocks->i + blocks->first[b],
                               blocks->paired[b]};
    return view;
}

void wlu_block_later(const wlu_diagonal_block *block, const int32_t *pos, int32_t *p, int32_t *i, int32_t *next)
{
    int32_t n = block->n;
    memset(p, 0, ((size_t)n + 1) * sizeof *p);
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t j = 0; j < n; j++)
            for (int32_t q = block->p[j], end = wlu_diagonal_block_end(block, j); q < end; q++) {
                int32_t u = pos[block->i[q]], v = pos[j];
                if (u == v) continue;
                if (pass == 0)
                    p[(u < v ? u : v) + 1]++;
                else
                    i[next[u < v ? u : v]++] = u < v ? v : u;
            }
        for (int32_t k = 0; k < n && pass == 0; k++) p[k + 1] += p[k];
        memcpy(next, p, (size_t)n * sizeof *next);
    }
}
