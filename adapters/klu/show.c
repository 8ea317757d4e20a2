/* Numerics as callers see them. KLU's pivots stand in the Symbolic's column order; warplu's may change with a
 * replay. So each pivot is shown where its column stands in Q, beside its row in Pnum and the row's scale in Rs:
 * products over all of them, and the signs of the permutations, are those of A. See objects.h. */
#include "objects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <warplu/cache.h>

/* Frees what belongs to the object, whatever of it is there. */
static void free_arrays(wk_numeric_object *o)
{
    free(o->shown.Pnum);
    free(o->shown.Pinv);
    free(o->shown.Udiag);
    free(o->shown.Rs);
    free(o->place);
    free(o->order);
    free(o->unscale);
    free(o->fold);
    free(o->exact);
    free(o->rows);
    free(atomic_load(&o->room));
}

static int create_arrays(wk_numeric_object *o, size_t n, int doubles)
{
    o->shown.Pnum = malloc(n * sizeof *o->shown.Pnum);
    o->shown.Pinv = malloc(n * sizeof *o->shown.Pinv);
    o->shown.Udiag = malloc(n * sizeof(double) * (size_t)doubles);
    o->place = malloc(n * sizeof *o->place);
    o->order = malloc(n * sizeof *o->order);
    o->unscale = malloc(n * sizeof *o->unscale);
    o->fold = malloc(n * sizeof *o->fold);
    return o->shown.Pnum && o->shown.Pinv && o->shown.Udiag && o->place && o->order && o->unscale && o->fold;
}

/* Leaves the solver for the Symbolic's next Numeric, or for the process's next solver of the pattern. */
static void leave_solver(wk_numeric_object *o)
{
    pthread_mutex_lock(&o->shape->lock);
    if (o->usual && !o->shape->orphaned && o->shape->idle == NULL) {
        o->shape->idle = o->factors.solver;
        o->factors.solver = NULL;
    }
    pthread_mutex_unlock(&o->shape->lock);
    warplu_close_solver(&o->factors.solver);
    if (o->own != NULL) wk_shape_release(o->own);
}

void wk_numeric_replace(wk_numeric_object *o, warplu_solver *solver, int usual, wk_shape *own)
{
    leave_solver(o);
    free(o->rows);
    o->rows = NULL;
    o->factors.solver = solver;
    o->factors.number = 0;
    o->factors.usable = 0;
    o->usual = usual;
    o->own = own;
}

wk_numeric_object *wk_numeric_create(wk_symbolic_object *symbolic, warplu_solver *solver, int usual, wk_shape *own,
                                     int doubles)
{
    const wk_symbolic *s = &symbolic->shown;
    const size_t n = (size_t)s->n;
    wk_numeric_object *o = calloc(1, sizeof *o);
    if (o == NULL) {
        warplu_close_solver(&solver);
        if (own != NULL) wk_shape_release(own);
        return NULL;
    }
    int made = wk_factors_create(&o->factors, (int32_t)s->n, doubles);
    o->factors.solver = solver;
    o->usual = usual;
    o->own = own;
    if (!made || !create_arrays(o, n, doubles)) {
        wk_factors_release(&o->factors);
        if (own != NULL) wk_shape_release(own);
        free_arrays(o);
        free(o);
        return NULL;
    }
    o->shape = symbolic->shape;
    atomic_fetch_add(&o->shape->owners, 1);
    pthread_mutex_lock(&o->shape->lock);
    o->shape->numerics++;
    for (wk_int k = 0; k < s->n; k++) {
        o->place[s->Q[k]] = (int32_t)k;
        o->shown.Pnum[k] = s->P[k];
        o->shown.Pinv[s->P[k]] = k;
    }
    o->shown.n = s->n;
    o->shown.nblocks = s->nblocks;
    o->shown.nzoff = s->nzoff;
    o->shown.max_lnz_block = o->shown.max_unz_block = s->maxblock;
    pthread_mutex_unlock(&o->shape->lock);
    o->shown.lnz = o->shown.unz = s->n;
    o->accounted = sizeof *o + n * (4 * sizeof(wk_int) + (6 + 2 * (size_t)doubles) * sizeof(double));
    return o;
}

void wk_numeric_release(wk_numeric_object *o)
{
    pthread_mutex_lock(&o->shape->lock);
    o->shape->numerics--;
    pthread_mutex_unlock(&o->shape->lock);
    leave_solver(o);
    wk_factors_release(&o->factors);
    wk_shape_release(o->shape);
    free_arrays(o);
    free(o);
}

/* The Symbolic takes the pivots' columns and blocks; rows go with their columns. Without memory it stays as it is. */
static void adopt_order(wk_numeric_object *o, wk_symbolic *s)
{
    const wk_factors *f = &o->factors;
    wk_int *rows = malloc((size_t)s->n * sizeof *rows);
    if (rows == NULL) return;
    for (wk_int k = 0; k < s->n; k++) rows[k] = s->P[o->place[f->col[k]]];
    memcpy(s->P, rows, (size_t)s->n * sizeof *rows);
    free(rows);
    for (wk_int k = 0; k < s->n; k++) {
        s->Q[k] = f->col[k];
        o->place[f->col[k]] = (int32_t)k;
    }
    s->nblocks = f->blocks;
    s->maxblock = 0;
    for (int32_t b = 0; b <= f->blocks; b++) {
        s->R[b] = f->block[b];
        if (b > 0 && s->R[b] - s->R[b - 1] > s->maxblock) s->maxblock = s->R[b] - s->R[b - 1];
    }
    s->nzoff = (wk_int)f->nzoff;
    s->lnz = (double)f->lnz;
    s->unz = (double)f->unz;
}

/* Orders and scales of the pivots at hand. */
static void show_pivots(wk_numeric_object *o, wk_symbolic *symbolic, wk_common *common)
{
    const wk_factors *f = &o->factors;
    wk_numeric *t = &o->shown;
    wk_int off = 0;
    pthread_mutex_lock(&o->shape->lock);
    if (o->shape->numerics == 1 && o->own == NULL) adopt_order(o, symbolic);
    for (int32_t k = 0; k < f->n; k++) {
        const int32_t at = o->place[f->col[k]], row = f->row[k];
        o->order[k] = at;
        t->Pnum[at] = row;
        t->Pinv[row] = at;
        off += symbolic->P[at] != row;
    }
    pthread_mutex_unlock(&o->shape->lock);
    common->noffdiag = off;
    t->nblocks = f->blocks;
    t->lnz = (wk_int)f->lnz;
    t->unz = (wk_int)f->unz;
    t->nzoff = (wk_int)f->nzoff;
    t->max_lnz_block = (wk_int)f->block_lnz;
    t->max_unz_block = (wk_int)f->block_unz;
}

static void find_unscaling(wk_numeric_object *o)
{
    const wk_factors *f = &o->factors;
    const int rows_too = o->shown.Rs == NULL || o->exact != NULL;
    for (int32_t k = 0; k < f->n; k++) {
        const double column = 1.0 / f->col_scale[f->col[k]];
        o->unscale[k] = rows_too ? column * (1.0 / f->row_scale[f->row[k]]) : column;
    }
}

/* By what rows are divided, and with that what pivots are multiplied by. */
static void show_scales(wk_numeric_object *o)
{
    const wk_factors *f = &o->factors;
    double *Rs = o->shown.Rs;
    int as_it_is = 1;
    for (int32_t k = 0; k < f->n; k++) {
        const int32_t at = o->order[k], row = f->row[k];
        o->fold[k] = o->unscale[k];
        if (Rs != NULL) Rs[at] = o->exact != NULL ? o->exact[row] : 1.0 / f->row_scale[row];
        if (Rs != NULL && o->exact != NULL) o->fold[k] /= o->exact[row];
        as_it_is &= at == k && o->fold[k] == 1.0;
    }
    o->as_it_is = as_it_is;
}

/* U's. */
static void show_diagonal(wk_numeric_object *o, const double *pivots)
{
    const wk_factors *f = &o->factors;
    double *shown = o->shown.Udiag;
    for (int32_t k = 0; k < f->n && f->doubles == 1; k++) shown[o->order[k]] = pivots[k] * o->fold[k];
    for (int32_t k = 0; k < f->n && f->doubles == 2; k++) {
        shown[2 * o->order[k]] = pivots[2 * k] * o->fold[k];
        shown[2 * o->order[k] + 1] = pivots[2 * k + 1] * o->fold[k];
    }
}

/* Most of the time it is shown as it is. */
static warplu_status read_diagonal(wk_numeric_object *o)
{
    const wk_factors *f = &o->factors;
    double *to = o->as_it_is ? o->shown.Udiag : f->diagonal;
    warplu_status status = warplu_extract_diagonal(f->solver, to, NULL, NULL);
    if (!o->as_it_is && status == WARPLU_SUCCESS) show_diagonal(o, f->diagonal);
    return status;
}

/* Makes Rs, or takes it away. *changed: 1 where it has not been so. */
static int provide_scales(wk_numeric *t, int wanted, int *changed)
{
    *changed = wanted != (t->Rs != NULL);
    if (!*changed) return 1;
    free(t->Rs);
    t->Rs = wanted ? malloc((size_t)t->n * sizeof *t->Rs) : NULL;
    for (wk_int k = 0; t->Rs != NULL && k < t->n; k++) t->Rs[k] = 1.0;
    return !wanted || t->Rs != NULL;
}

warplu_status wk_numeric_show(wk_numeric_object *o, wk_symbolic *symbolic, wk_common *common)
{
    int moved, scaled_anew;
    const wk_factors *f = &o->factors;
    warplu_status status = wk_factors_read(&o->factors, &moved);
    if (status != WARPLU_SUCCESS) return status;
    if (f->lnz > WK_INT_MAX || f->unz > WK_INT_MAX || f->nzoff > WK_INT_MAX) return WARPLU_OVERFLOW;
    if (!provide_scales(&o->shown, common->scale > 0, &scaled_anew)) return WARPLU_OUT_OF_MEMORY;
    if (moved || scaled_anew) show_pivots(o, symbolic, common);
    if (moved || scaled_anew || o->exact != NULL) {
        find_unscaling(o);
        show_scales(o);
    }
    return read_diagonal(o);
}

void wk_numeric_show_again(wk_numeric_object *o, const double *pivots)
{
    if (o->exact != NULL) show_scales(o);
    show_diagonal(o, pivots);
}

void wk_numeric_blank(wk_numeric_object *o, double diagonal)
{
    double *shown = o->shown.Udiag;
    const int64_t count = (int64_t)o->shown.n * o->factors.doubles;
    for (int64_t k = 0; k < count; k++) shown[k] = diagonal;
}
