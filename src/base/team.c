/* Teams: starting workers, handing out jobs, joining members. See team.h.
 *
 * Each worker has a start of its own, which is raised to the number of a job when the worker is to take part. The job
 * itself stands in the team and is written only while no member runs. The steps of job k are k * 2^32 + step, so
 * nothing is reset between jobs. The last step says that the member is done. */
#include "base/team.h"

#include <pthread.h>

#include "base/environment.h"
#include "base/system.h"

/* Enough for every kernel and for what the C library keeps there for each thread. */
enum { STACK_BYTES = 256 * 1024 };
/* Members spin this many times longer inside a job than between jobs, because the others are at work. Not when members
 * outnumber processors: spinning would take the core from the thread we wait for. Four members on two processors, by
 * tests/threads/time_team: a replay of 1 ms on one thread takes 2 to 3 ms, with long spinning 8 to 13. */
enum { LONGER_INSIDE = 9 };

/* What a missed wake-up costs. It takes a publisher and a waiter within some 50 ns of each other. */
static const int64_t SLEEP_NS = 200000;

/* A member's own line. */
typedef union seat {
    wlu_member member;
    char line[WLU_LINE_BYTES];
} seat;

_Static_assert(sizeof(seat) == WLU_LINE_BYTES && sizeof(wlu_progress) == WLU_LINE_BYTES, "a line each");

struct wlu_team {
    int most;
    int limit;      /* most, or fewer where starting one failed */
    int started;    /* members there are, the caller among them */
    unsigned forks; /* of this process when they were started */
    uint64_t job_number;
    wlu_job *job; /* NULL ends the workers */
    void *argument;
    int members; /* of the job */
    wlu_progress *start, *progress;
    seat *seat;
    pthread_t *thread;
    void *block;
};

/* -------------------------------------------------------------------- fork */

/* Forks between the first process and this one; a team that has seen fewer has lost its workers. */
static atomic_uint forks;
static pthread_once_t watching = PTHREAD_ONCE_INIT;
static int watched;

static void begin_child(void)
{
    atomic_fetch_add_explicit(&forks, 1, memory_order_relaxed);
    wlu_progress_begin_child();
}

static void watch_forks(void)
{
    watched = wlu_system_watch_forks(begin_child);
}

static int has_lost_workers(const wlu_team *team)
{
    return team->forks != atomic_load_explicit(&forks, memory_order_relaxed);
}

/* ----------------------------------------------------------------- workers */

/* Runs a member's part of the job at hand, however it was told of it. */
static void take_part(wlu_team *team, wlu_member *me)
{
    me->base = team->job_number << 32;
    me->members = team->members;
    team->job(team->argument, me);
    wlu_progress_publish_surely(&me->progress[me->index], me->base + WLU_TEAM_DONE);
}

static void *work(void *argument)
{
    wlu_member *me = argument;
    wlu_team *team = me->team;
    wlu_progress *start = &team->start[me->index];
    wlu_environment environment;
    wlu_environment_enter(&environment);
    for (;;) {
        wlu_progress_await(start, (me->base >> 32) + 1, &me->between, -1);
        if (team->job == NULL) return NULL;
        take_part(team, me);
    }
}

static int start_thread(pthread_t *thread, size_t stack_bytes, wlu_member *me)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return 0;
    if (stack_bytes > 0) pthread_attr_setstacksize(&attributes, stack_bytes);
    int code = pthread_create(thread, &attributes, work, me);
    pthread_attr_destroy(&attributes);
    return code == 0;
}

static void start_member(wlu_team *team, int index)
{
    wlu_signal_mask before;
    wlu_progress_init(&team->start[index]);
    wlu_progress_init(&team->progress[index]);
    wlu_system_block_signals(&before, 1);
    /* Programs with much thread-local storage need more stack than we ask for. */
    int done = start_thread(&team->thread[index], STACK_BYTES, &team->seat[index].member) ||
               start_thread(&team->thread[index], 0, &team->seat[index].member);
    wlu_system_restore_signals(&before);
    if (done)
        team->started = index + 1;
    else
        team->limit = index;
}

int wlu_team_gather(wlu_team *team, int members)
{
    if (has_lost_workers(team)) {
        team->started = 1;
        team->limit = team->most;
        team->forks = atomic_load_explicit(&forks, memory_order_relaxed);
    }
    while (team->started < members && team->started < team->limit) start_member(team, team->started);
    return members < team->started ? members : team->started;
}

int wlu_team_most(const wlu_team *team)
{
    return team->most;
}

/* -------------------------------------------------------------------- jobs */

void wlu_team_await(wlu_member *me, int member, uint32_t step)
{
    wlu_progress_await(&me->progress[member], me->base + step, &me->inside, SLEEP_NS);
}

/* Tells workers 1 to members - 1 that there is a job. */
static void start_job(wlu_team *team, int members, wlu_job *job, void *argument)
{
    team->job = job;
    team->argument = argument;
    team->members = members;
    team->job_number++;
    for (int k = 1; k < members; k++) wlu_progress_publish_surely(&team->start[k], team->job_number);
}

uint32_t wlu_team_run(wlu_team *team, int members, wlu_job *job, void *argument)
{
    wlu_member *me = &team->seat[0].member;
    uint32_t sleeps = me->inside.sleeps + me->between.sleeps;
    start_job(team, members, job, argument);
    take_part(team, me);
    for (int k = 1; k < members; k++) wlu_progress_await(&team->progress[k], me->base + WLU_TEAM_DONE, &me->inside, -1);
    return me->inside.sleeps + me->between.sleeps - sleeps;
}

/* -------------------------------------------------------------------- life */

warplu_status wlu_team_create(wlu_context *ctx, int most, wlu_team **out)
{
    *out = NULL;
    pthread_once(&watching, watch_forks);
    int64_t lines = 3 * (int64_t)most + 1, threads = most * (int64_t)sizeof(pthread_t);
    wlu_team *team = WLU_CALLOC(ctx, 1, wlu_team);
    if (team == NULL) return wlu_fail_memory(ctx, "team of threads");
    team->block = wlu_calloc(ctx, lines * WLU_LINE_BYTES + threads, 1);
    if (team->block == NULL) {
        wlu_free(ctx, team);
        return wlu_fail_memory(ctx, "team of threads");
    }
    char *at = (char *)team->block + WLU_LINE_BYTES - (uintptr_t)team->block % WLU_LINE_BYTES;
    team->start = (wlu_progress *)(void *)at;
    team->progress = team->start + most;
    team->seat = (seat *)(void *)(team->progress + most);
    team->thread = (pthread_t *)(void *)(team->seat + most);
    team->most = most;
    team->limit = watched ? most : 1;
    team->started = 1;
    team->forks = atomic_load_explicit(&forks, memory_order_relaxed);
    wlu_progress_init(&team->progress[0]);
    uint32_t longer = most <= wlu_team_processors() ? LONGER_INSIDE : 0;
    for (int k = 0; k < most; k++)
        team->seat[k].member =
            (wlu_member){.team = team, .progress = team->progress, .index = k, .inside = {.longer = longer}};
    *out = team;
    return WARPLU_SUCCESS;
}

void wlu_team_destroy(wlu_context *ctx, wlu_team **out)
{
    wlu_team *team = *out;
    if (team == NULL) return;
    int workers = has_lost_workers(team) ? 1 : team->started;
    start_job(team, workers, NULL, NULL);
    for (int k = 1; k < workers; k++) pthread_join(team->thread[k], NULL);
    wlu_free(ctx, team->block);
    wlu_free(ctx, team);
    *out = NULL;
}

int wlu_team_processors(void)
{
    int count = wlu_system_processors();
    return count < WLU_TEAM_MOST ? count : WLU_TEAM_MOST;
}
