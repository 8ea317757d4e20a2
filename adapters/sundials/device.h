/* Setup and solve with SUNMATRIX_CUSPARSE and vectors on a device: device.c, or device_absent.c in builds without
 * SUNDIALS' CUDA modules, which take no such matrix. */
#ifndef WLU_SUN_DEVICE_H
#define WLU_SUN_DEVICE_H

#include "content.h"

int wlu_sun_device_takes(N_Vector y, SUNMatrix A);
/* NULL: out of memory, or the runtime fails. */
wlu_sun_device *wlu_sun_device_create(void);
/* Takes NULL. */
void wlu_sun_device_destroy(wlu_sun_device *d);
void wlu_sun_device_set_stream(wlu_sun_device *d, void *stream);
int wlu_sun_device_setup(SUNLinearSolver S, SUNMatrix A);
int wlu_sun_device_solve(SUNLinearSolver S, SUNMatrix A, N_Vector x, N_Vector b, sunrealtype tolerance);

#endif
