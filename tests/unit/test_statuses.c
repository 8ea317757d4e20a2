/* Every status of status.def is reached, through the public API where it can be, else through the reader, the verifier
 * or the command line (WLU_PROGRAM), and says why it is answered. One function a status, by the list itself: a status
 * that is added does not compile here until one reaches it, or says why nothing can. */
#include "check.h"

#include "solver/solver.h"
#include <warplu/batch.h>
#include <warplu/matrix_market.h>
#include <warplu/save.h>
#include "order/order.h"
#include "program/verify.h"
#include "support/build.h"
#include "support/options.h"

#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_BYTES = 512, N = 2 };

static char folder[] = "statuses-XXXXXX";
static char path[64];

/* ------------------------------------------------------ what was answered */

/* What a status was reached with. A message is promised with all but a success; most are kept by a solver, too. */
typedef struct answer {
    int status;
    warplu_status heard; /* by the message function, which was told the status itself last */
    char said[WLU_MESSAGE_BYTES], kept[WLU_MESSAGE_BYTES];
    int has_solver;
    const char *unreachable; /* the reason why nothing can answer this in this build */
} answer;

static answer now;

static void hear(warplu_status status, const char *text, void *user)
{
    answer *a = user;
    a->heard = status;
    snprintf(a->said, sizeof a->said, "%.*s", WLU_MESSAGE_BYTES - 1, text);
}

static warplu_options options(void)
{
    warplu_options o;
    check_init_options(&o);
    o.ordering = WARPLU_ORDERING_NATURAL;
    o.btf = 0;
    o.message = hear;
    o.message_user = &now;
    return o;
}

/* Full matrices by columns. GOOD's pivots are weak for POOR. */
static const int32_t ptr[] = {0, 2, 4}, idx[] = {0, 1, 0, 1};
static const double good[] = {1, 1, 1, 2}, poor[] = {1e-16, 1, 1, 2}, none[] = {1, 1, 1, 1}, b[] = {1, 3};

static warplu_solver *analyzed(const warplu_options *o)
{
    warplu_solver *s = NULL;
    CHECK(warplu_create(&s, o) == WARPLU_SUCCESS && warplu_analyze(s, N, ptr, idx, NULL) == WARPLU_SUCCESS);
    return s;
}

static warplu_solver *factored(const warplu_options *o)
{
    warplu_solver *s = analyzed(o);
    CHECK(warplu_factor(s, good) == WARPLU_SUCCESS);
    return s;
}

/* Takes the status and the message, and lets the solver go. */
static void answered(warplu_solver *s, warplu_status status)
{
    now.status = status;
    now.has_solver = 1;
    snprintf(now.kept, sizeof now.kept, "%s", warplu_get_message(s));
    warplu_destroy(&s);
}

static void write_text(const char *text)
{
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* By the reader of Matrix Market files. */
static void read_text(const char *text)
{
    warplu_mm_matrix m = {.size = sizeof m};
    warplu_mm_error error = {.size = sizeof error};
    write_text(text);
    now.status = warplu_mm_read(path, NULL, &m, &error);
    hear(error.status, error.text, &now);
    warplu_mm_free(&m);
}

/* By the command line: of two commands the first names the status, the second says why. input: without apostrophes. */
static void run_on_by(const char *const commands[2], const char *input, const char *text, warplu_status expected)
{
#ifdef WLU_PROGRAM
    write_text(text);
    for (int k = 0; k < 2; k++) {
        char command[PATH_BYTES], output[4096];
        snprintf(command, sizeof command, "printf '%%s' '%s' | '%s' %s '%s' 2>&1", input, WLU_PROGRAM, commands[k],
                 path);
        FILE *pipe = popen(command, "r");
        CHECK(pipe != NULL);
        if (pipe == NULL) return;
        size_t length = fread(output, 1, sizeof output - 1, pipe);
        int ended = pclose(pipe);
        output[length] = '\0';
        if (k == 0) {
            now.status = strstr(output, warplu_status_name(expected)) != NULL ? (int)expected : WARPLU_SUCCESS;
            continue;
        }
        output[strcspn(output, "\n")] = '\0';
        CHECK_SAY(WIFEXITED(ended) && WEXITSTATUS(ended) == 1, "'%s': %d", output, ended);
        CHECK_SAY(strncmp(output, "warplu: ", 8) == 0, "'%s'", output);
        hear((warplu_status)now.status, output, &now);
    }
#else
    (void)commands;
    (void)input;
    (void)text;
    (void)expected;
    now.unreachable = "only the command line answers it, which is not built";
#endif
}

static void run_on(const char *text, warplu_status expected)
{
    static const char *const commands[] = {"bench", "solve"};
    run_on_by(commands, "", text, expected);
}

/* ------------------------------------------------------- one a status */

#define WARPLU_STATUS(name, value, text) static void reach_##name(void);
#include <warplu/status.def>
#undef WARPLU_STATUS

static void reach_SUCCESS(void)
{
    double x[N];
    warplu_options o = options();
    warplu_solver *s = factored(&o);
    answered(s, warplu_solve(s, 1, b, N, x, N));
    CHECK(fabs(x[0] + 1.0) < 1e-14 && fabs(x[1] - 2.0) < 1e-14);
}

static void reach_REPIVOTED(void)
{
    warplu_options o = options();
    warplu_solver *s = factored(&o);
    answered(s, warplu_refactor(s, poor));
}

static void reach_INACCURATE(void)
{
    const int32_t order[] = {0, 1};
    const double values[] = {1e-20, 1, 1, 1};
    double x[N];
    warplu_options o = options();
    o.ordering = WARPLU_ORDERING_GIVEN;
    o.row_order = o.col_order = order;
    o.scaling = WARPLU_SCALING_NONE;
    o.max_refinement_steps = 0;
    warplu_solver *s = analyzed(&o);
    CHECK(warplu_factor(s, values) == WARPLU_SUCCESS);
    answered(s, warplu_solve(s, 1, b, N, x, N));
}

static void reach_UNCHECKED(void)
{
    const double uneven[] = {4, 1, 1e-9, 3e-9}; /* columns too far apart for trials to prove A' */
    double x[N];
    warplu_options o = options();
    warplu_solver *s = analyzed(&o);
    CHECK(warplu_factor(s, uneven) == WARPLU_SUCCESS && warplu_refactor(s, uneven) == WARPLU_SUCCESS);
    CHECK(warplu_solve(s, 1, b, N, x, N) == WARPLU_SUCCESS && warplu_refactor(s, uneven) == WARPLU_SUCCESS);
    answered(s, warplu_solve_transposed(s, 1, b, N, x, N));
}

static void reach_WEAK(void)
{
    warplu_options o = options();
    o.on_weak = WARPLU_ON_WEAK_REPORT;
    warplu_solver *s = factored(&o);
    answered(s, warplu_refactor(s, poor));
}

static void reach_INVALID_ARGUMENT(void)
{
    double x[N];
    warplu_options o = options();
    warplu_solver *s = factored(&o);
    answered(s, warplu_solve(s, 1, b, N - 1, x, N));
}

static void reach_WRONG_PHASE(void)
{
    double x[N];
    warplu_options o = options();
    warplu_solver *s = analyzed(&o);
    answered(s, warplu_solve(s, 1, b, N, x, N));
}

static void reach_OUT_OF_MEMORY(void)
{
    test_allocator memory;
    warplu_options o = options();
    test_use_allocator(&o, &memory);
    warplu_solver *s = analyzed(&o);
    memory.fail_at = memory.calls + 1;
    answered(s, warplu_factor(s, good));
    CHECK(memory.alive == 0);
}

static void reach_OVERFLOW(void)
{
    read_text("%%MatrixMarket matrix coordinate real general\n3000000000 1 1\n1 1 1\n");
}

static void reach_STRUCTURALLY_SINGULAR(void)
{
    const int32_t empty_column[] = {0, 2, 2};
    warplu_options o = options();
    warplu_solver *s = NULL;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS);
    answered(s, warplu_analyze(s, N, empty_column, idx, NULL));
}

static void reach_SINGULAR(void)
{
    warplu_options o = options();
    warplu_solver *s = analyzed(&o);
    answered(s, warplu_factor(s, none));
}

static void reach_NOT_FINITE(void)
{
    const double values[] = {1, NAN, 1, 2};
    warplu_options o = options();
    warplu_solver *s = analyzed(&o);
    answered(s, warplu_factor(s, values));
}

static void reach_NOT_SQUARE(void)
{
    read_text("%%MatrixMarket matrix coordinate real symmetric\n2 1 1\n1 1 1\n");
}

static void reach_EMPTY(void)
{
    warplu_options o = options();
    warplu_solver *s = NULL;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS);
    answered(s, warplu_analyze(s, 0, ptr, idx, NULL));
}

static void reach_NO_VALUES(void)
{
    run_on("%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n", WARPLU_NO_VALUES);
}

static void reach_COMPLEX_UNSUPPORTED(void)
{
    static const char *const batch[] = {"batch --json -", "batch -"};
    run_on_by(batch, "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n",
              "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n", WARPLU_COMPLEX_UNSUPPORTED);
}

static void reach_PATTERN_MISMATCH(void)
{
    const int32_t shuffled[] = {1, 0, 0, 1};
    warplu_options o = options();
    warplu_solver *s = analyzed(&o);
    answered(s, warplu_check_pattern(s, N, ptr, shuffled));
}

static void reach_CANNOT_OPEN(void)
{
    char missing[PATH_BYTES];
    warplu_options o = options();
    warplu_solver *s = analyzed(&o);
    snprintf(missing, sizeof missing, "%s/no/such/file", folder);
    answered(s, warplu_restore(s, missing));
}

static void reach_CANNOT_READ(void)
{
    warplu_options o = options();
    warplu_solver *s = analyzed(&o);
    answered(s, warplu_restore(s, folder));
}

static void reach_CANNOT_WRITE(void)
{
    if (access("/dev/full", W_OK) != 0) {
        now.unreachable = "this system has no /dev/full to write to";
        return;
    }
    warplu_options o = options();
    warplu_solver *s = analyzed(&o);
    answered(s, warplu_save(s, "/dev/full"));
}

static void reach_BAD_FORMAT(void)
{
    warplu_options o = options();
    warplu_solver *s = analyzed(&o);
    write_text("no saved analysis");
    answered(s, warplu_restore(s, path));
}

/* Where main says that there is no driver. */
static warplu_status create_on_device(void)
{
    warplu_options o = options();
    warplu_solver *s = NULL;
    o.executor = WARPLU_EXECUTOR_CUDA;
    warplu_status status = warplu_create(&s, &o);
    CHECK(s == NULL);
    return status;
}

static void reach_NOT_COMPILED(void)
{
    now.status = create_on_device();
    if (now.status == WARPLU_NOT_COMPILED) return;
    if (wlu_ordering_compiled(WARPLU_ORDERING_METIS)) {
        now.unreachable = "this build leaves nothing out: METIS and CUDA, the optional parts of the library, are in it";
        return;
    }
    warplu_options o = options();
    warplu_solver *s = NULL;
    o.ordering = WARPLU_ORDERING_METIS;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS);
    answered(s, warplu_analyze(s, N, ptr, idx, NULL));
}

static void reach_NO_DEVICE(void)
{
    now.status = create_on_device();
    if (now.status == WARPLU_NOT_COMPILED) now.unreachable = "this build leaves out the executor on a device";
}

static void reach_ENQUEUED(void)
{
    now.unreachable = "a device is needed: tests/cuda have one";
}

static void reach_MEMBERS_FAILED(void)
{
    double x[N];
    warplu_options o = options();
    warplu_solver *s = factored(&o);
    warplu_batch *batch = NULL;
    CHECK(warplu_batch_create(&batch, s, 1, NULL) == WARPLU_SUCCESS);
    now.status = warplu_batch_refactor_solve(batch, none, NULL, 0, 1, b, x);
    CHECK(strcmp(warplu_batch_get_message(batch), now.said) == 0);
    warplu_batch_destroy(&batch);
    warplu_destroy(&s);
}

static void reach_DEVICE_FAILED(void)
{
    now.unreachable = "a device is needed: tests/cuda have one that fails";
}

static void reach_PROGRAM_TOO_LARGE(void)
{
    now.unreachable = "a device is needed: tests/cuda have one";
}

static int stop(void *user)
{
    return *(const int *)user;
}

static void reach_CANCELLED(void)
{
    int stopped = 0;
    warplu_options o = options();
    o.cancel = stop;
    o.cancel_user = &stopped;
    warplu_solver *s = analyzed(&o);
    stopped = 1;
    answered(s, warplu_factor(s, good));
}

static void reach_FACTORS_TOO_LARGE(void)
{
    warplu_options o = options();
    o.max_factor_bytes = 1;
    warplu_solver *s = NULL;
    CHECK(warplu_create(&s, &o) == WARPLU_SUCCESS);
    answered(s, warplu_analyze(s, N, ptr, idx, NULL));
}

static void reach_THREADS_UNSUPPORTED(void)
{
    warplu_options o = options();
    warplu_solver *s = NULL;
    o.threads = 2;
    o.executor = WARPLU_EXECUTOR_REFERENCE;
    now.status = warplu_create(&s, &o);
    CHECK(s == NULL);
}

static void reach_PRECISION_UNSUPPORTED(void)
{
    warplu_options o = options();
    warplu_solver *s = NULL;
    o.precision = WARPLU_PRECISION_SINGLE;
    now.status = warplu_create(&s, &o);
    CHECK(s == NULL);
}

static void reach_EMPTY_COLUMNS(void)
{
    read_text("%%MatrixMarket matrix coordinate real general\n1 2000000 1\n1 1 1\n");
}

/* A program whose first record writes beyond its slots. */
static void reach_INTERNAL(void)
{
    const test_recipe r = {.shape = TEST_GRID, .n = 9};
    const wlu_cost cost = test_region_cost(TEST_ALL_DOT);
    uint64_t seed = 3;
    warplu_options o = options();
    test_matrix m;
    test_build built;
    test_matrix_random(&m, &seed, &r);
    if (test_build_pivots(&built, &o, &m) == WARPLU_SUCCESS) {
        CHECK(test_build_program(&built, &cost) == WARPLU_SUCCESS && built.program->dot.nrecords > 0);
        CHECK(wlu_program_verify(&built.ctx, built.program) == WARPLU_SUCCESS);
        built.program->dot.target[0] = (int32_t)built.program->nslots;
        now.status = wlu_program_verify(&built.ctx, built.program);
        test_build_free(&built);
    }
    test_matrix_free(&m);
}

static void reach_VERSION_MISMATCH(void)
{
    enum { VERSION_AT = 12 };
    warplu_options o = options();
    warplu_solver *s = analyzed(&o);
    CHECK(warplu_save(s, path) == WARPLU_SUCCESS);
    FILE *file = fopen(path, "r+b");
    CHECK(file != NULL && fseek(file, VERSION_AT, SEEK_SET) == 0 && fputc(77, file) == 77 && fclose(file) == 0);
    answered(s, warplu_restore(s, path));
}

/* The solver answers none of these; tests/model reaches them. */
static void reach_MODEL_EQUATIONS(void)
{
    now.unreachable = "models alone answer it";
}

static void reach_NO_CONVERGENCE(void)
{
    now.unreachable = "models alone answer it";
}

static void reach_STEP_TOO_SMALL(void)
{
    now.unreachable = "models alone answer it";
}

static void reach_OUT_OF_RANGE(void)
{
    now.unreachable = "models alone answer it";
}

static void reach_TOO_MANY_STEPS(void)
{
    now.unreachable = "models alone answer it";
}

/* ------------------------------------------------------------- the list */

static void check_status(int status, const char *name, const char *text, void (*reach)(void))
{
    memset(&now, 0, sizeof now);
    now.status = 1000; /* no status */
    CHECK_SAY(strcmp(warplu_status_name(status), name) == 0, "%s", warplu_status_name(status));
    CHECK_SAY(strcmp(warplu_status_text(status), text) == 0 && text[0] != '\0' && strchr(text, '\n') == NULL, "%s",
              warplu_status_text(status));
    reach();
    if (now.unreachable != NULL) SKIP(now.unreachable);
    CHECK_SAY(now.status == status, "answered %s: %s", warplu_status_name(now.status), now.said);
    CHECK_SAY((int)now.heard == status, "heard %s: %s", warplu_status_name(now.heard), now.said);
    CHECK_SAY((now.said[0] == '\0') == (status == WARPLU_SUCCESS) && strchr(now.said, '\n') == NULL, "'%s'", now.said);
    if (now.has_solver) CHECK_SAY(strcmp(now.said, now.kept) == 0, "'%s', kept '%s'", now.said, now.kept);
}

#define WARPLU_STATUS(name, value, text) \
    static void status_##name(void) \
    { \
        check_status(value, "WARPLU_" #name, text, reach_##name); \
    }
#include <warplu/status.def>
#undef WARPLU_STATUS

/* 0 is the success, above are warnings without a gap, below errors without a gap. */
static void numbers_are_pinned(void)
{
    static const int values[] = {
#define WARPLU_STATUS(name, value, text) WARPLU_##name,
#include <warplu/status.def>
#undef WARPLU_STATUS
    };
    int count = (int)(sizeof values / sizeof *values), warnings = 0, errors = 0;
    for (int k = 0; k < count; k++) {
        CHECK_SAY(values[k] == 0 || values[k] == warnings + 1 || values[k] == -errors - 1, "%d out of order",
                  values[k]);
        warnings += values[k] > 0;
        errors += values[k] < 0;
    }
    CHECK(warnings + errors + 1 == count);
    for (int k = 1; k < 3; k++) {
        CHECK(strcmp(warplu_status_name(warnings + k), "WARPLU_?") == 0);
        CHECK(strcmp(warplu_status_name(-errors - k), "WARPLU_?") == 0 && warplu_status_text(-errors - k)[0] != '\0');
    }
}

int main(void)
{
    if (mkdtemp(folder) == NULL) return 1;
    snprintf(path, sizeof path, "%s/file", folder);
    setenv("WARPLU_LIBCUDA", "/no/such/libcuda.so.1", 1);
#define WARPLU_STATUS(name, value, text) RUN(status_##name);
#include <warplu/status.def>
#undef WARPLU_STATUS
    RUN(numbers_are_pinned);
    unlink(path);
    rmdir(folder);
    return check_done();
}
