/* Rows whose lines (numerics/bound.h) are long enough that the largest magnitudes may leave them open: those alone have
 * to be held against their magnitudes of now, most often few of all.
 *
 * Listed once for factors, O(n), of A' O(nnz); each look costs O(rows listed). Memory: 16 bytes a row. */
#ifndef WLU_NUMERICS_LONG_ROWS_H
#define WLU_NUMERICS_LONG_ROWS_H

#include "numerics/bound.h"

typedef struct wlu_long_row {
    double line;     /* in the caller's scales */
    int32_t largest; /* entry of A that was its largest (of A', its column's) when pivots were chosen */
} wlu_long_row;

typedef struct wlu_long_rows {
    double reach; /* rows that are not there have no larger keys: numerics/means.h */
    int32_t count;
    wlu_long_row *row;
} wlu_long_rows;

/* Of rows with keys above `reach`. line: of A, or of A', of a program or of columns. WARPLU_OUT_OF_MEMORY; free it
 * after a success. */
warplu_status wlu_long_rows_create(wlu_context *ctx, const wlu_bounded_factors *factors, int transposed,
                                   const double *line, double reach, wlu_long_rows **out);
void wlu_long_rows_destroy(wlu_context *ctx, wlu_long_rows **rows);

/* wlu_bound_by_largest of the rows that are listed. */
double wlu_long_rows_bound(const wlu_long_rows *rows, const wlu_pattern *a, const double *values, int gathered);

#endif
