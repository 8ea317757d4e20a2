/* Progress: waiting and waking. See progress.h.
 *
 * A sleeper notes the bell, enters the value it wants, looks at the progress once more, and sleeps unless the bell has
 * rung since. A publisher that wakes sleepers removes the wanted value, then rings. So either the publisher sees the
 * wanted value, or the sleeper finds the progress published, if the publisher's store is ordered before its look at the
 * wanted value: wlu_progress_publish_surely.
 *
 * Nobody yields. Where two members share a core, yielding makes a handoff 1.5 us instead of 4.5. With two more
 * processes on two cores each yield gives one of them its whole time slice. Measured by tests/threads/time_team, a
 * replay of 200 handoffs that takes 1.0 ms on one thread: sleeping 1.4 ms in either case, yielding 1.1 and 4 to 18.
 *
 * Sleeping is Linux's futex where there is one, elsewhere one condition variable for all. */
#if defined(__linux__)
#define _GNU_SOURCE /* syscall */
#endif
#include "base/progress.h"

#include <time.h>

#include "base/clock.h"

#if defined(__linux__) && defined(__LP64__) && !defined(WLU_WITHOUT_FUTEX)
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#define WLU_WITH_FUTEX
#else
#include <pthread.h>
#endif

/* What a sleep and a waking cost together. A waiter that spins for this long and then sleeps loses at most twice the
 * least. */
static const int64_t SPIN_NS = 50000;
/* Pauses between looks at the clock: about 1 us where one takes 140 cycles, 0.2 us where it takes 40. */
enum { SPIN_PAUSES = 16 };
/* After f failures in a row 2^f - 2 waits go by without spinning; at most 62. */
enum { MOST_FAILURES = 6 };

void wlu_progress_init(wlu_progress *p)
{
    atomic_init(&p->value, 0);
    atomic_init(&p->wanted, WLU_NOBODY);
    atomic_init(&p->bell, 0);
}

/* ---------------------------------------------------------------- sleeping */

#if defined(WLU_WITH_FUTEX)

static void sleep_on(_Atomic uint32_t *bell, uint32_t seen, int64_t limit_ns)
{
    struct timespec limit = {.tv_sec = limit_ns / 1000000000, .tv_nsec = limit_ns % 1000000000};
    syscall(SYS_futex, bell, FUTEX_WAIT_PRIVATE, seen, limit_ns >= 0 ? &limit : NULL, NULL, 0);
}

static void ring(_Atomic uint32_t *bell)
{
    atomic_fetch_add(bell, 1);
    syscall(SYS_futex, bell, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

void wlu_progress_begin_child(void)
{
}

#else

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t rung = PTHREAD_COND_INITIALIZER;

static void sleep_on(_Atomic uint32_t *bell, uint32_t seen, int64_t limit_ns)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += limit_ns % 1000000000;
    t.tv_sec += limit_ns / 1000000000 + t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    pthread_mutex_lock(&lock);
    if (atomic_load(bell) == seen) {
        if (limit_ns >= 0)
            pthread_cond_timedwait(&rung, &lock, &t);
        else
            pthread_cond_wait(&rung, &lock);
    }
    pthread_mutex_unlock(&lock);
}

static void ring(_Atomic uint32_t *bell)
{
    pthread_mutex_lock(&lock);
    atomic_fetch_add(bell, 1);
    pthread_cond_broadcast(&rung);
    pthread_mutex_unlock(&lock);
}

/* Threads that the child lacks may hold the lock, or wait. */
void wlu_progress_begin_child(void)
{
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    rung = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
}

#endif

void wlu_progress_wake(wlu_progress *p)
{
    if (atomic_exchange(&p->wanted, WLU_NOBODY) != WLU_NOBODY) ring(&p->bell);
}

/* ----------------------------------------------------------------- waiting */

static inline void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) && defined(__GNUC__)
    __asm__ volatile("isb");
#endif
}

static int spin(const wlu_progress *p, uint64_t value, wlu_patience *patience)
{
    if (patience->skip > 0) {
        patience->skip--;
        return 0;
    }
    int64_t begin = wlu_now_ns();
    do {
        for (int k = 0; k < SPIN_PAUSES; k++) {
            pause_briefly();
            if (!wlu_progress_reached(p, value)) continue;
            patience->failures = 0;
            return 1;
        }
    } while (wlu_now_ns() - begin < SPIN_NS * (1 + (int64_t)patience->longer));
    if (patience->failures < MOST_FAILURES) patience->failures++;
    patience->skip = (1u << patience->failures) - 2;
    return 0;
}

static void sleep_until(wlu_progress *p, uint64_t value, int64_t limit_ns)
{
    for (;;) {
        uint32_t seen = atomic_load(&p->bell);
        uint64_t wanted = atomic_load(&p->wanted);
        while (value < wanted && !atomic_compare_exchange_weak(&p->wanted, &wanted, value)) {
        }
        if (atomic_load(&p->value) >= value) return;
        sleep_on(&p->bell, seen, limit_ns);
        if (wlu_progress_reached(p, value)) return;
    }
}

void wlu_progress_await(wlu_progress *p, uint64_t value, wlu_patience *patience, int64_t limit_ns)
{
    if (wlu_progress_reached(p, value) || spin(p, value, patience)) return;
    patience->sleeps++;
    sleep_until(p, value, limit_ns);
}
