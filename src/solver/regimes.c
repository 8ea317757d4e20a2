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
#include "solver/regimes.h"

#include "solver/replay.h"

/* Earlier pivots that are tried in a round. A replay costs a fifth of pivoting again. */
enum { TRIES_MAX = 2 };
/* Rounds in vain before pauses set in, which double up to the longest. */
enum { MISSES_MAX = 2, LONGEST_PAUSE = 8 };
/* Replays by columns that a return counts for: what came back comes back again, so the second return is compiled. */
enum { RETURN_COUNTS = 4 };

void wlu_solver_put_away(warplu_solver *s)
{
    wlu_loaded old = s->current;
    s->current = (wlu_loaded){0};
    int replayed = old.factors != NULL && old.service.direct_replays > 0 &&
                   wlu_cache_find_number(&s->cache, old.service.number) < 0;
    if (old.state != NULL || replayed)
        wlu_cache_put(&s->ctx, &s->cache, old, s->options.max_cache_bytes);
    else
        wlu_loaded_release(&s->ctx, &old);
    wlu_solver_forget_replays(s);
}

/* The visit of the pivots with the number, unless it had no replay, is over: those in use follow. */
static void end_visit(warplu_solver *s, int64_t number)
{
    int at = wlu_cache_find_number(&s->cache, number);
    if (at < 0) return;
    wlu_service *v = &s->cache.kept[at].pivots.service;
    int64_t length = s->counted.refactors - v->since;
    if (length == 0) return;
    v->alike = length == v->length && s->current.service.number == v->follower ? v->alike + 1 : 0;
    v->length = length;
    v->follower = s->current.service.number;
}

/* Pivots of the cache become those in use. */
static void resume_pivots(warplu_solver *s, int at)
{
    wlu_loaded earlier = wlu_cache_take(&s->cache, at);
    int64_t before = s->current.service.number;
    wlu_solver_put_away(s);
    s->current = earlier;
    wlu_service *service = &s->current.service;
    service->counted = s->counted.refactors;
    if (service->number == s->regimes.foreseen)
        service->alike = 0; /* their visit goes on */
    else
        service->since = s->counted.refactors;
    if (s->current.state == NULL) service->direct_replays += RETURN_COUNTS - 1;
    s->counted.cache_hits++;
    end_visit(s, before);
}

void wlu_solver_change_pivots(warplu_solver *s, wlu_plan *plan, wlu_factors *factors)
{
    int64_t before = s->current.service.number;
    wlu_solver_put_away(s);
    s->current.plan = plan;
    s->current.factors = factors;
    wlu_solver_recognize(s);
    end_visit(s, before);
}

/* ------------------------------------------------------------ tried */

/* What earlier pivots make of the values, whose entries the solver has. One that fails does not serve. */
static wlu_verdict replay_earlier(const warplu_solver *s, wlu_loaded *p, const double *values)
{
    wlu_context quiet = s->ctx;
    quiet.message = NULL;
    if (p->state == NULL) {
        wlu_factors_refactor(p->factors, s->analysis->a, p->plan->pivots, s->checks.entries);
        p->service.direct_replays++;
    } else if (wlu_state_refactor(&quiet, p->state, values) < 0) {
        return WLU_WEAK;
    }
    return wlu_solver_verdict_bounds_aside(s, p);
}

static void count_round(wlu_regimes *r, int served)
{
    r->misses = served ? 0 : r->misses + 1;
    int doublings = r->misses - MISSES_MAX;
    r->pause = doublings <= 0 ? 0 : doublings < 4 ? 1 << (doublings - 1) : LONGEST_PAUSE;
}

/* The place of the next pivots to be tried, after `tried` ones: those most likely, then as they stand in the cache; -1:
 * no more. */
static int next_earlier(const warplu_solver *s, int likely, int tried)
{
    int at = likely < 0 ? tried : tried == 0 ? likely : tried - 1 < likely ? tried - 1 : tried;
    return tried < TRIES_MAX && at < wlu_cache_present(&s->cache) ? at : -1;
}

wlu_verdict wlu_solver_try_earlier(warplu_solver *s, const double *values)
{
    wlu_regimes *r = &s->regimes;
    if (wlu_cache_present(&s->cache) == 0 || (r->pause > 0 && r->foreseen == 0)) {
        r->pause -= r->pause > 0;
        return WLU_WEAK;
    }
    int64_t number = r->foreseen > 0 ? r->foreseen : s->current.service.follower;
    int likely = wlu_cache_find_number(&s->cache, number), at;
    if (likely >= 0 && s->cache.kept[likely].past) likely = -1;
    for (int tried = 0; (at = next_earlier(s, likely, tried)) >= 0; tried++) {
        wlu_verdict verdict = replay_earlier(s, &s->cache.kept[at].pivots, values);
        if (verdict == WLU_WEAK) {
            s->current.service.spent += 1.0;
            continue;
        }
        resume_pivots(s, at);
        count_round(r, 1);
        return verdict;
    }
    count_round(r, 0);
    return WLU_WEAK;
}

/* ------------------------------------------------------------ foreseen */

int wlu_solver_foresee(warplu_solver *s)
{
    const wlu_service *v = &s->current.service;
    s->regimes.foreseen = 0;
    if (v->alike == 0 || s->counted.refactors - v->since != v->length || s->target.executor->device != NULL) return 0;
    int at = wlu_cache_find_number(&s->cache, v->follower);
    if (at < 0 || s->cache.kept[at].past) return 0;
    int64_t before = v->number;
    resume_pivots(s, at);
    s->regimes.foreseen = before;
    return 1;
}
