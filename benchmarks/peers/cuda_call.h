/* What the plug-ins for NVIDIA's libraries share: a device or a clear answer, CUDA's codes as statuses, and the system
 * in the device's memory. Host code in C on CUDA's runtime. */
#ifndef WLU_PEER_CUDA_CALL_H
#define WLU_PEER_CUDA_CALL_H

#include <cuda_runtime_api.h>
#include <stddef.h>

#include "peer.h"

/* Systems of one pattern, or the only one, as the libraries take them. Host and device arrays are the struct's own. */
typedef struct cuda_system {
    int32_t n, nnz, count;
    int32_t doubles;              /* of a value */
    int32_t *ptr, *idx;           /* host: row pointers and column indices, ascending in each row; or columns, kept */
    int32_t *from;                /* host: entry k is values[from[k]]; NULL where columns are kept */
    double *values, *vector;      /* host, pinned: the values last sent, in the pattern's order, and the vector */
    int *device_ptr, *device_idx; /* the same pattern */
    double *device_values, *device_b, *device_x; /* of all systems, one after the other */
} cuda_system;

/* A device and its context. WARPLU_NO_DEVICE, with the reason. */
warplu_status cuda_start(void);

/* The device in words, with its driver's and the runtime's version; at most size characters. */
void cuda_device_text(char *text, size_t size);

/* WARPLU_SUCCESS, or a status and a text with CUDA's own code. */
warplu_status cuda_status(cudaError_t error, const char *call);

/* Waits for all that was enqueued: the one synchronization at the end of each timed call. */
warplu_status cuda_wait(const char *call);

/* Memory on the device, NULL if *status is, or becomes, a failure; copied from host unless that is NULL. */
void *cuda_memory(size_t bytes, const void *host, warplu_status *status);

/* Brings the pattern, and a->values as those of the first of count systems, to the device: by rows, or by columns as
 * they are. What was built is for cuda_system_destroy, after a failure too. */
warplu_status cuda_system_create(cuda_system *s, const peer_matrix *a, int by_rows, int32_t count);
void cuda_system_destroy(cuda_system *s);

/* Of the k-th system: values by columns, a vector, and the solution back. */
warplu_status cuda_system_values(cuda_system *s, int32_t k, const double *values);
warplu_status cuda_system_rhs(cuda_system *s, int32_t k, const double *b);
warplu_status cuda_system_solution(cuda_system *s, int32_t k, double *x);
/* For solves of the only one in place: the right-hand side to where the solution goes, enqueued. */
warplu_status cuda_system_begin_solve(cuda_system *s);

#endif
