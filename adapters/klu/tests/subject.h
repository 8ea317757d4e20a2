/* Matrices for tests of the drop-in, for the variant being compiled: made at random, multiplied, and taken apart
 * densely. Everything is computed in complex numbers, whose imaginary parts are 0 where the variant is real. */
#ifndef WK_TESTS_SUBJECT_H
#define WK_TESTS_SUBJECT_H

#include "../klu_abi.h"
#include "check.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#ifdef WK_COMPLEX
enum { DOUBLES = 2 };
#else
enum { DOUBLES = 1 };
#endif

/* Of the largest ones programs replay, even of a few entries a column. */
enum { MOST = 80 };

typedef struct subject {
    wk_int n, Ap[MOST + 1], Ai[MOST * MOST];
    double Ax[MOST * MOST * DOUBLES];
} subject;

static inline double uniform(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) * 0x1p-53 - 0.5;
}

static inline double _Complex number(const double *x, int64_t k)
{
    return DOUBLES == 2 ? CMPLX(x[2 * k], x[DOUBLES * k + DOUBLES - 1]) : x[k];
}

/* New values: pivots of the diagonal that are large by chance, or all of one size. */
static inline void fill(subject *a, uint64_t *seed, double diagonal)
{
    for (wk_int j = 0; j < a->n; j++)
        for (wk_int p = a->Ap[j]; p < a->Ap[j + 1]; p++)
            for (int d = 0; d < DOUBLES; d++) a->Ax[DOUBLES * p + d] = uniform(seed) * (a->Ai[p] == j ? diagonal : 1.0);
}

/* A matrix with about so many entries in a column beside a permuted diagonal; blocks: upper block triangular. Rows of a
 * column stand in no order. */
static inline void make(subject *a, uint64_t *seed, wk_int n, int entries, int blocks)
{
    wk_int shift = uniform(seed) > 0.0 ? 0 : n / 2;
    a->n = n;
    a->Ap[0] = 0;
    for (wk_int j = 0; j < n; j++) {
        char used[MOST] = {0};
        wk_int at = a->Ap[j], top = blocks ? (j / 5 + 1) * 5 : n;
        if (top > n) top = n;
        wk_int own = blocks ? j : (j + shift) % n;
        used[own] = 1;
        a->Ai[at++] = own;
        for (int e = 0; e < entries; e++) {
            wk_int i = (wk_int)((uniform(seed) + 0.5) * (double)top);
            if (used[i]) continue;
            used[i] = 1;
            a->Ai[at++] = i;
        }
        wk_int swap = a->Ai[at - 1];
        a->Ai[at - 1] = a->Ai[a->Ap[j]];
        a->Ai[a->Ap[j]] = swap;
        a->Ap[j + 1] = at;
    }
    fill(a, seed, 8.0);
}

/* The largest |b - op(A) x| over max|a| max|x| + max|b|. kind: 0 for A, 1 for A', 2 for A^H. */
static inline double residual(const subject *a, int kind, const double *x, const double *b)
{
    double _Complex r[MOST];
    double largest_a = 0.0, largest_x = 0.0, largest_b = 0.0, worst = 0.0;
    for (wk_int i = 0; i < a->n; i++) {
        r[i] = number(b, i);
        largest_b = fmax(largest_b, cabs(r[i]));
        largest_x = fmax(largest_x, cabs(number(x, i)));
    }
    for (wk_int j = 0; j < a->n; j++)
        for (wk_int p = a->Ap[j]; p < a->Ap[j + 1]; p++) {
            double _Complex v = number(a->Ax, p);
            largest_a = fmax(largest_a, cabs(v));
            if (kind == 0)
                r[a->Ai[p]] -= v * number(x, j);
            else
                r[j] -= (kind == 2 ? conj(v) : v) * number(x, a->Ai[p]);
        }
    for (wk_int i = 0; i < a->n; i++) {
        if (!(cabs(r[i]) <= worst)) worst = cabs(r[i]);
    }
    return worst / (largest_a * largest_x + largest_b);
}

/* The determinant, and in inverse the inverse by columns. Gauss and Jordan with row exchanges. */
static inline double _Complex take_apart(const subject *a, double _Complex inverse[MOST][MOST])
{
    static double _Complex m[MOST][2 * MOST];
    double _Complex determinant = 1.0;
    const wk_int n = a->n;
    memset(m, 0, sizeof m);
    for (wk_int j = 0; j < n; j++) {
        m[j][n + j] = 1.0;
        for (wk_int p = a->Ap[j]; p < a->Ap[j + 1]; p++) m[a->Ai[p]][j] = number(a->Ax, p);
    }
    for (wk_int k = 0; k < n; k++) {
        wk_int best = k;
        for (wk_int i = k + 1; i < n; i++)
            if (cabs(m[i][k]) > cabs(m[best][k])) best = i;
        for (wk_int j = 0; j < 2 * n && best != k; j++) {
            double _Complex t = m[k][j];
            m[k][j] = m[best][j];
            m[best][j] = t;
        }
        const double _Complex pivot = m[k][k];
        determinant *= best != k ? -pivot : pivot;
        for (wk_int j = 0; j < 2 * n; j++) m[k][j] /= pivot;
        for (wk_int i = 0; i < n; i++) {
            const double _Complex l = m[i][k];
            for (wk_int j = 0; j < 2 * n && i != k; j++) m[i][j] -= l * m[k][j];
        }
    }
    for (wk_int i = 0; i < n; i++)
        for (wk_int j = 0; j < n; j++) inverse[i][j] = m[i][n + j];
    return determinant;
}

/* 1 for an even permutation, -1 for an odd one. */
static inline double sign_of(wk_int n, const wk_int *order)
{
    double sign = 1.0;
    for (wk_int i = 0; i < n; i++)
        for (wk_int k = i + 1; k < n; k++)
            if (order[k] < order[i]) sign = -sign;
    return sign;
}

/* Transposed solves have another argument where numbers are complex. */
static inline wk_flag solve_transposed(wk_symbolic *s, wk_numeric *f, wk_int ldim, wk_int nrhs, double *B,
                                       int conjugate, wk_common *c)
{
#ifdef WK_COMPLEX
    return WK_NAME(tsolve)(s, f, ldim, nrhs, B, conjugate, c);
#else
    (void)conjugate;
    return WK_NAME(tsolve)(s, f, ldim, nrhs, B, c);
#endif
}

#endif
