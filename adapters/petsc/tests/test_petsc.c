/* The plugin in a program that does not know of it: PETSc loads it by -dll_append, options choose it.
 *
 *     test_petsc PLUGIN */
#include "systems.h"

#include <math.h>
#include <string.h>

enum { SIDE = 12, N = SIDE * SIDE };

typedef struct setup {
    Mat a;
    Vec b, x;
    KSP ksp;
} setup;

/* A system whose options begin with the prefix, solved by LU alone. */
static setup begin(Mat a, const char *prefix)
{
    setup s = {.a = a};
    PC pc = NULL;
    s.b = system_rhs(a);
    OK(VecDuplicate(s.b, &s.x));
    OK(KSPCreate(PETSC_COMM_SELF, &s.ksp));
    OK(KSPSetOptionsPrefix(s.ksp, prefix));
    OK(KSPSetType(s.ksp, KSPPREONLY));
    OK(KSPGetPC(s.ksp, &pc));
    OK(PCSetType(pc, PCLU));
    OK(PCFactorSetMatSolverType(pc, "warplu"));
    OK(KSPSetOperators(s.ksp, a, a));
    OK(KSPSetFromOptions(s.ksp));
    return s;
}

static void end(setup *s)
{
    OK(KSPDestroy(&s->ksp));
    OK(VecDestroy(&s->b));
    OK(VecDestroy(&s->x));
    OK(MatDestroy(&s->a));
}

static int converges(setup *s)
{
    KSPConvergedReason reason = 0;
    OK(KSPSolve(s->ksp, s->b, s->x));
    OK(KSPGetConvergedReason(s->ksp, &reason));
    return reason > 0;
}

static Mat factor_of(setup *s)
{
    PC pc = NULL;
    Mat f = NULL;
    OK(KSPGetPC(s->ksp, &pc));
    OK(PCFactorGetMatrix(pc, &f));
    return f;
}

static PCFailedReason failure_of(setup *s)
{
    PC pc = NULL;
    PCFailedReason reason = PC_NOERROR;
    OK(KSPGetPC(s->ksp, &pc));
    OK(PCGetFailedReason(pc, &reason));
    return reason;
}

static const char *view_of(setup *s)
{
    return system_view(factor_of(s));
}

static void others_are_there_still(void)
{
    Mat a = system_create(PETSC_COMM_SELF, SIDE), f = NULL;
    MatSolverType type = NULL;
    OK(MatGetFactor(a, MATSOLVERPETSC, MAT_FACTOR_LU, &f));
    OK(MatDestroy(&f));
    OK(MatGetFactor(a, "warplu", MAT_FACTOR_LU, &f));
    OK(MatFactorGetSolverType(f, &type));
    CHECK(type != NULL && strcmp(type, "warplu") == 0);
    OK(MatDestroy(&f));
    OK(MatDestroy(&a));
}

static void solves_again_and_again(void)
{
    setup s = begin(system_create(PETSC_COMM_SELF, SIDE), "again_");
    MatInfo info;
    for (int step = 0; step < 30; step++) {
        system_fill(s.a, SIDE, step);
        CHECK(converges(&s));
        CHECK(system_residual(s.a, 0, s.b, s.x) < 1e-13);
    }
    CHECK_SAY(strstr(view_of(&s), "program of") != NULL, "%s", view_of(&s));
    CHECK_SAY(strstr(view_of(&s), "check suspect, pivot tolerance 0.001") != NULL, "%s", view_of(&s));
    OK(MatGetInfo(factor_of(&s), MAT_LOCAL, &info));
    CHECK(info.nz_used > 5 * N && info.fill_ratio_needed > 1 && info.memory > 0);
    end(&s);
}

static void solves_transposed(void)
{
    setup s = begin(system_create(PETSC_COMM_SELF, SIDE), "transposed_");
    for (int step = 0; step < 12; step++) {
        system_fill(s.a, SIDE, step);
        OK(KSPSolveTranspose(s.ksp, s.b, s.x));
        CHECK(system_residual(s.a, 1, s.b, s.x) < 1e-13);
        CHECK(system_residual(s.a, 0, s.b, s.x) > 1e-3);
    }
    end(&s);
}

/* Columns of B by A or its transpose, with leading dimensions that are not n. PETSc's transposed solves are never in
 * place. */
static void check_columns(Mat a, Mat f, int transposed, int in_place)
{
    enum { COLUMNS = 9, LD = N + 3 };
    static PetscScalar room[2][LD * COLUMNS];
    Mat b = NULL, x = NULL;
    for (int k = 0; k < LD * COLUMNS; k++) room[0][k] = room[1][k] = 1.0 + 0.1 * (double)(k % 11) * SYSTEM_I;
    OK(MatCreateSeqDense(PETSC_COMM_SELF, N, COLUMNS, room[0], &b));
    OK(MatDenseSetLDA(b, LD));
    OK(MatCreateSeqDense(PETSC_COMM_SELF, N, COLUMNS, room[1], &x));
    OK(MatDenseSetLDA(x, LD));
    OK((transposed ? MatMatSolveTranspose : MatMatSolve)(f, in_place ? x : b, x));
    for (PetscInt k = 0; k < COLUMNS; k++) {
        Vec from = NULL, to = NULL;
        OK(MatDenseGetColumnVecRead(b, k, &from));
        OK(MatDenseGetColumnVecRead(x, k, &to));
        CHECK(system_residual(a, transposed, from, to) < 1e-13);
        OK(MatDenseRestoreColumnVecRead(x, k, &to));
        OK(MatDenseRestoreColumnVecRead(b, k, &from));
    }
    OK(MatDestroy(&b));
    OK(MatDestroy(&x));
}

static void solves_many(void)
{
    setup s = begin(system_create(PETSC_COMM_SELF, SIDE), "many_");
    CHECK(converges(&s));
    check_columns(s.a, factor_of(&s), 0, 0);
    check_columns(s.a, factor_of(&s), 0, 1);
    check_columns(s.a, factor_of(&s), 1, 0);
    end(&s);
}

/* Row 0 of A is zero, as values or without entries. */
static Mat singular(int structurally)
{
    PetscInt i, row = structurally ? 1 : 0;
    PetscScalar zero = 0.0, one = 1.0;
    Mat a = NULL;
    OK(MatCreateSeqAIJ(PETSC_COMM_SELF, N, N, 2, NULL, &a));
    for (i = row; i < N; i++) OK(MatSetValues(a, 1, &i, 1, &i, i == 0 ? &zero : &one, INSERT_VALUES));
    OK(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
    OK(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
    return a;
}

static void singular_values_are_told(void)
{
    setup s = begin(singular(0), "singular_");
    PetscInt zero = 0;
    for (int step = 0; step < 2; step++) {
        CHECK(!converges(&s));
        CHECK_SAY(failure_of(&s) == PC_FACTOR_NUMERIC_ZEROPIVOT, "%d", (int)failure_of(&s));
        OK(MatSetValue(s.a, zero, zero, 2.0, INSERT_VALUES));
        OK(MatAssemblyBegin(s.a, MAT_FINAL_ASSEMBLY));
        OK(MatAssemblyEnd(s.a, MAT_FINAL_ASSEMBLY));
        CHECK(converges(&s));
        CHECK(system_residual(s.a, 0, s.b, s.x) < 1e-13);
        OK(MatSetValue(s.a, zero, zero, step ? 0.0 : (PetscScalar)NAN, INSERT_VALUES));
        OK(MatAssemblyBegin(s.a, MAT_FINAL_ASSEMBLY));
        OK(MatAssemblyEnd(s.a, MAT_FINAL_ASSEMBLY));
    }
    end(&s);
}

static void many_solves_tell_failures(void)
{
    static PetscScalar room[2][2 * N];
    setup s = begin(singular(0), "many_singular_");
    Mat b = NULL, x = NULL;
    CHECK(!converges(&s));
    OK(MatCreateSeqDense(PETSC_COMM_SELF, N, 2, room[0], &b));
    OK(MatCreateSeqDense(PETSC_COMM_SELF, N, 2, room[1], &x));
    OK(MatMatSolve(factor_of(&s), b, x));
    CHECK(isinf((double)PetscRealPart(room[1][0])) && isinf((double)PetscRealPart(room[1][2 * N - 1])));
    OK(MatDestroy(&b));
    OK(MatDestroy(&x));
    end(&s);
}

static void singular_patterns_are_told(void)
{
    setup s = begin(singular(1), "structure_");
    CHECK(!converges(&s));
    CHECK_SAY(failure_of(&s) == PC_FACTOR_STRUCT_ZEROPIVOT, "%d", (int)failure_of(&s));
    end(&s);
}

static void failures_stop_where_asked(void)
{
    setup s = begin(singular(0), "stop_");
    OK(KSPSetErrorIfNotConverged(s.ksp, PETSC_TRUE));
    OK(PetscPushErrorHandler(PetscIgnoreErrorHandler, NULL));
    CHECK(KSPSetUp(s.ksp) == PETSC_ERR_MAT_LU_ZRPVT);
    OK(PetscPopErrorHandler());
    end(&s);
}

static void patterns_may_change(void)
{
    setup s = begin(system_create(PETSC_COMM_SELF, SIDE), "change_");
    CHECK(converges(&s));
    OK(MatSetValue(s.a, 0, N - 1, 0.5, INSERT_VALUES));
    OK(MatSetValue(s.a, N - 1, 0, -0.5, INSERT_VALUES));
    OK(MatAssemblyBegin(s.a, MAT_FINAL_ASSEMBLY));
    OK(MatAssemblyEnd(s.a, MAT_FINAL_ASSEMBLY));
    CHECK(converges(&s));
    CHECK(system_residual(s.a, 0, s.b, s.x) < 1e-13);
    end(&s);
}

/* Another matrix goes to the same factors without a symbolic phase, singular at first. */
static void matrices_may_change(void)
{
    setup s = begin(system_create(PETSC_COMM_SELF, SIDE), "matrix_");
    Mat other = singular(0), f = NULL;
    MatFactorError error = MAT_FACTOR_NOERROR;
    CHECK(converges(&s));
    f = factor_of(&s);
    OK(MatLUFactorNumeric(f, other, NULL));
    OK(MatFactorGetError(f, &error));
    CHECK_SAY(error == MAT_FACTOR_NUMERIC_ZEROPIVOT, "%d", (int)error);
    OK(MatShift(other, 3.0));
    OK(MatLUFactorNumeric(f, other, NULL));
    OK(MatFactorGetError(f, &error));
    CHECK_SAY(error == MAT_FACTOR_NOERROR, "%d", (int)error);
    OK(MatSolve(f, s.b, s.x));
    CHECK(system_residual(other, 0, s.b, s.x) < 1e-13);
    OK(MatDestroy(&other));
    end(&s);
}

static void phases_come_in_turn(void)
{
    setup s = begin(system_create(PETSC_COMM_SELF, SIDE), "phases_");
    Mat f = NULL;
    OK(MatGetFactor(s.a, "warplu", MAT_FACTOR_LU, &f));
    OK(PetscPushErrorHandler(PetscIgnoreErrorHandler, NULL));
    CHECK(MatSolve(f, s.b, s.x) == PETSC_ERR_ORDER);
    OK(PetscPopErrorHandler());
    OK(MatLUFactorSymbolic(f, s.a, NULL, NULL, NULL));
    OK(PetscPushErrorHandler(PetscIgnoreErrorHandler, NULL));
    CHECK(MatSolve(f, s.b, s.x) == PETSC_ERR_LIB);
    OK(PetscPopErrorHandler());
    OK(MatDestroy(&f));
    end(&s);
}

static void prefixes_have_options_of_their_own(void)
{
    OK(PetscOptionsInsertString(NULL, "-one_mat_warplu_check always -one_mat_warplu_pivot_tolerance 0.5 "
                                      "-one_mat_warplu_btf false -one_mat_warplu_threads 2 "
                                      "-two_pc_factor_mat_ordering_type natural -three_mat_warplu_pivot_tolerance 7"));
    setup s = begin(system_create(PETSC_COMM_SELF, SIDE), "one_");
    CHECK(converges(&s));
    CHECK_SAY(strstr(view_of(&s), "check always, pivot tolerance 0.5, threads 2,") != NULL, "%s", view_of(&s));
    end(&s);
    s = begin(system_create(PETSC_COMM_SELF, SIDE), "two_");
    CHECK(converges(&s));
    CHECK(system_residual(s.a, 0, s.b, s.x) < 1e-13);
    CHECK_SAY(strstr(view_of(&s), "ordering given by PETSc") != NULL, "%s", view_of(&s));
    end(&s);
    s = begin(system_create(PETSC_COMM_SELF, SIDE), "three_");
    OK(PetscPushErrorHandler(PetscIgnoreErrorHandler, NULL));
    CHECK(KSPSetUp(s.ksp) == PETSC_ERR_LIB);
    OK(PetscPopErrorHandler());
    end(&s);
}

/* Pivots that suit the first values, kept for others for which they are weak. */
static double weak_solution(const char *prefix)
{
    PetscInt index[2] = {0, 1};
    PetscScalar good[4] = {1, 1, 1, 2}, poor[4] = {1e-17, 1, 1, 2};
    const PetscScalar *x = NULL;
    Mat a = NULL;
    OK(MatCreateSeqAIJ(PETSC_COMM_SELF, 2, 2, 2, NULL, &a));
    OK(MatSetValues(a, 2, index, 2, index, good, INSERT_VALUES));
    OK(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
    OK(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
    setup s = begin(a, prefix);
    CHECK(converges(&s));
    OK(MatSetValues(a, 2, index, 2, index, poor, INSERT_VALUES));
    OK(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
    OK(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
    OK(KSPSolve(s.ksp, s.b, s.x));
    OK(VecGetArrayRead(s.x, &x));
    double first = (double)PetscRealPart(x[0]);
    OK(VecRestoreArrayRead(s.x, &x));
    end(&s);
    return first;
}

static void inaccurate_solutions_are_not_passed_off(void)
{
    OK(PetscOptionsInsertString(NULL, "-fail_mat_warplu_on_weak report -keep_mat_warplu_on_weak report "
                                      "-keep_mat_warplu_inaccurate keep"));
    double right = weak_solution("right_"), failed = weak_solution("fail_"), kept = weak_solution("keep_");
    CHECK_SAY(fabs(right + 1) < 0.02, "%g", right);
    CHECK_SAY(isinf(failed), "%g", failed);
    CHECK_SAY(isfinite(kept) && fabs(kept - right) > 0.5, "%g", kept);
}

static void infinite_right_sides_stay_infinite(void)
{
    setup s = begin(system_create(PETSC_COMM_SELF, SIDE), "infinite_");
    PetscReal norm = 0;
    OK(VecSetValue(s.b, 3, (PetscScalar)NAN, INSERT_VALUES));
    OK(KSPSolve(s.ksp, s.b, s.x));
    OK(VecNorm(s.x, NORM_2, &norm));
    CHECK(!isfinite(norm));
    end(&s);
}

int main(int argc, char **argv)
{
    if (!system_begin(argc, argv)) return 2;
    RUN(others_are_there_still);
    RUN(solves_again_and_again);
    RUN(solves_transposed);
    RUN(solves_many);
    RUN(singular_values_are_told);
    RUN(many_solves_tell_failures);
    RUN(singular_patterns_are_told);
    RUN(failures_stop_where_asked);
    RUN(patterns_may_change);
    RUN(matrices_may_change);
    RUN(phases_come_in_turn);
    RUN(prefixes_have_options_of_their_own);
    RUN(inaccurate_solutions_are_not_passed_off);
    RUN(infinite_right_sides_stay_infinite);
    return PetscFinalize() != 0 || check_done();
}
