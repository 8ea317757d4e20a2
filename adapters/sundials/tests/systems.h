/* Test support: sparse matrices of SUNDIALS with known solutions, on the host. */
#ifndef WLU_SUN_SYSTEMS_H
#define WLU_SUN_SYSTEMS_H

#include "check.h"

#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <warplu/sunlinsol_warplu.h>

/* A context of its own, for tests that do without MPI. */
static inline SUNContext make_context(void)
{
    SUNContext context = NULL;
#if SUNDIALS_VERSION_MAJOR >= 7
    CHECK(SUNContext_Create(SUN_COMM_NULL, &context) == 0);
#else
    CHECK(SUNContext_Create(NULL, &context) == 0);
#endif
    return context;
}

/* What a test works with; sun_close frees it. */
typedef struct sun_system {
    SUNContext context;
    SUNMatrix A;
    N_Vector x, b, wanted;
    SUNLinearSolver S;
} sun_system;

/* The diagonal and, in each row, the entries `reach` and 2 `reach` places to the left, round the end: the pattern of
 * another reach is another one of as many entries. The diagonal dominates. */
static inline void fill_circulant(SUNMatrix A, int reach, uint64_t seed)
{
    sunindextype n = SUNSparseMatrix_Rows(A), *ptr = SUNSparseMatrix_IndexPointers(A);
    sunindextype *idx = SUNSparseMatrix_IndexValues(A), filled = 0;
    double *value = SUNSparseMatrix_Data(A);
    for (sunindextype k = 0; k < n; k++) {
        ptr[k] = filled;
        for (int entry = 0; entry < 3; entry++) {
            idx[filled] = (k + n - entry * reach) % n;
            value[filled++] = (entry == 0 ? 4.0 : 0.0) + check_uniform(&seed);
        }
    }
    ptr[n] = filled;
}

/* A times v, without SUNDIALS. */
static inline void multiply(SUNMatrix A, const double *v, double *product)
{
    sunindextype n = SUNSparseMatrix_Rows(A), *ptr = SUNSparseMatrix_IndexPointers(A);
    sunindextype *idx = SUNSparseMatrix_IndexValues(A);
    const double *value = SUNSparseMatrix_Data(A);
    memset(product, 0, (size_t)n * sizeof *product);
    for (sunindextype k = 0; k < n; k++)
        for (sunindextype p = ptr[k]; p < ptr[k + 1]; p++) {
            if (SUNSparseMatrix_SparseType(A) == CSR_MAT)
                product[k] += value[p] * v[idx[p]];
            else
                product[idx[p]] += value[p] * v[k];
        }
}

static inline sun_system sun_open(sunindextype n, int type)
{
    sun_system s = {.context = make_context()};
    s.A = SUNSparseMatrix(n, n, 3 * n, type, s.context);
    s.x = N_VNew_Serial(n, s.context);
    s.b = N_VNew_Serial(n, s.context);
    s.wanted = N_VNew_Serial(n, s.context);
    for (sunindextype i = 0; i < n; i++) N_VGetArrayPointer(s.wanted)[i] = 1.0 + 0.125 * (double)(i % 7);
    fill_circulant(s.A, 1, 1);
    s.S = SUNLinSol_Warplu(s.x, s.A, s.context);
    CHECK(s.S != NULL);
    CHECK(SUNLinSolInitialize(s.S) == 0);
    return s;
}

static inline void sun_close(sun_system *s)
{
    CHECK(SUNLinSolFree(s->S) == 0);
    N_VDestroy(s->x);
    N_VDestroy(s->b);
    N_VDestroy(s->wanted);
    SUNMatDestroy(s->A);
    SUNContext_Free(&s->context);
}

/* The largest error of x, where b was A times what is wanted. */
static inline double largest_error(const sun_system *s)
{
    double largest = 0.0;
    for (sunindextype i = 0; i < N_VGetLength(s->x); i++) {
        double error = fabs(N_VGetArrayPointer(s->x)[i] - N_VGetArrayPointer(s->wanted)[i]);
        if (!(error <= largest)) largest = error;
    }
    return largest;
}

/* Sets up and solves; what comes of either. */
static inline int sun_solve(sun_system *s)
{
    int flag = SUNLinSolSetup(s->S, s->A);
    CHECK(SUNLinSolLastFlag(s->S) == flag);
    if (flag != 0) return flag;
    multiply(s->A, N_VGetArrayPointer(s->wanted), N_VGetArrayPointer(s->b));
    flag = SUNLinSolSolve(s->S, s->A, s->x, s->b, 0.0);
    CHECK(SUNLinSolLastFlag(s->S) == flag);
    return flag;
}

static inline warplu_statistics sun_statistics(const sun_system *s)
{
    warplu_statistics t = {.size = sizeof t};
    CHECK(warplu_get_statistics(SUNLinSol_WarpluGetSolver(s->S), &t) == WARPLU_SUCCESS);
    return t;
}

#endif
