/* Setup and solve on a device. See device.h.
 *
 * A setup hands the replay to the stream and, while it runs, brings the pattern to the host by a stream of its own and
 * compares it: 4 bytes for each entry cross the bus, in the shadow of the replay. Then it waits for the verdict. Values
 * are fetched where the library may need them on the host: for a new pattern, after a replay that is not healthy, and
 * always where the options check more than replays.
 *
 * A solve is a launch, a wait and the verdict on it. Integrators take the norm of what comes back, which would wait
 * too. Where the library does not vouch for a solve, this and later ones of the setup go over the host, where it checks
 * and refines them. */
#include "device.h"

#include <cuda_runtime.h>
#include <stdlib.h>

#include <warplu/device.h>

#include "device_matrix.h"

struct wlu_sun_device {
    cudaStream_t stream; /* the caller's */
    cudaStream_t beside; /* for the pattern */
    cudaEvent_t written; /* what the caller's stream has done to the pattern */
    /* Pinned: what is fetched from the matrix, and a vector on its way. */
    int32_t *ptr, *idx;
    double *values, *vector;
    int32_t n, nnz;     /* that there is room for */
    int holds_values;   /* values are those of the last setup */
    int solves_on_host; /* a solve since was not vouched for */
};

static warplu_status status_of(cudaError_t error)
{
    if (error == cudaSuccess) return WARPLU_SUCCESS;
    return error == cudaErrorMemoryAllocation ? WARPLU_OUT_OF_MEMORY : WARPLU_DEVICE_FAILED;
}

int wlu_sun_device_takes(N_Vector y, SUNMatrix A)
{
    return SUNMatGetID(A) == SUNMATRIX_CUSPARSE && y->ops->nvgetdevicearraypointer != NULL &&
           SUNMatrix_cuSparse_SparseType(A) == WLU_SUN_BY_ROWS &&
           SUNMatrix_cuSparse_Rows(A) == SUNMatrix_cuSparse_Columns(A) && SUNMatrix_cuSparse_Rows(A) == N_VGetLength(y);
}

wlu_sun_device *wlu_sun_device_create(void)
{
    wlu_sun_device *d = calloc(1, sizeof *d);
    if (d == NULL) return NULL;
    if (cudaStreamCreateWithFlags(&d->beside, cudaStreamNonBlocking) == cudaSuccess &&
        cudaEventCreateWithFlags(&d->written, cudaEventDisableTiming) == cudaSuccess)
        return d;
    wlu_sun_device_destroy(d);
    return NULL;
}

static void free_room(wlu_sun_device *d)
{
    cudaFreeHost(d->ptr);
    cudaFreeHost(d->idx);
    cudaFreeHost(d->values);
    cudaFreeHost(d->vector);
    d->ptr = d->idx = NULL;
    d->values = d->vector = NULL;
    d->n = d->nnz = 0;
}

void wlu_sun_device_destroy(wlu_sun_device *d)
{
    if (d == NULL) return;
    free_room(d);
    if (d->written != NULL) cudaEventDestroy(d->written);
    if (d->beside != NULL) cudaStreamDestroy(d->beside);
    free(d);
}

void wlu_sun_device_set_stream(wlu_sun_device *d, void *stream)
{
    d->stream = (cudaStream_t)stream;
}

static cudaError_t make_room(wlu_sun_device *d, int32_t n, int32_t nnz)
{
    if (n == d->n && nnz == d->nnz) return cudaSuccess;
    free_room(d);
    cudaError_t e = cudaMallocHost((void **)&d->ptr, ((size_t)n + 1) * sizeof *d->ptr);
    if (e == cudaSuccess) e = cudaMallocHost((void **)&d->idx, ((size_t)nnz + 1) * sizeof *d->idx);
    if (e == cudaSuccess) e = cudaMallocHost((void **)&d->values, ((size_t)nnz + 1) * sizeof *d->values);
    if (e == cudaSuccess) e = cudaMallocHost((void **)&d->vector, ((size_t)n + 1) * sizeof *d->vector);
    if (e != cudaSuccess) {
        free_room(d);
        return e;
    }
    d->n = n;
    d->nnz = nnz;
    return cudaSuccess;
}

/* ---------------------------------------------------------------- setup */

/* Starts to fetch the pattern, behind what the caller's stream has in it by now. */
static cudaError_t begin_pattern(wlu_sun_device *d, SUNMatrix A)
{
    cudaError_t e = cudaEventRecord(d->written, d->stream);
    if (e == cudaSuccess) e = cudaStreamWaitEvent(d->beside, d->written, 0);
    if (e == cudaSuccess)
        e = cudaMemcpyAsync(d->ptr, SUNMatrix_cuSparse_IndexPointers(A), ((size_t)d->n + 1) * sizeof *d->ptr,
                            cudaMemcpyDeviceToHost, d->beside);
    if (e == cudaSuccess)
        e = cudaMemcpyAsync(d->idx, SUNMatrix_cuSparse_IndexValues(A), (size_t)d->nnz * sizeof *d->idx,
                            cudaMemcpyDeviceToHost, d->beside);
    return e;
}

static warplu_status end_pattern(wlu_sun_device *d, wlu_sun_pattern *p)
{
    warplu_status status = status_of(cudaStreamSynchronize(d->beside));
    if (status < 0) return status;
    *p = (wlu_sun_pattern){.storage = WARPLU_STORAGE_CSR,
                           .index_bytes = sizeof *d->ptr,
                           .n = d->n,
                           .nnz = d->ptr[d->n],
                           .ptr = d->ptr,
                           .idx = d->idx};
    return p->nnz >= 0 && p->nnz <= d->nnz ? WARPLU_SUCCESS : WARPLU_INVALID_ARGUMENT;
}

static warplu_status fetch_values(wlu_sun_device *d, SUNMatrix A)
{
    if (d->holds_values) return WARPLU_SUCCESS;
    cudaError_t e = cudaMemcpyAsync(d->values, SUNMatrix_cuSparse_Data(A), (size_t)d->nnz * sizeof *d->values,
                                    cudaMemcpyDeviceToHost, d->stream);
    if (e == cudaSuccess) e = cudaStreamSynchronize(d->stream);
    d->holds_values = e == cudaSuccess;
    return status_of(e);
}

/* Waits for what was handed to the stream, and hears the verdict on it. */
static warplu_status finish(wlu_sun_content *c)
{
    wlu_sun_device *d = c->device;
    return warplu_finish_device(c->solver, d->holds_values ? d->values : NULL, d->stream);
}

/* Of replays that are not, the library may want to see the values, now or at a solve. */
static int is_healthy(const wlu_sun_content *c)
{
    warplu_statistics t = {.size = sizeof t};
    return warplu_get_statistics(c->solver, &t) >= 0 && t.verdict == WARPLU_VERDICT_HEALTHY;
}

/* The library judges a replay without its values, and mends it with them. */
static warplu_status judge(wlu_sun_content *c, SUNMatrix A)
{
    wlu_sun_device *d = c->device;
    warplu_status status = WARPLU_SUCCESS;
    if (c->options.check == WARPLU_CHECK_SUSPECT || c->options.check == WARPLU_CHECK_ALWAYS)
        status = fetch_values(d, A);
    if (status >= 0) status = finish(c);
    if (c->options.check == WARPLU_CHECK_OFF || status < 0) return status;
    if (d->holds_values || is_healthy(c)) return status;
    status = fetch_values(d, A);
    return status < 0 ? status : finish(c);
}

/* With no program to replay yet, or new pivots asked for. */
static warplu_status factor_and_replay(wlu_sun_content *c, SUNMatrix A)
{
    wlu_sun_device *d = c->device;
    warplu_status status = fetch_values(d, A);
    if (status >= 0) status = warplu_factor(c->solver, d->values);
    if (status < 0) return status;
    c->chooses_pivots = 0;
    return warplu_refactor_device(c->solver, SUNMatrix_cuSparse_Data(A), d->stream);
}

static warplu_status replay(wlu_sun_content *c, SUNMatrix A)
{
    warplu_status status = WARPLU_WRONG_PHASE;
    if (!c->chooses_pivots) status = warplu_refactor_device(c->solver, SUNMatrix_cuSparse_Data(A), c->device->stream);
    return status == WARPLU_WRONG_PHASE ? factor_and_replay(c, A) : status;
}

/* A solver for a pattern that is not the kept one. */
static warplu_status change_pattern(wlu_sun_content *c, SUNMatrix A, const wlu_sun_pattern *pattern)
{
    warplu_status status = fetch_values(c->device, A);
    return status < 0 ? status : wlu_sun_open(c, pattern, c->device->values);
}

/* The replay is begun before it is known whether the pattern is another one: it reads no more entries than the matrix
 * has. */
static warplu_status set_up(wlu_sun_content *c, SUNMatrix A)
{
    wlu_sun_device *d = c->device;
    wlu_sun_pattern pattern;
    warplu_status status = status_of(begin_pattern(d, A));
    if (status < 0) return status;
    int begun = c->solver != NULL && c->kept.n == d->n && c->kept.nnz <= d->nnz && !c->chooses_pivots;
    if (begun) status = replay(c, A);
    warplu_status fetched = end_pattern(d, &pattern);
    if (fetched < 0) return fetched;
    int kept = wlu_sun_pattern_is_kept(c, &pattern);
    if (begun && !kept) (void)finish(c);
    if (!kept) status = change_pattern(c, A, &pattern);
    if (status >= 0 && !(begun && kept)) status = replay(c, A);
    return status < 0 ? status : judge(c, A);
}

int wlu_sun_device_setup(SUNLinearSolver S, SUNMatrix A)
{
    if (S == NULL) return WLU_SUN_NULL;
    wlu_sun_content *c = wlu_sun_content_of(S);
    wlu_sun_device *d = c->device;
    c->factored = d->holds_values = d->solves_on_host = 0;
    if (A == NULL) return wlu_sun_flag(c, WLU_SUN_NULL);
    if (SUNMatGetID(A) != SUNMATRIX_CUSPARSE || SUNMatrix_cuSparse_SparseType(A) != WLU_SUN_BY_ROWS ||
        SUNMatrix_cuSparse_Rows(A) != SUNMatrix_cuSparse_Columns(A))
        return wlu_sun_flag(c, WLU_SUN_ILL_INPUT);
    warplu_status status = status_of(make_room(d, SUNMatrix_cuSparse_Rows(A), SUNMatrix_cuSparse_NNZ(A)));
    if (status >= 0) status = set_up(c, A);
    c->factored = status >= 0;
    return wlu_sun_note(c, status);
}

/* ---------------------------------------------------------------- solve */

/* Checked by the values of the setup, which the library has kept. */
static warplu_status solve_on_host(wlu_sun_content *c, double *x, const double *b)
{
    wlu_sun_device *d = c->device;
    size_t bytes = (size_t)d->n * sizeof *d->vector;
    cudaError_t e = cudaMemcpyAsync(d->vector, b, bytes, cudaMemcpyDeviceToHost, d->stream);
    if (e == cudaSuccess) e = cudaStreamSynchronize(d->stream);
    warplu_status status = status_of(e);
    if (status >= 0) status = warplu_solve(c->solver, 1, d->vector, d->n, d->vector, d->n);
    if (status < 0) return status;
    e = cudaMemcpyAsync(x, d->vector, bytes, cudaMemcpyHostToDevice, d->stream);
    if (e == cudaSuccess) e = cudaStreamSynchronize(d->stream);
    return e == cudaSuccess ? status : status_of(e);
}

/* A solve that nothing vouches for is done again on the host, where the library checks it by the values. */
static warplu_status solve(wlu_sun_content *c, double *x, const double *b)
{
    wlu_sun_device *d = c->device;
    if (d->solves_on_host) return solve_on_host(c, x, b);
    warplu_status status = warplu_solve_device(c->solver, 0, 1, b, d->n, x, d->n, d->stream);
    if (status >= 0) status = finish(c);
    if (status <= 0) return status;
    d->solves_on_host = d->holds_values;
    return d->holds_values && b != x ? solve_on_host(c, x, b) : WARPLU_UNCHECKED;
}

int wlu_sun_device_solve(SUNLinearSolver S, SUNMatrix A, N_Vector x, N_Vector b, sunrealtype tolerance)
{
    (void)A;
    (void)tolerance;
    if (S == NULL) return WLU_SUN_NULL;
    wlu_sun_content *c = wlu_sun_content_of(S);
    if (x == NULL || b == NULL) return wlu_sun_flag(c, WLU_SUN_NULL);
    if (x->ops->nvgetdevicearraypointer == NULL || b->ops->nvgetdevicearraypointer == NULL)
        return wlu_sun_flag(c, WLU_SUN_ILL_INPUT);
    if (!c->factored) return wlu_sun_note(c, WARPLU_WRONG_PHASE);
    if (N_VGetLength(x) != c->kept.n || N_VGetLength(b) != c->kept.n) return wlu_sun_flag(c, WLU_SUN_ILL_INPUT);
    return wlu_sun_note(c, solve(c, N_VGetDeviceArrayPointer(x), N_VGetDeviceArrayPointer(b)));
}
