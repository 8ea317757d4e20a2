/* Files without a name. A file is given its name by linking its entry in /proc, which needs no privilege. Before
 * anything is written, it is checked that the entry leads to the file. See nameless.h. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "base/nameless.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(O_TMPFILE) && !defined(WLU_WITHOUT_TMPFILE)
enum { LINK_BYTES = 40 };

static const char *proc_link(int fd, char *out)
{
    snprintf(out, LINK_BYTES, "/proc/self/fd/%d", fd);
    return out;
}

static int leads_to(const char *link, int fd)
{
    struct stat file, seen;
    return fstat(fd, &file) == 0 && stat(link, &seen) == 0 && file.st_dev == seen.st_dev && file.st_ino == seen.st_ino;
}

int wlu_nameless_create(const char *folder, int *held)
{
    char link[LINK_BYTES];
    int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    *held = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (*held >= 0 && leads_to(proc_link(*held, link), fd)) return fd;
    if (*held >= 0) close(*held);
    if (fd >= 0) close(fd);
    *held = -1;
    return -1;
}

int wlu_nameless_link(int held, const char *path)
{
    char link[LINK_BYTES];
    return linkat(AT_FDCWD, proc_link(held, link), AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}
#else
int wlu_nameless_create(const char *folder, int *held)
{
    (void)folder;
    *held = -1;
    return -1;
}

int wlu_nameless_link(int held, const char *path)
{
    (void)held;
    (void)path;
    return -1;
}
#endif
