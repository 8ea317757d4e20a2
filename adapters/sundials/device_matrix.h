/* SUNDIALS' calls for matrices on a device, as its documentation has them: its own header is C++. */
#ifndef WLU_SUN_DEVICE_MATRIX_H
#define WLU_SUN_DEVICE_MATRIX_H

#include <sundials/sundials_matrix.h>

enum { WLU_SUN_BY_ROWS = 0 }; /* SUNMAT_CUSPARSE_CSR: of one block */

int SUNMatrix_cuSparse_SparseType(SUNMatrix A);
int SUNMatrix_cuSparse_Rows(SUNMatrix A);
int SUNMatrix_cuSparse_Columns(SUNMatrix A);
int SUNMatrix_cuSparse_NNZ(SUNMatrix A);
int *SUNMatrix_cuSparse_IndexPointers(SUNMatrix A);
int *SUNMatrix_cuSparse_IndexValues(SUNMatrix A);
sunrealtype *SUNMatrix_cuSparse_Data(SUNMatrix A);

#endif
