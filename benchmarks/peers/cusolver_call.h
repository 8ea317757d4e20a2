/* cuSOLVER's status codes, for the two plug-ins that use it. */
#ifndef WLU_PEER_CUSOLVER_CALL_H
#define WLU_PEER_CUSOLVER_CALL_H

#include <cusolver_common.h>
#include <stdio.h>

#include "peer.h"

static inline const char *cusolver_name(cusolverStatus_t status)
{
    switch (status) {
    case CUSOLVER_STATUS_NOT_INITIALIZED: return "NOT_INITIALIZED";
    case CUSOLVER_STATUS_ALLOC_FAILED: return "ALLOC_FAILED";
    case CUSOLVER_STATUS_INVALID_VALUE: return "INVALID_VALUE";
    case CUSOLVER_STATUS_ARCH_MISMATCH: return "ARCH_MISMATCH";
    case CUSOLVER_STATUS_EXECUTION_FAILED: return "EXECUTION_FAILED";
    case CUSOLVER_STATUS_INTERNAL_ERROR: return "INTERNAL_ERROR";
    case CUSOLVER_STATUS_NOT_SUPPORTED: return "NOT_SUPPORTED";
    case CUSOLVER_STATUS_ZERO_PIVOT: return "ZERO_PIVOT";
    default: return "see cusolver_common.h";
    }
}

static inline warplu_status cusolver_status(cusolverStatus_t status, const char *call)
{
    if (status == CUSOLVER_STATUS_SUCCESS) return WARPLU_SUCCESS;
    warplu_status as = WARPLU_INVALID_ARGUMENT;
    if (status == CUSOLVER_STATUS_ALLOC_FAILED) as = WARPLU_OUT_OF_MEMORY;
    if (status == CUSOLVER_STATUS_ZERO_PIVOT) as = WARPLU_SINGULAR;
    return peer_fail(as, "%s: cuSOLVER status %d (%s)", call, (int)status, cusolver_name(status));
}

/* "cuSOLVER 12.0.4" */
static inline void cusolver_version(char *text, size_t size)
{
    int version[3] = {0};
    cusolverGetProperty(MAJOR_VERSION, &version[0]);
    cusolverGetProperty(MINOR_VERSION, &version[1]);
    cusolverGetProperty(PATCH_LEVEL, &version[2]);
    snprintf(text, size, "cuSOLVER %d.%d.%d", version[0], version[1], version[2]);
}

#endif
