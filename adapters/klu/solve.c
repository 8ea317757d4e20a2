/* klu_solve and klu_tsolve: in place, all right-hand sides at once.
 *
 * Right-hand sides that are not finite give NaN, with KLU_OK, as KLU lets them through. A solution that warplu
 * could not bring to its promise, or that it could not check, is the best there is, and the status is KLU_SINGULAR;
 * without factors it is NaN. Both answer 1, as KLU does. */
#include "objects.h"

#include <math.h>
#include <warplu/complex.h>

#include "stats.h"

typedef struct sides {
    wk_int ldim, nrhs;
    double *B;
    int transposed, conjugate;
} sides;

static double *column(const sides *b, wk_int k)
{
    return b->B + (size_t)WK_DOUBLES * (size_t)b->ldim * (size_t)k;
}

static void withhold(const wk_numeric_object *o, const sides *b, wk_int k)
{
    double *x = column(b, k);
    for (int64_t i = 0; i < (int64_t)WK_DOUBLES * o->factors.n; i++) x[i] = (double)NAN;
}

static int is_finite(const wk_numeric_object *o, const sides *b, wk_int k)
{
    const double *x = column(b, k);
    double sum = 0.0;
    for (int64_t i = 0; i < (int64_t)WK_DOUBLES * o->factors.n; i++) sum += x[i] * 0.0;
    return sum == 0.0;
}

/* Columns from first on. */
static warplu_status solve_columns(const wk_numeric_object *o, const sides *b, wk_int first, int32_t count)
{
    double *x = column(b, first);
    warplu_solver *s = o->factors.solver;
    const int32_t ld = count > 1 ? (int32_t)b->ldim : o->factors.n;
    if (!b->transposed) return warplu_solve(s, count, x, ld, x, ld);
#ifdef WK_COMPLEX
    if (b->conjugate) return warplu_solve_conjugate_transposed(s, count, x, ld, x, ld);
#endif
    return warplu_solve_transposed(s, count, x, ld, x, ld);
}

/* The graver of two. */
static warplu_status worse(warplu_status a, warplu_status b)
{
    if (a < 0 || b < 0) return a < 0 ? a : b;
    if (a == WARPLU_SUCCESS || b == WARPLU_SUCCESS) return a == WARPLU_SUCCESS ? b : a;
    return a == WARPLU_REPIVOTED ? b : a;
}

/* Several at once where all are finite and the leading dimension is warplu's, else one by one. */
static warplu_status solve_all(const wk_numeric_object *o, const sides *b)
{
    int together = b->nrhs > 1 && b->ldim <= INT32_MAX && b->nrhs <= INT32_MAX;
    for (wk_int k = 0; k < b->nrhs && together; k++) together = is_finite(o, b, k);
    if (together) {
        warplu_status status = solve_columns(o, b, 0, (int32_t)b->nrhs);
        for (wk_int k = 0; k < b->nrhs && status == WARPLU_NOT_FINITE; k++) withhold(o, b, k);
        return status;
    }
    warplu_status worst = WARPLU_SUCCESS;
    for (wk_int k = 0; k < b->nrhs; k++) {
        warplu_status status = solve_columns(o, b, k, 1);
        if (status < 0) withhold(o, b, k);
        worst = worse(worst, status);
    }
    return worst;
}

static int solve(wk_symbolic *symbolic, wk_numeric *numeric, const sides *b, wk_common *common)
{
    wk_numeric_object *o = wk_numeric_of(numeric, WK_DOUBLES);
    common->status = WK_INVALID;
    if (o == NULL || symbolic == NULL || b->ldim < o->factors.n || b->nrhs < 0 || b->B == NULL) return 0;
    common->status = WK_OK;
    if (!o->factors.usable) {
        for (wk_int k = 0; k < b->nrhs; k++) withhold(o, b, k);
        common->status = WK_SINGULAR;
        return 1;
    }
    warplu_status status = b->nrhs > 0 ? solve_all(o, b) : WARPLU_SUCCESS;
    if (status == WARPLU_SUCCESS || status == WARPLU_NOT_FINITE) return 1;
    if (status < 0) {
        common->status = wk_status_of(status);
        return 0;
    }
    if (status != WARPLU_REPIVOTED) common->status = WK_SINGULAR;
    wk_symbolic_object *s = wk_symbolic_of(symbolic);
    if (s != NULL && s->shape == o->shape && wk_numeric_show(o, symbolic, common) != WARPLU_SUCCESS)
        common->status = WK_OUT_OF_MEMORY;
    return 1;
}

wk_flag WK_NAME(solve)(wk_symbolic *symbolic, wk_numeric *numeric, wk_int ldim, wk_int nrhs, double *B,
                       wk_common *common)
{
    if (common == NULL) return 0;
    const sides b = {ldim, nrhs, B, 0, 0};
    const int64_t begin = wk_stats_begin();
    int done = solve(symbolic, numeric, &b, common);
    wk_stats_end(WK_CALL_SOLVE, begin);
    return done;
}

#ifdef WK_COMPLEX
wk_flag WK_NAME(tsolve)(wk_symbolic *symbolic, wk_numeric *numeric, wk_int ldim, wk_int nrhs, double *B,
                        wk_flag conjugate, wk_common *common)
#else
wk_flag WK_NAME(tsolve)(wk_symbolic *symbolic, wk_numeric *numeric, wk_int ldim, wk_int nrhs, double *B,
                        wk_common *common)
#endif
{
    if (common == NULL) return 0;
    sides b = {ldim, nrhs, B, 1, 0};
#ifdef WK_COMPLEX
    b.conjugate = conjugate != 0;
#endif
    const int64_t begin = wk_stats_begin();
    int done = solve(symbolic, numeric, &b, common);
    wk_stats_end(WK_CALL_TSOLVE, begin);
    return done;
}
