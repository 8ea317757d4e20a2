/* Setup and solve with SUNMATRIX_SPARSE and vectors of the host. */
#ifndef WLU_SUN_HOST_H
#define WLU_SUN_HOST_H

#include "content.h"

int wlu_sun_host_takes(N_Vector y, SUNMatrix A);
int wlu_sun_host_setup(SUNLinearSolver S, SUNMatrix A);
int wlu_sun_host_solve(SUNLinearSolver S, SUNMatrix A, N_Vector x, N_Vector b, sunrealtype tolerance);

#endif
