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

static double diagonal_of(const wlu_pattern *a, const wlu_mean_look *look, const wlu_mean_row *row)
{
    return row->pivot >= 0 ? wlu_size_at(look->pivot, row->pivot, a->doubles) : 1.0;
}

static double sum_of(const wlu_means *m, const wlu_pattern *a, const wlu_mean_look *look, const wlu_mean_row *row)
{
    return m->sum(look->outer, &row->factor) + row->own * diagonal_of(a, look, row);
}

/* The largest number of a row of the outer factor. */
static double grown_of(const wlu_pattern *a, const wlu_mean_look *look, const wlu_mean_row *row)
{
    const wlu_weighed_numbers *f = &row->factor;
    double largest = diagonal_of(a, look, row);
    for (int64_t q = 0; q < WLU_MEAN_WINDOW * f->windows; q++) {
        int64_t at = f->window[q / WLU_MEAN_WINDOW] + q % WLU_MEAN_WINDOW;
        if (f->window_weight[q] != 0) largest = wlu_larger_bits(largest, wlu_size_at(look->outer, at, a->doubles));
    }
    for (int64_t q = 0; q < WLU_MEAN_WINDOW * f->groups; q++)
        largest = wlu_larger_bits(largest, wlu_size_at(look->outer, f->single[q], a->doubles));
    return largest;
}

/* A magnitude of the row's equation that is no larger than its largest. */
static double magnitude_of(const wlu_pattern *a, const wlu_mean_look *look, const wlu_mean_row *row)
{
    if (look->largest != NULL) return look->largest[row->row];
    if (look->values != NULL) return wlu_bound_largest_now(a, look->values, look->gathered, row->largest);
    if (row->pivot < 0) return 1.0 / (row->unit * look->health->drift);
    return look->health->growth * grown_of(a, look, row) / row->unit;
}

static int loads_hold(const wlu_means *m, const wlu_mean_look *look, const wlu_mean_row *row, double magnitude)
{
    if (row->key < INFINITY) return 1;
    double allowed = wlu_means_loads_allowed(look->health->single) - row->others;
    return row->sums * m->sum(look->f, &row->loads) <= allowed * (magnitude * row->unit);
}

/* Of A by the largest l first: the row's magnitude of now may be enough. */
static int factors_hold(const wlu_means *m, const wlu_pattern *a, const wlu_mean_look *look, const wlu_mean_row *row,
                        double magnitude)
{
    double allowed = factors_allowed(look->health, m->transposed) * magnitude;
    if (!m->transposed && row->line * at_least_one(look->health->largest_l) <= allowed) return 1;
    return row->line * sum_of(m, a, look, row) <= allowed;
}

static int row_holds(const wlu_means *m, const wlu_pattern *a, const wlu_mean_look *look, const wlu_mean_row *row,
                     int loads_alone)
{
    double magnitude = magnitude_of(a, look, row);
    if (!(magnitude >= wlu_thresholds_of(0).equation_least && magnitude <= DBL_MAX)) return 0;
    return loads_hold(m, look, row, magnitude) && (loads_alone || factors_hold(m, a, look, row, magnitude));
}

int wlu_means_hold(wlu_means *m, const wlu_pattern *a, const wlu_mean_look *look, int loads_alone)
{
    const double open = loads_alone ? INFINITY : wlu_means_open_key(look->health, m->transposed);
    if (!(m->reach <= open)) return 0;
    if (m->failed < m->count && m->row[m->failed].key > open && !row_holds(m, a, look, &m->row[m->failed], loads_alone))
        return 0;
    for (const wlu_mean_row *row = m->row; row < m->row + m->count; row++) {
        if (row->key <= open && row->key < INFINITY) return 1;
        if (row_holds(m, a, look, row, loads_alone)) continue;
        m->failed = (int32_t)(row - m->row);
        return 0;
    }
    return 1;
}
