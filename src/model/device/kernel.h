/* The text of a kernel that steps lanes: one thread a lane, with time, step and error control of its own, so that no
 * lane waits for another's step. What a method asks for are programs (src/model/step/build.h), each written once;
 * around them stand the loop over steps and, of methods with Newton's iterations, one over stages and one over
 * iterations. Control is, operation by operation, that of src/model/step (drive.c, newton.c, stops.c), so that a lane
 * has the CPU's bits.
 *
 * A lane stops where the host has to do something: at its own next stop, or behind a step in which an event's sign
 * rises.
 *
 * Parameters of the kernel, arrays in device memory [row][lane]:
 *     rows        doubles: n of y, parameters, then WLM_KERNEL_ROWS of wlm_kernel_row; of the trapezoidal rule n of f
 *                 where the step before began; of events by sign, each one's value before the last step and behind it
 *     record      32-bit words: WLM_KERNEL_RECORDS of wlm_kernel_record
 *     lanes       u64
 *     numbers     f64: WLM_KERNEL_NUMBERS of wlm_kernel_number
 *     most        u32: steps of a lane, rejected ones too
 *     now         u32: steps that are tried before a lane is left as it is, to be gone on with by another launch */
#ifndef WLU_MODEL_DEVICE_KERNEL_H
#define WLU_MODEL_DEVICE_KERNEL_H

#include "model/program/program.h"
#include "model/ptx/writer.h"

/* first, last: the times that stages may have; want: the step there would be without a stop; learnt: the first step
 * behind the jump that lies behind; before: the length of the step before, of the trapezoidal rule. */
enum wlm_kernel_row {
    WLM_ROW_TIME,
    WLM_ROW_WANT,
    WLM_ROW_LEARNT,
    WLM_ROW_STOP,
    WLM_ROW_FIRST,
    WLM_ROW_LAST,
    WLM_ROW_BEFORE,
    WLM_KERNEL_ROWS
};

/* status: 0 while it is under way, WLM_KERNEL_WAITS, or why it failed; refused: the step before was; behind: of a jump,
 * until a step was taken; unknown: which is at fault, or -1; fired: an event's sign rises in the last step. */
enum wlm_kernel_record {
    WLM_RECORD_STATUS,
    WLM_RECORD_STEPS,
    WLM_RECORD_REJECTED,
    WLM_RECORD_ITERATIONS,
    WLM_RECORD_REFUSED,
    WLM_RECORD_BEHIND,
    WLM_RECORD_UNKNOWN,
    WLM_RECORD_FIRED,
    WLM_KERNEL_RECORDS
};
enum { WLM_KERNEL_WAITS = 1 };

/* longest: of controlled steps, or infinity; shortest: below it a lane gives up; whole: the end of the run, where a
 * lane's number of steps no longer matters. */
enum wlm_kernel_number { WLM_AT_LONGEST, WLM_AT_SHORTEST, WLM_AT_WHOLE, WLM_KERNEL_NUMBERS };

typedef enum wlm_kernel_method {
    WLM_KERNEL_ONE_STEP,
    WLM_KERNEL_BACKWARD_EULER,
    WLM_KERNEL_TRAPEZOIDAL,
    WLM_KERNEL_TR_BDF2
} wlm_kernel_method;

typedef struct wlm_kernel_shape {
    int32_t n, parameters;
    int32_t events; /* whose signs are looked at */
    wlm_kernel_method method;
    int fixed;                 /* 1: steps of one length, refused only where something is not finite */
    int algebraic;             /* 1: there are algebraic rows, whose weak pivots no smaller step mends */
    double relative, absolute; /* what changes are measured by where a lane fails */
} wlm_kernel_shape;

/* A program and what it takes of the parameters alone. */
typedef struct wlm_kernel_program {
    const wlm_program *once, *body; /* NULL: there is none */
} wlm_kernel_program;

/* step: of one-step methods. newton, charges and, of controlled steps, estimate: of the others. crossing: of events. */
typedef struct wlm_kernel_programs {
    wlm_kernel_program step, newton, charges, estimate, crossing;
} wlm_kernel_programs;

#define WLM_KERNEL_NAME "wlm_advance"

/* Rows of doubles, without y and parameters. */
int64_t wlm_kernel_more_rows(const wlm_kernel_shape *shape);

/* Writes a whole module. WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_kernel_write(wlm_ptx *out, const wlm_kernel_programs *programs, const wlm_kernel_shape *shape);

#endif
