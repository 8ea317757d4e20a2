/* Accuracy beside speed: every entry's solution judged by the same componentwise backward error.
 *
 * Executors solve once with the check off (the error as the replay leaves it) and once with it always on.
 * Peers are refined with their own solves, as many steps as the first executor took and by the same rule: the
 * best iterate is kept. */
#include "bench.h"
#include "residual.h"
#include "solve/check.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* c->work: residual n, weights 2 n, correction n, best x n. */
static double backward_error(bench_case *c)
{
    return wlu_backward_error(c->pattern, c->values, 0, c->b, c->x, 0.0, c->work, c->work + c->a.nrow);
}

/* c->a with the values of the step at hand. */
static double residual_now(bench_case *c)
{
    wlu_mm_matrix a = c->a;
    a.values = c->values;
    return relative_residual(c->ctx, &a, 0, 1, c->b, c->x);
}

double bench_judge_solution(bench_case *c, bench_result *result)
{
    double omega = backward_error(c);
    result->backward_error = omega;
    result->residual = residual_now(c);
    if (result->status >= 0) result->status = omega <= ANSWER_IS_RIGHT ? WARPLU_SUCCESS : WARPLU_INACCURATE;
    return omega;
}

static void judge_solver(bench_case *c, bench_entry *e)
{
    warplu_options *options = &e->solver->options;
    warplu_check check = options->check;
    warplu_statistics t = {.size = sizeof t};
    options->check = WARPLU_CHECK_OFF;
    warplu_status status = bench_entry_refactor(e, c);
    if (status >= 0) status = bench_entry_solve(e, c);
    if (status >= 0) e->result.backward_error_unrefined = backward_error(c);
    options->check = WARPLU_CHECK_ALWAYS;
    status = bench_entry_refactor(e, c);
    if (status >= 0) status = bench_entry_solve(e, c);
    options->check = check;
    warplu_get_statistics(e->solver, &t);
    e->result.repivots = t.repivots;
    e->result.refinement_steps = t.refinement_steps;
    if (status < 0)
        bench_entry_fail(e, status, warplu_message(e->solver));
    else
        bench_judge_solution(c, &e->result);
}

/* Refinement of c->x by the peer's solves. */
static void refine_peer(bench_case *c, bench_entry *e, int32_t steps)
{
    int32_t n = c->a.nrow;
    double *r = c->work, *correction = c->work + 3 * (int64_t)n, *best = c->work + 4 * (int64_t)n;
    double omega = e->result.backward_error_unrefined;
    memcpy(best, c->x, (size_t)n * sizeof *best);
    for (int32_t k = 0; k < steps && omega > DBL_EPSILON; k++) {
        if (e->peer->run->solve(e->state, r, correction) < 0) break;
        for (int32_t i = 0; i < n; i++) c->x[i] += correction[i];
        double better = backward_error(c);
        if (!(better < omega)) break;
        memcpy(best, c->x, (size_t)n * sizeof *best);
        omega = better;
        e->result.refinement_steps++;
    }
    memcpy(c->x, best, (size_t)n * sizeof *best);
}

static void judge_peer(bench_case *c, bench_entry *e, int32_t steps)
{
    warplu_status status = bench_entry_refactor(e, c);
    if (status >= 0) status = bench_entry_solve(e, c);
    if (status < 0) {
        bench_entry_fail(e, status, "");
        return;
    }
    e->result.backward_error_unrefined = backward_error(c);
    refine_peer(c, e, steps);
    bench_judge_solution(c, &e->result);
}

void bench_judge(bench_case *c)
{
    int32_t steps = 0;
    int seen = 0;
    for (int k = 0; k < c->count; k++) {
        bench_entry *e = &c->entry[k];
        if (!bench_entry_alive(e)) continue;
        if (e->peer != NULL) {
            judge_peer(c, e, steps);
            continue;
        }
        judge_solver(c, e);
        if (!seen) steps = e->result.refinement_steps;
        seen = 1;
    }
}
