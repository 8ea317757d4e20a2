/* Backward errors of a solution: componentwise, and of equations as wholes. */
#ifndef WLU_NUMERICS_BACKWARD_ERROR_H
#define WLU_NUMERICS_BACKWARD_ERROR_H

#include "matrix/rows.h"

/* The matrix that answers are held against. */
typedef struct wlu_checked {
    const wlu_pattern *a;
    const wlu_rows *rows;  /* of a, for SIMD: then entries[nnz] is 0. NULL: column by column, as A' always is */
    const double *entries; /* the pattern's gathered values, complex ones part by part */
    double *longest;       /* 2: what wlu_longest_row finds for A, for A'; 0: nothing yet. NULL: nobody keeps it */
} wlu_checked;

/* Doubles of workspace that a matrix takes. */
static inline int64_t wlu_check_work(const wlu_pattern *a)
{
    return (a->doubles + 1) * (2 * (int64_t)a->n + WLU_ROWS_LANES);
}

/* Entries of the longest row of A, or of A', and at least 2: an equation's error as a whole is at most so many times
 * the componentwise one, of either form. O(nnz), the first time where they are kept. count: n. */
double wlu_longest_row(const wlu_checked *m, int transposed, double *count);

/* Roundings of a term in the sums of a row of so many entries, at most: as they are made here, and for solutions that
 * executors refine (numerics/refine.h). doubles: of a number; parts of complex ones have two a term, and sizes stand
 * for their moduli. */
static inline double wlu_row_roundings(double entries, int doubles)
{
    return (doubles == 1 ? 1.0 : 4.0) * (entries + 6.0);
}

/* What they come to, over |A||x| + |b|. */
static inline double wlu_row_unseen(int doubles, double entries)
{
    return wlu_row_roundings(entries, doubles) * 0x1p-53;
}

/* The componentwise error, as sums with so many roundings show it, up to which no equation of at most so many entries
 * is wrong by more than `accurate` as a whole: it is so many times as large, and roundings make it so much larger than
 * it shows. Below 0 where it shows nothing. */
static inline double wlu_error_allowed(double accurate, double entries, double roundings)
{
    return accurate / entries - roundings * 0x1p-53;
}

/* Of a solution, or what is enough of them.
 *
 * componentwise: the largest over i of |r_i| / (|A||x| + |b|)_i with r = b - A x (A' where transposed); where the
 * denominator is below 1000 n eps (max|A_i.| max|x| + |b_i|), the second form |r_i| / ((|A||x|)_i + max|A_i.| max|x|)
 * (Arioli, Demmel and Duff, SIAM J. Matrix Anal. Appl. 10, 1989).
 * whole: the largest over i of |r_i| / (max|A_i.| max|x| + |b_i|): small where every equation is accurate as a whole,
 * whatever its small unknowns are. At most k + 1. Roundings of the sums are added to it: equal terms round alike, and
 * |A||x| may be k max|A_i.| max|x|, so that those of a hub may come to more than is promised. Where they would decide,
 * the row is summed again in twice the digits. */
typedef struct wlu_errors {
    double componentwise, whole;
} wlu_errors;

/* Both, of finite numbers of any magnitude: products and sums of them may be far out of range. Where one is at most
 * what is enough (infinity: it is not asked for), an upper bound of at most that may take its place. Sums are of
 * doubles: of a row of k entries r is off by (k + 6) 2^-53 (|A||x| + |b|) at most and denominators by (k + 6) 2^-53 of
 * themselves, and so is the error, and by 1e-30 where terms underflow; within as much of where the second form begins
 * either may be taken. 0 where r is. NaN where b, an entry, or x of a column that has entries is not finite. Where
 * the first error is above what is enough, work begins with the residual afterwards, which may overflow, and the second
 * error is infinity, as it may be where products have left the range of numbers: not known. O(n + nnz); beside the
 * sums, rows alone are looked at that leave something open. */
typedef wlu_errors wlu_find_errors(const wlu_checked *m, int transposed, const double *b, const double *x,
                                   wlu_errors enough, double *work);
wlu_find_errors wlu_errors_of, wlu_errors_of_complex;

static inline wlu_errors wlu_backward_errors(const wlu_checked *m, int transposed, const double *b, const double *x,
                                             wlu_errors enough, double *work)
{
    return (m->a->doubles == 1 ? wlu_errors_of : wlu_errors_of_complex)(m, transposed, b, x, enough, work);
}

#endif
