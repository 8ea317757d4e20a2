/* Rows that the largest magnitudes leave open, by their own numbers. See row_bounds.h. */
#include "solver/row_bounds.h"

#include "exec/numeric.h"

/* Replays by a program that leave rows open before these are listed: a list takes as long as some four checks. */
enum { LISTED_AFTER = 2 };
/* Where replays leave open rows that are not listed yet, so many times shorter ones are listed with them; then all. */
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

/* The key from which on rows are open. */
static double open_key(const warplu_solver *s, int transposed)
{
    const wlu_health *h = wlu_solver_health(s);
    return wlu_means_open_key(h, transposed, wlu_factors_share(h->single, bound_of(s, transposed).of_loads));
}

int wlu_solver_is_bounded_at_once(const warplu_solver *s, int transposed)
{
    if (s->trust.bounded[transposed] == WLU_BOUNDED) return 1;
    wlu_bound b = bound_of(s, transposed);
    return wlu_is_bounded(wlu_solver_health(s), &b, transposed);
}

/* ------------------------------------------------------------- row by row */

/* The numbers of a program's factors, where they are FP64 and on the host: from a device they would take longer to come
 * than a check, and may fail to. */
static int find_numbers(wlu_context *ctx, warplu_solver *s, wlu_numeric *out)
{
    const wlu_plan *plan = s->current.plan;
    wlu_slots slots;
    if (!answers_by_program(s) || wlu_precision_is_single(plan->target.precision)) return 0;
    if (s->target.executor->device != NULL) return 0;
    if (wlu_state_fetch(ctx, s->current.state, 0, &slots) < 0) return 0;
    *out = wlu_numeric_of_slots(plan->pivots, plan->program, &slots);
    return 1;
}

/* Rows that replays like this one leave open, unless they are listed. */
static wlu_means *list_rows(wlu_context *ctx, warplu_solver *s, int transposed, const wlu_numeric *numbers)
{
    wlu_listed *listed = &s->current.listed[transposed];
    wlu_plan *plan = s->current.plan;
    const double open = open_key(s, transposed);
    if (listed->means != NULL && listed->means->reach <= open) return listed->means;
    const double reach = listed->times == 0 ? open : listed->times == 1 ? open / SHORTER : 0.0;
    wlu_means_destroy(ctx, &listed->means);
    listed->times++;
    const wlu_bounded_factors factors = wlu_pivots_bounded(s->analysis->a, plan->pivots);
    const wlu_mean_places places = {.outer = transposed ? numbers->u.slot : numbers->l.slot,
                                    .f = numbers->f.slot,
                                    .pivot = numbers->pivot.slot,
                                    .numbers = plan->program->sums,
                                    .sum = wlu_summing_kernel(s->target.doubles),
                                    .list_left = wlu_listing_kernel(s->target.doubles)};
    const double *line = wlu_plan_line(ctx, plan, 1, transposed);
    const wlu_rounds *rounds = wlu_plan_rounds(ctx, plan, transposed);
    if (line != NULL && rounds != NULL)
        (void)wlu_means_create(ctx, &factors, rounds, transposed, line, reach, &places, &listed->means);
    return listed->means;
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

/* Rows of a program that replays like this one may leave open; NULL where memory has run out. */
static const wlu_long_rows *long_rows(warplu_solver *s, const wlu_bounded_factors *factors, int transposed,
                                      const double *line)
{
    wlu_long_rows **rows = &s->current.listed[transposed].rows;
    wlu_context quiet = s->ctx;
    const double open = open_key(s, transposed);
    quiet.message = NULL;
    if (*rows != NULL && (*rows)->reach <= open) return *rows;
    const double reach = *rows == NULL ? open / SHORTER : 0.0;
    wlu_long_rows_destroy(&quiet, rows);
    (void)wlu_long_rows_create(&quiet, factors, transposed, line, reach >= 0.0 ? reach : 0.0, rows);
    return *rows;
}

/* With the largest numbers of the factors, and the rows' magnitudes of now. */
static int hold_by_magnitudes(warplu_solver *s, int transposed, const wlu_mean_look *look)
{
    const wlu_health *h = wlu_solver_health(s);
    const double loads = bound_of(s, transposed).of_loads;
    if (look->values == NULL || !wlu_bound_suffices(h, 0.0, loads)) return 0;
    const wlu_bounded_factors factors = wlu_pivots_bounded(s->analysis->a, s->current.plan->pivots);
    const double *line = wlu_plan_line(&s->ctx, s->current.plan, answers_by_program(s), transposed);
    if (line == NULL) return 0;
    if (!answers_by_program(s)) {
        double now = wlu_bound_by_largest(&factors, transposed, line, look->values, look->gathered);
        return wlu_bound_suffices(h, now * h->largest_u, loads);
    }
    const wlu_long_rows *rows = long_rows(s, &factors, transposed, line);
    if (rows == NULL || !(rows->reach <= open_key(s, transposed))) return 0;
    double now = wlu_long_rows_bound(rows, s->analysis->a, look->values, look->gathered);
    return wlu_bound_suffices(h, now * h->largest_u, loads);
}

/* Whether the rows that the largest magnitudes leave open are listed with their numbers, which decide then. */
static int is_listed(const warplu_solver *s, int transposed)
{
    const wlu_means *means = s->current.listed[transposed].means;
    return answers_by_program(s) && means != NULL && means->reach <= open_key(s, transposed);
}

/* Of factors by columns: with the rows' own numbers. */
static int hold_by_columns(const warplu_solver *s, int transposed)
{
    if (!s->checks.kept) return 0;
    const wlu_factors *f = s->current.factors;
    const double *entries = s->checks.entries;
    const wlu_bounded_factors factors = wlu_pivots_bounded(s->analysis->a, s->current.plan->pivots);
    const wlu_bounded_numbers numbers = {f->lx, f->ux, f->pivot};
    const wlu_plan_lines *lines = wlu_plan_lines_of(&s->ctx, s->current.plan, 0, transposed);
    wlu_health own = *wlu_solver_health(s);
    own.largest_l = 1.0; /* the bound is of all l and u */
    if (lines == NULL) return 0;
    double loads = lines->bound.of_loads;
    if (!wlu_bound_suffices(&own, 0.0, loads))
        loads = wlu_bound_loads_by_columns(&factors, &lines->rounds, transposed, f->fx, entries, s->checks.work);
    if (!wlu_bound_suffices(&own, 0.0, loads)) return 0;
    double now = wlu_bound_by_columns(&factors, &lines->rounds, transposed, &numbers, entries, s->checks.work);
    return wlu_bound_suffices(&own, now, loads);
}

/* Whether solves are checked for the time being, rather than that rows are listed. Of those that F leaves open there
 * are few. */
static int is_too_early(warplu_solver *s, int transposed, const double *values)
{
    wlu_listed *listed = &s->current.listed[transposed];
    if (values == NULL && !s->checks.kept) return 0;
    if (!wlu_bound_suffices(wlu_solver_health(s), 0.0, bound_of(s, transposed).of_loads)) return 0;
    return listed->open_replays < LISTED_AFTER && listed->open_replays++ >= 0;
}

int wlu_solver_is_bounded_by_values(warplu_solver *s, int transposed)
{
    wlu_bounded *known = &s->trust.bounded[transposed];
    if (*known != WLU_BOUND_OPEN) return *known == WLU_BOUNDED;
    const wlu_mean_look look = look_with(s, NULL);
    const int bounded =
        wlu_solver_is_bounded_at_once(s, transposed) ||
        (!answers_by_program(s) && (hold_by_magnitudes(s, transposed, &look) || hold_by_columns(s, transposed)));
    *known = bounded ? WLU_BOUNDED : WLU_NOT_BOUNDED;
    return bounded;
}

int wlu_solver_is_bounded_by_rows(warplu_solver *s, int transposed, const double *values)
{
    wlu_bounded *known = &s->trust.bounded[transposed];
    if (*known != WLU_BOUND_OPEN || s->target.executor->device != NULL || s->trust.rows_looked_at[transposed])
        return *known == WLU_BOUNDED;
    s->trust.rows_looked_at[transposed] = 1;
    wlu_mean_look look = look_with(s, values);
    if (!is_listed(s, transposed) && hold_by_magnitudes(s, transposed, &look)) *known = WLU_BOUNDED;
    if (*known != WLU_BOUNDED && !answers_by_program(s) && hold_by_columns(s, transposed)) *known = WLU_BOUNDED;
    if (*known == WLU_BOUNDED || !answers_by_program(s) || is_too_early(s, transposed, values))
        return *known == WLU_BOUNDED;
    if (wlu_solver_rows_hold(s, transposed, &look, 0)) *known = WLU_BOUNDED;
    return *known == WLU_BOUNDED;
}

int wlu_solver_is_bounded_by_all(warplu_solver *s, int transposed)
{
    const wlu_health *h = wlu_solver_health(s);
    const wlu_bounded_factors factors = wlu_pivots_bounded(s->analysis->a, s->current.plan->pivots);
    const double *line = wlu_plan_line(&s->ctx, s->current.plan, answers_by_program(s), transposed);
    double *largest = s->checks.work + s->analysis->a->n;
    if (line == NULL) return 0;
    double now = wlu_bound_now(&factors, transposed, line, s->checks.entries, s->checks.work);
    if (wlu_bound_suffices(h, now * h->largest_u, bound_of(s, transposed).of_loads)) return 1;
    wlu_mean_look look = {.largest = largest};
    return now < INFINITY && s->current.listed[transposed].means != NULL &&
           wlu_solver_rows_hold(s, transposed, &look, 0);
}

int wlu_solver_loads_are_bounded(warplu_solver *s)
{
    wlu_bound b = bound_of(s, 0);
    if (wlu_bound_suffices(wlu_solver_health(s), 0.0, b.of_loads)) return 1;
    wlu_mean_look look = look_with(s, NULL);
    return wlu_solver_rows_hold(s, 0, &look, 1);
}
