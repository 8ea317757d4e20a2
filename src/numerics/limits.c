/* Limits of the entries of factors. See limits.h.
 *
 * Equation i has slack s_i: by so much may its sum grow. Row k of U takes the root of the least slack of the equations
 * that it is in, entries of L what is left. Comparisons are written so that a NaN fails them. */
#include "numerics/limits.h"

#include "numerics/thresholds.h"

#include <math.h>
#include <string.h>

/* An entry may stand in for this part of its line's sum, over the number of the line's entries, if it is smaller. */
static const double PART = 0.25;
/* Less slack than this lets no entry grow. */
static const double LEAST_SLACK = 2.0;
/* A crossed sum counts for this part of the plain one at least, so that entries in its longer columns may grow. */
static const double LEAST_CROSSED = 0x1p-10;

/* Of complex numbers sizes of x, which limits go by where they reach for like solutions, are up to the root of two
 * below moduli. */
static const double COMPLEX_REACH = 0.7;

/* n each, by position. */
typedef struct lines {
    double *terms, *rows;  /* entries of rows of L and of U, the diagonal aside */
    wlu_inner_line *inner; /* sums over rows of U */
    double *outer;         /* sums over equations */
    double *slack;         /* of equations */
    double *share;         /* of rows of U */
} lines;

static lines lines_in(double *work, int64_t n)
{
    memset(work, 0, (size_t)(5 * n) * sizeof *work);
    return (lines){work, work + n, (wlu_inner_line *)(work + 2 * n), work + 4 * n, work + 5 * n, work + 6 * n};
}

/* 1 / C_j, times what the unknown may come to of the largest. */
static double unit_of_unknown(const wlu_bounded_factors *p, const double *reach, int32_t j)
{
    double unit = reach != NULL ? reach[p->col[j]] : 1.0;
    return p->col_exponent != NULL ? ldexp(unit, -p->col_exponent[p->col[j]]) : unit;
}

static void count_entries(const wlu_bounded_factors *p, lines *s)
{
    for (int32_t j = 0; j < p->a->n; j++) {
        for (int64_t q = p->up[j]; q < p->up[j + 1]; q++) s->rows[p->ui[q]]++;
        for (int64_t q = p->lp[j]; q < p->lp[j + 1]; q++) s->terms[p->li[q]]++;
    }
}

static void add_unknown(wlu_inner_line *line, double term, double crossing)
{
    line->weight += term;
    line->crossed += term * crossing;
}

static void sum_lines(const wlu_bounded_factors *p, const wlu_rounds *rounds, const double *reach,
                      const wlu_magnitudes *m, lines *s)
{
    int32_t n = p->a->n;
    for (int32_t j = 0; j < n; j++) {
        double unit = unit_of_unknown(p, reach, j), crossing = rounds->crossing[j];
        add_unknown(&s->inner[j], m->pivot[j] * unit, crossing);
        for (int64_t q = p->up[j]; q < p->up[j + 1]; q++) add_unknown(&s->inner[p->ui[q]], m->u[q] * unit, crossing);
    }
    for (int32_t k = 0; k < n; k++) s->inner[k].crossed = fmax(s->inner[k].crossed, LEAST_CROSSED * s->inner[k].weight);
    for (int32_t k = 0; k < n; k++) {
        s->outer[k] += wlu_rounded(rounds, k, k, s->inner[k]);
        for (int64_t q = p->lp[k]; q < p->lp[k + 1]; q++)
            s->outer[p->li[q]] += m->l[q] * wlu_rounded(rounds, p->li[q], k, s->inner[k]);
    }
}

/* Whether there is enough. */
static int find_slack(const wlu_bounded_factors *p, double shrunk, double factors_share, lines *s)
{
    const wlu_thresholds t = wlu_thresholds_of(0);
    double share = factors_share / wlu_rounded_parts(p->a->doubles) * (p->a->doubles == 1 ? 1.0 : COMPLEX_REACH);
    double allowed = t.accurate * share / t.rounding;
    int enough = 1;
    for (int32_t k = 0; k < p->a->n; k++) {
        double equation = 1.0 / (p->row_unit[k] * shrunk), sum = ldexp(s->outer[k], -p->exponent[p->row[k]]);
        s->slack[k] = allowed * equation / sum;
        enough &= s->slack[k] >= LEAST_SLACK;
    }
    return enough;
}

static void share_slack(const wlu_bounded_factors *p, lines *s)
{
    for (int32_t k = 0; k < p->a->n; k++) {
        double least = s->slack[k];
        for (int64_t q = p->lp[k]; q < p->lp[k + 1]; q++) least = fmin(least, s->slack[p->li[q]]);
        s->share[k] = sqrt(least) / (1.0 + PART);
    }
}

/* What an entry of row k of U in column j may come to if it is smaller: of the row's sum and of the crossed one. */
static double part_of_u(const lines *s, const wlu_rounds *rounds, int32_t k, int32_t j)
{
    const wlu_inner_line *inner = &s->inner[k];
    double crossing = rounds->crossing[j];
    double sum = crossing > 0.0 ? fmin(inner->weight, inner->crossed / crossing) : inner->weight;
    return PART * sum / (s->rows[k] + 1.0);
}

static void limit_entries(const wlu_bounded_factors *p, const wlu_rounds *rounds, const double *reach, const lines *s,
                          const wlu_magnitudes *m)
{
    for (int32_t j = 0; j < p->a->n; j++) {
        double unit = unit_of_unknown(p, reach, j);
        m->pivot[j] = s->share[j] * fmax(m->pivot[j], part_of_u(s, rounds, j, j) / unit);
        for (int64_t q = p->up[j]; q < p->up[j + 1]; q++) {
            int32_t k = p->ui[q];
            m->u[q] = s->share[k] * fmax(m->u[q], part_of_u(s, rounds, k, j) / unit);
        }
        for (int64_t q = p->lp[j]; q < p->lp[j + 1]; q++) {
            int32_t i = p->li[q];
            double part = PART * s->outer[i] / ((s->terms[i] + 1.0) * wlu_rounded(rounds, i, j, s->inner[j]));
            m->l[q] = s->slack[i] / ((1.0 + PART) * (1.0 + PART) * s->share[j]) * fmax(m->l[q], part);
        }
    }
}

int wlu_limits_find(const wlu_bounded_factors *p, const wlu_rounds *rounds, double shrunk, double factors_share,
                    const double *reach, const wlu_magnitudes *m, double *work)
{
    lines s = lines_in(work, p->a->n);
    count_entries(p, &s);
    sum_lines(p, rounds, reach, m, &s);
    if (!find_slack(p, shrunk, factors_share, &s)) return 0;
    share_slack(p, &s);
    limit_entries(p, rounds, reach, &s, m);
    return 1;
}

double wlu_equations_shrunk(const wlu_bounded_factors *p, const double *x, double *work)
{
    double *line = work + 2 * (int64_t)p->a->n;
    for (int32_t k = 0; k < p->a->n; k++) line[k] = 1.0 / p->row_unit[k];
    return wlu_bound_now(p, 0, line, x, work);
}
