/* The kernels of the strategy `levels`, on the host: the lanes' functions of exec/device/levels.h, threads in any
 * order. */
#ifndef WLU_TEST_BY_LEVELS_H
#define WLU_TEST_BY_LEVELS_H

#include "fake_cuda.h"

/* 0: not what a kernel expects. */
int by_levels_launch(const fake_cuda_launch *launch, size_t length);
int by_levels_launch_single(const fake_cuda_launch *launch, size_t length);

#endif
