/* Rows that the largest magnitudes may leave open. See long_rows.h. Comparisons are written so that a NaN is listed. */
#include "numerics/long_rows.h"

static void list_rows(wlu_long_rows *rows, const wlu_bounded_factors *p, int transposed, const double *line,
                      const double *unit)
{
    for (int32_t k = 0; k < p->a->n; k++)
        if (!(line[k] * unit[k] <= rows->reach))
            rows->row[rows->count++] = (wlu_long_row){line[k], (transposed ? p->col_largest : p->row_largest)[k]};
}

warplu_status wlu_long_rows_create(wlu_context *ctx, const wlu_bounded_factors *p, int transposed, const double *line,
                                   double reach, wlu_long_rows **out)
{
    const int32_t n = p->a->n;
    wlu_long_rows *rows = WLU_ALLOC(ctx, 1, wlu_long_rows);
    double *unit = WLU_ALLOC(ctx, n, double);
    wlu_long_row *row = WLU_ALLOC(ctx, n, wlu_long_row);
    *out = NULL;
    if (rows == NULL || unit == NULL || row == NULL) {
        wlu_free(ctx, row);
        wlu_free(ctx, unit);
        wlu_free(ctx, rows);
        return wlu_fail_memory(ctx, "rows with long lines");
    }
    *rows = (wlu_long_rows){.reach = reach, .row = row};
    wlu_bound_units(p, transposed, unit);
    list_rows(rows, p, transposed, line, unit);
    wlu_free(ctx, unit);
    *out = rows;
    return WARPLU_SUCCESS;
}

void wlu_long_rows_destroy(wlu_context *ctx, wlu_long_rows **rows)
{
    if (*rows == NULL) return;
    wlu_free(ctx, (*rows)->row);
    wlu_free(ctx, *rows);
    *rows = NULL;
}

double wlu_long_rows_bound(const wlu_long_rows *rows, const wlu_pattern *a, const double *values, int gathered)
{
    double bound = 0.0;
    for (const wlu_long_row *row = rows->row; row < rows->row + rows->count; row++)
        bound = wlu_bound_larger(bound, row->line / wlu_bound_largest_now(a, values, gathered, row->largest));
    return bound;
}
