/* What the last failure knows about a singular matrix. */
#include "solver/solver.h"

#include <string.h>

warplu_status warplu_get_singularity(const warplu_solver *s, warplu_singularity *singularity)
{
    if (s == NULL || singularity == NULL || singularity->size < sizeof singularity->size)
        return WARPLU_INVALID_ARGUMENT;
    if (s->ctx.singularity.status == WARPLU_SUCCESS) return WARPLU_WRONG_PHASE;
    warplu_singularity all = s->ctx.singularity;
    if (singularity->size < all.size) all.size = singularity->size;
    memcpy(singularity, &all, all.size);
    return WARPLU_SUCCESS;
}
