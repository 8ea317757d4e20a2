/* Attacks. See attack.h. */
#include "attack.h"

#include "check.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double LARGEST = 1e307;

static const char *const names[ATTACKS] = {
#define ATTACK(name, what) #name,
#include "attacks.def"
#undef ATTACK
};

const char *attack_name(attack_kind kind)
{
    return names[kind];
}

static double draw_size(uint64_t *seed)
{
    int32_t range = check_below(seed, 4);
    return range < 2    ? 1 + check_below(seed, 16)
           : range == 2 ? 17 + check_below(seed, 84)
                        : 101 + check_below(seed, 200);
}

double attack_power(uint64_t *seed)
{
    double k = draw_size(seed);
    return pow(10.0, check_below(seed, 2) ? k : -k);
}

/* ----------------------------------------------------------------- entries */

static void multiply(test_matrix *m, int32_t q, double factor)
{
    double v = m->x[q] * factor;
    m->x[q] = fabs(v) > LARGEST ? copysign(LARGEST, v) : v;
}

static double get(const test_matrix *m, int32_t i, int32_t j, int *present)
{
    double sum = 0.0;
    *present = 0;
    for (int32_t q = m->ptr[j]; q < m->ptr[j + 1]; q++)
        if (m->idx[q] == i) sum += m->x[q], *present = 1;
    return sum;
}

/* The entry's first duplicate becomes v, the others 0. */
static void set(test_matrix *m, int32_t i, int32_t j, double v)
{
    if (fabs(v) > LARGEST) v = copysign(LARGEST, v);
    for (int32_t q = m->ptr[j]; q < m->ptr[j + 1]; q++)
        if (m->idx[q] == i) {
            m->x[q] = v;
            v = 0.0;
        }
}

static void scale_entry(test_matrix *m, int32_t i, int32_t j, double factor)
{
    for (int32_t q = m->ptr[j]; q < m->ptr[j + 1]; q++)
        if (m->idx[q] == i) multiply(m, q, factor);
}

static void scale_row(test_matrix *m, int32_t i, double factor)
{
    for (int32_t q = 0; q < m->nnz; q++)
        if (m->idx[q] == i) multiply(m, q, factor);
}

static void scale_column(test_matrix *m, int32_t j, double factor)
{
    for (int32_t q = m->ptr[j]; q < m->ptr[j + 1]; q++) multiply(m, q, factor);
}

/* How many of n are hit: one, mostly, or some. */
static int32_t some(uint64_t *seed, int32_t n)
{
    return check_below(seed, 2) ? 1 : 1 + check_below(seed, n < 6 ? n : 6);
}

/* A column with two different rows at least; their places. 0 where none was found. */
static int draw_pair(attack_site *s, int32_t *first, int32_t *second, int32_t *column)
{
    const test_matrix *m = s->m;
    for (int tries = 0; tries < 20; tries++) {
        int32_t j = check_below(&s->seed, m->n), count = m->ptr[j + 1] - m->ptr[j];
        if (count < 2) continue;
        int32_t p = m->ptr[j] + check_below(&s->seed, count), q = m->ptr[j] + check_below(&s->seed, count);
        if (m->idx[p] == m->idx[q]) continue;
        *first = m->idx[p];
        *second = m->idx[q];
        *column = j;
        return 1;
    }
    return 0;
}

/* ----------------------------------------------------------------- attacks */

static void attack_vary(attack_site *s)
{
    test_matrix_vary(s->m, &s->seed, 0.5);
}

static void attack_back(attack_site *s)
{
    memcpy(s->m->x, s->first, (size_t)s->m->nnz * sizeof *s->m->x);
}

static void attack_diagonal_scaled(attack_site *s)
{
    double power = attack_power(&s->seed);
    for (int32_t k = some(&s->seed, s->m->n); k > 0; k--) {
        int32_t i = check_below(&s->seed, s->m->n);
        scale_entry(s->m, i, i, power);
    }
}

static void attack_diagonal_zero(attack_site *s)
{
    for (int32_t k = some(&s->seed, s->m->n); k > 0; k--) {
        int32_t i = check_below(&s->seed, s->m->n);
        set(s->m, i, i, 0.0);
    }
}

static void attack_pivots_scaled(attack_site *s)
{
    double power = attack_power(&s->seed);
    for (int32_t k = some(&s->seed, s->m->n); k > 0; k--) {
        int32_t p = check_below(&s->seed, s->m->n);
        scale_entry(s->m, s->pivot_row[p], s->pivot_col[p], power);
    }
}

static void attack_pivots_zero(attack_site *s)
{
    for (int32_t k = some(&s->seed, s->m->n); k > 0; k--) {
        int32_t p = check_below(&s->seed, s->m->n);
        set(s->m, s->pivot_row[p], s->pivot_col[p], 0.0);
    }
}

static void attack_coupled(attack_site *s)
{
    double e = pow(10.0, -draw_size(&s->seed));
    for (int32_t k = 1 + some(&s->seed, s->m->n); k > 0; k--) {
        int32_t p = check_below(&s->seed, s->m->n), q = check_below(&s->seed, s->m->nnz);
        if (check_below(&s->seed, 2))
            set(s->m, s->pivot_row[p], s->pivot_col[p], e);
        else
            s->m->x[q] = e;
    }
}

static void attack_beneath_scaled(attack_site *s)
{
    double power = attack_power(&s->seed);
    for (int32_t k = some(&s->seed, s->m->n); k > 0; k--) {
        int32_t p = check_below(&s->seed, s->m->n), j = s->pivot_col[p];
        for (int32_t q = s->m->ptr[j]; q < s->m->ptr[j + 1]; q++)
            if (s->m->idx[q] != s->pivot_row[p]) multiply(s->m, q, power);
    }
}

static void attack_beside_scaled(attack_site *s)
{
    double power = attack_power(&s->seed);
    for (int32_t k = some(&s->seed, s->m->n); k > 0; k--) {
        int32_t p = check_below(&s->seed, s->m->n), i = s->pivot_row[p], j = check_below(&s->seed, s->m->n);
        int one = check_below(&s->seed, 2);
        for (int32_t l = 0; l < s->m->n; l++)
            if (l != s->pivot_col[p] && (!one || l == j)) scale_entry(s->m, i, l, power);
    }
}

/* a_ij := a_ik a_kj / a_kk (1 + e) for a pivot (k, k) with entries below and beside it. */
static void cancel(attack_site *s, double e)
{
    test_matrix *m = s->m;
    for (int tries = 0, hits = some(&s->seed, m->n); tries < 40 && hits > 0; tries++) {
        int32_t p = check_below(&s->seed, m->n), k = s->pivot_row[p], l = s->pivot_col[p];
        int32_t i = m->idx[m->ptr[l] + check_below(&s->seed, m->ptr[l + 1] - m->ptr[l])];
        int32_t j = check_below(&s->seed, m->n);
        int pivot, below, beside, there;
        double akl = get(m, k, l, &pivot), ail = get(m, i, l, &below), akj = get(m, k, j, &beside);
        get(m, i, j, &there);
        if (i == k || j == l || !pivot || !below || !beside || !there || akl == 0.0) continue;
        set(m, i, j, ail * akj / akl * (1.0 + e));
        hits--;
    }
}

static void attack_cancel(attack_site *s)
{
    cancel(s, 0.0);
}

static void attack_cancel_nearly(attack_site *s)
{
    double k = 1 + check_below(&s->seed, 16);
    cancel(s, pow(10.0, -k));
}

/* Row i becomes factor times row k; what only one of them holds becomes 0. */
static void copy_row(attack_site *s, double e)
{
    test_matrix *m = s->m;
    int32_t i, k, column;
    double factor = check_below(&s->seed, 2) ? 1.0 : check_uniform(&s->seed) - 0.5;
    if (!draw_pair(s, &i, &k, &column)) return;
    for (int32_t j = 0; j < m->n; j++) {
        int here, there;
        double v = get(m, k, j, &there);
        get(m, i, j, &here);
        if (here) set(m, i, j, there ? v * factor * (1.0 + e * (check_uniform(&s->seed) - 0.5)) : 0.0);
        if (there && !here) set(m, k, j, 0.0);
    }
}

static void copy_column(attack_site *s, double e)
{
    test_matrix *m = s->m;
    int32_t q = check_below(&s->seed, m->nnz), i = m->idx[q], j = 0, start = check_below(&s->seed, m->n), l = -1;
    double factor = check_below(&s->seed, 2) ? 1.0 : check_uniform(&s->seed) - 0.5;
    while (m->ptr[j + 1] <= q) j++;
    for (int32_t k = 0; k < m->n && l < 0; k++) {
        int32_t c = (start + k) % m->n;
        int there;
        get(m, i, c, &there);
        if (there && c != j) l = c;
    }
    if (l < 0) return;
    for (int32_t r = 0; r < m->n; r++) {
        int here, there;
        double v = get(m, r, l, &there);
        get(m, r, j, &here);
        if (here) set(m, r, j, there ? v * factor * (1.0 + e * (check_uniform(&s->seed) - 0.5)) : 0.0);
        if (there && !here) set(m, r, l, 0.0);
    }
}

static void attack_rows_equal(attack_site *s)
{
    copy_row(s, 0.0);
}

static void attack_rows_nearly_equal(attack_site *s)
{
    double k = 1 + check_below(&s->seed, 16);
    copy_row(s, pow(10.0, -k));
}

static void attack_columns_equal(attack_site *s)
{
    copy_column(s, 0.0);
}

static void attack_columns_nearly_equal(attack_site *s)
{
    double k = 1 + check_below(&s->seed, 16);
    copy_column(s, pow(10.0, -k));
}

static void attack_rows_scaled(attack_site *s)
{
    double power = attack_power(&s->seed);
    for (int32_t k = some(&s->seed, s->m->n); k > 0; k--) scale_row(s->m, check_below(&s->seed, s->m->n), power);
}

static void attack_columns_scaled(attack_site *s)
{
    double power = attack_power(&s->seed);
    for (int32_t k = some(&s->seed, s->m->n); k > 0; k--) scale_column(s->m, check_below(&s->seed, s->m->n), power);
}

static void attack_graded(attack_site *s)
{
    double size = draw_size(&s->seed) / 2;
    for (int32_t k = 0; k < s->m->n; k++) {
        scale_row(s->m, k, pow(10.0, size * (2.0 * check_uniform(&s->seed) - 1.0)));
        scale_column(s->m, k, pow(10.0, size * (2.0 * check_uniform(&s->seed) - 1.0)));
    }
}

static void attack_all_scaled(attack_site *s)
{
    double power = attack_power(&s->seed);
    for (int32_t q = 0; q < s->m->nnz; q++) multiply(s->m, q, power);
}

static void scale_part(attack_site *s, int one_in, double size)
{
    for (int32_t q = 0; q < s->m->nnz; q++)
        if (check_below(&s->seed, one_in) == 0)
            multiply(s->m, q, pow(10.0, size * (2.0 * check_uniform(&s->seed) - 1.0)));
}

static void attack_quarter_scaled(attack_site *s)
{
    scale_part(s, 4, 8.0);
}

static void attack_quarter_far(attack_site *s)
{
    scale_part(s, 4, draw_size(&s->seed));
}

static void attack_all_far(attack_site *s)
{
    scale_part(s, 1, draw_size(&s->seed));
}

static void attack_signs(attack_site *s)
{
    for (int32_t q = 0; q < s->m->nnz; q++)
        if (check_below(&s->seed, 3) == 0) s->m->x[q] = -s->m->x[q];
}

static void attack_line_zero(attack_site *s)
{
    int32_t k = check_below(&s->seed, s->m->n);
    if (check_below(&s->seed, 2))
        scale_row(s->m, k, 0.0);
    else
        scale_column(s->m, k, 0.0);
}

static void attack_denormal(attack_site *s)
{
    for (int32_t q = 0, one_in = 1 + check_below(&s->seed, 8); q < s->m->nnz; q++)
        if (check_below(&s->seed, one_in) == 0) s->m->x[q] = DBL_MIN * (check_uniform(&s->seed) - 0.5);
}

static void attack_infinite(attack_site *s)
{
    s->m->x[check_below(&s->seed, s->m->nnz)] = check_below(&s->seed, 2) ? INFINITY : -INFINITY;
}

static void attack_not_a_number(attack_site *s)
{
    s->m->x[check_below(&s->seed, s->m->nnz)] = NAN;
}

void attack_apply(attack_site *site, attack_kind kind)
{
    static void (*const run[ATTACKS])(attack_site *) = {
#define ATTACK(name, what) attack_##name,
#include "attacks.def"
#undef ATTACK
    };
    run[kind](site);
}
