/* Solves on device pointers, for attacks on the CUDA executor. */
#ifndef WLU_ADVERSARIAL_ON_DEVICE_H
#define WLU_ADVERSARIAL_ON_DEVICE_H

#include <warplu/device.h>

/* Opens the driver; 0 where there is no device. */
int on_device_open(void);
/* Replays the values and solves, both on the device, and finishes; after new pivots once more. x is that of the device.
 * nnz: values. */
warplu_status on_device_solve(warplu_solver *s, int32_t nnz, const double *values, int transposed, int32_t nrhs,
                              const double *b, int32_t n, double *x);

#endif
