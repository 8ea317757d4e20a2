/* Windows, by MinGW-w64. See machine.h. */
#include "machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <windows.h>

static void copy_variable(const char *name, char *out, size_t bytes)
{
    const char *value = getenv(name);
    snprintf(out, bytes, "%s", value != NULL ? value : "unknown");
}

void machine_describe(machine_facts *out)
{
    MEMORYSTATUSEX memory = {.dwLength = sizeof memory};
    SYSTEM_INFO info;
    *out = (machine_facts){.system = "Windows"};
    GetSystemInfo(&info);
    out->cores = info.dwNumberOfProcessors;
    if (GlobalMemoryStatusEx(&memory)) out->memory_bytes = (int64_t)memory.ullTotalPhys;
    copy_variable("PROCESSOR_IDENTIFIER", out->processor, sizeof out->processor);
    copy_variable("PROCESSOR_ARCHITECTURE", out->architecture, sizeof out->architecture);
    copy_variable("OS", out->release, sizeof out->release);
}

int64_t machine_free_bytes(void)
{
    MEMORYSTATUSEX memory = {.dwLength = sizeof memory};
    return GlobalMemoryStatusEx(&memory) ? (int64_t)memory.ullAvailPhys : 0;
}

char **machine_environment(void)
{
    return _environ;
}

/* The C library opens none for a stream that is closed. */
void machine_keep_standard_streams(void)
{
}

machine_path machine_look_at(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0) return errno == ENOENT ? PATH_NOTHING : PATH_UNKNOWN;
    return S_ISREG(info.st_mode) ? PATH_FILE : S_ISDIR(info.st_mode) ? PATH_FOLDER : PATH_OTHER;
}
