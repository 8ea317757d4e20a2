/* Two species that react and diffuse on a square (gray_scott.h), by CVODE with SUNLinSol_Warplu.
 *
 *     gray_scott [--size N] [--end T] [--steps K] [--by columns|rows] [--solver warplu|klu|klu-amd]
 *
 * prints what CVODE counted, the time that setups and solves took, and the solution at four points. --steps ends after
 * so many steps. --solver klu, where it is built with -DWITH_KLU, does the same by SUNDIALS' KLU module, klu-amd
 * with the ordering AMD instead of the module's COLAMD.
 *
 * Build: cc gray_scott.c $(pkg-config --cflags --libs warplu-sundials) -lsundials_cvode -lsundials_nvecserial
 *        -lsundials_sunmatrixsparse -lsundials_generic -lm     (SUNDIALS 7: -lsundials_core for -lsundials_generic) */
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <warplu/sunlinsol_warplu.h>
#ifdef WITH_KLU
#include <sunlinsol/sunlinsol_klu.h>
#endif

#include "gray_scott.h"
#include "timed.h"

typedef struct arguments {
    int size, by_columns, klu, amd;
    long steps;
    double end;
} arguments;

static int rates(sunrealtype t, N_Vector state, N_Vector rate, void *data)
{
    int size = ((const arguments *)data)->size;
    (void)t;
    for (int point = 0; point < size * size; point++)
        gs_rates(size, N_VGetArrayPointer(state), point, N_VGetArrayPointer(rate));
    return 0;
}

static int jacobian(sunrealtype t, N_Vector state, N_Vector rate, SUNMatrix J, void *data, N_Vector w1, N_Vector w2,
                    N_Vector w3)
{
    const arguments *a = data;
    sunindextype *ptr = SUNSparseMatrix_IndexPointers(J), *idx = SUNSparseMatrix_IndexValues(J);
    sunindextype n = SUNSparseMatrix_Rows(J);
    (void)t, (void)rate, (void)w1, (void)w2, (void)w3;
    for (sunindextype line = 0; line < n; line++) {
        int place[GS_ENTRIES];
        gs_line(a->size, N_VGetArrayPointer(state), (int)line, a->by_columns, place,
                SUNSparseMatrix_Data(J) + GS_ENTRIES * line);
        ptr[line] = GS_ENTRIES * line;
        for (int k = 0; k < GS_ENTRIES; k++) idx[GS_ENTRIES * line + k] = place[k];
    }
    ptr[n] = GS_ENTRIES * n;
    return 0;
}

static SUNLinearSolver make_solver(const arguments *a, N_Vector y, SUNMatrix J, SUNContext context)
{
#ifdef WITH_KLU
    if (a->klu) {
        SUNLinearSolver S = SUNLinSol_KLU(y, J, context);
        if (S != NULL && a->amd) SUNLinSol_KLUSetOrdering(S, 0);
        return S;
    }
#endif
    return a->klu ? NULL : SUNLinSol_Warplu(y, J, context);
}

static void report(void *cvode, const arguments *a, const double *y, double seconds)
{
    long steps = 0, setups = 0, newton = 0, failures = 0;
    double reached = 0;
    CVodeGetNumSteps(cvode, &steps);
    CVodeGetNumLinSolvSetups(cvode, &setups);
    CVodeGetNumNonlinSolvIters(cvode, &newton);
    CVodeGetNumErrTestFails(cvode, &failures);
    CVodeGetCurrentTime(cvode, &reached);
    printf("steps %ld\nsetups %ld\nnewton %ld\nerror_test_failures %ld\n", steps, setups, newton, failures);
    printf("reached %.6g\nwall_s %.4f\n", reached, seconds);
    timed_report();
    for (int q = 1; q < 5; q++) printf("u(%d) %.10e\n", q, y[2 * (q * a->size / 5 * a->size + q * a->size / 5)]);
}

/* To the end, or for so many steps. */
static int run(void *cvode, const arguments *a, N_Vector y)
{
    double reached = 0;
    if (a->steps == 0) return CVode(cvode, a->end, y, &reached, CV_NORMAL) < 0;
    for (long k = 0; k < a->steps && reached < a->end; k++)
        if (CVode(cvode, a->end, y, &reached, CV_ONE_STEP) < 0) return 1;
    return 0;
}

static int integrate(arguments *a, SUNContext context)
{
    sunindextype n = 2 * (sunindextype)a->size * a->size;
    N_Vector y = N_VNew_Serial(n, context);
    SUNMatrix J = SUNSparseMatrix(n, n, GS_ENTRIES * n, a->by_columns ? CSC_MAT : CSR_MAT, context);
    void *cvode = CVodeCreate(CV_BDF, context);
    if (y == NULL || J == NULL || cvode == NULL) return 1;
    SUNLinearSolver solver = make_solver(a, y, J, context);
    if (solver == NULL) return 1;
    timed_begin(solver);
    gs_begin(a->size, N_VGetArrayPointer(y));
    int failed = CVodeInit(cvode, rates, 0, y) || CVodeSStolerances(cvode, 1e-6, 1e-9) || CVodeSetUserData(cvode, a) ||
                 CVodeSetLinearSolver(cvode, solver, J) || CVodeSetJacFn(cvode, jacobian) ||
                 CVodeSetMaxNumSteps(cvode, 100000);
    double since = timed_now();
    failed = failed || run(cvode, a, y);
    if (!failed) report(cvode, a, N_VGetArrayPointer(y), timed_now() - since);
    CVodeFree(&cvode);
    SUNLinSolFree(solver);
    SUNMatDestroy(J);
    N_VDestroy(y);
    return failed;
}

static int read_arguments(arguments *a, int argc, char **argv)
{
    for (int k = 1; k < argc; k += 2) {
        const char *value = k + 1 < argc ? argv[k + 1] : "";
        if (strcmp(argv[k], "--size") == 0)
            a->size = atoi(value);
        else if (strcmp(argv[k], "--end") == 0)
            a->end = atof(value);
        else if (strcmp(argv[k], "--steps") == 0)
            a->steps = atol(value);
        else if (strcmp(argv[k], "--by") == 0)
            a->by_columns = strcmp(value, "rows") != 0;
        else if (strcmp(argv[k], "--solver") == 0)
            a->klu = strncmp(value, "klu", 3) == 0, a->amd = strcmp(value, "klu-amd") == 0;
        else
            return 0;
    }
    return a->size >= 3 && a->size <= 10000 && a->end > 0;
}

int main(int argc, char **argv)
{
    arguments a = {.size = 50, .by_columns = 1, .end = 1000};
    SUNContext context = NULL;
    if (!read_arguments(&a, argc, argv)) {
        fprintf(
            stderr,
            "usage: gray_scott [--size N] [--end T] [--steps K] [--by columns|rows] [--solver warplu|klu|klu-amd]\n");
        return 2;
    }
#if SUNDIALS_VERSION_MAJOR >= 7
    if (SUNContext_Create(SUN_COMM_NULL, &context)) return 1;
#else
    if (SUNContext_Create(NULL, &context)) return 1;
#endif
    int failed = integrate(&a, context);
    SUNContext_Free(&context);
    if (failed) fprintf(stderr, "gray_scott: CVODE failed, or there is no such solver\n");
    return failed;
}
