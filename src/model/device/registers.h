/* Registers of a kernel as values of the algebra of PTX, so that control.c and newton.c write method/control.h's
 * arithmetic with them; and what it has no words for: a register that is given a value, and jumps. */
#ifndef WLU_MODEL_DEVICE_REGISTERS_H
#define WLU_MODEL_DEVICE_REGISTERS_H

#include "model/device/kernel_parts.h"
#include "model/elementary/algebra_ptx.h"
#include "model/method/control.h"

static inline V wlm_real(const wlm_lane_kernel *k, int32_t fd)
{
    return (V){k->w, fd, 0};
}

static inline M wlm_truth(const wlm_lane_kernel *k, int32_t p)
{
    return (M){k->w, p};
}

/* Returns a word of the record, with zeros above it. */
static inline I wlm_kernel_word(const wlm_lane_kernel *k, int32_t r)
{
    I wide = new_i(k->w);
    wlm_ptx_line(k->w, "cvt.u64.u32 %s, %%r%d;", of_i(wide).text, (int)r);
    return wide;
}

static inline M wlm_word_is_set(const wlm_lane_kernel *k, int32_t r)
{
    M truth = new_m(k->w);
    wlm_ptx_line(k->w, "setp.ne.u32 %%p%d, %%r%d, 0;", (int)truth.number, (int)r);
    return truth;
}

/* Returns whether a word is `least` or more. */
static inline M wlm_word_reaches(const wlm_lane_kernel *k, int32_t r, uint32_t least)
{
    M truth = new_m(k->w);
    wlm_ptx_line(k->w, "setp.ge.u32 %%p%d, %%r%d, %u;", (int)truth.number, (int)r, (unsigned)least);
    return truth;
}

static inline void wlm_let(const wlm_lane_kernel *k, int32_t fd, V x)
{
    wlm_ptx_line(k->w, "mov.f64 %%fd%d, %s;", (int)fd, of_v(x).text);
}

static inline void wlm_let_word(const wlm_lane_kernel *k, int32_t r, I x)
{
    wlm_ptx_line(k->w, "cvt.u32.u64 %%r%d, %s;", (int)r, of_i(x).text);
}

static inline void wlm_let_truth(const wlm_lane_kernel *k, int32_t p, M m)
{
    wlm_ptx_line(k->w, "and.pred %%p%d, %%p%d, %%p%d;", (int)p, (int)m.number, (int)m.number);
}

static inline void wlm_jump_if(const wlm_lane_kernel *k, M m, const char *label)
{
    wlm_ptx_line(k->w, "@%%p%d bra %s;", (int)m.number, label);
}

#endif
