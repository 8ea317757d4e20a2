/* The shape of a kernel that steps lanes: its rows, records and numbers, its method, and the programs that it is
 * made of. kernel.h explains them. */
#ifndef WLU_MODEL_DEVICE_SHAPE_H
#define WLU_MODEL_DEVICE_SHAPE_H

#include "model/method/tableau.h"
#include "model/method/tolerance.h"
#include "model/program/program.h"

/* Rows. first, last: the first and last time that stages may have; want: the next step if there were no stop;
 * learnt: the first step that served behind the last jump; before: of the trapezoidal rule, the length of the step
 * before. */
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

/* Words of a record. status: 0 while the lane steps, WLM_KERNEL_WAITS, or why it failed; refused: 1 where the step
 * before was; behind: 1 behind a jump until a step is taken; unknown: the one at fault, n + k of limit k, or -1; fired:
 * 1 where an event's crossing has risen in the last step, WLM_KERNEL_STRAYED where that has not told what follows
 * rates. */
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
enum { WLM_KERNEL_WAITS = 1, WLM_KERNEL_STRAYED = 2 };

/* Numbers. longest: bound of controlled steps, or infinity; shortest: below it a lane gives up; whole: the end of the
 * run, where a lane's number of steps no longer matters. */
enum wlm_kernel_number { WLM_AT_LONGEST, WLM_AT_SHORTEST, WLM_AT_WHOLE, WLM_KERNEL_NUMBERS };

typedef struct wlm_kernel_shape {
    int32_t n, parameters;
    int32_t events;               /* events whose crossings are evaluated */
    int32_t limits;               /* limits of the step; 0 where nothing is times them */
    double cfl;                   /* what is times the least of them */
    const wlm_implicit *implicit; /* the method; NULL: a one-step method */
    int fixed;                    /* 1: steps of one length, or of limits, refused only where something is not finite */
    int algebraic;                /* 1: there are algebraic rows, whose weak pivots no smaller step mends */
    int strays;                   /* 1: the host finds what follows rates behind steps that do not tell it */
    wlm_tolerance asked;          /* what changes are measured by where a lane fails */
} wlm_kernel_shape;

/* A program in two: `once`, what depends on parameters alone, and the body. */
typedef struct wlm_kernel_program {
    const wlm_program *once, *body; /* NULL: no such program */
} wlm_kernel_program;

/* One-step methods have step; others newton, charges and, for controlled steps, estimate. crossing is that of
 * events, limit that of limits. */
typedef struct wlm_kernel_programs {
    wlm_kernel_program step, newton, charges, estimate, limit, crossing;
} wlm_kernel_programs;

/* Returns the number of rows of doubles beside y and parameters. */
static inline int64_t wlm_kernel_more_rows(const wlm_kernel_shape *shape)
{
    int64_t of_rule = wlm_implicit_looks_back(shape->implicit) ? shape->n : 0;
    return WLM_KERNEL_ROWS + of_rule + 2 * (int64_t)shape->events;
}

#endif
