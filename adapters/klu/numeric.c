/* klu_factor, klu_refactor and klu_free_numeric. Both factor by warplu_refactor: where the pattern's pivots serve
 * the new values they are replayed, and where they are weak, they are chosen again.
 *
 * What KLU has no word for, and what it answers without a word:
 *
 *   another pattern than the analyzed one    factors of that pattern, in the caller's order of columns or in one of
 *                                            its own; KLU's are wrong where entries lie outside the Symbolic's blocks
 *   values, or factors, that are not finite  KLU_SINGULAR, and a Numeric whose solves are NaN
 *   too much memory, warplu's limits         KLU_OUT_OF_MEMORY
 *
 * A Numeric of a singular matrix, which callers get where halt_if_singular is 0, has no factors: its solves are
 * NaN, too. Beside warplu_refactor a call costs one comparison of the pattern, and O(n) for what the Numeric shows. */
#include "objects.h"

#include <math.h>
#include <stdlib.h>

#include "call.h"
#include "foreign.h"
#include "process.h"

/* Unknowns for which scales by the values at hand cost next to nothing. */
enum { SMALL = 500 };

/* KLU's, as klu_factor brings them into their ranges. */
static void take_options(const wk_shape *shape, wk_common *common, warplu_options *options)
{
    if (!(common->tol <= 1.0)) common->tol = 1.0;
    if (!(common->tol >= 0.0)) common->tol = 0.0;
    if (!(common->initmem_amd >= 1.0)) common->initmem_amd = 1.0;
    if (!(common->initmem >= 1.0)) common->initmem = 1.0;
    if (!(common->memgrow >= 1.0)) common->memgrow = 1.0;
    *options = shape->options;
    options->scalar = WK_DOUBLES == 2 ? WARPLU_SCALAR_COMPLEX : WARPLU_SCALAR_REAL;
    wk_take_options(common, options);
}

static int is_same(const warplu_options *a, const warplu_options *b)
{
    return a->pivot_tolerance == b->pivot_tolerance && a->scalar == b->scalar && a->scaling == b->scaling;
}

/* What a Numeric is made by: the pattern, and a solver for it. */
typedef struct means {
    wk_shape *own; /* another pattern than the Symbolic's, or NULL */
    warplu_solver *solver;
    int usual;
} means;

/* The solver that klu_analyze or an earlier Numeric of the Symbolic has left, if it suits; else another. */
static warplu_status open_shape(wk_shape *shape, wk_common *common, warplu_solver **out, int *usual)
{
    warplu_options options;
    warplu_solver *other = NULL;
    if (shape->structurally_singular) return WARPLU_STRUCTURALLY_SINGULAR;
    take_options(shape, common, &options);
    wk_expect_complex(WK_DOUBLES == 2);
    *out = NULL;
    pthread_mutex_lock(&shape->lock);
    *usual = is_same(&options, &shape->options);
    if (*usual)
        *out = shape->idle;
    else
        other = shape->idle;
    shape->idle = NULL;
    pthread_mutex_unlock(&shape->lock);
    warplu_close_solver(&other);
    return *out != NULL ? WARPLU_SUCCESS : wk_shape_open(shape, &options, out);
}

/* Of a pattern that the Symbolic does not have. */
static warplu_status open_other(const wk_shape *shape, const wk_int *Ap, const wk_int *Ai, wk_common *common, means *m)
{
    warplu_options options;
    m->own = wk_shape_create(shape->n, Ap, Ai);
    if (m->own == NULL) return WARPLU_OUT_OF_MEMORY;
    take_options(shape, common, &options);
    m->own->options = options;
    warplu_status status = wk_shape_open(m->own, &options, &m->solver);
    if (status == WARPLU_STRUCTURALLY_SINGULAR) wk_shape_find_rank(m->own);
    return status;
}

/* A solver for the pattern, the Symbolic's or another one. */
static warplu_status find_means(wk_shape *shape, const wk_int *Ap, const wk_int *Ai, wk_common *common, means *m)
{
    warplu_status status;
    *m = (means){0};
    if (wk_shape_matches(shape, Ap, Ai)) return open_shape(shape, common, &m->solver, &m->usual);
    const int check = wk_check_pattern(shape->n, Ap, Ai);
    if (check != WK_OK) return check == WK_OUT_OF_MEMORY ? WARPLU_OUT_OF_MEMORY : WARPLU_INVALID_ARGUMENT;
    status = open_other(shape, Ap, Ai, common, m);
    if (status >= 0 || status == WARPLU_STRUCTURALLY_SINGULAR) return status;
    if (m->own != NULL) wk_shape_release(m->own);
    m->own = NULL;
    return status;
}

/* Whether the call goes on: with a solver, or without one for a matrix that is singular. */
static int goes_on(warplu_status status)
{
    return status >= 0 || status == WARPLU_STRUCTURALLY_SINGULAR;
}

/* Where the matrix turned out singular: the place of the pivot, and its column; by its pattern, the rank that this
 * allows, and a column that has no row. */
static void tell_singularity(const wk_numeric_object *o, wk_common *common)
{
    warplu_singularity why = {.size = sizeof why};
    const wk_shape *pattern = o->own != NULL ? o->own : o->shape;
    common->numerical_rank = pattern->rank;
    common->singular_col = pattern->singular_col;
    if (pattern->structurally_singular) return;
    common->numerical_rank = common->singular_col = WK_EMPTY;
    if (o->factors.solver == NULL || warplu_get_singularity(o->factors.solver, &why) != WARPLU_SUCCESS) return;
    common->numerical_rank = why.position;
    common->singular_col = why.column;
}

/* Scales by the values at hand, as KLU's are, for systems where they cost next to nothing and those whose callers ask
 * for rcond. */
static void find_exact_scales(wk_numeric_object *o, const wk_int *Ap, const wk_int *Ai, const double *Ax,
                              const wk_common *common)
{
    if (common->scale > 0 && (o->shown.n <= SMALL || o->wants_exact)) {
        if (o->exact == NULL) o->exact = malloc((size_t)o->shown.n * sizeof *o->exact);
        if (o->exact != NULL && o->rows != NULL)
            wk_scale_rows_again(common->scale, o->shown.n, o->rows, Ax, o->exact);
        else if (o->exact != NULL)
            wk_scale_rows(common->scale, o->shown.n, Ap, Ai, Ax, o->exact, NULL);
    } else {
        free(o->exact);
        free(o->rows);
        o->exact = NULL;
        o->rows = NULL;
    }
}

/* What a factorization has come to, in the object and in *common. */
static void settle(wk_numeric_object *o, warplu_status status, wk_symbolic *symbolic, wk_common *common)
{
    if (status >= 0) {
        o->factors.usable = 1;
        status = wk_numeric_show(o, symbolic, common);
    }
    common->status = wk_status_of(status);
    if (status == WARPLU_SUCCESS) return;
    o->factors.usable = 0;
    wk_numeric_blank(o, status == WARPLU_NOT_FINITE ? (double)NAN : 0.0);
    if (status == WARPLU_SINGULAR || status == WARPLU_STRUCTURALLY_SINGULAR) tell_singularity(o, common);
}

/* 1: the caller gets no object, or is told of failure. Numbers that are not finite go on, as KLU lets them. */
static int is_failure(warplu_status status, const wk_common *common)
{
    if (status == WARPLU_NOT_FINITE) return 0;
    return common->status < WK_OK || (common->status == WK_SINGULAR && common->halt_if_singular);
}

static wk_numeric *factor(wk_int *Ap, wk_int *Ai, double *Ax, wk_symbolic *symbolic, wk_common *common)
{
    wk_symbolic_object *s = wk_symbolic_of(symbolic);
    common->numerical_rank = common->singular_col = common->noffdiag = WK_EMPTY;
    common->nrealloc = 0;
    common->status = WK_INVALID;
    if (s == NULL || Ap == NULL || Ai == NULL || Ax == NULL) return NULL;
    means m;
    warplu_status status = find_means(s->shape, Ap, Ai, common, &m);
    common->status = wk_status_of(status);
    if (!goes_on(status)) return NULL;
    if (status >= 0) status = warplu_factor(m.solver, Ax);
    /* made now, of the memory that the factorization has used and left */
    wk_numeric_object *o = wk_numeric_create(s, m.solver, m.usual, m.own, WK_DOUBLES);
    common->status = WK_OUT_OF_MEMORY;
    if (o == NULL) return NULL;
    find_exact_scales(o, Ap, Ai, Ax, common);
    settle(o, status, symbolic, common);
    if (common->status == WK_OK) common->numerical_rank = common->singular_col = o->shown.n; /* a refactor says -1 */
    o->accounted += 12 * (size_t)(o->factors.lnz + o->factors.unz + o->factors.nzoff);
    int failed = is_failure(status, common);
    if (!failed && !wk_register(&o->shown, WK_NUMERIC_KIND(WK_DOUBLES))) {
        common->status = WK_OUT_OF_MEMORY;
        failed = 1;
    }
    if (failed) {
        wk_numeric_release(o);
        return NULL;
    }
    wk_account(common, o->accounted);
    return &o->shown;
}

wk_numeric *WK_NAME(factor)(wk_int *Ap, wk_int *Ai, double *Ax, wk_symbolic *symbolic, wk_common *common)
{
    WK_LEAVE(WK_NAME(factor), Ap, Ai, Ax, symbolic, common);
    if (common == NULL) return NULL;
    const int64_t begin = wk_call_begin();
    wk_numeric *numeric = factor(Ap, Ai, Ax, symbolic, common);
    wk_call_end(WK_CALL_FACTOR, begin);
    return numeric;
}

/* The pattern is another one than that of the last values. */
static warplu_status change_pattern(wk_numeric_object *o, const wk_int *Ap, const wk_int *Ai, const double *Ax,
                                    wk_common *common)
{
    means m;
    warplu_status status = find_means(o->shape, Ap, Ai, common, &m);
    if (!goes_on(status)) return status;
    wk_numeric_replace(o, m.solver, m.usual, m.own);
    return status >= 0 ? warplu_factor(m.solver, Ax) : status;
}

static int has_pattern(const wk_numeric_object *o, const wk_int *Ap, const wk_int *Ai)
{
    return wk_shape_matches(o->own != NULL ? o->own : o->shape, Ap, Ai);
}

/* What small systems take, of the pivots that are shown. 0: nothing has been done. */
static inline int refactor_at_once(const wk_int *Ap, const wk_int *Ai, const double *Ax, wk_symbolic *symbolic,
                                   wk_numeric *numeric, wk_common *common)
{
    int64_t number;
    const double *pivots;
    const int scaled = common->scale > 0;
    wk_numeric_object *o = wk_numeric_beside(symbolic, numeric);
    if (o == NULL || Ap == NULL || Ai == NULL || Ax == NULL) return 0;
    if (((wk_symbolic_object *)symbolic)->shape != o->shape) return 0;
    const int fits = scaled ? o->rows != NULL : o->shown.Rs == NULL; /* what is shown, or can be */
    if (!o->factors.usable || o->own != NULL || !fits || !has_pattern(o, Ap, Ai)) return 0;
    if (!warplu_try_refactor(o->factors.solver, Ax, &pivots, &number) || number != o->factors.number) return 0;
    common->status = WK_OK;
    common->numerical_rank = common->singular_col = WK_EMPTY;
    common->nrealloc = 0;
    if (scaled)
        wk_show_scaled(o, common->scale, Ax, pivots);
    else
        wk_numeric_show_again(o, pivots);
    return 1;
}

/* Apart, for its many variables would have to be kept while small systems are refactored. */
__attribute__((noinline)) static int refactor(wk_int *Ap, wk_int *Ai, double *Ax, wk_symbolic *symbolic,
                                              wk_numeric *numeric, wk_common *common)
{
    wk_numeric_object *o = wk_numeric_of(numeric, WK_DOUBLES);
    common->status = WK_INVALID;
    if (o == NULL || Ap == NULL || Ai == NULL || Ax == NULL) return 0;
    wk_symbolic_object *s = wk_symbolic_of(symbolic);
    common->numerical_rank = common->singular_col = WK_EMPTY;
    if (s == NULL || s->shape != o->shape) return 0;
    warplu_status status = WARPLU_STRUCTURALLY_SINGULAR;
    if (!has_pattern(o, Ap, Ai))
        status = change_pattern(o, Ap, Ai, Ax, common);
    else if (o->factors.solver != NULL)
        status = warplu_refactor(o->factors.solver, Ax);
    if (status == WARPLU_INVALID_ARGUMENT) return 0; /* no pattern: the factors stay */
    common->nrealloc = 0;
    if (o->exact != NULL && o->rows == NULL) o->rows = wk_rows_create(o->shown.n, Ap, Ai);
    find_exact_scales(o, Ap, Ai, Ax, common);
    settle(o, status, symbolic, common);
    return !is_failure(status, common);
}

wk_flag WK_NAME(refactor)(wk_int *Ap, wk_int *Ai, double *Ax, wk_symbolic *symbolic, wk_numeric *numeric,
                          wk_common *common)
{
    WK_LEAVE(WK_NAME(refactor), Ap, Ai, Ax, symbolic, numeric, common);
    if (common == NULL) return 0;
    const int64_t begin = wk_call_begin();
    int done =
        refactor_at_once(Ap, Ai, Ax, symbolic, numeric, common) || refactor(Ap, Ai, Ax, symbolic, numeric, common);
    wk_call_end(WK_CALL_REFACTOR, begin);
    return done;
}

/* Either function frees either kind. */
wk_flag WK_NAME(free_numeric)(wk_numeric **numeric, wk_common *common)
{
    WK_LEAVE(WK_NAME(free_numeric), numeric, common);
    if (common == NULL) return 0;
    if (numeric == NULL || *numeric == NULL) return 1;
    const int64_t begin = wk_call_begin();
    wk_numeric_object *o = wk_numeric_of(*numeric, 0);
    int freed = o != NULL && wk_forget(*numeric) != WK_FOREIGN;
    if (freed) {
        common->memusage -= o->accounted;
        wk_numeric_release(o);
        *numeric = NULL;
    } else {
        common->status = WK_INVALID;
    }
    wk_call_end(WK_CALL_FREE, begin);
    return freed;
}
