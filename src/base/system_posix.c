/* POSIX systems, but for processors, which need what POSIX has not (system_processors.c). See system.h. */
#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------- files */

int wlu_system_open(const char *path, wlu_open_mode mode)
{
    static const int flags[] = {O_RDONLY, O_RDONLY | O_NONBLOCK, O_WRONLY, O_WRONLY | O_CREAT | O_EXCL};
    return open(path, flags[mode] | O_CLOEXEC, 0666);
}

int wlu_system_duplicate(int stream)
{
    return dup(stream);
}

int wlu_system_sync(int fd)
{
    return fsync(fd);
}

int wlu_system_rename(const char *from, const char *to)
{
    return rename(from, to);
}

int wlu_system_folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? -1 : (int)(slash - path);
}

void wlu_system_describe(int error, char *text, size_t size)
{
    if (strerror_r(error, text, size) != 0) snprintf(text, size, "error %d", error);
}

/* ------------------------------------------------------------------ locale */

int wlu_c_locale_make(wlu_c_locale *l)
{
    if (l->c == (locale_t)0) l->c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return l->c != (locale_t)0;
}

void wlu_c_locale_enter(wlu_c_locale *l)
{
    l->callers = uselocale(l->c);
}

void wlu_c_locale_leave(wlu_c_locale *l)
{
    if (l->callers != (locale_t)0) uselocale(l->callers);
    l->callers = (locale_t)0;
}

void wlu_c_locale_free(wlu_c_locale *l)
{
    if (l->c != (locale_t)0) freelocale(l->c);
    l->c = (locale_t)0;
}

/* ----------------------------------------------------------------- process */

void wlu_system_block_signals(wlu_signal_mask *before, int but_faults)
{
    static const int of_faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    sigset_t blocked;
    sigfillset(&blocked);
    for (size_t k = 0; k < sizeof of_faults / sizeof of_faults[0] && but_faults; k++) sigdelset(&blocked, of_faults[k]);
    pthread_sigmask(SIG_SETMASK, &blocked, before);
}

void wlu_system_restore_signals(const wlu_signal_mask *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

int wlu_system_watch_forks(void (*in_child)(void))
{
    return pthread_atfork(NULL, NULL, in_child) == 0;
}
