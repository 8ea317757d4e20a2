/* What the stages of a solver's life take on one core of a 2 GHz-class server, predicted from counts: a solver grows by
 * these (solver/grow.h), never by a clock, so that the same calls give the same bits.
 *
 * Fitted to 43 matrices of circuits, networks, meshes and structures on two machines, whose constants are averaged and
 * scaled so that what has been spent when a program is compiled is right in the median (docs/growth.md): off by 67 % in
 * the root of the mean of squares for the analysis and solves, by about 30 % for pivoting, replays and compilation. */
#ifndef WLU_COST_STAGES_H
#define WLU_COST_STAGES_H

#include <stdint.h>

/* Of a matrix and its factors: unknowns, entries of A, entries of L, U and F, multiply-subtracts. */
typedef struct wlu_extent {
    double n, nnz, lu_nnz, terms;
} wlu_extent;

/* One order by AMD, and the block triangular form. */
static inline double wlu_stage_analysis_ns(const wlu_extent *x)
{
    return 70.0 * x->n + 45.0 * x->nnz;
}

static inline double wlu_stage_pivoting_ns(const wlu_extent *x)
{
    return 31.0 * x->lu_nnz + 0.35 * x->terms;
}

/* The patterns of L and U without values. */
static inline double wlu_stage_patterns_ns(const wlu_extent *x)
{
    return 20.0 * x->nnz + 8.0 * x->lu_nnz;
}

/* The first replay of a large program, its memory fresh; of the smallest ones what guards and streams take however
 * short they are. */
static inline double wlu_stage_replay_ns(const wlu_extent *x)
{
    return 100.0 + 5.0 * x->lu_nnz + 0.1 * x->terms;
}

/* A refactorization by columns (pivot/factors.h). */
static inline double wlu_stage_columns_ns(const wlu_extent *x)
{
    return 9.0 * x->n + 4.1 * x->lu_nnz + 0.7 * x->terms;
}

/* The same by lists (pivot/column_lists.h), and by a program of a small system with what is around its call and what
 * its solve takes longer. Fitted to chains, arrows, bands, grids and random patterns of 3 to 400 unknowns, in the unit
 * of the others: off by a third, but for programs of long chains, which take twice as long. */
static inline double wlu_stage_lists_ns(const wlu_extent *x)
{
    return 64.0 + 6.4 * x->n + 4.0 * x->lu_nnz + 1.9 * x->terms;
}

static inline double wlu_stage_small_program_ns(const wlu_extent *x)
{
    return 2300.0 + 9.0 * x->lu_nnz + 0.1 * x->terms;
}

static inline double wlu_stage_solve_ns(const wlu_extent *x)
{
    return 7.5 * x->n + 2.5 * x->lu_nnz;
}

/* Compilation and packing for a CPU, with what the first replays take more. */
static inline double wlu_stage_compilation_ns(const wlu_extent *x)
{
    return 200.0 * x->n + 58.0 * x->lu_nnz;
}

/* A first factorization without a search (solver/first_replay.h): patterns, program and replay. */
static inline double wlu_stage_first_replay_ns(const wlu_extent *x)
{
    return wlu_stage_patterns_ns(x) + wlu_stage_compilation_ns(x) + wlu_stage_replay_ns(x);
}

/* The same by columns, for a symmetric pattern. */
static inline double wlu_stage_first_columns_ns(const wlu_extent *x)
{
    return wlu_stage_patterns_ns(x) + wlu_stage_columns_ns(x);
}

/* The first factors, by the shorter of the two. */
static inline double wlu_stage_factors_ns(const wlu_extent *x)
{
    double replay = wlu_stage_first_replay_ns(x), search = wlu_stage_pivoting_ns(x);
    return replay < search ? replay : search;
}

#endif
