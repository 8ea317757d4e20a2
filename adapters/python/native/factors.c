/* The factors as SciPy presents them: Pr A Pc = L U, without scales and without blocks.
 *
 * The library has R A C = L U + F in pivot positions, with scales R and C, and F above the diagonal blocks of L and U.
 * So A itself is R^-1 (L U + F) C^-1 = (R^-1 L R) (R^-1 (U + L^-1 F) C^-1): L keeps its ones on the diagonal, and U
 * takes L^-1 F in. Scales are powers of two and change no bit. L^-1 F is computed column by column: a search from the
 * column's entries through L finds the rows that fill in, in an order in which each comes before those that it changes
 * (Gilbert and Peierls, SIAM J. Sci. Stat. Comput. 9, 1988). Time: O(n + operations). */
#include "wpy.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>

/* A column of L^-1 F in the making. rows[top .. n - 1]: those that it has, in order. */
typedef struct column {
    int32_t n, top;
    int32_t *rows, *stack, *mark;
    int64_t *next;
    double complex *x;
} column;

/* What grows: the entries of U with those of L^-1 F. */
typedef struct merged {
    int64_t count, room;
    int32_t *rows;
    double complex *values;
} merged;

static double complex number_at(const double *x, int64_t i, int is_complex)
{
    return is_complex ? x[2 * i] + x[2 * i + 1] * I : x[i];
}

/* Marks what is reached from a row through L, its diagonal being each column's first entry. */
static void reach(column *c, const warplu_factors_view *f, int32_t root, int32_t stamp)
{
    int32_t depth = 0;
    c->stack[0] = root;
    c->mark[root] = stamp;
    c->next[root] = f->Lp[root] + 1;
    while (depth >= 0) {
        int32_t k = c->stack[depth];
        int64_t p = c->next[k];
        while (p < f->Lp[k + 1] && c->mark[f->Li[p]] == stamp) p++;
        c->next[k] = p + 1;
        if (p < f->Lp[k + 1]) {
            int32_t child = f->Li[p];
            c->mark[child] = stamp;
            c->next[child] = f->Lp[child] + 1;
            c->stack[++depth] = child;
        } else {
            c->rows[--c->top] = k;
            depth--;
        }
    }
}

/* Column j of L^-1 F, into x and rows. */
static void solve_column(column *c, const warplu_factors_view *f, int32_t j, int is_complex)
{
    c->top = c->n;
    for (int64_t p = f->Fp[j]; p < f->Fp[j + 1]; p++) {
        if (c->mark[f->Fi[p]] != j + 1) reach(c, f, f->Fi[p], j + 1);
    }
    for (int32_t i = c->top; i < c->n; i++) c->x[c->rows[i]] = 0.0;
    for (int64_t p = f->Fp[j]; p < f->Fp[j + 1]; p++) c->x[f->Fi[p]] += number_at(f->Fx, p, is_complex);
    for (int32_t i = c->top; i < c->n; i++) {
        int32_t k = c->rows[i];
        double complex xk = c->x[k];
        for (int64_t p = f->Lp[k] + 1; p < f->Lp[k + 1]; p++) c->x[f->Li[p]] -= number_at(f->Lx, p, is_complex) * xk;
    }
}

static int append(merged *m, int32_t row, double complex value)
{
    if (m->count == m->room) {
        int64_t room = m->room > 0 ? 2 * m->room : 1024;
        int32_t *rows = realloc(m->rows, (size_t)room * sizeof *rows);
        if (rows != NULL) m->rows = rows;
        double complex *values = realloc(m->values, (size_t)room * sizeof *values);
        if (values != NULL) m->values = values;
        if (rows == NULL || values == NULL) return 0;
        m->room = room;
    }
    m->rows[m->count] = row;
    m->values[m->count++] = value;
    return 1;
}

static int ascending(const void *a, const void *b)
{
    int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
    return (i > j) - (i < j);
}

/* Column j of R^-1 (U + L^-1 F) C^-1, rows ascending: those of F's blocks stand above those of U's. */
static int append_column(merged *m, column *c, const warplu_factors_view *f, int32_t j, int is_complex)
{
    if (f->Fp[j] < f->Fp[j + 1]) {
        solve_column(c, f, j, is_complex);
        qsort(c->rows + c->top, (size_t)(c->n - c->top), sizeof *c->rows, ascending);
        for (int32_t i = c->top; i < c->n; i++) {
            int32_t k = c->rows[i];
            if (!append(m, k, c->x[k] / f->R[f->P[k]] / f->C[f->Q[j]])) return 0;
        }
    }
    for (int64_t p = f->Up[j]; p < f->Up[j + 1]; p++) {
        int32_t k = f->Ui[p];
        if (!append(m, k, number_at(f->Ux, p, is_complex) / f->R[f->P[k]] / f->C[f->Q[j]])) return 0;
    }
    return 1;
}

/* U with F, into m; Up becomes its pointers. 0: no memory. */
static int merge(merged *m, warplu_factors_view *f, int is_complex)
{
    size_t n = (size_t)f->n;
    column c = {.n = f->n,
                .rows = malloc(n * sizeof *c.rows),
                .stack = malloc(n * sizeof *c.stack),
                .mark = calloc(n, sizeof *c.mark),
                .next = malloc(n * sizeof *c.next),
                .x = malloc(n * sizeof *c.x)};
    int64_t *ends = malloc(n * sizeof *ends);
    int done = c.rows && c.stack && c.mark && c.next && c.x && ends;
    for (int32_t j = 0; done && j < f->n; j++) {
        done = append_column(m, &c, f, j, is_complex);
        ends[j] = m->count;
    }
    if (done) memcpy(f->Up + 1, ends, n * sizeof *ends);
    free(c.rows);
    free(c.stack);
    free(c.mark);
    free(c.next);
    free(c.x);
    free(ends);
    return done;
}

/* L becomes R^-1 L R. */
static void unscale_l(warplu_factors_view *f, int is_complex)
{
    for (int32_t j = 0; j < f->n; j++)
        for (int64_t p = f->Lp[j]; p < f->Lp[j + 1]; p++) {
            double factor = f->R[f->P[j]] / f->R[f->P[f->Li[p]]];
            f->Lx[is_complex ? 2 * p : p] *= factor;
            if (is_complex) f->Lx[2 * p + 1] *= factor;
        }
}

static void free_view(warplu_factors_view *f)
{
    void *all[] = {f->Lp, f->Up, f->Fp, f->Li, f->Ui, f->Fi, f->Lx, f->Ux, f->Fx, f->P, f->Q, f->R, f->C};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

/* The library's factors; without the GIL. */
static warplu_status extract(wpy_solver *s, warplu_factors_view *f)
{
    size_t pointers = ((size_t)s->n + 1) * sizeof(int64_t), numbers = (s->is_complex ? 2 : 1) * sizeof(double);
    warplu_status status = warplu_extract_factors(s->solver, f);
    if (status < 0) return status;
    f->Lp = malloc(pointers), f->Up = malloc(pointers), f->Fp = malloc(pointers);
    f->Li = malloc(((size_t)f->l_nnz + 1) * sizeof *f->Li), f->Lx = malloc(((size_t)f->l_nnz + 1) * numbers);
    f->Ui = malloc(((size_t)f->u_nnz + 1) * sizeof *f->Ui), f->Ux = malloc(((size_t)f->u_nnz + 1) * numbers);
    f->Fi = malloc(((size_t)f->f_nnz + 1) * sizeof *f->Fi), f->Fx = malloc(((size_t)f->f_nnz + 1) * numbers);
    f->P = malloc(pointers), f->Q = malloc(pointers), f->R = malloc(pointers), f->C = malloc(pointers);
    if (!f->Lp || !f->Up || !f->Fp || !f->Li || !f->Lx || !f->Ui || !f->Ux || !f->Fi || !f->Fx || !f->P || !f->Q ||
        !f->R || !f->C)
        return WARPLU_OUT_OF_MEMORY;
    return warplu_extract_factors(s->solver, f);
}

static PyObject *bytes_of(const void *data, int64_t count, size_t size)
{
    return PyBytes_FromStringAndSize(data, (Py_ssize_t)((size_t)count * size));
}

/* (Lp, Li, Lx, Up, Ui, Ux, P, Q) as bytes; numbers of U are complex in any case. */
static PyObject *make_tuple(const warplu_factors_view *f, const merged *m, int is_complex)
{
    return Py_BuildValue("NNNNNNNN", bytes_of(f->Lp, (int64_t)f->n + 1, sizeof *f->Lp),
                         bytes_of(f->Li, f->l_nnz, sizeof *f->Li),
                         bytes_of(f->Lx, f->l_nnz, (is_complex ? 2 : 1) * sizeof *f->Lx),
                         bytes_of(f->Up, (int64_t)f->n + 1, sizeof *f->Up),
                         bytes_of(m->rows, m->count, sizeof *m->rows), bytes_of(m->values, m->count, sizeof *m->values),
                         bytes_of(f->P, f->n, sizeof *f->P), bytes_of(f->Q, f->n, sizeof *f->Q));
}

static PyObject *solver_factors(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    wpy_solver *s = (wpy_solver *)self;
    warplu_factors_view f = {.size = sizeof f};
    merged m = {.count = 0};
    PyThreadState *thread = wpy_begin(s);
    warplu_status status = extract(s, &f);
    if (status >= 0 && !merge(&m, &f, s->is_complex)) status = WARPLU_OUT_OF_MEMORY;
    if (status >= 0) unscale_l(&f, s->is_complex);
    wpy_end(s, thread);
    PyObject *tuple = status < 0 ? NULL : make_tuple(&f, &m, s->is_complex);
    free_view(&f);
    free(m.rows);
    free(m.values);
    return wpy_answer_with(status, tuple);
}

PyMethodDef wpy_factors_methods[] = {
    {"factors", solver_factors, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
