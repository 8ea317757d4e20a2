/* warplu itself as a peer, with its defaults: beside the executor that runs in the harness's own process it shows what
 * a process of its own changes, which should be nothing. */
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>

enum { UNTOLD = 1 }; /* a variant */

typedef struct warplu_run {
    warplu_solver *solver;
    int32_t n;
} warplu_run;

static const char *const orderings[] = {"auto", NULL};

static warplu_status keep(warplu_status status, const warplu_solver *solver)
{
    return status < 0 ? peer_fail(status, "%s", warplu_get_message(solver)) : status;
}

static void destroy(void **state)
{
    warplu_run *run = *state;
    if (run == NULL) return;
    warplu_destroy(&run->solver);
    free(run);
    *state = NULL;
}

static warplu_status analyze(const peer_matrix *a, const peer_request *request, void **state)
{
    warplu_options options;
    warplu_run *run = calloc(1, sizeof *run);
    *state = run;
    if (run == NULL) return peer_fail(WARPLU_OUT_OF_MEMORY, "no memory for the run");
    run->n = a->n;
    warplu_init_options(&options);
    /* The usual benchmark times replays; a life begins as a solver does by default. */
    options.expected_refactors = request->variant == UNTOLD ? 0.0 : 1000.0;
    options.threads = request->threads;
    warplu_status status = warplu_create(&run->solver, &options);
    if (status >= 0) status = warplu_analyze(run->solver, a->n, a->ptr, a->idx, a->values);
    keep(status, run->solver);
    if (status < 0) destroy(state);
    return status;
}

static warplu_status factor(void *state, const double *values)
{
    warplu_run *run = state;
    return keep(warplu_factor(run->solver, values), run->solver);
}

static warplu_status refactor(void *state, const double *values)
{
    warplu_run *run = state;
    return keep(warplu_refactor(run->solver, values), run->solver);
}

static warplu_status solve(void *state, const double *b, double *x)
{
    warplu_run *run = state;
    return keep(warplu_solve(run->solver, 1, b, run->n, x, run->n), run->solver);
}

static void describe(const void *state, peer_facts *facts)
{
    const warplu_run *run = state;
    warplu_statistics t = {.size = sizeof t};
    warplu_get_statistics(run->solver, &t);
    snprintf(facts->version, sizeof facts->version, "warplu %s", warplu_version());
    snprintf(facts->ordering, sizeof facts->ordering, "auto");
    facts->blocks = t.blocks;
    facts->lu_nnz = t.lu_nnz;
    facts->bytes = t.program_bytes;
    facts->refinement_steps = t.refinement_steps;
}

const peer_functions peer_plugin = {.analyze = analyze,
                                    .factor = factor,
                                    .refactor = refactor,
                                    .solve = solve,
                                    .describe = describe,
                                    .destroy = destroy,
                                    .orderings = orderings};
