/* A step by Newton's iterations, as src/model/step/newton.c has it: a loop over stages around one over iterations.
 *
 *     STAGE 0: charges and rates where the step begins, then what the first stage is solved for; iterations
 *     STAGE 1: charges and rates at its solution; of two stages what the second one is solved for; iterations
 *     STAGE 2: the same, of two stages
 *
 * So each program stands in the text once. A lane that has failed goes through the rest without iterations. */
#include "model/device/instructions.h"
#include "model/device/kernel_parts.h"

enum { ITERATIONS_MOST = 10 };
#define SMALL "0d3f847ae147ae147b" /* 0.01, of the tolerance */

/* TIME = t + c h, kept where the equations do not jump. */
static void set_time(wlm_ptx *w, double c)
{
    wlm_kernel_by(w, "mul.rn.f64", WLM_FD_TIME, WLM_FD_H, c);
    wlm_kernel_two(w, "add.rn.f64", WLM_FD_TIME, WLM_FD_T, WLM_FD_TIME);
    wlm_kernel_two(w, "min.f64", WLM_FD_TIME, WLM_FD_TIME, WLM_FD_LAST);
    wlm_kernel_two(w, "max.f64", WLM_FD_TIME, WLM_FD_TIME, WLM_FD_FIRST);
}

static void fail_where(wlm_ptx *w, int truth, warplu_status status)
{
    wlm_ptx_line(w, "@%%p%d mov.u32 %%r%d, %d;", truth, WLM_RECORD_STATUS, (int)status);
    wlm_ptx_line(w, "@%%p%d bra solved;", truth);
}

/* Iterations from `next` on, which is where they end. */
static void iterate(const wlm_lane_kernel *k, const wlm_placed *newton)
{
    wlm_ptx *w = k->w;
    const int32_t *out = wlm_placed_outputs(newton);
    wlm_ptx_line(w, "solve: setp.ne.s32 %%p%d, %%r%d, 0;", WLM_P_TRUTH, WLM_RECORD_STATUS);
    wlm_ptx_line(w, "@%%p%d bra solved;", WLM_P_TRUTH);
    wlm_ptx_line(w, "mov.u32 %%r%d, 0;", WLM_R_ROUND);
    wlm_ptx_line(w, "mov.f64 %%fd%d, " WLM_PTX_ZERO ";", WLM_FD_CHANGE);
    wlm_ptx_line(w, "iterate:");
    wlm_ptx_program(w, newton->body, newton->slot);
    int norm = out[k->shape->n], health = out[k->shape->n + 1];
    wlm_ptx_line(w, "add.u32 %%r%d, %%r%d, 1;", WLM_RECORD_ITERATIONS, WLM_RECORD_ITERATIONS);
    wlm_ptx_line(w, "setp.nan.f64 %%p%d, %%fd%d, %%fd%d;", WLM_P_TRUTH, norm, health);
    fail_where(w, WLM_P_TRUTH, WARPLU_NOT_FINITE);
    wlm_kernel_ask(w, "le", WLM_P_TRUTH, health, WLM_PTX_ZERO);
    fail_where(w, WLM_P_TRUTH, WARPLU_SINGULAR);
    wlm_kernel_by(w, "mul.rn.f64", WLM_FD_SCRATCH, WLM_FD_CHANGE, 4.0);
    wlm_ptx_line(w, "setp.gt.f64 %%p%d, %%fd%d, %%fd%d;", WLM_P_TRUTH, norm, WLM_FD_SCRATCH);
    wlm_ptx_line(w, "setp.ge.u32 %%p%d, %%r%d, 2;", WLM_P_OTHER, WLM_R_ROUND);
    wlm_ptx_line(w, "and.pred %%p%d, %%p%d, %%p%d;", WLM_P_TRUTH, WLM_P_TRUTH, WLM_P_OTHER);
    fail_where(w, WLM_P_TRUTH, WARPLU_NO_CONVERGENCE);
    wlm_kernel_move(w, WLM_FD_CHANGE, norm);
    for (int32_t i = 0; i < k->shape->n; i++) wlm_kernel_move(w, k->next[i], out[i]);
    wlm_kernel_ask(w, "le", WLM_P_TRUTH, norm, SMALL);
    wlm_ptx_line(w, "@%%p%d bra solved;", WLM_P_TRUTH);
    wlm_ptx_line(w, "add.u32 %%r%d, %%r%d, 1;", WLM_R_ROUND, WLM_R_ROUND);
    wlm_ptx_line(w, "setp.ge.u32 %%p%d, %%r%d, %d;", WLM_P_TRUTH, WLM_R_ROUND, ITERATIONS_MOST);
    fail_where(w, WLM_P_TRUTH, WARPLU_NO_CONVERGENCE);
    wlm_ptx_line(w, "bra iterate;");
    wlm_ptx_line(w, "solved: add.u32 %%r%d, %%r%d, 1;", WLM_R_STAGE, WLM_R_STAGE);
    wlm_ptx_line(w, "bra evaluate;");
}

/* STAGE 0: keeps charges and rates; charge = q + weight h f. */
static void begin_first(const wlm_lane_kernel *k, const int32_t *out)
{
    wlm_ptx *w = k->w;
    int32_t n = k->shape->n;
    const wlm_implicit *m = k->shape->implicit;
    wlm_kernel_by(w, "mul.rn.f64", WLM_FD_OTHER, WLM_FD_H, m->weight);
    for (int32_t i = 0; i < n; i++) {
        wlm_kernel_move(w, k->q[i], out[i]);
        wlm_kernel_move(w, k->f[i], out[n + i]);
        wlm_kernel_two(w, "mul.rn.f64", WLM_FD_SCRATCH, WLM_FD_OTHER, out[n + i]);
        wlm_kernel_two(w, "add.rn.f64", k->charge[i], out[i], WLM_FD_SCRATCH);
    }
    wlm_kernel_by(w, "mul.rn.f64", WLM_FD_DH, WLM_FD_H, m->share);
    set_time(w, m->time);
    wlm_ptx_line(w, "bra solve;");
}

/* STAGE 1 of two: the second stage begins where a line through the first one's ends. */
static void begin_second(const wlm_lane_kernel *k, const int32_t *out)
{
    wlm_ptx *w = k->w;
    const wlm_implicit *m = k->shape->implicit;
    for (int32_t i = 0; i < k->shape->n; i++) {
        wlm_kernel_by(w, "mul.rn.f64", WLM_FD_SCRATCH, out[i], m->of_stage);
        wlm_kernel_by(w, "mul.rn.f64", WLM_FD_OTHER, k->q[i], m->of_start);
        wlm_kernel_two(w, "sub.rn.f64", k->charge[i], WLM_FD_SCRATCH, WLM_FD_OTHER);
        wlm_kernel_two(w, "sub.rn.f64", WLM_FD_SCRATCH, k->next[i], k->state[i]);
        wlm_kernel_by(w, "mul.rn.f64", WLM_FD_SCRATCH, WLM_FD_SCRATCH, 1.0 - m->time);
        wlm_kernel_by(w, "div.rn.f64", WLM_FD_SCRATCH, WLM_FD_SCRATCH, m->time);
        wlm_kernel_two(w, "add.rn.f64", k->next[i], k->next[i], WLM_FD_SCRATCH);
    }
    wlm_kernel_by(w, "mul.rn.f64", WLM_FD_DH, WLM_FD_H, m->share);
    set_time(w, 1.0);
    wlm_ptx_line(w, "bra solve;");
}

/* h / 2 (f1 - f0). */
static void error_of_ends(const wlm_lane_kernel *k, int32_t i, int to)
{
    wlm_kernel_with(k->w, "mul.rn.f64", to, WLM_FD_H, WLM_PTX_HALF);
    wlm_kernel_two(k->w, "sub.rn.f64", WLM_FD_ROOM, k->f_stage[i], k->f[i]);
    wlm_kernel_two(k->w, "mul.rn.f64", to, to, WLM_FD_ROOM);
}

/* h^3 / 6 ((f1 - f0) / h - (f0 - before) / hb) / (h + hb); behind a jump that of ends. */
static void error_of_steps(const wlm_lane_kernel *k, int32_t i, int to)
{
    wlm_ptx *w = k->w;
    int a = WLM_FD_SCRATCH, b = WLM_FD_OTHER;
    error_of_ends(k, i, to); /* ROOM: f1 - f0 */
    wlm_kernel_two(w, "div.rn.f64", a, WLM_FD_ROOM, WLM_FD_H);
    wlm_kernel_two(w, "sub.rn.f64", b, k->f[i], k->f_before[i]);
    wlm_kernel_two(w, "div.rn.f64", b, b, WLM_FD_BEFORE);
    wlm_kernel_two(w, "sub.rn.f64", a, a, b);
    wlm_kernel_two(w, "mul.rn.f64", b, WLM_FD_H, WLM_FD_H);
    wlm_kernel_two(w, "mul.rn.f64", b, b, WLM_FD_H);
    wlm_kernel_by(w, "div.rn.f64", b, b, 6.0);
    wlm_kernel_two(w, "mul.rn.f64", a, b, a);
    wlm_kernel_two(w, "add.rn.f64", b, WLM_FD_H, WLM_FD_BEFORE);
    wlm_kernel_two(w, "div.rn.f64", a, a, b);
    wlm_kernel_ask(w, "gt", WLM_P_TRUTH, WLM_FD_BEFORE, WLM_PTX_ZERO);
    wlm_ptx_line(w, "selp.f64 %%fd%d, %%fd%d, %%fd%d, %%p%d;", to, a, to, WLM_P_TRUTH);
}

static void error_of_stages(const wlm_lane_kernel *k, int32_t i, int to)
{
    wlm_ptx *w = k->w;
    const wlm_implicit *m = k->shape->implicit;
    int a = WLM_FD_SCRATCH, b = WLM_FD_OTHER;
    wlm_kernel_by(w, "div.rn.f64", a, k->f[i], m->over[0]);
    wlm_kernel_by(w, "div.rn.f64", b, k->f_stage[i], m->over[1]);
    wlm_kernel_two(w, "sub.rn.f64", a, a, b);
    wlm_kernel_by(w, "div.rn.f64", b, k->f_end[i], m->over[2]);
    wlm_kernel_two(w, "add.rn.f64", a, a, b);
    wlm_kernel_by(w, "mul.rn.f64", b, WLM_FD_H, m->by);
    wlm_kernel_two(w, "mul.rn.f64", to, b, a);
}

/* NORM, FACTOR and HEALTH of the step. */
static void estimate_error(const wlm_lane_kernel *k, const wlm_placed *estimate)
{
    wlm_ptx *w = k->w;
    for (int32_t i = 0; i < k->shape->n; i++) {
        switch (k->shape->implicit->error) {
        case WLM_ERROR_OF_ENDS: error_of_ends(k, i, k->error[i]); break;
        case WLM_ERROR_OF_STEPS: error_of_steps(k, i, k->error[i]); break;
        case WLM_ERROR_OF_STAGES: error_of_stages(k, i, k->error[i]);
        }
    }
    set_time(w, 1.0);
    wlm_kernel_by(w, "mul.rn.f64", WLM_FD_DH, WLM_FD_H, k->shape->implicit->share);
    wlm_ptx_program(w, estimate->body, estimate->slot);
    for (int i = 0; i < 3; i++) wlm_kernel_move(w, WLM_FD_NORM + i, wlm_placed_outputs(estimate)[i]);
}

void wlm_kernel_attempt_newton(const wlm_lane_kernel *k, const wlm_placed *newton, const wlm_placed *charges,
                               const wlm_placed *estimate)
{
    wlm_ptx *w = k->w;
    int32_t n = k->shape->n;
    int two_stages = k->shape->implicit->stages > 1;
    const int32_t *out = wlm_placed_outputs(charges);
    for (int32_t i = 0; i < n; i++) wlm_kernel_move(w, k->next[i], k->state[i]);
    wlm_ptx_line(w, "mov.u32 %%r%d, 0;", WLM_R_STAGE);
    set_time(w, 0.0);
    wlm_ptx_line(w, "evaluate:");
    wlm_ptx_program(w, charges->body, charges->slot);
    wlm_ptx_line(w, "setp.ne.s32 %%p%d, %%r%d, 0;", WLM_P_TRUTH, WLM_R_STAGE);
    wlm_ptx_line(w, "@%%p%d bra stage;", WLM_P_TRUTH);
    begin_first(k, out);
    iterate(k, newton);
    wlm_ptx_line(w, "stage:");
    if (two_stages) {
        wlm_ptx_line(w, "setp.ge.u32 %%p%d, %%r%d, 2;", WLM_P_TRUTH, WLM_R_STAGE);
        wlm_ptx_line(w, "@%%p%d bra end;", WLM_P_TRUTH);
    }
    for (int32_t i = 0; i < n; i++) wlm_kernel_move(w, k->f_stage[i], out[n + i]);
    if (two_stages) {
        begin_second(k, out);
        wlm_ptx_line(w, "end:");
        for (int32_t i = 0; i < n; i++) wlm_kernel_move(w, k->f_end[i], out[n + i]);
    }
    if (estimate->slot != NULL) estimate_error(k, estimate);
}
