/* Rows that the largest magnitudes leave open, by their own numbers. See row_bounds.h. */
#include "solver/row_bounds.h"

#include "exec/numeric.h"

/* Where replays leave open rows that are not listed yet, so many times shorter ones are listed with them. */
static const double SHORTER = 8.0;

static int answers_by_program(const warplu_solver *s)
{
    return s->current.state != NULL;
}

/* The bound of the pivots in use, for what answers now. */
static wlu_bound bound_of(const warplu_solver *s, int transposed)
{
    return wlu_plan_bound(&s->ctx, s->current.plan, answers_by_program(s), transposed);
}

int wlu_solver_is_bounded_at_once(const warplu_solver *s, int transposed)
{
    if (s->trust.bounded[transposed] == WLU_BOUNDED) return 1;
    wlu_bound b = bound_of(s, transposed);
    return wlu_is_bounded(wlu_solver_health(s), &b, transposed);
}

/* ------------------------------------------------------------- row by row */

/* The numbers of factors, where they are FP64. Those of a device are copied. */
static int find_numbers(wlu_context *ctx, warplu_solver *s, wlu_numeric *out)
{
    const wlu_plan *plan = s->current.plan;
    wlu_slots slots;
    if (!answers_by_program(s)) {
        *out = wlu_numeric_of_factors(plan->pivots, s->current.factors);
        return 1;
    }
    if (wlu_precision_is_single(plan->target.precision)) return 0;
    if (wlu_state_fetch(ctx, s->current.state, 0, &slots) < 0) return 0;
    *out = wlu_numeric_of_slots(plan->pivots, plan->program, &slots);
    return 1;
}

/* Rows that replays like this one leave open, unless they are listed. */
static wlu_means *list_rows(wlu_context *ctx, warplu_solver *s, int transposed, const wlu_numeric *numbers)
{
    wlu_means **means = &s->current.means[transposed];
    wlu_plan *plan = s->current.plan;
    const int by_program = answers_by_program(s);
    const double open = wlu_means_open_key(wlu_solver_health(s), transposed);
    if (*means != NULL && (*means)->by_program == by_program && (*means)->reach <= open) return *means;
    const double reach = *means != NULL ? open / SHORTER : open;
    wlu_means_destroy(ctx, means);
    const wlu_bounded_factors factors = wlu_pivots_bounded(s->analysis->a, plan->pivots);
    const wlu_mean_places places = {.outer = transposed ? numbers->u.slot : numbers->l.slot,
                                    .f = numbers->f.slot,
                                    .pivot = numbers->pivot.slot,
                                    .tiled = by_program ? plan->program->region_slots : INT32_MAX,
                                    .numbers = by_program ? plan->program->sums : INT32_MAX,
                                    .by_program = by_program,
                                    .sum = wlu_summing_kernel(s->target.doubles)};
    const double *line = wlu_plan_line(ctx, plan, by_program, transposed);
    wlu_rounds room;
    const wlu_rounds *rounds = wlu_plan_rounds(ctx, plan, by_program, transposed, &room);
    if (line != NULL && rounds != NULL)
        (void)wlu_means_create(ctx, &factors, rounds, transposed, line, reach, &places, means);
    wlu_rounds_free(ctx, &room);
    return *means;
}

int wlu_solver_rows_hold(warplu_solver *s, int transposed, wlu_mean_look *look, int loads_alone)
{
    wlu_context quiet = s->ctx;
    wlu_numeric numbers;
    quiet.message = NULL;
    if (!find_numbers(&quiet, s, &numbers)) return 0;
    wlu_means *means = list_rows(&quiet, s, transposed, &numbers);
    look->outer = transposed ? numbers.u.x : numbers.l.x;
    look->f = numbers.f.x;
    look->pivot = numbers.pivot.x;
    look->health = wlu_solver_health(s);
    return means != NULL && wlu_means_hold(means, s->analysis->a, look, loads_alone);
}

/* Values are kept, or the caller's, or nobody has them. */
static wlu_mean_look look_with(const warplu_solver *s, const double *values)
{
    return (wlu_mean_look){.values = s->checks.kept ? s->checks.entries : values, .gathered = s->checks.kept};
}

int wlu_solver_is_bounded_by_rows(warplu_solver *s, int transposed, const double *values)
{
    wlu_bounded *known = &s->trust.bounded[transposed];
    if (*known != WLU_BOUND_OPEN || s->target.executor->device != NULL) return *known == WLU_BOUNDED;
    wlu_mean_look look = look_with(s, values);
    if (wlu_solver_rows_hold(s, transposed, &look, 0)) *known = WLU_BOUNDED;
    return *known == WLU_BOUNDED;
}

int wlu_solver_loads_are_bounded(warplu_solver *s)
{
    wlu_bound b = bound_of(s, 0);
    if (wlu_bound_suffices(wlu_solver_health(s), 0.0, b.of_loads)) return 1;
    wlu_mean_look look = look_with(s, NULL);
    return wlu_solver_rows_hold(s, 0, &look, 1);
}
