/* Modules of the fake driver that are texts: their kernels run on the host. */
#ifndef WLU_FAKE_PTX_H
#define WLU_FAKE_PTX_H

#include "fake_cuda.h"
#include "ptx/ptx.h"

/* 1 where an image is a text rather than a binary. */
int fake_ptx_is_text(const void *image);
/* The module, of this device; NULL: why not stands in why. */
wlu_cu_handle fake_ptx_load(const char *text, int device, char why[PTX_WHY_BYTES]);
/* 0: it is no text's. */
int fake_ptx_unload(wlu_cu_handle module, int device);
/* The kernel of a text's module, by its name; NULL: there is none, or it is another device's. */
wlu_cu_handle fake_ptx_find(wlu_cu_handle module, int device, const char *name);
/* NULL: no text's, or another device's. */
const ptx_module *fake_ptx_of(wlu_cu_handle function, int device);

#endif
