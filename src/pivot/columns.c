/* Refactoring and solving by columns. See factors.h. Compiled for either kind of numbers; sizes stand for their moduli
 * (base/number.h). */
#include "pivot/factors.h"

#include <math.h>

#include "pivot/seen.h"
#include "pivot/subtract.h"

/* Scatters column j of A at positions, takes F out of it; returns the largest magnitude within the block, which begins
 * at begin. */
static inline double load_column(const wlu_factors *f, const wlu_pattern *a, const wlu_pivots *p, int32_t j,
                                 int32_t begin, const double *entries, wlu_seen *now)
{
    wlu_number *x = (wlu_number *)f->work, *fx = (wlu_number *)f->fx;
    double amax = 0.0;
    const int32_t *i = a->i, *pos = p->row_pos;
    int32_t col = p->col[j];
    const double *scale = f->scale, by = wlu_power_of_two(wlu_pivots_col_exponent(p, col));
    for (int32_t e = a->p[col], end = a->p[col + 1]; e < end; e++) {
        int32_t at = pos[i[e]];
        wlu_number scaled = wlu_scaled(scale[at] * by, wlu_number_at(entries, e));
        x[at] = scaled;
        if (at >= begin) amax = wlu_larger(amax, wlu_size(scaled));
    }
    for (int64_t q = p->fp[j], end = p->fp[j + 1]; q < end; q++) {
        wlu_number v = fx[q] = x[p->fi[q]];
        x[p->fi[q]] = wlu_zero();
        now->sum += wlu_sum_of_parts(v);
    }
    return amax;
}

/* Column j of U and L from what load_column scattered. */
static inline void eliminate_column(wlu_factors *f, const wlu_pivots *p, int32_t j, double amax, wlu_seen *now)
{
    wlu_number *x = (wlu_number *)f->work, *lx = (wlu_number *)f->lx, *ux = (wlu_number *)f->ux;
    const wlu_elimination_step step = {p->lp, p->li, lx, f->group, NULL, x};
    double umax = 0.0, lmax = now->largest_l, sum = now->sum;
    const int32_t *li = p->li, *ui = p->ui;
    for (int64_t q = p->up[j], end = p->up[j + 1]; q < end;) {
        int32_t k = ui[q];
        if (!wlu_goes_on(&step, k, end - q)) {
            wlu_number u = ux[q++] = wlu_eliminate_one(&step, k);
            umax = wlu_larger(umax, wlu_size(u));
            sum += wlu_sum_of_parts(u);
            continue;
        }
        for (int64_t next = q + wlu_eliminate_group(&step, k, end - q, ux + q); q < next; q++) {
            umax = wlu_larger(umax, wlu_size(ux[q]));
            sum += wlu_sum_of_parts(ux[q]);
        }
    }
    const wlu_number pivot = x[j];
    const wlu_divisor by = wlu_divisor_of(pivot);
    const double size = wlu_size(pivot);
    wlu_number_put(f->pivot, j, pivot);
    x[j] = wlu_zero();
    for (int64_t q = p->lp[j], end = p->lp[j + 1]; q < end; q++) {
        wlu_number l = lx[q] = wlu_quotient(x[li[q]], by);
        x[li[q]] = wlu_zero();
        lmax = wlu_larger(lmax, wlu_size(l));
        sum += wlu_sum_of_parts(l);
    }
    now->largest_l = lmax;
    now->sum = sum + wlu_sum_of_parts(pivot);
    wlu_see_pivot(now, size, umax, amax);
    f->worst = wlu_larger_bits(f->worst, wlu_larger(umax, size) * wlu_positive_inverse_power(amax));
}

void WLU_NUMBER_NAME(wlu_columns_refactor)(wlu_factors *f, const wlu_pattern *a, const wlu_pivots *p,
                                           const double *entries)
{
    wlu_seen now = wlu_nothing_seen();
    f->worst = 0.0;
    for (int32_t b = 0; b < p->nblocks; b++) {
        int32_t begin = p->block[b];
        for (int32_t j = begin, end = p->block[b + 1]; j < end; j++)
            eliminate_column(f, p, j, load_column(f, a, p, j, begin, entries, &now), &now);
    }
    wlu_seen_conclude(&now, f, p, entries, WLU_NUMBER_REALS);
}

/* ------------------------------------------------------------------ solve */

/* y -= columns begin .. end of a factor, times their y, in ascending order. */
static void subtract_columns(wlu_number *y, const int64_t *p, const int32_t *i, const wlu_number *x, int32_t begin,
                             int32_t end)
{
    if (p[begin] == p[end]) return;
    for (int32_t j = begin; j < end; j++) wlu_subtract_one(y, i + p[j], p[j + 1] - p[j], x + p[j], y[j]);
}

/* y_j less the product of column j of a factor with y. */
static wlu_number less_product(const wlu_number *y, const int64_t *p, const int32_t *i, const wlu_number *x, int32_t j)
{
    wlu_number sum = y[j];
    for (int64_t q = p[j]; q < p[j + 1]; q++) sum = wlu_less(sum, x[q], y[i[q]]);
    return sum;
}

/* Blocks from the last to the first: forward, back, then what they contribute to earlier ones. */
static void solve_blocks(const wlu_factors *f, const wlu_pivots *p, wlu_number *y)
{
    const int64_t *up = p->up;
    const int32_t *ui = p->ui;
    const wlu_number *lx = (wlu_number *)f->lx, *ux = (wlu_number *)f->ux, *fx = (wlu_number *)f->fx;
    for (int32_t b = p->nblocks - 1; b >= 0; b--) {
        int32_t begin = p->block[b], end = p->block[b + 1];
        subtract_columns(y, p->lp, p->li, lx, begin, end);
        for (int32_t j = end - 1; j >= begin; j--) {
            wlu_number yj = y[j] = wlu_quotient(y[j], wlu_divisor_of(wlu_number_at(f->pivot, j)));
            wlu_subtract_one(y, ui + up[j], up[j + 1] - up[j], ux + up[j], yj);
        }
        subtract_columns(y, p->fp, p->fi, fx, begin, end);
    }
}

/* The transposed blocks in ascending order. */
static void solve_blocks_transposed(const wlu_factors *f, const wlu_pivots *p, wlu_number *y)
{
    const wlu_number *lx = (wlu_number *)f->lx, *ux = (wlu_number *)f->ux, *fx = (wlu_number *)f->fx;
    for (int32_t b = 0; b < p->nblocks; b++) {
        int32_t begin = p->block[b], end = p->block[b + 1];
        for (int32_t j = begin; j < end; j++) {
            y[j] = less_product(y, p->fp, p->fi, fx, j);
            y[j] = wlu_quotient(less_product(y, p->up, p->ui, ux, j), wlu_divisor_of(wlu_number_at(f->pivot, j)));
        }
        for (int32_t j = end - 1; j >= begin; j--) y[j] = less_product(y, p->lp, p->li, lx, j);
    }
}

static double col_scale(const wlu_pivots *p, int32_t k)
{
    return wlu_power_of_two(wlu_pivots_col_exponent(p, p->col[k]));
}

void WLU_NUMBER_NAME(wlu_columns_put)(const wlu_factors *f, const wlu_pivots *p, int transposed, double *x)
{
    wlu_put_by_place((wlu_number *)f->work + p->n, transposed ? p->row : p->col, p->n, x);
}

int WLU_NUMBER_NAME(wlu_columns_solve)(wlu_factors *f, const wlu_pivots *p, int transposed, const double *b,
                                       double least, double *x)
{
    wlu_number *y = (wlu_number *)f->work + p->n;
    const double *scale = f->scale;
    const int32_t *row = p->row, *col = p->col;
    double sum = 0.0;
    if (transposed) {
        for (int32_t k = 0; k < p->n; k++) y[k] = wlu_scaled(col_scale(p, k), wlu_number_at(b, col[k]));
        solve_blocks_transposed(f, p, y);
    } else {
        for (int32_t k = 0; k < p->n; k++) y[k] = wlu_scaled(scale[k], wlu_number_at(b, row[k]));
        solve_blocks(f, p, y);
    }
    for (int32_t k = 0; k < p->n; k++) {
        y[k] = wlu_scaled(transposed ? scale[k] : col_scale(p, k), y[k]);
        sum += wlu_size(y[k]);
    }
    if (!(sum >= least && sum < INFINITY)) return 0;
    wlu_put_by_place(y, transposed ? row : col, p->n, x);
    return 1;
}
