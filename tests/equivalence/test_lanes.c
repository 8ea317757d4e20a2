/* Members in lanes: whatever stands beside them, in whatever form their numbers come, kept or not, on any number of
 * threads and by every instruction set of this machine, each has the bits of x and health that the reference executor
 * gives it alone; and where it is checked those that the reference's refinement gives. */
#include "compare.h"

#include "exec/batch/lanes.h"
#include "exec/refined.h"
#include "support/build.h"
#include "support/options.h"

#include <float.h>

enum { MEMBERS = 33, PLACES = 35, SIDES = 3, JOBS = 14 };
static const int32_t counts[] = {1, 7, 8, 9, 31, 32, 33};

static uint64_t seed = 20260731;

/* A program, members' numbers, and who replays them. */
typedef struct subject {
    test_allocator memory;
    test_build b;
    test_matrix m;
    wlu_flat *flat;
    wlu_image *image[2]; /* plain, refined */
    wlu_state *alone[2];
    wlu_batch_state *lanes;
    wlu_team *team;
    double *values, *rhs;  /* MEMBERS of each, one after the other */
    int32_t kept[MEMBERS]; /* whose values a member's kept factors are of; -1: none */
    int32_t place[MEMBERS];
    char what[200];
} subject;

/* ----------------------------------------------------------------- numbers */

/* A member's own way to go wrong. */
static void draw_values(const subject *s, int32_t member, double *to)
{
    double wide = check_below(&seed, 4) == 0 ? 40.0 : 0.5;
    for (int32_t q = 0; q < s->m.nnz; q++)
        to[q] = s->m.x[q] * exp2(wide * (check_uniform(&seed) - 0.5)) * (check_below(&seed, 40) == 0 ? -1.0 : 1.0);
    if (member % 5 != 3) return;
    int32_t at = check_below(&seed, s->m.nnz), column = check_below(&seed, s->m.n);
    switch (check_below(&seed, 4)) {
    case 0: to[at] = NAN; break;
    case 1: to[at] = INFINITY; break;
    case 2: to[at] = 1e300; break;
    default: /* singular */
        for (int32_t q = s->m.ptr[column]; q < s->m.ptr[column + 1]; q++) to[q] = 0.0;
    }
}

static void draw_numbers(subject *s)
{
    int32_t n = s->m.n;
    s->values = malloc(MEMBERS * (size_t)s->m.nnz * sizeof(double));
    s->rhs = malloc(MEMBERS * SIDES * (size_t)n * sizeof(double));
    for (int32_t k = 0; k < MEMBERS; k++) draw_values(s, k, s->values + (int64_t)k * s->m.nnz);
    for (int32_t k = 0; k < MEMBERS * SIDES; k++) {
        int zero = check_below(&seed, 9) == 0, odd = check_below(&seed, 15) == 0;
        double *b = s->rhs + (int64_t)k * n;
        for (int32_t i = 0; i < n; i++) b[i] = zero ? 0.0 : 2.0 * check_uniform(&seed) - 1.0;
        if (odd) b[check_below(&seed, n)] = zero ? 5e-324 : check_below(&seed, 2) ? NAN : INFINITY;
    }
}

/* The members' numbers in one of several forms: `of` each, so many columns. */
typedef struct form {
    int64_t by_member, by_column, by_number, numbers;
} form;

static form draw_form(int64_t of, int32_t columns, int shared)
{
    int64_t gap = check_below(&seed, 3);
    switch (check_below(&seed, shared ? 4 : 3)) {
    case 0: return (form){of * columns + gap, of, 1, (of * columns + gap) * MEMBERS};
    case 1: return (form){1, of * MEMBERS, MEMBERS, of * columns * MEMBERS};
    case 2: return (form){2, (2 * MEMBERS + gap) * of, 2 * MEMBERS + gap, (2 * MEMBERS + gap) * of * (columns + 1)};
    default: return (form){0, of, 1, of * columns};
    }
}

static int64_t at(const form *f, int32_t member, int32_t column, int64_t number)
{
    return member * f->by_member + column * f->by_column + number * f->by_number;
}

/* from: all columns of a member after the other. */
static double *lay_out(const form *f, const double *from, int64_t of, int32_t columns, int32_t stride)
{
    double *to = malloc(((size_t)f->numbers + 1) * sizeof *to);
    for (int32_t m = f->by_member == 0 ? 0 : MEMBERS - 1; m >= 0; m--)
        for (int32_t c = 0; c < columns; c++)
            for (int64_t i = 0; i < of; i++) to[at(f, m, c, i)] = from[((int64_t)m * stride + c) * of + i];
    return to;
}

/* ---------------------------------------------------------------- subjects */

static void close_subject(subject *s)
{
    if (s->lanes != NULL) wlu_batch_lanes.destroy(&s->b.ctx, &s->lanes);
    wlu_flat_destroy(&s->b.ctx, &s->flat);
    wlu_team_destroy(&s->b.ctx, &s->team);
    for (int k = 0; k < 2; k++) {
        wlu_state_destroy(&s->b.ctx, &s->alone[k]);
        wlu_image_destroy(&s->b.ctx, &s->image[k]);
    }
    free(s->values);
    free(s->rhs);
    test_build_free(&s->b);
    CHECK_SAY(s->memory.alive == 0, "%lld blocks are left", (long long)s->memory.alive);
    test_matrix_free(&s->m);
}

static int open_subject(subject *s, const test_recipe *recipe, int hubs, test_region region)
{
    static const warplu_precision precision[2] = {WARPLU_PRECISION_DOUBLE, WLU_DOUBLE_REFINED};
    wlu_cost cost = test_region_cost(region);
    warplu_options o;
    memset(s, 0, sizeof *s);
    check_init_options(&o);
    test_use_allocator(&o, &s->memory);
    o.btf = check_below(&seed, 3) > 0;
    if (hubs)
        test_matrix_hubs(&s->m, &seed, recipe->n, 2, 0);
    else
        test_matrix_random(&s->m, &seed, recipe);
    int good = test_build_pivots(&s->b, &o, &s->m) == WARPLU_SUCCESS &&
               test_build_program(&s->b, &cost) == WARPLU_SUCCESS &&
               wlu_flat_create(&s->b.ctx, s->b.program, &s->flat) == WARPLU_SUCCESS &&
               wlu_team_create(&s->b.ctx, 1 + check_below(&seed, 3), &s->team) == WARPLU_SUCCESS;
    for (int k = 0; k < 2 && good; k++) {
        wlu_target target = {.executor = &wlu_executor_reference, .precision = precision[k]};
        good = wlu_image_load(&s->b.ctx, &target, s->b.program, &s->image[k]) == WARPLU_SUCCESS &&
               wlu_state_create(&s->b.ctx, s->image[k], 1, NULL, &s->alone[k]) == WARPLU_SUCCESS;
        if (s->alone[1] != NULL) wlu_refining_take_members(s->alone[1], 0);
    }
    if (good) draw_numbers(s);
    CHECK(good);
    if (!good) close_subject(s);
    return good;
}

/* A batch of this instruction set; 0 where this machine lacks it. Every other time it learns of the transposed solve
 * afterwards. */
static int open_lanes(subject *s, const char *simd)
{
    const wlu_target target = {.executor = &wlu_executor_reference, .precision = WLU_DOUBLE_REFINED};
    if (!test_simd_is_here(simd)) return 0;
    int shuffled = check_below(&seed, 2);
    s->b.program->has_transposed = check_below(&seed, 2);
    setenv("WARPLU_SIMD", simd, 1);
    warplu_status status = wlu_batch_lanes.create(&s->b.ctx, &target, s->flat->program, s->flat, PLACES,
                                                  check_below(&seed, 4) ? s->team : NULL, &s->lanes);
    unsetenv("WARPLU_SIMD");
    s->b.program->has_transposed = 1;
    if (status == WARPLU_SUCCESS) status = wlu_batch_lanes.add_transposed(&s->b.ctx, s->lanes);
    CHECK_SAY(status == WARPLU_SUCCESS, "%s", s->b.ctx.last_message);
    for (int32_t k = 0; k < MEMBERS; k++) {
        s->kept[k] = -1;
        s->place[k] = shuffled ? (k * 4 + 1) % PLACES : k;
    }
    if (status < 0) return 0;
    const char *name = ((wlu_lanes_state *)s->lanes)->kernels->name;
    CHECK(strncmp(name, simd, strlen(name)) == 0); /* of both kinds of AVX-512 it is the same */
    return 1;
}

/* -------------------------------------------------------------------- jobs */

static void draw_members(subject *s, int solves_alone, int32_t *member, int32_t *count)
{
    int shuffled = check_below(&seed, 2);
    int32_t all = 0, list[MEMBERS];
    for (int32_t k = 0; k < MEMBERS; k++)
        if (!solves_alone || s->kept[k] >= 0) list[all++] = k;
    for (int32_t k = 0; k < all && shuffled; k++) {
        int32_t other = k + check_below(&seed, all - k), swap = list[k];
        list[k] = list[other];
        list[other] = swap;
    }
    *count = counts[check_below(&seed, 7)];
    if (*count > all) *count = all;
    memcpy(member, list, (size_t)*count * sizeof *member);
}

static void compare_health(const subject *s, const wlu_health *h, const wlu_health *g)
{
    CHECK_SAY(h->finite == g->finite && h->verdict == g->verdict, "%s: finite %d, verdict %d, expected %d, %d", s->what,
              g->finite, g->verdict, h->finite, h->verdict);
    if (!h->finite) return; /* what NaN and infinity do to the magnitudes is not stated */
    CHECK_SAY(test_same(h->largest_l, g->largest_l) && test_same(h->largest_u, g->largest_u), "%s: l, u", s->what);
    CHECK_SAY(test_same(h->growth, g->growth), "%s: growth %a, expected %a", s->what, g->growth, h->growth);
    CHECK_SAY(test_same(h->drift, g->drift), "%s: drift %a, expected %a", s->what, g->drift, h->drift);
    CHECK_SAY(test_same(h->smallest_pivot, g->smallest_pivot) && h->single == g->single, "%s: smallest pivot", s->what);
}

/* One member's columns by the reference, and what the batch has made of them. Of numbers that are not finite or
 * underflow, a tile's zeros make NaN or another zero where a flat program has no term. */
static void compare_member(subject *s, const wlu_batch_job *job, int32_t member, const double *values, const double *b,
                           const form *of_x, const double *x)
{
    const wlu_member_result *found = &job->result[member];
    int32_t n = s->m.n;
    wlu_refined refined = wlu_refined_none();
    double *expected = malloc((size_t)n * SIDES * sizeof *expected), *got = malloc((size_t)n * sizeof *got);
    double largest[SIDES] = {0}, least = INFINITY, most = 0.0;
    CHECK(wlu_state_refactor(&s->b.ctx, s->alone[0], values) == WARPLU_SUCCESS);
    const wlu_health *health = wlu_state_health(s->alone[0], 0);
    int checked =
        job->check == WLU_BATCH_CHECKED || (job->check == WLU_BATCH_SUSPECT && health->verdict != WLU_HEALTHY);
    if (checked) CHECK(wlu_state_refactor(&s->b.ctx, s->alone[1], values) == WARPLU_SUCCESS);
    if (job->nrhs > 0)
        CHECK(wlu_state_solve(&s->b.ctx, s->alone[checked], job->kind, job->nrhs, b, n, expected, n, largest) ==
              WARPLU_SUCCESS);
    if (checked && job->nrhs > 0) refined = *wlu_state_refined(s->alone[1]);
    compare_health(s, health, &found->health);
    int exact = health->finite || wlu_lu_of(s->b.program)->tiles.count == 0, all = exact;
    for (int32_t c = 0; c < job->nrhs; c++) {
        int zero = 1, in_range = 1;
        for (int32_t i = 0; i < n; i++) {
            got[i] = x[at(of_x, member, c, i)];
            zero = zero && b[(int64_t)c * n + i] == 0.0;
            in_range = in_range && isfinite(b[(int64_t)c * n + i]) && fabs(b[(int64_t)c * n + i]) != 5e-324;
        }
        in_range = in_range && isfinite(largest[c]);
        int same = exact && (in_range || wlu_lu_of(s->b.program)->tiles.count == 0);
        all = all && same;
        if (same) test_compare_array(expected + (int64_t)c * n, got, n, s->what, "unknown");
        most = wlu_larger_bits(most, largest[c]);
        if (!zero && largest[c] < least) least = largest[c];
    }
    CHECK_SAY(!all || (test_same(most, found->largest) && test_same(least, found->least)),
              "%s: largest %a, %a, expected %a, %a", s->what, found->largest, found->least, most, least);
    CHECK_SAY(!all || (test_same(refined.backward_error, found->refined.backward_error) &&
                       refined.steps == found->refined.steps && refined.inaccurate == found->refined.inaccurate),
              "%s: refined %a, %d, %u, expected %a, %d, %u", s->what, found->refined.backward_error,
              found->refined.steps, found->refined.inaccurate, refined.backward_error, refined.steps,
              refined.inaccurate);
    free(expected);
    free(got);
}

/* What is nobody's stays untouched. */
static void compare_others(const subject *s, const form *f, const double *x, const uint8_t *taken)
{
    for (int64_t k = 0; k < f->numbers; k++)
        if (!taken[k]) {
            CHECK_SAY(x[k] == 77.0, "%s: number %lld is nobody's", s->what, (long long)k);
            if (x[k] != 77.0) return;
        }
}

/* A replay, a solve, or both, of some members, in some form. */
static void run_job(subject *s, int number)
{
    int replays = number == 0 || check_below(&seed, 3) > 0, keeps = !replays || check_below(&seed, 2);
    int32_t n = s->m.n, count, member[MEMBERS], place[MEMBERS], nrhs = check_below(&seed, SIDES) + 1;
    wlu_member_result result[MEMBERS];
    draw_members(s, !replays, member, &count);
    if (count == 0) return;
    if (replays && keeps && check_below(&seed, 2)) nrhs = 0;
    form of_values = draw_form(s->m.nnz, 1, 1), of_b = draw_form(n, SIDES, 1), of_x = draw_form(n, SIDES, 0);
    double *values = lay_out(&of_values, s->values, s->m.nnz, 1, 1), *b = lay_out(&of_b, s->rhs, n, SIDES, SIDES),
           *x = malloc((size_t)of_x.numbers * sizeof *x);
    uint8_t *taken = calloc((size_t)of_x.numbers, 1);
    for (int64_t k = 0; k < of_x.numbers; k++) x[k] = 77.0;
    for (int32_t k = 0; k < count; k++) place[k] = s->place[member[k]];
    const wlu_member_view view = {values, of_values.by_member, of_values.by_column, of_values.by_number};
    const wlu_batch_job job = {.count = count,
                               .member = member,
                               .place = keeps ? place : NULL,
                               .values = replays ? &view : NULL,
                               .kind = check_below(&seed, 3) ? WLU_STREAM_SOLVE : WLU_STREAM_SOLVE_TRANSPOSED,
                               .nrhs = nrhs,
                               .b = {b, of_b.by_member, of_b.by_column, of_b.by_number},
                               .x = {x, of_x.by_member, of_x.by_column, of_x.by_number},
                               .check = (wlu_batch_check)check_below(&seed, 3),
                               .result = result};
    int64_t calls = s->memory.calls;
    CHECK(wlu_batch_lanes.run(&s->b.ctx, s->lanes, &job) == WARPLU_SUCCESS);
    CHECK(s->memory.calls == calls);
    for (int32_t k = 0; k < count; k++) {
        int32_t m = member[k], of = !replays ? s->kept[m] : of_values.by_member == 0 ? 0 : m;
        if (replays && keeps) s->kept[m] = of;
        compare_member(s, &job, m, s->values + (int64_t)of * s->m.nnz,
                       s->rhs + (int64_t)(of_b.by_member == 0 ? 0 : m) * SIDES * n, &of_x, x);
        for (int32_t c = 0; c < nrhs; c++)
            for (int32_t i = 0; i < n; i++) taken[at(&of_x, m, c, i)] = 1;
    }
    compare_others(s, &of_x, x, taken);
    free(taken);
    free(values);
    free(b);
    free(x);
}

static void run_subject(const test_recipe *recipe, int hubs)
{
    subject s;
    test_region region = (test_region)check_below(&seed, TEST_REGIONS);
    if (!open_subject(&s, recipe, hubs, region)) return;
    for (int k = 0; k < WLU_TEST_SIMD; k++) {
        if (!open_lanes(&s, test_simd_names[k])) continue;
        for (int job = 0; job < JOBS; job++) {
            snprintf(s.what, sizeof s.what, "%s, n = %d, duplicates %d, region %d, %s, job %d",
                     hubs ? "hubs" : test_shape_name(recipe->shape), (int)s.m.n, recipe->duplicates, (int)region,
                     test_simd_names[k], job);
            run_job(&s, job);
        }
        wlu_batch_lanes.destroy(&s.b.ctx, &s.lanes);
    }
    close_subject(&s);
}

static void random_matrices(void)
{
    for (int k = 0; k < 60; k++) {
        test_recipe recipe = test_recipe_random(&seed, 40);
        if (check_due()) run_subject(&recipe, 0);
    }
}

/* Chains in order, long ones, panels of several tiles. */
static void long_chains(void)
{
    int step = check_every() > 1 ? 3 : 1;
    for (int k = 0; k < 8; k += step) {
        const test_recipe recipe = {.shape = k % 2 ? TEST_DENSE : TEST_ARROW, .n = 30 + 5 * k, .duplicates = k == 3};
        run_subject(&recipe, 0);
    }
}

/* Rows that are summed by 256 accumulators. */
static void long_rows(void)
{
    const test_recipe recipe = {.n = 330};
    run_subject(&recipe, 1);
}

/* Each allocation fails once, alone or with all that follow. */
static void memory_runs_out(void)
{
    const wlu_target target = {.executor = &wlu_executor_reference, .precision = WARPLU_PRECISION_DOUBLE};
    const test_recipe recipe = {.shape = TEST_GRID, .n = 30, .duplicates = 1};
    subject s;
    warplu_status status = WARPLU_OUT_OF_MEMORY;
    if (!open_subject(&s, &recipe, 0, TEST_MIXED)) return;
    int64_t alive = s.memory.alive;
    for (int k = 1; status == WARPLU_OUT_OF_MEMORY && k < 200; k++) {
        s.memory.lasting = k % 2;
        s.memory.fail_at = s.memory.calls + (k + 1) / 2;
        status = wlu_batch_lanes.create(&s.b.ctx, &target, s.flat->program, s.flat, PLACES, s.team, &s.lanes);
        int failed = s.memory.calls >= s.memory.fail_at;
        CHECK_SAY(failed == (status == WARPLU_OUT_OF_MEMORY), "allocation %d: %s", k, warplu_status_name(status));
        if (failed) CHECK(s.lanes == NULL && s.memory.alive == alive && s.b.ctx.last_message[0] != 0);
    }
    CHECK(status == WARPLU_SUCCESS);
    s.memory.fail_at = 0;
    for (int32_t k = 0; k < MEMBERS; k++) {
        s.kept[k] = -1;
        s.place[k] = k;
    }
    run_job(&s, 0);
    close_subject(&s);
}

/* Slots are FP64. */
static void single_is_refused(void)
{
    const wlu_target target = {.executor = &wlu_executor_reference, .precision = WARPLU_PRECISION_MIXED};
    const test_recipe recipe = {.shape = TEST_BAND, .n = 5};
    subject s;
    if (!open_subject(&s, &recipe, 0, TEST_MIXED)) return;
    CHECK(wlu_batch_lanes.create(&s.b.ctx, &target, s.flat->program, s.flat, 0, NULL, &s.lanes) ==
              WARPLU_PRECISION_UNSUPPORTED &&
          s.lanes == NULL);
    close_subject(&s);
}

/* Terms, numbers of the factors, members, threads. */
static void pay_where_lanes_are_used(void)
{
    CHECK(wlu_lanes_pay(60000, 20000, 64, 2) && wlu_lanes_pay(0, 0, 8, 1));
    CHECK(wlu_lanes_pay(1000000, 50000, 8, 1) && !wlu_lanes_pay(2000000, 50000, 800, 1)); /* 20 terms a number, 40 */
    CHECK(!wlu_lanes_pay(60000, 20000, 3, 1) && wlu_lanes_pay(60000, 20000, 4, 1));
    CHECK(!wlu_lanes_pay(60000, 20000, 64, 64) && wlu_lanes_pay(60000, 20000, 512, 64)); /* groups for all threads */
}

int main(void)
{
    RUN(random_matrices);
    RUN(long_chains);
    RUN(long_rows);
    RUN(memory_runs_out);
    RUN(single_is_refused);
    RUN(pay_where_lanes_are_used);
    return check_done();
}
