/* The bound of numerics/bound.h row by row, by the magnitudes that a row's entries of L and F have now, in place of the
 * largest of all.
 *
 * Equation i of A is wrong by at most u (line_i l_i u / max|a_i.| + loads_i), where l_i is the weighted mean of
 * |l_ik| in row i of L and 1, each by its part of line_i, and loads_i = (sum_j |f_ij|) (f_i + 1) / max|a_i.| + entries
 * of the row. Hubs have long lines and few large entries, so that their means are far below the largest l, and their F
 * comes to their diagonal. For A' rows are columns, and L and U change places. Rows that the largest l leaves open are
 * looked at, and no others: they are sorted by how long their lines are, relative to their magnitude when pivots were
 * chosen (of A': to what U grew from).
 *
 * Made once for factors whose rows are open; each look costs O(entries of L and F in open rows), from random places.
 * Weights are rounded up to 5 bits. Memory: 6 bytes an entry of such rows, 80 a row. */
#ifndef WLU_NUMERICS_MEANS_H
#define WLU_NUMERICS_MEANS_H

#include "numerics/bound.h"

/* A row that may be open. Its entries: of the outer factor from `begin` on, of F from `loads`, to the next row's
 * begin. */
typedef struct wlu_mean_row {
    double key;  /* its line, over its magnitude (bound.h: what l, u, drift or growth multiply); infinity: F leaves it
                      open at any time */
    double line; /* in the caller's scales */
    double own;  /* the diagonal's part of it */
    double sums; /* roundings of an entry of F */
    double
        unit; /* a power of two: of A, brings the row's magnitudes close to 1; of A', what U grew from is scaled by */
    double others; /* of loads: those that are no sums */
    int64_t begin, loads;
    int32_t row;     /* position */
    int32_t largest; /* entry of A that was its largest when pivots were chosen */
    int32_t pivot;   /* where its pivot stands, of A'; -1: the diagonal is 1 */
} wlu_mean_row;

typedef struct wlu_means {
    int32_t count;
    wlu_mean_row *row; /* count + 1, keys descending */
    int32_t *at;       /* where each entry stands among the numbers of its factor, of F */
    uint16_t
        *weight;  /* upper 16 bits of it: of factors, its part of the line; of F, what brings it into the row's unit */
    double reach; /* rows that are not there are no longer than this: keys */
    int transposed;
    int by_program; /* numbers are slots */
} wlu_means;

/* Where numbers are: entry q is number q, or slot[q]. */
typedef struct wlu_mean_places {
    const int32_t *outer, *f, *pivot; /* NULL: q */
    int by_program;
} wlu_mean_places;

/* The numbers of now, and what they are held against. */
typedef struct wlu_mean_look {
    const double *outer, *f, *pivot; /* numbers, of so many doubles */
    const double
        *values; /* the caller's, or with `gathered` the pattern's entries; NULL: magnitudes by drift or growth */
    const double *largest; /* by position, of all entries, in place of the one; or NULL */
    int gathered;
    const wlu_health *health;
} wlu_mean_look;

/* Of rows with keys above `reach`, and of those that F leaves open. line: of these rounds. WARPLU_OUT_OF_MEMORY; free
 * it after a success. */
warplu_status wlu_means_create(wlu_context *ctx, const wlu_bounded_factors *factors, const wlu_rounds *rounds,
                               int transposed, const double *line, double reach, const wlu_mean_places *places,
                               wlu_means **out);
void wlu_means_destroy(wlu_context *ctx, wlu_means **means);

/* The key from which on rows are open by the largest magnitudes; NaN where these are no numbers. */
double wlu_means_open_key(const wlu_health *health, int transposed);
/* Whether every equation keeps the promise in solves with A, or A'; where loads_alone, as far as entries of F go. */
int wlu_means_hold(const wlu_means *means, const wlu_pattern *a, const wlu_mean_look *look, int loads_alone);

#endif
