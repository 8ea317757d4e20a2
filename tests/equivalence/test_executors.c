/* Executors of one program give the same bits: every slot, both solutions and the health, for each instruction set,
 * region and split; on random shapes, long chains, wide vectors, and values that overflow, underflow or are no
 * numbers. */
#include "check.h"

#include "compare.h"

#include <math.h>
#include <string.h>

#include "exec/numeric.h"
#include "program/verify.h"
#include "support/options.h"

static uint64_t seed;

/* The kernels of this machine, for the log. */
static void instruction_sets(void)
{
    const double one = 1.0;
    warplu_options o;
    test_matrix m;
    test_build b;
    check_init_options(&o);
    test_matrix_from_dense(&m, 1, &one);
    CHECK(test_build_pivots(&b, &o, &m) == WARPLU_SUCCESS && test_build_program(&b, &wlu_cost_cpu) == WARPLU_SUCCESS);
    int portable = 0;
    for (int k = 0; k < WLU_TEST_SIMD; k++) {
        test_replay r;
        int there = test_replay_open(&r, &b, test_simd_names[k]);
        printf("# %s: %s\n", test_simd_names[k], there ? "compared" : "not on this machine");
        if (there) test_replay_close(&r, &b);
        portable |= there && strcmp(test_simd_names[k], "portable") == 0;
    }
    CHECK(portable);
    test_build_free(&b);
    test_matrix_free(&m);
}

/* Three value arrays of the pattern: its own, and two varied ones. */
static void compare(test_matrix *m)
{
    double *values[3];
    for (int k = 0; k < 3; k++) {
        values[k] = malloc((size_t)(m->nnz + 1) * sizeof **values);
        memcpy(values[k], m->x, (size_t)m->nnz * sizeof **values);
        for (int32_t q = 0; q < m->nnz && k > 0; q++) values[k][q] *= 1.0 + 0.9 * (check_uniform(&seed) - 0.5);
    }
    test_compare_all(m, (const double *const *)values, 3, &seed);
    for (int k = 0; k < 3; k++) free(values[k]);
}

static void random_shapes(void)
{
    seed = 137035;
    printf("# seed %llu\n", (unsigned long long)seed);
    for (int t = 0; t < 80; t++) {
        test_recipe r = test_recipe_random(&seed, 80);
        test_matrix m;
        int before = check_failures;
        test_matrix_random(&m, &seed, &r);
        compare(&m);
        test_matrix_free(&m);
        if (check_failures > before) printf("#   in try %d: %s, n = %d\n", t, test_shape_name(r.shape), r.n);
    }
}

/* Dense matrices and arrows of every size around the lengths where the shape of a chain changes: 8, 16, 17, 8k + 1;
 * panels of every width and number of rows. */
static void sizes_around_the_lanes(void)
{
    seed = 173145;
    printf("# seed %llu\n", (unsigned long long)seed);
    for (int32_t n = 1; n <= 70; n += n < 42 ? 1 : 7) {
        for (int shape = TEST_ARROW; shape <= TEST_DENSE; shape++) {
            if (n > 18 && !check_due()) continue;
            const test_recipe r = {
                .shape = (test_shape)shape, .n = n, .duplicates = n % 3 == 0, .weak_diagonal = n % 2};
            test_matrix m;
            test_matrix_random(&m, &seed, &r);
            compare(&m);
            test_matrix_free(&m);
        }
    }
}

/* Large enough for wide supernodes with many scattered rows below them. */
static void larger_matrices(void)
{
    static const test_recipe recipes[] = {{.shape = TEST_SPARSE, .n = 300, .weak_diagonal = 1},
                                          {.shape = TEST_SPARSE, .n = 350},
                                          {.shape = TEST_GRID, .n = 400},
                                          {.shape = TEST_BLOCKS, .n = 240, .duplicates = 1},
                                          {.shape = TEST_DENSE, .n = 133}};
    seed = 867530;
    printf("# seed %llu\n", (unsigned long long)seed);
    for (size_t k = 0; k < sizeof recipes / sizeof *recipes; k++) {
        test_matrix m;
        test_matrix_random(&m, &seed, &recipes[k]);
        for (int orders = 0; orders < (check_every() > 1 ? 1 : 2); orders++) compare(&m);
        test_matrix_free(&m);
    }
}

/* Chains of pivots: bands of one and two neighbours, entries off the diagonal kept with probability share. */
static void chains(void)
{
    seed = 420616;
    printf("# seed %llu\n", (unsigned long long)seed);
    for (int t = 0; t < 24; t++) {
        int32_t n = 20 + 9 * t, width = 1 + t % 2;
        double *dense = calloc((size_t)n * (size_t)n, sizeof *dense), share = t % 3 == 0 ? 1.0 : 0.8;
        for (int32_t j = 0; j < n; j++)
            for (int32_t i = j < width ? 0 : j - width; i < n && i <= j + width; i++)
                if (i == j || check_uniform(&seed) < share)
                    dense[(size_t)j * (size_t)n + (size_t)i] = check_uniform(&seed) + (i == j ? 3.0 : -0.5);
        test_matrix m;
        test_matrix_from_dense(&m, n, dense);
        compare(&m);
        test_matrix_free(&m);
        free(dense);
    }
}

static double odd_value(void)
{
    static const double odd[] = {0.0,    -0.0,   INFINITY, -INFINITY, NAN,   5e-324,  -5e-324,
                                 1e-310, 1e-308, 1e308,    -1.7e308,  1e200, -1e-200, 1e-160};
    return odd[check_below(&seed, (int32_t)(sizeof odd / sizeof *odd))];
}

/* Replays whose values are not what pivots were chosen for: a few odd ones, or all of them huge or tiny. */
static void odd_values(void)
{
    seed = 911382;
    printf("# seed %llu\n", (unsigned long long)seed);
    enum { ARRAYS = 12 };
    for (int t = 0; t < 40; t++) {
        test_recipe r = test_recipe_random(&seed, 60);
        test_matrix m;
        double *values[ARRAYS];
        int before = check_failures;
        test_matrix_random(&m, &seed, &r);
        for (int k = 0; k < ARRAYS; k++) {
            values[k] = malloc((size_t)(m.nnz + 1) * sizeof **values);
            double factor = k == 0 ? 1e-300 : k == 1 ? 1e300 : k == 2 ? 1e-320 : 1.0;
            for (int32_t q = 0; q < m.nnz; q++) values[k][q] = m.x[q] * factor;
            for (int odd = 0; odd < (k < 3 ? 0 : k < 10 ? 1 : 4); odd++)
                values[k][check_below(&seed, m.nnz)] = odd_value();
        }
        test_compare_all(&m, (const double *const *)values, ARRAYS, &seed);
        for (int k = 0; k < ARRAYS; k++) free(values[k]);
        test_matrix_free(&m);
        if (check_failures > before) printf("#   in try %d: %s, n = %d\n", t, test_shape_name(r.shape), r.n);
    }
}

/* L, U and the pivots of a program in one part and of the same pivots in several. */
static void check_parts(test_build *b, const double *values, int threads)
{
    test_replay whole, dependent;
    const wlu_pivots *p = b->pivots;
    wlu_cost cost = wlu_cost_cpu;
    cost.ns_per_part = 1e-3;
    b->options.threads = threads;
    CHECK(test_build_program(b, &cost) == WARPLU_SUCCESS && test_replay_open(&dependent, b, "portable"));
    CHECK(b->program->parts == threads && wlu_program_verify(&b->ctx, b->program) == WARPLU_SUCCESS);
    test_replay_together(&dependent, 1);
    CHECK(wlu_state_refactor(&b->ctx, dependent.state, values) == WARPLU_SUCCESS &&
          wlu_state_fetch(&b->ctx, dependent.state, 0, &dependent.slots) == WARPLU_SUCCESS);
    wlu_factors *expected = NULL, *found = NULL;
    wlu_numeric view = wlu_numeric_of_slots(p, b->program, &dependent.slots);
    CHECK(wlu_numeric_copy(&b->ctx, &view, &found) == WARPLU_SUCCESS);
    test_replay_close(&dependent, b);
    b->options.threads = 1;
    CHECK(test_build_program(b, &cost) == WARPLU_SUCCESS && test_replay_open(&whole, b, "portable"));
    CHECK(wlu_state_refactor(&b->ctx, whole.state, values) == WARPLU_SUCCESS &&
          wlu_state_fetch(&b->ctx, whole.state, 0, &whole.slots) == WARPLU_SUCCESS);
    view = wlu_numeric_of_slots(p, b->program, &whole.slots);
    CHECK(wlu_numeric_copy(&b->ctx, &view, &expected) == WARPLU_SUCCESS);
    test_replay_close(&whole, b);
    test_compare_array(expected->lx, found->lx, p->lp[p->n], "parts", "l");
    test_compare_array(expected->ux, found->ux, p->up[p->n], "parts", "u");
    test_compare_array(expected->fx, found->fx, p->fp[p->n], "parts", "f");
    test_compare_array(expected->pivot, found->pivot, p->n, "parts", "pivot");
    wlu_factors_destroy(&b->ctx, &expected);
    wlu_factors_destroy(&b->ctx, &found);
}

static void any_number_of_parts(void)
{
    seed = 202606;
    printf("# seed %llu\n", (unsigned long long)seed);
    for (int t = 0; t < 60; t++) {
        test_recipe r = test_recipe_random(&seed, 300);
        warplu_options o;
        test_matrix m;
        test_build b;
        int before = check_failures;
        check_init_options(&o);
        test_matrix_random(&m, &seed, &r);
        CHECK(test_build_pivots(&b, &o, &m) == WARPLU_SUCCESS);
        if (check_failures == before) check_parts(&b, m.x, 2 + t % 7);
        test_build_free(&b);
        test_matrix_free(&m);
        if (check_failures > before) printf("#   in try %d: %s, n = %d\n", t, test_shape_name(r.shape), r.n);
    }
}

/* A number that is none in an entry of L that nothing reads: only L itself tells. */
static void not_a_number_in_l_alone(void)
{
    const double dense[] = {4, 0, 1, 0, 4, 1, 0, 0, 4}, bad[] = {NAN, INFINITY, 1e308};
    double arrays[3][5];
    const double *values[3];
    test_matrix m;
    seed = 4;
    test_matrix_from_dense(&m, 3, dense);
    for (int k = 0; k < 3; k++) {
        memcpy(arrays[k], m.x, sizeof arrays[k]);
        arrays[k][1] = bad[k];
        if (k == 2) arrays[k][0] = 1e-5; /* l overflows */
        values[k] = arrays[k];
    }
    for (int t = 0; t < 8; t++) test_compare_all(&m, values, 3, &seed); /* with and without blocks */
    test_matrix_free(&m);
}

int main(void)
{
    RUN(instruction_sets);
    RUN(random_shapes);
    RUN(sizes_around_the_lanes);
    RUN(larger_matrices);
    RUN(chains);
    RUN(any_number_of_parts);
    RUN(odd_values);
    RUN(not_a_number_in_l_alone);
    return check_done();
}
