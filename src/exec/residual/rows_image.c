/* Rows for residuals. See rows_image.h. Columns of the pattern are rows of A'; A's are found by a bucket transpose. */
#include "exec/residual/rows_image.h"

#include <stddef.h>

typedef struct rows_arrays {
    int32_t *begin, *column, *source, *next;
    uint16_t *power;
} rows_arrays;

/* Entries of the longest, at least so many. */
static int32_t longest_of(const int32_t *begin, int32_t n, int32_t least)
{
    int32_t longest = least;
    for (int32_t i = 0; i < n; i++)
        if (begin[i + 1] - begin[i] > longest) longest = begin[i + 1] - begin[i];
    return longest;
}

/* What loads call an entry of the pattern. */
static void name_sources(const wlu_program *p, int32_t *source)
{
    const wlu_pattern *a = p->pattern;
    for (int32_t e = 0; e < a->nnz; e++) source[e] = p->gather != NULL ? e : wlu_pattern_source(a, e);
}

static void fill(const wlu_program *p, wlu_stream_kind kind, int32_t *named, rows_arrays *to)
{
    const wlu_pattern *a = p->pattern;
    const wlu_loads *l = &wlu_program_solve(p, kind)->load;
    name_sources(p, named);
    if (kind == WLU_STREAM_SOLVE) {
        wlu_bucket(a->n, a->p, a->i, named, to->begin, to->column, to->source, to->next);
    } else {
        memcpy(to->begin, a->p, ((size_t)a->n + 1) * sizeof *to->begin);
        memcpy(to->column, a->i, (size_t)a->nnz * sizeof *to->column);
        memcpy(to->source, named, (size_t)a->nnz * sizeof *to->source);
    }
    for (int64_t k = 0; k < l->count; k++)
        if (l->source[k] >= 0) to->power[l->source[k]] = wlu_upper_of_power(l->scale[k]);
}

static warplu_status assemble(wlu_context *ctx, const wlu_program *p, const rows_arrays *r, wlu_rows_image *out)
{
    int64_t n = p->n, nnz = p->pattern->nnz;
    const wlu_piece list[] = {
        WLU_PIECE(wlu_refine_rows, begin, r->begin, n + 1),
        WLU_PIECE(wlu_refine_rows, column, r->column, nnz),
        WLU_PIECE(wlu_refine_rows, source, r->source, nnz),
        WLU_PIECE(wlu_refine_rows, power, r->power, n),
    };
    warplu_status status = wlu_block_fill(ctx, list, (int)(sizeof list / sizeof *list), &out->block);
    if (status < 0) return status;
    out->rows.n = p->n;
    out->rows.doubles = p->doubles;
    out->rows.longest = longest_of(r->begin, p->n, longest_of(p->pattern->p, p->n, 2));
    wlu_block_place(&out->block, out->block.memory, &out->rows);
    return status;
}

warplu_status wlu_rows_image_pack(wlu_context *ctx, const wlu_program *p, wlu_stream_kind kind, wlu_rows_image *out)
{
    int64_t n = p->n, nnz = p->pattern->nnz;
    rows_arrays r = {WLU_ALLOC(ctx, n + 1, int32_t), WLU_ALLOC(ctx, nnz, int32_t), WLU_ALLOC(ctx, nnz, int32_t),
                     WLU_ALLOC(ctx, n, int32_t), WLU_CALLOC(ctx, n, uint16_t)};
    int32_t *named = WLU_ALLOC(ctx, nnz, int32_t);
    warplu_status status = WARPLU_OUT_OF_MEMORY;
    *out = (wlu_rows_image){0};
    if (WLU_ALL_THERE(r.begin, r.column, r.source, r.next, r.power, named)) {
        fill(p, kind, named, &r);
        status = assemble(ctx, p, &r, out);
    } else {
        status = wlu_fail_memory(ctx, "rows for residuals");
    }
    void *owned[] = {r.begin, r.column, r.source, r.next, r.power, named};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) wlu_free(ctx, owned[k]);
    return status;
}
