/* Lists of rows that may be open. See means.h.
 *
 * Rows are sorted by keys. Their entries are scattered to them in the order in which they stand, and packed
 * (means_pack.h). */
#include "numerics/means.h"
#include "numerics/means_pack.h"

#include "base/power.h"
#include "numerics/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The least double whose upper 16 bits are the weight is no less than x. */
static uint16_t upper_of(double x)
{
    return (uint16_t)((wlu_bits_of_double(x) >> 48) + 1);
}

/* A row's place among the others. */
typedef struct keyed {
    double key;
    int32_t row;
} keyed;

/* What rows are made from. */
typedef struct maker {
    const wlu_bounded_factors *p;
    const wlu_rounds *rounds;
    int transposed;
    const double *line;
    const wlu_mean_places *places;
    wlu_inner_line *inner; /* n, in this scale: an exponent */
    int scale;
    double *unit, *part; /* n: units; 1 over what a line comes to in that scale */
    int64_t *l, *f;      /* n: entries of each row; then where its next one goes */
    int32_t *number;     /* n: the row's, or -1 */
    int64_t places_count;
    int32_t *standing; /* by place: 1 + the entry of a row that stands there; 0: none */
    int32_t *column;   /* of such an entry */
} maker;

/* A line that is no usual number has parts that no look survives. */
static void find_parts(const maker *m)
{
    double parts = wlu_rounded_parts(m->p->a->doubles);
    for (int32_t k = 0; k < m->p->a->n; k++)
        m->part[k] = ldexp(parts, -(wlu_bound_exponent(m->p, !m->transposed, k) + m->scale)) / m->line[k];
}

static void count_lines(const maker *m)
{
    const wlu_bounded_factors *p = m->p;
    const int32_t n = p->a->n;
    for (int32_t k = 0; k < n; k++) {
        m->f[k] = (int64_t)m->rounds->loads[k];
        m->l[k] = m->transposed ? p->up[k + 1] - p->up[k] : 0;
    }
    for (int64_t q = 0; q < p->lp[n] && !m->transposed; q++) m->l[p->li[q]]++;
}

/* Of row k, in unit roundoffs: what is no sum, and sums of F by its largest entries. */
static double others_of(const maker *m, int32_t k)
{
    return wlu_rounded_parts(m->p->a->doubles) * (m->rounds->entries[k] + 1.0);
}

static double loads_of(const maker *m, int32_t k)
{
    return wlu_rounded_parts(m->p->a->doubles) * m->rounds->loads[k] * (m->rounds->first[k] + 1.0);
}

static int compare_keys(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? 1 : -1;
    return (x->row > y->row) - (x->row < y->row);
}

static int32_t place_of(const int32_t *slot, int64_t q)
{
    return slot != NULL ? slot[q] : (int32_t)q;
}

/* What the loads of a row may come to: all that they are in the worst one, if that leaves enough for the factors. */
static double loads_allowed(const maker *m, double *share)
{
    const wlu_thresholds t = wlu_thresholds_of(0);
    double worst = 0.0, budget = t.accurate / t.rounding;
    for (int32_t k = 0; k < m->p->a->n; k++) worst = wlu_bound_larger(worst, loads_of(m, k) + others_of(m, k));
    *share = wlu_factors_share(0, worst);
    return worst <= t.loads_most * budget ? worst : t.loads_share * budget;
}

/* Rows that may be open; returns how many. rows: NULL to count them. A NaN counts as infinite. */
static int32_t list_rows(const maker *m, double reach, double allowed, keyed *rows)
{
    int32_t count = 0;
    for (int32_t k = 0; k < m->p->a->n; k++) {
        double key = m->line[k] * m->unit[k];
        if (!(key < INFINITY) || !(loads_of(m, k) + others_of(m, k) <= allowed)) key = INFINITY;
        if (key <= reach) continue;
        if (rows != NULL) rows[count] = (keyed){key, k};
        count++;
    }
    return count;
}

/* ------------------------------------------------------------------- entries */

static double part_of_line(const maker *m, int32_t i, int32_t k)
{
    return m->part[i] * wlu_rounded(m->rounds, i, k, m->inner[k]);
}

static void begin_rows(const wlu_means *means, const int64_t *lengths, int32_t rows, wlu_scattered *s)
{
    s->begin[0] = 0;
    for (int32_t r = 0; r < rows; r++) {
        s->next[r] = s->begin[r];
        s->begin[r + 1] = s->begin[r] + lengths[means->row[r].position];
    }
}

static void put_entry(wlu_scattered *s, int32_t r, int32_t at, double weight)
{
    s->entry[s->next[r]++] = (wlu_mean_entry){at, upper_of(weight)};
}

/* A factor by columns; whose columns are rows here where transposed. */
typedef struct stored {
    const int64_t *begin;
    const int32_t *line, *slot;
} stored;

static stored outer_of(const maker *m)
{
    const wlu_bounded_factors *p = m->p;
    return (stored){m->transposed ? p->up : p->lp, m->transposed ? p->ui : p->li, m->places->outer};
}

/* Which entries of the first `rows` rows stand where. */
static void find_standing(const maker *m, const stored *f, int32_t rows)
{
    memset(m->standing, 0, (size_t)m->places_count * sizeof *m->standing);
    for (int32_t j = 0; j < m->p->a->n; j++)
        for (int64_t q = f->begin[j]; q < f->begin[j + 1]; q++) {
            int32_t r = m->number[m->transposed ? j : f->line[q]];
            if (r < 0 || r >= rows) continue;
            m->standing[place_of(f->slot, q)] = (int32_t)q + 1;
            m->column[q] = j;
        }
}

static void scatter_factor(const maker *m, wlu_means *means, wlu_scattered *s)
{
    const stored f = outer_of(m);
    begin_rows(means, m->l, means->count, s);
    find_standing(m, &f, means->count);
    for (int32_t r = 0; r < means->count; r++)
        means->lines.own[r] = part_of_line(m, means->row[r].position, means->row[r].position);
    for (int64_t at = 0; at < m->places_count; at++) {
        if (m->standing[at] == 0) continue;
        int32_t q = m->standing[at] - 1, j = m->column[q], i = m->transposed ? j : f.line[q];
        put_entry(s, m->number[i], (int32_t)at, part_of_line(m, i, m->transposed ? f.line[q] : j));
    }
}

static void scatter_loads(const maker *m, const wlu_means *means, wlu_scattered *s)
{
    const wlu_bounded_factors *p = m->p;
    const stored f = {p->fp, p->fi, m->places->f};
    begin_rows(means, m->f, means->loads_count, s);
    if (means->loads_count == 0) return;
    find_standing(m, &f, means->loads_count);
    for (int64_t at = 0; at < m->places_count; at++) {
        if (m->standing[at] == 0) continue;
        int32_t q = m->standing[at] - 1, j = m->column[q], r = m->number[m->transposed ? j : f.line[q]];
        int exponent = wlu_bound_exponent(p, 1, f.line[q]) + wlu_bound_exponent(p, 0, j);
        put_entry(s, r, (int32_t)at, ldexp(means->row[r].unit, -exponent));
    }
}

static warplu_status pack(wlu_context *ctx, const maker *m, wlu_scattered *factor, wlu_scattered *loads,
                          wlu_means *means)
{
    wlu_mean_packer p = {0};
    const int64_t numbers = m->places->numbers;
    scatter_factor(m, means, factor);
    scatter_loads(m, means, loads);
    wlu_mean_reserve(factor, means->count, &p);
    wlu_mean_reserve(loads, means->loads_count, &p);
    means->at = p.at = WLU_ALLOC(ctx, p.ats, int32_t);
    means->weight = p.weight = WLU_ALLOC(ctx, p.weights, uint16_t);
    if (p.at == NULL || p.weight == NULL) return wlu_fail_memory(ctx, "rows of a bound");
    p.ats = p.weights = 0;
    for (int32_t r = 0; r < means->count; r++) means->row[r].factor = wlu_mean_pack(&p, factor, r, numbers);
    for (int32_t r = 0; r < means->loads_count; r++) means->loads[r].f = wlu_mean_pack(&p, loads, r, numbers);
    return WARPLU_SUCCESS;
}

/* -------------------------------------------------------------------- making */

static int64_t larger_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static warplu_status allocate_maker(wlu_context *ctx, int64_t n, maker *m)
{
    const int64_t entries = larger_of(outer_of(m).begin[n], m->p->fp[n]);
    m->places_count = larger_of(m->places->numbers, entries);
    m->inner = WLU_ALLOC(ctx, n, wlu_inner_line);
    m->unit = WLU_ALLOC(ctx, 2 * n, double);
    m->l = WLU_ALLOC(ctx, 2 * n, int64_t);
    m->number = WLU_ALLOC(ctx, n, int32_t);
    m->standing = WLU_ALLOC(ctx, m->places_count, int32_t);
    m->column = WLU_ALLOC(ctx, entries, int32_t);
    if (!WLU_ALL_THERE(m->inner, m->unit, m->l, m->number, m->standing, m->column))
        return wlu_fail_memory(ctx, "rows of a bound");
    m->part = m->unit + n;
    m->f = m->l + n;
    return WARPLU_SUCCESS;
}

static void free_maker(wlu_context *ctx, maker *m)
{
    wlu_free(ctx, m->inner);
    wlu_free(ctx, m->unit);
    wlu_free(ctx, m->l);
    wlu_free(ctx, m->number);
    wlu_free(ctx, m->standing);
    wlu_free(ctx, m->column);
}

/* Rows in their order; where each is. Returns their entries of the outer factor and of F in lengths. */
static void number_rows(const maker *m, keyed *rows, wlu_means *means, int64_t lengths[2])
{
    qsort(rows, (size_t)means->count, sizeof *rows, compare_keys);
    for (int32_t k = 0; k < m->p->a->n; k++) m->number[k] = -1;
    for (int32_t r = 0; r < means->count; r++) {
        m->number[rows[r].row] = r;
        lengths[0] += m->l[rows[r].row];
        if (rows[r].key < INFINITY) continue;
        means->loads_count = r + 1;
        lengths[1] += m->f[rows[r].row];
    }
}

static warplu_status allocate_rows(wlu_context *ctx, const wlu_pattern *a, wlu_means *means)
{
    const int64_t count = means->count;
    means->key = WLU_ALLOC(ctx, 3 * count, double);
    means->row = WLU_ALLOC(ctx, count, wlu_mean_row);
    means->loads = WLU_ALLOC(ctx, means->loads_count, wlu_mean_loads);
    means->lines.largest = WLU_ALLOC(ctx, 2 * count, int32_t);
    if (means->key == NULL || means->row == NULL || means->loads == NULL || means->lines.largest == NULL)
        return wlu_fail_memory(ctx, "rows of a bound");
    means->lines.line = means->key + count;
    means->lines.own = means->key + 2 * count;
    means->lines.source = a->map_ptr == NULL ? means->lines.largest + count : NULL;
    return WARPLU_SUCCESS;
}

static void set_row(const maker *m, const keyed *from, int32_t r, wlu_means *means)
{
    const int32_t k = from->row, largest = (m->transposed ? m->p->col_largest : m->p->row_largest)[k];
    means->key[r] = from->key;
    means->lines.line[r] = m->line[k];
    means->lines.largest[r] = largest;
    if (means->lines.source != NULL) means->lines.source[r] = wlu_pattern_source(m->p->a, largest);
    means->row[r] =
        (wlu_mean_row){.unit = m->unit[k], .position = k, .pivot = m->transposed ? place_of(m->places->pivot, k) : -1};
    if (r < means->loads_count)
        means->loads[r] = (wlu_mean_loads){.sums = wlu_rounded_parts(m->p->a->doubles) * (m->rounds->first[k] + 1.0),
                                           .others = others_of(m, k)};
}

static warplu_status make_rows(wlu_context *ctx, const maker *m, keyed *rows, wlu_means *means)
{
    int64_t lengths[2] = {0, 0};
    const int64_t by = (int64_t)means->count + 1;
    number_rows(m, rows, means, lengths);
    warplu_status status = allocate_rows(ctx, m->p->a, means);
    if (status < 0) return status;
    for (int32_t r = 0; r < means->count; r++) set_row(m, &rows[r], r, means);
    int64_t *begin = WLU_ALLOC(ctx, 4 * by, int64_t);
    wlu_mean_entry *entries = WLU_ALLOC(ctx, lengths[0] + lengths[1], wlu_mean_entry);
    if (begin != NULL && entries != NULL) {
        wlu_scattered factor = {begin, begin + by, entries},
                      loads = {begin + 2 * by, begin + 3 * by, entries + lengths[0]};
        status = pack(ctx, m, &factor, &loads, means);
    } else {
        status = wlu_fail_memory(ctx, "rows of a bound");
    }
    wlu_free(ctx, begin);
    wlu_free(ctx, entries);
    return status;
}

static warplu_status make(wlu_context *ctx, const maker *m, double reach, wlu_means *means)
{
    const double allowed = loads_allowed(m, &means->share);
    means->count = list_rows(m, reach, allowed, NULL);
    keyed *rows = WLU_ALLOC(ctx, means->count, keyed);
    if (rows == NULL) return wlu_fail_memory(ctx, "rows of a bound");
    list_rows(m, reach, allowed, rows);
    warplu_status status = make_rows(ctx, m, rows, means);
    wlu_free(ctx, rows);
    return status;
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
        find_parts(&m);
        count_lines(&m);
        means->reach = reach;
        means->transposed = transposed;
        means->sum = places->sum;
        means->list_left = places->list_left;
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
    wlu_free(ctx, means->key);
    wlu_free(ctx, means->row);
    wlu_free(ctx, means->lines.largest);
    wlu_free(ctx, means->loads);
    wlu_free(ctx, means->at);
    wlu_free(ctx, means->weight);
    wlu_free(ctx, means);
}
