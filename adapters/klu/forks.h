/* Forks and calls keep out of each other's way: a process that forks waits until no thread is within a call, and calls
 * that begin meanwhile wait for the fork. So what the child gets of caches, locks and factors is whole, and it may use
 * all of it, though the threads that it lacks were at work. A thread that has left a call by a jump, or was cancelled
 * in one, makes each fork wait for ten seconds; the child may then find locks that nobody gives back.
 *
 * A call adds to a counter and takes away from it: 32 counters, each on a line of its own, so that threads rarely share
 * one. 12 ns a call. */
#ifndef WK_FORKS_H
#define WK_FORKS_H

/* Around each call that takes a lock; calls within calls are the outer one's. */
void wk_forks_hold(void);
void wk_forks_release(void);

/* Around functions of the caller's that a call asks, which may fork, or wait for a thread that does: the call is none
 * meanwhile. wk_forks_resume takes what wk_forks_suspend has answered. */
int wk_forks_suspend(void);
void wk_forks_resume(int depth);

#endif
