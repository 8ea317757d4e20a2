/* The plugin's entry: PETSc calls it when the library is named by -dll_append. It registers the solver type warplu for
 * LU factorizations of seqaij matrices, and of the types whose names begin so, and makes the cache of solvers that all
 * factored matrices of the process share.
 *
 * A plugin reads PETSc's structures as they were when it was compiled, so it is refused by a PETSc of another version,
 * scalar type or width of PetscInt. */
#include "factor.h"

static warplu_cache *cache;

warplu_cache *wlu_petsc_cache(void)
{
    return cache;
}

static PetscErrorCode finalize(void)
{
    PetscFunctionBegin;
    warplu_cache_destroy(&cache);
    PetscFunctionReturn(0);
}

/* Asks the library that is running what the headers said of the one compiled against. */
static PetscErrorCode check_library(void)
{
    PetscInt major, minor, subminor, release;
    PetscDataType scalar;
    PetscBool found;
    size_t width;

    PetscFunctionBegin;
    /* The width first: the version comes in numbers of it. */
    PetscCall(PetscDataTypeGetSize(PETSC_INT, &width));
    PetscCheck(width == sizeof(PetscInt), PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
               "The plugin warplu was compiled for indices of %d bits, this PETSc has %d", (int)sizeof(PetscInt) * 8,
               (int)width * 8);
    PetscCall(PetscGetVersionNumber(&major, &minor, &subminor, &release));
    PetscCheck(major == PETSC_VERSION_MAJOR && minor == PETSC_VERSION_MINOR, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
               "The plugin warplu was compiled for PETSc %d.%d, this is %d.%d", PETSC_VERSION_MAJOR,
               PETSC_VERSION_MINOR, (int)major, (int)minor);
    PetscCall(PetscDataTypeFromString("scalar", &scalar, &found));
    PetscCheck(found && scalar == PETSC_SCALAR, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
               "The plugin warplu was compiled for PetscScalar of type %s, this PETSc has %s",
               PetscDataTypes[PETSC_SCALAR], found ? PetscDataTypes[scalar] : "another");
    PetscFunctionReturn(0);
}

static PetscErrorCode make_cache(void)
{
    warplu_cache_options options;
    PetscReal bytes;

    PetscFunctionBegin;
    warplu_cache_init_options(&options);
    bytes = (PetscReal)options.max_bytes;
    PetscCall(PetscOptionsGetReal(NULL, NULL, "-mat_warplu_cache_bytes", &bytes, NULL));
    PetscCheck(bytes >= 0 && bytes < 0x1p63, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT,
               "-mat_warplu_cache_bytes %g: a number of bytes is expected", (double)bytes);
    options.max_bytes = (int64_t)bytes;
    PetscCheck(warplu_cache_create(&cache, &options) == WARPLU_SUCCESS, PETSC_COMM_SELF, PETSC_ERR_MEM,
               "no memory for warplu's cache");
    PetscFunctionReturn(0);
}

WARPLU_API PetscErrorCode PetscDLLibraryRegister_petscwarplu(void);

WARPLU_API PetscErrorCode PetscDLLibraryRegister_petscwarplu(void)
{
    PetscFunctionBegin;
    if (cache != NULL) PetscFunctionReturn(0);
    PetscCall(check_library());
    PetscCall(make_cache());
    PetscCall(PetscRegisterFinalize(finalize));
    /* Older PETSc register their own types only where none is there yet. */
    PetscCall(MatInitializePackage());
    PetscCall(MatSolverTypeRegister(WLU_SOLVER_TYPE, MATSEQAIJ, MAT_FACTOR_LU, wlu_petsc_create));
    PetscFunctionReturn(0);
}
