/* A peer's program in a process of its own. See spawn.h.
 *
 * With a process group of its own, a terminal's signals do not reach it: they would wake a paused one, or end it while
 * the harness goes on. Where the system cannot tie its life to the harness's, it stays in the group. */
#ifdef __linux__
#define _GNU_SOURCE /* memfd_create */
#endif
#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/mman.h>
#include <sys/prctl.h>
#endif

int peer_file(void)
{
#ifdef __linux__
    return memfd_create("warplu bench", MFD_CLOEXEC);
#else
    FILE *file = tmpfile();
    int fd = file != NULL ? dup(fileno(file)) : -1;
    if (file != NULL) fclose(file);
    if (fd >= 0) fcntl(fd, F_SETFD, FD_CLOEXEC);
    return fd;
#endif
}

static void keep_open(int fd)
{
    fcntl(fd, F_SETFD, fcntl(fd, F_GETFD) & ~FD_CLOEXEC);
}

/* Threads of OpenMP and of a threaded solver's own BLAS, and one for every BLAS that the harness knows by name. */
static void set_threads(int threads)
{
    static const char *const one[] = {"OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS", "GOTO_NUM_THREADS"};
    static const char *const many[] = {"OMP_NUM_THREADS", "MKL_NUM_THREADS"};
    char number[16];
    snprintf(number, sizeof number, "%d", threads);
    for (size_t k = 0; k < sizeof one / sizeof one[0]; k++) setenv(one[k], "1", 1);
    for (size_t k = 0; k < sizeof many / sizeof many[0]; k++) setenv(many[k], number, 1);
    setenv("OMP_DYNAMIC", "false", 1);
    setenv("MKL_DYNAMIC", "false", 1);
}

static void tie_to_harness(void)
{
#ifdef __linux__
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    FILE *file = fopen("/proc/self/oom_score_adj", "w");
    if (file == NULL) return;
    fputs("1000", file);
    fclose(file);
}

static void become(const char *path, int threads, int socket, int memory, int printed)
{
    char first[16], second[16];
    int nothing = open("/dev/null", O_RDONLY);
    tie_to_harness();
    set_threads(threads);
    dup2(nothing, STDIN_FILENO);
    dup2(printed, STDOUT_FILENO);
    dup2(printed, STDERR_FILENO);
    keep_open(socket);
    keep_open(memory);
    snprintf(first, sizeof first, "%d", socket);
    snprintf(second, sizeof second, "%d", memory);
    execl(path, path, first, second, (char *)NULL);
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    _exit(127);
}

pid_t peer_spawn(const char *path, int threads, int socket, int memory, int printed)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) become(path, threads, socket, memory, printed);
    return pid;
}
