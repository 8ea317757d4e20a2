/* Batches on several devices as their users see them: the bits of one device, whatever the devices, their order and
 * the number of members; masks, factors that are kept; devices that are absent or fail, with and without leave to go
 * on.
 *
 * Skipped where there are no two devices. Needs nothing of the build folder but itself. Built with FAKE_CUDA_PATH it
 * runs on the fake driver, which has three, whose kernels are emulated. */
#include <warplu/batch_device.h>

#include "check.h"

#include "exec/device/groups.h"
#include "support/build.h"
#include "support/matrices.h"
#include "support/options.h"

#ifdef FAKE_CUDA_PATH
#include "by_emulator.h"
static by_emulator kernel;
static fake_cuda *fake;
#endif

#include <math.h>
#include <string.h>

static uint64_t seed = 20261124;
static char said[4096]; /* messages since it was emptied */
static int missing;

#define NEED_DEVICES() \
    do { \
        if (missing) SKIP("no two CUDA devices"); \
    } while (0)

static void hear(warplu_status status, const char *text, void *user)
{
    (void)status;
    (void)user;
    size_t length = strlen(said);
    snprintf(said + length, sizeof said - length, "%s\n", text);
}

typedef struct members {
    int32_t count, n, nnz, nrhs;
    double *values, *b, *x, *expected;
    unsigned char *mask;
} members;

static int64_t numbers_of(const members *m)
{
    return (int64_t)m->count * m->n * m->nrhs;
}

static void clear(const members *m)
{
    for (int64_t k = 0; k < numbers_of(m); k++) m->x[k] = -7.0;
}

static members make_members(const test_matrix *a, int32_t count, int32_t nrhs)
{
    members m = {.count = count, .n = a->n, .nnz = a->nnz, .nrhs = nrhs};
    m.values = malloc((size_t)count * (size_t)a->nnz * sizeof(double));
    m.b = malloc((size_t)numbers_of(&m) * sizeof(double));
    m.x = malloc((size_t)numbers_of(&m) * sizeof(double));
    m.expected = malloc((size_t)numbers_of(&m) * sizeof(double));
    m.mask = malloc((size_t)count);
    for (int64_t k = 0; k < (int64_t)count * a->nnz; k++)
        m.values[k] = a->x[k % a->nnz] * (1.0 + 0.05 * (2.0 * check_uniform(&seed) - 1.0));
    for (int64_t k = 0; k < numbers_of(&m); k++) m.b[k] = 2.0 * check_uniform(&seed) - 1.0;
    for (int32_t k = 0; k < count; k++) m.mask[k] = check_below(&seed, 3) > 0;
    clear(&m);
    return m;
}

static void free_members(members *m)
{
    void *owned[] = {m->values, m->b, m->x, m->expected, m->mask};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) free(owned[k]);
}

static void make_matrix(test_matrix *a)
{
    static const test_recipe grid = {.shape = TEST_GRID, .n = 20};
    test_matrix_random(a, &seed, &grid);
}

static test_allocator memory; /* of solvers and their batches */

/* Without pivots. */
static warplu_solver *analyze(const test_matrix *a, warplu_executor executor, warplu_precision precision)
{
    warplu_solver *s = NULL;
    warplu_options o;
    check_init_options(&o);
    o.message = hear;
    o.executor = executor;
    o.precision = precision;
    test_use_allocator(&o, &memory);
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(s, a->n, a->ptr, a->idx, a->x) == WARPLU_SUCCESS);
    return s;
}

static warplu_solver *make_solver(const test_matrix *a)
{
    warplu_solver *s = analyze(a, WARPLU_EXECUTOR_AUTO, WARPLU_PRECISION_DOUBLE);
    CHECK(warplu_factor(s, a->x) == WARPLU_SUCCESS);
    return s;
}

static const int listed[] = {0, 1, 2};

/* On so many of the listed devices. */
static warplu_batch_options options_of(int32_t devices, int keeps)
{
    warplu_batch_options o;
    warplu_batch_init_options(&o);
    o.executor = WARPLU_EXECUTOR_CUDA;
    o.devices = listed;
    o.device_count = devices;
    o.keep_factors = keeps;
    return o;
}

static warplu_batch *make_batch(const warplu_solver *s, int32_t count, const warplu_batch_options *o)
{
    warplu_batch *batch = NULL;
    CHECK_SAY(warplu_batch_create(&batch, s, count, o) == WARPLU_SUCCESS, "%s", said);
    return batch;
}

static int32_t devices_of(const warplu_batch *batch)
{
    warplu_batch_statistics t = {.size = sizeof t};
    CHECK(warplu_batch_get_statistics(batch, &t) == WARPLU_SUCCESS);
    return t.devices;
}

static int is_expected(const members *m, int32_t member)
{
    int64_t length = (int64_t)m->n * m->nrhs;
    return memcmp(m->x + member * length, m->expected + member * length, (size_t)length * sizeof *m->x) == 0;
}

static void check_expected(const members *m, const char *of)
{
    int32_t wrong = 0, first = -1;
    for (int32_t k = 0; k < m->count; k++) {
        if (is_expected(m, k)) continue;
        if (wrong++ == 0) first = k;
    }
    CHECK_SAY(wrong == 0, "%s: %d of %d members, the first is %d", of, wrong, m->count, first);
}

static void take_as_expected(const members *m)
{
    memcpy(m->expected, m->x, (size_t)numbers_of(m) * sizeof *m->x);
    clear(m);
}

/* -------------------------------------------------------------------- bits */

/* Nobody is repaired: that would hide what devices do not do. */
static void check_replayed(const warplu_batch *batch)
{
    warplu_batch_statistics t = {.size = sizeof t};
    CHECK(warplu_batch_get_statistics(batch, &t) == WARPLU_SUCCESS);
    CHECK_SAY(t.replayed + t.refined == t.took_part, "%d of %d", t.replayed + t.refined, t.took_part);
}

static void run_at_once(warplu_batch *batch, const members *m, int transposed)
{
    CHECK(warplu_batch_refactor_solve(batch, m->values, m->mask, transposed, m->nrhs, m->b, m->x) == WARPLU_SUCCESS);
    check_replayed(batch);
}

static void members_have_the_bits_of_one_device(void)
{
    static const int32_t counts[] = {1, 7, 31, 32, 33, 100, 300};
    static const int lists[][2] = {{0, 1}, {1, 0}};
    test_matrix a;
    NEED_DEVICES();
    make_matrix(&a);
    warplu_solver *s = make_solver(&a);
    for (int k = 0; k < 28; k++) {
        members m = make_members(&a, counts[k % 7], 1 + k % 2);
        warplu_batch_options o = options_of(1, 0);
        o.layout = k / 7 % 2 ? WARPLU_BATCH_INTERLEAVED : WARPLU_BATCH_CONTIGUOUS;
        if (k % 3 == 0) memset(m.mask, 1, (size_t)m.count);
        warplu_batch *one = make_batch(s, m.count, &o);
        run_at_once(one, &m, k / 14);
        CHECK(devices_of(one) == 1);
        take_as_expected(&m);
        o.devices = lists[k % 2];
        o.device_count = 2;
        warplu_batch *both = make_batch(s, m.count, &o);
        run_at_once(both, &m, k / 14);
        CHECK(devices_of(both) == 2);
        check_expected(&m, "at once");
        warplu_batch_destroy(&one);
        warplu_batch_destroy(&both);
        free_members(&m);
    }
    warplu_destroy(&s);
    test_matrix_free(&a);
}

/* Refactor all, then those of the mask by other values; solve all, solve some with A'. */
static void run_apart(warplu_batch *batch, const members *m)
{
    double *others = malloc((size_t)m->count * (size_t)m->nnz * sizeof *others);
    for (int64_t k = 0; k < (int64_t)m->count * m->nnz; k++) others[k] = 1.5 * m->values[k];
    CHECK(warplu_batch_refactor(batch, m->values, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_batch_refactor(batch, others, m->mask) == WARPLU_SUCCESS);
    check_replayed(batch);
    CHECK(warplu_batch_solve(batch, NULL, 0, m->nrhs, m->b, m->x) == WARPLU_SUCCESS);
    check_replayed(batch);
    for (int32_t k = 0; k < m->count; k++) m->mask[k] = !m->mask[k];
    CHECK(warplu_batch_solve(batch, m->mask, 1, m->nrhs, m->b, m->x) == WARPLU_SUCCESS);
    for (int32_t k = 0; k < m->count; k++) m->mask[k] = !m->mask[k];
    free(others);
}

static void kept_factors_stay_where_they_are(void)
{
    static const int32_t counts[] = {1, 7, 31, 32, 33, 100};
    test_matrix a;
    NEED_DEVICES();
    make_matrix(&a);
    warplu_solver *s = make_solver(&a);
    for (int k = 0; k < 12; k++) {
        members m = make_members(&a, counts[k % 6], 1 + k % 2);
        warplu_batch_options o = options_of(1, 1);
        o.layout = k / 6 ? WARPLU_BATCH_INTERLEAVED : WARPLU_BATCH_CONTIGUOUS;
        warplu_batch *one = make_batch(s, m.count, &o);
        run_apart(one, &m);
        take_as_expected(&m);
        o.device_count = 2;
        warplu_batch *both = make_batch(s, m.count, &o);
        run_apart(both, &m);
        check_expected(&m, "apart");
        warplu_batch_destroy(&one);
        warplu_batch_destroy(&both);
        free_members(&m);
    }
    warplu_destroy(&s);
    test_matrix_free(&a);
}

/* The executor is the solver's, and pivots come with the first values. */
static void solvers_on_a_device_have_batches_on_several(void)
{
    static const warplu_precision precisions[] = {WARPLU_PRECISION_DOUBLE, WARPLU_PRECISION_SINGLE,
                                                  WARPLU_PRECISION_MIXED};
    test_matrix a;
    NEED_DEVICES();
    make_matrix(&a);
    for (int k = 0; k < 3; k++) {
        warplu_solver *s = analyze(&a, WARPLU_EXECUTOR_CUDA, precisions[k]);
        members m = make_members(&a, 70, 2);
        warplu_batch_options o = options_of(0, 0);
        o.executor = WARPLU_EXECUTOR_AUTO;
        for (int32_t devices = 0; devices <= 2; devices += 2) { /* 0: the solver's */
            o.device_count = devices;
            warplu_batch *batch = make_batch(s, m.count, &o);
            CHECK(devices_of(batch) == 0);
            run_at_once(batch, &m, 0);
            CHECK(devices_of(batch) == (devices > 0 ? devices : 1));
            if (devices == 0) take_as_expected(&m);
            if (devices > 0) check_expected(&m, "of a solver on a device");
            warplu_batch_destroy(&batch);
        }
        free_members(&m);
        warplu_destroy(&s);
    }
    test_matrix_free(&a);
}

/* ------------------------------------------------------------- what is refused */

static void expect_refusal(const warplu_solver *s, const warplu_batch_options *o, warplu_status expected,
                           const char *words)
{
    warplu_batch *batch = NULL;
    said[0] = '\0';
    warplu_status status = warplu_batch_create(&batch, s, 40, o);
    CHECK_SAY(status == expected && batch == NULL && strstr(said, words) != NULL, "%s: %s", warplu_status_name(status),
              said);
    warplu_batch_destroy(&batch);
}

static void lists_that_make_no_sense_are_refused(void)
{
    static const int twice[] = {1, 0, 1}, negative[] = {0, -1};
    test_matrix a;
    NEED_DEVICES();
    make_matrix(&a);
    warplu_solver *s = make_solver(&a);
    warplu_batch_options o = options_of(3, 0);
    o.devices = twice;
    expect_refusal(s, &o, WARPLU_INVALID_ARGUMENT, "device 1 is named twice");
    o.devices = negative;
    o.device_count = 2;
    expect_refusal(s, &o, WARPLU_INVALID_ARGUMENT, "no device -1");
    o.devices = NULL;
    expect_refusal(s, &o, WARPLU_INVALID_ARGUMENT, "devices is NULL");
    o.devices = listed;
    o.device_count = -1;
    expect_refusal(s, &o, WARPLU_INVALID_ARGUMENT, "out of its range");
    o = options_of(2, 0);
    o.fewer_devices = 2;
    expect_refusal(s, &o, WARPLU_INVALID_ARGUMENT, "out of its range");
    o = options_of(1, 0);
    o.executor = WARPLU_EXECUTOR_CPU;
    expect_refusal(s, &o, WARPLU_INVALID_ARGUMENT, "runs on no device");
    o.executor = WARPLU_EXECUTOR_AUTO; /* the solver's */
    expect_refusal(s, &o, WARPLU_INVALID_ARGUMENT, "runs on no device");
    warplu_destroy(&s);
    test_matrix_free(&a);
}

static void absent_devices_are_named_or_left_out(void)
{
    static const int absent[] = {0, 63, 1}, all[] = {62, 63};
    test_matrix a;
    NEED_DEVICES();
    make_matrix(&a);
    warplu_solver *s = make_solver(&a);
    members m = make_members(&a, 100, 1);
    warplu_batch_options o = options_of(1, 0);
    warplu_batch *batch = make_batch(s, m.count, &o);
    run_at_once(batch, &m, 0);
    take_as_expected(&m);
    warplu_batch_destroy(&batch);
    o.devices = absent;
    o.device_count = 3;
    expect_refusal(s, &o, WARPLU_NO_DEVICE, "device 63");
    o.fewer_devices = 1;
    batch = make_batch(s, m.count, &o);
    CHECK(devices_of(batch) == 2);
    run_at_once(batch, &m, 0);
    check_expected(&m, "without an absent device");
    warplu_batch_destroy(&batch);
    o.devices = all;
    o.device_count = 2;
    expect_refusal(s, &o, WARPLU_NO_DEVICE, "device 63");
    o.devices = all + 1;
    o.device_count = 1;
    expect_refusal(s, &o, WARPLU_NO_DEVICE, "device 63");
    free_members(&m);
    warplu_destroy(&s);
    test_matrix_free(&a);
}

static void calls_on_device_pointers_are_refused(void)
{
    test_matrix a;
    NEED_DEVICES();
    make_matrix(&a);
    warplu_solver *s = make_solver(&a);
    warplu_batch_options o = options_of(2, 1);
    warplu_batch *batch = make_batch(s, 40, &o);
    double numbers[2];
    static const char words[] = "on one device";
    CHECK(warplu_batch_refactor_device(batch, numbers, NULL, NULL) == WARPLU_NOT_COMPILED);
    CHECK(strstr(warplu_batch_get_message(batch), words) != NULL);
    CHECK(warplu_batch_refactor_solve_device(batch, numbers, NULL, 0, 1, numbers, numbers + 1, NULL) ==
          WARPLU_NOT_COMPILED);
    CHECK(warplu_batch_solve_device(batch, NULL, 0, 1, numbers, numbers + 1, NULL) == WARPLU_NOT_COMPILED);
    CHECK(warplu_batch_finish_device(batch, NULL) == WARPLU_NOT_COMPILED);
    CHECK(strstr(warplu_batch_get_message(batch), words) != NULL);
    CHECK(warplu_batch_prepare_transposed(batch) == WARPLU_SUCCESS);
    warplu_batch_destroy(&batch);
    o.device_count = 1; /* the list of one */
    batch = make_batch(s, 40, &o);
    CHECK(warplu_batch_finish_device(batch, NULL) == WARPLU_SUCCESS);
    warplu_batch_destroy(&batch);
    warplu_destroy(&s);
    test_matrix_free(&a);
}

#ifdef FAKE_CUDA_PATH
/* ----------------------------------------------------------------- at work */

enum { ORDER = 64 };

static int64_t groups[FAKE_CUDA_DEVICES]; /* that have been refactored */
static int order[ORDER], ordered;         /* devices of these launches */

static void launch(const fake_cuda_launch *l, void *user)
{
    if (strcmp(l->kernel, "wlu_batch_refactor") == 0) {
        groups[l->device] += l->grid;
        if (ordered < ORDER) order[ordered++] = l->device;
    }
    by_emulator_launch(l, user);
}

static void count_anew(void)
{
    memset(groups, 0, sizeof groups);
    ordered = 0;
}

/* Device k has k + 1 times the multiprocessors of the first. */
static void shares_are_as_the_devices_are(void)
{
    test_matrix a;
    make_matrix(&a);
    warplu_solver *s = make_solver(&a);
    members m = make_members(&a, 12 * WLU_GROUP_LANES, 1);
    memset(m.mask, 1, (size_t)m.count);
    for (int keeps = 0; keeps <= 1; keeps++) {
        warplu_batch_options o = options_of(3, keeps);
        warplu_batch *batch = make_batch(s, m.count, &o);
        count_anew();
        if (keeps) CHECK(warplu_batch_refactor(batch, m.values, NULL) == WARPLU_SUCCESS);
        if (!keeps) run_at_once(batch, &m, 0);
        CHECK_SAY(groups[0] == 2 && groups[1] == 4 && groups[2] == 6, "%lld, %lld, %lld", (long long)groups[0],
                  (long long)groups[1], (long long)groups[2]);
        warplu_batch_destroy(&batch);
    }
    free_members(&m);
    warplu_destroy(&s);
    test_matrix_free(&a);
}

/* With room for few members on each device, a share is several turns: each device has its next one before any has
 * another. */
static void devices_take_turns(void)
{
    static const int alike[] = {0, 1};
    test_matrix a;
    make_matrix(&a);
    warplu_solver *s = make_solver(&a);
    members m = make_members(&a, 9 * 32, 1);
    warplu_batch_options o = options_of(2, 0);
    o.devices = alike;
    memset(m.mask, 1, (size_t)m.count);
    fake->memory = 1 << 20;
    warplu_batch *batch = make_batch(s, m.count, &o);
    fake->memory = 0;
    count_anew();
    run_at_once(batch, &m, 0);
    int turns = 0, apart = 0; /* by how many turns one was ahead */
    for (int k = 0; k < ordered; k++) {
        turns += order[k] == 0 ? 1 : -1;
        if (turns > apart) apart = turns;
    }
    CHECK_SAY(ordered >= 4 && apart == 1 && order[0] == 0 && order[1] == 1, "%d launches, %d ahead", ordered, apart);
    warplu_batch_destroy(&batch);
    free_members(&m);
    warplu_destroy(&s);
    test_matrix_free(&a);
}

/* ---------------------------------------------------------------- failures */

enum { COUNT = 70, FAILURE = 719, MOST = 2000 };

static void let_fail(int device, int64_t at, int lasting, wlu_cu_result failure)
{
    fake->calls = 0;
    fake->only = device + 1;
    fake->failure = failure;
    fake->lasting = lasting;
    fake->fail_at = at;
}

static int has_failed(void)
{
    return fake->fail_at > 0 && fake->calls >= fake->fail_at;
}

static void mend(void)
{
    fake->fail_at = fake->only = 0;
}

static warplu_batch_member record_of(const warplu_batch *batch, int32_t m)
{
    warplu_batch_member r = {WARPLU_INTERNAL, WARPLU_BATCH_NONE, 0, 0, -1.0, 0};
    CHECK(warplu_batch_get_members(batch, m, 1, &r, sizeof r) == WARPLU_SUCCESS);
    return r;
}

/* Every member's answer is the expected one, or NaN with this status in its record. Returns how many are. */
static int32_t count_right(const warplu_batch *batch, const members *m, warplu_status otherwise)
{
    int32_t right = 0;
    for (int32_t k = 0; k < m->count; k++) {
        warplu_status status = record_of(batch, k).status;
        int bad = status != WARPLU_SUCCESS;
        right += !bad;
        CHECK_SAY(bad ? status == otherwise && isnan(m->x[(int64_t)k * m->n * m->nrhs]) : is_expected(m, k),
                  "member %d: %s", k, warplu_status_name(status));
    }
    return right;
}

typedef struct life {
    const warplu_solver *s;
    members m;
    int keeps, lasting;
    wlu_cu_result failure;
} life;

/* The first members alone take part, fewer on each device: nothing is left of the call that failed. */
static void run_the_first(warplu_batch *batch, const life *l)
{
    enum { FIRST = 40 };
    const members *m = &l->m;
    int64_t others = 0;
    for (int32_t k = 0; k < m->count; k++) m->mask[k] = k < FIRST;
    clear(m);
    if (l->keeps) CHECK(warplu_batch_refactor(batch, m->values, m->mask) == WARPLU_SUCCESS);
    CHECK((l->keeps
               ? warplu_batch_solve(batch, m->mask, 1, m->nrhs, m->b, m->x)
               : warplu_batch_refactor_solve(batch, m->values, m->mask, 1, m->nrhs, m->b, m->x)) == WARPLU_SUCCESS);
    for (int64_t k = (int64_t)FIRST * m->n * m->nrhs; k < numbers_of(m); k++) others += m->x[k] != -7.0;
    for (int32_t k = 0; k < FIRST; k++) CHECK(is_expected(m, k));
    CHECK_SAY(others == 0, "%lld numbers of others", (long long)others);
    if (l->keeps) CHECK(warplu_batch_refactor(batch, m->values, NULL) == WARPLU_SUCCESS);
}

/* The call that fails says so, and names the device; once that is mended, the batch answers as if nothing had been. */
static int without_leave(const life *l, int64_t k)
{
    const members *m = &l->m;
    warplu_batch_options o = options_of(2, l->keeps);
    warplu_batch *batch = NULL;
    warplu_status expected = l->failure == FAILURE ? WARPLU_DEVICE_FAILED : WARPLU_OUT_OF_MEMORY;
    let_fail(1, k, l->lasting, l->failure);
    said[0] = '\0';
    warplu_status status = warplu_batch_create(&batch, l->s, m->count, &o);
    if (status == WARPLU_SUCCESS && l->keeps) status = warplu_batch_refactor(batch, m->values, NULL);
    if (status == WARPLU_SUCCESS)
        status = l->keeps ? warplu_batch_solve(batch, NULL, 1, m->nrhs, m->b, m->x)
                          : warplu_batch_refactor_solve(batch, m->values, NULL, 1, m->nrhs, m->b, m->x);
    int failed = has_failed();
    mend();
    CHECK_SAY(status == (failed ? expected : WARPLU_SUCCESS), "call %lld, %s: %s", (long long)k, fake->failed,
              warplu_status_name(status));
    CHECK_SAY(!failed || strstr(said, "device 1: ") != NULL, "%s", said);
    if (batch != NULL && failed) {
        for (int32_t i = 0; i < m->count; i++) CHECK(record_of(batch, i).status == status);
        CHECK(devices_of(batch) == 2);
        run_the_first(batch, l);
        CHECK((l->keeps
                   ? warplu_batch_solve(batch, NULL, 1, m->nrhs, m->b, m->x)
                   : warplu_batch_refactor_solve(batch, m->values, NULL, 1, m->nrhs, m->b, m->x)) == WARPLU_SUCCESS);
    }
    if (batch != NULL) check_expected(m, "after a failure");
    warplu_batch_destroy(&batch);
    return failed;
}

/* Nothing fails but solves by factors that went with the device; new ones are kept on the others. */
static int with_leave(const life *l, int64_t k)
{
    const members *m = &l->m;
    warplu_batch_options o = options_of(2, l->keeps);
    o.fewer_devices = 1;
    let_fail(1, k, l->lasting, l->failure);
    said[0] = '\0';
    warplu_batch *batch = make_batch(l->s, m->count, &o);
    int before = devices_of(batch);
    if (l->keeps) CHECK(warplu_batch_refactor(batch, m->values, NULL) == WARPLU_SUCCESS);
    int factored = devices_of(batch);
    warplu_status status = l->keeps ? warplu_batch_solve(batch, NULL, 1, m->nrhs, m->b, m->x)
                                    : warplu_batch_refactor_solve(batch, m->values, NULL, 1, m->nrhs, m->b, m->x);
    int failed = has_failed(), lost = l->keeps && devices_of(batch) < factored;
    CHECK_SAY(devices_of(batch) == 2 - failed && before <= 2, "call %lld, %s: %d devices", (long long)k, fake->failed,
              devices_of(batch));
    CHECK_SAY(!failed || strstr(said, "device 1 is left out (1 of 2 remain): ") != NULL, "%s", said);
    CHECK_SAY(status == (lost ? WARPLU_MEMBERS_FAILED : WARPLU_SUCCESS), "call %lld, %s: %s", (long long)k,
              fake->failed, warplu_status_name(status));
    CHECK_SAY(count_right(batch, m, WARPLU_DEVICE_FAILED) == (lost ? 32 : m->count), "call %lld", (long long)k);
    if (lost) { /* they stay lost until they are made again */
        CHECK(warplu_batch_solve(batch, NULL, 1, m->nrhs, m->b, m->x) == WARPLU_MEMBERS_FAILED);
        CHECK(count_right(batch, m, WARPLU_DEVICE_FAILED) == 32);
        CHECK(warplu_batch_refactor_solve(batch, m->values, NULL, 1, m->nrhs, m->b, m->x) == WARPLU_SUCCESS);
        check_expected(m, "at once");
        clear(m);
        CHECK(warplu_batch_refactor(batch, m->values, NULL) == WARPLU_SUCCESS);
        CHECK(warplu_batch_solve(batch, NULL, 1, m->nrhs, m->b, m->x) == WARPLU_SUCCESS);
        check_expected(m, "on the rest");
    }
    mend();
    warplu_batch_destroy(&batch);
    return failed;
}

static void any_call_to_a_device_may_fail(void)
{
    test_matrix a;
    make_matrix(&a);
    warplu_solver *s = make_solver(&a);
    life l = {.s = s, .m = make_members(&a, COUNT, 1)};
    warplu_batch_options o = options_of(1, 0);
    warplu_batch *one = make_batch(s, COUNT, &o);
    memset(l.m.mask, 1, COUNT);
    run_at_once(one, &l.m, 1);
    take_as_expected(&l.m);
    warplu_batch_destroy(&one);
    int64_t alive = fake->alive;
    for (int way = 0; way < 16; way++) {
        int64_t k = 1;
        int (*lives)(const life *, int64_t) = way & 1 ? with_leave : without_leave;
        l.keeps = way >> 1 & 1;
        l.lasting = fake->sure_contexts = way >> 2 & 1;
        l.failure = way >> 3 & 1 ? WLU_CU_OUT_OF_MEMORY : FAILURE;
        while (k < MOST && lives(&l, k)) k += check_every();
        CHECK_SAY(k > 40 && k < MOST && fake->alive == alive && fake->misuses == 0 && fake->depth == 0,
                  "way %d: %lld calls, %lld blocks, %lld misuses", way, (long long)k, (long long)(fake->alive - alive),
                  (long long)fake->misuses);
    }
    fake->sure_contexts = 0;
    free_members(&l.m);
    warplu_destroy(&s);
    test_matrix_free(&a);
}

/* One device after the other: their places go to what is left, until nothing is. */
static void devices_fail_one_after_the_other(void)
{
    test_matrix a;
    make_matrix(&a);
    warplu_solver *s = make_solver(&a);
    members m = make_members(&a, 200, 1);
    warplu_batch_options o = options_of(3, 1);
    memset(m.mask, 1, (size_t)m.count);
    o.fewer_devices = 1;
    fake->sure_contexts = 1;
    warplu_batch *batch = make_batch(s, m.count, &o);
    run_at_once(batch, &m, 0);
    take_as_expected(&m);
    for (int device = 2; device >= 0; device--) {
        CHECK(warplu_batch_refactor(batch, m.values, NULL) == WARPLU_SUCCESS && devices_of(batch) == device + 1);
        CHECK(warplu_batch_solve(batch, NULL, 0, 1, m.b, m.x) == WARPLU_SUCCESS);
        check_expected(&m, "before the next fails");
        let_fail(device, 1, 1, FAILURE);
        warplu_status status = warplu_batch_solve(batch, NULL, 0, 1, m.b, m.x);
        CHECK(status == (device > 0 ? WARPLU_MEMBERS_FAILED : WARPLU_DEVICE_FAILED));
        int32_t right = count_right(batch, &m, WARPLU_DEVICE_FAILED);
        CHECK_SAY(device > 0 ? right > 0 && right < m.count : right == 0, "%d right", right);
        mend();
    }
    CHECK(devices_of(batch) == 0 && warplu_batch_refactor(batch, m.values, NULL) == WARPLU_NO_DEVICE);
    CHECK(record_of(batch, 5).status == WARPLU_NO_DEVICE);
    CHECK(warplu_batch_refactor_solve(batch, m.values, NULL, 0, 1, m.b, m.x) == WARPLU_NO_DEVICE && isnan(m.x[5]));
    CHECK(warplu_batch_factor(batch, m.values) == WARPLU_SUCCESS && devices_of(batch) == 3); /* they are asked anew */
    run_at_once(batch, &m, 0);
    warplu_batch_destroy(&batch);
    fake->sure_contexts = 0;
    free_members(&m);
    warplu_destroy(&s);
    test_matrix_free(&a);
}

/* Members that take no part in a refactorization lose what they have, and nobody else. */
static void factors_that_went_with_a_device_are_missed_alone(void)
{
    test_matrix a;
    make_matrix(&a);
    warplu_solver *s = make_solver(&a);
    members m = make_members(&a, COUNT, 1);
    warplu_batch_options o = options_of(2, 1);
    o.fewer_devices = 1;
    fake->sure_contexts = 1;
    warplu_batch *batch = make_batch(s, m.count, &o);
    CHECK(warplu_batch_refactor(batch, m.values, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_batch_solve(batch, NULL, 0, 1, m.b, m.x) == WARPLU_SUCCESS);
    take_as_expected(&m);
    let_fail(1, 1, 1, FAILURE);
    for (int32_t k = 0; k < m.count; k++) m.mask[k] = k % 2 == 0;
    CHECK(warplu_batch_refactor(batch, m.values, m.mask) == WARPLU_SUCCESS && devices_of(batch) == 1);
    CHECK(warplu_batch_solve(batch, NULL, 0, 1, m.b, m.x) == WARPLU_MEMBERS_FAILED);
    for (int32_t k = 0; k < m.count; k++)
        CHECK(record_of(batch, k).status == (k % 2 == 1 && k >= 32 ? WARPLU_DEVICE_FAILED : WARPLU_SUCCESS));
    CHECK(count_right(batch, &m, WARPLU_DEVICE_FAILED) == m.count - 19);
    mend();
    warplu_batch_destroy(&batch);
    fake->sure_contexts = 0;
    free_members(&m);
    warplu_destroy(&s);
    test_matrix_free(&a);
}

/* Allocation number k fails, of a batch's creation; or with leave, of the call that misses a device, when its places
 * are made on the other. Then the call works when tried again. */
static int without_memory(const warplu_solver *s, const members *m, int leave, int64_t k)
{
    warplu_batch_options o = options_of(2, 1);
    warplu_batch *batch = NULL;
    int64_t begun = memory.calls;
    o.fewer_devices = leave;
    if (leave) {
        batch = make_batch(s, m->count, &o);
        CHECK(warplu_batch_refactor(batch, m->values, NULL) == WARPLU_SUCCESS);
        let_fail(1, 1, 1, FAILURE);
        begun = memory.calls;
    }
    memory.fail_at = begun + k;
    warplu_status status =
        leave ? warplu_batch_refactor(batch, m->values, NULL) : warplu_batch_create(&batch, s, m->count, &o);
    int failed = memory.calls >= memory.fail_at;
    memory.fail_at = 0;
    CHECK_SAY(status == (failed ? WARPLU_OUT_OF_MEMORY : WARPLU_SUCCESS), "allocation %lld: %s", (long long)k,
              warplu_status_name(status));
    if (leave && failed) CHECK(devices_of(batch) == 1 && record_of(batch, m->count - 1).status == status);
    if (!leave && failed) CHECK(batch == NULL && warplu_batch_create(&batch, s, m->count, &o) == WARPLU_SUCCESS);
    CHECK(warplu_batch_refactor(batch, m->values, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_batch_solve(batch, NULL, 0, m->nrhs, m->b, m->x) == WARPLU_SUCCESS);
    check_expected(m, "after memory ran out");
    mend();
    warplu_batch_destroy(&batch);
    return failed;
}

static void any_allocation_may_fail(void)
{
    test_matrix a;
    make_matrix(&a);
    warplu_solver *s = make_solver(&a);
    members m = make_members(&a, COUNT, 1);
    warplu_batch_options o = options_of(1, 0);
    warplu_batch *one = make_batch(s, COUNT, &o);
    memset(m.mask, 1, COUNT);
    run_at_once(one, &m, 0);
    take_as_expected(&m);
    warplu_batch_destroy(&one);
    int64_t alive = memory.alive;
    fake->sure_contexts = 1;
    for (int leave = 0; leave <= 1; leave++) {
        int64_t k = 1;
        while (k < MOST && without_memory(s, &m, leave, k)) k++;
        CHECK_SAY(k > 5 && k < MOST && memory.alive == alive, "%lld allocations, %lld blocks", (long long)k,
                  (long long)(memory.alive - alive));
    }
    fake->sure_contexts = 0;
    free_members(&m);
    warplu_destroy(&s);
    CHECK(memory.alive == 0);
    test_matrix_free(&a);
}

static void nothing_was_misused(void)
{
    CHECK_SAY(kernel.wrong == 0 && fake->misuses == 0 && fake->depth == 0 && fake->alive == 0 && fake->retained <= 3,
              "%lld wrong, %lld misuses, %lld contexts, %lld blocks", (long long)kernel.wrong, (long long)fake->misuses,
              (long long)fake->depth, (long long)fake->alive);
}
#endif

/* Whether there is a device of this number. */
static int is_there(int number)
{
    warplu_solver *s = NULL;
    warplu_options o;
    warplu_init_options(&o);
    o.executor = WARPLU_EXECUTOR_CUDA;
    o.device = number;
    warplu_status status = warplu_create(&s, &o);
    warplu_destroy(&s);
    return status != WARPLU_NO_DEVICE && status != WARPLU_NOT_COMPILED;
}

int main(void)
{
#ifdef FAKE_CUDA_PATH
    fake = by_emulator_open(launch, &kernel);
    if (fake == NULL || !is_there(FAKE_CUDA_DEVICES - 1)) return 1;
#endif
    missing = !is_there(1);
    RUN(members_have_the_bits_of_one_device);
    RUN(kept_factors_stay_where_they_are);
    RUN(solvers_on_a_device_have_batches_on_several);
    RUN(lists_that_make_no_sense_are_refused);
    RUN(absent_devices_are_named_or_left_out);
    RUN(calls_on_device_pointers_are_refused);
#ifdef FAKE_CUDA_PATH
    RUN(shares_are_as_the_devices_are);
    RUN(devices_take_turns);
    RUN(any_call_to_a_device_may_fail);
    RUN(devices_fail_one_after_the_other);
    RUN(factors_that_went_with_a_device_are_missed_alone);
    RUN(any_allocation_may_fail);
    RUN(nothing_was_misused);
#endif
    return check_done();
}
