/* Where peers' programs are. See peers.h. */
#include "peers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_program(const char *path)
{
    return access(path, X_OK) == 0;
}

/* FOLDER/warplu-peer-LIBRARY. */
static int program_in(const char *folder, const char *library, char *path, int64_t bytes)
{
    int used = snprintf(path, (size_t)bytes, "%s/warplu-peer-%s", folder, library);
    return used > 0 && used < bytes && is_program(path);
}

/* The folder of the running program, where the system tells it. */
static int own_folder(char *folder, int64_t bytes)
{
    ssize_t length = readlink("/proc/self/exe", folder, (size_t)bytes - 1);
    if (length <= 0) return 0;
    folder[length] = '\0';
    *strrchr(folder, '/') = '\0';
    return 1;
}

int peer_program(const peer *p, char *path, int64_t bytes)
{
    /* From the folder of the command line: installed, as meson places them; in a build. */
    static const char *const beside[] = {WLU_PEERS_BESIDE, "../benchmarks/peers"};
    const char *named = getenv("WARPLU_PEERS");
    char own[2048], folder[4096];
    if (named != NULL && named[0] != '\0') return program_in(named, p->library, path, bytes);
    for (size_t k = 0; k < sizeof beside / sizeof beside[0] && own_folder(own, sizeof own); k++) {
        snprintf(folder, sizeof folder, "%s/%s", own, beside[k]);
        if (program_in(folder, p->library, path, bytes)) return 1;
    }
    return 0;
}
