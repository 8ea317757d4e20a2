/* Factors by column: what holds them. See factors.h; columns.c computes with them. */
#include "pivot/factors.h"

#include <string.h>

#include "base/finite.h"
#include "base/power.h"

warplu_status wlu_factors_create_empty(wlu_context *ctx, int32_t n, int doubles, wlu_factors **out)
{
    wlu_factors *f = WLU_CALLOC(ctx, 1, wlu_factors);
    *out = f;
    if (f == NULL) return wlu_fail_memory(ctx, "factors");
    f->pivot = WLU_ALLOC(ctx, doubles * (int64_t)n, double);
    f->scale = WLU_ALLOC(ctx, n, double);
    f->work = WLU_CALLOC(ctx, 2 * doubles * (int64_t)n, double);
    if (f->pivot != NULL && f->scale != NULL && f->work != NULL) return WARPLU_SUCCESS;
    wlu_factors_destroy(ctx, out);
    return wlu_fail_memory(ctx, "factors");
}

/* Column k goes on with the group of the one before if it is updated by that, which has its pivot and as many rows: it
 * has no others then. */
static void find_groups(const wlu_pivots *p, uint8_t *group)
{
    group[0] = 0;
    for (int32_t k = 1; k < p->n; k++) {
        int64_t before = p->lp[k - 1], first = p->lp[k], above = p->up[k + 1];
        group[k] = first - before == p->lp[k + 1] - first + 1 && p->li[before] == k && above > p->up[k] &&
                   p->ui[above - 1] == k - 1;
    }
}

warplu_status wlu_factors_create(wlu_context *ctx, const wlu_pivots *p, wlu_factors **out)
{
    const int64_t doubles = p->doubles;
    warplu_status status = wlu_factors_create_empty(ctx, p->n, p->doubles, out);
    if (status < 0) return status;
    wlu_factors *f = *out;
    f->lx = WLU_ALLOC(ctx, doubles * p->lp[p->n], double);
    f->ux = WLU_ALLOC(ctx, doubles * p->up[p->n], double);
    f->fx = WLU_ALLOC(ctx, doubles * p->fp[p->n], double);
    f->group = WLU_ALLOC(ctx, p->n, uint8_t);
    if (f->lx == NULL || f->ux == NULL || f->fx == NULL || f->group == NULL) {
        wlu_factors_destroy(ctx, out);
        return wlu_fail_memory(ctx, "factors");
    }
    for (int32_t k = 0; k < p->n; k++) f->scale[k] = wlu_power_of_two(p->exponent[p->row[k]]);
    find_groups(p, f->group);
    return WARPLU_SUCCESS;
}

/* Numbers move into one block, which becomes the factors'. */
static void move_numbers(wlu_context *ctx, const wlu_pivots *p, wlu_factors *f, double *block)
{
    const wlu_places at = wlu_listed_places(p);
    double **part[] = {&f->pivot, &f->lx, &f->ux, &f->fx};
    const int64_t begin[] = {0, at.l, at.u, at.f, at.end};
    for (int k = 0; k < 4; k++) {
        const int64_t doubles = p->doubles * (begin[k + 1] - begin[k]);
        double *to = block + p->doubles * begin[k];
        if (doubles > 0) memcpy(to, *part[k], (size_t)doubles * sizeof *to);
        wlu_free(ctx, *part[k]);
        *part[k] = to;
    }
}

warplu_status wlu_factors_add_lists(wlu_context *ctx, const wlu_pattern *a, const wlu_pivots *p, wlu_factors *f)
{
    double *block = WLU_ALLOC(ctx, p->doubles * wlu_listed_places(p).end, double);
    if (block == NULL) return wlu_fail_memory(ctx, "numbers beside lists");
    const warplu_status status = wlu_column_lists_create(ctx, a, p, &f->lists);
    if (status < 0)
        wlu_free(ctx, block);
    else
        move_numbers(ctx, p, f, block);
    return status;
}

void wlu_factors_destroy(wlu_context *ctx, wlu_factors **factors)
{
    wlu_factors *f = *factors;
    if (f == NULL) return;
    wlu_free(ctx, f->pivot);
    if (f->lists == NULL) { /* else within the pivots' block */
        wlu_free(ctx, f->lx);
        wlu_free(ctx, f->ux);
        wlu_free(ctx, f->fx);
    }
    wlu_column_lists_destroy(ctx, &f->lists);
    wlu_free(ctx, f->scale);
    wlu_free(ctx, f->group);
    wlu_free(ctx, f->work);
    wlu_free(ctx, f);
    *factors = NULL;
}

int64_t wlu_factors_bytes(const wlu_pivots *p)
{
    return 8 * p->doubles * (p->lp[p->n] + p->up[p->n] + p->fp[p->n]) + (24 * p->doubles + 9) * (int64_t)p->n;
}

int wlu_factors_finite(const wlu_factors *f, const wlu_pivots *p)
{
    const int64_t doubles = p->doubles;
    return wlu_all_finite(f->pivot, doubles * p->n) && wlu_all_finite(f->lx, doubles * p->lp[p->n]) &&
           wlu_all_finite(f->ux, doubles * p->up[p->n]) && wlu_all_finite(f->fx, doubles * p->fp[p->n]);
}

void wlu_factors_refactor(wlu_factors *f, const wlu_pattern *a, const wlu_pivots *p, const double *entries)
{
    wlu_refactor_columns *by_columns = p->doubles == 1 ? wlu_columns_refactor : wlu_columns_refactor_complex;
    wlu_refactor_columns *by_lists = p->doubles == 1 ? wlu_lists_refactor : wlu_lists_refactor_complex;
    (f->lists != NULL ? by_lists : by_columns)(f, a, p, entries);
}

void wlu_factors_solve(wlu_factors *f, const wlu_pivots *p, int transposed, const double *b, double *x)
{
    if (!wlu_factors_solver(f, p, transposed)(f, p, transposed, b, 0.0, x))
        (p->doubles == 1 ? wlu_columns_put : wlu_columns_put_complex)(f, p, transposed, x);
}
