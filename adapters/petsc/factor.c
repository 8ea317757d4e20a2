/* Factored matrices: made, analyzed, factored, destroyed.
 *
 * PETSc's compressed rows are given as they are (WARPLU_STORAGE_CSR). A pattern that has changed is noticed by PETSc's
 * state of the nonzeros, also where the caller goes from one matrix to another without a symbolic phase; it is opened
 * from the cache, which knows it if anybody has used it before. */
#include "factor.h"

/* What PETSc calls the failure; MAT_FACTOR_NOERROR where it is the caller's mistake or the library's, which are PETSc
 * errors. Values that are not finite are told as a pivot that cannot be used: after that failure alone PETSc tries
 * again with the next values. */
static MatFactorError failure_of(warplu_status status)
{
    switch (status) {
    case WARPLU_STRUCTURALLY_SINGULAR: return MAT_FACTOR_STRUCT_ZEROPIVOT;
    case WARPLU_SINGULAR:
    case WARPLU_NOT_FINITE: return MAT_FACTOR_NUMERIC_ZEROPIVOT;
    case WARPLU_OUT_OF_MEMORY:
    case WARPLU_FACTORS_TOO_LARGE: return MAT_FACTOR_OUTMEMORY;
    case WARPLU_OVERFLOW: return MAT_FACTOR_OTHER;
    default: return MAT_FACTOR_NOERROR;
    }
}

static int is_failure_of_device(warplu_status status)
{
    return status == WARPLU_NO_DEVICE || status == WARPLU_DEVICE_FAILED;
}

static PetscErrorCode judge(Mat f, warplu_status status)
{
    wlu_factor *lu = (wlu_factor *)f->data;

    PetscFunctionBegin;
    if (status != WARPLU_SUCCESS) PetscCall(PetscInfo(f, "%s\n", wlu_petsc_message()));
    if (status >= 0) PetscFunctionReturn(0);
    PetscCheck(!is_failure_of_device(status), PETSC_COMM_SELF, PETSC_ERR_GPU,
               "warplu: %s; -mat_warplu_executor cpu works on the host", wlu_petsc_message());
    PetscCheck(status != WARPLU_NOT_COMPILED, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "warplu: %s; -mat_warplu_executor cpu works on the host", wlu_petsc_message());
    f->factorerrortype = failure_of(status);
    PetscCheck(f->factorerrortype != MAT_FACTOR_NOERROR, PETSC_COMM_SELF, PETSC_ERR_LIB, "warplu: %s",
               wlu_petsc_message());
    PetscCheck(!lu->stop, PETSC_COMM_SELF,
               f->factorerrortype == MAT_FACTOR_OUTMEMORY ? PETSC_ERR_MEM : PETSC_ERR_MAT_LU_ZRPVT, "warplu: %s",
               wlu_petsc_message());
    PetscFunctionReturn(0);
}

static warplu_status open_solver(wlu_factor *lu, PetscInt n, const PetscInt *ptr, const PetscInt *idx,
                                 const PetscScalar *values)
{
#if defined(PETSC_USE_64BIT_INDICES)
    return warplu_open_solver64(&lu->solver, wlu_petsc_cache(), &lu->options, n, ptr, idx, (const double *)values);
#else
    return warplu_open_solver(&lu->solver, wlu_petsc_cache(), &lu->options, n, ptr, idx, (const double *)values);
#endif
}

/* Opens a solver for the pattern of A. */
static PetscErrorCode open_pattern(Mat f, Mat a)
{
    wlu_factor *lu = (wlu_factor *)f->data;
    const PetscInt *ptr, *idx;
    const PetscScalar *values;
    warplu_status status;
    PetscBool done;
    PetscInt n;

    PetscFunctionBegin;
    warplu_close_solver(&lu->solver);
    PetscCheck(wlu_petsc_cache() != NULL, PETSC_COMM_SELF, PETSC_ERR_ORDER, "PETSc is finalized");
    PetscCall(MatGetRowIJ(a, 0, PETSC_FALSE, PETSC_FALSE, &n, &ptr, &idx, &done));
    PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "no compressed rows of a matrix of type %s",
               ((PetscObject)a)->type_name);
    PetscCall(wlu_petsc_wait_for_values(a));
    PetscCall(MatSeqAIJGetArrayRead(a, &values));
    status = open_solver(lu, n, ptr, idx, values);
    PetscCall(MatSeqAIJRestoreArrayRead(a, &values));
    PetscCall(MatRestoreRowIJ(a, 0, PETSC_FALSE, PETSC_FALSE, &n, &ptr, &idx, &done));
    PetscCall(PetscObjectGetId((PetscObject)a, &lu->id));
    PetscCall(MatGetNonzeroState(a, &lu->nonzeros));
    PetscCall(judge(f, status));
    PetscFunctionReturn(0);
}

static PetscErrorCode has_pattern_of(const wlu_factor *lu, Mat a, PetscBool *same)
{
    PetscObjectState nonzeros;
    PetscObjectId id;

    PetscFunctionBegin;
    PetscCall(PetscObjectGetId((PetscObject)a, &id));
    PetscCall(MatGetNonzeroState(a, &nonzeros));
    *same = lu->solver != NULL && id == lu->id && nonzeros == lu->nonzeros ? PETSC_TRUE : PETSC_FALSE;
    PetscFunctionReturn(0);
}

static PetscErrorCode factor_numeric(Mat f, Mat a, const MatFactorInfo *info)
{
    wlu_factor *lu = (wlu_factor *)f->data;
    const PetscScalar *values;
    warplu_status status;
    PetscBool same = PETSC_FALSE, done;

    PetscFunctionBegin;
    (void)info;
    lu->stop = a->erroriffailure;
    f->factorerrortype = MAT_FACTOR_NOERROR;
    if (a->rmap->n == 0) PetscFunctionReturn(0);
    PetscCall(has_pattern_of(lu, a, &same));
    if (!same) PetscCall(open_pattern(f, a));
    if (lu->solver == NULL) PetscFunctionReturn(0);
    PetscCall(wlu_petsc_refactor_on_device(lu, a, &status, &done));
    if (!done) {
        PetscCall(MatSeqAIJGetArrayRead(a, &values));
        status = warplu_refactor(lu->solver, (const double *)values);
        PetscCall(MatSeqAIJRestoreArrayRead(a, &values));
    }
    PetscCall(judge(f, status));
    PetscFunctionReturn(0);
}

/* Keeps an ordering that -pc_factor_mat_ordering_type asked for, unless -mat_warplu_ordering asks for another. */
static PetscErrorCode take_order(wlu_factor *lu, PetscInt n, IS row, IS col)
{
    const PetscInt *rows, *cols;

    PetscFunctionBegin;
    PetscCall(PetscFree(lu->order));
    if (row == NULL || col == NULL || lu->options.ordering != WARPLU_ORDERING_AUTO) PetscFunctionReturn(0);
    PetscCall(ISGetIndices(row, &rows));
    PetscCall(ISGetIndices(col, &cols));
    PetscCall(PetscMalloc1(2 * n, &lu->order));
    for (PetscInt i = 0; i < n; i++) {
        lu->order[i] = (int32_t)rows[i];
        lu->order[n + i] = (int32_t)cols[i];
    }
    PetscCall(ISRestoreIndices(row, &rows));
    PetscCall(ISRestoreIndices(col, &cols));
    lu->options.ordering = WARPLU_ORDERING_GIVEN;
    lu->options.row_order = lu->order;
    lu->options.col_order = lu->order + n;
    PetscFunctionReturn(0);
}

static PetscErrorCode factor_symbolic(Mat f, Mat a, IS row, IS col, const MatFactorInfo *info)
{
    wlu_factor *lu = (wlu_factor *)f->data;
    PetscInt n;

    PetscFunctionBegin;
    (void)info;
    n = a->rmap->n;
    PetscCheck(n == a->cmap->n, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
               "%" PetscInt_FMT " rows and %" PetscInt_FMT " columns: LU takes square matrices", n, a->cmap->n);
    lu->stop = a->erroriffailure;
    f->factorerrortype = MAT_FACTOR_NOERROR;
    f->ops->lufactornumeric = factor_numeric;
    PetscCall(wlu_petsc_read_options(f, a));
    if (n == 0) PetscFunctionReturn(0);
    PetscCall(take_order(lu, n, row, col));
    PetscCall(open_pattern(f, a));
    PetscFunctionReturn(0);
}

static PetscErrorCode destroy(Mat f)
{
    wlu_factor *lu = (wlu_factor *)f->data;

    PetscFunctionBegin;
    warplu_close_solver(&lu->solver);
    PetscCall(MatDestroy(&lu->matrix));
    PetscCall(PetscFree(lu->order));
    PetscCall(PetscObjectComposeFunction((PetscObject)f, "MatFactorGetSolverType_C", NULL));
    PetscCall(PetscFree(f->data));
    PetscFunctionReturn(0);
}

static PetscErrorCode name_type(Mat a, MatSolverType *type)
{
    PetscFunctionBegin;
    (void)a;
    *type = WLU_SOLVER_TYPE;
    PetscFunctionReturn(0);
}

PetscErrorCode wlu_petsc_create(Mat a, MatFactorType type, Mat *out)
{
    wlu_factor *lu;
    Mat f;

    PetscFunctionBegin;
    PetscCall(MatCreate(PetscObjectComm((PetscObject)a), &f));
    PetscCall(MatSetSizes(f, a->rmap->n, a->cmap->n, a->rmap->N, a->cmap->N));
    PetscCall(PetscStrallocpy(WLU_SOLVER_TYPE, &((PetscObject)f)->type_name));
    PetscCall(MatSetUp(f));
    PetscCall(PetscNew(&lu));
    f->data = lu;
    f->ops->lufactorsymbolic = factor_symbolic;
    f->ops->solve = wlu_petsc_solve;
    f->ops->solvetranspose = wlu_petsc_solve_transposed;
    f->ops->matsolve = wlu_petsc_solve_many;
    f->ops->matsolvetranspose = wlu_petsc_solve_many_transposed;
    f->ops->getinfo = wlu_petsc_info;
    f->ops->view = wlu_petsc_view;
    f->ops->destroy = destroy;
    f->factortype = type;
    f->assembled = PETSC_TRUE;
    f->preallocated = PETSC_TRUE;
    f->canuseordering = PETSC_TRUE;
    PetscCall(PetscStrallocpy(MATORDERINGEXTERNAL, (char **)&f->preferredordering[MAT_FACTOR_LU]));
    PetscCall(PetscFree(f->solvertype));
    PetscCall(PetscStrallocpy(WLU_SOLVER_TYPE, &f->solvertype));
    PetscCall(PetscObjectComposeFunction((PetscObject)f, "MatFactorGetSolverType_C", name_type));
    *out = f;
    PetscFunctionReturn(0);
}
