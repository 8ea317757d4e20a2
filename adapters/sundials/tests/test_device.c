/* SUNLinSol_Warplu with matrix and vectors on a device: values and patterns that change, matrices that are singular,
 * weak or suspect, the options, and what is refused. The same tests run on a GPU and as if (on_device.h). */
#include "check.h"
#include "on_device.h"

#include <math.h>
#include <string.h>
#include <warplu/device.h>
#include <warplu/sunlinsol_warplu.h>

enum { N = 60, NNZ = 3 * N };

#if SUNDIALS_VERSION_MAJOR >= 7
enum { NULL_ARGUMENT = SUN_ERR_ARG_CORRUPT, ILL_INPUT = SUN_ERR_ARG_INCOMPATIBLE, FAILED = SUN_ERR_EXT_FAIL };
#else
enum { NULL_ARGUMENT = SUNLS_MEM_NULL, ILL_INPUT = SUNLS_ILL_INPUT, FAILED = SUNLS_PACKAGE_FAIL_UNREC };
#endif

/* The matrix as the host knows it, and its copy on the device with all that belongs to it. */
typedef struct system_on_device {
    SUNContext context;
    SUNMatrix A;
    N_Vector x, b;
    SUNLinearSolver S;
    int ptr[N + 1], idx[NNZ];
    double values[NNZ];
} system_on_device;

static void fill_circulant(system_on_device *s, int reach, uint64_t seed)
{
    int filled = 0;
    for (int k = 0; k < N; k++) {
        s->ptr[k] = filled;
        for (int entry = 0; entry < 3; entry++) {
            s->idx[filled] = (k + N - entry * reach) % N;
            s->values[filled++] = (entry == 0 ? 4.0 : 0.0) + check_uniform(&seed);
        }
    }
    s->ptr[N] = filled;
    device_fill(s->A, s->values, s->ptr, s->idx);
}

static system_on_device *begin(void)
{
    static system_on_device all;
    system_on_device *s = &all;
#if SUNDIALS_VERSION_MAJOR >= 7
    CHECK(SUNContext_Create(SUN_COMM_NULL, &s->context) == 0);
#else
    CHECK(SUNContext_Create(NULL, &s->context) == 0);
#endif
    s->x = device_vector(N, s->context);
    s->b = device_vector(N, s->context);
    s->A = device_matrix(N, NNZ, 1, s->context);
    fill_circulant(s, 1, 1);
    s->S = SUNLinSol_Warplu(s->x, s->A, s->context);
    CHECK(s->S != NULL && SUNLinSolInitialize(s->S) == 0);
    return s;
}

static void end(system_on_device *s)
{
    CHECK(SUNLinSolFree(s->S) == 0);
    N_VDestroy(s->x);
    N_VDestroy(s->b);
    SUNMatDestroy(s->A);
    SUNContext_Free(&s->context);
}

/* Solves for x_i = 1 + i mod 7 / 8, but x_1 = 0; the largest error in *error. */
static int solve(system_on_device *s, double *error)
{
    double wanted[N], b[N] = {0.0}, x[N];
    for (int i = 0; i < N; i++) wanted[i] = i == 1 ? 0.0 : 1.0 + 0.125 * (i % 7);
    for (int k = 0; k < N; k++)
        for (int p = s->ptr[k]; p < s->ptr[k + 1]; p++) b[k] += s->values[p] * wanted[s->idx[p]];
    device_put(s->b, b);
    int flag = SUNLinSolSolve(s->S, s->A, s->x, s->b, 0.0);
    CHECK(SUNLinSolLastFlag(s->S) == flag);
    device_get(s->x, x);
    *error = 0.0;
    for (int i = 0; i < N; i++)
        if (!(fabs(x[i] - wanted[i]) <= *error)) *error = fabs(x[i] - wanted[i]);
    return flag;
}

/* Sets up and solves accurately. */
static void works(system_on_device *s)
{
    double error = NAN;
    int flag = SUNLinSolSetup(s->S, s->A);
    CHECK_SAY(flag == 0 && SUNLinSolLastFlag(s->S) == 0, "setup: %d, %s", flag,
              warplu_status_text(SUNLinSol_WarpluGetStatus(s->S)));
    flag = solve(s, &error);
    CHECK_SAY(flag == 0 && error < 1e-12, "solve: %d, error %g, %s", flag, error,
              warplu_status_text(SUNLinSol_WarpluGetStatus(s->S)));
}

static warplu_statistics statistics(const system_on_device *s)
{
    warplu_statistics t = {.size = sizeof t};
    CHECK(warplu_get_statistics(SUNLinSol_WarpluGetSolver(s->S), &t) == WARPLU_SUCCESS);
    return t;
}

static void values_change(void)
{
    system_on_device *s = begin();
    for (uint64_t seed = 1; seed <= 10; seed++) {
        fill_circulant(s, 1, seed);
        works(s);
    }
    CHECK(statistics(s).factors == 1 && statistics(s).checked_solves == 0);
    end(s);
}

static void patterns_change(void)
{
    system_on_device *s = begin();
    for (int round = 0; round < 2; round++)
        for (int reach = 1; reach <= 3; reach++) {
            fill_circulant(s, reach, (uint64_t)(round + 5));
            works(s);
        }
    end(s);
}

static void singular_is_recoverable(void)
{
    double error;
    system_on_device *s = begin();
    CHECK(SUNLinSolSolve(s->S, s->A, s->x, s->b, 0.0) == FAILED);
    for (int late = 0; late < 2; late++) {
        for (int p = 0; p < 3; p++) s->values[p] = 0.0;
        device_fill(s->A, s->values, s->ptr, s->idx);
        CHECK(SUNLinSolSetup(s->S, s->A) == SUNLS_PACKAGE_FAIL_REC);
        CHECK(SUNLinSol_WarpluGetStatus(s->S) == WARPLU_SINGULAR && solve(s, &error) == FAILED);
        fill_circulant(s, 1, 3);
        works(s);
    }
    s->values[0] = NAN;
    device_fill(s->A, s->values, s->ptr, s->idx);
    CHECK(SUNLinSolSetup(s->S, s->A) == SUNLS_PACKAGE_FAIL_REC);
    fill_circulant(s, 1, 4);
    works(s);
    s->idx[5] = N;
    device_fill(s->A, s->values, s->ptr, s->idx);
    CHECK(SUNLinSolSetup(s->S, s->A) == ILL_INPUT);
    fill_circulant(s, 1, 4);
    works(s);
    end(s);
}

static void weak_pivots_are_replaced(void)
{
    system_on_device *s = begin();
    works(s);
    for (int k = 0; k < N; k++) {
        s->values[3 * k] = 1e-18;
        s->values[3 * k + 1] += 2.0;
    }
    device_fill(s->A, s->values, s->ptr, s->idx);
    CHECK(SUNLinSolSetup(s->S, s->A) == 0 && SUNLinSol_WarpluGetStatus(s->S) == WARPLU_REPIVOTED);
    works(s);
    works(s);
    CHECK(statistics(s).checked_solves == 0);
    end(s);
}

/* A triangular matrix, one of whose pivots is tiny beside its row: solves are checked, on the host. */
static void suspect_replays_are_checked(void)
{
    double error;
    system_on_device *s = begin();
    for (int k = 0; k < N; k++)
        for (int entry = 0; entry < 3; entry++) {
            s->idx[3 * k + entry] = k + entry < N ? k + entry : k;
            s->values[3 * k + entry] = entry == 0 ? 4.0 : k > 0 && k + entry < N ? 0.5 : 0.0;
        }
    s->values[0] = 1e-110;
    s->values[1] = 1.0;
    device_fill(s->A, s->values, s->ptr, s->idx);
    works(s);
    CHECK(solve(s, &error) == 0 && error < 1e-12);
    CHECK_SAY(statistics(s).checked_solves >= 2, "%d checked", (int)statistics(s).checked_solves);
    end(s);
}

static void options_and_stream_are_used(void)
{
    warplu_options o;
    system_on_device *s = begin();
    warplu_init_options(&o);
    for (int check = WARPLU_CHECK_OFF; check <= WARPLU_CHECK_REPLAYS; check++) {
        o.check = (warplu_check)check;
        CHECK(SUNLinSol_WarpluSetOptions(s->S, &o) == 0);
        for (uint64_t seed = 1; seed <= 3; seed++) {
            fill_circulant(s, 1, seed);
            works(s);
        }
    }
    CHECK(SUNLinSol_WarpluReInit(s->S, s->A, 0, SUNWARPLU_REINIT_PARTIAL) == 0);
    int64_t factors = statistics(s).factors;
    works(s);
    works(s);
    CHECK(statistics(s).factors == factors + 1);
    CHECK(SUNLinSol_WarpluReInit(s->S, s->A, NNZ, SUNWARPLU_REINIT_FULL) == ILL_INPUT);
    o.executor = WARPLU_EXECUTOR_CPU;
    CHECK(SUNLinSol_WarpluSetOptions(s->S, &o) == ILL_INPUT);
    CHECK(SUNLinSol_WarpluSetStream(s->S, NULL) == 0);
    works(s);
    end(s);
}

static void refuses_what_it_does_not_take(void)
{
    system_on_device *s = begin();
    SUNMatrix blocks = device_matrix(N, NNZ, 2, s->context);
    N_Vector shorter = device_vector(N - 1, s->context);
    CHECK(SUNLinSol_Warplu(s->x, blocks, s->context) == NULL && SUNLinSol_Warplu(shorter, s->A, s->context) == NULL);
    CHECK(SUNLinSolSetup(s->S, blocks) == ILL_INPUT && SUNLinSolSetup(s->S, NULL) == NULL_ARGUMENT);
    works(s);
    CHECK(SUNLinSolSolve(s->S, s->A, s->x, shorter, 0.0) == ILL_INPUT);
    CHECK(SUNLinSolSolve(s->S, s->A, shorter, s->b, 0.0) == ILL_INPUT);
    CHECK(SUNLinSolSolve(s->S, s->A, NULL, s->b, 0.0) == NULL_ARGUMENT);
    N_VDestroy(shorter);
    SUNMatDestroy(blocks);
    end(s);
}

int main(void)
{
    RUN(values_change);
    RUN(patterns_change);
    RUN(singular_is_recoverable);
    RUN(weak_pivots_are_replaced);
    RUN(suspect_replays_are_checked);
    RUN(options_and_stream_are_used);
    RUN(refuses_what_it_does_not_take);
    return check_done();
}
