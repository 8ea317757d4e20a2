/* Accuracy beside speed: every entry's solution judged by the same componentwise backward error, as its own solves
 * leave it: with the checks and the refinement that the entry does by itself, and no other. Judged is the answer after
 * every turn of the timing loops (bench_time.c) and after one last refactor and solve; the worst one counts. */
#include "bench.h"
#include "residual.h"
#include "numerics/backward_error.h"

#include <math.h>

static double backward_error(bench_case *c)
{
    wlu_checked checked = {.a = c->pattern, .entries = bench_case_values(c)};
    return wlu_backward_errors(&checked, 0, c->b, c->x, (wlu_errors){0.0, INFINITY}, c->work).componentwise;
}

/* c->a with the values of the step at hand. */
static double residual_now(bench_case *c)
{
    warplu_mm_matrix a = c->a;
    a.values = (double *)(uintptr_t)bench_case_values(c);
    return relative_residual(c->ctx, &a, 0, 1, c->b, c->x);
}

double bench_judge_solution(bench_case *c, const bench_entry *e, bench_result *result)
{
    double omega = backward_error(c);
    if (isnan(omega)) omega = INFINITY;
    /* A result without an error yet has NaN there. */
    if (omega <= result->backward_error) return omega;
    result->backward_error = omega;
    result->residual = residual_now(c);
    if (result->status >= 0)
        result->status = omega <= answer_is_right(e->precision) ? WARPLU_SUCCESS : WARPLU_INACCURATE;
    return omega;
}

/* What only the solver itself knows of its last solve. */
static void read_solver(bench_entry *e)
{
    warplu_statistics t = {.size = sizeof t};
    warplu_get_statistics(e->solver, &t);
    e->result.repivots = t.repivots;
    e->result.refinement_steps = t.refinement_steps;
}

static void judge(bench_case *c, bench_entry *e)
{
    int64_t ns;
    warplu_status status = bench_entry_once(e, c, BENCH_REFACTOR, &ns);
    if (status >= 0) status = bench_entry_once(e, c, BENCH_SOLVE, &ns);
    if (status < 0) {
        bench_entry_fail(e, status, bench_entry_message(e));
        return;
    }
    bench_judge_solution(c, e, &e->result);
    if (e->peer == NULL) {
        read_solver(e);
        return;
    }
    if (peer_process_describe(e->process, &e->facts) >= 0) e->result.refinement_steps = e->facts.refinement_steps;
    peer_process_pause(e->process);
}

void bench_judge(bench_case *c)
{
    for (int k = 0; k < c->count; k++)
        if (bench_entry_alive(&c->entry[k])) judge(c, &c->entry[k]);
}
