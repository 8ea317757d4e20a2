/* A step by Newton's iterations, as src/model/step/newton.c has it: a loop over stages around one over iterations.
 *
 *     STAGE 0: charges and rates where the step begins, then what the first stage is solved for; iterations
 *     STAGE 1: charges and rates at its solution; of TR-BDF2 what the second stage is solved for; iterations
 *     STAGE 2: the same, of TR-BDF2 alone
 *
 * So each program stands in the text once. A lane that has failed goes through the rest without iterations. */
#include "model/device/instructions.h"
#include "model/device/kernel_parts.h"

enum { ITERATIONS_MOST = 10 };
#define SMALL "0d3f1a36e2eb1c432d" /* 1e-4, a hundredth of the tolerance, squared */

static const double G = 0.58578643762690495120; /* 2 - sqrt 2 */

/* The first stage: its share of the step, the weight of the rates where the step begins, its time. */
typedef struct stage {
    double share, weight, time;
} stage;

static stage first_of(wlm_kernel_method method)
{
    switch (method) {
    case WLM_KERNEL_BACKWARD_EULER: return (stage){1.0, 0.0, 1.0};
    case WLM_KERNEL_TRAPEZOIDAL: return (stage){0.5, 0.5, 1.0};
    default: return (stage){0.5 * G, 0.5 * G, G};
    }
}

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
    stage first = first_of(k->shape->method);
    wlm_kernel_by(w, "mul.rn.f64", WLM_FD_OTHER, WLM_FD_H, first.weight);
    for (int32_t i = 0; i < n; i++) {
        wlm_kernel_move(w, k->q[i], out[i]);
        wlm_kernel_move(w, k->f[i], out[n + i]);
        wlm_kernel_two(w, "mul.rn.f64", WLM_FD_SCRATCH, WLM_FD_OTHER, out[n + i]);
        wlm_kernel_two(w, "add.rn.f64", k->charge[i], out[i], WLM_FD_SCRATCH);
    }
    wlm_kernel_by(w, "mul.rn.f64", WLM_FD_DH, WLM_FD_H, first.share);
    set_time(w, first.time);
    wlm_ptx_line(w, "bra solve;");
}

/* STAGE 1 of TR-BDF2: the second stage begins where a line through the first one's ends. */
static void begin_second(const wlm_lane_kernel *k, const int32_t *out)
{
    wlm_ptx *w = k->w;
    double of_stage = 1.0 / (G * (2.0 - G)), of_start = (1.0 - G) * (1.0 - G) * of_stage;
    for (int32_t i = 0; i < k->shape->n; i++) {
        wlm_kernel_by(w, "mul.rn.f64", WLM_FD_SCRATCH, out[i], of_stage);
        wlm_kernel_by(w, "mul.rn.f64", WLM_FD_OTHER, k->q[i], of_start);
        wlm_kernel_two(w, "sub.rn.f64", k->charge[i], WLM_FD_SCRATCH, WLM_FD_OTHER);
        wlm_kernel_two(w, "sub.rn.f64", WLM_FD_SCRATCH, k->next[i], k->state[i]);
        wlm_kernel_by(w, "mul.rn.f64", WLM_FD_SCRATCH, WLM_FD_SCRATCH, 1.0 - G);
        wlm_kernel_by(w, "div.rn.f64", WLM_FD_SCRATCH, WLM_FD_SCRATCH, G);
        wlm_kernel_two(w, "add.rn.f64", k->next[i], k->next[i], WLM_FD_SCRATCH);
    }
    wlm_kernel_by(w, "mul.rn.f64", WLM_FD_DH, WLM_FD_H, 0.5 * G);
    set_time(w, 1.0);
    wlm_ptx_line(w, "bra solve;");
}

/* h / 2 (f1 - f0). */
static void error_of_euler(const wlm_lane_kernel *k, int32_t i, int to)
{
    wlm_kernel_with(k->w, "mul.rn.f64", to, WLM_FD_H, WLM_PTX_HALF);
    wlm_kernel_two(k->w, "sub.rn.f64", WLM_FD_ROOM, k->f_stage[i], k->f[i]);
    wlm_kernel_two(k->w, "mul.rn.f64", to, to, WLM_FD_ROOM);
}

/* h^3 / 6 ((f1 - f0) / h - (f0 - before) / hb) / (h + hb); behind a jump that of backward Euler. */
static void error_of_trapezoidal(const wlm_lane_kernel *k, int32_t i, int to)
{
    wlm_ptx *w = k->w;
    int a = WLM_FD_SCRATCH, b = WLM_FD_OTHER;
    error_of_euler(k, i, to); /* ROOM: f1 - f0 */
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

/* 2 k3 h (f0 / G - f1 / (G (1 - G)) + f2 / (1 - G)). */
static void error_of_tr_bdf2(const wlm_lane_kernel *k, int32_t i, int to)
{
    wlm_ptx *w = k->w;
    const double k3 = (-3.0 * G * G + 4.0 * G - 2.0) / (12.0 * (2.0 - G));
    int a = WLM_FD_SCRATCH, b = WLM_FD_OTHER;
    wlm_kernel_by(w, "div.rn.f64", a, k->f[i], G);
    wlm_kernel_by(w, "div.rn.f64", b, k->f_stage[i], G * (1.0 - G));
    wlm_kernel_two(w, "sub.rn.f64", a, a, b);
    wlm_kernel_by(w, "div.rn.f64", b, k->f_end[i], 1.0 - G);
    wlm_kernel_two(w, "add.rn.f64", a, a, b);
    wlm_kernel_by(w, "mul.rn.f64", b, WLM_FD_H, 2.0 * k3);
    wlm_kernel_two(w, "mul.rn.f64", to, b, a);
}

/* NORM, FACTOR and HEALTH of the step. */
static void estimate_error(const wlm_lane_kernel *k, const wlm_placed *estimate)
{
    wlm_ptx *w = k->w;
    for (int32_t i = 0; i < k->shape->n; i++) {
        switch (k->shape->method) {
        case WLM_KERNEL_BACKWARD_EULER: error_of_euler(k, i, k->error[i]); break;
        case WLM_KERNEL_TRAPEZOIDAL: error_of_trapezoidal(k, i, k->error[i]); break;
        default: error_of_tr_bdf2(k, i, k->error[i]);
        }
    }
    set_time(w, 1.0);
    wlm_kernel_by(w, "mul.rn.f64", WLM_FD_DH, WLM_FD_H, first_of(k->shape->method).share);
    wlm_ptx_program(w, estimate->body, estimate->slot);
    for (int i = 0; i < 3; i++) wlm_kernel_move(w, WLM_FD_NORM + i, wlm_placed_outputs(estimate)[i]);
}

void wlm_kernel_attempt_newton(const wlm_lane_kernel *k, const wlm_placed *newton, const wlm_placed *charges,
                               const wlm_placed *estimate)
{
    wlm_ptx *w = k->w;
    int32_t n = k->shape->n;
    int two_stages = k->shape->method == WLM_KERNEL_TR_BDF2;
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
