/* Writes a step by Newton's iterations, as src/model/step/newton.c has it: a loop over stages around one over
 * iterations.
 *
 *     STAGE 0: charges and rates where the step begins, then what the first stage is solved for; iterations
 *     STAGE 1: charges and rates at its solution; of two stages what the second one is solved for; iterations
 *     STAGE 2: the same, of two stages
 *
 * So each program stands in the text once. A lane that has failed goes through the rest without iterations. */
#include "model/device/instructions.h"
#include "model/device/registers.h"

enum { ITERATIONS_MOST = 10 };

static void set_time(const wlm_lane_kernel *k, double c)
{
    wlm_let(k, WLM_FD_TIME,
            wlm_control_stage_time(wlm_real(k, WLM_FD_T), wlm_real(k, WLM_FD_H), c, wlm_real(k, WLM_FD_FIRST),
                                   wlm_real(k, WLM_FD_LAST)));
}

/* Writes iterations from `next` on, where their result stands, too. */
static void iterate(const wlm_lane_kernel *k, const wlm_placed *newton)
{
    wlm_ptx *w = k->w;
    const int32_t *out = wlm_placed_outputs(newton);
    wlm_ptx_line(w, "solve:");
    wlm_jump_if(k, wlm_word_is_set(k, WLM_RECORD_STATUS), "solved");
    wlm_ptx_line(w, "mov.u32 %%r%d, 0;", WLM_R_ROUND);
    wlm_let(k, WLM_FD_CHANGE, v_set(0.0));
    wlm_ptx_line(w, "iterate:");
    wlm_ptx_program(w, newton->body, k->tables, newton->slot);
    wlm_ptx_line(w, "add.u32 %%r%d, %%r%d, 1;", WLM_RECORD_ITERATIONS, WLM_RECORD_ITERATIONS);
    V norm = wlm_real(k, out[k->shape->n]), health = wlm_real(k, out[k->shape->n + 1]);
    wlm_iteration after =
        wlm_control_iteration(norm, health, wlm_real(k, WLM_FD_CHANGE), wlm_word_reaches(k, WLM_R_ROUND, 2));
    wlm_let_word(k, WLM_RECORD_STATUS, after.status);
    wlm_jump_if(k, wlm_word_is_set(k, WLM_RECORD_STATUS), "solved");
    wlm_let(k, WLM_FD_CHANGE, norm);
    for (int32_t i = 0; i < k->shape->n; i++) wlm_kernel_move(w, k->next[i], out[i]);
    wlm_jump_if(k, after.is_done, "solved");
    wlm_ptx_line(w, "add.u32 %%r%d, %%r%d, 1;", WLM_R_ROUND, WLM_R_ROUND);
    wlm_jump_if(k, m_not(wlm_word_reaches(k, WLM_R_ROUND, ITERATIONS_MOST)), "iterate");
    wlm_ptx_line(w, "mov.u32 %%r%d, %d;", WLM_RECORD_STATUS, (int)WARPLU_NO_CONVERGENCE);
    wlm_ptx_line(w, "solved: add.u32 %%r%d, %%r%d, 1;", WLM_R_STAGE, WLM_R_STAGE);
    wlm_ptx_line(w, "bra evaluate;");
}

static void begin_iterations(const wlm_lane_kernel *k, double time)
{
    wlm_let(k, WLM_FD_DH, v_mul(v_set(k->shape->implicit->share), wlm_real(k, WLM_FD_H)));
    set_time(k, time);
    wlm_ptx_line(k->w, "bra solve;");
}

/* Writes STAGE 0, which keeps charges and rates where the step begins. */
static void begin_first(const wlm_lane_kernel *k, const int32_t *out)
{
    int32_t n = k->shape->n;
    const wlm_implicit *m = k->shape->implicit;
    for (int32_t i = 0; i < n; i++) {
        V q = wlm_real(k, out[i]), f = wlm_real(k, out[n + i]);
        wlm_let(k, k->q[i], q);
        wlm_let(k, k->f[i], f);
        wlm_let(k, k->charge[i], wlm_control_first_charge(m, wlm_real(k, WLM_FD_H), q, f));
    }
    begin_iterations(k, m->time);
}

/* Writes STAGE 1 of two. */
static void begin_second(const wlm_lane_kernel *k, const int32_t *out)
{
    const wlm_implicit *m = k->shape->implicit;
    for (int32_t i = 0; i < k->shape->n; i++) {
        V q = wlm_real(k, k->q[i]), next = wlm_real(k, k->next[i]);
        wlm_let(k, k->charge[i], wlm_control_second_charge(m, q, wlm_real(k, out[i])));
        wlm_let(k, k->next[i], wlm_control_second_guess(m, wlm_real(k, k->state[i]), next));
    }
    begin_iterations(k, 1.0);
}

/* Writes NORM, FACTOR and HEALTH of the step. */
static void estimate_error(const wlm_lane_kernel *k, const wlm_placed *estimate)
{
    V h = wlm_real(k, WLM_FD_H);
    const wlm_implicit *m = k->shape->implicit;
    for (int32_t i = 0; i < k->shape->n; i++) {
        wlm_rates f = {wlm_real(k, k->f[i]), wlm_real(k, k->f_stage[i]), wlm_real(k, k->f_end[i]),
                       wlm_real(k, k->f_before[i]), wlm_real(k, WLM_FD_BEFORE)};
        wlm_let(k, k->error[i], wlm_control_error(m, h, &f));
    }
    set_time(k, 1.0);
    wlm_let(k, WLM_FD_DH, v_mul(v_set(m->share), h));
    wlm_let(k, WLM_FD_BLUR,
            wlm_control_untold(m, wlm_real(k, WLM_FD_T), wlm_real(k, WLM_AT_WHOLE), wlm_real(k, WLM_FD_BEFORE)));
    wlm_ptx_program(k->w, estimate->body, k->tables, estimate->slot);
    for (int i = 0; i < 3; i++) wlm_kernel_move(k->w, WLM_FD_NORM + i, wlm_placed_outputs(estimate)[i]);
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
    set_time(k, 0.0);
    wlm_ptx_line(w, "evaluate:");
    wlm_ptx_program(w, charges->body, k->tables, charges->slot);
    wlm_jump_if(k, wlm_word_is_set(k, WLM_R_STAGE), "stage");
    begin_first(k, out);
    iterate(k, newton);
    wlm_ptx_line(w, "stage:");
    if (two_stages) wlm_jump_if(k, wlm_word_reaches(k, WLM_R_STAGE, 2), "end");
    for (int32_t i = 0; i < n; i++) wlm_kernel_move(w, k->f_stage[i], out[n + i]);
    if (two_stages) {
        begin_second(k, out);
        wlm_ptx_line(w, "end:");
        for (int32_t i = 0; i < n; i++) wlm_kernel_move(w, k->f_end[i], out[n + i]);
    }
    if (estimate->slot != NULL) estimate_error(k, estimate);
}
