/* Teams: every member does its part once, what was written before a step is seen by who waited for it, whatever the
 * number of members and of processors, however late a member is; after a fork, and where threads or memory cannot be
 * had. The thread sanitizer, where the build has it, sees no race. Linked so that pthread_create is create_thread
 * below. */
#if defined(__linux__)
#define _GNU_SOURCE /* sched_setaffinity */
#endif
#include "check.h"

#include "base/clock.h"
#include "base/team.h"
#include "support/build.h"
#include "support/options.h"

#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 8, STEPS = 300, JOBS = 60 };

/* Dies rather than hangs where a member is never woken. */
enum { TOO_LONG_S = 240 };

/* ------------------------------------------------------------ interposition */

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument);

static atomic_int creations;
static int creations_possible = -1, least_stack; /* -1: all */

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
    size_t stack = 0;
    creations++;
    if (creations_possible == 0) return EAGAIN;
    if (attributes != NULL) pthread_attr_getstacksize(attributes, &stack);
    if (least_stack > 0 && stack < (size_t)least_stack) return EINVAL;
    int code = __real_pthread_create(thread, attributes, start, argument);
    if (code == 0 && creations_possible > 0) creations_possible--;
    return code;
}

/* --------------------------------------------------------------------- jobs */

static wlu_context ctx;
static sigset_t mask; /* of the main thread, before there was a team */

static wlu_team *new_team(int most)
{
    wlu_team *team = NULL;
    CHECK(wlu_team_create(&ctx, most, &team) == WARPLU_SUCCESS);
    return team;
}

static void rest_us(int us)
{
    nanosleep(&(struct timespec){.tv_nsec = us * 1000L}, NULL);
}

/* A sum that goes through all members at every step: each adds to what the one before it wrote, in plain memory. */
typedef struct chain {
    uint64_t cell[STEPS + 1][MOST]; /* cell[k][m]: after step k of member m */
    int parts[MOST];                /* that members took */
    int members, late;              /* who rests now and then; -1: nobody */
    uint32_t steps;
} chain;

static void run_chain(void *argument, wlu_member *me)
{
    chain *c = argument;
    int m = me->index, last = me->members - 1;
    c->parts[m]++;
    if (m == 0) c->members = me->members;
    for (uint32_t k = 1; k <= c->steps; k++) {
        if (m > 0 || k > 1) wlu_team_wait(me, m > 0 ? m - 1 : last, m > 0 ? k : k - 1);
        c->cell[k][m] = 3 * (m > 0 ? c->cell[k][m - 1] : c->cell[k - 1][last]) + (unsigned)m + 1;
        if (m == c->late && k % 64 == 1) rest_us(300);
        wlu_team_publish(me, k);
    }
}

/* Whether the chain by so many members came out as if by one. */
static int chain_is_right(wlu_team *team, int members, uint32_t steps, int late)
{
    chain *mine = malloc(sizeof *mine);
    uint64_t expected = 0;
    memset(mine, 0, sizeof *mine);
    mine->steps = steps;
    mine->late = late;
    wlu_team_run(team, members, run_chain, mine);
    for (uint32_t k = 1; k <= steps; k++)
        for (int m = 0; m < members; m++) expected = 3 * expected + (unsigned)m + 1;
    int right = mine->members == members && (steps == 0 || mine->cell[steps][members - 1] == expected);
    for (int m = 0; m < MOST; m++) right = right && mine->parts[m] == (m < members);
    free(mine);
    return right;
}

static void chains(wlu_team *team, int members)
{
    for (int k = 0; k < JOBS / check_every(); k++) {
        uint32_t steps = k % 3 == 0 ? 0 : k % 3 == 1 ? 5 : STEPS;
        if (k % 5 == 4) rest_us(200); /* workers fall asleep */
        CHECK_SAY(chain_is_right(team, members, steps, -1), "%d members, job %d", members, k);
    }
}

/* -------------------------------------------------------------------- cases */

static void every_member_takes_its_part(void)
{
    for (int members = 1; members <= MOST; members++) {
        wlu_team *team = new_team(members);
        CHECK(wlu_team_gather(team, members) == members);
        chains(team, members);
        wlu_team_destroy(&ctx, &team);
        CHECK(team == NULL);
    }
}

static void members_come_and_go(void)
{
    uint64_t seed = 17;
    wlu_team *team = new_team(MOST);
    creations = 0;
    for (int k = 0; k < 3 * JOBS; k++) {
        int members = 1 + check_below(&seed, MOST);
        CHECK(wlu_team_gather(team, members) == members);
        CHECK_SAY(chain_is_right(team, members, 7, -1), "%d members, job %d", members, k);
    }
    CHECK_SAY(creations == MOST - 1, "%d threads", creations);
    wlu_team_destroy(&ctx, &team);
}

static void late_members_are_waited_for(void)
{
    wlu_team *team = new_team(4);
    CHECK(wlu_team_gather(team, 4) == 4);
    for (int late = 0; late < 4; late++) CHECK_SAY(chain_is_right(team, 4, STEPS, late), "member %d", late);
    wlu_team_destroy(&ctx, &team);
}

/* Member 0 publishes slowly; all others want other steps of it, in plain memory too. */
static uint32_t slow_cell;
static uint32_t seen[MOST];

static void many_wait_for_one(void *argument, wlu_member *me)
{
    (void)argument;
    if (me->index > 0) {
        wlu_team_wait(me, 0, (uint32_t)me->index * 2);
        seen[me->index] = (uint32_t)me->index * 2; /* slow_cell may be rising */
        wlu_team_wait(me, 0, 3 * MOST + 1);        /* never published: until it is done */
        seen[me->index] += slow_cell;
        return;
    }
    for (uint32_t k = 1; k <= 3 * MOST; k++) {
        rest_us(100);
        slow_cell = k;
        wlu_team_publish(me, k);
    }
}

static void sleepers_wake_at_what_they_want(void)
{
    wlu_team *team = new_team(MOST);
    CHECK(wlu_team_gather(team, MOST) == MOST);
    for (int job = 0; job < 10; job++) {
        wlu_team_run(team, MOST, many_wait_for_one, NULL);
        for (uint32_t m = 1; m < MOST; m++) CHECK(seen[m] == m * 2 + 3 * MOST);
    }
    wlu_team_destroy(&ctx, &team);
}

static void count_run(void *argument, wlu_member *me)
{
    ((int *)argument)[me->index]++;
}

/* Workers that have spun in vain for 50 us are about to sleep; none may miss its job. */
static void jobs_come_while_workers_fall_asleep(void)
{
    enum { MANY = 8000 };
    int runs[2] = {0};
    uint64_t seed = 99;
    wlu_team *team = new_team(2);
    CHECK(wlu_team_gather(team, 2) == 2);
    for (int k = 0; k < MANY; k++) {
        int64_t end = wlu_now_ns() + 100 * check_below(&seed, 1000);
        while (wlu_now_ns() < end) {
        }
        wlu_team_run(team, 2, count_run, runs);
    }
    CHECK(runs[0] == MANY && runs[1] == MANY);
    wlu_team_destroy(&ctx, &team);
}

static void one_processor_is_enough(void)
{
#if defined(__linux__)
    cpu_set_t before, one;
    if (sched_getaffinity(0, sizeof before, &before) != 0) SKIP("the affinity is not ours");
    int cpu = 0;
    while (!CPU_ISSET(cpu, &before)) cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0 && wlu_team_processors() == 1);
    for (int members = 2; members <= MOST; members *= 2) {
        wlu_team *team = new_team(members);
        CHECK(wlu_team_gather(team, members) == members);
        chains(team, members);
        wlu_team_destroy(&ctx, &team);
    }
    CHECK(sched_setaffinity(0, sizeof before, &before) == 0);
    CHECK(wlu_team_processors() == CPU_COUNT(&before));
#else
    SKIP("affinities are Linux's");
#endif
}

/* What a member finds around it. */
static int rounding[MOST], blocked[MOST], faults[MOST];

static void look_around(void *argument, wlu_member *me)
{
    sigset_t set;
    (void)argument;
    pthread_sigmask(SIG_SETMASK, NULL, &set);
    rounding[me->index] = fegetround();
    blocked[me->index] = sigismember(&set, SIGINT) && sigismember(&set, SIGTERM) && sigismember(&set, SIGALRM);
    faults[me->index] = sigismember(&set, SIGSEGV) || sigismember(&set, SIGFPE);
}

static void workers_have_their_environment(void)
{
    wlu_team *team = new_team(3);
    sigset_t after;
    fesetround(FE_UPWARD);
    CHECK(wlu_team_gather(team, 3) == 3);
    wlu_team_run(team, 3, look_around, NULL);
    CHECK(rounding[0] == FE_UPWARD);
    fesetround(FE_TONEAREST);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    for (int s = 1; s < 32; s++) CHECK(sigismember(&mask, s) == sigismember(&after, s));
    for (int m = 1; m < 3; m++) CHECK(rounding[m] == FE_TONEAREST && blocked[m] && !faults[m]);
    wlu_team_destroy(&ctx, &team);
}

static void *use_a_team(void *argument)
{
    int *failed = argument;
    for (int round = 0; round < 10; round++) {
        wlu_team *team = NULL;
        *failed |= wlu_team_create(&ctx, 3, &team) != WARPLU_SUCCESS || wlu_team_gather(team, 3) != 3;
        for (int k = 0; k < 20 && !*failed; k++) *failed |= !chain_is_right(team, 3, 11, -1);
        wlu_team_destroy(&ctx, &team);
    }
    return NULL;
}

static void teams_side_by_side(void)
{
    enum { USERS = 4 };
    pthread_t thread[USERS];
    int failed[USERS] = {0};
    for (int k = 0; k < USERS; k++) CHECK(pthread_create(&thread[k], NULL, use_a_team, &failed[k]) == 0);
    for (int k = 0; k < USERS; k++) {
        pthread_join(thread[k], NULL);
        CHECK(!failed[k]);
    }
}

static void unused_teams_end(void)
{
    wlu_team *team = new_team(1), *none = NULL;
    wlu_team_destroy(&ctx, &team);
    wlu_team_destroy(&ctx, &none);
    team = new_team(MOST); /* never gathered */
    wlu_team_destroy(&ctx, &team);
    team = new_team(MOST); /* gathered, never run */
    CHECK(wlu_team_gather(team, MOST) == MOST);
    wlu_team_destroy(&ctx, &team);
    team = new_team(2); /* asleep */
    CHECK(wlu_team_gather(team, 5) == 2);
    CHECK(chain_is_right(team, 2, 3, -1));
    rest_us(2000);
    wlu_team_destroy(&ctx, &team);
}

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FORKS_WITH_THREADS 0
#endif
#elif defined(__SANITIZE_THREAD__)
#define FORKS_WITH_THREADS 0
#endif
#if !defined(FORKS_WITH_THREADS)
#define FORKS_WITH_THREADS 1
#endif

/* In the child: the team that the parent used, and one of its own; 0 if all is well. */
static int live_as_child(wlu_team *team)
{
    alarm(60);
    int failed = wlu_team_gather(team, 3) != 3 || !chain_is_right(team, 3, STEPS, -1);
    wlu_team *own = new_team(2);
    failed |= wlu_team_gather(own, 2) != 2 || !chain_is_right(own, 2, STEPS, -1);
    wlu_team_destroy(&ctx, &own);
    wlu_team_destroy(&ctx, &team);
    return failed;
}

static void children_have_their_own_workers(void)
{
    if (!FORKS_WITH_THREADS) SKIP("the thread sanitizer ends children that start threads");
    for (int away = 0; away < 3; away++) {
        wlu_team *team = new_team(3);
        CHECK(wlu_team_gather(team, 3) == 3 && chain_is_right(team, 3, STEPS, -1));
        if (away == 1) rest_us(2000); /* the workers sleep */
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            if (away == 2) wlu_team_destroy(&ctx, &team); /* without ever using it */
            _exit(team == NULL ? 0 : live_as_child(team));
        }
        int code = -1;
        CHECK(child > 0 && waitpid(child, &code, 0) == child && code == 0);
        CHECK(wlu_team_gather(team, 3) == 3 && chain_is_right(team, 3, STEPS, -1));
        wlu_team_destroy(&ctx, &team);
    }
}

static void threads_that_cannot_be_had_make_smaller_teams(void)
{
    for (int possible = 0; possible < MOST; possible++) {
        wlu_team *team = new_team(MOST);
        creations_possible = possible;
        int members = wlu_team_gather(team, MOST);
        CHECK_SAY(members == possible + 1, "%d members of %d", members, possible + 1);
        CHECK(chain_is_right(team, members, STEPS, -1));
        creations_possible = -1;
        creations = 0;
        CHECK(wlu_team_gather(team, MOST) == members && (creations == 0 || members == MOST));
        CHECK(chain_is_right(team, members, STEPS, -1));
        wlu_team_destroy(&ctx, &team);
    }
}

static void small_stacks_may_be_refused(void)
{
    wlu_team *team = new_team(2);
    least_stack = 1 << 20;
    CHECK(wlu_team_gather(team, 2) == 2 && chain_is_right(team, 2, STEPS, -1));
    least_stack = 0;
    wlu_team_destroy(&ctx, &team);
}

static void memory_may_fail(void)
{
    warplu_options options;
    test_allocator a;
    wlu_context failing;
    check_init_options(&options);
    test_use_allocator(&options, &a);
    wlu_context_init(&failing, &options);
    for (int64_t k = 1;; k++) {
        wlu_team *team = NULL;
        a.calls = 0;
        a.fail_at = k;
        warplu_status status = wlu_team_create(&failing, 3, &team);
        if (a.calls < k) {
            int64_t calls = a.calls;
            CHECK(status == WARPLU_SUCCESS && wlu_team_gather(team, 3) == 3 && chain_is_right(team, 3, STEPS, -1));
            CHECK(a.calls == calls); /* neither gathering nor running allocates */
            wlu_team_destroy(&failing, &team);
            CHECK(a.alive == 0 && k == 3);
            return;
        }
        CHECK(status == WARPLU_OUT_OF_MEMORY && team == NULL && a.alive == 0);
    }
}

int main(void)
{
    alarm(TOO_LONG_S);
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    wlu_context_init(&ctx, NULL);
    RUN(every_member_takes_its_part);
    RUN(members_come_and_go);
    RUN(late_members_are_waited_for);
    RUN(sleepers_wake_at_what_they_want);
    RUN(jobs_come_while_workers_fall_asleep);
    RUN(one_processor_is_enough);
    RUN(workers_have_their_environment);
    RUN(teams_side_by_side);
    RUN(unused_teams_end);
    RUN(children_have_their_own_workers);
    RUN(threads_that_cannot_be_had_make_smaller_teams);
    RUN(small_stacks_may_be_refused);
    RUN(memory_may_fail);
    return check_done();
}
