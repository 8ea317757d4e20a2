/* Dense oracles. See dense.h. */
#include "dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AT(a, i, j) (a)[(size_t)(j) * (size_t)n + (size_t)(i)]

double *test_dense_permuted(int32_t n, const double *a, const wlu_pivots *p)
{
    double *m = calloc((size_t)n * (size_t)n, sizeof *m);
    for (int32_t l = 0; l < n; l++)
        for (int32_t k = 0; k < n; k++)
            AT(m, k, l) = ldexp(AT(a, p->row[k], p->col[l]), wlu_pivots_exponent(p, p->row[k], p->col[l]));
    return m;
}

unsigned char *test_dense_symbolic(const wlu_pattern *a, const wlu_pivots *p, int64_t *terms, int32_t *height)
{
    int32_t n = p->n, *depth = calloc((size_t)n + 1, sizeof *depth);
    unsigned char *s = calloc((size_t)n * (size_t)n, 1);
    for (int32_t j = 0; j < n; j++)
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) AT(s, p->row_pos[a->i[e]], p->col_pos[j]) = 1;
    *terms = 0;
    *height = 0;
    for (int32_t b = 0; b < p->nblocks; b++)
        for (int32_t k = p->block[b]; k < p->block[b + 1]; k++) {
            depth[k]++;
            if (depth[k] > *height) *height = depth[k];
            for (int32_t j = k + 1; j < p->block[b + 1]; j++) {
                if ((AT(s, k, j) || AT(s, j, k)) && depth[j] < depth[k]) depth[j] = depth[k];
                if (!AT(s, k, j)) continue;
                for (int32_t i = k + 1; i < p->block[b + 1]; i++) {
                    if (!AT(s, i, k)) continue;
                    AT(s, i, j) = 1;
                    ++*terms;
                }
            }
        }
    free(depth);
    return s;
}

long double *test_dense_lu(int32_t n, const double *m, const wlu_pivots *p)
{
    long double *w = malloc((size_t)n * (size_t)n * sizeof *w);
    for (size_t k = 0; k < (size_t)n * (size_t)n; k++) w[k] = m[k];
    for (int32_t b = 0; b < p->nblocks; b++)
        for (int32_t k = p->block[b]; k < p->block[b + 1]; k++)
            for (int32_t i = k + 1; i < p->block[b + 1]; i++) {
                AT(w, i, k) /= AT(w, k, k);
                for (int32_t j = k + 1; j < p->block[b + 1]; j++) AT(w, i, j) -= AT(w, i, k) * AT(w, k, j);
            }
    return w;
}

/* (L U + F)(i, j) and its magnitude. */
static long double product(int32_t n, const double *lu, const int32_t *block_of, int32_t i, int32_t j,
                           long double *magnitude)
{
    long double sum = AT(lu, i, j), size = fabsl(sum);
    if (block_of[i] == block_of[j]) {
        int32_t least = i < j ? i : j, first = least;
        while (first > 0 && block_of[first - 1] == block_of[least]) first--;
        if (i > j) { /* l_ij u_jj, the last term, is not a plain entry */
            sum = (long double)AT(lu, i, j) * AT(lu, j, j);
            size = fabsl(sum);
        }
        for (int32_t k = first; k < least; k++) {
            long double t = (long double)AT(lu, i, k) * AT(lu, k, j);
            sum += t;
            size += fabsl(t);
        }
    }
    *magnitude = size;
    return sum;
}

static int32_t *blocks_of(const wlu_pivots *p)
{
    int32_t *of = malloc(((size_t)p->n + 1) * sizeof *of);
    for (int32_t b = 0; b < p->nblocks; b++)
        for (int32_t k = p->block[b]; k < p->block[b + 1]; k++) of[k] = b;
    return of;
}

static void raise(double *worst, long double error, long double size)
{
    if (error == 0.0L) return;
    double ratio = (double)(error / size);
    if (!(ratio <= *worst)) *worst = ratio;
}

double test_dense_factor_error(int32_t n, const double *m, const double *lu, const wlu_pivots *p)
{
    int32_t *of = blocks_of(p);
    double worst = 0.0;
    for (int32_t j = 0; j < n; j++)
        for (int32_t i = 0; i < n; i++) {
            long double size, sum = product(n, lu, of, i, j, &size);
            raise(&worst, fabsl(sum - AT(m, i, j)), size + fabsl(AT(m, i, j)));
        }
    free(of);
    return worst;
}

double test_dense_solve_error(int32_t n, const double *a, const double *lu, const wlu_pivots *p, int transposed,
                              const double *b, const double *x)
{
    int32_t *of = blocks_of(p);
    double worst = 0.0;
    long double *r = calloc((size_t)n, sizeof *r), *weight = calloc((size_t)n, sizeof *weight);
    for (int32_t l = 0; l < n; l++)
        for (int32_t k = 0; k < n; k++) {
            int32_t i = p->row[k], j = p->col[l];
            long double size;
            product(n, lu, of, k, l, &size);
            size = ldexpl(size, -wlu_pivots_exponent(p, i, j));
            r[transposed ? j : i] -= (long double)AT(a, i, j) * x[transposed ? i : j];
            weight[transposed ? j : i] += size * fabsl(x[transposed ? i : j]);
        }
    for (int32_t i = 0; i < n; i++) raise(&worst, fabsl(r[i] + b[i]), weight[i] + fabsl(b[i]));
    free(r);
    free(weight);
    free(of);
    return worst;
}

double test_dense_backward_error(int32_t n, const double *a, int transposed, const double *b, const double *x)
{
    double worst = 0.0;
    long double xmax = 0.0L;
    for (int32_t i = 0; i < n; i++) xmax = fmaxl(xmax, fabsl((long double)x[i]));
    for (int32_t i = 0; i < n; i++) {
        long double r = b[i], weight = 0.0L, norm = 0.0L, size = fabsl((long double)b[i]);
        for (int32_t j = 0; j < n; j++) {
            long double aij = transposed ? AT(a, j, i) : AT(a, i, j);
            r -= aij * x[j];
            weight += fabsl(aij * x[j]);
            if (fabsl(aij) > norm) norm = fabsl(aij); /* of a NaN r says */
        }
        if (!isfinite((double)r) || !isfinite(x[i])) return INFINITY;
        int tiny = weight + size <= 1000.0L * n * DBL_EPSILON * (norm * xmax + size);
        raise(&worst, fabsl(r), tiny ? weight + norm * xmax : weight + size);
    }
    return worst;
}

/* Exchanges rows i and k, and columns j and k, of w. */
static void exchange(int32_t n, long double *w, int32_t i, int32_t j, int32_t k)
{
    for (int32_t c = 0; c < n && i != k; c++) {
        long double t = AT(w, i, c);
        AT(w, i, c) = AT(w, k, c);
        AT(w, k, c) = t;
    }
    for (int32_t r = 0; r < n && j != k; r++) {
        long double t = AT(w, r, j);
        AT(w, r, j) = AT(w, r, k);
        AT(w, r, k) = t;
    }
}

static void find_largest(int32_t n, const long double *w, int32_t k, int32_t *row, int32_t *col)
{
    *row = *col = k;
    for (int32_t j = k; j < n; j++)
        for (int32_t i = k; i < n; i++)
            if (fabsl(AT(w, i, j)) > fabsl(AT(w, *row, *col))) {
                *row = i;
                *col = j;
            }
}

/* One step of Gauss-Jordan in place. */
static void sweep(int32_t n, long double *w, int32_t k)
{
    long double pivot = AT(w, k, k);
    AT(w, k, k) = 1.0L;
    for (int32_t j = 0; j < n; j++) AT(w, k, j) /= pivot;
    for (int32_t i = 0; i < n; i++) {
        long double l = AT(w, i, k);
        if (i == k || l == 0.0L) continue;
        AT(w, i, k) = 0.0L;
        for (int32_t j = 0; j < n; j++) AT(w, i, j) -= l * AT(w, k, j);
    }
}

/* The mean exponent of a row or column, which is count numbers, step apart. */
static int mean_exponent(int32_t count, const long double *w, size_t step)
{
    int sum = 0, entries = 0;
    for (int32_t k = 0; k < count; k++) {
        int e;
        if (w[(size_t)k * step] == 0.0L) continue;
        frexpl(w[(size_t)k * step], &e);
        sum += e;
        entries++;
    }
    return entries > 0 ? sum / entries : 0;
}

/* Takes powers of two out of rows and columns until their mean magnitudes are near 1, whatever scales they came with.
 */
static void equilibrate(int32_t n, long double *w, int *row, int *col)
{
    for (int32_t k = 0; k < n; k++) row[k] = col[k] = 0;
    for (int round = 0; round < 40; round++) {
        for (int32_t i = 0; i < n; i++) {
            int e = mean_exponent(n, &AT(w, i, 0), (size_t)n);
            for (int32_t j = 0; j < n; j++) AT(w, i, j) = ldexpl(AT(w, i, j), -e);
            row[i] += e;
        }
        for (int32_t j = 0; j < n; j++) {
            int e = mean_exponent(n, &AT(w, 0, j), 1);
            for (int32_t i = 0; i < n; i++) AT(w, i, j) = ldexpl(AT(w, i, j), -e);
            col[j] += e;
        }
    }
}

/* In place; 0 if no pivot is left. */
static int invert(int32_t n, long double *w, int32_t *row, int32_t *col, long double *mantissa, int64_t *exponent)
{
    for (int32_t k = 0; k < n; k++) {
        int e;
        find_largest(n, w, k, &row[k], &col[k]);
        exchange(n, w, row[k], col[k], k);
        *mantissa = frexpl(*mantissa * AT(w, k, k) * ((row[k] != k) != (col[k] != k) ? -1.0L : 1.0L), &e);
        *exponent += e;
        if (AT(w, k, k) == 0.0L) return 0;
        sweep(n, w, k);
    }
    for (int32_t k = n - 1; k >= 0; k--) exchange(n, w, col[k], row[k], k);
    return 1;
}

/* x += x (1 - a x): with what is left of elimination's errors, a componentwise small error, as refinement gives. */
static void refine(int32_t n, const double *a, long double *x)
{
    size_t nn = (size_t)n * (size_t)n;
    long double *r = calloc(nn, sizeof *r), *y = malloc(nn * sizeof *y);
    memcpy(y, x, nn * sizeof *y);
    for (int32_t j = 0; j < n; j++) {
        AT(r, j, j) = 1.0L;
        for (int32_t k = 0; k < n; k++)
            for (int32_t i = 0; i < n; i++) AT(r, i, j) -= AT(a, i, k) * AT(x, k, j);
    }
    for (int32_t j = 0; j < n; j++)
        for (int32_t k = 0; k < n; k++)
            for (int32_t i = 0; i < n; i++) AT(y, i, j) += AT(x, i, k) * AT(r, k, j);
    memcpy(x, y, nn * sizeof *y);
    free(r);
    free(y);
}

long double *test_dense_inverse(int32_t n, const double *a, long double *mantissa, int64_t *exponent)
{
    size_t m = (size_t)n;
    long double *w = malloc(m * m * sizeof *w);
    int32_t *row = malloc(m * sizeof *row), *col = malloc(m * sizeof *col);
    int *row_exponent = malloc(m * sizeof *row_exponent), *col_exponent = malloc(m * sizeof *col_exponent);
    for (size_t q = 0; q < m * m; q++) w[q] = a[q];
    equilibrate(n, w, row_exponent, col_exponent);
    *mantissa = 1.0L;
    *exponent = 0;
    for (int32_t k = 0; k < n; k++) *exponent += row_exponent[k] + col_exponent[k];
    if (invert(n, w, row, col, mantissa, exponent)) {
        for (int32_t j = 0; j < n; j++)
            for (int32_t i = 0; i < n; i++) AT(w, i, j) = ldexpl(AT(w, i, j), -col_exponent[i] - row_exponent[j]);
        for (int step = 0; step < 3; step++) refine(n, a, w);
    } else {
        free(w);
        w = NULL;
    }
    free(row);
    free(col);
    free(row_exponent);
    free(col_exponent);
    return w;
}
