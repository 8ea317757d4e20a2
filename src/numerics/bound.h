/* What rounding can do to a solve by frozen pivots, from the patterns and scales of their factors and a few magnitudes.
 *
 * The computed x of A x = b solves (A + E) x = b with |E| <= c |L||U| (Higham, Accuracy and Stability of Numerical
 * Algorithms, 2nd ed., theorems 9.3 and 9.4), c counting roundings, so that equation i is wrong by at most (c
 * |L||U||x|)_i, however roundings depend on each other: those of equal numbers are equal, and a hub of equal
 * conductances has thousands of them. Where every entry has the largest magnitudes l and u, that error, over max|a_i.|
 * max|x|, is at most
 *
 *     unit roundoff  (line_i l u / max|a_i.|  +  of_loads)
 *
 * where for row i of A, k over the row's entries of L and the diagonal, j over row k of U, R and C the scales of
 * equations and unknowns, and o, c, f, s the counts of roundings (numerics/rounds.h)
 *
 *     line_i   = sum_k sum_j (min(o_i, c_j) + f_i + s_k + 4) / (R_i C_j)
 *     of_loads = max_i  (entries of F in row i)(f_i + 1) + entries of row i of A
 *
 * For A' rows are columns, L and U change places, and so do R and C. Of the equations' magnitudes max|a_i.| a replay
 * knows the drift: how much the entry that was largest in row i when pivots were chosen has changed at most. Of columns
 * it knows growth. So A needs of_factors l u drift and A' of_factors l / growth; these decide where they are small
 * enough (numerics/verdict.h). Where they are not, rows are looked at one by one (numerics/means.h). docs/numerics.md
 * derives all this. */
#ifndef WLU_NUMERICS_BOUND_H
#define WLU_NUMERICS_BOUND_H

#include "numerics/health.h"
#include "numerics/rounds.h"
#include "numerics/thresholds.h"

/* A line of the inner factor: its inverse scales, and each times its crossing line's roundings. */
typedef struct wlu_inner_line {
    double weight, crossed;
} wlu_inner_line;

/* Of an entry of magnitude 1 of the outer factor, by its line i and its pivot k: roundings times what they are of.
 * Those of the factorization, of both substitutions, of reciprocals and products with them, or of products that are
 * rounded before they are subtracted. */
static inline double wlu_rounded(const wlu_rounds *rounds, int32_t i, int32_t k, wlu_inner_line inner)
{
    double outer = rounds->outer[i] * inner.weight, factor = inner.crossed <= outer ? inner.crossed : outer;
    return factor + (rounds->first[i] + rounds->second[k] + 4.0) * inner.weight;
}

/* Of complex values: a part's sum has two roundings a term and two parts have the root of two of one's; the sizes of l
 * and u are up to the root of two below their moduli each. */
static inline double wlu_rounded_parts(int doubles)
{
    return doubles == 1 ? 1.0 : 6.0;
}

/* The bound of A, or of A' where transposed, and its lines, n. O(|L| + |U| + |F|); 3 n doubles while it runs.
 * WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_bound_find(wlu_context *ctx, const wlu_bounded_factors *factors, const wlu_rounds *rounds,
                             int transposed, wlu_bound *bound, double *line);

/* The exponent of an unknown's scale, of an equation's where rows; the largest of all. */
static inline int wlu_bound_exponent(const wlu_bounded_factors *p, int rows, int32_t k)
{
    return rows ? p->exponent[p->row[k]] : (p->col_exponent != NULL ? p->col_exponent[p->col[k]] : 0);
}
int wlu_bound_largest_exponent(const wlu_bounded_factors *factors, int rows);
/* Powers of two, n. Of A: 1 over a magnitude that the equation had when pivots were chosen. Of A': 1 over what a number
 * that a column of U grew from is in the caller's scales at least. */
void wlu_bound_units(const wlu_bounded_factors *factors, int transposed, double *unit);
/* Lines of the inner factor, n, scales taken relative to that exponent. */
void wlu_bound_weigh(const wlu_bounded_factors *factors, const wlu_rounds *rounds, int transposed, int largest,
                     wlu_inner_line *inner);

/* The magnitude of entry e in values, the caller's or gathered; 0 where it is none that proves anything. */
static inline double wlu_bound_largest_now(const wlu_pattern *a, const double *values, int gathered, int32_t e)
{
    double size = gathered ? wlu_size_at(values, e, a->doubles) : wlu_pattern_size_of(a, values, e);
    return size >= wlu_thresholds_of(0).equation_least && size <= DBL_MAX ? size : 0.0;
}
/* The larger of two, and NaN where one is. */
double wlu_bound_larger(double largest, double x);

/* The largest magnitudes that equations (of A', unknowns) have in the gathered values x: by position, n. 0 where one is
 * no number that proves anything. work: n. O(nnz). */
int wlu_bound_magnitudes(const wlu_bounded_factors *factors, int transposed, const double *x, double *work,
                         double *largest);
/* of_factors with such magnitudes, so that l u times it decides; infinity where one proves nothing. work: 2 n. */
double wlu_bound_now(const wlu_bounded_factors *factors, int transposed, const double *line, const double *x,
                     double *work);

/* The same by the entry alone that was largest in each row (column) when pivots were chosen. O(n). */
double wlu_bound_by_largest(const wlu_bounded_factors *factors, int transposed, const double *line,
                            const double *values, int gathered);
/* The numbers of factors by columns. */
typedef struct wlu_bounded_numbers {
    const double *l, *u, *pivot;
} wlu_bounded_numbers;

/* Of factors by columns: the error of the worst equation with its own numbers and its largest entry now, so that
 * nothing has to be multiplied with it; infinity where one proves nothing. work: 3 n. O(nnz + |L| + |U|). */
double wlu_bound_by_columns(const wlu_bounded_factors *factors, const wlu_rounds *rounds, int transposed,
                            const wlu_bounded_numbers *numbers, const double *entries, double *work);
/* of_loads in the same way, by the sums of F's numbers f. work: n. O(|F| + n). */
double wlu_bound_loads_by_columns(const wlu_bounded_factors *factors, const wlu_rounds *rounds, int transposed,
                                  const double *f, const double *entries, double *work);

#endif
