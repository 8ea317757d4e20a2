/* warplu bench: times replays and solves of matrices, beside other solvers, with the accuracy of each. */
#include "bench.h"
#include "gen/perturb.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --------------------------------------------------------------------- run */

/* 1 if the matrix was solved. A failure keeps its line; the others go on. */
static int bench_matrix(bench_plan *plan, const char *path)
{
    static bench_case c;
    if (bench_case_open(plan, path, &c) >= 0) {
        bench_case_start(plan, &c);
        bench_case_repeat_setups(plan, &c);
        bench_time(plan, &c);
        bench_judge(&c);
        bench_case_settle(&c);
    }
    bench_progress_step(&plan->progress);
    /* What the reader refused has been said. */
    if (c.status < 0 && c.count > 0) cmd_say("%s: %s", path, c.message);
    bench_report(plan, &c);
    int solved = c.status >= 0;
    bench_case_close(&c);
    return solved;
}

static int run_matrices(bench_plan *plan, char **paths, int count)
{
    int code = CMD_OK;
    for (int k = 0; k < count; k++)
        if (!bench_matrix(plan, paths[k])) code = CMD_ERROR;
    return code;
}

static int run(const args_command *command, const bench_request *q, int argc, char **argv, int first)
{
    static bench_plan plan;
    int count = argc - first;
    int code = bench_plan_make(command, q, &plan);
    if (code == ARGS_RUN) {
        bench_report_begin(&plan, argc, argv);
        bench_progress_begin(&plan.progress, q->sequence ? 1 : count);
        code = q->sequence      ? bench_sequence(&plan, argv + first, count)
               : q->lifecycle   ? bench_lives(&plan, argv + first, count)
               : q->members > 0 ? bench_batches(&plan, argv + first, count)
                                : run_matrices(&plan, argv + first, count);
        bench_report_end(&plan);
    }
    bench_plan_free(&plan);
    return code;
}

static int list_peers(void)
{
    char path[4096];
    for (int k = 0; k < peer_count; k++) {
        const peer *p = &peer_list[k];
        int there = peer_program(p, path, sizeof path);
        printf("%-20s %-8s %s\n", p->name, there ? "built" : "missing", p->about);
        if (!there) printf("%-29s %s\n", "", p->get);
    }
    return CMD_OK;
}

static const char about[] =
    "Times analysis, factorization, replays and solves of each matrix, entries taking turns, and reports the\n"
    "backward error beside. Loops last 20 repeats and 50 ms, or 3 repeats and a second, whichever comes "
    "first.\n"
    "A matrix that fails keeps its line, the others go on, and the exit status is 1.\n";
static const char after[] =
    "Peers run in processes of their own; one that ends, or takes longer than --limit, costs its own line. Their\n"
    "solutions are judged as they give them. Ratios are a peer's median over the first executor's. A solve alone is "
    "an\n"
    "executor's without its check. cuda-device is the cuda executor on device pointers, and both a refactor and a\n"
    "solve that wait for the device once: what peers on a device compare with.\n"
    "A sequence is A1 factored and A2 ... replayed, in their order; an entry outside the pattern of A1 is an\n"
    "error, one that is missing counts as zero.\n"
    "A life is analysis, first factorization and H solves, with a refactorization of changed values before each but\n"
    "the first. Solvers expect nothing, as by default, unless --expected-refactors is given.\n"
    "Times of a batch are in microseconds a member, of refactorizations and of both a refactorization and a solve.\n";

static bench_request asked = {
    .executors = "auto", .peer_orderings = "default", .limit_s = 120, .seed = GEN_CHANGE_SEED};

static const args_option options[] = {
    {.name = "executors",
     .type = ARGS_TEXT,
     .out = &asked.executors,
     .value = "LIST",
     .help = "of auto, reference, cpu, cuda, cuda-device,\ncomma-separated (auto)"},
    {.name = "threads",
     .type = ARGS_TEXT,
     .out = &asked.threads,
     .value = "LIST",
     .help = "run each executor, and each peer that can, on these\nnumbers of threads too, comma-separated (1)"},
    {.name = "checks",
     .type = ARGS_TEXT,
     .out = &asked.checks,
     .value = "LIST",
     .help = "of off, suspect, always, replays: each executor with each of\nthese, in turn (that of --check)"},
    {.name = "guards",
     .type = ARGS_FLAG,
     .out = &asked.guards,
     .help = "time the guards of the cpu executor by themselves too"},
    {.name = "peers",
     .type = ARGS_TEXT,
     .out = &asked.peers,
     .value = "LIST",
     .help = "other solvers beside, comma-separated; all: every one\n(none)"},
    {.name = "peer-orderings",
     .type = ARGS_TEXT,
     .out = &asked.peer_orderings,
     .value = "LIST",
     .help =
         "each peer with each of these: default; best, by replay\ntime; ours, where it takes one; a name of its own"},
    {.name = "limit",
     .type = ARGS_REAL,
     .out = &asked.limit_s,
     .min = 0.01,
     .max = 1e6,
     .value = "SECONDS",
     .help = "a peer's call that takes longer has failed (120)"},
    {.name = "list-peers",
     .type = ARGS_FLAG,
     .out = &asked.list_peers,
     .help = "list the peers, and how to get those that this build\nlacks"},
    {.name = "repeat",
     .type = ARGS_INT,
     .out = &asked.repeat,
     .min = 1,
     .max = 1e9,
     .value = "N",
     .help = "repeats of every loop (by time, see above)"},
    {.name = "sequence",
     .type = ARGS_FLAG,
     .out = &asked.sequence,
     .help = "the matrices are one sequence of equal pattern"},
    {.name = "lifecycle",
     .type = ARGS_FLAG,
     .out = &asked.lifecycle,
     .help = "time solvers from the analysis to each horizon's last\nsolve, with changed values in each"},
    {.name = "horizons",
     .type = ARGS_TEXT,
     .out = &asked.horizons,
     .value = "LIST",
     .help = "numbers of solves, comma-separated\n(" BENCH_HORIZONS ")"},
    {.name = "told",
     .type = ARGS_FLAG,
     .out = &asked.told,
     .help = "each executor also by a solver that is told the horizon"},
    {.name = "batch",
     .type = ARGS_INT,
     .out = &asked.members,
     .min = 1,
     .max = INT32_MAX,
     .value = "N",
     .help =
         "time batches of N members, the matrix with its values\nchanged: at once, as batches of one, and one by one"},
    {.name = "weak",
     .type = ARGS_REAL,
     .out = &asked.weak_percent,
     .min = 0.0,
     .max = 100.0,
     .value = "PERCENT",
     .help = "time batches with so many weak members too: their\nvalues need other pivots"},
    {.name = "weak-kinds",
     .type = ARGS_INT,
     .out = &asked.weak_kinds,
     .min = 1,
     .max = INT32_MAX,
     .value = "N",
     .help = "weak members in N ways, other pivots each (1)"},
    {.name = "complex",
     .type = ARGS_FLAG,
     .out = &asked.complex,
     .help = "real matrices become complex: a value a is a (1 + i t),\nt in [-1, 1] by its place"},
    {.name = "seed",
     .letter = 's',
     .type = ARGS_SEED,
     .out = &asked.seed,
     .value = "S",
     .help = "seed of changed values, in lives and batches (7)"},
    {.name = "rhs",
     .letter = 'b',
     .type = ARGS_TEXT,
     .out = &asked.rhs,
     .value = "PATH",
     .help = "right-hand side, its first column (ones)"},
    LOAD_VALUES_OPTION(asked.load),
    LOAD_SOLVER_OPTIONS(asked.load),
    LOAD_CHECK_OPTION(asked.load, "suspect"),
    {.name = "json", .type = ARGS_FLAG, .out = &asked.as_json, .help = "one JSON object a matrix and line"},
    {.name = NULL},
};

int cmd_bench(int argc, char **argv)
{
    const args_command command = {.name = "bench",
                                  .usage = "A.mtx... [OPTION]...",
                                  .about = about,
                                  .after = after,
                                  .options = options,
                                  .min_operands = 0,
                                  .max_operands = -1,
                                  .operand = "a matrix"};
    int first;
    load_request_init(&asked.load);
    asked.load.expected_refactors = NAN; /* not given */
    int code = args_parse(&command, argc, argv, &first);
    if (code != ARGS_RUN) return code;
    if (isnan(asked.load.expected_refactors))
        asked.load.expected_refactors = asked.lifecycle ? 0.0 : LOAD_EXPECTED_REFACTORS;
    if (asked.list_peers) return list_peers();
    if (first == argc) return args_usage(&command, "expected a matrix");
    return run(&command, &asked, argc, argv, first);
}
