/* One call at a time: threads that call the same object wait for each other.
 *
 * A call takes the turn and gives it back when it ends. A thread that is in a call already, in one of the caller's
 * functions (message, cancel, allocation), is refused rather than left waiting for itself. Cost: an uncontended lock,
 * some 20 ns a call. */
#ifndef WLU_BASE_TURN_H
#define WLU_BASE_TURN_H

#include <errno.h>
#include <pthread.h>

typedef struct wlu_turn {
    pthread_mutex_t lock;
} wlu_turn;

/* 0 where the system has no room for it. */
static inline int wlu_turn_open(wlu_turn *t)
{
    pthread_mutexattr_t attributes;
    if (pthread_mutexattr_init(&attributes) != 0) return 0;
    int opened = pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK) == 0 &&
                 pthread_mutex_init(&t->lock, &attributes) == 0;
    pthread_mutexattr_destroy(&attributes);
    return opened;
}

static inline void wlu_turn_close(wlu_turn *t)
{
    pthread_mutex_destroy(&t->lock);
}

/* Waits for the turn; 0 where this thread has it already. */
static inline int wlu_turn_take(wlu_turn *t)
{
    return pthread_mutex_lock(&t->lock) == 0;
}

/* 0 where anybody has it. */
static inline int wlu_turn_try(wlu_turn *t)
{
    return pthread_mutex_trylock(&t->lock) == 0;
}

static inline void wlu_turn_give(wlu_turn *t)
{
    pthread_mutex_unlock(&t->lock);
}

#endif
