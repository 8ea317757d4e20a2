/* The interpreter, one number at a time. See exec.h. */
#include "model/exec/exec.h"

#include <stdint.h>
#include <string.h>

struct wlm_code {
    int32_t instructions;
    wlm_instruction *instruction;
    double *constant;
};

int wlm_isa_available(wlm_isa isa)
{
    return isa == WLM_ISA_BEST || isa == WLM_ISA_PORTABLE;
}

warplu_status wlm_code_create(wlu_context *ctx, const wlm_program *program, wlm_isa isa, wlm_code **out)
{
    *out = NULL;
    if (!wlm_isa_available(isa)) return wlu_fail(ctx, WARPLU_NOT_COMPILED, "no such instruction set here");
    wlm_code *code = WLU_CALLOC(ctx, 1, wlm_code);
    if (code == NULL) return wlu_fail_memory(ctx, "code");
    code->instructions = program->instructions;
    code->instruction = WLU_ALLOC(ctx, program->instructions, wlm_instruction);
    code->constant = WLU_ALLOC(ctx, program->constants, double);
    if (code->instruction == NULL || code->constant == NULL) {
        wlm_code_destroy(ctx, &code);
        return wlu_fail_memory(ctx, "code");
    }
    memcpy(code->instruction, program->instruction, (size_t)program->instructions * sizeof *code->instruction);
    memcpy(code->constant, program->constant, (size_t)program->constants * sizeof *code->constant);
    *out = code;
    return WARPLU_SUCCESS;
}

void wlm_code_destroy(wlu_context *ctx, wlm_code **code)
{
    if (*code == NULL) return;
    wlu_free(ctx, (*code)->instruction);
    wlu_free(ctx, (*code)->constant);
    wlu_free(ctx, *code);
    *code = NULL;
}

/* The block starts with 64 bytes or more of which the last 8 hold the address to free. */
double *wlm_file_create(wlu_context *ctx, const wlm_program *program)
{
    int64_t doubles = ((int64_t)program->slots + 2) * WLM_LANES;
    unsigned char *block = wlu_calloc(ctx, doubles, sizeof(double));
    if (block == NULL) return NULL;
    unsigned char *file = block + 128 - ((uintptr_t)block & 63);
    memcpy(file - sizeof block, &block, sizeof block);
    return (double *)(void *)file;
}

void wlm_file_free(wlu_context *ctx, double *file)
{
    if (file == NULL) return;
    unsigned char *block;
    memcpy(&block, (unsigned char *)file - sizeof block, sizeof block);
    wlu_free(ctx, block);
}

static double operand(const wlm_code *code, const double *file, int32_t from, int32_t lane)
{
    return from < 0 ? code->constant[-1 - from] : file[(int64_t)from * WLM_LANES + lane];
}

void wlm_run(const wlm_code *code, double *file, int32_t lanes)
{
    for (int32_t at = 0; at < code->instructions; at++) {
        const wlm_instruction *i = &code->instruction[at];
        for (int32_t lane = 0; lane < (lanes + 7) / 8 * 8; lane++) {
            double a = operand(code, file, i->a, lane), b = operand(code, file, i->b, lane),
                   c = operand(code, file, i->c, lane);
            file[(int64_t)i->to * WLM_LANES + lane] =
                i->opcode == WLM_MOVE ? a : wlm_evaluate((wlm_opcode)i->opcode, a, b, c);
        }
    }
}
