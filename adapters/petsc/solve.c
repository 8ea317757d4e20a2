/* Solves with the factors at hand: one right-hand side, or the columns of a dense matrix. Numbers are on the host where
 * device.c leaves them.
 *
 * PETSc's solves have no status. What cannot be solved is filled with infinity, as PETSc itself does after a
 * factorization that failed: norms tell the Krylov and Newton methods. So are solutions that stay short of what a
 * success of warplu promises, unless -mat_warplu_inaccurate keep leaves them as they are, for a preconditioner. */
#include "factor.h"

#include <math.h>

PetscErrorCode wlu_petsc_judge_solve(Mat f, warplu_status status, PetscBool *failed)
{
    wlu_factor *lu = (wlu_factor *)f->data;

    PetscFunctionBegin;
    *failed = PETSC_FALSE;
    if (status == WARPLU_SUCCESS) PetscFunctionReturn(0);
    PetscCall(PetscInfo(f, "%s\n", wlu_petsc_message()));
    PetscCheck(status >= 0 || status == WARPLU_NOT_FINITE, PETSC_COMM_SELF,
               status == WARPLU_OUT_OF_MEMORY   ? PETSC_ERR_MEM
               : status == WARPLU_DEVICE_FAILED ? PETSC_ERR_GPU
                                                : PETSC_ERR_LIB,
               "warplu: %s", wlu_petsc_message());
    lu->unchecked += status == WARPLU_UNCHECKED || status == WARPLU_WEAK;
    lu->inaccurate += status == WARPLU_INACCURATE;
    if (status != WARPLU_NOT_FINITE && (status != WARPLU_INACCURATE || lu->keep)) PetscFunctionReturn(0);
    PetscCheck(!lu->stop, PETSC_COMM_SELF, PETSC_ERR_CONV_FAILED, "warplu: %s", wlu_petsc_message());
    *failed = PETSC_TRUE;
    PetscFunctionReturn(0);
}

static PetscErrorCode solve(Mat f, int transposed, PetscInt nrhs, const PetscScalar *b, PetscInt ldb, PetscScalar *x,
                            PetscInt ldx, PetscBool *failed)
{
    wlu_factor *lu = (wlu_factor *)f->data;
    warplu_status status;

    PetscFunctionBegin;
    *failed = PETSC_FALSE;
    if (f->rmap->n == 0 || nrhs == 0) PetscFunctionReturn(0);
    PetscCheck(lu->solver != NULL, PETSC_COMM_SELF, PETSC_ERR_ORDER, "the matrix is not factored");
    PetscCheck(nrhs <= INT32_MAX && ldb <= INT32_MAX && ldx <= INT32_MAX, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "a size is 2^31 or more");
    status = (transposed ? warplu_solve_transposed : warplu_solve)(lu->solver, (int32_t)nrhs, (const double *)b,
                                                                   (int32_t)ldb, (double *)x, (int32_t)ldx);
    PetscCall(wlu_petsc_judge_solve(f, status, failed));
    PetscFunctionReturn(0);
}

static PetscErrorCode solve_vector_on_host(Mat f, int transposed, Vec b, Vec x, PetscBool *failed)
{
    const PetscScalar *from;
    PetscScalar *to;
    PetscInt n = f->rmap->n;

    PetscFunctionBegin;
    PetscCall(VecGetArrayRead(b, &from));
    PetscCall(VecGetArrayWrite(x, &to));
    PetscCall(solve(f, transposed, 1, from, n, to, n, failed));
    PetscCall(VecRestoreArrayWrite(x, &to));
    PetscCall(VecRestoreArrayRead(b, &from));
    PetscFunctionReturn(0);
}

static PetscErrorCode solve_vector(Mat f, int transposed, Vec b, Vec x)
{
    PetscBool done, failed;

    PetscFunctionBegin;
    PetscCall(wlu_petsc_solve_vector_on_device(f, transposed, b, x, &done, &failed));
    if (!done) PetscCall(solve_vector_on_host(f, transposed, b, x, &failed));
    if (failed) PetscCall(VecSet(x, (PetscScalar)INFINITY)); /* PETSC_INFINITY is a large number */
    PetscFunctionReturn(0);
}

static PetscErrorCode spoil(Mat x)
{
    PetscScalar *to;
    PetscInt ld;

    PetscFunctionBegin;
    PetscCall(MatDenseGetLDA(x, &ld));
    PetscCall(MatDenseGetArrayWrite(x, &to));
    for (PetscInt k = 0; k < x->cmap->N; k++)
        for (PetscInt i = 0; i < x->rmap->n; i++) to[k * ld + i] = (PetscScalar)INFINITY;
    PetscCall(MatDenseRestoreArrayWrite(x, &to));
    PetscFunctionReturn(0);
}

/* B and X may be one matrix. */
static PetscErrorCode solve_matrix_on_host(Mat f, int transposed, Mat b, Mat x, PetscBool *failed)
{
    const PetscScalar *from;
    PetscScalar *to;
    PetscInt ldb, ldx, nrhs = b->cmap->N;

    PetscFunctionBegin;
    PetscCall(MatDenseGetLDA(b, &ldb));
    PetscCall(MatDenseGetLDA(x, &ldx));
    if (b == x) {
        PetscCall(MatDenseGetArray(x, &to));
        PetscCall(solve(f, transposed, nrhs, to, ldx, to, ldx, failed));
        PetscCall(MatDenseRestoreArray(x, &to));
        PetscFunctionReturn(0);
    }
    PetscCall(MatDenseGetArrayRead(b, &from));
    PetscCall(MatDenseGetArrayWrite(x, &to));
    PetscCall(solve(f, transposed, nrhs, from, ldb, to, ldx, failed));
    PetscCall(MatDenseRestoreArrayWrite(x, &to));
    PetscCall(MatDenseRestoreArrayRead(b, &from));
    PetscFunctionReturn(0);
}

static PetscErrorCode solve_matrix(Mat f, int transposed, Mat b, Mat x)
{
    PetscBool dense_b, dense_x, done, failed = PETSC_TRUE;
    PetscInt n = f->rmap->n;

    PetscFunctionBegin;
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)b, MATSEQDENSE, &dense_b));
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)x, MATSEQDENSE, &dense_x));
    PetscCheck(dense_b && dense_x, PETSC_COMM_SELF, PETSC_ERR_SUP, "right-hand sides and solutions have to be dense");
    PetscCheck(b->rmap->n == n && x->rmap->n == n, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "sizes differ");
    if (!f->factorerrortype) {
        PetscCall(wlu_petsc_solve_matrix_on_device(f, transposed, b, x, &done, &failed));
        if (!done) PetscCall(solve_matrix_on_host(f, transposed, b, x, &failed));
    }
    if (failed) PetscCall(spoil(x));
    PetscFunctionReturn(0);
}

PetscErrorCode wlu_petsc_solve(Mat f, Vec b, Vec x)
{
    PetscFunctionBegin;
    PetscCall(solve_vector(f, 0, b, x));
    PetscFunctionReturn(0);
}

PetscErrorCode wlu_petsc_solve_transposed(Mat f, Vec b, Vec x)
{
    PetscFunctionBegin;
    PetscCall(solve_vector(f, 1, b, x));
    PetscFunctionReturn(0);
}

PetscErrorCode wlu_petsc_solve_many(Mat f, Mat b, Mat x)
{
    PetscFunctionBegin;
    PetscCall(solve_matrix(f, 0, b, x));
    PetscFunctionReturn(0);
}

PetscErrorCode wlu_petsc_solve_many_transposed(Mat f, Mat b, Mat x)
{
    PetscFunctionBegin;
    PetscCall(solve_matrix(f, 1, b, x));
    PetscFunctionReturn(0);
}
