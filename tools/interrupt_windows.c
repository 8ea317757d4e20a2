/* Windows has the signals of the C library, which are set to their default before a handler runs. See interrupt.h. */
#include "interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

static const int signals[] = {SIGINT, SIGBREAK, SIGTERM};
enum { SIGNALS = sizeof signals / sizeof signals[0] };

static void (*before[SIGNALS])(int);
static atomic_int caught; /* 0: none */

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
    for (int k = 0; k < SIGNALS; k++) {
        before[k] = signal(signals[k], note);
        if (before[k] == SIG_IGN) signal(signals[k], SIG_IGN);
    }
}

void interrupt_release(void)
{
    for (int k = 0; k < SIGNALS; k++)
        if (before[k] != SIG_ERR) signal(signals[k], before[k]);
    int number = atomic_exchange(&caught, 0);
    if (number != 0) raise(number);
}
