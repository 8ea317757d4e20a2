/* See klu_team.h. KLU's analysis is only read by klu_refactor and klu_solve, and all they write is in the numeric
 * object and in Common, so that threads share the one and have the others to themselves. The caller is
 * one of the threads; the others sleep until there is a call, of which each knows the number. */
#include "klu_team.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "klu_status.h"

typedef struct klu_worker {
    klu_team *team;
    pthread_t thread;
    int32_t first, end; /* members */
    klu_common common;
    klu_numeric *numeric;
    int failed; /* the last call; common says how */
} klu_worker;

struct klu_team {
    klu_parts parts;
    peer_members members;
    int threads, started; /* of these started - 1 beside the caller */
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t begin, end;
    int64_t call; /* number of the last one */
    int busy;     /* threads that it waits for */
    int solves, ends;
    klu_worker worker[];
};

static int is_complex(const klu_team *team)
{
    return team->parts.a->doubles > 1;
}

/* KLU takes pattern and values as pointers to what may be written, and reads them only. */
static int replay(klu_worker *w, const double *values)
{
    const peer_matrix *a = w->team->parts.a;
    int done = (is_complex(w->team) ? klu_z_refactor : klu_refactor)((int *)(uintptr_t)a->ptr, (int *)(uintptr_t)a->idx,
                                                                     (double *)(uintptr_t)values,
                                                                     w->team->parts.symbolic, w->numeric, &w->common);
    return done && w->common.status == KLU_OK;
}

static int solve(klu_worker *w, double *x)
{
    const peer_matrix *a = w->team->parts.a;
    int32_t n = a->n;
    memcpy(x, w->team->members.b, (size_t)n * (size_t)a->doubles * sizeof *x);
    return (is_complex(w->team) ? klu_z_solve : klu_solve)(w->team->parts.symbolic, w->numeric, n, 1, x, &w->common);
}

static void run_share(klu_worker *w)
{
    const klu_team *team = w->team;
    const peer_matrix *a = team->parts.a;
    int64_t n = (int64_t)a->n * a->doubles, nnz = (int64_t)a->ptr[a->n] * a->doubles;
    int done = 1;
    for (int32_t m = w->first; m < w->end && done; m++) {
        done = replay(w, team->members.values + m * nnz);
        if (done && team->solves) done = solve(w, team->members.x + m * n);
    }
    w->failed = !done;
}

static void *work(void *worker)
{
    klu_worker *w = worker;
    klu_team *team = w->team;
    int64_t done = 0;
    pthread_mutex_lock(&team->lock);
    for (;;) {
        while (team->call == done) pthread_cond_wait(&team->begin, &team->lock);
        done = team->call;
        if (team->ends) break;
        pthread_mutex_unlock(&team->lock);
        run_share(w);
        pthread_mutex_lock(&team->lock);
        if (--team->busy == 0) pthread_cond_signal(&team->end);
    }
    pthread_mutex_unlock(&team->lock);
    return NULL;
}

/* All threads begin the next call. */
static void begin(klu_team *team)
{
    pthread_mutex_lock(&team->lock);
    team->call++;
    team->busy = team->started - 1;
    pthread_cond_broadcast(&team->begin);
    pthread_mutex_unlock(&team->lock);
}

static int make_worker(klu_team *team, int k)
{
    klu_worker *w = &team->worker[k];
    const peer_matrix *a = team->parts.a;
    int64_t count = team->members.count;
    *w = (klu_worker){.team = team,
                      .first = (int32_t)(count * k / team->threads),
                      .end = (int32_t)(count * (k + 1) / team->threads),
                      .common = *team->parts.common};
    w->numeric = (is_complex(team) ? klu_z_factor : klu_factor)((int *)(uintptr_t)a->ptr, (int *)(uintptr_t)a->idx,
                                                                (double *)(uintptr_t)team->members.values,
                                                                team->parts.symbolic, &w->common);
    return w->numeric != NULL && w->common.status == KLU_OK;
}

static warplu_status start(klu_team *team)
{
    for (; team->started < team->threads; team->started++) {
        klu_worker *w = &team->worker[team->started];
        if (pthread_create(&w->thread, NULL, work, w) != 0) return peer_fail(WARPLU_OUT_OF_MEMORY, "no more threads");
    }
    return WARPLU_SUCCESS;
}

warplu_status klu_team_create(const klu_parts *parts, const peer_members *members, int threads, klu_team **out)
{
    klu_team *team = *out = calloc(1, sizeof *team + (size_t)threads * sizeof team->worker[0]);
    if (team == NULL) return peer_fail(WARPLU_OUT_OF_MEMORY, "no memory for %d threads", threads);
    team->parts = *parts;
    team->members = *members;
    team->threads = threads;
    team->started = 1;
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->begin, NULL);
    pthread_cond_init(&team->end, NULL);
    warplu_status status = WARPLU_SUCCESS;
    for (int k = 0; k < threads && status >= 0; k++)
        if (!make_worker(team, k)) status = peer_klu_status(&team->worker[k].common);
    if (status >= 0) status = start(team);
    if (status < 0) klu_team_destroy(out);
    return status;
}

void klu_team_destroy(klu_team **out)
{
    klu_team *team = *out;
    if (team == NULL) return;
    team->ends = 1;
    begin(team);
    for (int k = 1; k < team->started; k++) pthread_join(team->worker[k].thread, NULL);
    for (int k = 0; k < team->threads; k++)
        if (team->worker[k].numeric != NULL)
            (is_complex(team) ? klu_z_free_numeric : klu_free_numeric)(&team->worker[k].numeric,
                                                                       &team->worker[k].common);
    pthread_cond_destroy(&team->end);
    pthread_cond_destroy(&team->begin);
    pthread_mutex_destroy(&team->lock);
    free(team);
    *out = NULL;
}

warplu_status klu_team_run(klu_team *team, int solves)
{
    team->solves = solves;
    begin(team);
    run_share(&team->worker[0]);
    pthread_mutex_lock(&team->lock);
    while (team->busy > 0) pthread_cond_wait(&team->end, &team->lock);
    pthread_mutex_unlock(&team->lock);
    for (int k = 0; k < team->threads; k++)
        if (team->worker[k].failed) return peer_klu_status(&team->worker[k].common);
    return WARPLU_SUCCESS;
}
