/* Limits of a program's factors (numerics/limits.h): for solves that the largest magnitudes do not vouch for. Pivots on
 * trial have none: where scales are uneven an equation as a whole says little of its small unknowns.
 *
 * A proof by all magnitudes takes as long as several solves, too much for each replay. So it is made once, where solves
 * have been checked for as long as that, and leaves a limit for each slot. Replays then need a look at their slots in
 * SIMD registers, a fraction of a residual. Where slots have left their limits solves are checked again, and limits are
 * sought again after twice as many checks; while looks are in vain, replays are left out. Limits that have served for
 * long make the wait short again.
 *
 * Where they leave no slack, the proof is of solutions that look like the one at hand: unknowns that are small beside
 * the largest may stay so. Then each solution takes a look, too, and one that does not is checked.
 *
 * Limits are of 5 significant bits, rounded down, two bytes a slot. */
#include "solver/limited.h"

#include "base/finite.h"
#include "exec/numeric.h"
#include "numerics/limits.h"
#include "solver/replay.h"
#include "solver/row_bounds.h"

#include <math.h>
#include <string.h>

enum { LONGEST_GAP = 4096 };
/* Factors with more slots than this for each entry of A have no limits: a residual takes as long as a look at eight,
 * and looks in vain, and the search for limits, have to be made up for. */
enum { SLOTS_OF_AN_ENTRY = 4 };
/* Equations may shrink by this factor from where they are when limits are found, if there is slack for it. */
static const double SHRINK = 4.0;
/* What an unknown may come to: so many times the solution at hand, or where that leaves no slack fewer times, or such a
 * part of the largest number. */
static const double REACHES[] = {64.0, 4.0}, LEAST_REACH = 0x1p-40;
/* Limits outside of this range have lost digits. */
static const double LIMIT_LEAST = 1e-290, LIMIT_MOST = 1e290;

static int may_have_limits(const warplu_solver *s)
{
    return s->current.state != NULL && s->target.executor->device == NULL &&
           s->target.precision == WARPLU_PRECISION_DOUBLE &&
           s->current.plan->program->sums <= SLOTS_OF_AN_ENTRY * (int64_t)s->analysis->a->nnz;
}

/* Whether equations are no smaller than this allows, by their drift or by their entries. */
static int equations_are_large(const warplu_solver *s, double shrunk)
{
    const wlu_bounded_factors factors = wlu_pivots_bounded(s->analysis->a, s->current.plan->pivots);
    if (wlu_solver_health(s)->drift <= shrunk) return 1;
    return s->checks.kept && wlu_equations_shrunk(&factors, s->checks.entries, s->checks.work) <= shrunk;
}

static int look(warplu_solver *s)
{
    const wlu_limits *limits = &s->current.limits;
    wlu_context quiet = s->ctx;
    wlu_slots slots;
    quiet.message = NULL;
    if (!may_have_limits(s) || limits->upper == NULL || !wlu_solver_loads_are_bounded(s)) return 0;
    if (!equations_are_large(s, limits->shrunk) || wlu_state_fetch(&quiet, s->current.state, 0, &slots) < 0) return 0;
    return wlu_weighing_kernel()(slots.v, limits->upper, s->target.doubles * s->current.plan->program->sums) <= 1.0;
}

/* The same, unless it has been in vain for the last replays that came here. */
static int look_in_time(warplu_solver *s)
{
    if (s->current.limits.upper == NULL || !wlu_pause_is_over(&s->trust.limits_pause)) return 0;
    int within = look(s);
    wlu_pause_note(&s->trust.limits_pause, !within);
    return within;
}

/* Whether equations have shrunk by more than limits allow for, as far as can be told without the values. */
static int takes_values(const warplu_solver *s)
{
    return !s->checks.kept && s->current.limits.upper != NULL &&
           !(wlu_solver_health(s)->drift <= s->current.limits.shrunk);
}

int wlu_solver_is_limited(warplu_solver *s)
{
    wlu_bounded *known = &s->trust.limited;
    if (wlu_solver_is_on_trial(s, 0)) return 0;
    if (*known != WLU_BOUND_OPEN) return *known == WLU_BOUNDED;
    if (takes_values(s)) return 0;
    *known = look_in_time(s) ? WLU_BOUNDED : WLU_NOT_BOUNDED;
    s->current.limits.replays += *known == WLU_BOUNDED;
    return *known == WLU_BOUNDED;
}

/* Magnitudes by place, and workspace behind them, in one block. */
static double *allocate(wlu_context *ctx, const wlu_pivots *p, wlu_magnitudes *m, double **work)
{
    int64_t l = p->lp[p->n], u = p->up[p->n], n = p->n;
    double *block = WLU_ALLOC(ctx, l + u + n + wlu_limits_work(n), double);
    if (block == NULL) return NULL;
    *m = (wlu_magnitudes){block, block + l, block + l + u};
    *work = block + l + u + n;
    return block;
}

static void take_magnitudes(wlu_numbers from, int64_t count, double *to)
{
    for (int64_t q = 0; q < count; q++) to[q] = wlu_numbers_size(from, q);
}

/* The upper bits of 1 over a limit, rounded up. */
static uint16_t upper_of(double limit)
{
    return (uint16_t)((wlu_bits_of_double(1.0 / fmin(limit, LIMIT_MOST)) >> 48) + 1);
}

/* 0: one is out of range. */
static int set_limits(wlu_numbers of, int64_t count, const double *limit, uint16_t *upper)
{
    int in_range = 1;
    for (int64_t q = 0; q < count; q++) {
        in_range &= limit[q] >= LIMIT_LEAST;
        for (int k = 0; k < of.doubles; k++) upper[of.doubles * (int64_t)of.slot[q] + k] = upper_of(limit[q]);
    }
    return in_range;
}

/* What unknowns may come to of the largest number, by so many times those of a solution: reach, n; and its upper bits,
 * for each double. */
static void find_reach(const double *x, double times, const wlu_pattern *a, double *reach, uint16_t *upper)
{
    double largest = wlu_largest(x, wlu_vector_doubles(a));
    for (int64_t j = 0; j < a->n; j++) {
        double part = largest > 0.0 ? fmax(times * wlu_size_at(x, j, a->doubles) / largest, LEAST_REACH) : 1.0;
        reach[j] = fmin(part, 1.0);
        for (int k = 0; k < a->doubles; k++)
            upper[a->doubles * j + k] = part < 1.0 ? upper_of(part) : wlu_upper_of_power(1.0);
    }
}

/* Limits of the factors at hand, for equations that shrink, or do not. */
static int try_limits(warplu_solver *s, const wlu_numeric *f, const double *reach, const wlu_magnitudes *m,
                      double *work)
{
    const wlu_bounded_factors factors = wlu_pivots_bounded(s->analysis->a, f->pivots);
    const wlu_pivots *p = f->pivots;
    wlu_limits *limits = &s->current.limits;
    const wlu_lu *lu = wlu_lu_of(s->current.plan->program);
    double share = wlu_factors_share(0, lu->guard.criteria.bound.of_loads);
    double least = fmax(wlu_equations_shrunk(&factors, s->checks.entries, work), 1.0);
    int found = 0;
    for (int k = 0; k < 2 && !found; k++) {
        limits->shrunk = k == 0 ? SHRINK * least : least;
        take_magnitudes(f->l, p->lp[p->n], m->l);
        take_magnitudes(f->u, p->up[p->n], m->u);
        take_magnitudes(f->pivot, p->n, m->pivot);
        found = wlu_limits_find(&factors, &lu->rounds, limits->shrunk, share, reach, m, work);
    }
    return found && set_limits(f->l, p->lp[p->n], m->l, limits->upper) &&
           set_limits(f->u, p->up[p->n], m->u, limits->upper) && set_limits(f->pivot, p->n, m->pivot, limits->upper);
}

static void seek(warplu_solver *s, const double *x)
{
    const wlu_program *program = s->current.plan->program;
    const int64_t slots_of = program->doubles * program->sums + 1;
    wlu_limits *limits = &s->current.limits;
    wlu_context quiet = s->ctx;
    wlu_magnitudes m;
    wlu_slots slots;
    double *work = NULL, *block, *reach = wlu_checks_vector(&s->checks, s->analysis->a, 0);
    quiet.message = NULL;
    if (wlu_state_fetch(&quiet, s->current.state, 0, &slots) < 0) return;
    block = allocate(&quiet, s->current.plan->pivots, &m, &work);
    if (limits->upper == NULL)
        limits->upper = WLU_CALLOC(&quiet, slots_of + wlu_vector_doubles(s->analysis->a), uint16_t);
    wlu_numeric f = wlu_numeric_of_slots(s->current.plan->pivots, program, &slots);
    int there = block != NULL && limits->upper != NULL, found = there && try_limits(s, &f, NULL, &m, work);
    limits->of_unknowns = found || !there ? NULL : limits->upper + slots_of;
    for (size_t k = 0; there && x != NULL && k < sizeof REACHES / sizeof *REACHES && !found; k++) {
        find_reach(x, REACHES[k], s->analysis->a, reach, limits->of_unknowns);
        found = try_limits(s, &f, reach, &m, work);
    }
    if (!found) wlu_solver_drop_limits(s);
    wlu_free(&quiet, block);
}

void wlu_solver_drop_limits(warplu_solver *s)
{
    wlu_free(&s->ctx, s->current.limits.upper);
    s->current.limits.upper = s->current.limits.of_unknowns = NULL;
    s->trust.limited = WLU_NOT_BOUNDED;
}

int wlu_solver_limits_reach(const warplu_solver *s)
{
    return s->trust.limited == WLU_BOUNDED && s->current.limits.of_unknowns != NULL;
}

int wlu_solver_is_in_reach(const warplu_solver *s, const double *x, double largest)
{
    return wlu_weighing_kernel()(x, s->current.limits.of_unknowns, wlu_vector_doubles(s->analysis->a)) <= largest;
}

int wlu_solver_limits_are_due(warplu_solver *s)
{
    wlu_limits *limits = &s->current.limits;
    if (!may_have_limits(s) || !s->checks.kept || s->options.check != WARPLU_CHECK_SUSPECT) return 0;
    if (limits->gap == 0 || limits->replays > limits->gap) {
        limits->gap = s->trust.limits_after;
        limits->next = limits->checks + limits->gap;
        limits->replays = 0;
    }
    return ++limits->checks > limits->next && s->trust.verdict == WLU_HEALTHY && wlu_solver_loads_are_bounded(s);
}

void wlu_solver_seek_limits(warplu_solver *s, const double *x)
{
    wlu_limits *limits = &s->current.limits;
    if (wlu_solver_is_on_trial(s, 0)) return;
    limits->gap = limits->gap < LONGEST_GAP ? 2 * limits->gap + 1 : limits->gap;
    limits->next = limits->checks + limits->gap;
    limits->replays = 0;
    s->trust.limited = WLU_BOUND_OPEN;
    s->trust.limits_pause = (wlu_pause){0};
    seek(s, x);
}
