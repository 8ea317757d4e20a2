/* Rows by the means of their entries. See means.h. Comparisons are written so that a NaN fails them. */
#include "numerics/means.h"

#include "base/power.h"
#include "numerics/thresholds.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* The least double whose upper 16 bits are the weight is no less than x. */
static uint16_t upper_of(double x)
{
    return (uint16_t)((wlu_bits_of_double(x) >> 48) + 1);
}

/* What rows are made from. */
typedef struct maker {
    const wlu_bounded_factors *p;
    const wlu_rounds *rounds;
    int transposed;
    const double *line;
    const wlu_mean_places *places;
    wlu_inner_line *inner; /* n, in this scale: an exponent */
    int scale;
    double *unit;    /* n */
    double *entries; /* n: of rows of A, rounded parts and all */
    double *loads;   /* n: of rows of F */
    int64_t *l, *f;  /* n: entries of each row; then where its next one goes */
    int32_t *number; /* n: the row's, or -1 */
} maker;

static double loads_allowed(int single)
{
    const wlu_thresholds t = wlu_thresholds_of(single);
    return t.loads_share * (t.accurate / t.rounding);
}

static void count_lines(const maker *m)
{
    const wlu_bounded_factors *p = m->p;
    const int32_t n = p->a->n;
    const double parts = wlu_rounded_parts(p->a->doubles);
    wlu_bound_count_entries(p, m->transposed, m->entries, m->loads);
    for (int32_t k = 0; k < n; k++) {
        m->f[k] = (int64_t)m->loads[k];
        m->l[k] = m->transposed ? p->up[k + 1] - p->up[k] : 0;
        m->entries[k] = parts * (m->entries[k] + 1.0);
        m->loads[k] *= parts * (m->rounds->first[k] + 1.0);
    }
    for (int64_t q = 0; q < p->lp[n] && !m->transposed; q++) m->l[p->li[q]]++;
}

static int compare_keys(const void *a, const void *b)
{
    const wlu_mean_row *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? 1 : -1;
    return (x->row > y->row) - (x->row < y->row);
}

static int32_t place_of(const int32_t *slot, int64_t q)
{
    return slot != NULL ? slot[q] : (int32_t)q;
}

/* Rows that may be open; returns how many. rows: NULL to count them. */
static int32_t list_rows(const maker *m, double reach, wlu_mean_row *rows)
{
    const wlu_bounded_factors *p = m->p;
    int32_t count = 0;
    for (int32_t k = 0; k < p->a->n; k++) {
        double key = m->line[k] * m->unit[k];
        if (!(m->loads[k] + m->entries[k] <= loads_allowed(0))) key = INFINITY;
        if (key <= reach) continue;
        if (rows != NULL)
            rows[count] = (wlu_mean_row){.key = key,
                                         .line = m->line[k],
                                         .sums = wlu_rounded_parts(p->a->doubles) * (m->rounds->first[k] + 1.0),
                                         .unit = m->unit[k],
                                         .others = m->entries[k],
                                         .row = k,
                                         .largest = m->transposed ? p->col_largest[k] : p->row_largest[k],
                                         .pivot = m->transposed ? place_of(m->places->pivot, k) : -1};
        count++;
    }
    return count;
}

/* Places of the rows' entries. */
static void place_rows(const maker *m, wlu_means *means)
{
    int64_t at = 0;
    for (int32_t k = 0; k < m->p->a->n; k++) m->number[k] = -1;
    for (int32_t r = 0; r < means->count; r++) {
        wlu_mean_row *row = &means->row[r];
        m->number[row->row] = r;
        row->begin = at;
        row->loads = at + m->l[row->row];
        at = row->loads + m->f[row->row];
        m->l[row->row] = row->begin;
        m->f[row->row] = row->loads;
    }
    means->row[means->count].begin = at;
}

static double part_of_line(const maker *m, int32_t i, int32_t k)
{
    double rounded = wlu_rounded_parts(m->p->a->doubles) * wlu_rounded(m->rounds, i, k, m->inner[k]);
    return ldexp(rounded, -(wlu_bound_exponent(m->p, !m->transposed, i) + m->scale)) / m->line[i];
}

/* Columns of the outer factor where it is L, or of U, whose rows are columns then. */
static void fill_factor(const maker *m, wlu_means *means)
{
    const wlu_bounded_factors *p = m->p;
    const int64_t *begin = m->transposed ? p->up : p->lp;
    const int32_t *line = m->transposed ? p->ui : p->li;
    for (int32_t j = 0; j < p->a->n; j++) {
        if (m->number[j] >= 0) means->row[m->number[j]].own = part_of_line(m, j, j);
        for (int64_t q = begin[j]; q < begin[j + 1]; q++) {
            int32_t i = m->transposed ? j : line[q], k = m->transposed ? line[q] : j;
            if (m->number[i] < 0) continue;
            means->weight[m->l[i]] = upper_of(part_of_line(m, i, k));
            means->at[m->l[i]++] = place_of(m->places->outer, q);
        }
    }
}

static void fill_loads(const maker *m, wlu_means *means)
{
    const wlu_bounded_factors *p = m->p;
    for (int32_t j = 0; j < p->a->n; j++)
        for (int64_t q = p->fp[j]; q < p->fp[j + 1]; q++) {
            int32_t i = m->transposed ? j : p->fi[q];
            if (m->number[i] < 0) continue;
            int exponent = wlu_bound_exponent(p, 1, p->fi[q]) + wlu_bound_exponent(p, 0, j);
            means->weight[m->f[i]] = upper_of(ldexp(means->row[m->number[i]].unit, -exponent));
            means->at[m->f[i]++] = place_of(m->places->f, q);
        }
}

static warplu_status allocate_maker(wlu_context *ctx, int64_t n, maker *m)
{
    m->inner = WLU_ALLOC(ctx, n, wlu_inner_line);
    m->entries = WLU_ALLOC(ctx, 3 * n, double);
    m->l = WLU_ALLOC(ctx, 2 * n, int64_t);
    m->number = WLU_ALLOC(ctx, n, int32_t);
    if (m->inner == NULL || m->entries == NULL || m->l == NULL || m->number == NULL)
        return wlu_fail_memory(ctx, "rows of a bound");
    m->loads = m->entries + n;
    m->unit = m->loads + n;
    m->f = m->l + n;
    return WARPLU_SUCCESS;
}

static void free_maker(wlu_context *ctx, maker *m)
{
    wlu_free(ctx, m->inner);
    wlu_free(ctx, m->entries);
    wlu_free(ctx, m->l);
    wlu_free(ctx, m->number);
}

static warplu_status make(wlu_context *ctx, const maker *m, double reach, wlu_means *means)
{
    means->row = WLU_ALLOC(ctx, (int64_t)list_rows(m, reach, NULL) + 1, wlu_mean_row);
    if (means->row == NULL) return wlu_fail_memory(ctx, "rows of a bound");
    means->count = list_rows(m, reach, means->row);
    qsort(means->row, (size_t)means->count, sizeof *means->row, compare_keys);
    place_rows(m, means);
    int64_t entries = means->row[means->count].begin;
    means->at = WLU_ALLOC(ctx, entries, int32_t);
    means->weight = WLU_ALLOC(ctx, entries, uint16_t);
    if (means->at == NULL || means->weight == NULL) return wlu_fail_memory(ctx, "rows of a bound");
    fill_factor(m, means);
    fill_loads(m, means);
    return WARPLU_SUCCESS;
}

warplu_status wlu_means_create(wlu_context *ctx, const wlu_bounded_factors *p, const wlu_rounds *rounds, int transposed,
                               const double *line, double reach, const wlu_mean_places *places, wlu_means **out)
{
    maker m = {.p = p, .rounds = rounds, .transposed = transposed, .line = line, .places = places};
    wlu_means *means = *out = WLU_CALLOC(ctx, 1, wlu_means);
    warplu_status status = means != NULL ? allocate_maker(ctx, p->a->n, &m) : wlu_fail_memory(ctx, "rows of a bound");
    if (status == WARPLU_SUCCESS) {
        m.scale = wlu_bound_largest_exponent(p, transposed);
        wlu_bound_weigh(p, rounds, transposed, m.scale, m.inner);
        wlu_bound_units(p, transposed, m.unit);
        count_lines(&m);
        means->reach = reach;
        means->transposed = transposed;
        means->by_program = places->by_program;
        status = make(ctx, &m, reach, means);
    }
    free_maker(ctx, &m);
    if (status < 0) wlu_means_destroy(ctx, out);
    return status;
}

void wlu_means_destroy(wlu_context *ctx, wlu_means **out)
{
    wlu_means *means = *out;
    *out = NULL;
    if (means == NULL) return;
    wlu_free(ctx, means->row);
    wlu_free(ctx, means->at);
    wlu_free(ctx, means->weight);
    wlu_free(ctx, means);
}

/* -------------------------------------------------------------------- looks */

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

/* The sum of so many numbers times their weights; their largest. */
typedef struct weighed {
    double sum, largest;
} weighed;

static inline void weigh_one(weighed *w, const wlu_means *m, const double *x, int doubles, int64_t q)
{
    double size = wlu_size_at(x, m->at[q], doubles);
    w->sum += size * wlu_power_of_upper(m->weight[q]);
    w->largest = wlu_larger_bits(w->largest, size);
}

static weighed weigh(const wlu_means *m, const double *x, int doubles, int64_t begin, int64_t end)
{
    weighed one = {0.0, 0.0}, other = one;
    int64_t q = begin;
    for (; q + 1 < end; q += 2) {
        weigh_one(&one, m, x, doubles, q);
        weigh_one(&other, m, x, doubles, q + 1);
    }
    if (q < end) weigh_one(&one, m, x, doubles, q);
    one.sum += other.sum;
    one.largest = wlu_larger_bits(one.largest, other.largest);
    return one;
}

/* A row of the outer factor, its diagonal too. */
static weighed weigh_row(const wlu_means *m, const wlu_pattern *a, const wlu_mean_look *look, const wlu_mean_row *row)
{
    weighed w = weigh(m, look->outer, a->doubles, row->begin, row->loads);
    double diagonal = row->pivot >= 0 ? wlu_size_at(look->pivot, row->pivot, a->doubles) : 1.0;
    w.sum += row->own * diagonal;
    w.largest = wlu_larger_bits(w.largest, diagonal);
    return w;
}

/* A magnitude of the row's equation that is no larger than its largest. */
static double magnitude_of(const wlu_pattern *a, const wlu_mean_look *look, const wlu_mean_row *row, double grown)
{
    if (look->largest != NULL) return look->largest[row->row];
    if (look->values != NULL && look->gathered) return wlu_size_at(look->values, row->largest, a->doubles);
    if (look->values != NULL) return wlu_pattern_size_of(a, look->values, row->largest);
    return row->pivot >= 0 ? look->health->growth * grown / row->unit : 1.0 / (row->unit * look->health->drift);
}

static int loads_hold(const wlu_means *m, const wlu_pattern *a, const wlu_mean_look *look, const wlu_mean_row *row,
                      double magnitude)
{
    double allowed = loads_allowed(look->health->single) - row->others;
    if (row->key < INFINITY) return 1;
    double sum = weigh(m, look->f, a->doubles, row->loads, row[1].begin).sum;
    return row->sums * sum <= allowed * (magnitude * row->unit);
}

static int row_holds(const wlu_means *m, const wlu_pattern *a, const wlu_mean_look *look, const wlu_mean_row *row,
                     int loads_alone)
{
    weighed w = weigh_row(m, a, look, row);
    double magnitude = magnitude_of(a, look, row, w.largest);
    if (!(magnitude >= wlu_thresholds_of(0).equation_least && magnitude <= DBL_MAX)) return 0;
    if (!loads_hold(m, a, look, row, magnitude)) return 0;
    return loads_alone || row->line * w.sum <= factors_allowed(look->health, m->transposed) * magnitude;
}

int wlu_means_hold(const wlu_means *m, const wlu_pattern *a, const wlu_mean_look *look, int loads_alone)
{
    const double open = loads_alone ? INFINITY : wlu_means_open_key(look->health, m->transposed);
    if (!(m->reach <= open)) return 0;
    for (const wlu_mean_row *row = m->row; row < m->row + m->count; row++) {
        if (row->key <= open && row->key < INFINITY) return 1;
        if (!row_holds(m, a, look, row, loads_alone)) return 0;
    }
    return 1;
}
