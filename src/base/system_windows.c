/* Windows, by MinGW-w64. See system.h. */
#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <windows.h>

/* ------------------------------------------------------------------- files */

int wlu_system_open(const char *path, wlu_open_mode mode)
{
    static const int flags[] = {O_RDONLY, O_RDONLY, O_WRONLY, O_WRONLY | O_CREAT | O_EXCL};
    return open(path, flags[mode] | O_BINARY | O_NOINHERIT, S_IREAD | S_IWRITE);
}

int wlu_system_duplicate(int stream)
{
    int fd = dup(stream);
    if (fd >= 0) setmode(fd, O_BINARY);
    return fd;
}

int wlu_system_sync(int fd)
{
    return _commit(fd);
}

int wlu_system_rename(const char *from, const char *to)
{
    if (MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH)) return 0;
    errno = GetLastError() == ERROR_ACCESS_DENIED || GetLastError() == ERROR_SHARING_VIOLATION ? EACCES : EIO;
    return -1;
}

int wlu_system_folder_length(const char *path)
{
    int length = (int)strlen(path) - 1;
    while (length >= 0 && strchr("/\\", path[length]) == NULL) length--;
    return length;
}

void wlu_system_describe(int error, char *text, size_t size)
{
    if (strerror_s(text, size, error) != 0) snprintf(text, size, "error %d", error);
}

/* ------------------------------------------------------------------ locale */

int wlu_c_locale_make(wlu_c_locale *l)
{
    (void)l;
    return 1;
}

void wlu_c_locale_enter(wlu_c_locale *l)
{
    l->mode = _configthreadlocale(_ENABLE_PER_THREAD_LOCALE);
    snprintf(l->callers, sizeof l->callers, "%s", setlocale(LC_NUMERIC, NULL));
    setlocale(LC_NUMERIC, "C");
}

void wlu_c_locale_leave(wlu_c_locale *l)
{
    if (l->callers[0] == '\0') return;
    setlocale(LC_NUMERIC, l->callers);
    _configthreadlocale(l->mode);
    l->callers[0] = '\0';
}

void wlu_c_locale_free(wlu_c_locale *l)
{
    (void)l;
}

/* ----------------------------------------------------------------- process */

void wlu_system_block_signals(wlu_signal_mask *before, int but_faults)
{
    (void)but_faults;
    *before = 0;
}

void wlu_system_restore_signals(const wlu_signal_mask *before)
{
    (void)before;
}

int wlu_system_watch_forks(void (*in_child)(void))
{
    (void)in_child;
    return 1; /* there are none */
}

int wlu_system_processors(void)
{
    DWORD_PTR ours, all;
    int count = 0;
    if (GetProcessAffinityMask(GetCurrentProcess(), &ours, &all))
        for (; ours != 0; ours &= ours - 1) count++;
    return count > 0 ? count : 1;
}
