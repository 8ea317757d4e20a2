/* Packs a compiled program for a device. */
#ifndef WLU_DEVICE_PACK_H
#define WLU_DEVICE_PACK_H

#include "exec/device/image.h"
#include "program/program.h"

/* One block of memory; program points into it. */
typedef struct wlu_device_image {
    void *block;
    int64_t bytes;
    wlu_device_program program;
    /* what packing costs: operand pairs and lanes that are filled, and that there are */
    int64_t terms, padded_terms, records, lanes;
} wlu_device_image;

/* The factorization. The program need not outlive the image. WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status wlu_device_pack(wlu_context *ctx, const wlu_program *program, wlu_device_image *out);
void wlu_device_image_free(wlu_context *ctx, wlu_device_image *image);

/* The program as it is once the block has been copied to `base`, an address of the device. */
wlu_device_program wlu_device_place(const wlu_device_image *image, const void *base);

#endif
