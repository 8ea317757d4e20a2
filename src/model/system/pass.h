/* A pass evaluates all instances once: programs of all uses, then sums by target, both in parallel by ranges.
 *
 * Threads of a team take the same share of each use's instances, in chunks of 64, and write contributions; when all are
 * done, each sums a range of targets. Results do not depend on the number of threads. */
#ifndef WLU_MODEL_SYSTEM_PASS_H
#define WLU_MODEL_SYSTEM_PASS_H

#include "base/team.h"
#include "model/system/gather.h"
#include "model/system/bank.h"

enum { WLM_THREADS_MOST = 64 };

typedef struct wlm_pass {
    wlu_context *ctx;
    int32_t uses;
    int threads;
    const wlm_kernels *kernels; /* that sum */
    wlm_bank *bank;             /* for each use; those without outputs are left out when it runs */
    wlm_bank_room *room;        /* [thread][use] */
    int32_t contributions;
    double *contribution;
    wlm_gather f, q, sum, entry; /* entry: wlm_pattern_create fills it */
    int32_t first_sum, last_sum; /* the range of a pass for sums */
} wlm_pass;

/* Makes a pass with a bank for each use; level and statuses are those of wlm_bank_create. */
warplu_status wlm_pass_create(const wlm_layout *layout, wlm_want want, int32_t level, wlm_isa isa, int threads,
                              wlm_pass *out);
void wlm_pass_free(wlm_pass *pass);

/* The places of sums, NULL where they are not wanted: f and q of nodes, all sums, values of the matrix. */
typedef struct wlm_pass_results {
    double *f, *q, *sum, *entry;
    wlm_finish finish; /* what is made of f */
} wlm_pass_results;

/* Runs the pass; it replaces arrays->contribution by its own. Returns 1 where all written to the vector is finite. */
int wlm_pass_run(wlm_pass *pass, wlu_team *team, const wlm_bank_arrays *arrays, const wlm_pass_results *results);

#endif
