/* The diagonal blocks of a block triangular form. See blocks.h.
 *
 * Columns whose rows do not ascend are sorted at once by two bucket passes: entries inside blocks go first by row,
 * then, in row order, by column. O(n + nnz) time, 2 n + nnz int32 of work. The only work for each block is its
 * boundary, so tens of thousands of blocks of size 1 cost no more than their rows. Edges of B + B' are listed by a
 * merge of rows with columns. */
#include "matrix/blocks.h"

#include <string.h>

void wlu_btf_free(wlu_context *ctx, wlu_btf *btf)
{
    wlu_free(ctx, btf->row);
    wlu_free(ctx, btf->col);
    wlu_free(ctx, btf->block);
    memset(btf, 0, sizeof *btf);
}

/* One block in A's own order is A. */
static int is_whole(const wlu_btf *form, int32_t n)
{
    int moved = form->nblocks > 1;
    for (int32_t k = 0; k < n && !moved; k++) moved = form->row[k] != k || form->col[k] != k;
    return !moved;
}

static void copy_whole(const wlu_pattern *a, wlu_blocks *out)
{
    memcpy(out->p, a->p, ((size_t)a->n + 1) * sizeof *out->p);
    memcpy(out->i, a->i, (size_t)a->nnz * sizeof *out->i);
    out->first[0] = 0;
    out->first[1] = a->nnz;
}

/* Rows of each column as they stand in A. Returns whether they ascend in every column, as they do where the diagonal is
 * A's own. pos: position of each row. */
static int fill_columns(const wlu_pattern *a, const wlu_btf *form, const int32_t *pos, wlu_blocks *out)
{
    const int32_t *ap = a->p, *ai = a->i, *col = form->col;
    int32_t at = 0, *i = out->i;
    int sorted = 1;
    for (int32_t b = 0; b < form->nblocks; b++) {
        int32_t s = form->block[b], size = form->block[b + 1] - s, first = at, *p = out->p + s + b;
        out->first[b] = at;
        if (size == 1) { /* there may be very many */
            p[0] = 0;
            p[1] = 1;
            i[at++] = 0;
            continue;
        }
        for (int32_t k = 0; k < size; k++) {
            int32_t j = col[s + k], before = -1;
            p[k] = at - first;
            for (int32_t q = ap[j], end = ap[j + 1]; q < end; q++) {
                int32_t r = pos[ai[q]] - s;
                if ((uint32_t)r >= (uint32_t)size) continue;
                sorted &= r > before;
                before = r;
                i[at++] = r;
            }
        }
        p[size] = at - first;
    }
    out->first[form->nblocks] = at;
    return sorted;
}

/* Entries by row position, tp (n + 1), the positions of their columns ascending: ti. */
static void transpose_blocks(const wlu_blocks *blocks, int32_t n, int32_t *tp, int32_t *ti)
{
    memset(tp, 0, ((size_t)n + 1) * sizeof *tp);
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t b = 0; b < blocks->nblocks; b++) {
            wlu_diagonal_block block = wlu_blocks_get(blocks, b);
            int32_t s = blocks->block[b];
            for (int32_t k = 0; k < block.n; k++)
                for (int32_t q = block.p[k]; q < block.p[k + 1]; q++) {
                    if (pass == 0)
                        tp[s + block.i[q] + 1]++;
                    else
                        ti[tp[s + block.i[q]]++] = s + k;
                }
        }
        for (int32_t r = 0; r < n && pass == 0; r++) tp[r + 1] += tp[r];
    }
    /* tp[r] is now where row r ends, that is where row r + 1 begins. */
    memmove(tp + 1, tp, (size_t)n * sizeof *tp);
    tp[0] = 0;
}

/* Rows in ascending order into their columns. next: n. */
static void sort_columns(const int32_t *tp, const int32_t *ti, int32_t *next, wlu_blocks *out)
{
    for (int32_t b = 0; b < out->nblocks; b++) {
        int32_t s = out->block[b], e = out->block[b + 1];
        const int32_t *p = out->p + s + b;
        for (int32_t k = s; k < e; k++) next[k] = out->first[b] + p[k - s];
        for (int32_t r = s; r < e; r++)
            for (int32_t q = tp[r]; q < tp[r + 1]; q++) out->i[next[ti[q]]++] = r - s;
    }
}

/* The earlier neighbours of index k in B + B', what row k and column k have of them, both ascending; returns how many
 * are in both. row, column: their ends are moved to what is not before k. s: the block's first position. */
static int32_t merge_earlier(const int32_t **row, const int32_t *row_end, const int32_t **column,
                             const int32_t *column_end, int32_t s, int32_t k, int32_t *edge, int32_t *edges)
{
    const int32_t *x = *row, *y = *column;
    int32_t count = 0, both = 0;
    while (x < row_end && y < column_end && *x - s < k && *y < k) {
        int32_t col = *x - s, before = col < *y ? col : *y;
        both += col == *y;
        x += col == before;
        y += *y == before;
        edge[count++] = before;
    }
    for (; x < row_end && *x - s < k; x++) edge[count++] = *x - s;
    for (; y < column_end && *y < k; y++) edge[count++] = *y;
    *row = x;
    *column = y;
    *edges = count;
    return both;
}

/* Lists the edges of each block, counts its pairs. */
static void list_edges(const int32_t *tp, const int32_t *ti, wlu_blocks *out)
{
    int32_t at = 0, count;
    for (int32_t b = 0; b < out->nblocks; b++) {
        wlu_diagonal_block block = wlu_blocks_get(out, b);
        int32_t s = out->block[b], paired = 0, *p = out->edge_p + s + b;
        out->edge_first[b] = at;
        for (int32_t k = 0; k < block.n; k++) {
            const int32_t *row = ti + tp[s + k], *column = block.i + block.p[k], *end = block.i + block.p[k + 1];
            p[k] = at - out->edge_first[b];
            paired += 2 * merge_earlier(&row, ti + tp[s + k + 1], &column, end, s, k, out->edge_i + at, &count);
            paired += column < end && *column == k;
            at += count;
        }
        p[block.n] = at - out->edge_first[b];
        out->paired[b] = paired;
    }
}

static warplu_status list_pairs(wlu_context *ctx, int32_t n, const int32_t *tp, const int32_t *ti, wlu_blocks *out)
{
    out->edge_p = WLU_ALLOC(ctx, (int64_t)n + out->nblocks, int32_t);
    out->edge_first = WLU_ALLOC(ctx, out->nblocks, int32_t);
    out->edge_i = WLU_ALLOC(ctx, out->first[out->nblocks], int32_t);
    if (out->edge_p == NULL || out->edge_first == NULL || out->edge_i == NULL)
        return wlu_fail_memory(ctx, "edges of diagonal blocks");
    list_edges(tp, ti, out);
    return WARPLU_SUCCESS;
}

/* What needs the blocks by rows: sorts columns that are not, lists edges where they are asked for. */
static warplu_status look_across(wlu_context *ctx, int32_t n, int sorted, int pairs, int32_t *next, wlu_blocks *out)
{
    warplu_status status = WARPLU_SUCCESS;
    int32_t *tp = WLU_ALLOC(ctx, (int64_t)n + 1, int32_t);
    int32_t *ti = WLU_ALLOC(ctx, out->first[out->nblocks], int32_t);
    if (tp == NULL || ti == NULL) {
        status = wlu_fail_memory(ctx, "diagonal blocks");
    } else {
        transpose_blocks(out, n, tp, ti);
        if (!sorted) sort_columns(tp, ti, next, out);
        if (pairs) status = list_pairs(ctx, n, tp, ti, out);
    }
    wlu_free(ctx, tp);
    wlu_free(ctx, ti);
    return status;
}

warplu_status wlu_blocks_extract(wlu_context *ctx, const wlu_pattern *a, const wlu_btf *form, int pairs,
                                 wlu_blocks *out)
{
    int32_t n = a->n;
    warplu_status status = WARPLU_SUCCESS;
    memset(out, 0, sizeof *out);
    out->nblocks = form->nblocks;
    out->block = form->block;
    int32_t *pos = WLU_ALLOC(ctx, n, int32_t);
    out->p = WLU_ALLOC(ctx, (int64_t)n + form->nblocks, int32_t);
    out->first = WLU_ALLOC(ctx, (int64_t)form->nblocks + 1, int32_t);
    out->i = WLU_ALLOC(ctx, a->nnz, int32_t);
    out->paired = WLU_CALLOC(ctx, form->nblocks, int32_t);
    if (!WLU_ALL_THERE(pos, out->p, out->first, out->i, out->paired)) {
        status = wlu_fail_memory(ctx, "diagonal blocks");
    } else {
        int sorted = is_whole(form, n);
        if (sorted) {
            copy_whole(a, out);
        } else {
            for (int32_t k = 0; k < n; k++) pos[form->row[k]] = k;
            sorted = fill_columns(a, form, pos, out);
        }
        if (!sorted || pairs) status = look_across(ctx, n, sorted, pairs, pos, out); /* pos is done with */
    }
    wlu_free(ctx, pos);
    if (status < 0) wlu_blocks_free(ctx, out);
    return status;
}

void wlu_blocks_free(wlu_context *ctx, wlu_blocks *blocks)
{
    wlu_free(ctx, blocks->p);
    wlu_free(ctx, blocks->first);
    wlu_free(ctx, blocks->i);
    wlu_free(ctx, blocks->paired);
    wlu_free(ctx, blocks->edge_p);
    wlu_free(ctx, blocks->edge_first);
    wlu_free(ctx, blocks->edge_i);
    memset(blocks, 0, sizeof *blocks);
}

wlu_diagonal_block wlu_blocks_get(const wlu_blocks *blocks, int32_t b)
{
    int32_t s = blocks->block[b];
    wlu_diagonal_block view = {.n = blocks->block[b + 1] - s,
                               .p = blocks->p + s + b,
                               .i = blocks->i + blocks->first[b],
                               .paired = blocks->paired[b]};
    if (blocks->edge_i == NULL) return view;
    view.edge_p = blocks->edge_p + s + b;
    view.edge_i = blocks->edge_i + blocks->edge_first[b];
    return view;
}

void wlu_block_later(const wlu_diagonal_block *block, const int32_t *pos, int32_t *p, int32_t *i, int32_t *next)
{
    int32_t n = block->n;
    const wlu_diagonal_block edges = wlu_diagonal_block_edges(block);
    memset(p, 0, ((size_t)n + 1) * sizeof *p);
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t j = 0; j < n; j++)
            for (int32_t q = edges.p[j], end = edges.p[j + 1]; q < end; q++) {
                int32_t u = pos[edges.i[q]], v = pos[j];
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
