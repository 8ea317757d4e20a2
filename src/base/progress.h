/* Progress: a number that one thread raises and that others wait for.
 *
 * It starts at zero and never falls. A thread that has waited for a value sees everything that the publisher wrote
 * before it published that value. A waiter spins for as long as sleeping would cost, then sleeps. Where its spinning
 * has been in vain lately, as it is where threads share one core, it sleeps at once. Publishing wakes only those
 * sleepers whose value has come.
 *
 * Cost, measured by tests/threads/time_team (2 cores of a virtual machine): publishing takes 1 ns where nobody sleeps,
 * and a spinning waiter sees it after 0.1 us. Waking a sleeper takes the publisher 2 us and the sleeper 5 to 40. */
#ifndef WLU_BASE_PROGRESS_H
#define WLU_BASE_PROGRESS_H

#include <stdatomic.h>
#include <stdint.h>

/* Neighbouring cache lines of 64 bytes are fetched in pairs. */
enum { WLU_LINE_BYTES = 128 };
#define WLU_NOBODY UINT64_MAX

/* At addresses that WLU_LINE_BYTES divides. What publishers look at after each store stands in a line that hardly ever
 * changes: in the line of the value itself the look makes a handoff 280 ns instead of 195. */
typedef struct wlu_progress {
    _Atomic uint64_t value;
    char apart[WLU_LINE_BYTES / 2 - 8];
    _Atomic uint64_t wanted; /* least of what sleepers wait for, or WLU_NOBODY */
    _Atomic uint32_t bell;   /* rung to wake them: they sleep until it changes */
    char rest[WLU_LINE_BYTES / 2 - 12];
} wlu_progress;

/* How a thread has fared with spinning; zero at first, but for what the owner sets. One for each kind of wait, the
 * thread's own. */
typedef struct wlu_patience {
    uint32_t failures; /* in a row */
    uint32_t skip;     /* waits before it spins again */
    uint32_t sleeps;   /* so far */
    uint32_t longer;   /* it spins this many times longer: where what is waited for is surely under way */
} wlu_patience;

void wlu_progress_init(wlu_progress *p);

static inline int wlu_progress_reached(const wlu_progress *p, uint64_t value)
{
    return atomic_load_explicit(&p->value, memory_order_acquire) >= value;
}

/* Until value is reached. Sleeps end after limit_ns at the latest, to look again; below 0: never of themselves, which
 * is for what is published surely. */
void wlu_progress_await(wlu_progress *p, uint64_t value, wlu_patience *patience, int64_t limit_ns);

void wlu_progress_wake(wlu_progress *p);

/* In the child of a fork, before anything waits there. */
void wlu_progress_begin_child(void);

/* By the one thread that may. A waiter that falls asleep this instant may be missed: it is to limit its sleep. */
static inline void wlu_progress_publish(wlu_progress *p, uint64_t value)
{
    atomic_store_explicit(&p->value, value, memory_order_release);
    if (value >= atomic_load_explicit(&p->wanted, memory_order_relaxed)) wlu_progress_wake(p);
}

/* As above, but nobody is missed: 10 ns more. */
static inline void wlu_progress_publish_surely(wlu_progress *p, uint64_t value)
{
    atomic_store(&p->value, value);
    if (value >= atomic_load(&p->wanted)) wlu_progress_wake(p);
}

#endif
