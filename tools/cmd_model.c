/* warplu model: checks, runs and shows models (docs/models.md). Three subcommands of its own, each an
 * options' table. */
#include <warplu/model.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "base/context.h"
#include "base/replace.h"
#include "commands.h"
#include "interrupt.h"
#include "json.h"
#include "model_table.h"

enum { SETS_MOST = 256, WATCHES_MOST = 4096 };

static const char *const methods[] = {"auto",        "euler",          "rk4",         "dormand-prince",
                                      "rush-larsen", "backward-euler", "trapezoidal", "tr-bdf2",
                                      "rodas3",      "rodas4",         "split",       NULL};
static const char *const executors[] = {"cpu", "cuda", NULL};

typedef struct request {
    int64_t members, threads;
    double dt, relative, absolute, to, every;
    int method, executor, json;
    const char *from, *watch, *out, *plot;
    args_list set;
    const char *set_items[SETS_MOST];
} request;

/* What a run works on; freed by close_run. */
typedef struct run {
    const request *q;
    const char *path;
    wlu_context ctx;
    warplu_model *model;
    warplu_sim *sim;
    const char *set_name[SETS_MOST];
    char *set_text; /* where the names stand */
    double set_value[SETS_MOST];
    char *watch_text;
    const char **name; /* watched */
    int64_t *handle;
    int32_t watched;
    int64_t members;
    model_table table;
    warplu_status status; /* of the run */
} run;

static warplu_status open_model(run *r)
{
    warplu_model_options options;
    warplu_model_init_options(&options);
    options.message = cmd_message;
    return warplu_model_read(&r->model, r->path, &options);
}

static void close_run(run *r)
{
    model_table_free(&r->table);
    warplu_sim_destroy(&r->sim);
    warplu_model_destroy(&r->model);
    wlu_free(&r->ctx, r->set_text);
    wlu_free(&r->ctx, r->watch_text);
    wlu_free(&r->ctx, r->name);
    wlu_free(&r->ctx, r->handle);
}

/* A copy of the text, which is cut into names. NULL: no memory, which has been said. */
static char *copy_text(run *r, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = WLU_ALLOC(&r->ctx, (int64_t)bytes, char);
    if (copy == NULL)
        wlu_fail_memory(&r->ctx, "options");
    else
        memcpy(copy, text, bytes);
    return copy;
}

/* NAME=VALUE of each --set. */
static int split_sets(run *r)
{
    size_t bytes = 1;
    for (int i = 0; i < r->q->set.count; i++) bytes += strlen(r->q->set.items[i]) + 1;
    r->set_text = WLU_ALLOC(&r->ctx, (int64_t)bytes, char);
    if (r->set_text == NULL) return wlu_fail_memory(&r->ctx, "options") == WARPLU_SUCCESS;
    char *at = r->set_text;
    for (int i = 0; i < r->q->set.count; i++) {
        const char *item = r->q->set.items[i], *sign = strchr(item, '=');
        char *end = NULL;
        if (sign != NULL) r->set_value[i] = strtod(sign + 1, &end);
        if (sign == NULL || sign == item || end == sign + 1 || *end != '\0') {
            cmd_say("--set %s: expected NAME=NUMBER", item);
            return 0;
        }
        memcpy(at, item, (size_t)(sign - item));
        at[sign - item] = '\0';
        r->set_name[i] = at;
        at += sign - item + 1;
    }
    return 1;
}

/* Names of --watch, or of the text's watch. */
static int list_watches(run *r)
{
    warplu_model_counts counts = {.size = sizeof counts};
    warplu_model_get_counts(r->model, &counts);
    int64_t count = counts.watches;
    if (r->q->watch != NULL) {
        count = 1;
        for (const char *p = r->q->watch; *p != '\0'; p++) count += *p == ',';
        r->watch_text = copy_text(r, r->q->watch);
        if (r->watch_text == NULL) return 0;
    }
    r->name = WLU_ALLOC(&r->ctx, count, const char *);
    r->handle = WLU_ALLOC(&r->ctx, count, int64_t);
    if (r->name == NULL || r->handle == NULL) return wlu_fail_memory(&r->ctx, "options") == WARPLU_SUCCESS;
    char *rest = r->watch_text;
    for (int64_t k = 0; k < count; k++) {
        r->name[k] = r->q->watch == NULL ? warplu_model_get_watch(r->model, k) : rest;
        char *comma = rest != NULL ? strchr(rest, ',') : NULL;
        if (comma != NULL) *comma = '\0', rest = comma + 1;
        if (warplu_sim_find(r->sim, r->name[k], &r->handle[k]) < 0) return 0;
    }
    r->watched = (int32_t)count;
    return 1;
}

static warplu_status make_sim(run *r)
{
    const request *q = r->q;
    warplu_sim_options options;
    warplu_sim_init_options(&options);
    options.members = q->members, options.threads = (int)q->threads;
    options.method = (warplu_method)q->method;
    options.dt = q->dt, options.relative = q->relative, options.absolute = q->absolute;
    options.executor = q->executor == 1 ? WARPLU_EXECUTOR_CUDA : WARPLU_EXECUTOR_AUTO;
    options.members_file = q->from;
    options.set = r->set_name, options.set_value = r->set_value, options.set_count = q->set.count;
    options.cancel = interrupt_asked;
    return warplu_sim_create(&r->sim, r->model, &options);
}

/* Writes what `write` makes into a file that is there whole or not at all; "-" is standard output. */
typedef int write_fn(const run *r, FILE *out);

static int put_table(const run *r, FILE *out)
{
    return model_table_write(&r->table, out);
}

static int put_plot(const run *r, FILE *out)
{
    return model_table_plot(&r->table, r->path, out);
}

static int write_file(run *r, const char *path, write_fn *write)
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

static void put_json(const run *r)
{
    warplu_sim_statistics s = {.size = sizeof s};
    json j;
    warplu_sim_get_statistics(r->sim, &s);
    json_begin(&j, r->q->out == NULL ? stderr : stdout);
    json_open(&j, NULL, '{');
    json_text(&j, "model", r->path);
    json_text(&j, "method", methods[s.method]);
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
static void say_failed(run *r)
{
    int said = 0;
    for (int64_t m = 0; m < r->members && said < 10; m++) {
        warplu_sim_member member;
        if (warplu_sim_get_members(r->sim, m, 1, &member) < 0 || member.status >= 0) continue;
        cmd_say("member %" PRId64 ": at t = %g: %s", m, member.time, warplu_status_text(member.status));
        said++;
    }
}

static int run_and_write(run *r, double to, double every)
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
    if (warplu_sim_watch(r->sim, r->handle, r->watched, every, model_table_row, &r->table) < 0) return 0;
    interrupt_hold();
    r->status = warplu_sim_run(r->sim, to);
    interrupt_release();
    if (r->status == WARPLU_MEMBERS_FAILED) say_failed(r);
    if (r->status < 0 && r->table.filled[0] == 0) return 0;
    int good = write_file(r, r->q->out != NULL ? r->q->out : "-", put_table);
    if (good && r->q->plot != NULL) good = write_file(r, r->q->plot, put_plot);
    if (r->q->json) put_json(r);
    return good && r->status == WARPLU_SUCCESS;
}

static int do_run(run *r)
{
    double to, every;
    if (!split_sets(r) || open_model(r) < 0 || make_sim(r) < 0 || !list_watches(r)) return 0;
    warplu_model_get_times(r->model, &to, &every);
    if (r->q->to > 0.0) to = r->q->to;
    if (r->q->every > 0.0) every = r->q->every;
    if (!(to > 0.0)) {
        cmd_say("%s: no end of the run: expected 'run ... to T' in the text, or --to T", r->path);
        return 0;
    }
    if (!(every > 0.0)) every = to / 1000.0;
    return run_and_write(r, to, every);
}

static int model_run(int argc, char **argv)
{
    request q = {.threads = 1};
    int first;
    q.set = (args_list){.capacity = SETS_MOST, .items = q.set_items};
    const args_option options[] = {
        {.name = "set",
         .type = ARGS_LIST,
         .out = &q.set,
         .value = "NAME=NUMBER",
         .help = "a parameter of all members, as lr91.gna=20"},
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
        {.name = "method",
         .type = ARGS_CHOICE,
         .out = &q.method,
         .choices = methods,
         .help = "how it is stepped (auto: as the text says)"},
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
        {.name = "dt",
         .type = ARGS_REAL,
         .out = &q.dt,
         .min = 1e-300,
         .max = 1e300,
         .value = "T",
         .help = "steps of this length"},
        {.name = "to", .type = ARGS_REAL, .out = &q.to, .min = 1e-300, .max = 1e300, .value = "T", .help = "the end"},
        {.name = "every",
         .type = ARGS_REAL,
         .out = &q.every,
         .min = 1e-300,
         .max = 1e300,
         .value = "T",
         .help = "the time from row to row (a thousandth)"},
        {.name = "watch",
         .type = ARGS_TEXT,
         .out = &q.watch,
         .value = "NAMES",
         .help = "what to write, as cell.v,lr91.ina (as the text says)"},
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
         .choices = executors,
         .help = "what runs the program (cpu)"},
        {.name = "threads",
         .type = ARGS_INT,
         .out = &q.threads,
         .min = 0,
         .max = 1024,
         .value = "N",
         .help = "threads (1); 0: one for each processor"},
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
    run r = {.q = &q, .path = argv[first]};
    wlu_context_init(&r.ctx, NULL);
    r.ctx.message = cmd_message;
    int good = do_run(&r);
    close_run(&r);
    return good ? CMD_OK : CMD_ERROR;
}

static int model_check(int argc, char **argv)
{
    int first, as_json = 0;
    const args_option options[] = {{.name = "json", .type = ARGS_FLAG, .out = &as_json, .help = "as JSON"},
                                   {.name = NULL}};
    const args_command command = {.name = "model check",
                                  .usage = "FILE [OPTION]...",
                                  .about = "Reads and checks a model, and counts what it holds.",
                                  .options = options,
                                  .min_operands = 1,
                                  .max_operands = 1,
                                  .operand = "a model"};
    int code = args_parse(&command, argc, argv, &first);
    if (code != ARGS_RUN) return code;
    run r = {.path = argv[first]};
    wlu_context_init(&r.ctx, NULL);
    if (open_model(&r) < 0) return CMD_ERROR;
    warplu_model_counts c = {.size = sizeof c};
    warplu_model_get_counts(r.model, &c);
    const struct {
        const char *name;
        int64_t count;
    } lines[] = {{"kinds", c.kinds},         {"sets", c.sets},           {"uses", c.uses},
                 {"nodes", c.nodes},         {"instances", c.instances}, {"definitions", c.definitions},
                 {"equations", c.equations}, {"balances", c.balances},   {"stores", c.stores},
                 {"sums", c.sums},           {"unknowns", c.unknowns}};
    json j;
    if (as_json) json_begin(&j, stdout), json_open(&j, NULL, '{');
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        if (as_json)
            json_int(&j, lines[k].name, lines[k].count);
        else
            printf("%-12s %" PRId64 "\n", lines[k].name, lines[k].count);
    }
    if (as_json) json_end(&j);
    warplu_model_destroy(&r.model);
    return CMD_OK;
}

static int put_line(const char *line, void *user)
{
    (void)user;
    return puts(line) == EOF;
}

static int model_disasm(int argc, char **argv)
{
    request q = {.threads = 1};
    int first;
    q.set = (args_list){.capacity = SETS_MOST, .items = q.set_items};
    const args_option options[] = {{.name = "method",
                                    .type = ARGS_CHOICE,
                                    .out = &q.method,
                                    .choices = methods,
                                    .help = "how it is stepped (auto: as the text says)"},
                                   {.name = NULL}};
    const args_command command = {.name = "model disasm",
                                  .usage = "FILE [OPTION]...",
                                  .about = "Prints the program of a step.",
                                  .options = options,
                                  .min_operands = 1,
                                  .max_operands = 1,
                                  .operand = "a model"};
    int code = args_parse(&command, argc, argv, &first);
    if (code != ARGS_RUN) return code;
    run r = {.q = &q, .path = argv[first]};
    wlu_context_init(&r.ctx, NULL);
    int good = open_model(&r) >= 0 && make_sim(&r) >= 0 && warplu_sim_disassemble(r.sim, put_line, NULL) >= 0;
    close_run(&r);
    return good ? CMD_OK : CMD_ERROR;
}

int cmd_model(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } subcommands[] = {{"check", model_check}, {"run", model_run}, {"disasm", model_disasm}};
    for (size_t k = 0; argc > 1 && k < sizeof subcommands / sizeof *subcommands; k++)
        if (strcmp(argv[1], subcommands[k].name) == 0) return subcommands[k].run(argc - 1, argv + 1);
    int help = argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
    FILE *out = help ? stdout : stderr;
    if (!help) cmd_say("model: expected check, run or disasm");
    fputs("Usage: warplu model check|run|disasm FILE [OPTION]...\n\n"
          "Models: equations as text, compiled, differentiated and stepped in time.\n\n"
          "  check    read and check a model, and count what it holds\n"
          "  run      run it, and write what it watches as CSV and SVG\n"
          "  disasm   print the program of a step\n\n"
          "'warplu model run --help' for the options of one.\n",
          out);
    return help ? CMD_OK : CMD_USAGE;
}
