/* See interrupt.h. Handlers do nothing but note the signal; no call that it interrupts is begun again. */
#include "interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

static const int signals[] = {SIGHUP, SIGINT, SIGTERM};
enum { SIGNALS = sizeof signals / sizeof signals[0] };

static struct sigaction before[SIGNALS];
static atomic_int caught; /* 0: none; lock-free, so that a handler may write it */

static void note(int number)
{
    atomic_store(&caught, number);
}

int interrupt_asked(void *user)
{
    (void)user;
    return atomic_load(&caught) != 0;
}

void interrupt_hold(void)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    for (int k = 0; k < SIGNALS; k++) {
        sigaction(signals[k], NULL, &before[k]);
        if (before[k].sa_handler != SIG_IGN) sigaction(signals[k], &action, NULL);
    }
}

void interrupt_release(void)
{
    for (int k = 0; k < SIGNALS; k++) sigaction(signals[k], &before[k], NULL);
    int number = atomic_exchange(&caught, 0);
    if (number != 0) raise(number);
}
