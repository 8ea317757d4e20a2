/* The CUDA executor on a device: the reference executor's bits and the committed hashes, for programs of every kind; a
 * thousand replays of changing values; growth, by whichever bound; two programs on two streams; refactorization and
 * solve in one call, and in a graph, checked there or not; all of it in FP64, in FP32, in mixed precision and of
 * complex numbers; the strategy `levels`. Skipped where there is no device, or no CUDA in this build.
 *
 *     test_gpu [--few | --least] [HASHES.csv]
 *
 *   --few    of everything, in seconds under what makes kernels a hundred times slower
 *   --least  in seconds under what makes them ten thousand times slower: all kernels, and all kinds of tasks that
 *            thread blocks have
 *
 * Needs nothing of the build folder but itself: it can be taken to a machine with a GPU, tests/emulate/hashes.csv with
 * it. Built with FAKE_CUDA_PATH it runs on the fake driver, whose kernels are emulated: so the test itself is tested.
 */
#include "equivalence/compare.h"

#include "emulate/hashed.h"
#include "streamed.h"
#include "support/options.h"

#ifdef FAKE_CUDA_PATH
#include "by_emulator.h"

static by_emulator kernel;
#endif

/* Replays whose first bound of growth says enough (-), and which need the second because a column has become small (c)
 * or entries that were the largest of theirs (e): blocks share the second after each of these, for some replays. */
static const char turns[] = "ec-e-cc-ee------------------ce--e";

/* How much of what; of the emulator, and with --few, little; least where other builds run that. */
typedef struct extent {
    int tries, values,
        sides; /* random matrices; of each, in every region, sets of values, and right-hand sides at once */
    int every; /* every k-th hash */
    int replays, turns, rounds;  /* of changing values, of growth, of two streams */
    int calls, graphs, launches; /* of each program in one call; graphs, and of each its launches */
    warplu_precision last;       /* of what needs no solve on device pointers */
    int32_t large, called;       /* unknowns */
} extent;

enum { TURNS = sizeof turns - 1 };

static const extent whole = {60, 4, WLU_MANY - 1, 1, 1000, TURNS, 100, 240, 12, 60, WARPLU_PRECISION_MIXED, 400, 400},
                    few = {6, 4, WLU_MANY - 1, 1, 20, TURNS, 30, 12, 12, 3, WARPLU_PRECISION_MIXED, 400, 120},
                    least = {1, 2, 2, 103, 2, 4, 1, 1, 1, 1, WARPLU_PRECISION_SINGLE, 100, 100};
static const extent *of = &whole;

enum { PROGRAMS = 2 };

static const char *hashes = WLU_HASHES_CSV;
static uint64_t seed;

static int is_missing(void)
{
    wlu_target target = {.executor = &wlu_executor_flow};
    const wlu_cost *cost;
    wlu_context ctx;
    wlu_context_init(&ctx, NULL);
    return wlu_target_open(&ctx, &target, &cost) != WARPLU_SUCCESS;
}

#define NEED_DEVICE() \
    do { \
        if (is_missing()) SKIP("no CUDA device, or a build without CUDA"); \
    } while (0)

static void compare_program(test_build *b, const test_matrix *m, const char *what)
{
    test_replay reference, device;
    const int64_t count = test_matrix_values(m), vector = test_vector(b->program);
    double *values = malloc((size_t)count * sizeof *values), *rhs = malloc((size_t)vector * sizeof *rhs);
    if (test_replay_open(&reference, b, NULL) && test_replay_open(&device, b, "cuda")) {
        for (int64_t i = 0; i < vector; i++) rhs[i] = check_uniform(&seed) - 0.5;
        for (int k = 0; k < of->values; k++) {
            for (int64_t q = 0; q < count; q++) values[q] = m->x[q] * (0.5 + check_uniform(&seed));
            if (k == of->values - 1) values[check_below(&seed, (uint64_t)count)] = INFINITY;
            test_replay_run(&reference, values, rhs);
            test_replay_run(&device, values, rhs);
            test_replay_compare(b, &reference, &device, what);
        }
        test_compare_many(b, &reference, &device, WLU_STREAM_SOLVE, of->sides, 0, 0, rhs, what);
        test_replay_close(&reference, b);
        test_replay_close(&device, b);
    }
    free(values);
    free(rhs);
}

static void the_references_bits(void)
{
    NEED_DEVICE();
    seed = 6006;
    printf("# seed %llu\n", (unsigned long long)seed);
    for (int t = 0; t < of->tries; t++) {
        test_recipe r = test_recipe_random(&seed, 120);
        warplu_options o;
        test_matrix m;
        test_build b;
        check_init_options(&o);
        test_matrix_random(&m, &seed, &r);
        if (streamed_complex) test_matrix_make_complex(&m, &seed);
        CHECK(test_build_pivots(&b, &o, &m) == WARPLU_SUCCESS);
        for (int region = 0; region <= TEST_REGIONS; region++) {
            wlu_cost cost = region < TEST_REGIONS ? test_region_cost((test_region)region) : wlu_cost_cuda;
            char what[64];
            snprintf(what, sizeof what, "try %d, %s, n = %d, region %d", t, test_shape_name(r.shape), r.n, region);
            CHECK(test_build_program(&b, &cost) == WARPLU_SUCCESS);
            compare_program(&b, &m, what);
        }
        test_build_free(&b);
        test_matrix_free(&m);
    }
}

/* A test in FP32 and in mixed precision, if that is no later than the last. */
static void in_both(void (*run)(void), warplu_precision last)
{
    for (test_precision = WARPLU_PRECISION_SINGLE; test_precision <= last; test_precision++) run();
    test_precision = WARPLU_PRECISION_DOUBLE;
}

static void the_references_bits_of_FP32(void)
{
    NEED_DEVICE();
    in_both(the_references_bits, of->last);
}

static void the_committed_hashes(void)
{
    NEED_DEVICE();
    hashed_line *lines;
    int count = hashed_read(hashes, &lines);
    CHECK_SAY(count > 0, "%s cannot be read", hashes);
    for (int k = 0; k < hashed_count() && count > 0; k += of->every) {
        hashed_line found;
        CHECK(hashed_compute(k, &wlu_executor_flow, &found) == WARPLU_SUCCESS);
        const hashed_line *line = hashed_find(lines, count, &found);
        CHECK_SAY(line != NULL && memcmp(&line->hashes, &found.hashes, sizeof line->hashes) == 0, "%s, n = %d, %s, %s",
                  found.name, found.n, found.order, found.program);
    }
    free(lines);
}

static void build_shape(test_build *b, test_matrix *m, test_shape shape, int32_t n, test_region region)
{
    const test_recipe r = {.shape = shape, .n = n};
    streamed_build(b, m, &r, region, &seed);
}

static void a_thousand_replays_of_changing_values(void)
{
    NEED_DEVICE();
    test_matrix m;
    test_build b;
    test_replay reference, device;
    double rhs[2 * 400];
    seed = 1000;
    build_shape(&b, &m, TEST_GRID, of->large, TEST_DEVICE);
    CHECK(test_replay_open(&reference, &b, NULL) && test_replay_open(&device, &b, "cuda"));
    for (int k = 0; k < of->replays; k++) {
        test_matrix_vary(&m, &seed, 0.01);
        for (int64_t i = 0; i < test_vector(b.program); i++) rhs[i] = check_uniform(&seed);
        test_replay_run(&reference, m.x, rhs);
        test_replay_run(&device, m.x, rhs);
        test_hashes expected = test_hash_slots(&b, &reference.slots, reference.x),
                    found = test_hash_slots(&b, &device.slots, device.x);
        CHECK_SAY(memcmp(&expected, &found, sizeof expected) == 0, "replay %d", k);
    }
    test_replay_close(&reference, &b);
    test_replay_close(&device, &b);
    test_build_free(&b);
    test_matrix_free(&m);
}

static void a_thousand_replays_in_FP32(void)
{
    NEED_DEVICE();
    in_both(a_thousand_replays_of_changing_values, of->last);
}

/* ------------------------------------------------------------------ growth */

/* The first bound of growth fails, and the second does not: a column has become small. */
static void shrink_column(const test_matrix *m, double *values)
{
    int32_t j = (int32_t)check_below(&seed, (uint64_t)m->n);
    const int64_t doubles = test_matrix_doubles(m);
    for (int64_t q = doubles * m->ptr[j]; q < doubles * m->ptr[j + 1]; q++) values[q] *= 0x1p-40;
}

/* The second fails as well: entries have become small that were the largest of their columns. */
static void shrink_entries(const wlu_guards *g, const test_matrix *m, double *values)
{
    const int32_t doubles = test_matrix_doubles(m);
    for (int32_t k = 0; k < m->n; k++)
        if (check_below(&seed, 8) == 0)
            for (int32_t part = 0; part < doubles; part++) values[doubles * g->a_source[k] + part] *= 0x1p-14;
}

/* The first bound, from the largest |u|. */
static double first_growth(const wlu_guards *g, const test_matrix *m, double largest_u, const double *values)
{
    double largest = 0.0;
    for (int32_t k = 0; k < m->n; k++) {
        double entry = wlu_power_of_upper(g->a_scale[k]) * wlu_size_at(values, g->a_source[k], test_matrix_doubles(m));
        largest = wlu_larger_bits(largest, wlu_positive_inverse_power(entry));
    }
    return wlu_growth_of(largest_u * largest);
}

/* Each of its matrix's, both parts alike, so that sizes change no more than real numbers do. */
static void scale_entries(const test_matrix *m, double *values)
{
    const int32_t doubles = test_matrix_doubles(m);
    for (int32_t q = 0; q < m->nnz; q++) {
        double by = 0.9 + 0.2 * check_uniform(&seed);
        for (int32_t k = doubles * q; k < doubles * (q + 1); k++) values[k] = m->x[k] * by;
    }
}

static void judge_in_turn(test_build *b, const test_matrix *m, test_replay *reference, test_replay *device)
{
    const wlu_program *p = b->program;
    const int64_t count = test_matrix_values(m), vector = test_vector(p);
    double *values = malloc((size_t)count * sizeof *values), *rhs = malloc((size_t)vector * sizeof *rhs);
    for (int64_t i = 0; i < vector; i++) rhs[i] = check_uniform(&seed) - 0.5;
    for (int k = 0; k < of->turns; k++) {
        char what[64];
        snprintf(what, sizeof what, "n = %d, replay %d", m->n, k);
        scale_entries(m, values);
        if (turns[k] == 'c') shrink_column(m, values);
        if (turns[k] == 'e') shrink_entries(&wlu_lu_of(p)->guard, m, values);
        test_replay_run(reference, values, rhs);
        test_replay_run(device, values, rhs);
        test_replay_compare(b, reference, device, what);
        const wlu_health *h = wlu_state_health(reference->state, 0);
        double first = first_growth(&wlu_lu_of(p)->guard, m, h->largest_u, values);
        int enough = first >= wlu_lu_of(p)->guard.criteria.growth;
        CHECK_SAY(h->finite && enough == (turns[k] == '-') && (enough ? h->growth == first : h->growth >= first) &&
                      (turns[k] != 'c' || h->growth > first),
                  "%s: growth %g, first %g", what, h->growth, first);
    }
    free(values);
    free(rhs);
}

static void growth_however_it_is_decided(void)
{
    NEED_DEVICE();
    seed = 3131;
    for (int region = 0; region < TEST_REGIONS; region++)
        for (int32_t n = 40; n <= of->large; n *= 10) {
            test_matrix m;
            test_build b;
            test_replay reference, device;
            build_shape(&b, &m, TEST_GRID, n, (test_region)region);
            if (test_replay_open(&reference, &b, NULL) && test_replay_open(&device, &b, "cuda")) {
                judge_in_turn(&b, &m, &reference, &device);
                test_replay_close(&reference, &b);
                test_replay_close(&device, &b);
            }
            test_build_free(&b);
            test_matrix_free(&m);
        }
}

static void growth_in_FP32(void)
{
    NEED_DEVICE();
    test_precision = WARPLU_PRECISION_SINGLE;
    growth_however_it_is_decided();
    test_precision = WARPLU_PRECISION_DOUBLE;
}

/* ----------------------------------------------------------------- streams */

static void two_programs_on_two_streams(void)
{
    NEED_DEVICE();
#if WLU_TEST_CUDA
    streamed s[PROGRAMS];
    seed = 22;
    const test_recipe recipes[PROGRAMS] = {{.shape = TEST_GRID, .n = of->large},
                                           {.shape = TEST_BLOCKS, .n = of->large / 4 * 3}};
    for (int k = 0; k < PROGRAMS; k++) streamed_open(&s[k], &recipes[k], k ? TEST_MIXED : TEST_DEVICE, &seed);
    for (int round = 0; round < of->rounds; round++) {
        for (int k = 0; k < PROGRAMS; k++) streamed_enqueue(&s[k]);
        for (int k = 0; k < PROGRAMS; k++) streamed_finish(&s[k]);
        for (int k = 0; k < PROGRAMS; k++) streamed_solve_in_place(&s[k]);
    }
    for (int k = PROGRAMS - 1; k >= 0; k--) streamed_close(&s[k]);
#endif
}

#if WLU_TEST_CUDA
/* Right-hand sides of one launch, and of two. */
static const int32_t counts[] = {1, WLU_MANY, WLU_MANY + 1};
enum { COUNTS = sizeof counts / sizeof *counts };

/* n: of so many parts of a large one. */
static const struct {
    test_recipe recipe;
    test_region region;
} in_one_call[] = {{{.shape = TEST_GRID, .n = 1}, TEST_DEVICE},
                   {{.shape = TEST_GRID, .n = 2, .duplicates = 1}, TEST_MIXED},
                   {{.shape = TEST_GRID, .n = 1}, TEST_ALL_TILE},
                   {{.shape = TEST_BLOCKS, .n = 2}, TEST_ALL_TILE},
                   {{.shape = TEST_BAND, .n = 1}, TEST_ALL_DOT}};
enum { IN_ONE_CALL = sizeof in_one_call / sizeof *in_one_call };

static void open_in_one_call(streamed *s, int c)
{
    test_recipe recipe = in_one_call[c].recipe;
    recipe.n = of->called / recipe.n;
    streamed_open(s, &recipe, in_one_call[c].region, &seed);
}
#endif

static void refactorization_and_solve_in_one_call(void)
{
    NEED_DEVICE();
#if WLU_TEST_CUDA
    seed = 1122;
    for (int c = 0; c < IN_ONE_CALL; c++) {
        streamed s;
        open_in_one_call(&s, c);
        for (int round = 0; round < of->calls; round++) {
            wlu_stream_kind kind = (c + round) % 2 ? WLU_STREAM_SOLVE_TRANSPOSED : WLU_STREAM_SOLVE;
            streamed_compare_calls(&s, kind, counts[round / 4 % COUNTS], round / 2 % 2, 0);
            if (round % COUNTS == 1) streamed_compare_calls(&s, kind, counts[round / 4 % COUNTS], round / 2 % 2, 1);
        }
        streamed_close(&s);
    }
#endif
}

static void both_in_a_graph(void)
{
    NEED_DEVICE();
#if WLU_TEST_CUDA
    seed = 1123;
    for (int graph = 0; graph < of->graphs; graph++) {
        streamed s;
        int k = graph % COUNTS;
        open_in_one_call(&s, graph / COUNTS % IN_ONE_CALL);
        streamed_compare_graph(&s, k % 2 ? WLU_STREAM_SOLVE_TRANSPOSED : WLU_STREAM_SOLVE, counts[k], of->launches);
        streamed_close(&s);
    }
#endif
}

static void streams_calls_and_graphs_in_FP32(void)
{
    NEED_DEVICE();
    in_both(two_programs_on_two_streams, of->last);
    in_both(refactorization_and_solve_in_one_call, WARPLU_PRECISION_MIXED);
    in_both(both_in_a_graph, WARPLU_PRECISION_MIXED);
}

/* The reference then refines all that it solves; the device, what it has device pointers for. */
static void checked_solves(void)
{
    test_precision = WLU_DOUBLE_REFINED;
    refactorization_and_solve_in_one_call();
    both_in_a_graph();
    test_precision = WARPLU_PRECISION_DOUBLE;
}

/* Rows of which the whole block adds up products: an arrow's. */
static void refinement_of_hubs(void)
{
    NEED_DEVICE();
    enum { N = 2200 };
    test_matrix m;
    test_build b;
    seed = 2048;
    build_shape(&b, &m, TEST_ARROW, N, TEST_DEVICE);
    test_precision = WARPLU_PRECISION_MIXED;
    compare_program(&b, &m, "a hub");
    test_precision = WARPLU_PRECISION_DOUBLE;
    test_build_free(&b);
    test_matrix_free(&m);
}

/* Launches and graphs, in either precision. */
static void the_strategy_levels(void)
{
    NEED_DEVICE();
    seed = 7117;
    for (int k = 0; k < 4; k++) {
        test_matrix m;
        test_build b;
        build_shape(&b, &m, TEST_ARROW, of->called, TEST_ALL_DOT);
        test_strategy = k / 2 ? WARPLU_STRATEGY_LEVELS : WLU_STRATEGY_LAUNCHES;
        test_precision = k % 2 ? WARPLU_PRECISION_SINGLE : WARPLU_PRECISION_DOUBLE;
        compare_program(&b, &m, "levels");
        test_build_free(&b);
        test_matrix_free(&m);
    }
    test_strategy = WARPLU_STRATEGY_AUTO;
    test_precision = WARPLU_PRECISION_DOUBLE;
}

/* The same of complex numbers, which are FP64. */
static void complex_values(void)
{
    NEED_DEVICE();
    streamed_complex = 1;
    the_references_bits();
    a_thousand_replays_of_changing_values();
    growth_however_it_is_decided();
    two_programs_on_two_streams();
    refactorization_and_solve_in_one_call();
    both_in_a_graph();
    checked_solves();
    streamed_complex = 0;
}

#ifdef FAKE_CUDA_PATH
static void kernels_were_launched_as_they_are_to_be(void)
{
    CHECK(kernel.wrong == 0 && kernel.solves > 0 && kernel.looks > 0);
    CHECK(by_emulator_tell(&kernel) == 0);
}
#endif

int main(int argc, char **argv)
{
#ifdef FAKE_CUDA_PATH
    of = check_every() > 1 ? &least : &few;
#endif
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "--few") == 0)
            of = &few;
        else if (strcmp(argv[k], "--least") == 0)
            of = &least;
        else
            hashes = argv[k];
    }
#ifdef FAKE_CUDA_PATH
    if (by_emulator_open(by_emulator_launch, &kernel) == NULL || is_missing()) return 1;
#endif
    RUN(the_references_bits);
    RUN(the_committed_hashes);
    RUN(a_thousand_replays_of_changing_values);
    RUN(growth_however_it_is_decided);
    RUN(two_programs_on_two_streams);
    RUN(refactorization_and_solve_in_one_call);
    RUN(both_in_a_graph);
    RUN(the_references_bits_of_FP32);
    RUN(a_thousand_replays_in_FP32);
    RUN(growth_in_FP32);
    RUN(streams_calls_and_graphs_in_FP32);
    RUN(checked_solves);
    RUN(refinement_of_hubs);
    RUN(the_strategy_levels);
    RUN(complex_values);
#ifdef FAKE_CUDA_PATH
    RUN(kernels_were_launched_as_they_are_to_be);
#endif
    return check_done();
}
