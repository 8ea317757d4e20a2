/* klu_solve and klu_tsolve: in place, each column by itself, up to eight at a time.
 *
 * A column that is not finite gives NaN, with KLU_OK, as KLU lets it through. A finite one whose x leaves the range of
 * numbers is solved for again, scaled by a power of two: what overflows is infinite, with KLU_OK as from KLU, and all
 * else is right, but for what numbers of b add that are 1e308 times smaller than its largest. A solution that warplu
 * could not bring to its promise, or that it could not check, is the best there is, and the status is KLU_SINGULAR;
 * without factors it is NaN. All answer 1, as KLU does.
 *
 * The solution is made aside, so that b is there until it is done, and copied into its place: warplu would copy b. */
#include "objects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <warplu/cache.h>
#include <warplu/complex.h>

#include "call.h"
#include "foreign.h"

enum { TOGETHER = 8 };

typedef struct sides {
    wk_int ldim, nrhs;
    double *B;
    int transposed, conjugate;
    double *aside; /* TOGETHER columns */
} sides;

static double *column(const sides *b, wk_int k)
{
    return b->B + (size_t)WK_DOUBLES * (size_t)b->ldim * (size_t)k;
}

static int64_t doubles_of(const wk_numeric_object *o)
{
    return (int64_t)WK_DOUBLES * o->factors.n;
}

static void withhold(const wk_numeric_object *o, const sides *b, wk_int k)
{
    double *x = column(b, k);
    for (int64_t i = 0; i < doubles_of(o); i++) x[i] = (double)NAN;
}

static int is_finite(const wk_numeric_object *o, const sides *b, wk_int k)
{
    const double *x = column(b, k);
    double sum = 0.0;
    for (int64_t i = 0; i < doubles_of(o); i++) sum += x[i] * 0.0;
    return sum == 0.0;
}

/* Columns, into room aside. */
static warplu_status call(const wk_numeric_object *o, const sides *b, int32_t count, const double *from, int32_t ld)
{
    const int32_t n = o->factors.n;
    warplu_solver *s = o->factors.solver;
    if (!b->transposed) return warplu_solve(s, count, from, ld, b->aside, n);
#ifdef WK_COMPLEX
    if (b->conjugate) return warplu_solve_conjugate_transposed(s, count, from, ld, b->aside, n);
#endif
    return warplu_solve_transposed(s, count, from, ld, b->aside, n);
}

/* The graver of two. */
static warplu_status worse(warplu_status a, warplu_status b)
{
    if (a < 0 || b < 0) return a < 0 ? a : b;
    if (a == WARPLU_SUCCESS || b == WARPLU_SUCCESS) return a == WARPLU_SUCCESS ? b : a;
    return a == WARPLU_REPIVOTED ? b : a;
}

/* Solves for the finite column as 2^-e b, whose largest number is about 2^-lower, and gives 2^e x. */
static warplu_status solve_scaled(const wk_numeric_object *o, const sides *b, wk_int k, int lower)
{
    double *x = column(b, k), *scaled = b->aside + doubles_of(o), largest = 0.0;
    int e = 0;
    for (int64_t i = 0; i < doubles_of(o); i++) largest = fmax(largest, fabs(x[i]));
    frexp(largest, &e);
    e += lower;
    for (int64_t i = 0; i < doubles_of(o); i++) scaled[i] = ldexp(x[i], -e);
    warplu_status status = call(o, b, 1, scaled, o->factors.n);
    for (int64_t i = 0; i < doubles_of(o) && status >= 0; i++) x[i] = ldexp(b->aside[i], e);
    return status;
}

/* One column; *lost: it is finite, and there is no x. */
static warplu_status solve_one(const wk_numeric_object *o, const sides *b, wk_int k, int *lost)
{
    static const int lower[] = {0, 500};
    warplu_status status = call(o, b, 1, column(b, k), o->factors.n);
    const int finite = status != WARPLU_NOT_FINITE || is_finite(o, b, k);
    if (status >= 0) memcpy(column(b, k), b->aside, (size_t)doubles_of(o) * sizeof *b->aside);
    for (int t = 0; t < 2 && finite && status == WARPLU_NOT_FINITE; t++) status = solve_scaled(o, b, k, lower[t]);
    if (status < 0) withhold(o, b, k);
    if (status != WARPLU_NOT_FINITE) return status;
    *lost |= finite;
    return WARPLU_SUCCESS;
}

/* Some columns at once, where they and their solutions are finite. 0: they are as they were. */
static int solve_together(const wk_numeric_object *o, const sides *b, wk_int first, wk_int count, warplu_status *status)
{
    if (count < 2 || b->ldim > INT32_MAX) return 0;
    *status = call(o, b, (int32_t)count, column(b, first), (int32_t)b->ldim);
    if (*status < 0) return 0;
    for (wk_int k = 0; k < count; k++)
        memcpy(column(b, first + k), b->aside + k * doubles_of(o), (size_t)doubles_of(o) * sizeof *b->aside);
    return 1;
}

static warplu_status solve_all(const wk_numeric_object *o, const sides *b, int *lost)
{
    warplu_status worst = WARPLU_SUCCESS, status;
    for (wk_int first = 0; first < b->nrhs; first += TOGETHER) {
        const wk_int count = b->nrhs - first < TOGETHER ? b->nrhs - first : TOGETHER;
        if (solve_together(o, b, first, count, &status)) {
            worst = worse(worst, status);
            continue;
        }
        for (wk_int k = 0; k < count; k++) worst = worse(worst, solve_one(o, b, first + k, lost));
    }
    return worst;
}

/* With room aside, which the object keeps for the next solve. */
static warplu_status solve_aside(wk_numeric_object *o, sides *b, int *lost)
{
    const size_t room = (size_t)(b->nrhs > 2 ? TOGETHER : 2) * (size_t)doubles_of(o);
    wk_room *kept = atomic_exchange(&o->room, NULL);
    if (kept == NULL || kept->doubles < room) {
        free(kept);
        kept = malloc(sizeof *kept + room * sizeof *kept->at);
        if (kept == NULL) return WARPLU_OUT_OF_MEMORY;
        kept->doubles = room;
    }
    b->aside = kept->at;
    warplu_status status = solve_all(o, b, lost);
    free(atomic_exchange(&o->room, kept)); /* of another thread */
    return status;
}

static int solve(wk_symbolic *symbolic, wk_numeric *numeric, sides *b, wk_common *common)
{
    int lost = 0;
    wk_numeric_object *o = wk_numeric_of(numeric, WK_DOUBLES);
    common->status = WK_INVALID;
    if (o == NULL || symbolic == NULL || b->ldim < o->factors.n || b->nrhs < 0 || b->B == NULL) return 0;
    common->status = WK_OK;
    if (!o->factors.usable) {
        for (wk_int k = 0; k < b->nrhs; k++) withhold(o, b, k);
        common->status = WK_SINGULAR;
        return 1;
    }
    warplu_status status = b->nrhs > 0 ? solve_aside(o, b, &lost) : WARPLU_SUCCESS;
    if (lost) common->status = WK_SINGULAR;
    if (status == WARPLU_SUCCESS) return 1;
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

/* What small systems take, in place. 0: nothing has been done. */
static inline int solve_at_once(const wk_symbolic *symbolic, wk_numeric *numeric, int transposed, wk_int ldim,
                                wk_int nrhs, double *B, wk_common *common)
{
    const wk_numeric_object *o = wk_numeric_of(numeric, WK_DOUBLES);
    if (o == NULL || !o->factors.usable || symbolic == NULL || B == NULL || nrhs != 1 || ldim < o->factors.n) return 0;
    if (!warplu_try_solve(o->factors.solver, transposed, B, B)) return 0;
    common->status = WK_OK;
    return 1;
}

wk_flag WK_NAME(solve)(wk_symbolic *symbolic, wk_numeric *numeric, wk_int ldim, wk_int nrhs, double *B,
                       wk_common *common)
{
    WK_LEAVE(WK_NAME(solve), symbolic, numeric, ldim, nrhs, B, common);
    if (common == NULL) return 0;
    const int64_t begin = wk_call_begin();
    int done = solve_at_once(symbolic, numeric, 0, ldim, nrhs, B, common);
    if (!done) {
        sides b = {ldim, nrhs, B, 0, 0, NULL};
        done = solve(symbolic, numeric, &b, common);
    }
    wk_call_end(WK_CALL_SOLVE, begin);
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
#ifdef WK_COMPLEX
    WK_LEAVE(WK_NAME(tsolve), symbolic, numeric, ldim, nrhs, B, conjugate, common);
#else
    WK_LEAVE(WK_NAME(tsolve), symbolic, numeric, ldim, nrhs, B, common);
#endif
    if (common == NULL) return 0;
#ifdef WK_COMPLEX
    const int conjugates = conjugate != 0;
#else
    const int conjugates = 0;
#endif
    const int64_t begin = wk_call_begin();
    int done = !conjugates && solve_at_once(symbolic, numeric, 1, ldim, nrhs, B, common);
    if (!done) {
        sides b = {ldim, nrhs, B, 1, conjugates, NULL};
        done = solve(symbolic, numeric, &b, common);
    }
    wk_call_end(WK_CALL_TSOLVE, begin);
    return done;
}
