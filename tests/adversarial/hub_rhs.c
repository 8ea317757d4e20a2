/* Right-hand sides for hubs. See hub_rhs.h. */
#include "hub_rhs.h"

#include "draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum rhs_form {
    RHS_SUMS_UP,   /* x of a hub's line has its signs */
    RHS_RISES,     /* the same in its first half, the other signs in the second */
    RHS_BALANCED,  /* random x for which a hub's line is 0 but for itself */
    RHS_OF_SIGNS,  /* x of signs */
    RHS_UNIFORM,   /* x in -1 .. 1 */
    RHS_HUB_ALONE, /* x 0 but for hubs */
    RHS_ONES,      /* b */
    RHS_ONE,       /* b: 0 but for an entry */
    RHS_FORMS
} rhs_form;

static double draw_number(uint64_t *seed, rhs_form form)
{
    return form == RHS_OF_SIGNS ? draw_sign(seed) : draw_between(seed, -1.0, 1.0);
}

/* The place of entry q of column j that is in line `at` of op(A), or -1. */
static int32_t place_in_line(const hub_matrix *h, row_errors_op op, int32_t at, int32_t j, int32_t q)
{
    int32_t row = h->m.idx[q];
    if (op == ROW_ERRORS_PLAIN) return row == at ? j : -1;
    return j == at ? row : -1;
}

/* x of an entry a under which their product is |a|; its size is 1. */
static void put_sign(const double *a, int32_t doubles, int conjugate, double sign, double *x)
{
    double size = doubles == 1 ? fabs(a[0]) : hypot(a[0], a[1]);
    if (size == 0.0) size = 1.0;
    x[0] = sign * a[0] / size;
    if (doubles == 2) x[1] = (conjugate ? sign : -sign) * a[1] / size;
}

static void follow_line(const hub_matrix *h, row_errors_op op, int32_t at, rhs_form form, double *x)
{
    const test_matrix *m = &h->m;
    const int32_t d = test_matrix_doubles(m);
    for (int32_t j = 0; j < m->n; j++)
        for (int32_t q = m->ptr[j]; q < m->ptr[j + 1]; q++) {
            int32_t place = place_in_line(h, op, at, j, q);
            if (place < 0 || place == at) continue;
            double sign = form == RHS_RISES && place >= m->n / 2 ? -1.0 : 1.0;
            put_sign(m->x + d * (int64_t)q, d, op == ROW_ERRORS_CONJUGATE, sign, x + d * (int64_t)place);
        }
}

/* Takes from each x of the line its part of what the line comes to. */
static void balance_line(const hub_matrix *h, row_errors_op op, int32_t at, double *x)
{
    const test_matrix *m = &h->m;
    const int32_t d = test_matrix_doubles(m);
    double sum[2] = {0.0, 0.0}, all = 0.0, sign[2] = {0.0, 0.0};
    for (int pass = 0; pass < 2; pass++)
        for (int32_t j = 0; j < m->n; j++)
            for (int32_t q = m->ptr[j]; q < m->ptr[j + 1]; q++) {
                int32_t place = place_in_line(h, op, at, j, q);
                if (place < 0 || place == at) continue;
                const double *a = m->x + d * (int64_t)q;
                double *y = x + d * (int64_t)place, im = d == 1 ? 0.0 : op == ROW_ERRORS_CONJUGATE ? -a[1] : a[1];
                put_sign(a, d, op == ROW_ERRORS_CONJUGATE, 1.0, sign);
                if (pass == 0) {
                    all += d == 1 ? fabs(a[0]) : hypot(a[0], a[1]);
                    sum[0] += a[0] * y[0] - (d == 1 ? 0.0 : im * y[1]);
                    sum[1] += d == 1 ? 0.0 : a[0] * y[1] + im * y[0];
                } else if (all > 0.0) {
                    y[0] -= (sign[0] * sum[0] - sign[1] * sum[1]) / all;
                    if (d == 2) y[1] -= (sign[0] * sum[1] + sign[1] * sum[0]) / all;
                }
            }
}

static void draw_solution(const hub_matrix *h, uint64_t *seed, row_errors_op op, rhs_form form, double *x)
{
    const int32_t d = test_matrix_doubles(&h->m), at = h->at[check_below(seed, h->hubs)];
    for (int64_t k = 0; k < d * (int64_t)h->m.n; k++) x[k] = form == RHS_HUB_ALONE ? 0.0 : draw_number(seed, form);
    for (int32_t g = 0; g < h->hubs && form != RHS_UNIFORM; g++) {
        memset(x + d * (int64_t)h->at[g], 0, (size_t)d * sizeof *x);
        x[d * (int64_t)h->at[g]] = 1.0;
    }
    if (form == RHS_SUMS_UP || form == RHS_RISES) follow_line(h, op, at, form, x);
    if (form == RHS_BALANCED) balance_line(h, op, at, x);
}

void hub_draw_rhs(const hub_matrix *h, uint64_t *seed, row_errors_op op, double *b)
{
    const int64_t d = test_matrix_doubles(&h->m), n = d * h->m.n;
    rhs_form form = (rhs_form)check_below(seed, RHS_FORMS);
    if (form == RHS_ONES || form == RHS_ONE) {
        for (int64_t k = 0; k < n; k++) b[k] = form == RHS_ONES;
        b[d * h->at[check_below(seed, h->hubs)]] = form == RHS_ONE ? 1.0 : draw_between(seed, -2.0, 2.0);
        return;
    }
    double *x = malloc((size_t)n * sizeof *x);
    draw_solution(h, seed, op, form, x);
    row_products(&h->m, op, x, b);
    free(x);
}
