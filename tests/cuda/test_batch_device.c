/* Batches on device pointers as their users see them: members get the bits of the same batch on host numbers; what
 * the device cannot vouch for is NaN until it is mended; masks, both layouts, factors that are kept, solves with A',
 * graphs.
 *
 * Skipped where there is no device. Needs nothing of the build folder but itself. Built with FAKE_CUDA_PATH it runs on
 * the fake driver, whose kernels are emulated. */
#include <warplu/batch_device.h>

#include "check.h"

#include "device/context.h"
#include "exec/device/memory.h"
#include "support/matrices.h"
#include "support/options.h"

#ifdef FAKE_CUDA_PATH
#include "by_emulator.h"
static by_emulator kernel;
static fake_cuda *fake;
#endif

#include <math.h>
#include <string.h>

enum { COUNT = 70, NRHS = 2 };

static uint64_t seed = 1123;
static int32_t one = 1; /* doubles of a number */
static wlu_context ctx;
static const void *device;

#define NEED_DEVICE() \
    do { \
        if (device == NULL) SKIP("no CUDA device"); \
    } while (0)

/* Numbers on the host, laid out as the batch's, and on the device. */
typedef struct numbers {
    int64_t nvalues, nx;
    double *values, *b, *x, *expected;
    unsigned char *mask;
    void *on_device[4]; /* values, b, x, mask */
} numbers;

static void *send(const void *from, int64_t bytes)
{
    void *to = NULL;
    CHECK(wlu_device_memory_cuda.alloc(&ctx, device, bytes, &to) == WARPLU_SUCCESS);
    CHECK(wlu_device_memory_cuda.to_device(&ctx, device, to, from, bytes) == WARPLU_SUCCESS);
    return to;
}

static void send_again(const numbers *m)
{
    const void *from[] = {m->values, m->b, m->x, m->mask};
    const int64_t bytes[] = {8 * m->nvalues, 8 * m->nx, 8 * m->nx, COUNT};
    for (int k = 0; k < 4; k++)
        CHECK(wlu_device_memory_cuda.to_device(&ctx, device, m->on_device[k], from[k], bytes[k]) == WARPLU_SUCCESS);
}

static void fetch_x(const numbers *m)
{
    CHECK(wlu_device_memory_cuda.to_host(&ctx, device, m->x, m->on_device[2], 8 * m->nx) == WARPLU_SUCCESS);
}

/* Double i of a member's, which has so many. */
static int64_t at(const warplu_batch_options *o, int64_t length, int32_t member, int64_t i)
{
    return o->layout == WARPLU_BATCH_INTERLEAVED ? (i / one * COUNT + member) * one + i % one : member * length + i;
}

/* Members far from the pivots' values, all alike: every tenth; 3 is not finite; 5, 15, .. take no part. */
static int is_far(int32_t m)
{
    return m % 10 == 0;
}

static numbers make_numbers(const test_matrix *a, const warplu_batch_options *o)
{
    const int32_t nvalues = one * a->nnz;
    numbers m = {.nvalues = (int64_t)COUNT * nvalues, .nx = (int64_t)COUNT * NRHS * one * a->n};
    m.values = malloc((size_t)m.nvalues * sizeof(double));
    m.b = malloc((size_t)m.nx * sizeof(double));
    m.x = malloc((size_t)m.nx * sizeof(double));
    m.expected = malloc((size_t)m.nx * sizeof(double));
    m.mask = malloc(COUNT);
    for (int32_t k = 0; k < COUNT; k++) {
        for (int32_t q = 0; q < nvalues; q++) {
            double v = a->x[q] * (1.0 + 0.1 * (2.0 * check_uniform(&seed) - 1.0));
            if (is_far(k) && a->idx[q / one] % 2 == 0) v *= (uint32_t)(q / one) * 2654435761u >> 31 ? 1e-14 : 1e3;
            m.values[at(o, nvalues, k, q)] = v;
        }
        m.mask[k] = k % 10 != 5;
    }
    m.values[at(o, nvalues, 3, 1)] = NAN;
    for (int64_t k = 0; k < m.nx; k++) {
        m.b[k] = check_uniform(&seed) - 0.5;
        m.x[k] = m.expected[k] = -7.0;
    }
    m.on_device[0] = send(m.values, 8 * m.nvalues);
    m.on_device[1] = send(m.b, 8 * m.nx);
    m.on_device[2] = send(m.x, 8 * m.nx);
    m.on_device[3] = send(m.mask, COUNT);
    return m;
}

static void free_numbers(numbers *m)
{
    void *owned[] = {m->values, m->b, m->x, m->expected, m->mask};
    for (int k = 0; k < 4; k++) wlu_device_memory_cuda.free(device, m->on_device[k]);
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) free(owned[k]);
}

static warplu_batch *make_batch(const test_matrix *a, const warplu_batch_options *o)
{
    warplu_solver *s = NULL;
    warplu_batch *batch = NULL;
    warplu_options options;
    check_init_options(&options);
    options.scalar = one > 1 ? WARPLU_SCALAR_COMPLEX : WARPLU_SCALAR_REAL;
    CHECK(warplu_create(&s, &options) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(s, a->n, a->ptr, a->idx, a->x) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s, a->x) == WARPLU_SUCCESS);
    CHECK(warplu_batch_create(&batch, s, COUNT, o) == WARPLU_SUCCESS);
    warplu_destroy(&s);
    return batch;
}

static void make_matrix(test_matrix *a)
{
    static const test_recipe grid = {.shape = TEST_GRID, .n = 30};
    test_matrix_random(a, &seed, &grid);
    if (one > 1) test_matrix_make_complex(a, &seed);
}

static warplu_batch_options options_of(warplu_batch_layout layout, int keeps)
{
    warplu_batch_options o;
    warplu_batch_init_options(&o);
    o.executor = WARPLU_EXECUTOR_CUDA;
    o.layout = layout;
    o.keep_factors = keeps;
    return o;
}

static warplu_batch_member record_of(const warplu_batch *batch, int32_t m)
{
    warplu_batch_member r;
    CHECK(warplu_batch_get_members(batch, m, 1, &r, sizeof r) == WARPLU_SUCCESS);
    return r;
}

/* How many numbers of a member's x are NaN, and how many are not what is expected. */
static void look(const numbers *m, const warplu_batch_options *o, int32_t n, int32_t member, int *nans, int *others)
{
    const int64_t doubles = NRHS * (int64_t)one * n;
    *nans = *others = 0;
    for (int64_t i = 0; i < doubles; i++) {
        int64_t k = at(o, doubles, member, i);
        *nans += isnan(m->x[k]) != 0;
        *others += m->x[k] != m->expected[k] && !(isnan(m->x[k]) && isnan(m->expected[k]));
    }
}

/* All that the records and the host's answer say of x: *withheld: members that are NaN by now. */
static void check_withheld(const numbers *m, const warplu_batch_options *o, int32_t n, int32_t *withheld)
{
    *withheld = 0;
    for (int32_t k = 0; k < COUNT; k++) {
        int nans, others;
        look(m, o, n, k, &nans, &others);
        *withheld += nans > 0;
        CHECK_SAY(nans == 0 || nans == NRHS * one * n, "member %d: %d of %d are NaN", k, nans, NRHS * one * n);
        CHECK_SAY(nans > 0 || others == 0, "member %d: %d of %d are wrong", k, others, NRHS * one * n);
    }
}

static void check_finished(const warplu_batch *batch, const numbers *m, const warplu_batch_options *o, int32_t n)
{
    for (int32_t k = 0; k < COUNT; k++) {
        int nans, others;
        warplu_batch_member r = record_of(batch, k);
        look(m, o, n, k, &nans, &others);
        warplu_status expected = m->mask[k] == 0 ? WARPLU_SUCCESS : k == 3 ? WARPLU_NOT_FINITE : WARPLU_SUCCESS;
        CHECK_SAY(r.status == expected, "member %d: %s", k, warplu_status_name(r.status));
        CHECK_SAY(m->mask[k] != 0 || r.way == WARPLU_BATCH_NONE, "member %d took part", k);
        CHECK_SAY(nans == (k == 3 ? NRHS * one * n : 0), "member %d: %d are NaN", k, nans);
        CHECK_SAY(others == 0, "member %d: %d are not those of the host's call", k, others);
    }
}

static void fill_x(numbers *m)
{
    for (int64_t k = 0; k < m->nx; k++) m->x[k] = -7.0;
    send_again(m);
}

/* A call on the device is as one on the host, call after call; the second time others' programs serve on the device. */
static void run_at_once(warplu_batch_layout layout, int transposed)
{
    test_matrix a;
    make_matrix(&a);
    warplu_batch_options o = options_of(layout, 0);
    warplu_batch *batch = make_batch(&a, &o), *host = make_batch(&a, &o);
    numbers m = make_numbers(&a, &o);
    int32_t withheld[2];
    if (transposed) CHECK(warplu_batch_prepare_transposed(batch) == WARPLU_SUCCESS);
    for (int k = 0; k < 2; k++) {
        CHECK(warplu_batch_refactor_solve(host, m.values, m.mask, transposed, NRHS, m.b, m.expected) ==
              WARPLU_MEMBERS_FAILED);
        fill_x(&m);
        CHECK(warplu_batch_refactor_solve_device(batch, m.on_device[0], m.on_device[3], transposed, NRHS,
                                                 m.on_device[1], m.on_device[2], NULL) == WARPLU_ENQUEUED);
        CHECK(wlu_device_memory_cuda.wait(&ctx, device, NULL) == WARPLU_SUCCESS);
        fetch_x(&m);
        check_withheld(&m, &o, a.n, &withheld[k]);
        CHECK(warplu_batch_finish_device(batch, NULL) == WARPLU_MEMBERS_FAILED);
        fetch_x(&m);
        check_finished(batch, &m, &o, a.n);
    }
    printf("# withheld: %d, then %d\n", (int)withheld[0], (int)withheld[1]);
    CHECK(withheld[0] >= 4 && withheld[1] >= 1 && withheld[1] < withheld[0]);
    CHECK(warplu_batch_finish_device(batch, NULL) == WARPLU_SUCCESS); /* nothing was enqueued */
    free_numbers(&m);
    warplu_batch_destroy(&batch);
    warplu_batch_destroy(&host);
    test_matrix_free(&a);
}

static void answers_are_those_of_calls_on_the_host(void)
{
    NEED_DEVICE();
    for (int k = 0; k < 4; k++) run_at_once(k % 2 ? WARPLU_BATCH_INTERLEAVED : WARPLU_BATCH_CONTIGUOUS, k / 2);
}

static void all_take_part_without_a_mask(void)
{
    NEED_DEVICE();
    test_matrix a;
    make_matrix(&a);
    warplu_batch_options o = options_of(WARPLU_BATCH_CONTIGUOUS, 0);
    warplu_batch *batch = make_batch(&a, &o), *host = make_batch(&a, &o);
    numbers m = make_numbers(&a, &o);
    memset(m.mask, 1, COUNT);
    CHECK(warplu_batch_refactor_solve(host, m.values, NULL, 0, NRHS, m.b, m.expected) == WARPLU_MEMBERS_FAILED);
    for (int k = 0; k < 2; k++) {
        fill_x(&m);
        CHECK(warplu_batch_refactor_solve_device(batch, m.on_device[0], NULL, 0, NRHS, m.on_device[1], m.on_device[2],
                                                 NULL) == WARPLU_ENQUEUED);
        CHECK(warplu_batch_finish_device(batch, NULL) == WARPLU_MEMBERS_FAILED);
        fetch_x(&m);
        check_finished(batch, &m, &o, a.n);
        if (k == 0)
            CHECK(warplu_batch_refactor_solve(host, m.values, NULL, 0, NRHS, m.b, m.expected) == WARPLU_MEMBERS_FAILED);
    }
    free_numbers(&m);
    warplu_batch_destroy(&batch);
    warplu_batch_destroy(&host);
    test_matrix_free(&a);
}

/* Factors that the device keeps; calls on host numbers have them once they are finished. */
static void factors_are_kept(void)
{
    NEED_DEVICE();
    for (int t = 0; t < 4; t++) {
        test_matrix a;
        int transposed = t / 2;
        make_matrix(&a);
        warplu_batch_options o = options_of(t % 2 ? WARPLU_BATCH_INTERLEAVED : WARPLU_BATCH_CONTIGUOUS, 1);
        warplu_batch *batch = make_batch(&a, &o), *host = make_batch(&a, &o);
        numbers m = make_numbers(&a, &o);
        CHECK(warplu_batch_prepare_transposed(batch) == WARPLU_SUCCESS);
        for (int k = 0; k < 2; k++) {
            int32_t withheld;
            CHECK(warplu_batch_refactor(host, m.values, m.mask) == WARPLU_MEMBERS_FAILED);
            CHECK(warplu_batch_solve(host, m.mask, transposed, NRHS, m.b, m.expected) == WARPLU_MEMBERS_FAILED);
            fill_x(&m);
            CHECK(warplu_batch_refactor_device(batch, m.on_device[0], m.on_device[3], NULL) == WARPLU_ENQUEUED);
            CHECK(warplu_batch_solve_device(batch, m.on_device[3], transposed, NRHS, m.on_device[1], m.on_device[2],
                                            NULL) == WARPLU_ENQUEUED);
            CHECK(warplu_batch_solve(batch, m.mask, 0, NRHS, m.b, m.x) == WARPLU_WRONG_PHASE);
            CHECK(warplu_batch_finish_device(batch, NULL) == WARPLU_MEMBERS_FAILED);
            fetch_x(&m);
            for (int32_t i = 0; i < COUNT; i++) {
                int nans, others;
                look(&m, &o, a.n, i, &nans, &others);
                CHECK_SAY(nans == (i == 3 ? NRHS * one * a.n : 0), "member %d: %d are NaN", i, nans);
                CHECK_SAY(is_far(i) || others == 0, "member %d: %d are wrong", i, others);
                CHECK(i == 3 || record_of(batch, i).status == WARPLU_SUCCESS);
            }
            CHECK(warplu_batch_solve_device(batch, m.on_device[3], transposed, NRHS, m.on_device[1], m.on_device[2],
                                            NULL) == WARPLU_ENQUEUED);
            CHECK(wlu_device_memory_cuda.wait(&ctx, device, NULL) == WARPLU_SUCCESS);
            fetch_x(&m);
            check_withheld(&m, &o, a.n, &withheld);
            CHECK(warplu_batch_finish_device(batch, NULL) == WARPLU_MEMBERS_FAILED);
            CHECK(record_of(batch, 3).status == WARPLU_WRONG_PHASE && record_of(batch, 4).status == WARPLU_SUCCESS);
            CHECK(warplu_batch_solve(batch, m.mask, transposed, NRHS, m.b, m.x) == WARPLU_MEMBERS_FAILED);
            check_withheld(&m, &o, a.n, &withheld);
            CHECK(withheld == 1);
        }
        free_numbers(&m);
        warplu_batch_destroy(&batch);
        warplu_batch_destroy(&host);
        test_matrix_free(&a);
    }
}

/* What is weak has the best solution, and says so. */
static void without_repair(void)
{
    NEED_DEVICE();
    test_matrix a;
    make_matrix(&a);
    warplu_batch_options o = options_of(WARPLU_BATCH_CONTIGUOUS, 0);
    o.repair = 0;
    warplu_batch *batch = make_batch(&a, &o), *host = make_batch(&a, &o);
    numbers m = make_numbers(&a, &o);
    int32_t weak = 0;
    CHECK(warplu_batch_refactor_solve(host, m.values, m.mask, 0, NRHS, m.b, m.expected) == WARPLU_MEMBERS_FAILED);
    CHECK(warplu_batch_refactor_solve_device(batch, m.on_device[0], m.on_device[3], 0, NRHS, m.on_device[1],
                                             m.on_device[2], NULL) == WARPLU_ENQUEUED);
    for (int k = 0; k < 2; k++) { /* before finish, and after it */
        CHECK(wlu_device_memory_cuda.wait(&ctx, device, NULL) == WARPLU_SUCCESS);
        fetch_x(&m);
        for (int32_t i = 0; i < COUNT; i++) {
            int nans, others;
            look(&m, &o, a.n, i, &nans, &others);
            CHECK_SAY(others == 0, "member %d: %d are wrong", i, others);
        }
        if (k == 0) CHECK(warplu_batch_finish_device(batch, NULL) == WARPLU_MEMBERS_FAILED);
    }
    for (int32_t i = 0; i < COUNT; i++) {
        CHECK(record_of(batch, i).status == record_of(host, i).status);
        weak += record_of(batch, i).status > 0;
    }
    CHECK(weak > 0);
    free_numbers(&m);
    warplu_batch_destroy(&batch);
    warplu_batch_destroy(&host);
    test_matrix_free(&a);
}

static void wrong_phases(void)
{
    NEED_DEVICE();
    test_matrix a;
    warplu_solver *s = NULL;
    warplu_batch *batch = NULL;
    make_matrix(&a);
    warplu_batch_options o = options_of(WARPLU_BATCH_CONTIGUOUS, 0);
    numbers m = make_numbers(&a, &o);
    double *values = m.on_device[0], *b = m.on_device[1], *x = m.on_device[2];
    CHECK(check_create(&s) == WARPLU_SUCCESS && warplu_analyze(s, a.n, a.ptr, a.idx, a.x) == WARPLU_SUCCESS);
    CHECK(warplu_batch_create(&batch, s, COUNT, &o) == WARPLU_SUCCESS);
    CHECK(warplu_batch_refactor_solve_device(batch, values, NULL, 0, 1, b, x, NULL) == WARPLU_WRONG_PHASE);
    CHECK(warplu_batch_prepare_transposed(batch) == WARPLU_WRONG_PHASE);
    CHECK(warplu_batch_finish_device(batch, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_batch_factor(batch, m.values) == WARPLU_SUCCESS);
    CHECK(warplu_batch_refactor_solve_device(batch, values, NULL, 1, 1, b, x, NULL) == WARPLU_WRONG_PHASE);
    CHECK(warplu_batch_refactor_device(batch, values, NULL, NULL) == WARPLU_WRONG_PHASE);
    CHECK(warplu_batch_solve_device(batch, NULL, 0, 1, b, x, NULL) == WARPLU_WRONG_PHASE);
    CHECK(warplu_batch_refactor_solve_device(batch, NULL, NULL, 0, 1, b, x, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_batch_refactor_solve_device(batch, values, NULL, 0, -1, b, x, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_batch_refactor_solve_device(batch, values, NULL, 0, 1, b, b, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_batch_refactor_solve_device(batch, values, NULL, 0, 1, b, b + 1, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_batch_refactor_solve_device(NULL, values, NULL, 0, 1, b, x, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_batch_finish_device(NULL, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_batch_prepare_transposed(NULL) == WARPLU_INVALID_ARGUMENT);
    warplu_batch_destroy(&batch);
    o.executor = WARPLU_EXECUTOR_CPU;
    CHECK(warplu_factor(s, a.x) == WARPLU_SUCCESS);
    CHECK(warplu_batch_create(&batch, s, COUNT, &o) == WARPLU_SUCCESS);
    CHECK(warplu_batch_refactor_solve_device(batch, values, NULL, 0, 1, b, x, NULL) == WARPLU_NOT_COMPILED);
    CHECK(warplu_batch_finish_device(batch, NULL) == WARPLU_NOT_COMPILED);
    warplu_batch_destroy(&batch);
    warplu_destroy(&s);
    free_numbers(&m);
    test_matrix_free(&a);
}

/* A graph captured before members have moved to other programs, and one captured after that. */
static void graphs(void)
{
    NEED_DEVICE();
    test_matrix a;
    make_matrix(&a);
    warplu_batch_options o = options_of(WARPLU_BATCH_CONTIGUOUS, 0);
    warplu_batch *batch = make_batch(&a, &o), *host = make_batch(&a, &o);
    numbers m = make_numbers(&a, &o);
    wlu_cu_handle stream = NULL, graph[2], made[2];
    CHECK(wlu_cuda_enter(&ctx, device) == WARPLU_SUCCESS);
    CHECK(wlu_cuda.stream_create(&stream, WLU_CU_STREAM_NON_BLOCKING) == 0);
    for (int k = 0; k < 2; k++) {
        CHECK(wlu_cuda.capture_begin(stream, WLU_CU_CAPTURE_OF_THREAD) == 0);
        CHECK(warplu_batch_refactor_solve_device(batch, m.on_device[0], m.on_device[3], 0, NRHS, m.on_device[1],
                                                 m.on_device[2], stream) == WARPLU_ENQUEUED);
        CHECK(wlu_cuda.capture_end(stream, &graph[k]) == 0 && wlu_cuda.graph_make(&made[k], graph[k], 0) == 0);
        for (int launch = 0; launch < 2; launch++) {
            int32_t withheld;
            CHECK(warplu_batch_refactor_solve(host, m.values, m.mask, 0, NRHS, m.b, m.expected) ==
                  WARPLU_MEMBERS_FAILED);
            fill_x(&m);
            CHECK(wlu_cuda.graph_launch(made[k == 1 ? launch : k], stream) == 0 && wlu_cuda.stream_wait(stream) == 0);
            fetch_x(&m);
            check_withheld(&m, &o, a.n, &withheld);
            CHECK(withheld > 0);
            CHECK(warplu_batch_finish_device(batch, stream) == WARPLU_MEMBERS_FAILED);
            fetch_x(&m);
            check_finished(batch, &m, &o, a.n);
        }
    }
    for (int k = 0; k < 2; k++) CHECK(wlu_cuda.graph_unmake(made[k]) == 0 && wlu_cuda.graph_destroy(graph[k]) == 0);
    CHECK(wlu_cuda.stream_destroy(stream) == 0 && wlu_cuda_leave(&ctx, WARPLU_SUCCESS) == WARPLU_SUCCESS);
    free_numbers(&m);
    warplu_batch_destroy(&batch);
    warplu_batch_destroy(&host);
    test_matrix_free(&a);
}

static void complex_values_alike(void)
{
    NEED_DEVICE();
    one = 2;
    answers_are_those_of_calls_on_the_host();
    all_take_part_without_a_mask();
    factors_are_kept();
    graphs();
    one = 1;
}

#ifdef FAKE_CUDA_PATH
/* Call number k of the driver fails, from the first on device pointers on: no answer that looks like one. */
static int with_failure(int64_t k, const test_matrix *a)
{
    warplu_batch_options o = options_of(WARPLU_BATCH_CONTIGUOUS, 1);
    warplu_batch *batch = make_batch(a, &o);
    numbers m = make_numbers(a, &o);
    fake->calls = 0;
    fake->failure = 719;
    fake->fail_at = k;
    warplu_status first = warplu_batch_refactor_device(batch, m.on_device[0], m.on_device[3], NULL), second = first,
                  third = first;
    if (first == WARPLU_ENQUEUED)
        second = warplu_batch_solve_device(batch, m.on_device[3], 0, NRHS, m.on_device[1], m.on_device[2], NULL);
    if (first == WARPLU_ENQUEUED) third = second;
    if (second == WARPLU_ENQUEUED) third = warplu_batch_finish_device(batch, NULL);
    int failed = fake->calls >= k;
    fake->fail_at = 0;
    CHECK_SAY(failed ? third == WARPLU_DEVICE_FAILED || third == WARPLU_MEMBERS_FAILED : third == WARPLU_MEMBERS_FAILED,
              "call %lld, %s: %s", (long long)k, fake->failed, warplu_status_name(third));
    fetch_x(&m);
    for (int32_t i = 0; i < COUNT && third == WARPLU_MEMBERS_FAILED; i++) {
        int64_t at_first = (int64_t)i * NRHS * a->n;
        CHECK_SAY(isnan(m.x[at_first]) == (record_of(batch, i).status < 0), "call %lld, member %d", (long long)k, i);
    }
    warplu_batch_destroy(&batch);
    free_numbers(&m);
    return failed;
}

static void any_call_may_fail(void)
{
    test_matrix a;
    make_matrix(&a);
    int64_t k = 1, alive = fake->alive;
    while (k < 2000 && with_failure(k, &a)) k += 1 + k / 40;
    printf("# %lld calls\n", (long long)k);
    CHECK(k > 40 && k < 2000 && fake->alive == alive && fake->misuses == 0);
    test_matrix_free(&a);
}

static void kernels_were_launched_as_they_are_to_be(void)
{
    CHECK(kernel.wrong == 0 && fake->misuses == 0 && by_emulator_tell_ledgers(&kernel) == 0);
}
#endif

int main(void)
{
#ifdef FAKE_CUDA_PATH
    fake = by_emulator_open(by_emulator_launch, &kernel);
    if (fake == NULL) return 1;
#endif
    wlu_context_init(&ctx, NULL);
    if (wlu_device_memory_cuda.open(&ctx, -1, &device) < 0) device = NULL;
    RUN(answers_are_those_of_calls_on_the_host);
    RUN(all_take_part_without_a_mask);
    RUN(factors_are_kept);
    RUN(without_repair);
    RUN(wrong_phases);
    RUN(graphs);
    RUN(complex_values_alike);
#ifdef FAKE_CUDA_PATH
    RUN(any_call_may_fail);
    RUN(kernels_were_launched_as_they_are_to_be);
#endif
    return check_done();
}
