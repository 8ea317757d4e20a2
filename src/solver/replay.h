/* The factors at hand: of a compiled program on a state, or of numeric factors by column. replay.c says when which. */
#ifndef WLU_SOLVER_REPLAY_H
#define WLU_SOLVER_REPLAY_H

#include "solver/parts.h"

/* Replays by columns (pivot/factors.h) before pivots are compiled. Measured (docs/numerics.md): a compilation
 * costs 3.5 KLU factorizations, which are 5 refactorizations; a replay by columns exceeds a compiled one by 0.6 of
 * these. */
enum { WLU_COMPILE_AFTER = 8 };
/* So many never come; twice as many can be counted. */
#define WLU_COMPILE_NEVER (INT64_MAX / 4)

/* Whether a program is compiled with the first pivots: on a device, which cannot replay without one, where nothing is
 * said of refactorizations to come. */
int wlu_solver_compiles_ahead(const warplu_solver *s);
/* A program has been compiled: counts it, and makes what checks of many solves are worth. */
void wlu_solver_note_compilation(warplu_solver *s);
/* The program for the pivots in use, and a state. Statuses of wlu_lu_compile. */
warplu_status wlu_solver_compile(warplu_solver *s);
/* Makes sure that the pivots in use have a program. A solver that has no state for it goes on with its factors until
 * the next replay. Statuses of wlu_lu_compile. */
warplu_status wlu_solver_make_program(warplu_solver *s);
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

/* There are no factors at hand, and what was known of the last ones is void: others come. */
void wlu_solver_expect_factors(warplu_solver *s);
/* New factors with the pivots in use. What a device answers. */
warplu_status wlu_solver_replay(warplu_solver *s, const double *values);
/* The verdict on the last replay of pivots: that of whoever replayed the program; of factors by column, which have no
 * bound before somebody asks for it, by the same function now. O(1) where the bound is there, which takes O(|L| + |U|)
 * once for all owners of a plan. */
wlu_verdict wlu_solver_verdict(const warplu_solver *s, const wlu_loaded *pivots);
/* The same where a bound that is open is no reason for suspicion: bounded.c looks at it when a solve asks. */
wlu_verdict wlu_solver_verdict_bounds_aside(const warplu_solver *s, const wlu_loaded *pivots);
/* The factors at hand serve although their replay may be weak: a device that keeps solutions back hears of it. What a
 * device answers. */
warplu_status wlu_solver_release_withheld(warplu_solver *s);

/* Makes transposed solves possible, which a program needs a part of its own for. Statuses of wlu_lu_compile. */
warplu_status wlu_solver_load_transposed(warplu_solver *s);
/* A solve with the factors at hand, unjudged. Transposed ones need wlu_solver_load_transposed before. largest:
 * magnitude of x; infinity or NaN if it is not finite. What a device answers. */
warplu_status wlu_solver_substitute(warplu_solver *s, int transposed, const double *b, double *x, double *largest);
/* The same for up to WLU_MANY right-hand sides at once, into x, or where that is NULL, into the state's room for
 * answers. *answer: where they are, with the bits of their solves alone; NULL, and nothing done, if one by one is the
 * way: few of them, no program, or no memory for the first such call of a state. largest: of each column of x. */
warplu_status wlu_solver_substitute_many(warplu_solver *s, int transposed, int32_t count, const double *b, int64_t ldb,
                                         double *x, int64_t ldx, double *largest, double **answer);

/* The pivots in use are new ones: what replays have shown so far is void. */
void wlu_solver_forget_replays(warplu_solver *s);
/* Factors, pivots, programs, in that order. */
void wlu_solver_drop_pivots(warplu_solver *s);

#endif
