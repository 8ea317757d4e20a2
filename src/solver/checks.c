/* What checks need. See checks.h. */
#include "solver/checks.h"

#include "exec/exec.h"
#include "base/finite.h"

#include <math.h>
#include <string.h>

warplu_status wlu_entries_allocate(wlu_context *ctx, const wlu_pattern *a, double **entries)
{
    const int64_t doubles = a->doubles, nnz = a->nnz;
    *entries = WLU_ALLOC(ctx, doubles * (nnz + 1), double);
    if (*entries == NULL) return wlu_fail_memory(ctx, "entries of the matrix");
    for (int64_t k = 0; k < doubles; k++) (*entries)[doubles * nnz + k] = 0.0;
    return WARPLU_SUCCESS;
}

warplu_status wlu_checks_create(wlu_context *ctx, const wlu_pattern *a, wlu_rows *rows, wlu_checks *out)
{
    *out = (wlu_checks){.rows = wlu_rows_share(rows)};
    warplu_status status = wlu_entries_allocate(ctx, a, &out->entries);
    int64_t work = wlu_check_work(a) + 3 * wlu_vector_doubles(a);
    out->work = WLU_ALLOC(ctx, work + 2, double);
    if (status == WARPLU_SUCCESS && out->work == NULL) status = wlu_fail_memory(ctx, "workspace of the solver");
    if (status == WARPLU_SUCCESS) {
        out->longest = out->work + work;
        out->longest[0] = out->longest[1] = 0.0;
    }
    if (status < 0) wlu_checks_free(ctx, out);
    return status;
}

void wlu_checks_add_rows(wlu_context *ctx, const wlu_pattern *a, wlu_checks *checks)
{
    wlu_context quiet = *ctx;
    quiet.message = NULL;
    if (checks->rows == NULL) (void)wlu_rows_create(&quiet, a, wlu_residual_kernel(a->doubles), &checks->rows);
}

void wlu_checks_free(wlu_context *ctx, wlu_checks *checks)
{
    wlu_free(ctx, checks->entries);
    wlu_free(ctx, checks->work);
    wlu_rows_destroy(ctx, &checks->rows);
    *checks = (wlu_checks){0};
}

warplu_status wlu_gather_finite(wlu_context *ctx, const wlu_pattern *a, const double *values, double *entries)
{
    wlu_pattern_gather(a, values, entries);
    const int64_t doubles = a->doubles;
    if (wlu_all_finite(entries, doubles * a->nnz)) return WARPLU_SUCCESS;
    for (int32_t j = 0; j < a->n; j++)
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++)
            for (int64_t q = doubles * e; q < doubles * (e + 1); q++)
                if (!isfinite(entries[q]))
                    return wlu_fail(ctx, WARPLU_NOT_FINITE, "entry (%d, %d) is %g%s", a->i[e] + ctx->first_index,
                                    j + ctx->first_index, entries[q],
                                    doubles == 1 ? ""
                                    : q % 2 == 0 ? " in its real part"
                                                 : " in its imaginary part");
    return WARPLU_SUCCESS;
}
