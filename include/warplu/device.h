/* Values, right-hand sides and solutions in the memory of an NVIDIA GPU, for solvers with WARPLU_EXECUTOR_CUDA.
 *
 * The calls of warplu/warplu.h and warplu/inspect.h work on such a solver too, with numbers on the host. The calls
 * below take numbers on the device and a stream of the CUDA driver or runtime API; NULL is the default stream. They
 * work in the device's primary context, which is the runtime API's own. They only hand work to the stream: they wait
 * for nothing, allocate nothing, and can be captured into a graph, which may be launched as long as the solver keeps
 * its program.
 *
 *     warplu_refactor_solve_device(s, device_values, 0, 1, device_b, n, device_x, n, stream);
 *     ...
 *     status = warplu_finish_device(s, host_values, stream);
 *
 * A program is needed: warplu_factor, with expected_refactors 0 or from 8 on. Where work of one solver is on several
 * streams, the caller orders it. The calls on host numbers wait for the stream that the last call was given.
 *
 * Conventions as in warplu/warplu.h. */
#ifndef WARPLU_DEVICE_H
#define WARPLU_DEVICE_H

#include <warplu/warplu.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Enqueues a refactor. device_values: one number for each idx; they stay as they are until warplu_finish_device. The
 * device judges the replay itself; kernels can read the verdict there (warplu_get_device_verdict).
 *
 *   WARPLU_ENQUEUED                handed to the stream; the solver has no factors on the host until
 *                                  warplu_finish_device
 *   WARPLU_INVALID_ARGUMENT        no values
 *   WARPLU_WRONG_PHASE             there is no program
 *   WARPLU_NOT_COMPILED            the solver is not one of a device
 *   WARPLU_DEVICE_FAILED           a call to the driver failed; the solver has no factors */
WARPLU_API warplu_status warplu_refactor_device(warplu_solver *solver, const double *device_values, void *stream);

/* Enqueues a solve of A X = B, or of A' X = B if transposed is not 0. Shapes as for warplu_solve.
 *
 * Solves are checked and refined on the device, by residuals of the last replay's values, with WARPLU_STRATEGY_FLOW: in
 * mixed precision; and in FP64, unless options.on_weak is WARPLU_ON_WEAK_REPORT, with WARPLU_CHECK_ALWAYS or where
 * known systems did not prove the pivots. (They are tested when warplu_factor or warplu_finish_device chooses pivots;
 * restored pivots are not.) The device keeps a copy of the values for that. Others are not checked.
 *
 * What X is, where the options mend means: check is not WARPLU_CHECK_OFF and on_weak is WARPLU_ON_WEAK_REPIVOT:
 *
 *   the last replay    the solve                      the options    X
 *   was given up       any                            any            NaN
 *   is weak            any                            mend           NaN, until warplu_finish_device has mended it
 *   is weak            any                            do not mend    the solution
 *   serves             error above 1e-10, refined     mend           NaN, and counted as inaccurate
 *   serves             error above 1e-10, refined     do not mend    the best solution, counted as inaccurate
 *   serves             any other                      any            the solution
 *
 *   WARPLU_ENQUEUED                handed to the stream
 *   WARPLU_INVALID_ARGUMENT        a size, leading dimension or pointer is wrong, or X overlaps B in part
 *   WARPLU_WRONG_PHASE             there is no program; for A', warplu_solve_transposed was never called with it
 *   WARPLU_NOT_COMPILED            the solver is not one of a device
 *   WARPLU_DEVICE_FAILED           a call to the driver failed */
WARPLU_API warplu_status warplu_solve_device(warplu_solver *solver, int transposed, int32_t nrhs,
                                             const double *device_b, int32_t ldb, double *device_x, int32_t ldx,
                                             void *stream);

/* Enqueues both: warplu_refactor_device, then warplu_solve_device. Where device and driver allow it, the solve of the
 * first eight right-hand sides begins before the factorization has ended. Nothing is enqueued where an argument is
 * wrong.
 *
 *   as warplu_refactor_device and warplu_solve_device */
WARPLU_API warplu_status warplu_refactor_solve_device(warplu_solver *solver, const double *device_values,
                                                      int transposed, int32_t nrhs, const double *device_b, int32_t ldb,
                                                      double *device_x, int32_t ldx, void *stream);

/* Waits for the stream and judges the last replay on it, one of a captured graph too. values: the same numbers on the
 * host, or NULL. With values a weak replay is treated as by warplu_refactor, and new pivots are compiled and on the
 * device when the call returns. Graphs that were captured before must not be launched any more then.
 *
 *   WARPLU_SUCCESS                 the factors serve, and solves since the replay are accurate
 *   WARPLU_REPIVOTED               new pivots are in use; solves enqueued since the replay have to be enqueued again
 *   WARPLU_WEAK                    the pivots are weak and kept: no values were given, or the options say so
 *   WARPLU_INACCURATE              the factors serve; solves that were checked since the replay are not accurate
 *   WARPLU_UNCHECKED               the factors serve; solves since the replay were not checked and nothing proves them,
 *                                  or they were NaN, because the replay has proven itself only now
 *   WARPLU_INVALID_ARGUMENT
 *   WARPLU_WRONG_PHASE             there is no program
 *   WARPLU_NOT_COMPILED            the solver is not one of a device
 *   WARPLU_DEVICE_FAILED           a call to the driver failed, or the replay was given up; no factors
 *   others                         as warplu_refactor, where values are given */
WARPLU_API warplu_status warplu_finish_device(warplu_solver *solver, const double *values, void *stream);

/* The health of the last replay on the device, in scaled values, and errors of the solves that are checked there. */
typedef struct warplu_device_health {
    size_t size;                                                /* of this struct: set it to sizeof */
    double largest_l, largest_u, growth, smallest_pivot, drift; /* as in warplu_statistics; growth: a lower bound */
    int32_t finite;                                             /* every computed value is */
    int32_t verdict;                                            /* warplu_verdict */
    uint32_t generation;                                        /* replays done so far with this program */
    uint32_t failed;          /* not 0: the replay was given up, the factors are void */
    double backward_error;    /* of checked solves since the replay (warplu_solve_device): the largest; -1: none */
    int32_t refinement_steps; /* the most that one of them took */
    uint32_t inaccurate;      /* right-hand sides whose backward error is not at most 1e-10 */
} warplu_device_health;

/* Fills *health as far as both sides know it, and sets its size to that. It waits for nothing: what it tells is of the
 * last replay, and of the solves since, once the stream has been waited for.
 *
 *   WARPLU_SUCCESS
 *   WARPLU_INVALID_ARGUMENT        no size
 *   WARPLU_WRONG_PHASE             there is no program
 *   WARPLU_NOT_COMPILED            the solver is not one of a device */
WARPLU_API warplu_status warplu_get_device_health(const warplu_solver *solver, warplu_device_health *health);

/* The verdict on a replay, as the device writes it when the replay ends. */
typedef struct warplu_device_verdict {
    uint32_t generation; /* replays done so far with this program */
    uint32_t failed;     /* not 0: the replay was given up, the factors are void */
    int32_t verdict;     /* warplu_verdict */
} warplu_device_verdict;

/* *verdict: where the device writes the verdict on every replay, in memory that device and host can read; valid until
 * the program changes. Kernels of the caller read it when they come after the replay in the order of the stream, those
 * of a captured graph too: so a simulation on the device learns that a step has failed, without the host. The host
 * reads it once the stream has been waited for. During a replay it is that of the one before, or part of the new one.
 *
 *   WARPLU_SUCCESS
 *   WARPLU_INVALID_ARGUMENT
 *   WARPLU_WRONG_PHASE             there is no program; *verdict is NULL
 *   WARPLU_NOT_COMPILED            the solver is not one of a device; *verdict is NULL */
WARPLU_API warplu_status warplu_get_device_verdict(const warplu_solver *solver, const warplu_device_verdict **verdict);

#ifdef __cplusplus
}
#endif
#endif
