/* The calls of warplu/batch.h. */
#include <warplu/batch.h>

#include <string.h>

#include "base/environment.h"
#include "base/sized.h"
#include "solver/batch/batch.h"
#include "solver/batch/options.h"

void warplu_batch_init_options(warplu_batch_options *options)
{
    if (options != NULL) wlu_batch_options_default(options);
}

warplu_status warplu_batch_create(warplu_batch **out, const warplu_solver *solver, int32_t count,
                                  const warplu_batch_options *options)
{
    wlu_environment environment;
    if (out != NULL) *out = NULL;
    if (out == NULL || solver == NULL) return WARPLU_INVALID_ARGUMENT;
    wlu_turn *turn = &((warplu_solver *)solver)->turn;
    if (!wlu_turn_take(turn)) return WARPLU_WRONG_PHASE;
    wlu_environment_enter(&environment);
    warplu_status status =
        solver->analysis != NULL ? wlu_batch_create(out, solver, count, options) : WARPLU_WRONG_PHASE;
    wlu_environment_leave(&environment);
    wlu_turn_give(turn);
    return status;
}

void warplu_batch_destroy(warplu_batch **batch)
{
    if (batch != NULL && *batch != NULL) wlu_batch_destroy(batch);
}

/* Whether the arguments are there and the phase is right; the message says what is not. */
static warplu_status refuse(warplu_batch *b, int given, int allowed, const char *why)
{
    if (!given) return wlu_fail(wlu_batch_context(b), WARPLU_INVALID_ARGUMENT, "an argument is NULL or out of range");
    if (!allowed) return wlu_fail(wlu_batch_context(b), WARPLU_WRONG_PHASE, "%s", why);
    b->base->ctx.last_message[0] = '\0';
    return WARPLU_SUCCESS;
}

/* The same for right-hand sides and solutions, which lie apart. */
static warplu_status refuse_sides(warplu_batch *b, int32_t nrhs, const double *rhs, const double *x)
{
    warplu_status status = refuse(b, nrhs >= 0 && (nrhs == 0 || (rhs != NULL && x != NULL)), 1, "");
    if (status < 0 || !wlu_batch_sides_overlap(b, nrhs, rhs, x)) return status;
    return wlu_fail(wlu_batch_context(b), WARPLU_INVALID_ARGUMENT, "x overlaps b");
}

/* Whether factors can be kept, or solved by. */
static warplu_status refuse_kept(warplu_batch *b, int given)
{
    warplu_status status = refuse(b, given, b->options.keep_factors, "the batch was made without keep_factors");
    if (status < 0) return status;
    return refuse(b, 1, !b->unfinished, "warplu_batch_finish_device has to come first");
}

warplu_status warplu_batch_factor(warplu_batch *b, const double *values)
{
    wlu_environment environment;
    if (b == NULL) return WARPLU_INVALID_ARGUMENT;
    wlu_environment_enter(&environment);
    warplu_status status = refuse(b, values != NULL, 1, "");
    if (status == WARPLU_SUCCESS) status = wlu_batch_factor(b, values);
    wlu_environment_leave(&environment);
    return status;
}

warplu_status warplu_batch_refactor_solve(warplu_batch *b, const double *values, const unsigned char *mask,
                                          int transposed, int32_t nrhs, const double *rhs, double *x)
{
    wlu_environment environment;
    if (b == NULL) return WARPLU_INVALID_ARGUMENT;
    wlu_environment_enter(&environment);
    warplu_status status = refuse_sides(b, nrhs, rhs, x);
    if (status == WARPLU_SUCCESS) status = refuse(b, values != NULL, 1, "");
    if (status == WARPLU_SUCCESS) status = wlu_batch_run(b, values, 0, mask, transposed, nrhs, rhs, x);
    wlu_environment_leave(&environment);
    return status;
}

warplu_status warplu_batch_refactor(warplu_batch *b, const double *values, const unsigned char *mask)
{
    wlu_environment environment;
    if (b == NULL) return WARPLU_INVALID_ARGUMENT;
    wlu_environment_enter(&environment);
    warplu_status status = refuse_kept(b, values != NULL);
    if (status == WARPLU_SUCCESS) status = wlu_batch_run(b, values, 1, mask, 0, 0, NULL, NULL);
    wlu_environment_leave(&environment);
    return status;
}

warplu_status warplu_batch_solve(warplu_batch *b, const unsigned char *mask, int transposed, int32_t nrhs,
                                 const double *rhs, double *x)
{
    wlu_environment environment;
    if (b == NULL) return WARPLU_INVALID_ARGUMENT;
    wlu_environment_enter(&environment);
    warplu_status status = refuse_sides(b, nrhs, rhs, x);
    if (status == WARPLU_SUCCESS) status = refuse_kept(b, 1);
    if (status == WARPLU_SUCCESS) status = refuse(b, 1, b->programs > 0, "no pivots have been chosen");
    if (status == WARPLU_SUCCESS) status = wlu_batch_run(b, NULL, 1, mask, transposed, nrhs, rhs, x);
    wlu_environment_leave(&environment);
    return status;
}

warplu_status warplu_batch_get_members(const warplu_batch *b, int32_t first, int32_t count,
                                       warplu_batch_member *members, size_t size)
{
    if (b == NULL || (members == NULL && count > 0) || size != sizeof *members) return WARPLU_INVALID_ARGUMENT;
    if (first < 0 || count < 0 || first > b->count || count > b->count - first) return WARPLU_INVALID_ARGUMENT;
    if (count > 0) memcpy(members, b->record + first, (size_t)count * sizeof *members);
    return WARPLU_SUCCESS;
}

warplu_status warplu_batch_get_statistics(const warplu_batch *b, warplu_batch_statistics *out)
{
    if (b == NULL || !wlu_sized_is_set(out)) return WARPLU_INVALID_ARGUMENT;
    warplu_batch_statistics all = wlu_batch_statistics(b);
    wlu_sized_give(out, &all, sizeof all);
    return WARPLU_SUCCESS;
}

const char *warplu_batch_get_message(const warplu_batch *b)
{
    return b != NULL ? b->base->ctx.last_message : "";
}
