/* The plugin where PETSc keeps numbers on a device: matrices of type aijcusparse, vectors and dense matrices of type
 * cuda. A PETSc without CUDA has none; there a matrix that merely calls itself so has to be refused with a clear text,
 * and an option brings it to the host.
 *
 *     test_device PLUGIN
 *     PETSC_OPTIONS="-root_device_context_stream_type nonblocking" test_device PLUGIN
 *
 * The second way PETSc works on a stream that takes no turns with the default one. (Where that is slow, in a sanitizer,
 * PETSc's own products may come too early for the residuals.) */
#include "systems.h"

#include <math.h>
#include <string.h>

enum { SIDE = 12, N = SIDE * SIDE };

/* What the last error said; PETSc passes it through every caller. */
static char said[1024];

static PetscErrorCode note(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code,
                           PetscErrorType type, const char *text, void *context)
{
    (void)comm, (void)line, (void)function, (void)file, (void)context;
    if (type == PETSC_ERROR_INITIAL) snprintf(said, sizeof said, "%s", text);
    return code;
}

static Mat factor_of(Mat a)
{
    Mat f = NULL;
    OK(MatGetFactor(a, "warplu", MAT_FACTOR_LU, &f));
    return f;
}

/* Factors a; the error code, and what was said. */
static PetscErrorCode factored(Mat a, Mat f)
{
    PetscErrorCode code = 0;
    said[0] = 0;
    OK(PetscPushErrorHandler(note, NULL));
    code = MatLUFactorSymbolic(f, a, NULL, NULL, NULL);
    if (code == 0) code = MatLUFactorNumeric(f, a, NULL);
    OK(PetscPopErrorHandler());
    return code;
}

static double residual_of(Mat a, Mat f, int transposed)
{
    Vec b = system_rhs(a), x = NULL;
    double residual = 0;
    OK(VecDuplicate(b, &x));
    OK((transposed ? MatSolveTranspose : MatSolve)(f, b, x));
    residual = system_residual(a, transposed, b, x);
    OK(VecDestroy(&b));
    OK(VecDestroy(&x));
    return residual;
}

/* What -ksp_view prints of the factors has this in it. */
static void check_shown(Mat f, const char *wanted)
{
    const char *text = system_view(f);
    CHECK_SAY(strstr(text, wanted) != NULL, "%s: %s", wanted, text);
}

static void is_registered_for_device_matrices(void)
{
    PetscBool found = PETSC_FALSE, type = PETSC_FALSE;
    OK(MatSolverTypeGet("warplu", MATSEQAIJCUSPARSE, MAT_FACTOR_LU, &found, &type, NULL));
    CHECK(found && type);
}

/* With a device the factors are right; without, the status is told. */
static void check_where_device_is_asked(Mat a)
{
    Mat f = factor_of(a);
    PetscErrorCode code = factored(a, f);
    if (code == 0) {
        CHECK(residual_of(a, f, 0) < 1e-13);
        check_shown(f, "on a CUDA device");
    } else {
        CHECK_SAY(code == PETSC_ERR_SUP || code == PETSC_ERR_GPU, "%d", (int)code);
        CHECK_SAY(strstr(said, "WARPLU_NOT_COMPILED") != NULL || strstr(said, "WARPLU_NO_DEVICE") != NULL, "%s", said);
        CHECK_SAY(strstr(said, "-mat_warplu_executor cpu") != NULL, "%s", said);
    }
    OK(MatDestroy(&f));
}

static void missing_devices_are_told(void)
{
    Mat a = system_create(PETSC_COMM_SELF, SIDE);
    OK(PetscOptionsSetValue(NULL, "-mat_warplu_executor", "cuda"));
    check_where_device_is_asked(a);
    OK(PetscOptionsClearValue(NULL, "-mat_warplu_executor"));
    OK(MatDestroy(&a));
}

#if !defined(PETSC_HAVE_CUDA)
static void device_matrices_ask_for_a_device(void)
{
    Mat a = system_create(PETSC_COMM_SELF, SIDE), f = NULL;
    OK(PetscObjectChangeTypeName((PetscObject)a, MATSEQAIJCUSPARSE));
    check_where_device_is_asked(a);
    OK(PetscOptionsSetValue(NULL, "-mat_warplu_executor", "cpu"));
    f = factor_of(a);
    CHECK(factored(a, f) == 0);
    CHECK(residual_of(a, f, 0) < 1e-13);
    OK(MatDestroy(&f));
    OK(PetscOptionsClearValue(NULL, "-mat_warplu_executor"));
    OK(MatDestroy(&a));
}
#else
#include <petsc/private/matimpl.h>
#include <petscdevice.h>

/* Whether this machine has one. */
static int has_device(void)
{
    static int known, has;
    if (known) return has;
    OK(PetscPushErrorHandler(PetscIgnoreErrorHandler, NULL));
    has = PetscDeviceInitialize(PETSC_DEVICE_CUDA) == 0;
    OK(PetscPopErrorHandler());
    known = 1;
    return has;
}

#define NEED_DEVICE() \
    if (!has_device()) SKIP("no device")

static Mat create_on_device(PetscInt side)
{
    Mat a = system_create(PETSC_COMM_SELF, side);
    OK(MatConvert(a, MATSEQAIJCUSPARSE, MAT_INPLACE_MATRIX, &a));
    return a;
}

static void check_counts(Mat f, int replays, int solves, int again)
{
    char wanted[200];
    snprintf(wanted, sizeof wanted, "replays %d, solves %d, made again on the host %d", replays, solves, again);
    check_shown(f, wanted);
}

/* Values that are on the device alone: the host's copy is out of date. */
static void scale_on_device(Mat a, double by)
{
    OK(MatScale(a, by));
    CHECK(a->offloadmask == PETSC_OFFLOAD_GPU);
}

static void stays_on_the_device(void)
{
    NEED_DEVICE();
    enum { STEPS = 20 };
    Mat a = create_on_device(SIDE), f = factor_of(a);
    CHECK(factored(a, f) == 0);
    CHECK(residual_of(a, f, 0) < 1e-13);
    for (int step = 1; step < STEPS; step++) {
        scale_on_device(a, 1.0 + 0.1 * step);
        OK(MatLUFactorNumeric(f, a, NULL));
        CHECK_SAY(a->offloadmask == PETSC_OFFLOAD_GPU, "step %d: values have come to the host", step);
        CHECK(residual_of(a, f, 0) < 1e-13);
    }
    check_counts(f, STEPS, STEPS, 0);
    OK(MatDestroy(&f));
    OK(MatDestroy(&a));
}

/* The first transposed solve makes the program that later ones need. */
static void solves_transposed(void)
{
    NEED_DEVICE();
    enum { STEPS = 6 };
    Mat a = create_on_device(SIDE), f = factor_of(a);
    CHECK(factored(a, f) == 0);
    for (int step = 0; step < STEPS; step++) {
        scale_on_device(a, 1.5);
        OK(MatLUFactorNumeric(f, a, NULL));
        double residual = residual_of(a, f, 1);
        CHECK_SAY(residual < 1e-13, "step %d: %g", step, residual);
    }
    check_counts(f, STEPS + 1, STEPS - 1, 1);
    OK(MatDestroy(&f));
    OK(MatDestroy(&a));
}

/* A replay of rows that have grown unevenly since the pivots were chosen, solved with three times. */
static Mat solve_uneven(int power)
{
    Mat a = create_on_device(SIDE), f = factor_of(a);
    Vec scale = NULL;
    CHECK(factored(a, f) == 0);
    OK(MatCreateVecs(a, NULL, &scale));
    for (PetscInt i = 0; i < N; i++) OK(VecSetValue(scale, i, exp2((double)(power * (i % 3))), INSERT_VALUES));
    OK(VecAssemblyBegin(scale));
    OK(VecAssemblyEnd(scale));
    OK(MatDiagonalScale(a, scale, NULL));
    OK(MatLUFactorNumeric(f, a, NULL));
    for (int step = 0; step < 3; step++) CHECK(residual_of(a, f, 0) < 1e-13 * exp2(2.0 * power));
    check_shown(f, "unproven 0, inaccurate 0");
    OK(VecDestroy(&scale));
    OK(MatDestroy(&a));
    return f;
}

static void uneven_solves_are_checked_there(void)
{
    NEED_DEVICE();
    for (int power = 2; power <= 14; power += 4) {
        Mat f = solve_uneven(power);
        check_counts(f, 2, 3, 0);
        OK(MatDestroy(&f));
    }
}

/* By the bound alone the device does not prove them: values and solves come to the host. */
static void or_by_a_closer_look(void)
{
    NEED_DEVICE();
    OK(PetscOptionsSetValue(NULL, "-mat_warplu_check", "suspect"));
    for (int power = 2; power <= 14; power += 4) {
        Mat f = solve_uneven(power);
        OK(MatDestroy(&f));
    }
    OK(PetscOptionsClearValue(NULL, "-mat_warplu_check"));
}

/* Columns with other leading dimensions for the solutions, out of place and in place. */
static void solves_many(void)
{
    NEED_DEVICE();
    enum { COLUMNS = 9, MORE = 3 };
    Mat a = create_on_device(SIDE), f = factor_of(a), b = NULL, room = NULL, x = NULL;
    CHECK(factored(a, f) == 0);
    OK(MatCreateSeqDenseCUDA(PETSC_COMM_SELF, N, COLUMNS, NULL, &b));
    OK(MatCreateSeqDenseCUDA(PETSC_COMM_SELF, N + MORE, COLUMNS, NULL, &room));
    OK(MatSetRandom(b, NULL));
    OK(MatZeroEntries(room));
    OK(MatDenseGetSubMatrix(room, MORE, N + MORE, PETSC_DECIDE, PETSC_DECIDE, &x));
    for (int in_place = 0; in_place <= 1; in_place++) {
        if (in_place) OK(MatCopy(b, x, SAME_NONZERO_PATTERN));
        OK(MatMatSolve(f, in_place ? x : b, x));
        for (PetscInt k = 0; k < COLUMNS; k++) {
            Vec from = NULL, to = NULL;
            OK(MatDenseGetColumnVecRead(b, k, &from));
            OK(MatDenseGetColumnVecRead(x, k, &to));
            CHECK(system_residual(a, 0, from, to) < 1e-13);
            OK(MatDenseRestoreColumnVecRead(x, k, &to));
            OK(MatDenseRestoreColumnVecRead(b, k, &from));
        }
    }
    check_counts(f, 1, 2, 0);
    OK(MatDenseRestoreSubMatrix(room, &x));
    OK(MatDestroy(&room));
    OK(MatDestroy(&b));
    OK(MatDestroy(&f));
    OK(MatDestroy(&a));
}

/* Vectors on the host, and values there, go to the same device. */
static void takes_numbers_of_the_host(void)
{
    NEED_DEVICE();
    Mat a = create_on_device(SIDE), host = system_create(PETSC_COMM_SELF, SIDE), f = factor_of(a);
    Vec b = system_rhs(host), x = NULL, y = NULL;
    CHECK(factored(a, f) == 0);
    OK(VecDuplicate(b, &x));
    OK(MatCreateVecs(a, NULL, &y));
    OK(MatSolve(f, b, x));
    CHECK(system_residual(host, 0, b, x) < 1e-13);
    OK(MatSolve(f, b, y));
    OK(VecCopy(y, x));
    CHECK(system_residual(host, 0, b, x) < 1e-13);
    system_fill(host, SIDE, 3);
    OK(MatLUFactorNumeric(f, host, NULL));
    OK(MatSolve(f, b, x));
    CHECK(system_residual(host, 0, b, x) < 1e-13);
    OK(MatBindToCPU(a, PETSC_TRUE));
    OK(MatLUFactorNumeric(f, a, NULL));
    CHECK(residual_of(a, f, 0) < 1e-13);
    OK(VecDestroy(&b));
    OK(VecDestroy(&x));
    OK(VecDestroy(&y));
    OK(MatDestroy(&f));
    OK(MatDestroy(&host));
    OK(MatDestroy(&a));
}

static Mat small(const PetscScalar *values)
{
    PetscInt index[2] = {0, 1};
    Mat a = NULL;
    OK(MatCreateSeqAIJ(PETSC_COMM_SELF, 2, 2, 2, NULL, &a));
    OK(MatSetValues(a, 2, index, 2, index, values, INSERT_VALUES));
    OK(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
    OK(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
    OK(MatConvert(a, MATSEQAIJCUSPARSE, MAT_INPLACE_MATRIX, &a));
    return a;
}

/* Pivots that suit the first values are weak for the second, which are singular, not finite, or served by others. */
static void weak_replays_are_mended(void)
{
    NEED_DEVICE();
    const PetscScalar good[4] = {1, 1, 1, 2}, poor[4] = {1e-17, 1, 1, 2}, none[4] = {1, 1, 1, 1},
                      nan[4] = {1, (PetscScalar)NAN, 1, 2};
    const PetscScalar *const second[3] = {poor, none, nan};
    const MatFactorError wanted[3] = {MAT_FACTOR_NOERROR, MAT_FACTOR_NUMERIC_ZEROPIVOT, MAT_FACTOR_NUMERIC_ZEROPIVOT};
    for (int k = 0; k < 3; k++) {
        Mat a = small(good), other = small(second[k]), f = factor_of(a);
        MatFactorError error = MAT_FACTOR_NOERROR;
        CHECK(factored(a, f) == 0);
        OK(MatCopy(other, a, SAME_NONZERO_PATTERN));
        OK(MatLUFactorNumeric(f, a, NULL));
        OK(MatFactorGetError(f, &error));
        CHECK_SAY(error == wanted[k], "%d: %d", k, (int)error);
        if (error == MAT_FACTOR_NOERROR) CHECK(residual_of(a, f, 0) < 1e-13);
        OK(MatDestroy(&f));
        OK(MatDestroy(&other));
        OK(MatDestroy(&a));
    }
}

static void inaccurate_solutions_are_not_passed_off(void)
{
    NEED_DEVICE();
    const PetscScalar good[4] = {1, 1, 1, 2}, poor[4] = {1e-17, 1, 1, 2};
    Mat a = small(good), other = small(poor), f = NULL;
    OK(PetscOptionsSetValue(NULL, "-mat_warplu_on_weak", "report"));
    f = factor_of(a);
    CHECK(factored(a, f) == 0);
    OK(MatCopy(other, a, SAME_NONZERO_PATTERN));
    OK(MatLUFactorNumeric(f, a, NULL));
    CHECK(!isfinite(residual_of(a, f, 0)));
    OK(PetscOptionsClearValue(NULL, "-mat_warplu_on_weak"));
    OK(MatDestroy(&f));
    OK(MatDestroy(&other));
    OK(MatDestroy(&a));
}
#endif

int main(int argc, char **argv)
{
    if (!system_begin(argc, argv)) return 2;
    RUN(is_registered_for_device_matrices);
    RUN(missing_devices_are_told);
#if !defined(PETSC_HAVE_CUDA)
    RUN(device_matrices_ask_for_a_device);
#else
    RUN(stays_on_the_device);
    RUN(solves_transposed);
    RUN(uneven_solves_are_checked_there);
    RUN(or_by_a_closer_look);
    RUN(solves_many);
    RUN(takes_numbers_of_the_host);
    RUN(weak_replays_are_mended);
    RUN(inaccurate_solutions_are_not_passed_off);
#endif
    return PetscFinalize() != 0 || check_done();
}
