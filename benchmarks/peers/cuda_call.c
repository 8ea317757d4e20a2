#include "cuda_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

warplu_status cuda_status(cudaError_t error, const char *call)
{
    if (error == cudaSuccess) return WARPLU_SUCCESS;
    warplu_status status = WARPLU_INVALID_ARGUMENT;
    if (error == cudaErrorMemoryAllocation) status = WARPLU_OUT_OF_MEMORY;
    if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver) status = WARPLU_NO_DEVICE;
    return peer_fail(status, "%s: %s (%d): %s", call, cudaGetErrorName(error), (int)error, cudaGetErrorString(error));
}

warplu_status cuda_start(void)
{
    int devices = 0;
    cudaError_t error = cudaGetDeviceCount(&devices);
    if (error == cudaSuccess && devices == 0) error = cudaErrorNoDevice;
    if (error == cudaSuccess) error = cudaFree(NULL); /* makes the context */
    if (error == cudaSuccess) return WARPLU_SUCCESS;
    return peer_fail(WARPLU_NO_DEVICE, "no CUDA device: %s (%d): %s", cudaGetErrorName(error), (int)error,
                     cudaGetErrorString(error));
}

void cuda_device_text(char *text, size_t size)
{
    struct cudaDeviceProp device;
    int at = 0, driver = 0, runtime = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    if (cudaGetDevice(&at) != cudaSuccess || cudaGetDeviceProperties(&device, at) != cudaSuccess) device.name[0] = '\0';
    snprintf(text, size, "%s, CUDA %d.%d, driver for %d.%d", device.name, runtime / 1000, runtime % 1000 / 10,
             driver / 1000, driver % 1000 / 10);
}

warplu_status cuda_wait(const char *call)
{
    return cuda_status(cudaDeviceSynchronize(), call);
}

void *cuda_memory(size_t bytes, const void *host, warplu_status *status)
{
    void *memory = NULL;
    if (*status < 0) return NULL;
    *status = cuda_status(cudaMalloc(&memory, bytes > 0 ? bytes : 1), "cudaMalloc");
    if (*status >= 0 && host != NULL && bytes > 0)
        *status = cuda_status(cudaMemcpy(memory, host, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    if (*status >= 0) return memory;
    cudaFree(memory);
    return NULL;
}

/* ------------------------------------------------------------------ system */

/* s->ptr, s->idx, s->from: the rows of a, by one bucket transpose. */
static void transpose(cuda_system *s, const peer_matrix *a)
{
    int32_t n = s->n;
    memset(s->ptr, 0, ((size_t)n + 1) * sizeof *s->ptr);
    for (int32_t k = 0; k < s->nnz; k++) s->ptr[a->idx[k] + 1]++;
    for (int32_t i = 0; i < n; i++) s->ptr[i + 1] += s->ptr[i];
    for (int32_t j = 0; j < n; j++)
        for (int32_t k = a->ptr[j]; k < a->ptr[j + 1]; k++) {
            int32_t at = s->ptr[a->idx[k]]++;
            s->idx[at] = j;
            s->from[at] = k;
        }
    memmove(s->ptr + 1, s->ptr, (size_t)n * sizeof *s->ptr);
    s->ptr[0] = 0;
}

static void *pinned(size_t bytes, warplu_status *status)
{
    void *memory = NULL;
    if (*status >= 0) *status = cuda_status(cudaMallocHost(&memory, bytes > 0 ? bytes : 1), "cudaMallocHost");
    return memory;
}

warplu_status cuda_system_create(cuda_system *s, const peer_matrix *a, int by_rows, int32_t count)
{
    warplu_status status = WARPLU_SUCCESS;
    int32_t n = a->n, nnz = a->ptr[n];
    size_t pointers = ((size_t)n + 1) * sizeof(int), indices = (size_t)nnz * sizeof(int);
    size_t one = (size_t)a->doubles * sizeof(double), values = (size_t)nnz * one, vector = (size_t)n * one;
    *s = (cuda_system){.n = n, .nnz = nnz, .count = count, .doubles = a->doubles};
    s->ptr = malloc(pointers);
    s->idx = malloc(indices);
    if (by_rows) s->from = malloc(indices);
    if (s->ptr == NULL || s->idx == NULL || (by_rows && s->from == NULL))
        return peer_fail(WARPLU_OUT_OF_MEMORY, "no host memory for the matrix");
    if (by_rows) {
        transpose(s, a);
    } else {
        memcpy(s->ptr, a->ptr, pointers);
        memcpy(s->idx, a->idx, indices);
    }
    s->values = pinned(values, &status);
    s->vector = pinned(vector, &status);
    s->device_ptr = cuda_memory(pointers, s->ptr, &status);
    s->device_idx = cuda_memory(indices, s->idx, &status);
    s->device_values = cuda_memory(values * (size_t)count, NULL, &status);
    s->device_b = cuda_memory(vector * (size_t)count, NULL, &status);
    s->device_x = cuda_memory(vector * (size_t)count, NULL, &status);
    return status >= 0 ? cuda_system_values(s, 0, a->values) : status;
}

void cuda_system_destroy(cuda_system *s)
{
    free(s->ptr);
    free(s->idx);
    free(s->from);
    cudaFreeHost(s->values);
    cudaFreeHost(s->vector);
    cudaFree(s->device_ptr);
    cudaFree(s->device_idx);
    cudaFree(s->device_values);
    cudaFree(s->device_b);
    cudaFree(s->device_x);
    *s = (cuda_system){0};
}

/* The k-th array of so many values. */
static warplu_status send(const cuda_system *s, double *device, int32_t k, const double *host, int32_t count)
{
    size_t doubles = (size_t)s->doubles * (size_t)count, bytes = doubles * sizeof *host;
    device += (size_t)k * doubles;
    return cuda_status(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice), "cudaMemcpy to the device");
}

warplu_status cuda_system_values(cuda_system *s, int32_t k, const double *values)
{
    size_t one = (size_t)s->doubles;
    if (s->from == NULL)
        memcpy(s->values, values, one * (size_t)s->nnz * sizeof *values);
    else
        for (size_t e = 0; e < (size_t)s->nnz; e++)
            memcpy(s->values + one * e, values + one * (size_t)s->from[e], one * sizeof *values);
    return send(s, s->device_values, k, s->values, s->nnz);
}

warplu_status cuda_system_rhs(cuda_system *s, int32_t k, const double *b)
{
    memcpy(s->vector, b, (size_t)s->doubles * (size_t)s->n * sizeof *b);
    return send(s, s->device_b, k, s->vector, s->n);
}

warplu_status cuda_system_begin_solve(cuda_system *s)
{
    size_t bytes = (size_t)s->doubles * (size_t)s->n * sizeof *s->device_x;
    return cuda_status(cudaMemcpyAsync(s->device_x, s->device_b, bytes, cudaMemcpyDeviceToDevice, NULL),
                       "cudaMemcpyAsync");
}

warplu_status cuda_system_solution(cuda_system *s, int32_t k, double *x)
{
    size_t doubles = (size_t)s->doubles * (size_t)s->n, bytes = doubles * sizeof *x;
    const double *device = s->device_x + (size_t)k * doubles;
    warplu_status status =
        cuda_status(cudaMemcpy(s->vector, device, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy from the device");
    if (status >= 0) memcpy(x, s->vector, bytes);
    return status;
}
