/* Scales of the values at hand. See rescale.h. */
#include "pivot/rescale.h"

#include "base/power.h"

#include <float.h>
#include <math.h>

/* Below all exponents of numbers; it is that of 0. */
enum { NONE = -4000 };
/* Exponents of what is nowhere near the ends of the range: products of two are no nearer. */
enum { FAR = 256 };

static int exponent_of(const double *entries, int64_t e, int doubles)
{
    double size = wlu_size_at(entries, e, doubles);
    if (size == 0.0) return NONE;
    return size >= DBL_MIN ? wlu_exponent(size) : ilogb(size);
}

static int clamped(int exponent)
{
    return exponent < -1022 ? -1022 : exponent > 1023 ? 1023 : exponent;
}

static void raise(int16_t *largest, int exponent)
{
    if (exponent > *largest) *largest = (int16_t)exponent;
}

int wlu_scales_fit(const wlu_pattern *a, const wlu_pivots *p, const double *entries, int16_t *room)
{
    int16_t *row = room, *col = room + a->n;
    for (int32_t k = 0; k < 2 * a->n; k++) room[k] = NONE;
    for (int32_t j = 0; j < a->n; j++)
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) {
            int exponent = exponent_of(entries, e, a->doubles);
            if (exponent == NONE) continue;
            exponent += wlu_pivots_exponent(p, a->i[e], j);
            raise(&row[a->i[e]], exponent);
            raise(&col[j], exponent);
        }
    for (int32_t k = 0; k < 2 * a->n; k++)
        if (room[k] != NONE && (room[k] < -FAR || room[k] > FAR)) return 0;
    return 1;
}

/* Exponents of new scales: of rows, then of columns, of the scaled rows. */
static void find_scales(const wlu_pattern *a, const double *entries, int16_t *row, int16_t *col)
{
    for (int32_t i = 0; i < a->n; i++) row[i] = NONE;
    for (int32_t j = 0; j < a->n; j++)
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) raise(&row[a->i[e]], exponent_of(entries, e, a->doubles));
    for (int32_t i = 0; i < a->n; i++) row[i] = (int16_t)(row[i] == NONE ? 0 : clamped(-row[i]));
    for (int32_t j = 0; j < a->n; j++) {
        int largest = NONE;
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) {
            int exponent = exponent_of(entries, e, a->doubles);
            if (exponent != NONE && exponent + row[a->i[e]] > largest) largest = exponent + row[a->i[e]];
        }
        col[j] = (int16_t)(largest == NONE ? 0 : clamped(-largest));
    }
}

static void shift(double *x, int64_t q, int doubles, int exponent)
{
    for (int k = 0; k < doubles; k++) x[doubles * q + k] = ldexp(x[doubles * q + k], exponent);
}

void wlu_factors_rescale(wlu_factors *f, const wlu_pattern *a, const wlu_pivots *p, const double *entries,
                         int16_t *exponent, wlu_pivots *out)
{
    const int doubles = p->doubles;
    *out = *p;
    out->exponent = exponent;
    out->col_exponent = exponent + p->n;
    find_scales(a, entries, out->exponent, out->col_exponent);
    for (int32_t k = 0; k < p->n; k++) {
        const int32_t i = p->row[k], j = p->col[k];
        const int by_row = exponent[i] - p->exponent[i], by_col = out->col_exponent[j] - wlu_pivots_col_exponent(p, j);
        f->scale[k] = wlu_power_of_two(exponent[i]);
        shift(f->pivot, k, doubles, by_row + by_col);
        for (int64_t q = p->lp[k]; q < p->lp[k + 1]; q++) {
            int32_t other = p->row[p->li[q]];
            shift(f->lx, q, doubles, exponent[other] - p->exponent[other] - by_row);
        }
        for (int64_t q = p->up[k]; q < p->up[k + 1]; q++) {
            int32_t other = p->row[p->ui[q]];
            shift(f->ux, q, doubles, exponent[other] - p->exponent[other] + by_col);
        }
        for (int64_t q = p->fp[k]; q < p->fp[k + 1]; q++) {
            int32_t other = p->row[p->fi[q]];
            shift(f->fx, q, doubles, exponent[other] - p->exponent[other] + by_col);
        }
    }
}
