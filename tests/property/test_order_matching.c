/* Maximum product matching: the product against every permutation's, the scales' bounds, zeros, denormals and huge
 * values, singular patterns, long searches, failing allocations, cancellation. */
#include "build.h"
#include "check.h"

#include "order/matching.h"
#include "support/options.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SMALL = 9, TRIES = 3000, SHAPED = 200, NMAX = 120, HARD = 300 };

static uint64_t seed;

typedef struct matched {
    int32_t *match;
    int16_t *row, *col;
    int found;
    warplu_status status;
} matched;

static matched find_within(wlu_context *ctx, const wlu_pattern *a, const double *x, int64_t max_looks)
{
    size_t n = (size_t)a->n;
    matched m = {
        .match = malloc(n * sizeof *m.match), .row = malloc(n * sizeof *m.row), .col = malloc(n * sizeof *m.col)};
    m.status = wlu_matching_find(ctx, a, x, max_looks, m.match, m.row, m.col, &m.found);
    return m;
}

static matched find(wlu_context *ctx, const wlu_pattern *a, const double *x)
{
    return find_within(ctx, a, x, INT64_MAX);
}

static void matched_free(matched *m)
{
    free(m->match);
    free(m->row);
    free(m->col);
}

static double random_value(int wild)
{
    double m = 0.5 + 0.5 * check_uniform(&seed);
    if (check_below(&seed, 2)) m = -m;
    if (wild && check_below(&seed, 4) == 0) return ldexp(m, check_below(&seed, 2097) - 1073);
    return ldexp(m, check_below(&seed, 20) - 10);
}

/* A random pattern, some of whose entries are zero. x: its values. */
static wlu_pattern *random_pattern(wlu_context *ctx, int32_t n, double density, int wild, double *x)
{
    int32_t ptr[SMALL + 1], idx[SMALL * SMALL], q = 0;
    for (int32_t j = 0; j < n; j++) {
        ptr[j] = q;
        for (int32_t i = 0; i < n; i++) {
            if (check_uniform(&seed) >= density) continue;
            x[q] = check_below(&seed, 10) == 0 ? 0.0 : random_value(wild);
            idx[q++] = i;
        }
    }
    ptr[n] = q;
    wlu_pattern *a = NULL;
    CHECK(wlu_pattern_create(ctx, WARPLU_STORAGE_CSC, n, ptr, idx, &a) == WARPLU_SUCCESS);
    return a;
}

static double gain(const wlu_pattern *a, const double *x, double bonus, int32_t i, int32_t j)
{
    int32_t e = wlu_pattern_find(a, i, j);
    if (e < 0 || x[e] == 0.0) return -INFINITY;
    return log2(fabs(x[e])) + (i == j ? bonus : 0.0);
}

/* log2 of the largest product of any permutation: best over the rows used by the first columns. bonus: for every entry
 * of the diagonal. */
static double best_gain(const wlu_pattern *a, const double *x, double bonus)
{
    static double best[1 << SMALL];
    int32_t n = a->n, all = (1 << n) - 1;
    for (int32_t used = 1; used <= all; used++) {
        int32_t j = -1;
        for (int32_t i = 0; i < n; i++) j += (used >> i) & 1;
        best[used] = -INFINITY;
        for (int32_t i = 0; i < n; i++) {
            if (!((used >> i) & 1)) continue;
            double before = used == 1 << i ? 0.0 : best[used & ~(1 << i)];
            best[used] = fmax(best[used], before + gain(a, x, bonus, i, j));
        }
    }
    return best[all];
}

static void check_permutation(const wlu_pattern *a, const double *x, const int32_t *match)
{
    char *seen = calloc((size_t)a->n, 1);
    for (int32_t i = 0; i < a->n; i++) {
        int32_t j = match[i], e = j >= 0 && j < a->n ? wlu_pattern_find(a, i, j) : -1;
        CHECK_SAY(e >= 0 && x[e] != 0.0 && !seen[j], "row %d, column %d", (int)i, (int)j);
        if (e >= 0) seen[j] = 1;
    }
    free(seen);
}

/* What the header promises of the scales. */
static void check_scales(const wlu_pattern *a, const double *x, const matched *m)
{
    enum { CUT = WLU_MATCHING_EXPONENT_MAX };
    int cut = 0;
    for (int32_t k = 0; k < a->n; k++) {
        CHECK(abs(m->row[k]) <= CUT && abs(m->col[k]) <= CUT);
        cut |= abs(m->row[k]) == CUT || abs(m->col[k]) == CUT;
    }
    for (int32_t j = 0; j < a->n; j++)
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) {
            int32_t i = a->i[e];
            if (x[e] == 0.0) continue;
            double l = log2(fabs(x[e])), scaled = l + (m->row[i] + m->col[j]);
            double above = 1.01, below = m->match[i] == j ? -1.01 : -INFINITY;
            if (cut) {
                above = fmax(above, l);
                below = fmin(below, l);
            }
            CHECK_SAY(scaled <= above && scaled >= below, "(%d, %d): %a by 2^%d 2^%d", (int)i, (int)j, x[e], m->row[i],
                      m->col[j]);
        }
}

static void products_are_maximal(void)
{
    wlu_context ctx;
    double x[SMALL * SMALL];
    int full = 0, singular = 0;
    seed = 31415;
    printf("# seed %llu\n", (unsigned long long)seed);
    wlu_context_init(&ctx, NULL);
    for (int t = 0; t < TRIES; t++) {
        int32_t n = 1 + check_below(&seed, SMALL);
        wlu_pattern *a = random_pattern(&ctx, n, 0.2 + 0.8 * check_uniform(&seed), t % 2, x);
        matched m = find(&ctx, a, x);
        double best = best_gain(a, x, 0.0), sum = 0.0;
        if (isinf(best)) {
            singular++;
            CHECK(m.status == WARPLU_SUCCESS && !m.found);
        } else {
            full++;
            CHECK(m.status == WARPLU_SUCCESS && m.found);
            check_permutation(a, x, m.match);
            for (int32_t i = 0; i < n; i++) sum += gain(a, x, 0.0, i, m.match[i]);
            CHECK_SAY(sum >= best - 2 * n * ldexp(1.0, -WLU_MATCHING_FRACTION_BITS), "n %d: %g, best %g", (int)n, sum,
                      best);
            check_scales(a, x, &m);
        }
        matched_free(&m);
        wlu_pattern_destroy(&ctx, &a);
    }
    printf("# %d full, %d singular\n", full, singular);
    CHECK(full > TRIES / 4 && singular > TRIES / 10);
}

static void every_shape_is_scaled(void)
{
    wlu_context ctx;
    seed = 27182;
    printf("# seed %llu\n", (unsigned long long)seed);
    wlu_context_init(&ctx, NULL);
    for (int t = 0; t < SHAPED; t++) {
        test_recipe recipe = test_recipe_random(&seed, NMAX);
        test_matrix tm;
        test_matrix_random(&tm, &seed, &recipe);
        wlu_pattern *a = NULL;
        CHECK(wlu_pattern_create(&ctx, WARPLU_STORAGE_CSC, tm.n, tm.ptr, tm.idx, &a) == WARPLU_SUCCESS);
        double *x = malloc((size_t)a->nnz * sizeof *x);
        wlu_pattern_gather(a, tm.x, x);
        if (t % 4 == 3) /* badly scaled on purpose: rows and columns by powers within +-350 */
            for (int32_t j = 0; j < a->n; j++)
                for (int32_t e = a->p[j]; e < a->p[j + 1]; e++)
                    x[e] = ldexp(x[e], (a->i[e] * 37) % 701 - 350 + (j * 53) % 701 - 350);
        matched m = find(&ctx, a, x), again = find(&ctx, a, x);
        CHECK_SAY(m.status == WARPLU_SUCCESS && m.found, "%s, n %d", test_shape_name(recipe.shape), (int)a->n);
        check_permutation(a, x, m.match);
        check_scales(a, x, &m);
        CHECK(memcmp(m.match, again.match, (size_t)a->n * sizeof *m.match) == 0);
        CHECK(memcmp(m.row, again.row, (size_t)a->n * sizeof *m.row) == 0);
        CHECK(memcmp(m.col, again.col, (size_t)a->n * sizeof *m.col) == 0);
        matched_free(&m);
        matched_free(&again);
        free(x);
        wlu_pattern_destroy(&ctx, &a);
        test_matrix_free(&tm);
    }
}

static wlu_pattern *dense_pattern(wlu_context *ctx, int32_t n)
{
    int32_t *ptr = malloc(((size_t)n + 1) * sizeof *ptr), *idx = malloc((size_t)n * (size_t)n * sizeof *idx);
    for (int32_t j = 0; j <= n; j++) ptr[j] = j * n;
    for (int32_t q = 0; q < n * n; q++) idx[q] = q % n;
    wlu_pattern *a = NULL;
    CHECK(wlu_pattern_create(ctx, WARPLU_STORAGE_CSC, n, ptr, idx, &a) == WARPLU_SUCCESS);
    free(ptr);
    free(idx);
    return a;
}

/* Powers of two, so that many products are equal: the one with most entries of the diagonal is found. */
static void ties_go_to_the_diagonal(void)
{
    const double bonus = 1.0 / 64.0;
    wlu_context ctx;
    wlu_context_init(&ctx, NULL);
    wlu_pattern *a = dense_pattern(&ctx, SMALL);
    double x[SMALL * SMALL];
    seed = 1729;
    printf("# seed %llu\n", (unsigned long long)seed);
    for (int t = 0; t < SHAPED; t++) {
        for (int32_t q = 0; q < SMALL * SMALL; q++) x[q] = ldexp(1.0, t == 0 ? 0 : check_below(&seed, 3));
        matched m = find(&ctx, a, x);
        double sum = 0.0, best = best_gain(a, x, bonus);
        for (int32_t i = 0; i < SMALL; i++) sum += gain(a, x, bonus, i, m.match[i]);
        CHECK_SAY(sum == best, "%g, best %g", sum, best);
        matched_free(&m);
    }
    wlu_pattern_destroy(&ctx, &a);
}

/* log2 a_ij = -(i + 1)(j + 1) / 128: the shortest paths are as long as they come (Machol and Wien 1977). */
static void long_searches_end(void)
{
    wlu_context ctx;
    wlu_context_init(&ctx, NULL);
    wlu_pattern *a = dense_pattern(&ctx, HARD);
    double *x = malloc(sizeof *x * HARD * HARD);
    for (int32_t q = 0; q < HARD * HARD; q++) x[q] = exp2(-(q % HARD + 1.0) * (q / HARD + 1.0) / 128.0);
    matched m = find(&ctx, a, x);
    CHECK(m.status == WARPLU_SUCCESS && m.found);
    check_permutation(a, x, m.match);
    check_scales(a, x, &m);
    for (int32_t i = 0; i < HARD; i++) CHECK(m.match[i] == HARD - 1 - i);
    matched_free(&m);
    m = find_within(&ctx, a, x, HARD);
    CHECK(m.status == WARPLU_SUCCESS && !m.found); /* given up */
    matched_free(&m);
    free(x);
    wlu_pattern_destroy(&ctx, &a);
}

static int cancel(void *user)
{
    (*(int *)user)++;
    return 1;
}

static void failures_leave_nothing(void)
{
    int polls = 0;
    double x[SMALL * SMALL];
    for (int32_t q = 0; q < SMALL * SMALL; q++) x[q] = exp2(-(q % SMALL + 1.0) * (q / SMALL + 1.0));
    for (int64_t k = 0; k <= 4; k++) {
        test_allocator al = {0};
        warplu_options o;
        wlu_context ctx;
        check_init_options(&o);
        test_use_allocator(&o, &al);
        o.cancel = k == 4 ? cancel : NULL;
        o.cancel_user = &polls;
        wlu_context_init(&ctx, &o);
        wlu_pattern *a = dense_pattern(&ctx, SMALL);
        al.calls = 0;
        al.fail_at = k == 4 ? 0 : k;
        matched m = find(&ctx, a, x);
        CHECK(m.status == (k == 0 ? WARPLU_SUCCESS : k == 4 ? WARPLU_CANCELLED : WARPLU_OUT_OF_MEMORY));
        CHECK(m.found == (k == 0));
        al.fail_at = 0;
        matched_free(&m);
        wlu_pattern_destroy(&ctx, &a);
        CHECK(al.alive == 0);
    }
    CHECK(polls == 1);
}

int main(void)
{
    RUN(products_are_maximal);
    RUN(every_shape_is_scaled);
    RUN(ties_go_to_the_diagonal);
    RUN(long_searches_end);
    RUN(failures_leave_nothing);
    return check_done();
}
