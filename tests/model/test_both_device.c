/* Both libraries on one device in one process, as a program has them: libwarplu.so and libwarpmodel.so, each with a
 * copy of src/device, and a third copy here for the program's own memory and stream. Replays on device pointers and of
 * the host, and simulations, in turn: each has the bits that it has alone, whoever ends first, and the context that was
 * current for the caller is current behind every call.
 *
 * Skipped where there is no device. WARPLU_LIBCUDA names a driver without one, whose kernels run here. */
#include <warplu/device.h>
#include <warplu/model.h>

#include <dlfcn.h>
#include <string.h>

#include "device/context.h"
#include "device/memory.h"
#include "support/check.h"

enum { N = 24, ENTRIES = 3 * N - 2, MEMBERS = 3, ROUNDS = 4, KINDS = 2 };

static const char cell[] = "element cell()\n"
                           "  param g = 1\n"
                           "  state v = -1\n"
                           "  v' = g*(v - v^3/3) + pulse(1, 0.5, 4)\n"
                           "end\n"
                           "use cell()\n";

/* Which library's handles are destroyed before the last round. */
typedef enum leaving { NOBODY, SOLVERS, SIMULATIONS } leaving;

typedef struct results {
    double x[ROUNDS][KINDS][N], v[ROUNDS][KINDS][MEMBERS];
} results;

/* Solver 0 has its numbers on the device, solver 1 on the host. */
typedef struct solvers {
    warplu_solver *s[KINDS];
    wlu_cuda_context on;
    wlu_cu_handle stream;
    wlu_cu_address block;
    double *values, *b, *x; /* on the device */
    double a[ENTRIES];
} solvers;

static wlu_context ctx;
static wlu_cu_handle current; /* for the caller, as it should be */

static int is_missing(void)
{
    warplu_solver *s = NULL;
    warplu_options o;
    warplu_init_options(&o);
    o.executor = WARPLU_EXECUTOR_CUDA;
    warplu_status status = warplu_create(&s, &o);
    warplu_destroy(&s);
    return status == WARPLU_NO_DEVICE || status == WARPLU_NOT_COMPILED;
}

#define NEED_DEVICE() \
    do { \
        if (is_missing()) SKIP("no CUDA device, or a build without CUDA"); \
    } while (0)

/* A call's status, and who is current behind it. */
#define CALL(expected, call) \
    do { \
        warplu_status status = (call); \
        wlu_cu_handle now = NULL; \
        CHECK_SAY(status == (expected), "%s", warplu_status_name(status)); \
        CHECK(wlu_cuda.context_current(&now) == 0 && now == current); \
    } while (0)

/* ----------------------------------------------------------------- solvers */

static void vary(double a[ENTRIES], int round)
{
    for (int k = 0; k < ENTRIES; k++) a[k] = (k % 3 == 0 ? 4.0 : -1.0) + 0.01 * ((7 * k + 5 * round) % 11);
}

static void open_memory(solvers *w)
{
    double b[N];
    for (int i = 0; i < N; i++) b[i] = 1.0 + 0.1 * i;
    CHECK(wlu_cuda_context_open(&ctx, 0, &w->on) == WARPLU_SUCCESS && wlu_cuda_enter(&ctx, &w->on) == WARPLU_SUCCESS);
    CHECK(wlu_cuda.stream_create(&w->stream, WLU_CU_STREAM_NON_BLOCKING) == 0);
    CHECK(wlu_cuda.alloc(&w->block, 3 * (size_t)wlu_cuda_aligned(sizeof w->a)) == 0);
    wlu_cu_address at = w->block;
    w->values = wlu_cuda_take(&at, sizeof w->a);
    w->b = wlu_cuda_take(&at, sizeof b);
    w->x = wlu_cuda_take(&at, sizeof b);
    CHECK(wlu_cuda.to_device(wlu_cuda_address(w->b), b, sizeof b, w->stream) == 0);
    CHECK(wlu_cuda_leave(&ctx, wlu_cuda_wait(&ctx, w->stream, WARPLU_SUCCESS)) == WARPLU_SUCCESS);
}

static void open_solvers(solvers *w)
{
    int32_t ptr[N + 1] = {0}, idx[ENTRIES], at = 0;
    for (int32_t j = 0; j < N; j++) {
        for (int32_t i = j - 1; i <= j + 1; i++)
            if (i >= 0 && i < N) idx[at++] = i;
        ptr[j + 1] = at;
    }
    open_memory(w);
    vary(w->a, 0);
    for (int k = 0; k < KINDS; k++) {
        warplu_options o;
        warplu_init_options(&o);
        o.executor = WARPLU_EXECUTOR_CUDA;
        CALL(WARPLU_SUCCESS, warplu_create(&w->s[k], &o));
        CALL(WARPLU_SUCCESS, warplu_analyze(w->s[k], N, ptr, idx, w->a));
        CALL(WARPLU_SUCCESS, warplu_factor(w->s[k], w->a));
    }
}

/* Solver 0, not waited for. */
static void begin_replay(solvers *w, int round)
{
    vary(w->a, round);
    CHECK(wlu_cuda_enter(&ctx, &w->on) == WARPLU_SUCCESS);
    CHECK(wlu_cuda.to_device(wlu_cuda_address(w->values), w->a, sizeof w->a, w->stream) == 0);
    CHECK(wlu_cuda_leave(&ctx, WARPLU_SUCCESS) == WARPLU_SUCCESS);
    CALL(WARPLU_ENQUEUED, warplu_refactor_solve_device(w->s[0], w->values, 0, 1, w->b, N, w->x, N, w->stream));
}

static void end_replay(solvers *w, double x[N])
{
    CALL(WARPLU_SUCCESS, warplu_finish_device(w->s[0], w->a, w->stream));
    CHECK(wlu_cuda_enter(&ctx, &w->on) == WARPLU_SUCCESS);
    CHECK(wlu_cuda.to_host(x, wlu_cuda_address(w->x), N * sizeof *x, w->stream) == 0);
    CHECK(wlu_cuda_leave(&ctx, wlu_cuda_wait(&ctx, w->stream, WARPLU_SUCCESS)) == WARPLU_SUCCESS);
}

static void replay_of_host(solvers *w, double x[N])
{
    for (int i = 0; i < N; i++) x[i] = 2.0 - 0.1 * i;
    CALL(WARPLU_SUCCESS, warplu_refactor(w->s[1], w->a));
    CALL(WARPLU_SUCCESS, warplu_solve(w->s[1], 1, x, N, x, N));
}

static void close_solvers(solvers *w)
{
    for (int k = 0; k < KINDS; k++) CALL(WARPLU_SUCCESS, (warplu_destroy(&w->s[k]), WARPLU_SUCCESS));
    CHECK(wlu_cuda_enter(&ctx, &w->on) == WARPLU_SUCCESS && wlu_cuda.free(w->block) == 0);
    CHECK(wlu_cuda.stream_destroy(w->stream) == 0 && wlu_cuda_leave(&ctx, WARPLU_SUCCESS) == WARPLU_SUCCESS);
    wlu_cuda_context_close(&w->on);
}

/* ------------------------------------------------------------- simulations */

static void open_simulations(warplu_sim *sim[KINDS], warplu_executor executor)
{
    static const char *const varying[] = {"cell.g"};
    static const double g[MEMBERS] = {0.5, 1.0, 1.5};
    for (int k = 0; k < KINDS; k++) {
        warplu_model *model = NULL;
        warplu_sim_options o;
        int64_t handle;
        CALL(WARPLU_SUCCESS, warplu_model_parse(&model, "cell", cell, (int64_t)strlen(cell), NULL));
        warplu_sim_init_options(&o);
        o.members = MEMBERS, o.varying = varying, o.varying_count = 1, o.executor = executor;
        o.method = k == 0 ? WARPLU_METHOD_DORMAND_PRINCE : WARPLU_METHOD_RODAS4;
        CALL(WARPLU_SUCCESS, warplu_sim_create(&sim[k], model, &o));
        CALL(WARPLU_SUCCESS, warplu_sim_find(sim[k], "cell.g", &handle));
        CALL(WARPLU_SUCCESS, warplu_sim_set(sim[k], handle, 0, MEMBERS, g));
        warplu_model_destroy(&model);
    }
}

static void step(warplu_sim *sim, int round, double v[MEMBERS])
{
    int64_t handle;
    CALL(WARPLU_SUCCESS, warplu_sim_run(sim, 0.5 * (round + 1)));
    CALL(WARPLU_SUCCESS, warplu_sim_find(sim, "cell.v", &handle));
    CALL(WARPLU_SUCCESS, warplu_sim_get(sim, handle, 0, MEMBERS, v));
}

static void close_simulations(warplu_sim *sim[KINDS])
{
    for (int k = 0; k < KINDS; k++) CALL(WARPLU_SUCCESS, (warplu_sim_destroy(&sim[k]), WARPLU_SUCCESS));
}

/* --------------------------------------------------------------- the course */

/* Neither waits for the other: a simulation runs while a replay is under way. */
static void take_turns(solvers *w, warplu_sim *sim[KINDS], int round, results *r)
{
    if (w->s[0] != NULL) begin_replay(w, round);
    if (sim[0] != NULL) step(sim[0], round, r->v[round][0]);
    if (w->s[0] != NULL) replay_of_host(w, r->x[round][1]);
    if (sim[1] != NULL) step(sim[1], round, r->v[round][1]);
    if (w->s[0] != NULL) end_replay(w, r->x[round][0]);
}

static void run_course(leaving who, results *r)
{
    solvers w = {.a = {0}};
    warplu_sim *sim[KINDS] = {NULL};
    memset(r, 0, sizeof *r);
    open_solvers(&w);
    open_simulations(sim, WARPLU_EXECUTOR_CUDA);
    for (int round = 0; round < ROUNDS; round++) {
        if (round == ROUNDS - 1 && who == SOLVERS) close_solvers(&w);
        if (round == ROUNDS - 1 && who == SIMULATIONS) close_simulations(sim);
        take_turns(&w, sim, round, r);
    }
    if (who != SIMULATIONS) close_simulations(sim);
    if (who != SOLVERS) close_solvers(&w);
}

/* Solvers alone on the device, and simulations on the CPU, whose bits a device has. */
static void run_alone(results *r)
{
    solvers w = {.a = {0}}, none = {.a = {0}};
    warplu_sim *sim[KINDS] = {NULL}, *nobody[KINDS] = {NULL};
    open_solvers(&w);
    for (int round = 0; round < ROUNDS; round++) take_turns(&w, nobody, round, r);
    close_solvers(&w);
    open_simulations(sim, WARPLU_EXECUTOR_CPU);
    for (int round = 0; round < ROUNDS; round++) take_turns(&none, sim, round, r);
    close_simulations(sim);
}

static void compare_courses(void)
{
    static results alone, both;
    run_alone(&alone);
    for (leaving who = NOBODY; who <= SIMULATIONS; who++) {
        run_course(who, &both);
        for (int k = 0; k < ROUNDS; k++) {
            int last = k == ROUNDS - 1;
            CHECK_SAY((last && who == SOLVERS) || memcmp(alone.x[k], both.x[k], sizeof both.x[k]) == 0,
                      "round %d, %d leaves: other solutions", k, (int)who);
            CHECK_SAY((last && who == SIMULATIONS) || memcmp(alone.v[k], both.v[k], sizeof both.v[k]) == 0,
                      "round %d, %d leaves: other states", k, (int)who);
        }
    }
}

static void each_has_the_bits_that_it_has_alone(void)
{
    NEED_DEVICE();
    compare_courses();
}

/* What the driver exports beside the library's entry points; NULL: it does not. */
static void *exported(const char *name)
{
    const char *asked = getenv("WARPLU_LIBCUDA");
    void *library = dlopen(asked != NULL ? asked : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    return library != NULL ? dlsym(library, name) : NULL;
}

/* One of its own on the device, where the driver makes such; or that of another device. */
static void the_callers_context_stays_current(void)
{
    NEED_DEVICE();
    wlu_cuda_context other = {0};
    wlu_cu_handle own = NULL;
    int devices = 0;
    wlu_cu_result (*create)(wlu_cu_handle *, unsigned, wlu_cu_device), (*destroy)(wlu_cu_handle);
    void *symbol[] = {exported("cuCtxCreate_v2"), exported("cuCtxDestroy_v2")};
    memcpy(&create, &symbol[0], sizeof create);
    memcpy(&destroy, &symbol[1], sizeof destroy);
    CHECK(wlu_cuda_open(&ctx, &devices) == WARPLU_SUCCESS);
    if (create != NULL && destroy != NULL) {
        CHECK(create(&own, 0, 0) == 0 && own != NULL);
    } else {
        CHECK(wlu_cuda_context_open(&ctx, devices - 1, &other) == WARPLU_SUCCESS);
        CHECK(wlu_cuda_enter(&ctx, &other) == WARPLU_SUCCESS);
    }
    CHECK(wlu_cuda.context_current(&current) == 0 && current != NULL);
    compare_courses();
    current = NULL;
    if (own != NULL) CHECK(destroy(own) == 0);
    if (own == NULL) CHECK(wlu_cuda_leave(&ctx, WARPLU_SUCCESS) == WARPLU_SUCCESS);
    if (own == NULL) wlu_cuda_context_close(&other);
}

/* A driver without a device counts what should not have been. */
static void no_call_was_wrong(void)
{
    int64_t (*faults)(void);
    void *symbol = exported("emulated_cuda_faults");
    if (symbol == NULL) SKIP("no driver that counts faults");
    memcpy(&faults, &symbol, sizeof faults);
    CHECK_SAY(faults() == 0, "%d faults", (int)faults());
}

int main(void)
{
    wlu_context_init(&ctx, NULL);
    RUN(each_has_the_bits_that_it_has_alone);
    RUN(the_callers_context_stays_current);
    RUN(no_call_was_wrong);
    return check_done();
}
