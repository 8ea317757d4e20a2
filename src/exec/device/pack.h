/* Packs a compiled program for a device. */
#ifndef WLU_EXEC_DEVICE_PACK_H
#define WLU_EXEC_DEVICE_PACK_H

#include "exec/block.h"
#include "exec/device/image.h"
#include "lu/lu.h"

/* program points into the block. */
typedef struct wlu_device_image {
    wlu_block block;
    wlu_device_program program;
    /* what packing costs: operand pairs and lanes that are filled, and that there are */
    int64_t terms, padded_terms, records, lanes;
} wlu_device_image;

/* The factorization. The program need not outlive the image. WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status wlu_device_pack(wlu_context *ctx, const wlu_program *program, wlu_device_image *out);
void wlu_device_image_free(wlu_context *ctx, wlu_device_image *image);

/* The program as it is once the block has been copied to `base`, an address of the device. */
wlu_device_program wlu_device_place(const wlu_device_image *image, const void *base);

/* A kind of solve, of a program that has it. */
typedef struct wlu_solve_image {
    wlu_block block;
    wlu_device_solve solve;
} wlu_solve_image;

/* The program need not outlive the image. WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status wlu_device_pack_solve(wlu_context *ctx, const wlu_program *program, wlu_stream_kind kind,
                                    wlu_solve_image *out);
void wlu_solve_image_free(wlu_context *ctx, wlu_solve_image *image);
wlu_device_solve wlu_device_place_solve(const wlu_solve_image *image, const void *base);

#endif
