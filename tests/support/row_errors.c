/* Errors of long equations. See row_errors.h. Long sums are of __float128, or of a long double as wide; where there is
 * neither, of pairs of doubles (Ogita, Rump and Oishi, SIAM J. Sci. Comput. 26, 2005). Most of the time goes into them,
 * so that short ones are of long doubles. */
#include "row_errors.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#if LDBL_MANT_DIG >= 106
typedef long double exact;
#define SUMS_ARE_EXACT 1
#elif defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 exact;
#define SUMS_ARE_EXACT 1
#else
#define SUMS_ARE_EXACT 0
typedef struct exact {
    double high, low;
} exact;
#endif

/* Rows of more entries are long. */
enum { SHORT = 64 };

/* Of a row of op(a): b - op(a) x, by parts; |op(a)||x|; the largest |a_ij|. */
typedef struct row_sum {
    int32_t entries;
    exact rest[2];        /* of a long row, */
    long double brief[2]; /* of a short one */
    double weight, norm;
} row_sum;

#if SUMS_ARE_EXACT
static void add_product(exact *sum, double a, double x)
{
    *sum += (exact)a * (exact)x;
}

static exact exact_of(double a)
{
    return (exact)a;
}

static double rounded(exact a)
{
    return (double)a;
}
#else
static void add_product(exact *sum, double a, double x)
{
    double product = a * x, low = fma(a, x, -product), before = sum->high;
    sum->high = before + product;
    double back = sum->high - before;
    sum->low += (before - (sum->high - back)) + (product - back) + low;
}

static exact exact_of(double a)
{
    return (exact){a, 0.0};
}

static double rounded(exact a)
{
    return a.high + a.low;
}
#endif

/* Part k of the row's sum -= a x. */
static inline void subtract_product(row_sum *sum, int k, double a, double x)
{
    if (sum->entries <= SHORT)
        sum->brief[k] -= (long double)a * x;
    else
        add_product(&sum->rest[k], -a, x);
}

static double part_of(const row_sum *sum, int k)
{
    return sum->entries <= SHORT ? (double)sum->brief[k] : rounded(sum->rest[k]);
}

static double modulus(const double *z, int32_t doubles)
{
    return doubles == 1 ? fabs(z[0]) : hypot(z[0], z[1]);
}

/* sum -= a x. */
static void subtract_term(row_sum *sum, const double *a, const double *x, int32_t doubles, int conjugate)
{
    double size = modulus(a, doubles);
    subtract_product(sum, 0, a[0], x[0]);
    if (doubles == 2) {
        double imaginary = conjugate ? -a[1] : a[1];
        subtract_product(sum, 0, -imaginary, x[1]);
        subtract_product(sum, 1, a[0], x[1]);
        subtract_product(sum, 1, imaginary, x[0]);
    }
    sum->weight += size * modulus(x, doubles);
    sum->norm = fmax(sum->norm, size);
}

/* Of all rows. The caller frees them. */
static row_sum *sum_rows(const test_matrix *a, row_errors_op op, const double *b, const double *x)
{
    const int32_t d = test_matrix_doubles(a);
    row_sum *sums = calloc((size_t)a->n, sizeof *sums);
    for (int32_t j = 0; j < a->n; j++)
        for (int32_t q = a->ptr[j]; q < a->ptr[j + 1]; q++) sums[op == ROW_ERRORS_PLAIN ? a->idx[q] : j].entries++;
    for (int32_t i = 0; i < a->n; i++)
        for (int32_t k = 0; k < d; k++) {
            sums[i].rest[k] = exact_of(b[d * (int64_t)i + k]);
            sums[i].brief[k] = b[d * (int64_t)i + k];
        }
    for (int32_t j = 0; j < a->n; j++)
        for (int32_t q = a->ptr[j]; q < a->ptr[j + 1]; q++) {
            int32_t row = op == ROW_ERRORS_PLAIN ? a->idx[q] : j, col = op == ROW_ERRORS_PLAIN ? j : a->idx[q];
            subtract_term(&sums[row], a->x + d * (int64_t)q, x + d * (int64_t)col, d, op == ROW_ERRORS_CONJUGATE);
        }
    return sums;
}

row_errors row_errors_of(const test_matrix *a, row_errors_op op, const double *b, const double *x)
{
    const int32_t d = test_matrix_doubles(a);
    row_sum *sums = sum_rows(a, op, b, x);
    row_errors worst = {0.0, 0.0, -1};
    double largest = 0.0;
    for (int32_t i = 0; i < a->n; i++) largest = fmax(largest, modulus(x + d * (int64_t)i, d));
    for (int32_t i = 0; i < a->n; i++) {
        const row_sum *s = &sums[i];
        double part[2] = {part_of(s, 0), part_of(s, 1)}, rest = modulus(part, d), size = modulus(b + d * (int64_t)i, d),
               whole = s->norm * largest, first = s->weight + size;
        if (rest == 0.0) continue;
        double small = 1000.0 * a->n * DBL_EPSILON * (whole + size), of = first > small ? first : s->weight + whole;
        if (!(rest <= worst.whole * (whole + size))) worst.whole = rest / (whole + size), worst.row = i;
        if (!(rest <= worst.componentwise * of)) worst.componentwise = rest / of;
    }
    free(sums);
    return worst;
}

void row_products(const test_matrix *a, row_errors_op op, const double *x, double *b)
{
    const int32_t d = test_matrix_doubles(a);
    for (int64_t k = 0; k < d * (int64_t)a->n; k++) b[k] = 0.0;
    for (int32_t j = 0; j < a->n; j++)
        for (int32_t q = a->ptr[j]; q < a->ptr[j + 1]; q++) {
            int32_t row = op == ROW_ERRORS_PLAIN ? a->idx[q] : j, col = op == ROW_ERRORS_PLAIN ? j : a->idx[q];
            const double *v = a->x + d * (int64_t)q, *y = x + d * (int64_t)col;
            double *sum = b + d * (int64_t)row, imaginary = d == 1 ? 0.0 : op == ROW_ERRORS_CONJUGATE ? -v[1] : v[1];
            sum[0] += v[0] * y[0] - (d == 1 ? 0.0 : imaginary * y[1]);
            if (d == 2) sum[1] += v[0] * y[1] + imaginary * y[0];
        }
}
