/* The analyzed pattern beside the caller's: where an entry's value stands, in which order its rows and columns are,
 * whether a matrix has the pattern. */
#include <warplu/inspect.h>
#include <warplu/save.h>

#include "api/entry.h"

#include <string.h>

static warplu_status find_position(const wlu_pattern *a, int32_t row, int32_t col, int32_t *position)
{
    if (row < 0 || row >= a->n || col < 0 || col >= a->n) return WARPLU_INVALID_ARGUMENT;
    int32_t e = wlu_pattern_find(a, row, col);
    if (e < 0) return WARPLU_PATTERN_MISMATCH;
    *position = wlu_pattern_source(a, a->map_ptr != NULL ? a->map_ptr[e] : e);
    return WARPLU_SUCCESS;
}

warplu_status warplu_get_position(const warplu_solver *s, int32_t row, int32_t col, int32_t *position)
{
    wlu_entry e;
    if (wlu_entry_begin_const(&e, s, WLU_CALL_GET_POSITION, position != NULL))
        e.status = find_position(s->analysis->a, row, col, position);
    return wlu_entry_end(&e);
}

/* The first line, counted as the pattern's columns, in which two patterns of one size differ; -1 if none. */
static int32_t first_difference(const wlu_pattern *a, const wlu_pattern *b)
{
    for (int32_t j = 0; j < a->n; j++) {
        int32_t count = a->p[j + 1] - a->p[j];
        if (count != b->p[j + 1] - b->p[j] || memcmp(a->i + a->p[j], b->i + b->p[j], (size_t)count * sizeof *a->i) != 0)
            return j;
    }
    return -1;
}

static int same_map(const wlu_pattern *a, const wlu_pattern *b)
{
    if (a->nvalues != b->nvalues || (a->map_ptr == NULL) != (b->map_ptr == NULL)) return 0;
    if (a->map_ptr != NULL && memcmp(a->map_ptr, b->map_ptr, ((size_t)a->nnz + 1) * sizeof *a->map_ptr) != 0) return 0;
    for (int32_t q = 0; q < a->nvalues && (a->map != NULL || b->map != NULL); q++)
        if (wlu_pattern_source(a, q) != wlu_pattern_source(b, q)) return 0;
    return 1;
}

static warplu_status check_pattern(warplu_solver *s, int32_t n, const int32_t *ptr, const int32_t *idx)
{
    const wlu_pattern *a = s->analysis->a;
    wlu_pattern *b = NULL;
    if (n != a->n && n > 0)
        return wlu_fail(&s->ctx, WARPLU_PATTERN_MISMATCH, "the matrix has %d rows, the analyzed pattern %d", n, a->n);
    warplu_status status = wlu_pattern_create(&s->ctx, s->options.storage, n, ptr, idx, &b);
    if (status < 0) return status;
    int32_t j = first_difference(a, b);
    if (j >= 0)
        status =
            wlu_fail(&s->ctx, WARPLU_PATTERN_MISMATCH,
                     "column %d of the matrix and of the analyzed pattern hold other rows", j + s->ctx.first_index);
    else if (!same_map(a, b))
        status = wlu_fail(&s->ctx, WARPLU_PATTERN_MISMATCH,
                          "the matrix has the analyzed pattern, but its values come in another order");
    wlu_pattern_destroy(&s->ctx, &b);
    return status;
}

warplu_status warplu_check_pattern(warplu_solver *s, int32_t n, const int32_t *ptr, const int32_t *idx)
{
    wlu_entry e;
    if (wlu_entry_begin(&e, s, WLU_CALL_CHECK_PATTERN, 1)) e.status = check_pattern(s, n, ptr, idx);
    return wlu_entry_end(&e);
}

warplu_status warplu_extract_order(const warplu_solver *s, int32_t *P, int32_t *Q, int32_t *block, int32_t *blocks)
{
    wlu_entry e;
    int given = P != NULL || Q != NULL || block != NULL || blocks != NULL;
    if (wlu_entry_begin_const(&e, s, WLU_CALL_EXTRACT_ORDER, given)) {
        const wlu_analysis *an = s->analysis;
        const wlu_candidate *first = &an->candidate[0];
        const int32_t count = wlu_analysis_nblocks(an, first);
        const size_t bytes = (size_t)an->n * sizeof *P;
        if (P != NULL) memcpy(P, first->row, bytes);
        if (Q != NULL) memcpy(Q, first->col, bytes);
        if (block != NULL) memcpy(block, wlu_analysis_blocks(an, first), ((size_t)count + 1) * sizeof *block);
        if (blocks != NULL) *blocks = count;
    }
    return wlu_entry_end(&e);
}
