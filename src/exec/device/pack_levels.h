/* Programs packed for the strategy `levels`: the compiler's streams as they are, and a list of launches. */
#ifndef WLU_EXEC_DEVICE_PACK_LEVELS_H
#define WLU_EXEC_DEVICE_PACK_LEVELS_H

#include "exec/block.h"
#include "exec/device/levels.h"
#include "lu/lu.h"

/* The host's part: a launch each. */
typedef struct wlu_level_launches {
    wlu_level_vector *vector;
    int64_t count;
} wlu_level_launches;

/* program and solve point into the block. */
typedef struct wlu_level_image {
    wlu_block block;
    wlu_level_launches launches;
    union {
        wlu_level_program program;
        wlu_level_solve solve;
    } of;
} wlu_level_image;

/* The factorization, and a kind of solve, of a program without a TILE region (WARPLU_PROGRAM_TOO_LARGE where there is
 * one: such are compiled only where records alone do not fit). The program need not outlive the image.
 * WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status wlu_level_pack(wlu_context *ctx, const wlu_program *program, wlu_level_image *out);
warplu_status wlu_level_pack_solve(wlu_context *ctx, const wlu_program *program, wlu_stream_kind kind,
                                   wlu_level_image *out);
/* The block and the launches. */
void wlu_level_image_free(wlu_context *ctx, wlu_level_image *image);

#endif
