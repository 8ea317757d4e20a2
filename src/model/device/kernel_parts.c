/* Places a program in a kernel: its inputs are registers of the kernel's, and in front of the loop stands what depends
 * on parameters alone. */
#include "model/device/kernel_parts.h"

#include <string.h>

#include "model/device/instructions.h"

warplu_status wlm_kernel_place(const wlm_lane_kernel *k, const wlm_kernel_program *program, int32_t time,
                               const int32_t *state, const int32_t *more, int32_t mores, wlm_placed *placed)
{
    const wlm_program *once = program->once, *body = program->body;
    int32_t n = k->shape->n, first = 1 + n, behind = first + k->shape->parameters;
    if (body == NULL) return WARPLU_SUCCESS;
    int32_t *prologue = WLU_ALLOC(k->w->ctx, once->slots, int32_t), *slot = WLU_ALLOC(k->w->ctx, body->slots, int32_t);
    placed->body = body, placed->slot = slot;
    if (prologue != NULL && slot != NULL) {
        memcpy(prologue + first, k->parameter, (size_t)k->shape->parameters * sizeof *prologue);
        wlm_ptx_program(k->w, once, k->tables, prologue);
        slot[0] = time;
        memcpy(slot + 1, state, (size_t)n * sizeof *slot);
        memcpy(slot + first, k->parameter, (size_t)k->shape->parameters * sizeof *slot);
        if (mores > 0) memcpy(slot + behind, more, (size_t)mores * sizeof *slot);
        memcpy(slot + body->inputs - once->outputs, prologue + once->inputs, (size_t)once->outputs * sizeof *slot);
    }
    warplu_status status = prologue != NULL && slot != NULL ? WARPLU_SUCCESS : wlu_fail_memory(k->w->ctx, "a kernel");
    wlu_free(k->w->ctx, prologue);
    return status;
}
