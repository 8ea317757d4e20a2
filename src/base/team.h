/* Teams: the threads that replay one program together.
 *
 * A team belongs to one owner, a state or a solver, and is used by one thread at a time. Member 0 is whoever calls; the
 * others are workers, started when they are first asked for, ended with the team. A job is one function that all
 * members run, each with its own part, and that waits for others only by progress: every member publishes rising steps,
 * others wait for them. Between jobs workers spin for 50 us, then sleep; inside a job, where others surely work, for
 * ten times as long if each member has a processor; see base/progress.h.
 *
 * Workers block all signals but those that faults raise, compute in the library's floating-point environment and have
 * small stacks. After a fork the child has no workers: it starts its own when it next asks. Where a worker cannot be
 * started the team stays smaller, and says so: it never fails for that. Memory: 512 bytes and a thread a member.
 *
 * Cost, measured by tests/threads/time_team (2 members, 2 cores of a virtual machine): a job of nothing takes 0.6 us
 * while workers spin, 9 us where the caller was away for 0.1 ms, 22 for 0.5 ms; a step reaches another member after
 * 0.22 us. On one core a job of nothing takes 2.5 us, a step 4.5. */
#ifndef WLU_BASE_TEAM_H
#define WLU_BASE_TEAM_H

#include "base/context.h"
#include "base/progress.h"

enum { WLU_TEAM_MOST = 1024 };
/* Steps of a job are below this; beyond it all are done. */
#define WLU_TEAM_DONE UINT32_MAX

typedef struct wlu_team wlu_team;

/* What a member knows while it runs a job. */
typedef struct wlu_member {
    wlu_team *team;
    wlu_progress *progress; /* of every member */
    uint64_t base;          /* of this job's steps: progress never falls */
    int index, members;
    wlu_patience inside, between; /* waits for other members, and for the next job or the job's end */
} wlu_member;

typedef void wlu_job(void *argument, wlu_member *me);

/* For up to most members, 1 to WLU_TEAM_MOST. Starts nothing. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_team_create(wlu_context *ctx, int most, wlu_team **out);
/* Ends the workers. Takes NULL, leaves NULL. */
void wlu_team_destroy(wlu_context *ctx, wlu_team **team);

/* To be called before each run: starts what is missing of so many members. How many there are, at least 1, at most
 * members. What could not be started is not tried again, but by the child of a fork. */
int wlu_team_gather(wlu_team *team, int members);
/* Runs the job on as many members as gathered, or on fewer, until all are done. Returns how often the caller had to
 * sleep for the others: hardly ever where every member has a core and a fair part, often where cores are shared. */
uint32_t wlu_team_run(wlu_team *team, int members, wlu_job *job, void *argument);

/* Processors that this process may run on; at least 1. */
int wlu_team_processors(void);

/* My steps up to this one are done; steps rise from 1. */
static inline void wlu_team_publish(wlu_member *me, uint32_t step)
{
    wlu_progress_publish(&me->progress[me->index], me->base + step);
}

void wlu_team_await(wlu_member *me, int member, uint32_t step);

/* Until that member has published this step, 1 or more, or is done. */
static inline void wlu_team_wait(wlu_member *me, int member, uint32_t step)
{
    if (!wlu_progress_reached(&me->progress[member], me->base + step)) wlu_team_await(me, member, step);
}

#endif
