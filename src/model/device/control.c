/* Writes the control of a lane's steps: method/control.h's arithmetic on registers, and by hand what each lane does
 * next, as src/model/step/drive.c does it with numbers. */
#include "model/device/instructions.h"
#include "model/device/registers.h"

/* Writes WANT, `cfl` times the least limit where the step begins. */
void wlm_kernel_limit(const wlm_lane_kernel *k, const wlm_placed *limit)
{
    wlm_ptx *w = k->w;
    V t = wlm_real(k, WLM_FD_T), first = wlm_real(k, WLM_FD_FIRST);
    wlm_let(k, WLM_FD_TIME, v_max(v_min(t, wlm_real(k, WLM_FD_LAST)), first));
    wlm_ptx_program(w, limit->body, k->tables, limit->slot);
    const int32_t *out = wlm_placed_outputs(limit);
    wlm_least least = {wlm_real(k, out[0]), wlm_kernel_word(k, WLM_RECORD_STATUS)}; /* which is 0 */
    for (int32_t i = 1; i < k->shape->limits; i++) least = wlm_control_least(least, wlm_real(k, out[i]), i);
    wlm_let(k, WLM_FD_WANT, v_mul(v_set(k->shape->cfl), least.limit));
    I status = wlm_control_limited(least.limit, wlm_real(k, WLM_FD_WANT), wlm_real(k, WLM_AT_SHORTEST), t);
    wlm_let_word(k, WLM_RECORD_STATUS, status);
    wlm_let_word(k, WLM_R_SUM, least.number);
    wlm_ptx_line(w, "setp.ne.u32 %%p%d, %%r%d, 0;", WLM_P_TRUTH, WLM_RECORD_STATUS);
    wlm_ptx_line(w, "@%%p%d add.u32 %%r%d, %%r%d, %d;", WLM_P_TRUTH, WLM_RECORD_UNKNOWN, WLM_R_SUM, (int)k->shape->n);
    wlm_ptx_line(w, "@%%p%d bra finish;", WLM_P_TRUTH);
}

/* Writes H and ENDS. */
void wlm_kernel_choose(const wlm_lane_kernel *k)
{
    wlm_length next = wlm_control_length(wlm_real(k, WLM_FD_T), wlm_real(k, WLM_FD_STOP), wlm_real(k, WLM_FD_WANT),
                                         wlm_real(k, WLM_AT_LONGEST), wlm_real(k, WLM_FD_LOW), wlm_real(k, WLM_FD_HIGH),
                                         !k->shape->fixed, k->shape->events > 0);
    wlm_let(k, WLM_FD_H, next.h);
    wlm_let_truth(k, WLM_P_ENDS, next.ends);
}

/* Returns the new state's numbers times 0, summed up: 0, or a NaN. */
static V sum_of_state(const wlm_lane_kernel *k)
{
    V sum = v_set(0.0);
    for (int32_t i = 0; i < k->shape->n; i++) sum = v_fma(wlm_real(k, k->next[i]), v_set(0.0), sum);
    return sum;
}

/* Writes STATUS of a step that is refused, unless its iterations have given it one. */
void wlm_kernel_judge(const wlm_lane_kernel *k)
{
    wlm_ptx *w = k->w;
    int controlled = !k->shape->fixed;
    warplu_status weak = k->shape->algebraic ? WARPLU_SINGULAR : WARPLU_STEP_TOO_SMALL;
    V norm = wlm_real(k, WLM_FD_NORM), t = wlm_real(k, WLM_FD_T);
    I failed = wlm_kernel_word(k, WLM_RECORD_STATUS), none = i_set(0);
    failed = i_select(i_equal(failed, none),
                      wlm_control_verdict(norm, wlm_real(k, WLM_FD_HEALTH), sum_of_state(k), weak), failed);
    I status = wlm_control_judge(failed, norm, controlled);
    wlm_jump_if(k, i_equal(status, none), "taken");
    V want = v_mul(wlm_real(k, WLM_FD_H), wlm_control_shrink(failed, wlm_real(k, WLM_FD_FACTOR), controlled));
    wlm_let(k, WLM_FD_WANT, want);
    wlm_let(k, WLM_FD_HIGH, v_set(0.0));
    wlm_let_word(k, WLM_RECORD_STATUS, status);
    wlm_ptx_line(w, "add.u32 %%r%d, %%r%d, 1;", WLM_RECORD_REJECTED, WLM_RECORD_REJECTED);
    wlm_ptx_line(w, "mov.u32 %%r%d, 1;", WLM_RECORD_REFUSED);
    if (controlled) {
        wlm_jump_if(k, v_less(want, wlm_control_shortest(wlm_real(k, WLM_AT_SHORTEST), t)), "fail");
        wlm_ptx_line(w, "mov.u32 %%r%d, 0;", WLM_RECORD_STATUS);
    }
    wlm_ptx_line(w, "bra %s;", controlled ? "count" : "fail");
    wlm_ptx_line(w, "taken:");
}

/* Writes FIRED where the step ends with an event; a step that is too long is tried again. */
void wlm_kernel_search(const wlm_lane_kernel *k, const wlm_placed *crossing)
{
    V t = wlm_real(k, WLM_FD_T), h = wlm_real(k, WLM_FD_H);
    wlm_let(k, WLM_FD_TIME, v_select(wlm_truth(k, WLM_P_ENDS), wlm_real(k, WLM_FD_STOP), v_add(t, h)));
    wlm_ptx_program(k->w, crossing->body, k->tables, crossing->slot);
    M crosses = {0};
    for (int32_t e = 0; e < k->shape->events; e++) {
        wlm_kernel_move(k->w, k->after[e], wlm_placed_outputs(crossing)[e]);
        M rises = wlm_control_rises(wlm_real(k, k->before[e]), wlm_real(k, k->after[e]));
        crosses = e == 0 ? rises : m_or(crosses, rises);
    }
    wlm_search s =
        wlm_control_search(t, wlm_real(k, WLM_FD_STOP), h, wlm_real(k, WLM_FD_LOW), wlm_real(k, WLM_FD_HIGH), crosses);
    wlm_let(k, WLM_FD_LOW, s.low);
    wlm_let(k, WLM_FD_HIGH, s.high);
    M fired = m_and(crosses, m_not(s.again));
    wlm_ptx_line(k->w, "selp.b32 %%r%d, 1, 0, %%p%d;", WLM_RECORD_FIRED, (int)fired.number);
    wlm_jump_if(k, s.again, "count");
}

/* Keeps the state of a step that is taken; its time and the next step are written elsewhere. */
static void keep(const wlm_lane_kernel *k, M arrives)
{
    wlm_ptx *w = k->w;
    for (int32_t i = 0; i < k->shape->n; i++) wlm_kernel_move(w, k->state[i], k->next[i]);
    if (wlm_implicit_looks_back(k->shape->implicit))
        for (int32_t i = 0; i < k->shape->n; i++) wlm_kernel_move(w, k->f_before[i], k->f[i]);
    wlm_kernel_move(w, WLM_FD_BEFORE, WLM_FD_H);
    for (int32_t e = 0; e < k->shape->events; e++) { /* the host looks at both where one has fired, and at stops */
        M looks = m_or(wlm_word_is_set(k, WLM_RECORD_FIRED), arrives);
        wlm_let(k, k->before[e], v_select(looks, wlm_real(k, k->before[e]), wlm_real(k, k->after[e])));
    }
    M is_behind = wlm_word_is_set(k, WLM_RECORD_BEHIND);
    wlm_let(k, WLM_FD_LEARNT, v_select(is_behind, wlm_real(k, WLM_FD_H), wlm_real(k, WLM_FD_LEARNT)));
    wlm_ptx_line(w, "mov.u32 %%r%d, 0;", WLM_RECORD_BEHIND);
    wlm_ptx_line(w, "mov.u32 %%r%d, 0;", WLM_RECORD_REFUSED);
    wlm_ptx_line(w, "add.u32 %%r%d, %%r%d, 1;", WLM_RECORD_STEPS, WLM_RECORD_STEPS);
}

void wlm_kernel_accept(const wlm_lane_kernel *k)
{
    wlm_taken taken = wlm_control_take(
        wlm_real(k, WLM_FD_T), wlm_real(k, WLM_FD_STOP), wlm_real(k, WLM_FD_WANT), wlm_real(k, WLM_FD_H),
        wlm_real(k, WLM_FD_FACTOR), wlm_word_is_set(k, WLM_RECORD_REFUSED), wlm_truth(k, WLM_P_ENDS), !k->shape->fixed);
    if (k->shape->strays) {
        M strays = wlm_control_strays(k->shape->implicit, wlm_real(k, WLM_FD_T), wlm_real(k, WLM_AT_WHOLE),
                                      wlm_real(k, WLM_FD_BEFORE), wlm_real(k, WLM_FD_H));
        wlm_ptx_line(k->w, "@%%p%d mov.u32 %%r%d, %d;", (int)strays.number, WLM_RECORD_FIRED, (int)WLM_KERNEL_STRAYED);
    }
    keep(k, taken.arrives);
    wlm_let(k, WLM_FD_T, taken.now);
    wlm_let(k, WLM_FD_WANT, taken.want);
    wlm_jump_if(k, v_less_equal(wlm_real(k, WLM_AT_WHOLE), taken.now), "arrive");
}

/* Writes whether another step may be tried, and whether in this launch. */
void wlm_kernel_count(const wlm_lane_kernel *k)
{
    wlm_ptx *w = k->w;
    wlm_ptx_line(w, "count: add.u32 %%r%d, %%r%d, %%r%d;", WLM_R_SUM, WLM_RECORD_STEPS, WLM_RECORD_REJECTED);
    wlm_ptx_line(w, "setp.ge.u32 %%p%d, %%r%d, %%r%d;", WLM_P_TRUTH, WLM_R_SUM, WLM_R_MOST);
    wlm_ptx_line(w, "@%%p%d mov.u32 %%r%d, %d;", WLM_P_TRUTH, WLM_RECORD_STATUS, (int)WARPLU_TOO_MANY_STEPS);
    wlm_ptx_line(w, "@%%p%d bra fail;", WLM_P_TRUTH);
    if (k->shape->events > 0 || k->shape->strays) wlm_jump_if(k, wlm_word_is_set(k, WLM_RECORD_FIRED), "arrive");
    if (k->shape->events > 0) {
        wlm_jump_if(k, v_less(v_set(0.0), wlm_real(k, WLM_FD_HIGH)), "loop"); /* a search for an event is not stored */
    }
    wlm_ptx_line(w, "add.u32 %%r%d, %%r%d, -1;", WLM_R_NOW, WLM_R_NOW);
    wlm_jump_if(k, wlm_word_is_set(k, WLM_R_NOW), "loop");
    wlm_ptx_line(w, "bra finish;");
}

/* Writes UNKNOWN of a step from the state to the next one, as wlm_lane_fail finds it. */
void wlm_kernel_blame(const wlm_lane_kernel *k)
{
    wlm_ptx *w = k->w;
    wlm_ptx_line(w, "fail: mov.u32 %%r%d, -1;", WLM_RECORD_UNKNOWN);
    wlm_let(k, WLM_FD_CHANGE, v_set(0.0));
    for (int32_t i = 0; i < k->shape->n; i++) {
        V from = wlm_real(k, k->state[i]), to = wlm_real(k, k->next[i]), most = wlm_real(k, WLM_FD_CHANGE);
        V zero = v_fma(to, v_set(0.0), v_mul(from, v_set(0.0))),
          change = wlm_control_change(from, to, &k->shape->asked);
        M is_none = m_not(v_equal(zero, v_set(0.0)));
        M blamed = m_or(is_none, v_less(most, change));
        wlm_ptx_line(w, "@%%p%d mov.u32 %%r%d, %d;", (int)blamed.number, WLM_RECORD_UNKNOWN, (int)i);
        wlm_jump_if(k, is_none, "finish");
        wlm_let(k, WLM_FD_CHANGE, v_max(change, most));
    }
}
