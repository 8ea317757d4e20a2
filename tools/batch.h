/* warplu batch, shared by its files: what is asked for, the members, what became of them. */
#ifndef WLU_TOOLS_BATCH_H
#define WLU_TOOLS_BATCH_H

#include <warplu/batch.h>

#include "bench.h"

typedef struct batch_request {
    load_request load;
    char **paths; /* files of members; one where they are made from it */
    int path_count;
    const char *rhs, *output, *devices; /* NULL where not given */
    double perturb;                     /* below 0 where not given */
    uint64_t seed;
    int64_t count; /* 0 where not given */
    int64_t threads, repeat;
    int transposed, as_json, fewer_devices;
} batch_request;

/* What is timed, a call for all members. */
typedef enum batch_loop { BATCH_BOTH, BATCH_REFACTOR, BATCH_SOLVE, BATCH_LOOPS } batch_loop;

typedef struct batch_run {
    const batch_request *q;
    load_setup setup;
    bench_progress progress;
    char said[WLU_MESSAGE_BYTES]; /* the last error that the library told of */
    int *devices;                 /* of the executor cuda; count 0: another one */
    int32_t device_count, count, nrhs;
    warplu_mm_matrix a;          /* the first file: its pattern is that of all */
    int doubles;                 /* of a number */
    double *values, *b, *x;      /* count * a.nnz, n * nrhs for all members, count * n * nrhs numbers */
    warplu_batch_member *member; /* count; status is WARPLU_INACCURATE where the answer is not right */
    double *error;               /* count: backward errors, NaN where there is no answer */
    int32_t failures;            /* members without a right answer */
    warplu_solver *solver;
    warplu_batch *batch;
    warplu_batch_statistics statistics; /* after the call that answered */
    int64_t read_ns, analyze_ns, factor_ns;
    bench_samples samples[BATCH_LOOPS];
    int32_t written; /* files */
} batch_run;

/* batch_members.c: the matrices and the right-hand sides, from files or by changing one. */
warplu_status batch_read(batch_run *r);

/* batch_run.c: one call that answers, judged; then calls that are timed. */
warplu_status batch_answer(batch_run *r);
warplu_status batch_time(batch_run *r);
/* Doubles of a member's values, of a vector. */
static inline int64_t batch_values(const batch_run *r)
{
    return (int64_t)r->a.nnz * r->doubles;
}
static inline int64_t batch_vector(const batch_run *r)
{
    return (int64_t)r->a.nrow * r->doubles;
}
static inline int batch_member_right(const batch_run *r, int32_t m)
{
    return r->member[m].status >= 0 && r->member[m].status != WARPLU_INACCURATE;
}

/* batch_report.c */
void batch_report(const batch_run *r, warplu_status status);

#endif
