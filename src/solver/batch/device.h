/* Calls of a batch on device pointers. */
#ifndef WLU_SOLVER_BATCH_DEVICE_H
#define WLU_SOLVER_BATCH_DEVICE_H

#include "solver/batch/parts.h"

/* What a call is given, all on the device but the numbers. */
typedef struct wlu_batch_given {
    wlu_batch_deed deed;
    const double *values; /* NULL of a solve by kept factors */
    const unsigned char *mask;
    int transposed;
    int32_t nrhs;
    const double *b;
    double *x;
} wlu_batch_given;

/* Of a batch with a ledger, with pivots, and with solves with A' where these are wanted. WARPLU_ENQUEUED,
 * WARPLU_OVERFLOW, WARPLU_DEVICE_FAILED. Allocates nothing. */
warplu_status wlu_batch_enqueue(warplu_batch *b, const wlu_batch_given *given, void *stream);
/* Statuses of wlu_batch_run. */
warplu_status wlu_batch_finish(warplu_batch *b, void *stream);
/* Solves with A' by all programs, those to come too. Statuses of wlu_batch_program_add_transposed. */
warplu_status wlu_batch_prepare_transposed(warplu_batch *b);

#endif
