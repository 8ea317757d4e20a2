/* Earlier pivots, most recently used first: sequences come back to old regimes, and a replay costs a fraction of
 * pivoting again.
 *
 * Pivots come with what replays them: their program on this solver's state, or, as long as none has been worth its
 * compilation, their factors by column. What they have shown comes with them: replays are counted, and accurate solves
 * hold, over all their visits. Bounded by bytes and by number; what has not been used for longest goes first. */
#ifndef WLU_SOLVER_CACHE_H
#define WLU_SOLVER_CACHE_H

#include "numerics/long_rows.h"
#include "numerics/means.h"
#include "solver/plan.h"
#include "pivot/factors.h"

/* The service of pivots: what they have been through, in all visits. */
typedef struct wlu_service {
    int64_t number;         /* theirs in this solver, from 1; the same pivots found again keep it */
    int64_t follower;       /* the number of those that took over from these last; 0: none has */
    int64_t since, length;  /* the refactor that began this visit; refactors of the last one */
    int64_t alike;          /* visits in a row as long as the one before, and with the same follower */
    int64_t direct_replays; /* by factors since pivoting, or since a program was refused */
    int64_t compile_after;  /* of these, before the program is compiled */
    double spent;    /* on weak replays since pivoting, in replays, less what healthy ones have made up for ... */
    int64_t counted; /* ... up to this refactor */
} wlu_service;

/* Accurate solves that end the checking of new pivots, one for each known system; in place of their number: a known
 * system has failed. */
enum { WLU_TRIAL_SOLVES = 3, WLU_DISPROVEN = -1 };

/* Limits of a program's factors under which solves with A need no check: limited.c. */
typedef struct wlu_limits {
    uint16_t *upper; /* for each slot that may hold a factor: 1 over its limit, or 0; NULL: none have been found */
    uint16_t *of_unknowns; /* in the same block: 1 over what each may come to of the largest; NULL: all of it */
    double shrunk;         /* equations may have this part of their magnitude when pivots were chosen */
    int64_t checks;        /* checked solves by the program */
    int64_t next;          /* limits are sought after the check of this number, */
    int64_t gap;           /* and again after so many more */
    int64_t replays;       /* these limits have vouched for so many */
} wlu_limits;

/* Rows that a program's largest magnitudes leave open: row_bounds.c. */
typedef struct wlu_listed {
    wlu_long_rows *rows;  /* NULL: none yet */
    wlu_means *means;     /* of those that magnitudes leave open then; NULL: none yet */
    int32_t times;        /* that they were listed */
    int32_t open_replays; /* before */
} wlu_listed;

/* Pivots in use, or kept: their plan, what replays it for one solver, and what they have shown. */
typedef struct wlu_loaded {
    wlu_plan *plan;
    wlu_state *state;       /* for the plan's program; NULL until this solver has it */
    wlu_factors *factors;   /* what answers while there is no state */
    int transposed_loaded;  /* the image solves with A', and this solver has seen it */
    int accurate_solves[2]; /* with A, with A': trial.h */
    wlu_listed listed[2];   /* of A, of A' */
    wlu_limits limits;
    wlu_service service;
} wlu_loaded;

/* Forgets what later pivots would depend on. */
void wlu_service_begin_anew(wlu_service *service, int64_t refactors);
/* The health of the last replay, by the program or by columns. */
const wlu_health *wlu_loaded_health(const wlu_loaded *loaded);
/* The bytes of pivots with their factors or state; they have a plan. */
int64_t wlu_loaded_bytes(const wlu_loaded *loaded);
void wlu_loaded_release(wlu_context *ctx, wlu_loaded *loaded);

/* Pivots that are not in use. */
typedef struct wlu_kept {
    wlu_loaded pivots;
    int64_t bytes;
    int past; /* put away before the last factorization of a repeatable solver: their program may serve, they do not */
} wlu_kept;

enum { WLU_CACHE_MAX = 8 };

typedef struct wlu_cache {
    int count;
    wlu_kept kept[WLU_CACHE_MAX];
} wlu_cache;

/* Takes pivots that have a state or factors, or releases them where they do not fit max_bytes. */
void wlu_cache_put(wlu_context *ctx, wlu_cache *cache, wlu_loaded pivots, int64_t max_bytes);
/* The place of pivots that are alike (wlu_pivots_alike), with a state or without one, among those that are not past; or
 * -1. */
int wlu_cache_find(const wlu_cache *cache, const wlu_pivots *pivots, int slack, int compiled);
/* The place of past pivots that are alike and have a state, or a plan that is another solver's too; or -1. */
int wlu_cache_find_past(const wlu_cache *cache, const wlu_pivots *pivots, int slack);
/* The place of those with the number, or -1. */
int wlu_cache_find_number(const wlu_cache *cache, int64_t number);
/* How many are not past: the first ones. */
int wlu_cache_present(const wlu_cache *cache);
/* All of them are past, and what they have been through is forgotten as far as later pivots depend on it. */
void wlu_cache_pass(wlu_cache *cache);
/* Hands out what stands at the place, and forgets it. */
wlu_loaded wlu_cache_take(wlu_cache *cache, int at);
void wlu_cache_clear(wlu_context *ctx, wlu_cache *cache);
int64_t wlu_cache_bytes(const wlu_cache *cache);

#endif
