/* The plugin as the solver of blocks: overlapping ones of the additive Schwarz method, and block Jacobi, on two ranks.
 *
 *     mpirun -n 2 test_ranks PLUGIN */
#include "systems.h"

#include <string.h>

enum { SIDE = 16 };

static void solves_by_blocks(const char *method)
{
    Mat a = system_create(PETSC_COMM_WORLD, SIDE);
    Vec b = system_rhs(a), x = NULL;
    KSP ksp = NULL, *block = NULL;
    PC pc = NULL, sub = NULL;
    MatSolverType type = NULL;
    PetscInt count = 0;
    OK(VecDuplicate(b, &x));
    OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
    OK(KSPSetType(ksp, KSPGMRES));
    OK(KSPSetTolerances(ksp, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, 100));
    OK(KSPGetPC(ksp, &pc));
    OK(PCSetType(pc, method));
    OK(KSPSetOperators(ksp, a, a));
    OK(KSPSetFromOptions(ksp));
    for (int step = 0; step < 12; step++) {
        system_fill(a, SIDE, step);
        KSPConvergedReason reason = 0;
        OK(KSPSolve(ksp, b, x));
        OK(KSPGetConvergedReason(ksp, &reason));
        CHECK_SAY(reason > 0, "step %d: %d", step, (int)reason);
        double residual = system_residual(a, 0, b, x);
        CHECK_SAY(residual < 1e-8, "step %d: %g", step, residual);
    }
    if (strcmp(method, PCASM) == 0)
        OK(PCASMGetSubKSP(pc, &count, NULL, &block));
    else
        OK(PCBJacobiGetSubKSP(pc, &count, NULL, &block));
    CHECK(count >= 1);
    OK(KSPGetPC(block[0], &sub));
    OK(PCFactorGetMatSolverType(sub, &type));
    CHECK(type != NULL && strcmp(type, "warplu") == 0);
    OK(KSPDestroy(&ksp));
    OK(VecDestroy(&b));
    OK(VecDestroy(&x));
    OK(MatDestroy(&a));
}

static void additive_schwarz(void)
{
    solves_by_blocks(PCASM);
}

static void block_jacobi(void)
{
    OK(PetscOptionsInsertString(NULL, "-pc_bjacobi_blocks 4"));
    solves_by_blocks(PCBJACOBI);
}

int main(int argc, char **argv)
{
    char name[] = "test_ranks", append[] = "-dll_append", type[] = "-sub_pc_type", lu[] = "lu";
    char solver[] = "-sub_pc_factor_mat_solver_type", warplu[] = "warplu";
    char *given[] = {name, append, argc > 1 ? argv[1] : name, type, lu, solver, warplu, NULL};
    char **arguments = given;
    int count = 7, rank = 0, failed = 0, anywhere = 0;
    if (argc != 2 || PetscInitialize(&count, &arguments, NULL, NULL) != 0) return 2;
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    if (rank > 0 && freopen("/dev/null", "w", stdout) == NULL) return 2;
    RUN(additive_schwarz);
    RUN(block_jacobi);
    failed = check_failures;
    MPI_Allreduce(&failed, &anywhere, 1, MPI_INT, MPI_SUM, PETSC_COMM_WORLD);
    if (anywhere > failed) printf("# failures on other ranks: %d\n", anywhere - failed);
    failed = check_done() || anywhere > 0;
    return PetscFinalize() != 0 || failed;
}
