/* The files that write a kernel share these: its registers, its programs, and its parts. */
#ifndef WLU_MODEL_DEVICE_KERNEL_PARTS_H
#define WLU_MODEL_DEVICE_KERNEL_PARTS_H

#include "model/device/shape.h"
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
    WLM_FD_LOW,  /* lengths before and behind an event that is searched for; */
    WLM_FD_HIGH, /* 0: none is */
    WLM_FD_TIME, /* of a stage, and of events' values */
    WLM_FD_DH,   /* of a stage: its share of the step */
    WLM_FD_CHANGE,
    WLM_FD_NORM,
    WLM_FD_FACTOR,
    WLM_FD_HEALTH,
    WLM_FD_COUNT
};
/* 32 bits: words of wlm_kernel_record, then */
enum { WLM_R_MOST = WLM_KERNEL_RECORDS, WLM_R_NOW, WLM_R_SUM, WLM_R_STAGE, WLM_R_ROUND, WLM_R_COUNT };
/* 64 bits */
enum { WLM_RD_LANE, WLM_RD_LANES, WLM_RD_ADDRESS, WLM_RD_PITCH, WLM_RD_COUNT };
/* truths */
enum { WLM_P_DONE, WLM_P_ENDS, WLM_P_TRUTH, WLM_P_COUNT };

/* A kernel that is being written. Numbers of registers for doubles, n each, where not said otherwise: */
typedef struct wlm_lane_kernel {
    wlm_ptx *w;
    const wlm_kernel_shape *shape;
    int32_t *state, *parameter; /* parameter: as many as there are */
    int32_t *next;              /* what the step that is tried comes to */
    int32_t *q, *f, *charge;    /* where the step begins; charge: what a stage is solved for */
    int32_t *f_stage, *f_end, *f_before, *error;
    int32_t *before, *after; /* of each event */
    int32_t *block;
} wlm_lane_kernel;

/* A program that stands in a kernel: the registers of its slots. */
typedef struct wlm_placed {
    const wlm_program *body;
    int32_t *slot; /* NULL: there is no program */
} wlm_placed;

/* Writes what a program takes of the parameters, and gives its inputs registers: t's is `time`, those of y `state`;
 * `more` has those behind the parameters. WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_kernel_place(const wlm_lane_kernel *k, const wlm_kernel_program *program, int32_t time,
                               const int32_t *state, const int32_t *more, int32_t mores, wlm_placed *placed);

static inline const int32_t *wlm_placed_outputs(const wlm_placed *p)
{
    return p->slot + p->body->inputs;
}

/* control.c: the parts of the loop. */
void wlm_kernel_choose(const wlm_lane_kernel *k);
void wlm_kernel_judge(const wlm_lane_kernel *k);
void wlm_kernel_search(const wlm_lane_kernel *k, const wlm_placed *crossing);
void wlm_kernel_accept(const wlm_lane_kernel *k);
void wlm_kernel_count(const wlm_lane_kernel *k);
void wlm_kernel_blame(const wlm_lane_kernel *k);

/* newton.c: a step that is tried, with its loops. */
void wlm_kernel_attempt_newton(const wlm_lane_kernel *k, const wlm_placed *newton, const wlm_placed *charges,
                               const wlm_placed *estimate);

/* fd<to> = fd<from>. */
static inline void wlm_kernel_move(wlm_ptx *w, int to, int from)
{
    wlm_ptx_line(w, "mov.f64 %%fd%d, %%fd%d;", to, from);
}

#endif
