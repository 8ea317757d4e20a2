/* Solvers on a CUDA device for strategies that options have, and for the one that they do not: launches one by one. */
#ifndef WLU_TEST_CREATE_H
#define WLU_TEST_CREATE_H

#include "exec/levels/launch.h"
#include "solver/solver.h"

static inline warplu_status create_cuda(warplu_solver **s, const warplu_options *options)
{
    warplu_options o = *options;
    int launches = o.device_strategy == WLU_STRATEGY_LAUNCHES;
    if (launches) o.device_strategy = WARPLU_STRATEGY_LEVELS;
    warplu_status status = warplu_create(s, &o);
    if (status == WARPLU_SUCCESS && launches) (*s)->target.strategy = (*s)->refines.strategy = WLU_STRATEGY_LAUNCHES;
    return status;
}

#endif
