/* klu_rcond, klu_rgrowth, klu_condest, klu_flops and klu_sort. A Numeric without factors is that of a singular matrix.
 *
 * rcond: the extremes of |u_kk|, O(n). rgrowth: the reciprocal pivot growth of the statistics, a lower bound of KLU's
 * where that is harmless, O(1) and some for each diagonal block: programs ask for it after every refactorization.
 * condest: warplu's estimate in the 1-norm, up to 12 solves. */
#include "objects.h"

#include <math.h>

#include "call.h"
#include "foreign.h"

/* The object to ask, with KLU's status; NULL where there is nothing to ask: *done is then the answer, and *value what
 * stands for a singular matrix. */
static wk_numeric_object *ask(const wk_symbolic *symbolic, wk_numeric *numeric, double singular, double *value,
                              wk_common *common, int *done)
{
    wk_numeric_object *o = wk_numeric_of(numeric, WK_DOUBLES);
    *done = 0;
    common->status = WK_INVALID;
    if (symbolic == NULL || (numeric != NULL && o == NULL)) return NULL;
    *done = 1;
    common->status = WK_OK;
    if (o != NULL && o->factors.usable) return o;
    *value = singular;
    common->status = WK_SINGULAR;
    return NULL;
}

/* Of the pivots as they are shown. */
static double rcond_of_shown(const wk_numeric_object *o)
{
    const double *u = o->shown.Udiag;
    double smallest = INFINITY, largest = 0.0;
    for (int64_t k = 0; k < o->factors.n; k++) {
        const double size = WK_DOUBLES == 2 ? hypot(u[2 * k], u[WK_DOUBLES * k + WK_DOUBLES - 1]) : fabs(u[k]);
        if (!(size >= smallest)) smallest = size;
        if (!(size <= largest)) largest = size;
    }
    return smallest / largest;
}

static int rcond(wk_symbolic *symbolic, wk_numeric *numeric, wk_common *common)
{
    int done;
    wk_numeric_object *o = ask(symbolic, numeric, 0.0, &common->rcond, common, &done);
    if (o == NULL) return done;
    o->wants_exact = 1;
    if (o->exact != NULL || o->shown.Rs == NULL) {
        common->rcond = rcond_of_shown(o);
    } else {
        double smallest = 0.0, largest = 1.0;
        warplu_status status = warplu_extract_diagonal(o->factors.solver, NULL, &smallest, &largest);
        common->rcond = status == WARPLU_SUCCESS ? smallest / largest : 0.0;
    }
    if (common->rcond > 0.0) return 1;
    common->rcond = 0.0; /* not a number, too */
    common->status = WK_SINGULAR;
    return 1;
}

wk_flag WK_NAME(rcond)(wk_symbolic *symbolic, wk_numeric *numeric, wk_common *common)
{
    WK_LEAVE(WK_NAME(rcond), symbolic, numeric, common);
    if (common == NULL) return 0;
    const int64_t begin = wk_call_begin();
    int done = rcond(symbolic, numeric, common);
    wk_call_end(WK_CALL_RCOND, begin);
    return done;
}

static int read_statistics(const wk_numeric_object *o, warplu_statistics *s, wk_common *common)
{
    *s = (warplu_statistics){.size = sizeof *s};
    if (warplu_get_statistics(o->factors.solver, s) == WARPLU_SUCCESS) return 1;
    common->status = WK_INVALID;
    return 0;
}

static int rgrowth(wk_symbolic *symbolic, wk_numeric *numeric, wk_common *common)
{
    int done;
    warplu_statistics s;
    const wk_numeric_object *o = ask(symbolic, numeric, 0.0, &common->rgrowth, common, &done);
    if (o == NULL) return done;
    if (!read_statistics(o, &s, common)) return 0;
    common->rgrowth = s.pivot_growth;
    return 1;
}

wk_flag WK_NAME(rgrowth)(wk_int *Ap, wk_int *Ai, double *Ax, wk_symbolic *symbolic, wk_numeric *numeric,
                         wk_common *common)
{
    WK_LEAVE(WK_NAME(rgrowth), Ap, Ai, Ax, symbolic, numeric, common);
    if (common == NULL) return 0;
    const int64_t begin = wk_call_begin();
    int done = 0;
    if (Ap == NULL || Ai == NULL || Ax == NULL)
        common->status = WK_INVALID;
    else
        done = rgrowth(symbolic, numeric, common);
    wk_call_end(WK_CALL_RGROWTH, begin);
    return done;
}

static int condest(const double *Ax, wk_symbolic *symbolic, wk_numeric *numeric, wk_common *common)
{
    int done;
    const wk_numeric_object *o = ask(symbolic, numeric, (double)INFINITY, &common->condest, common, &done);
    if (o == NULL) return done;
    warplu_status status = warplu_estimate_condition(o->factors.solver, Ax, &common->condest);
    if (status == WARPLU_SUCCESS) return 1;
    common->status = wk_status_of(status);
    common->condest = (double)INFINITY;
    return common->status == WK_SINGULAR;
}

wk_flag WK_NAME(condest)(wk_int *Ap, double *Ax, wk_symbolic *symbolic, wk_numeric *numeric, wk_common *common)
{
    WK_LEAVE(WK_NAME(condest), Ap, Ax, symbolic, numeric, common);
    if (common == NULL) return 0;
    const int64_t begin = wk_call_begin();
    int done = 0;
    if (Ap == NULL || Ax == NULL)
        common->status = WK_INVALID;
    else
        done = condest(Ax, symbolic, numeric, common);
    wk_call_end(WK_CALL_CONDEST, begin);
    return done;
}

static int flops(const wk_symbolic *symbolic, wk_numeric *numeric, wk_common *common)
{
    warplu_statistics s;
    const wk_numeric_object *o = wk_numeric_of(numeric, WK_DOUBLES);
    common->flops = WK_EMPTY;
    common->status = WK_INVALID;
    if (symbolic == NULL || o == NULL) return 0;
    common->status = WK_OK;
    if (o->factors.solver == NULL) return 1;
    if (!read_statistics(o, &s, common)) return 0;
    common->flops = (double)s.flops;
    return 1;
}

wk_flag WK_NAME(flops)(wk_symbolic *symbolic, wk_numeric *numeric, wk_common *common)
{
    WK_LEAVE(WK_NAME(flops), symbolic, numeric, common);
    if (common == NULL) return 0;
    wk_forks_hold();
    const int done = flops(symbolic, numeric, common);
    wk_forks_release();
    return done;
}

/* Factors are handed out with ascending rows in any case. */
wk_flag WK_NAME(sort)(wk_symbolic *symbolic, wk_numeric *numeric, wk_common *common)
{
    WK_LEAVE(WK_NAME(sort), symbolic, numeric, common);
    if (common == NULL) return 0;
    wk_forks_hold();
    common->status = symbolic != NULL && wk_numeric_of(numeric, WK_DOUBLES) != NULL ? WK_OK : WK_INVALID;
    wk_forks_release();
    return common->status == WK_OK;
}
