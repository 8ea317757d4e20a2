/* A linear solver for SUNDIALS 6 and 7: CVODE, IDA, ARKODE, KINSOL and the versions with sensitivities.
 *
 *     SUNMatrix A = SUNSparseMatrix(n, n, nnz, CSC_MAT, context);
 *     SUNLinearSolver S = SUNLinSol_Warplu(y, A, context);
 *     CVodeSetLinearSolver(memory, S, A);
 *     CVodeSetJacFn(memory, jacobian);
 *     ...
 *     SUNLinSolFree(S);
 *
 * It stands where SUNLinSol_KLU would. The first setup reads the pattern of A, later ones replay the factorization with
 * new values. The pattern is compared at each setup; a new one is analyzed, one that was there before is found again.
 *
 * What it takes, on the host: SUNMATRIX_SPARSE by columns or by rows, with sunindextype of 32 or 64 bits, and vectors
 * that are serial, of OpenMP or of pthreads. On an NVIDIA GPU, where the adapter was built with SUNDIALS' CUDA modules:
 * SUNMATRIX_CUSPARSE by rows (SUNMAT_CUSPARSE_CSR), and vectors with an array on the device, N_Vector_Cuda among them.
 *
 * What the integrator is told, by setup and solve:
 *
 *   SUNLS_SUCCESS              0
 *   SUNLS_PACKAGE_FAIL_REC     recoverable, so that the integrator tries a smaller step: the matrix is singular, by
 *                              numbers or by pattern, a number is infinite or none, or the solution is not accurate
 *   SUNLS_PACKAGE_FAIL_UNREC   everything else that the library answers with an error; SUN_ERR_EXT_FAIL in SUNDIALS 7
 *   SUNLS_MEM_FAIL             out of memory; SUN_ERR_MEM_FAIL in 7
 *   SUNLS_ILL_INPUT            the matrix, a vector or an option is not one that this solver takes;
 *                              SUN_ERR_ARG_INCOMPATIBLE in 7
 *   SUNLS_MEM_NULL             an argument is NULL; SUN_ERR_ARG_CORRUPT in 7
 *
 * Options are those of warplu_init_options with check = WARPLU_CHECK_REPLAYS, because Newton's method judges solutions
 * itself. That promises: every factorization is judged by its health, weak pivots are replaced, and solves are checked,
 * refined and reported where the factorization was suspect; where it was healthy a success says of the solution that it
 * is finite, and no more. The default of warplu itself, WARPLU_CHECK_SUSPECT, promises that every equation is accurate
 * (warplu/warplu.h).
 *
 * A solver is used by one thread at a time. */
#ifndef WARPLU_SUNLINSOL_WARPLU_H
#define WARPLU_SUNLINSOL_WARPLU_H

#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nvector.h>

#include <warplu/cache.h>
#include <warplu/warplu.h>

#if !defined(SUNDIALS_DOUBLE_PRECISION)
#error "SUNLinSol_Warplu needs SUNDIALS in double precision"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a linear solver for systems with A and vectors like y. NULL where A or y is none that it takes, A is not square
 * or not of y's length, or memory is out. SUNLinSolFree frees it. */
WARPLU_API SUNLinearSolver SUNLinSol_Warplu(N_Vector y, SUNMatrix A, SUNContext context);

/* Sets the options of the library for all that follows; the next setup begins anew. storage is A's, whatever the
 * options say. A matrix on a device is solved by WARPLU_EXECUTOR_CUDA, on the device that the options number; without
 * this call that is the current one, -1. Arrays that the options name are read by every setup that meets a new pattern.
 *
 *   0                      done
 *   SUNLS_MEM_NULL         S or options is NULL
 *   SUNLS_ILL_INPUT        values are complex, the options are larger than those of this adapter, or a matrix on a
 *                          device is to be solved by an executor of the host; the solver is as before. Options out of
 *                          their range are told of by the next setup */
WARPLU_API int SUNLinSol_WarpluSetOptions(SUNLinearSolver S, const warplu_options *options);

/* Takes solvers from this cache, which may be shared between linear solvers and threads, and outlives them all: for
 * programs that make linear solvers for the same patterns again and again. NULL, the default: a cache of its own, which
 * goes with S. The next setup begins anew.
 *
 *   0                      done
 *   SUNLS_MEM_NULL         S is NULL */
WARPLU_API int SUNLinSol_WarpluSetCache(SUNLinearSolver S, warplu_cache *cache);

/* For matrices on a device: the stream that replays and solves are handed to, a cudaStream_t; NULL, the default, is the
 * default stream. It must be the one that vectors and matrix are worked on, or be ordered with it.
 *
 *   0                      done
 *   SUNLS_MEM_NULL         S is NULL
 *   SUNLS_ILL_INPUT        the matrix is one of the host */
WARPLU_API int SUNLinSol_WarpluSetStream(SUNLinearSolver S, void *stream);

/* The same numbers as SUNDIALS' KLU module has. */
#define SUNWARPLU_REINIT_FULL 1
#define SUNWARPLU_REINIT_PARTIAL 2

/* The next setup chooses pivots anew, instead of replaying. SUNWARPLU_REINIT_FULL, for matrices of the host, also makes
 * room for nnz entries in A. A change of pattern needs no such call.
 *
 *   0                      done
 *   SUNLS_MEM_NULL         S or A is NULL
 *   SUNLS_ILL_INPUT        reinit_type is neither, or it is FULL and nnz is negative or A not SUNMATRIX_SPARSE
 *   SUNLS_MEM_FAIL         A has no room for nnz entries */
WARPLU_API int SUNLinSol_WarpluReInit(SUNLinearSolver S, SUNMatrix A, sunindextype nnz, int reinit_type);

/* The library's solver, for statistics, messages and what warplu/inspect.h asks. NULL before the first setup. It stays
 * S's, until the next setup that meets another pattern. */
WARPLU_API warplu_solver *SUNLinSol_WarpluGetSolver(SUNLinearSolver S);

/* What the library answered to the last setup or solve. */
WARPLU_API warplu_status SUNLinSol_WarpluGetStatus(SUNLinearSolver S);

#ifdef __cplusplus
}
#endif
#endif
