/* klu_scale: checks a matrix, and finds scales of its rows by their sums (1) or largest magnitudes (2 and more). It
 * needs no solver: warplu scales on its own. O(n + nnz). */
#include "objects.h"

#include <math.h>
#include <stdlib.h>

#include "foreign.h"

static double modulus(const double *Ax, wk_int p)
{
#ifdef WK_COMPLEX
    return hypot(Ax[2 * p], Ax[2 * p + 1]);
#else
    return fabs(Ax[p]);
#endif
}

/* One column's rows. Rs: NULL where there are no scales; W: NULL where duplicates are not looked for. */
static int scale_column(wk_flag scale, wk_int n, wk_int col, const wk_int *Ap, const wk_int *Ai, const double *Ax,
                        double *Rs, wk_int *W)
{
    for (wk_int p = Ap[col]; p < Ap[col + 1]; p++) {
        const wk_int row = Ai[p];
        if (row < 0 || row >= n || (W != NULL && W[row] == col)) return 0;
        if (W != NULL) W[row] = col;
        if (Rs == NULL) continue;
        const double size = modulus(Ax, p);
        if (scale == 1)
            Rs[row] += size;
        else if (!(size <= Rs[row]))
            Rs[row] = size;
    }
    return 1;
}

int wk_scale_rows(wk_flag scale, wk_int n, const wk_int *Ap, const wk_int *Ai, const double *Ax, double *Rs, wk_int *W)
{
    if (n <= 0 || Ap == NULL || Ai == NULL || Ax == NULL || (scale > 0 && Rs == NULL) || Ap[0] != 0) return 0;
    for (wk_int j = 0; j < n; j++)
        if (Ap[j] > Ap[j + 1]) return 0;
    if (scale == 0) Rs = NULL;
    for (wk_int i = 0; i < n; i++) {
        if (Rs != NULL) Rs[i] = 0.0;
        if (W != NULL) W[i] = WK_EMPTY;
    }
    for (wk_int j = 0; j < n; j++)
        if (!scale_column(scale, n, j, Ap, Ai, Ax, Rs, W)) return 0;
    for (wk_int i = 0; i < n && Rs != NULL; i++)
        if (Rs[i] == 0.0) Rs[i] = 1.0;
    return 1;
}

wk_rows *wk_rows_create(wk_int n, const wk_int *Ap, const wk_int *Ai)
{
    wk_rows *rows = calloc(1, sizeof *rows + ((size_t)n + 2 + (size_t)Ap[n]) * sizeof *rows->p);
    if (rows == NULL) return NULL;
    wk_int *p = rows->p, *at = p + n + 2;
    for (wk_int k = 0; k < Ap[n]; k++) p[Ai[k] + 2]++;
    for (wk_int i = 0; i < n; i++) p[i + 2] += p[i + 1];
    for (wk_int k = 0; k < Ap[n]; k++) at[p[Ai[k] + 1]++] = k; /* which leaves row i at p[i] to p[i + 1] */
    return rows;
}

/* Row i's: the sum of its magnitudes, or the largest; 1 where all are 0. */
static inline double scale_of(wk_flag scale, const wk_rows *rows, wk_int n, wk_int i, const double *Ax)
{
    const wk_int *at = rows->p + n + 2, *end = at + rows->p[i + 1];
    double own = 0.0;
    for (at += rows->p[i]; at < end; at++) {
        const double size = modulus(Ax, *at);
        own = scale == 1 ? own + size : (own > size ? own : size);
    }
    return own == 0.0 ? 1.0 : own;
}

void wk_scale_rows_again(wk_flag scale, wk_int n, const wk_rows *rows, const double *Ax, double *Rs)
{
    for (wk_int i = 0; i < n; i++) Rs[i] = scale_of(scale, rows, n, i, Ax);
}

void wk_show_scaled(wk_numeric_object *o, wk_flag scale, const double *Ax, const double *pivots)
{
    const wk_factors *f = &o->factors;
#ifdef WK_COMPLEX
    wk_scale_rows_again(scale, f->n, o->rows, Ax, o->exact);
    wk_numeric_show_again(o, pivots);
#else
    double *shown = o->shown.Udiag, *Rs = o->shown.Rs;
    for (int32_t k = 0; k < f->n; k++) {
        const int32_t at = o->order[k], row = f->row[k];
        const double own = scale_of(scale, o->rows, f->n, row, Ax);
        Rs[at] = o->exact[row] = own;
        shown[at] = pivots[k] * (o->unscale[k] / own);
    }
#endif
}

wk_flag WK_NAME(scale)(wk_flag scale, wk_int n, wk_int *Ap, wk_int *Ai, double *Ax, double *Rs, wk_int *W,
                       wk_common *common)
{
    WK_LEAVE(WK_NAME(scale), scale, n, Ap, Ai, Ax, Rs, W, common);
    if (common == NULL) return 0;
    common->status = scale < 0 || wk_scale_rows(scale, n, Ap, Ai, Ax, Rs, W) ? WK_OK : WK_INVALID;
    return common->status == WK_OK;
}
