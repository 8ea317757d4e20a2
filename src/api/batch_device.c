/* The calls of warplu/batch_device.h. */
#include <warplu/batch_device.h>

#include "base/environment.h"
#include "solver/batch/batch.h"
#include "solver/batch/device.h"

static warplu_status refuse(warplu_batch *b, warplu_status status, const char *why)
{
    return wlu_fail(wlu_batch_context(b), status, "%s", why);
}

static warplu_status refuse_calls(warplu_batch *b)
{
    return refuse(b, WARPLU_NOT_COMPILED,
                  b->target.several != NULL ? "calls on device pointers are for batches on one device"
                                            : "the batch does not replay on a device");
}

/* Whether the batch can take the call. */
static warplu_status check(warplu_batch *b, const wlu_batch_given *g)
{
    int solves = g->nrhs > 0;
    if (g->nrhs < 0 || (solves && (g->b == NULL || g->x == NULL)) || (g->deed != WLU_BATCH_SOLVED && g->values == NULL))
        return refuse(b, WARPLU_INVALID_ARGUMENT, "an argument is NULL or out of range");
    if (b->ledger == NULL) return refuse_calls(b);
    if (wlu_batch_sides_overlap(b, g->nrhs, g->b, g->x)) return refuse(b, WARPLU_INVALID_ARGUMENT, "x overlaps b");
    if (g->deed != WLU_BATCH_AT_ONCE && !b->options.keep_factors)
        return refuse(b, WARPLU_WRONG_PHASE, "the batch was made without keep_factors");
    if (b->programs == 0) return refuse(b, WARPLU_WRONG_PHASE, "no pivots have been chosen");
    if (g->transposed && !b->program[0].transposed)
        return refuse(b, WARPLU_WRONG_PHASE, "warplu_batch_prepare_transposed makes the program that this needs");
    return WARPLU_SUCCESS;
}

static warplu_status enqueue(warplu_batch *b, const wlu_batch_given *given, void *stream)
{
    wlu_environment environment;
    if (b == NULL) return WARPLU_INVALID_ARGUMENT;
    wlu_environment_enter(&environment);
    warplu_status status = check(b, given);
    if (status == WARPLU_SUCCESS) status = wlu_batch_enqueue(b, given, stream);
    wlu_environment_leave(&environment);
    return status;
}

warplu_status warplu_batch_refactor_solve_device(warplu_batch *b, const double *values, const unsigned char *mask,
                                                 int transposed, int32_t nrhs, const double *rhs, double *x,
                                                 void *stream)
{
    const wlu_batch_given given = {WLU_BATCH_AT_ONCE, values, mask, transposed, nrhs, rhs, x};
    return enqueue(b, &given, stream);
}

warplu_status warplu_batch_refactor_device(warplu_batch *b, const double *values, const unsigned char *mask,
                                           void *stream)
{
    const wlu_batch_given given = {WLU_BATCH_FACTORED, values, mask, 0, 0, NULL, NULL};
    return enqueue(b, &given, stream);
}

warplu_status warplu_batch_solve_device(warplu_batch *b, const unsigned char *mask, int transposed, int32_t nrhs,
                                        const double *rhs, double *x, void *stream)
{
    const wlu_batch_given given = {WLU_BATCH_SOLVED, NULL, mask, transposed, nrhs, rhs, x};
    return enqueue(b, &given, stream);
}

warplu_status warplu_batch_finish_device(warplu_batch *b, void *stream)
{
    wlu_environment environment;
    if (b == NULL) return WARPLU_INVALID_ARGUMENT;
    if (b->ledger == NULL) return refuse_calls(b);
    wlu_environment_enter(&environment);
    b->base->ctx.last_message[0] = '\0';
    warplu_status status = wlu_batch_finish(b, stream);
    wlu_environment_leave(&environment);
    return status;
}

warplu_status warplu_batch_prepare_transposed(warplu_batch *b)
{
    wlu_environment environment;
    if (b == NULL) return WARPLU_INVALID_ARGUMENT;
    if (b->programs == 0) return refuse(b, WARPLU_WRONG_PHASE, "no pivots have been chosen");
    wlu_environment_enter(&environment);
    b->base->ctx.last_message[0] = '\0';
    warplu_status status = wlu_batch_prepare_transposed(b);
    wlu_environment_leave(&environment);
    return status;
}
