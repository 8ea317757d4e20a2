/* Lists the operands that name moving slots, and sets them. See moving.h. */
#include "model/exec/moving.h"

#include <string.h>

#include "model/exec/code.h"

struct wlm_moving {
    int32_t instructions;
    wlm_packed *instruction;
    int32_t *ptr;      /* slots + 1: where the operands of each slot begin */
    int64_t **operand; /* the distances that name it */
};

static int32_t slot_of(int64_t distance)
{
    return (int32_t)(distance / (WLM_LANES * (int64_t)sizeof(double)));
}

/* Calls for each operand of an instruction that is a slot below `slots`, the result's too. */
static void each_operand(wlm_packed *i, unsigned char is_slot, int32_t slots, const unsigned char *moves,
                         wlm_moving *to, int counts)
{
    int64_t *at[WLM_OPERANDS_MOST + 1] = {&i->to};
    int count = 1;
    for (int k = 0; k < WLM_OPERANDS_MOST; k++)
        if (is_slot >> k & 1) at[count++] = &i->from[k].distance;
    for (int k = 0; k < count; k++) {
        int32_t slot = slot_of(*at[k]);
        if (slot >= slots || !moves[slot]) continue;
        if (counts)
            to->ptr[slot + 2]++;
        else
            to->operand[to->ptr[slot + 1]++] = at[k];
    }
}

/* Lists operands by slot, by counting: behind it ptr[slot + 1] is where those of a slot end. */
static warplu_status list(wlu_context *ctx, const wlm_code *code, int32_t slots, const unsigned char *moves,
                          wlm_moving *to)
{
    for (int32_t i = 0; i < to->instructions; i++)
        each_operand(&to->instruction[i], code->slots[i], slots, moves, to, 1);
    for (int32_t slot = 0; slot < slots; slot++) to->ptr[slot + 2] += to->ptr[slot + 1];
    to->operand = WLU_ALLOC(ctx, to->ptr[slots + 1], int64_t *);
    if (to->operand == NULL) return wlu_fail_memory(ctx, "code");
    for (int32_t i = 0; i < to->instructions; i++)
        each_operand(&to->instruction[i], code->slots[i], slots, moves, to, 0);
    return WARPLU_SUCCESS;
}

warplu_status wlm_moving_create(wlu_context *ctx, const wlm_code *code, int32_t slots, const unsigned char *moves,
                                wlm_moving **out)
{
    wlm_moving *moving = WLU_CALLOC(ctx, 1, wlm_moving);
    *out = moving;
    if (moving == NULL) return wlu_fail_memory(ctx, "code");
    moving->instructions = code->instructions;
    moving->instruction = WLU_ALLOC(ctx, code->instructions, wlm_packed);
    moving->ptr = WLU_CALLOC(ctx, (int64_t)slots + 2, int32_t);
    warplu_status status =
        WLU_ALL_THERE(moving->instruction, moving->ptr) ? WARPLU_SUCCESS : wlu_fail_memory(ctx, "code");
    if (status == WARPLU_SUCCESS) {
        memcpy(moving->instruction, code->all, (size_t)code->instructions * sizeof *code->all);
        status = list(ctx, code, slots, moves, moving);
    }
    if (status != WARPLU_SUCCESS) wlm_moving_destroy(ctx, out);
    return status;
}

void wlm_moving_destroy(wlu_context *ctx, wlm_moving **moving)
{
    if (*moving == NULL) return;
    wlu_free(ctx, (*moving)->instruction);
    wlu_free(ctx, (*moving)->ptr);
    wlu_free(ctx, (*moving)->operand);
    wlu_free(ctx, *moving);
    *moving = NULL;
}

void wlm_moving_put(wlm_moving *moving, const double *file, int32_t slot, const double *at)
{
    const int64_t distance = (int64_t)((uintptr_t)at - (uintptr_t)file);
    for (int32_t k = moving->ptr[slot]; k < moving->ptr[slot + 1]; k++) *moving->operand[k] = distance;
}

void wlm_moving_run(const wlm_moving *moving, double *file)
{
    const wlm_packed *i = moving->instruction, *end = i + moving->instructions;
    for (; i < end; i++) i->kernel(i, (char *)file, WLM_LANES);
}
