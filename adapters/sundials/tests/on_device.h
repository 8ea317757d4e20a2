/* Test support: vectors and matrices on a device, by SUNDIALS (on_device.c), or as if (emulated/emulated.c). */
#ifndef WLU_SUN_ON_DEVICE_H
#define WLU_SUN_ON_DEVICE_H

#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nvector.h>

N_Vector device_vector(int n, SUNContext context);
void device_put(N_Vector v, const double *numbers);
void device_get(N_Vector v, double *numbers);

/* n by n, by rows; blocks: block-diagonal of so many, 1: an ordinary one. */
SUNMatrix device_matrix(int n, int nnz, int blocks, SUNContext context);
void device_fill(SUNMatrix A, const double *values, const int *ptr, const int *idx);

#endif
