/* The program of examples/gray_scott.c with everything on a GPU: vectors, matrix, rates and Jacobian.
 *
 *     gray_scott_device [--size N] [--end T] [--steps K] [--solver warplu|batchqr]
 *
 * prints what gray_scott prints. batchqr is SUNDIALS' own linear solver for such matrices, cuSolverSp's QR as a batch
 * of one; it factors in every solve. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cuda_runtime.h>
#include <cusolverSp.h>
#include <cusparse.h>
#include <cvode/cvode.h>
#include <nvector/nvector_cuda.h>
#include <sunlinsol/sunlinsol_cusolversp_batchqr.h>
#include <sunmatrix/sunmatrix_cusparse.h>
#include <warplu/sunlinsol_warplu.h>

#include "../examples/gray_scott.h"
#include "../examples/timed.h"

enum { THREADS = 256 };

typedef struct arguments {
    int size, batchqr;
    long steps;
    double end;
} arguments;

__global__ void fill_rates(int size, const double *y, double *rate)
{
    int point = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (point < size * size) gs_rates(size, y, point, rate);
}

__global__ void fill_values(int size, const double *y, double *values)
{
    int line = (int)(blockIdx.x * blockDim.x + threadIdx.x), place[GS_ENTRIES];
    if (line < 2 * size * size) gs_line(size, y, line, 0, place, values + GS_ENTRIES * line);
}

static int blocks_for(int threads)
{
    return (threads + THREADS - 1) / THREADS;
}

static int rates(sunrealtype t, N_Vector state, N_Vector rate, void *data)
{
    int size = ((const arguments *)data)->size;
    (void)t;
    fill_rates<<<blocks_for(size * size), THREADS>>>(size, N_VGetDeviceArrayPointer(state),
                                                     N_VGetDeviceArrayPointer(rate));
    return cudaGetLastError() == cudaSuccess ? 0 : -1;
}

/* The pattern stays as it was made. */
static int jacobian(sunrealtype t, N_Vector state, N_Vector rate, SUNMatrix J, void *data, N_Vector w1, N_Vector w2,
                    N_Vector w3)
{
    int size = ((const arguments *)data)->size;
    (void)t, (void)rate, (void)w1, (void)w2, (void)w3;
    fill_values<<<blocks_for(2 * size * size), THREADS>>>(size, N_VGetDeviceArrayPointer(state),
                                                          SUNMatrix_cuSparse_Data(J));
    return cudaGetLastError() == cudaSuccess ? 0 : -1;
}

static SUNMatrix make_matrix(int size, cusparseHandle_t sparse, SUNContext context)
{
    int n = 2 * size * size, place[GS_ENTRIES];
    std::vector<int> ptr(n + 1), idx(GS_ENTRIES * n);
    std::vector<double> y(n, 0.0), values(GS_ENTRIES * n);
    for (int line = 0; line < n; line++) {
        gs_line(size, y.data(), line, 0, place, values.data() + GS_ENTRIES * line);
        ptr[line] = GS_ENTRIES * line;
        std::memcpy(idx.data() + GS_ENTRIES * line, place, sizeof place);
    }
    ptr[n] = GS_ENTRIES * n;
    SUNMatrix J = SUNMatrix_cuSparse_NewCSR(n, n, GS_ENTRIES * n, sparse, context);
    if (J != nullptr && (SUNMatrix_cuSparse_CopyToDevice(J, values.data(), ptr.data(), idx.data()) != 0 ||
                         SUNMatrix_cuSparse_SetFixedPattern(J, SUNTRUE) != 0))
        return nullptr;
    cudaDeviceSynchronize();
    return J;
}

static void report(void *cvode, const arguments *a, N_Vector y, double seconds)
{
    long steps = 0, setups = 0, newton = 0, failures = 0;
    double reached = 0.0;
    CVodeGetNumSteps(cvode, &steps);
    CVodeGetNumLinSolvSetups(cvode, &setups);
    CVodeGetNumNonlinSolvIters(cvode, &newton);
    CVodeGetNumErrTestFails(cvode, &failures);
    CVodeGetCurrentTime(cvode, &reached);
    std::printf("steps %ld\nsetups %ld\nnewton %ld\nerror_test_failures %ld\n", steps, setups, newton, failures);
    std::printf("reached %.6g\nwall_s %.4f\n", reached, seconds);
    timed_report();
    N_VCopyFromDevice_Cuda(y);
    for (int q = 1; q < 5; q++)
        std::printf("u(%d) %.10e\n", q,
                    N_VGetHostArrayPointer_Cuda(y)[2 * (q * a->size / 5 * a->size + q * a->size / 5)]);
}

static void report_warplu(SUNLinearSolver S)
{
    warplu_statistics t;
    std::memset(&t, 0, sizeof t);
    t.size = sizeof t;
    if (warplu_get_statistics(SUNLinSol_WarpluGetSolver(S), &t) < 0) return;
    std::printf("lu_nnz %lld\nfactors %lld\nrepivots %lld\nchecked_solves %lld\nanalyze_ms %.1f\nfactor_ms %.1f\n"
                "compile_ms %.1f\n",
                (long long)t.lu_nnz, (long long)t.factors, (long long)t.repivots, (long long)t.checked_solves,
                t.analyze_ns * 1e-6, t.factor_ns * 1e-6, t.compile_ns * 1e-6);
}

/* To the end, or for so many steps. */
static int run(void *cvode, const arguments *a, N_Vector y)
{
    double reached = 0.0;
    if (a->steps == 0) return CVode(cvode, a->end, y, &reached, CV_NORMAL) < 0;
    for (long k = 0; k < a->steps && reached < a->end; k++)
        if (CVode(cvode, a->end, y, &reached, CV_ONE_STEP) < 0) return 1;
    return 0;
}

static int integrate(arguments *a, SUNContext context)
{
    int n = 2 * a->size * a->size;
    cusparseHandle_t sparse = nullptr;
    cusolverSpHandle_t qr = nullptr;
    if (cusparseCreate(&sparse) != CUSPARSE_STATUS_SUCCESS || cusolverSpCreate(&qr) != CUSOLVER_STATUS_SUCCESS)
        return 1;
    N_Vector y = N_VNew_Cuda(n, context);
    SUNMatrix J = make_matrix(a->size, sparse, context);
    void *cvode = CVodeCreate(CV_BDF, context);
    if (y == nullptr || J == nullptr || cvode == nullptr) return 1;
    SUNLinearSolver S = a->batchqr ? SUNLinSol_cuSolverSp_batchQR(y, J, qr, context) : SUNLinSol_Warplu(y, J, context);
    if (S == nullptr) return 1;
    gs_begin(a->size, N_VGetHostArrayPointer_Cuda(y));
    N_VCopyToDevice_Cuda(y);
    timed_begin(S);
    int failed = CVodeInit(cvode, rates, 0, y) || CVodeSStolerances(cvode, 1e-6, 1e-9) || CVodeSetUserData(cvode, a) ||
                 CVodeSetLinearSolver(cvode, S, J) || CVodeSetJacFn(cvode, jacobian) ||
                 CVodeSetMaxNumSteps(cvode, 100000);
    double since = timed_now();
    failed = failed || run(cvode, a, y) || cudaDeviceSynchronize() != cudaSuccess;
    if (!failed) report(cvode, a, y, timed_now() - since);
    if (!failed && !a->batchqr) report_warplu(S);
    CVodeFree(&cvode);
    SUNLinSolFree(S);
    SUNMatDestroy(J);
    N_VDestroy(y);
    cusolverSpDestroy(qr);
    cusparseDestroy(sparse);
    return failed;
}

static int read_arguments(arguments *a, int argc, char **argv)
{
    for (int k = 1; k < argc; k += 2) {
        const char *value = k + 1 < argc ? argv[k + 1] : "";
        if (std::strcmp(argv[k], "--size") == 0)
            a->size = std::atoi(value);
        else if (std::strcmp(argv[k], "--end") == 0)
            a->end = std::atof(value);
        else if (std::strcmp(argv[k], "--steps") == 0)
            a->steps = std::atol(value);
        else if (std::strcmp(argv[k], "--solver") == 0)
            a->batchqr = std::strcmp(value, "batchqr") == 0;
        else
            return 0;
    }
    return a->size >= 3 && a->size <= 10000 && a->end > 0;
}

int main(int argc, char **argv)
{
    arguments a = {50, 0, 0, 1000.0};
    SUNContext context = nullptr;
    if (!read_arguments(&a, argc, argv)) {
        std::fprintf(stderr, "usage: gray_scott_device [--size N] [--end T] [--steps K] [--solver warplu|batchqr]\n");
        return 2;
    }
#if SUNDIALS_VERSION_MAJOR >= 7
    if (SUNContext_Create(SUN_COMM_NULL, &context)) return 1;
#else
    if (SUNContext_Create(nullptr, &context)) return 1;
#endif
    int failed = integrate(&a, context);
    SUNContext_Free(&context);
    if (failed) std::fprintf(stderr, "gray_scott_device: failed\n");
    return failed;
}
