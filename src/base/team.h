/* Teams: the threads that replay one program together.
 *
 * A team belongs to one owner, a state or a solver, and one thread at a time uses it. Member 0 is the calling thread.
 * The others are workers, started when they are first needed and ended with the team. A job is one function that all
 * members run, each on its own part. Members wait for each other only by progress: every member publishes rising steps,
 * and others wait for a step. Between jobs workers spin for 50 us, then sleep. Inside a job, where the others are at
 * work, they spin ten times as long if each member has a processor. See base/progress.h.
 *
 * Workers block all signals except those that faults raise, compute in the library's floating-point environment and
 * have small stacks. After a fork the child has no workers and starts its own when it next needs them. If a worker
 * cannot be started the team stays smaller and says so; that is no failure. Memory: 512 bytes and a thread for each
 * member.
 *
 * Cost, measured by tests/threads/time_team (2 members, 2 cores of a virtual machine): an empty job takes 0.6 us while
 * workers spin, 9 us if the caller was away for 0.1 ms, 22 us for 0.5 ms. A step reaches another member after 0.22 us.
 * On one core an empty job takes 2.5 us, a step 4.5. */
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

int wlu_team_most(const wlu_team *team);

/* To be called before each run: starts missing workers, up to `members` members. Returns how many members there are, at
 * least 1. A worker that could not be started is not tried again, except by the child of a fork. */
int wlu_team_gather(wlu_team *team, int members);
/* Runs the job on as many members as were gathered, or on fewer, until all are done. Returns how often the caller had
 * to sleep for the others: hardly ever where every member has a core and a fair part, often where cores are shared. */
uint32_t wlu_team_run(wlu_team *team, int members, wlu_job *job, void *argument);

/* Processors that this process may run on; at least 1. */
int wlu_team_processors(void);

/* Publishes that the steps of this member up to this one are done; steps rise from 1. */
static inline void wlu_team_publish(wlu_member *me, uint32_t step)
{
    wlu_progress_publish(&me->progress[me->index], me->base + step);
}

void wlu_team_await(wlu_member *me, int member, uint32_t step);

/* Waits until that member has published this step, 1 or more, or is done. */
static inline void wlu_team_wait(wlu_member *me, int member, uint32_t step)
{
    if (!wlu_progress_reached(&me->progress[member], me->base + step)) wlu_team_await(me, member, step);
}

#endif
