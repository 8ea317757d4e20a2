/* Two species that react and diffuse on a square, by SUNDIALS' CVODE with its KLU linear solver: a user's program of
 * SUNDIALS, without a line about warplu. The Gray-Scott equations, u' = D Lap u - u v^2 + F (1 - u) and
 * v' = D/2 Lap v + u v^2 - (F + k) v, by central differences on SIZE x SIZE points with periodic ends (n = 2 SIZE^2,
 * six entries a column); BDF, whose Newton matrix changes every few steps.
 *
 *     gs2d SIZE END      prints what CVODE counted and the solution at four points at time END
 *
 * Build: cc gs2d.c -lsundials_cvode -lsundials_nvecserial -lsundials_sunmatrixsparse -lsundials_sunlinsolklu -lm */
#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>

enum { ENTRIES_A_ROW = 6 };
static const double diffusion = 8e-5, feed = 0.024, kill = 0.06, side = 2.5;

typedef struct grid {
    sunindextype size;
    double step;
} grid;

/* The unknown of species s (0: u, 1: v) at a point; the grid is periodic. */
static sunindextype place(const grid *g, sunindextype i, sunindextype j, int s)
{
    return 2 * ((j + g->size) % g->size * g->size + (i + g->size) % g->size) + s;
}

static double laplacian(const grid *g, const double *y, sunindextype i, sunindextype j, int s)
{
    double around =
        y[place(g, i - 1, j, s)] + y[place(g, i + 1, j, s)] + y[place(g, i, j - 1, s)] + y[place(g, i, j + 1, s)];
    return (around - 4 * y[place(g, i, j, s)]) / (g->step * g->step);
}

static int rates(sunrealtype t, N_Vector state, N_Vector rate, void *data)
{
    const grid *g = data;
    const double *y = N_VGetArrayPointer(state);
    double *f = N_VGetArrayPointer(rate);
    (void)t;
    for (sunindextype j = 0; j < g->size; j++)
        for (sunindextype i = 0; i < g->size; i++) {
            sunindextype p = place(g, i, j, 0);
            double u = y[p], v = y[p + 1];
            f[p] = diffusion * laplacian(g, y, i, j, 0) - u * v * v + feed * (1 - u);
            f[p + 1] = diffusion / 2 * laplacian(g, y, i, j, 1) + u * v * v - (feed + kill) * v;
        }
    return 0;
}

/* One column of the Jacobian in rising rows: species s diffuses to its neighbours, both species react at the point. */
static sunindextype column(const grid *g, const double *y, sunindextype col, sunindextype *row, double *value)
{
    int s = (int)(col % 2);
    sunindextype point = col / 2, i = point % g->size, j = point / g->size, count = 0;
    double d = (s ? diffusion / 2 : diffusion) / (g->step * g->step), u = y[2 * point], v = y[2 * point + 1];
    double own = -4 * d + (s ? 2 * u * v - feed - kill : -v * v - feed), other = s ? -2 * u * v : v * v;
    const sunindextype rows[ENTRIES_A_ROW] = {place(g, i, j - 1, s), place(g, i - 1, j, s), col,
                                              2 * point + 1 - s,     place(g, i + 1, j, s), place(g, i, j + 1, s)};
    const double values[ENTRIES_A_ROW] = {d, d, own, other, d, d};
    for (int k = 0; k < ENTRIES_A_ROW; k++) {
        sunindextype at = count++;
        for (; at > 0 && row[at - 1] > rows[k]; at--) {
            row[at] = row[at - 1];
            value[at] = value[at - 1];
        }
        row[at] = rows[k];
        value[at] = values[k];
    }
    return count;
}

static int jacobian(sunrealtype t, N_Vector state, N_Vector rate, SUNMatrix J, void *data, N_Vector w1, N_Vector w2,
                    N_Vector w3)
{
    const grid *g = data;
    const double *y = N_VGetArrayPointer(state);
    sunindextype *start = SUNSparseMatrix_IndexPointers(J), *row = SUNSparseMatrix_IndexValues(J), filled = 0;
    double *value = SUNSparseMatrix_Data(J);
    (void)t, (void)rate, (void)w1, (void)w2, (void)w3;
    for (sunindextype col = 0; col < SUNSparseMatrix_Columns(J); col++) {
        start[col] = filled;
        filled += column(g, y, col, row + filled, value + filled);
    }
    start[SUNSparseMatrix_Columns(J)] = filled;
    return 0;
}

/* u is 1 and v is 0 but for waves in the middle. */
static void begin(const grid *g, double *y)
{
    const double pi = acos(-1.0);
    for (sunindextype j = 0; j < g->size; j++)
        for (sunindextype i = 0; i < g->size; i++) {
            double a = (double)i * g->step, b = (double)j * g->step, wave = sin(4 * pi * a) * sin(4 * pi * b);
            double v = a >= 1 && a <= 1.5 && b >= 1 && b <= 1.5 ? wave * wave / 4 : 0;
            y[place(g, i, j, 0)] = 1 - 2 * v;
            y[place(g, i, j, 1)] = v;
        }
}

static void report(void *cvode, SUNLinearSolver solver, const grid *g, const double *y)
{
    long steps = 0, setups = 0, newton = 0, failures = 0;
    CVodeGetNumSteps(cvode, &steps);
    CVodeGetNumLinSolvSetups(cvode, &setups);
    CVodeGetNumNonlinSolvIters(cvode, &newton);
    CVodeGetNumErrTestFails(cvode, &failures);
    printf("steps %ld\nsetups %ld\nnewton %ld\nerror_test_failures %ld\nlast_flag %ld\n", steps, setups, newton,
           failures, (long)SUNLinSolLastFlag(solver));
    for (sunindextype q = 1; q < 5; q++)
        printf("u(%ld) %.10e\n", (long)q, y[place(g, q * g->size / 5, q * g->size / 5, 0)]);
}

static int integrate(const grid *g, double end, SUNContext context)
{
    sunindextype n = 2 * g->size * g->size;
    N_Vector y = N_VNew_Serial(n, context);
    SUNMatrix J = SUNSparseMatrix(n, n, ENTRIES_A_ROW * n, CSC_MAT, context);
    SUNLinearSolver solver = SUNLinSol_KLU(y, J, context);
    void *cvode = CVodeCreate(CV_BDF, context);
    double reached = 0;
    if (!y || !J || !solver || !cvode) return 1;
    begin(g, N_VGetArrayPointer(y));
    int failed = CVodeInit(cvode, rates, 0, y) || CVodeSStolerances(cvode, 1e-6, 1e-9) ||
                 CVodeSetUserData(cvode, (void *)g) || CVodeSetLinearSolver(cvode, solver, J) ||
                 CVodeSetJacFn(cvode, jacobian) || CVodeSetMaxNumSteps(cvode, 100000) ||
                 CVode(cvode, end, y, &reached, CV_NORMAL) < 0;
    if (!failed) report(cvode, solver, g, N_VGetArrayPointer(y));
    CVodeFree(&cvode);
    SUNLinSolFree(solver);
    SUNMatDestroy(J);
    N_VDestroy(y);
    return failed;
}

int main(int argc, char **argv)
{
    grid g = {argc > 1 ? atol(argv[1]) : 50, 0};
    double end = argc > 2 ? atof(argv[2]) : 1000;
    SUNContext context = NULL;
    if (g.size < 3 || !(end > 0)) {
        fprintf(stderr, "usage: gs2d SIZE END, SIZE at least 3, END above 0\n");
        return 2;
    }
    g.step = side / (double)g.size;
#if SUNDIALS_VERSION_MAJOR >= 7
    if (SUNContext_Create(SUN_COMM_NULL, &context)) return 1;
#else
    if (SUNContext_Create(NULL, &context)) return 1;
#endif
    int failed = integrate(&g, end, context);
    SUNContext_Free(&context);
    if (failed) fprintf(stderr, "gs2d: CVODE failed\n");
    return failed;
}
