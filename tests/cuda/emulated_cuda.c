/* A driver with the emulated device as a library: named by WARPLU_LIBCUDA it serves any program that uses warplu, so
 * that tests of other languages see what their calls compute on a device. One thread at a time, as the fake driver. */
#include "by_emulator.h"

#define EXPORT __attribute__((visibility("default")))

fake_cuda_state_fn fake_cuda_state;
EXPORT int64_t emulated_cuda_launches(void);
EXPORT int64_t emulated_cuda_faults(void);

static by_emulator kernel;

__attribute__((constructor)) static void begin(void)
{
    fake_cuda_state()->launch = by_emulator_launch;
    fake_cuda_state()->user = &kernel;
}

int64_t emulated_cuda_launches(void)
{
    return fake_cuda_state()->launches;
}

/* Launches and calls that were not as they should be. */
int64_t emulated_cuda_faults(void)
{
    return fake_cuda_state()->misuses + kernel.wrong;
}
