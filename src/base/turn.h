/* One call at a time: threads that call the same object wait for each other.
 *
 * A call takes the turn and gives it back when it ends. A thread that is in a call already, in one of the caller's
 * functions (message, cancel, allocation), is refused rather than left waiting for itself.
 *
 * A free turn is taken and given back by one exchange each, some 10 ns a call, inline. Who finds it taken says so in it
 * and sleeps; who gives back a turn that somebody waits for wakes one of them, whose turn stays one that may be waited
 * for (Drepper, "Futexes are tricky", 2011, with a condition variable for the kernel's queue). */
#ifndef WLU_BASE_TURN_H
#define WLU_BASE_TURN_H

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

enum { WLU_TURN_FREE, WLU_TURN_TAKEN, WLU_TURN_AWAITED };

typedef struct wlu_turn {
    atomic_int state;
    _Atomic(const int *) owner; /* the thread whose turn it is, by its errno; NULL while it is free */
    pthread_mutex_t lock;       /* of those who wait */
    pthread_cond_t given;
} wlu_turn;

/* 0 where the system has no room for it. */
static inline int wlu_turn_open(wlu_turn *t)
{
    atomic_init(&t->state, WLU_TURN_FREE);
    atomic_init(&t->owner, NULL);
    if (pthread_mutex_init(&t->lock, NULL) != 0) return 0;
    if (pthread_cond_init(&t->given, NULL) == 0) return 1;
    pthread_mutex_destroy(&t->lock);
    return 0;
}

static inline void wlu_turn_close(wlu_turn *t)
{
    pthread_cond_destroy(&t->given);
    pthread_mutex_destroy(&t->lock);
}

/* 0 where anybody has it. */
static inline int wlu_turn_try(wlu_turn *t)
{
    int free = WLU_TURN_FREE;
    if (!atomic_compare_exchange_strong_explicit(&t->state, &free, WLU_TURN_TAKEN, memory_order_acquire,
                                                 memory_order_relaxed))
        return 0;
    atomic_store_explicit(&t->owner, &errno, memory_order_relaxed);
    return 1;
}

/* Sleeps until the turn is free, and takes it. */
static inline void wlu_turn_await(wlu_turn *t)
{
    pthread_mutex_lock(&t->lock);
    while (atomic_exchange_explicit(&t->state, WLU_TURN_AWAITED, memory_order_acquire) != WLU_TURN_FREE)
        pthread_cond_wait(&t->given, &t->lock);
    pthread_mutex_unlock(&t->lock);
    atomic_store_explicit(&t->owner, &errno, memory_order_relaxed);
}

/* Waits for the turn; 0 where this thread has it already. */
static inline int wlu_turn_take(wlu_turn *t)
{
    if (wlu_turn_try(t)) return 1;
    if (atomic_load_explicit(&t->owner, memory_order_relaxed) == &errno) return 0;
    wlu_turn_await(t);
    return 1;
}

static inline void wlu_turn_give(wlu_turn *t)
{
    atomic_store_explicit(&t->owner, NULL, memory_order_relaxed);
    if (atomic_exchange_explicit(&t->state, WLU_TURN_FREE, memory_order_release) != WLU_TURN_AWAITED) return;
    pthread_mutex_lock(&t->lock);
    pthread_cond_signal(&t->given);
    pthread_mutex_unlock(&t->lock);
}

#endif
