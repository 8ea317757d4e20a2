/* The fake driver as the driver of this process: before anything asks for one. */
#ifndef WLU_FAKE_OPEN_H
#define WLU_FAKE_OPEN_H

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "fake_cuda.h"

static inline fake_cuda *fake_open(void)
{
    static fake_cuda *driver;
    if (driver != NULL) return driver;
    fake_cuda_state_fn *of;
    void *library = dlopen(FAKE_CUDA_PATH, RTLD_NOW),
         *symbol = library != NULL ? dlsym(library, "fake_cuda_state") : NULL;
    memcpy(&of, &symbol, sizeof of);
    if (symbol == NULL || setenv("WARPLU_LIBCUDA", FAKE_CUDA_PATH, 1) != 0) abort();
    driver = of();
    return driver;
}

#endif
