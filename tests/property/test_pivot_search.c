/* Pivot search on random matrices: permutations, patterns, counts and height against dense symbolic elimination;
 * the threshold and the preference for the diagonal against a dense LU in extended precision. */
#include "check.h"

#include "support/build.h"
#include "support/dense.h"
#include "support/options.h"

#include <math.h>
#include <string.h>

enum { NMAX = 48, TRIES = 600 };

static uint64_t seed;

static warplu_options random_options(void)
{
    static const double tolerances[] = {0.001, 0.1, 1.0, 0.0};
    warplu_options o;
    check_init_options(&o);
    o.ordering = (warplu_ordering)check_below(&seed, 4); /* AUTO, NATURAL, AMD, COLAMD */
    o.btf = check_below(&seed, 2);
    o.scaling = (warplu_scaling)check_below(&seed, 3);
    o.matching = (warplu_matching)check_below(&seed, 3);
    o.pivot_tolerance = tolerances[check_below(&seed, 4)];
    return o;
}

static void check_permutations(const wlu_pivots *p)
{
    char row[NMAX] = {0}, col[NMAX] = {0};
    for (int32_t k = 0; k < p->n; k++) {
        CHECK(p->row[k] >= 0 && p->row[k] < p->n && !row[p->row[k]]++);
        CHECK(p->col[k] >= 0 && p->col[k] < p->n && !col[p->col[k]]++);
        CHECK(p->row_pos[p->row[k]] == k && p->col_pos[p->col[k]] == k);
    }
    CHECK(p->nblocks >= 1 && p->block[0] == 0 && p->block[p->nblocks] == p->n);
    for (int32_t b = 0; b < p->nblocks; b++) CHECK(p->block[b] < p->block[b + 1]);
}

static int32_t block_of(const wlu_pivots *p, int32_t k)
{
    int32_t b = 0;
    while (k >= p->block[b + 1]) b++;
    return b;
}

/* The three lists against the dense pattern: ascending, nothing missing, nothing too much. */
static void check_patterns(const wlu_pivots *p, const unsigned char *dense)
{
    for (int32_t j = 0; j < p->n; j++) {
        int64_t l = p->lp[j], u = p->up[j], f = p->fp[j];
        int32_t begin = p->block[block_of(p, j)];
        for (int32_t i = 0; i < p->n; i++) {
            int there = dense[(size_t)j * (size_t)p->n + (size_t)i], listed;
            if (i == j) continue;
            if (i > j)
                listed = l < p->lp[j + 1] && p->li[l] == i && ++l > 0;
            else if (i >= begin)
                listed = u < p->up[j + 1] && p->ui[u] == i && ++u > 0;
            else
                listed = f < p->fp[j + 1] && p->fi[f] == i && ++f > 0;
            CHECK_SAY(there == listed, "(%d, %d): dense %d, listed %d", i, j, there, listed);
        }
        CHECK(l == p->lp[j + 1] && u == p->up[j + 1] && f == p->fp[j + 1]);
    }
}

static const wlu_candidate *candidate_of(const wlu_analysis *an, const wlu_pivots *p)
{
    CHECK(p->candidate < an->ncandidates && an->candidate[p->candidate].ordering == p->ordering);
    return &an->candidate[p->candidate];
}

/* The row that is meant for each position when its turn comes: where another took its place, the one that was meant
 * there is meant for that row's own. Freed by the caller. */
static int32_t *find_meant(const wlu_pivots *p, const wlu_candidate *c)
{
    int32_t *meant = malloc((size_t)p->n * sizeof *meant), *place = malloc((size_t)p->n * sizeof *place);
    CHECK(meant != NULL && place != NULL);
    memcpy(meant, c->row, (size_t)p->n * sizeof *meant);
    for (int32_t k = 0; k < p->n; k++) place[c->row[k]] = k;
    for (int32_t k = 0; k < p->n; k++) {
        int32_t at = place[p->row[k]];
        if (at == k) continue;
        meant[at] = meant[k];
        place[meant[at]] = at;
    }
    free(place);
    return meant;
}

/* Every |l| within the threshold; a pivot beside the diagonal is at least a tenth of the largest,
 * and the diagonal was too small. */
static void check_threshold(const test_build *t, const long double *lu)
{
    const wlu_pivots *p = t->pivots;
    const wlu_candidate *c = candidate_of(t->analysis, p);
    double tolerance = t->options.pivot_tolerance;
    int32_t *meant = find_meant(p, c);
    size_t n = (size_t)p->n;
    for (int32_t k = 0; k < p->n; k++) {
        int32_t diagonal = p->row_pos[meant[k]];
        int kept = p->row[k] == meant[k];
        double limit = 1.0 / (kept ? tolerance : fmax(tolerance, 0.1));
        CHECK(c->col[k] == p->col[k]);
        for (int64_t q = p->lp[k]; q < p->lp[k + 1]; q++) {
            double l = (double)fabsl(lu[(size_t)k * n + (size_t)p->li[q]]);
            CHECK_SAY(l <= limit * (1 + 1e-6), "column %d: |l| = %g, kept %d, tolerance %g", k, l, kept, tolerance);
            if (!kept && p->li[q] == diagonal && l > 0.0)
                CHECK_SAY(l < 10.0 * tolerance * (1 + 1e-6), "column %d: the diagonal is %g of the pivot", k, l);
        }
    }
    free(meant);
}

/* The largest magnitude of a column's entries in the block that begins there, scaled. */
static double largest_in_block(const test_build *t, int32_t k, int32_t begin, int32_t end)
{
    const wlu_pivots *p = t->pivots;
    double largest = 0.0;
    for (int32_t i = begin; i < end; i++) {
        double a = fabs(t->dense[(size_t)p->col[k] * (size_t)p->n + (size_t)p->row[i]]);
        largest = fmax(largest, ldexp(a, wlu_pivots_exponent(p, p->row[i], p->col[k])));
    }
    return largest;
}

/* Growth is a bound from below, the largest entries known to a factor of two. */
static void check_growth(const test_build *t, const long double *lu)
{
    const wlu_pivots *p = t->pivots;
    double growth = 1.0;
    for (int32_t b = 0; b < p->nblocks; b++)
        for (int32_t k = p->block[b]; k < p->block[b + 1]; k++) {
            double u = (double)fabsl(lu[(size_t)k * (size_t)p->n + (size_t)k]);
            for (int64_t q = p->up[k]; q < p->up[k + 1]; q++)
                u = fmax(u, (double)fabsl(lu[(size_t)k * (size_t)p->n + (size_t)p->ui[q]]));
            growth = fmin(growth, largest_in_block(t, k, p->block[b], p->block[b + 1]) / u);
        }
    CHECK_SAY(p->quality.growth <= growth * (1 + 1e-6) && p->quality.growth >= growth * (0.5 - 1e-6),
              "growth %g, a bound %g", growth, p->quality.growth);
    CHECK_SAY(fabs(t->factors->health.growth - growth) <= 1e-6 * growth, "growth %g of the factors, %g", growth,
              t->factors->health.growth);
}

static void check_quality(const wlu_pivots *p, const long double *lu)
{
    double largest = 0.0, smallest = INFINITY;
    size_t n = (size_t)p->n;
    for (int32_t k = 0; k < p->n; k++) {
        double pivot = (double)fabsl(lu[(size_t)k * n + (size_t)k]);
        if (pivot < smallest) smallest = pivot;
        for (int64_t q = p->lp[k]; q < p->lp[k + 1]; q++) {
            double l = (double)fabsl(lu[(size_t)k * n + (size_t)p->li[q]]);
            if (l > largest) largest = l;
        }
    }
    CHECK_SAY(fabs(largest - p->quality.largest_l) <= 1e-6 * largest, "%g, %g", largest, p->quality.largest_l);
    CHECK_SAY(fabs(smallest - p->quality.smallest_pivot) <= 1e-6 * smallest, "%g, %g", smallest,
              p->quality.smallest_pivot);
}

/* Both sides scaled: no entry is larger than matching promises, and every column has one of a size near 1. */
static void check_both_scales(const test_build *t)
{
    int32_t n = t->pivots->n;
    CHECK(candidate_of(t->analysis, t->pivots)->matched && t->options.matching != WARPLU_MATCHING_NEVER);
    for (int32_t j = 0; j < n; j++) {
        double largest = 0.0;
        for (int32_t i = 0; i < n; i++) {
            double a = fabs(t->dense[(size_t)j * (size_t)n + (size_t)i]);
            largest = fmax(largest, ldexp(a, wlu_pivots_exponent(t->pivots, i, j)));
        }
        CHECK_SAY(largest <= 2.02 && largest >= 0.495, "column %d: %g", j, largest);
    }
}

static void check_row_scales(const test_build *t)
{
    int32_t n = t->pivots->n, scaled_rows = 0;
    for (int32_t i = 0; i < n; i++) scaled_rows += t->pivots->exponent[i] != 0;
    if (t->options.scaling != WARPLU_SCALING_NONE && scaled_rows == 0) return; /* the unscaled attempt won */
    for (int32_t i = 0; i < n; i++) {
        double size = 0.0;
        for (int32_t j = 0; j < n; j++) {
            double a = fabs(t->dense[(size_t)j * (size_t)n + (size_t)i]);
            size = t->options.scaling == WARPLU_SCALING_SUM ? size + a : fmax(size, a);
        }
        double scaled = ldexp(size, t->pivots->exponent[i]);
        if (t->options.scaling == WARPLU_SCALING_NONE)
            CHECK(t->pivots->exponent[i] == 0);
        else
            CHECK_SAY(scaled > 0.5 * (1 - 1e-15) && scaled <= 1 + 1e-15, "row %d: %g", i, scaled);
    }
}

static void pivots_match_dense_elimination(void)
{
    seed = 271828;
    printf("# seed %llu\n", (unsigned long long)seed);
    int exchanged = 0, several = 0, matched = 0;
    for (int t = 0; t < TRIES; t++) {
        test_recipe r = test_recipe_random(&seed, NMAX);
        warplu_options o = random_options();
        test_matrix m;
        test_build b;
        test_matrix_random(&m, &seed, &r);
        warplu_status status = test_build_pivots(&b, &o, &m);
        CHECK_SAY(status == WARPLU_SUCCESS, "try %d, %s, n = %d", t, test_shape_name(r.shape), r.n);
        if (status == WARPLU_SUCCESS) {
            int before = check_failures;
            int64_t terms;
            int32_t height;
            unsigned char *symbolic = test_dense_symbolic(b.analysis->a, b.pivots, &terms, &height);
            double *permuted = test_dense_permuted(r.n, b.dense, b.pivots);
            long double *lu = test_dense_lu(r.n, permuted, b.pivots);
            check_permutations(b.pivots);
            check_patterns(b.pivots, symbolic);
            CHECK(terms == b.pivots->terms && height == b.pivots->height);
            check_threshold(&b, lu);
            check_quality(b.pivots, lu);
            check_growth(&b, lu);
            if (b.pivots->col_exponent != NULL)
                check_both_scales(&b);
            else
                check_row_scales(&b);
            matched += b.pivots->col_exponent != NULL;
            CHECK(candidate_of(b.analysis, b.pivots)->matched || b.analysis->provisional ||
                  o.matching != WARPLU_MATCHING_ALWAYS);
            for (int32_t k = 0; k < r.n; k++) exchanged += b.pivots->row[k] != b.analysis->candidate[0].row[k];
            several += b.pivots->nblocks >= 3;
            if (check_failures > before) printf("#   in try %d: %s, n = %d\n", t, test_shape_name(r.shape), r.n);
            free(symbolic);
            free(permuted);
            free(lu);
            test_build_free(&b);
        }
        test_matrix_free(&m);
    }
    printf("# %d exchanges, %d with blocks, %d matched\n", exchanged, several, matched);
    CHECK(exchanged > TRIES && several > TRIES / 20 && matched > TRIES / 10);
}

/* Rows given: they are taken as they stand, whatever the diagonal's size. */
static void given_orders_are_kept(void)
{
    const double dense[] = {1e-9, 1.0, 2.0, 1.0, 1.0, 0.0, 3.0, 1.0, 1.0};
    const int32_t row[] = {2, 0, 1}, col[] = {1, 0, 2}, singular_row[] = {0, 2, 1};
    warplu_options o;
    test_matrix m;
    test_build b;
    check_init_options(&o);
    test_matrix_from_dense(&m, 3, dense);
    o.ordering = WARPLU_ORDERING_GIVEN;
    o.col_order = col;
    o.row_order = singular_row; /* (0, 1) and then what is left of (2, 0): fine; the rows stay */
    if (test_build_pivots(&b, &o, &m) == WARPLU_SUCCESS) {
        CHECK(memcmp(b.pivots->row, singular_row, sizeof singular_row) == 0);
        CHECK(memcmp(b.pivots->col, col, sizeof col) == 0);
        test_build_free(&b);
    } else {
        CHECK(!"given orders");
    }
    o.row_order = row; /* (2, 1) is no entry of the matrix */
    CHECK(test_build_pivots(&b, &o, &m) == WARPLU_SINGULAR);
    o.row_order = NULL;
    if (test_build_pivots(&b, &o, &m) == WARPLU_SUCCESS) {
        CHECK(memcmp(b.pivots->col, col, sizeof col) == 0);
        test_build_free(&b);
    } else {
        CHECK(!"given columns");
    }
    test_matrix_free(&m);
}

/* A pivot of the absolute threshold or less is refused; an exact zero always is. */
static void absolute_threshold_refuses(void)
{
    const double dense[] = {1.0, 0.0, 0.0, 1e-3};
    warplu_options o;
    test_matrix m;
    test_build b;
    check_init_options(&o);
    o.scaling = WARPLU_SCALING_NONE;
    test_matrix_from_dense(&m, 2, dense);
    o.pivot_absolute = 1e-3;
    CHECK(test_build_pivots(&b, &o, &m) == WARPLU_SINGULAR);
    o.pivot_absolute = 0.99e-3;
    CHECK(test_build_pivots(&b, &o, &m) == WARPLU_SUCCESS);
    test_build_free(&b);
    m.x[1] = 0.0;
    o.pivot_absolute = 0.0;
    CHECK(test_build_pivots(&b, &o, &m) == WARPLU_SINGULAR);
    test_matrix_free(&m);
}

int main(void)
{
    RUN(pivots_match_dense_elimination);
    RUN(given_orders_are_kept);
    RUN(absolute_threshold_refuses);
    return check_done();
}
