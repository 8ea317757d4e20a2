/* warplu bench, shared by its files. A case is one matrix. An entry is a solver that runs on it: an executor of
 * warplu in this process, on the host's numbers or ("cuda-device") on a device's, or a peer in a process of its own.
 *
 * Times are wall times. What each holds:
 *     analyze   making the solver or the peer's storage, reading the pattern, ordering
 *     factor    choosing pivots
 *     compile   the rest of the first factorization: compiling, loading (onto a device too), the first replay; 0 for
 *               peers
 *     refactor  from the caller's values to usable factors, health judged
 *     solve     one right-hand side, with the checks and the refinement that the solver does by itself; warplu's by
 *               default where the replay before it was suspect
 *     alone     the same factors' solve with the check off: the replayed triangular programs and no more. Executors
 *               only; peers have no such choice, or have it as a variant
 *     both      a refactor and a solve that wait for the device once, at the end. Entries on a device only
 *     guards    the part of a refactor that only judges its health; most of it happens on the way (exec/cpu/image.h) */
#ifndef WLU_BENCH_H
#define WLU_BENCH_H

#include <warplu/batch.h>

#include "solver/solver.h"
#include "bench_progress.h"
#include "json.h"
#include "load.h"
#include "process.h"

enum { BENCH_ENTRIES = 192, BENCH_TURN = 5, BENCH_SETUPS = 3, BENCH_NUMBERS = 16 };
/* The entry on device pointers. */
#define BENCH_ON_DEVICE "cuda-device"
/* Solves of a life at which its time is taken, unless others are asked for. */
#define BENCH_HORIZONS "1,3,10,30,100,1000"
enum { BENCH_NAME = 32, BENCH_TITLE = 96, BENCH_MESSAGE = CHANNEL_TEXT };
enum { BENCH_SOLVER_COLUMN = 24 };

/* What is timed. */
typedef enum bench_loop { BENCH_REFACTOR, BENCH_SOLVE, BENCH_ALONE, BENCH_BOTH, BENCH_GUARDS, BENCH_LOOPS } bench_loop;

typedef struct bench_samples {
    int64_t *ns; /* sorted by bench_samples_sort */
    int32_t count, capacity;
    int64_t total;
} bench_samples;

/* What an entry achieved on one matrix. */
typedef struct bench_result {
    warplu_status status; /* WARPLU_INACCURATE where the backward error is above answer_is_right; bench_status_name */
    char message[BENCH_MESSAGE];
    bench_samples samples[BENCH_LOOPS];
    warplu_status refactored, solved; /* in a sequence: what the calls themselves answered in the first pass */
    double residual, backward_error;  /* of the worst solution judged; NaN where there is none */
    int32_t refinement_steps;         /* of that solve; -1: not known */
    int64_t repivots;
    double total_ms; /* of a sequence so far, median replays and solves; NaN elsewhere */
} bench_result;

/* Analysis, first factorization, compiling; NaN where it failed before. */
typedef struct bench_setup {
    double analyze_ms, factor_ms, compile_ms;
} bench_setup;

/* A list of numbers that an option gives, each once. */
typedef struct bench_numbers {
    int length;
    int32_t of[BENCH_NUMBERS];
} bench_numbers;

/* How an entry that is an executor calls for the members of a batch. */
typedef enum bench_batching {
    BENCH_SINGLY,   /* one by one, by a solver */
    BENCH_TOGETHER, /* all in one call */
    BENCH_WEAKENED, /* the same, some of them weak */
    BENCH_OF_ONE    /* one by one, each as a batch of one */
} bench_batching;

typedef struct bench_device bench_device;
typedef struct bench_life bench_life;

typedef struct bench_entry {
    const char *name; /* static storage */
    int threads;
    warplu_executor executor;
    int on_device;             /* of an executor: it gets device pointers */
    warplu_check check;        /* of an executor */
    double expected_refactors; /* that an executor is told */
    int told;                  /* of a life: it is told each horizon */
    bench_batching batching;
    warplu_precision precision; /* that solutions are judged by: an executor's, double for peers */
    const peer *peer;           /* NULL: an executor of warplu */
    char ordering[BENCH_NAME];  /* of a peer: "default", "best", "ours" or a name of its own */
    warplu_solver *solver;
    warplu_batch *batch;                     /* over the solver; not where members go singly */
    double first_call_ms;                    /* of a batch that has all members, its first; else NaN */
    warplu_batch_statistics of_batch;        /* after its solves */
    int32_t wrong;                           /* members whose answer is not right, at most in a call */
    bench_device *device;                    /* what lies there, where on_device */
    peer_process *process;                   /* the peer's; the plan owns it */
    int opened;                              /* the peer has this matrix factored */
    const double *source;                    /* what the guards read, while they are timed */
    int32_t order, attempt;                  /* the peer's ordering that was chosen, see peer_request */
    int64_t first_solve_ns;                  /* of an executor, after its first factorization */
    bench_life *life;                        /* what its lives took; NULL where none is timed */
    bench_setup setup, setups[BENCH_SETUPS]; /* the one at hand; all, sorted at the end, setup the median one */
    int setup_count;
    double stage_ms;  /* bringing values to where it wants them, not in the others */
    peer_facts facts; /* of a peer, after its first factorization */
    int64_t last_ns;  /* of the last timed call */
    bench_result result;
} bench_entry;

/* The options as given. */
typedef struct bench_request {
    load_request load;
    const char *executors, *peers, *peer_orderings, *rhs, *checks;
    const char *threads;  /* counts beside 1, comma-separated; NULL: none */
    const char *horizons; /* of lives, comma-separated; NULL: the usual */
    int64_t repeat;
    int64_t members;     /* of batches; 0: none */
    double weak_percent; /* of the members; 0: none */
    int64_t weak_kinds;  /* in so many ways; 0: not given */
    uint64_t seed;       /* of changed values */
    double limit_s;
    int sequence, lifecycle, complex, told, as_json, guards, list_peers;
} bench_request;

typedef struct bench_plan {
    load_setup setup;
    const char *rhs;
    int64_t repeat;         /* 0: by the rule of bench_time.c */
    double limit_s;         /* for a peer's call */
    bench_numbers horizons; /* of lives, ascending */
    int32_t members;        /* of batches; 0: none */
    double weak_percent;    /* of these, by an entry more; 0: none */
    int32_t weak_kinds;
    uint64_t seed;                    /* of changed values */
    int as_json, guards;              /* guards: timed by themselves too */
    int name_checks;                  /* entries differ in what they check: the table names that */
    int show_both;                    /* an entry is on a device: the table has a column for both */
    int count, executors;             /* entries; those of warplu come first */
    bench_entry entry[BENCH_ENTRIES]; /* names, threads, peers: a case starts from a copy */
    /* sums of log(peer / first executor), and how many matrices they hold, of these with inaccurate answers */
    double log_refactor[BENCH_ENTRIES], log_solve[BENCH_ENTRIES], log_alone[BENCH_ENTRIES], log_both[BENCH_ENTRIES];
    int compared[BENCH_ENTRIES], inaccurate[BENCH_ENTRIES], cases;
    bench_progress progress;
} bench_plan;

typedef struct bench_case {
    wlu_context *ctx;
    const char *path;
    int step; /* in a sequence, from 0; -1 elsewhere */
    warplu_status status;
    char message[BENCH_MESSAGE];
    warplu_mm_matrix a;
    const double *const *steps; /* the values of each step of a sequence; of a single matrix its own */
    int step_count, now;        /* now: the step whose factors are wanted */
    int members;                /* 1: the steps are members of a batch, whose values lie one after the other */
    double *answers;            /* of members: n each */
    const double *const *weak;  /* the steps of entries that have weak members; NULL where these fail by c->message */
    int solves;                 /* of the longest life, which takes the steps' values in turn; 0: none */
    wlu_pattern *pattern;
    double *b, *x, *work;           /* n, n, what a check takes */
    int32_t *row_order, *col_order; /* pivots of the first executor that factored, or NULL */
    warplu_statistics statistics;   /* of the first executor that ran */
    int count;
    bench_entry entry[BENCH_ENTRIES];
} bench_case;

/* Doubles of a matrix' values; of a right-hand side or a solution. */
static inline int64_t bench_values(const bench_case *c)
{
    return (int64_t)c->a.nnz * c->pattern->doubles;
}

static inline int64_t bench_vector(const bench_case *c)
{
    return wlu_vector_doubles(c->pattern);
}

/* Name of a status, those of the harness (PEER_ENDED) included. */
const char *bench_status_name(warplu_status status);

/* bench_plan.c: ARGS_RUN, or the exit code to end with; bench_plan_free takes what a failure leaves. */
int bench_plan_make(const args_command *command, const bench_request *q, bench_plan *plan);
void bench_plan_free(bench_plan *plan);

/* bench_case.c: reads the matrix and the right-hand side; starts, judges and ends entries. */
warplu_status bench_case_open(bench_plan *plan, const char *path, bench_case *c);
void bench_case_close(bench_case *c);
/* Analysis and first factorization of every entry; a failure stays in the entry. */
void bench_case_start(bench_plan *plan, bench_case *c);
/* More of them, for their times, of which each entry takes the median. */
void bench_case_repeat_setups(bench_plan *plan, bench_case *c);
/* Status of the case and statistics, from the entries' results. */
void bench_case_settle(bench_case *c);
/* The values whose factors are wanted. */
const double *bench_case_values(const bench_case *c);

/* bench_entry.c */
int bench_entry_alive(const bench_entry *e);
void bench_entry_start(const bench_plan *plan, bench_case *c, bench_entry *e);
/* All anew, from its analysis to its first factorization, and the first solve of an executor. */
void bench_entry_restart(const bench_plan *plan, bench_case *c, bench_entry *e);
/* What an executor needs of its machine, which is nobody's set-up; a failure is in the result. */
int bench_entry_prepare(bench_entry *e);
/* The set-up once more, for its time. */
void bench_entry_start_again(const bench_plan *plan, bench_case *c, bench_entry *e);
/* 1 once the rule says that there are enough; then the median one is to be taken. */
int bench_entry_setups_enough(const bench_entry *e, int64_t repeat);
void bench_entry_take_setup(bench_entry *e);
double bench_setup_ms(const bench_setup *s);
void bench_entry_stop(bench_entry *e);
/* The result's status becomes a failure's. */
void bench_entry_fail(bench_entry *e, warplu_status status, const char *message);
/* 1 for a peer that is not in this build; it has its line at the end. */
int bench_entry_missing(const bench_entry *e);
/* What the entry said of its last failure. */
const char *bench_entry_message(const bench_entry *e);
/* Anew with pivoting; *ns: the time of it. */
warplu_status bench_entry_factor(bench_entry *e, const bench_case *c, int64_t *ns);
/* 1 if the entry has that loop: peers, and what runs on a device, solve in one way, and the guards are opened first. */
int bench_entry_has(const bench_entry *e, bench_loop loop);
/* Calls in a row; the last solve, alone or with its refactor, leaves its solution in c->x. A peer is paused afterwards.
 */
warplu_status bench_entry_turn(bench_entry *e, const bench_case *c, bench_loop loop, const turn *t, int64_t *ns,
                               int32_t *count);
/* One call; *ns: the time of it. */
warplu_status bench_entry_once(bench_entry *e, const bench_case *c, bench_loop loop, int64_t *ns);
/* The guards alone, on the last replay's factors: open once, run as often as wanted, refactor after. 0 where the
 * executor cannot run them by themselves. */
int bench_entry_open_guards(bench_entry *e, const bench_case *c);

/* bench_device.c: what entries on device pointers do differently. */
/* A device with its context and kernels, which is nobody's set-up. Statuses of an executor's load. */
warplu_status bench_device_ready(wlu_context *ctx);
/* For the solver that has factored. What a failure leaves is for close. */
warplu_status bench_device_open(bench_entry *e, const bench_case *c);
void bench_device_close(bench_entry *e);
warplu_status bench_device_turn(bench_entry *e, const bench_case *c, bench_loop loop, const turn *t, int64_t *ns,
                                int32_t *count);

/* bench_peer.c: what entries that are peers do differently. */
void bench_peer_start(const bench_plan *plan, const bench_case *c, bench_entry *e);
/* Analysis and factorization by the ordering that start chose; e->opened says whether that went well. */
void bench_peer_factor(const bench_case *c, bench_entry *e);
/* The peer knows its members. A failure is in the result. */
void bench_peer_begin_members(bench_entry *e);
warplu_status bench_peer_turn(bench_entry *e, const bench_case *c, channel_op op, const turn *t, int64_t *ns,
                              int32_t *count);

/* bench_judge.c: one more refactor and solve of every entry, and how accurate the answer is. */
void bench_judge(bench_case *c);
/* Backward error of c->x as it stands; the result's errors and status become those of the worst one so far. */
double bench_judge_solution(bench_case *c, const bench_entry *e, bench_result *result);

/* bench_time.c */
int bench_samples_add(bench_samples *s, int64_t ns);
void bench_samples_sort(bench_samples *s);
double bench_samples_ms(const bench_samples *s, double quantile); /* sorted; 0, 0.5 or 1; NaN if empty */
void bench_samples_free(bench_samples *s);
/* 1 once the rule says that the samples are enough. */
int bench_samples_enough(const bench_samples *s, int64_t repeat);
/* Rounds of turns until every entry that has not failed is done with these loops. */
void bench_time_loops(bench_plan *plan, bench_case *c, bench_loop first, bench_loop last);
/* Replays, then solves, of all entries in turn; guards where the plan wants them. */
void bench_time(bench_plan *plan, bench_case *c);

/* bench_report.c: what the run is, one matrix as a JSON line, or rows of the table. */
void bench_report_begin(const bench_plan *plan, int argc, char **argv);
void bench_report(bench_plan *plan, const bench_case *c);
void bench_report_end(const bench_plan *plan);
/* "klu x2 best": what tells entries of one solver apart; bytes: BENCH_TITLE is enough. */
void bench_entry_title(const bench_entry *e, int name_check, char *title, size_t bytes);
/* The file's name without its directories and endings. */
void bench_short_name(const char *path, char *out, size_t bytes);
/* A matrix's line of the table, with what more is to be said of it, and a row for each entry of this build. */
typedef void (*bench_table_put)(const bench_plan *plan, const bench_case *c, const bench_entry *e);
void bench_table_matrix(const bench_plan *plan, const bench_case *c, const char *more, bench_table_put put);
/* A cell of the table; NaN is "-". */
void bench_put_number(double value, int width, const char *format);

/* bench_json.c: a line for the run, one for a matrix, and the parts that lines of lives have too. */
void bench_json_run(const bench_plan *plan, int argc, char **argv);
void bench_json_case(const bench_case *c);
/* Begins a matrix's line. */
void bench_json_matrix(json *j, const bench_case *c);
/* Lists of executors and peers, an object each, whose members `put` gives. */
typedef void (*bench_json_put)(json *j, const bench_case *c, int entry);
void bench_json_entries(json *j, const bench_case *c, bench_json_put put);
/* Members of an entry: its name and status; a number's samples in ms; what a peer tells of itself; the program that an
 * executor replays, whose order is chosen for what it runs on. */
void bench_json_entry(json *j, const bench_entry *e);
void bench_json_setup(json *j, const bench_entry *e);
void bench_json_samples(json *j, const char *name, const bench_samples *s);
void bench_json_peer(json *j, const bench_entry *e);
void bench_json_program(json *j, const warplu_statistics *t);

/* bench_sequence.c: CMD_OK or CMD_ERROR. */
int bench_sequence(bench_plan *plan, char **paths, int count);

/* bench_batch.c: CMD_OK, or CMD_ERROR where a matrix failed. */
int bench_batches(bench_plan *plan, char **paths, int count);

/* bench_life.c: CMD_OK, or CMD_ERROR where a matrix failed. */
int bench_lives(bench_plan *plan, char **paths, int count);

#endif
