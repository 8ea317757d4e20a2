/* States of several members: each has the bits that a state of
 * one member has alone. */
#include "compare.h"

#include "exec/refined.h"
#include "support/options.h"

enum { MEMBERS = 3, N = 30, SIDES = 2 };

static uint64_t seed = 4711;

static void build(test_build *b, test_matrix *m, warplu_options *o, int duplicates)
{
    const test_recipe r = {.shape = TEST_GRID, .n = N, .duplicates = duplicates};
    wlu_cost cost = test_region_cost(TEST_DEVICE);
    check_init_options(o);
    test_matrix_random(m, &seed, &r);
    CHECK(test_build_pivots(b, o, m) == WARPLU_SUCCESS && test_build_program(b, &cost) == WARPLU_SUCCESS);
}

/* Values of their own, columns of their own, health of their own. */
static void members_are_alone(warplu_precision precision)
{
    const wlu_target target = {.executor = &wlu_executor_reference, .precision = precision};
    test_build b;
    test_matrix m;
    warplu_options o;
    wlu_image *image = NULL;
    wlu_state *all = NULL, *one = NULL;
    double in[MEMBERS * SIDES * N], out[MEMBERS * SIDES * N], x[SIDES * N], largest[MEMBERS * SIDES], alone[SIDES];
    build(&b, &m, &o, 1);
    int32_t n = m.n;
    double *values = malloc(MEMBERS * (size_t)m.nnz * sizeof *values);
    for (int32_t q = 0; q < MEMBERS * m.nnz; q++) values[q] = m.x[q % m.nnz] * (0.9 + 0.2 * check_uniform(&seed));
    for (int32_t q = 0; q < MEMBERS * SIDES * n; q++) in[q] = check_uniform(&seed) - 0.5;
    CHECK(wlu_image_load(&b.ctx, &target, b.program, &image) == WARPLU_SUCCESS);
    CHECK(wlu_state_create(&b.ctx, image, MEMBERS, NULL, &all) == WARPLU_SUCCESS);
    CHECK(wlu_state_create(&b.ctx, image, 1, NULL, &one) == WARPLU_SUCCESS);
    CHECK(wlu_state_refactor(&b.ctx, all, values) == WARPLU_SUCCESS);
    CHECK(wlu_state_solve(&b.ctx, all, WLU_STREAM_SOLVE, SIDES, in, n, out, n, largest) == WARPLU_SUCCESS);
    for (int k = 0; k < MEMBERS; k++) {
        wlu_slots mine, expected;
        CHECK(wlu_state_refactor(&b.ctx, one, values + k * m.nnz) == WARPLU_SUCCESS);
        CHECK(wlu_state_solve(&b.ctx, one, WLU_STREAM_SOLVE, SIDES, in + k * SIDES * n, n, x, n, alone) ==
              WARPLU_SUCCESS);
        CHECK(wlu_state_fetch(&b.ctx, all, k, &mine) == WARPLU_SUCCESS &&
              wlu_state_fetch(&b.ctx, one, 0, &expected) == WARPLU_SUCCESS);
        test_compare_array(expected.v, mine.v, b.program->sums, "a member", "slot");
        test_compare_array(x, out + k * SIDES * n, SIDES * n, "a member", "unknown");
        test_compare_array(alone, largest + k * SIDES, SIDES, "a member", "largest unknown");
        CHECK(test_same(wlu_state_health(one, 0)->largest_u, wlu_state_health(all, k)->largest_u) &&
              test_same(wlu_state_health(one, 0)->growth, wlu_state_health(all, k)->growth));
    }
    wlu_state_destroy(&b.ctx, &all);
    wlu_state_destroy(&b.ctx, &one);
    wlu_image_destroy(&b.ctx, &image);
    free(values);
    test_build_free(&b);
    test_matrix_free(&m);
}

static void each_member_has_its_own(void)
{
    for (int k = WARPLU_PRECISION_DOUBLE; k <= (int)WLU_DOUBLE_REFINED; k++) members_are_alone((warplu_precision)k);
}

/* Values that are lent are not copied: residuals are against those that stand there when a solve begins. Sums of
 * duplicates are of the values at the first solve. Those that are not lent are remembered, and may change or go. */
static void values_are_lent(void)
{
    const wlu_target target = {.executor = &wlu_executor_cpu, .precision = WLU_DOUBLE_REFINED};
    for (int k = 0; k < 4; k++) {
        int lent = k % 2, duplicates = k / 2;
        test_build b;
        test_matrix m;
        warplu_options o;
        wlu_image *image = NULL;
        wlu_state *state = NULL;
        double in[N], x[N], largest;
        build(&b, &m, &o, duplicates);
        CHECK(wlu_image_load(&b.ctx, &target, b.program, &image) == WARPLU_SUCCESS);
        CHECK(wlu_state_create(&b.ctx, image, 1, NULL, &state) == WARPLU_SUCCESS);
        wlu_refining_take_members(state, lent);
        for (int32_t i = 0; i < m.n; i++) in[i] = 1.0;
        for (int change = 0; change < 2; change++) {
            CHECK(wlu_state_refactor(&b.ctx, state, m.x) == WARPLU_SUCCESS);
            for (int32_t q = 0; q < m.nnz && change; q++) m.x[q] = -m.x[q];
            CHECK(wlu_state_solve(&b.ctx, state, WLU_STREAM_SOLVE, 1, in, m.n, x, m.n, &largest) == WARPLU_SUCCESS);
            double error = wlu_state_refined(state)->backward_error;
            int right = lent && change ? error > 0.1 : error < 1e-14;
            CHECK_SAY(right, "lent %d, duplicates %d, changed %d: error %g", lent, duplicates, change, error);
        }
        wlu_state_destroy(&b.ctx, &state);
        wlu_image_destroy(&b.ctx, &image);
        test_build_free(&b);
        test_matrix_free(&m);
    }
}

static void others_have_one(void)
{
    const wlu_target target = {.executor = &wlu_executor_cpu};
    test_build b;
    test_matrix m;
    warplu_options o;
    wlu_image *image = NULL;
    wlu_state *state = NULL;
    build(&b, &m, &o, 1);
    CHECK(wlu_image_load(&b.ctx, &target, b.program, &image) == WARPLU_SUCCESS);
    CHECK(wlu_state_create(&b.ctx, image, 2, NULL, &state) == WARPLU_NOT_COMPILED && state == NULL);
    wlu_image_destroy(&b.ctx, &image);
    test_build_free(&b);
    test_matrix_free(&m);
}

int main(void)
{
    RUN(each_member_has_its_own);
    RUN(values_are_lent);
    RUN(others_have_one);
    return check_done();
}
