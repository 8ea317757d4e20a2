/* klu_extract: the factors as KLU has them, Rs \ A(P,Q) = L U + F with Rs in pivot order. warplu scales columns,
 * too: R A(P,Q) C = L U + F. C goes into U and F, and where the caller wants no scales of rows, R goes into all
 * three. P and Q are those of the factors, which a Symbolic with several Numerics need not have. O(n + entries
 * asked for). */
#include "objects.h"

#include <stdlib.h>

#include "call.h"
#include "foreign.h"

/* Where the parts of one factor go. Lz, Uz, Fz: NULL where numbers are real. */
typedef struct part {
    wk_int *ptr, *idx;
    double *x, *z;
} part;

static int is_wanted(const part *t)
{
    return t->ptr != NULL && t->idx != NULL && t->x != NULL && (WK_DOUBLES == 1 || t->z != NULL);
}

/* Numbers of one factor as warplu gives them. */
typedef struct room {
    int64_t *ptr;
    int32_t *idx;
    double *x;
} room;

static int make_room(room *r, const part *t, int32_t n, int64_t entries)
{
    *r = (room){0};
    if (!is_wanted(t)) return 1;
    r->ptr = malloc(((size_t)n + 1) * sizeof *r->ptr);
    r->idx = malloc(((size_t)entries + 1) * sizeof *r->idx);
    r->x = malloc(((size_t)entries + 1) * sizeof *r->x * WK_DOUBLES);
    return r->ptr != NULL && r->idx != NULL && r->x != NULL;
}

static void free_room(room *r)
{
    free(r->ptr);
    free(r->idx);
    free(r->x);
}

/* Entry (i, j) times left[i] right[j], by positions; NULL stands for ones. */
static void hand_out(const room *from, const part *to, int32_t n, const double *left, const double *right)
{
    if (from->ptr == NULL) return;
    for (int32_t j = 0; j < n; j++) {
        to->ptr[j] = (wk_int)from->ptr[j];
        for (int64_t p = from->ptr[j]; p < from->ptr[j + 1]; p++) {
            const double scale = (left != NULL ? left[from->idx[p]] : 1.0) * (right != NULL ? right[j] : 1.0);
            to->idx[p] = from->idx[p];
            to->x[p] = from->x[WK_DOUBLES * p] * scale;
            if (WK_DOUBLES == 2) to->z[p] = from->x[2 * p + 1] * scale;
        }
    }
    to->ptr[n] = (wk_int)from->ptr[n];
}

/* What scales by position: row[k] = 1 / R, and its inverse, of pivot k; column[k] = 1 / C. */
static void scales(const wk_factors *f, double *row, double *inverse_row, double *column)
{
    for (int32_t k = 0; k < f->n; k++) {
        inverse_row[k] = f->row_scale[f->row[k]];
        row[k] = 1.0 / inverse_row[k];
        column[k] = 1.0 / f->col_scale[f->col[k]];
    }
}

static void hand_out_orders(const wk_numeric_object *o, wk_int *P, wk_int *Q, double *Rs, wk_int *R)
{
    const wk_factors *f = &o->factors;
    for (int32_t k = 0; k < f->n; k++) {
        if (P != NULL) P[k] = f->row[k];
        if (Q != NULL) Q[k] = f->col[k];
        if (Rs != NULL) Rs[k] = o->shown.Rs != NULL ? 1.0 / f->row_scale[f->row[k]] : 1.0;
    }
    for (int32_t b = 0; R != NULL && b <= f->blocks; b++) R[b] = f->block[b];
}

static warplu_status extract_parts(const wk_numeric_object *o, const part *L, const part *U, const part *F)
{
    const wk_factors *f = &o->factors;
    const size_t n = (size_t)f->n;
    room l, u, off;
    double *row = malloc(3 * n * sizeof *row);
    warplu_status status = WARPLU_OUT_OF_MEMORY;
    int made = make_room(&l, L, f->n, f->lnz) & make_room(&u, U, f->n, f->unz) & make_room(&off, F, f->n, f->nzoff);
    if (made && row != NULL) {
        warplu_factors_view view = {.size = sizeof view,
                                    .Lp = l.ptr,
                                    .Li = l.idx,
                                    .Lx = l.x,
                                    .Up = u.ptr,
                                    .Ui = u.idx,
                                    .Ux = u.x,
                                    .Fp = off.ptr,
                                    .Fi = off.idx,
                                    .Fx = off.x};
        status = warplu_extract_factors(f->solver, &view);
    }
    if (status == WARPLU_SUCCESS) {
        const int unscaled = o->shown.Rs == NULL;
        const double *left = unscaled ? row : NULL, *inverse = unscaled ? row + n : NULL;
        scales(f, row, row + n, row + 2 * n);
        hand_out(&l, L, f->n, left, inverse);
        hand_out(&u, U, f->n, left, row + 2 * n);
        hand_out(&off, F, f->n, left, row + 2 * n);
    }
    free_room(&l);
    free_room(&u);
    free_room(&off);
    free(row);
    return status;
}

static int extract(wk_numeric *numeric, const wk_symbolic *symbolic, const part *L, const part *U, const part *F,
                   wk_common *common)
{
    const wk_numeric_object *o = wk_numeric_of(numeric, WK_DOUBLES);
    common->status = WK_INVALID;
    if (o == NULL || symbolic == NULL || symbolic->n != o->shown.n) return 0;
    common->status = WK_SINGULAR;
    if (!o->factors.usable) return 0;
    common->status = wk_status_of(extract_parts(o, L, U, F));
    return common->status == WK_OK;
}

#ifdef WK_COMPLEX
wk_flag WK_NAME(extract)(wk_numeric *numeric, wk_symbolic *symbolic, wk_int *Lp, wk_int *Li, double *Lx, double *Lz,
                         wk_int *Up, wk_int *Ui, double *Ux, double *Uz, wk_int *Fp, wk_int *Fi, double *Fx, double *Fz,
                         wk_int *P, wk_int *Q, double *Rs, wk_int *R, wk_common *common)
{
    WK_LEAVE(WK_NAME(extract), numeric, symbolic, Lp, Li, Lx, Lz, Up, Ui, Ux, Uz, Fp, Fi, Fx, Fz, P, Q, Rs, R, common);
    const part L = {Lp, Li, Lx, Lz}, U = {Up, Ui, Ux, Uz}, F = {Fp, Fi, Fx, Fz};
#else
wk_flag WK_NAME(extract)(wk_numeric *numeric, wk_symbolic *symbolic, wk_int *Lp, wk_int *Li, double *Lx, wk_int *Up,
                         wk_int *Ui, double *Ux, wk_int *Fp, wk_int *Fi, double *Fx, wk_int *P, wk_int *Q, double *Rs,
                         wk_int *R, wk_common *common)
{
    WK_LEAVE(WK_NAME(extract), numeric, symbolic, Lp, Li, Lx, Up, Ui, Ux, Fp, Fi, Fx, P, Q, Rs, R, common);
    const part L = {Lp, Li, Lx, NULL}, U = {Up, Ui, Ux, NULL}, F = {Fp, Fi, Fx, NULL};
#endif
    if (common == NULL) return 0;
    const int64_t begin = wk_call_begin();
    int done = extract(numeric, symbolic, &L, &U, &F, common);
    if (done) hand_out_orders((const wk_numeric_object *)numeric, P, Q, Rs, R);
    wk_call_end(WK_CALL_EXTRACT, begin);
    return done;
}
