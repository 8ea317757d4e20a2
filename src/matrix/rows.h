/* A pattern row by row, eight entries side by side, for sums over the rows of A in SIMD registers.
 *
 * Rows of at most WLU_ROWS_LONG entries stand eight in a group, one lane each, together with rows of like length. A
 * longer row is a group of its own, and its lanes are eight partial sums. A place is a lane of the first kind of group,
 * or a row of the second. The last group of rows repeats a row where there are fewer than eight. word holds, for each
 * step, eight numbers of entries and the eight columns they stand in. A lane that has no entry left names entry nnz,
 * which the owner of the values sets to 0. Immutable, shared between threads, owners counted. Some 8 bytes an entry,
 * built in O(n + nnz). */
#ifndef WLU_MATRIX_ROWS_H
#define WLU_MATRIX_ROWS_H

#include "base/count.h"
#include "matrix/sparse.h"

enum { WLU_ROWS_LONG = 32, WLU_ROWS_LANES = 8 };

struct wlu_rows;

/* Computes the residual's sums by place, r = b - A x and w = |A||x|. Returns the largest |r| / (w + |b|); infinity
 * where some w + |b| is below `tiny`, infinite or NaN. The kernel is chosen when the rows are made; all kernels give
 * the same bits. */
typedef double wlu_rows_residual(const struct wlu_rows *rows, const double *entries, const double *b, const double *x,
                                 double tiny, double *r, double *w);

typedef struct wlu_rows {
    wlu_count count;
    wlu_rows_residual *residual;
    int64_t groups, longs; /* groups of rows, then groups that are a row */
    int64_t places;        /* 8 groups + longs, at most n + 7 */
    int32_t *row;          /* of each place */
    int32_t *steps;        /* of each group */
    int64_t *begin;        /* of each group: its first word */
    int32_t *word;
} wlu_rows;

/* WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_rows_create(wlu_context *ctx, const wlu_pattern *a, wlu_rows_residual *residual, wlu_rows **out);
/* One more owner. Takes NULL. */
wlu_rows *wlu_rows_share(wlu_rows *rows);
/* One owner less; the last one frees them. Takes NULL, leaves NULL. */
void wlu_rows_destroy(wlu_context *ctx, wlu_rows **rows);

/* The largest modulus, from below (base/number.h), of a place's row of entries of so many doubles, or one of at least
 * `wanted`; NaN if one is, unless. */
double wlu_rows_norm(const wlu_rows *rows, const double *entries, int doubles, int64_t place, double wanted);
/* The number of the first entry of a place's row. */
static inline int32_t wlu_rows_first(const wlu_rows *rows, int64_t place)
{
    int64_t longer = place - WLU_ROWS_LANES * rows->groups;
    int64_t group = longer < 0 ? place / WLU_ROWS_LANES : rows->groups + longer;
    return rows->word[rows->begin[group] + (longer < 0 ? place % WLU_ROWS_LANES : 0)];
}
/* The row of this place has no more entries. */
static inline int64_t wlu_rows_entries(const wlu_rows *rows, int64_t place)
{
    int64_t longer = place - WLU_ROWS_LANES * rows->groups;
    return longer < 0 ? WLU_ROWS_LONG : WLU_ROWS_LANES * (int64_t)rows->steps[rows->groups + longer];
}

#endif
