/* Looks at rows by the means of their entries. See means.h. Comparisons are written so that a NaN fails them. */
#include "numerics/means.h"

#include "base/power.h"
#include "numerics/thresholds.h"

#include <float.h>
#include <math.h>

static double at_least_one(double l)
{
    return l <= 1.0 ? 1.0 : l;
}

/* The line times the mean over max|a_i.| that equations may come to, by the largest number of the inner factor. */
static double factors_allowed(const wlu_health *h, int transposed, double share)
{
    const wlu_thresholds t = wlu_thresholds_of(h->single);
    return share * (t.accurate / t.rounding) / (transposed ? at_least_one(h->largest_l) : h->largest_u);
}

double wlu_means_open_key(const wlu_health *h, int transposed, double factors_share)
{
    double allowed = factors_allowed(h, transposed, factors_share);
    return transposed ? allowed * h->growth : allowed / (at_least_one(h->largest_l) * h->drift);
}

/* What a look goes by that is the same for all rows. */
typedef struct standard {
    wlu_means *m;
    const wlu_pattern *a;
    const wlu_mean_look *look;
    double loads; /* what they may come to, in unit roundoffs */
    wlu_mean_test test;
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
    const wlu_mean_row *row = &s->m->row[r];
    const wlu_mean_look *look = s->look;
    if (look->largest == NULL && look->values != NULL)
        return wlu_bound_largest_now(s->a, look->values, look->gathered, s->m->lines.largest[r]);
    double magnitude = look->largest != NULL ? look->largest[row->position]
                       : row->pivot < 0      ? 1.0 / (row->unit * look->health->drift)
                                             : look->health->growth * grown_of(s, row) / row->unit;
    return magnitude >= wlu_thresholds_of(0).equation_least && magnitude <= DBL_MAX ? magnitude : 0.0;
}

static int loads_hold(const standard *s, int32_t r, double magnitude)
{
    if (r >= s->m->loads_count) return 1;
    const wlu_mean_loads *loads = &s->m->loads[r];
    return loads->sums * s->m->sum(s->look->f, &loads->f) <=
           (s->loads - loads->others) * (magnitude * s->m->row[r].unit);
}

/* allowed: what the line times the mean may come to. */
static int factors_hold(const standard *s, int32_t r, double allowed)
{
    const wlu_mean_row *row = &s->m->row[r];
    double sum = s->m->sum(s->look->outer, &row->factor) + s->m->lines.own[r] * diagonal_of(s, row);
    return s->m->lines.line[r] * sum < allowed; /* not where both are infinite */
}

static int row_holds(const standard *s, int32_t r, int loads_alone)
{
    double magnitude = magnitude_of(s, r);
    if (!(magnitude > 0.0)) return 0;
    return loads_hold(s, r, magnitude) && (loads_alone || factors_hold(s, r, s->test.allowed * magnitude));
}

/* How many rows are open: those with longer keys, and those that F leaves open. */
static int32_t count_open(const wlu_means *m, double open)
{
    int32_t first = m->loads_count, end = m->count;
    while (first < end) {
        int32_t middle = first + (end - first) / 2;
        if (m->key[middle] <= open)
            end = middle;
        else
            first = middle + 1;
    }
    return first;
}

/* Of means of A the diagonal is 1: the largest l stands for it where that is more. */
static wlu_mean_test test_of(const wlu_health *h, int transposed, double share)
{
    return (wlu_mean_test){.share = transposed || !(h->largest_l < 1.0) ? 0.0 : 1.0,
                           .largest = transposed ? h->largest_u : h->largest_l,
                           .allowed = factors_allowed(h, transposed, share),
                           .least = wlu_thresholds_of(0).equation_least};
}

/* Whether row r holds; if not it is the first to be looked at the next time. */
static int note(wlu_means *m, int32_t r, int holds)
{
    if (!holds) m->failed = r;
    return holds;
}

/* Rows from first to open - 1, in as far as their magnitudes of now do not settle them. Some at a time: it is the
 * first ones that fail, if any. */
static int others_hold(const standard *s, int32_t first, int32_t open)
{
    wlu_means *m = s->m;
    const wlu_mean_look *look = s->look;
    const int32_t *entry = look->gathered ? m->lines.largest : m->lines.source;
    int listed = look->largest == NULL && look->values != NULL && entry != NULL;
    wlu_left_rows left;
    for (int32_t r = first; r < open && !listed; r++)
        if (!note(m, r, row_holds(s, r, 0))) return 0;
    for (int32_t end; first < open && listed; first = end) {
        end = open - first < WLU_LEFT_ROWS ? open : first + WLU_LEFT_ROWS;
        int32_t count = m->list_left(&m->lines, first, end, look->values, entry, &s->test, &left);
        for (int32_t k = 0; k < count; k++)
            if (!note(m, left.row[k], factors_hold(s, left.row[k], left.allowed[k]))) return 0;
    }
    return 1;
}

int wlu_means_hold(wlu_means *m, const wlu_pattern *a, const wlu_mean_look *look, int loads_alone)
{
    const wlu_thresholds t = wlu_thresholds_of(look->health->single);
    const double open = loads_alone ? INFINITY : wlu_means_open_key(look->health, m->transposed, m->share);
    const standard s = {.m = m,
                        .a = a,
                        .look = look,
                        .loads = t.loads_share * (t.accurate / t.rounding),
                        .test = test_of(look->health, m->transposed, m->share)};
    if (!(m->reach <= open)) return 0;
    const int32_t rows = count_open(m, open);
    if (m->failed < rows && !row_holds(&s, m->failed, loads_alone)) return 0;
    for (int32_t r = 0; r < m->loads_count; r++)
        if (!note(m, r, row_holds(&s, r, loads_alone))) return 0;
    return others_hold(&s, m->loads_count, rows);
}
