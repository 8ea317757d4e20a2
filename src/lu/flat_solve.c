/* A second stage written out flat. See flat_build.h.
 *
 * Segments of the stream are copied. A region's unknowns stay where their y are: a triangle gives each a chain in
 * order, the rows of panels beside it each a tree of products (solve_tiles of exec/reference/reference.c). Rows that
 * have no entry are left out, for what is subtracted is zero.
 *
 * O(records + terms + panel rows * 8) time, 4 bytes an unknown of the regions. */
#include "lu/flat_build.h"

enum { W = WLU_TILE_WIDTH };

typedef struct solver {
    wlu_flat_builder *b;
    const wlu_tiles *t;
    int32_t *unknown; /* by tiled pivot: its slot */
} solver;

/* A term, unless the factor's number is zero. Returns how many terms there are then. */
static inline int64_t put_term(const solver *s, int64_t terms, int64_t factor, int32_t unknown)
{
    int32_t *pair = wlu_flat_operands(s->b) + 2 * terms, number = *wlu_flat_at(s->b, factor);
    if (number == WLU_FLAT_ZERO) return terms;
    pair[0] = number;
    pair[1] = s->unknown[unknown];
    return terms + 1;
}

/* Rows of the tile's panel beside the diagonal block: products by the tile's unknowns. panel: slot of the first. */
static warplu_status put_products(const solver *s, int32_t k, int64_t panel, const int32_t *row, int32_t rows)
{
    wlu_flat_builder *b = s->b;
    const int32_t first = s->t->first[k], width = wlu_tile_width(s->t, k);
    for (int32_t r = 0; r < rows; r++, panel += W) {
        warplu_status status = wlu_flat_reserve(b, 1, W);
        if (status < 0) return status;
        int64_t terms = 0;
        int32_t *pair = wlu_flat_operands(b);
        for (int32_t c = 0; c < width; c++) {
            pair[2 * c] = pair[2 * c + 1] = WLU_FLAT_ZERO;
            if (put_term(s, c, panel + c, first + c) > c) terms = c + 1;
        }
        if (terms == 0) continue;
        int32_t x = s->unknown[row[r]];
        wlu_flat_put(b, WLU_DOT, WLU_SUM_TREE, x, x, -1, terms);
    }
    return WARPLU_SUCCESS;
}

static warplu_status put_forward(const solver *s, int32_t k)
{
    const wlu_tiles *t = s->t;
    int64_t diagonal = wlu_tile_diagonal(t, k);
    for (int32_t i = 0; i < wlu_tile_width(t, k); i++) {
        warplu_status status = wlu_flat_reserve(s->b, 1, W);
        if (status < 0) return status;
        int64_t terms = 0;
        for (int32_t j = 0; j < i; j++) terms = put_term(s, terms, diagonal + W * i + j, t->first[k] + j);
        int32_t x = s->unknown[t->first[k] + i];
        if (terms > 0) wlu_flat_put(s->b, WLU_DOT, WLU_SUM_IN_ORDER, x, x, -1, terms);
    }
    return put_products(s, k, wlu_tile_lower(t, k), t->row + t->row_ptr[k] + t->above[k], t->below[k]);
}

static warplu_status put_back(const solver *s, int32_t k)
{
    const wlu_tiles *t = s->t;
    int64_t diagonal = wlu_tile_diagonal(t, k), reciprocal = wlu_lu_of(s->b->p)->tile_reciprocal + t->first[k];
    int32_t width = wlu_tile_width(t, k);
    for (int32_t i = width - 1; i >= 0; i--) {
        warplu_status status = wlu_flat_reserve(s->b, 1, W);
        if (status < 0) return status;
        int64_t terms = 0;
        for (int32_t j = width - 1; j > i; j--) terms = put_term(s, terms, diagonal + W * i + j, t->first[k] + j);
        int32_t x = s->unknown[t->first[k] + i];
        wlu_flat_put(s->b, WLU_DOTS, WLU_SUM_IN_ORDER, x, x, *wlu_flat_at(s->b, reciprocal + i), terms);
    }
    return put_products(s, k, t->panel[k], t->row + t->row_ptr[k], t->above[k]);
}

static warplu_status put_region(const solver *s, const wlu_triangular *t, const wlu_solve_region *r)
{
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t at = r->first; at < r->behind; at++) s->unknown[at] = wlu_flat_read(s->b, t->tile_y[at]);
    for (int32_t k = r->begin; k < r->end && status == WARPLU_SUCCESS; k++) status = put_forward(s, k);
    for (int32_t k = r->end - 1; k >= r->begin && status == WARPLU_SUCCESS; k--) status = put_back(s, k);
    for (int32_t at = r->first; at < r->behind; at++) *wlu_flat_at(s->b, t->tile_x[at]) = s->unknown[at];
    return status;
}

static warplu_status put_segment(wlu_flat_builder *b, const wlu_triangular *t, int32_t segment)
{
    int64_t first = wlu_segment_begin(t, segment), end = wlu_segment_begin(t, segment + 1);
    const wlu_sort_entry *sorted = wlu_flat_sort(b, &t->stream, first, end);
    warplu_status status = WARPLU_SUCCESS;
    for (int64_t k = 0; k < end - first && status == WARPLU_SUCCESS; k++)
        status = wlu_flat_copy(b, &t->stream, sorted[k].record);
    return status;
}

static warplu_status put_segments(wlu_flat_builder *b, const wlu_triangular *t)
{
    solver s = {.b = b, .t = &wlu_lu_of(b->p)->tiles};
    warplu_status status = wlu_flat_reserve(b, t->stream.nrecords, t->stream.nterms);
    s.unknown = WLU_ALLOC(b->ctx, s.t->m, int32_t);
    if (s.unknown == NULL) status = wlu_fail_memory(b->ctx, "solve of the flat program");
    for (int32_t k = 0; k <= t->regions && status == WARPLU_SUCCESS; k++) {
        status = put_segment(b, t, k);
        if (status == WARPLU_SUCCESS && k < t->regions) status = put_region(&s, t, &t->region[k]);
    }
    wlu_free(b->ctx, s.unknown);
    return status;
}

/* Where b goes and x comes from. */
static warplu_status map_ends(wlu_flat_builder *b, const wlu_triangular *t, wlu_flat_solve *solve)
{
    wlu_context *ctx = b->ctx;
    const wlu_program *p = b->p;
    int64_t n = p->n;
    solve->load.count = n;
    solve->load.slot = WLU_ALLOC(ctx, n, int32_t);
    solve->load.scale = WLU_CALLOC(ctx, n, double);
    solve->store = WLU_ALLOC(ctx, n, int32_t);
    if (t->scale != NULL) solve->store_scale = WLU_ALLOC(ctx, n, double);
    if (!solve->load.slot || !solve->load.scale || !solve->store || (t->scale != NULL && !solve->store_scale))
        return wlu_fail_memory(ctx, "solve of the flat program");
    for (int64_t k = 0; k < n; k++) solve->load.slot[k] = -1;
    for (int64_t k = 0; k < t->load.count; k++) {
        if (t->load.source[k] < 0) continue;
        solve->load.slot[t->load.source[k]] = wlu_flat_read(b, t->load.first + k);
        solve->load.scale[t->load.source[k]] = t->load.scale[k];
    }
    for (int64_t k = 0; k < n; k++) {
        solve->store[t->index[k]] = *wlu_flat_at(b, p->x + k);
        if (t->scale != NULL) solve->store_scale[t->index[k]] = t->scale[k];
    }
    return WARPLU_SUCCESS;
}

warplu_status wlu_flat_put_solve(wlu_flat_builder *b, const wlu_triangular *t, wlu_flat_solve *solve)
{
    const wlu_program *p = b->p;
    int64_t slots = p->nslots - p->y;
    warplu_status status = wlu_flat_begin(b, &solve->stream, slots);
    if (status < 0) return status;
    for (int64_t k = 0; k < slots; k++) b->own[k] = WLU_FLAT_ZERO;
    for (int64_t k = 0; k < t->load.count; k++)
        if (t->load.source[k] >= 0) b->own[t->load.first + k - p->y] = WLU_FLAT_LOADED;
    if (p->minus_one >= 0) b->own[p->minus_one - p->y] = WLU_FLAT_MINUS_ONE;
    status = put_segments(b, t);
    if (status == WARPLU_SUCCESS) status = map_ends(b, t, solve);
    if (status == WARPLU_SUCCESS) status = wlu_flat_end(b);
    solve->own = b->next - b->base;
    return status;
}
