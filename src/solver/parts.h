/* The parts of a solver: data alone. Each part belongs to one file, which alone changes it, and each file includes the
 * functions that it calls. From below:
 *
 *     phase  plan <- cache  checks       know no solver
 *     parts                              the struct
 *     replay  settle                     the factors at hand; which analysis of the pattern
 *     row_bounds  limited  bounded  known_systems  regimes    what vouches for solves; earlier pivots
 *     trial                              what solves so far say of pivots
 *     grow                               which stage comes when; a better order
 *     repivot  first_replay              new pivots, by a search or without
 *     repeat                             factorizations that do not depend on earlier ones
 *     trust                              what is done about a verdict
 *     short                              replays and solves of small systems, without all that
 *     solve  device                      solves; replays and solves on device pointers
 *     solver                             life: create, analyze, factor, refactor, clone, destroy
 */
#ifndef WLU_SOLVER_PARTS_H
#define WLU_SOLVER_PARTS_H

#include "base/team.h"
#include "base/turn.h"
#include "numerics/verdict.h"
#include "solver/cache.h"
#include "solver/checks.h"
#include "solver/phase.h"

/* An analysis that is not settled was made from the pattern alone, or from values that are singular. */
typedef enum wlu_unsettled { WLU_SETTLED, WLU_FROM_PATTERN, WLU_FROM_SINGULAR } wlu_unsettled;

/* Whether the analysis may be replaced: settle.c. */
typedef struct wlu_settling {
    wlu_unsettled unsettled;
    int reconsidered; /* another analysis has been tried after pivoting again */
} wlu_settling;

/* Whether a bound on solves by the factors at hand is what a success promises: not looked at yet, or open; it is; it is
 * not. */
typedef enum wlu_bounded { WLU_BOUND_OPEN, WLU_BOUNDED, WLU_NOT_BOUNDED } wlu_bounded;

/* Whether known systems have been tried; accurate solves until they are tried again, and from one attempt to the next:
 * trial.c. */
typedef struct wlu_retry {
    int tried;
    int32_t left, gap;
} wlu_retry;

/* Replays for which a look in vain is not repeated: so many, and still. */
typedef struct wlu_pause {
    int32_t length, left;
} wlu_pause;

enum { WLU_LONGEST_PAUSE = 64 };

/* Whether it is time for a look; a replay for which it is not is counted. */
static inline int wlu_pause_is_over(wlu_pause *p)
{
    if (p->left == 0) return 1;
    p->left--;
    return 0;
}

/* After a look: pauses double while looks are in vain. */
static inline void wlu_pause_note(wlu_pause *p, int in_vain)
{
    p->length = !in_vain ? 0 : p->length == 0 ? 1 : p->length < WLU_LONGEST_PAUSE ? 2 * p->length : p->length;
    p->left = p->length - (p->length > 0);
}

/* Trust is what is known of the factors at hand and of solves by them. Pairs are of A and A'. */
typedef struct wlu_trust {
    wlu_verdict verdict;    /* trust.c: solves are replayed (healthy), or checked whatever their bound is */
    wlu_bounded bounded[2]; /* bounded.c; open again with each replay */
    int rows_looked_at[2];  /* row_bounds.c; the same */
    wlu_pause pause[2];     /* bounded.c */
    wlu_bounded limited;    /* limited.c; the same, of A */
    wlu_pause limits_pause;
    int64_t limits_after;    /* checks of a program's solves before limits are sought; tests set 0 */
    wlu_retry retry[2];      /* trial.c */
    double least_proven[2];  /* short.c: solutions whose sizes add up to less are not proven; 0: not known yet */
    int wanted[2];           /* solve.c: solves have been asked for, so values are kept until these are proven */
    int solved_on_device[2]; /* device.c: solves have been enqueued there */
} wlu_trust;

/* The search among earlier pivots: regimes.c. */
typedef struct wlu_regimes {
    int64_t numbers;  /* handed out to pivots so far */
    int misses;       /* weak replays in a row for which earlier pivots were tried in vain ... */
    int pause;        /* ... and weak replays now for which they are not tried */
    int64_t foreseen; /* the pivots that gave way, unproven weak, before this replay; 0: none */
} wlu_regimes;

/* What a solver will grow into: grow.c, but for what another file is named for. */
typedef struct wlu_growth {
    int64_t began;      /* refactors before the analysis, less factorizations that were replays since */
    int64_t race_after; /* the refactor since then before which orders race; 0: not planned; INT64_MAX: never (again) */
    int any_gain;       /* 1, which tests set: the race's winner is taken whatever it saves */
    int anew;           /* nothing has been factored since the solver began, or began anew: repeat.c */
    int searches;       /* 1: the diagonal has failed a first replay, or has no program: first_replay.c */
} wlu_growth;

/* How often, since the solver was made. */
typedef struct wlu_counters {
    int64_t analyses; /* that the caller asked for, restored ones too */
    int64_t factors, refactors, repivots, solves, refined_solves;
    int64_t weak_replays, proven_replays, checked_solves, compilations, cache_hits;
} wlu_counters;

/* Facts about the last solve: solve.c. */
typedef struct wlu_last_solve {
    double backward_error; /* of the last solve that was checked; -1: none was */
    int32_t refinement_steps;
    int all_checked; /* every right-hand side was */
} wlu_last_solve;

/* A solver's place in a cache of solvers: pattern_cache.c. */
typedef struct wlu_membership {
    struct warplu_cache *cache; /* NULL: in none */
    struct wlu_known *known;    /* its pattern there */
    int idle;
    int64_t analyses, bytes;        /* when it was opened; when it was closed */
    warplu_solver *before, *behind; /* among the pattern's solvers */
    warplu_solver *newer, *older;   /* among all that are idle */
} wlu_membership;

struct warplu_solver {
    wlu_context ctx; /* what create found; it does not change */
    wlu_turn turn;   /* of calls: api/entry.h */
    warplu_options options;
    wlu_target target;  /* what replays, and */
    wlu_target refines; /* what replays pivots that nobody vouches for: the same, or where it takes device pointers and
                           solves can be refined there, the target that does */
    const wlu_cost *cost; /* what programs are compiled by, and orders chosen */
    wlu_team *team;       /* of options.threads; NULL: one thread */

    wlu_phase phase;
    wlu_analysis *analysis;
    wlu_analysis *first; /* what a repeatable solver begins with; else NULL: repeat.c */
    int strict;          /* repeatable, whatever was refactored between: repeat.c */
    int brief;           /* what is strict may go the short way: short.c */
    wlu_plan *base;      /* of a strictly repeatable solver: the pivots of the last factorization; else NULL */
    wlu_settling settling;
    wlu_growth growth;
    wlu_loaded current; /* the pivots in use */
    wlu_cache cache;    /* earlier pivots */
    wlu_regimes regimes;
    wlu_trust trust;
    wlu_checks checks;
    wlu_counters counted;
    wlu_last_solve last;
    wlu_membership cached;
    int replays_first; /* 1, which tests set: first factorizations are replays however long they take */
};

/* Whether solves with A, or A', by the pivots in use are still checked for the pivots' sake: trial.c. */
static inline int wlu_solver_is_on_trial(const warplu_solver *s, int transposed)
{
    return s->current.accurate_solves[transposed] < WLU_TRIAL_SOLVES;
}

/* Whether answers depend on the values of the last factorization and of the last refactorization alone: repeat.c. */
static inline int wlu_solver_is_strict(const warplu_solver *s)
{
    return s->strict;
}

/* The pivots in use and the compiled program; NULL where there are none. */
static inline const wlu_pivots *wlu_solver_pivots(const warplu_solver *s)
{
    return s->current.plan != NULL ? s->current.plan->pivots : NULL;
}

static inline const wlu_program *wlu_solver_program(const warplu_solver *s)
{
    return s->current.state != NULL ? s->current.plan->program : NULL;
}

static inline const wlu_health *wlu_solver_health(const warplu_solver *s)
{
    return wlu_loaded_health(&s->current);
}

/* The thresholds of the precision that replays are in. */
static inline wlu_thresholds wlu_solver_thresholds(const warplu_solver *s)
{
    return wlu_thresholds_of(s->target.precision == WARPLU_PRECISION_SINGLE);
}

/* The matrix of the factors at hand, for checks. */
static inline wlu_checked wlu_solver_checked(const warplu_solver *s)
{
    return wlu_checks_matrix(&s->checks, s->analysis->a);
}

#endif
