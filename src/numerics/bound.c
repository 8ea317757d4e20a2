/* Bounds on rounding from the patterns of factors. See bound.h.
 *
 * Lines are rows for A and columns for A'; the outer factor is L for A and U for A'. Scales are taken relative to the
 * largest, so that their inverses are at least 1: what overflows makes a bound infinite or no number, and no
 * verdict passes that. */
#include "numerics/bound.h"

#include "base/power.h"
#include "numerics/thresholds.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* What stands for numbers where a bound is of patterns alone. */
static const wlu_bounded_numbers PATTERNS = {NULL, NULL, NULL};

int wlu_bound_largest_exponent(const wlu_bounded_factors *p, int rows)
{
    int largest = wlu_bound_exponent(p, rows, 0);
    for (int32_t k = 1; k < p->a->n; k++)
        if (wlu_bound_exponent(p, rows, k) > largest) largest = wlu_bound_exponent(p, rows, k);
    return largest;
}

/* x 2^e. */
static double times_power(double x, int e)
{
    return e >= -1022 && e <= 1023 ? x * wlu_power_of_two(e) : ldexp(x, e);
}

/* 2^d. */
static double inverse_of_scale(int d)
{
    return d <= 1023 ? wlu_power_of_two(d) : INFINITY;
}

/* One more unknown of an inner line: its inverse scale, and the roundings of its crossing line. */
static inline void weigh_one(wlu_inner_line *line, double own, double crossing)
{
    line->weight += own;
    line->crossed += own * crossing;
}

/* The size of a number, or 1 where only patterns count. */
static inline double size_or_one(const double *numbers, int64_t q, int doubles)
{
    return numbers != NULL ? wlu_size_at(numbers, q, doubles) : 1.0;
}

/* Sums over the inner factor's lines: rows of U for A, columns of L, whose diagonal is 1, for A'. */
static void weigh(const wlu_bounded_factors *p, const wlu_rounds *rounds, int transposed, int largest,
                  const wlu_bounded_numbers *numbers, wlu_inner_line *inner)
{
    const int doubles = p->a->doubles;
    memset(inner, 0, (size_t)p->a->n * sizeof *inner);
    for (int32_t j = 0; j < p->a->n; j++) {
        const double own = inverse_of_scale(largest - wlu_bound_exponent(p, transposed, j));
        const double crossing = rounds->crossing[j];
        weigh_one(&inner[j], transposed ? own : own * size_or_one(numbers->pivot, j, doubles), crossing);
        for (int64_t q = p->up[j]; !transposed && q < p->up[j + 1]; q++)
            weigh_one(&inner[p->ui[q]], own * size_or_one(numbers->u, q, doubles), crossing);
        for (int64_t q = p->lp[j]; transposed && q < p->lp[j + 1]; q++) {
            const int32_t i = p->li[q];
            const double scale = inverse_of_scale(largest - wlu_bound_exponent(p, 1, i));
            weigh_one(&inner[j], scale * size_or_one(numbers->l, q, doubles), rounds->crossing[i]);
        }
    }
}

void wlu_bound_weigh(const wlu_bounded_factors *p, const wlu_rounds *rounds, int transposed, int largest,
                     wlu_inner_line *inner)
{
    weigh(p, rounds, transposed, largest, &PATTERNS, inner);
}

/* Sums over the outer factor's lines: rows of L for A, columns of U for A'. */
static void sum_lines(const wlu_bounded_factors *p, const wlu_rounds *rounds, int transposed,
                      const wlu_bounded_numbers *numbers, const wlu_inner_line *inner, double *line)
{
    const int doubles = p->a->doubles;
    for (int32_t k = 0; k < p->a->n; k++)
        line[k] = (transposed ? size_or_one(numbers->pivot, k, doubles) : 1.0) * wlu_rounded(rounds, k, k, inner[k]);
    for (int32_t j = 0; j < p->a->n; j++) {
        for (int64_t q = p->up[j]; transposed && q < p->up[j + 1]; q++)
            line[j] += size_or_one(numbers->u, q, doubles) * wlu_rounded(rounds, j, p->ui[q], inner[p->ui[q]]);
        for (int64_t q = p->lp[j]; !transposed && q < p->lp[j + 1]; q++)
            line[p->li[q]] += size_or_one(numbers->l, q, doubles) * wlu_rounded(rounds, p->li[q], j, inner[j]);
    }
}

/* In the caller's scales. */
static void scale_lines(const wlu_bounded_factors *p, int transposed, int largest, double *line)
{
    double parts = wlu_rounded_parts(p->a->doubles);
    for (int32_t k = 0; k < p->a->n; k++) {
        line[k] = times_power(line[k] * parts, -(wlu_bound_exponent(p, !transposed, k) + largest));
        if (!(line[k] >= DBL_MIN)) line[k] = INFINITY;
    }
}

double wlu_bound_larger(double largest, double x)
{
    return !(x <= largest) && !isnan(largest) ? x : largest;
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

/* The largest scaled magnitude of a column of A is u's over growth, wherever in the column it stands. */
void wlu_bound_units(const wlu_bounded_factors *p, int transposed, double *unit)
{
    for (int32_t k = 0; k < p->a->n && !transposed; k++) unit[k] = p->row_unit[k];
    for (int32_t b = 0; b < p->nblocks && transposed; b++)
        for (int32_t j = p->block[b]; j < p->block[b + 1]; j++)
            unit[j] = times_power(1.0, column_exponent(p, j, p->block[b]) + wlu_bound_exponent(p, 0, j));
}

static double largest_of(int32_t n, const double *line, const double *unit)
{
    double bound = 0.0;
    for (int32_t k = 0; k < n; k++) bound = wlu_bound_larger(bound, line[k] * unit[k]);
    return bound;
}

/* Entries that are loaded are rounded where slots are FP32; those of F go into sums as they are. */
static double find_loads(const wlu_bounded_factors *p, const wlu_rounds *rounds)
{
    double bound = 0.0;
    for (int32_t k = 0; k < p->a->n; k++)
        bound = wlu_bound_larger(bound, rounds->loads[k] * (rounds->first[k] + 1.0) + rounds->entries[k] + 1.0);
    return bound * wlu_rounded_parts(p->a->doubles);
}

warplu_status wlu_bound_find(wlu_context *ctx, const wlu_bounded_factors *p, const wlu_rounds *rounds, int transposed,
                             wlu_bound *bound, double *line)
{
    const int32_t n = p->a->n;
    double *room = WLU_ALLOC(ctx, 3 * (int64_t)n, double), *unit = room;
    if (room == NULL) return wlu_fail_memory(ctx, "a bound on rounding");
    wlu_inner_line *inner = (wlu_inner_line *)(room + n);
    int largest = wlu_bound_largest_exponent(p, transposed);
    wlu_bound_weigh(p, rounds, transposed, largest, inner);
    sum_lines(p, rounds, transposed, &PATTERNS, inner, line);
    scale_lines(p, transposed, largest, line);
    bound->scale = ldexp(1.0, largest > 0 ? largest : 0);
    bound->of_loads = find_loads(p, rounds);
    wlu_bound_units(p, transposed, unit);
    bound->of_factors = largest_of(n, line, unit);
    wlu_free(ctx, room);
    return WARPLU_SUCCESS;
}

int wlu_bound_magnitudes(const wlu_bounded_factors *p, int transposed, const double *x, double *work, double *largest)
{
    const wlu_pattern *a = p->a;
    int usual = 1;
    memset(work, 0, (size_t)a->n * sizeof *work);
    for (int32_t j = 0; j < a->n; j++)
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) {
            double *most = &work[transposed ? j : a->i[e]];
            *most = wlu_larger_bits(*most, wlu_size_at(x, e, a->doubles));
        }
    for (int32_t k = 0; k < a->n; k++) {
        largest[k] = work[transposed ? p->col[k] : p->row[k]];
        usual &= largest[k] >= wlu_thresholds_of(0).equation_least && largest[k] <= DBL_MAX;
    }
    return usual;
}

double wlu_bound_now(const wlu_bounded_factors *p, int transposed, const double *line, const double *x, double *work)
{
    const int32_t n = p->a->n;
    double bound = 0.0, *largest = work + n;
    if (!wlu_bound_magnitudes(p, transposed, x, work, largest)) return INFINITY;
    for (int32_t k = 0; k < n; k++) bound = wlu_bound_larger(bound, line[k] / largest[k]);
    return bound;
}

static double largest_of_line(const wlu_bounded_factors *p, int transposed, const double *values, int gathered,
                              int32_t k)
{
    return wlu_bound_largest_now(p->a, values, gathered, (transposed ? p->col_largest : p->row_largest)[k]);
}

double wlu_bound_by_largest(const wlu_bounded_factors *p, int transposed, const double *line, const double *values,
                            int gathered)
{
    double bound = 0.0;
    for (int32_t k = 0; k < p->a->n; k++)
        bound = wlu_bound_larger(bound, line[k] / largest_of_line(p, transposed, values, gathered, k));
    return bound;
}

/* ------------------------------------------------------------ by columns */

double wlu_bound_by_columns(const wlu_bounded_factors *p, const wlu_rounds *rounds, int transposed,
                            const wlu_bounded_numbers *numbers, const double *entries, double *work)
{
    const int32_t n = p->a->n;
    const int largest = wlu_bound_largest_exponent(p, transposed);
    wlu_inner_line *inner = (wlu_inner_line *)(work + n);
    double bound = 0.0;
    weigh(p, rounds, transposed, largest, numbers, inner);
    sum_lines(p, rounds, transposed, numbers, inner, work);
    scale_lines(p, transposed, largest, work);
    double *now = work + 2 * (int64_t)n;
    if (!wlu_bound_magnitudes(p, transposed, entries, work + n, now)) return INFINITY;
    for (int32_t k = 0; k < n; k++) bound = wlu_bound_larger(bound, work[k] / now[k]);
    return bound;
}

double wlu_bound_loads_by_columns(const wlu_bounded_factors *p, const wlu_rounds *rounds, int transposed,
                                  const double *f, const double *entries, double *work)
{
    const int32_t n = p->a->n;
    double bound = 0.0;
    memset(work, 0, (size_t)n * sizeof *work);
    for (int32_t j = 0; j < n; j++)
        for (int64_t q = p->fp[j]; q < p->fp[j + 1]; q++) {
            int exponent = wlu_bound_exponent(p, 1, p->fi[q]) + wlu_bound_exponent(p, 0, j);
            work[transposed ? j : p->fi[q]] += times_power(wlu_size_at(f, q, p->a->doubles), -exponent);
        }
    for (int32_t k = 0; k < n; k++) {
        double sum = work[k] > 0.0 ? work[k] / largest_of_line(p, transposed, entries, 1, k) : work[k];
        bound = wlu_bound_larger(bound, sum * (rounds->first[k] + 1.0) + rounds->entries[k] + 1.0);
    }
    return bound * wlu_rounded_parts(p->a->doubles);
}
