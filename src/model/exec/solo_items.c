/* Lists the operations of a program with their operands; slots are gone. See solo_parts.h. O(instructions). */
#include "model/exec/solo_parts.h"

typedef struct lister {
    wlm_solo_plan *plan;
    wlm_solo_value *holds; /* for each slot: the item whose value it holds */
} lister;

enum { NOT_YET = -2 };

static wlm_solo_value constant(double value)
{
    return (wlm_solo_value){-1, value};
}

static wlm_solo_value value_of(const lister *l, int32_t from)
{
    wlm_solo_plan *p = l->plan;
    if (from < 0) return constant(p->program->constant[-1 - from]);
    if (l->holds[from].item == NOT_YET) {
        l->holds[from].item = p->items;
        p->item[p->items++] = (wlm_solo_item){.opcode = WLM_INPUT, .input = from};
    }
    return l->holds[from];
}

static void set_fma(wlm_solo_item *i, wlm_solo_value a, wlm_solo_value b, wlm_solo_value c)
{
    int swap = a.item < 0 && b.item >= 0;
    i->opcode = WLM_FMA, i->operands = 3;
    i->operand[0] = swap ? b : a, i->operand[1] = swap ? a : b, i->operand[2] = c;
}

/* Makes FMA of sums and products: x 1 + c and x c + -0 round as x + c and x c. */
static void unify(wlm_solo_item *i)
{
    wlm_solo_value a = i->operand[0], b = i->operand[1], c = i->operand[2];
    switch (i->opcode) {
    case WLM_NEG: set_fma(i, a, constant(-1.0), constant(-0.0)); break;
    case WLM_MUL: set_fma(i, a, b, constant(-0.0)); break;
    case WLM_FMA: set_fma(i, a, b, c); break;
    case WLM_ADD:
        if (a.item < 0)
            set_fma(i, b, constant(1.0), a);
        else
            set_fma(i, a, constant(1.0), b);
        break;
    case WLM_SUB:
        if (b.item < 0)
            set_fma(i, a, constant(1.0), constant(-b.constant));
        else
            set_fma(i, b, constant(-1.0), a);
        break;
    case WLM_FNMA:
        if (a.item < 0)
            set_fma(i, b, constant(-a.constant), c);
        else if (b.item < 0)
            set_fma(i, a, constant(-b.constant), c);
        break;
    default: break;
    }
}

static void take_instruction(const lister *l, const wlm_instruction *from)
{
    const int32_t place[3] = {from->a, from->b, from->c};
    const wlm_table *table = wlm_program_table(l->plan->program, from);
    wlm_solo_item i = {.opcode = from->opcode, .operands = wlm_operand_count(from->opcode), .table = table};
    int constants = 0;
    for (int k = 0; k < i.operands; k++) {
        i.operand[k] = value_of(l, place[k]);
        constants += i.operand[k].item < 0;
    }
    if (i.opcode == WLM_MOVE) {
        l->holds[from->to] = i.operand[0];
    } else if (constants == i.operands) {
        const wlm_solo_value *o = i.operand;
        l->holds[from->to] =
            constant(wlm_evaluate_with(table, (wlm_opcode)i.opcode, o[0].constant, o[1].constant, o[2].constant));
    } else {
        unify(&i);
        l->holds[from->to] = (wlm_solo_value){l->plan->items, 0.0};
        l->plan->item[l->plan->items++] = i;
    }
}

static void count_uses(const wlm_solo_plan *p)
{
    for (int32_t i = 0; i < p->items; i++) p->item[i].uses = 0;
    for (int32_t i = 0; i < p->program->outputs; i++)
        if (p->output[i].item >= 0) p->item[p->output[i].item].uses++;
    for (int32_t i = p->items - 1; i >= 0; i--)
        for (int k = 0; k < p->item[i].operands && p->item[i].uses > 0; k++)
            if (p->item[i].operand[k].item >= 0) p->item[p->item[i].operand[k].item].uses++;
}

/* Returns 1 where the item is x k0 + k1. */
static int is_linear(const wlm_solo_item *i)
{
    return i->opcode == WLM_FMA && i->operand[0].item >= 0 && i->operand[1].item < 0 && i->operand[2].item < 0;
}

static void take_before(const wlm_solo_plan *p, wlm_solo_item *exp)
{
    wlm_solo_value *k = exp->operand + 1;
    exp->operands = WLM_SOLO_OPERANDS;
    for (int at = 0; at < 3; at++) k[2 * at] = constant(1.0), k[2 * at + 1] = constant(-0.0);
    for (int at = 2; at >= 0; at -= 2) {
        const wlm_solo_item *before = &p->item[exp->operand[0].item];
        if (!is_linear(before)) break;
        exp->operand[0] = before->operand[0];
        k[at] = before->operand[1], k[at + 1] = before->operand[2];
    }
}

static void fuse_exponentials(const wlm_solo_plan *p)
{
    for (int32_t i = 0; i < p->items; i++)
        if (p->item[i].opcode == WLM_EXP) take_before(p, &p->item[i]);
    count_uses(p);
    for (int32_t i = 0; i < p->items; i++) {
        wlm_solo_item *behind = &p->item[i];
        if (behind->uses == 0 || !is_linear(behind)) continue;
        const wlm_solo_item *exp = &p->item[behind->operand[0].item];
        int plain = exp->opcode == WLM_EXP && exp->operand[5].constant == 1.0 && exp->operand[6].constant == 0.0;
        if (!plain || exp->uses > 1) continue;
        wlm_solo_value scale = behind->operand[1], shift = behind->operand[2];
        int32_t uses = behind->uses;
        *behind = *exp;
        behind->uses = uses;
        behind->operand[5] = scale, behind->operand[6] = shift;
    }
    count_uses(p);
}

warplu_status wlm_solo_list(wlm_solo_plan *plan)
{
    const wlm_program *program = plan->program;
    lister l = {plan, WLU_ALLOC(plan->ctx, program->slots, wlm_solo_value)};
    plan->item = WLU_ALLOC(plan->ctx, (int64_t)program->inputs + program->instructions, wlm_solo_item);
    plan->output = WLU_ALLOC(plan->ctx, program->outputs, wlm_solo_value);
    int enough = l.holds != NULL && plan->item != NULL && plan->output != NULL;
    if (enough) {
        for (int32_t s = 0; s < program->slots; s++) l.holds[s] = (wlm_solo_value){NOT_YET, 0.0};
        for (int32_t i = 0; i < program->instructions; i++) take_instruction(&l, &program->instruction[i]);
        for (int32_t i = 0; i < program->outputs; i++) plan->output[i] = value_of(&l, program->inputs + i);
        fuse_exponentials(plan);
    }
    wlu_free(plan->ctx, l.holds);
    return enough ? WARPLU_SUCCESS : wlu_fail_memory(plan->ctx, "code");
}
