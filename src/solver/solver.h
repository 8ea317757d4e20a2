/* The solver: one of each object and the policy that ties them. Internal face, for the API's files, the command
 * line and tests.
 *
 * Files: entry.c (the calls of warplu.h), solver.c (life: create, analyze, factor, refactor, clone, destroy), replay.c
 * (the factors at hand, compiled or not), regimes.c (earlier pivots), repivot.c (what becomes of a weak replay),
 * prove.c (known systems), bounded.c (bounds on solves by the factors at hand), solve.c (solves and their checks),
 * plan.c and cache.c (pivots with their programs), save.c, statistics.c. */
#ifndef WLU_SOLVER_SOLVER_H
#define WLU_SOLVER_SOLVER_H

#include <warplu/device.h>
#include <warplu/inspect.h>
#include <warplu/save.h>

#include "solver/cache.h"
#include "base/team.h"
#include "pivot/factors.h"
#include "numerics/verdict.h"
#include "numerics/backward_error.h"

/* Replays by columns (pivot/factors.h) before pivots are compiled. Measured (docs/numerics.md): a compilation
 * costs 3.5 KLU factorizations, which are 5 refactorizations; a replay by columns exceeds a compiled one by 0.6 of
 * these. */
enum { WLU_COMPILE_AFTER = 8 };

/* Accurate solves that end the checking of new pivots; in place of their number: a known system has failed. */
enum { WLU_TRIAL_SOLVES = 3, WLU_DISPROVEN = -1 };

/* Accurate solves until known systems are tried again, and from one attempt to the next. */
typedef struct wlu_retry {
    int32_t left, gap;
} wlu_retry;

/* What the analysis was made from. */
typedef enum wlu_unsettled { WLU_SETTLED, WLU_FROM_PATTERN, WLU_FROM_SINGULAR } wlu_unsettled;

/* Whether a bound on solves by the factors at hand is what a success promises: not looked at yet, or open; it is; it is
 * not. */
typedef enum wlu_bounded { WLU_BOUND_OPEN, WLU_BOUNDED, WLU_NOT_BOUNDED } wlu_bounded;

struct warplu_solver {
    wlu_context ctx;
    warplu_options options;
    wlu_target target;  /* what replays, and */
    wlu_target refines; /* what replays pivots that nobody vouches for: the same, or where it takes device pointers and
                           solves can be refined there, the target that does */
    const wlu_cost *cost; /* what programs are compiled by, and orders chosen */
    wlu_team *team;       /* of options.threads; NULL: one thread */
    wlu_analysis *analysis;
    wlu_unsettled unsettled;
    int reconsidered;       /* another analysis has been tried at a re-pivot */
    wlu_loaded current;     /* the pivots in use; no state until this solver has their program */
    wlu_factors *factors;   /* what answers while there is no state */
    wlu_cache cache;        /* earlier pivots */
    int transposed_loaded;  /* the image solves with A', and this solver has seen it */
    int factored;           /* usable factors are at hand */
    int fresh;              /* pivoted for the values at hand */
    int suspect;            /* the next solves are checked, whatever their bound */
    wlu_bounded bounded[2]; /* A, A': solves by the factors at hand */
    int accurate_solves[2]; /* A, A': checked solves in a row with these pivots that were accurate without refinement;
                      until WLU_TRIAL_SOLVES every solve is checked; or WLU_DISPROVEN */
    wlu_retry retry[2];
    int transposed_wanted; /* A' has been solved for: values are kept until it is proven too */
    wlu_service service;   /* of the pivots in use */
    int64_t numbers;       /* handed out to pivots so far */
    int misses;            /* weak replays in a row for which earlier pivots were tried in vain ... */
    int pause;             /* ... and weak replays now for which they are not tried */
    int64_t foreseen;      /* the pivots that gave way, unproven weak, before this replay; 0: none */
    double *entries; /* nnz: the values of the factors at hand, gathered; kept where solves are checked. Then a zero */
    wlu_rows *rows;  /* the pattern's, for checks; shared with clones, NULL where there are none */
    int entries_kept;
    double longest[2]; /* entries of the longest row of A, of A' */
    double *work;      /* what a check takes, then correction, trial, right-hand side */
    int64_t factors_made, refactors, repivots, solves, refined_solves;
    int64_t weak_replays, proven_replays, checked_solves, compilations, cache_hits;
    double backward_error;
    int32_t refinement_steps;
    int solved_on_device[2]; /* solves with A, with A', have been enqueued there */
    int all_checked;         /* every right-hand side of the last solve was */
};

/* The pivots in use and the compiled program; NULL where there are none. */
const wlu_pivots *wlu_solver_pivots(const warplu_solver *s);
const wlu_program *wlu_solver_program(const warplu_solver *s);

/* -------------------------------------- what calls of warplu.h do: entry.c */

/* Each as the call of its name, but in the floating-point environment at hand. */
warplu_status wlu_solver_create(warplu_solver **out, const warplu_options *options);
warplu_status wlu_solver_clone(warplu_solver **out, const warplu_solver *source);
warplu_status wlu_solver_analyze(warplu_solver *s, int32_t n, const int32_t *ptr, const int32_t *idx,
                                 const double *values);
warplu_status wlu_solver_factor(warplu_solver *s, const double *values);
warplu_status wlu_solver_refactor(warplu_solver *s, const double *values);
warplu_status wlu_solver_solve(warplu_solver *s, int transposed, int32_t nrhs, const double *b, int32_t ldb, double *x,
                               int32_t ldx);
warplu_status wlu_solver_backward_error(const warplu_solver *s, int transposed, const double *values, int32_t nrhs,
                                        const double *b, int32_t ldb, const double *x, int32_t ldx, double *omega);
warplu_status wlu_solver_save(warplu_solver *s, const char *path);
warplu_status wlu_solver_restore_file(warplu_solver *s, const char *path);
warplu_status wlu_solver_statistics(const warplu_solver *s, warplu_statistics *statistics);

/* ------------------------------------------------------------- solver.c */

/* What a solver has beside the analysis of a pattern. */
typedef struct wlu_workspace {
    double *entries, *work;
    wlu_rows *rows;
} wlu_workspace;

/* rows: an owner's for this pattern, to be shared, or NULL: made where the options have checks. WARPLU_OUT_OF_MEMORY.
 */
warplu_status wlu_workspace_create(wlu_context *ctx, const warplu_options *options, const wlu_pattern *a,
                                   wlu_rows *rows, wlu_workspace *out);
void wlu_workspace_free(wlu_context *ctx, wlu_workspace *workspace);
/* Room for the values of a pattern's entries, and the zero behind them. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_entries_allocate(wlu_context *ctx, const wlu_pattern *a, double **entries);
/* The matrix of the factors at hand, for checks. */
wlu_checked wlu_solver_checked(const warplu_solver *s);
/* Keeps the values if a solve is going to be checked against them. */
void wlu_solver_keep_entries(warplu_solver *s, const double *values);
/* Another analysis of the pattern, from s->entries. Statuses as warplu_analyze. */
warplu_status wlu_solver_analyze_again(wlu_context *ctx, const warplu_solver *s, wlu_analysis **out);
/* The analysis and its workspaces become the solver's; what it had before is freed. */
void wlu_solver_take_analysis(warplu_solver *s, wlu_analysis *analysis, const wlu_workspace *workspace);

/* --------------------------------------------------------------- save.c */

/* warplu_restore of a file's bytes; name: for messages. */
warplu_status wlu_solver_restore(warplu_solver *s, const char *name, const uint8_t *bytes, int64_t size);

/* ------------------------------------------------------------- replay.c */

/* The program for the pivots in use, and a state. Statuses of wlu_program_create. */
warplu_status wlu_solver_compile(warplu_solver *s);
/* Whether factors by column take the place of a program whose compilation came to this: one that is refused for its
 * size, and not on a device, where columns do not replay. */
int wlu_solver_does_without(const warplu_solver *s, warplu_status status);
/* Takes an earlier program from the cache whose pivots are those in use, scales within 2^slack; 0 if there is none. */
int wlu_solver_recall(warplu_solver *s, int slack);
/* The pivots in use, just found, go on with what they have been through if they were in use before as far as the cache
 * knows; a program of theirs is recalled by the next replay. */
void wlu_solver_recognize(warplu_solver *s);
/* Before a replay: takes a program from the cache, or compiles, at once or where enough replays have come. Without a
 * program factors replay. WARPLU_CANCELLED, WARPLU_OUT_OF_MEMORY; on a device without factors what refuses a program,
 * too. */
warplu_status wlu_solver_prepare(warplu_solver *s);
/* New factors with the pivots in use. What a device answers. */
warplu_status wlu_solver_replay(warplu_solver *s, const double *values);
const wlu_health *wlu_solver_health(const warplu_solver *s);
/* The factors at hand serve although their replay may be weak: a device that keeps solutions back hears of it. What a
 * device answers. */
warplu_status wlu_solver_vouch(warplu_solver *s);
/* A solve with the factors at hand, unjudged. Transposed ones need wlu_solver_load_transposed before. largest:
 * magnitude of x; infinity or NaN if it is not finite. What a device answers. */
warplu_status wlu_solver_substitute(warplu_solver *s, int transposed, const double *b, double *x, double *largest);
/* The same for up to WLU_MANY right-hand sides at once, into x, or where that is NULL, into the state's room for
 * answers. *answer: where they are, with the bits of their solves alone; NULL, and nothing done, if one by one is the
 * way: few of them, no program, or no memory for the first such call of a state. largest: of each column of x. */
warplu_status wlu_solver_substitute_many(warplu_solver *s, int transposed, int32_t count, const double *b, int64_t ldb,
                                         double *x, int64_t ldx, double *largest, double **answer);
warplu_status wlu_solver_load_transposed(warplu_solver *s);
/* What replays of the pivots in use have shown so far is void: they are new ones. */
void wlu_solver_forget_replays(warplu_solver *s);
/* Factors, pivots, programs, in that order. */
void wlu_solver_drop_pivots(warplu_solver *s);

/* ------------------------------------------------------------ regimes.c */

/* New pivots are in use, with their factors by column; those before go to the cache if they have replayed anything. */
void wlu_solver_change_pivots(warplu_solver *s, wlu_plan *plan, wlu_factors *factors);
/* Replays the values, whose entries s->entries holds, with earlier pivots; 1 if some serve and have become those in
 * use. */
int wlu_solver_try_earlier(warplu_solver *s, const double *values);
/* Before a replay: pivots whose time is up where regimes take turns give way to those that follow; 1 if they have. Not
 * on a device, where captured graphs hold the program. */
int wlu_solver_foresee(warplu_solver *s);

/* ------------------------------------------------------------ repivot.c */

/* Gathers the entries; WARPLU_NOT_FINITE names the first that is not finite. */
warplu_status wlu_gather_finite(wlu_context *ctx, const wlu_pattern *a, const double *values, double *entries);
/* Pivots for s->entries; on failure the old ones stay, without factors. Their factors answer by columns, or where the
 * options expect enough replays, a state for their program waits for its first replay. */
warplu_status wlu_solver_pivot(warplu_solver *s);
/* The same by the order and scales of the pivots in use, without a program. */
warplu_status wlu_solver_pivot_again(warplu_solver *s);
/* What becomes of a weak replay of these values. */
warplu_status wlu_solver_recover(warplu_solver *s, const double *values);

/* ------------------------------------------------------------ bounded.c */

/* Whether every solve with A, or A', by the factors at hand is what a success promises: by the largest magnitudes
 * alone, O(1); or where these leave it open and values are kept, by all numbers, O(|L| + |U| + nnz) once a replay. */
int wlu_solver_is_bounded_at_once(const warplu_solver *s, int transposed);
int wlu_solver_is_bounded(warplu_solver *s, int transposed);

/* -------------------------------------------------------------- prove.c */

/* The backward error of a known system that the factors at hand solve, or a bound of it below `enough`. What a device
 * answers. */
warplu_status wlu_solver_known_error(warplu_solver *s, double enough, double *error);
/* Whether known systems can prove anything of these pivots' program, which follows at once (ahead), or on a device
 * soon: its factors are those of columns. */
int wlu_solver_proves(const warplu_solver *s, int ahead);
/* Puts new pivots for s->entries to the test by their first factors. accurate_solves: of A and A', as in the solver. */
void wlu_solver_test_on_known_systems(const warplu_solver *s, const wlu_pivots *pivots, wlu_factors *factors,
                                      int accurate_solves[2]);
/* After an accurate solve with factors that are at hand, of pivots that a known system has failed: ends their probation
 * where known systems of these values, other than those of the pivoting, are solved. */
void wlu_solver_test_later(warplu_solver *s, int transposed);
/* Whether pivots with such accurate_solves are to be replayed by the target that refines, where there is one: solves on
 * device pointers are to be checked, and nobody else sees what they come to. */
int wlu_solver_refines(const warplu_solver *s, const int accurate_solves[2]);
const wlu_target *wlu_solver_target(const warplu_solver *s, const int accurate_solves[2]);

/* -------------------------------------------------------------- solve.c */

/* A suspect solve that is less accurate than this is refined, and proves nothing about its pivots. */
#define WLU_REFINED 1e-12
/* The same of FP32. */
#define WLU_REFINED_SINGLE 1e-5
/* Known systems prove pivots whose factors solve them to this, or to 2^-56 for each entry of the longest row: on a
 * device nobody looks at what proven pivots give. */
#define WLU_PROVEN 2e-14

typedef struct wlu_bounds {
    double accurate, refined;
} wlu_bounds;

/* Those of the solver's precision. */
wlu_bounds wlu_solver_bounds(const warplu_solver *s);

#endif
