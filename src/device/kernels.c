/* Kernels of devices. See kernels.h. */
#include "device/kernels.h"

enum { SAID_BYTES = 400 };

warplu_status wlu_cuda_load(wlu_context *ctx, const void *image, wlu_cu_handle *module)
{
    char said[SAID_BYTES] = "";
    int options[] = {WLU_CU_JIT_ERRORS, WLU_CU_JIT_ERRORS_BYTES};
    void *values[] = {said, (void *)(uintptr_t)sizeof said};
    wlu_cu_result result = wlu_cuda.module_load(module, image, 2, options, values);
    said[SAID_BYTES - 1] = '\0';
    warplu_status status = wlu_cuda_check(said[0] != '\0' ? NULL : ctx, result, "module_load");
    if (status == WARPLU_SUCCESS || said[0] == '\0') return status;
    for (char *c = said; *c != '\0'; c++)
        if (*c == '\n') *c = ' ';
    return wlu_fail(ctx, status, "the CUDA driver does not compile a kernel (%d): %s", result, said);
}

warplu_status wlu_cuda_launch(wlu_context *ctx, wlu_cu_handle kernel, int64_t threads, int block, void **parameters,
                              wlu_cu_handle stream)
{
    unsigned grid = (unsigned)((threads + block - 1) / block);
    return WLU_CUDA(ctx, launch, kernel, grid, 1, 1, (unsigned)block, 1, 1, 0, stream, parameters, NULL);
}
