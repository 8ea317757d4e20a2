/* Bytes to pivots, trusting nothing. See saved.h. */
#include "pivot/fill.h"
#include "pivot/saved_reader.h"

#include <math.h>
#include <string.h>

enum { LARGEST_EXPONENT = 1021 };

/* Room for the pivots, and what stands in the file by row and by column. */
static warplu_status take_arrays(wlu_reader *r)
{
    int scaled = (r->h.flags & WLU_SAVED_COLUMN_SCALES) != 0;
    int32_t n = r->h.n;
    warplu_status status = wlu_pivots_allocate(r->ctx, n, r->h.nblocks, scaled, &r->pivots);
    if (status < 0) return status;
    wlu_pivots *p = r->pivots;
    p->doubles = r->analysis->a->doubles;
    wlu_reader_take(r, p->row, n, sizeof *p->row);
    wlu_reader_take(r, p->largest, n, sizeof *p->largest);
    wlu_reader_take(r, p->row_largest, n, sizeof *p->row_largest);
    wlu_reader_take(r, p->row_unit, n, sizeof *p->row_unit);
    wlu_reader_take(r, p->exponent, n, sizeof *p->exponent);
    if (scaled) wlu_reader_take(r, p->col_exponent, n, sizeof *p->col_exponent);
    return WARPLU_SUCCESS;
}

/* Widens [*least, *most] to hold the exponents. */
static void find_range(const int16_t *exponent, int32_t n, int *least, int *most)
{
    for (int32_t k = 0; exponent != NULL && k < n; k++) {
        if (exponent[k] < *least) *least = exponent[k];
        if (exponent[k] > *most) *most = exponent[k];
    }
}

/* Every scale, and every product of a row's and a column's, is a normal number. */
static warplu_status check_scales(wlu_reader *r)
{
    const wlu_pivots *p = r->pivots;
    int least = p->exponent[0], most = p->exponent[0], col_least = 0, col_most = 0;
    find_range(p->exponent, p->n, &least, &most);
    find_range(p->col_exponent, p->n, &col_least, &col_most);
    int low = least < 0 ? least + col_least : col_least, high = most > 0 ? most + col_most : col_most;
    if (low < -LARGEST_EXPONENT || high > LARGEST_EXPONENT)
        return WLU_READER_BAD(r, "scales: expected exponents within %d, found %d to %d", LARGEST_EXPONENT, low, high);
    return WARPLU_SUCCESS;
}

/* Infinity too: what would bring the least denormal number to 1. */
static int is_power_of_two(double x)
{
    int exponent;
    return x > 0.0 && (isinf(x) || frexp(x, &exponent) == 0.5);
}

/* The yardsticks are entries of their column and row. A column's stands in its block, but for columns that were zero
 * there: their growth was 0. */
static warplu_status check_yardsticks(wlu_reader *r)
{
    const wlu_pivots *p = r->pivots;
    const wlu_pattern *a = r->analysis->a;
    for (int32_t k = 0; k < p->n; k++) {
        int32_t j = p->col[k], e = p->largest[k], in_row = p->row_largest[k];
        int there = e >= a->p[j] && e < a->p[j + 1];
        if (!there || (r->row_block[a->i[e]] != r->col_block[j] && !(e == a->p[j] && p->quality.growth == 0.0)))
            return WLU_READER_BAD(r, "pivot %d: expected its column's largest entry, found entry %d", k, e);
        if (in_row < 0 || in_row >= a->nnz || a->i[in_row] != p->row[k] || !is_power_of_two(p->row_unit[k]))
            return WLU_READER_BAD(
                r, "pivot %d: expected its row's largest entry and a power of two, found entry %d and %g", k, in_row,
                p->row_unit[k]);
    }
    return WARPLU_SUCCESS;
}

/* The candidate gives the columns; the rows stay in their blocks. */
static warplu_status take_choice(wlu_reader *r, const int32_t *whole, const double *real)
{
    wlu_pivots *p = r->pivots;
    /* Of complex numbers, sizes of inverses stand for pivots, which come out up to twice their sizes, and roundings. */
    const double sizes = r->analysis->a->doubles == 1 ? 1.0 : 2.125;
    if (whole[0] < 0 || whole[0] >= r->analysis->ncandidates || whole[1] < WLU_ROWS_UNSCALED ||
        whole[1] > WLU_BOTH_SCALED)
        return WLU_READER_BAD(r, "pivots: candidate %d, scales %d", whole[0], whole[1]);
    if (!(real[0] >= 0.0 && real[0] <= 1.0) || !wlu_reader_is_count(real[1]) || !wlu_reader_is_count(real[2]) ||
        !(real[3] > 0.0) || !(sizes * real[2] >= real[3]) || !(real[4] >= 1.0) || !(real[5] >= 1.0) ||
        !(real[6] >= 1.0) || !(real[7] >= 1.0))
        return WLU_READER_BAD(r, "pivots: growth %g, largest l %g, u %g, smallest pivot %g, spreads %g, %g, %g and %g",
                              real[0], real[1], real[2], real[3], real[4], real[5], real[6], real[7]);
    const wlu_candidate *c = &r->analysis->candidate[whole[0]];
    p->nblocks = wlu_analysis_nblocks(r->analysis, c);
    memcpy(p->block, wlu_analysis_blocks(r->analysis, c), ((size_t)p->nblocks + 1) * sizeof *p->block);
    p->candidate = whole[0];
    p->scales = (wlu_scales)whole[1];
    p->ordering = c->ordering;
    p->predicted_terms = c->terms;
    p->quality = (wlu_pivot_quality){.growth = real[0],
                                     .largest_l = real[1],
                                     .largest_u = real[2],
                                     .smallest_pivot = real[3],
                                     .row_spread = real[4],
                                     .col_spread = real[5],
                                     .row_scale_spread = real[6],
                                     .col_scale_spread = real[7]};
    memcpy(p->col, c->col, (size_t)p->n * sizeof *p->col);
    for (int32_t k = 0; k < p->n && c->joined; k++) r->row_block[k] = r->col_block[k] = 0;
    return wlu_reader_check_orders(r, "pivots", c->joined, p->row, p->col);
}

/* Patterns of L, U and F, as many entries as announced. */
static warplu_status find_patterns(wlu_reader *r)
{
    wlu_pivots *p = r->pivots;
    wlu_context quiet = *r->ctx;
    quiet.message = NULL;
    warplu_status status = wlu_pivots_find_patterns(&quiet, r->analysis->a, r->h.l_nnz, r->h.u_nnz, p);
    if (status == WARPLU_BAD_FORMAT) return WLU_READER_BAD(r, "%s", quiet.last_message);
    if (status < 0) return wlu_fail(r->ctx, status, "%s", quiet.last_message);
    if (p->lp[p->n] != r->h.l_nnz || p->up[p->n] != r->h.u_nnz)
        return WLU_READER_BAD(r, "expected %lld entries of L and %lld of U, found %lld and %lld", (long long)r->h.l_nnz,
                              (long long)r->h.u_nnz, (long long)p->lp[p->n], (long long)p->up[p->n]);
    return WARPLU_SUCCESS;
}

warplu_status wlu_reader_take_pivots(wlu_reader *r)
{
    int32_t whole[2];
    double real[8];
    wlu_reader_take(r, whole, 2, sizeof *whole);
    wlu_reader_take(r, real, 8, sizeof *real);
    warplu_status status = take_arrays(r);
    if (status == WARPLU_SUCCESS) status = take_choice(r, whole, real);
    if (status == WARPLU_SUCCESS) status = check_scales(r);
    if (status == WARPLU_SUCCESS) status = check_yardsticks(r);
    if (status < 0) return status;
    for (int32_t k = 0; k < r->h.n; k++) {
        r->pivots->row_pos[r->pivots->row[k]] = k;
        r->pivots->col_pos[r->pivots->col[k]] = k;
    }
    return find_patterns(r);
}
