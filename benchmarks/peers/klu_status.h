/* KLU's codes as statuses, for the plug-ins that factor with it. */
#ifndef WLU_PEER_KLU_STATUS_H
#define WLU_PEER_KLU_STATUS_H

#include <suitesparse/klu.h>

#include "peer.h"

static inline warplu_status peer_klu_status(const klu_common *common)
{
    switch (common->status) {
    case KLU_OK: return WARPLU_SUCCESS;
    case KLU_SINGULAR: return peer_fail(WARPLU_SINGULAR, "KLU: no pivot in column %d", common->singular_col);
    case KLU_OUT_OF_MEMORY: return peer_fail(WARPLU_OUT_OF_MEMORY, "KLU_OUT_OF_MEMORY");
    case KLU_TOO_LARGE: return peer_fail(WARPLU_OVERFLOW, "KLU_TOO_LARGE: the factors pass 2^31 entries");
    default: return peer_fail(WARPLU_INVALID_ARGUMENT, "KLU status %d", common->status);
    }
}

#endif
