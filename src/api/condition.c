/* Condition numbers and error bounds of the caller's A, by solves with the factors at hand.
 *
 * Solves are by columns, with a copy of the factors where a program holds them: nothing is compiled for A',
 * and the solver's own state is not touched. Where the values have left the pivots' scales far behind, the copy is in
 * scales of its own (pivot/rescale.h). O(nnz + |L| + |U| + |F|) for each of at most 12 solves; memory of A and the
 * factors. */
#include <warplu/inspect.h>

#include "api/entry.h"
#include "api/inspect.h"
#include "numerics/condition.h"
#include "pivot/rescale.h"

#include <math.h>

/* What one question needs. */
typedef struct question {
    warplu_solver *s;
    double *entries, *work;
    const wlu_pivots *pivots;
    wlu_factors *factors; /* the solver's own, or ... */
    wlu_factors *copy;    /* ... what its program computed, or in other scales */
    int16_t *exponent;    /* 2 n: of those, */
    wlu_pivots rescaled;  /* which these pivots have */
} question;

/* x = A^-1 x, or A^-T x. */
static void solve(void *user, int transposed, double *x)
{
    const question *q = user;
    wlu_factors_solve(q->factors, q->pivots, transposed, x, x);
}

static wlu_inverse inverse_of(question *q)
{
    return (wlu_inverse){q->s->analysis->a, q->entries, solve, q};
}

static void close_question(question *q)
{
    wlu_free(&q->s->ctx, q->entries);
    wlu_free(&q->s->ctx, q->work);
    wlu_free(&q->s->ctx, q->exponent);
    wlu_factors_destroy(&q->s->ctx, &q->copy);
}

/* Factors that can be solved with by columns, in scales that fit the entries. */
static warplu_status find_factors(question *q)
{
    wlu_context *ctx = &q->s->ctx;
    const wlu_pattern *a = q->s->analysis->a;
    wlu_numeric f;
    q->exponent = WLU_ALLOC(ctx, 2 * (int64_t)a->n, int16_t);
    if (q->exponent == NULL) return wlu_fail_memory(ctx, "scales of a condition estimate");
    warplu_status status = wlu_inspect_factors(q->s, &f);
    if (status < 0) return status;
    q->pivots = f.pivots;
    q->factors = q->s->current.factors;
    int fit = wlu_scales_fit(a, f.pivots, q->entries, q->exponent);
    if (fit && q->s->current.state == NULL) return WARPLU_SUCCESS;
    status = wlu_numeric_copy(ctx, &f, &q->copy);
    if (status < 0) return status;
    q->factors = q->copy;
    if (fit) return WARPLU_SUCCESS;
    wlu_factors_rescale(q->copy, a, f.pivots, q->entries, q->exponent, &q->rescaled);
    q->pivots = &q->rescaled;
    return WARPLU_SUCCESS;
}

/* Factors, values, and workspace. On failure nothing is owned. */
static warplu_status open_question(question *q, warplu_solver *s, const double *values)
{
    *q = (question){.s = s};
    warplu_status status = wlu_inspect_values(s, values, &q->entries);
    if (status == WARPLU_SUCCESS) status = find_factors(q);
    if (status == WARPLU_SUCCESS) {
        q->work = WLU_ALLOC(&s->ctx, wlu_condition_work(s->analysis->a), double);
        if (q->work == NULL) status = wlu_fail_memory(&s->ctx, "workspace of a condition estimate");
    }
    if (status < 0) close_question(q);
    return status;
}

warplu_status warplu_estimate_condition(warplu_solver *s, const double *values, double *condition)
{
    wlu_entry e;
    question q;
    if (wlu_entry_begin(&e, s, WLU_CALL_ESTIMATE_CONDITION, values != NULL && condition != NULL)) {
        e.status = open_question(&q, s, values);
        if (e.status == WARPLU_SUCCESS) {
            wlu_inverse inverse = inverse_of(&q);
            *condition = wlu_condition(&inverse, q.work);
            close_question(&q);
        }
    }
    return wlu_entry_end(&e);
}

static warplu_status check_finite(warplu_solver *s, const double *x)
{
    const int64_t doubles = s->target.doubles;
    for (int64_t i = 0; x != NULL && i < doubles * s->analysis->n; i++)
        if (!isfinite(x[i]))
            return wlu_fail(&s->ctx, WARPLU_NOT_FINITE, "x(%lld) is %g", (long long)(i / doubles), x[i]);
    return WARPLU_SUCCESS;
}

warplu_status warplu_estimate_skeel_condition(warplu_solver *s, const double *values, const double *x,
                                              double *condition)
{
    wlu_entry e;
    question q;
    if (wlu_entry_begin(&e, s, WLU_CALL_ESTIMATE_SKEEL_CONDITION, values != NULL && condition != NULL)) {
        e.status = open_question(&q, s, values);
        if (e.status == WARPLU_SUCCESS) {
            wlu_inverse inverse = inverse_of(&q);
            e.status = check_finite(s, x);
            if (e.status == WARPLU_SUCCESS) *condition = wlu_skeel_condition(&inverse, x, q.work);
            close_question(&q);
        }
    }
    return wlu_entry_end(&e);
}

/* The largest over the right-hand sides. */
static double largest_bound(question *q, int transposed, int32_t nrhs, const double *b, int32_t ldb, const double *x,
                            int32_t ldx)
{
    wlu_inverse inverse = inverse_of(q);
    const int64_t b_by = q->s->target.doubles * (int64_t)ldb, x_by = q->s->target.doubles * (int64_t)ldx;
    double worst = 0.0;
    for (int32_t k = 0; k < nrhs; k++) {
        double one = wlu_forward_error(&inverse, transposed != 0, b + k * b_by, x + k * x_by, q->work);
        if (!isnan(worst) && !(one <= worst)) worst = one;
    }
    return worst;
}

warplu_status warplu_bound_forward_error(warplu_solver *s, int transposed, const double *values, int32_t nrhs,
                                         const double *b, int32_t ldb, const double *x, int32_t ldx, double *bound)
{
    wlu_entry e;
    question q;
    wlu_entry_begin(&e, s, WLU_CALL_BOUND_FORWARD_ERROR, values != NULL && bound != NULL);
    if (wlu_entry_check_sides(&e, s, nrhs, b, ldb, x, ldx)) {
        e.status = open_question(&q, s, values);
        if (e.status == WARPLU_SUCCESS) {
            *bound = largest_bound(&q, transposed, nrhs, b, ldb, x, ldx);
            close_question(&q);
        }
    }
    return wlu_entry_end(&e);
}
