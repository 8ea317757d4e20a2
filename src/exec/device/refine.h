/* Refinement on a device: what a launch of cuda/refine.cu gets. numerics/refine.h has what it computes. */
#ifndef WLU_EXEC_DEVICE_REFINE_H
#define WLU_EXEC_DEVICE_REFINE_H

#include "exec/device/state.h"
#include "numerics/refine.h"

enum { WLU_REFINE_THREADS = WLU_REFINE_LONG_SUMS }; /* of a block */

/* Solves of several right-hand sides; pointers of the first, the others follow. */
typedef struct wlu_device_refine {
    const double *entries; /* of the last replay: values, or sums of duplicates */
    double *kept;          /* not NULL: they are the caller's, and so many are copied there */
    int64_t keeps;
    const double *b;
    double *out;
    int64_t ldb, ldx;
    double *x[2], *r; /* n a side */
    wlu_refine_control *control;
    const wlu_device_control *factors;
    uint32_t withheld;    /* out becomes NaN where the verdict is this or worse, */
    double worst;         /* or the error is not at most this */
    double enough;        /* an error of at most this is not corrected */
    wlu_refined *total;   /* of all solves since the replay, on the device; */
    wlu_refined *told;    /* where the host reads it; */
    wlu_refined *each;    /* and of each right-hand side */
    uint32_t *departures; /* right-hand sides of the launch that have come to their end */
    int32_t single;       /* the factors are FP32 */
    int32_t rounds;       /* solves at most */
} wlu_device_refine;

#endif
