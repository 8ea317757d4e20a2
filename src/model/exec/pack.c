/* Packs instructions, and fuses those around an EXP. See pack.h.
 *
 * In models of cells a gate's rate is n / (exp((x + c1) c2) c3 + c4), or a part of it. As single instructions the
 * divisions wait for the divider and the sums for the memory of slots, while the other units idle; in one kernel they
 * hide behind the exponential: Luo and Rudy's model takes 0.8 of the time. Only what stands in a row is fused, each
 * result read by the next instruction alone; the sums are written so that each rounds as it did. O(instructions). */
#include "model/exec/pack.h"

typedef struct wlm_packer {
    const wlm_program *p;
    const wlm_kernels *kernels;
    unsigned char *last;  /* for each instruction: bit k is set where it reads operand k for the last time */
    unsigned char *slots; /* of the instruction that is packed: bit k is set where operand k is a slot */
} wlm_packer;

static int64_t distance_of(int32_t slot)
{
    return (int64_t)slot * WLM_LANES * (int64_t)sizeof(double);
}

static void put_slot(const wlm_packer *w, wlm_packed *packed, int k, int32_t slot)
{
    packed->from[k].distance = distance_of(slot);
    *w->slots |= (unsigned char)(1 << k);
}

static double constant_of(const wlm_program *p, int32_t from)
{
    return p->constant[-1 - from];
}

/* Fills `last` from the last instruction back; alive has a byte for each slot. */
static void mark_last(const wlm_packer *w, unsigned char *alive)
{
    const wlm_program *p = w->p;
    for (int32_t i = 0; i < p->outputs; i++) alive[p->inputs + i] = 1;
    for (int32_t at = p->instructions - 1; at >= 0; at--) {
        const wlm_instruction *i = &p->instruction[at];
        const int32_t from[3] = {i->a, i->b, i->c};
        alive[i->to] = 0;
        w->last[at] = 0;
        for (int k = 0; k < wlm_operand_count(i->opcode); k++)
            if (from[k] >= 0 && !alive[from[k]]) w->last[at] |= (unsigned char)(1 << k);
        for (int k = 0; k < wlm_operand_count(i->opcode); k++)
            if (from[k] >= 0) alive[from[k]] = 1;
    }
}

/* Packs one instruction; none reads constants alone, for those are folded. */
static wlm_kernel_pair pack_one(const wlm_packer *w, wlm_instruction i, wlm_packed *packed)
{
    const int32_t from[3] = {i.a, i.b, i.c};
    double constant[3] = {0.0, 0.0, 0.0};
    int operands = wlm_operand_count(i.opcode), form = 0;
    for (int k = 0; k < operands; k++) {
        if (from[k] >= 0) {
            put_slot(w, packed, k, from[k]);
        } else {
            packed->from[k].constant = constant[k] = constant_of(w->p, from[k]);
            form |= 1 << k;
        }
    }
    const wlm_table *table = wlm_program_table(w->p, &i);
    if (i.opcode != WLM_MOVE && form == (1 << operands) - 1) {
        packed->from[0].constant =
            wlm_evaluate_with(table, (wlm_opcode)i.opcode, constant[0], constant[1], constant[2]);
        i.opcode = WLM_MOVE;
    } else if (wlm_is_tabled(i.opcode)) {
        packed->from[operands].table = table;
    }
    return w->kernels->plain[i.opcode][form & ((1 << wlm_operand_count(i.opcode)) - 1)];
}

/* Returns 1 where the next instruction exists and alone reads the result of instruction `at`, once. */
static int feeds(const wlm_packer *w, int32_t at)
{
    if (at + 1 >= w->p->instructions) return 0;
    int32_t slot = w->p->instruction[at].to;
    const wlm_instruction *next = &w->p->instruction[at + 1];
    const int32_t from[3] = {next->a, next->b, next->c};
    int reads = 0;
    for (int k = 0; k < wlm_operand_count(next->opcode); k++)
        if (from[k] == slot) reads += w->last[at + 1] >> k & 1 ? 1 : 2;
    return reads == 1;
}

/* x scale + shift, with x in a slot: one operation with a constant. */
typedef struct wlm_linear {
    int32_t slot;
    double scale, shift;
} wlm_linear;

/* Returns 1 where the instruction is linear. A product has the shift -0.0, which changes nothing when it is added. */
static int is_linear(const wlm_program *p, const wlm_instruction *i, wlm_linear *out)
{
    int operands = wlm_operand_count(i->opcode), second = i->b < 0, first = i->a < 0;
    if (i->opcode == WLM_NEG && !first) {
        *out = (wlm_linear){i->a, -1.0, -0.0};
        return 1;
    }
    if (operands < 2 || first == second || (operands == 3 && i->c >= 0)) return 0;
    double c = constant_of(p, second ? i->b : i->a), d = operands == 3 ? constant_of(p, i->c) : -0.0;
    int32_t slot = second ? i->a : i->b;
    switch (i->opcode) {
    case WLM_MUL:
    case WLM_FMA: *out = (wlm_linear){slot, c, d}; return 1;
    case WLM_FNMA: *out = (wlm_linear){slot, -c, d}; return 1;
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
    return l->shift == 0.0; /* also of a shift by zero, which scales by 1 */
}

/* Packs what stands before an EXP; returns the place of the EXP, or -1. */
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
    put_slot(w, packed, 0, slot < 0 ? i->a : slot);
    return at;
}

/* Packs what stands behind the EXP at `at`; returns the place of the last instruction that is fused. */
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
        put_slot(w, packed, 5, next->a);
        *kind = WLM_EXP_BELOW_SLOT;
    }
    return at + 1;
}

/* Packs the first of two into operands 0 to 2. Returns its number; -1 where the instruction is no such first one. */
static int first_of_two(const wlm_packer *w, const wlm_instruction *i, wlm_packed *packed)
{
    const wlm_program *p = w->p;
    wlm_linear l;
    if (is_linear(p, i, &l)) {
        put_slot(w, packed, 0, l.slot);
        packed->from[1].constant = l.scale;
        packed->from[2].constant = l.shift;
        return WLM_FIRST_LINEAR;
    }
    const int operands = wlm_operand_count(i->opcode);
    if (operands < 2 || i->a < 0 || i->b < 0 || (operands > 2 && i->c < 0)) return -1;
    put_slot(w, packed, 0, i->a);
    put_slot(w, packed, 1, i->b);
    if (operands > 2) put_slot(w, packed, 2, i->c);
    switch (i->opcode) {
    case WLM_ADD: return WLM_FIRST_ADD;
    case WLM_SUB: return WLM_FIRST_SUB;
    case WLM_MUL: return WLM_FIRST_MUL;
    case WLM_DIV: return WLM_FIRST_DIV;
    case WLM_FMA: return WLM_FIRST_FMA;
    case WLM_FNMA: return WLM_FIRST_FNMA;
    case WLM_SELECT: return WLM_FIRST_SELECT;
    default: return -1;
    }
}

/* Packs a second one that has two operands, t and a slot or a constant. */
static int second_binary(const wlm_packer *w, const wlm_instruction *i, int32_t t, wlm_packed *packed)
{
    int leading = i->a == t;
    int32_t other = leading ? i->b : i->a;
    if (other < 0)
        packed->from[3].constant = constant_of(w->p, other);
    else
        put_slot(w, packed, 3, other);
    switch (i->opcode) {
    case WLM_ADD: return WLM_SECOND_ADD;
    case WLM_SUB: return leading ? WLM_SECOND_SUB : WLM_SECOND_SUB_FROM;
    case WLM_MUL: return WLM_SECOND_MUL;
    case WLM_DIV:
        if (other < 0) return leading ? WLM_SECOND_DIV_CONSTANT : WLM_SECOND_BELOW_CONSTANT;
        return leading ? WLM_SECOND_DIV : WLM_SECOND_BELOW;
    default: return -1;
    }
}

/* Packs a second one that is FMA or FNMA, where t is a factor or the addend. */
static int second_fused(const wlm_packer *w, const wlm_instruction *i, int32_t t, wlm_packed *packed)
{
    int minus = i->opcode == WLM_FNMA;
    if (i->c == t) {
        int32_t factor = i->a < 0 ? i->a : i->b, slot = i->a < 0 ? i->b : i->a;
        if (slot < 0) return -1;
        put_slot(w, packed, 3, slot);
        if (factor < 0) {
            packed->from[4].constant = minus ? -constant_of(w->p, factor) : constant_of(w->p, factor);
            return WLM_SECOND_ADD_MULTIPLE;
        }
        put_slot(w, packed, 4, factor);
        return minus ? WLM_SECOND_SUB_PRODUCT : WLM_SECOND_ADD_PRODUCT;
    }
    int32_t factor = i->a == t ? i->b : i->a;
    if (i->c < 0) return -1;
    put_slot(w, packed, 4, i->c);
    if (factor < 0) {
        packed->from[3].constant = minus ? -constant_of(w->p, factor) : constant_of(w->p, factor);
        return WLM_SECOND_MULTIPLE;
    }
    put_slot(w, packed, 3, factor);
    return minus ? WLM_SECOND_FNMA : WLM_SECOND_FMA;
}

/* Packs a second one that chooses between t and another one. */
static int second_select(const wlm_packer *w, const wlm_instruction *i, int32_t t, wlm_packed *packed)
{
    const int32_t other = i->b == t ? i->c : i->b;
    if (i->a == t || i->a < 0 || other < 0) return -1;
    put_slot(w, packed, 3, i->a);
    put_slot(w, packed, 4, other);
    return i->b == t ? WLM_SECOND_SELECT_THEN : WLM_SECOND_SELECT_ELSE;
}

/* Packs the second of two into operands 3 and 4. Returns its number, or -1. t: the slot of the first one's result. */
static int second_of_two(const wlm_packer *w, const wlm_instruction *i, int32_t t, wlm_packed *packed)
{
    const wlm_program *p = w->p;
    wlm_linear l;
    if (is_linear(p, i, &l)) {
        packed->from[3].constant = l.scale;
        packed->from[4].constant = l.shift;
        return WLM_SECOND_LINEAR;
    }
    if (i->opcode == WLM_SQRT) return WLM_SECOND_SQRT;
    if (i->opcode == WLM_SELECT) return second_select(w, i, t, packed);
    if (i->opcode == WLM_FMA || i->opcode == WLM_FNMA) return second_fused(w, i, t, packed);
    return wlm_operand_count(i->opcode) == 2 ? second_binary(w, i, t, packed) : -1;
}

/* Returns the kernel of instructions `at` and at + 1; {NULL, NULL} where there is none. */
static wlm_kernel_pair pack_two(const wlm_packer *w, int32_t at, wlm_packed *packed)
{
    const wlm_program *p = w->p;
    int first = feeds(w, at) ? first_of_two(w, &p->instruction[at], packed) : -1;
    int second = first >= 0 ? second_of_two(w, &p->instruction[at + 1], p->instruction[at].to, packed) : -1;
    return second >= 0 ? w->kernels->two[first][second] : (wlm_kernel_pair){NULL, NULL};
}

/* Packs one or more instructions from `at` on; returns the place behind them. */
static int32_t pack_next(const wlm_packer *w, int32_t at, wlm_packed *all, wlm_packed *first)
{
    wlm_packed packed = {0};
    wlm_kernel_pair pair;
    int before, behind;
    *w->slots = 0;
    int32_t end = before_exp(w, at, &packed, &before);
    if (end >= 0) {
        end = behind_exp(w, end, &packed, &behind);
        pair = w->kernels->exp[before][behind];
    } else if (pair = pack_two(w, at, &packed), pair.all != NULL) {
        end = at + 1;
    } else {
        end = at;
        *w->slots = 0; /* what the attempt at two has left */
        pair = pack_one(w, w->p->instruction[at], &packed);
    }
    packed.to = distance_of(w->p->instruction[end].to);
    *all = *first = packed;
    all->kernel = pair.all;
    first->kernel = pair.first;
    return end + 1;
}

warplu_status wlm_pack(wlu_context *ctx, const wlm_program *program, const wlm_kernels *kernels, wlm_packed *all,
                       wlm_packed *first, unsigned char *slots, int32_t *count)
{
    wlm_packer w = {program, kernels, WLU_ALLOC(ctx, program->instructions, unsigned char), slots};
    unsigned char *alive = WLU_CALLOC(ctx, program->slots, unsigned char);
    int enough = w.last != NULL && alive != NULL;
    *count = 0;
    if (enough) {
        mark_last(&w, alive);
        for (int32_t at = 0; at < program->instructions; ++*count, ++w.slots)
            at = pack_next(&w, at, &all[*count], &first[*count]);
    }
    wlu_free(ctx, w.last);
    wlu_free(ctx, alive);
    return enough ? WARPLU_SUCCESS : wlu_fail_memory(ctx, "code");
}
