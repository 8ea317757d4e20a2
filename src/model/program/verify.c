/* Checks what every program promises. See program.h. O(instructions + slots). */
#include "model/program/program.h"

int wlm_operand_count(int32_t opcode)
{
    return opcode == WLM_MOVE ? 1 : wlm_opcode_operands((wlm_opcode)opcode);
}

int wlm_is_tabled(int32_t opcode)
{
    return opcode != WLM_MOVE && wlm_opcode_is_tabled((wlm_opcode)opcode);
}

const wlm_table *wlm_program_table(const wlm_program *program, const wlm_instruction *instruction)
{
    int32_t number = instruction->c;
    return wlm_is_tabled(instruction->opcode) && number >= 0 && number < program->tables ? program->table[number]
                                                                                         : NULL;
}

static warplu_status verify_operand(wlu_context *ctx, const wlm_program *p, int32_t at, int32_t from,
                                    const unsigned char *written)
{
    if (from >= p->slots || from < -(int64_t)p->constants)
        return wlu_fail(ctx, WARPLU_INTERNAL, "program: instruction %d reads %d: there are %d slots and %d constants",
                        at, from, p->slots, p->constants);
    if (from >= 0 && !written[from])
        return wlu_fail(ctx, WARPLU_INTERNAL, "program: instruction %d reads slot %d, which nothing has written", at,
                        from);
    return WARPLU_SUCCESS;
}

static warplu_status verify_instruction(wlu_context *ctx, const wlm_program *p, int32_t at, unsigned char *written)
{
    const wlm_instruction *i = &p->instruction[at];
    const int32_t from[3] = {i->a, i->b, i->c};
    if (i->opcode < 0 || i->opcode > WLM_MOVE || wlm_operand_count(i->opcode) == 0)
        return wlu_fail(ctx, WARPLU_INTERNAL, "program: instruction %d has opcode %d", at, i->opcode);
    for (int k = 0; k < wlm_operand_count(i->opcode); k++) {
        warplu_status status = verify_operand(ctx, p, at, from[k], written);
        if (status != WARPLU_SUCCESS) return status;
    }
    if (wlm_is_tabled(i->opcode) && (i->c < -1 || i->c >= p->tables))
        return wlu_fail(ctx, WARPLU_INTERNAL, "program: instruction %d reads table %d of %d", at, i->c, p->tables);
    if (i->to < p->inputs || i->to >= p->slots)
        return wlu_fail(ctx, WARPLU_INTERNAL, "program: instruction %d writes slot %d of %d to %d", at, i->to,
                        p->inputs, p->slots - 1);
    written[i->to] = 1;
    return WARPLU_SUCCESS;
}

static warplu_status verify(wlu_context *ctx, const wlm_program *p, unsigned char *written)
{
    for (int32_t slot = 0; slot < p->inputs; slot++) written[slot] = 1;
    for (int32_t at = 0; at < p->instructions; at++) {
        warplu_status status = verify_instruction(ctx, p, at, written);
        if (status != WARPLU_SUCCESS) return status;
    }
    for (int32_t i = 0; i < p->outputs; i++)
        if (!written[p->inputs + i]) return wlu_fail(ctx, WARPLU_INTERNAL, "program: nothing writes output %d", i);
    return WARPLU_SUCCESS;
}

warplu_status wlm_program_verify(wlu_context *ctx, const wlm_program *program)
{
    if (program->inputs < 0 || program->outputs < 0 || (int64_t)program->inputs + program->outputs > program->slots)
        return wlu_fail(ctx, WARPLU_INTERNAL, "program: %d inputs and %d outputs do not fit %d slots", program->inputs,
                        program->outputs, program->slots);
    unsigned char *written = WLU_CALLOC(ctx, program->slots, unsigned char);
    if (written == NULL) return wlu_fail_memory(ctx, "verification of a program");
    warplu_status status = verify(ctx, program, written);
    wlu_free(ctx, written);
    return status;
}
