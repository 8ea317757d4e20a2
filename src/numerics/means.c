/* Looks at rows by the means of their entries. See means.h. Comparisons are written so that a NaN fails them. */
#include "numerics/means.h"

#include "base/power.h"
#include "numerics/thresholds.h"

#include <float.h>
#include <math.h>

double wlu_means_loads_allowed(int single)
{
    const wlu_thresholds t = wlu_thresholds_of(single);
    return t.loads_share * (t.accurate / t.rounding);
}

static double at_least_one(double l)
{
    return l <= 1.0 ? 1.0 : l;
}

/* The line times the mean over max|a_i.| that equations may come to, by the largest number of the inner factor. */
static double factors_allowed(const wlu_health *h, int transposed)
{
    const wlu_thresholds t = wlu_thresholds_of(h->single);
    return t.factors_share * (t.accurate / t.rounding) / (transposed ? at_least_one(h->largest_l) : h->largest_u);
}

double wlu_means_open_key(const wlu_health *h, int transposed)
{
    double allowed = factors_allowed(h, transposed);
    return transposed ? allowed * h->growth : allowed / (at_least_one(h->largest_l) * h->drift);
}

/* What a look goes by that is the same for all rows. */
typedef struct standard {
    const wlu_means *m;
    const wlu_pattern *a;
    const wlu_mean_look *look;
    double allowed;        /* factors_allowed */
    double loads, largest; /* wlu_means_loads_allowed; the largest number of the outer factor but for the diagonal */
} standard;

static double diagonal_of(const standard *s, const wlu_mean_row *row)
{
    return row->pivot >= 0 ? wlu_size_at(s->look->pivot, row->pivot, s->a->doubles) : 1.0;
}

/* The largest number of a row of the outer factor. */
static double grown_of(const standard *s, const wlu_mean_row *row)
{
    const wlu_weighed_numbers *f = &row->factor;
    const double *outer = s->look->outer;
    double largest = diagonal_of(s, row);
    for (int64_t q = 0; q < WLU_MEAN_WINDOW * f->windows; q++) {
        int64_t at = f->window[q / WLU_MEAN_WINDOW] + q % WLU_MEAN_WINDOW;
        if (f->window_weight[q] != 0) largest = wlu_larger_bits(largest, wlu_size_at(outer, at, s->a->doubles));
    }
    for (int64_t q = 0; q < WLU_MEAN_WINDOW * f->groups; q++)
        largest = wlu_larger_bits(largest, wlu_size_at(outer, f->single[q], s->a->doubles));
    return largest;
}

/* A magnitude of row r's equation that is no larger than its largest; 0 where it is none that proves anything. */
static double magnitude_of(const standard *s, int32_t r)
{
    const wlu_mean_line *line = &s->m->line[r];
    const wlu_mean_row *row = &s->m->row[r];
    const wlu_mean_look *look = s->look;
    if (look->largest == NULL && look->values != NULL)
        return wlu_bound_largest_now(s->a, look->values, look->gathered, line->largest);
    double magnitude = look->largest != NULL ? look->largest[line->row]
                       : row->pivot < 0      ? 1.0 / (row->unit * look->health->drift)
                                             : look->health->growth * grown_of(s, row) / row->unit;
    return magnitude >= wlu_thresholds_of(0).equation_least && magnitude <= DBL_MAX ? magnitude : 0.0;
}

static int loads_hold(const standard *s, int32_t r, double magnitude)
{
    const wlu_mean_loads *loads = &s->m->loads[r];
    if (r >= s->m->loads_count) return 1;
    return loads->sums * s->m->sum(s->look->f, &loads->f) <=
           (s->loads - loads->others) * (magnitude * s->m->row[r].unit);
}

/* The largest that a weighted mean of the row may be. */
static double largest_mean(const standard *s, const wlu_mean_line *line)
{
    if (s->m->transposed) return s->largest;
    double apart = line->own + s->largest, all = at_least_one(s->largest);
    return apart <= all ? apart : all;
}

/* By the largest number first: the row's magnitude of now may be enough. */
static int factors_hold(const standard *s, int32_t r, double magnitude)
{
    const wlu_mean_line *line = &s->m->line[r];
    const wlu_mean_row *row = &s->m->row[r];
    double allowed = s->allowed * magnitude;
    if (line->line * largest_mean(s, line) <= allowed) return 1;
    return line->line * (s->m->sum(s->look->outer, &row->factor) + line->own * diagonal_of(s, row)) <= allowed;
}

static int row_holds(const standard *s, int32_t r, int loads_alone)
{
    double magnitude = magnitude_of(s, r);
    if (!(magnitude > 0.0)) return 0;
    return loads_hold(s, r, magnitude) && (loads_alone || factors_hold(s, r, magnitude));
}

/* How many rows are open: those with longer keys, and those that F leaves open. */
static int32_t count_open(const wlu_means *m, double open)
{
    int32_t first = m->loads_count, end = m->count;
    while (first < end) {
        int32_t middle = first + (end - first) / 2;
        if (m->line[middle].key <= open)
            end = middle;
        else
            first = middle + 1;
    }
    return first;
}

int wlu_means_hold(wlu_means *m, const wlu_pattern *a, const wlu_mean_look *look, int loads_alone)
{
    const double open = loads_alone ? INFINITY : wlu_means_open_key(look->health, m->transposed);
    const standard s = {.m = m,
                        .a = a,
                        .look = look,
                        .allowed = factors_allowed(look->health, m->transposed),
                        .loads = wlu_means_loads_allowed(look->health->single),
                        .largest = m->transposed ? look->health->largest_u : look->health->largest_l};
    if (!(m->reach <= open)) return 0;
    const int32_t rows = count_open(m, open);
    if (m->failed < rows && !row_holds(&s, m->failed, loads_alone)) return 0;
    for (int32_t r = 0; r < rows; r++) {
        if (row_holds(&s, r, loads_alone)) continue;
        m->failed = r;
        return 0;
    }
    return 1;
}
