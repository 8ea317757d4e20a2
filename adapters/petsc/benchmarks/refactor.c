/* Times LU of PETSc where values change and the pattern stays: convection and diffusion on a grid, scaled in each step
 * where PETSc keeps the values. Prints what the first factorization took, the median of the others and of solves, and
 * the largest residual. Options choose solver and places:
 *
 *     refactor -dll_append libpetscwarplu.so -side 316 -steps 20 -mat_type aijcusparse \
 *         -pc_factor_mat_solver_type warplu
 *     refactor -side 316 -steps 20 -mat_type aijcusparse -pc_factor_mat_solver_type cusparse
 *
 * Built with the program's PETSc: cc refactor.c $(pkg-config --cflags --libs PETSc) -lm */
#include <petscdevice.h>
#include <petscpc.h>
#include <petsctime.h>

#include <stdlib.h>

#define TRY(call) \
    do { \
        if ((call) != 0) exit(1); \
    } while (0)

enum { MOST_STEPS = 1000 };

static Mat create_matrix(PetscInt side)
{
    PetscInt n = side * side;
    Mat a = NULL;
    TRY(MatCreate(PETSC_COMM_SELF, &a));
    TRY(MatSetSizes(a, n, n, n, n));
    TRY(MatSetFromOptions(a));
    TRY(MatSeqAIJSetPreallocation(a, 5, NULL));
    for (PetscInt i = 0; i < n; i++) {
        PetscInt x = i % side, y = i / side, column[5], count = 0;
        PetscScalar value[5];
        double wind = 0.3 + 0.01 * (double)(i % 7);
        column[count] = i, value[count++] = 4.0;
        if (x > 0) column[count] = i - 1, value[count++] = -1.0 - wind;
        if (x + 1 < side) column[count] = i + 1, value[count++] = -1.0 + wind;
        if (y > 0) column[count] = i - side, value[count++] = -0.8;
        if (y + 1 < side) column[count] = i + side, value[count++] = -1.0;
        TRY(MatSetValues(a, 1, &i, count, column, value, INSERT_VALUES));
    }
    TRY(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
    TRY(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
    return a;
}

/* Milliseconds, when all that was enqueued has ended. */
static double now_ms(void)
{
    PetscDeviceContext context = NULL;
    PetscLogDouble seconds = 0;
    TRY(PetscDeviceContextGetCurrentContext(&context));
    TRY(PetscDeviceContextSynchronize(context));
    TRY(PetscTime(&seconds));
    return 1e3 * seconds;
}

static double residual_of(Mat a, Vec b, Vec x, Vec r)
{
    PetscReal residual = 0, size = 0;
    TRY(MatMult(a, x, r));
    TRY(VecAYPX(r, -1.0, b));
    TRY(VecNorm(r, NORM_2, &residual));
    TRY(VecNorm(b, NORM_2, &size));
    return residual / size;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times, PetscInt count)
{
    qsort(times, (size_t)count, sizeof *times, compare);
    return times[count / 2];
}

static void run(PetscInt side, PetscInt steps)
{
    static double factor_ms[MOST_STEPS], solve_ms[MOST_STEPS];
    double worst = 0, first_ms = 0;
    Mat a = create_matrix(side);
    Vec b = NULL, x = NULL, r = NULL;
    PC pc = NULL;
    TRY(MatCreateVecs(a, &x, &b));
    TRY(VecDuplicate(b, &r));
    TRY(VecSet(b, 1.0));
    TRY(PCCreate(PETSC_COMM_SELF, &pc));
    TRY(PCSetOperators(pc, a, a));
    TRY(PCSetType(pc, PCLU));
    TRY(PCSetFromOptions(pc));
    for (PetscInt k = 0; k <= steps; k++) {
        if (k > 0) TRY(MatScale(a, 1.0 + 0.01 * (double)k));
        double begin = now_ms();
        TRY(PCSetUp(pc));
        double factored = now_ms();
        TRY(PCApply(pc, b, x));
        double solved = now_ms();
        if (k == 0) first_ms = factored - begin;
        if (k > 0) factor_ms[k - 1] = factored - begin;
        if (k > 0) solve_ms[k - 1] = solved - factored;
        worst = PetscMax(worst, residual_of(a, b, x, r));
    }
    TRY(PetscPrintf(PETSC_COMM_SELF, "unknowns %d: first %.1f ms, factor %.3f ms, solve %.3f ms, residual %.1e\n",
                    (int)(side * side), first_ms, median(factor_ms, steps), median(solve_ms, steps), worst));
    TRY(PCDestroy(&pc));
    TRY(VecDestroy(&b));
    TRY(VecDestroy(&x));
    TRY(VecDestroy(&r));
    TRY(MatDestroy(&a));
}

int main(int argc, char **argv)
{
    PetscInt side = 100, steps = 20;
    if (PetscInitialize(&argc, &argv, NULL, NULL) != 0) return 2;
    TRY(PetscOptionsGetInt(NULL, NULL, "-side", &side, NULL));
    TRY(PetscOptionsGetInt(NULL, NULL, "-steps", &steps, NULL));
    if (side < 1 || steps < 1 || steps > MOST_STEPS) return 2;
    run(side, steps);
    return PetscFinalize() != 0;
}
