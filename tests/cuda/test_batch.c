/* The batch executor `cuda`: every member's solution, health and refinement are those of the executor that takes
 * members one by one, for programs of every kind, any number of members, however their numbers lie; with factors that
 * are kept, solved with later, transposed too; members that are not finite; checked solves; FP64 and FP32.
 *
 *     test_batch [--few]
 *
 * Jobs on device pointers, enqueued and in graphs.
 *
 * Skipped where there is no device, or no CUDA in this build. Needs nothing of the build folder but itself. Built with
 * FAKE_CUDA_PATH it runs on the fake driver, whose kernels are emulated. */
#include "batch_jobs.h"
#if WLU_TEST_CUDA
#include "batch_enqueued.h"
#endif

#ifdef FAKE_CUDA_PATH
#include "by_batch.h"
#include "exec/batch/cuda_schedule.h"

static by_emulator kernel;
static fake_cuda *fake;
#endif

static uint64_t seed = 1947;
static int tries = 60;
static int single;

/* What has been seen. */
static struct {
    int64_t suspect, refined, plain, steps, weak, open;
} seen;

static int is_missing(void)
{
    wlu_target target = {.executor = &wlu_executor_flow, .device = -1};
    const wlu_cost *cost;
    wlu_context ctx;
    wlu_context_init(&ctx, NULL);
    return wlu_target_open(&ctx, &target, &cost) != WARPLU_SUCCESS;
}

#define NEED_DEVICE() \
    do { \
        if (is_missing()) SKIP("no CUDA device, or a build without CUDA"); \
    } while (0)

static const int32_t counts[] = {1, 7, 31, 32, 33, 70, 500};
enum { COUNTS = sizeof counts / sizeof *counts };

static void note(const batch_numbers *n, const wlu_batch_job *job)
{
    for (int32_t k = 0; k < job->count; k++) {
        const wlu_member_result *r = &n->result[0][n->member[k]];
        seen.suspect += r->health.verdict == WLU_SUSPECT;
        seen.weak += r->health.verdict == WLU_WEAK;
        seen.open += r->health.growth < 1e-3;
        seen.steps += r->refined.steps;
        if (job->nrhs == 0) continue;
        if (r->refined.backward_error == -1.0)
            seen.plain++;
        else
            seen.refined++;
    }
}

/* Poor values for some members: equations that have changed, entries that are tiny, and what is no number. */
static void spoil(batch_numbers *n, const batch_system *s)
{
    for (int32_t i = 0; i < n->count; i++) {
        int how = (int)check_below(&seed, 12);
        for (int32_t q = 0; q < s->m.nnz && how < 3; q++)
            if (check_below(&seed, 3) == 0) *batch_value(n, i, q) *= how == 0 ? 1e-9 : how == 1 ? 1e4 : 1e-3;
        if (how == 3) *batch_value(n, i, (int32_t)check_below(&seed, (uint64_t)s->m.nnz)) = NAN;
        if (how == 4) *batch_value(n, i, (int32_t)check_below(&seed, (uint64_t)s->m.nnz)) = INFINITY;
        for (int32_t k = 0; k < s->m.n && how == 5; k++) *batch_b(n, i, 1, k) = 0.0;
        for (int32_t k = 0; k < s->m.n && how == 6; k++) *batch_b(n, i, 0, k) *= 1e-30;
    }
}

/* One kind of job after the other on one state. */
static void compare_jobs(batch_system *s, int t, const char *of)
{
    batch_numbers n;
    char what[160];
    int32_t count = counts[t % COUNTS];
    if (count > s->places) count = s->places;
    batch_layout layout = (batch_layout)(t / 2 % BATCH_LAYOUTS);
    batch_make(&n, s, &seed, count, layout);
    if (layout != BATCH_SHARED) spoil(&n, s);
    for (int k = 0; k < 9; k++) {
        int32_t step = k % 4 == 3 ? -1 - (int32_t)check_below(&seed, 3) : 1 + (int32_t)check_below(&seed, 2);
        wlu_batch_job job = {.count = batch_list(&n, step),
                             .kind = k % 2 ? WLU_STREAM_SOLVE_TRANSPOSED : WLU_STREAM_SOLVE,
                             .nrhs = k == 4 ? 0 : 1 + k % BATCH_COLUMNS,
                             .values = k == 5 ? NULL : &n.value_view,
                             .place = k / 2 % 2 == 0 ? n.place : NULL,
                             .check = (wlu_batch_check)(k % 3)};
        if (k == 4 || k == 5) job.count = batch_list(&n, 1); /* the factors of one are the next one's */
        if (k == 5) job.place = n.place;
        snprintf(what, sizeof what, "%s, job %d of %d members, layout %d", of, k, (int)job.count, (int)layout);
        batch_compare(s, &n, job, what);
        note(&n, &job);
    }
    batch_free(&n);
}

static void the_bits_of_one_by_one(void)
{
    NEED_DEVICE();
    for (int t = 0; t < tries; t++) {
        batch_system s;
        char what[64];
        if (!check_due()) continue;
        test_recipe r = test_recipe_random(&seed, t % 5 == 4 ? 150 : 40);
        int region = t % (TEST_REGIONS + 1);
        wlu_cost cost = region < TEST_REGIONS ? test_region_cost((test_region)region) : wlu_cost_cuda;
        snprintf(what, sizeof what, "try %d, %s, n = %d, region %d", t, test_shape_name(r.shape), r.n, region);
        warplu_status status = batch_open(&s, &seed, &r, &cost, counts[t % COUNTS], single, &wlu_batch_cuda);
        CHECK_SAY(status == WARPLU_SUCCESS, "%s: %s", what, s.b.ctx.last_message);
        if (status == WARPLU_SUCCESS) CHECK(batch_add_transposed(&s) == WARPLU_SUCCESS);
        if (s.other != NULL) compare_jobs(&s, t, what);
        batch_close(&s);
    }
    CHECK(seen.suspect > 0 && seen.weak > 0 && seen.refined > 0 && seen.plain > 0 && seen.steps > 0 && seen.open > 0);
}

static void in_FP32(void)
{
    NEED_DEVICE();
    memset(&seen, 0, sizeof seen);
    single = 1;
    the_bits_of_one_by_one();
    single = 0;
}

/* Rows of more entries than a warp sums in eighths. */
static void hubs(void)
{
    NEED_DEVICE();
    static const test_recipe arrow = {.shape = TEST_ARROW, .n = 700};
    batch_system s;
    batch_numbers n;
    CHECK(batch_open(&s, &seed, &arrow, &wlu_cost_cuda, 0, 0, &wlu_batch_cuda) == WARPLU_SUCCESS);
    batch_make(&n, &s, &seed, 40, BATCH_TOGETHER);
    wlu_batch_job job = {.count = batch_list(&n, 1),
                         .values = &n.value_view,
                         .nrhs = 1,
                         .kind = WLU_STREAM_SOLVE,
                         .check = WLU_BATCH_CHECKED};
    if (s.other != NULL) batch_compare(&s, &n, job, "a hub");
    batch_free(&n);
    batch_close(&s);
}

/* Several times as many members as the device works on at once, in the fake one's memory. */
static void on_device_pointers(void)
{
    NEED_DEVICE();
#if WLU_TEST_CUDA
    static const int32_t members[] = {1, 40, 300};
    for (int t = 0; t < 12; t++) {
        batch_system s;
        batch_numbers n;
        char what[96];
        test_recipe r = test_recipe_random(&seed, 40);
        int32_t count = members[t % 3];
        CHECK(batch_open(&s, &seed, &r, &wlu_cost_cpu, count, t / 6, &wlu_batch_cuda) == WARPLU_SUCCESS);
        if (s.other == NULL || batch_add_transposed(&s) < 0) continue;
        batch_make(&n, &s, &seed, count, (batch_layout)(t % BATCH_LAYOUTS));
        for (int k = 0; k < 6; k++) {
            wlu_batch_job job = {.count = batch_list(&n, k < 4 ? 1 : 1 + k % 2),
                                 .member = k % 2 ? n.member : NULL,
                                 .place = k >= 2 ? n.place : NULL,
                                 .values = k == 3 ? NULL : &n.value_view,
                                 .kind = k % 3 ? WLU_STREAM_SOLVE : WLU_STREAM_SOLVE_TRANSPOSED,
                                 .nrhs = k == 2 ? 0 : 1 + k % 2,
                                 .check = (wlu_batch_check)(k % 3)};
            if (k >= 4) job.member = n.member;
            snprintf(what, sizeof what, "enqueued, try %d, %s, n = %d, job %d of %d members", t,
                     test_shape_name(r.shape), (int)r.n, k, (int)count);
            batch_compare_enqueued(&s, &n, job, t / 2 % 2, what);
        }
        batch_free(&n);
        batch_close(&s);
    }
#endif
}

#ifdef FAKE_CUDA_PATH
static void nothing_is_left(const char *of)
{
    CHECK_SAY(kernel.wrong == 0 && fake->misuses == 0 && fake->depth == 0 && fake->alive == 0,
              "%s: %lld wrong launches, %lld misuses, %lld contexts, %lld blocks", of, (long long)kernel.wrong,
              (long long)fake->misuses, (long long)fake->depth, (long long)fake->alive);
    kernel.wrong = fake->misuses = fake->depth = fake->alive = 0;
}

/* A state, a job, the transposed solve, a job: call number k of the driver fails. Returns whether there was one. */
static int live(int64_t k, int lasting)
{
    static const test_recipe grid = {.shape = TEST_GRID, .n = 20, .duplicates = 1};
    static const wlu_cu_result failures[] = {WLU_CU_OUT_OF_MEMORY, 719, WLU_CU_NO_DEVICE};
    static const warplu_status expected[] = {WARPLU_OUT_OF_MEMORY, WARPLU_DEVICE_FAILED, WARPLU_NO_DEVICE};
    batch_system s;
    batch_numbers n;
    wlu_target target;
    uint64_t same = 99;
    warplu_status status = batch_open(&s, &same, &grid, &wlu_cost_cuda, 5, 0, NULL);
    CHECK(status == WARPLU_SUCCESS && batch_target(&s.b.ctx, 0, &target) == WARPLU_SUCCESS);
    target.device = 0;
    batch_make(&n, &s, &same, 5, BATCH_TOGETHER);
    fake->calls = 0;
    fake->lasting = fake->sure_contexts = lasting;
    fake->failure = failures[k % 3];
    fake->fail_at = k;
    wlu_batch_job job = {.count = batch_list(&n, 1),
                         .member = n.member,
                         .place = n.place,
                         .values = &n.value_view,
                         .nrhs = 2,
                         .kind = WLU_STREAM_SOLVE,
                         .b = n.b_view,
                         .x = n.x_view,
                         .check = WLU_BATCH_CHECKED,
                         .result = n.result[0]};
    job.x.at = n.x[0];
    status = wlu_batch_cuda.create(&s.b.ctx, &target, s.b.program, s.flat, 5, NULL, &s.other);
    CHECK((status == WARPLU_SUCCESS) == (s.other != NULL));
    if (status == WARPLU_SUCCESS) status = s.other->executor->run(&s.b.ctx, s.other, &job);
    if (status == WARPLU_SUCCESS) status = batch_add_transposed(&s);
    job.kind = WLU_STREAM_SOLVE_TRANSPOSED;
    if (status == WARPLU_SUCCESS) status = s.other->executor->run(&s.b.ctx, s.other, &job);
    int64_t calls = fake->calls;
    int failed = calls >= k;
    warplu_status wanted = k <= 2 ? WARPLU_NO_DEVICE : expected[k % 3]; /* the first ones open the driver */
    CHECK_SAY(status == (failed ? wanted : WARPLU_SUCCESS), "call %lld, %s: %s", (long long)k, fake->failed,
              warplu_status_name(status));
    if (s.other != NULL && !lasting) { /* and the state stays usable */
        fake->fail_at = 0;
        CHECK(batch_add_transposed(&s) == WARPLU_SUCCESS);
        batch_compare(&s, &n, job, "after a failure");
    }
    if (s.other != NULL) s.other->executor->destroy(&s.b.ctx, &s.other);
    fake->fail_at = 0;
    batch_free(&n);
    batch_close(&s);
    nothing_is_left("a life");
    return failed;
}

static void any_call_may_fail(void)
{
    for (int lasting = 0; lasting < 2; lasting++) {
        int64_t k = 1;
        while (k < 1000 && (live(k, lasting) || k < 3)) k++;
        printf("# %lld calls\n", (long long)(k - 1));
        CHECK(k > 60 && k < 1000);
    }
}

/* Streams of random records, which update slots in place that others have read: more than factorizations do. */
static void lists_keep_the_order(void)
{
    enum { SLOTS = 700, RECORDS = 900, TERMS = 4 * RECORDS };
    static uint8_t opcode[RECORDS], sum[RECORDS];
    static int32_t target[RECORDS], divisor[RECORDS], operand[2 * TERMS], slot[SLOTS];
    static int64_t begin[RECORDS + 1];
    static double scale[SLOTS];
    static const uint16_t power[SLOTS];
    wlu_context ctx;
    wlu_context_init(&ctx, NULL);
    for (int t = 0; t < 400; t++) {
        wlu_flat_stream stream = {.nrecords = RECORDS,
                                  .opcode = opcode,
                                  .sum = sum,
                                  .target = target,
                                  .start = target,
                                  .divisor = divisor,
                                  .begin = begin,
                                  .operand = operand};
        const wlu_flat_loads load = {SLOTS, slot, scale};
        const wlu_group_stage stage = {.stream = &stream,
                                       .load = &load,
                                       .slots = SLOTS,
                                       .zero = 0,
                                       .minus_one = 1,
                                       .spare = SLOTS,
                                       .column_power = t % 2 ? power : NULL,
                                       .row_power = t % 2 ? power : NULL};
        wlu_group_lists lists;
        int there[SLOTS] = {1, 1};
        for (int k = 2; k < SLOTS; k++) there[k] = check_below(&seed, 3) > 0;
        for (int k = 0; k < SLOTS; k++) slot[k] = k >= 2 && there[k] ? k : -1;
        for (int r = 0; r < RECORDS; r++) {
            target[r] = 2 + (int32_t)check_below(&seed, SLOTS - 2);
            opcode[r] = WLU_DOT;
            divisor[r] = -1;
            begin[r + 1] = begin[r] + (int64_t)check_below(&seed, 4);
            for (int64_t q = 2 * begin[r]; q < 2 * begin[r + 1]; q++) do
                    operand[q] = (target[r] + 1 + (int32_t)check_below(&seed, SLOTS - 1)) % SLOTS;
                while (!there[operand[q]]);
            there[target[r]] = 1;
        }
        stream.nterms = begin[RECORDS];
        int32_t warps = 1 + (int32_t)check_below(&seed, WLU_GROUP_WARPS);
        CHECK(wlu_group_lists_create(&ctx, &stage, warps, &lists) == WARPLU_SUCCESS);
        const wlu_group_stream made = {lists.bundle, lists.first, lists.last, warps};
        CHECK(by_batch_in_order(&made, SLOTS + 1, 1));
        wlu_group_lists_free(&ctx, &lists);
    }
}

/* A group at a time, in one room; and where there is not even that. */
static void little_memory(void)
{
    static const test_recipe grid = {.shape = TEST_GRID, .n = 30};
    static const size_t bytes[] = {(size_t)2 << 20, (size_t)700 << 10, (size_t)100 << 10};
    for (int k = 0; k < 3; k++) {
        batch_system s;
        batch_numbers n;
        fake->memory = bytes[k];
        warplu_status status = batch_open(&s, &seed, &grid, &wlu_cost_cuda, 0, 0, &wlu_batch_cuda);
        CHECK_SAY(status == (k < 2 ? WARPLU_SUCCESS : WARPLU_OUT_OF_MEMORY), "%d: %s", k, s.b.ctx.last_message);
        batch_make(&n, &s, &seed, 100, BATCH_SIDE_BY_SIDE);
        wlu_batch_job job = {.count = batch_list(&n, 1), .values = &n.value_view, .nrhs = 2, .kind = WLU_STREAM_SOLVE};
        if (s.other != NULL) batch_compare(&s, &n, job, "little memory");
        batch_free(&n);
        batch_close(&s);
    }
    fake->memory = 0;
}

static void kernels_were_launched_as_they_are_to_be(void)
{
    CHECK(kernel.wrong == 0 && fake->misuses == 0 && by_emulator_tell_batches(&kernel) == 0);
}
#endif

int main(int argc, char **argv)
{
#ifdef FAKE_CUDA_PATH
    fake = by_emulator_open(by_emulator_launch, &kernel);
    if (fake == NULL || is_missing()) return 1;
#endif
    if (argc > 1 && strcmp(argv[1], "--few") == 0) tries = 14;
    RUN(the_bits_of_one_by_one);
    RUN(in_FP32);
    RUN(hubs);
    RUN(on_device_pointers);
#ifdef FAKE_CUDA_PATH
    RUN(lists_keep_the_order);
    RUN(little_memory);
    RUN(any_call_may_fail);
    RUN(kernels_were_launched_as_they_are_to_be);
#endif
    return check_done();
}
