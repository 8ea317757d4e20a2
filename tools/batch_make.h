/* Batches as the subcommands make them: over a solver of the host, with pivots for the members at hand. */
#ifndef WLU_TOOLS_BATCH_MAKE_H
#define WLU_TOOLS_BATCH_MAKE_H

#include <warplu/batch.h>

typedef struct batch_wish {
    const warplu_solver *solver; /* has analyzed the pattern, by batch_solver_options */
    warplu_executor executor;
    const int *devices; /* device_count; 0: the solver's device */
    int32_t device_count;
    int fewer_devices; /* than these, where some are absent or fail */
    int threads;
    int keep_factors; /* of all members; WARPLU_OUT_OF_MEMORY where they take over half of the host's free memory */
    int32_t count;
    const double *values; /* count * nnz, member by member */
} batch_wish;

/* The host's program is smaller, so that a batch of whatever executor is made over a solver of the host, which has FP64
 * alone. */
warplu_options batch_solver_options(const warplu_options *options);

/* Members share one right-hand side. Statuses as warplu_batch_create and warplu_batch_factor. */
warplu_status batch_make(const batch_wish *wish, warplu_batch **out);

#endif
