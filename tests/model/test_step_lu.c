/* LU as nodes of a graph: against a dense elimination with pivoting, on random patterns with zero diagonals; its
 * health, its refusals, and what folds. */
#include "model/step/lu.h"

#include <math.h>

#include "model/lanes_run.h"
#include "model/method/transversal.h"
#include "model/step/pivots.h"
#include "support/check.h"

enum { MOST = 24 };

static uint64_t seed = 26;

typedef struct dense {
    int32_t n;
    double a[MOST][MOST], b[MOST], x[MOST];
} dense;

/* Gauss with partial pivoting; 0 where a pivot is small. */
static int solve_dense(dense d, double *x)
{
    for (int k = 0; k < d.n; k++) {
        int best = k;
        for (int i = k + 1; i < d.n; i++)
            if (fabs(d.a[i][k]) > fabs(d.a[best][k])) best = i;
        if (fabs(d.a[best][k]) < 1e-3) return 0;
        for (int j = 0; j < d.n; j++) {
            double t = d.a[k][j];
            d.a[k][j] = d.a[best][j], d.a[best][j] = t;
        }
        double t = d.b[k];
        d.b[k] = d.b[best], d.b[best] = t;
        for (int i = k + 1; i < d.n; i++) {
            double l = d.a[i][k] / d.a[k][k];
            for (int j = k; j < d.n; j++) d.a[i][j] -= l * d.a[k][j];
            d.b[i] -= l * d.b[k];
        }
    }
    for (int k = d.n - 1; k >= 0; k--) {
        for (int j = k + 1; j < d.n; j++) d.b[k] -= d.a[k][j] * x[j];
        x[k] = d.b[k] / d.a[k][k];
    }
    return 1;
}

/* A permutation that is there for sure, and a few entries more; the permuted ones are larger. */
static void invent(dense *d)
{
    int32_t to[MOST];
    d->n = 1 + check_below(&seed, MOST);
    for (int i = 0; i < d->n; i++) to[i] = i;
    for (int i = d->n - 1; i > 0; i--) {
        int32_t j = check_below(&seed, i + 1), t = to[i];
        to[i] = to[j], to[j] = t;
    }
    for (int i = 0; i < d->n; i++) {
        d->b[i] = check_uniform(&seed) < 0.3 ? 0.0 : check_uniform(&seed) - 0.5;
        for (int j = 0; j < d->n; j++)
            d->a[i][j] = check_uniform(&seed) < 2.0 / d->n ? check_uniform(&seed) - 0.5 : 0.0;
        d->a[i][to[i]] = 4.0 + check_uniform(&seed);
    }
}

static const wlm_jacobian *none(int32_t n)
{
    static int32_t ptr[WLM_LU_MOST + 2];
    static wlm_jacobian empty;
    empty = (wlm_jacobian){.rows = n, .columns = n, .ptr = ptr};
    return &empty;
}

/* Chooses pivots and factors; the order is that of the last call. */
static warplu_status factor(wlm_graph *g, const wlm_jacobian *a, const wlm_jacobian *strong, const double *const *value,
                            wlm_lu **lu)
{
    static int32_t row[WLM_LU_MOST], column[WLM_LU_MOST];
    warplu_status status = wlm_pivots_choose(wlm_graph_context(g), a, strong, value, row, column);
    return status == WARPLU_SUCCESS ? wlm_lu_create(g, a, row, column, lu) : status;
}

/* by: what the LU may know of numbers beside the structure. */
typedef enum knows { STRUCTURE, LARGE_ENTRIES, NUMBERS } knows;

static warplu_status make(wlm_graph *g, const dense *d, knows by, double *in, wlm_lu **lu)
{
    static double value[MOST * MOST];
    static int32_t ptr[MOST + 1], idx[MOST * MOST];
    static int32_t strong_ptr[MOST + 1], strong_idx[MOST];
    static wlm_node node[MOST * MOST];
    int32_t at = 0;
    for (int i = 0; i < d->n; i++) {
        ptr[i] = at;
        strong_ptr[i + 1] = i + 1;
        for (int j = 0; j < d->n; j++) {
            if (d->a[i][j] == 0.0) continue;
            if (d->a[i][j] >= 4.0) strong_idx[i] = j;
            for (int lane = 0; lane < WLM_LANES; lane++) in[at * WLM_LANES + lane] = d->a[i][j] * (1.0 + lane);
            node[at] = wlm_input(g, at);
            value[at] = d->a[i][j];
            idx[at++] = j;
        }
    }
    ptr[d->n] = at;
    const double *const samples[] = {value, value};
    wlm_jacobian a = {.rows = d->n, .columns = d->n, .ptr = ptr, .idx = idx, .node = node};
    wlm_jacobian strong = {.rows = d->n, .columns = d->n, .ptr = strong_ptr, .idx = strong_idx, .node = node};
    return factor(g, &a, by == LARGE_ENTRIES ? &strong : none(d->n), by == NUMBERS ? samples : NULL, lu);
}

/* Where large entries are known to be so, growth is small; else pivots may be small ones. */
static void solutions_are_those_of_dense_elimination(void)
{
    static double in[(MOST * MOST + MOST) * WLM_LANES], out[(MOST + 1) * WLM_LANES];
    int tried = 0, zero_diagonals = 0;
    for (int trial = 0; trial < 120; trial++) {
        wlu_context ctx;
        wlm_graph *g = NULL;
        wlm_lu *lu = NULL;
        dense d;
        double x[MOST];
        wlm_node wanted[MOST + 1];
        invent(&d);
        if (!solve_dense(d, x)) continue;
        wlu_context_init(&ctx, NULL);
        CHECK(wlm_graph_create(&ctx, 0, &g) == WARPLU_SUCCESS);
        CHECK_SAY(make(g, &d, trial % 2 ? LARGE_ENTRIES : STRUCTURE, in, &lu) == WARPLU_SUCCESS, "%s",
                  ctx.last_message);
        if (lu == NULL) continue;
        for (int i = 0; i < d.n; i++) wanted[i] = d.b[i] == 0.0 ? WLM_NONE : wlm_constant(g, d.b[i]);
        CHECK(wlm_lu_solve(lu, wanted, wanted) == WARPLU_SUCCESS);
        wanted[d.n] = lu->health;
        CHECK(run_once(&ctx, g, wanted, d.n + 1, in, MOST * MOST, out));
        for (int lane = 0; lane < WLM_LANES; lane++) {
            double worst = 0.0, size = 0.0;
            for (int i = 0; i < d.n; i++) worst = fmax(worst, fabs(out[i * WLM_LANES + lane] * (1.0 + lane) - x[i]));
            for (int i = 0; i < d.n; i++) size = fmax(size, fabs(x[i]));
            CHECK_SAY(worst <= (trial % 2 ? 1e-13 : 1e-2) * size, "n %d lane %d: off by %g of %g", (int)d.n, lane,
                      worst, size);
            CHECK(out[d.n * WLM_LANES + lane] > 0.0);
        }
        tried++;
        for (int i = 0; i < d.n; i++) zero_diagonals += d.a[i][i] == 0.0;
        wlm_lu_destroy(&lu);
        wlm_graph_destroy(&g);
    }
    CHECK(tried > 100 && zero_diagonals > 500);
}

static void weak_pivots_show_in_the_health(void)
{
    static double in[MOST * MOST * WLM_LANES], out[WLM_LANES];
    dense d = {.n = 2, .a = {{1.0, 1.0}, {1.0, 3.0}}};
    wlu_context ctx;
    wlm_graph *g = NULL;
    wlm_lu *lu = NULL;
    wlu_context_init(&ctx, NULL);
    CHECK(wlm_graph_create(&ctx, 0, &g) == WARPLU_SUCCESS);
    CHECK(make(g, &d, STRUCTURE, in, &lu) == WARPLU_SUCCESS);
    in[3] = 1e-14; /* lane 3: a pivot of 1e-14 beside 1 */
    in[4] = 0.0;   /* lane 4: none */
    in[5] = (double)NAN;
    CHECK(run_once(&ctx, g, &lu->health, 1, in, 4, out));
    for (int lane = 0; lane < WLM_LANES; lane++) CHECK((out[lane] > 0.0) == (lane < 3 || lane > 5));
    wlm_lu_destroy(&lu);
    wlm_graph_destroy(&g);
}

static warplu_status of_diagonals(int32_t n, int32_t columns, wlu_context *ctx)
{
    wlm_graph *g = NULL;
    wlm_lu *lu = NULL;
    int32_t *ptr = malloc(((size_t)n + 1) * sizeof *ptr), *idx = malloc((size_t)n * 72 * sizeof *idx), at = 0;
    wlm_node *node = malloc((size_t)n * 72 * sizeof *node);
    wlu_context_init(ctx, NULL);
    if (wlm_graph_create(ctx, 0, &g) != WARPLU_SUCCESS) abort();
    for (int32_t i = 0; i < n; i++) {
        ptr[i] = at;
        for (int32_t j = 0; j < columns && j < n; j++) idx[at] = j, node[at] = wlm_input(g, at), at++;
    }
    ptr[n] = at;
    wlm_jacobian a = {.rows = n, .columns = n, .ptr = ptr, .idx = idx, .node = node};
    warplu_status status = factor(g, &a, none(n), NULL, &lu);
    wlm_lu_destroy(&lu);
    wlm_graph_destroy(&g);
    free(ptr);
    free(idx);
    free(node);
    return status;
}

static void refusals_have_their_status(void)
{
    wlu_context ctx;
    CHECK(of_diagonals(3, 2, &ctx) == WARPLU_STRUCTURALLY_SINGULAR);
    CHECK(of_diagonals(20, 20, &ctx) == WARPLU_SUCCESS);
    CHECK(of_diagonals(72, 72, &ctx) == WARPLU_PROGRAM_TOO_LARGE);
    CHECK(of_diagonals(WLM_LU_MOST + 1, 1, &ctx) == WARPLU_PROGRAM_TOO_LARGE);
}

/* Rows keep their strong entries, although the diagonal is there. */
static void strong_entries_are_matched_first(void)
{
    int32_t ptr[3] = {0, 2, 4}, idx[4] = {0, 1, 0, 1}, strong_ptr[3] = {0, 1, 1}, strong_idx[1] = {1}, match[2], open;
    wlm_node node[4] = {1, 2, 3, 4};
    wlu_context ctx;
    wlu_context_init(&ctx, NULL);
    wlm_jacobian a = {.rows = 2, .columns = 2, .ptr = ptr, .idx = idx, .node = node};
    wlm_jacobian strong = {.rows = 2, .columns = 2, .ptr = strong_ptr, .idx = strong_idx, .node = node};
    CHECK(wlm_transversal(&ctx, &a, &strong, match, &open) == 2);
    CHECK(match[0] == 1 && match[1] == 0);
}

static void constants_and_zeros_vanish(void)
{
    wlu_context ctx;
    wlm_graph *g = NULL;
    wlm_lu *lu = NULL;
    wlu_context_init(&ctx, NULL);
    CHECK(wlm_graph_create(&ctx, 0, &g) == WARPLU_SUCCESS);
    int32_t ptr[3] = {0, 2, 4}, idx[4] = {0, 1, 0, 1};
    wlm_node node[4], b[2] = {wlm_constant(g, 5.0), wlm_constant(g, 10.0)};
    for (int k = 0; k < 4; k++) node[k] = wlm_constant(g, (double[]){1.0, 2.0, 3.0, 4.0}[k]);
    wlm_jacobian a = {.rows = 2, .columns = 2, .ptr = ptr, .idx = idx, .node = node};
    CHECK(factor(g, &a, none(2), NULL, &lu) == WARPLU_SUCCESS);
    CHECK(wlm_lu_solve(lu, b, b) == WARPLU_SUCCESS);
    CHECK(wlm_node_is(g, b[0], 0.0) && wlm_node_is(g, b[1], 2.5));
    wlm_lu_destroy(&lu);
    wlm_graph_destroy(&g);
}

/* The largest error beside the dense solution; infinity where the health says so. */
static double error_of(wlu_context *ctx, const dense *d, const double *x, knows by)
{
    static double in[(MOST * MOST + MOST) * WLM_LANES], out[(MOST + 1) * WLM_LANES];
    wlm_graph *g = NULL;
    wlm_lu *lu = NULL;
    wlm_node wanted[MOST + 1];
    double worst = 0.0;
    CHECK(wlm_graph_create(ctx, 0, &g) == WARPLU_SUCCESS);
    CHECK(make(g, d, by, in, &lu) == WARPLU_SUCCESS);
    for (int i = 0; i < d->n; i++) wanted[i] = wlm_constant(g, d->b[i]);
    CHECK(wlm_lu_solve(lu, wanted, wanted) == WARPLU_SUCCESS);
    wanted[d->n] = lu->health;
    CHECK(run_once(ctx, g, wanted, d->n + 1, in, MOST * MOST, out));
    for (int i = 0; i < d->n; i++) worst = fmax(worst, fabs(out[i * WLM_LANES] - x[i]));
    if (!(out[d->n * WLM_LANES] > 0.0)) worst = INFINITY;
    wlm_lu_destroy(&lu);
    wlm_graph_destroy(&g);
    return worst;
}

/* Structure takes pivots that cancel: samples see it, and the order is another one. */
static void numbers_see_what_cancels(void)
{
    wlu_context ctx;
    wlu_context_init(&ctx, NULL);
    int structure_fails = 0;
    for (int round = 0; round < 2000; round++) {
        dense d = {.n = 3 + check_below(&seed, 8)};
        double x[MOST];
        /* conductances between the nodes of a chain, 1 to ground at one of them, and a few between others */
        for (int i = 0; i < d.n; i++) {
            const int j = i + 1 < d.n && check_uniform(&seed) < 0.8 ? i + 1 : check_below(&seed, d.n);
            if (i == j) continue;
            d.a[i][i]++, d.a[j][j]++, d.a[i][j]--, d.a[j][i]--;
        }
        d.a[d.n - 1][d.n - 1]++;
        /* its rows are added up from the last one on, which takes the diagonal's weight */
        for (int i = d.n - 1; i > 0; i--)
            for (int j = 0; j < d.n; j++) d.a[i - 1][j] += d.a[i][j];
        for (int i = 0; i < d.n; i++) d.b[i] = check_uniform(&seed);
        if (!solve_dense(d, x)) continue;
        structure_fails += error_of(&ctx, &d, x, STRUCTURE) > 1e-9;
        CHECK_SAY(error_of(&ctx, &d, x, NUMBERS) < 1e-9, "round %d", round);
    }
    CHECK_SAY(structure_fails > 10, "%d", structure_fails);
}

/* Of full matrices by two samples of their numbers. */
static void choose_of_samples(int32_t n, const double *first, const double *second, int32_t *row, int32_t *column)
{
    int32_t ptr[4], idx[9];
    wlu_context ctx;
    wlu_context_init(&ctx, NULL);
    for (int32_t i = 0; i <= n; i++) ptr[i] = i * n;
    for (int32_t k = 0; k < n * n; k++) idx[k] = k % n;
    const wlm_jacobian a = {.rows = n, .columns = n, .ptr = ptr, .idx = idx};
    const double *const samples[] = {first, second};
    for (int32_t k = 0; k < n; k++) row[k] = column[k] = -1;
    CHECK(wlm_pivots_choose(&ctx, &a, none(n), samples, row, column) == WARPLU_SUCCESS);
}

/* Where no entry is large enough in both samples, one is taken all the same; among those that cost the same, that with
 * the largest share of its row. */
static void pivots_have_the_largest_share(void)
{
    static const double here[] = {1.0, 1e-6, 1e-6, 1.0}, there[] = {1e-6, 1.0, 1.0, 1e-6};
    static const double shares[] = {1e-7, 0.5, 1.0, 1.0, 0.5, 0.5, 0.5, 1.0, 0.5};
    int32_t row[3], column[3];
    choose_of_samples(2, here, there, row, column);
    CHECK(row[0] >= 0 && row[1] == 1 - row[0] && column[0] >= 0 && column[1] == 1 - column[0]);
    choose_of_samples(3, shares, shares, row, column);
    CHECK(row[0] == 0 && column[0] == 2);
}

int main(void)
{
    printf("# seed %llu\n", (unsigned long long)seed);
    RUN(solutions_are_those_of_dense_elimination);
    RUN(weak_pivots_show_in_the_health);
    RUN(numbers_see_what_cancels);
    RUN(pivots_have_the_largest_share);
    RUN(refusals_have_their_status);
    RUN(strong_entries_are_matched_first);
    RUN(constants_and_zeros_vanish);
    return check_done();
}
