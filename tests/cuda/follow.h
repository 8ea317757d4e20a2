/* The reference executor beside a solver of a device: it replays the same program, one replay after the other. */
#ifndef WLU_TEST_FOLLOW_H
#define WLU_TEST_FOLLOW_H

#include "api/solver.h"

typedef struct follower {
    warplu_solver *of;
    void *image;
    wlu_state *state;
} follower;

/* Of a solver that has its program, and that of transposed solves. */
static inline warplu_status follower_open(follower *f, warplu_solver *of)
{
    const wlu_program *program = wlu_solver_program(of);
    *f = (follower){.of = of};
    warplu_status status = wlu_executor_reference.load(&of->ctx, program, &f->image);
    if (status == WARPLU_SUCCESS) status = wlu_executor_reference.load_transposed(&of->ctx, f->image);
    if (status == WARPLU_SUCCESS) status = wlu_state_create(&of->ctx, program, &f->state);
    return status == WARPLU_SUCCESS ? wlu_state_attach(&of->ctx, &wlu_executor_reference, f->image, f->state) : status;
}

static inline void follower_close(follower *f)
{
    wlu_state_destroy(&f->of->ctx, &f->state);
    if (f->image != NULL) wlu_executor_reference.destroy(&f->of->ctx, &f->image);
}

static inline wlu_verdict follower_refactor(follower *f, const double *values)
{
    const warplu_solver *s = f->of;
    warplu_status status = wlu_executor_reference.refactor(&f->of->ctx, f->image, f->state, values);
    return status < 0 ? WLU_WEAK : wlu_judge(&f->state->health, &s->at.plan->pivots->quality, s->options.pivot_absolute);
}

/* Unchecked and unrefined. 0: it failed. */
static inline int follower_solve(follower *f, int transposed, const double *b, double *x)
{
    double largest;
    return wlu_executor_reference.solve(&f->of->ctx, f->image, f->state, transposed ? WLU_STREAM_SOLVE_TRANSPOSED : WLU_STREAM_SOLVE,
                                        b, x, &largest) == WARPLU_SUCCESS;
}

#endif
