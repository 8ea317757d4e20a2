/* Pivots: what the first numeric factorization decides and every replay keeps.
 *
 * The final row and column order, the row scales, and the patterns of L, U and F, all in pivot positions:
 * position k is row row[k] and column col[k] of A. With R = diag(2^exponent[i]), C = diag(2^col_exponent[j]),
 *     (R A C)(row, col) = blkdiag(L_b U_b) + F,  L unit lower, U upper triangular, F above the diagonal blocks.
 * Values are not kept: see pivot/factors.h.
 * Immutable once built; shared between threads. Memory: 4 bytes an entry of L, U
 * and F, 82 n. */
#ifndef WLU_PIVOT_PIVOTS_H
#define WLU_PIVOT_PIVOTS_H

#include "cost/tree.h"
#include "numerics/health.h"
#include "numerics/rounds.h"
#include "order/analysis.h"

/* None; of rows, as the options say; of rows and columns, from a matching (of rows where the values have none). */
typedef enum wlu_scales { WLU_ROWS_UNSCALED, WLU_ROWS_SCALED, WLU_BOTH_SCALED } wlu_scales;

/* See pivot/factors.h. */
typedef struct wlu_factors wlu_factors;

typedef struct wlu_pivots {
    int32_t n, nblocks;
    int64_t number;             /* that no other pivots of the process have */
    int32_t doubles;            /* of a value: 1, or 2 where it is complex */
    int32_t *block;             /* nblocks + 1 boundaries in positions */
    int32_t *row, *col;         /* n: original row and column at each position */
    int32_t *row_pos, *col_pos; /* n: position of each original row and column */
    int16_t *exponent;          /* n, by original row */
    int16_t *col_exponent;      /* n, by original column; NULL if columns are not scaled */
    int32_t *largest;           /* n: entry of A that was largest in each column of its block, scaled */
    int32_t *row_largest;       /* n: entry of A that was largest in each row, scaled, ... */
    double *row_unit;           /* n: ... and the power of two, scales included, that brings it into [1, 2) */
    int64_t *lp, *up, *fp;      /* n + 1 each */
    int32_t *li;                /* rows below the diagonal, ascending */
    int32_t *ui;                /* rows above the diagonal within the block, ascending */
    int32_t *fi;                /* rows in earlier blocks, ascending */
    int64_t terms;              /* multiply-subtracts */
    int32_t height;             /* pivots on the longest dependent chain */
    warplu_ordering ordering;
    int candidate;     /* of the analysis */
    wlu_scales scales; /* the ones that were kept */
    double predicted_terms;
    wlu_pivot_quality quality;
    int64_t factor_ns; /* every factorization tried */
} wlu_pivots;

/* Room for pivots of so many blocks, without patterns. WARPLU_OUT_OF_MEMORY; the caller destroys *out, whatever is
 * returned. */
warplu_status wlu_pivots_allocate(wlu_context *ctx, int32_t n, int32_t nblocks, int columns_scaled, wlu_pivots **out);
void wlu_pivots_destroy(wlu_context *ctx, wlu_pivots **pivots);

/* Pivots off the diagonal of the candidate of this analysis that they were chosen by. */
int32_t wlu_pivots_count_off_diagonal(const wlu_pivots *pivots, const wlu_analysis *analysis);

/* A view of the patterns. */
wlu_patterns wlu_pivots_patterns(const wlu_pivots *pivots);

/* The predicted time of a replay, by the patterns (cost/patterns.h). WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_pivots_price(wlu_context *ctx, const wlu_cost *cost, const wlu_pivots *pivots, double *ns);

/* What a bound on rounding in solves by these pivots is of (numerics/bound.h). */
wlu_bounded_factors wlu_pivots_bounded(const wlu_pattern *a, const wlu_pivots *pivots);

/* Exponents of the scale of column j alone, and of row i and of column j together. */
static inline int wlu_pivots_col_exponent(const wlu_pivots *p, int32_t j)
{
    return p->col_exponent != NULL ? p->col_exponent[j] : 0;
}

static inline int wlu_pivots_exponent(const wlu_pivots *p, int32_t i, int32_t j)
{
    return p->exponent[i] + wlu_pivots_col_exponent(p, j);
}

#endif
