/* What stands behind the structures that callers hold, for indices of one size. A Symbolic has a shape: the pattern
 * that was analyzed and the options it was analyzed by. Its Numerics share the shape, so that they outlive it. */
#ifndef WK_OBJECTS_H
#define WK_OBJECTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "factors.h"
#include "klu_abi.h"
#include "registry.h"

typedef struct wk_shape {
    atomic_int owners;
    wk_int n, nz;
    wk_int *Ap, *Ai;    /* as they were analyzed */
    int32_t *col_order; /* NULL: warplu orders */
    warplu_options options;
    int structurally_singular;
    wk_int rank, singular_col; /* then: columns that have a row, and the first that has none */

    pthread_mutex_t lock; /* of what follows, and of the structure's orders */
    warplu_solver *idle;  /* has analyzed the pattern by the options, and waits for a factorization; or NULL */
    int numerics;         /* that are alive */
    int orphaned;         /* the Symbolic is freed */
} wk_shape;

typedef struct wk_symbolic_object {
    wk_symbolic shown; /* first: what callers see */
    wk_shape *shape;
    size_t accounted; /* bytes in memusage */
} wk_symbolic_object;

/* Entries of a matrix by row: at[p[i]] to at[p[i + 1]] are row i's, and at begins behind p, at n + 2. */
typedef struct wk_rows {
    wk_int p[1];
} wk_rows;

/* For solutions while they are made. */
typedef struct wk_room {
    size_t doubles;
    double at[];
} wk_room;

typedef struct wk_numeric_object {
    wk_numeric shown;
    wk_shape *shape; /* the Symbolic's */
    wk_shape *own;   /* of factors of another pattern, or NULL */
    wk_factors factors;
    int usual;       /* the solver has the shape's options */
    int32_t *place;  /* n: where each column stands in the Symbolic's Q */
    int32_t *order;  /* n: where each pivot is shown */
    double *unscale; /* n: the inverse of what the pivot's row and column were multiplied by, or of the column alone
                        where the row's is shown */
    double *fold;    /* n: what the pivot is multiplied by to be shown */
    int as_it_is;    /* each pivot at its place, times 1 */
    double *exact; /* n: KLU's scale of each row of the last values; NULL: shown are those that pivots were chosen by */
    wk_rows *rows; /* of the pattern, once it has been refactored with such scales; or NULL */
    int wants_exact;
    _Atomic(wk_room *) room; /* between solves, or NULL */
    size_t accounted;
} wk_numeric_object;

#ifdef WK_LONG
#define WK_SYMBOLIC_KIND WK_SYMBOLIC_LONG
#define WK_NUMERIC_KIND(doubles) ((doubles) == 2 ? WK_NUMERIC_LONG_COMPLEX : WK_NUMERIC_LONG)
#else
#define WK_SYMBOLIC_KIND WK_SYMBOLIC_INT
#define WK_NUMERIC_KIND(doubles) ((doubles) == 2 ? WK_NUMERIC_INT_COMPLEX : WK_NUMERIC_INT)
#endif
#ifdef WK_COMPLEX
enum { WK_DOUBLES = 2 };
#else
enum { WK_DOUBLES = 1 };
#endif

#define wk_check_pattern WK_SHARED_INNER(check_pattern)
#define wk_shape_create WK_SHARED_INNER(shape_create)
#define wk_shape_open WK_SHARED_INNER(shape_open)
#define wk_shape_matches WK_SHARED_INNER(shape_matches)
#define wk_shape_order WK_SHARED_INNER(shape_order)
#define wk_shape_find_rank WK_SHARED_INNER(shape_find_rank)
#define wk_shape_orphan WK_SHARED_INNER(shape_orphan)
#define wk_shape_release WK_SHARED_INNER(shape_release)
#define wk_scale_rows WK_NAME(inner_scale_rows)
#define wk_rows_create WK_NAME(inner_rows_create)
#define wk_scale_rows_again WK_NAME(inner_scale_rows_again)
#define wk_show_scaled WK_NAME(inner_show_scaled)
#define wk_status_of WK_SHARED_INNER(status_of)
#define wk_take_options WK_SHARED_INNER(take_options)
#define wk_account WK_SHARED_INNER(account)
#define wk_numeric_create WK_SHARED_INNER(numeric_create)
#define wk_numeric_replace WK_SHARED_INNER(numeric_replace)
#define wk_numeric_release WK_SHARED_INNER(numeric_release)
#define wk_numeric_show WK_SHARED_INNER(numeric_show)
#define wk_numeric_show_again WK_SHARED_INNER(numeric_show_again)
#define wk_numeric_blank WK_SHARED_INNER(numeric_blank)

/* KLU's rules: n above 0, columns ascend from 0, rows are in range, and none comes twice in a column. KLU's statuses,
 * WK_OUT_OF_MEMORY too. */
int wk_check_pattern(wk_int n, const wk_int *Ap, const wk_int *Ai);
/* A copy of the pattern. NULL: there is no memory. */
wk_shape *wk_shape_create(wk_int n, const wk_int *Ap, const wk_int *Ai);
/* Opens a solver of the shape by these options. Statuses of warplu_open_solver. */
warplu_status wk_shape_open(const wk_shape *shape, const warplu_options *options, warplu_solver **out);
/* Has columns ordered as the caller gives it: by Q, or by common's user_order where that is NULL. KLU's statuses. */
int wk_shape_order(wk_shape *shape, const wk_int *Q, wk_common *common);
/* Whether this is the pattern that was analyzed, in its order. O(n + nnz). */
int wk_shape_matches(const wk_shape *shape, const wk_int *Ap, const wk_int *Ai);
/* For a pattern that no permutation gives a diagonal: says so in the shape, and what it lacks. Another analysis. */
void wk_shape_find_rank(wk_shape *shape);
/* For the Symbolic, which is an owner and ends: the solver that waits goes back to the cache. */
void wk_shape_orphan(wk_shape *shape);
/* One owner less; the last one frees it. */
void wk_shape_release(wk_shape *shape);

/* The object, or NULL where it is none of ours, or of other indices or numbers. doubles: of a value, 0 for any. */
static inline wk_symbolic_object *wk_symbolic_of(wk_symbolic *symbolic)
{
    return wk_kind_of(symbolic) == WK_SYMBOLIC_KIND ? (wk_symbolic_object *)symbolic : NULL;
}

static inline wk_numeric_object *wk_numeric_of(wk_numeric *numeric, int doubles)
{
    if (doubles > 0 && wk_has_met(numeric, WK_NUMERIC_KIND(doubles))) return (wk_numeric_object *)numeric;
    const wk_kind kind = wk_kind_of(numeric);
    const int fits = (doubles != 2 && kind == WK_NUMERIC_KIND(1)) || (doubles != 1 && kind == WK_NUMERIC_KIND(2));
    return fits ? (wk_numeric_object *)numeric : NULL;
}

/* The Numeric, where the Symbolic is ours too. */
static inline wk_numeric_object *wk_numeric_beside(wk_symbolic *symbolic, wk_numeric *numeric)
{
    const wk_kind kind = WK_NUMERIC_KIND(WK_DOUBLES);
    const int ours = (wk_last_met.symbolic == symbolic && wk_has_met(numeric, kind)) ||
                     wk_meet(symbolic, WK_SYMBOLIC_KIND, numeric, kind);
    return ours ? (wk_numeric_object *)numeric : NULL;
}

/* KLU's scales of rows: by sums (scale 1) or largest magnitudes; 0 where this is no matrix. W: n, or NULL where
 * duplicates are not looked for. O(n + nnz). */
int wk_scale_rows(wk_flag scale, wk_int n, const wk_int *Ap, const wk_int *Ai, const double *Ax, double *Rs, wk_int *W);
/* The entries of each row, by row; for free(). NULL: there is no memory. */
wk_rows *wk_rows_create(wk_int n, const wk_int *Ap, const wk_int *Ai);
/* The same scales for a pattern whose rows these are, and a scale above 0. */
void wk_scale_rows_again(wk_flag scale, wk_int n, const wk_rows *rows, const double *Ax, double *Rs);
/* KLU's status for one of warplu's. */
int wk_status_of(warplu_status status);
/* KLU's tol and scale, in warplu's ranges. */
void wk_take_options(const wk_common *common, warplu_options *options);
/* Counts bytes in memusage and mempeak, or takes them out again. */
void wk_account(wk_common *common, size_t bytes);

/* An object for numbers of so many doubles, with nothing to show yet, which takes the solver (NULL: there is none) and
 * its own pattern (NULL: it is the Symbolic's). NULL: there is no memory, and both are closed. */
wk_numeric_object *wk_numeric_create(wk_symbolic_object *symbolic, warplu_solver *solver, int usual, wk_shape *own,
                                     int doubles);
/* Takes another solver and pattern in place of those it has. */
void wk_numeric_replace(wk_numeric_object *numeric, warplu_solver *solver, int usual, wk_shape *own);
void wk_numeric_release(wk_numeric_object *numeric);
/* Shows the factors at hand: orders and scales where pivots are others or the caller wants scales that are not
 * there, the diagonal of U in any case. Where this is the only Numeric of its Symbolic, and of its pattern, that shows
 * the pivots' order, too; else pivots are shown in the order that the Symbolic has. symbolic: the Numeric's.
 * Statuses of warplu_extract_factors, and WARPLU_OVERFLOW where a count does not fit the caller's integers. */
warplu_status wk_numeric_show(wk_numeric_object *numeric, wk_symbolic *symbolic, wk_common *common);
/* The same after a replay of the pivots that are shown, which these are. */
void wk_numeric_show_again(wk_numeric_object *numeric, const double *pivots);
/* wk_scale_rows_again and that, in one go, with the same bits. */
void wk_show_scaled(wk_numeric_object *numeric, wk_flag scale, const double *Ax, const double *pivots);
/* Shows that there are no factors: each number of the diagonal is this one. */
void wk_numeric_blank(wk_numeric_object *numeric, double diagonal);

#endif
