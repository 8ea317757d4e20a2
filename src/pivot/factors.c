/* Refactoring and solving by columns. See factors.h. */
#include "pivot/factors.h"

#include "base/finite.h"
#include "base/power.h"
#include "pivot/subtract.h"

#include <math.h>
#include <string.h>

warplu_status wlu_factors_create_empty(wlu_context *ctx, int32_t n, wlu_factors **out)
{
    wlu_factors *f = WLU_CALLOC(ctx, 1, wlu_factors);
    *out = f;
    if (f == NULL) return wlu_fail_memory(ctx, "factors");
    f->pivot = WLU_ALLOC(ctx, n, double);
    f->scale = WLU_ALLOC(ctx, n, double);
    f->work = WLU_CALLOC(ctx, 2 * (int64_t)n, double);
    if (f->pivot != NULL && f->scale != NULL && f->work != NULL) return WARPLU_SUCCESS;
    wlu_factors_destroy(ctx, out);
    return wlu_fail_memory(ctx, "factors");
}

/* Column k goes on with the group of the one before if it is updated by that, which has its pivot and as many rows: it
 * has no others then. */
static void find_groups(const wlu_pivots *p, uint8_t *group)
{
    group[0] = 0;
    for (int32_t k = 1; k < p->n; k++) {
        int64_t before = p->lp[k - 1], first = p->lp[k], above = p->up[k + 1];
        group[k] = first - before == p->lp[k + 1] - first + 1 && p->li[before] == k && above > p->up[k] &&
                   p->ui[above - 1] == k - 1;
    }
}

warplu_status wlu_factors_create(wlu_context *ctx, const wlu_pivots *p, wlu_factors **out)
{
    warplu_status status = wlu_factors_create_empty(ctx, p->n, out);
    if (status < 0) return status;
    wlu_factors *f = *out;
    f->lx = WLU_ALLOC(ctx, p->lp[p->n], double);
    f->ux = WLU_ALLOC(ctx, p->up[p->n], double);
    f->fx = WLU_ALLOC(ctx, p->fp[p->n], double);
    f->group = WLU_ALLOC(ctx, p->n, uint8_t);
    if (f->lx == NULL || f->ux == NULL || f->fx == NULL || f->group == NULL) {
        wlu_factors_destroy(ctx, out);
        return wlu_fail_memory(ctx, "factors");
    }
    for (int32_t k = 0; k < p->n; k++) f->scale[k] = wlu_power_of_two(p->exponent[p->row[k]]);
    find_groups(p, f->group);
    return WARPLU_SUCCESS;
}

void wlu_factors_destroy(wlu_context *ctx, wlu_factors **factors)
{
    wlu_factors *f = *factors;
    if (f == NULL) return;
    wlu_free(ctx, f->pivot);
    wlu_free(ctx, f->lx);
    wlu_free(ctx, f->ux);
    wlu_free(ctx, f->fx);
    wlu_free(ctx, f->scale);
    wlu_free(ctx, f->group);
    wlu_free(ctx, f->work);
    wlu_free(ctx, f);
    *factors = NULL;
}

int64_t wlu_factors_bytes(const wlu_pivots *p)
{
    return 8 * (p->lp[p->n] + p->up[p->n] + p->fp[p->n]) + 33 * (int64_t)p->n;
}

int wlu_factors_finite(const wlu_factors *f, const wlu_pivots *p)
{
    return wlu_all_finite(f->pivot, p->n) && wlu_all_finite(f->lx, p->lp[p->n]) && wlu_all_finite(f->ux, p->up[p->n]) &&
           wlu_all_finite(f->fx, p->fp[p->n]);
}

static double larger(double largest, double x)
{
    return fabs(x) > largest ? fabs(x) : largest;
}

/* What columns come to, one after the other. */
typedef struct seen {
    double largest_l, largest_u, smallest_pivot, growth;
    double sum; /* of all values: finite if all are, but for sums that overflow */
} seen;

/* Scatters column j of A at positions, takes F out of it; returns the largest magnitude within the block, which begins
 * at begin. */
static inline double load_column(const wlu_factors *f, const wlu_pattern *a, const wlu_pivots *p, int32_t j,
                                 int32_t begin, const double *entries, seen *now)
{
    double *x = f->work, amax = 0.0;
    const int32_t *i = a->i, *pos = p->row_pos;
    int32_t col = p->col[j];
    const double *scale = f->scale, by = wlu_power_of_two(wlu_pivots_col_exponent(p, col));
    for (int32_t e = a->p[col], end = a->p[col + 1]; e < end; e++) {
        int32_t at = pos[i[e]];
        double scaled = entries[e] * (scale[at] * by);
        x[at] = scaled;
        if (at >= begin) amax = larger(amax, scaled);
    }
    for (int64_t q = p->fp[j], end = p->fp[j + 1]; q < end; q++) {
        double v = f->fx[q] = x[p->fi[q]];
        x[p->fi[q]] = 0.0;
        now->sum += v;
    }
    return amax;
}

/* Column j of U and L from what load_column scattered. */
static inline void eliminate_column(wlu_factors *f, const wlu_pivots *p, int32_t j, double amax, seen *now)
{
    const wlu_elimination_step step = {p->lp, p->li, f->lx, f->group, NULL, f->work};
    double *x = f->work, *lx = f->lx, *ux = f->ux, umax = 0.0, lmax = now->largest_l, sum = now->sum;
    const int32_t *li = p->li, *ui = p->ui;
    for (int64_t q = p->up[j], end = p->up[j + 1]; q < end;) {
        int32_t k = ui[q];
        if (!wlu_goes_on(&step, k, end - q)) {
            double u = ux[q++] = wlu_eliminate_one(&step, k);
            umax = larger(umax, u);
            sum += u;
            continue;
        }
        for (int64_t next = q + wlu_eliminate_group(&step, k, end - q, ux + q); q < next; q++) {
            umax = larger(umax, ux[q]);
            sum += ux[q];
        }
    }
    double pivot = f->pivot[j] = x[j];
    x[j] = 0.0;
    for (int64_t q = p->lp[j], end = p->lp[j + 1]; q < end; q++) {
        double l = lx[q] = x[li[q]] / pivot;
        x[li[q]] = 0.0;
        lmax = larger(lmax, l);
        sum += l;
    }
    umax = larger(umax, pivot);
    now->largest_l = lmax;
    now->largest_u = larger(now->largest_u, umax);
    if (!(fabs(pivot) >= now->smallest_pivot)) now->smallest_pivot = fabs(pivot);
    if (!(amax >= now->growth * umax)) now->growth = amax / umax;
    now->sum = sum + pivot;
}

/* By how much the entry that was largest in each row has changed. */
static double row_drift(const wlu_pivots *p, const double *entries)
{
    double worst = 1.0;
    for (int32_t k = 0; k < p->n; k++)
        worst = wlu_larger_bits(worst, wlu_power_drift(fabs(p->row_unit[k] * entries[p->row_largest[k]])));
    return worst;
}

void wlu_factors_refactor(wlu_factors *f, const wlu_pattern *a, const wlu_pivots *p, const double *entries)
{
    seen now = {.growth = 1.0, .smallest_pivot = INFINITY};
    for (int32_t b = 0; b < p->nblocks; b++) {
        int32_t begin = p->block[b];
        for (int32_t j = begin, end = p->block[b + 1]; j < end; j++)
            eliminate_column(f, p, j, load_column(f, a, p, j, begin, entries, &now), &now);
    }
    f->health = (wlu_health){.largest_l = now.largest_l,
                             .largest_u = now.largest_u,
                             .growth = now.growth,
                             .smallest_pivot = now.smallest_pivot,
                             .drift = row_drift(p, entries),
                             .finite = isfinite(now.sum) || wlu_factors_finite(f, p)};
}

/* ------------------------------------------------------------------ solve */

/* y -= columns begin .. end of a factor, times their y, in ascending order. */
static void subtract_columns(double *y, const int64_t *p, const int32_t *i, const double *x, int32_t begin, int32_t end)
{
    if (p[begin] == p[end]) return;
    for (int32_t j = begin; j < end; j++) wlu_subtract_one(y, i + p[j], p[j + 1] - p[j], x + p[j], y[j]);
}

/* y_j less the product of column j of a factor with y. */
static double less_product(const double *y, const int64_t *p, const int32_t *i, const double *x, int32_t j)
{
    double sum = y[j];
    for (int64_t q = p[j]; q < p[j + 1]; q++) sum -= x[q] * y[i[q]];
    return sum;
}

/* Blocks from the last to the first: forward, back, then what they contribute to earlier ones. */
static void solve_blocks(const wlu_factors *f, const wlu_pivots *p, double *y)
{
    const int64_t *up = p->up;
    const int32_t *ui = p->ui;
    const double *ux = f->ux, *pivot = f->pivot;
    for (int32_t b = p->nblocks - 1; b >= 0; b--) {
        int32_t begin = p->block[b], end = p->block[b + 1];
        subtract_columns(y, p->lp, p->li, f->lx, begin, end);
        for (int32_t j = end - 1; j >= begin; j--) {
            double yj = y[j] /= pivot[j];
            wlu_subtract_one(y, ui + up[j], up[j + 1] - up[j], ux + up[j], yj);
        }
        subtract_columns(y, p->fp, p->fi, f->fx, begin, end);
    }
}

/* The transposed blocks in ascending order. */
static void solve_blocks_transposed(const wlu_factors *f, const wlu_pivots *p, double *y)
{
    for (int32_t b = 0; b < p->nblocks; b++) {
        int32_t begin = p->block[b], end = p->block[b + 1];
        for (int32_t j = begin; j < end; j++) {
            y[j] = less_product(y, p->fp, p->fi, f->fx, j);
            y[j] = less_product(y, p->up, p->ui, f->ux, j) / f->pivot[j];
        }
        for (int32_t j = end - 1; j >= begin; j--) y[j] = less_product(y, p->lp, p->li, f->lx, j);
    }
}

/* y = b by columns, scaled, and x, by columns, = y, scaled. */
static void load_by_columns(const wlu_pivots *p, const double *b, double *y)
{
    for (int32_t k = 0; k < p->n; k++) y[k] = b[p->col[k]] * wlu_power_of_two(wlu_pivots_col_exponent(p, p->col[k]));
}

static void store_by_columns(const wlu_pivots *p, const double *y, double *x)
{
    for (int32_t k = 0; k < p->n; k++) x[p->col[k]] = y[k] * wlu_power_of_two(wlu_pivots_col_exponent(p, p->col[k]));
}

void wlu_factors_solve(wlu_factors *f, const wlu_pivots *p, int transposed, const double *b, double *x)
{
    double *y = f->work + p->n;
    const double *scale = f->scale;
    const int32_t *row = p->row;
    if (transposed) {
        load_by_columns(p, b, y);
        solve_blocks_transposed(f, p, y);
        for (int32_t k = 0; k < p->n; k++) x[row[k]] = y[k] * scale[k];
    } else {
        for (int32_t k = 0; k < p->n; k++) y[k] = b[row[k]] * scale[k];
        solve_blocks(f, p, y);
        store_by_columns(p, y, x);
    }
}
