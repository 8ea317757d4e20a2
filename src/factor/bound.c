/* Bounds on rounding from the patterns of factors. See bound.h.
 *
 * Lines are rows for A and columns for A'; the outer factor is L for A and U for A'. Scales are taken relative to the largest, so that
 * their inverse squares are at least 1: what overflows makes a bound infinite or no number, and no verdict passes that. */
#include "factor/bound.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Below this, magnitudes of equations may have lost digits. */
static const double TINY = 1e-290;

/* n each. */
typedef struct lines {
    double *terms;   /* multiply-subtracts of a line of the outer factor and of F */
    double *count;   /* entries of a line of the inner factor, its diagonal aside */
    double *weight;  /* of the inner factor's line: the sum of inverse squared scales ... */
    double *crossed; /* ... each times the entries of the inner factor's crossing line */
    double *squares; /* of the outer factor's line: the sum over both */
} lines;

/* Of a rounding, in squares of the unit roundoff that bounds it. */
static const double VARIANCE = 1.0 / 3.0;

/* Sums of more terms have eight accumulators (docs/instruction-set.md). */
enum { IN_ORDER = 16, ACCUMULATORS = 8 };

/* The variance of what rounding does to a sum, in squares of a term's, for each of its terms: a partial sum of s terms of any signs
 * has the size of sqrt(s) of them. */
static double variance_of_sum(double terms)
{
    return terms > IN_ORDER ? terms / (2 * ACCUMULATORS) + 3.0 : terms / 2.0;
}

static void count_entries(const wlu_pivots *p, int transposed, lines *s)
{
    memset(s->terms, 0, (size_t)p->n * sizeof *s->terms);
    memset(s->count, 0, (size_t)p->n * sizeof *s->count);
    for (int32_t j = 0; j < p->n; j++) {
        if (transposed) {
            s->terms[j] = (double)(p->up[j + 1] - p->up[j] + p->fp[j + 1] - p->fp[j]);
            s->count[j] = (double)(p->lp[j + 1] - p->lp[j]);
            continue;
        }
        for (int64_t q = p->lp[j]; q < p->lp[j + 1]; q++) s->terms[p->li[q]]++;
        for (int64_t q = p->fp[j]; q < p->fp[j + 1]; q++) s->terms[p->fi[q]]++;
        for (int64_t q = p->up[j]; q < p->up[j + 1]; q++) s->count[p->ui[q]]++;
    }
}

static int exponent_at(const wlu_pivots *p, int rows, int32_t k)
{
    return rows ? p->exponent[p->row[k]] : wlu_pivots_col_exponent(p, p->col[k]);
}

static int largest_exponent(const wlu_pivots *p, int rows)
{
    int largest = exponent_at(p, rows, 0);
    for (int32_t k = 1; k < p->n; k++)
        if (exponent_at(p, rows, k) > largest) largest = exponent_at(p, rows, k);
    return largest;
}

/* Of an unknown: its inverse squared scale, and the entries of U's column (L's row for A') there. */
static inline void weigh_one(lines *s, int32_t line, double own, double crossing)
{
    s->weight[line] += own;
    s->crossed[line] += own * crossing;
}

/* Sums over the inner factor's lines: rows of U for A, columns of L for A'. */
static void weigh(const wlu_pivots *p, int transposed, int largest, lines *s)
{
    double *rows = s->squares; /* workspace: entries of L's rows */
    memset(rows, 0, (size_t)p->n * sizeof *rows);
    memset(s->weight, 0, (size_t)p->n * sizeof *s->weight);
    memset(s->crossed, 0, (size_t)p->n * sizeof *s->crossed);
    for (int64_t q = 0; transposed && q < p->lp[p->n]; q++) rows[p->li[q]]++;
    for (int32_t j = 0; j < p->n; j++) {
        double own = ldexp(1.0, 2 * (largest - exponent_at(p, transposed, j)));
        double crossing = transposed ? rows[j] : (double)(p->up[j + 1] - p->up[j]);
        weigh_one(s, j, own, crossing);
        for (int64_t q = p->up[j]; !transposed && q < p->up[j + 1]; q++) weigh_one(s, p->ui[q], own, crossing);
        for (int64_t q = p->lp[j]; transposed && q < p->lp[j + 1]; q++)
            weigh_one(s, j, ldexp(1.0, 2 * (largest - exponent_at(p, 1, p->li[q]))), rows[p->li[q]]);
    }
}

/* One more entry of the outer factor, in a line, by a pivot: roundings of the factorization, whose sums cannot be longer than the lines
 * that cross there, of both substitutions, and of a division. */
static inline void add(lines *s, int32_t line, int32_t pivot)
{
    double crossing = fmin(s->terms[line] * s->weight[pivot], s->crossed[pivot]) / 2.0;
    double substitutions = variance_of_sum(s->terms[line]) + variance_of_sum(s->count[pivot]);
    s->squares[line] += crossing + (substitutions + 3.0) * s->weight[pivot];
}

static void sum_squares(const wlu_pivots *p, int transposed, lines *s)
{
    memset(s->squares, 0, (size_t)p->n * sizeof *s->squares);
    for (int32_t j = 0; j < p->n; j++) {
        add(s, j, j);
        if (transposed)
            for (int64_t q = p->up[j]; q < p->up[j + 1]; q++) add(s, j, p->ui[q]);
        else
            for (int64_t q = p->lp[j]; q < p->lp[j + 1]; q++) add(s, p->li[q], j);
    }
}

static double larger(double largest, double x)
{
    return !(x <= largest) && !isnan(largest) ? x : largest;
}

/* The largest magnitude of a row of A when pivots were chosen, or less, is 1 / row_unit. */
static double largest_of_rows(const wlu_pivots *p)
{
    double bound = 0.0;
    for (int32_t k = 0; k < p->n; k++) bound = larger(bound, p->line[0][k] * p->row_unit[k]);
    return bound;
}

/* The largest exponent of a row scale among a column's entries within the block that begins there. */
static int column_exponent(const wlu_pattern *a, const wlu_pivots *p, int32_t j, int32_t begin)
{
    int32_t col = p->col[j];
    int largest = INT16_MIN;
    for (int32_t e = a->p[col]; e < a->p[col + 1]; e++)
        if (p->row_pos[a->i[e]] >= begin && p->exponent[a->i[e]] > largest) largest = p->exponent[a->i[e]];
    return largest;
}

/* The largest scaled magnitude of a column of A is u's over growth, wherever in the column it stands. */
static double largest_of_columns(const wlu_pattern *a, const wlu_pivots *p)
{
    double bound = 0.0;
    for (int32_t b = 0; b < p->nblocks; b++)
        for (int32_t j = p->block[b]; j < p->block[b + 1]; j++)
            bound = larger(bound, ldexp(p->line[1][j], column_exponent(a, p, j, p->block[b]) + exponent_at(p, 0, j)));
    return bound;
}

/* Entries of F in each line go into weight. */
static double find_loads(const wlu_pivots *p, int transposed, lines *s)
{
    double bound = 0.0;
    memset(s->weight, 0, (size_t)p->n * sizeof *s->weight);
    for (int32_t j = 0; j < p->n; j++)
        for (int64_t q = p->fp[j]; q < p->fp[j + 1]; q++) s->weight[transposed ? j : p->fi[q]]++;
    for (int32_t k = 0; k < p->n; k++)
        bound = larger(bound, s->weight[k] * (variance_of_sum(s->terms[k]) + 3.0) + s->terms[k] + s->count[k] + 1.0);
    return sqrt(bound * VARIANCE);
}

warplu_status wlu_bound_find(wlu_context *ctx, const wlu_pattern *a, wlu_pivots *p)
{
    int64_t n = p->n;
    double *pool = WLU_ALLOC(ctx, 4 * n, double);
    p->line[0] = WLU_ALLOC(ctx, n, double);
    p->line[1] = WLU_ALLOC(ctx, n, double);
    if (pool == NULL || p->line[0] == NULL || p->line[1] == NULL) {
        wlu_free(ctx, pool);
        return wlu_fail_memory(ctx, "bounds on rounding");
    }
    for (int transposed = 0; transposed <= 1; transposed++) {
        lines s = {pool, pool + n, pool + 2 * n, pool + 3 * n, p->line[transposed]};
        int largest = largest_exponent(p, transposed);
        count_entries(p, transposed, &s);
        weigh(p, transposed, largest, &s);
        sum_squares(p, transposed, &s);
        for (int32_t k = 0; k < p->n; k++) {
            double line = ldexp(sqrt(s.squares[k] * VARIANCE), -(exponent_at(p, !transposed, k) + largest));
            p->line[transposed][k] = line >= DBL_MIN ? line : INFINITY;
        }
        p->quality.bound[transposed].scale = ldexp(1.0, largest > 0 ? largest : 0);
        p->quality.bound[transposed].of_loads = find_loads(p, transposed, &s);
    }
    p->quality.bound[0].of_factors = largest_of_rows(p);
    p->quality.bound[1].of_factors = largest_of_columns(a, p);
    wlu_free(ctx, pool);
    return WARPLU_SUCCESS;
}

double wlu_bound_now(const wlu_pattern *a, const wlu_pivots *p, const double *x, int transposed, double *work)
{
    double bound = 0.0;
    memset(work, 0, (size_t)p->n * sizeof *work);
    for (int32_t j = 0; j < p->n; j++)
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) {
            double *largest = &work[transposed ? p->col_pos[j] : p->row_pos[a->i[e]]];
            *largest = larger(*largest, fabs(x[e]));
        }
    for (int32_t k = 0; k < p->n; k++) {
        if (!(work[k] >= TINY && work[k] <= DBL_MAX)) return INFINITY;
        bound = larger(bound, p->line[transposed][k] / work[k]);
    }
    return bound;
}
