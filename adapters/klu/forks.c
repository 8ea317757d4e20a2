/* See forks.h. A call marks its seat, then looks for a fork; who forks says so, then looks at all seats: one of the two
 * sees the other (Dekker). Of the call's two steps the compiler alone keeps the order; who forks has every processor
 * that runs a thread of the process pass a barrier in between, once (membarrier, private and expedited), which is as
 * good as a barrier in every call. */
#define _GNU_SOURCE
#include "forks.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#endif

enum { NAP_NS = 20000, MOST_NAPS = 500000 };

static wk_seat own[WK_SEATS], shared[WK_SEATS];
static atomic_uint given; /* shared seats, to threads in turn */
static pthread_mutex_t at_fork = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t ends;             /* of threads that have a seat of their own */
static int orders;                     /* the kernel does, and threads end as they should */
static _Thread_local wk_seat *counted; /* the thread's shared seat */

_Thread_local wk_thread wk_forks_thread WK_THREAD_OF_LOADING;
atomic_int wk_forks_forking;

#if defined(__linux__) && defined(SYS_membarrier)
static int register_barriers(void)
{
    return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

static int pass_barriers(void)
{
    return syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}
#else
static int register_barriers(void)
{
    return 0;
}

static int pass_barriers(void)
{
    return 0;
}
#endif

/* ------------------------------------------------------------------- seats */

static void give_seat_back(void *seat)
{
    wk_forks_thread.alone = NULL;
    atomic_store(&((wk_seat *)seat)->taken, 0);
}

/* One of its own where there is one, else a shared one. */
static void find_seat(wk_thread *me)
{
    for (int k = 0; orders && k < WK_SEATS; k++) {
        int taken = 0;
        if (!atomic_compare_exchange_strong(&own[k].taken, &taken, 1)) continue;
        if (pthread_setspecific(ends, &own[k]) == 0)
            me->alone = &own[k];
        else
            atomic_store(&own[k].taken, 0);
        break;
    }
    counted = &shared[atomic_fetch_add_explicit(&given, 1, memory_order_relaxed) % WK_SEATS];
}

void wk_forks_enter(void)
{
    wk_thread *me = &wk_forks_thread;
    if (counted == NULL) find_seat(me);
    for (;;) {
        if (me->alone != NULL) {
            atomic_store(&me->alone->inside, 1);
            if (!atomic_load(&wk_forks_forking)) return;
            atomic_store(&me->alone->inside, 0);
        } else {
            atomic_fetch_add(&counted->inside, 1);
            if (!atomic_load(&wk_forks_forking)) return;
            atomic_fetch_sub(&counted->inside, 1);
        }
        pthread_mutex_lock(&at_fork); /* until the fork is done */
        pthread_mutex_unlock(&at_fork);
    }
}

void wk_forks_leave(void)
{
    atomic_fetch_sub_explicit(&counted->inside, 1, memory_order_release);
}

int wk_forks_suspend(void)
{
    const int depth = wk_forks_thread.depth;
    if (depth == 0) return 0;
    wk_forks_thread.depth = 1;
    wk_forks_release();
    return depth;
}

void wk_forks_resume(int depth)
{
    if (depth == 0) return;
    wk_forks_hold();
    wk_forks_thread.depth = depth;
}

/* ------------------------------------------------------------------- forks */

static int count_inside(void)
{
    int count = 0;
    for (int k = 0; k < WK_SEATS; k++) count += atomic_load(&own[k].inside) + atomic_load(&shared[k].inside);
    return count;
}

/* This thread may be within a call: in a handler of a signal. Where the kernel refuses a barrier that it has promised,
 * a nap is longer than any store waits. */
static void begin_fork(void)
{
    const struct timespec nap = {0, NAP_NS};
    const int inside = wk_forks_thread.depth > 0;
    pthread_mutex_lock(&at_fork);
    atomic_store(&wk_forks_forking, 1);
    if (orders && !pass_barriers()) nanosleep(&nap, NULL);
    for (int naps = 0; naps < MOST_NAPS && count_inside() > inside; naps++) nanosleep(&nap, NULL);
}

static void end_in_parent(void)
{
    atomic_store(&wk_forks_forking, 0);
    pthread_mutex_unlock(&at_fork);
}

/* The child has this thread alone. */
static void end_in_child(void)
{
    const wk_thread *me = &wk_forks_thread;
    wk_seat *seat = me->alone != NULL ? me->alone : counted;
    for (int k = 0; k < WK_SEATS; k++) {
        atomic_store(&own[k].inside, 0);
        atomic_store(&own[k].taken, &own[k] == me->alone);
        atomic_store(&shared[k].inside, 0);
    }
    if (me->depth > 0) atomic_store(&seat->inside, 1);
    if (orders) (void)register_barriers();
    end_in_parent();
}

__attribute__((constructor)) static void watch(void)
{
    (void)pthread_atfork(begin_fork, end_in_parent, end_in_child);
    orders = register_barriers() && pthread_key_create(&ends, give_seat_back) == 0;
}

__attribute__((destructor)) static void stop_watching(void)
{
    if (orders) (void)pthread_key_delete(ends);
}
