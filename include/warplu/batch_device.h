/* Batches whose values, right-hand sides and solutions are in the memory of an NVIDIA GPU: of batches that replay there
 * (the batch's options, or its solver's, say WARPLU_EXECUTOR_CUDA), on one device.
 *
 * The calls take arrays on the device, as the batch's options lay them out, and a stream of the CUDA driver or runtime
 * API; NULL is the default stream. They work in the device's primary context. They only hand work to the stream: they
 * wait for nothing, allocate nothing, and can be captured into a graph. Arrays stay as they are until
 * warplu_batch_finish_device. Work of one batch that is on several streams is ordered by the caller.
 *
 *     warplu_batch_factor(batch, host_values);                            pivots, once
 *     while (more) {
 *         warplu_batch_refactor_solve_device(batch, device_values, device_mask, 0, 1, device_b, device_x, stream);
 *         ...                                                             kernels that read x, launches of a graph
 *         status = warplu_batch_finish_device(batch, stream);             what is NaN by now is mended
 *     }
 *
 * What X of a member is once the stream is there, where the options mend means: repair is 1, the solver's check is not
 * WARPLU_CHECK_OFF, and its on_weak is WARPLU_ON_WEAK_REPIVOT:
 *
 *   the member's answer                                               the options    X
 *   is proven, or checked and accurate                                any            the solution
 *   is anything else: weak and unchecked, inaccurate, not to be told  mend           NaN, until it is finished
 *   is anything else, of finite factors                               do not mend    the best solution
 *   is anything else, of factors that are not finite                  any            NaN
 *
 * A member that takes no part keeps its X. Members that programs of other pivots serve are replayed by these in the
 * same call. A member that only a solver of its own helps is NaN in every call, until warplu_batch_finish_device.
 *
 * A graph may be launched until the batch has new pivots (warplu_batch_factor, a first call on host numbers), or its
 * first solve with A' (warplu_batch_prepare_transposed). It keeps the arrays and the sharing of members among programs
 * of when it was captured: members that have moved since are right all the same, but may be NaN until
 * warplu_batch_finish_device, so that graphs are best captured once a first call has been finished.
 *
 * Conventions as in warplu/batch.h. */
#ifndef WARPLU_BATCH_DEVICE_H
#define WARPLU_BATCH_DEVICE_H

#include <warplu/batch.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Enqueues warplu_batch_refactor_solve. device_mask: count bytes on the device, read when the call's turn in the stream
 * comes, or NULL.
 *
 *   WARPLU_ENQUEUED                handed to the stream
 *   WARPLU_INVALID_ARGUMENT        an argument is NULL or out of its range, or X overlaps B
 *   WARPLU_WRONG_PHASE             there are no pivots yet; for A', neither warplu_batch_prepare_transposed nor a
 *                                  transposed call on host numbers has been
 *   WARPLU_NOT_COMPILED            the batch does not replay on a device, or on several
 *   WARPLU_OVERFLOW                a count does not fit its type
 *   WARPLU_DEVICE_FAILED           a call to the driver failed; X of some members may be neither old nor new */
WARPLU_API warplu_status warplu_batch_refactor_solve_device(warplu_batch *batch, const double *device_values,
                                                            const unsigned char *device_mask, int transposed,
                                                            int32_t nrhs, const double *device_b, double *device_x,
                                                            void *stream);

/* Enqueues warplu_batch_refactor: factors are kept for warplu_batch_solve_device; for calls on host numbers from
 * warplu_batch_finish_device on.
 *
 *   as warplu_batch_refactor_solve_device; and
 *   WARPLU_WRONG_PHASE             the options do not say keep_factors */
WARPLU_API warplu_status warplu_batch_refactor_device(warplu_batch *batch, const double *device_values,
                                                      const unsigned char *device_mask, void *stream);

/* Enqueues warplu_batch_solve. X of members that have no factors on the device is NaN.
 *
 *   as warplu_batch_refactor_device */
WARPLU_API warplu_status warplu_batch_solve_device(warplu_batch *batch, const unsigned char *device_mask,
                                                   int transposed, int32_t nrhs, const double *device_b,
                                                   double *device_x, void *stream);

/* Waits for the stream, and finishes what was enqueued since the last time, launches of graphs among it: the last call
 * of each kind above. (X that an earlier one has left NaN stays so: that call has to be enqueued again.) Members have
 * their records then (warplu_batch_get_members), and the statistics are of all that took part. Numbers of members that
 * the device did not vouch for come to the host, are answered as by the calls on host numbers, with repair where the
 * options say so, and their X goes to where the call has it. Until then warplu_batch_refactor and warplu_batch_solve
 * have to wait, where kept factors or solves by them have been enqueued: they answer WARPLU_WRONG_PHASE.
 *
 *   WARPLU_SUCCESS                 every member that took part has an accurate X; or nothing was enqueued
 *   WARPLU_MEMBERS_FAILED          some have not: their records say why
 *   WARPLU_NOT_COMPILED            the batch does not replay on a device, or on several
 *   WARPLU_DEVICE_FAILED           a call to the driver failed
 *   WARPLU_OUT_OF_MEMORY
 *   WARPLU_CANCELLED
 *   others                         as warplu_batch_refactor_solve
 *
 * After an error, members without an answer have it in their records, and NaN in X. */
WARPLU_API warplu_status warplu_batch_finish_device(warplu_batch *batch, void *stream);

/* Makes solves with A' possible for calls on device pointers, which cannot wait for that. Takes any batch.
 *
 *   WARPLU_SUCCESS
 *   WARPLU_INVALID_ARGUMENT
 *   WARPLU_WRONG_PHASE             there are no pivots yet
 *   WARPLU_OVERFLOW                the program of A' does not fit its types
 *   WARPLU_OUT_OF_MEMORY
 *   WARPLU_DEVICE_FAILED           a call to the driver failed
 *   WARPLU_CANCELLED */
WARPLU_API warplu_status warplu_batch_prepare_transposed(warplu_batch *batch);

#ifdef __cplusplus
}
#endif
#endif
