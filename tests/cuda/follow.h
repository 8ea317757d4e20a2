/* The reference executor beside a solver of a device: it replays the same program, record by record. */
#ifndef WLU_TEST_FOLLOW_H
#define WLU_TEST_FOLLOW_H

#include "solver/solver.h"
#include "support/build.h"

#include <math.h>

typedef struct follower {
    warplu_solver *of;
    const wlu_executor *executor;
    void *image;
    wlu_state *state;
} follower;

/* A solver on the device with its program and that of transposed solves. cost: constants that its program is compiled
 * by, or NULL for its executor's. 0: *s has failed, or is NULL. */
static inline int follower_prepare(warplu_solver **s, const warplu_options *options, const wlu_cost *cost,
                                   const test_matrix *m)
{
    static wlu_executor executor;
    if (warplu_create(s, options) < 0) return 0;
    if (cost != NULL) {
        executor = *(*s)->executor;
        executor.cost = cost;
        (*s)->executor = &executor;
    }
    double *x = calloc(2 * (size_t)m->n, sizeof *x);
    int prepared = warplu_analyze(*s, m->n, m->ptr, m->idx, m->x) >= 0 && warplu_factor(*s, m->x) >= 0 &&
                   warplu_solve_transposed(*s, 1, x, m->n, x + m->n, m->n) >= 0;
    free(x);
    return prepared;
}

/* Of a solver that has its program, and that of transposed solves. */
static inline warplu_status follower_open(follower *f, warplu_solver *of)
{
    const wlu_program *program = wlu_solver_program(of);
    *f = (follower){.of = of,
                    .executor = wlu_executor_with(&wlu_executor_reference, WARPLU_STRATEGY_AUTO,
                                                  of->current.plan->executor->precision)};
    warplu_status status = f->executor->load(&of->ctx, program, &f->image);
    if (status == WARPLU_SUCCESS) status = f->executor->load_transposed(&of->ctx, f->image);
    if (status == WARPLU_SUCCESS) status = wlu_state_create(&of->ctx, program, &f->state);
    return status == WARPLU_SUCCESS ? wlu_state_attach(&of->ctx, f->executor, f->image, f->state) : status;
}

static inline void follower_close(follower *f)
{
    wlu_state_destroy(&f->of->ctx, &f->state);
    if (f->image != NULL) f->executor->destroy(&f->of->ctx, &f->image);
}

static inline wlu_verdict follower_refactor(follower *f, const double *values)
{
    const warplu_solver *s = f->of;
    warplu_status status = f->executor->refactor(&f->of->ctx, f->image, f->state, values);
    return status < 0 ? WLU_WEAK
                      : wlu_judge(&f->state->health, &s->current.plan->pivots->quality,
                                  &s->current.plan->pivots->bound[0], s->options.pivot_absolute);
}

/* Unchecked and unrefined, but where the device refines: there x becomes NaN if it is not accurate. 0: it failed. */
static inline int follower_solve(follower *f, int transposed, const double *b, double *x)
{
    double largest;
    warplu_status status = f->executor->solve(
        &f->of->ctx, f->image, f->state, transposed ? WLU_STREAM_SOLVE_TRANSPOSED : WLU_STREAM_SOLVE, b, x, &largest);
    int refined = wlu_precision_refines(f->executor->precision), withheld = refined && f->state->refined.inaccurate > 0;
    for (int32_t i = 0; i < f->of->analysis->n && withheld; i++) x[i] = (double)NAN;
    return status == WARPLU_SUCCESS;
}

#endif
