/* Dense LU on the GPU as a peer: cuSOLVER's getrf and getrs (docs.nvidia.com/cuda/cusolver), in the part that the dense
 * library CULA has in the paper of the method: what happens to someone who does not care for sparsity.
 *
 * The sparse values lie on the device; factor and refactor, which are the same, write them into the dense array
 * (cusparseSparseToDense) and factor it with partial pivoting. solve copies b, for getrs overwrites it. Each call ends
 * with one synchronization. Everything is at its default. A matrix whose n * n doubles the device cannot hold is out of
 * memory. */
#include <cusolverDn.h>
#include <cusparse.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cuda_call.h"
#include "cusolver_call.h"

_Static_assert(sizeof(int) == sizeof(int32_t), "the index type of the matrix is CUSPARSE_INDEX_32I");

static const char *const ordering_names[] = {"natural", NULL};

typedef struct dense_run {
    cuda_system system; /* by columns */
    cusolverDnHandle_t solver;
    cusolverDnParams_t params;
    cusparseHandle_t converter;
    cusparseSpMatDescr_t sparse;
    cusparseDnMatDescr_t matrix;
    double *dense;   /* device: n * n, then the factors */
    int64_t *pivots; /* device */
    int *info;       /* device */
    void *work, *host_work, *convert_work;
    size_t work_bytes, host_work_bytes, convert_bytes;
    int factored;
} dense_run;

static warplu_status sparse_status(cusparseStatus_t status, const char *call)
{
    if (status == CUSPARSE_STATUS_SUCCESS) return WARPLU_SUCCESS;
    return peer_fail(status == CUSPARSE_STATUS_ALLOC_FAILED ? WARPLU_OUT_OF_MEMORY : WARPLU_INVALID_ARGUMENT,
                     "%s: cuSPARSE status %d (%s)", call, (int)status, cusparseGetErrorString(status));
}

static void destroy(void **state)
{
    dense_run *r = *state;
    if (r == NULL) return;
    if (r->sparse != NULL) cusparseDestroySpMat(r->sparse);
    if (r->matrix != NULL) cusparseDestroyDnMat(r->matrix);
    if (r->converter != NULL) cusparseDestroy(r->converter);
    if (r->params != NULL) cusolverDnDestroyParams(r->params);
    if (r->solver != NULL) cusolverDnDestroy(r->solver);
    cudaFree(r->dense);
    cudaFree(r->pivots);
    cudaFree(r->info);
    cudaFree(r->work);
    cudaFree(r->convert_work);
    free(r->host_work);
    cuda_system_destroy(&r->system);
    free(r);
    *state = NULL;
}

/* The dense array, if it fits. */
static warplu_status allocate_dense(dense_run *r)
{
    uint64_t n = (uint64_t)r->system.n;
    size_t available = 0, total = 0;
    warplu_status status = cuda_status(cudaMemGetInfo(&available, &total), "cudaMemGetInfo");
    if (status < 0) return status;
    if (n * n > available / sizeof *r->dense)
        return peer_fail(WARPLU_OUT_OF_MEMORY, "a dense array of %.3g bytes, %.3g available on the device",
                         (double)n * (double)n * sizeof *r->dense, (double)available);
    r->dense = cuda_memory((size_t)(n * n) * sizeof *r->dense, NULL, &status);
    r->pivots = cuda_memory((size_t)n * sizeof *r->pivots, NULL, &status);
    r->info = cuda_memory(sizeof *r->info, NULL, &status);
    return status;
}

static warplu_status create_converter(dense_run *r)
{
    cuda_system *s = &r->system;
    int64_t n = s->n;
    warplu_status status = sparse_status(cusparseCreate(&r->converter), "cusparseCreate");
    if (status >= 0)
        status = sparse_status(cusparseCreateCsc(&r->sparse, n, n, s->nnz, s->device_ptr, s->device_idx,
                                                 s->device_values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                                 CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
                               "cusparseCreateCsc");
    if (status >= 0)
        status = sparse_status(cusparseCreateDnMat(&r->matrix, n, n, n, r->dense, CUDA_R_64F, CUSPARSE_ORDER_COL),
                               "cusparseCreateDnMat");
    if (status >= 0)
        status = sparse_status(cusparseSparseToDense_bufferSize(r->converter, r->sparse, r->matrix,
                                                                CUSPARSE_SPARSETODENSE_ALG_DEFAULT, &r->convert_bytes),
                               "cusparseSparseToDense_bufferSize");
    r->convert_work = cuda_memory(r->convert_bytes, NULL, &status);
    return status;
}

static warplu_status create_solver(dense_run *r)
{
    int64_t n = r->system.n;
    warplu_status status = cusolver_status(cusolverDnCreate(&r->solver), "cusolverDnCreate");
    if (status >= 0) status = cusolver_status(cusolverDnCreateParams(&r->params), "cusolverDnCreateParams");
    if (status >= 0)
        status = cusolver_status(cusolverDnXgetrf_bufferSize(r->solver, r->params, n, n, CUDA_R_64F, r->dense, n,
                                                             CUDA_R_64F, &r->work_bytes, &r->host_work_bytes),
                                 "cusolverDnXgetrf_bufferSize");
    r->work = cuda_memory(r->work_bytes, NULL, &status);
    if (status >= 0 && r->host_work_bytes > 0) {
        r->host_work = malloc(r->host_work_bytes);
        if (r->host_work == NULL) status = peer_fail(WARPLU_OUT_OF_MEMORY, "no host memory for getrf");
    }
    return status;
}

static warplu_status analyze(const peer_matrix *a, const peer_request *request, void **state)
{
    (void)request;
    dense_run *r = calloc(1, sizeof *r);
    *state = r;
    if (r == NULL) return peer_fail(WARPLU_OUT_OF_MEMORY, "no memory for the run");
    warplu_status status = cuda_system_create(&r->system, a, 0, 1);
    if (status >= 0) status = allocate_dense(r);
    if (status >= 0) status = create_converter(r);
    if (status >= 0) status = create_solver(r);
    if (status < 0) destroy(state);
    return status;
}

static warplu_status stage_values(void *state, const double *values)
{
    return cuda_system_values(&((dense_run *)state)->system, 0, values);
}

static warplu_status stage_rhs(void *state, const double *b)
{
    return cuda_system_rhs(&((dense_run *)state)->system, 0, b);
}

static warplu_status fetch_solution(void *state, double *x)
{
    return cuda_system_solution(&((dense_run *)state)->system, 0, x);
}

static warplu_status factor(void *state, const double *values)
{
    dense_run *r = state;
    int64_t n = r->system.n;
    int info = 0;
    (void)values;
    r->factored = 0;
    warplu_status status = sparse_status(
        cusparseSparseToDense(r->converter, r->sparse, r->matrix, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, r->convert_work),
        "cusparseSparseToDense");
    if (status >= 0)
        status =
            cusolver_status(cusolverDnXgetrf(r->solver, r->params, n, n, CUDA_R_64F, r->dense, n, r->pivots, CUDA_R_64F,
                                             r->work, r->work_bytes, r->host_work, r->host_work_bytes, r->info),
                            "cusolverDnXgetrf");
    /* The copy waits for the factorization. */
    if (status >= 0)
        status = cuda_status(cudaMemcpy(&info, r->info, sizeof info, cudaMemcpyDeviceToHost), "cusolverDnXgetrf");
    if (status >= 0 && info > 0) status = peer_fail(WARPLU_SINGULAR, "getrf: pivot %d is zero", info);
    if (status >= 0 && info < 0) status = peer_fail(WARPLU_INVALID_ARGUMENT, "getrf: argument %d is invalid", -info);
    r->factored = status >= 0;
    return status;
}

static warplu_status solve(void *state, const double *b, double *x)
{
    dense_run *r = state;
    cuda_system *s = &r->system;
    (void)b;
    (void)x;
    if (!r->factored) return peer_fail(WARPLU_WRONG_PHASE, "no factors");
    warplu_status status = cuda_system_begin_solve(s);
    if (status >= 0)
        status = cusolver_status(cusolverDnXgetrs(r->solver, r->params, CUBLAS_OP_N, s->n, 1, CUDA_R_64F, r->dense,
                                                  s->n, r->pivots, CUDA_R_64F, s->device_x, s->n, r->info),
                                 "cusolverDnXgetrs");
    return status >= 0 ? cuda_wait("cusolverDnXgetrs") : status;
}

static void describe(const void *state, peer_facts *facts)
{
    const dense_run *r = state;
    int64_t n = r->system.n;
    char device[96];
    cuda_device_text(device, sizeof device);
    cusolver_version(facts->version, sizeof facts->version);
    snprintf(facts->ordering, sizeof facts->ordering, "%s", ordering_names[0]);
    snprintf(facts->settings, sizeof facts->settings, "dense, %s", device);
    facts->blocks = 1;
    facts->refinement_steps = 0;
    facts->lu_nnz = n * n;
    facts->bytes = n * n * (int64_t)sizeof *r->dense + n * (int64_t)sizeof *r->pivots +
                   (int64_t)(r->work_bytes + r->host_work_bytes + r->convert_bytes);
}

const peer_functions peer_plugin = {.start = cuda_start,
                                    .analyze = analyze,
                                    .stage_values = stage_values,
                                    .stage_rhs = stage_rhs,
                                    .fetch_solution = fetch_solution,
                                    .factor = factor,
                                    .refactor = factor,
                                    .solve = solve,
                                    .describe = describe,
                                    .destroy = destroy,
                                    .orderings = ordering_names};
