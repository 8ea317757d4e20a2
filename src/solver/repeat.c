/* Factorizations that do not depend on earlier ones. See repeat.h.
 *
 * Bits depend on the order, the pivots, and whether columns or a program replay; not on scales, which are powers of
 * two. A solver that begins anew takes the same way as one just analyzed: the first order, a search, columns until a
 * program pays, an order that races once it pays, all after the same counts. What was there before only saves time:
 *
 *     pivots      replay by columns in a search's place, where a search would find them; their bits are the same
 *     programs    are recalled in place of a compilation, when its time has come
 *
 * A search would find pivots that are the diagonal of the order, with rows scaled, and pass its test. The largest |l|
 * of a replay is that test of all pivots at once, in their scales; those that the new values would be given are found,
 * too: where they differ, |l| may be larger by the largest power of two between them. Growth has to be far from what
 * would be called weak, of the pivots and of the replay: then later replays are judged alike whatever values the
 * pivots' quality is of.
 *
 * Systems that no program replays sooner than columns, and all where the options say so, are strictly repeatable, as
 * KLU's are: answers depend on the values of the last factorization, which chose the pivots, and of the last
 * refactorization alone. They begin anew with each factorization and are replayed by columns for good; each
 * refactorization tries the factorization's pivots first, and others that it has to choose serve until the next.
 * Integrators that go through the same steps twice, from a checkpoint on, count on that. Other systems begin anew when
 * they are opened or analyzed, unless small ones alone are to repeat, and go on with order and program from one
 * factorization to the next, which is what makes programs fast that never refactor. Cost: O(nnz) beside the replay. */
#include "solver/repeat.h"

#include <math.h>
#include <warplu/cache.h>

#include "base/number.h"
#include "cost/stages.h"
#include "order/row_scale.h"
#include "pivot/column_lists.h"
#include "solver/first_replay.h"
#include "solver/grow.h"
#include "solver/regimes.h"
#include "solver/replay.h"
#include "solver/settle.h"

/* Room for roundings, and for sizes of complex numbers that are not their moduli. */
static const double MARGIN = 0.5;
/* Growth above this is far from weak. */
static const double GROWTH_FAR = 2e-3;

/* Unknowns of a small system at most: of more, programs are wide enough whatever their pattern is. */
enum { SMALL_UNKNOWNS = 200 };

/* Whether lists of columns replay as fast as a program, by the counts of the order. */
static int stays_by_columns(const wlu_analysis *an)
{
    const wlu_candidate *order = &an->candidate[0];
    wlu_extent x = {an->n, an->a->nnz, order->lu_nnz, order->terms};
    return an->n <= SMALL_UNKNOWNS && wlu_stage_lists_ns(&x) <= wlu_stage_small_program_ns(&x);
}

void wlu_solver_take_first(warplu_solver *s)
{
    const int repeatable = s->options.repeatable;
    if (repeatable == WARPLU_REPEATABLE_NOT) return;
    int small = stays_by_columns(s->analysis);
    if (repeatable == WARPLU_REPEATABLE_SMALL && !small) return;
    s->first = wlu_analysis_share(s->analysis);
    s->strict = repeatable == WARPLU_REPEATABLE_STRICTLY || small;
    s->brief = s->strict && s->target.precision == WARPLU_PRECISION_DOUBLE && s->options.check == WARPLU_CHECK_SUSPECT;
}

/* Whether a search would find the pivots in use, if they passed its test. */
static int are_first_choice(const warplu_solver *s)
{
    const wlu_plan *plan = s->current.plan;
    if (plan == NULL || plan->analysis != s->analysis) return 0;
    const wlu_pivots *p = plan->pivots;
    return s->target.executor->device == NULL && s->target.precision == WARPLU_PRECISION_DOUBLE && p->candidate == 0 &&
           p->scales == WLU_ROWS_SCALED && !s->analysis->candidate[0].matched && p->quality.growth >= GROWTH_FAR &&
           s->options.pivot_absolute == 0.0 && wlu_pivots_count_off_diagonal(p, s->analysis) == 0;
}

/* The pivots in use stay, by columns; 0 where they cannot. */
static int keep_by_columns(warplu_solver *s)
{
    wlu_loaded *p = &s->current;
    wlu_context quiet = s->ctx;
    wlu_factors *factors = p->factors;
    quiet.message = NULL;
    if (!are_first_choice(s) || wlu_solver_would_replay_first(s, p->plan->pivots)) return 0;
    if (factors == NULL && wlu_factors_create(&quiet, p->plan->pivots, &factors) < 0) return 0;
    p->factors = NULL;
    wlu_plan *plan = wlu_plan_share(p->plan);
    if (p->state == NULL) wlu_loaded_release(&s->ctx, p);
    if (p->state == NULL) *p = (wlu_loaded){0};
    wlu_solver_change_pivots(s, plan, factors);
    return 1;
}

void wlu_solver_begin_anew(warplu_solver *s)
{
    if (s->first == NULL || s->growth.anew) return;
    wlu_plan_release(&s->ctx, &s->base);
    int raced = s->analysis != s->first;
    wlu_cache_pass(&s->cache);
    if (raced || !keep_by_columns(s)) wlu_solver_put_away(s);
    wlu_cache_pass(&s->cache);
    if (raced) {
        wlu_cache_clear(&s->ctx, &s->cache);
        wlu_analysis_destroy(&s->ctx, &s->analysis);
        s->analysis = wlu_analysis_share(s->first);
    }
    s->settling = wlu_settling_of(s->first);
    s->growth = (wlu_growth){.began = s->counted.refactors, .any_gain = s->growth.any_gain, .anew = 1};
    s->regimes = (wlu_regimes){.numbers = s->regimes.numbers};
    if (s->current.plan != NULL) s->current.service.compile_after = wlu_grow_compile_after(s, s->current.plan->pivots);
    s->phase = wlu_phase_unfactored(s->current.plan != NULL);
}

int wlu_solver_has_to_factor(const warplu_solver *s)
{
    return s->growth.anew || (wlu_solver_is_strict(s) && s->base == NULL);
}

void wlu_solver_note_base(warplu_solver *s)
{
    if (!wlu_solver_is_strict(s)) return;
    wlu_plan_release(&s->ctx, &s->base);
    s->base = wlu_plan_share(s->current.plan);
}

/* Columns that will replay again and again are written out as lists, and get the bound that the short way asks for;
 * without memory they stay columns. */
static void list_columns(warplu_solver *s)
{
    wlu_factors *factors = s->current.factors;
    const wlu_pivots *p = s->current.plan->pivots;
    wlu_context quiet = s->ctx;
    quiet.message = NULL;
    if (factors == NULL || factors->lists != NULL || !wlu_column_lists_fit(s->analysis->a, p)) return;
    if (wlu_factors_add_lists(&quiet, s->analysis->a, p, factors) < 0) return;
    if (s->brief) (void)wlu_plan_bound(&quiet, s->current.plan, 0, 0);
}

warplu_status wlu_solver_return_to_base(warplu_solver *s)
{
    wlu_factors *factors = NULL;
    if (s->base != NULL && (s->current.plan != s->base || s->current.factors == NULL)) {
        warplu_status status = wlu_factors_create(&s->ctx, s->base->pivots, &factors);
        if (status < 0) return status;
        wlu_plan *base = wlu_plan_share(s->base);
        wlu_solver_drop_pivots(s);
        wlu_cache_clear(&s->ctx, &s->cache);
        s->current.plan = base;
        s->current.factors = factors;
    }
    list_columns(s);
    return WARPLU_SUCCESS;
}

/* What the scales of the values may add to |l|: a power of two; infinity without memory. */
static double find_spread(const warplu_solver *s)
{
    const wlu_pivots *p = s->current.plan->pivots;
    const wlu_pattern *a = s->analysis->a;
    wlu_context quiet = s->ctx;
    quiet.message = NULL;
    double *work = WLU_ALLOC(&quiet, a->n, double), *owned = NULL, spread = INFINITY;
    int16_t *exponent = WLU_ALLOC(&quiet, a->n, int16_t);
    const double *sizes;
    if (work != NULL && exponent != NULL && wlu_pattern_sizes(&quiet, a, s->checks.entries, &owned, &sizes) >= 0) {
        int least = INT16_MAX, most = INT16_MIN;
        wlu_row_scale(a, sizes, s->options.scaling, exponent, work);
        for (int32_t i = 0; i < a->n; i++) {
            int moved = exponent[i] - p->exponent[i];
            least = moved < least ? moved : least;
            most = moved > most ? moved : most;
        }
        spread = ldexp(1.0, most - least);
    }
    wlu_free(&quiet, owned);
    wlu_free(&quiet, exponent);
    wlu_free(&quiet, work);
    return spread;
}

static int passes(const warplu_solver *s, double spread)
{
    const wlu_health *h = wlu_solver_health(s);
    return h->finite && h->growth >= GROWTH_FAR && h->smallest_pivot > 0.0 &&
           h->largest_l * spread * s->options.pivot_tolerance <= MARGIN;
}

/* It counts as a refactor: the better order where it is due, and a program. */
static warplu_status prepare(warplu_solver *s, const double *values)
{
    s->growth.began--;
    warplu_status status = wlu_grow(s, values);
    if (status == WARPLU_SUCCESS) status = wlu_solver_prepare(s);
    if (status == WARPLU_SUCCESS && s->current.state != NULL) wlu_grow_plan_race(s);
    return status;
}

warplu_status wlu_solver_replay_again(warplu_solver *s, const double *values, int *replayed)
{
    int first = s->growth.anew;
    warplu_status status = WARPLU_SUCCESS;
    *replayed = s->growth.anew = 0;
    if (s->first == NULL || !are_first_choice(s)) return status;
    if (!first) status = prepare(s, values);
    if (status < 0 || !are_first_choice(s)) return status == WARPLU_CANCELLED ? status : WARPLU_SUCCESS;
    double spread = find_spread(s);
    if (!(spread * s->options.pivot_tolerance <= MARGIN)) return WARPLU_SUCCESS;
    status = wlu_solver_replay(s, values);
    if (first) s->current.service.direct_replays = 0; /* a search is none */
    if (status < 0 || !passes(s, spread)) return status == WARPLU_CANCELLED ? status : WARPLU_SUCCESS;
    s->phase = WLU_FACTORED;
    s->trust.verdict = WLU_SUSPECT; /* until the factorization has ended */
    s->checks.kept = 1;
    *replayed = 1;
    return WARPLU_SUCCESS;
}
