/* Numbers that PETSc keeps in the memory of an NVIDIA GPU: aijcusparse matrices, cuda vectors and dense matrices. They
 * are factored, and solved for, where they are.
 *
 * PETSc goes on with what a call gives, so each waits for its verdict. Values come to the host where the library has to
 * see them: when it chooses pivots, after a weak replay, and when nothing vouches for a solve on the device. Such a
 * solve is made again on the host, which checks and mends it. F holds the matrix for that, and asks it only while its
 * values are those that were factored. So that it is rarely needed, the device checks its solves unless an option says
 * otherwise: of 100 000 unknowns on an H200 that takes 0.06 of 0.46 ms.
 *
 * Work goes to the default stream. PETSc's current context is waited for before, because its stream need not take turns
 * with that one. */
#include "factor.h"

#include <petscdevice.h>

#include <warplu/device.h>

/* With fewer refactorizations to come a solver makes no program, which a device needs. */
static const double FEWEST_REFACTORS = 8.0;

typedef struct sides {
    int transposed, in_place;
    PetscInt nrhs, ldb, ldx;
    const PetscScalar *b;
    PetscScalar *x;
    PetscMemType at_b, at_x;
} sides;

/* Whether A is a matrix of a device, not kept on the host by -bind_below or the like. A PETSc without devices has no
 * such type, and calls every matrix bound. */
static PetscErrorCode is_of_device(Mat a, PetscBool *is)
{
    PetscBool bound = PETSC_FALSE;

    PetscFunctionBegin;
    PetscCall(PetscObjectTypeCompare((PetscObject)a, MATSEQAIJCUSPARSE, is));
#if defined(PETSC_HAVE_DEVICE)
    PetscCall(MatBoundToCPU(a, &bound));
#endif
    if (bound) *is = PETSC_FALSE;
    PetscFunctionReturn(0);
}

PetscErrorCode wlu_petsc_choose_executor(Mat f, Mat a)
{
    warplu_options *o = &((wlu_factor *)f->data)->options;
    PetscBool there, given;

    PetscFunctionBegin;
    PetscCall(is_of_device(a, &there));
    if (o->executor == WARPLU_EXECUTOR_AUTO && there) o->executor = WARPLU_EXECUTOR_CUDA;
    if (o->executor != WARPLU_EXECUTOR_CUDA) PetscFunctionReturn(0);
    o->device = -1; /* PETSc's, whose context is current */
    PetscCall(PetscOptionsHasName(((PetscObject)f)->options, ((PetscObject)f)->prefix, "-mat_warplu_check", &given));
    if (!given) o->check = WARPLU_CHECK_ALWAYS;
    if (o->expected_refactors > 0 && o->expected_refactors < FEWEST_REFACTORS) o->expected_refactors = FEWEST_REFACTORS;
    PetscFunctionReturn(0);
}

static PetscErrorCode wait_for_petsc(void)
{
    PetscDeviceContext context;

    PetscFunctionBegin;
    PetscCall(PetscDeviceContextGetCurrentContext(&context));
    PetscCall(PetscDeviceContextSynchronize(context));
    PetscFunctionReturn(0);
}

PetscErrorCode wlu_petsc_wait_for_values(Mat a)
{
    PetscBool there;

    PetscFunctionBegin;
    PetscCall(is_of_device(a, &there));
    if (there) PetscCall(wait_for_petsc());
    PetscFunctionReturn(0);
}

/* Judges the last replay by values that the host has, or fetches. */
static PetscErrorCode finish_with_values(const wlu_factor *lu, Mat a, warplu_status *status)
{
    const PetscScalar *values;

    PetscFunctionBegin;
    PetscCall(MatSeqAIJGetArrayRead(a, &values));
    *status = warplu_finish_device(lu->solver, (const double *)values, NULL);
    PetscCall(MatSeqAIJRestoreArrayRead(a, &values));
    PetscFunctionReturn(0);
}

/* ------------------------------------------------------------- factorization */

static PetscErrorCode hold_matrix(wlu_factor *lu, Mat a)
{
    PetscFunctionBegin;
    PetscCall(PetscObjectReference((PetscObject)a));
    PetscCall(MatDestroy(&lu->matrix));
    lu->matrix = a;
    PetscCall(PetscObjectStateGet((PetscObject)a, &lu->values));
    PetscFunctionReturn(0);
}

/* With no program yet, pivots are chosen first. */
static PetscErrorCode enqueue_replay(const wlu_factor *lu, Mat a, const PetscScalar *on_device, warplu_status *status)
{
    const PetscScalar *values;

    PetscFunctionBegin;
    *status = warplu_refactor_device(lu->solver, (const double *)on_device, NULL);
    if (*status != WARPLU_WRONG_PHASE) PetscFunctionReturn(0);
    PetscCall(MatSeqAIJGetArrayRead(a, &values));
    *status = warplu_factor(lu->solver, (const double *)values);
    PetscCall(MatSeqAIJRestoreArrayRead(a, &values));
    if (*status >= 0) *status = warplu_refactor_device(lu->solver, (const double *)on_device, NULL);
    PetscFunctionReturn(0);
}

PetscErrorCode wlu_petsc_refactor_on_device(wlu_factor *lu, Mat a, warplu_status *status, PetscBool *done)
{
    PetscScalar *values;
    PetscMemType at;

    PetscFunctionBegin;
    *done = PETSC_FALSE;
    if (lu->options.executor != WARPLU_EXECUTOR_CUDA) PetscFunctionReturn(0);
    PetscCall(hold_matrix(lu, a));
    PetscCall(MatSeqAIJGetCSRAndMemType(a, NULL, NULL, &values, &at));
    if (!PetscMemTypeCUDA(at)) PetscFunctionReturn(0);
    *done = PETSC_TRUE;
    PetscCall(wait_for_petsc());
    PetscCall(enqueue_replay(lu, a, values, status));
    if (*status >= 0) *status = warplu_finish_device(lu->solver, NULL, NULL);
    if (*status == WARPLU_WEAK) PetscCall(finish_with_values(lu, a, status));
    if (*status == WARPLU_UNCHECKED) *status = WARPLU_SUCCESS; /* of solves, which are still to come */
    lu->replays_on_device += *status >= 0;
    PetscFunctionReturn(0);
}

/* --------------------------------------------------------------------- solves */

static PetscErrorCode solve_there(wlu_factor *lu, PetscInt n, const sides *s, warplu_status *status)
{
    PetscFunctionBegin;
    PetscCheck(lu->solver != NULL, PETSC_COMM_SELF, PETSC_ERR_ORDER, "the matrix is not factored");
    PetscCheck(n <= INT32_MAX && s->nrhs <= INT32_MAX && s->ldb <= INT32_MAX && s->ldx <= INT32_MAX, PETSC_COMM_SELF,
               PETSC_ERR_ARG_OUTOFRANGE, "a size is 2^31 or more");
    PetscCall(wait_for_petsc());
    *status = warplu_solve_device(lu->solver, s->transposed, (int32_t)s->nrhs, (const double *)s->b, (int32_t)s->ldb,
                                  (double *)s->x, (int32_t)s->ldx, NULL);
    if (*status >= 0) *status = warplu_finish_device(lu->solver, NULL, NULL);
    lu->solves_on_device += *status >= 0;
    PetscFunctionReturn(0);
}

/* Gives the library the values, if they are there still. *again: it can check the solve on the host. */
static PetscErrorCode look_closer(const wlu_factor *lu, warplu_status *status, PetscBool *again)
{
    PetscObjectState now;
    warplu_status closer;

    PetscFunctionBegin;
    if (lu->matrix == NULL) PetscFunctionReturn(0);
    PetscCall(PetscObjectStateGet((PetscObject)lu->matrix, &now));
    if (now != lu->values) PetscFunctionReturn(0);
    PetscCall(finish_with_values(lu, lu->matrix, &closer));
    PetscCheck(closer >= 0 || closer == WARPLU_WRONG_PHASE, PETSC_COMM_SELF, PETSC_ERR_LIB, "warplu: %s",
               wlu_petsc_message());
    if (*status == WARPLU_UNCHECKED && closer == WARPLU_SUCCESS)
        *status = WARPLU_SUCCESS;
    else
        *again = PETSC_TRUE;
    PetscFunctionReturn(0);
}

/* A solve that could not begin, for want of a program, is one for the host; b is not overwritten then. */
static PetscErrorCode settle(Mat f, const sides *s, warplu_status status, PetscBool *done, PetscBool *failed)
{
    wlu_factor *lu = (wlu_factor *)f->data;
    PetscBool begun = status != WARPLU_WRONG_PHASE ? PETSC_TRUE : PETSC_FALSE, again = begun ? PETSC_FALSE : PETSC_TRUE;

    PetscFunctionBegin;
    if (!begun || (status > 0 && !s->in_place)) PetscCall(look_closer(lu, &status, &again));
    *done = again ? PETSC_FALSE : PETSC_TRUE;
    lu->solved_again += again;
    if (*done) PetscCall(wlu_petsc_judge_solve(f, status, failed));
    PetscFunctionReturn(0);
}

PetscErrorCode wlu_petsc_solve_vector_on_device(Mat f, int transposed, Vec b, Vec x, PetscBool *done, PetscBool *failed)
{
    wlu_factor *lu = (wlu_factor *)f->data;
    PetscInt n = f->rmap->n;
    sides s = {.transposed = transposed, .nrhs = 1, .ldb = n, .ldx = n};
    warplu_status status = WARPLU_SUCCESS;

    PetscFunctionBegin;
    *done = PETSC_FALSE;
    if (lu->options.executor != WARPLU_EXECUTOR_CUDA || n == 0) PetscFunctionReturn(0);
    PetscCall(VecGetArrayReadAndMemType(b, &s.b, &s.at_b));
    PetscCall(VecGetArrayWriteAndMemType(x, &s.x, &s.at_x));
    if (PetscMemTypeCUDA(s.at_b) && PetscMemTypeCUDA(s.at_x)) *done = PETSC_TRUE;
    if (*done) PetscCall(solve_there(lu, n, &s, &status));
    PetscCall(VecRestoreArrayWriteAndMemType(x, &s.x));
    PetscCall(VecRestoreArrayReadAndMemType(b, &s.b));
    if (*done) PetscCall(settle(f, &s, status, done, failed));
    PetscFunctionReturn(0);
}

#if PETSC_VERSION_GE(3, 19, 0)
static PetscErrorCode get_sides(sides *s, Mat b, Mat x)
{
    PetscFunctionBegin;
    if (b == x) {
        PetscCall(MatDenseGetArrayAndMemType(x, &s->x, &s->at_x));
        s->b = s->x;
        s->at_b = s->at_x;
        PetscFunctionReturn(0);
    }
    PetscCall(MatDenseGetArrayReadAndMemType(b, &s->b, &s->at_b));
    PetscCall(MatDenseGetArrayWriteAndMemType(x, &s->x, &s->at_x));
    PetscFunctionReturn(0);
}

static PetscErrorCode restore_sides(sides s, Mat b, Mat x)
{
    PetscFunctionBegin;
    if (b == x) {
        PetscCall(MatDenseRestoreArrayAndMemType(x, &s.x));
        PetscFunctionReturn(0);
    }
    PetscCall(MatDenseRestoreArrayWriteAndMemType(x, &s.x));
    PetscCall(MatDenseRestoreArrayReadAndMemType(b, &s.b));
    PetscFunctionReturn(0);
}

PetscErrorCode wlu_petsc_solve_matrix_on_device(Mat f, int transposed, Mat b, Mat x, PetscBool *done, PetscBool *failed)
{
    wlu_factor *lu = (wlu_factor *)f->data;
    PetscInt n = f->rmap->n;
    sides s = {.transposed = transposed, .in_place = b == x, .nrhs = b->cmap->N};
    warplu_status status = WARPLU_SUCCESS;

    PetscFunctionBegin;
    *done = PETSC_FALSE;
    if (lu->options.executor != WARPLU_EXECUTOR_CUDA || n == 0 || s.nrhs == 0) PetscFunctionReturn(0);
    PetscCall(MatDenseGetLDA(b, &s.ldb));
    PetscCall(MatDenseGetLDA(x, &s.ldx));
    PetscCall(get_sides(&s, b, x));
    if (PetscMemTypeCUDA(s.at_b) && PetscMemTypeCUDA(s.at_x)) *done = PETSC_TRUE;
    if (*done) PetscCall(solve_there(lu, n, &s, &status));
    PetscCall(restore_sides(s, b, x));
    if (*done) PetscCall(settle(f, &s, status, done, failed));
    PetscFunctionReturn(0);
}
#else
/* PETSc tells where dense matrices are from 3.19 on. */
PetscErrorCode wlu_petsc_solve_matrix_on_device(Mat f, int transposed, Mat b, Mat x, PetscBool *done, PetscBool *failed)
{
    PetscFunctionBegin;
    (void)f, (void)transposed, (void)b, (void)x, (void)failed;
    *done = PETSC_FALSE;
    PetscFunctionReturn(0);
}
#endif
