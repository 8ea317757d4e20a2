/* Numeric factors: the values of L, U and F in the patterns of the pivots, by column; complex ones part by part.
 *
 * Pivoting leaves them behind, so that new pivots answer at once, before anything is compiled; and they can be
 * refactored and solved with as they stand: left-looking columns with a dense accumulator (Gilbert and Peierls 1988;
 * the loop of Davis and Palamadai Natarajan's KLU, ACM TOMS 37, 2010), columns of one pattern taken together
 * (pivot/subtract.h); forward and back substitution by columns. A refactorization takes two to three times what a
 * compiled program takes. Sums are rounded differently from a program's.
 *
 * Those of small systems may have lists (pivot/column_lists.h), which do the same in less time.
 *
 * The owner is one thread. Memory: 8 bytes an entry of L, U and F, 33 n; 16 and 57 n
 * of complex values. Refactor and solve allocate nothing. */
#ifndef WLU_PIVOT_FACTORS_H
#define WLU_PIVOT_FACTORS_H

#include "numerics/health.h"
#include "pivot/column_lists.h"
#include "pivot/pivots.h"

struct wlu_factors {
    double *pivot;           /* n: u_kk */
    double *lx, *ux, *fx;    /* by entry of the pivots' li, ui, fi */
    double *scale;           /* n: of the row at each position */
    uint8_t *group;          /* n: above 0 where the column of L has the rows of the one before, but for its pivot */
    double *work;            /* of 2 n numbers: the first half is zero between calls */
    wlu_column_lists *lists; /* what takes the columns' place, and in whose block the numbers are; NULL: nothing does */
    wlu_health health;
    double worst; /* after a refactorization by columns: what the second bound of growth is made of (wlu_growth_of) */
};

/* Room for the pivots, of so many doubles each, and scales: lx, ux, fx and group are NULL, and their owner's to give.
 * WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_factors_create_empty(wlu_context *ctx, int32_t n, int doubles, wlu_factors **out);
/* Scales, groups, and room for the values, uninitialized. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_factors_create(wlu_context *ctx, const wlu_pivots *pivots, wlu_factors **out);
/* Gives the factors lists; their numbers move, and stay what they are. WARPLU_OUT_OF_MEMORY, where they stay as they
 * were. */
warplu_status wlu_factors_add_lists(wlu_context *ctx, const wlu_pattern *a, const wlu_pivots *pivots, wlu_factors *f);
void wlu_factors_destroy(wlu_context *ctx, wlu_factors **factors);

/* By columns.c and column_lists_run.c, for real values and for complex ones: as the two functions below, which choose.
 *
 * Solves give x where its sizes (base/number.h) add up to at least `least`, and to a finite number; else 0: b is what
 * it was, though x may be b, and x is kept with the factors, for wlu_columns_put. Lists solve with A alone. */
typedef void wlu_refactor_columns(wlu_factors *f, const wlu_pattern *a, const wlu_pivots *pivots,
                                  const double *entries);
typedef int wlu_solve_columns(wlu_factors *f, const wlu_pivots *pivots, int transposed, const double *b, double least,
                              double *x);
typedef void wlu_put_columns(const wlu_factors *f, const wlu_pivots *pivots, int transposed, double *x);
extern wlu_refactor_columns wlu_columns_refactor, wlu_columns_refactor_complex;
extern wlu_refactor_columns wlu_lists_refactor, wlu_lists_refactor_complex;
extern wlu_solve_columns wlu_columns_solve, wlu_columns_solve_complex;
extern wlu_solve_columns wlu_lists_solve, wlu_lists_solve_complex;
extern wlu_put_columns wlu_columns_put, wlu_columns_put_complex;

/* Values for the gathered entries of the pattern; health says what they are worth. */
void wlu_factors_refactor(wlu_factors *f, const wlu_pattern *a, const wlu_pivots *pivots, const double *entries);
/* What solves A x = b, or A' x = b, in the least time. */
static inline wlu_solve_columns *wlu_factors_solver(const wlu_factors *f, const wlu_pivots *pivots, int transposed)
{
    if (f->lists != NULL && !transposed) return pivots->doubles == 1 ? wlu_lists_solve : wlu_lists_solve_complex;
    return pivots->doubles == 1 ? wlu_columns_solve : wlu_columns_solve_complex;
}

/* A x = b, or A' x = b, whatever x is; x may be b. */
void wlu_factors_solve(wlu_factors *f, const wlu_pivots *pivots, int transposed, const double *b, double *x);

/* Whether every value is finite. */
int wlu_factors_finite(const wlu_factors *f, const wlu_pivots *pivots);

int64_t wlu_factors_bytes(const wlu_pivots *pivots);

#endif
