/* The worst right-hand side of given factors. See aim.h. */
#include <warplu/inspect.h>

#include "aim.h"

#include "product.h"
#include "wide.h"

#include <math.h>
#include <stdlib.h>

typedef struct factors {
    warplu_factors_view v;
    double *error; /* n by n, by columns: E of the caller's A, rows and columns as there */
} factors;

static void factors_free(factors *f)
{
    void *all[] = {f->v.Lp, f->v.Up, f->v.Fp, f->v.Li, f->v.Ui, f->v.Fi, f->v.Lx,
                   f->v.Ux, f->v.Fx, f->v.P,  f->v.Q,  f->v.R,  f->v.C,  f->error};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) free(all[k]);
}

static int extract(warplu_solver *solver, factors *f)
{
    warplu_factors_view *v = &f->v;
    *f = (factors){.v = {.size = sizeof f->v}};
    if (warplu_extract_factors(solver, v) != WARPLU_SUCCESS) return 0;
    size_t n = (size_t)v->n;
    int64_t **start[] = {&v->Lp, &v->Up, &v->Fp};
    int32_t **index[] = {&v->Li, &v->Ui, &v->Fi};
    double **number[] = {&v->Lx, &v->Ux, &v->Fx};
    const int64_t count[] = {v->l_nnz, v->u_nnz, v->f_nnz};
    for (int k = 0; k < 3; k++) {
        *start[k] = malloc((n + 1) * sizeof **start[k]);
        *index[k] = malloc(((size_t)count[k] + 1) * sizeof **index[k]);
        *number[k] = malloc(((size_t)count[k] + 1) * sizeof **number[k]);
    }
    v->P = malloc(n * sizeof *v->P);
    v->Q = malloc(n * sizeof *v->Q);
    v->R = malloc(n * sizeof *v->R);
    v->C = malloc(n * sizeof *v->C);
    f->error = calloc(n * n, sizeof *f->error);
    return warplu_extract_factors(solver, v) == WARPLU_SUCCESS;
}

/* w := column l of L U + F, at pivot positions. */
static void column_of(const warplu_factors_view *v, int32_t l, wide *w)
{
    for (int32_t k = 0; k < v->n; k++) w[k] = 0;
    for (int64_t e = v->Fp[l]; e < v->Fp[l + 1]; e++) w[v->Fi[e]] = v->Fx[e];
    for (int64_t e = v->Up[l]; e < v->Up[l + 1]; e++) {
        int32_t k = v->Ui[e];
        for (int64_t d = v->Lp[k]; d < v->Lp[k + 1]; d++) w[v->Li[d]] += (wide)v->Lx[d] * (wide)v->Ux[e];
    }
}

/* a is A, or A' where by_rows. */
static void find_error(factors *f, const test_matrix *a, int by_rows)
{
    const warplu_factors_view *v = &f->v;
    size_t n = (size_t)v->n;
    wide *w = malloc(n * sizeof *w);
    for (int32_t j = 0; j < a->n; j++)
        for (int32_t q = a->ptr[j]; q < a->ptr[j + 1]; q++)
            f->error[by_rows ? (size_t)a->idx[q] * n + (size_t)j : (size_t)j * n + (size_t)a->idx[q]] = -a->x[q];
    for (int32_t l = 0; l < v->n; l++) {
        int32_t j = v->Q[l];
        column_of(v, l, w);
        for (int32_t k = 0; k < v->n; k++) {
            double *e = &f->error[(size_t)j * n + (size_t)v->P[k]];
            *e = (double)(w[k] / v->R[v->P[k]] / v->C[j] + *e);
        }
    }
    free(w);
}

/* The row of op(a) whose errors' sum is largest beside its largest entry; *most: that ratio. transposed: of a', a as
 * its arrays are read by columns. E is A's. */
static int32_t worst_row(const factors *f, const test_matrix *a, int by_rows, int transposed, double *most)
{
    size_t n = (size_t)f->v.n;
    double *sum = calloc(2 * n, sizeof *sum), *largest = sum + n;
    int32_t worst = 0;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) sum[transposed != by_rows ? j : i] += fabs(f->error[j * n + i]);
    for (int32_t j = 0; j < a->n; j++)
        for (int32_t q = a->ptr[j]; q < a->ptr[j + 1]; q++) {
            double *l = &largest[transposed ? j : a->idx[q]];
            *l = fmax(*l, fabs(a->x[q]));
        }
    *most = -1.0;
    for (int32_t i = 0; i < a->n; i++)
        if (sum[i] < INFINITY && largest[i] > 0.0 && sum[i] / largest[i] > *most)
            *most = sum[i] / largest[i], worst = i;
    free(sum);
    return worst;
}

double aim(warplu_solver *solver, const test_matrix *a, int by_rows, int transposed, double *b)
{
    factors f;
    double most = -1.0;
    if (extract(solver, &f)) {
        size_t n = (size_t)a->n;
        double *x = malloc(n * sizeof *x);
        find_error(&f, a, by_rows);
        size_t i = (size_t)worst_row(&f, a, by_rows, transposed, &most);
        for (size_t j = 0; j < n; j++) x[j] = f.error[transposed != by_rows ? i * n + j : j * n + i] < 0.0 ? -1.0 : 1.0;
        if (most >= 0.0) product(a, a->x, transposed, x, b);
        free(x);
    }
    factors_free(&f);
    return most;
}
