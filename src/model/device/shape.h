/* What a kernel that steps lanes is like: its rows, records and numbers, its method, and the programs that it is made
 * of. kernel.h has the words. */
#ifndef WLU_MODEL_DEVICE_SHAPE_H
#define WLU_MODEL_DEVICE_SHAPE_H

#include "model/method/tableau.h"
#include "model/method/tolerance.h"
#include "model/program/program.h"

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

typedef struct wlm_kernel_shape {
    int32_t n, parameters;
    int32_t events;               /* whose signs are looked at */
    const wlm_implicit *implicit; /* the method; NULL: a one-step method */
    int fixed;                    /* 1: steps of one length, refused only where something is not finite */
    int algebraic;                /* 1: there are algebraic rows, whose weak pivots no smaller step mends */
    wlm_tolerance asked;          /* what changes are measured by where a lane fails */
} wlm_kernel_shape;

/* A program and what it takes of the parameters alone. */
typedef struct wlm_kernel_program {
    const wlm_program *once, *body; /* NULL: there is none */
} wlm_kernel_program;

/* step: of one-step methods. newton, charges and, of controlled steps, estimate: of the others. crossing: of events. */
typedef struct wlm_kernel_programs {
    wlm_kernel_program step, newton, charges, estimate, crossing;
} wlm_kernel_programs;

/* Rows of doubles, without y and parameters. */
static inline int64_t wlm_kernel_more_rows(const wlm_kernel_shape *shape)
{
    int64_t of_rule = wlm_implicit_looks_back(shape->implicit) ? shape->n : 0;
    return WLM_KERNEL_ROWS + of_rule + 2 * (int64_t)shape->events;
}

#endif
