/* warplu bench, shared by its files: one case is one matrix, one entry a solver that runs on it.
 *
 * Times are wall times. What each holds:
 *     analyze   reading the pattern, ordering
 *     factor    choosing pivots
 *     compile   the rest of the first factorization: compiling, loading, the first replay; 0 for peers
 *     refactor  from the caller's values to usable factors, health judged
 *     solve     one right-hand side, checked and refined only where the replay before it was suspect
 *     guards    the part of a refactor that judges its health: a pass over factors that are in the caches */
#ifndef WLU_BENCH_H
#define WLU_BENCH_H

#include "api/solver.h"
#include "json.h"
#include "load.h"
#include "peers.h"

enum { BENCH_ENTRIES = 16, BENCH_NAME = 24, BENCH_MESSAGE = WLU_MESSAGE_BYTES };

typedef struct bench_samples {
    int64_t *ns; /* sorted by bench_samples_sort */
    int32_t count, capacity;
    int64_t total;
} bench_samples;

/* What an entry achieved on one matrix. */
typedef struct bench_result {
    warplu_status status; /* WARPLU_INACCURATE where the backward error is above 1e-10 */
    char message[BENCH_MESSAGE];
    bench_samples refactor, solve, guards;
    warplu_status refactored, solved; /* in a sequence: what the calls themselves answered in the first pass */
    double residual, backward_error, backward_error_unrefined; /* NaN where there is none */
    int32_t refinement_steps;
    int64_t repivots;
    double total_ms; /* of a sequence so far, median replays and solves; NaN elsewhere */
} bench_result;

typedef struct bench_entry {
    char name[BENCH_NAME];
    int threads;
    warplu_executor executor;
    warplu_check check; /* of an executor */
    const peer *peer; /* NULL: an executor of warplu */
    warplu_solver *solver;
    void *state;                              /* the peer's */
    const double *source;                     /* what the guards read, while they are timed */
    double analyze_ms, factor_ms, compile_ms; /* NaN where it failed before */
    int64_t last_ns;                          /* of the last timed call */
    bench_result result;
} bench_entry;

typedef struct bench_plan {
    load_setup setup;
    const char *rhs;
    int64_t repeat; /* 0: by the rule of bench_time.c */
    int best_ordering, as_json, guards; /* guards: timed by themselves too */
    int name_checks; /* entries differ in what they check: the table names that */
    int count, executors;             /* entries; those of warplu come first */
    bench_entry entry[BENCH_ENTRIES]; /* names, threads, peers: a case starts from a copy */
    /* sums of log(peer / first executor), and how many matrices they hold */
    double log_refactor[BENCH_ENTRIES], log_solve[BENCH_ENTRIES];
    int compared[BENCH_ENTRIES], cases;
} bench_plan;

typedef struct bench_case {
    wlu_context *ctx;
    const char *path;
    int step; /* in a sequence, from 0; -1 elsewhere */
    warplu_status status;
    char message[BENCH_MESSAGE];
    wlu_mm_matrix a;
    double *values; /* those of the factors wanted; a.values but in sequences */
    wlu_pattern *pattern;
    double *b, *x, *work;         /* n, n, 5 n */
    warplu_statistics statistics; /* of the first executor that ran */
    int count;
    bench_entry entry[BENCH_ENTRIES];
} bench_case;

/* bench_case.c: reads the matrix and the right-hand side; starts, judges and ends entries. */
warplu_status bench_case_open(bench_plan *plan, const char *path, bench_case *c);
void bench_case_close(bench_case *c);
/* Analysis and first factorization of every entry; a failure stays in the entry. */
void bench_case_start(const bench_plan *plan, bench_case *c);
/* Status of the case and statistics, from the entries' results. */
void bench_case_settle(bench_case *c);

/* bench_entry.c */
int bench_entry_alive(const bench_entry *e);
void bench_entry_start(const bench_plan *plan, const bench_case *c, bench_entry *e);
void bench_entry_stop(bench_entry *e);
/* The result's status becomes a failure's. */
void bench_entry_fail(bench_entry *e, warplu_status status, const char *message);
warplu_status bench_entry_factor(bench_entry *e, const bench_case *c);
warplu_status bench_entry_refactor(bench_entry *e, const bench_case *c);
/* The guards alone, on the last replay's factors: open once, run as often as wanted, refactor after. 0 where the
 * executor cannot run them by themselves. */
int bench_entry_open_guards(bench_entry *e, const bench_case *c);
warplu_status bench_entry_guards(bench_entry *e, const bench_case *c);
/* Solves for c->b into c->x. */
warplu_status bench_entry_solve(bench_entry *e, const bench_case *c);

/* bench_judge.c: accuracy of every entry; peers are refined as often as the first executor was. */
void bench_judge(bench_case *c);
/* Backward error of c->x as it stands; also sets the result's errors and status. */
double bench_judge_solution(bench_case *c, bench_result *result);

/* bench_time.c */
int bench_samples_add(bench_samples *s, int64_t ns);
void bench_samples_sort(bench_samples *s);
double bench_samples_ms(const bench_samples *s, double quantile); /* sorted; 0, 0.5 or 1; NaN if empty */
void bench_samples_free(bench_samples *s);
/* 1 once the rule says that the samples are enough. */
int bench_samples_enough(const bench_samples *s, int64_t repeat);
/* Replays, then solves, of all entries in turn; guards where the plan wants them. */
void bench_time(const bench_plan *plan, bench_case *c);

/* bench_report.c: one matrix as a JSON line, or rows of the table. */
void bench_report(bench_plan *plan, const bench_case *c);
void bench_report_end(const bench_plan *plan);

/* bench_sequence.c: CMD_OK or CMD_ERROR. */
int bench_sequence(bench_plan *plan, char **paths, int count);

#endif
