/* The registers, programs and parts of a kernel, which the files that write it share. */
#ifndef WLU_MODEL_DEVICE_KERNEL_PARTS_H
#define WLU_MODEL_DEVICE_KERNEL_PARTS_H

#include "model/device/tables.h"
#include "model/ptx/writer.h"

/* Registers of the kernel's own, counted before those of the programs. Doubles: numbers of wlm_kernel_number, then the
 * rows of wlm_kernel_row. */
enum { WLM_FD_ROW = WLM_KERNEL_NUMBERS };
enum {
    WLM_FD_T = WLM_FD_ROW + WLM_ROW_TIME,
    WLM_FD_WANT = WLM_FD_ROW + WLM_ROW_WANT,
    WLM_FD_LEARNT = WLM_FD_ROW + WLM_ROW_LEARNT,
    WLM_FD_STOP = WLM_FD_ROW + WLM_ROW_STOP,
    WLM_FD_FIRST = WLM_FD_ROW + WLM_ROW_FIRST,
    WLM_FD_LAST = WLM_FD_ROW + WLM_ROW_LAST,
    WLM_FD_BEFORE = WLM_FD_ROW + WLM_ROW_BEFORE,
    WLM_FD_H = WLM_FD_ROW + WLM_KERNEL_ROWS,
    WLM_FD_LOW,  /* lengths of steps that end before and behind a searched event; */
    WLM_FD_HIGH, /* HIGH 0: none is searched */
    WLM_FD_TIME, /* the time of a stage, or of events' values */
    WLM_FD_DH,   /* the share of the step that a stage takes */
    WLM_FD_BLUR, /* how long steps are that do not tell unknowns that follow rates */
    WLM_FD_CHANGE,
    WLM_FD_NORM,
    WLM_FD_FACTOR,
    WLM_FD_HEALTH,
    WLM_FD_COUNT
};
/* Registers of 32 bits: the words of wlm_kernel_record, then these. */
enum { WLM_R_MOST = WLM_KERNEL_RECORDS, WLM_R_NOW, WLM_R_SUM, WLM_R_STAGE, WLM_R_ROUND, WLM_R_COUNT };
/* Registers of 64 bits. */
enum { WLM_RD_LANE, WLM_RD_LANES, WLM_RD_ADDRESS, WLM_RD_PITCH, WLM_RD_TABLES, WLM_RD_COUNT };
/* Registers of truths. */
enum { WLM_P_DONE, WLM_P_ENDS, WLM_P_TRUTH, WLM_P_COUNT };

/* A kernel that is being written. Numbers of registers for doubles, n each, where not said otherwise: */
typedef struct wlm_lane_kernel {
    wlm_ptx *w;
    const wlm_kernel_shape *shape;
    const wlm_device_tables *tables;
    int32_t *state, *parameter; /* parameter: one for each parameter */
    int32_t *next;              /* the state at the end of the tried step */
    int32_t *q, *f, *charge;    /* q and f at its beginning; charge: what a stage is solved for */
    int32_t *f_stage, *f_end, *f_before, *error;
    int32_t *before, *after; /* one for each event */
    int32_t *block;
} wlm_lane_kernel;

/* A program that stands in a kernel: the registers of its slots. */
typedef struct wlm_placed {
    const wlm_program *body;
    int32_t *slot; /* NULL: the kernel does not have this program */
} wlm_placed;

/* Writes the part of a program that depends on parameters alone, and gives its inputs registers: t has `time`, y
 * `state`, and inputs behind the parameters have `more`. WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_kernel_place(const wlm_lane_kernel *k, const wlm_kernel_program *program, int32_t time,
                               const int32_t *state, const int32_t *more, int32_t mores, wlm_placed *placed);

static inline const int32_t *wlm_placed_outputs(const wlm_placed *p)
{
    return p->slot + p->body->inputs;
}

/* control.c: the parts of the loop. */
void wlm_kernel_limit(const wlm_lane_kernel *k, const wlm_placed *limit);
void wlm_kernel_choose(const wlm_lane_kernel *k);
void wlm_kernel_judge(const wlm_lane_kernel *k);
void wlm_kernel_search(const wlm_lane_kernel *k, const wlm_placed *crossing);
void wlm_kernel_accept(const wlm_lane_kernel *k);
void wlm_kernel_count(const wlm_lane_kernel *k);
void wlm_kernel_blame(const wlm_lane_kernel *k);

/* newton.c: a step that is tried, with its loops. */
void wlm_kernel_attempt_newton(const wlm_lane_kernel *k, const wlm_placed *newton, const wlm_placed *charges,
                               const wlm_placed *estimate);

/* Writes fd<to> = fd<from>. */
static inline void wlm_kernel_move(wlm_ptx *w, int to, int from)
{
    wlm_ptx_line(w, "mov.f64 %%fd%d, %%fd%d;", to, from);
}

#endif
