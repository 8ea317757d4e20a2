/* Refactoring and solving by lists. See column_lists.h. Compiled for either kind of numbers; what is seen of health is
 * what columns.c sees, in its order. Pointers run along lists and numbers: a column costs a few instructions. */
#include "pivot/column_lists.h"

#include <math.h>

#include "pivot/factors.h"
#include "pivot/seen.h"
#include "pivot/subtract.h"

/* Lists at work: what is left of them, and the numbers. */
typedef struct work {
    wlu_number *v;
    const double *entries, *scale;
    const uint16_t *load, *term;
} work;

/* The column's entries; returns their largest magnitude. */
static inline double load_column(work *w, int32_t count)
{
    double amax = 0.0;
    for (; count > 0; count--, w->load += 2) {
        wlu_number x = wlu_scaled(*w->scale++, wlu_number_at(w->entries, w->load[1]));
        w->v[w->load[0]] = x;
        amax = wlu_larger(amax, wlu_size(x));
    }
    return amax;
}

static inline void run_terms(work *w, int32_t count)
{
    wlu_number *v = w->v;
    for (; count > 0; count--, w->term += 3) v[w->term[0]] = wlu_less(v[w->term[0]], v[w->term[1]], v[w->term[2]]);
}

/* Entries of U that are there; returns their largest magnitude. */
static inline double see_upper(const wlu_number *ux, int32_t count, double *sum)
{
    double umax = 0.0;
    for (const wlu_number *end = ux + count; ux < end; ux++) {
        umax = wlu_larger(umax, wlu_size(*ux));
        *sum += wlu_sum_of_parts(*ux);
    }
    return umax;
}

/* Divides entries of L. */
static inline void divide_lower(wlu_number *lx, int32_t count, wlu_number pivot, double *lmax, double *sum)
{
    const wlu_divisor by = wlu_divisor_of(pivot);
    for (const wlu_number *end = lx + count; lx < end; lx++) {
        const wlu_number l = *lx = wlu_quotient(*lx, by);
        *lmax = wlu_larger(*lmax, wlu_size(l));
        *sum += wlu_sum_of_parts(l);
    }
}

void WLU_NUMBER_NAME(wlu_lists_refactor)(wlu_factors *f, const wlu_pattern *a, const wlu_pivots *p,
                                         const double *entries)
{
    const wlu_column_lists *t = f->lists;
    wlu_number *lx = (wlu_number *)f->lx;
    const wlu_number *ux = (wlu_number *)f->ux, *pivot = (wlu_number *)f->pivot;
    wlu_seen now = wlu_nothing_seen();
    work w = {(wlu_number *)f->pivot, entries, t->scale, t->load, t->term};
    for (int32_t k = 0; k < t->zeros; k++) w.v[t->zero[k]] = wlu_zero();
    for (const wlu_listed_column *c = t->column, *end = c + p->n; c < end; c++, pivot++) {
        const double amax = load_column(&w, c->loads);
        run_terms(&w, c->terms);
        double sum = wlu_sum_of_parts(*pivot);
        const double umax = see_upper(ux, c->upper, &sum);
        divide_lower(lx, c->lower, *pivot, &now.largest_l, &sum);
        now.sum += sum;
        wlu_see_pivot(&now, wlu_size(*pivot), umax, amax);
        ux += c->upper;
        lx += c->lower;
    }
    for (const uint16_t *end = t->load + 2 * (int64_t)a->nnz; w.load < end; w.load += 2) {
        const wlu_number x = w.v[w.load[0]] = wlu_scaled(*w.scale++, wlu_number_at(entries, w.load[1]));
        now.sum += wlu_sum_of_parts(x);
    }
    wlu_seen_conclude(&now, f, p, entries, WLU_NUMBER_REALS);
}

/* ------------------------------------------------------------------ solve */

/* x - what is left of a row, entry by entry. */
static inline wlu_number subtract_row(wlu_number x, const wlu_number *v, const wlu_number *y, const uint16_t **term,
                                      int32_t count)
{
    const uint16_t *at = *term, *end = at + 2 * (int64_t)count;
    for (; at < end; at += 2) x = wlu_less(x, v[at[0]], y[at[1]]);
    *term = at;
    return x;
}

/* Returns the sum of their sizes. */
static double scale_unknowns(wlu_number *y, const double *by, int32_t n)
{
    double sum = 0.0;
    for (int32_t k = 0; k < n; k++) sum += wlu_size(y[k] = wlu_scaled(by[k], y[k]));
    return sum;
}

/* x by position, in the second half of the workspace. */
int WLU_NUMBER_NAME(wlu_lists_solve)(wlu_factors *f, const wlu_pivots *p, int transposed, const double *b, double least,
                                     double *x)
{
    const wlu_listed_row *row = f->lists->row;
    const wlu_number *v = (wlu_number *)f->pivot;
    const double *by = f->lists->col_scale;
    const uint16_t *term = f->lists->solve;
    wlu_number *y = (wlu_number *)f->work + p->n;
    double sum = 0.0;
    for (int32_t block = p->nblocks - 1, end = p->n; block >= 0; block--) {
        const int32_t begin = p->block[block];
        for (int32_t i = begin; i < end; i++)
            y[i] = subtract_row(wlu_scaled(f->scale[i], wlu_number_at(b, p->row[i])), v, y, &term, row[i].before);
        for (int32_t i = end - 1; i >= begin; i--)
            sum += wlu_size(y[i] = wlu_quotient(subtract_row(y[i], v, y, &term, row[i].behind), wlu_divisor_of(v[i])));
        end = begin;
    }
    if (by != NULL) sum = scale_unknowns(y, by, p->n);
    if (!(sum >= least && sum < INFINITY)) return 0;
    wlu_put_by_place(y, transposed ? p->row : p->col, p->n, x);
    return 1;
}
