/* The text of a kernel that steps lanes: one thread a lane, with time, step and error control of its own, so that no
 * lane waits for another's step. Straight-line but for one loop.
 *
 * The step is a program (src/model/step/build.h): inputs t, n of y, parameters, h, last, first and what `once` has
 * computed from the parameters; outputs n of y, norm of the error, factor of the next step, health. Control is,
 * operation by operation, that of src/model/step/drive.c, so that a lane has the CPU's bits.
 *
 * Parameters of the kernel, arrays in device memory [row][lane]:
 *     rows        doubles: n of y, parameters, t, the step wanted, the first step behind the jump that lies behind
 *     record      32-bit words, 5 rows: status, steps, rejected steps, 1 after a rejected step, 1 behind a jump until a
 *                 step was taken
 *     lanes       u64
 *     numbers     f64: WLM_KERNEL_NUMBERS of wlm_kernel_number, in this order
 *     most        u32: steps of a lane, rejected ones too */
#ifndef WLU_MODEL_DEVICE_KERNEL_H
#define WLU_MODEL_DEVICE_KERNEL_H

#include "model/program/program.h"
#include "model/ptx/writer.h"

enum { WLM_KERNEL_RECORDS = 5, WLM_KERNEL_ROWS = 3 }; /* rows beyond y and parameters */

/* stop: where lanes stop; first, last: the times that stages may have; fixed: the length of steps, where they are not
 * controlled; longest: of controlled steps, or infinity; shortest: below it a lane gives up; whole: the end of the run,
 * where a lane's number of steps no longer matters. */
enum wlm_kernel_number {
    WLM_AT_STOP,
    WLM_AT_FIRST,
    WLM_AT_LAST,
    WLM_AT_FIXED,
    WLM_AT_LONGEST,
    WLM_AT_SHORTEST,
    WLM_AT_WHOLE,
    WLM_KERNEL_NUMBERS
};

typedef struct wlm_kernel_shape {
    int32_t n, parameters;
    int fixed;     /* 1: steps of one length, refused only where something is not finite */
    int algebraic; /* 1: there are algebraic rows, whose weak pivots no smaller step mends */
} wlm_kernel_shape;

#define WLM_KERNEL_NAME "wlm_advance"

/* Writes a whole module. WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_kernel_write(wlm_ptx *out, const wlm_program *once, const wlm_program *step,
                               const wlm_kernel_shape *shape);

#endif
