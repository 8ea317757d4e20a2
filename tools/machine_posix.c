/* POSIX systems. See machine.h. */
#if defined(__APPLE__)
#define _DARWIN_C_SOURCE /* _SC_NPROCESSORS_ONLN, _SC_PHYS_PAGES */
#endif
#include "machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Linux tells it in a file; elsewhere there is no such file. */
static void describe_processor(char *name, size_t bytes)
{
    char line[256];
    snprintf(name, bytes, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || colon == NULL) continue;
        snprintf(name, bytes, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        break;
    }
    if (file != NULL) fclose(file);
}

void machine_describe(machine_facts *out)
{
    struct utsname system;
    *out = (machine_facts){.cores = sysconf(_SC_NPROCESSORS_ONLN),
                           .memory_bytes = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE)};
    describe_processor(out->processor, sizeof out->processor);
    if (uname(&system) < 0) return;
    snprintf(out->system, sizeof out->system, "%s", system.sysname);
    snprintf(out->release, sizeof out->release, "%s", system.release);
    snprintf(out->architecture, sizeof out->architecture, "%s", system.machine);
}

int64_t machine_free_bytes(void)
{
#if defined(_SC_AVPHYS_PAGES)
    return (int64_t)sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE);
#else
    return (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 2; /* as good a guess as any */
#endif
}

extern char **environ;

char **machine_environment(void)
{
    return environ;
}

void machine_keep_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0) (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

machine_path machine_look_at(const char *path)
{
    struct stat info;
    if (lstat(path, &info) != 0) return errno == ENOENT ? PATH_NOTHING : PATH_UNKNOWN;
    return S_ISREG(info.st_mode)   ? PATH_FILE
           : S_ISLNK(info.st_mode) ? PATH_LINK
           : S_ISDIR(info.st_mode) ? PATH_FOLDER
                                   : PATH_OTHER;
}
