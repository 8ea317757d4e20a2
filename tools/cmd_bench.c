/* warplu bench: times replays and solves of matrices, beside other solvers, with the accuracy of each. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

typedef struct bench_request {
    load_request load;
    const char *executors, *peers, *rhs, *checks;
    int64_t threads, repeat;
    int best_ordering, sequence, as_json, guards;
} bench_request;

/* ----------------------------------------------------------------- entries */

static int add_entry(const args_command *command, bench_plan *plan, const char *name, int threads,
                     warplu_executor executor, const peer *p)
{
    if (plan->count == BENCH_ENTRIES) return args_usage(command, "more than %d entries", (int)BENCH_ENTRIES);
    bench_entry *e = &plan->entry[plan->count++];
    snprintf(e->name, sizeof e->name, "%s", name);
    e->threads = threads;
    e->executor = executor;
    e->peer = p;
    return ARGS_RUN;
}

/* "auto" goes by the name of what it stands for. */
static int add_executor(const args_command *command, bench_plan *plan, const char *name, int threads)
{
    for (int k = 0; load_executors[k] != NULL; k++) {
        if (strcmp(name, load_executors[k]) != 0) continue;
        const wlu_executor *found = wlu_executor_find((warplu_executor)k);
        if (k == WARPLU_EXECUTOR_AUTO && found != NULL) name = found->name;
        int code = add_entry(command, plan, name, 1, (warplu_executor)k, NULL);
        if (code == ARGS_RUN && threads > 1)
            code = add_entry(command, plan, name, threads, (warplu_executor)k, NULL);
        return code;
    }
    return args_usage(command, "--executors: expected auto, reference or cpu, found '%s'", name);
}

static int add_peer(const args_command *command, bench_plan *plan, const char *name, int threads)
{
    int found = 0;
    (void)threads;
    for (int k = 0; k < peer_count; k++) {
        const peer *p = &peer_list[k];
        if (strcmp(name, p->library) != 0 && strcmp(name, p->name) != 0) continue;
        if (strcmp(name, p->library) != 0 && found) continue;
        int code = add_entry(command, plan, p->name, 1, WARPLU_EXECUTOR_AUTO, p);
        if (code != ARGS_RUN) return code;
        found = 1;
    }
    return found ? ARGS_RUN : args_usage(command, "--peers: unknown peer '%s'", name);
}

typedef int (*add_fn)(const args_command *command, bench_plan *plan, const char *name, int threads);

/* add for each name of a comma-separated list. */
static int add_list(const args_command *command, bench_plan *plan, const char *list, int threads, add_fn add)
{
    char name[BENCH_NAME];
    while (*list != '\0') {
        size_t length = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, list);
        int code = add(command, plan, name, threads);
        if (code != ARGS_RUN) return code;
        list += length;
        list += *list == ',';
    }
    return ARGS_RUN;
}

/* Each executor with each check of the list in turn. */
static int multiply_by_checks(const args_command *command, const char *list, bench_plan *plan)
{
    bench_entry single[BENCH_ENTRIES];
    int count = plan->count, choice;
    memcpy(single, plan->entry, sizeof single);
    plan->count = 0;
    while (*list != '\0') {
        size_t length = strcspn(list, ",");
        for (choice = 0; load_checks[choice] != NULL; choice++)
            if (strlen(load_checks[choice]) == length && strncmp(list, load_checks[choice], length) == 0) break;
        if (load_checks[choice] == NULL)
            return args_usage(command, "--checks: expected off, suspect or always, found '%.*s'", (int)length, list);
        for (int k = 0; k < count; k++) {
            if (plan->count == BENCH_ENTRIES) return args_usage(command, "more than %d entries", (int)BENCH_ENTRIES);
            plan->entry[plan->count] = single[k];
            plan->entry[plan->count++].check = (warplu_check)choice;
        }
        list += length;
        list += *list == ',';
    }
    return plan->count > 0 ? ARGS_RUN : args_usage(command, "--checks: expected a name");
}

static int make_plan(const args_command *command, const bench_request *q, bench_plan *plan)
{
    *plan = (bench_plan){.rhs = q->rhs,
                         .repeat = q->repeat,
                         .best_ordering = q->best_ordering,
                         .as_json = q->as_json,
                         .guards = q->guards,
                         .name_checks = q->checks != NULL};
    int code = load_prepare(command, &q->load, &plan->setup);
    if (code == ARGS_RUN) code = add_list(command, plan, q->executors, (int)q->threads, add_executor);
    for (int k = 0; k < plan->count; k++) plan->entry[k].check = plan->setup.options.check;
    if (code == ARGS_RUN && q->checks != NULL) code = multiply_by_checks(command, q->checks, plan);
    plan->executors = plan->count;
    if (code == ARGS_RUN && plan->count == 0) code = args_usage(command, "--executors: expected a name");
    if (code == ARGS_RUN && q->peers != NULL) code = add_list(command, plan, q->peers, 1, add_peer);
    return code;
}

/* --------------------------------------------------------------------- run */

/* 1 if the matrix was solved. A failure keeps its line; the others go on. */
static int bench_matrix(bench_plan *plan, const char *path)
{
    bench_case c;
    if (bench_case_open(plan, path, &c) >= 0) {
        bench_case_start(plan, &c);
        bench_time(plan, &c);
        bench_judge(&c);
        bench_case_settle(&c);
    }
    bench_report(plan, &c);
    int solved = c.status >= 0;
    bench_case_close(&c);
    return solved;
}

static int run(const args_command *command, const bench_request *q, char **paths, int count)
{
    bench_plan plan;
    int code = make_plan(command, q, &plan);
    if (code == ARGS_RUN && q->sequence) {
        code = bench_sequence(&plan, paths, count);
        bench_report_end(&plan);
    } else if (code == ARGS_RUN) {
        code = CMD_OK;
        for (int k = 0; k < count; k++)
            if (!bench_matrix(&plan, paths[k])) code = CMD_ERROR;
        bench_report_end(&plan);
    }
    load_free(&plan.setup);
    return code;
}

static const char about[] =
    "Times analysis, factorization, replays and solves of each matrix, entries taking turns, and reports "
    "the\n"
    "backward error beside. Loops last 20 repeats and 50 ms, or 3 repeats and a second, whichever comes "
    "first.\n"
    "A matrix that fails keeps its line, the others go on, and the exit status is 1.\n";
static const char after[] =
    "Peers: klu (two entries: klu at its default, klu-noscale). Ratios are a peer's median over the first\n"
    "executor's. A sequence is A1 factored and A2 ... replayed, in their order; an entry outside the pattern "
    "of\n"
    "A1 is an error, one that is missing counts as zero.\n";

int cmd_bench(int argc, char **argv)
{
    bench_request q = {.executors = "auto", .threads = 1};
    int first;
    load_request_init(&q.load);
    const args_option options[] = {
        {.name = "executors",
         .type = ARGS_TEXT,
         .out = &q.executors,
         .value = "LIST",
         .help = "of auto, reference, cpu, comma-separated (auto)"},
        {.name = "threads",
         .type = ARGS_INT,
         .out = &q.threads,
         .min = 1,
         .max = 4096,
         .value = "N",
         .help = "run each executor on N threads too (1)"},
        {.name = "checks",
         .type = ARGS_TEXT,
         .out = &q.checks,
         .value = "LIST",
         .help = "of off, suspect, always: each executor with each of\nthese, in turn (that of --check)"},
        {.name = "guards",
         .type = ARGS_FLAG,
         .out = &q.guards,
         .help = "time the guards of the cpu executor by themselves too"},
        {.name = "peers",
         .type = ARGS_TEXT,
         .out = &q.peers,
         .value = "LIST",
         .help = "other solvers beside, comma-separated (none)"},
        {.name = "best-ordering",
         .type = ARGS_FLAG,
         .out = &q.best_ordering,
         .help = "give peers the best of their orderings, by replay\ntime (their default)"},
        {.name = "repeat",
         .type = ARGS_INT,
         .out = &q.repeat,
         .min = 1,
         .max = 1e9,
         .value = "N",
         .help = "repeats of every loop (by time, see above)"},
        {.name = "sequence",
         .type = ARGS_FLAG,
         .out = &q.sequence,
         .help = "the matrices are one sequence of equal pattern"},
        {.name = "rhs",
         .letter = 'b',
         .type = ARGS_TEXT,
         .out = &q.rhs,
         .value = "PATH",
         .help = "right-hand side, its first column (ones)"},
        LOAD_VALUES_OPTION(q.load),
        LOAD_SOLVER_OPTIONS(q.load),
        LOAD_CHECK_OPTION(q.load, "suspect"),
        {.name = "json", .type = ARGS_FLAG, .out = &q.as_json, .help = "one JSON object a matrix and line"},
        {.name = NULL},
    };
    const args_command command = {.name = "bench",
                                  .usage = "A.mtx... [OPTION]...",
                                  .about = about,
                                  .after = after,
                                  .options = options,
                                  .min_operands = 1,
                                  .max_operands = -1,
                                  .operand = "a matrix"};
    int code = args_parse(&command, argc, argv, &first);
    if (code != ARGS_RUN) return code;
    return run(&command, &q, argv + first, argc - first);
}
