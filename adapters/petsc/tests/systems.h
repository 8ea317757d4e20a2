/* Systems for the tests of the plugin: convection and diffusion on a grid of side by side points, real or complex as
 * PETSc is, residuals of their solutions, and what is shown of their factors. */
#ifndef WLU_ADAPTERS_PETSC_SYSTEMS_H
#define WLU_ADAPTERS_PETSC_SYSTEMS_H

#include <petscksp.h>
#include <string.h>

#include "check.h"

#define OK(call) CHECK((call) == 0)

#if defined(PETSC_USE_COMPLEX)
#define SYSTEM_I PETSC_i
#else
#define SYSTEM_I 1.0
#endif

/* The rows that this process has, with other numbers for each step. */
static inline void system_fill(Mat a, PetscInt side, double step)
{
    PetscInt begin, end;
    OK(MatGetOwnershipRange(a, &begin, &end));
    for (PetscInt i = begin; i < end; i++) {
        PetscInt x = i % side, y = i / side, column[5], count = 0;
        PetscScalar value[5];
        double wind = 0.3 + 0.1 * step + 0.01 * (double)(i % 7);
        column[count] = i, value[count++] = 4.0 + 0.5 * step + 0.1 * SYSTEM_I;
        if (x > 0) column[count] = i - 1, value[count++] = -1.0 - wind;
        if (x + 1 < side) column[count] = i + 1, value[count++] = -1.0 + wind;
        if (y > 0) column[count] = i - side, value[count++] = -1.0 + 0.2 * SYSTEM_I;
        if (y + 1 < side) column[count] = i + side, value[count++] = -1.0;
        OK(MatSetValues(a, 1, &i, count, column, value, INSERT_VALUES));
    }
    OK(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
    OK(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
}

static inline Mat system_create(MPI_Comm comm, PetscInt side)
{
    Mat a = NULL;
    OK(MatCreateAIJ(comm, PETSC_DECIDE, PETSC_DECIDE, side * side, side * side, 7, NULL, 5, NULL, &a));
    OK(MatSetOption(a, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    system_fill(a, side, 0);
    return a;
}

/* A right-hand side without zeros. */
static inline Vec system_rhs(Mat a)
{
    Vec b = NULL;
    PetscInt begin, end;
    OK(MatCreateVecs(a, NULL, &b));
    OK(VecGetOwnershipRange(b, &begin, &end));
    for (PetscInt i = begin; i < end; i++)
        OK(VecSetValue(b, i, 1.0 + 0.01 * (double)(i % 13) * SYSTEM_I, INSERT_VALUES));
    OK(VecAssemblyBegin(b));
    OK(VecAssemblyEnd(b));
    return b;
}

/* |b - A x| / |b|, or of the transpose. */
static inline double system_residual(Mat a, int transposed, Vec b, Vec x)
{
    PetscReal residual = 0, size = 0;
    Vec r = NULL;
    OK(VecDuplicate(b, &r));
    OK((transposed ? MatMultTranspose : MatMult)(a, x, r));
    OK(VecAYPX(r, -1.0, b));
    OK(VecNorm(r, NORM_2, &residual));
    OK(VecNorm(b, NORM_2, &size));
    OK(VecDestroy(&r));
    return residual / size;
}

/* What -ksp_view prints of the factors. */
static inline const char *system_view(Mat factors)
{
    static char text[4096];
    PetscViewer viewer = NULL;
    FILE *file = tmpfile();
    memset(text, 0, sizeof text);
    CHECK(file != NULL);
    if (file == NULL) return text;
    OK(PetscViewerASCIIOpenWithFILE(PETSC_COMM_SELF, file, &viewer));
    OK(PetscViewerPushFormat(viewer, PETSC_VIEWER_ASCII_INFO));
    OK(MatView(factors, viewer));
    OK(PetscViewerPopFormat(viewer));
    OK(PetscViewerFlush(viewer));
    rewind(file);
    CHECK(fread(text, 1, sizeof text - 1, file) > 0);
    OK(PetscViewerDestroy(&viewer));
    fclose(file);
    return text;
}

/* PETSc with the plugin that the program's argument names; 0 without one. */
static inline int system_begin(int argc, char **argv)
{
    char append[] = "-dll_append", *given[] = {argv[0], append, argc > 1 ? argv[1] : argv[0], NULL};
    char **arguments = given;
    int count = 3;
    return argc == 2 && PetscInitialize(&count, &arguments, NULL, NULL) == 0;
}

#endif
