/* Refactoring and solving by columns. See factors.h. */
#include "pivot/factors.h"

#include "base/finite.h"
#include "base/power.h"

#include <math.h>
#include <string.h>

warplu_status wlu_factors_create_empty(wlu_context *ctx, int32_t n, wlu_factors **out)
{
    wlu_factors *f = WLU_CALLOC(ctx, 1, wlu_factors);
    *out = f;
    if (f == NULL) return wlu_fail_memory(ctx, "factors");
    f->pivot = WLU_ALLOC(ctx, n, double);
    f->work = WLU_CALLOC(ctx, 2 * (int64_t)n, double);
    if (f->pivot != NULL && f->work != NULL) return WARPLU_SUCCESS;
    wlu_factors_destroy(ctx, out);
    return wlu_fail_memory(ctx, "factors");
}

warplu_status wlu_factors_create(wlu_context *ctx, const wlu_pivots *p, wlu_factors **out)
{
    warplu_status status = wlu_factors_create_empty(ctx, p->n, out);
    if (status < 0) return status;
    wlu_factors *f = *out;
    f->lx = WLU_ALLOC(ctx, p->lp[p->n], double);
    f->ux = WLU_ALLOC(ctx, p->up[p->n], double);
    f->fx = WLU_ALLOC(ctx, p->fp[p->n], double);
    if (f->lx != NULL && f->ux != NULL && f->fx != NULL) return WARPLU_SUCCESS;
    wlu_factors_destroy(ctx, out);
    return wlu_fail_memory(ctx, "factors");
}

void wlu_factors_destroy(wlu_context *ctx, wlu_factors **factors)
{
    wlu_factors *f = *factors;
    if (f == NULL) return;
    wlu_free(ctx, f->pivot);
    wlu_free(ctx, f->lx);
    wlu_free(ctx, f->ux);
    wlu_free(ctx, f->fx);
    wlu_free(ctx, f->work);
    wlu_free(ctx, f);
    *factors = NULL;
}

int64_t wlu_factors_bytes(const wlu_pivots *p)
{
    return 8 * (p->lp[p->n] + p->up[p->n] + p->fp[p->n] + 3 * (int64_t)p->n);
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

/* Scatters column j of A at positions, takes F out of it; returns the largest magnitude within the block, which begins
 * at begin. */
static double load_column(wlu_factors *f, const wlu_pattern *a, const wlu_pivots *p, int32_t j, int32_t begin,
                          const double *entries)
{
    double *x = f->work, amax = 0.0, check = 0.0;
    int32_t col = p->col[j], end = a->p[col + 1];
    int c = wlu_pivots_col_exponent(p, col);
    for (int32_t e = a->p[col]; e < end; e++) {
        int32_t i = a->i[e], at = p->row_pos[i];
        double scaled = entries[e] * wlu_power_of_two(p->exponent[i] + c);
        x[at] = scaled;
        if (at >= begin) amax = larger(amax, scaled);
    }
    for (int64_t q = p->fp[j]; q < p->fp[j + 1]; q++) {
        f->fx[q] = x[p->fi[q]];
        x[p->fi[q]] = 0.0;
        check += f->fx[q] * 0.0;
    }
    if (!(check == 0.0)) f->health.finite = 0;
    return amax;
}

/* Column j of U and L from what load_column scattered. */
static void eliminate_column(wlu_factors *f, const wlu_pivots *p, int32_t j, double amax)
{
    double *x = f->work, umax = 0.0, check = 0.0;
    wlu_health *h = &f->health;
    for (int64_t q = p->up[j]; q < p->up[j + 1]; q++) {
        int32_t k = p->ui[q];
        double u = f->ux[q] = x[k];
        x[k] = 0.0;
        umax = larger(umax, u);
        check += u * 0.0;
        for (int64_t l = p->lp[k]; l < p->lp[k + 1]; l++) x[p->li[l]] -= f->lx[l] * u;
    }
    double pivot = f->pivot[j] = x[j];
    x[j] = 0.0;
    for (int64_t q = p->lp[j]; q < p->lp[j + 1]; q++) {
        double l = f->lx[q] = x[p->li[q]] / pivot;
        x[p->li[q]] = 0.0;
        h->largest_l = larger(h->largest_l, l);
        check += l * 0.0;
    }
    umax = larger(umax, pivot);
    h->largest_u = larger(h->largest_u, umax);
    if (!(fabs(pivot) >= h->smallest_pivot)) h->smallest_pivot = fabs(pivot);
    if (!(amax >= h->growth * umax)) h->growth = amax / umax;
    if (!(check + pivot * 0.0 == 0.0)) h->finite = 0;
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
    f->health = (wlu_health){.growth = 1.0, .smallest_pivot = INFINITY, .drift = row_drift(p, entries), .finite = 1};
    for (int32_t b = 0; b < p->nblocks; b++)
        for (int32_t j = p->block[b]; j < p->block[b + 1]; j++)
            eliminate_column(f, p, j, load_column(f, a, p, j, p->block[b], entries));
}

/* ------------------------------------------------------------------ solve */

/* y -= column j of a factor, times y_j. */
static void subtract_column(double *y, const int64_t *p, const int32_t *i, const double *x, int32_t j)
{
    double yj = y[j];
    for (int64_t q = p[j]; q < p[j + 1]; q++) y[i[q]] -= x[q] * yj;
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
    for (int32_t b = p->nblocks - 1; b >= 0; b--) {
        int32_t begin = p->block[b], end = p->block[b + 1];
        for (int32_t j = begin; j < end; j++) subtract_column(y, p->lp, p->li, f->lx, j);
        for (int32_t j = end - 1; j >= begin; j--) {
            y[j] /= f->pivot[j];
            subtract_column(y, p->up, p->ui, f->ux, j);
        }
        for (int32_t j = begin; j < end; j++) subtract_column(y, p->fp, p->fi, f->fx, j);
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

void wlu_factors_solve(wlu_factors *f, const wlu_pivots *p, int transposed, const double *b, double *x)
{
    double *y = f->work + p->n;
    for (int32_t k = 0; k < p->n; k++)
        y[k] = transposed ? b[p->col[k]] * wlu_power_of_two(wlu_pivots_col_exponent(p, p->col[k]))
                          : b[p->row[k]] * wlu_power_of_two(p->exponent[p->row[k]]);
    if (transposed)
        solve_blocks_transposed(f, p, y);
    else
        solve_blocks(f, p, y);
    for (int32_t k = 0; k < p->n; k++) {
        if (transposed)
            x[p->row[k]] = y[k] * wlu_power_of_two(p->exponent[p->row[k]]);
        else
            x[p->col[k]] = y[k] * wlu_power_of_two(wlu_pivots_col_exponent(p, p->col[k]));
    }
}
