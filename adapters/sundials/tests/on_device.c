/* Vectors and matrices on a GPU, by SUNDIALS' CUDA modules. See on_device.h. Their headers are C++, so that what is
 * used of them is declared here. */
#include "on_device.h"

#include <cuda_runtime.h>
#include <cusparse.h>
#include <string.h>

N_Vector N_VNew_Cuda(sunindextype length, SUNContext context);
void N_VCopyToDevice_Cuda(N_Vector v);
void N_VCopyFromDevice_Cuda(N_Vector v);
SUNMatrix SUNMatrix_cuSparse_NewCSR(int rows, int columns, int nnz, cusparseHandle_t handle, SUNContext context);
SUNMatrix SUNMatrix_cuSparse_NewBlockCSR(int blocks, int rows, int columns, int nnz, cusparseHandle_t handle,
                                         SUNContext context);
int SUNMatrix_cuSparse_CopyToDevice(SUNMatrix A, double *values, int *ptr, int *idx);

N_Vector device_vector(int n, SUNContext context)
{
    return N_VNew_Cuda(n, context);
}

void device_put(N_Vector v, const double *numbers)
{
    memcpy(N_VGetArrayPointer(v), numbers, (size_t)N_VGetLength(v) * sizeof *numbers);
    N_VCopyToDevice_Cuda(v);
    cudaDeviceSynchronize();
}

void device_get(N_Vector v, double *numbers)
{
    N_VCopyFromDevice_Cuda(v);
    cudaDeviceSynchronize();
    memcpy(numbers, N_VGetArrayPointer(v), (size_t)N_VGetLength(v) * sizeof *numbers);
}

/* The handle serves all matrices, until the process ends. */
SUNMatrix device_matrix(int n, int nnz, int blocks, SUNContext context)
{
    static cusparseHandle_t handle;
    if (handle == NULL && cusparseCreate(&handle) != CUSPARSE_STATUS_SUCCESS) return NULL;
    if (blocks == 1) return SUNMatrix_cuSparse_NewCSR(n, n, nnz, handle, context);
    return SUNMatrix_cuSparse_NewBlockCSR(blocks, n / blocks, n / blocks, nnz / blocks, handle, context);
}

void device_fill(SUNMatrix A, const double *values, const int *ptr, const int *idx)
{
    SUNMatrix_cuSparse_CopyToDevice(A, (double *)values, (int *)ptr, (int *)idx);
    cudaDeviceSynchronize();
}
