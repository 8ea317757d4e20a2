/* Control of a lane's steps, as src/model/method/pace.c and src/model/step/drive.c have it. */
#include "model/device/instructions.h"
#include "model/device/kernel_parts.h"

#include <float.h>

#define QUARTER "0d3fd0000000000000"
#define NINE_TENTHS "0d3feccccccccccccd"
#define ALMOST "0d3feffffde7210be9" /* 0.999999 */

static const double SLACK = 8.0 * DBL_EPSILON; /* of a time: what rounding makes of it */

/* TRUTH: the length of the step to an event is known well enough; wlm_pace_searches. */
static void ask_found(wlm_ptx *w)
{
    wlm_ptx_line(w, "abs.f64 %%fd%d, %%fd%d;", WLM_FD_OTHER, WLM_FD_T);
    wlm_kernel_by(w, "mul.rn.f64", WLM_FD_OTHER, WLM_FD_OTHER, SLACK);
    wlm_kernel_by(w, "mul.rn.f64", WLM_FD_SCRATCH, WLM_FD_HIGH, 1e-10);
    wlm_kernel_two(w, "add.rn.f64", WLM_FD_OTHER, WLM_FD_SCRATCH, WLM_FD_OTHER);
    wlm_kernel_two(w, "sub.rn.f64", WLM_FD_SCRATCH, WLM_FD_HIGH, WLM_FD_LOW);
    wlm_ptx_line(w, "setp.le.f64 %%p%d, %%fd%d, %%fd%d;", WLM_P_TRUTH, WLM_FD_SCRATCH, WLM_FD_OTHER);
}

/* Halves the way to an event that is searched for. */
static void choose_between(wlm_ptx *w)
{
    wlm_kernel_ask(w, "gt", WLM_P_OTHER, WLM_FD_HIGH, WLM_PTX_ZERO);
    wlm_ptx_line(w, "@!%%p%d bra choose;", WLM_P_OTHER);
    ask_found(w);
    wlm_kernel_two(w, "sub.rn.f64", WLM_FD_H, WLM_FD_HIGH, WLM_FD_LOW);
    wlm_kernel_with(w, "mul.rn.f64", WLM_FD_H, WLM_FD_H, WLM_PTX_HALF);
    wlm_kernel_two(w, "add.rn.f64", WLM_FD_H, WLM_FD_LOW, WLM_FD_H);
    wlm_ptx_line(w, "selp.f64 %%fd%d, %%fd%d, %%fd%d, %%p%d;", WLM_FD_H, WLM_FD_HIGH, WLM_FD_H, WLM_P_TRUTH);
    wlm_ptx_line(w, "setp.lt.f64 %%p%d, %%fd%d, %%fd%d;", WLM_P_ENDS, WLM_FD_HIGH, WLM_FD_LOW); /* false */
    wlm_ptx_line(w, "bra chosen;");
    wlm_ptx_line(w, "choose:");
}

/* wlm_pace_length: H, and ENDS. */
void wlm_kernel_choose(const wlm_lane_kernel *k)
{
    wlm_ptx *w = k->w;
    int fixed = k->shape->fixed;
    if (k->shape->events > 0) choose_between(w);
    wlm_kernel_two(w, "sub.rn.f64", WLM_FD_ROOM, WLM_FD_STOP, WLM_FD_T);
    wlm_kernel_move(w, WLM_FD_H, WLM_FD_WANT);
    if (!fixed) { /* a NaN stays one */
        wlm_ptx_line(w, "setp.gt.f64 %%p%d, %%fd%d, %%fd%d;", WLM_P_TRUTH, WLM_FD_H, WLM_AT_LONGEST);
        wlm_ptx_line(w, "@%%p%d mov.f64 %%fd%d, %%fd%d;", WLM_P_TRUTH, WLM_FD_H, WLM_AT_LONGEST);
    }
    wlm_kernel_with(w, "mul.rn.f64", WLM_FD_SCRATCH, WLM_FD_ROOM, ALMOST);
    wlm_ptx_line(w, "setp.ge.f64 %%p%d, %%fd%d, %%fd%d;", WLM_P_ENDS, WLM_FD_H, WLM_FD_SCRATCH);
    if (!fixed) {
        wlm_kernel_two(w, "add.rn.f64", WLM_FD_SCRATCH, WLM_FD_H, WLM_FD_H);
        wlm_ptx_line(w, "setp.gt.f64 %%p%d, %%fd%d, %%fd%d;", WLM_P_TRUTH, WLM_FD_SCRATCH, WLM_FD_ROOM);
        wlm_kernel_with(w, "mul.rn.f64", WLM_FD_SCRATCH, WLM_FD_ROOM, WLM_PTX_HALF);
        wlm_ptx_line(w, "selp.f64 %%fd%d, %%fd%d, %%fd%d, %%p%d;", WLM_FD_H, WLM_FD_SCRATCH, WLM_FD_H, WLM_P_TRUTH);
    }
    wlm_ptx_line(w, "selp.f64 %%fd%d, %%fd%d, %%fd%d, %%p%d;", WLM_FD_H, WLM_FD_ROOM, WLM_FD_H, WLM_P_ENDS);
    if (k->shape->events > 0) wlm_ptx_line(w, "chosen:");
}

/* STATUS of a step that has to be refused, unless it has one: something of the new state, the norm or the health is NaN
 * or infinite, or a pivot is weak. OTHER: what its length is to be multiplied by. */
static void find_trouble(const wlm_lane_kernel *k)
{
    wlm_ptx *w = k->w;
    int weak = k->shape->algebraic ? WARPLU_SINGULAR : WARPLU_STEP_TOO_SMALL;
    wlm_ptx_line(w, "mov.f64 %%fd%d, " WLM_PTX_ZERO ";", WLM_FD_SCRATCH);
    for (int32_t i = 0; i < k->shape->n; i++)
        wlm_ptx_line(w, "fma.rn.f64 %%fd%d, %%fd%d, " WLM_PTX_ZERO ", %%fd%d;", WLM_FD_SCRATCH, (int)k->next[i],
                     WLM_FD_SCRATCH);
    wlm_kernel_ask(w, "eq", WLM_P_GOOD, WLM_FD_SCRATCH, WLM_PTX_ZERO);
    wlm_ptx_line(w, "setp.num.and.f64 %%p%d, %%fd%d, %%fd%d, %%p%d;", WLM_P_GOOD, WLM_FD_NORM, WLM_FD_HEALTH,
                 WLM_P_GOOD);
    wlm_ptx_line(w, "selp.b32 %%r%d, 0, %d, %%p%d;", WLM_R_NEW, (int)WARPLU_NOT_FINITE, WLM_P_GOOD);
    /* Health that is a number and not positive is a weak pivot, whatever the state is. */
    wlm_kernel_ask(w, "le", WLM_P_TRUTH, WLM_FD_HEALTH, WLM_PTX_ZERO);
    wlm_ptx_line(w, "setp.num.and.f64 %%p%d, %%fd%d, %%fd%d, %%p%d;", WLM_P_TRUTH, WLM_FD_NORM, WLM_FD_NORM,
                 WLM_P_TRUTH);
    wlm_ptx_line(w, "@%%p%d mov.u32 %%r%d, %d;", WLM_P_TRUTH, WLM_R_NEW, weak);
    wlm_ptx_line(w, "setp.eq.s32 %%p%d, %%r%d, 0;", WLM_P_TRUTH, WLM_RECORD_STATUS);
    wlm_ptx_line(w, "@%%p%d mov.u32 %%r%d, %%r%d;", WLM_P_TRUTH, WLM_RECORD_STATUS, WLM_R_NEW);
    wlm_ptx_line(w, "setp.eq.s32 %%p%d, %%r%d, 0;", WLM_P_GOOD, WLM_RECORD_STATUS);
    wlm_ptx_line(w, "mov.f64 %%fd%d, " QUARTER ";", WLM_FD_OTHER);
}

/* Of controlled steps: a good step whose error is too large is refused as well. */
static void find_error(wlm_ptx *w)
{
    wlm_kernel_ask(w, "gtu", WLM_P_TRUTH, WLM_FD_NORM, WLM_PTX_ONE);
    wlm_ptx_line(w, "and.pred %%p%d, %%p%d, %%p%d;", WLM_P_TRUTH, WLM_P_TRUTH, WLM_P_GOOD);
    wlm_ptx_line(w, "@%%p%d mov.u32 %%r%d, %d;", WLM_P_TRUTH, WLM_RECORD_STATUS, (int)WARPLU_STEP_TOO_SMALL);
    wlm_kernel_with(w, "min.f64", WLM_FD_SCRATCH, WLM_FD_FACTOR, NINE_TENTHS);
    wlm_ptx_line(w, "@%%p%d mov.f64 %%fd%d, %%fd%d;", WLM_P_TRUTH, WLM_FD_OTHER, WLM_FD_SCRATCH);
    wlm_ptx_line(w, "setp.eq.s32 %%p%d, %%r%d, 0;", WLM_P_GOOD, WLM_RECORD_STATUS);
}

/* Refuses a step, by OTHER, with STATUS where it is the last. */
static void refuse(wlm_ptx *w, int fixed)
{
    wlm_ptx_line(w, "@%%p%d bra taken;", WLM_P_GOOD);
    wlm_ptx_line(w, "add.u32 %%r%d, %%r%d, 1;", WLM_RECORD_REJECTED, WLM_RECORD_REJECTED);
    wlm_kernel_two(w, "mul.rn.f64", WLM_FD_WANT, WLM_FD_H, WLM_FD_OTHER);
    wlm_ptx_line(w, "mov.f64 %%fd%d, " WLM_PTX_ZERO ";", WLM_FD_HIGH);
    wlm_ptx_line(w, "mov.u32 %%r%d, 1;", WLM_RECORD_REFUSED);
    if (!fixed) {
        wlm_ptx_line(w, "abs.f64 %%fd%d, %%fd%d;", WLM_FD_SCRATCH, WLM_FD_T);
        wlm_kernel_by(w, "mul.rn.f64", WLM_FD_SCRATCH, WLM_FD_SCRATCH, 16.0 * DBL_EPSILON);
        wlm_kernel_two(w, "max.f64", WLM_FD_SCRATCH, WLM_FD_SCRATCH, WLM_AT_SHORTEST);
        wlm_ptx_line(w, "setp.lt.f64 %%p%d, %%fd%d, %%fd%d;", WLM_P_TRUTH, WLM_FD_WANT, WLM_FD_SCRATCH);
        wlm_ptx_line(w, "@%%p%d bra fail;", WLM_P_TRUTH);
        wlm_ptx_line(w, "mov.u32 %%r%d, 0;", WLM_RECORD_STATUS);
        wlm_ptx_line(w, "bra count;");
    } else {
        wlm_ptx_line(w, "bra fail;");
    }
    wlm_ptx_line(w, "taken:");
}

/* drive.c: judge, reject. */
void wlm_kernel_judge(const wlm_lane_kernel *k)
{
    find_trouble(k);
    if (!k->shape->fixed) find_error(k->w);
    refuse(k->w, k->shape->fixed);
}

/* wlm_pace_searches: OTHER, FIRED where the step ends with an event; one that is too long is tried again. */
void wlm_kernel_search(const wlm_lane_kernel *k, const wlm_placed *crossing)
{
    wlm_ptx *w = k->w;
    wlm_kernel_two(w, "add.rn.f64", WLM_FD_TIME, WLM_FD_T, WLM_FD_H);
    wlm_ptx_line(w, "@%%p%d mov.f64 %%fd%d, %%fd%d;", WLM_P_ENDS, WLM_FD_TIME, WLM_FD_STOP);
    wlm_ptx_program(w, crossing->body, crossing->slot);
    wlm_kernel_ask(w, "nan", WLM_P_OTHER, WLM_FD_T, WLM_PTX_ZERO); /* false */
    for (int32_t e = 0; e < k->shape->events; e++) {
        wlm_kernel_move(w, k->after[e], wlm_placed_outputs(crossing)[e]);
        wlm_kernel_ask(w, "lt", WLM_P_TRUTH, k->before[e], WLM_PTX_ZERO);
        wlm_ptx_line(w, "setp.ge.and.f64 %%p%d, %%fd%d, " WLM_PTX_ZERO ", %%p%d;", WLM_P_TRUTH, (int)k->after[e],
                     WLM_P_TRUTH);
        wlm_ptx_line(w, "or.pred %%p%d, %%p%d, %%p%d;", WLM_P_OTHER, WLM_P_OTHER, WLM_P_TRUTH);
    }
    wlm_ptx_line(w, "selp.b32 %%r%d, 1, 0, %%p%d;", WLM_RECORD_FIRED, WLM_P_OTHER);
    wlm_kernel_ask(w, "eq", WLM_P_TRUTH, WLM_FD_HIGH, WLM_PTX_ZERO);
    wlm_ptx_line(w, "@%%p%d bra crosses;", WLM_P_OTHER);
    wlm_ptx_line(w, "@%%p%d bra accept;", WLM_P_TRUTH);
    wlm_kernel_move(w, WLM_FD_LOW, WLM_FD_H);
    wlm_ptx_line(w, "bra count;");
    wlm_ptx_line(w, "crosses:");
    wlm_ptx_line(w, "@%%p%d mov.f64 %%fd%d, " WLM_PTX_ZERO ";", WLM_P_TRUTH, WLM_FD_LOW);
    wlm_kernel_move(w, WLM_FD_HIGH, WLM_FD_H);
    ask_found(w);
    wlm_ptx_line(w, "@%%p%d bra found;", WLM_P_TRUTH);
    wlm_ptx_line(w, "mov.u32 %%r%d, 0;", WLM_RECORD_FIRED);
    wlm_ptx_line(w, "bra count;");
    wlm_ptx_line(w, "found: mov.f64 %%fd%d, " WLM_PTX_ZERO ";", WLM_FD_HIGH);
    wlm_ptx_line(w, "accept:");
}

/* The next step's length. */
static void grow(wlm_ptx *w)
{
    wlm_ptx_line(w, "setp.ne.u32 %%p%d, %%r%d, 0;", WLM_P_TRUTH, WLM_RECORD_REFUSED);
    wlm_kernel_move(w, WLM_FD_OTHER, WLM_FD_FACTOR);
    wlm_ptx_line(w, "@%%p%d min.f64 %%fd%d, %%fd%d, " WLM_PTX_ONE ";", WLM_P_TRUTH, WLM_FD_OTHER, WLM_FD_OTHER);
    wlm_kernel_two(w, "mul.rn.f64", WLM_FD_OTHER, WLM_FD_H, WLM_FD_OTHER);
    wlm_ptx_line(w, "setp.lt.f64 %%p%d, %%fd%d, %%fd%d;", WLM_P_TRUTH, WLM_FD_H, WLM_FD_WANT);
    wlm_kernel_two(w, "max.f64", WLM_FD_SCRATCH, WLM_FD_OTHER, WLM_FD_WANT);
    wlm_ptx_line(w, "selp.f64 %%fd%d, %%fd%d, %%fd%d, %%p%d;", WLM_FD_WANT, WLM_FD_SCRATCH, WLM_FD_OTHER, WLM_P_TRUTH);
}

/* What a step that is taken leaves. */
void wlm_kernel_accept(const wlm_lane_kernel *k)
{
    wlm_ptx *w = k->w;
    for (int32_t i = 0; i < k->shape->n; i++) wlm_kernel_move(w, k->state[i], k->next[i]);
    if (wlm_implicit_looks_back(k->shape->implicit)) {
        for (int32_t i = 0; i < k->shape->n; i++) wlm_kernel_move(w, k->f_before[i], k->f[i]);
        wlm_kernel_move(w, WLM_FD_BEFORE, WLM_FD_H);
    }
    if (k->shape->events > 0) { /* the host looks at both where one has fired */
        wlm_ptx_line(w, "setp.eq.s32 %%p%d, %%r%d, 0;", WLM_P_TRUTH, WLM_RECORD_FIRED);
        for (int32_t e = 0; e < k->shape->events; e++)
            wlm_ptx_line(w, "@%%p%d mov.f64 %%fd%d, %%fd%d;", WLM_P_TRUTH, (int)k->before[e], (int)k->after[e]);
    }
    wlm_ptx_line(w, "setp.ne.u32 %%p%d, %%r%d, 0;", WLM_P_TRUTH, WLM_RECORD_BEHIND);
    wlm_ptx_line(w, "@%%p%d mov.f64 %%fd%d, %%fd%d;", WLM_P_TRUTH, WLM_FD_LEARNT, WLM_FD_H);
    wlm_ptx_line(w, "mov.u32 %%r%d, 0;", WLM_RECORD_BEHIND);
    if (!k->shape->fixed) grow(w);
    wlm_ptx_line(w, "mov.u32 %%r%d, 0;", WLM_RECORD_REFUSED);
    wlm_ptx_line(w, "add.u32 %%r%d, %%r%d, 1;", WLM_RECORD_STEPS, WLM_RECORD_STEPS);
    wlm_kernel_two(w, "add.rn.f64", WLM_FD_T, WLM_FD_T, WLM_FD_H);
    /* At the stop, or within rounding of it. */
    wlm_kernel_two(w, "sub.rn.f64", WLM_FD_SCRATCH, WLM_FD_STOP, WLM_FD_T);
    wlm_ptx_line(w, "abs.f64 %%fd%d, %%fd%d;", WLM_FD_OTHER, WLM_FD_STOP);
    wlm_kernel_by(w, "mul.rn.f64", WLM_FD_OTHER, WLM_FD_OTHER, SLACK);
    wlm_ptx_line(w, "setp.le.or.f64 %%p%d, %%fd%d, %%fd%d, %%p%d;", WLM_P_DONE, WLM_FD_SCRATCH, WLM_FD_OTHER,
                 WLM_P_ENDS);
    wlm_ptx_line(w, "@%%p%d mov.f64 %%fd%d, %%fd%d;", WLM_P_DONE, WLM_FD_T, WLM_FD_STOP);
    wlm_ptx_line(w, "setp.ge.f64 %%p%d, %%fd%d, %%fd%d;", WLM_P_TRUTH, WLM_FD_T, WLM_AT_WHOLE);
    wlm_ptx_line(w, "@%%p%d bra arrive;", WLM_P_TRUTH);
}

/* Whether another step may be tried, and whether in this launch. */
void wlm_kernel_count(const wlm_lane_kernel *k)
{
    wlm_ptx *w = k->w;
    wlm_ptx_line(w, "count: add.u32 %%r%d, %%r%d, %%r%d;", WLM_R_SUM, WLM_RECORD_STEPS, WLM_RECORD_REJECTED);
    wlm_ptx_line(w, "setp.ge.u32 %%p%d, %%r%d, %%r%d;", WLM_P_TRUTH, WLM_R_SUM, WLM_R_MOST);
    wlm_ptx_line(w, "@%%p%d mov.u32 %%r%d, %d;", WLM_P_TRUTH, WLM_RECORD_STATUS, (int)WARPLU_STEP_TOO_SMALL);
    wlm_ptx_line(w, "@%%p%d bra fail;", WLM_P_TRUTH);
    if (k->shape->events > 0) {
        wlm_ptx_line(w, "setp.ne.u32 %%p%d, %%r%d, 0;", WLM_P_TRUTH, WLM_RECORD_FIRED);
        wlm_ptx_line(w, "@%%p%d bra arrive;", WLM_P_TRUTH);
        wlm_kernel_ask(w, "gt", WLM_P_TRUTH, WLM_FD_HIGH, WLM_PTX_ZERO); /* what is found of an event is not stored */
        wlm_ptx_line(w, "@%%p%d bra loop;", WLM_P_TRUTH);
    }
    wlm_ptx_line(w, "add.u32 %%r%d, %%r%d, -1;", WLM_R_NOW, WLM_R_NOW);
    wlm_ptx_line(w, "setp.ne.u32 %%p%d, %%r%d, 0;", WLM_P_TRUTH, WLM_R_NOW);
    wlm_ptx_line(w, "@%%p%d bra loop;", WLM_P_TRUTH);
    wlm_ptx_line(w, "bra finish;");
}

/* wlm_lane_fail: UNKNOWN of a step from the state to the next one. */
void wlm_kernel_blame(const wlm_lane_kernel *k)
{
    wlm_ptx *w = k->w;
    int at = WLM_FD_SCRATCH, size = WLM_FD_ROOM;
    wlm_ptx_line(w, "fail: mov.u32 %%r%d, -1;", WLM_RECORD_UNKNOWN);
    wlm_ptx_line(w, "mov.f64 %%fd%d, " WLM_PTX_ZERO ";", WLM_FD_CHANGE);
    for (int32_t i = 0; i < k->shape->n; i++) {
        wlm_kernel_with(w, "mul.rn.f64", at, k->state[i], WLM_PTX_ZERO);
        wlm_ptx_line(w, "fma.rn.f64 %%fd%d, %%fd%d, " WLM_PTX_ZERO ", %%fd%d;", at, (int)k->next[i], at);
        wlm_kernel_ask(w, "neu", WLM_P_TRUTH, at, WLM_PTX_ZERO);
        wlm_ptx_line(w, "@%%p%d mov.u32 %%r%d, %d;", WLM_P_TRUTH, WLM_RECORD_UNKNOWN, (int)i);
        wlm_ptx_line(w, "@%%p%d bra finish;", WLM_P_TRUTH);
        wlm_ptx_line(w, "abs.f64 %%fd%d, %%fd%d;", at, (int)k->state[i]);
        wlm_ptx_line(w, "abs.f64 %%fd%d, %%fd%d;", size, (int)k->next[i]);
        wlm_kernel_two(w, "max.f64", size, at, size);
        wlm_kernel_by(w, "mul.rn.f64", size, size, k->shape->relative);
        wlm_kernel_by(w, "add.rn.f64", size, size, k->shape->absolute);
        wlm_kernel_two(w, "sub.rn.f64", at, k->next[i], k->state[i]);
        wlm_ptx_line(w, "abs.f64 %%fd%d, %%fd%d;", at, at);
        wlm_kernel_two(w, "div.rn.f64", at, at, size);
        wlm_ptx_line(w, "setp.gt.f64 %%p%d, %%fd%d, %%fd%d;", WLM_P_TRUTH, at, WLM_FD_CHANGE);
        wlm_ptx_line(w, "@%%p%d mov.f64 %%fd%d, %%fd%d;", WLM_P_TRUTH, WLM_FD_CHANGE, at);
        wlm_ptx_line(w, "@%%p%d mov.u32 %%r%d, %d;", WLM_P_TRUTH, WLM_RECORD_UNKNOWN, (int)i);
    }
}
