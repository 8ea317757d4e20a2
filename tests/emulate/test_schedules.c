/* The emulated device under schedules that are out to harm: few resident blocks, others that come late, tasks that are
 * favoured or starved, slots that others see late and in another order than they were written. Whatever the schedule,
 * the bits are the reference executor's; through the API, so are the statuses. */
#include "equivalence/compare.h"

#include "exec/device/pack.h"
#include "emulator/emulate.h"
#include "gen/gen.h"
#include "support/dense.h"
#include "support/options.h"

static uint64_t seed;
static int64_t looks_in_vain;
static int complex_values; /* of what is replayed */

/* The same tests for either kind of numbers. */
static void complete(test_matrix *m)
{
    if (complex_values) test_matrix_make_complex(m, &seed);
}

static void in_complex(void (*run)(void))
{
    complex_values = 1;
    run();
    complex_values = 0;
}

/* Blocks 1, 2, 7 or many; as many resident or fewer. */
static wlu_emulate_mode draw_mode(void)
{
    static const int32_t residents[] = {1, 2, 7, 16}, delays[] = {0, 2, 40, 1000};
    wlu_emulate_mode mode = {.seed = check_random(&seed) | 1};
    mode.residents = residents[check_below(&seed, 4)];
    mode.blocks = mode.residents * (1 + check_below(&seed, 3));
    mode.bundle_blocks = 1 + check_below(&seed, mode.blocks);
    mode.warps = 1 + check_below(&seed, 4);
    mode.delay = delays[check_below(&seed, 4)];
    return mode;
}

/* One program, several schedules; replays follow each other on one state, for the buffers take turns. */
static void compare_schedules(test_build *b, const double *const *values, int count, const double *rhs,
                              const char *name)
{
    test_replay reference, device;
    if (!test_replay_open(&reference, b, NULL) || !test_replay_open(&device, b, "emulate")) return;
    for (int k = 0; k < 2 * count; k++) {
        char what[192];
        wlu_emulate_mode mode = draw_mode();
        snprintf(what, sizeof what, "%s, seed %llu, %d of %d blocks, %d x %d warps, delay %d", name,
                 (unsigned long long)mode.seed, mode.residents, mode.blocks, mode.bundle_blocks, mode.warps,
                 mode.delay);
        CHECK(wlu_emulate_schedule(&b->ctx, device.state, &mode) == WARPLU_SUCCESS);
        int before = check_failures;
        test_replay_run(&reference, values[k % count], rhs);
        test_replay_run(&device, values[k % count], rhs);
        test_replay_compare(b, &reference, &device, what);
        looks_in_vain += wlu_emulate_looks_in_vain(device.state, WLU_STREAM_FACTOR);
        if (check_failures > before) printf("#   %s: %s\n", what, b->ctx.last_message);
    }
    test_replay_close(&reference, b);
    test_replay_close(&device, b);
}

static void compare_regions(const test_matrix *m, const double *const *values, int count)
{
    static const char *const names[] = {"all DOT", "mixed", "all TILE", "device", "cpu", "cuda"};
    warplu_options o;
    test_build b;
    check_init_options(&o);
    o.btf = check_below(&seed, 3) > 0;
    o.ordering = check_below(&seed, 2) ? WARPLU_ORDERING_NATURAL : WARPLU_ORDERING_AMD;
    CHECK(test_build_pivots(&b, &o, m) == WARPLU_SUCCESS);
    if (b.pivots == NULL) return;
    int32_t vector = test_matrix_doubles(m) * m->n;
    double *rhs = malloc((size_t)vector * sizeof *rhs);
    for (int32_t i = 0; i < vector; i++) rhs[i] = check_uniform(&seed) - 0.5;
    for (int region = 0; region < TEST_REGIONS + 2; region++) {
        if (!check_due()) continue;
        wlu_cost cost = region < TEST_REGIONS    ? test_region_cost((test_region)region)
                        : region == TEST_REGIONS ? wlu_cost_cpu
                                                 : wlu_cost_cuda;
        char name[64];
        snprintf(name, sizeof name, "n = %d, %s", m->n, names[region]);
        CHECK(test_build_program(&b, &cost) == WARPLU_SUCCESS);
        if (b.program != NULL) compare_schedules(&b, values, count, rhs, name);
    }
    free(rhs);
    test_build_free(&b);
}

/* The matrix's own values, varied ones, and ones of which some are no numbers. */
static void compare_values(const test_matrix *m)
{
    double *values[3];
    for (int k = 0; k < 3; k++) {
        values[k] = malloc((size_t)test_matrix_values(m) * sizeof **values);
        for (int64_t q = 0; q < test_matrix_values(m); q++)
            values[k][q] = m->x[q] * (k == 0 ? 1.0 : 0.5 + check_uniform(&seed));
    }
    values[2][check_below(&seed, (uint64_t)test_matrix_values(m))] = check_below(&seed, 2) ? NAN : INFINITY;
    compare_regions(m, (const double *const *)values, 3);
    for (int k = 0; k < 3; k++) free(values[k]);
}

static void random_matrices(void)
{
    seed = 70207;
    printf("# seed %llu\n", (unsigned long long)seed);
    for (int t = 0; t < 120; t++) {
        test_recipe r = test_recipe_random(&seed, t % 4 == 0 ? 12 : 90);
        test_matrix m;
        test_matrix_random(&m, &seed, &r);
        complete(&m);
        compare_values(&m);
        test_matrix_free(&m);
    }
    printf("# %lld looks in vain\n", (long long)looks_in_vain);
    CHECK(looks_in_vain > 10000 / check_every());
}

/* Tasks of a solve that hand results on in shared memory. */
static int count_sections(test_build *b)
{
    wlu_device_image image;
    int sections = 0;
    CHECK(wlu_device_pack(&b->ctx, b->program, WLU_STREAM_SOLVE, &image) == WARPLU_SUCCESS);
    for (int32_t q = 0; q < image.solve.tasks; q++) sections += image.solve.task[q].places > 0;
    wlu_device_image_free(&b->ctx, &image);
    return sections;
}

/* cut: with partial sums. Returns the solve's narrow sections. */
static int compare_dots(test_matrix *m, int cut, const char *name)
{
    wlu_cost cost = test_region_cost(TEST_ALL_DOT);
    warplu_options o;
    test_build b;
    int sections = 0;
    check_init_options(&o);
    if (cut) {
        cost.record_terms = 40;
        cost.partial_sum_terms = 32;
    }
    o.ordering = WARPLU_ORDERING_NATURAL;
    o.matching = WARPLU_MATCHING_NEVER;
    o.btf = 0;
    CHECK(test_build_pivots(&b, &o, m) == WARPLU_SUCCESS && test_build_program(&b, &cost) == WARPLU_SUCCESS);
    if (b.program != NULL) {
        CHECK(cut == (test_partial_sums(b.program, &b.program->solve.stream) > 0));
        compare_schedules(&b, (const double *const *)&m->x, 1, m->x, name);
        sections = count_sections(&b);
    }
    test_build_free(&b);
    return sections;
}

/* A wide level between two narrow sections, the second of which takes results of the first. Of A, then of its
 * transpose. */
static void sections_apart(void)
{
    enum { CHAIN = 8, FAN = 150, N = 2 * CHAIN + FAN };
    seed = 161803;
    printf("# seed %llu\n", (unsigned long long)seed);
    for (int way = 0; way < 4; way++) {
        double *dense = calloc((size_t)N * N, sizeof *dense);
        test_matrix m;
        for (int i = 0; i < N; i++)
            for (int j = 0; j <= i; j++) {
                int fans = i >= CHAIN && i < CHAIN + FAN, follows = fans ? j == CHAIN - 1 : j == i - 1;
                int gathers = i >= CHAIN + FAN && (j + CHAIN + FAN == i || (i == CHAIN + FAN && j >= CHAIN));
                if (i != j && !follows && !gathers) continue;
                dense[way % 2 ? i * N + j : j * N + i] = i == j ? 2.0 : check_uniform(&seed) - 0.5;
            }
        test_matrix_from_dense(&m, N, dense);
        complete(&m);
        compare_dots(&m, 0, "sections");
        test_matrix_free(&m);
        free(dense);
    }
}

/* A chain, each of whose unknowns takes the one before, and a hub in its middle or at its end that takes all before it:
 * partial sums are ready all along the chain, and break none of its narrow sections. */
static void hubs_break_no_sections(void)
{
    enum { N = 230, MIDDLE = 180 };
    seed = 230180;
    printf("# seed %llu\n", (unsigned long long)seed);
    for (int hub = MIDDLE; hub < N; hub += N - 1 - MIDDLE) {
        double *dense = calloc((size_t)N * N, sizeof *dense);
        test_matrix m;
        for (int i = 0; i < N; i++)
            for (int j = 0; j <= i; j++)
                if (i - j <= 1 || i == hub) dense[j * N + i] = i == j ? 2.0 : 0.1 * (check_uniform(&seed) - 0.5);
        test_matrix_from_dense(&m, N, dense);
        complete(&m);
        int whole = compare_dots(&m, 0, "a whole hub"), cut = compare_dots(&m, 1, "a hub in pieces");
        CHECK_SAY(cut == whole && cut == 1 + (hub < N - 4), "%d narrow sections, %d with partial sums", whole, cut);
        test_matrix_free(&m);
        free(dense);
    }
}

/* Records that a warp has to itself: the last rows and columns of an arrow, all DOT. */
static void very_long_records(void)
{
    seed = 512513;
    printf("# seed %llu\n", (unsigned long long)seed);
    for (int32_t n = 513; n <= 641; n += 16) {
        const test_recipe r = {.shape = TEST_ARROW, .n = n};
        test_matrix m;
        test_matrix_random(&m, &seed, &r);
        complete(&m);
        compare_dots(&m, 0, "an arrow");
        compare_dots(&m, 1, "an arrow in pieces");
        test_matrix_free(&m);
    }
}

static void generated_matrices(void)
{
    seed = 40810;
    printf("# seed %llu\n", (unsigned long long)seed);
    for (int kind = 0; kind < gen_kind_count; kind++) {
        wlu_context ctx;
        gen_params params;
        gen_matrix g;
        wlu_context_init(&ctx, NULL);
        gen_params_init(&params);
        params.size = 250;
        CHECK(gen_build(&ctx, &gen_kinds[kind], &params, &g) == WARPLU_SUCCESS);
        test_matrix m = {.n = g.n, .nnz = g.ptr[g.n], .ptr = g.ptr, .idx = g.idx, .x = g.values};
        int before = check_failures;
        compare_values(&m);
        if (check_failures > before) printf("#   of kind %s\n", gen_kinds[kind].name);
        gen_matrix_free(&ctx, &g);
    }
}

static void complex_values_alike(void)
{
    looks_in_vain = 0;
    in_complex(random_matrices);
    in_complex(sections_apart);
    in_complex(hubs_break_no_sections);
    in_complex(very_long_records);
}

/* --------------------------------------------------------- through the API */

static warplu_solver *begin_life(const test_matrix *m, warplu_storage storage)
{
    warplu_solver *s = NULL;
    warplu_options o;
    check_init_options(&o);
    o.storage = storage;
    o.executor = TEST_EXECUTOR_EMULATE;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(s, m->n, m->ptr, m->idx, m->x) == WARPLU_SUCCESS);
    return s;
}

/* Both solves of both solvers: the same statuses and bits, and right where they say so. */
static void compare_solves(warplu_solver *const *s, const test_matrix *m)
{
    double b[40], x[2][40], *dense = test_matrix_dense(m);
    for (int32_t i = 0; i < m->n; i++) b[i] = check_uniform(&seed) - 0.5;
    for (int transposed = 0; transposed <= 1; transposed++) {
        warplu_status status[2];
        for (int k = 0; k < 2; k++)
            status[k] = transposed ? warplu_solve_transposed(s[k], 1, b, m->n, x[k], m->n)
                                   : warplu_solve(s[k], 1, b, m->n, x[k], m->n);
        CHECK_SAY(status[0] == status[1], "%s by columns, %s by rows", warplu_status_name(status[0]),
                  warplu_status_name(status[1]));
        if (status[0] < 0) continue;
        test_compare_array(x[0], x[1], m->n, "by rows", "unknown");
        double error = test_dense_backward_error(m->n, dense, transposed, b, x[0]);
        CHECK_SAY(status[0] != WARPLU_SUCCESS || error <= 1e-10, "backward error %g", error);
    }
    free(dense);
}

/* The same matrix by columns and by rows; place[q]: entry q by rows is that one by columns. */
static void live(test_matrix *m, test_matrix *rows, const int32_t *place)
{
    warplu_solver *s[] = {begin_life(m, WARPLU_STORAGE_CSC), begin_life(rows, WARPLU_STORAGE_CSR)};
    CHECK(warplu_factor(s[0], m->x) == warplu_factor(s[1], rows->x));
    for (int step = 0; step < 5; step++) {
        for (int32_t q = 0; q < m->nnz; q++) m->x[q] *= 0.7 + 0.6 * check_uniform(&seed);
        if (step == 2) m->x[check_below(&seed, m->nnz)] *= 1e-14;
        for (int32_t q = 0; q < m->nnz; q++) rows->x[q] = m->x[place[q]];
        warplu_status status = warplu_refactor(s[0], m->x), other = warplu_refactor(s[1], rows->x);
        CHECK_SAY(status == other, "%s by columns, %s by rows", warplu_status_name(status), warplu_status_name(other));
        CHECK_SAY(status != WARPLU_INTERNAL, "%s", warplu_get_message(s[0]));
        if (status >= 0) compare_solves(s, m);
    }
    warplu_destroy(&s[0]);
    warplu_destroy(&s[1]);
}

static void lives_by_columns_and_rows(void)
{
    seed = 991;
    printf("# seed %llu\n", (unsigned long long)seed);
    for (int t = 0; t < 80; t++) {
        test_recipe r = test_recipe_random(&seed, 40);
        test_matrix m, rows;
        test_matrix_random(&m, &seed, &r);
        int32_t *place = malloc((size_t)m.nnz * sizeof *place);
        test_matrix_to_csr(&m, &rows, place);
        live(&m, &rows, place);
        free(place);
        test_matrix_free(&m);
        test_matrix_free(&rows);
    }
}

int main(void)
{
    RUN(random_matrices);
    RUN(sections_apart);
    RUN(hubs_break_no_sections);
    RUN(very_long_records);
    RUN(generated_matrices);
    RUN(complex_values_alike);
    RUN(lives_by_columns_and_rows);
    return check_done();
}
