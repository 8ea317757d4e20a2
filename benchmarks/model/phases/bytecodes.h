/* The bytecodes of threads, their formulas' one behind the other, and their kinds. Two bytecodes are of one kind
 * where their opcodes are the same, with the numbers of operands of sums and products and the distances of jumps.
 * Cost: O(words). */
#ifndef PHASES_BYTECODES_H
#define PHASES_BYTECODES_H

#include "phases/schedule.h"

typedef struct wlm_bytecodes {
    int32_t threads, kinds;
    int64_t *first; /* threads + 1: words of code, each bytecode with its END */
    uint32_t *code;
    int32_t *kind;    /* of each thread */
    int32_t *example; /* of each kind: the first thread of it */
    int32_t *length;  /* of each kind: instructions */
} wlm_bytecodes;

/* WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_bytecodes_create(wlu_context *ctx, const wlm_formulas *formulas, const wlm_schedule *schedule,
                                   wlm_bytecodes **out);
void wlm_bytecodes_destroy(wlu_context *ctx, wlm_bytecodes **bytecodes);

/* Places at which two bytecodes of the same length have different opcodes. */
int32_t wlm_bytecodes_differences(const wlm_bytecodes *bytecodes, int32_t kind_a, int32_t kind_b);

#endif
