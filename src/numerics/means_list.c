/* Lists of rows that may be open. See means.h.
 *
 * Rows are sorted by keys. Their entries are scattered to them column by column, sorted by where they stand, and
 * packed: what stands within eight numbers is a window, the rest are single. */
#include "numerics/means.h"

#include "base/power.h"

#include <math.h>
#include <stdlib.h>

enum { WINDOW = WLU_MEAN_WINDOW };

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
    double *unit, *part; /* n: units; 1 over what a line comes to in that scale */
    int64_t *l, *f;      /* n: entries of each row; then where its next one goes */
    int32_t *number;     /* n: the row's, or -1 */
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
        if (!(loads_of(m, k) + others_of(m, k) <= wlu_means_loads_allowed(0))) key = INFINITY;
        if (key <= reach) continue;
        if (rows != NULL)
            rows[count] = (wlu_mean_row){.key = key,
                                         .line = m->line[k],
                                         .sums = wlu_rounded_parts(p->a->doubles) * (m->rounds->first[k] + 1.0),
                                         .unit = m->unit[k],
                                         .others = others_of(m, k),
                                         .row = k,
                                         .largest = m->transposed ? p->col_largest[k] : p->row_largest[k],
                                         .pivot = m->transposed ? place_of(m->places->pivot, k) : -1};
        count++;
    }
    return count;
}

/* ------------------------------------------------------------------- entries */

/* An entry of a row, and its weight. */
typedef struct entry {
    int32_t at;
    uint16_t weight;
} entry;

/* Entries of row r: from begin[r] to begin[r + 1]. */
typedef struct scattered {
    int64_t *begin, *next; /* count + 1 */
    entry *entry;
} scattered;

static double part_of_line(const maker *m, int32_t i, int32_t k)
{
    return m->part[i] * wlu_rounded(m->rounds, i, k, m->inner[k]);
}

static void begin_rows(const wlu_means *means, const int64_t *lengths, scattered *s)
{
    s->begin[0] = 0;
    for (int32_t r = 0; r < means->count; r++) {
        s->next[r] = s->begin[r];
        s->begin[r + 1] = s->begin[r] + lengths[means->row[r].row];
    }
}

static void put_entry(scattered *s, int32_t r, int32_t at, double weight)
{
    s->entry[s->next[r]++] = (entry){at, upper_of(weight)};
}

/* Columns of the outer factor where it is L, or of U, whose rows are columns then. */
static void scatter_factor(const maker *m, wlu_means *means, scattered *s)
{
    const wlu_bounded_factors *p = m->p;
    const int64_t *begin = m->transposed ? p->up : p->lp;
    const int32_t *line = m->transposed ? p->ui : p->li;
    begin_rows(means, m->l, s);
    for (int32_t j = 0; j < p->a->n; j++) {
        if (m->number[j] >= 0) means->row[m->number[j]].own = part_of_line(m, j, j);
        for (int64_t q = begin[j]; q < begin[j + 1]; q++) {
            int32_t i = m->transposed ? j : line[q], k = m->transposed ? line[q] : j;
            if (m->number[i] >= 0) put_entry(s, m->number[i], place_of(m->places->outer, q), part_of_line(m, i, k));
        }
    }
}

static void scatter_loads(const maker *m, const wlu_means *means, scattered *s)
{
    const wlu_bounded_factors *p = m->p;
    begin_rows(means, m->f, s);
    for (int32_t j = 0; j < p->a->n; j++)
        for (int64_t q = p->fp[j]; q < p->fp[j + 1]; q++) {
            int32_t r = m->number[m->transposed ? j : p->fi[q]];
            int exponent = wlu_bound_exponent(p, 1, p->fi[q]) + wlu_bound_exponent(p, 0, j);
            if (r >= 0) put_entry(s, r, place_of(m->places->f, q), ldexp(means->row[r].unit, -exponent));
        }
}

/* ------------------------------------------------------------------- packing */

/* What packing fills; NULL: it counts. */
typedef struct packer {
    int32_t *at;
    uint16_t *weight;
    int64_t ats, weights;
} packer;

static void put_place(packer *p, int32_t at)
{
    if (p->at != NULL) p->at[p->ats] = at;
    p->ats++;
}

static void put_weight(packer *p, uint16_t weight)
{
    if (p->weight != NULL) p->weight[p->weights] = weight;
    p->weights++;
}

static int compare_places(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

/* Entries of tiles behind the others; these are sorted by where they stand. Those of a tile come together as a rule,
 * and in order: insertion takes a few steps each, and where it takes more they are sorted. Returns how many others. */
static int64_t sort_tiled(entry *e, int64_t count, int64_t tiled)
{
    int64_t others = 0, steps = 0;
    for (int64_t q = 0; q < count; q++)
        if (e[q].at < tiled) {
            entry swapped = e[others];
            e[others++] = e[q];
            e[q] = swapped;
        }
    for (int64_t q = others + 1; q < count && steps <= 8 * count; q++)
        for (int64_t to = q; to > others && e[to].at < e[to - 1].at; to--, steps++) {
            entry swapped = e[to];
            e[to] = e[to - 1];
            e[to - 1] = swapped;
        }
    if (steps > 8 * count) qsort(e + others, (size_t)(count - others), sizeof *e, compare_places);
    return others;
}

/* How many from the first on are in one window, which has to end within so many numbers; 1: it is none. */
static int64_t window_of(const entry *e, int64_t count, int64_t numbers)
{
    int64_t in = 1, first = e->at / WINDOW * WINDOW;
    if (first + WINDOW > numbers) return 1;
    while (in < count && e[in].at < first + WINDOW) in++;
    return in;
}

static void pack_window(packer *p, const entry *e, int64_t count)
{
    int32_t first = e->at / WINDOW * WINDOW;
    put_place(p, first);
    for (int32_t at = first; at < first + WINDOW; at++) {
        int here = count > 0 && e->at == at;
        put_weight(p, here ? e->weight : 0);
        e += here;
        count -= here;
    }
}

/* A row's entries: first windows, then single ones. */
static wlu_weighed_numbers pack_row(packer *p, entry *e, int64_t count, int64_t tiled, int64_t numbers)
{
    wlu_weighed_numbers to = {.window = p->at + p->ats, .window_weight = p->weight + p->weights};
    int64_t singles = sort_tiled(e, count, tiled), window;
    for (int64_t q = singles; q < count; q += window) {
        window = window_of(e + q, count - q, numbers);
        to.windows += window > 1;
        if (window > 1)
            pack_window(p, e + q, window);
        else
            e[singles++] = e[q]; /* behind it nothing has been looked at */
    }
    to.groups = (singles + WINDOW - 1) / WINDOW;
    to.single = p->at + p->ats;
    to.single_weight = p->weight + p->weights;
    for (int64_t q = 0; q < WINDOW * to.groups; q++) {
        put_place(p, e[q < singles ? q : singles - 1].at);
        put_weight(p, q < singles ? e[q].weight : 0);
    }
    return to;
}

/* An upper bound of what packing takes, for it moves what it has packed. */
static void reserve_rows(const scattered *s, int32_t count, packer *p)
{
    for (int32_t r = 0; r < count; r++) {
        int64_t entries = s->begin[r + 1] - s->begin[r];
        p->ats += entries + WINDOW;
        p->weights += WINDOW / 2 * entries + WINDOW;
    }
}

static void pack_rows(wlu_means *means, const scattered *s, int of_loads, const wlu_mean_places *places, packer *p)
{
    for (int32_t r = 0; r < means->count; r++) {
        entry *first = s->entry + s->begin[r];
        int64_t count = s->begin[r + 1] - s->begin[r];
        wlu_weighed_numbers packed = pack_row(p, first, count, places->tiled, places->numbers);
        *(of_loads ? &means->row[r].loads : &means->row[r].factor) = packed;
    }
}

static warplu_status pack(wlu_context *ctx, const maker *m, scattered *factor, scattered *loads, wlu_means *means)
{
    packer p = {0};
    scatter_factor(m, means, factor);
    scatter_loads(m, means, loads);
    reserve_rows(factor, means->count, &p);
    reserve_rows(loads, means->count, &p);
    means->at = p.at = WLU_ALLOC(ctx, p.ats, int32_t);
    means->weight = p.weight = WLU_ALLOC(ctx, p.weights, uint16_t);
    if (p.at == NULL || p.weight == NULL) return wlu_fail_memory(ctx, "rows of a bound");
    p.ats = p.weights = 0;
    pack_rows(means, factor, 0, m->places, &p);
    pack_rows(means, loads, 1, m->places, &p);
    return WARPLU_SUCCESS;
}

/* -------------------------------------------------------------------- making */

static warplu_status allocate_maker(wlu_context *ctx, int64_t n, maker *m)
{
    m->inner = WLU_ALLOC(ctx, n, wlu_inner_line);
    m->unit = WLU_ALLOC(ctx, 2 * n, double);
    m->l = WLU_ALLOC(ctx, 2 * n, int64_t);
    m->number = WLU_ALLOC(ctx, n, int32_t);
    if (m->inner == NULL || m->unit == NULL || m->l == NULL || m->number == NULL)
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
}

/* Rows in their order; where each is. Returns their entries of the outer factor and of F in lengths. */
static void number_rows(const maker *m, wlu_means *means, int64_t lengths[2])
{
    qsort(means->row, (size_t)means->count, sizeof *means->row, compare_keys);
    for (int32_t k = 0; k < m->p->a->n; k++) m->number[k] = -1;
    for (int32_t r = 0; r < means->count; r++) {
        m->number[means->row[r].row] = r;
        lengths[0] += m->l[means->row[r].row];
        lengths[1] += m->f[means->row[r].row];
    }
}

static warplu_status make(wlu_context *ctx, const maker *m, double reach, wlu_means *means)
{
    int64_t lengths[2] = {0, 0};
    means->count = list_rows(m, reach, NULL);
    const int64_t by = (int64_t)means->count + 1;
    means->row = WLU_ALLOC(ctx, means->count, wlu_mean_row);
    if (means->row == NULL) return wlu_fail_memory(ctx, "rows of a bound");
    list_rows(m, reach, means->row);
    number_rows(m, means, lengths);
    int64_t *begin = WLU_ALLOC(ctx, 4 * by, int64_t);
    entry *entries = WLU_ALLOC(ctx, lengths[0] + lengths[1], entry);
    warplu_status status = WARPLU_SUCCESS;
    if (begin != NULL && entries != NULL) {
        scattered factor = {begin, begin + by, entries}, loads = {begin + 2 * by, begin + 3 * by, entries + lengths[0]};
        status = pack(ctx, m, &factor, &loads, means);
    } else {
        status = wlu_fail_memory(ctx, "rows of a bound");
    }
    wlu_free(ctx, begin);
    wlu_free(ctx, entries);
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
