/* Times of the batch executor `cuda`, a member, for numbers that are on the device: transfers are left out.
 *
 *     time_batch [--count N] [--single] [--complex] [--check] A.mtx ...
 *
 *   --count N   members (4096), the matrix with values perturbed by up to 5 percent
 *   --single    FP32
 *   --complex   values a become a (1 + i t), t in [-1, 1] by their places
 *   --check     solves are checked and refined
 *
 * One JSON object a line for each matrix: microseconds a member, the median of some repetitions, of loads (`load`),
 * refactorization (`refactor`, with loads), solve, both; `least_us`: entries of L, U and A and the right-hand side and
 * the solution once over the bandwidth of a copy, which is measured. `wrong`: members, of some that are compared, whose
 * solution is not that of the executor that takes members one by one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <warplu/matrix_market.h>

#include "base/clock.h"
#include "batch_jobs.h"
#include "exec/batch/cuda_state.h"
#include "gen/turn.h"
#include "pivot/attempts.h"

#ifdef FAKE_CUDA_PATH
#include "by_emulator.h"
#endif

enum { LANES = WLU_GROUP_LANES, REPEATS = 11, COMPARED = 40 };

static int32_t count = 4096;
static int single, check, doubles = 1; /* of a number */

/* A matrix, its program by both executors, and the members' numbers on the host and on the device. */
typedef struct timed {
    wlu_context ctx;
    warplu_options options;
    warplu_mm_matrix m;
    wlu_analysis *analysis;
    wlu_pivots *pivots;
    wlu_factors *factors;
    wlu_program *program;
    wlu_flat *flat;
    wlu_batch_state *one, *device;
    double *values, *b, *x;
    wlu_cu_address on_device[4]; /* values, b, x, results */
} timed;

static double *entries_of(const wlu_pattern *a, const double *x)
{
    double *entries = malloc(((size_t)a->nnz * (size_t)doubles + 1) * sizeof *entries);
    wlu_pattern_gather(a, x, entries);
    return entries;
}

/* As a solver of the host has it. */
static warplu_status compile(timed *t)
{
    wlu_context *ctx = &t->ctx;
    wlu_pattern *a = NULL;
    double *entries = NULL;
    check_init_options(&t->options);
    if (doubles > 1) t->options.scalar = WARPLU_SCALAR_COMPLEX;
    wlu_context_init(ctx, &t->options);
    warplu_status status = wlu_pattern_create(ctx, WARPLU_STORAGE_CSC, t->m.nrow, t->m.ptr, t->m.idx, &a);
    if (status < 0) return status;
    a->doubles = doubles;
    entries = entries_of(a, t->m.values);
    status = wlu_analysis_create(ctx, &t->options, &wlu_cost_cpu, &a, entries, WLU_DEPTH_RACED, &t->analysis);
    if (status >= 0)
        status =
            wlu_pivots_create(ctx, &t->options, &wlu_cost_cpu, t->analysis, entries, NULL, &t->pivots, &t->factors);
    if (status >= 0) status = wlu_lu_compile(ctx, &t->options, &wlu_cost_cpu, t->analysis->a, t->pivots, &t->program);
    if (status >= 0) status = wlu_flat_create(ctx, t->program, &t->flat);
    free(entries);
    return status;
}

static warplu_status prepare(timed *t)
{
    wlu_target target;
    warplu_status status = compile(t);
    if (status >= 0) status = batch_target(&t->ctx, single, &target);
    target.doubles = doubles;
    if (status >= 0) status = wlu_batch_one_by_one.create(&t->ctx, &target, t->program, t->flat, 0, NULL, &t->one);
    target.device = -1;
    if (status >= 0) status = wlu_batch_cuda.create(&t->ctx, &target, t->program, t->flat, 0, NULL, &t->device);
    return status;
}

static wlu_batch_device_state *state_of(const timed *t)
{
    return (wlu_batch_device_state *)t->device;
}

/* ----------------------------------------------------------------- numbers */

static int64_t bytes_of(const timed *t, int which)
{
    int64_t numbers[] = {t->m.nnz, t->m.nrow, t->m.nrow};
    return which < 3 ? 8 * doubles * numbers[which] * count : count * (int64_t)sizeof(wlu_member_result);
}

static warplu_status upload(timed *t)
{
    uint64_t seed = 4096;
    warplu_status status = WARPLU_SUCCESS;
    t->values = malloc((size_t)bytes_of(t, 0));
    t->b = malloc((size_t)bytes_of(t, 1));
    t->x = malloc((size_t)bytes_of(t, 2));
    int64_t values = doubles * t->m.nnz;
    for (int64_t k = 0; k < count * values; k++)
        t->values[k] = t->m.values[k % values] * (0.95 + 0.1 * check_uniform(&seed));
    for (int64_t k = 0; k < count * (int64_t)t->m.nrow * doubles; k++) t->b[k] = check_uniform(&seed) - 0.5;
    const double *from[] = {t->values, t->b};
    for (int k = 0; k < 4 && status == WARPLU_SUCCESS; k++) {
        status = WLU_CUDA(&t->ctx, alloc, &t->on_device[k], (size_t)bytes_of(t, k));
        if (status == WARPLU_SUCCESS && k < 2)
            status = WLU_CUDA(&t->ctx, to_device, t->on_device[k], from[k], (size_t)bytes_of(t, k), NULL);
    }
    return status == WARPLU_SUCCESS ? WLU_CUDA(&t->ctx, stream_wait, NULL) : status;
}

/* ------------------------------------------------------------------- times */

/* The last leaves solutions. */
typedef enum what { COPY, LOAD, REFACTOR, REPLAY, SOLVE, BOTH, WHATS } what;

static warplu_status load(const timed *t, wlu_group_work work, wlu_cu_handle stream)
{
    const wlu_batch_device_state *s = state_of(t);
    wlu_group_move m = {.at = wlu_cuda_pointer(t->on_device[0]),
                        .by_member = doubles * t->m.nnz,
                        .by_number = doubles,
                        .rows = work.entries,
                        .numbers = (int32_t)work.numbers,
                        .to_rooms = 1};
    void *parameters[] = {&m, &work};
    unsigned tiles = (unsigned)((work.numbers + WLU_WARP - 1) / WLU_WARP),
             groups = (unsigned)((work.count + LANES - 1) / LANES);
    if (s->gather.entries > 0) return WARPLU_SUCCESS;
    return WLU_CUDA(NULL, launch, s->movers->batch_in, tiles, groups, 1, WLU_GROUP_MOVERS, 1, 1, 0, stream, parameters,
                    NULL);
}

static warplu_status replay(const timed *t, wlu_group_work work, wlu_cu_handle stream)
{
    const wlu_batch_device_state *s = state_of(t);
    wlu_group_factor factor = s->factor;
    void *parameters[] = {&factor, &work};
    return WLU_CUDA(NULL, launch, s->kernels->batch_refactor, (unsigned)((work.count + LANES - 1) / LANES), 1, 1,
                    WLU_GROUP_WARPS * WLU_WARP, 1, 1, 0, stream, parameters, NULL);
}

/* All members, chunk by chunk. */
static warplu_status enqueue(const timed *t, what w)
{
    const wlu_batch_device_state *s = state_of(t);
    const int64_t vector = (int64_t)doubles * t->m.nrow;
    wlu_cu_handle stream = s->room[0].stream;
    warplu_status status = WARPLU_SUCCESS;
    if (w == COPY) return WLU_CUDA(NULL, on_device, t->on_device[2], t->on_device[1], (size_t)bytes_of(t, 2), stream);
    for (int32_t first = 0; first < count && status == WARPLU_SUCCESS; first += s->lanes) {
        wlu_batch_task task = {.work = s->work,
                               .result = wlu_cuda_pointer(t->on_device[3]),
                               .kind = WLU_STREAM_SOLVE,
                               .check = check ? WLU_BATCH_CHECKED : WLU_BATCH_UNCHECKED,
                               .tells = 1};
        task.work.begin = first;
        task.work.count = count - first < s->lanes ? count - first : s->lanes;
        if (w == REFACTOR || w == BOTH)
            task.values = (wlu_member_view){wlu_cuda_pointer(t->on_device[0]), doubles * t->m.nnz, 0, doubles};
        if (w == SOLVE || w == BOTH) {
            task.b = (wlu_member_view){wlu_cuda_pointer(t->on_device[1]), vector, 0, doubles};
            task.x = (wlu_member_output){wlu_cuda_pointer(t->on_device[2]), vector, 0, doubles};
        }
        if (w == LOAD)
            status = load(t, task.work, stream);
        else if (w == REPLAY)
            status = replay(t, task.work, stream);
        else
            status = wlu_batch_cuda_enqueue(NULL, s, &task, stream);
    }
    return status;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Microseconds a member, the median; negative after a failure. */
static double time_of(const timed *t, what w)
{
    double us[REPEATS];
    for (int k = -2; k < REPEATS; k++) {
        int64_t begin = wlu_now_ns();
        if (enqueue(t, w) < 0 || WLU_CUDA(NULL, stream_wait, state_of(t)->room[0].stream) < 0) return -1.0;
        if (k >= 0) us[k] = (double)(wlu_now_ns() - begin) * 1e-3 / count;
    }
    qsort(us, REPEATS, sizeof *us, by_size);
    return us[REPEATS / 2];
}

/* Members of the last solve, some of them, that are not as they are to be. */
static int compare(timed *t)
{
    int32_t member[COMPARED], wrong = 0, compared = count < COMPARED ? count : COMPARED, n = doubles * t->m.nrow;
    double *x = malloc((size_t)n * (size_t)count * sizeof *x);
    wlu_member_result *result = calloc((size_t)count, sizeof *result), *found = calloc((size_t)count, sizeof *found);
    const wlu_member_view values = {t->values, doubles * t->m.nnz, 0, doubles};
    for (int32_t k = 0; k < compared; k++) member[k] = (int32_t)((int64_t)k * (count - 1) / compared);
    wlu_batch_job job = {.count = compared,
                         .member = member,
                         .values = &values,
                         .kind = WLU_STREAM_SOLVE,
                         .nrhs = 1,
                         .b = {t->b, n, 0, doubles},
                         .x = {x, n, 0, doubles},
                         .check = check ? WLU_BATCH_CHECKED : WLU_BATCH_UNCHECKED,
                         .result = result};
    int failed = wlu_batch_one_by_one.run(&t->ctx, t->one, &job) < 0 ||
                 WLU_CUDA(&t->ctx, to_host, t->x, t->on_device[2], (size_t)bytes_of(t, 2), NULL) < 0 ||
                 WLU_CUDA(&t->ctx, to_host, found, t->on_device[3], (size_t)bytes_of(t, 3), NULL) < 0 ||
                 WLU_CUDA(&t->ctx, stream_wait, NULL) < 0;
    for (int32_t k = 0; k < compared && !failed; k++) {
        int differs = result[member[k]].health.verdict != found[member[k]].health.verdict ||
                      !batch_same(result[member[k]].health.growth, found[member[k]].health.growth) ||
                      !batch_same(result[member[k]].largest, found[member[k]].largest);
        for (int64_t i = member[k] * (int64_t)n; i < (member[k] + 1) * (int64_t)n; i++)
            differs |= !batch_same(x[i], t->x[i]);
        wrong += differs;
    }
    free(x);
    free(result);
    free(found);
    return failed ? -1 : wrong;
}

static void print(timed *t, const char *name)
{
    static const char *const names[WHATS] = {"copy_us",   "load_us",  "refactor_us",
                                             "replay_us", "solve_us", "refactor_solve_us"};
    const wlu_flat *f = t->flat;
    double us[WHATS];
    for (int w = 0; w < WHATS; w++) us[w] = time_of(t, (what)w);
    double gb_s = 16e-3 * doubles * t->m.nrow / us[COPY];
    int64_t numbers = f->count + t->m.nnz + 2 * (int64_t)t->m.nrow;
    printf("{\"matrix\": \"%s\", \"n\": %d, \"nnz\": %lld, \"slots\": %lld, \"records\": %lld, \"terms\": %lld, "
           "\"levels\": %d, \"solve_records\": %lld, \"solve_levels\": %d, \"count\": %d, \"lanes\": %d, "
           "\"precision\": \"%s\", \"copy_gb_s\": %.0f, \"least_us\": %.4f",
           name, (int)t->m.nrow, (long long)t->m.nnz, (long long)f->count, (long long)f->factor.nrecords,
           (long long)f->factor.nterms, (int)f->factor.nlevels, (long long)f->solve[0].stream.nrecords,
           (int)f->solve[0].stream.nlevels, (int)count, (int)state_of(t)->lanes,
           single        ? "single"
           : doubles > 1 ? "complex"
                         : "double",
           gb_s, (double)numbers * doubles * 8e-3 / gb_s);
    for (int w = COPY + 1; w < WHATS; w++) printf(", \"%s\": %.4f", names[w], us[w]);
    printf(", \"wrong\": %d}\n", compare(t));
    fflush(stdout);
}

static warplu_status turn(warplu_mm_matrix *m)
{
    double *values = malloc(2 * ((size_t)m->nnz + 1) * sizeof *values);
    if (values == NULL) return WARPLU_OUT_OF_MEMORY;
    gen_turn(m->ncol, m->ptr, m->idx, m->values, values);
    free(m->values);
    m->values = values;
    return WARPLU_SUCCESS;
}

static int time_matrix(const char *path)
{
    timed t;
    const char *slash = strrchr(path, '/');
    memset(&t, 0, sizeof t);
    t.m.size = sizeof t.m;
    if (warplu_mm_read(path, NULL, &t.m, NULL) < 0 || t.m.nrow != t.m.ncol || t.m.values == NULL ||
        t.m.typecode.field == WARPLU_MM_FIELD_COMPLEX) {
        fprintf(stderr, "time_batch: %s: no square real system\n", path);
        return 0;
    }
    warplu_status status = doubles > 1 ? turn(&t.m) : WARPLU_SUCCESS;
    if (status >= 0) status = prepare(&t);
    if (status >= 0) status = wlu_cuda_enter(&t.ctx, &state_of(&t)->device->on);
    if (status >= 0) {
        status = upload(&t);
        if (status >= 0) print(&t, slash != NULL ? slash + 1 : path);
        for (int k = 0; k < 4; k++)
            if (t.on_device[k] != 0) wlu_cuda.free(t.on_device[k]);
        wlu_cuda_leave(NULL, status);
    }
    if (status < 0) fprintf(stderr, "time_batch: %s: %s\n", warplu_status_name(status), t.ctx.last_message);
    if (t.device != NULL) wlu_batch_cuda.destroy(&t.ctx, &t.device);
    if (t.one != NULL) wlu_batch_one_by_one.destroy(&t.ctx, &t.one);
    wlu_flat_destroy(&t.ctx, &t.flat);
    wlu_program_destroy(&t.ctx, &t.program);
    wlu_pivots_destroy(&t.ctx, &t.pivots);
    wlu_factors_destroy(&t.ctx, &t.factors);
    wlu_analysis_destroy(&t.ctx, &t.analysis);
    free(t.values);
    free(t.b);
    free(t.x);
    warplu_mm_free(&t.m);
    return status >= 0;
}

int main(int argc, char **argv)
{
    int right = 1;
#ifdef FAKE_CUDA_PATH
    static by_emulator kernel;
    if (by_emulator_open(by_emulator_launch, &kernel) == NULL) return 1;
#endif
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "--count") == 0 && k + 1 < argc)
            count = atoi(argv[++k]);
        else if (strcmp(argv[k], "--single") == 0)
            single = 1;
        else if (strcmp(argv[k], "--complex") == 0)
            doubles = 2;
        else if (strcmp(argv[k], "--check") == 0)
            check = 1;
        else
            right &= time_matrix(argv[k]);
    }
    return !right;
}
