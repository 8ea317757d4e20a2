/* What teams cost, in nanoseconds: a job of nothing, back to back and after gaps; a step handed from one member to
 * the next and back; a pipeline of short steps. Each is the median and the worst of many.
 *
 *     time_team [MEMBERS]
 *
 * The same alone, under taskset -c 0, and beside a process that keeps a core busy. */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/team.h"

enum { JOBS = 4000, STEPS = 2000, MOST = 64, REPLAY_STEPS = 100, REPLAY_STEP_NS = 5000 };

static int64_t took[JOBS];

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void say(const char *what, int count, int64_t per)
{
    int64_t sum = 0;
    for (int k = 0; k < count; k++) sum += took[k];
    qsort(took, (size_t)count, sizeof took[0], compare);
    printf("%-34s median %9.0f  mean %9.0f  99%% %9.0f  worst %9.0f ns\n", what, (double)took[count / 2] / (double)per,
           (double)sum / (double)count / (double)per, (double)took[count * 99 / 100] / (double)per,
           (double)took[count - 1] / (double)per);
}

static void work_ns(int64_t ns)
{
    int64_t end = wlu_now_ns() + ns;
    while (wlu_now_ns() < end) {
    }
}

static void nothing(void *argument, wlu_member *me)
{
    (void)argument;
    (void)me;
}

/* A token goes round the members. */
static void ring(void *argument, wlu_member *me)
{
    (void)argument;
    int last = me->members - 1;
    for (uint32_t k = 1; k <= STEPS; k++) {
        if (me->index > 0)
            wlu_team_wait(me, me->index - 1, k);
        else if (k > 1)
            wlu_team_wait(me, last, k - 1);
        wlu_team_publish(me, k);
    }
}

/* Every member computes for the time given and needs what the one before had done a few steps ago. */
static void pipeline(void *argument, wlu_member *me)
{
    int64_t ns = *(int64_t *)argument;
    for (uint32_t k = 1; k <= STEPS; k++) {
        if (me->index > 0) wlu_team_wait(me, me->index - 1, k);
        work_ns(ns);
        wlu_team_publish(me, k);
    }
}

/* A replay of 0.5 ms on two members, 1 ms on one: a hundred steps of 5 us, each of which needs what all others did in
 * the step before the last. */
static void replay(void *argument, wlu_member *me)
{
    (void)argument;
    for (uint32_t k = 1; k <= REPLAY_STEPS; k++) {
        for (int other = 0; k > 2 && other < me->members; other++) wlu_team_wait(me, other, k - 2);
        work_ns(2 * REPLAY_STEP_NS / me->members);
        wlu_team_publish(me, k);
    }
}

static void time_gaps(wlu_team *team, int members, int64_t gap_ns)
{
    char text[64];
    for (int k = 0; k < JOBS; k++) {
        work_ns(gap_ns);
        int64_t begin = wlu_now_ns();
        wlu_team_run(team, members, nothing, NULL);
        took[k] = wlu_now_ns() - begin;
    }
    snprintf(text, sizeof text, "empty job after %d us", (int)(gap_ns / 1000));
    say(text, JOBS, 1);
}

static void time_job(wlu_team *team, int members, const char *what, wlu_job *job, int64_t ns, int64_t per)
{
    int count = 50;
    for (int k = 0; k < count; k++) {
        work_ns(100000);
        int64_t begin = wlu_now_ns();
        wlu_team_run(team, members, job, &ns);
        took[k] = wlu_now_ns() - begin;
    }
    say(what, count, per);
}

int main(int argc, char **argv)
{
    static const int64_t gaps[] = {0, 5000, 20000, 45000, 100000, 500000};
    int members = argc > 1 ? atoi(argv[1]) : 2;
    wlu_context ctx;
    wlu_team *team;
    wlu_context_init(&ctx, NULL);
    if (members < 1 || members > MOST || wlu_team_create(&ctx, members, &team) < 0) return 1;
    members = wlu_team_gather(team, members);
    printf("%d members on %d processors\n", members, wlu_team_processors());
    for (size_t k = 0; k < sizeof gaps / sizeof gaps[0]; k++) time_gaps(team, members, gaps[k]);
    time_job(team, members, "token, one hand", ring, 0, STEPS * (int64_t)members);
    time_job(team, members, "pipeline of 0.2 us, a step", pipeline, 200, STEPS);
    time_job(team, members, "pipeline of 2 us, a step", pipeline, 2000, STEPS);
    time_job(team, 1, "replay on one member", replay, 0, 1);
    time_job(team, members, "replay", replay, 0, 1);
    wlu_team_destroy(&ctx, &team);
    return 0;
}
