/* warplu batch: A x = b for many matrices of one pattern, every answer judged before it is called one.
 *
 * Members are files, or one file's matrix with its values changed at random. Exit status 0 means that every member's x
 * is right: its componentwise backward error, computed anew from the values as read, is at most 1e-10. The x of other
 * members are not written. Files are written one by one, each complete or not there at all. */
#include "batch.h"
#include "gen/perturb.h"
#include "interrupt.h"
#include "matrix_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PATH_BYTES = 4096,
    LEAST_DIGITS = 4,
    DIGITS_MOST = 9, /* of a device's number */
    REPEAT = 5,
    CALLS = 2 /* steps of progress: the one that answers, those that are timed */
};

static void keep_message(warplu_status status, const char *text, void *user)
{
    batch_run *r = user;
    if (status < 0) snprintf(r->said, sizeof r->said, "%s", text);
}

/* Where the line of progress stands. */
static void say(warplu_status status, const char *text, void *user)
{
    bench_progress_clear(&((const batch_run *)user)->progress);
    cmd_message(status, text, NULL);
}

/* ------------------------------------------------------------------- output */

/* Digits that all members' numbers have. */
static int digits_of(int32_t count)
{
    int digits = 1;
    for (int32_t last = count - 1; last >= 10; last /= 10) digits++;
    return digits < LEAST_DIGITS ? LEAST_DIGITS : digits;
}

static warplu_status write_member(batch_run *r, int32_t m)
{
    char path[PATH_BYTES];
    int used = snprintf(path, sizeof path, "%s_%0*" PRId32 ".mtx", r->q->output, digits_of(r->count), m);
    if (used >= PATH_BYTES) return wlu_fail(&r->setup.ctx, WARPLU_CANNOT_OPEN, "path too long: %.80s...", r->q->output);
    bench_progress_show(&r->progress, path, "solution", "is written");
    interrupt_hold();
    double *x = r->x + m * r->nrhs * batch_vector(r);
    warplu_mm_field field = r->doubles > 1 ? WARPLU_MM_FIELD_COMPLEX : WARPLU_MM_FIELD_REAL;
    warplu_status status = matrix_file_write_array(&r->setup.ctx, path, field, r->a.nrow, r->nrhs, x, NULL);
    interrupt_release();
    r->written += status >= 0;
    return status;
}

static warplu_status write_solutions(batch_run *r)
{
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t m = 0; m < r->count && status >= 0; m++) {
        if (batch_member_right(r, m)) status = write_member(r, m);
        bench_progress_step(&r->progress);
    }
    return status;
}

/* ---------------------------------------------------------------------- run */

/* The first failure stands for all. */
static warplu_status say_failures(batch_run *r)
{
    int32_t m = 0;
    if (r->failures == 0) return WARPLU_SUCCESS;
    while (batch_member_right(r, m)) m++;
    const char *file = r->q->count == 0 ? r->q->paths[m] : r->q->paths[0];
    return wlu_fail(&r->setup.ctx, WARPLU_MEMBERS_FAILED,
                    "%s: member %" PRId32 ": %s; of %" PRId32 " members %" PRId32 " failed", file, m,
                    warplu_status_text(r->member[m].status), r->count, r->failures);
}

static warplu_status solve_members(batch_run *r)
{
    warplu_status status = batch_read(r);
    if (status >= 0) status = batch_answer(r);
    if (status >= 0 && r->q->output != NULL) status = write_solutions(r);
    if (status >= 0) status = batch_time(r);
    return status >= 0 ? say_failures(r) : status;
}

static void free_run(batch_run *r)
{
    wlu_context *ctx = &r->setup.ctx;
    warplu_batch_destroy(&r->batch);
    warplu_destroy(&r->solver);
    if (r->a.ptr != NULL) warplu_mm_free(&r->a);
    wlu_free(ctx, r->values);
    wlu_free(ctx, r->b);
    wlu_free(ctx, r->x);
    wlu_free(ctx, r->member);
    wlu_free(ctx, r->error);
    for (batch_loop loop = 0; loop < BATCH_LOOPS; loop++) bench_samples_free(&r->samples[loop]);
    free(r->devices);
    load_free(&r->setup);
}

/* Numbers of devices, separated by commas: the first item's length; 0: it is no such number. */
static size_t read_number(const char *text, int *number)
{
    size_t digits = strspn(text, "0123456789");
    if (digits < 1 || digits > DIGITS_MOST || (text[digits] != ',' && text[digits] != '\0')) return 0;
    *number = atoi(text);
    return digits;
}

/* The list, or the first device. ARGS_RUN or an exit code; the caller frees the list whatever it is. */
static int read_devices(const args_command *command, const batch_request *q, batch_run *r)
{
    int cuda = load_executor(q->load.executor) == WARPLU_EXECUTOR_CUDA;
    const char *list = q->devices != NULL ? q->devices : "0";
    if (!cuda && q->devices != NULL) return args_usage(command, "--devices is for --executor cuda");
    if (q->devices == NULL && q->fewer_devices) return args_usage(command, "--fewer-devices needs --devices LIST");
    if (!cuda) return ARGS_RUN;
    r->devices = malloc((strlen(list) + 1) * sizeof *r->devices);
    if (r->devices == NULL) {
        cmd_say("out of memory: devices");
        return CMD_ERROR;
    }
    for (const char *at = list; at != NULL;) {
        size_t length = read_number(at, &r->devices[r->device_count]);
        if (length == 0)
            return args_usage(command, "--devices: expected numbers of devices like 0,1, found '%s'", q->devices);
        for (int32_t k = 0; k < r->device_count; k++)
            if (r->devices[k] == r->devices[r->device_count])
                return args_usage(command, "--devices: %d is named twice", r->devices[k]);
        r->device_count++;
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    return ARGS_RUN;
}

static int run(const args_command *command, const batch_request *q)
{
    batch_run r = {.q = q, .count = q->count > 0 ? (int32_t)q->count : q->path_count};
    int code = load_prepare(command, &q->load, &r.setup);
    r.setup.takes_complex = 1;
    if (code == ARGS_RUN) code = read_devices(command, q, &r);
    if (code == ARGS_RUN) {
        if (r.device_count > 0) r.setup.options.device = r.devices[0];
        r.setup.options.message = keep_message;
        r.setup.options.message_user = &r;
        r.setup.ctx.message = say;
        r.setup.ctx.message_user = &r;
        bench_progress_begin(&r.progress, q->path_count - 1 + CALLS + (q->output != NULL ? r.count : 0));
        warplu_status status = solve_members(&r);
        batch_report(&r, status);
        code = status == WARPLU_SUCCESS ? CMD_OK : CMD_ERROR;
    }
    free_run(&r);
    return code;
}

/* ------------------------------------------------------------------ options */

/* What the table of options cannot say. ARGS_RUN or an exit code. */
static int check(const args_command *command, const batch_request *q)
{
    int streams = q->rhs != NULL && strcmp(q->rhs, "-") == 0;
    for (int k = 0; k < q->path_count; k++) streams += strcmp(q->paths[k], "-") == 0;
    if (streams > 1) return args_usage(command, "only one file can be standard input");
    if (q->count == 0 && q->perturb >= 0.0) return args_usage(command, "--perturb needs --count N");
    if (q->count > 0 && q->perturb < 0.0) return args_usage(command, "--count needs --perturb P");
    if (q->count > 0 && q->path_count > 1)
        return args_usage(command, "--perturb changes one matrix: unexpected '%s'", q->paths[1]);
    if (q->output != NULL && (q->output[0] == '\0' || strcmp(q->output, "-") == 0))
        return args_usage(command, "--output: expected what names of files begin with, found '%s'", q->output);
    return ARGS_RUN;
}

static batch_request asked = {.perturb = -1.0, .seed = GEN_CHANGE_SEED, .threads = 1, .repeat = REPEAT};

/* clang-format off */
static const args_option options[] = {
    {.name = "rhs", .letter = 'b', .type = ARGS_TEXT, .out = &asked.rhs, .value = "PATH",
     .help = "right-hand sides of every member, one a column (ones)"},
    {.name = "output", .letter = 'o', .type = ARGS_TEXT, .out = &asked.output, .value = "PREFIX",
     .help = "write each member's x, all digits, to PREFIX_0000.mtx,\nPREFIX_0001.mtx, ... (not written)"},
    {.name = "transposed", .type = ARGS_FLAG, .out = &asked.transposed, .help = "solve A' x = b"},
    {.name = "perturb", .type = ARGS_REAL, .out = &asked.perturb, .min = 0, .max = 1, .value = "P",
     .help = "make members from A: its values, each part times\n1 + P u, u uniform in [-1, 1)"},
    {.name = "seed", .letter = 's', .type = ARGS_SEED, .out = &asked.seed, .value = "S", .help = "seed of these (7)"},
    {.name = "count", .type = ARGS_INT, .out = &asked.count, .min = 1, .max = INT32_MAX, .value = "N",
     .help = "so many of these"},
    {.name = "threads", .type = ARGS_INT, .out = &asked.threads, .min = 0, .max = 1024, .value = "N",
     .help = "threads that members are shared by; 0: one for each\nprocessor (1)"},
    {.name = "devices", .type = ARGS_TEXT, .out = &asked.devices, .value = "LIST",
     .help = "devices of the cuda executor, which share the members,\nlike 0,1 (0)"},
    {.name = "fewer-devices", .type = ARGS_FLAG, .out = &asked.fewer_devices,
     .help = "go on without those that are absent or fail"},
    {.name = "repeat", .type = ARGS_INT, .out = &asked.repeat, .min = 0, .max = 1e9, .value = "N",
     .help = "calls that are timed, after the one that answers (5)"},
    LOAD_VALUES_OPTION(asked.load),
    LOAD_SOLVER_OPTIONS(asked.load),
    LOAD_CHECK_OPTION(asked.load, "suspect"),
    LOAD_EXECUTOR_OPTION(asked.load),
    {.name = "json", .type = ARGS_FLAG, .out = &asked.as_json, .help = "report as JSON"},
    {.name = NULL},
};
/* clang-format on */

int cmd_batch(int argc, char **argv)
{
    const args_command command = {
        .name = "batch",
        .usage = "A.mtx [V.mtx]... [OPTION]...",
        .about = "Solves A x = b for many matrices of one pattern at once: those of the files, or A with its values\n"
                 "changed. Files are Matrix Market, plain or gzip-compressed; - is standard input.\n"
                 "Exit status 0 means that all answers are right: the componentwise backward error of each is at most\n"
                 "1e-10 (1e-4 in single precision).\n",
        .options = options,
        .min_operands = 1,
        .max_operands = -1,
        .operand = "a matrix"};
    int first;
    load_request_init(&asked.load);
    asked.load.expected_refactors = 0.0; /* the batch knows how many members there are */
    int code = args_parse(&command, argc, argv, &first);
    if (code != ARGS_RUN) return code;
    asked.paths = argv + first;
    asked.path_count = argc - first;
    code = check(&command, &asked);
    return code == ARGS_RUN ? run(&command, &asked) : code;
}
