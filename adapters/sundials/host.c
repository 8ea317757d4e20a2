/* Setup and solve on the host. See host.h.
 *
 * A setup costs a comparison of the pattern beside the replay: 16 bytes are read for each entry with indices of 64
 * bits. Solves go from b to x without a copy. */
#include "host.h"

#include <sunmatrix/sunmatrix_sparse.h>

int wlu_sun_host_takes(N_Vector y, SUNMatrix A)
{
    N_Vector_ID id = N_VGetVectorID(y);
    int vector = id == SUNDIALS_NVEC_SERIAL || id == SUNDIALS_NVEC_OPENMP || id == SUNDIALS_NVEC_PTHREADS;
    return vector && SUNMatGetID(A) == SUNMATRIX_SPARSE && SUNSparseMatrix_Rows(A) == SUNSparseMatrix_Columns(A) &&
           SUNSparseMatrix_Rows(A) == N_VGetLength(y);
}

/* Reads the pattern where it is one; entries behind ptr[n] are none of it. */
static int read_pattern(SUNMatrix A, wlu_sun_pattern *p)
{
    const sunindextype *ptr = SUNSparseMatrix_IndexPointers(A);
    int64_t n = SUNSparseMatrix_Columns(A);
    *p =
        (wlu_sun_pattern){.storage = SUNSparseMatrix_SparseType(A) == CSR_MAT ? WARPLU_STORAGE_CSR : WARPLU_STORAGE_CSC,
                          .index_bytes = sizeof(sunindextype),
                          .n = n,
                          .nnz = ptr[n],
                          .ptr = ptr,
                          .idx = SUNSparseMatrix_IndexValues(A)};
    return n == SUNSparseMatrix_Rows(A) && p->nnz >= 0 && p->nnz <= SUNSparseMatrix_NNZ(A);
}

int wlu_sun_host_setup(SUNLinearSolver S, SUNMatrix A)
{
    if (S == NULL) return WLU_SUN_NULL;
    wlu_sun_content *c = wlu_sun_content_of(S);
    wlu_sun_pattern pattern;
    c->factored = 0;
    if (A == NULL) return wlu_sun_flag(c, WLU_SUN_NULL);
    if (SUNMatGetID(A) != SUNMATRIX_SPARSE || !read_pattern(A, &pattern)) return wlu_sun_flag(c, WLU_SUN_ILL_INPUT);
    const double *values = SUNSparseMatrix_Data(A);
    warplu_status status = WARPLU_SUCCESS;
    if (!wlu_sun_pattern_is_kept(c, &pattern)) status = wlu_sun_open(c, &pattern, values);
    if (status >= 0) status = wlu_sun_factor(c, values);
    c->factored = status >= 0;
    return wlu_sun_note(c, status);
}

int wlu_sun_host_solve(SUNLinearSolver S, SUNMatrix A, N_Vector x, N_Vector b, sunrealtype tolerance)
{
    (void)A;
    (void)tolerance;
    if (S == NULL) return WLU_SUN_NULL;
    wlu_sun_content *c = wlu_sun_content_of(S);
    if (x == NULL || b == NULL) return wlu_sun_flag(c, WLU_SUN_NULL);
    double *to = N_VGetArrayPointer(x);
    const double *from = N_VGetArrayPointer(b);
    if (to == NULL || from == NULL) return wlu_sun_flag(c, WLU_SUN_ILL_INPUT);
    if (!c->factored) return wlu_sun_note(c, WARPLU_WRONG_PHASE);
    if (N_VGetLength(x) != c->kept.n || N_VGetLength(b) != c->kept.n) return wlu_sun_flag(c, WLU_SUN_ILL_INPUT);
    int32_t n = (int32_t)c->kept.n;
    return wlu_sun_note(c, warplu_solve(c->solver, 1, from, n, to, n));
}
