/* Earlier pivots: put away, taken up again.
 *
 * Sequences come back to old regimes, and pivots that served there serve again. What replaces pivots puts them into the
 * cache with what replays them, compiled or by columns, and with what they have been through (cache.h).
 *
 * Tried where a replay is weak: the cache's pivots replay the values, those first that took over last time; the first
 * that are not weak are in use again. Where rounds of that come to nothing they become rare, so that values new each
 * time do not pay for it.
 *
 * Foreseen where regimes take turns: pivots whose visits have been equally long, with the same ones to follow, give way
 * without a weak replay when that time has come. A wrong guess costs the replay that a right one saves, and ends the
 * guessing until visits are alike again. Numbers in this file are counts of refactors, never clocks. */
#include "solver/solver.h"

#include <string.h>

/* Earlier pivots that are tried in a round. A replay costs a fifth of pivoting again. */
enum { TRIES_MAX = 2 };
/* Rounds in vain before pauses set in, which double up to the longest. */
enum { MISSES_MAX = 2, LONGEST_PAUSE = 8 };
/* Replays by columns that a return counts for: what came back comes back again, so the second return is compiled. */
enum { RETURN_COUNTS = 4 };

/* Pivots that have been compiled, or replayed, go to the cache, others are let go. */
static void retire_pivots(warplu_solver *s)
{
    wlu_kept old = {
        .at = s->current, .factors = s->factors, .transposed_loaded = s->transposed_loaded, .service = s->service};
    memcpy(old.accurate_solves, s->accurate_solves, sizeof old.accurate_solves);
    s->current = (wlu_loaded){NULL, NULL};
    s->factors = NULL;
    int replayed = old.factors != NULL && old.service.direct_replays > 0 &&
                   wlu_cache_find_number(&s->cache, old.service.number) < 0;
    if (old.at.state != NULL || replayed)
        wlu_cache_put(&s->ctx, &s->cache, old, s->options.max_cache_bytes);
    else
        wlu_kept_release(&s->ctx, &old);
    wlu_solver_forget_replays(s);
}

/* The visit of the pivots with the number, unless it had no replay, is over: those in use follow. */
static void end_visit(warplu_solver *s, int64_t number)
{
    int at = wlu_cache_find_number(&s->cache, number);
    if (at < 0) return;
    wlu_service *v = &s->cache.kept[at].service;
    int64_t length = s->refactors - v->since;
    if (length == 0) return;
    v->alike = length == v->length && s->service.number == v->follower ? v->alike + 1 : 0;
    v->length = length;
    v->follower = s->service.number;
}

/* Pivots of the cache become those in use. */
static void resume_pivots(warplu_solver *s, int at)
{
    wlu_kept k = wlu_cache_take(&s->cache, at);
    int64_t before = s->service.number;
    retire_pivots(s);
    s->current = k.at;
    s->factors = k.factors;
    s->transposed_loaded = k.transposed_loaded;
    memcpy(s->accurate_solves, k.accurate_solves, sizeof s->accurate_solves);
    s->service = k.service;
    s->service.counted = s->refactors;
    if (s->service.number == s->foreseen)
        s->service.alike = 0; /* their visit goes on */
    else
        s->service.since = s->refactors;
    if (s->current.state == NULL) s->service.direct_replays += RETURN_COUNTS - 1;
    s->cache_hits++;
    end_visit(s, before);
}

void wlu_solver_change_pivots(warplu_solver *s, wlu_plan *plan, wlu_factors *factors)
{
    int64_t before = s->service.number;
    retire_pivots(s);
    s->current.plan = plan;
    s->factors = factors;
    wlu_solver_recognize(s);
    end_visit(s, before);
}

/* ------------------------------------------------------------ tried */

/* What earlier pivots make of the values, whose entries the solver has. One that fails does not serve. */
static wlu_verdict replay_earlier(const warplu_solver *s, wlu_kept *k, const double *values)
{
    const wlu_plan *plan = k->at.plan;
    wlu_context quiet = s->ctx;
    quiet.message = NULL;
    if (k->at.state == NULL) {
        wlu_factors_refactor(k->factors, s->analysis->a, plan->pivots, s->entries);
        k->service.direct_replays++;
    } else if (wlu_state_refactor(&quiet, k->at.state, values) < 0) {
        return WLU_WEAK;
    }
    const wlu_health *health = k->at.state != NULL ? wlu_state_health(k->at.state, 0) : &k->factors->health;
    return wlu_judge_pivots(health, &plan->pivots->quality, s->options.pivot_absolute);
}

static void count_round(warplu_solver *s, int served)
{
    s->misses = served ? 0 : s->misses + 1;
    int doublings = s->misses - MISSES_MAX;
    s->pause = doublings <= 0 ? 0 : doublings < 4 ? 1 << (doublings - 1) : LONGEST_PAUSE;
}

/* The place of the next pivots to be tried, after `tried` ones: those most likely, then as they stand in the cache; -1:
 * no more. */
static int next_earlier(const warplu_solver *s, int likely, int tried)
{
    int at = likely < 0 ? tried : tried == 0 ? likely : tried - 1 < likely ? tried - 1 : tried;
    return tried < TRIES_MAX && at < s->cache.count ? at : -1;
}

int wlu_solver_try_earlier(warplu_solver *s, const double *values)
{
    if (s->cache.count == 0 || (s->pause > 0 && s->foreseen == 0)) {
        s->pause -= s->pause > 0;
        return 0;
    }
    int likely = wlu_cache_find_number(&s->cache, s->foreseen > 0 ? s->foreseen : s->service.follower), at;
    for (int tried = 0; (at = next_earlier(s, likely, tried)) >= 0; tried++) {
        wlu_verdict verdict = replay_earlier(s, &s->cache.kept[at], values);
        if (verdict == WLU_WEAK) {
            s->service.spent += 1.0;
            continue;
        }
        resume_pivots(s, at);
        s->suspect = verdict == WLU_SUSPECT;
        s->bounded[0] = s->bounded[1] = WLU_BOUND_OPEN;
        count_round(s, 1);
        return 1;
    }
    count_round(s, 0);
    return 0;
}

/* ------------------------------------------------------------ foreseen */

int wlu_solver_foresee(warplu_solver *s)
{
    const wlu_service *v = &s->service;
    s->foreseen = 0;
    if (v->alike == 0 || s->refactors - v->since != v->length || s->target.executor->device != NULL) return 0;
    int at = wlu_cache_find_number(&s->cache, v->follower);
    if (at < 0) return 0;
    int64_t before = v->number;
    resume_pivots(s, at);
    s->foreseen = before;
    return 1;
}
