/* A cache of solvers by pattern, for programs that analyze the same patterns again and again: a solver that nobody uses
 * any more is kept, with its analysis, pivots and program, and goes to whoever comes with its pattern next.
 *
 *     warplu_cache *cache = NULL;
 *     warplu_cache_create(&cache, NULL);                                          once
 *     warplu_open_solver(&s, cache, NULL, n, col_ptr, row_idx, values_or_null);   for each matrix
 *     warplu_refactor(s, values);
 *     warplu_solve(s, nrhs, b, ldb, x, ldx);
 *     warplu_close_solver(&s);
 *     warplu_cache_destroy(&cache);
 *
 * Patterns are looked up by a hash and then compared whole, options are compared too. A solver that is opened is an
 * idle one of the pattern, the one that was closed last; or, where all of them are in use, a new one with the pattern's
 * analysis, pivots and program, as by warplu_clone; or one that has just analyzed the pattern. In each case it begins
 * with warplu_refactor, which factors where there are no pivots, or with warplu_factor. Which pivots serve it depends
 * on who used them before, so answers may differ in their last bits from those of a solver of one's own, unless the
 * option `repeatable` is set; what a success promises holds all the same.
 *
 * A cache is used by any number of threads at once; a solver by one at a time. Statuses, ownership and other
 * conventions are those of warplu/warplu.h. */
#ifndef WARPLU_CACHE_H
#define WARPLU_CACHE_H

#include <warplu/warplu.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct warplu_cache warplu_cache;

/* The option `repeatable`, of any solver. What came before may save time all the same.
 *
 *   NOT        bits depend on all that was computed before with the solver, or in a cache with the pattern
 *   SMALL      as STRICTLY where no program replays sooner than lists of columns (docs/growth.md): chains, arrows and
 *              bands of up to 200 unknowns, others of up to some 60; else as NOT, and warplu_factor keeps pivots that
 *              serve, as warplu_refactor does and with its statuses
 *   FROM_OPEN  on calls since warplu_analyze, warplu_open_solver or warplu_clone. warplu_factor has pivots that a
 *              search finds. As STRICTLY where SMALL is
 *   STRICTLY   on the values of the last warplu_factor, and of the last warplu_refactor since: no program replays, and
 *              pivots that a weak replay needs serve it alone; WARPLU_CHECK_SUSPECT checks each solve that a bound by
 *              the values at hand does not prove */

typedef struct warplu_cache_options {
    size_t size; /* sizeof(warplu_cache_options), set by warplu_cache_init_options */

    /* 1 GiB: the most that idle solvers take, programs that they share counted for each. Those that have not been used
     * for longest go first. 0: none are kept. Solvers in use are not counted. */
    int64_t max_bytes;
} warplu_cache_options;

/* Fills in the defaults named above. */
WARPLU_API void warplu_cache_init_options(warplu_cache_options *options);

/* Makes an empty cache. NULL means the default options. *out is NULL after an error.
 *
 *   WARPLU_SUCCESS                 the caller owns *out, until warplu_cache_destroy
 *   WARPLU_INVALID_ARGUMENT        an option is out of its range
 *   WARPLU_OUT_OF_MEMORY */
WARPLU_API warplu_status warplu_cache_create(warplu_cache **out, const warplu_cache_options *options);

/* Frees the cache and its idle solvers, and sets *cache to NULL. Solvers in use stay as they are; to close them
 * destroys them. No other call may use the cache any more. Takes NULL and a pointer to NULL. */
WARPLU_API void warplu_cache_destroy(warplu_cache **cache);

/* Opens a solver for the pattern. options, n, ptr, idx, values: as for warplu_create and warplu_analyze; options that
 * name functions fit those that name the same ones with the same user pointers. values are read where the pattern is
 * new. Time for a pattern that is known: O(n + nnz), to hash and to compare; a solver beside others in use is made in
 * O(n + nnz), too. *out is NULL after an error.
 *
 *   WARPLU_SUCCESS                 the caller owns *out, until warplu_close_solver
 *   others                         as warplu_create and warplu_analyze, of a new pattern */
WARPLU_API warplu_status warplu_open_solver(warplu_solver **out, warplu_cache *cache, const warplu_options *options,
                                            int32_t n, const int32_t *ptr, const int32_t *idx, const double *values);

/* Does what warplu_open_solver does for indices of 64 bits. They are not copied for a pattern that is known.
 *
 *   as warplu_open_solver; and
 *   WARPLU_OVERFLOW                n or the number of entries is not less than 2^31 - 1 */
WARPLU_API warplu_status warplu_open_solver64(warplu_solver **out, warplu_cache *cache, const warplu_options *options,
                                              int64_t n, const int64_t *ptr, const int64_t *idx, const double *values);

/* Gives a solver back to its cache and sets *solver to NULL. Its factors are gone; what it has enqueued on a device
 * must have ended. Destroyed are: one that has analyzed or restored something else meanwhile, that has a replay on a
 * device which nobody has finished, that belongs to no cache, or whose cache has been destroyed; and idle ones beyond
 * the cache's bytes. warplu_destroy takes a solver out of its cache. Takes NULL and a pointer to NULL. */
WARPLU_API void warplu_close_solver(warplu_solver **solver);

/* These two save programs the cost of a call. They do what warplu_refactor does for small systems that are strictly
 * repeatable under WARPLU_CHECK_SUSPECT, and warplu_solve, or with A' warplu_solve_transposed, for one right-hand side,
 * where nothing is in the way, without looking at arguments. 1: done, with the bits that these give. 0: something is in
 * the way: pivots that the last warplu_factor did not choose, a replay that is weak, a solve that has to be refined, a
 * rounding mode. Then those are to be called, and will do it; where a replay was weak, there are no factors until then.
 *
 * No lock is taken, and no turn: meanwhile no other thread may call the solver. Nothing is allocated. Flags of
 * floating-point exceptions stay raised. pivots: the solver's own n, as by warplu_extract_diagonal, until its next
 * call. number: as by warplu_get_pivots_number. x may be b. */
WARPLU_API int warplu_try_refactor(warplu_solver *solver, const double *values, const double **pivots, int64_t *number);
WARPLU_API int warplu_try_solve(warplu_solver *solver, int transposed, const double *b, double *x);

typedef struct warplu_cache_statistics {
    size_t size; /* sizeof(warplu_cache_statistics), set by the caller */

    int64_t patterns; /* known, with the options that go with them */
    int64_t idle;     /* solvers that nobody uses */
    int64_t in_use;
    int64_t bytes; /* that idle solvers take */

    /* Counts since warplu_cache_create. */
    int64_t reused;   /* calls that were answered by an idle solver, ... */
    int64_t cloned;   /* ... by a new one for a known pattern, ... */
    int64_t analyzed; /* ... by an analysis */
    int64_t evicted;  /* idle solvers destroyed for want of room */
} warplu_cache_statistics;

/* Fills *statistics as far as both sides know it, and sets its size to that.
 *
 *   WARPLU_SUCCESS
 *   WARPLU_INVALID_ARGUMENT        no size */
WARPLU_API warplu_status warplu_cache_get_statistics(warplu_cache *cache, warplu_cache_statistics *statistics);

/* Names that these calls had first; they go with 1.0. */
#define warplu_init_cache_options warplu_cache_init_options
#define warplu_create_cache warplu_cache_create
#define warplu_destroy_cache warplu_cache_destroy
#define warplu_get_cache_statistics warplu_cache_get_statistics

#ifdef __cplusplus
}
#endif
#endif
