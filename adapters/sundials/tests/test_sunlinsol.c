/* Every operation and setting of SUNLinSol_Warplu on the host: by columns and by rows, with values and patterns that
 * change, and what the integrator is told where there is no answer. */
#include "systems.h"

#include <sunmatrix/sunmatrix_dense.h>

enum { N = 60 };

#if SUNDIALS_VERSION_MAJOR >= 7
enum { NULL_ARGUMENT = SUN_ERR_ARG_CORRUPT, ILL_INPUT = SUN_ERR_ARG_INCOMPATIBLE, FAILED = SUN_ERR_EXT_FAIL };
#else
enum { NULL_ARGUMENT = SUNLS_MEM_NULL, ILL_INPUT = SUNLS_ILL_INPUT, FAILED = SUNLS_PACKAGE_FAIL_UNREC };
#endif

/* A vector whose numbers are nobody's business. */
static N_Vector_ID custom_id(N_Vector v)
{
    (void)v;
    return SUNDIALS_NVEC_CUSTOM;
}

static void takes_what_it_says(void)
{
    sun_system s = sun_open(N, CSC_MAT);
    SUNMatrix dense = SUNDenseMatrix(N, N, s.context), wide = SUNSparseMatrix(N, N + 1, N, CSC_MAT, s.context);
    N_Vector shorter = N_VNew_Serial(N - 1, s.context);
    CHECK(SUNLinSol_Warplu(s.x, dense, s.context) == NULL);
    CHECK(SUNLinSol_Warplu(s.x, wide, s.context) == NULL);
    CHECK(SUNLinSol_Warplu(shorter, s.A, s.context) == NULL);
    s.b->ops->nvgetvectorid = custom_id;
    CHECK(SUNLinSol_Warplu(s.b, s.A, s.context) == NULL);
    CHECK(SUNLinSol_Warplu(NULL, s.A, s.context) == NULL && SUNLinSol_Warplu(s.x, NULL, s.context) == NULL);
    CHECK(SUNLinSolGetType(s.S) == SUNLINEARSOLVER_DIRECT && SUNLinSolGetID(s.S) == SUNLINEARSOLVER_CUSTOM);
    N_VDestroy(shorter);
    SUNMatDestroy(wide);
    SUNMatDestroy(dense);
    sun_close(&s);
}

static void solves_with_changing_values(void)
{
    for (int type = CSC_MAT; type <= CSR_MAT; type++) {
        sun_system s = sun_open(N, type);
        for (uint64_t seed = 1; seed <= 20; seed++) {
            fill_circulant(s.A, 1, seed);
            int flag = sun_solve(&s);
            CHECK_SAY(flag == 0 && largest_error(&s) < 1e-13, "%d, error %g", flag, largest_error(&s));
        }
        CHECK(sun_statistics(&s).factors == 1);
        sun_close(&s);
    }
}

static void solves_more_than_once_by_one_setup(void)
{
    sun_system s = sun_open(N, CSR_MAT);
    CHECK(sun_solve(&s) == 0);
    for (int k = 0; k < 3; k++) {
        N_VScale(2.0, s.wanted, s.wanted);
        multiply(s.A, N_VGetArrayPointer(s.wanted), N_VGetArrayPointer(s.b));
        CHECK(SUNLinSolSolve(s.S, s.A, s.x, s.b, 0.0) == 0 && largest_error(&s) < 1e-12);
    }
    multiply(s.A, N_VGetArrayPointer(s.wanted), N_VGetArrayPointer(s.x));
    CHECK(SUNLinSolSolve(s.S, s.A, s.x, s.x, 0.0) == 0 && largest_error(&s) < 1e-12);
    CHECK(sun_statistics(&s).refactors + sun_statistics(&s).factors == 1);
    sun_close(&s);
}

/* Patterns of as many entries, and back again by the cache; a cache may serve several linear solvers. */
static void follows_the_pattern(void)
{
    warplu_cache *cache = NULL;
    warplu_cache_statistics t = {.size = sizeof t};
    sun_system s = sun_open(N, CSC_MAT);
    CHECK(warplu_cache_create(&cache, NULL) == WARPLU_SUCCESS && SUNLinSol_WarpluSetCache(s.S, cache) == 0);
    for (int round = 0; round < 2; round++)
        for (int reach = 1; reach <= 3; reach++) {
            fill_circulant(s.A, reach, (uint64_t)(round + 5));
            CHECK(sun_solve(&s) == 0 && largest_error(&s) < 1e-13);
        }
    CHECK(warplu_cache_get_statistics(cache, &t) == WARPLU_SUCCESS);
    CHECK_SAY(t.analyzed == 3 && t.reused == 3 && t.in_use == 1, "%d %d", (int)t.analyzed, (int)t.reused);
    SUNLinearSolver second = SUNLinSol_Warplu(s.x, s.A, s.context);
    CHECK(SUNLinSol_WarpluSetCache(second, cache) == 0 && SUNLinSolSetup(second, s.A) == 0);
    CHECK(SUNLinSolFree(second) == 0);
    sun_close(&s);
    t.size = sizeof t;
    CHECK(warplu_cache_get_statistics(cache, &t) == WARPLU_SUCCESS);
    CHECK(t.analyzed == 3 && t.cloned == 1 && t.in_use == 0);
    warplu_cache_destroy(&cache);
}

/* Of the same places in the same order: the last of the first column becomes the second one's. */
static void follows_the_pattern_of_starts(void)
{
    sun_system s = sun_open(N, CSC_MAT);
    CHECK(sun_solve(&s) == 0 && largest_error(&s) < 1e-13);
    SUNSparseMatrix_IndexPointers(s.A)[1]--;
    CHECK(sun_solve(&s) == 0 && largest_error(&s) < 1e-13);
    sun_close(&s);
}

/* The integrator may go on by a smaller step. */
static void singular_is_recoverable(void)
{
    sun_system s = sun_open(N, CSC_MAT);
    double *value = SUNSparseMatrix_Data(s.A);
    for (int late = 0; late < 2; late++) {
        for (int p = 0; p < 3; p++) value[p] = 0.0;
        CHECK(sun_solve(&s) == SUNLS_PACKAGE_FAIL_REC && SUNLinSol_WarpluGetStatus(s.S) == WARPLU_SINGULAR);
        CHECK(SUNLinSolSolve(s.S, s.A, s.x, s.b, 0.0) == FAILED);
        CHECK(SUNLinSol_WarpluGetStatus(s.S) == WARPLU_WRONG_PHASE);
        fill_circulant(s.A, 1, 3);
        CHECK(sun_solve(&s) == 0 && largest_error(&s) < 1e-13);
    }
    value[0] = NAN;
    CHECK(sun_solve(&s) == SUNLS_PACKAGE_FAIL_REC && SUNLinSol_WarpluGetStatus(s.S) == WARPLU_NOT_FINITE);
    fill_circulant(s.A, 1, 4);
    CHECK(sun_solve(&s) == 0);
    N_VGetArrayPointer(s.b)[0] = INFINITY;
    CHECK(SUNLinSolSolve(s.S, s.A, s.x, s.b, 0.0) == SUNLS_PACKAGE_FAIL_REC);
    for (sunindextype p = 0; p < 3 * N; p++) SUNSparseMatrix_IndexValues(s.A)[p] = p % 3 + 1;
    CHECK(sun_solve(&s) == SUNLS_PACKAGE_FAIL_REC);
    CHECK(SUNLinSol_WarpluGetStatus(s.S) == WARPLU_STRUCTURALLY_SINGULAR && SUNLinSol_WarpluGetSolver(s.S) == NULL);
    sun_close(&s);
}

/* A diagonal that vanishes leaves the pivots of the first setup useless. */
static void weak_pivots_are_replaced(void)
{
    sun_system s = sun_open(N, CSR_MAT);
    CHECK(sun_solve(&s) == 0);
    for (sunindextype k = 0; k < N; k++) SUNSparseMatrix_Data(s.A)[3 * k] = 1e-18;
    for (sunindextype k = 0; k < N; k++) SUNSparseMatrix_Data(s.A)[3 * k + 1] += 2.0;
    CHECK(SUNLinSolSetup(s.S, s.A) == 0 && SUNLinSol_WarpluGetStatus(s.S) == WARPLU_REPIVOTED);
    CHECK(sun_solve(&s) == 0 && largest_error(&s) < 1e-12);
    sun_close(&s);
}

static void refuses_what_is_no_matrix(void)
{
    sun_system s = sun_open(N, CSC_MAT);
    sunindextype *ptr = SUNSparseMatrix_IndexPointers(s.A), *idx = SUNSparseMatrix_IndexValues(s.A);
    SUNMatrix dense = SUNDenseMatrix(N, N, s.context);
    N_Vector shorter = N_VNew_Serial(N - 1, s.context);
    CHECK(SUNLinSolSolve(s.S, s.A, s.x, s.b, 0.0) == FAILED);
    idx[4] = N;
    CHECK(sun_solve(&s) == ILL_INPUT);
    fill_circulant(s.A, 1, 1);
    ptr[N] = 3 * N + 1;
    CHECK(sun_solve(&s) == ILL_INPUT);
    ptr[N] = -1;
    CHECK(sun_solve(&s) == ILL_INPUT);
    fill_circulant(s.A, 1, 1);
    ptr[1] = 7;
    CHECK(sun_solve(&s) == ILL_INPUT);
    CHECK(SUNLinSolSetup(s.S, dense) == ILL_INPUT && SUNLinSolSetup(s.S, NULL) == NULL_ARGUMENT);
    fill_circulant(s.A, 1, 1);
    CHECK(sun_solve(&s) == 0 && largest_error(&s) < 1e-13);
    CHECK(SUNLinSolSolve(s.S, s.A, shorter, s.b, 0.0) == ILL_INPUT);
    CHECK(SUNLinSolSolve(s.S, s.A, s.x, NULL, 0.0) == NULL_ARGUMENT);
    N_VDestroy(shorter);
    SUNMatDestroy(dense);
    sun_close(&s);
}

/* Newton's method judges solutions: none is checked by default. */
static void options_reach_the_library(void)
{
    warplu_options o;
    sun_system s = sun_open(N, CSC_MAT);
    CHECK(sun_solve(&s) == 0 && sun_statistics(&s).checked_solves == 0);
    warplu_init_options(&o);
    o.check = WARPLU_CHECK_ALWAYS;
    CHECK(SUNLinSol_WarpluSetOptions(s.S, &o) == 0 && SUNLinSol_WarpluGetSolver(s.S) == NULL);
    CHECK(sun_solve(&s) == 0 && sun_statistics(&s).checked_solves == 1);
    o.storage = WARPLU_STORAGE_CSR;
    CHECK(SUNLinSol_WarpluSetOptions(s.S, &o) == 0 && sun_solve(&s) == 0 && largest_error(&s) < 1e-13);
    o.scalar = WARPLU_SCALAR_COMPLEX;
    CHECK(SUNLinSol_WarpluSetOptions(s.S, &o) == ILL_INPUT && sun_solve(&s) == 0);
    o.scalar = WARPLU_SCALAR_REAL;
    o.size++;
    CHECK(SUNLinSol_WarpluSetOptions(s.S, &o) == ILL_INPUT);
    o.size--;
    o.pivot_tolerance = 2.0;
    CHECK(SUNLinSol_WarpluSetOptions(s.S, &o) == 0 && sun_solve(&s) == ILL_INPUT);
    CHECK(SUNLinSol_WarpluGetStatus(s.S) == WARPLU_INVALID_ARGUMENT);
    CHECK(SUNLinSol_WarpluSetOptions(s.S, NULL) == NULL_ARGUMENT &&
          SUNLinSol_WarpluSetOptions(NULL, &o) == NULL_ARGUMENT);
    CHECK(SUNLinSol_WarpluSetStream(s.S, NULL) == ILL_INPUT && SUNLinSol_WarpluSetCache(NULL, NULL) == NULL_ARGUMENT);
    sun_close(&s);
}

static void reinit_chooses_pivots_anew(void)
{
    sun_system s = sun_open(N, CSC_MAT);
    CHECK(sun_solve(&s) == 0 && sun_solve(&s) == 0 && sun_statistics(&s).factors == 1);
    CHECK(SUNLinSol_WarpluReInit(s.S, s.A, 0, SUNWARPLU_REINIT_PARTIAL) == 0);
    CHECK(sun_solve(&s) == 0 && sun_solve(&s) == 0 && sun_statistics(&s).factors == 2);
    CHECK(SUNLinSol_WarpluReInit(s.S, s.A, 4 * N, SUNWARPLU_REINIT_FULL) == 0 && SUNSparseMatrix_NNZ(s.A) == 4 * N);
    CHECK(sun_solve(&s) == 0 && sun_statistics(&s).factors == 3 && largest_error(&s) < 1e-13);
    CHECK(SUNLinSol_WarpluReInit(s.S, s.A, -1, SUNWARPLU_REINIT_FULL) == ILL_INPUT);
    CHECK(SUNLinSol_WarpluReInit(s.S, s.A, 4 * N, 3) == ILL_INPUT);
    CHECK(SUNLinSol_WarpluReInit(s.S, NULL, 4 * N, SUNWARPLU_REINIT_PARTIAL) == NULL_ARGUMENT);
    sun_close(&s);
}

static void tells_its_space(void)
{
    long int reals = -1, integers = -1;
    sun_system s = sun_open(N, CSC_MAT);
    CHECK(s.S->ops->space(s.S, &reals, &integers) == 0 && reals == 0 && integers == 0);
    CHECK(sun_solve(&s) == 0 && s.S->ops->space(s.S, &reals, &integers) == 0);
    CHECK_SAY(reals >= 3 * N && integers == N + 1 + 3 * N, "%ld %ld", reals, integers);
    sun_close(&s);
}

int main(void)
{
    RUN(takes_what_it_says);
    RUN(solves_with_changing_values);
    RUN(solves_more_than_once_by_one_setup);
    RUN(follows_the_pattern);
    RUN(follows_the_pattern_of_starts);
    RUN(singular_is_recoverable);
    RUN(weak_pivots_are_replaced);
    RUN(refuses_what_is_no_matrix);
    RUN(options_reach_the_library);
    RUN(reinit_chooses_pivots_anew);
    RUN(tells_its_space);
    return check_done();
}
