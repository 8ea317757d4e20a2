/* Bounds on rounding from the patterns of factors. See bound.h.
 *
 * Lines are rows for A and columns for A'; the outer factor is L for A and U for A'. Scales are taken relative to the
 * largest, so that their inverse squares are at least 1: what overflows makes a bound infinite or no number, and no
 * verdict passes that. */
#include "numerics/bound.h"

#include "base/power.h"
#include "numerics/sums.h"
#include "numerics/thresholds.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The variance of what rounding does to a sum, in squares of a term's, for each of its terms: a partial sum of s terms
 * of any signs has the size of sqrt(s) of them. A tree of WLU_DOT_LANES sums has three levels. */
static double variance_of_sum(double terms)
{
    return terms > WLU_DOT_IN_ORDER_MAX ? terms / (2 * WLU_DOT_LANES) + 3.0 : terms / 2.0;
}

/* Of a complex term there are two roundings for each part, of an inverse and a product a few more: three times the
 * variance. Sizes of l and u are up to the root of two below their moduli each: four times. */
static const double COMPLEX_VARIANCE = 12.0;

static double variance_of_rounding(const wlu_bounded_factors *p)
{
    double variance = wlu_thresholds_of(0).variance;
    return p->a->doubles == 1 ? variance : COMPLEX_VARIANCE * variance;
}

/* A line of the outer factor. */
typedef struct outer_line {
    double terms;    /* its multiply-subtracts, and those of F in it */
    double variance; /* of their sum */
    double squares;  /* the sum over both factors */
} outer_line;

/* A line of the inner factor. */
typedef struct inner_line {
    double count;    /* its entries, the diagonal aside */
    double variance; /* of their sum */
    double weight;   /* the sum of inverse squared scales ... */
    double crossed;  /* ... each times the entries of the inner factor's crossing line */
} inner_line;

/* n each. */
typedef struct lines {
    outer_line *outer;
    inner_line *inner;
    double *rows; /* entries of L's rows */
} lines;

static int exponent_at(const wlu_bounded_factors *p, int rows, int32_t k)
{
    return rows ? p->exponent[p->row[k]] : (p->col_exponent != NULL ? p->col_exponent[p->col[k]] : 0);
}

static int largest_exponent(const wlu_bounded_factors *p, int rows)
{
    int largest = exponent_at(p, rows, 0);
    for (int32_t k = 1; k < p->a->n; k++)
        if (exponent_at(p, rows, k) > largest) largest = exponent_at(p, rows, k);
    return largest;
}

/* x 2^e. */
static double times_power(double x, int e)
{
    return e >= -1022 && e <= 1023 ? x * wlu_power_of_two(e) : ldexp(x, e);
}

/* 2^(2 d). */
static double inverse_square(int d)
{
    return d <= 511 ? wlu_power_of_two(2 * d) : INFINITY;
}

static void count_rows_of_l(const wlu_bounded_factors *p, double *rows)
{
    memset(rows, 0, (size_t)p->a->n * sizeof *rows);
    for (int64_t q = 0; q < p->lp[p->a->n]; q++) rows[p->li[q]]++;
}

static void count_terms(const wlu_bounded_factors *p, int transposed, lines *s)
{
    for (int32_t k = 0; k < p->a->n; k++)
        s->outer[k] = (outer_line){.terms = transposed ? (double)(p->up[k + 1] - p->up[k] + p->fp[k + 1] - p->fp[k])
                                                       : s->rows[k]};
    for (int64_t q = 0; !transposed && q < p->fp[p->a->n]; q++) s->outer[p->fi[q]].terms++;
    for (int32_t k = 0; k < p->a->n; k++) s->outer[k].variance = variance_of_sum(s->outer[k].terms);
}

/* One more unknown of an inner line: its inverse squared scale, and the entries of U's column (L's row for A') there.
 */
static inline void weigh_one(inner_line *line, double own, double crossing)
{
    line->count++;
    line->weight += own;
    line->crossed += own * crossing;
}

/* Sums over the inner factor's lines: rows of U for A, columns of L for A'. */
static void weigh(const wlu_bounded_factors *p, int transposed, int largest, lines *s)
{
    for (int32_t k = 0; k < p->a->n; k++) s->inner[k] = (inner_line){.count = -1.0};
    for (int32_t j = 0; j < p->a->n; j++) {
        double own = inverse_square(largest - exponent_at(p, transposed, j));
        double crossing = transposed ? s->rows[j] : (double)(p->up[j + 1] - p->up[j]);
        weigh_one(&s->inner[j], own, crossing);
        for (int64_t q = p->up[j]; !transposed && q < p->up[j + 1]; q++) weigh_one(&s->inner[p->ui[q]], own, crossing);
        for (int64_t q = p->lp[j]; transposed && q < p->lp[j + 1]; q++)
            weigh_one(&s->inner[j], inverse_square(largest - exponent_at(p, 1, p->li[q])), s->rows[p->li[q]]);
    }
    for (int32_t k = 0; k < p->a->n; k++) s->inner[k].variance = variance_of_sum(s->inner[k].count);
}

/* One more entry of the outer factor, in a line, by a pivot: roundings of the factorization, whose sums cannot be
 * longer than the lines that cross there, of both substitutions, and of a division. */
static inline void add(outer_line *line, const inner_line *pivot)
{
    double sums = line->terms * pivot->weight, crossing = sums < pivot->crossed ? sums : pivot->crossed;
    line->squares += crossing / 2.0 + (line->variance + pivot->variance + 3.0) * pivot->weight;
}

static void sum_squares(const wlu_bounded_factors *p, int transposed, lines *s)
{
    for (int32_t j = 0; j < p->a->n; j++) {
        add(&s->outer[j], &s->inner[j]);
        for (int64_t q = p->up[j]; transposed && q < p->up[j + 1]; q++) add(&s->outer[j], &s->inner[p->ui[q]]);
        for (int64_t q = p->lp[j]; !transposed && q < p->lp[j + 1]; q++) add(&s->outer[p->li[q]], &s->inner[j]);
    }
}

static double larger(double largest, double x)
{
    return !(x <= largest) && !isnan(largest) ? x : largest;
}

/* The largest magnitude of a row of A when pivots were chosen, or less, is 1 / row_unit. */
static double largest_of_rows(const wlu_bounded_factors *p, const double *line)
{
    double bound = 0.0;
    for (int32_t k = 0; k < p->a->n; k++) bound = larger(bound, line[k] * p->row_unit[k]);
    return bound;
}

/* The largest exponent of a row scale among a column's entries within the block that begins there. */
static int column_exponent(const wlu_bounded_factors *p, int32_t j, int32_t begin)
{
    const wlu_pattern *a = p->a;
    int32_t col = p->col[j];
    int largest = INT16_MIN;
    for (int32_t e = a->p[col]; e < a->p[col + 1]; e++)
        if (p->row_pos[a->i[e]] >= begin && p->exponent[a->i[e]] > largest) largest = p->exponent[a->i[e]];
    return largest;
}

/* The largest scaled magnitude of a column of A is u's over growth, wherever in the column it stands; columns that
 * would not count by the largest scale of all rows are not looked at. */
static double largest_of_columns(const wlu_bounded_factors *p, const double *line)
{
    double bound = 0.0;
    int most = largest_exponent(p, 1);
    for (int32_t b = 0; b < p->nblocks; b++)
        for (int32_t j = p->block[b]; j < p->block[b + 1]; j++) {
            int own = exponent_at(p, 0, j);
            if (times_power(line[j], most + own) <= bound) continue;
            bound = larger(bound, times_power(line[j], column_exponent(p, j, p->block[b]) + own));
        }
    return bound;
}

/* Entries of F in each line go into weight. */
static double find_loads(const wlu_bounded_factors *p, int transposed, lines *s)
{
    double bound = 0.0;
    for (int32_t k = 0; k < p->a->n; k++) s->inner[k].weight = 0.0;
    for (int32_t j = 0; j < p->a->n; j++)
        for (int64_t q = p->fp[j]; q < p->fp[j + 1]; q++) s->inner[transposed ? j : p->fi[q]].weight++;
    for (int32_t k = 0; k < p->a->n; k++) {
        const outer_line *outer = &s->outer[k];
        const inner_line *inner = &s->inner[k];
        bound = larger(bound, inner->weight * (outer->variance + 3.0) + outer->terms + inner->count + 1.0);
    }
    return sqrt(bound * variance_of_rounding(p));
}

static warplu_status allocate(wlu_context *ctx, int64_t n, lines *s)
{
    *s = (lines){WLU_ALLOC(ctx, n, outer_line), WLU_ALLOC(ctx, n, inner_line), WLU_ALLOC(ctx, n, double)};
    int there = s->outer != NULL && s->inner != NULL && s->rows != NULL;
    return there ? WARPLU_SUCCESS : wlu_fail_memory(ctx, "a bound on rounding");
}

static void find_lines(const wlu_bounded_factors *p, int transposed, int largest, const lines *s, double *line)
{
    double variance = variance_of_rounding(p);
    for (int32_t k = 0; k < p->a->n; k++) {
        line[k] = times_power(sqrt(s->outer[k].squares * variance), -(exponent_at(p, !transposed, k) + largest));
        if (!(line[k] >= DBL_MIN)) line[k] = INFINITY;
    }
}

warplu_status wlu_bound_find(wlu_context *ctx, const wlu_bounded_factors *p, int transposed, wlu_bound *bound,
                             double *line)
{
    lines s;
    warplu_status status = allocate(ctx, p->a->n, &s);
    if (status == WARPLU_SUCCESS) {
        int largest = largest_exponent(p, transposed);
        count_rows_of_l(p, s.rows);
        count_terms(p, transposed, &s);
        weigh(p, transposed, largest, &s);
        sum_squares(p, transposed, &s);
        find_lines(p, transposed, largest, &s, line);
        bound->scale = ldexp(1.0, largest > 0 ? largest : 0);
        bound->of_loads = find_loads(p, transposed, &s);
        bound->of_factors = transposed ? largest_of_columns(p, line) : largest_of_rows(p, line);
    }
    wlu_free(ctx, s.outer);
    wlu_free(ctx, s.inner);
    wlu_free(ctx, s.rows);
    return status;
}

double wlu_bound_now(const wlu_bounded_factors *p, int transposed, const double *line, const double *x, double *work)
{
    const wlu_pattern *a = p->a;
    double bound = 0.0;
    memset(work, 0, (size_t)a->n * sizeof *work);
    for (int32_t j = 0; j < a->n; j++)
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) {
            double *largest = &work[transposed ? j : a->i[e]];
            *largest = wlu_larger_bits(*largest, wlu_size_at(x, e, a->doubles));
        }
    for (int32_t k = 0; k < a->n; k++) {
        double largest = work[transposed ? p->col[k] : p->row[k]];
        if (!(largest >= wlu_thresholds_of(0).equation_least && largest <= DBL_MAX)) return INFINITY;
        bound = larger(bound, line[k] / largest);
    }
    return bound;
}
