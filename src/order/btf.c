/* Block triangular form by SuiteSparse's BTF.
 *
 * 1. A zero-free diagonal of A is kept. Otherwise a maximum transversal (Duff, ACM TOMS 7, 1981) is found that keeps as
 *    much of the diagonal as possible. btf_maxtrans takes a column's first free row before it searches, so the columns
 *    with a diagonal entry come first, with that entry in front. Only the other columns search, and few diagonal
 *    entries are given up for them. A matching that follows the diagonal keeps the symmetry that orderings of B + B'
 *    need. Where the caller marks entries as usable (large enough to be pivots), a transversal of these alone is
 *    preferred, so that threshold pivoting can follow it.
 * 2. Strongly connected components of A Q (Tarjan, SIAM J. Comput. 1, 1972; Duff and Reid, ACM TOMS 4, 1978) give the
 *    blocks in upper triangular order.
 * 3. Inside each block positions are sorted by original column, so that "natural" means natural and the result does not
 *    depend on the order of a depth-first search.
 *
 * Cost: O(n + nnz), but for the transversal's search: O(n nnz) at worst, which hardly ever happens. Work: 9 n + nnz
 * int32. */
#include "order/btf.h"

#include "order/diagnose.h"

#include <string.h>
#include <suitesparse/btf.h>

_Static_assert(sizeof(int) == sizeof(int32_t), "BTF's int is int32_t");

/* The place of each column's usable diagonal entry, -1 where there is none; returns how many there are. */
static int32_t find_diagonal(const wlu_pattern *a, const uint8_t *usable, int32_t *place)
{
    int32_t found = 0;
    for (int32_t j = 0; j < a->n; j++) {
        place[j] = wlu_pattern_find(a, j, j);
        if (usable != NULL && place[j] >= 0 && !usable[place[j]]) place[j] = -1;
        found += place[j] >= 0;
    }
    return found;
}

/* A's usable columns, those with a diagonal entry first and that entry in front. order[k]: the column at k. */
static void diagonal_first(const wlu_pattern *a, const uint8_t *usable, const int32_t *place, int32_t with,
                           int32_t *order, int32_t *cp, int32_t *ci)
{
    int32_t front = 0, back = with;
    for (int32_t j = 0; j < a->n; j++) {
        if (place[j] >= 0)
            order[front++] = j;
        else
            order[back++] = j;
    }
    const int32_t *ai = a->i;
    int32_t q = 0;
    for (int32_t k = 0; k < a->n; k++) {
        int32_t j = order[k], diagonal = place[j];
        cp[k] = q;
        ci[q] = j;
        q += diagonal >= 0;
        for (int32_t e = a->p[j], end = a->p[j + 1]; e < end; e++) {
            ci[q] = ai[e];
            q += e != diagonal && (usable == NULL || usable[e]);
        }
    }
    cp[a->n] = q;
}

static warplu_status fail_singular(wlu_context *ctx, const wlu_pattern *a, int32_t rank, const int32_t *match,
                                   int32_t *seen)
{
    int32_t row = -1, col = -1, n = a->n;
    memset(seen, 0, (size_t)n * sizeof *seen);
    for (int32_t i = 0; i < n; i++) {
        if (match[i] >= 0)
            seen[match[i]] = 1;
        else if (row < 0)
            row = i;
    }
    for (int32_t j = n - 1; j >= 0; j--)
        if (!seen[j]) col = j;
    return wlu_fail_structurally_singular(ctx, a, rank, col, row);
}

/* A maximum transversal among the usable entries (NULL: all); match[i] is the column matched to row i. Returns
 * its size, -1 out of memory. place: from find_diagonal, which found `with`; work: 5 n. */
static int32_t match_usable(wlu_context *ctx, const wlu_pattern *a, const uint8_t *usable, const int32_t *place,
                            int32_t with, int32_t *match, int32_t *work)
{
    int32_t n = a->n, rank = -1;
    int32_t *order = WLU_ALLOC(ctx, n, int32_t);
    int32_t *cp = WLU_ALLOC(ctx, (int64_t)n + 1, int32_t);
    int32_t *ci = WLU_ALLOC(ctx, (int64_t)a->nnz + 1, int32_t); /* one more: diagonal_first writes ahead */
    if (order != NULL && cp != NULL && ci != NULL) {
        diagonal_first(a, usable, place, with, order, cp, ci);
        double done_work = 0.0;
        rank = btf_maxtrans(n, n, cp, ci, 0.0, &done_work, match, work);
        for (int32_t i = 0; i < n; i++)
            if (match[i] >= 0) match[i] = order[match[i]];
    }
    wlu_free(ctx, order);
    wlu_free(ctx, cp);
    wlu_free(ctx, ci);
    return rank;
}

/* The transversal: the diagonal if it is zero-free (*zero_free, match untouched), else a maximum one; among the
 * usable entries if they have one of full size. */
static warplu_status find_transversal(wlu_context *ctx, const wlu_pattern *a, const uint8_t *usable, int32_t *match,
                                      int32_t *place, int32_t *work, int *zero_free)
{
    int32_t n = a->n;
    for (int attempt = usable == NULL; attempt < 2; attempt++) {
        const uint8_t *mask = attempt == 0 ? usable : NULL;
        int32_t with = find_diagonal(a, mask, place);
        *zero_free = with == n;
        if (*zero_free) return WARPLU_SUCCESS;
        int32_t rank = match_usable(ctx, a, mask, place, with, match, work);
        if (rank < 0) return wlu_fail_memory(ctx, "transversal");
        if (rank == n) return WARPLU_SUCCESS;
        if (mask == NULL) return fail_singular(ctx, a, rank, match, work);
    }
    return WARPLU_SUCCESS;
}

/* Sorts the positions of each block by column. work: 3 n. */
static void sort_blocks(int32_t n, const wlu_btf *btf, int32_t *work)
{
    int32_t *partner = work, *owner = work + n, *next = work + 2 * (int64_t)n;
    for (int32_t b = 0; b < btf->nblocks; b++) {
        next[b] = btf->block[b];
        for (int32_t k = btf->block[b]; k < btf->block[b + 1]; k++) {
            owner[btf->col[k]] = b;
            partner[btf->col[k]] = btf->row[k];
        }
    }
    for (int32_t j = 0; j < n; j++) {
        int32_t k = next[owner[j]]++;
        btf->col[k] = j;
        btf->row[k] = partner[j];
    }
}

/* One block: columns as they stand, each with its matched row. match == NULL: the diagonal. */
static void one_block(int32_t n, const int32_t *match, wlu_btf *out)
{
    for (int32_t i = 0; i < n; i++) {
        int32_t j = match != NULL ? match[i] : i;
        out->row[j] = i;
        out->col[i] = i;
    }
    out->nblocks = 1;
    out->block[0] = 0;
    out->block[1] = n;
}

/* Strong components. On entry out->col holds the matching (by row), unless the diagonal is zero-free. */
static void find_components(const wlu_pattern *a, int zero_free, wlu_btf *out, int32_t *work)
{
    int32_t n = a->n;
    out->nblocks = btf_strongcomp(n, a->p, a->i, zero_free ? NULL : out->col, out->row, out->block, work);
    if (zero_free) memcpy(out->col, out->row, (size_t)n * sizeof *out->col);
    sort_blocks(n, out, work);
}

warplu_status wlu_btf_find(wlu_context *ctx, const wlu_pattern *a, const int32_t *matched, const uint8_t *usable,
                           int blocks, wlu_btf *out)
{
    int32_t n = a->n;
    warplu_status status = WARPLU_SUCCESS;
    memset(out, 0, sizeof *out);
    int32_t *place = WLU_ALLOC(ctx, n, int32_t);
    int32_t *match = WLU_ALLOC(ctx, n, int32_t);
    int32_t *work = WLU_ALLOC(ctx, 5 * (int64_t)n, int32_t);
    out->row = WLU_ALLOC(ctx, n, int32_t);
    out->col = WLU_ALLOC(ctx, n, int32_t);
    out->block = WLU_ALLOC(ctx, (int64_t)n + 1, int32_t);
    if (!WLU_ALL_THERE(place, match, work, out->row, out->col, out->block)) {
        status = wlu_fail_memory(ctx, "block triangular form");
        goto done;
    }
    int zero_free = 0;
    if (matched != NULL)
        memcpy(match, matched, (size_t)n * sizeof *match);
    else
        status = find_transversal(ctx, a, usable, match, place, work, &zero_free);
    if (status < 0) goto done;
    if (blocks) {
        if (!zero_free) memcpy(out->col, match, (size_t)n * sizeof *match);
        find_components(a, zero_free, out, work);
    } else {
        one_block(n, zero_free ? NULL : match, out);
    }
    for (int32_t b = 0; b < out->nblocks; b++) {
        int32_t size = out->block[b + 1] - out->block[b];
        if (size > out->largest_block) out->largest_block = size;
    }
done:
    wlu_free(ctx, place);
    wlu_free(ctx, match);
    wlu_free(ctx, work);
    if (status < 0) wlu_btf_free(ctx, out);
    return status;
}
