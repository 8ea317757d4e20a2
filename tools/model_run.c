/* warplu model run: steps a model and writes what it watches, of a run that fails the rows before. Files appear when
 * the run is over, whole or not at all. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/replace.h"
#include "commands.h"
#include "interrupt.h"
#include "json.h"
#include "model_job.h"

/* Writes what `write` makes into a file that is there whole or not at all; "-" is standard output. */
typedef int write_fn(const model_job *r, FILE *out);

static int put_table(const model_job *r, FILE *out)
{
    return model_table_write(&r->table, out);
}

static int put_plot(const model_job *r, FILE *out)
{
    return model_table_plot(&r->table, r->path, out);
}

static int write_file(model_job *r, const char *path, write_fn *write)
{
    wlu_replacement file;
    if (strcmp(path, "-") == 0) return write(r, stdout) == 0 && fflush(stdout) == 0;
    if (wlu_replace_begin(&r->ctx, path, &file) < 0) {
        cmd_say("%s: cannot be written", path);
        return 0;
    }
    FILE *out = fdopen(file.fd, "w");
    int good = out != NULL && write(r, out) == 0;
    if (out == NULL) close(file.fd);
    if (out != NULL && fclose(out) != 0) good = 0;
    if (wlu_replace_end(&r->ctx, &file, good) != 0) good = 0;
    if (!good) cmd_say("%s: cannot be written", path);
    return good;
}

static int rows_go_to_a_file(const model_request *q)
{
    return q->out != NULL && strcmp(q->out, "-") != 0;
}

static void put_json(const model_job *r)
{
    warplu_sim_statistics s = {.size = sizeof s};
    json j;
    warplu_sim_get_statistics(r->sim, &s);
    json_begin(&j, rows_go_to_a_file(r->q) ? stdout : stderr);
    json_open(&j, NULL, '{');
    json_text(&j, "model", r->path);
    json_text(&j, "method", model_methods[s.method]);
    json_text(&j, "status", warplu_status_text(r->status));
    json_int(&j, "members", s.members);
    json_int(&j, "unknowns", s.unknowns);
    json_int(&j, "operations", s.operations);
    json_int(&j, "steps", s.steps);
    json_int(&j, "rejected", s.rejected);
    json_int(&j, "newton_iterations", s.newton_iterations);
    json_real(&j, "compile_seconds", s.compile_seconds);
    json_real(&j, "run_seconds", s.run_seconds);
    json_end(&j);
}

/* Says which members failed, the first ten. */
static void say_failed(model_job *r)
{
    int said = 0;
    for (int64_t m = 0; m < r->members && said < 10; m++) {
        warplu_sim_member member;
        if (warplu_sim_get_members(r->sim, m, 1, &member, sizeof(warplu_sim_member)) < 0 || member.status >= 0)
            continue;
        char name[128] = "";
        int32_t line = 0;
        if (member.status == WARPLU_TOO_MANY_STEPS) member.unknown = -1;
        if (member.unknown >= 0) warplu_sim_get_name(r->sim, member.unknown, name, sizeof name, &line);
        const char *fault = member.unknown >= 0 ? "; most at fault is " : "";
        char at[32] = "";
        if (line > 0) snprintf(at, sizeof at, " (line %d)", (int)line);
        cmd_say("member %" PRId64 ": at t = %g: %s%s%s%s", m, member.time, warplu_status_text(member.status), fault,
                name, at);
        said++;
    }
}

/* A row is kept; on a terminal, a line says at most twice a second how much of the run is done. */
typedef struct progress {
    model_table *table;
    int64_t rows, kept, last_ns;
    int shown, dirty;
} progress;

enum { PAUSE_NS = 500000000 };

static int keep_row(int64_t member, double t, int32_t watched, const double *values, void *user)
{
    progress *p = user;
    int64_t now = p->shown ? wlu_now_ns() : 0;
    p->kept++;
    if (p->shown && now - p->last_ns >= PAUSE_NS) {
        fprintf(stderr, "\r\033[K%.0f %% of rows", 100.0 * (double)p->kept / (double)p->rows);
        fflush(stderr);
        p->last_ns = now, p->dirty = 1;
    }
    return model_table_row(member, t, watched, values, p->table);
}

static void run_shown(model_job *r, double to, double every, progress *p)
{
    if (warplu_sim_watch(r->sim, r->handle, r->watched, every, keep_row, p) < 0) {
        r->status = WARPLU_OUT_OF_MEMORY;
        return;
    }
    interrupt_hold();
    r->status = warplu_sim_run(r->sim, to);
    if (p->dirty) fputs("\r\033[K", stderr);
    interrupt_release();
}

static int run_and_write(model_job *r, double to, double every)
{
    warplu_sim_statistics s = {.size = sizeof s};
    warplu_sim_get_statistics(r->sim, &s);
    r->members = s.members;
    double rows = floor(to / every * (1.0 + 1e-15)) + 2.0;
    if (rows > 1e15) {
        cmd_say("%g rows of output: choose a longer --every", rows);
        return 0;
    }
    if (model_table_create(&r->ctx, r->members, (int64_t)rows, r->watched, r->name, &r->table) < 0) return 0;
    progress p = {.table = &r->table,
                  .rows = r->members * ((int64_t)rows - 1),
                  .last_ns = wlu_now_ns(),
                  .shown = isatty(STDERR_FILENO)};
    run_shown(r, to, every, &p);
    if (r->status == WARPLU_MEMBERS_FAILED) say_failed(r);
    if (r->status < 0 && (p.kept == 0 || r->status == WARPLU_CANCELLED)) return 0;
    int good = write_file(r, r->q->out != NULL ? r->q->out : "-", put_table);
    if (good && r->q->plot != NULL) good = write_file(r, r->q->plot, put_plot);
    if (r->q->json) put_json(r);
    return good && r->status == WARPLU_SUCCESS;
}

static int do_run(model_job *r)
{
    double to, every;
    if (!model_split_sets(r) || model_open(r) < 0 || model_make_sim(r) < 0 || !model_list_watches(r)) return 0;
    return model_times(r, &to, &every) && run_and_write(r, to, every);
}

int model_run(int argc, char **argv)
{
    model_request q;
    int first;
    model_request_init(&q);
    const args_option options[] = {
        MODEL_SET_OPTION(q),
        {.name = "batch",
         .type = ARGS_INT,
         .out = &q.members,
         .min = 1,
         .max = INT32_MAX,
         .value = "N",
         .help = "members"},
        {.name = "from",
         .type = ARGS_TEXT,
         .out = &q.from,
         .value = "CSV",
         .help = "parameters of members, a line each"},
        MODEL_METHOD_OPTION(q),
        {.name = "rtol",
         .type = ARGS_REAL,
         .out = &q.relative,
         .min = 1e-15,
         .max = 1.0,
         .value = "R",
         .help = "relative tolerance (1e-6)"},
        {.name = "atol",
         .type = ARGS_REAL,
         .out = &q.absolute,
         .min = 1e-300,
         .max = 1e300,
         .value = "A",
         .help = "absolute tolerance (1e-9)"},
        MODEL_DT_OPTION(q),
        MODEL_CFL_OPTION(q),
        MODEL_TO_OPTION(q),
        {.name = "every",
         .type = ARGS_REAL,
         .out = &q.every,
         .min = 1e-300,
         .max = 1e300,
         .value = "T",
         .help = "the time from row to row (a thousandth)"},
        {.name = "steps",
         .type = ARGS_INT,
         .out = &q.steps,
         .min = 1,
         .max = 9e15,
         .value = "N",
         .help = "the most steps of a member (10 000 000, unless --dt\nsays how many)"},
        {.name = "watch",
         .type = ARGS_TEXT,
         .out = &q.watch,
         .value = "NAMES",
         .help = "what to write, as cell.v,lr91[0..9].ina (as the text says)"},
        {.name = "out",
         .letter = 'o',
         .type = ARGS_TEXT,
         .out = &q.out,
         .value = "CSV",
         .help = "where rows go (standard output)"},
        {.name = "plot",
         .type = ARGS_TEXT,
         .out = &q.plot,
         .value = "SVG",
         .help = "curves over time, of the first 16 members"},
        {.name = "executor",
         .type = ARGS_CHOICE,
         .out = &q.executor,
         .choices = model_executors,
         .help = "what runs the program (auto: the CPU)"},
        MODEL_THREADS_OPTION(q),
        {.name = "json",
         .type = ARGS_FLAG,
         .out = &q.json,
         .help = "counts and times as JSON, on standard output where rows\ngo to a file"},
        {.name = NULL},
    };
    const args_command command = {.name = "model run",
                                  .usage = "FILE [OPTION]...",
                                  .about = "Runs a model and writes what it watches.",
                                  .options = options,
                                  .min_operands = 1,
                                  .max_operands = 1,
                                  .operand = "a model"};
    int code = args_parse(&command, argc, argv, &first);
    if (code != ARGS_RUN) return code;
    if (q.plot != NULL && strcmp(q.plot, "-") == 0 && !rows_go_to_a_file(&q))
        return args_usage(&command, "--plot -: rows go to standard output too");
    model_job r;
    model_begin(&r, &q, argv[first]);
    int good = do_run(&r);
    model_close(&r);
    return good ? CMD_OK : CMD_ERROR;
}
