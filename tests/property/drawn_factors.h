/* Factors that were never computed: patterns, magnitudes and counts of roundings drawn at random, for tests of what
 * follows from them. */
#ifndef WLU_DRAWN_FACTORS_H
#define WLU_DRAWN_FACTORS_H

#include "check.h"

#include "numerics/bound.h"

#include <math.h>
#include <string.h>

enum { N = 24, MOST = N * N };

/* Patterns and magnitudes by position, all at the caller's places too. A has a diagonal, which is what is largest in
 * its rows and columns; F is anywhere above it. */
typedef struct drawn {
    wlu_bounded_factors p;
    wlu_pattern a;
    int32_t at[N + 1], li[MOST], ui[MOST], fi[MOST], block[2];
    int16_t exponent[N], col_exponent[N];
    double unit[N], l[MOST], u[MOST], f[MOST], pivot[N], outer[N], crossing[N], sums[2][N], loads[2][N], entries[N];
    int64_t lp[N + 1], up[N + 1], fp[N + 1];
} drawn;

static double draw_magnitude(uint64_t *seed)
{
    return check_below(seed, 8) == 0 ? 0.0 : pow(10.0, 4.0 * check_uniform(seed) - 3.5);
}

static void draw_factors(drawn *d, uint64_t *seed)
{
    double density = check_uniform(seed);
    int scaled = check_below(seed, 2), long_sums = check_below(seed, 2);
    memset(d, 0, sizeof *d);
    for (int32_t j = 0; j < N; j++) {
        d->at[j] = j;
        d->exponent[j] = (int16_t)(check_below(seed, 9) - 4);
        d->col_exponent[j] = (int16_t)(check_below(seed, 9) - 4);
        d->unit[j] = ldexp(1.0, check_below(seed, 9) - 4);
        d->pivot[j] = 0.01 + draw_magnitude(seed);
        d->outer[j] = check_below(seed, N);
        d->crossing[j] = check_below(seed, N);
        d->entries[j] = 1.0;
        for (int k = 0; k < 2; k++) d->sums[k][j] = check_below(seed, N);
        if (long_sums && check_below(seed, 4) == 0) d->sums[0][j] = pow(10.0, 2.0 + 3.5 * check_uniform(seed));
        for (int32_t i = 0; i < N; i++) {
            if (i == j || !(check_uniform(seed) < density)) continue;
            int64_t *end = i > j ? &d->lp[j + 1] : &d->up[j + 1];
            *(i > j ? &d->l[*end] : &d->u[*end]) = draw_magnitude(seed);
            *(i > j ? &d->li[*end] : &d->ui[*end]) = i;
            ++*end;
        }
        for (int32_t i = 0; i < j; i++) {
            if (check_below(seed, 8) != 0) continue;
            d->f[d->fp[j + 1]] = draw_magnitude(seed);
            d->fi[d->fp[j + 1]++] = i;
            d->loads[0][i]++;
            d->loads[1][j]++;
        }
        if (j + 2 <= N) d->lp[j + 2] = d->lp[j + 1];
        if (j + 2 <= N) d->up[j + 2] = d->up[j + 1];
        if (j + 2 <= N) d->fp[j + 2] = d->fp[j + 1];
    }
    d->block[1] = d->at[N] = N;
    d->a = (wlu_pattern){.n = N, .nnz = N, .nvalues = N, .doubles = 1, .p = d->at, .i = d->at};
    d->p = (wlu_bounded_factors){.a = &d->a,
                                 .nblocks = 1,
                                 .block = d->block,
                                 .row = d->at,
                                 .col = d->at,
                                 .row_pos = d->at,
                                 .col_pos = d->at,
                                 .exponent = d->exponent,
                                 .col_exponent = scaled ? d->col_exponent : NULL,
                                 .row_unit = d->unit,
                                 .row_largest = d->at,
                                 .col_largest = d->at,
                                 .lp = d->lp,
                                 .up = d->up,
                                 .fp = d->fp,
                                 .li = d->li,
                                 .ui = d->ui,
                                 .fi = d->fi};
}

/* What the loads of row i come to, over the promise, by their count: where the largest entry stands for all. */
static double loads_by_count(const drawn *d, int transposed, int32_t i)
{
    return 0x1p-53 * (d->loads[transposed][i] * (d->sums[0][i] + 1.0) + d->entries[i] + 1.0) / 1e-10;
}

/* The worst of all rows. */
static double worst_loads(const drawn *d, int transposed)
{
    double worst = 0.0;
    for (int32_t i = 0; i < N; i++) worst = fmax(worst, loads_by_count(d, transposed, i));
    return worst;
}

/* The part of the promise that factors may take: what loads leave, where these take more than 0.09 and less than half
 * of it. */
static double share_of_factors(const drawn *d, int transposed)
{
    double worst = worst_loads(d, transposed);
    return worst > 0.09 && worst <= 0.5 ? 0.99 - worst : 0.9;
}

static wlu_rounds rounds_of(drawn *d, int transposed)
{
    return (wlu_rounds){d->outer, d->crossing, d->sums[0], d->sums[1], d->loads[transposed], d->entries};
}

#endif
