/* CVODE with SUNLinSol_Warplu takes the steps that it takes with SUNDIALS' dense solver: a stiff system of chemistry, a
 * partial differential equation by columns and by rows, and Newton matrices that are singular once. */
#include "systems.h"

#include <cvode/cvode.h>
#include <stdio.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "../examples/gray_scott.h"

enum { SIZE = 8, PLACES = 2 * SIZE * SIZE }; /* of the grid */

/* What is integrated. A Jacobian is filled in through put, into a sparse matrix or a dense one. */
typedef struct problem {
    sunindextype n, nnz;
    double end, relative, absolute;
    void (*begin)(double *y);
    void (*rates)(const double *y, double *rate);
    /* Line `line` of the Jacobian: places in rising order and values; their number. */
    int (*line)(const double *y, int line, int by_columns, int *place, double *value);
    void *cvode;       /* while it is integrated */
    int singular_once; /* the first Newton matrix is made zero */
} problem;

typedef struct outcome {
    long steps, setups, newton, failures;
    double y[PLACES];
} outcome;

/* ---------------------------------------------------------------- Robertson's reactions */

static void robertson_begin(double *y)
{
    y[0] = 1.0;
    y[1] = y[2] = 0.0;
}

static void robertson_rates(const double *y, double *rate)
{
    rate[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
    rate[2] = 3e7 * y[1] * y[1];
    rate[1] = -rate[0] - rate[2];
}

static int robertson_line(const double *y, int line, int by_columns, int *place, double *value)
{
    const double J[3][3] = {
        {-0.04, 1e4 * y[2], 1e4 * y[1]}, {0.04, -1e4 * y[2] - 6e7 * y[1], -1e4 * y[1]}, {0.0, 6e7 * y[1], 0.0}};
    for (int k = 0; k < 3; k++) {
        place[k] = k;
        value[k] = by_columns ? J[k][line] : J[line][k];
    }
    return 3;
}

static const problem robertson = {.n = 3,
                                  .nnz = 9,
                                  .end = 400.0, /* from 1e4 on rounding decides how steps grow */
                                  .relative = 1e-6,
                                  .absolute = 1e-10,
                                  .begin = robertson_begin,
                                  .rates = robertson_rates,
                                  .line = robertson_line};

/* ---------------------------------------------------------------- Gray and Scott's */

static void grid_begin(double *y)
{
    gs_begin(SIZE, y);
}

static void grid_rates(const double *y, double *rate)
{
    for (int point = 0; point < SIZE * SIZE; point++) gs_rates(SIZE, y, point, rate);
}

static int grid_line(const double *y, int line, int by_columns, int *place, double *value)
{
    gs_line(SIZE, y, line, by_columns, place, value);
    return GS_ENTRIES;
}

static const problem grid = {.n = PLACES,
                             .nnz = GS_ENTRIES * PLACES,
                             .end = 1000.0,
                             .relative = 1e-6,
                             .absolute = 1e-9,
                             .begin = grid_begin,
                             .rates = grid_rates,
                             .line = grid_line};

/* ---------------------------------------------------------------- integration */

static int rates(sunrealtype t, N_Vector y, N_Vector rate, void *data)
{
    (void)t;
    ((const problem *)data)->rates(N_VGetArrayPointer(y), N_VGetArrayPointer(rate));
    return 0;
}

static void put(SUNMatrix J, int line, int count, const int *place, const double *value)
{
    if (SUNMatGetID(J) == SUNMATRIX_DENSE) {
        for (int k = 0; k < count; k++) SM_ELEMENT_D(J, line, place[k]) = value[k];
        return;
    }
    sunindextype *ptr = SUNSparseMatrix_IndexPointers(J), at = ptr[line];
    for (int k = 0; k < count; k++) {
        SUNSparseMatrix_IndexValues(J)[at + k] = place[k];
        SUNSparseMatrix_Data(J)[at + k] = value[k];
    }
    ptr[line + 1] = at + count;
}

/* I - gamma J is zero for J = I / gamma. */
static int identity_over_gamma(const problem *p, int line, int *place, double *value)
{
    double gamma = 0.0;
    CHECK(CVodeGetCurrentGamma(p->cvode, &gamma) == 0);
    place[0] = line;
    value[0] = 1.0 / gamma;
    return 1;
}

static int jacobian(sunrealtype t, N_Vector y, N_Vector rate, SUNMatrix J, void *data, N_Vector w1, N_Vector w2,
                    N_Vector w3)
{
    problem *p = data;
    int by_columns = SUNMatGetID(J) == SUNMATRIX_SPARSE && SUNSparseMatrix_SparseType(J) == CSC_MAT;
    (void)t, (void)rate, (void)w1, (void)w2, (void)w3;
    for (int line = 0; line < p->n; line++) {
        int place[GS_ENTRIES];
        double value[GS_ENTRIES];
        int count = p->singular_once ? identity_over_gamma(p, line, place, value)
                                     : p->line(N_VGetArrayPointer(y), line, by_columns, place, value);
        put(J, line, count, place, value);
    }
    p->singular_once = 0;
    return 0;
}

/* type: of sparse matrices; -1: dense. */
static outcome integrate(const problem *which, int type, int singular_once)
{
    problem p = *which;
    outcome out = {0, 0, 0, 0, {0.0}};
    double reached = 0.0;
    SUNContext context = make_context();
    N_Vector y = N_VNew_Serial(p.n, context);
    SUNMatrix J = type < 0 ? SUNDenseMatrix(p.n, p.n, context) : SUNSparseMatrix(p.n, p.n, p.nnz, type, context);
    SUNLinearSolver S = type < 0 ? SUNLinSol_Dense(y, J, context) : SUNLinSol_Warplu(y, J, context);
    p.cvode = CVodeCreate(CV_BDF, context);
    p.singular_once = singular_once;
    p.begin(N_VGetArrayPointer(y));
    CHECK(CVodeInit(p.cvode, rates, 0.0, y) == 0 && CVodeSStolerances(p.cvode, p.relative, p.absolute) == 0);
    CHECK(CVodeSetUserData(p.cvode, &p) == 0 && CVodeSetLinearSolver(p.cvode, S, J) == 0);
    CHECK(CVodeSetJacFn(p.cvode, jacobian) == 0 && CVodeSetMaxNumSteps(p.cvode, 10000) == 0);
    CHECK(CVode(p.cvode, p.end, y, &reached, CV_NORMAL) == 0);
    CVodeGetNumSteps(p.cvode, &out.steps);
    CVodeGetNumLinSolvSetups(p.cvode, &out.setups);
    CVodeGetNumNonlinSolvIters(p.cvode, &out.newton);
    CVodeGetNumNonlinSolvConvFails(p.cvode, &out.failures);
    memcpy(out.y, N_VGetArrayPointer(y), (size_t)p.n * sizeof *out.y);
    CVodeFree(&p.cvode);
    CHECK(SUNLinSolFree(S) == 0);
    SUNMatDestroy(J);
    N_VDestroy(y);
    SUNContext_Free(&context);
    return out;
}

/* As many steps and Newton iterations, within one percent, and the same solution within ten times the tolerance. */
static void compare(const problem *p, const outcome *a, const outcome *b)
{
    CHECK_SAY(labs(a->newton - b->newton) * 100 <= b->newton, "%ld, %ld iterations", a->newton, b->newton);
    CHECK_SAY(labs(a->steps - b->steps) * 100 <= b->steps, "%ld, %ld steps", a->steps, b->steps);
    for (sunindextype i = 0; i < p->n; i++) {
        double bound = 10.0 * (p->relative * fabs(b->y[i]) + p->absolute);
        CHECK_SAY(fabs(a->y[i] - b->y[i]) <= bound, "y[%d]: %.17g, %.17g", (int)i, a->y[i], b->y[i]);
    }
}

static void compare_with_dense(const problem *p)
{
    outcome dense = integrate(p, -1, 0);
    for (int type = CSC_MAT; type <= CSR_MAT; type++) {
        outcome sparse = integrate(p, type, 0);
        compare(p, &sparse, &dense);
    }
}

static void stiff_chemistry_takes_the_same_steps(void)
{
    compare_with_dense(&robertson);
}

static void reaction_and_diffusion_take_the_same_steps(void)
{
    compare_with_dense(&grid);
}

/* The first setup is the singular one, of a pattern with the diagonal alone: CVODE tries a smaller step. */
static void singular_newton_matrices_cost_a_step(void)
{
    outcome healthy = integrate(&grid, CSC_MAT, 0), singular = integrate(&grid, CSC_MAT, 1);
    CHECK_SAY(singular.failures >= 1 && healthy.failures == 0, "%ld, %ld", singular.failures, healthy.failures);
    for (sunindextype i = 0; i < grid.n; i++) CHECK(fabs(singular.y[i] - healthy.y[i]) < 1e-4);
}

int main(void)
{
    RUN(stiff_chemistry_takes_the_same_steps);
    RUN(reaction_and_diffusion_take_the_same_steps);
    RUN(singular_newton_matrices_cost_a_step);
    return check_done();
}
