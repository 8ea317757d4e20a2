/* No SUNDIALS with CUDA in this build: no matrix of a device is taken, so that nothing else is called. See device.h. */
#include "device.h"

int wlu_sun_device_takes(N_Vector y, SUNMatrix A)
{
    (void)y;
    (void)A;
    return 0;
}

wlu_sun_device *wlu_sun_device_create(void)
{
    return NULL;
}

void wlu_sun_device_destroy(wlu_sun_device *d)
{
    (void)d;
}

void wlu_sun_device_set_stream(wlu_sun_device *d, void *stream)
{
    (void)d;
    (void)stream;
}

int wlu_sun_device_setup(SUNLinearSolver S, SUNMatrix A)
{
    (void)A;
    return wlu_sun_note(wlu_sun_content_of(S), WARPLU_NOT_COMPILED);
}

int wlu_sun_device_solve(SUNLinearSolver S, SUNMatrix A, N_Vector x, N_Vector b, sunrealtype tolerance)
{
    (void)A;
    (void)x;
    (void)b;
    (void)tolerance;
    return wlu_sun_note(wlu_sun_content_of(S), WARPLU_NOT_COMPILED);
}
