/* A plan: pivots and, once it is worth compiling, the program that replays them.
 *
 * Plans are shared by the solvers that were cloned from each other, on any threads. Pivots never change. Bounds,
 * the program, its images, one for each target that it is replayed on, and the transposed solve are made once, under
 * the plan's lock; a solver reads them only after it has been through one of the functions below itself, so that the
 * lock orders what it reads. */
#ifndef WLU_SOLVER_PLAN_H
#define WLU_SOLVER_PLAN_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/count.h"
#include "exec/exec.h"
#include "lu/saved.h"
#include "numerics/bound.h"

/* The program's image for a target, one of a list. */
typedef struct wlu_plan_image {
    struct wlu_plan_image *next;
    wlu_image *image;
} wlu_plan_image;

/* What rounding can do to solves (numerics/bound.h): n lines, and the bound that they come to; and what they are made
 * of. Those of the program's solves with A are the program's. */
typedef struct wlu_plan_lines {
    atomic_int found;
    wlu_bound bound;
    double *line;
    wlu_rounds rounds;
} wlu_plan_lines;

typedef struct wlu_plan {
    wlu_count count;
    pthread_mutex_t lock;
    wlu_analysis *analysis; /* one of its owners */
    wlu_pivots *pivots;
    wlu_plan_lines lines[2][2]; /* by columns, by the program; of A, of A' */
    wlu_target target;          /* that states are for unless another is asked for */
    const wlu_cost *cost;       /* what the program is compiled by */
    wlu_program *program;       /* NULL until compiled */
    wlu_plan_image *images;
    warplu_status
        refused; /* why there will be no program, whoever asks: WARPLU_PROGRAM_TOO_LARGE, WARPLU_OVERFLOW; or 0 */
    char refusal[WLU_MESSAGE_BYTES];
} wlu_plan;

/* Takes the pivots on success; becomes an owner of the analysis. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_plan_create(wlu_context *ctx, const wlu_target *target, const wlu_cost *cost, wlu_analysis *analysis,
                              wlu_pivots *pivots, wlu_plan **out);
/* One more owner. */
wlu_plan *wlu_plan_share(wlu_plan *plan);
/* One owner less; the last one frees it. Takes NULL, leaves NULL. */
void wlu_plan_release(wlu_context *ctx, wlu_plan **plan);

/* Compiles, and loads for the plan's target, unless some owner has. Statuses of wlu_lu_compile; what is refused for
 * its size once is refused at once from then on, for owners have the same options. */
warplu_status wlu_plan_compile(wlu_context *ctx, const warplu_options *options, wlu_plan *plan);
/* Why there will be no program, so far as anyone has come to know: a refusal, or WARPLU_SUCCESS. */
warplu_status wlu_plan_refused(wlu_plan *plan);
/* A compiled plan's program as it is now, whose arrays stay the plan's, for owners that read all of it while others add
 * the transposed solve: that is in a copy made after wlu_plan_compile_transposed, or it may be. */
void wlu_plan_copy_program(wlu_plan *plan, wlu_program *out);
/* Of a compiled plan that nobody shares yet: what its first replay has shown of the pivots, which replays are judged by
 * from then on. */
void wlu_plan_take_quality(wlu_plan *plan, const wlu_pivot_quality *quality);
/* Takes a program that was saved, in place of compiling one; none, and success, where it takes more than the options
 * allow. Statuses of wlu_lu_restore, and what a device answers. */
warplu_status wlu_plan_restore(wlu_context *ctx, const warplu_options *options, const wlu_lu_saved *saved,
                               wlu_plan *plan);
/* The section of the plan's program, for a file; none where there is no program. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_plan_save(wlu_context *ctx, const warplu_options *options, wlu_plan *plan, uint8_t **bytes,
                            int64_t *count);
/* The bound on rounding in solves with A, with A' where transposed, by the program or by columns, found unless some
 * owner has: one that proves nothing where there is no memory for it, and nothing is said. */
wlu_bound wlu_plan_bound(const wlu_context *ctx, wlu_plan *plan, int by_program, int transposed);
/* Its lines, n; NULL where there is no memory for them. */
const double *wlu_plan_line(const wlu_context *ctx, wlu_plan *plan, int by_program, int transposed);
/* All of these; NULL where there is no memory for them. Not of the program's solves with A. */
const wlu_plan_lines *wlu_plan_lines_of(const wlu_context *ctx, wlu_plan *plan, int by_program, int transposed);
/* The counts of roundings that lines of the program are made of; NULL where there is no memory for them. */
const wlu_rounds *wlu_plan_rounds(const wlu_context *ctx, wlu_plan *plan, int transposed);
/* Whether a status of that says that these pivots have no program. */
int wlu_plan_is_refusal(warplu_status status);
/* A state of one member of a compiled plan, for its target, or for another, whose image is made unless it is there. The
 * state must not outlive the plan. team: as for wlu_state_create. WARPLU_OUT_OF_MEMORY, and what a device answers. */
warplu_status wlu_plan_state(wlu_context *ctx, wlu_plan *plan, wlu_team *team, wlu_state **out);
warplu_status wlu_plan_state_for(wlu_context *ctx, wlu_plan *plan, const wlu_target *target, wlu_team *team,
                                 wlu_state **out);
/* The transposed solve too, of a compiled plan, in all its images. */
warplu_status wlu_plan_compile_transposed(wlu_context *ctx, wlu_plan *plan);

/* Bytes of a compiled plan's images: 0 factorization, 1 solves. */
int64_t wlu_plan_bytes(wlu_plan *plan, int solves);
/* The bytes of all that a plan holds: pivots, and program and image where it is compiled. */
int64_t wlu_plan_all_bytes(wlu_plan *plan);

/* Whether two choices of pivots differ at most in scales, by a factor of 2^slack an entry. */
int wlu_pivots_alike(const wlu_pivots *a, const wlu_pivots *b, int slack);

#endif
