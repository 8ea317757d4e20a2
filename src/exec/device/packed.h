/* What packing a compiled program for a device makes: for the strategy `flow` as image.h has it, for `levels` as
 * levels.h does. */
#ifndef WLU_EXEC_DEVICE_PACKED_H
#define WLU_EXEC_DEVICE_PACKED_H

#include "base/block.h"
#include "exec/device/image.h"
#include "exec/device/levels.h"
#include "lu/lu.h"

/* The factorization, or a kind of solve, as a strategy has it; its pointers point into the block. */
typedef struct wlu_device_image {
    wlu_block block;
    union {
        wlu_device_program program;
        wlu_device_solve solve;
        wlu_level_program level_program;
        wlu_level_solve level_solve;
    };
    wlu_level_vector *vector; /* of `levels`: the host's part, a launch each */
    int64_t vectors;
    /* of `flow`: what packing costs: operand pairs and lanes that are filled, and that there are */
    int64_t terms, padded_terms, records, lanes;
} wlu_device_image;

/* Slots of a solve at most, of either kind: y, x, constants and partial sums, the regions' unknowns twice, and as many
 * results that are not final. */
static inline int64_t wlu_device_solve_slots(const wlu_program *program)
{
    return program->nslots - program->y + 4 * (int64_t)wlu_lu_of(program)->tiles.m;
}

/* Bytes of a slot that what is packed goes by: in FP32 it takes half of them. */
static inline int wlu_slot_bytes(const wlu_program *program)
{
    return program->doubles * (int)sizeof(double);
}

/* A stream of a program that has it; the program need not outlive the image. WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
typedef warplu_status wlu_device_pack_fn(wlu_context *ctx, const wlu_program *program, wlu_stream_kind kind,
                                         wlu_device_image *out);

#endif
