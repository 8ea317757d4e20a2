/* Forks and calls keep out of each other's way: a process that forks waits until no thread is within a call, and calls
 * that begin meanwhile wait for the fork. So what the child gets of caches, locks and factors is whole, and it may use
 * all of it, though the threads that it lacks were at work. A thread that has left a call by a jump, or was cancelled
 * in one, makes each fork wait for ten seconds; the child may then find locks that nobody gives back.
 *
 * A call says so on its thread's seat, by stores alone: who forks has the kernel order them (membarrier). Threads
 * beyond the seats that one alone may have share counters, and where the kernel does not order all do, which takes
 * 12 ns a call instead of 2. */
#ifndef WK_FORKS_H
#define WK_FORKS_H

#include <stdatomic.h>
#include <stddef.h>

#include "thread.h"

enum { WK_SEATS = 64, WK_LINE = 64 };

typedef union wk_seat {
    struct {
        atomic_int inside; /* calls of its thread, or threads: 1 or 0 where one alone has it */
        atomic_int taken;
    };
    char line[WK_LINE];
} wk_seat;

/* In one place, for it may take a call to find that. */
typedef struct wk_thread {
    wk_seat *alone; /* its own seat, whose stores are ordered by who forks; NULL: none yet, or a shared one */
    int depth;      /* of calls within calls */
} wk_thread;

extern _Thread_local wk_thread wk_forks_thread WK_THREAD_OF_LOADING;
extern atomic_int wk_forks_forking;

/* What the first call of a thread takes, and each where seats are shared, or a fork is at hand. */
void wk_forks_enter(void);
void wk_forks_leave(void);

/* Around each call that takes a lock; calls within calls are the outer one's. */
static inline void wk_forks_hold(void)
{
    wk_thread *me = &wk_forks_thread;
    if (me->depth++ > 0) return;
    if (me->alone != NULL) {
        atomic_store_explicit(&me->alone->inside, 1, memory_order_relaxed);
        atomic_signal_fence(memory_order_seq_cst);
        if (!atomic_load_explicit(&wk_forks_forking, memory_order_relaxed)) return;
        atomic_store_explicit(&me->alone->inside, 0, memory_order_release);
    }
    wk_forks_enter();
}

static inline void wk_forks_release(void)
{
    wk_thread *me = &wk_forks_thread;
    if (--me->depth > 0) return;
    if (me->alone != NULL)
        atomic_store_explicit(&me->alone->inside, 0, memory_order_release);
    else
        wk_forks_leave();
}

/* Around functions of the caller's that a call asks, which may fork, or wait for a thread that does: the call is none
 * meanwhile. wk_forks_resume takes what wk_forks_suspend has answered. */
int wk_forks_suspend(void);
void wk_forks_resume(int depth);

#endif
