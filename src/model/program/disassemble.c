/* Writes programs as text: inputs are x, outputs y, temporaries t, each with its number; constants are numbers. */
#include "model/program/program.h"

static void put_operand(const wlm_program *p, int32_t from, FILE *out)
{
    if (from < 0)
        fprintf(out, "%.17g", p->constant[-1 - from]);
    else if (from < p->inputs)
        fprintf(out, "x%d", from);
    else if (from < p->inputs + p->outputs)
        fprintf(out, "y%d", from - p->inputs);
    else
        fprintf(out, "t%d", from - p->inputs - p->outputs);
}

void wlm_program_disassemble(const wlm_program *program, FILE *out)
{
    fprintf(out, "%d inputs, %d outputs, %d slots, %d constants, %d instructions\n", program->inputs, program->outputs,
            program->slots, program->constants, program->instructions);
    for (int32_t at = 0; at < program->instructions; at++) {
        const wlm_instruction *i = &program->instruction[at];
        const int32_t from[3] = {i->a, i->b, i->c};
        int move = i->opcode == WLM_MOVE;
        int operands = wlm_operand_count(i->opcode);
        fprintf(out, "  ");
        put_operand(program, i->to, out);
        fprintf(out, " = %s", move ? "move" : wlm_opcode_text((wlm_opcode)i->opcode));
        for (int k = 0; k < operands; k++) {
            fprintf(out, k == 0 ? " " : ", ");
            put_operand(program, from[k], out);
        }
        const wlm_table *table = wlm_program_table(program, i);
        if (table != NULL) fprintf(out, " of %s", table->name);
        fprintf(out, "\n");
    }
}
