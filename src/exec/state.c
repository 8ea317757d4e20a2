/* What executors do alike. See state.h. */
#include "exec/state.h"

#include <math.h>

warplu_status wlu_state_single_member(wlu_context *ctx, const wlu_image *image, int32_t count)
{
    if (count == 1) return WARPLU_SUCCESS;
    return wlu_fail(ctx, WARPLU_NOT_COMPILED, "the %s executor has states of one member, not of %d",
                    image->target.executor->name, (int)count);
}

wlu_health wlu_health_at_first(void)
{
    return (wlu_health){.growth = 1.0, .smallest_pivot = INFINITY, .drift = 1.0, .finite = 1};
}

const double *wlu_gather_values(const wlu_program *p, const double *values, double *gathered)
{
    if (p->gather == NULL) return values;
    wlu_pattern_gather(p->gather, values, gathered);
    return gathered;
}
