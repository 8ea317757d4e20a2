/* What is done about what is found. See trust.h.
 *
 * A replay. Healthy: it serves. Suspect: it serves, and solves are checked. Weak, in this order:
 * 1. Earlier pivots replay the values; those that are not weak take over (regimes.c).
 * 2. The replay may prove itself: it solves A x = b for a known x, and where the backward error is small the factors
 *    stay, suspect. |l| > 1e6 is a warning sign, not a verdict: many such replays are backward stable, and a proof
 *    costs a solve and a residual where pivoting again costs several refactorizations. Once proofs, and tries of
 *    earlier pivots in vain, have cost what new pivots cost, those are chosen. Healthy replays make up for them slowly,
 *    so that proofs few and far between go on for ever.
 * 3. New pivots, by the order and scaling that served before (repivot.c).
 *
 * A solve. What vouches for it is a bound on the backward errors of all solves by the factors at hand (bounded.c), and
 * that the pivots have proven themselves on known systems or earlier solves (trial.c); else it is checked: backward
 * error, refinement, pivoting again, a warning. For callers that judge solutions themselves (WARPLU_CHECK_REPLAYS) a
 * healthy replay vouches for its solves, and neither bounds nor known systems are asked for. */
#include "solver/trust.h"

#include <math.h>

#include "solver/bounded.h"
#include "solver/known_systems.h"
#include "solver/limited.h"
#include "solver/regimes.h"
#include "solver/replay.h"
#include "solver/repivot.h"
#include "solver/row_bounds.h"
#include "solver/trial.h"

/* Replays' time that is spent on proofs before new pivots are chosen, and what a proof takes of it with the checked
 * solve that follows: of ng_add20 0.10 ms where a replay takes 0.05. New pivots with their program cost some 16
 * replays; half of that brings two regimes in turn to pivots that serve both, and to their program, within 20 steps. */
static const double NEW_PIVOTS = 7.0, PROOF = 2.0;
/* The part of what was spent that a healthy replay makes up for: proofs rarer than one in 32 replays never come to new
 * pivots. */
static const double MADE_UP = 1.0 / 96.0;

int wlu_trust_is_refined(const warplu_solver *s)
{
    return s->current.state != NULL && s->current.plan->target.precision == WARPLU_PRECISION_MIXED;
}

int wlu_trust_may_check(const warplu_solver *s)
{
    return s->checks.kept && s->options.check != WARPLU_CHECK_OFF && !wlu_trust_is_refined(s);
}

/* Mixed precision promises what its executors refine to, before there is a program too. */
static int is_mixed_by_columns(const warplu_solver *s)
{
    return s->current.state == NULL && s->target.precision == WARPLU_PRECISION_MIXED;
}

int wlu_trust_withholds(const warplu_solver *s)
{
    return s->options.check != WARPLU_CHECK_OFF && s->options.on_weak == WARPLU_ON_WEAK_REPIVOT;
}

int32_t wlu_trust_refinement_steps(const warplu_solver *s)
{
    return s->options.on_weak == WARPLU_ON_WEAK_REPORT ? 0 : s->options.max_refinement_steps;
}

double wlu_trust_aim(const warplu_solver *s)
{
    if (s->options.check == WARPLU_CHECK_ALWAYS) return wlu_thresholds_of(0).refined_always;
    return is_mixed_by_columns(s) ? wlu_thresholds_of(0).corrected : wlu_solver_thresholds(s).refined;
}

/* ------------------------------------------------------------- choosing */

static int has_tried(const wlu_finding *f, wlu_action action)
{
    return (f->tried >> action & 1) != 0;
}

/* What proofs and tries in vain have come to is less than new pivots cost, and the factors can be proven at all. */
static int is_worth_a_proof(const warplu_solver *s)
{
    return (s->current.service.spent < NEW_PIVOTS || wlu_solver_is_strict(s)) &&
           wlu_may_be_proven(wlu_solver_health(s), s->options.pivot_absolute);
}

static wlu_action choose_for_weak(const warplu_solver *s, const wlu_finding *f)
{
    if (!f->has_values) return WLU_REPORT_WEAK;
    if (s->options.on_weak != WARPLU_ON_WEAK_REPIVOT)
        return wlu_solver_health(s)->finite ? WLU_REPORT_WEAK : WLU_REPORT_NOT_FINITE;
    if (!has_tried(f, WLU_TRY_EARLIER) && !wlu_solver_is_strict(s)) return WLU_TRY_EARLIER;
    if (!has_tried(f, WLU_TRY_KNOWN_SYSTEM) && is_worth_a_proof(s)) return WLU_TRY_KNOWN_SYSTEM;
    return WLU_PIVOT_AGAIN;
}

static wlu_action choose_for_replay(const warplu_solver *s, const wlu_finding *f)
{
    if (s->options.check == WARPLU_CHECK_OFF)
        return wlu_health_shows(wlu_solver_health(s)) ? WLU_ACCEPT : WLU_REPORT_NOT_FINITE;
    switch (f->verdict) {
    case WLU_HEALTHY: return WLU_ACCEPT;
    case WLU_SUSPECT: return WLU_CHECK;
    case WLU_WEAK: break;
    }
    return choose_for_weak(s, f);
}

/* Whether nothing vouches for a solve by the factors at hand. In strictly repeatable solvers bounds by the values at
 * hand do, and nothing else: other bounds depend on earlier replays and trials on earlier solves, and whether x was
 * refined shows in its bits. */
static int is_unproven(warplu_solver *s, int transposed)
{
    int on_trial = wlu_solver_is_on_trial(s, transposed);
    if (s->trust.verdict != WLU_HEALTHY) return 1;
    if (s->options.check == WARPLU_CHECK_REPLAYS) return 0;
    if (wlu_solver_is_strict(s)) return !wlu_solver_is_bounded_by_values(s, transposed);
    if (!on_trial && wlu_solver_is_bounded_at_once(s, transposed)) return 0;
    if (!on_trial && wlu_solver_is_bounded_by_rows(s, transposed, NULL)) return 0;
    if (!transposed && wlu_solver_is_limited(s)) return 0;
    return on_trial || !wlu_solver_is_bounded(s, transposed);
}

/* Whether what vouches for a solve does so for some solutions alone. */
static int depends_on_x(const warplu_solver *s, const wlu_finding *f)
{
    return !f->transposed && wlu_solver_limits_reach(s);
}

static wlu_action choose_for_solve(warplu_solver *s, const wlu_finding *f)
{
    if (!s->checks.kept || s->options.check == WARPLU_CHECK_OFF) return WLU_ACCEPT;
    if (s->options.check == WARPLU_CHECK_ALWAYS || is_mixed_by_columns(s)) return WLU_CHECK;
    if (!wlu_trust_is_refined(s)) return is_unproven(s, f->transposed) ? WLU_CHECK : WLU_ACCEPT;
    int on_trial = s->options.check != WARPLU_CHECK_REPLAYS && wlu_solver_is_on_trial(s, f->transposed);
    return s->trust.verdict != WLU_HEALTHY || on_trial ? WLU_CHECK : WLU_ACCEPT;
}

/* Whether a solution is so small that what vouches for others does not for it. */
static int underflows(const warplu_solver *s, const wlu_finding *f)
{
    if (f->zero || (s->options.check == WARPLU_CHECK_REPLAYS && s->trust.verdict == WLU_HEALTHY)) return 0;
    wlu_bound b = wlu_plan_bound(&s->ctx, s->current.plan, s->current.state != NULL, f->transposed);
    return f->largest < wlu_least_solution(wlu_solver_health(s), &b, f->transposed);
}

/* One that underflows is checked where it can be. */
static wlu_action choose_for_answer(warplu_solver *s, const wlu_finding *f)
{
    int refined = wlu_trust_is_refined(s);
    if (!(f->largest < INFINITY)) return WLU_REPORT_NOT_FINITE;
    if (s->options.check == WARPLU_CHECK_OFF) return WLU_ACCEPT;
    int may_check = wlu_trust_may_check(s);
    if (underflows(s, f)) return may_check ? WLU_CHECK : WLU_REPORT_INACCURATE;
    int proven = refined || !is_unproven(s, f->transposed);
    if (proven && !refined && depends_on_x(s, f) && !wlu_solver_is_in_reach(s, f->x, f->largest)) {
        wlu_solver_drop_limits(s);
        proven = 0;
    }
    if (proven) return WLU_ACCEPT;
    return may_check ? WLU_CHECK : WLU_REPORT_UNCHECKED;
}

/* New pivots do not help where these are the values that the ones in use were chosen for, nor where b is not finite. */
static wlu_action choose_for_check(const warplu_solver *s, const wlu_finding *f)
{
    int may_pivot = s->phase != WLU_FACTORED && s->options.on_weak == WARPLU_ON_WEAK_REPIVOT && f->b_finite;
    if (!f->keeps_promise && may_pivot && !has_tried(f, WLU_PIVOT_AGAIN)) return WLU_PIVOT_AGAIN;
    if (isnan(f->error)) return WLU_REPORT_NOT_FINITE;
    return f->keeps_promise ? WLU_ACCEPT : WLU_REPORT_INACCURATE;
}

/* Pivots on trial are no reason here: a device refines solves by these where it can. */
static wlu_action choose_for_unseen(warplu_solver *s, const wlu_finding *f)
{
    if (s->options.check == WARPLU_CHECK_OFF) return WLU_ACCEPT;
    int vouched = s->trust.verdict == WLU_HEALTHY &&
                  (s->options.check == WARPLU_CHECK_REPLAYS || wlu_solver_is_bounded(s, f->transposed));
    return vouched ? WLU_ACCEPT : WLU_REPORT_UNCHECKED;
}

wlu_action wlu_trust_choose(warplu_solver *s, const wlu_finding *f)
{
    switch (f->subject) {
    case WLU_A_REPLAY: return choose_for_replay(s, f);
    case WLU_A_SOLVE: return choose_for_solve(s, f);
    case WLU_AN_ANSWER: return choose_for_answer(s, f);
    case WLU_A_RESIDUAL:
        return f->error > wlu_trust_aim(s) && wlu_trust_refinement_steps(s) > 0 ? WLU_REFINE : WLU_ACCEPT;
    case WLU_A_CHECK: return choose_for_check(s, f);
    case WLU_A_REFINED_SOLVE: return f->keeps_promise ? WLU_ACCEPT : WLU_REPORT_INACCURATE;
    case WLU_AN_UNSEEN_SOLVE: return choose_for_unseen(s, f);
    }
    return WLU_REPORT_UNCHECKED;
}

/* ----------------------------------------------------- what is done: replays */

/* Whether something is left to be proven of solves with A, or A', by a replay just judged. Solves with A are asked for
 * unless all that came were of A'. */
static int is_open(warplu_solver *s, int transposed, const double *values)
{
    if (!s->trust.wanted[transposed] && (transposed || s->trust.wanted[1])) return 0;
    int on_trial = wlu_solver_is_on_trial(s, transposed);
    if (!on_trial && wlu_solver_is_bounded_at_once(s, transposed)) return 0;
    if (!on_trial && wlu_solver_is_bounded_by_rows(s, transposed, values)) return 0;
    return transposed || !wlu_solver_is_limited(s) || wlu_solver_limits_reach(s);
}

void wlu_trust_keep_values(warplu_solver *s, const double *values)
{
    if (s->checks.kept || s->options.check == WARPLU_CHECK_OFF) return;
    int healthy = s->trust.verdict == WLU_HEALTHY;
    if (healthy && s->options.check == WARPLU_CHECK_REPLAYS) return;
    if (healthy && s->options.check == WARPLU_CHECK_SUSPECT && !is_open(s, 0, values) && !is_open(s, 1, values)) return;
    wlu_pattern_gather(s->analysis->a, values, s->checks.entries);
    s->checks.kept = 1;
}

static warplu_status accept(warplu_solver *s, wlu_verdict verdict, const double *values)
{
    s->trust.verdict = verdict;
    if (values != NULL) wlu_trust_keep_values(s, values);
    return WARPLU_SUCCESS;
}

/* Healthy replays since the last weak one make up for a part of what was spent. */
static void make_up(wlu_service *service, int64_t now)
{
    int64_t healthy = now - service->counted - 1;
    if (healthy > 0) service->spent *= pow(1.0 - MADE_UP, (double)healthy);
    service->counted = now;
}

/* Before anything is done about a weak replay whose values are here: they are kept, and have to be finite. */
static warplu_status look_at_values(warplu_solver *s, const double *values)
{
    warplu_status status = wlu_gather_finite(&s->ctx, s->analysis->a, values, s->checks.entries);
    if (status < 0) return status;
    s->checks.kept = 1;
    make_up(&s->current.service, s->counted.refactors);
    return WARPLU_SUCCESS;
}

/* The weak factors at hand have to solve a known system; those that do are suspect from then on. */
static warplu_status try_known_system(warplu_solver *s, wlu_verdict *verdict)
{
    double accurate = wlu_solver_thresholds(s).accurate, error = INFINITY;
    warplu_status status = wlu_solver_known_error(s, accurate, &error);
    if (status < 0 || !(error <= accurate)) return status;
    status = wlu_solver_release_withheld(s);
    if (status < 0) return status;
    s->current.service.spent += PROOF;
    s->counted.proven_replays++;
    *verdict = WLU_SUSPECT;
    return WARPLU_SUCCESS;
}

static warplu_status pivot_again(warplu_solver *s)
{
    warplu_status status = wlu_solver_pivot_again(s);
    if (status >= 0 && !wlu_solver_is_strict(s)) wlu_solver_reconsider_analysis(s);
    return status;
}

static warplu_status report_weak(warplu_solver *s)
{
    s->trust.verdict = WLU_WEAK;
    return wlu_fail(&s->ctx, WARPLU_WEAK, "%s", warplu_status_text(WARPLU_WEAK));
}

static warplu_status report_not_finite(warplu_solver *s)
{
    return wlu_fail(&s->ctx, WARPLU_NOT_FINITE, "%s",
                    s->options.check == WARPLU_CHECK_OFF
                        ? "a value is not finite, or the replay overflows"
                        : "the replay overflows or divides by zero, and its pivots are kept");
}

/* One action after the other, until one ends it. */
static warplu_status act(warplu_solver *s, const double *values, wlu_finding *f)
{
    warplu_status status = WARPLU_SUCCESS;
    while (status == WARPLU_SUCCESS) {
        wlu_action action = wlu_trust_choose(s, f);
        f->tried |= 1u << action;
        switch (action) {
        case WLU_TRY_EARLIER: f->verdict = wlu_solver_try_earlier(s, values); break;
        case WLU_TRY_KNOWN_SYSTEM: status = try_known_system(s, &f->verdict); break;
        case WLU_PIVOT_AGAIN: return pivot_again(s);
        case WLU_ACCEPT:
        case WLU_CHECK: return accept(s, f->verdict, values);
        case WLU_REPORT_NOT_FINITE: return report_not_finite(s);
        case WLU_REFINE: /* of solves: no replay comes to these */
        case WLU_REPORT_UNCHECKED:
        case WLU_REPORT_INACCURATE:
        case WLU_REPORT_WEAK: return report_weak(s);
        }
    }
    return status;
}

warplu_status wlu_trust_judge_replay(warplu_solver *s, const double *values, wlu_verdict *verdict)
{
    wlu_finding f = {.subject = WLU_A_REPLAY, .has_values = values != NULL, .verdict = WLU_HEALTHY};
    warplu_status status = WARPLU_SUCCESS;
    if (s->options.check != WARPLU_CHECK_OFF) f.verdict = wlu_solver_verdict_bounds_aside(s, &s->current);
    *verdict = f.verdict;
    if (f.verdict == WLU_WEAK) {
        s->counted.weak_replays++;
        if (values != NULL) status = look_at_values(s, values);
    }
    return status < 0 ? status : act(s, values, &f);
}
