/* Solves A x = b for a matrix from a Matrix Market file and b of ones, and says how accurate x is.
 * Build: cc read_matrix.c $(pkg-config --cflags --libs warplu warplu-mm); run: ./a.out A.mtx */
#include <stdio.h>
#include <stdlib.h>
#include <warplu/matrix_market.h>
#include <warplu/inspect.h>

/* The backward error of the solution; below 0, and said on standard error, where there is none. */
static double solve(warplu_solver *solver, const warplu_mm_matrix *a, const double *b, double *x)
{
    double omega = -1;
    warplu_status status = warplu_analyze(solver, a->ncol, a->ptr, a->idx, a->values);
    if (status >= 0) status = warplu_factor(solver, a->values);
    if (status >= 0) status = warplu_solve(solver, 1, b, a->ncol, x, a->ncol);
    if (status >= 0)
        warplu_compute_backward_error(solver, 0, a->values, 1, b, a->ncol, x, a->ncol, &omega);
    else
        fprintf(stderr, "%s\n", warplu_get_message(solver));
    return omega;
}

int main(int argc, char **argv)
{
    warplu_mm_matrix a = {.size = sizeof a};
    warplu_mm_error error = {.size = sizeof error};
    warplu_solver *solver = NULL;
    double *b = NULL, *x = NULL, omega = -1;

    if (argc != 2 || warplu_mm_read(argv[1], NULL, &a, &error) < 0) {
        fprintf(stderr, "%s\n", argc == 2 ? error.text : "usage: read_matrix A.mtx");
        return 1;
    }
    if (a.nrow != a.ncol || a.values == NULL || a.typecode.field == WARPLU_MM_FIELD_COMPLEX)
        fprintf(stderr, "%s: not a square real matrix with values\n", argv[1]);
    else if ((b = malloc((size_t)a.ncol * sizeof *b)) != NULL && (x = malloc((size_t)a.ncol * sizeof *x)) != NULL &&
             warplu_create(&solver, NULL) >= 0) {
        for (int32_t i = 0; i < a.ncol; i++) b[i] = 1.0;
        omega = solve(solver, &a, b, x);
        if (omega >= 0) printf("%d unknowns, backward error %.1e\n", (int)a.ncol, omega);
    }
    warplu_destroy(&solver);
    warplu_mm_free(&a);
    free(b);
    free(x);
    return omega >= 0 ? 0 : 1;
}
