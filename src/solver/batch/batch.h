/* Batches: life and calls. Internal face, for the api and tests; parts.h has the struct. */
#ifndef WLU_SOLVER_BATCH_BATCH_H
#define WLU_SOLVER_BATCH_BATCH_H

#include "solver/batch/parts.h"

/* Each as the call of its name in warplu/batch.h, for arguments that are not NULL, in the library's floating-point
 * environment. */
warplu_status wlu_batch_create(warplu_batch **out, const warplu_solver *solver, int32_t count,
                               const warplu_batch_options *options);
/* Frees a batch, and leaves NULL in its place. */
void wlu_batch_destroy(warplu_batch **batch);
warplu_status wlu_batch_factor(warplu_batch *b, const double *values);
/* values NULL: a solve by kept factors. keeps: factors are kept. nrhs 0: no solve. */
warplu_status wlu_batch_run(warplu_batch *b, const double *values, int keeps, const unsigned char *mask, int transposed,
                            int32_t nrhs, const double *rhs, double *x);

/* Whether solutions of so many right-hand sides a member would overlap these, which are not NULL unless nrhs is 0. */
int wlu_batch_sides_overlap(const warplu_batch *b, int32_t nrhs, const double *rhs, const double *x);

/* Parts of a call, for calls on device pointers. Strides of the views; WARPLU_OVERFLOW of what no memory holds. */
warplu_status wlu_batch_find_views(warplu_batch *b, int32_t nrhs, wlu_batch_call *call);
/* Every member that takes part has its record afterwards, and its answer, or NaN. */
warplu_status wlu_batch_answer(warplu_batch *b, const wlu_batch_call *call, const unsigned char *mask);
/* Reports on the members that took part: statistics, WARPLU_SUCCESS or WARPLU_MEMBERS_FAILED. */
warplu_status wlu_batch_conclude(warplu_batch *b, const unsigned char *mask);

warplu_batch_statistics wlu_batch_statistics(const warplu_batch *b);

#endif
