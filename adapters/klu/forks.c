/* See forks.h. A call raises its thread's counter, then looks for a fork; who forks says so, then looks at all
 * counters: one of the two sees the other (Dekker; all of these are sequentially consistent). */
#include "forks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { SEATS = 32, LINE = 64, NAP_NS = 20000, MOST_NAPS = 500000 };

typedef union seat {
    atomic_int inside;
    char line[LINE];
} seat;

static seat seats[SEATS];
static atomic_uint given; /* seats, to threads in turn */
static atomic_int forking;
static pthread_mutex_t at_fork = PTHREAD_MUTEX_INITIALIZER;

/* In one place, for it takes a call to find that. */
typedef struct thread {
    seat *seat;
    int depth; /* of calls within calls */
} thread;

static _Thread_local thread here;

static void enter(thread *me)
{
    if (me->seat == NULL) me->seat = &seats[atomic_fetch_add_explicit(&given, 1, memory_order_relaxed) % SEATS];
    for (;;) {
        atomic_fetch_add(&me->seat->inside, 1);
        if (!atomic_load(&forking)) return;
        atomic_fetch_sub(&me->seat->inside, 1);
        pthread_mutex_lock(&at_fork); /* until the fork is done */
        pthread_mutex_unlock(&at_fork);
    }
}

static void leave(thread *me)
{
    atomic_fetch_sub_explicit(&me->seat->inside, 1, memory_order_release);
}

void wk_forks_hold(void)
{
    thread *me = &here;
    if (me->depth++ == 0) enter(me);
}

void wk_forks_release(void)
{
    thread *me = &here;
    if (--me->depth == 0) leave(me);
}

int wk_forks_suspend(void)
{
    thread *me = &here;
    const int depth = me->depth;
    if (depth > 0) leave(me);
    me->depth = 0;
    return depth;
}

void wk_forks_resume(int depth)
{
    thread *me = &here;
    if (depth > 0) enter(me);
    me->depth = depth;
}

/* ------------------------------------------------------------------- forks */

static int count_inside(void)
{
    int count = 0;
    for (int k = 0; k < SEATS; k++) count += atomic_load(&seats[k].inside);
    return count;
}

/* This thread may be within a call: in a handler of a signal. */
static void begin_fork(void)
{
    const struct timespec nap = {0, NAP_NS};
    const int own = here.depth > 0;
    pthread_mutex_lock(&at_fork);
    atomic_store(&forking, 1);
    for (int naps = 0; naps < MOST_NAPS && count_inside() > own; naps++) nanosleep(&nap, NULL);
}

static void end_in_parent(void)
{
    atomic_store(&forking, 0);
    pthread_mutex_unlock(&at_fork);
}

static void end_in_child(void)
{
    for (int k = 0; k < SEATS; k++) atomic_store(&seats[k].inside, 0);
    if (here.depth > 0) atomic_store(&here.seat->inside, 1);
    end_in_parent();
}

__attribute__((constructor)) static void watch(void)
{
    (void)pthread_atfork(begin_fork, end_in_parent, end_in_child);
}
