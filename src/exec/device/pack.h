/* Packs a compiled program for a device. */
#ifndef WLU_EXEC_DEVICE_PACK_H
#define WLU_EXEC_DEVICE_PACK_H

#include "exec/device/packed.h"

wlu_device_pack_fn wlu_device_pack;
/* WARPLU_PROGRAM_TOO_LARGE of a program with a TILE region: such are compiled only where records alone do not fit. */
wlu_device_pack_fn wlu_level_pack;
void wlu_device_image_free(wlu_context *ctx, wlu_device_image *image);

#endif
