/* Kernels at the end of a solve: the solution in the caller's order, the residual's sums, weighed magnitudes. */
#include "kernel_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 512, ENTRIES = 256, COLUMNS = 64, GROUPS = 16, STEPS = 40 };

static void check_store(kernel_run *r, const void *variant)
{
    int32_t place[SLOTS], n = (int32_t)kernel_size(r, 1, 100, SLOTS);
    double v[SLOTS], scale[SLOTS], x[SLOTS], want[SLOTS], largest = 0.0;
    const wlu_cpu_places s = {n, place, *(const int *)variant ? scale : NULL};
    const wlu_host_slots slots = {.v = v};
    kernel_shuffle(r, place, SLOTS);
    kernel_fill(r, v, SLOTS);
    kernel_fill(r, x, SLOTS);
    memcpy(want, x, sizeof want);
    for (int32_t k = 0; k < n; k++) {
        scale[k] = kernel_power(r);
        want[k] = s.scale != NULL ? scale[k] * v[place[k]] : v[place[k]];
        largest = kernel_larger(largest, want[k]);
    }
    double got = r->kernels->store(&s, &slots, x);
    kernel_expect(r, "solution", x, want, SLOTS);
    kernel_expect(r, "largest", &got, &largest, 1);
    KERNEL_TIME(r, n, r->kernels->store(&s, &slots, x));
}

static void check_weigh(kernel_run *r, const void *variant)
{
    double v[SLOTS], want = 0.0;
    uint16_t upper[SLOTS];
    int64_t n = kernel_size(r, 0, 100, SLOTS);
    (void)variant;
    kernel_fill(r, v, SLOTS);
    for (int32_t k = 0; k < SLOTS; k++)
        upper[k] = (uint16_t)(wlu_upper_of_power(kernel_power(r)) + kernel_below(r, 16));
    for (int64_t k = 0; k < n; k++) want = kernel_larger(want, v[k] * wlu_power_of_upper(upper[k]));
    double got = r->kernels->weigh(v, upper, n);
    kernel_expect(r, "weighed largest", &got, &want, 1);
    KERNEL_TIME(r, n, r->kernels->weigh(v, upper, n));
}

/* Rows side by side, then rows of eight partial sums. */
typedef struct residual {
    wlu_rows rows;
    int32_t row[8 * GROUPS], steps[GROUPS], word[16 * GROUPS * STEPS];
    double entries[ENTRIES + 1], b[COLUMNS], x[COLUMNS];
    double r[8 * GROUPS], w[8 * GROUPS]; /* wanted */
    int64_t terms;
} residual;

/* Steps of one lane: what is left of rest and weight. Entry ENTRIES is 0. */
static void draw_lane(kernel_run *r, residual *s, int32_t *word, int lane, int32_t steps, int32_t length, double *rest,
                      double *weight)
{
    for (int32_t k = 0; k < steps; k++) {
        int32_t entry = k < length ? (int32_t)kernel_below(r, ENTRIES) : ENTRIES;
        int32_t column = (int32_t)kernel_below(r, COLUMNS);
        double a = s->entries[entry], x = s->x[column];
        word[16 * k + lane] = entry;
        word[16 * k + 8 + lane] = column;
        *rest = fma(-a, x, *rest);
        *weight = fma(fabs(a), fabs(x), *weight);
    }
    s->terms += length;
}

/* What judges a row: its error and what it is relative to. */
typedef struct verdict {
    double error, denominator, inverse;
} verdict;

static void judge(verdict *v, double r, double denominator)
{
    double inverse = 1.0 / denominator;
    v->error = kernel_larger(v->error, r * inverse);
    v->denominator = kernel_larger(v->denominator, denominator);
    v->inverse = kernel_larger(v->inverse, inverse);
}

static void draw_group(kernel_run *r, residual *s, int long_row, int32_t *word, int32_t steps, verdict *v)
{
    double rest[8] = {0}, weight[8] = {0};
    int64_t place = s->rows.places;
    for (int k = 0; k < 8; k++) {
        if (!long_row || k == 0) s->row[place + k] = (int32_t)kernel_below(r, COLUMNS);
        if (!long_row) rest[k] = s->b[s->row[place + k]];
        draw_lane(r, s, word, k, steps, (int32_t)kernel_size(r, 0, steps, steps), &rest[k], &weight[k]);
    }
    if (long_row) {
        double b = s->b[s->row[place]];
        s->r[place] = b + kernel_tree(rest);
        s->w[place] = kernel_tree(weight);
        judge(v, s->r[place], s->w[place] + fabs(b));
    }
    for (int k = 0; k < 8 && !long_row; k++) {
        s->r[place + k] = rest[k];
        s->w[place + k] = weight[k];
        judge(v, rest[k], fabs(s->b[s->row[place + k]]) + weight[k]);
    }
    s->rows.places += long_row ? 1 : 8;
}

static void check_residual(kernel_run *r, const void *variant)
{
    residual *s = kernel_allocate(sizeof *s);
    verdict v = {0};
    double got_r[8 * GROUPS], got_w[8 * GROUPS], tiny = kernel_below(r, 2) ? 0x1p-1000 : 0x1p-3;
    (void)variant;
    memset(s, 0, sizeof *s);
    kernel_fill(r, s->entries, ENTRIES);
    kernel_fill(r, s->b, COLUMNS);
    kernel_fill(r, s->x, COLUMNS);
    s->rows.groups = kernel_size(r, 0, GROUPS / 2, GROUPS / 2);
    s->rows.longs = kernel_size(r, 0, GROUPS / 2, 2);
    int32_t *word = s->word;
    for (int64_t g = 0; g < s->rows.groups + s->rows.longs; g++, word += 16 * s->steps[g - 1]) {
        s->steps[g] = (int32_t)kernel_size(r, 0, STEPS, 6);
        draw_group(r, s, g >= s->rows.groups, word, s->steps[g], &v);
    }
    s->rows.row = s->row;
    s->rows.steps = s->steps;
    s->rows.word = s->word;
    memcpy(got_r, s->r, sizeof got_r);
    memcpy(got_w, s->w, sizeof got_w);
    memset(got_r, 0, (size_t)s->rows.places * sizeof *got_r);
    memset(got_w, 0, (size_t)s->rows.places * sizeof *got_w);
    int usual = v.denominator < INFINITY && v.inverse <= 1.0 / tiny && v.error < INFINITY;
    double want = usual ? v.error : INFINITY;
    double got = r->kernels->residual(&s->rows, s->entries, s->b, s->x, tiny, got_r, got_w);
    kernel_expect(r, "residual", got_r, s->r, 8 * GROUPS);
    kernel_expect(r, "weight", got_w, s->w, 8 * GROUPS);
    kernel_expect(r, "error", &got, &want, 1);
    KERNEL_TIME(r, s->terms, r->kernels->residual(&s->rows, s->entries, s->b, s->x, tiny, got_r, got_w));
    free(s);
}

kernel_cases kernel_solve_cases(void)
{
    static const int no = 0, yes = 1;
    static const kernel_case cases[] = {{"store", check_store, &no},
                                        {"store_scaled", check_store, &yes},
                                        {"weigh", check_weigh, NULL},
                                        {"residual", check_residual, NULL}};
    return KERNEL_CASES(cases);
}
