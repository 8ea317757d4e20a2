/* Packing, and fusing of what stands around an EXP. See pack.h.
 *
 * In models of cells a gate's rate is n / (exp((x + c1) c2) c3 + c4), or a part of it. As single instructions the
 * divisions wait for the divider and the sums for the memory of slots, while the other units idle; in one kernel they
 * hide behind the exponential: Luo and Rudy's model takes 0.8 of the time. Only what stands in a row is fused, each
 * result read by the next instruction alone; the sums are written so that each rounds as it did. O(instructions). */
#include "model/exec/pack.h"

typedef struct wlm_packer {
    const wlm_program *p;
    const wlm_kernels *kernels;
    unsigned char *last; /* by instruction: bit k where operand k is read for the last time */
} wlm_packer;

static int operands_of(int32_t opcode)
{
    return opcode == WLM_MOVE ? 1 : wlm_opcode_operands((wlm_opcode)opcode);
}

static int64_t distance_of(int32_t slot)
{
    return (int64_t)slot * WLM_LANES * (int64_t)sizeof(double);
}

static double constant_of(const wlm_program *p, int32_t from)
{
    return p->constant[-1 - from];
}

/* From the last instruction back; alive: by slot. */
static void mark_last(const wlm_packer *w, unsigned char *alive)
{
    const wlm_program *p = w->p;
    for (int32_t i = 0; i < p->outputs; i++) alive[p->inputs + i] = 1;
    for (int32_t at = p->instructions - 1; at >= 0; at--) {
        const wlm_instruction *i = &p->instruction[at];
        const int32_t from[3] = {i->a, i->b, i->c};
        alive[i->to] = 0;
        w->last[at] = 0;
        for (int k = 0; k < operands_of(i->opcode); k++)
            if (from[k] >= 0 && !alive[from[k]]) w->last[at] |= (unsigned char)(1 << k);
        for (int k = 0; k < operands_of(i->opcode); k++)
            if (from[k] >= 0) alive[from[k]] = 1;
    }
}

/* What reads constants alone is a number already. */
static wlm_kernel_pair pack_one(const wlm_packer *w, wlm_instruction i, wlm_packed *packed)
{
    const int32_t from[3] = {i.a, i.b, i.c};
    double constant[3] = {0.0, 0.0, 0.0};
    int operands = operands_of(i.opcode), form = 0;
    for (int k = 0; k < operands; k++) {
        if (from[k] >= 0) {
            packed->from[k].distance = distance_of(from[k]);
        } else {
            packed->from[k].constant = constant[k] = constant_of(w->p, from[k]);
            form |= 1 << k;
        }
    }
    if (i.opcode != WLM_MOVE && form == (1 << operands) - 1) {
        packed->from[0].constant = wlm_evaluate((wlm_opcode)i.opcode, constant[0], constant[1], constant[2]);
        i.opcode = WLM_MOVE;
    }
    return w->kernels->plain[i.opcode][form & ((1 << operands_of(i.opcode)) - 1)];
}

/* The result of instruction `at` is read by the next one alone, there once, and there is a next one. */
static int feeds(const wlm_packer *w, int32_t at)
{
    if (at + 1 >= w->p->instructions) return 0;
    int32_t slot = w->p->instruction[at].to;
    const wlm_instruction *next = &w->p->instruction[at + 1];
    const int32_t from[3] = {next->a, next->b, next->c};
    int reads = 0;
    for (int k = 0; k < operands_of(next->opcode); k++)
        if (from[k] == slot) reads += w->last[at + 1] >> k & 1 ? 1 : 2;
    return reads == 1;
}

/* x s + c, of x in a slot: by one operation with a constant. */
typedef struct wlm_linear {
    int32_t slot;
    double scale, shift;
} wlm_linear;

/* -0.0 is what changes nothing when it is added. */
static int is_linear(const wlm_program *p, const wlm_instruction *i, wlm_linear *out)
{
    int operands = operands_of(i->opcode), second = operands == 2 && i->b < 0, first = operands == 2 && i->a < 0;
    if (i->opcode == WLM_NEG && i->a >= 0) {
        *out = (wlm_linear){i->a, -1.0, -0.0};
        return 1;
    }
    if (first == second) return 0;
    double c = constant_of(p, second ? i->b : i->a);
    int32_t slot = second ? i->a : i->b;
    switch (i->opcode) {
    case WLM_MUL: *out = (wlm_linear){slot, c, -0.0}; return 1;
    case WLM_ADD: *out = (wlm_linear){slot, 1.0, c}; return 1;
    case WLM_SUB: *out = second ? (wlm_linear){slot, 1.0, -c} : (wlm_linear){slot, -1.0, c}; return 1;
    default: return 0;
    }
}

static int is_shift(const wlm_linear *l)
{
    return l->scale == 1.0;
}

static int is_scale(const wlm_linear *l)
{
    return l->shift == 0.0; /* of a shift by zero too, which scales by 1 */
}

/* What stands before an EXP; returns the place of the EXP, or -1. */
static int32_t before_exp(const wlm_packer *w, int32_t at, wlm_packed *packed, int *kind)
{
    const wlm_program *p = w->p;
    wlm_linear l;
    int32_t slot = -1;
    *kind = WLM_EXP_ALONE;
    packed->from[1].constant = -0.0;
    packed->from[2].constant = 1.0;
    if (is_linear(p, &p->instruction[at], &l) && is_shift(&l) && feeds(w, at)) {
        packed->from[1].constant = l.shift;
        *kind = WLM_EXP_SCALED;
        slot = l.slot;
        at++;
    }
    const wlm_instruction *i = &p->instruction[at];
    if (i->opcode == WLM_DIV && i->a >= 0 && i->b < 0 && feeds(w, at)) {
        packed->from[2].constant = constant_of(p, i->b);
        *kind = WLM_EXP_DIVIDED;
        slot = slot < 0 ? i->a : slot;
        at++;
    } else if (is_linear(p, i, &l) && is_scale(&l) && feeds(w, at)) {
        packed->from[2].constant = l.scale;
        *kind = WLM_EXP_SCALED;
        slot = slot < 0 ? l.slot : slot;
        at++;
    }
    i = &p->instruction[at];
    if (i->opcode != WLM_EXP || i->a < 0) return -1;
    packed->from[0].distance = distance_of(slot < 0 ? i->a : slot);
    return at;
}

/* What stands behind the EXP at `at`; returns the place of the last instruction that is fused. */
static int32_t behind_exp(const wlm_packer *w, int32_t at, wlm_packed *packed, int *kind)
{
    const wlm_program *p = w->p;
    wlm_linear l = {0, 1.0, -0.0};
    *kind = WLM_EXP_AS_IT_IS;
    if (feeds(w, at) && is_linear(p, &p->instruction[at + 1], &l)) {
        *kind = WLM_EXP_LINEAR;
        at++;
    }
    packed->from[3].constant = l.scale;
    packed->from[4].constant = l.shift;
    if (!feeds(w, at)) return at;
    const wlm_instruction *next = &p->instruction[at + 1];
    if (next->opcode != WLM_DIV || next->b != p->instruction[at].to) return at;
    if (next->a < 0) {
        packed->from[5].constant = constant_of(p, next->a);
        *kind = WLM_EXP_BELOW_CONSTANT;
    } else {
        packed->from[5].distance = distance_of(next->a);
        *kind = WLM_EXP_BELOW_SLOT;
    }
    return at + 1;
}

/* Packs what begins at `at`; returns the place behind it. */
static int32_t pack_next(const wlm_packer *w, int32_t at, wlm_packed *all, wlm_packed *first)
{
    wlm_packed packed = {0};
    wlm_kernel_pair pair;
    int before, behind;
    int32_t end = before_exp(w, at, &packed, &before);
    if (end >= 0) {
        end = behind_exp(w, end, &packed, &behind);
        pair = w->kernels->exp[before][behind];
    } else {
        end = at;
        pair = pack_one(w, w->p->instruction[at], &packed);
    }
    packed.to = distance_of(w->p->instruction[end].to);
    *all = *first = packed;
    all->kernel = pair.all;
    first->kernel = pair.first;
    return end + 1;
}

warplu_status wlm_pack(wlu_context *ctx, const wlm_program *program, const wlm_kernels *kernels, wlm_packed *all,
                       wlm_packed *first, int32_t *count)
{
    wlm_packer w = {program, kernels, WLU_ALLOC(ctx, program->instructions, unsigned char)};
    unsigned char *alive = WLU_CALLOC(ctx, program->slots, unsigned char);
    int enough = w.last != NULL && alive != NULL;
    *count = 0;
    if (enough) {
        mark_last(&w, alive);
        for (int32_t at = 0; at < program->instructions; ++*count) at = pack_next(&w, at, &all[*count], &first[*count]);
    }
    wlu_free(ctx, w.last);
    wlu_free(ctx, alive);
    return enough ? WARPLU_SUCCESS : wlu_fail_memory(ctx, "code");
}
