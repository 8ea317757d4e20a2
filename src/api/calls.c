/* The calls of warplu.h from create to destroy. */
#include <warplu/complex.h>
#include <warplu/inspect.h>
#include <warplu/save.h>

#include "api/entry.h"

#include "api/save.h"
#include "matrix/narrow.h"
#include "solver/options.h"
#include "solver/pattern_cache.h"
#include "solver/solve.h"
#include "solver/solver.h"

void warplu_init_options(warplu_options *options)
{
    if (options != NULL) wlu_options_default(options);
}

warplu_status warplu_create(warplu_solver **out, const warplu_options *options)
{
    wlu_environment environment;
    if (out == NULL) return WARPLU_INVALID_ARGUMENT;
    wlu_environment_enter(&environment);
    warplu_status status = wlu_solver_create(out, options);
    wlu_environment_leave(&environment);
    return status;
}

void warplu_destroy(warplu_solver **solver)
{
    if (solver == NULL || *solver == NULL) return;
    if ((*solver)->cached.cache != NULL) wlu_pattern_cache_forget(*solver);
    wlu_solver_destroy(solver);
}

warplu_status warplu_clone(warplu_solver **out, const warplu_solver *source)
{
    wlu_entry e;
    if (out != NULL) *out = NULL;
    if (wlu_entry_begin_const(&e, source, WLU_CALL_CLONE, out != NULL)) e.status = wlu_solver_clone(out, source);
    return wlu_entry_end(&e);
}

warplu_status warplu_analyze(warplu_solver *s, int32_t n, const int32_t *ptr, const int32_t *idx, const double *values)
{
    wlu_entry e;
    if (wlu_entry_begin(&e, s, WLU_CALL_ANALYZE, 1)) e.status = wlu_solver_analyze(s, n, ptr, idx, values);
    return wlu_entry_end(&e);
}

static warplu_status analyze64(warplu_solver *s, int64_t n, const int64_t *ptr, const int64_t *idx,
                               const double *values)
{
    int32_t *narrow_ptr, *narrow_idx;
    warplu_status status = wlu_narrow(&s->ctx, n, ptr, idx, &narrow_ptr, &narrow_idx);
    if (status == WARPLU_SUCCESS) status = wlu_solver_analyze(s, (int32_t)n, narrow_ptr, narrow_idx, values);
    wlu_free(&s->ctx, narrow_ptr);
    return status;
}

warplu_status warplu_analyze64(warplu_solver *s, int64_t n, const int64_t *ptr, const int64_t *idx,
                               const double *values)
{
    wlu_entry e;
    if (wlu_entry_begin(&e, s, WLU_CALL_ANALYZE64, 1)) e.status = analyze64(s, n, ptr, idx, values);
    return wlu_entry_end(&e);
}

warplu_status warplu_factor(warplu_solver *s, const double *values)
{
    wlu_entry e;
    if (wlu_entry_begin(&e, s, WLU_CALL_FACTOR, values != NULL)) e.status = wlu_solver_factor(s, values);
    return wlu_entry_end(&e);
}

warplu_status warplu_refactor(warplu_solver *s, const double *values)
{
    wlu_entry e;
    if (wlu_entry_begin(&e, s, WLU_CALL_REFACTOR, values != NULL)) e.status = wlu_solver_refactor(s, values);
    return wlu_entry_end(&e);
}

warplu_status warplu_solve(warplu_solver *s, int32_t nrhs, const double *b, int32_t ldb, double *x, int32_t ldx)
{
    wlu_entry e;
    wlu_entry_begin(&e, s, WLU_CALL_SOLVE, 1);
    if (wlu_entry_check_output(&e, s, nrhs, b, ldb, x, ldx)) e.status = wlu_solver_solve(s, 0, nrhs, b, ldb, x, ldx);
    return wlu_entry_end(&e);
}

warplu_status warplu_solve_transposed(warplu_solver *s, int32_t nrhs, const double *b, int32_t ldb, double *x,
                                      int32_t ldx)
{
    wlu_entry e;
    wlu_entry_begin(&e, s, WLU_CALL_SOLVE_TRANSPOSED, 1);
    if (wlu_entry_check_output(&e, s, nrhs, b, ldb, x, ldx)) e.status = wlu_solver_solve(s, 1, nrhs, b, ldb, x, ldx);
    return wlu_entry_end(&e);
}

/* to = conj(from), column by column, of numbers of two doubles. */
static void conjugate(const double *from, int64_t from_by, double *to, int64_t to_by, int32_t n, int32_t columns)
{
    for (int32_t k = 0; k < columns; k++)
        for (int64_t i = 0; i < n; i++) {
            to[2 * (k * to_by + i)] = from[2 * (k * from_by + i)];
            to[2 * (k * to_by + i) + 1] = -from[2 * (k * from_by + i) + 1];
        }
}

/* A^H x = b is A' conj(x) = conj(b), which goes through x. */
static warplu_status solve_conjugate(warplu_solver *s, int32_t nrhs, const double *b, int32_t ldb, double *x,
                                     int32_t ldx)
{
    int32_t n = s->analysis->n;
    if (s->target.doubles == 1) return wlu_solver_solve(s, 1, nrhs, b, ldb, x, ldx);
    conjugate(b, ldb, x, ldx, n, nrhs);
    warplu_status status = wlu_solver_solve(s, 1, nrhs, x, ldx, x, ldx);
    conjugate(x, ldx, x, ldx, n, nrhs);
    return status;
}

warplu_status warplu_solve_conjugate_transposed(warplu_solver *s, int32_t nrhs, const double *b, int32_t ldb, double *x,
                                                int32_t ldx)
{
    wlu_entry e;
    wlu_entry_begin(&e, s, WLU_CALL_SOLVE_CONJUGATE_TRANSPOSED, 1);
    if (wlu_entry_check_output(&e, s, nrhs, b, ldb, x, ldx)) e.status = solve_conjugate(s, nrhs, b, ldb, x, ldx);
    return wlu_entry_end(&e);
}

warplu_status warplu_compute_backward_error(const warplu_solver *s, int transposed, const double *values, int32_t nrhs,
                                            const double *b, int32_t ldb, const double *x, int32_t ldx, double *omega)
{
    wlu_entry e;
    wlu_entry_begin_const(&e, s, WLU_CALL_COMPUTE_BACKWARD_ERROR, values != NULL && omega != NULL);
    if (wlu_entry_check_sides(&e, s, nrhs, b, ldb, x, ldx))
        e.status = wlu_solver_backward_error(s, transposed, values, nrhs, b, ldb, x, ldx, omega);
    return wlu_entry_end(&e);
}

warplu_status warplu_save(warplu_solver *s, const char *path)
{
    wlu_entry e;
    if (wlu_entry_begin(&e, s, WLU_CALL_SAVE, path != NULL)) e.status = wlu_solver_save(s, path);
    return wlu_entry_end(&e);
}

warplu_status warplu_save_program(warplu_solver *s, const char *path)
{
    wlu_entry e;
    if (wlu_entry_begin(&e, s, WLU_CALL_SAVE_PROGRAM, path != NULL)) e.status = wlu_solver_save_program(s, path);
    return wlu_entry_end(&e);
}

warplu_status warplu_restore(warplu_solver *s, const char *path)
{
    wlu_entry e;
    if (wlu_entry_begin(&e, s, WLU_CALL_RESTORE, path != NULL)) e.status = wlu_solver_restore_file(s, path);
    return wlu_entry_end(&e);
}
