/* The CUDA executor under stress: two programs replay on two streams, from kernels that let random times pass, on one
 * block, on seven and on as many as the device takes, while a third stream's kernel occupies multiprocessors. Half of
 * the replays, at random, are one call with their solve, which may begin before they end. All bits of every replay are
 * those of an undisturbed one, which were the reference executor's, and nothing hangs.
 *
 *     stress [--replays N] [--grid N] [--precision P] [A.mtx B.mtx.gz ...]
 *
 *   --replays N    of each program in each case (200)
 *   --grid N       cases of N blocks alone; 0: of as many as the device takes
 *   --precision P  double, single or mixed
 *
 * Matrices are replayed in pairs, each beside the next one; without any, three random ones. Replays are compared on the
 * device, so that it is the host that is idle. Prints TAP; a case that does not end is a failure after some minutes.
 * Needs nothing of the build folder but itself. */
#include "racer.h"

#include "base/clock.h"
#include "device/kernels.h"
#include <warplu/matrix_market.h>

#include <signal.h>
#include <unistd.h>

extern const unsigned char wlu_fatbin_stress[], wlu_fatbin_flow_delayed[], wlu_fatbin_solve_delayed[];
extern const unsigned char wlu_fatbin_flow_single_delayed[], wlu_fatbin_solve_single_delayed[];
extern const unsigned char wlu_fatbin_refine_delayed[], wlu_fatbin_refine_single_delayed[];

enum { RACERS = 2, HANGS_AFTER_S = 240, MOST_NS = 200000, SHARED_MOST = 32768 };

#ifdef FAKE_CUDA_PATH
#include "by_emulator.h"

enum { SMALLER = 10 };
#else
enum { SMALLER = 1 };
#endif

typedef struct course {
    const wlu_cuda_device *device;                                      /* as the library has it; */
    wlu_cuda_device delayed;                                            /* with other kernels */
    int solve_blocks, early_blocks, refine_blocks, refine_early_blocks; /* of those */
    wlu_cu_handle module, occupy, compare, stream;
    racer racer[RACERS];
} course;

static course it;
static uint64_t seed = 77;
static int replays = 200, only_grid = -1;
static warplu_precision precision = WARPLU_PRECISION_DOUBLE;
static int single;            /* number of its kernels */
static const wlu_cost *tiled; /* for small programs with tiles */
static char says[256];        /* what the case that runs is called, and has come to */

/* ---------------------------------------------------------------- a race */

typedef struct race {
    const char *name;
    unsigned grid; /* 0: as many blocks as the device takes */
    int delayed;
} race;

static const race races[] = {{"a block", 1, 1}, {"7 blocks", 7, 1}, {"all blocks", 0, 1}, {"all blocks", 0, 0}};
static const race *run; /* the one that runs */

static void occupy(void)
{
    stress_occupation o = {check_random(&seed), 1 + (uint32_t)check_below(&seed, MOST_NS)};
    void *parameters[] = {&o};
    unsigned grid = 1 + (unsigned)check_below(&seed, 2 * it.device->multiprocessors);
    is_up(wlu_cuda.launch(it.occupy, grid, 1, 1, 32 * (1 + (unsigned)check_below(&seed, 32)), 1, 1,
                          (unsigned)check_below(&seed, SHARED_MOST), it.stream, parameters, NULL));
}

static void enqueue(racer *r, int k)
{
    int set = check_below(&seed, SETS);
    stress_replay of = r->replay[set];
    void *parameters[] = {&of};
    enum { EACH = 8 };
    of.differs = (uint32_t *)racer_pointer(r->differs_at) + k;
    int64_t grid = (stress_count(&of) + STRESS_THREADS * EACH - 1) / (STRESS_THREADS * EACH);
    racer_enqueue(r, set, check_below(&seed, 2) == 1);
    is_up(wlu_cuda.launch(it.compare, (unsigned)grid, 1, 1, STRESS_THREADS, 1, 1, 0, r->stream, parameters, NULL));
}

/* Replays of both, in turn; how many had other bits. */
static int run_round(int count)
{
    int differ = 0;
    for (int q = 0; q < RACERS; q++)
        is_up(wlu_cuda.clear(it.racer[q].differs_at, 0, sizeof it.racer[q].differs, it.racer[q].stream));
    for (int k = 0; k < count; k++) {
        occupy();
        for (int q = 0; q < RACERS; q++) enqueue(&it.racer[q], k);
    }
    for (int q = 0; q < RACERS; q++) {
        racer *r = &it.racer[q];
        is_up(wlu_cuda.to_host(r->differs, r->differs_at, sizeof r->differs, r->stream));
        is_up(wlu_cuda.stream_wait(r->stream));
        for (int k = 0; k < count; k++) differ += r->differs[k] != 0;
    }
    is_up(wlu_cuda.stream_wait(it.stream));
    return differ;
}

static unsigned set_up(racer *r)
{
    unsigned all = r->im->grid;
    r->im->of.device = run->delayed ? &it.delayed : it.device;
    r->im->of.kernels = &r->im->of.device->of[single];
    if (run->grid > 0) r->im->grid = run->grid;
    return all;
}

static void release(racer *r, unsigned all)
{
    r->im->of.device = it.device;
    r->im->of.kernels = &it.device->of[single];
    r->im->grid = all;
}

static void replay(void)
{
    int differ = 0, done = 0, failures = check_failures;
    unsigned all[RACERS];
    size_t used = strlen(says);
    it.delayed.multiprocessors = run->grid > 0 ? (int)run->grid : it.device->multiprocessors;
    it.delayed.of[single].solve_blocks = run->grid > 0 ? 1 : it.solve_blocks;
    it.delayed.of[single].early_blocks = run->grid > 0 && it.early_blocks > 0 ? 1 : it.early_blocks;
    it.delayed.of[single].refine_blocks = run->grid > 0 ? 1 : it.refine_blocks;
    it.delayed.of[single].refine_early_blocks =
        run->grid > 0 && it.refine_early_blocks > 0 ? 1 : it.refine_early_blocks;
    for (int q = 0; q < RACERS; q++) all[q] = set_up(&it.racer[q]);
    int64_t begun = wlu_now_ns();
    while (done < replays && check_failures == failures) {
        int count = replays - done < ROUND ? replays - done : ROUND;
        alarm(HANGS_AFTER_S);
        differ += run_round(count);
        done += count;
    }
    alarm(0);
    snprintf(says + used, sizeof says - used, ": %d replays of each, %d with other bits, %.0f us a pair", done, differ,
             1e-3 * (double)(wlu_now_ns() - begun) / done);
    CHECK(differ == 0);
    for (int q = 0; q < RACERS; q++) release(&it.racer[q], all[q]);
}

static void hangs(int number)
{
    static const char text[] = "\nnot ok - it hangs: ";
    (void)number;
    int said = write(STDOUT_FILENO, text, sizeof text - 1) > 0 && write(STDOUT_FILENO, says, strlen(says)) > 0 &&
               write(STDOUT_FILENO, "\n", 1) > 0;
    _exit(said ? 1 : 2);
}

/* ------------------------------------------------------------------- pairs */

static void open_racers(void)
{
    alarm(HANGS_AFTER_S);
    for (int q = 0; q < RACERS; q++) racer_open(&it.racer[q], it.racer[q].name, it.racer[q].m, precision, tiled, &seed);
}

static void race_pair(const char *const *names, const test_matrix *const *m)
{
    char name[128];
    int before = check_failed_cases;
    for (int q = 0; q < RACERS; q++) it.racer[q] = (racer){.name = names[q], .m = m[q]};
    snprintf(name, sizeof name, "%s beside %s", names[0], names[1]);
    snprintf(says, sizeof says, "%s: undisturbed, as the reference", name);
    check_run(says, open_racers);
    for (size_t k = 0; k < sizeof races / sizeof *races && check_failed_cases == before; k++) {
        run = &races[k];
        if (only_grid >= 0 && run->grid != (unsigned)only_grid) continue;
        snprintf(says, sizeof says, "%s, %s%s", name, run->name, run->delayed ? ", delayed" : "");
        check_run(says, replay);
    }
    for (int q = 0; q < RACERS; q++) racer_close(&it.racer[q]);
}

static int race_files(int count, char **path)
{
    int right = 1;
    warplu_mm_matrix *read = calloc((size_t)count, sizeof *read);
    test_matrix *m = calloc((size_t)count, sizeof *m);
    const char **name = calloc((size_t)count, sizeof *name);
    for (int k = 0; k < count && right; k++) {
        const char *slash = strrchr(path[k], '/');
        name[k] = slash != NULL ? slash + 1 : path[k];
        read[k].size = sizeof read[k];
        right = warplu_mm_read(path[k], NULL, &read[k], NULL) >= 0 && read[k].nrow == read[k].ncol &&
                read[k].values != NULL && read[k].typecode.field != WARPLU_MM_FIELD_COMPLEX;
        m[k] = (test_matrix){read[k].nrow, (int32_t)read[k].nnz, read[k].ptr, read[k].idx, read[k].values, 1};
        if (!right) fprintf(stderr, "stress: %s: no square real system\n", path[k]);
    }
    for (int k = 0; k < (count == 2 ? 1 : count) && right; k++)
        race_pair((const char *[]){name[k], name[(k + 1) % count]},
                  (const test_matrix *[]){&m[k], &m[(k + 1) % count]});
    for (int k = 0; k < count; k++) warplu_mm_free(&read[k]);
    free(read);
    free(m);
    free(name);
    return right;
}

static void race_random(void)
{
    static const test_recipe recipe[] = {{.shape = TEST_GRID, .n = 2000 / SMALLER},
                                         {.shape = TEST_DENSE, .n = 300 / SMALLER},
                                         {.shape = TEST_BLOCKS, .n = 1000 / SMALLER}};
    enum { COUNT = sizeof recipe / sizeof *recipe };
    test_matrix m[COUNT];
    static wlu_cost cost;
    cost = test_region_cost(TEST_DEVICE);
    tiled = &cost;
    for (int k = 0; k < COUNT; k++) test_matrix_random(&m[k], &seed, &recipe[k]);
    for (int k = 0; k < COUNT; k++) {
        int other = (k + 1) % COUNT;
        race_pair((const char *[]){test_shape_name(recipe[k].shape), test_shape_name(recipe[other].shape)},
                  (const test_matrix *[]){&m[k], &m[other]});
    }
    for (int k = 0; k < COUNT; k++) test_matrix_free(&m[k]);
}

/* --------------------------------------------------------------- the course */

static int open_course(void)
{
    static const unsigned char *fatbin[WLU_CUDA_MODULES];
    const unsigned of_flow = 1u << WLU_CUDA_FLOW | 1u << WLU_CUDA_SOLVE | 1u << WLU_CUDA_REFINE;
    wlu_context ctx;
    wlu_context_init(&ctx, NULL);
    if (wlu_cuda_device_find(&ctx, 0, &it.device) < 0) return 0;
    memcpy(fatbin, wlu_cuda_fatbin, sizeof fatbin);
    fatbin[WLU_CUDA_FLOW] = wlu_fatbin_flow_delayed;
    fatbin[WLU_CUDA_SOLVE] = wlu_fatbin_solve_delayed;
    fatbin[WLU_CUDA_REFINE] = wlu_fatbin_refine_delayed;
    fatbin[WLU_CUDA_FLOW + WLU_CUDA_OF_NUMBERS] = wlu_fatbin_flow_single_delayed;
    fatbin[WLU_CUDA_SOLVE + WLU_CUDA_OF_NUMBERS] = wlu_fatbin_solve_single_delayed;
    fatbin[WLU_CUDA_REFINE + WLU_CUDA_OF_NUMBERS] = wlu_fatbin_refine_single_delayed;
    return wlu_cuda_enter(NULL, &it.device->on) == WARPLU_SUCCESS &&
           wlu_cuda_device_prepare(&ctx, 0, fatbin, &it.delayed) == WARPLU_SUCCESS &&
           wlu_cuda_device_load(&ctx, of_flow << single * WLU_CUDA_OF_NUMBERS, &it.delayed) == WARPLU_SUCCESS &&
           (it.solve_blocks = it.delayed.of[single].solve_blocks) > 0 &&
           (it.early_blocks = it.delayed.of[single].early_blocks) >= 0 &&
           (it.refine_blocks = it.delayed.of[single].refine_blocks) > 0 &&
           (it.refine_early_blocks = it.delayed.of[single].refine_early_blocks) >= 0 &&
           wlu_cuda_load(&ctx, wlu_fatbin_stress, &it.module) == WARPLU_SUCCESS &&
           is_up(wlu_cuda.module_function(&it.occupy, it.module, "stress_occupy")) &&
           is_up(wlu_cuda.module_function(&it.compare, it.module, "stress_compare")) &&
           is_up(wlu_cuda.stream_create(&it.stream, WLU_CU_STREAM_NON_BLOCKING));
}

static void close_course(void)
{
    CHECK(wlu_cuda.stream_destroy(it.stream) == 0 && wlu_cuda.module_unload(it.module) == 0);
    CHECK(wlu_cuda_leave(NULL, WARPLU_SUCCESS) == WARPLU_SUCCESS);
}

static void no_device(void)
{
    SKIP("no CUDA device");
}

/* ------------------------------------------------------------- the emulator */

#ifdef FAKE_CUDA_PATH

static by_emulator kernel = {.any_grid = 1};
static fake_cuda *fake;

static void compare_here(const stress_replay *given)
{
    stress_replay r = *given;
    by_emulator_bring(r.slots, 5);
    by_emulator_bring(&r.control, 4);
    for (int64_t k = 0; k < stress_count(&r); k++) *r.differs += (uint32_t)stress_differs(&r, k);
    *r.differs += (uint32_t)stress_health_differs(r.health, r.expected_health);
}

/* The test's own kernels on the host; the library's are emulated. */
static void run_kernel(const fake_cuda_launch *l, void *user)
{
    if (strcmp(l->kernel, "stress_compare") == 0)
        compare_here(l->parameters[0]);
    else if (strcmp(l->kernel, "stress_occupy") != 0)
        by_emulator_launch(l, user);
}

static void launches_were_right(void)
{
    CHECK(kernel.wrong == 0 && fake->behind > 0);
}
#endif

static int take_precision(const char *name)
{
    static const char *const names[] = {
        [WARPLU_PRECISION_DOUBLE] = "double", [WARPLU_PRECISION_SINGLE] = "single", [WARPLU_PRECISION_MIXED] = "mixed"};
    precision = WARPLU_PRECISION_DOUBLE;
    while (precision < WARPLU_PRECISION_MIXED && strcmp(name, names[precision]) != 0) precision++;
    single = wlu_precision_is_single(precision);
    return strcmp(name, names[precision]) == 0;
}

/* The place of the first matrix, 0 for a usage error. */
static int take_options(int argc, char **argv)
{
    int at = 1, right = 1;
    for (; at < argc && argv[at][0] == '-' && right; at += 2) {
        const char *value = at + 1 < argc ? argv[at + 1] : "";
        if (strcmp(argv[at], "--grid") == 0)
            right = *value != 0 && (only_grid = atoi(value)) >= 0;
        else if (strcmp(argv[at], "--precision") == 0)
            right = take_precision(value);
        else
            right = strcmp(argv[at], "--replays") == 0 && (replays = atoi(value)) > 0;
    }
    return right ? at : 0;
}

int main(int argc, char **argv)
{
    int at = take_options(argc, argv), right = 1;
    if (at == 0) {
        fprintf(stderr, "usage: stress [--replays N] [--grid N] [--precision double|single|mixed] [A.mtx ...]\n");
        return 2;
    }
#ifdef FAKE_CUDA_PATH
    fake = by_emulator_open(run_kernel, &kernel);
    if (fake == NULL) return 1;
#endif
    signal(SIGALRM, hangs);
    if (!open_course()) {
        RUN(no_device);
        return check_done();
    }
    if (at < argc)
        right = race_files(argc - at, argv + at);
    else
        race_random();
    close_course();
#ifdef FAKE_CUDA_PATH
    RUN(launches_were_right);
#endif
    return check_done() || !right;
}
