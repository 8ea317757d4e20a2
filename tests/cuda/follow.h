/* The reference executor beside a solver of a device: it replays the same program, record by record. */
#ifndef WLU_TEST_FOLLOW_H
#define WLU_TEST_FOLLOW_H

#include "create.h"
#include "support/build.h"

#include <math.h>

typedef struct follower {
    warplu_solver *of;
    wlu_image *image;
    wlu_state *state;
} follower;

/* A solver on the device with its program and that of transposed solves. cost: constants that its program is compiled
 * by, or NULL for its executor's. 0: *s has failed, or is NULL. */
static inline int follower_prepare(warplu_solver **s, const warplu_options *options, const wlu_cost *cost,
                                   const test_matrix *m)
{
    if (create_cuda(s, options) < 0) return 0;
    if (cost != NULL) (*s)->cost = cost;
    double *x = calloc(2 * (size_t)m->n, sizeof *x);
    int prepared = warplu_analyze(*s, m->n, m->ptr, m->idx, m->x) >= 0 && warplu_factor(*s, m->x) >= 0 &&
                   warplu_solve_transposed(*s, 1, x, m->n, x + m->n, m->n) >= 0;
    free(x);
    return prepared;
}

/* Of a solver that has its program, and that of transposed solves. */
static inline warplu_status follower_open(follower *f, warplu_solver *of)
{
    const wlu_target target = {.executor = &wlu_executor_reference, .precision = of->current.plan->target.precision};
    *f = (follower){.of = of};
    warplu_status status = wlu_image_load(&of->ctx, &target, wlu_solver_program(of), &f->image);
    return status == WARPLU_SUCCESS ? wlu_state_create(&of->ctx, f->image, 1, NULL, &f->state) : status;
}

static inline void follower_close(follower *f)
{
    wlu_state_destroy(&f->of->ctx, &f->state);
    wlu_image_destroy(&f->of->ctx, &f->image);
}

static inline wlu_verdict follower_refactor(follower *f, const double *values)
{
    warplu_status status = wlu_state_refactor(&f->of->ctx, f->state, values);
    return status < 0 ? WLU_WEAK : (wlu_verdict)wlu_state_health(f->state, 0)->verdict;
}

/* Unchecked and unrefined, but where the device refines: there x becomes NaN if it is not accurate. 0: it failed. */
static inline int follower_solve(follower *f, int transposed, const double *b, double *x)
{
    double largest;
    int32_t n = f->of->analysis->n;
    warplu_status status = wlu_state_solve(
        &f->of->ctx, f->state, transposed ? WLU_STREAM_SOLVE_TRANSPOSED : WLU_STREAM_SOLVE, 1, b, n, x, n, &largest);
    int refined = wlu_precision_refines(wlu_image_target(f->image)->precision),
        withheld = refined && wlu_state_refined(f->state)->inaccurate > 0;
    for (int32_t i = 0; i < n && withheld; i++) x[i] = (double)NAN;
    return status == WARPLU_SUCCESS;
}

#endif
