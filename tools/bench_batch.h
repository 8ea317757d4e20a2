/* Batches of warplu bench, shared by its files: bench_batch.c has the run, bench_batch_entry.c an entry's calls,
 * bench_batch_report.c what is told, bench_weak.c members for which common pivots are weak. */
#ifndef WLU_BENCH_BATCH_H
#define WLU_BENCH_BATCH_H

#include "batch_make.h"
#include "bench.h"

/* bench_weak.c: how many members are to be weak. */
int32_t bench_weak_count(const bench_plan *plan);
/* Makes them so: values are those of all members. The message is the context's. */
warplu_status bench_weaken_members(const bench_plan *plan, const bench_case *c, double *values);

/* Analysis, pivots and program for all members. A failure is in the result. */
void bench_batch_start(const bench_plan *plan, bench_case *c, bench_entry *e);
/* The same batch with room for the factors of all members, for refactorizations by themselves; none where there is no
 * room. */
void bench_batch_start_keeping(const bench_plan *plan, const bench_case *c, bench_entry *e);
/* The first call of a batch that has all members, in which weak ones are repaired: its time, and its answers judged. */
void bench_batch_first_call(bench_case *c, bench_entry *e);
/* 1 if the entry can be called: where members do not go singly it needs its batch. */
int bench_batch_has(const bench_entry *e);
/* As bench_entry_turn, calls for all members: BENCH_REFACTOR or BENCH_BOTH, which leaves solutions in c->answers. */
warplu_status bench_batch_turn(bench_entry *e, const bench_case *c, bench_loop loop, const turn *t, int64_t *ns,
                               int32_t *count);
/* All answers of the last turn, if it has solved. */
void bench_batch_judge(bench_entry *e, bench_case *c, bench_loop loop);

/* Of all matrices so far, by entry, over the one that it is compared with. */
typedef struct bench_batch_means {
    double log_refactor[BENCH_ENTRIES], log_both[BENCH_ENTRIES], least[BENCH_ENTRIES], most[BENCH_ENTRIES];
    int compared[BENCH_ENTRIES], matrices;
} bench_batch_means;

/* One matrix as a JSON line, or rows of the table; the table's means. */
void bench_batch_report(const bench_plan *plan, const bench_case *c, bench_batch_means *means);
void bench_batch_report_end(const bench_plan *plan, const bench_batch_means *means);

#endif
