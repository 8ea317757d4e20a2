/* The interpreter: programs packed for an instruction set, their files, and the loop over instructions. See exec.h. */
#include "model/exec/exec.h"

#include <string.h>

#include "model/exec/code.h"
#include "model/exec/pack.h"

/* Returns the bytes of a file; 0 where they do not fit an int64_t. */
static int64_t file_bytes(const wlm_program *p)
{
    int64_t slot_bytes = WLM_LANES * (int64_t)sizeof(double), bytes = ((int64_t)p->slots + 1) * slot_bytes;
    return (uint64_t)bytes <= SIZE_MAX / 2 ? bytes : 0;
}

warplu_status wlm_code_create(wlu_context *ctx, const wlm_program *program, wlm_isa isa, wlm_code **out)
{
    *out = NULL;
    const wlm_kernels *kernels = wlm_kernels_of(isa);
    if (kernels == NULL) return wlu_fail(ctx, WARPLU_NOT_COMPILED, "code: no such instruction set here");
    if (file_bytes(program) == 0) return wlu_fail(ctx, WARPLU_OVERFLOW, "code: %d slots", program->slots);
    wlm_code *code = WLU_CALLOC(ctx, 1, wlm_code);
    if (code == NULL) return wlu_fail_memory(ctx, "code");
    code->all = WLU_ALLOC(ctx, program->instructions, wlm_packed);
    code->first = WLU_ALLOC(ctx, program->instructions, wlm_packed);
    code->slots = WLU_ALLOC(ctx, program->instructions, unsigned char);
    warplu_status status =
        WLU_ALL_THERE(code->all, code->first, code->slots)
            ? wlm_pack(ctx, program, kernels, code->all, code->first, code->slots, &code->instructions)
            : wlu_fail_memory(ctx, "code");
    if (status != WARPLU_SUCCESS) {
        wlm_code_destroy(ctx, &code);
        return status;
    }
    *out = code;
    return WARPLU_SUCCESS;
}

void wlm_code_destroy(wlu_context *ctx, wlm_code **code)
{
    if (*code == NULL) return;
    wlu_free(ctx, (*code)->all);
    wlu_free(ctx, (*code)->first);
    wlu_free(ctx, (*code)->slots);
    wlu_free(ctx, *code);
    *code = NULL;
}

/* Allocates a block with a file in it at a multiple of 64 bytes; the block's address stands in front of the file. */
static double *create(wlu_context *ctx, int64_t bytes)
{
    char *block = bytes > 0 ? wlu_calloc(ctx, bytes, 1) : NULL;
    if (block == NULL) return NULL;
    char *file = block + 128 - ((uintptr_t)block & 63);
    memcpy(file - sizeof block, &block, sizeof block);
    return (double *)(void *)file;
}

double *wlm_file_create(wlu_context *ctx, const wlm_program *program)
{
    return create(ctx, file_bytes(program));
}

double *wlm_block_create(wlu_context *ctx, int64_t numbers)
{
    return create(ctx, numbers * (int64_t)sizeof(double) + WLM_LANES * (int64_t)sizeof(double));
}

void wlm_file_free(wlu_context *ctx, double *file)
{
    if (file == NULL) return;
    char *block;
    memcpy(&block, (char *)file - sizeof block, sizeof block);
    wlu_free(ctx, block);
}

void wlm_run(const wlm_code *code, double *file, int32_t lanes)
{
    const wlm_packed *i = lanes > WLM_LANES - 8 ? code->all : code->first, *end = i + code->instructions;
    int rounded = (int)(lanes + 7) / 8 * 8;
    for (; i < end; i++) i->kernel(i, (char *)file, rounded);
}
