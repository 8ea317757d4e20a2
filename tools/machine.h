/* What the command line asks of the operating system. machine_posix.c and machine_windows.c each have all of it; the
 * build takes one. What the library asks is in base/system.h. */
#ifndef WLU_MACHINE_H
#define WLU_MACHINE_H

#include <stdint.h>

typedef struct machine_facts {
    char processor[128]; /* its name as the system tells it, else "unknown" */
    char system[256], release[256], architecture[256];
    int64_t cores, memory_bytes;
} machine_facts;

void machine_describe(machine_facts *out);
int64_t machine_free_bytes(void);
/* NAME=VALUE of each variable, NULL behind the last. */
char **machine_environment(void);

/* A closed standard stream stays of no use, and no file that is opened later takes its place. */
void machine_keep_standard_streams(void);

typedef enum machine_path { PATH_UNKNOWN, PATH_NOTHING, PATH_FILE, PATH_FOLDER, PATH_LINK, PATH_OTHER } machine_path;

/* What has the name, links not followed. PATH_UNKNOWN: errno says why. */
machine_path machine_look_at(const char *path);

#endif
