/* Pivots on the diagonal of an order. See diagonal.h. What the pivots keep of A is as the search sees it: columns in
 * their order, and of equal magnitudes the first. */
#include "pivot/diagonal.h"

#include <math.h>
#include <string.h>

#include "base/power.h"
#include "order/row_scale.h"
#include "pivot/fill.h"
#include "pivot/symmetric_fill.h"
#include "pivot/units.h"

typedef struct taker {
    const warplu_options *options;
    const wlu_pattern *a;
    const double *x; /* of gathered values the sizes */
    wlu_pivots *out;
    double *row; /* n: largest scaled magnitude of each row of A, -1 where none has been met */
} taker;

/* The least and the largest of some magnitudes. */
typedef struct range {
    double least, most;
} range;

static void widen(range *r, double magnitude)
{
    if (magnitude < r->least) r->least = magnitude;
    if (magnitude > r->most) r->most = magnitude;
}

/* Position k, whose block begins at `begin`: its column's largest entries, also as rows see them; 0 where the diagonal
 * is too small. */
static int take_column(taker *t, int32_t k, int32_t begin, range *columns)
{
    wlu_pivots *out = t->out;
    int32_t j = out->col[k], first = t->a->p[j], end = t->a->p[j + 1];
    double in_block = 0.0, of_all = 0.0, diagonal = 0.0;
    out->largest[k] = first;
    for (int32_t e = first; e < end; e++) {
        int32_t i = t->a->i[e], at = out->row_pos[i];
        double magnitude = fabs(t->x[e] * wlu_power_of_two(out->exponent[i]));
        if (magnitude > t->row[at]) {
            t->row[at] = magnitude;
            out->row_largest[at] = e;
        }
        if (magnitude > of_all) of_all = magnitude;
        if (at == k) diagonal = magnitude;
        if (at < begin || !(magnitude > in_block)) continue;
        in_block = magnitude;
        out->largest[k] = e;
    }
    widen(columns, of_all);
    return diagonal >= t->options->pivot_tolerance * in_block && diagonal > t->options->pivot_absolute;
}

/* All columns, then what rows and scales come to; 0 where a diagonal entry is too small. */
static int take_values(taker *t)
{
    wlu_pivots *out = t->out;
    range columns = {INFINITY, 0.0}, rows = {INFINITY, 0.0};
    for (int32_t k = 0; k < out->n; k++) t->row[k] = -1.0;
    for (int32_t b = 0; b < out->nblocks; b++)
        for (int32_t k = out->block[b]; k < out->block[b + 1]; k++)
            if (!take_column(t, k, out->block[b], &columns)) return 0;
    for (int32_t k = 0; k < out->n; k++) {
        widen(&rows, t->row[k]);
        out->row_unit[k] = wlu_unit_of(t->row[k], out->exponent[out->row[k]]);
    }
    out->quality = (wlu_pivot_quality){.growth = INFINITY,
                                       .smallest_pivot = INFINITY,
                                       .row_spread = rows.most / rows.least,
                                       .col_spread = columns.most / columns.least,
                                       .row_scale_spread = wlu_scale_spread(out->exponent, out->n),
                                       .col_scale_spread = 1.0};
    return 1;
}

static void take_order(const wlu_analysis *analysis, const wlu_candidate *order, wlu_pivots *out)
{
    size_t n = (size_t)out->n;
    memcpy(out->block, wlu_analysis_blocks(analysis, order), ((size_t)out->nblocks + 1) * sizeof *out->block);
    memcpy(out->row, order->row, n * sizeof *out->row);
    memcpy(out->col, order->col, n * sizeof *out->col);
    for (int32_t k = 0; k < out->n; k++) {
        out->row_pos[out->row[k]] = k;
        out->col_pos[out->col[k]] = k;
    }
    out->doubles = analysis->a->doubles;
    out->ordering = order->ordering;
    out->predicted_terms = order->terms;
    out->candidate = 0;
    out->scales = WLU_ROWS_SCALED;
}

static int is_too_large(const warplu_options *options, const wlu_pivots *p)
{
    double most = (double)options->max_factor_bytes;
    int64_t entries = p->lp[p->n] + p->up[p->n] + p->fp[p->n] + p->n;
    return most > 0.0 && WLU_FACTOR_BYTES_PER_ENTRY * (double)entries > most;
}

/* No more entries than the order was predicted to have: such predictions are bounds from above. */
static warplu_status find_patterns(wlu_context *ctx, const taker *t, const wlu_candidate *order, int symmetric_alone,
                                   int *found)
{
    int symmetric;
    warplu_status status = wlu_pivots_find_symmetric_patterns(ctx, t->a, t->out, &symmetric);
    *found = symmetric || !symmetric_alone;
    if (status < 0 || symmetric || symmetric_alone) return status;
    int64_t most = order->lu_nnz < 1e15 ? (int64_t)order->lu_nnz : INT64_MAX;
    status = wlu_pivots_find_patterns(ctx, t->a, most, most, t->out);
    if (status != WARPLU_BAD_FORMAT) return status;
    *found = 0;
    return WARPLU_SUCCESS;
}

warplu_status wlu_pivots_on_diagonal(wlu_context *ctx, const warplu_options *options, const wlu_analysis *analysis,
                                     const double *x, int symmetric_alone, wlu_pivots **out)
{
    const wlu_candidate *order = &analysis->candidate[0];
    taker t = {.options = options, .a = analysis->a};
    double *owned = NULL;
    int found = 0;
    *out = NULL;
    if (order->matched) return WARPLU_SUCCESS;
    warplu_status status = wlu_pivots_allocate(ctx, analysis->n, wlu_analysis_nblocks(analysis, order), 0, &t.out);
    t.row = WLU_ALLOC(ctx, analysis->n, double);
    if (status == WARPLU_SUCCESS && t.row == NULL) status = wlu_fail_memory(ctx, "pivots on the diagonal");
    if (status == WARPLU_SUCCESS) status = wlu_pattern_sizes(ctx, analysis->a, x, &owned, &t.x);
    if (status == WARPLU_SUCCESS) {
        take_order(analysis, order, t.out);
        wlu_row_scale(analysis->a, t.x, options->scaling, t.out->exponent, t.row);
        if (take_values(&t)) status = find_patterns(ctx, &t, order, symmetric_alone, &found);
    }
    wlu_free(ctx, t.row);
    wlu_free(ctx, owned);
    if (status == WARPLU_SUCCESS && found && !is_too_large(options, t.out))
        *out = t.out;
    else
        wlu_pivots_destroy(ctx, &t.out);
    return status;
}

int wlu_pivots_take_replay(const warplu_options *options, const wlu_health *replay, wlu_pivot_quality *quality)
{
    quality->growth = replay->growth;
    quality->largest_l = replay->largest_l;
    quality->largest_u = replay->largest_u;
    quality->smallest_pivot = replay->smallest_pivot;
    return replay->finite && replay->largest_l * options->pivot_tolerance <= 1.0 &&
           replay->smallest_pivot > options->pivot_absolute;
}
