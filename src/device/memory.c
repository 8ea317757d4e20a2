/* Memory that devices share with the host. See memory.h. It is for all contexts, so that each device may write it. */
#include "device/memory.h"

warplu_status wlu_cuda_pin(wlu_context *ctx, size_t bytes, void **host, void **on_device)
{
    wlu_cu_address address = 0;
    warplu_status status = WLU_CUDA(ctx, host_alloc, host, bytes, WLU_CU_HOST_PORTABLE | WLU_CU_HOST_MAPPED);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, host_address, &address, *host, 0);
    *on_device = wlu_cuda_pointer(address);
    return status;
}
