/* A chain of resistors, solved five times with other conductances each time: one analysis, one factorization,
 * then replays. Build: cc first.c $(pkg-config --cflags --libs warplu) */
#include <stdio.h>
#include <warplu/inspect.h>

enum { N = 4, NNZ = 10, STEPS = 5 };

/* The matrix by columns: ptr[j] is where column j begins in row[] and in the values. */
static const int32_t ptr[N + 1] = {0, 2, 5, 8, 10};
static const int32_t row[NNZ] = {0, 1, 0, 1, 2, 1, 2, 3, 2, 3};

/* The matrix at a time step: conductance g between neighbours, 1 from every node to ground. */
static void stamp(int step, double *values)
{
    double g = 1.0 + 0.5 * step;
    for (int j = 0; j < N; j++) {
        int neighbours = (j > 0) + (j < N - 1);
        for (int k = ptr[j]; k < ptr[j + 1]; k++) values[k] = row[k] == j ? 1.0 + neighbours * g : -g;
    }
}

/* 1 if the call failed; a warning is said and its result used. */
static int failed(warplu_status status, const char *call, const warplu_solver *solver)
{
    if (status != WARPLU_SUCCESS)
        fprintf(stderr, "%s: %s: %s\n", call, warplu_status_text(status), warplu_get_message(solver));
    return status < 0;
}

int main(void)
{
    warplu_solver *solver = NULL;
    double values[NNZ], b[N] = {1.0, 0.0, 0.0, 0.0}, x[N], omega;
    int code = 1;

    stamp(0, values);
    if (failed(warplu_create(&solver, NULL), "create", solver)) goto done;
    if (failed(warplu_analyze(solver, N, ptr, row, values), "analyze", solver)) goto done;
    if (failed(warplu_factor(solver, values), "factor", solver)) goto done;
    for (int step = 0; step < STEPS; step++) {
        stamp(step, values);
        if (failed(warplu_refactor(solver, values), "refactor", solver)) goto done;
        if (failed(warplu_solve(solver, 1, b, N, x, N), "solve", solver)) goto done;
        if (failed(warplu_compute_backward_error(solver, 0, values, 1, b, N, x, N, &omega), "check", solver)) goto done;
        printf("step %d: x =", step);
        for (int i = 0; i < N; i++) printf(" %.6f", x[i]);
        printf(", backward error %.1e\n", omega);
    }
    code = 0;
done:
    warplu_destroy(&solver);
    return code;
}
