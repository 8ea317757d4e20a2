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

/* What complex numbers take: a part's sum has two roundings a term, its terms come to the root of two of their moduli,
 * and sizes of l, u and x are up to the root of two below theirs. */
static const double COMPLEX_SHARE = 1.0 / 8.0;

/* n each, by position. */
typedef struct lines {
    double *terms, *loads; /* entries of rows of L and F, the diagonal aside */
    double *rows, *cols;   /* the same of rows and of columns of U */
    double *inner;         /* sums over rows of U */
    double *crossed;       /* the same, each times the entries of its column */
    double *outer;         /* sums over equations */
    double *slack;         /* of equations */
    double *share;         /* of rows of U */
} lines;

static lines lines_in(double *work, int64_t n)
{
    memset(work, 0, (size_t)(7 * n) * sizeof *work);
    return (lines){work,         work + n,     work + 2 * n, work + 3 * n, work + 4 * n,
                   work + 5 * n, work + 6 * n, work + 7 * n, work + 8 * n};
}

/* 1 / C_j, times what the unknown may come to of the largest. */
static double unit_of_unknown(const wlu_bounded_factors *p, const double *reach, int32_t j)
{
    double unit = reach != NULL ? reach[p->col[j]] : 1.0;
    return p->col_exponent != NULL ? ldexp(unit, -p->col_exponent[p->col[j]]) : unit;
}

/* Row i of the factorization and of both substitutions, by pivot k: roundings times what they are of, for l_ik = 1. */
static double rounded(const lines *s, int32_t i, int32_t k)
{
    double factor = fmin(s->terms[i] * s->inner[k], s->crossed[k]);
    return factor + (s->terms[i] + s->loads[i] + s->rows[k] + 10.0) * s->inner[k];
}

static void count_entries(const wlu_bounded_factors *p, lines *s)
{
    for (int32_t j = 0; j < p->a->n; j++) {
        s->cols[j] = (double)(p->up[j + 1] - p->up[j]);
        for (int64_t q = p->up[j]; q < p->up[j + 1]; q++) s->rows[p->ui[q]]++;
        for (int64_t q = p->lp[j]; q < p->lp[j + 1]; q++) s->terms[p->li[q]]++;
        for (int64_t q = p->fp[j]; q < p->fp[j + 1]; q++) s->loads[p->fi[q]]++;
    }
}

static void sum_lines(const wlu_bounded_factors *p, const double *reach, const wlu_magnitudes *m, lines *s)
{
    int32_t n = p->a->n;
    for (int32_t j = 0; j < n; j++) {
        double unit = unit_of_unknown(p, reach, j);
        s->inner[j] += m->pivot[j] * unit;
        s->crossed[j] += m->pivot[j] * unit * s->cols[j];
        for (int64_t q = p->up[j]; q < p->up[j + 1]; q++) {
            s->inner[p->ui[q]] += m->u[q] * unit;
            s->crossed[p->ui[q]] += m->u[q] * unit * s->cols[j];
        }
    }
    for (int32_t k = 0; k < n; k++) s->crossed[k] = fmax(s->crossed[k], LEAST_CROSSED * s->inner[k]);
    for (int32_t k = 0; k < n; k++) {
        s->outer[k] += rounded(s, k, k);
        for (int64_t q = p->lp[k]; q < p->lp[k + 1]; q++) s->outer[p->li[q]] += m->l[q] * rounded(s, p->li[q], k);
    }
}

/* Whether there is enough. */
static int find_slack(const wlu_bounded_factors *p, double shrunk, lines *s)
{
    const wlu_thresholds t = wlu_thresholds_of(0);
    double share = p->a->doubles == 1 ? t.factors_share : t.factors_share * COMPLEX_SHARE;
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
static double part_of_u(const lines *s, int32_t k, int32_t j)
{
    double sum = s->cols[j] > 0.0 ? fmin(s->inner[k], s->crossed[k] / s->cols[j]) : s->inner[k];
    return PART * sum / (s->rows[k] + 1.0);
}

static void limit_entries(const wlu_bounded_factors *p, const double *reach, const lines *s, const wlu_magnitudes *m)
{
    for (int32_t j = 0; j < p->a->n; j++) {
        double unit = unit_of_unknown(p, reach, j);
        m->pivot[j] = s->share[j] * fmax(m->pivot[j], part_of_u(s, j, j) / unit);
        for (int64_t q = p->up[j]; q < p->up[j + 1]; q++) {
            int32_t k = p->ui[q];
            m->u[q] = s->share[k] * fmax(m->u[q], part_of_u(s, k, j) / unit);
        }
        for (int64_t q = p->lp[j]; q < p->lp[j + 1]; q++) {
            int32_t i = p->li[q];
            double part = PART * s->outer[i] / ((s->terms[i] + 1.0) * rounded(s, i, j));
            m->l[q] = s->slack[i] / ((1.0 + PART) * (1.0 + PART) * s->share[j]) * fmax(m->l[q], part);
        }
    }
}

int wlu_limits_find(const wlu_bounded_factors *p, double shrunk, const double *reach, const wlu_magnitudes *m,
                    double *work)
{
    lines s = lines_in(work, p->a->n);
    count_entries(p, &s);
    sum_lines(p, reach, m, &s);
    if (!find_slack(p, shrunk, &s)) return 0;
    share_slack(p, &s);
    limit_entries(p, reach, &s, m);
    return 1;
}

double wlu_equations_shrunk(const wlu_bounded_factors *p, const double *x, double *work)
{
    double *line = work + p->a->n;
    for (int32_t k = 0; k < p->a->n; k++) line[k] = 1.0 / p->row_unit[k];
    return wlu_bound_now(p, 0, line, x, work);
}
