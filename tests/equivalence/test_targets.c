/* One plan that serves several targets: each has an image of its own, made once, whose states have the same bits. */
#include "compare.h"
#include "solver/plan.h"
#include "support/options.h"

enum { N = 40, TARGETS = 3 };

static uint64_t seed = 1729;

/* The reference executor, which counts. */
static wlu_executor counted;
static int made;

static warplu_status count_load(wlu_context *ctx, const wlu_target *target, const wlu_program *program,
                                wlu_image **image)
{
    made += *image == NULL;
    return wlu_executor_reference.load(ctx, target, program, image);
}

static int images_of(const wlu_plan *plan)
{
    int count = 0;
    for (const wlu_plan_image *k = plan->images; k != NULL; k = k->next) count++;
    return count;
}

/* Slots that all executors have, and a solution. */
static void compare(wlu_context *ctx, const wlu_plan *plan, wlu_state *expected, wlu_state *found, const test_matrix *m)
{
    double b[N], x[2][N], largest[2];
    wlu_slots v[2];
    wlu_state *const state[2] = {expected, found};
    for (int32_t i = 0; i < m->n; i++) b[i] = check_uniform(&seed) - 0.5;
    for (int kind = WLU_STREAM_SOLVE; kind <= WLU_STREAM_SOLVE_TRANSPOSED; kind++) {
        for (int k = 0; k < 2; k++) {
            CHECK(wlu_state_refactor(ctx, state[k], m->x) == WARPLU_SUCCESS);
            CHECK(wlu_state_solve(ctx, state[k], (wlu_stream_kind)kind, 1, b, m->n, x[k], m->n, &largest[k]) ==
                  WARPLU_SUCCESS);
            CHECK(wlu_state_fetch(ctx, state[k], 0, &v[k]) == WARPLU_SUCCESS);
        }
        test_compare_array(v[0].v, v[1].v, plan->program->trash, "a target", "slot");
        test_compare_array(x[0], x[1], m->n, "a target", "unknown");
        CHECK(test_same(largest[0], largest[1]));
    }
}

/* Twice a state for each target; the transposed solve is compiled between the second target and the third. */
static void each_target_has_one_image(void)
{
    counted = wlu_executor_reference;
    counted.load = count_load;
    const wlu_target target[TARGETS] = {
        {.executor = &wlu_executor_cpu}, {.executor = &counted}, {.executor = &wlu_executor_reference}};
    const test_recipe recipe = {.shape = TEST_GRID, .n = N - 4};
    wlu_cost cost = test_region_cost(TEST_DEVICE);
    test_build b;
    test_matrix m;
    warplu_options o;
    wlu_plan *plan = NULL;
    wlu_state *state[2 * TARGETS] = {NULL};
    check_init_options(&o);
    test_matrix_random(&m, &seed, &recipe);
    CHECK(m.n <= N && test_build_pivots(&b, &o, &m) == WARPLU_SUCCESS);
    CHECK(wlu_plan_create(&b.ctx, &target[0], &cost, b.analysis, b.pivots, &plan) == WARPLU_SUCCESS);
    b.pivots = NULL; /* the plan's */
    CHECK(wlu_plan_compile(&b.ctx, &o, plan) == WARPLU_SUCCESS && images_of(plan) == 1);
    for (int k = 0; k < 2 * TARGETS; k++) {
        if (k == 2) CHECK(wlu_plan_compile_transposed(&b.ctx, plan) == WARPLU_SUCCESS);
        CHECK(wlu_plan_state_for(&b.ctx, plan, &target[k % TARGETS], NULL, &state[k]) == WARPLU_SUCCESS);
        CHECK_SAY(images_of(plan) == (k < TARGETS ? k + 1 : TARGETS), "%d images", images_of(plan));
        CHECK(wlu_target_equal(wlu_image_target(wlu_state_image(state[k])), &target[k % TARGETS]));
    }
    CHECK_SAY(made == 1, "%d images of one target", made);
    for (int k = 0; k < TARGETS; k++) CHECK(wlu_state_image(state[k]) == wlu_state_image(state[k + TARGETS]));
    for (int k = 1; k < 2 * TARGETS; k++) compare(&b.ctx, plan, state[0], state[k], &m);
    for (int k = 0; k < 2 * TARGETS; k++) wlu_state_destroy(&b.ctx, &state[k]);
    wlu_plan_release(&b.ctx, &plan);
    test_build_free(&b);
    test_matrix_free(&m);
}

int main(void)
{
    RUN(each_target_has_one_image);
    return check_done();
}
