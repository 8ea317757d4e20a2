/* Numeric factors by column, and scales of both sides, over random patterns: what pivoting leaves behind,
 * refactorizations and solves are backward stable, health is what the definition says, and a program with the same
 * pivots agrees. */
#include "check.h"

#include "exec/exec.h"
#include "pivot/search.h"
#include "support/build.h"
#include "support/dense.h"
#include "support/options.h"

#include <math.h>
#include <string.h>

enum { NMAX = 40, TRIES = 200 };

static uint64_t seed = 20040229;

/* L, U and F of the factors in one dense array; the caller frees it. */
static double *dense_factors(const wlu_factors *f, const wlu_pivots *p)
{
    size_t n = (size_t)p->n;
    double *lu = calloc(n * n, sizeof *lu);
    for (size_t j = 0; j < n; j++) {
        lu[j * n + j] = f->pivot[j];
        for (int64_t q = p->lp[j]; q < p->lp[j + 1]; q++) lu[j * n + (size_t)p->li[q]] = f->lx[q];
        for (int64_t q = p->up[j]; q < p->up[j + 1]; q++) lu[j * n + (size_t)p->ui[q]] = f->ux[q];
        for (int64_t q = p->fp[j]; q < p->fp[j + 1]; q++) lu[j * n + (size_t)p->fi[q]] = f->fx[q];
    }
    return lu;
}

/* Health by the definition, from dense arrays. */
static wlu_health dense_health(const double *m, const double *lu, const wlu_pivots *p)
{
    wlu_health h = {.growth = 1.0, .smallest_pivot = INFINITY};
    size_t n = (size_t)p->n;
    for (int32_t b = 0; b < p->nblocks; b++)
        for (size_t j = (size_t)p->block[b]; j < (size_t)p->block[b + 1]; j++) {
            double amax = 0.0, umax = 0.0;
            for (size_t i = (size_t)p->block[b]; i < (size_t)p->block[b + 1]; i++) {
                amax = fmax(amax, fabs(m[j * n + i]));
                if (i <= j) umax = fmax(umax, fabs(lu[j * n + i]));
                if (i > j) h.largest_l = fmax(h.largest_l, fabs(lu[j * n + i]));
            }
            h.largest_u = fmax(h.largest_u, umax);
            h.smallest_pivot = fmin(h.smallest_pivot, fabs(lu[j * n + j]));
            if (amax < h.growth * umax) h.growth = amax / umax;
        }
    return h;
}

static int near(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fabs(b);
}

static void check_factors(const test_build *b, const double *dense)
{
    const wlu_pivots *p = b->pivots;
    double *m = test_dense_permuted(p->n, dense, p), *lu = dense_factors(b->factors, p);
    double error = test_dense_factor_error(p->n, m, lu, p);
    CHECK_SAY(error <= (2 * p->n + 4) * DBL_EPSILON, "factor error %g", error);
    wlu_health expected = dense_health(m, lu, p);
    const wlu_health *h = &b->factors->health;
    CHECK(h->finite && h->largest_l == expected.largest_l && h->largest_u == expected.largest_u);
    CHECK(h->smallest_pivot == expected.smallest_pivot && near(h->growth, expected.growth));
    double rhs[NMAX], x[NMAX];
    for (int transposed = 0; transposed <= 1; transposed++) {
        for (int32_t i = 0; i < p->n; i++) x[i] = rhs[i] = check_uniform(&seed) - 0.5;
        wlu_factors_solve(b->factors, p, transposed, x, x); /* in place */
        error = test_dense_solve_error(p->n, dense, lu, p, transposed, rhs, x);
        CHECK_SAY(error <= (4 * p->n + 8) * DBL_EPSILON, "solve error %g, transposed %d", error, transposed);
    }
    free(m);
    free(lu);
}

/* The same matrix with scales of both sides drawn at random. */
static void scale_both_sides(test_build *b)
{
    int16_t row[NMAX], col[NMAX];
    wlu_pivots *p = NULL;
    wlu_factors *f = NULL;
    for (int32_t k = 0; k < b->pivots->n; k++) {
        row[k] = (int16_t)(check_below(&seed, 41) - 20);
        col[k] = (int16_t)(check_below(&seed, 41) - 20);
    }
    CHECK(wlu_pivot_search(&b->ctx, &b->options, b->analysis, &b->analysis->candidate[0], row, col, b->entries,
                           HUGE_VAL, &p, &f) == WARPLU_SUCCESS);
    CHECK(f->health.drift == 1.0);
    wlu_pivots_destroy(&b->ctx, &b->pivots);
    wlu_factors_destroy(&b->ctx, &b->factors);
    b->pivots = p;
    b->factors = f;
}

/* A program with these pivots: factors, solves and health within rounding of its own definition. */
static void check_program(test_build *b, const double *values, const double *dense)
{
    const wlu_pivots *p = b->pivots;
    wlu_cost cost = test_region_cost((test_region)check_below(&seed, TEST_REGIONS));
    const wlu_target target = {.executor = &wlu_executor_reference};
    wlu_image *image = NULL;
    wlu_state *state = NULL;
    wlu_slots slots;
    CHECK(test_build_program(b, &cost) == WARPLU_SUCCESS);
    CHECK(wlu_image_load(&b->ctx, &target, b->program, &image) == WARPLU_SUCCESS);
    CHECK(wlu_state_create(&b->ctx, image, 1, NULL, &state) == WARPLU_SUCCESS);
    CHECK(wlu_state_refactor(&b->ctx, state, values) == WARPLU_SUCCESS);
    CHECK(wlu_state_fetch(&b->ctx, state, 0, &slots) == WARPLU_SUCCESS);
    double *m = test_dense_permuted(p->n, dense, p), *lu = test_factors(b, slots.v, b->program->slot);
    double error = test_dense_factor_error(p->n, m, lu, p), rhs[NMAX], x[NMAX], largest;
    CHECK_SAY(error <= (2 * p->n + 4) * DBL_EPSILON, "factor error %g", error);
    CHECK(wlu_state_health(state, 0)->largest_u == dense_health(m, lu, p).largest_u);
    CHECK(wlu_state_health(state, 0)->drift == b->factors->health.drift);
    for (int transposed = 0; transposed <= 1; transposed++) {
        for (int32_t i = 0; i < p->n; i++) rhs[i] = check_uniform(&seed) - 0.5;
        CHECK(wlu_state_solve(&b->ctx, state, transposed ? WLU_STREAM_SOLVE_TRANSPOSED : WLU_STREAM_SOLVE, 1, rhs, p->n,
                              x, p->n, &largest) == WARPLU_SUCCESS);
        error = test_dense_solve_error(p->n, dense, lu, p, transposed, rhs, x);
        CHECK_SAY(error <= (4 * p->n + 8) * DBL_EPSILON, "solve error %g, transposed %d", error, transposed);
    }
    free(m);
    free(lu);
    wlu_state_destroy(&b->ctx, &state);
    wlu_image_destroy(&b->ctx, &image);
}

static void one_matrix(test_matrix *m, int both_sides)
{
    warplu_options o;
    test_build b;
    check_init_options(&o);
    o.scaling = (warplu_scaling)check_below(&seed, 3);
    o.btf = check_below(&seed, 4) > 0;
    if (test_build_pivots(&b, &o, m) < 0) {
        CHECK(!"pivots");
        return;
    }
    if (both_sides) scale_both_sides(&b);
    check_factors(&b, b.dense);
    check_program(&b, m->x, b.dense);
    test_matrix_vary(m, &seed, 0.1);
    double *dense = test_matrix_dense(m);
    wlu_pattern_gather(b.analysis->a, m->x, b.entries);
    wlu_factors_refactor(b.factors, b.analysis->a, b.pivots, b.entries);
    check_factors(&b, dense);
    check_program(&b, m->x, dense);
    free(dense);
    test_build_free(&b);
}

static void all_matrices(int both_sides)
{
    for (int t = 0; t < TRIES; t++) {
        if (!check_due()) continue;
        test_recipe r = test_recipe_random(&seed, NMAX);
        test_matrix m;
        int before = check_failures;
        r.weak_diagonal = 0;
        test_matrix_random(&m, &seed, &r);
        one_matrix(&m, both_sides);
        test_matrix_free(&m);
        if (check_failures > before) printf("#   in try %d: %s, n = %d\n", t, test_shape_name(r.shape), r.n);
    }
}

static void factors_are_backward_stable(void)
{
    all_matrices(0);
}

static void scales_of_both_sides_are_honoured(void)
{
    all_matrices(1);
}

/* What is not finite, or drifts, shows in the health. */
static void health_sees_what_is_wrong(void)
{
    const double good[] = {4, 1, 1, 3},
                 bad[][4] = {{0, 1, 1, 3}, {NAN, 1, 1, 3}, {4, 1, 1, INFINITY}, {4, 1e-320, 1, 0.25}};
    const int32_t ptr[] = {0, 2, 4}, idx[] = {0, 1, 0, 1};
    test_matrix m;
    test_build b;
    warplu_options o;
    check_init_options(&o);
    test_matrix_from_dense(&m, 2, good);
    o.ordering = WARPLU_ORDERING_NATURAL;
    CHECK(memcmp(m.ptr, ptr, sizeof ptr) == 0 && memcmp(m.idx, idx, sizeof idx) == 0);
    CHECK(test_build_pivots(&b, &o, &m) == WARPLU_SUCCESS);
    for (int k = 0; k < 3; k++) {
        wlu_factors_refactor(b.factors, b.analysis->a, b.pivots, bad[k]);
        CHECK_SAY(!b.factors->health.finite, "%d", k);
    }
    wlu_factors_refactor(b.factors, b.analysis->a, b.pivots, bad[3]);
    CHECK(b.factors->health.finite && b.factors->health.smallest_pivot < 0.1);
    double tiny[] = {4, 1, 1, 3e-5};
    wlu_factors_refactor(b.factors, b.analysis->a, b.pivots, tiny);
    CHECK_SAY(b.factors->health.drift >= 65536.0, "%g", b.factors->health.drift);
    test_build_free(&b);
    test_matrix_free(&m);
}

int main(void)
{
    printf("# seed %llu\n", (unsigned long long)seed);
    RUN(factors_are_backward_stable);
    RUN(scales_of_both_sides_are_honoured);
    RUN(health_sees_what_is_wrong);
    return check_done();
}
