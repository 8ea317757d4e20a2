/* Processors of Linux and other systems of the POSIX family. See system.h. */
#if defined(__linux__)
#define _GNU_SOURCE /* sched_getaffinity; with it strerror_r is another function */
#elif defined(__APPLE__)
#define _DARWIN_C_SOURCE /* _SC_NPROCESSORS_ONLN */
#endif
#include "base/system.h"

#include <sched.h>
#include <unistd.h>

int wlu_system_processors(void)
{
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online < 1 ? 1 : (int)online;
}
