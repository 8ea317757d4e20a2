/* Makes and runs solos. See solo.h. */
#include "model/exec/solo.h"

#include <string.h>

#include "model/exec/exec.h"
#include "model/exec/solo_parts.h"

/* With more operations, distances in lines might not fit 32 bits. */
enum { OPERATIONS_MOST = 1 << 20 };

warplu_status wlm_solo_create(wlu_context *ctx, const wlm_program *program, wlm_isa isa, int32_t lanes, wlm_solo **out)
{
    wlm_solo_plan plan = {.ctx = ctx, .program = program, .lanes = lanes, .kernels = wlm_kernels_of(isa)};
    *out = NULL;
    if (plan.kernels == NULL || plan.kernels->solo == NULL || program->instructions > OPERATIONS_MOST)
        return WARPLU_SUCCESS;
    wlm_solo *s = WLU_CALLOC(ctx, 1, wlm_solo);
    if (s == NULL) return wlu_fail_memory(ctx, "code");
    s->width = plan.kernels->width;
    warplu_status status = wlm_solo_list(&plan);
    if (status == WARPLU_SUCCESS) status = wlm_solo_order(&plan);
    if (status == WARPLU_SUCCESS) status = wlm_solo_emit(&plan, s);
    if (status != WARPLU_SUCCESS) wlm_solo_destroy(ctx, &s);
    wlu_free(ctx, plan.item);
    wlu_free(ctx, plan.output);
    wlu_free(ctx, plan.row);
    *out = s;
    return status;
}

void wlm_solo_destroy(wlu_context *ctx, wlm_solo **solo)
{
    if (*solo == NULL) return;
    wlu_free(ctx, (*solo)->instruction);
    wlu_free(ctx, (*solo)->pick);
    wlu_free(ctx, (*solo)->gathered);
    wlu_free(ctx, (*solo)->single);
    wlu_free(ctx, (*solo)->input);
    wlu_free(ctx, (*solo)->output);
    wlu_free(ctx, (*solo)->constant);
    wlu_free(ctx, *solo);
    *solo = NULL;
}

double *wlm_solo_open(wlu_context *ctx, const wlm_solo *s)
{
    int64_t own = (int64_t)s->lines * s->width, constants = (int64_t)s->constants * s->width;
    double *lines = wlm_block_create(ctx, own + constants);
    if (lines != NULL) memcpy(lines + own, s->constant, (size_t)constants * sizeof *lines);
    return lines;
}

void wlm_solo_run(const wlm_solo *s, double *lines, double *file)
{
    for (int32_t k = 0; k < s->inputs; k++) lines[s->input[k].at] = file[s->input[k].in_file];
    const wlm_solo_instruction *i = s->instruction, *end = i + s->instructions;
    for (; i < end; i++) i->kernel(i, (char *)lines);
    for (int32_t k = 0; k < s->outputs; k++) file[s->output[k].in_file] = lines[s->output[k].at];
}
