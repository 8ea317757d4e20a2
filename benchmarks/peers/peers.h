/* The list of peers: other solvers beside warplu in the benchmark.
 *
 * A library is one plug-in (peer.h), a program of its own; it may have several entries, one for each variant of its
 * settings. A build makes the plug-ins whose libraries it finds; the list names all, so that reports can say how to get
 * what is missing. */
#ifndef WLU_PEERS_H
#define WLU_PEERS_H

#include <stdint.h>

enum { PEER_THREADS = 1, PEER_THREADS_OF_BATCHES = 2 };

typedef struct peer {
    const char *name;    /* of the entry in reports */
    const char *library; /* the plug-in, and what --peers calls it; an entry's own name works too */
    const char *about;   /* what this entry is */
    const char *get;     /* how to get the library */
    int32_t variant;     /* the plug-in's settings (peer_request) */
    int32_t attempts;    /* how often one that ended its process is started again for the same matrix, each time with
                            more storage */
    int32_t threads;     /* runs on more than one if asked to: always, or members of a batch alone; else 0 */
} peer;

extern const peer peer_list[];
extern const int peer_count;

/* The plug-in's program: in the folder that WARPLU_PEERS names, else beside this program as installed or built. 1 if it
 * is there. */
int peer_program(const peer *p, char *path, int64_t bytes);

#endif
