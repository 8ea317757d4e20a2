/* The innermost loops of factorizations by column: columns of L are subtracted from a dense column, one, two or four of
 * one pattern at a time, so that each row is loaded and stored once. Short columns are bound by what is done for each
 * of them, long ones by the memory that L comes from. Each row sums in the order of the pivots, whatever is done at a
 * time. Products are rounded, and added rounded. */
#ifndef WLU_PIVOT_SUBTRACT_H
#define WLU_PIVOT_SUBTRACT_H

#include <stddef.h>

#include "base/number.h"

/* L by columns, and the dense column x that is eliminated. */
typedef struct wlu_elimination_step {
    const int64_t *lp;
    const int32_t *li;
    const wlu_number *lx;
    const uint8_t
        *group;         /* above 0 where a column has the rows of the one before, but for its own pivot, in its order */
    const int32_t *row; /* where x holds each pivot; NULL: at its position */
    wlu_number *x;
} wlu_elimination_step;

/* x - l u. */
static inline wlu_number wlu_less(wlu_number x, wlu_number l, wlu_number u)
{
#ifdef WLU_COMPLEX
    return wlu_number_of(x.re - l.re * u.re + l.im * u.im, x.im - l.re * u.im - l.im * u.re);
#else
    return x - l * u;
#endif
}

/* What a column is divided by: a real pivot itself, a complex one's inverse. */
typedef wlu_number wlu_divisor;

static inline wlu_divisor wlu_divisor_of(wlu_number pivot)
{
#ifdef WLU_COMPLEX
    return wlu_invert(pivot);
#else
    return pivot;
#endif
}

static inline wlu_number wlu_quotient(wlu_number x, wlu_divisor by)
{
#ifdef WLU_COMPLEX
    return wlu_product(x, by);
#else
    return x / by;
#endif
}

/* Not finite where a part is not. */
static inline double wlu_sum_of_parts(wlu_number x)
{
#ifdef WLU_COMPLEX
    return x.re + x.im;
#else
    return x;
#endif
}

/* x[i[q]] -= l[q] u for count different rows. */
static inline void wlu_subtract_one(wlu_number *x, const int32_t *i, int64_t count, const wlu_number *l, wlu_number u)
{
    for (int64_t q = 0; q < count; q++) x[i[q]] = wlu_less(x[i[q]], l[q], u);
}

/* The same for two and four columns of a group, one after the other in every row. */
static inline void wlu_subtract_two(wlu_number *restrict x, const int32_t *restrict i, int64_t count,
                                    const wlu_number *restrict l0, const wlu_number *restrict l1, const wlu_number *u)
{
    wlu_number u0 = u[0], u1 = u[1];
    for (int64_t q = 0; q < count; q++) {
        wlu_number v = x[i[q]];
        v = wlu_less(v, l0[q], u0);
        v = wlu_less(v, l1[q], u1);
        x[i[q]] = v;
    }
}

static inline void wlu_subtract_four(wlu_number *restrict x, const int32_t *restrict i, int64_t count,
                                     const wlu_number *restrict l0, const wlu_number *restrict l1,
                                     const wlu_number *restrict l2, const wlu_number *restrict l3, const wlu_number *u)
{
    wlu_number u0 = u[0], u1 = u[1], u2 = u[2], u3 = u[3];
    for (int64_t q = 0; q < count; q++) {
        wlu_number v = x[i[q]];
        v = wlu_less(v, l0[q], u0);
        v = wlu_less(v, l1[q], u1);
        v = wlu_less(v, l2[q], u2);
        v = wlu_less(v, l3[q], u3);
        x[i[q]] = v;
    }
}

/* The numbers of a solution by position, where they belong. */
static inline void wlu_put_by_place(const wlu_number *y, const int32_t *place, int32_t n, double *x)
{
    for (int32_t k = 0; k < n; k++) wlu_number_put(x, place[k], y[k]);
}

/* Takes the number of pivot k out of the column: u. */
static inline wlu_number wlu_take_pivot(const wlu_elimination_step *s, int32_t k)
{
    wlu_number *x = s->x + (s->row != NULL ? s->row[k] : k), u = *x;
    *x = wlu_zero();
    return u;
}

/* Eliminates pivot k and those behind it in its group, at most `most`, of which each is subtracted from the next ones.
 * Returns how many. */
static inline int wlu_eliminate_group(const wlu_elimination_step *s, int32_t k, int64_t most, wlu_number *u)
{
    const int64_t *lp = s->lp + k;
    int count = 1;
    while (count < 4 && count < most && s->group[k + count] > 0) count++;
    if (count == 3) count = 2;
    for (int c = 0; c < count; c++) {
        u[c] = wlu_take_pivot(s, k + c);
        wlu_subtract_one(s->x, s->li + lp[c], count - 1 - c, s->lx + lp[c], u[c]);
    }
    const int32_t *i = s->li + lp[count - 1];
    const wlu_number *lx = s->lx;
    int64_t rows = lp[count] - lp[count - 1];
    if (count == 4)
        wlu_subtract_four(s->x, i, rows, lx + lp[0] + 3, lx + lp[1] + 2, lx + lp[2] + 1, lx + lp[3], u);
    else
        wlu_subtract_two(s->x, i, rows, lx + lp[0] + 1, lx + lp[1], u);
    return count;
}

/* Whether pivot k, with which so many of the column's are left, has one behind it in its group. */
static inline int wlu_goes_on(const wlu_elimination_step *s, int32_t k, int64_t most)
{
    return most > 1 && s->group[k + 1] > 0;
}

/* Eliminates pivot k alone, as most are in circuits. Returns u. */
static inline wlu_number wlu_eliminate_one(const wlu_elimination_step *s, int32_t k)
{
    int64_t first = s->lp[k];
    wlu_number u = wlu_take_pivot(s, k);
    wlu_subtract_one(s->x, s->li + first, s->lp[k + 1] - first, s->lx + first, u);
    return u;
}

#endif
