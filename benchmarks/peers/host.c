/* main of every plug-in's program: obeys the harness over a socket, holds the clock around the solver's calls.
 *
 *     warplu-peer-NAME SOCKET MEMORY     two open file descriptors, inherited from the harness (process.c)
 *
 * The program ends when the harness closes its end of the socket. What the solver prints goes where the harness has
 * put standard output and error, and is shown if the solver ends the process. */
#include "channel.h"
#include "turn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALIGNMENT = 64 }; /* a cache line */

typedef struct host {
    int socket, memory_fd;
    channel_memory *memory;
    size_t bytes;
    char *own; /* a copy of it: what the solver works on lies in ordinary memory */
    peer_matrix a;
    int32_t step;
    int32_t place_of_x; /* which of the places for solutions solves write to: the first, or the member's */
    void *state;
} host;

/* ------------------------------------------------------------------ memory */

static void *place(const host *h, int64_t at)
{
    return at > 0 ? h->own + at : NULL;
}

static double *values_of(const host *h, int32_t step)
{
    return (double *)place(h, h->memory->values_at) + step * h->memory->nnz * h->memory->doubles;
}

/* Where the next solve writes to. */
static double *solution_of(const host *h)
{
    return (double *)place(h, h->memory->x_at) + (int64_t)h->place_of_x * h->a.n * h->a.doubles;
}

static void tell_abilities(host *h)
{
    memset(h->memory->orderings, 0, sizeof h->memory->orderings);
    for (int k = 0; k < CHANNEL_ORDERINGS - 1 && peer_plugin.orderings[k] != NULL; k++)
        snprintf(h->memory->orderings[k], sizeof h->memory->orderings[k], "%s", peer_plugin.orderings[k]);
    h->memory->takes_order = peer_plugin.takes_order;
    h->memory->does_both = peer_plugin.both != NULL;
}

static warplu_status open_system(host *h, int64_t bytes)
{
    peer_plugin.destroy(&h->state);
    free(h->own);
    if (h->memory != NULL) munmap(h->memory, h->bytes);
    h->own = aligned_alloc(ALIGNMENT, ((size_t)bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    h->memory = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, h->memory_fd, 0);
    if (h->memory == MAP_FAILED) h->memory = NULL;
    h->bytes = (size_t)bytes;
    if (h->memory == NULL || h->own == NULL) return peer_fail(WARPLU_OUT_OF_MEMORY, "no memory for the system");
    memcpy(h->own, h->memory, h->bytes);
    h->a = (peer_matrix){.n = h->memory->n,
                         .doubles = h->memory->doubles,
                         .ptr = place(h, h->memory->ptr_at),
                         .idx = place(h, h->memory->idx_at),
                         .values = values_of(h, 0)};
    if (h->a.doubles > 1 && !peer_plugin.takes_complex)
        return peer_fail(WARPLU_COMPLEX_UNSUPPORTED, "it computes with real values alone here");
    warplu_status status = peer_plugin.start != NULL ? peer_plugin.start() : WARPLU_SUCCESS;
    tell_abilities(h);
    return status;
}

/* ------------------------------------------------------------------- calls */

static warplu_status call_factor(void *context)
{
    const host *h = context;
    h->memory->begun++;
    return peer_plugin.factor(h->state, values_of(h, h->step));
}

static warplu_status call_refactor(void *context)
{
    const host *h = context;
    h->memory->begun++;
    return peer_plugin.refactor(h->state, values_of(h, h->step));
}

static warplu_status call_solve(void *context)
{
    const host *h = context;
    h->memory->begun++;
    return peer_plugin.solve(h->state, place(h, h->memory->b_at), solution_of(h));
}

static warplu_status call_both(void *context)
{
    const host *h = context;
    h->memory->begun++;
    return peer_plugin.both(h->state);
}

static warplu_status analyze(host *h, const channel_command *c, int32_t *count)
{
    peer_request request = c->request;
    peer_plugin.destroy(&h->state);
    int given = request.ordering == PEER_ORDERING_GIVEN;
    request.row_order = given ? place(h, h->memory->row_order_at) : NULL;
    request.col_order = given ? place(h, h->memory->col_order_at) : NULL;
    int64_t start = wlu_now_ns();
    warplu_status status = peer_plugin.analyze(&h->a, &request, &h->state);
    h->memory->ns[0] = wlu_now_ns() - start;
    if (status >= 0 && peer_plugin.reported_ns != NULL) h->memory->ns[0] = peer_plugin.reported_ns(h->state);
    *count = status >= 0;
    return status;
}

/* Values, or the right-hand side, to where the solver wants them. */
static warplu_status stage(host *h, int solves)
{
    warplu_status status = WARPLU_SUCCESS;
    int64_t start = wlu_now_ns();
    if (solves && peer_plugin.stage_rhs != NULL)
        status = peer_plugin.stage_rhs(h->state, place(h, h->memory->b_at));
    else if (!solves && peer_plugin.stage_values != NULL)
        status = peer_plugin.stage_values(h->state, values_of(h, h->step));
    else
        return status;
    h->memory->stage_ns = wlu_now_ns() - start;
    return status;
}

/* The solution back into the memory that both see. */
static warplu_status give_solution(host *h)
{
    double *x = place(h, h->memory->x_at);
    warplu_status status =
        peer_plugin.fetch_solution != NULL ? peer_plugin.fetch_solution(h->state, x) : WARPLU_SUCCESS;
    memcpy((char *)h->memory + h->memory->x_at, x, (size_t)h->a.n * (size_t)h->a.doubles * sizeof *x);
    return status;
}

static warplu_status run_calls(host *h, const channel_command *c, int32_t *count)
{
    turn t = {.calls = c->calls < CHANNEL_CALLS ? c->calls : CHANNEL_CALLS, .warm = c->warm, .budget_ns = c->budget_ns};
    int both = c->op == CHANNEL_BOTH && peer_plugin.both != NULL, solves = both || c->op == CHANNEL_SOLVE;
    turn_call call = both ? call_both : solves ? call_solve : c->op == CHANNEL_FACTOR ? call_factor : call_refactor;
    int reported = peer_plugin.reported_ns != NULL && !solves;
    if (reported) t = (turn){.calls = 1};
    h->step = c->step;
    if (h->state == NULL) return peer_fail(WARPLU_WRONG_PHASE, "called before its analysis");
    warplu_status status = stage(h, solves);
    if (status >= 0 && both) status = stage(h, 0);
    if (status >= 0) status = turn_run(&t, call, h, h->memory->ns, count);
    if (status >= 0 && reported) h->memory->ns[0] = peer_plugin.reported_ns(h->state);
    return status >= 0 && solves ? give_solution(h) : status;
}

/* --------------------------------------------------- sequences and lives */

/* One call, its time added to *ns. */
static warplu_status timed(turn_call call, host *h, int64_t *ns)
{
    int64_t start = wlu_now_ns();
    warplu_status status = call(h);
    *ns += wlu_now_ns() - start;
    return status;
}

/* Refactors and solves for the values of a step; where that is known to fall short, factors and solves again. The
 * harness has judged every step before and knows which fail. */
static void run_step(host *h, int64_t *refactor_ns, int64_t *solve_ns)
{
    int anew = ((const int64_t *)place(h, h->memory->anew_at))[h->step] != 0;
    warplu_status status = stage(h, 0);
    *refactor_ns = *solve_ns = 0;
    if (status >= 0 && h->step > 0) status = timed(call_refactor, h, refactor_ns);
    if (status >= 0) timed(call_solve, h, solve_ns);
    if (!anew) return;
    *solve_ns = 0;
    if (timed(call_factor, h, refactor_ns) >= 0) timed(call_solve, h, solve_ns);
}

static warplu_status run_pass(host *h)
{
    int64_t *refactor_ns = (int64_t *)((char *)h->memory + h->memory->refactor_ns_at);
    int64_t *solve_ns = (int64_t *)((char *)h->memory + h->memory->solve_ns_at);
    memcpy(place(h, h->memory->anew_at), (char *)h->memory + h->memory->anew_at,
           (size_t)h->memory->steps * sizeof *refactor_ns);
    if (h->state == NULL) return peer_fail(WARPLU_WRONG_PHASE, "called before its analysis");
    h->step = 0;
    warplu_status status = stage(h, 0);
    if (status >= 0) status = stage(h, 1);
    if (status >= 0) status = call_factor(h);
    for (; status >= 0 && h->step < h->memory->steps; h->step++) run_step(h, &refactor_ns[h->step], &solve_ns[h->step]);
    return status;
}

/* From the analysis to the last of these solves; a failure ends it. */
static warplu_status live(host *h, const channel_command *c, int32_t solves, int32_t *count)
{
    int64_t *refactor_ns = (int64_t *)((char *)h->memory + h->memory->refactor_ns_at);
    int64_t *solve_ns = (int64_t *)((char *)h->memory + h->memory->solve_ns_at);
    warplu_status status = analyze(h, c, count);
    for (int32_t k = 0; status >= 0 && k < solves; k++) {
        h->step = k % h->memory->steps;
        refactor_ns[k] = solve_ns[k] = 0;
        status = stage(h, 0);
        if (status >= 0 && k == 0) status = stage(h, 1);
        if (status >= 0) status = timed(k == 0 ? call_factor : call_refactor, h, &refactor_ns[k]);
        if (status >= 0) status = timed(call_solve, h, &solve_ns[k]);
    }
    return status;
}

static warplu_status run_life(host *h, const channel_command *c, int32_t *count)
{
    warplu_status status = c->warm ? live(h, c, 1, count) : WARPLU_SUCCESS;
    return status < 0 ? status : live(h, c, c->calls, count);
}

/* ----------------------------------------------------------------- members */

static warplu_status begin_members(host *h)
{
    peer_members members = {.count = h->memory->steps,
                            .values = values_of(h, 0),
                            .b = place(h, h->memory->b_at),
                            .x = place(h, h->memory->x_at)};
    if (h->state == NULL) return peer_fail(WARPLU_WRONG_PHASE, "called before its analysis");
    return peer_plugin.begin_members != NULL ? peer_plugin.begin_members(h->state, &members) : stage(h, 1);
}

/* One after the other, what stages them outside the clock. */
static warplu_status replay_each(host *h, int solves, int64_t *ns)
{
    int both = solves && peer_plugin.both != NULL;
    warplu_status status = WARPLU_SUCCESS;
    *ns = 0;
    for (h->step = 0; h->step < h->memory->steps && status >= 0; h->step++) {
        h->place_of_x = h->step;
        status = stage(h, 0);
        if (status >= 0) status = timed(both ? call_both : call_refactor, h, ns);
        if (status >= 0 && solves && !both) status = timed(call_solve, h, ns);
        if (status >= 0 && solves && peer_plugin.fetch_solution != NULL)
            status = peer_plugin.fetch_solution(h->state, solution_of(h));
    }
    h->place_of_x = 0;
    return status;
}

/* By the solver's own way, if it has one. */
static warplu_status replay_members(host *h, int solves, int64_t *ns)
{
    if (peer_plugin.begin_members == NULL) return replay_each(h, solves, ns);
    int64_t start = wlu_now_ns();
    h->memory->begun++;
    warplu_status status = (solves ? peer_plugin.both_members : peer_plugin.refactor_members)(h->state);
    *ns = wlu_now_ns() - start;
    return status;
}

/* A turn (turn.h) whose calls know their times. */
static warplu_status run_members(host *h, const channel_command *c, int32_t *count)
{
    int solves = c->op == CHANNEL_BOTH_MEMBERS, calls = c->calls < CHANNEL_CALLS ? c->calls : CHANNEL_CALLS;
    int64_t ns, spent = 0;
    if (h->state == NULL) return peer_fail(WARPLU_WRONG_PHASE, "called before its analysis");
    warplu_status status = c->warm ? replay_members(h, solves, &ns) : WARPLU_SUCCESS;
    for (*count = 0; status >= 0 && *count < calls && (*count == 0 || spent < c->budget_ns);) {
        status = replay_members(h, solves, &ns);
        if (status < 0) break;
        h->memory->ns[(*count)++] = ns;
        spent += ns;
    }
    if (status < 0 || !solves) return status;
    if (peer_plugin.fetch_members != NULL) status = peer_plugin.fetch_members(h->state);
    memcpy((char *)h->memory + h->memory->x_at, place(h, h->memory->x_at),
           (size_t)h->memory->steps * (size_t)h->a.n * (size_t)h->a.doubles * sizeof(double));
    return status;
}

/* ---------------------------------------------------------------- commands */

static warplu_status describe(host *h)
{
    peer_facts *facts = &h->memory->facts;
    memset(facts, 0, sizeof *facts);
    facts->blocks = facts->refinement_steps = -1;
    facts->lu_nnz = facts->bytes = facts->perturbed = -1;
    if (h->state == NULL) return WARPLU_WRONG_PHASE;
    peer_plugin.describe(h->state, facts);
    return WARPLU_SUCCESS;
}

static channel_answer obey(host *h, const channel_command *c)
{
    channel_answer answer = {0};
    peer_fail(WARPLU_SUCCESS, "%s", "");
    switch ((channel_op)c->op) {
    case CHANNEL_OPEN: answer.status = open_system(h, c->bytes); break;
    case CHANNEL_ANALYZE: answer.status = analyze(h, c, &answer.count); break;
    case CHANNEL_DESCRIBE: answer.status = describe(h); break;
    case CHANNEL_PASS: answer.status = run_pass(h); break;
    case CHANNEL_BEGIN_MEMBERS: answer.status = begin_members(h); break;
    case CHANNEL_REFACTOR_MEMBERS:
    case CHANNEL_BOTH_MEMBERS: answer.status = run_members(h, c, &answer.count); break;
    case CHANNEL_LIFE: answer.status = run_life(h, c, &answer.count); break;
    case CHANNEL_FACTOR:
    case CHANNEL_REFACTOR:
    case CHANNEL_BOTH:
    case CHANNEL_SOLVE: answer.status = run_calls(h, c, &answer.count); break;
    }
    if (h->memory != NULL) snprintf(h->memory->message, sizeof h->memory->message, "%s", peer_failure());
    return answer;
}

int main(int argc, char **argv)
{
    host h = {0};
    channel_command command;
    if (argc != 3) {
        fprintf(stderr, "%s: a part of warplu bench, which runs it; see warplu bench --help\n", argv[0]);
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0); /* in its order with standard error */
    h.socket = atoi(argv[1]);
    h.memory_fd = atoi(argv[2]);
    while (read(h.socket, &command, sizeof command) == (ssize_t)sizeof command) {
        channel_answer answer = obey(&h, &command);
        if (write(h.socket, &answer, sizeof answer) != (ssize_t)sizeof answer) break;
    }
    peer_plugin.destroy(&h.state);
    return 0;
}
