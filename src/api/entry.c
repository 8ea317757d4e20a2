/* The calls of warplu.h that compute, or compare numbers the caller gives: each runs in the library's floating-point
 * environment and leaves the caller's as it was, so that answers, pivots and orders do not depend on it and no trap is
 * sprung. They stand in a file of their own so that no arithmetic can move across. */
#include "solver/solver.h"

#include "base/environment.h"

/* The body of each: returns what the call answers. */
#define IN_OUR_ENVIRONMENT(call) \
    wlu_environment env; \
    wlu_environment_enter(&env); \
    warplu_status status = (call); \
    wlu_environment_leave(&env); \
    return status

warplu_status warplu_create(warplu_solver **out, const warplu_options *options)
{
    IN_OUR_ENVIRONMENT(wlu_solver_create(out, options));
}

warplu_status warplu_clone(warplu_solver **out, const warplu_solver *source)
{
    IN_OUR_ENVIRONMENT(wlu_solver_clone(out, source));
}

warplu_status warplu_analyze(warplu_solver *s, int32_t n, const int32_t *ptr, const int32_t *idx, const double *values)
{
    IN_OUR_ENVIRONMENT(wlu_solver_analyze(s, n, ptr, idx, values));
}

warplu_status warplu_factor(warplu_solver *s, const double *values)
{
    IN_OUR_ENVIRONMENT(wlu_solver_factor(s, values));
}

warplu_status warplu_refactor(warplu_solver *s, const double *values)
{
    IN_OUR_ENVIRONMENT(wlu_solver_refactor(s, values));
}

warplu_status warplu_solve(warplu_solver *s, int32_t nrhs, const double *b, int32_t ldb, double *x, int32_t ldx)
{
    IN_OUR_ENVIRONMENT(wlu_solver_solve(s, 0, nrhs, b, ldb, x, ldx));
}

warplu_status warplu_solve_transposed(warplu_solver *s, int32_t nrhs, const double *b, int32_t ldb, double *x,
                                      int32_t ldx)
{
    IN_OUR_ENVIRONMENT(wlu_solver_solve(s, 1, nrhs, b, ldb, x, ldx));
}

warplu_status warplu_compute_backward_error(const warplu_solver *s, int transposed, const double *values, int32_t nrhs,
                                            const double *b, int32_t ldb, const double *x, int32_t ldx, double *omega)
{
    IN_OUR_ENVIRONMENT(wlu_solver_backward_error(s, transposed, values, nrhs, b, ldb, x, ldx, omega));
}

warplu_status warplu_get_statistics(const warplu_solver *s, warplu_statistics *t)
{
    IN_OUR_ENVIRONMENT(wlu_solver_statistics(s, t));
}

warplu_status warplu_save(warplu_solver *s, const char *path)
{
    IN_OUR_ENVIRONMENT(wlu_solver_save(s, path));
}

warplu_status warplu_restore(warplu_solver *s, const char *path)
{
    IN_OUR_ENVIRONMENT(wlu_solver_restore_file(s, path));
}
