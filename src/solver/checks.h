/* Checks of a solver's solves need these, once for a pattern: the matrix of the factors at hand by its entries, its
 * rows for SIMD, workspace. */
#ifndef WLU_SOLVER_CHECKS_H
#define WLU_SOLVER_CHECKS_H

#include "base/context.h"
#include "numerics/backward_error.h"

typedef struct wlu_checks {
    double *entries; /* nnz: the values of the factors at hand, gathered, complex ones part by part; then a zero */
    int kept;        /* the entries are those of the last replay, or of the pivoting if that was later */
    int earlier;     /* where they are not: they are those of an earlier one, or of values that came to none */
    wlu_rows *rows;  /* of the pattern; shared with clones, NULL until checks are worth them */
    double *work;    /* what backward errors take, then correction, trial and right-hand side, n each */
    double *longest; /* behind them: see wlu_checked */
} wlu_checks;

/* rows: an owner's for this pattern, to be shared, or NULL. O(nnz). WARPLU_OUT_OF_MEMORY; nothing is owned then. */
warplu_status wlu_checks_create(wlu_context *ctx, const wlu_pattern *a, wlu_rows *rows, wlu_checks *out);
/* The pattern by rows, unless it is there: residuals take a quarter of the time then. Without memory for it nothing
 * changes. O(nnz). */
void wlu_checks_add_rows(wlu_context *ctx, const wlu_pattern *a, wlu_checks *checks);
void wlu_checks_free(wlu_context *ctx, wlu_checks *checks);
/* Room for the values of a pattern's entries, and the zero behind them. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_entries_allocate(wlu_context *ctx, const wlu_pattern *a, double **entries);
/* Gathers the entries; WARPLU_NOT_FINITE names the first that is not finite. O(nnz). */
warplu_status wlu_gather_finite(wlu_context *ctx, const wlu_pattern *a, const double *values, double *entries);

/* The matrix of the factors at hand. */
static inline wlu_checked wlu_checks_matrix(const wlu_checks *checks, const wlu_pattern *a)
{
    return (wlu_checked){a, checks->rows, checks->entries, checks->longest};
}

/* Where in the workspace a correction, a trial and a right-hand side stand. */
static inline double *wlu_checks_vector(const wlu_checks *checks, const wlu_pattern *a, int which)
{
    return checks->work + wlu_check_work(a) + which * wlu_vector_doubles(a);
}

#endif
