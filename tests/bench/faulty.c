/* A plug-in that goes wrong as WARPLU_FAULT asks: "KIND CALL", in place of a peer.
 *
 * It scales by the diagonal, which is right for the tests' diagonal matrices. Kinds: exit, abort, hang (forever), fail,
 * wrong (an answer), none, print and latin (print, then exit), storage (exits in its first two attempts), spin (a
 * thread that never rests), slow (200 ms), close (what it has open, and hangs), garbage (an answer that no host gives),
 * stale (a refactor leaves the factors as they are), same (a refactor fails where its values are those of the factors).
 * Calls: analyze, factor, refactor, solve, both. */
#include "peer.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_FD = 3, LAST_FD = 63 };
static const char no_answer[] = "no answer that a host gives";

typedef struct faulty {
    peer_matrix a;
    int32_t attempt;
    double *diagonal;
    const double *values, *b; /* staged */
    double *answer;           /* of both; what solve answers lies in its x */
    int answered;
} faulty;

static const char *const orderings[] = {"first", "second", "natural", NULL};

static void *spin(void *nothing)
{
    for (volatile unsigned long turns = 0;; turns++) {
    }
    return nothing;
}

static void close_all(void)
{
    for (int fd = FIRST_FD; fd <= LAST_FD; fd++) close(fd);
}

static void answer_garbage(void)
{
    for (int fd = FIRST_FD; fd <= LAST_FD; fd++) (void)!send(fd, no_answer, sizeof no_answer, MSG_NOSIGNAL);
}

static warplu_status misbehave(const faulty *f, const char *call)
{
    const char *fault = getenv("WARPLU_FAULT"), *space = fault != NULL ? strchr(fault, ' ') : NULL;
    pthread_t thread;
    if (space == NULL || strcmp(space + 1, call) != 0) return WARPLU_SUCCESS;
    if (strncmp(fault, "exit", 4) == 0) exit(7);
    if (strncmp(fault, "abort", 5) == 0) abort();
    if (strncmp(fault, "fail", 4) == 0) return peer_fail(WARPLU_SINGULAR, "its code %d", 42);
    if (strncmp(fault, "spin", 4) == 0) pthread_create(&thread, NULL, spin, NULL);
    if (strncmp(fault, "storage", 7) == 0 && f->attempt < 2) exit(1);
    if (strncmp(fault, "slow", 4) == 0) nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    if (strncmp(fault, "garbage", 7) == 0) answer_garbage();
    if (strncmp(fault, "close", 5) == 0) close_all();
    while (strncmp(fault, "hang", 4) == 0 || strncmp(fault, "close", 5) == 0) pause();
    if (strncmp(fault, "latin", 5) == 0) {
        fputs("d\xe9j\xe0 vu\n", stderr);
        exit(3);
    }
    if (strncmp(fault, "print", 5) == 0) {
        puts("a first line");
        fprintf(stderr, "storage is %s\n\n", "exceeded");
        exit(3);
    }
    return WARPLU_SUCCESS;
}

static void destroy(void **state)
{
    faulty *f = *state;
    if (f == NULL) return;
    free(f->diagonal);
    free(f->answer);
    free(f);
    *state = NULL;
}

static warplu_status analyze(const peer_matrix *a, const peer_request *request, void **state)
{
    faulty *f = calloc(1, sizeof *f);
    *state = f;
    f->a = *a;
    f->attempt = request->attempt;
    f->diagonal = calloc((size_t)a->n, sizeof *f->diagonal);
    f->answer = calloc((size_t)a->n, sizeof *f->answer);
    warplu_status status = misbehave(f, "analyze");
    if (status < 0) destroy(state);
    return status;
}

static warplu_status factor(void *state, const double *values)
{
    faulty *f = state;
    memcpy(f->diagonal, values, (size_t)f->a.n * sizeof *values);
    return misbehave(f, "factor");
}

static warplu_status refactor(void *state, const double *values)
{
    faulty *f = state;
    const char *fault = getenv("WARPLU_FAULT");
    size_t bytes = (size_t)f->a.n * sizeof *values;
    if (fault != NULL && strcmp(fault, "same refactor") == 0 && memcmp(f->diagonal, values, bytes) == 0)
        return peer_fail(WARPLU_SINGULAR, "these values again");
    if (fault == NULL || strcmp(fault, "stale refactor") != 0) memcpy(f->diagonal, values, bytes);
    return misbehave(f, "refactor");
}

static warplu_status solve(void *state, const double *b, double *x)
{
    faulty *f = state;
    const char *fault = getenv("WARPLU_FAULT");
    f->answered = 0;
    for (int32_t i = 0; i < f->a.n; i++) x[i] = b[i] / f->diagonal[i];
    if (fault != NULL && strcmp(fault, "wrong solve") == 0) x[0] *= 1.001;
    return misbehave(f, "solve");
}

static warplu_status stage_values(void *state, const double *values)
{
    ((faulty *)state)->values = values;
    return WARPLU_SUCCESS;
}

static warplu_status stage_rhs(void *state, const double *b)
{
    ((faulty *)state)->b = b;
    return WARPLU_SUCCESS;
}

static warplu_status both(void *state)
{
    faulty *f = state;
    const char *fault = getenv("WARPLU_FAULT");
    if (fault == NULL || strcmp(fault, "stale refactor") != 0)
        memcpy(f->diagonal, f->values, (size_t)f->a.n * sizeof *f->values);
    solve(state, f->b, f->answer);
    if (fault != NULL && strcmp(fault, "wrong both") == 0) f->answer[0] *= 1.001;
    f->answered = 1;
    return misbehave(f, "both");
}

static warplu_status fetch_solution(void *state, double *x)
{
    const faulty *f = state;
    if (f->answered) memcpy(x, f->answer, (size_t)f->a.n * sizeof *x);
    return WARPLU_SUCCESS;
}

static void describe(const void *state, peer_facts *facts)
{
    const faulty *f = state;
    snprintf(facts->version, sizeof facts->version, "attempt %d", (int)f->attempt);
    snprintf(facts->settings, sizeof facts->settings, "OMP_NUM_THREADS=%s OPENBLAS_NUM_THREADS=%s",
             getenv("OMP_NUM_THREADS"), getenv("OPENBLAS_NUM_THREADS"));
    facts->lu_nnz = f->a.n;
}

const peer_functions peer_plugin = {.analyze = analyze,
                                    .factor = factor,
                                    .refactor = refactor,
                                    .solve = solve,
                                    .both = both,
                                    .stage_values = stage_values,
                                    .stage_rhs = stage_rhs,
                                    .fetch_solution = fetch_solution,
                                    .describe = describe,
                                    .destroy = destroy,
                                    .orderings = orderings};
