/* warplu as a MatSolverType of PETSc: what the files of the plugin share.
 *
 * PETSc's factored matrix F holds a wlu_factor in its data. Its solver is opened from the process's cache of solvers by
 * pattern, in the symbolic phase or where a numeric phase comes with another pattern, and goes back there when F is
 * destroyed: PETSc makes a new F for each new pattern, and one for each block of ASM and block Jacobi. */
#ifndef WLU_ADAPTERS_PETSC_FACTOR_H
#define WLU_ADAPTERS_PETSC_FACTOR_H

#include <petsc/private/matimpl.h>

#include <warplu/cache.h>

#if !defined(PETSC_USE_REAL_DOUBLE)
#error "PETSc's PetscReal has to be double"
#endif

#define WLU_SOLVER_TYPE "warplu"

typedef struct wlu_factor {
    warplu_solver *solver; /* NULL before the symbolic phase, after one that failed, and of an empty matrix */
    warplu_options options;
    int32_t *order; /* rows, then columns, of an ordering that PETSc gives; else NULL */

    /* The pattern that the solver has: PETSc's number of the matrix, and the state of its nonzeros. */
    PetscObjectId id;
    PetscObjectState nonzeros;

    /* For a device: the matrix whose values are factored, and its state then. */
    Mat matrix;
    PetscObjectState values;
    int64_t replays_on_device, solves_on_device;
    int64_t solved_again; /* on the host, of numbers on a device */

    PetscBool stop;    /* failures are PETSc errors: MatSetErrorIfFailure of the matrix that was factored */
    PetscBool keep;    /* inaccurate solutions are kept */
    int64_t unchecked; /* calls that were answered so, by this F */
    int64_t inaccurate;
} wlu_factor;

/* register.c */
warplu_cache *wlu_petsc_cache(void);
/* factor.c: makes F; a function of MatSolverTypeRegister. */
PetscErrorCode wlu_petsc_create(Mat a, MatFactorType type, Mat *out);
/* options.c: reads PETSc's database under F's prefix, for a factorization of A. */
PetscErrorCode wlu_petsc_read_options(Mat f, Mat a);
/* The text of the last error or warning of any solver of this thread, for calls that leave none. */
const char *wlu_petsc_message(void);
/* "suspect", "amd": as the options name them. */
const char *wlu_petsc_check_name(warplu_check check);
const char *wlu_petsc_ordering_name(warplu_ordering ordering);
/* solve.c */
PetscErrorCode wlu_petsc_solve(Mat f, Vec b, Vec x);
PetscErrorCode wlu_petsc_solve_transposed(Mat f, Vec b, Vec x);
PetscErrorCode wlu_petsc_solve_many(Mat f, Mat b, Mat x);
PetscErrorCode wlu_petsc_solve_many_transposed(Mat f, Mat b, Mat x);
/* What follows from a solve's status: it is counted, or a PETSc error. *failed: X is to be infinite. */
PetscErrorCode wlu_petsc_judge_solve(Mat f, warplu_status status, PetscBool *failed);
/* device.c: a device for A, unless an option says where; and what that takes. */
PetscErrorCode wlu_petsc_choose_executor(Mat f, Mat a);
/* For what PETSc has enqueued, where the values of A are on a device. */
PetscErrorCode wlu_petsc_wait_for_values(Mat a);
/* The numbers are on a device, and so is the work; not *done: it is left to the host. */
PetscErrorCode wlu_petsc_refactor_on_device(wlu_factor *lu, Mat a, warplu_status *status, PetscBool *done);
PetscErrorCode wlu_petsc_solve_vector_on_device(Mat f, int transposed, Vec b, Vec x, PetscBool *done,
                                                PetscBool *failed);
PetscErrorCode wlu_petsc_solve_matrix_on_device(Mat f, int transposed, Mat b, Mat x, PetscBool *done,
                                                PetscBool *failed);
/* view.c */
PetscErrorCode wlu_petsc_view(Mat f, PetscViewer viewer);
PetscErrorCode wlu_petsc_info(Mat f, MatInfoType type, MatInfo *info);

#endif
